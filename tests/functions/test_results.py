"""What a function returns beside arrays: itself where it is known, as plain Python returns it, and refused where it is made."""

from __future__ import annotations

import enum
import gc
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import autograph as ag

X = jnp.float32(3)


class Point:
    def __init__(self, x: Any) -> None:
        self.x = x


def generator(x: Any) -> Any:
    yield x


async def coroutine(x: Any) -> Any:
    return x


async def several(x: Any) -> Any:
    yield x


@pytest.mark.filterwarnings("ignore:coroutine")
@pytest.mark.parametrize(
    "fn",
    [
        lambda x: Point(x),
        lambda x: [{"a": Point(1)}, x],
        lambda x: lambda: x,
        lambda x: {1, 2},
        lambda x: (zip([x], [x], strict=True), x),
        generator,
        coroutine,
        several,
    ],
)
def test_what_a_function_makes_and_no_call_of_its_program_would_is_refused(fn: Callable[..., Any]) -> None:
    for _ in range(2):
        with pytest.raises(ag.StagingError, match=r"\(\) returns an? \w+ object that it makes"):
            ag.function(fn)(X)


def test_an_argument_comes_back_as_that_of_the_call_and_is_not_kept() -> None:
    class Equal(Point):
        def __eq__(self, other: object) -> bool:
            return isinstance(other, Equal)

        def __hash__(self) -> int:
            return 1

    @ag.function
    def f(p: Any, x: Any) -> Any:
        return {"p": [p, "text"], "x": x}

    assert [f(Equal(n), X)["p"][0].x for n in (1, 2)] == [1, 2] and f.tracing_count == 1
    point, numbers = Point(1), iter([1])
    assert f(point, X)["p"][0] is point and f(numbers, X)["p"][0] is numbers
    there = weakref.ref(point)
    del point
    gc.collect()
    assert there() is None


def test_what_is_there_before_or_never_changes_comes_back() -> None:
    class Level(enum.IntEnum):
        LOW = 1

    shared = object()

    @ag.function
    def f(x: Any) -> Any:
        return shared, Level.LOW, ValueError, slice(1), lambda: 3, 2**70, 1e300, float("inf"), x

    for _ in range(2):
        found = f(X)
        assert found[0] is shared and found[1] is Level.LOW and found[2] is ValueError and found[3] == slice(1)
        assert found[4]() == 3 and found[5] == 2**70 and found[6] == 1e300 and float(found[7]) == float("inf")


def test_threads_may_find_the_variables_of_a_program_at_the_same_time() -> None:
    v, found = ag.Variable(0), []

    @ag.function
    def f(x: Any) -> Any:
        v.assign_add(1)
        return x * 2 if x > 0 else x

    def run() -> None:
        found.extend(float(f(jnp.float32(n))) for n in range(5))

    threads = [threading.Thread(target=run) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == sorted([0.0, 2.0, 4.0, 6.0, 8.0] * 6) and f.tracing_count == 1


@pytest.mark.usefixtures("with_few_objects")
def test_a_program_keeps_no_value_of_its_trace() -> None:
    v = ag.Variable(1.0)
    with jax.checking_leaks():
        assert float(ag.function(lambda x: v.assign_add(x))(X)) == 4


@pytest.mark.parametrize("made", [str, repr, lambda x: f"{x}", lambda x: ["a", f"is {x}"], lambda x: str({"x": x})])
def test_the_string_of_a_traced_value_is_no_result(made: Any) -> None:
    with pytest.raises(ag.StagingError, match="returns a string that shows a traced value"):
        ag.function(lambda x: made(x))(jnp.float32(1))


COUNTED = ag.Variable(0.0)


def root(x: Any) -> Any:
    if x >= 0:
        return {"root": jnp.sqrt(x), "unit": "m"}
    return None


def place(x: Any) -> Any:
    for i in range(3):
        if i * i == x:
            return i


def checked(x: Any) -> Any:
    COUNTED.assign_add(1.0)
    assert x != 5, "five"
    return x if x > 0 else None


@pytest.mark.parametrize("fn", [root, place])
def test_none_or_a_value_comes_back_as_the_program_finds(fn: Callable[..., Any]) -> None:
    call = ag.function(fn)
    for x in (4.0, -1.0, 1.0):
        wanted, found = fn(x), call(jnp.float32(x))
        assert found == wanted and (found is None) == (wanted is None)
        assert call.get_concrete_function(jnp.float32(x))(jnp.float32(x)) == wanted
    assert call.experimental_get_tracing_count() == 1


def test_none_or_a_value_beside_checks_and_variables() -> None:
    call = ag.function(checked)
    COUNTED.assign(0.0)
    assert call(jnp.float32(2.0)) == 2 and call(jnp.float32(-2.0)) is None
    with pytest.raises(AssertionError, match="five"):
        call(jnp.float32(5.0))
    assert COUNTED.value == 2


def test_none_or_a_value_is_refused_where_python_does_not_see_the_result(tmp_path: Path) -> None:
    call = ag.function(root)
    for use in (lambda x: jax.jit(call)(x[0]), ag.jit(lambda x: call(x[0])), jax.vmap(call)):
        with pytest.raises(ag.StagingError, match=r"root\(\) returns None or a value"):
            use(jnp.ones(2))
    call(jnp.float32(1.0))
    with pytest.raises(ag.AutoGraphError, match=r"root\(\) returns None or a value"):
        ag.save(call, tmp_path / "root")


def test_a_function_that_is_called_twice_by_a_decorator_returns_no_open_result() -> None:
    def twice(fn: Callable[..., Any]) -> Callable[..., Any]:
        def both(x: Any) -> Any:
            return fn(x), fn(-x)

        return both

    with pytest.raises(ag.StagingError, match="leave different values in the returned value"):
        ag.function(twice(root))(jnp.float32(4.0))


@jax.tree_util.register_pytree_node_class
class Named:
    def __init__(self, size: Any, name: Any) -> None:
        self.size, self.name = size, name

    def tree_flatten(self) -> Any:
        return (self.size,), self.name

    @classmethod
    def tree_unflatten(cls, name: Any, leaves: Any) -> Any:
        return cls(*leaves, name)


@pytest.mark.parametrize(
    "make, what",
    [
        (lambda x, word: [Named(x, word)], "a Named"),
        (lambda x, word: Named(x, {"word": (word, 3)}), "a Named"),
        (lambda x, word: slice(word), "a slice"),
    ],
)
def test_a_chosen_string_that_is_no_leaf_of_the_result_is_refused(make: Any, what: str) -> None:
    @ag.function
    def f(x: Any) -> Any:
        return make(x, "low" if x < 0 else "high")

    with pytest.raises(ag.StagingError, match=rf"f\(\) returns {what} that holds one of 'low', 'high'"):
        f(jnp.float32(1))
    assert ag.function(lambda x: Named(x, "low"))(jnp.float32(1)).name == "low"


@pytest.mark.parametrize(
    "make", [lambda x: slice(0, len(x)), lambda x: range(len(x)), lambda x: Named(x, x.shape)]
)
def test_an_open_size_that_is_no_leaf_of_the_result_is_refused(make: Any) -> None:
    f = ag.function(lambda x: make(x), input_signature=[ag.TensorSpec([None])])
    with pytest.raises(ag.StagingError, match=r"<lambda>\(\) returns a \w+ that holds none_0, an open size"):
        f(jnp.ones(3))


@ag.function
def positive(x: Any) -> Any:
    if x > 0:
        return x


class Finder:
    @ag.function
    def find(self, x: Any) -> Any:
        if x > 0:
            return x


@pytest.mark.parametrize("find", [positive, Finder().find])
@pytest.mark.parametrize("x", [2.0, -2.0])
def test_a_function_that_tests_the_result_of_another_one_for_none(find: Any, x: float) -> None:
    def doubled(x: Any) -> Any:
        found = find(x)
        return -1.0 if found is None else 2 * found

    def shifted(x: Any) -> Any:
        if find(x) is None:
            return x - 1
        return x

    for f in doubled, shifted:
        assert float(ag.function(f)(jnp.float32(x))) == f(jnp.float32(x))


def test_a_function_that_hands_such_a_result_on_is_refused() -> None:
    handing = ag.function(lambda x: positive(x) * 2)

    def f(x: Any) -> Any:
        return 0 if handing(x) is None else x

    with pytest.raises(ag.StagingError, match="return one kind of value on every path"):
        ag.function(f)(jnp.float32(2))


def test_an_array_of_unknown_length_comes_back_as_one_of_its_elements() -> None:
    @ag.function
    def above(x: Any, limit: Any) -> Any:
        kept = x[x > limit]
        return {"kept": kept, "first": kept[0]}, "what is above"

    x = jnp.array([3.0, -1.0, 4.0])
    for limit, expected in ((0.0, [3, 4]), (3.5, [4])):
        found, name = above(x, jnp.float32(limit))
        assert isinstance(found["kept"], jax.Array) and found["kept"].tolist() == expected and name == "what is above"
    with pytest.raises(IndexError):
        above(x, jnp.float32(9))
    inside = jax.jit(lambda x: above(x, 0.0)[0]["kept"])(x)
    assert type(inside) is ag.BoundedArray and inside.tolist() == [3, 4]  # another program may go on with it
    slope, kept = jax.grad(lambda x: (above(x, 0.0)[0]["kept"].sum(), above(x, 0.0)[0]["kept"]), has_aux=True)(x)
    assert slope.tolist() == [1, 0, 1] and list(kept) == [3, 4]
    assert above.get_concrete_function(x, jnp.float32(0))(x, jnp.float32(0))[0]["kept"].shape == (2,)


def test_a_list_of_unknown_length_comes_back_as_a_list() -> None:
    @ag.function
    def above(x: Any, limit: Any) -> Any:
        kept = [v for v in x if v > limit]
        return {"kept": kept, "doubled": [2 * v for v in kept]}

    x = jnp.array([3.0, -1.0, 4.0])
    for limit, expected in ((0.0, [3, 4]), (3.5, [4]), (9.0, [])):
        found = above(x, jnp.float32(limit))
        assert type(found["kept"]) is list
        assert found == {"kept": expected, "doubled": [2 * v for v in expected]}
