"""What is called in the place of what: functions, classes, library code, builtins, methods that write."""

import collections
import dataclasses
import enum
import functools
import heapq
import io
import itertools
import math
import operator
import struct
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph.code import library
from autograph.conversion import pipeline
from autograph.errors import StagingError
from autograph.runtime.calls.dispatch import converted
from autograph.runtime.operators.conditionals import if_stmt, nothing
from autograph.runtime.values import key_orders


@pytest.fixture(autouse=True)
def marked(monkeypatch):
    """Stands for conversion: the staged function of the user's `f` runs `f` and adds `f` to the list."""
    seen, made = [], {}

    def staged(f, in_try=False):
        if library.is_library(f) or f in made.values():
            return f
        if f not in made:

            @functools.wraps(f)
            def run(*args, **kwargs):
                seen.append(f.__name__)
                return f(*args, **kwargs)

            made[f] = run
        return made[f]

    monkeypatch.setattr(pipeline, "staged", staged)
    monkeypatch.setattr(pipeline, "convert_function", staged)
    return seen


def double(x):
    return 2 * x


def test_functions_lambdas_partials(marked):
    assert converted(double)(3) == 6
    assert converted(lambda: 1)() == 1
    assert converted(functools.partial(double, 4))() == 8
    assert converted(functools.partial(functools.partial(double), x=5))() == 10
    assert marked == ["double", "<lambda>", "double", "double"]
    assert converted(converted(double)) is converted(double)


class Base:
    def __init__(self, a, *, b=2):
        self.a, self.b = a, b

    def method(self, x):
        return self.a * x

    @classmethod
    def made(cls, a):
        return cls(a)

    @staticmethod
    def static(x):
        return x + 1

    def __call__(self, x):
        return self.a + x


class Counted(Base):
    def __new__(cls, *args, **kwargs):
        return super().__new__(cls)


def test_methods_keep_their_binding(marked):
    obj = Base(3)
    assert converted(obj.method)(2) == 6 and converted(Base.method)(obj, 2) == 6
    assert converted(Counted.made)(5).a == 5 and type(converted(Counted.made)(5)) is Counted
    assert converted(obj.static)(1) == 2 and converted(obj)(10) == 13
    assert marked == ["method", "method", "made", "made", "static", "__call__"]
    assert converted(obj.method).__self__ is obj


def test_classes(marked):
    obj = converted(Counted)(1, b=7)
    assert (type(obj), obj.a, obj.b) == (Counted, 1, 7)
    assert marked == ["__new__", "__init__"]
    with pytest.raises(TypeError) as found:
        converted(Base)()
    with pytest.raises(TypeError) as expected:
        Base()
    assert str(found.value) == str(expected.value)


class Other:
    def __new__(cls, make):
        return make()

    def __init__(self, make):
        raise AssertionError("not called: the object is of another class")


class ReturnsFromInit:
    def __init__(self):
        return 3


class Meta(type):
    def __call__(cls, *args):
        return ("meta", cls, args)


class WithMeta(metaclass=Meta):
    pass


class Abstract(collections.abc.Sized):
    def __init__(self):
        pass


Pair = collections.namedtuple("Pair", "a b")


class Color(enum.Enum):
    RED = 1


@dataclasses.dataclass
class Data:
    a: int
    b: int = 2


def test_unusual_classes(marked):
    assert converted(Other)(lambda: 5) == 5
    with pytest.raises(TypeError, match="__init__.. should return None, not 'int'"):
        converted(ReturnsFromInit)()
    assert converted(WithMeta)(1) == ("meta", WithMeta, (1,))
    with pytest.raises(TypeError, match="abstract"):
        converted(Abstract)()
    assert converted(Pair)(1, 2) == (1, 2) and type(converted(Pair)(1, 2)) is Pair
    assert converted(Color)(1) is Color.RED
    assert converted(Data)(1) == Data(1, 2)
    assert converted(collections.OrderedDict)(a=1) == {"a": 1}
    assert converted(ValueError)("x").args == ("x",)
    assert converted(type)(3) is int and converted(object)() is not None


def test_library_code_is_called_as_it_is(marked):
    for f in (jnp.fft.fft, jax.random.normal, id, print, issubclass, str.upper, operator.add, dict, super, ValueError):
        assert converted(f) is f
    assert converted("a".upper)() == "A" and converted(jnp.ones(2).sum)() == 2.0
    assert converted(collections.Counter)("aab") == {"a": 2, "b": 1}
    assert marked == []


def test_functions_handed_to_jax_are_converted(marked):
    assert converted(jax.vmap)(double)(jnp.arange(2)).tolist() == [0, 2]
    assert converted(jax.grad)(functools.partial(lambda a, x: a * x * x, 3.0))(2.0) == 12.0
    carry, _ = converted(jax.lax.scan)(lambda c, x: (c + x, None), 0, jnp.arange(3))
    assert carry == 3
    assert converted(jax.lax.switch)(1, [lambda x: x, double], 4) == 8
    assert converted(jax.tree.map)(double, {"a": 1}) == {"a": 2}
    assert converted(jax.vmap)(Base(2).method)(jnp.arange(2)).tolist() == [0, 2]
    assert marked == ["double", "<lambda>", "<lambda>", "<lambda>", "double", "double", "method"]


def test_functions_handed_to_the_standard_library_are_converted(marked):
    assert converted(functools.reduce)(lambda a, b: a * b, [1, 2, 3]) == 6
    assert list(converted(itertools.accumulate)([1, 2], lambda a, b: a - b)) == [1, -1]
    assert list(converted(map)(double, [1])) == [2] and list(converted(filter)(double, [0, 1])) == [1]
    assert converted(sorted)([1, 2], key=lambda x: -x) == [2, 1] and converted(max)([1, -2], key=double) == 1
    xs = [1, 2]
    converted(xs.sort)(key=lambda x: -x)
    assert xs == [2, 1]
    assert converted(heapq.nsmallest)(1, [3, 1], key=double) == [1]
    assert set(marked) == {"<lambda>", "double"} and len(marked) == 14


def test_identity_matters_elsewhere(marked):
    registry = {}
    converted(registry.setdefault)(double, 1)
    assert list(registry) == [double]
    assert converted(isinstance)(double, type(double)) and converted(id)(double) == id(double)


def test_jitted_functions_are_converted_inside(marked):
    @jax.jit
    def jitted(x):
        return double(x) + 1

    @functools.partial(jax.jit, static_argnames="n")
    def jitted_static(x, n):
        return x * n

    assert converted(jitted)(jnp.float32(3.0)) == 7.0 and marked == ["jitted"]
    assert converted(jitted) is converted(jitted)
    assert converted(jitted_static)(2, n=3) == 6


batched = jax.vmap(double)
slope = jax.value_and_grad(lambda x: x * x)


def test_functions_under_a_transform_are_converted_inside(marked):
    assert converted(batched)(jnp.arange(2)).tolist() == [0, 2]
    assert converted(slope)(3.0) == (9.0, 6.0)
    assert marked == ["double", "<lambda>"]


class Loud:
    """An object that refuses to be asked for anything but a call."""

    def __getattribute__(self, name):
        raise RuntimeError(f"asked for {name}")

    def __call__(self):
        return "called"

    def __eq__(self, other):
        raise RuntimeError("compared")

    def __hash__(self):
        raise RuntimeError("hashed")

    def __bool__(self):
        raise RuntimeError("tested")


def test_no_object_is_probed(marked):
    assert converted(Loud())() == "called"
    assert converted(functools.partial)(Loud())() == "called"
    with pytest.raises(TypeError, match="'int' object is not callable"):
        converted(3)()


def test_no_object_is_probed_where_the_order_of_a_dict_is_unknown(marked):
    def trace(x):
        key_orders.mark({"a": x, "b": x}, "d")
        assert key_orders.any_unknown()
        assert converted(Loud())() == "called"
        return x

    assert jax.jit(trace)(1) == 1


def test_no_frame_between_caller_and_callee(monkeypatch):
    monkeypatch.setattr(pipeline, "staged", lambda f, in_try=False: f)

    def callee():
        return sys._getframe(1).f_code.co_name

    assert converted(callee)() == "test_no_frame_between_caller_and_callee"


# --- writes ---


def in_branch(write):
    """Runs `write` in a branch that is taken and in one that is not."""
    for p in (1, 0):
        jax.jit(lambda p: if_stmt(p > 0, write, nothing))(p)


@pytest.mark.parametrize(
    ("make", "write", "expected"),
    [
        (lambda: [1.0], lambda x: converted(x.__setitem__)(0, 2.0), [2.0]),
        (lambda: {"a": 1.0}, lambda x: converted(x.update)(a=2.0), {"a": 2.0}),
        (lambda: {"a": 1.0}, lambda x: converted(dict.update)(x, a=2.0), {"a": 2.0}),
        (lambda: [2.0, 1.0], lambda x: converted(x.sort)(), [1.0, 2.0]),
        (lambda: [2.0, 1.0], lambda x: converted(x.reverse)(), [1.0, 2.0]),
        (lambda: [2.0, 1.0], lambda x: converted(heapq.heapify)(x), [1.0, 2.0]),
        (lambda: [2.0, 1.0], lambda x: converted(operator.setitem)(x, 0, 3.0), [3.0, 1.0]),
        (lambda: collections.deque([2.0, 1.0]), lambda x: converted(x.rotate)(1), [1.0, 2.0]),
        (lambda: collections.Counter(a=1), lambda x: converted(x.update)(a=2), {"a": 3}),
    ],
)
def test_writes_in_a_branch_that_is_not_taken_leave_no_trace(make, write, expected):
    def f(p):
        x = make()
        if_stmt(p > 0, lambda: write(x), nothing)
        return dict(x) if isinstance(x, dict) else list(x)

    assert jax.jit(f)(1) == expected
    assert jax.jit(f)(0) == (dict(make()) if isinstance(make(), dict) else list(make()))


def through_a_memory_view(data):
    converted(memoryview(data).__setitem__)(0, 7)


def through_a_flat_iterator(data):
    converted(data.flat.__setitem__)(0, 7)


def by_the_class_of_a_flat_iterator(data):
    converted(np.flatiter.__setitem__)(data.flat, 0, 7)


def by_a_struct(data):
    converted(struct.Struct("b").pack_into)(data, 0, 7)


def by_the_class_of_a_struct(data):
    converted(struct.Struct.pack_into)(struct.Struct("b"), data, 0, 7)


def by_a_stream(data):
    converted(converted(io.BytesIO)(b"z").readinto)(data)


@pytest.mark.parametrize(
    ("make", "write"),
    [
        (lambda: bytearray(b"ab"), through_a_memory_view),
        (lambda: bytearray(b"ab"), by_a_struct),
        (lambda: bytearray(b"ab"), by_the_class_of_a_struct),
        (lambda: bytearray(b"ab"), by_a_stream),
        (lambda: np.zeros(2), through_a_flat_iterator),
        (lambda: np.zeros(2), by_the_class_of_a_flat_iterator),
    ],
)
def test_a_write_through_a_view_of_memory_or_to_an_argument_is_heard_in_a_branch(make, write):
    def f(p, data):
        if_stmt(p > 0, lambda: write(data), nothing)
        return data[0]

    data = make()
    with pytest.raises(StagingError, match="changed inside a staged statement|different values in the contents of"):
        jax.jit(lambda p: f(p, data))(0)
    assert list(data) == list(make())


def test_attribute_writes_by_native_methods():
    class Frozen:
        def __setattr__(self, name, value):
            converted(object.__setattr__)(self, name, value)

        def put(self, value):
            converted(super().__setattr__)("a", value)

    def f(p, which):
        obj = Frozen()
        obj.a = 1.0
        writes = {
            "type": lambda: converted(object.__setattr__)(obj, "a", 2.0),
            "super": lambda: obj.put(2.0),
            "builtin": lambda: converted(setattr)(obj, "a", 2.0),
            "bound": lambda: converted(obj.__setattr__)("a", 2.0),
        }
        if_stmt(p > 0, writes[which], nothing)
        return obj.a

    for which in ("type", "super", "builtin", "bound"):
        assert [jax.jit(lambda p, w=which: f(p, w))(p) for p in (1, 0)] == [2.0, 1.0]


# --- methods of lists with traced arguments ---


def test_list_methods_with_traced_arguments():
    def f(i, v):
        xs = [1, 2, 3]
        popped = converted(xs.pop)(i)
        converted(xs.insert)(i, v)
        return popped, xs, converted(xs.count)(v)

    for i in (0, 1, -1, 2):
        xs = [1, 2, 3]
        expected = [xs.pop(i)]
        xs.insert(i, 2)
        expected += [xs, xs.count(2)]
        popped, found, count = jax.jit(f)(i, 2)
        assert [popped, [int(x) for x in found], count] == expected
    for i in (-9, -4, -3, 3, 9):
        xs = [1, 2, 3]
        xs.insert(i, 7)
        assert [int(x) for x in jax.jit(lambda i: _inserted(i))(i)] == xs


def _inserted(i):
    xs = [1, 2, 3]
    converted(xs.insert)(i, 7)
    return xs


def test_sort_of_traced_elements():
    def f(a, b):
        xs = [a, b, 2.0]
        converted(xs.sort)(reverse=True)
        return xs

    assert [float(x) for x in jax.jit(f)(1.0, 3.0)] == [3.0, 2.0, 1.0]


def test_numpy_methods_with_traced_arguments():
    table = np.arange(4.0).reshape(2, 2)
    assert jax.jit(lambda x: converted(table.dot)(x))(jnp.ones(2)).tolist() == [1.0, 5.0]
    assert jax.jit(lambda x: converted(np.add.reduce)([x, 2.0]))(1.0) == 3.0
    assert jax.jit(lambda x: converted(math.sqrt)(x))(4.0) == 2.0
    assert type(converted(table.sum)()) is np.float64


def test_index_and_remove():
    def f(a, v):
        xs = [a, 2, 3, 2]
        at = converted(xs.index)(v)
        converted(xs.remove)(v)
        return at, xs

    for a, v in [(2, 2), (1, 2), (1, 3), (7, 7)]:
        xs = [a, 2, 3, 2]
        at = xs.index(v)
        xs.remove(v)
        found, left = jax.jit(f)(a, v)
        assert (found, [int(x) for x in left]) == (at, xs)
    with pytest.raises((jax.errors.JaxRuntimeError, ValueError), match="x not in list"):
        jax.block_until_ready(jax.jit(f)(1, 9))
    assert converted([5, 6].index)(6) == 1
