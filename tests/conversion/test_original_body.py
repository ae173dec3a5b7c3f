"""The author's body: where nothing is traced a converted function cannot be told from the plain one."""

import asyncio
import functools
import gc
import importlib.util
import inspect
import os
import pickle
import subprocess
import sys
import threading
import warnings
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import autograph as ag
from autograph import converters
from autograph.code.registry import Role, known
from autograph.conversion import pipeline


@pytest.fixture(autouse=True)
def plain_staged_bodies(monkeypatch: pytest.MonkeyPatch) -> None:
    """The staged body is the author's source: what these tests are about is the way to it."""
    monkeypatch.setattr(converters, "apply_passes", lambda tree, context: tree, raising=False)


def traced(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """`fn(*args, **kwargs)` while a trace is in progress."""
    results: list[Any] = []
    jax.make_jaxpr(lambda: results.append(fn(*args, **kwargs)) or 0)()
    return results[0]


def frames(depth: int = 6) -> list[str]:
    """The names of the functions on the stack."""
    return [frame.function for frame in inspect.stack()[1 : depth + 1]]


SENTINEL = object()
TABLE: dict[Any, Any] = {}
total = 0


# --- functions of every kind, each with arguments ---


def all_kinds(a: int, /, b: Any = SENTINEL, *rest: int, c: int, d: Any = 4, **more: int) -> tuple[Any, ...]:
    """Takes everything."""
    return a, b, rest, c, d, more


def deletes(a: int, b: int) -> int:
    del a
    a = b + 1
    return a


def only_a_docstring() -> None:
    """Does nothing."""


def passes() -> None:
    pass


def writes_a_global(x: int) -> int:
    global total
    total = total + x
    return total


def generates(n: int) -> Iterator[int]:
    for i in range(n):
        got = yield i
        if got:
            yield got
    return "done"  # type: ignore[return-value]


def ends_in_a_class(x: int) -> Any:
    class Local:
        y = x

        def method(self, z: int) -> int:
            return self.y + z

    return Local().method(x)


class Base:
    def greet(self, name: str) -> str:
        return f"hello {name}"


class Child(Base):
    __secret = 3

    def greet(self, name: str, *, __loud: bool = True) -> str:
        return super().greet(name) + str(self.__secret) + __class__.__name__  # type: ignore[name-defined]

    @staticmethod
    def static(x: int) -> int:
        return x

    def keeps(self) -> Any:
        return lambda: self.__secret


CASES: list[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = [
    (all_kinds, (1,), {"c": 3}),
    (all_kinds, (1, 2, 3, 4), {"c": 3, "d": 5, "e": 6}),
    (deletes, (1, 2), {}),
    (only_a_docstring, (), {}),
    (passes, (), {}),
    (ends_in_a_class, (4,), {}),
    (Child.greet, (Child(), "you"), {}),
    (Child.keeps, (Child(),), {}),
    (lambda x, *, y=2: (x, y), (1,), {}),
]


@pytest.mark.parametrize("fn,args,kwargs", CASES, ids=lambda value: getattr(value, "__name__", None))
def test_looks_like_the_plain_function(fn: Any, args: Any, kwargs: Any) -> None:
    converted = ag.convert(fn)
    assert converted is not fn and ag.convert(fn) is converted is ag.convert(converted)
    for name in ("__name__", "__qualname__", "__doc__", "__module__", "__defaults__", "__kwdefaults__", "__globals__"):
        assert getattr(converted, name) is getattr(fn, name), name
    assert converted.__closure__ == fn.__closure__ and converted.__annotations__ == fn.__annotations__
    assert inspect.signature(converted) == inspect.signature(fn)
    assert inspect.getsource(converted) == inspect.getsource(fn)
    for name in ("co_name", "co_qualname", "co_filename", "co_firstlineno", "co_flags", "co_freevars", "co_cellvars"):
        assert getattr(converted.__code__, name) == getattr(fn.__code__, name), name
    assert converted.__code__.co_varnames == fn.__code__.co_varnames


@pytest.mark.parametrize("run", [lambda f, *a, **k: f(*a, **k), traced], ids=["plain", "traced"])
@pytest.mark.parametrize("fn,args,kwargs", CASES, ids=lambda value: getattr(value, "__name__", None))
def test_returns_the_same(fn: Any, args: Any, kwargs: Any, run: Any) -> None:
    expected, got = fn(*args, **kwargs), run(ag.convert(fn), *args, **kwargs)
    if callable(expected):
        expected, got = expected(), got()
    assert got == expected


@pytest.mark.parametrize("run", [lambda f, *a, **k: f(*a, **k), traced], ids=["plain", "traced"])
def test_wrong_calls_name_the_function(run: Any) -> None:
    converted = ag.convert(Child.greet)
    with pytest.raises(TypeError) as plain:
        Child.greet(1, 2, 3, 4)  # type: ignore[arg-type, call-arg]
    with pytest.raises(TypeError) as ours:
        run(converted, 1, 2, 3, 4)
    assert str(ours.value) == str(plain.value)


# --- frames, names, depth ---


def sees_frames() -> Any:
    return frames()


def sees_locals(a: int) -> Any:
    b = a
    table = {1: 2}
    table[a] = b
    return sorted(locals())


def descends(n: int) -> int:
    return 0 if n == 0 else 1 + descends(n - 1)


def test_no_frame_of_ours_where_nothing_is_traced() -> None:
    assert ag.convert(sees_frames)() == sees_frames()
    assert ag.convert(sees_locals)(1) == sees_locals(1)


def test_recursion_goes_as_deep(monkeypatch: pytest.MonkeyPatch) -> None:
    def depth(fn: Any) -> int:
        low, high = 1, 100_000
        while low + 1 < high:
            middle = (low + high) // 2
            try:
                fn(middle)
                low = middle
            except RecursionError:
                high = middle
        return low

    plain = depth(descends)
    monkeypatch.setitem(globals(), "descends", ag.convert(descends))
    assert abs(depth(descends) - plain) <= 1


def test_a_trace_enters_the_staged_body() -> None:
    def which() -> Any:
        entry = known(sys._getframe().f_code)
        return entry and entry.role

    converted = ag.convert(which)
    assert converted() is Role.AUTHOR
    assert traced(converted) is Role.STAGED
    seen: list[Any] = []
    jax.vmap(lambda x: (seen.append(converted()), x)[1])(jnp.ones(2))
    assert seen == [Role.STAGED]
    assert pipeline.staged(which)() is pipeline.staged(converted)() is Role.STAGED


def test_warnings_point_at_the_caller() -> None:
    def warns() -> None:
        warnings.warn("look here", stacklevel=2)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ag.convert(warns)()
        line = sys._getframe().f_lineno - 1
    assert [w.lineno for w in caught] == [line]


# --- scopes ---


def counter() -> tuple[Any, Any]:
    count = 0

    def up() -> int:
        nonlocal count
        count = count + 1
        return count

    return up, lambda: count


@pytest.mark.parametrize("run", [lambda f: f(), traced], ids=["plain", "traced"])
def test_cells_are_shared_with_the_original(run: Any) -> None:
    up, read = counter()
    converted = ag.convert(up)
    assert (run(converted), up(), run(converted), read()) == (1, 2, 3, 3)


@pytest.mark.parametrize("run", [lambda f, x: f(x), traced], ids=["plain", "traced"])
def test_globals(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "total", 5)
    assert run(ag.convert(writes_a_global), 2) == 7 == total


def test_nested_functions_have_two_bodies() -> None:
    def make(n: int) -> Any:
        def inner() -> Any:
            entry = known(sys._getframe().f_code)
            return n, entry and entry.role

        return inner, [lambda: (n + k, known(sys._getframe().f_code).role) for k in range(2)]  # noqa: B023

    inner, lambdas = ag.convert(make)(3)
    assert inner() == (3, Role.AUTHOR) and traced(inner) == (3, Role.STAGED)
    assert [fn() for fn in lambdas] == [(4, Role.AUTHOR)] * 2
    assert [traced(fn) for fn in lambdas] == [(4, Role.STAGED)] * 2
    assert ag.convert(inner) is inner


def test_nested_functions_of_a_staged_body_are_staged() -> None:
    def make() -> Any:
        return lambda: known(sys._getframe().f_code).role

    inner = traced(ag.convert(make))
    assert inner() is Role.STAGED
    assert ag.convert(inner) is inner is pipeline.staged(inner)


def test_a_method_is_converted_while_its_class_is_made() -> None:
    class Made(Base):
        @ag.convert
        def greet(self, name: str) -> str:
            return super().greet(name)

    assert Made().greet("a") == traced(Made().greet, "a") == "hello a"


def test_two_lambdas_with_the_same_source() -> None:
    pair = [ag.convert(lambda x: x + 1), ag.convert(lambda x: x + 1)]
    starts = [next(p[2] for p in fn.__code__.co_positions() if p[3]) for fn in pair]
    assert starts[0] < starts[1] and [fn(1) for fn in pair] == [2, 2] == [traced(fn, 1) for fn in pair]


def test_do_not_convert_inside_a_converted_function() -> None:
    def outer() -> Any:
        @ag.do_not_convert
        def inner() -> Any:
            return known(sys._getframe().f_code)

        return inner

    inner = ag.convert(outer)()
    assert inner() is None is traced(inner)


# --- generators and coroutines ---


@pytest.mark.parametrize("run", [lambda f, n: f(n), traced], ids=["plain", "traced"])
def test_generators(run: Any) -> None:
    plain, ours = generates(3), run(ag.convert(generates), 3)
    assert inspect.isgenerator(ours)

    def drive(generator: Any) -> list[Any]:
        seen = [next(generator), generator.send("x"), next(generator), next(generator)]
        try:
            next(generator)
        except StopIteration as stop:
            seen.append(stop.value)
        return seen

    assert drive(plain) == drive(ours) == [0, "x", 1, 2, "done"]
    closed = ag.convert(generates)(3)
    next(closed)
    closed.close()
    with pytest.raises(KeyError):
        ag.convert(generates)(2).throw(KeyError("k"))


def test_generators_decide_when_first_resumed() -> None:
    generator = ag.convert(generates)(2)
    assert traced(lambda: list(generator)) == [0, 1]


def test_coroutines() -> None:
    async def double(x: int) -> int:
        await asyncio.sleep(0)
        return x * 2

    async def numbers(n: int) -> Any:
        for i in range(n):
            yield i

    async def gathered() -> Any:
        return [i async for i in ag.convert(numbers)(3)]

    assert asyncio.run(ag.convert(double)(4)) == 8
    assert traced(lambda: asyncio.run(ag.convert(double)(4))) == 8
    assert asyncio.run(gathered()) == [0, 1, 2]


# --- lifetimes, threads, pickles ---


def test_converted_functions_and_their_code_are_collected() -> None:
    def make() -> Any:
        data = [1]

        def inner() -> Any:
            return data

        return inner

    fn = make()
    converted = ag.convert(fn)
    traced(converted)
    references = [weakref.ref(fn), weakref.ref(converted)]
    del fn, converted
    gc.collect()
    assert [reference() for reference in references] == [None, None]


def test_a_second_closure_shares_the_code() -> None:
    def make(n: int) -> Any:
        return lambda: n

    first, second = ag.convert(make(1)), ag.convert(make(2))
    assert first.__code__ is second.__code__ and (first(), second()) == (1, 2)


def test_threads_build_one_staged_body(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[str] = []
    monkeypatch.setattr(converters, "apply_passes", lambda tree, context: (built.append(context.name), tree)[1])

    def once() -> int:
        return 1

    converted = ag.convert(once)
    barrier = threading.Barrier(8)
    seen: list[int] = []

    def work() -> None:
        barrier.wait()
        seen.append(traced(converted))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [1] * 8 and len(built) == 1


@ag.convert
def by_name(x: int) -> int:
    return x


def test_pickles_by_name() -> None:
    assert pickle.loads(pickle.dumps(by_name)) is by_name


# --- what debuggers see ---


def shape_docstring(x: int) -> int:
    """Doc."""
    y = x + 1
    return y


def shape_loop(x: int) -> int:
    for i in range(x):
        x = x + i
        if i > 1:
            break
    return x


def shape_value_below(x: int) -> int:
    y = (
        abs(x)
    )  # fmt: skip
    return y


def shape_decorated_first(x: int) -> Any:
    @functools.lru_cache
    def inner() -> int:
        return x

    return inner()


def shape_try(x: int) -> int:
    try:
        x = x // 0
    except ZeroDivisionError:
        x = 0
    finally:
        x += 1
    return x


def shape_declarations(x: int) -> int:
    global total
    y: int
    y = x
    return y


def shape_elements(x: int) -> Any:
    xs: Any = {}
    xs[0], xs[1] = x, x
    TABLE[x] = (
        x
    )  # fmt: skip
    TABLE[x] += 1
    return xs


def shape_multiline_if(x: int) -> int:
    if (
        x
        and x > 2
    ):  # fmt: skip
        return 1
    while x:
        x -= 1
    return x


shape_lambda = lambda x: (  # noqa: E731
    x + 1
)
SHAPES = [value for name, value in sorted(globals().items()) if name.startswith("shape_")]


def events(fn: Callable[..., Any], *args: Any) -> list[tuple[str, int]]:
    seen: list[tuple[str, int]] = []

    def tracer(frame: Any, event: str, arg: Any) -> Any:
        if frame.f_code.co_filename != __file__:
            return None
        if event != "opcode":
            seen.append((event, frame.f_lineno))
        return tracer

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        fn(*args)
    finally:
        sys.settrace(before)
    return seen


@pytest.mark.parametrize("fn", SHAPES, ids=lambda fn: fn.__name__)
def test_line_events_are_the_plain_ones(fn: Any) -> None:
    assert events(ag.convert(fn), 3) == events(fn, 3)


# --- other processes ---


@pytest.mark.slow
def test_cloudpickle_sends_functions_by_value(tmp_path: Path) -> None:
    cloudpickle = pytest.importorskip("cloudpickle")
    text = "import autograph as ag\nn = 3\n@ag.convert\ndef f(x):\n    h = lambda y: y + n\n    return h(x)\n"
    path = tmp_path / "of_another_process.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location("__main__", path)
    module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    spec.loader.exec_module(module)  # type: ignore[union-attr]
    data = cloudpickle.dumps(module.f)
    path.unlink()  # nor is the file there
    again = pickle.loads(data)
    assert again(1) == 4 == traced(again, 1)
    assert ag.convert(again) is again and pipeline.staged(again)(2) == 5
    script = f"import pickle, jax; f = pickle.loads({data!r}); print(f(1), jax.jit(f)(1))"
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=False)
    assert done.stdout.split() == ["4", "4"], done.stderr
