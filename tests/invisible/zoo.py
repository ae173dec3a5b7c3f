"""Programs that look at themselves: what they return must not depend on whether the module was converted.

Every function whose name begins with `probe_` is one test. They return plain data: no objects, no addresses.
"""

import abc
import asyncio
import collections
import contextlib
import copy
import dataclasses
import enum
import functools
import gc
import inspect
import pickle
import sys
import traceback
import types
import typing
import warnings
import weakref

SENTINEL = object()
log: list = []
whole_tracebacks = True  # a staged body has frames of its own: there the first function and the last line must agree


def noted(x, value=None):
    log.append(x)
    return x if value is None else value


def taken():
    seen = log[:]
    log.clear()
    return seen


def failure(fn, *args, **kwargs):
    """The exception of a call: type, arguments, the functions and lines that its traceback goes through."""
    try:
        fn(*args, **kwargs)
    except BaseException as error:
        return type(error).__name__, error.args, way(error), type(error.__context__).__name__
    return "no exception"


def way(error):
    frames = [frame for frame in traceback.extract_tb(error.__traceback__)[1:] if frame.filename == __file__]
    places = [(frame.name, frame.lineno) for frame in frames]
    return places if whole_tracebacks or not places else (places[0][0], places[-1][1])


# --- functions as objects ---


def every_kind(a, /, b=SENTINEL, *rest, c, d: "int" = 4, **more) -> "tuple":
    """Takes everything."""
    return a, b is SENTINEL, rest, c, d, more


def probe_metadata():
    f = every_kind
    return (
        [f.__name__, f.__qualname__, f.__doc__, f.__module__, f.__annotations__, f.__kwdefaults__, f.__dict__],
        f.__defaults__[0] is SENTINEL,
        str(inspect.signature(f)).count("object object"),
        inspect.getsource(f),
        [f.__code__.co_name, f.__code__.co_firstlineno, f.__code__.co_argcount, f.__code__.co_posonlyargcount],
        [f.__code__.co_kwonlyargcount, f.__code__.co_freevars, f.__code__.co_flags],
        f(1, 2, 3, c=4, e=5),
        f(1, c=2),
        type(f).__name__,
        inspect.isfunction(f),
        f.__closure__,
    )


def probe_argument_errors():
    return [
        failure(every_kind),
        failure(every_kind, 1),
        failure(every_kind, a=1, c=2),
        failure(Shape().area, 1),
        failure(lambda x: x),
    ]


def probe_pickle_and_copy():
    again = pickle.loads(pickle.dumps(every_kind))
    method = pickle.loads(pickle.dumps(Point(1, 2).moved))
    return again is every_kind, copy.copy(every_kind) is every_kind, copy.deepcopy(every_kind) is every_kind, method(3)


def probe_weakref_hash_and_equality():
    def local():
        return 1

    reference = weakref.ref(local)
    same = reference() is local, hash(local) == hash(local), local == local, {local: 1}[local]
    del local
    gc.collect()
    return same, reference() is None


def probe_code_objects():
    code = every_kind.__code__
    moved = code.replace(co_filename="elsewhere.py")
    new = types.FunctionType(moved, globals(), "new", (7,), None)
    return code == code.replace(), hash(code) == hash(code.replace()), new(1, c=2, d=3), moved.co_filename


def probe_attributes():
    def local():
        """Doc."""

    local.flag = 1
    local.__doc__ = "other"
    local.__name__ = "renamed"
    local.__defaults__ = ()
    return local.__dict__, local.__doc__, local.__name__, local.__qualname__


def probe_code_exchanged():
    def f():
        return "f"

    def g():
        return "g"

    f.__code__, g.__code__ = g.__code__, f.__code__
    return f(), g()


# --- closures ---


def counter():
    count = 0

    def up():
        nonlocal count
        count += 1
        return count

    def read():
        return count

    return up, read


def probe_shared_cells():
    up, read = counter()
    first = up(), read(), up.__closure__[0] is read.__closure__[0], up.__code__.co_freevars
    up.__closure__[0].cell_contents = 10
    return first, up(), read()


def probe_late_binding():
    functions = []
    for i in range(3):
        functions.append(lambda: i)
    return [f() for f in functions], [f() for f in [lambda i=i: i for i in range(3)]]


def probe_recursion_by_name():
    def fact(n):
        return 1 if n < 2 else n * fact(n - 1)

    mine = fact

    def fact(n):
        return "other"

    return mine(3)


def probe_recursion_depth():
    def down(n):
        return 0 if n == 0 else 1 + down(n - 1)

    return down(300)


def deep(n):
    if n == 0:
        return 0
    return 1 + deep(n - 1)


def probe_recursion_error():
    try:
        deep(10**6)
    except RecursionError as error:
        return str(error)[:32]


# --- classes ---


class Shape:
    kind = "shape"
    __hidden = 3

    def __init_subclass__(cls, /, sides=0, **kwargs):
        super().__init_subclass__(**kwargs)
        cls.sides = sides

    def area(self):
        return self.__hidden

    @classmethod
    def make(cls, *args):
        return cls(*args)

    @staticmethod
    def unit():
        return "m"

    @property
    def name(self):
        "Its name."
        return __class__.__name__ + type(self).__name__

    @name.setter
    def name(self, value):
        raise AttributeError(value)


class Square(Shape, sides=4):
    def __init__(self, side=1):
        self.side = side

    def area(self):
        return super().area() + super().area() + self.side**2

    def __getattr__(self, name):
        if name == "magic":
            return lambda: self.side
        raise AttributeError(name)

    def __eq__(self, other):
        return isinstance(other, Square) and self.side == other.side

    def __hash__(self):
        return hash(self.side)

    def __enter__(self):
        return noted("enter", self)

    def __exit__(self, kind, error, tb):
        noted(kind and kind.__name__)
        return kind is KeyError


def probe_classes():
    square = Square.make(2)
    return (
        [square.area(), square.name, square.sides, Square.unit(), square.magic(), Shape.name.__doc__],
        [square == Square(2), hash(square) == hash(Square(2)), square != 1],
        [failure(setattr, square, "name", 1), failure(getattr, square, "nothing")],
        [name for name in vars(Shape) if not name.startswith("__")],
        Square.area.__qualname__,
    )


class Meta(type):
    calls: list = []

    def __prepare__(name, bases, **kwargs):
        Meta.calls.append(("prepare", name))
        return {}

    def __new__(mcs, name, bases, space, **kwargs):
        Meta.calls.append(("new", sorted(n for n in space if not n.startswith("__"))))
        return super().__new__(mcs, name, bases, space)

    def __call__(cls, *args):
        Meta.calls.append(("call", args))
        return super().__call__(*args)

    def __instancecheck__(cls, instance):
        return instance == 3


def probe_metaclass():
    Meta.calls.clear()

    class Made(metaclass=Meta):
        def __init__(self, x):
            self.x = x

        def twice(self):
            return self.x * 2

    return Made(4).twice(), isinstance(3, Made), Meta.calls[:]


class Described:
    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, instance, owner=None):
        return (self.name, instance is None)

    def __set__(self, instance, value):
        noted((self.name, value))


def probe_descriptors():
    class Holder:
        field = Described()

        @functools.cached_property
        def slow(self):
            return noted("computed")

    holder = Holder()
    holder.field = 3
    return holder.field, Holder.field, holder.slow, holder.slow, taken(), vars(holder)


@dataclasses.dataclass(order=True)
class Point:
    x: int
    y: int = 2
    tags: list = dataclasses.field(default_factory=list, compare=False)

    def __post_init__(self):
        if self.x < 0:
            raise ValueError("negative")

    def moved(self, by):
        return dataclasses.astuple(dataclasses.replace(self, x=self.x + by))


@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    x: int

    def more(self):
        return self.x, __class__ is Frozen  # no: `slots` makes another class


def probe_dataclasses():
    return (
        repr(Point(1)),
        Point(1) < Point(2),
        Point(1).moved(2),
        failure(Point, -1)[:2],
        Frozen(3).more(),
        failure(setattr, Frozen(1), "x", 2)[:2],
        dataclasses.asdict(Point(1, 2, [3])),
    )


class Colour(enum.Enum):
    RED = 1
    GREEN = 2

    @classmethod
    def _missing_(cls, value):
        return cls.RED if value == "red" else None

    def mixed(self, other):
        if self is other:
            return self
        return Colour((self.value + other.value) % 2 + 1)


def probe_enum():
    return Colour("red").name, Colour.RED.mixed(Colour.GREEN).name, failure(Colour, 9)[:2], list(map(str, Colour))


class Base(abc.ABC):
    @abc.abstractmethod
    def go(self): ...

    @classmethod
    def __subclasshook__(cls, other):
        return any("go" in vars(c) for c in other.__mro__) if cls is Base else NotImplemented


def probe_abstract_classes():
    class Ducky:
        def go(self):
            return 1

    class Half(Base):
        pass

    return isinstance(Ducky(), Base), failure(Half)[:2], Base.go.__isabstractmethod__


T = typing.TypeVar("T")


class Box(typing.Generic[T]):
    def __init__(self, value: T) -> None:
        self.value = value

    def get(self) -> T:
        return self.value


@typing.runtime_checkable
class Getter(typing.Protocol):
    def get(self) -> int: ...


class Pair(typing.NamedTuple):
    left: int
    right: int = 0

    def total(self):
        return self.left + self.right


def probe_typing():
    @typing.overload
    def f(x: int) -> int: ...
    @typing.overload
    def f(x: str) -> str: ...
    def f(x):
        return x

    hints = typing.get_type_hints(Box.get)
    return (
        Box[int](3).get(),
        isinstance(Box(1), Getter),
        Pair(1, 2).total(),
        f(2),
        str(hints),
        len(typing.get_overloads(f)),
    )


# --- decorators ---


def traced(fn):
    @functools.wraps(fn)
    def inner(*args, **kwargs):
        noted(fn.__name__)
        return fn(*args, **kwargs)

    return inner


@traced
@functools.cache
def cached(x):
    return noted(x) * 2


@functools.singledispatch
def shown(x):
    return "any"


@shown.register
def _(x: int):
    return "int"


@shown.register(list)
def shown_list(x):
    return [shown(e) for e in x]


@contextlib.contextmanager
def managed(x):
    try:
        yield noted(x)
    except KeyError as error:
        noted(str(error))
    finally:
        noted("finally")


def probe_decorators():
    values = cached(2), cached(2), cached.__wrapped__.cache_info().hits, cached.__wrapped__.__wrapped__(2)
    cached.__wrapped__.cache_clear()
    return values, taken(), cached.__name__, shown(1), shown([1, "a"]), shown.dispatch(int).__name__


def probe_context_managers():
    with managed(1) as x, Square(2) as square:
        inside = x, square.side
    with managed(2):
        raise KeyError("swallowed")
    with Square(3):
        raise KeyError(1)
    left = failure(leaves_with)
    return inside, left, taken()


def leaves_with():
    with Square(3):
        raise ValueError(1)


# --- evaluation ---


def probe_order():
    table: dict = {}
    table[noted("key")] = noted("value")
    noted("f", lambda *a, **k: None)(noted(1), *noted(2, [0]), k=noted(3), **noted(4, {}))
    [noted(5), (noted(6), noted(7))][noted(0)]
    noted(1) < noted(2) < noted(1) < noted(9)
    x = [0, 0]
    x[noted(0)], x[noted(1)] = noted(8), noted(9)
    x[noted(0)] += noted(5)
    {noted("a"): noted("b") for _ in [0]}
    noted(0) or noted(1) and noted(0) or noted(3)
    return taken(), table, x


def probe_operands():
    return (0 or "", [] and 1, 1 and [], not [], 1 if [] else 2, None or 0.0, "a" and "b", 3 > 2 > 1 == 1)


class Loud:
    """Tells of every operation on it."""

    def __init__(self, truth):
        self.truth = truth

    def __bool__(self):
        noted("bool")
        return self.truth

    def __lt__(self, other):
        noted("lt")
        return Loud(False)

    def __iadd__(self, other):
        noted("iadd")
        return self

    def __getitem__(self, index):
        noted(("get", index))
        return 1

    def __setitem__(self, index, value):
        noted(("set", index, value))

    def __contains__(self, item):
        noted(("in", item))
        return item

    def __iter__(self):
        noted("iter")
        return iter((1, 2))

    def __len__(self):
        noted("len")
        return 2


def probe_special_methods():
    loud = Loud(True)
    if loud and not Loud(False):
        loud += 1
    while loud < 1:
        pass
    loud[1:2] = loud[0]
    loud[3] += 2
    found = [x for x in loud], 1 in loud, 0 in loud, 1 if loud else 2, len(loud)
    first, second = loud
    return found, first, second, taken()


def branches(n):
    total = 0
    for i in range(n):
        if i == 3:
            continue
        elif i > 5:
            break
        try:
            if i == 2:
                raise KeyError(i)
            total += i
        except KeyError:
            total -= 1
        else:
            total += 10
        finally:
            total += 100
    else:
        return "exhausted", total
    while total > 0:
        total -= 7
        if total % 5 == 0:
            return "left", total
    return "end", total


def probe_control_flow():
    return [branches(n) for n in (0, 3, 5, 9, 30)]


def probe_match():
    def what(x):
        match x:
            case 0 | 1:
                return "bit"
            case [a, *rest] if rest:
                return a, rest
            case {"k": v, **more}:
                return v, more
            case Point(x=3, y=y):
                return y
            case str() as s:
                return s
            case _:
                return None

    return [what(x) for x in (1, [1, 2], [1], {"k": 2, "z": 3}, Point(3, 4), "s", 1.5)]


def probe_unbound():
    def early(flag):
        if flag:
            value = 1
        return value

    def deleted():
        x = 1
        del x
        return x

    def in_loop(n):
        for i in range(n):
            pass
        return i

    return failure(early, False)[:2], failure(deleted)[:2], failure(in_loop, 0)[:2], early(True), in_loop(2)


def probe_scopes():
    x = "outer"

    class Inner:
        x = "class"
        seen = [x for _ in range(1)]

        def get(self):
            return x

    def rebinds():
        nonlocal x
        x = "changed"

    before = Inner().get(), Inner.seen
    rebinds()
    return before, Inner().get(), [x := 5, x], [y for y in range(3) if (z := y) > 1], z


def probe_locals():
    a = 1
    b = [a]
    return sorted(locals())


def probe_globals_and_eval():
    a = 3
    return eval("a + 1"), "every_kind" in globals(), __name__ == every_kind.__module__


def probe_star_and_del():
    first, *middle, last = range(5)
    d = {"a": 1, "b": 2}
    del d["a"], middle[0]
    return first, middle, last, d


def probe_strings():
    value = 3.14159
    return f"{value:.2f} {value!r:>10} {'x' if value else 'y'} {(lambda v: v + 1)(value):.1f}"


# --- generators and coroutines ---


def talks(n):
    received = []
    try:
        for i in range(n):
            got = yield i
            if got is not None:
                received.append(got)
    except ValueError as error:
        yield "caught " + str(error)
    finally:
        noted("closed")
    return received


def delegates():
    result = yield from talks(2)
    yield result


def probe_generators():
    g = talks(3)
    sent = next(g), g.send("a"), g.throw(ValueError("v"))
    g.close()
    ended = failure(next, talks(0))[:2]
    return sent, list(delegates()), ended, taken(), g.__name__, g.__qualname__, inspect.isgeneratorfunction(talks)


def counter_of_turns():
    for i in range(3):
        yield i


def probe_generator_frames():
    g = counter_of_turns()
    next(g)
    return g.gi_frame.f_locals["i"], g.gi_running, g.gi_code.co_name, inspect.getgeneratorstate(g)


async def doubled(x):
    await asyncio.sleep(0)
    return 2 * x


async def counted(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield i


class Session:
    async def __aenter__(self):
        return noted("aenter")

    async def __aexit__(self, *exc):
        noted("aexit")


async def everything():
    async with Session():
        values = [x async for x in counted(3)]
    total = 0
    async for value in counted(3):
        if value == 2:
            break
        total += await doubled(value)
    return values, total, [await doubled(v) for v in values]


def probe_coroutines():
    return asyncio.run(everything()), taken(), inspect.iscoroutinefunction(doubled), inspect.isasyncgenfunction(counted)


# --- frames, tracebacks, warnings ---


def who():
    return sys._getframe(1).f_code.co_name, sys._getframe(1).f_lineno


def probe_frames():
    here = who()
    return here, [frame.function for frame in inspect.stack()[:2]], inspect.currentframe().f_code.co_name


def warns():
    warnings.warn("old", DeprecationWarning, stacklevel=2)


def probe_warnings():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warns()
    return [(str(w.message), w.lineno, w.category.__name__) for w in caught]


def raises_in_a_loop(n):
    for i in range(n):
        value = 10 // (2 - i)
    return value


def raises_from(x):
    try:
        return [][x]
    except IndexError as error:
        raise KeyError(x) from error


def raises_in_comprehension():
    return [1 / x for x in (1, 0)]


def probe_tracebacks():
    return [
        failure(raises_in_a_loop, 5),
        failure(raises_from, 1),
        failure(lambda: {}["k"]),
        failure(list, (1 / x for x in (1, 0))),
        failure(Square(1).nothing if hasattr(Square(1), "nothing") else getattr, Square(1), "nothing"),
    ]


def probe_traceback_of_a_comprehension():
    return failure(raises_in_comprehension)[:2]


def asserts(x):
    assert x > 0, f"not {x}"
    return x


def probe_assert():
    return failure(asserts, -1), asserts(1)


def probe_exception_groups():
    def fails():
        raise ExceptionGroup("all", [ValueError(1), KeyError(2)])

    try:
        fails()
    except* ValueError as group:
        noted([str(e) for e in group.exceptions])
    except* KeyError as group:
        noted([str(e) for e in group.exceptions])
    return taken()


def probe_exception_variable():
    try:
        raise ValueError("v")
    except ValueError as error:
        kept = error
    return failure(lambda: error)[:2], kept.args, sys.exc_info()


# --- containers ---


def probe_subclasses_of_containers():
    class Default(dict):
        def __missing__(self, key):
            return noted(key)

    d = Default()
    counts = collections.Counter("abca")
    counts["a"] += 5
    nested = collections.defaultdict(list)
    nested["x"].append(1)
    return d["absent"], taken(), counts["a"], nested, collections.ChainMap({}, {"k": 1})["k"]


def probe_sorting():
    return sorted([3, 1, 2], key=lambda x: -x), max(["a", "bbb"], key=len), list(map(lambda x, y: x + y, [1], [2]))


def probe_functools():
    add = functools.partial(lambda a, b: a + b, 1)
    method = functools.partialmethod(Square.area)

    class WithPartial(Square):
        again = method

    return add(2), WithPartial(1).again(), functools.reduce(lambda a, b: a * b, [1, 2, 3]), add.func.__name__


class OnlyOnce:
    def __new__(cls, *args):
        noted("new")
        return super().__new__(cls)

    def __init__(self, *args):
        noted("init")

    def __del__(self):
        noted("del")

    def __reduce__(self):
        return OnlyOnce, ()


def probe_lifetime():
    x = OnlyOnce(1)
    copy.copy(x)
    gc.collect()
    del x
    gc.collect()
    return taken()
