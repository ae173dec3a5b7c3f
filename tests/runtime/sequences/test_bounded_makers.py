"""Arrays of a traced size: what says how large it is at most, where that counts, and what happens above it."""

import functools
import linecache
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from autograph.runtime.heap import path_conditions

FAILED = (jax.errors.JaxRuntimeError, ValueError)
UNBOUNDED = "nothing says how large that is at most"


def elements(result: Any) -> Any:
    return jax.tree.map(np.asarray, result, is_leaf=lambda x: isinstance(x, ag.BoundedArray))


def function_of(expression: str) -> Callable[..., Any]:
    """`f(x, n)`, which asserts that `n` is 5 at most."""
    source = f"def f(x, n):\n    assert n <= 5\n    return {expression}\n"
    namespace: dict[str, Any] = {"np": np, "jnp": jnp}
    name = f"<{expression}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    exec(compile(source, name, "exec"), namespace)
    return namespace["f"]


def check(got: Any, wanted: Any) -> None:
    got, wanted = jax.tree.leaves(elements(got)), jax.tree.leaves(wanted)
    for x, y in zip(got, wanted, strict=True):
        assert np.shape(x) == np.shape(y) and np.asarray(x).dtype.kind == np.asarray(y).dtype.kind
        np.testing.assert_allclose(x, y, rtol=2e-6)


# --- what says it: the bound is 5, and the programs are for numbers up to 5 and above ---


def asserted(n):
    assert n <= 5
    return np.ones(n)


def asserted_in_a_function(n):
    require(n)
    return np.ones(n)


def require(n):
    assert 0 <= n <= 5, "out of range"


def asserted_of_a_sum(n):
    assert n + 2 <= 7
    return np.ones(n + 2), np.arange(n + 1), np.zeros((n + 2) // 2)


def asserted_of_a_product(n):
    assert 2 * n <= 10
    return np.arange(n * 2)


def of_two(n, m=3):
    assert m <= n and n < 6 and m >= 0
    return np.ones((n, m)), np.arange(m, n)


def raising(n):
    if n > 5 or n < 0:
        raise ValueError("too many")
    return np.ones(n)


def in_a_branch(n):
    if n <= 5:
        total = np.arange(n).sum()
    else:
        total = -1
    return total


def behind_a_return(n):
    if n > 5:
        return 0.5
    return np.ones(n).sum()


def clipped(n):
    n = np.clip(n, 0, 5)
    return np.ones(n), jnp.ones(jnp.clip(n, 1, 4))


def least(n):
    n = min(n, 5)
    return np.ones(max(n - 1, 0)), np.ones(abs(n) % 6)


def at_most(n):
    n = ag.at_most(n, 5)
    return np.ones(n), np.arange(n)[::-1]


def at_most_for_the_name(n):
    ag.at_most(n, 5)
    return np.ones(n)


def index_of_a_loop(n):
    assert n <= 5
    total = 0
    for i in range(n):
        total += np.arange(i).sum() + np.ones(i + 1, int).sum()
    return total


BOUNDED = [
    asserted, asserted_in_a_function, asserted_of_a_sum, asserted_of_a_product, of_two, raising, in_a_branch, behind_a_return,
    clipped, least, at_most, at_most_for_the_name, index_of_a_loop,
]  # fmt: skip


@pytest.mark.parametrize("program", BOUNDED, ids=lambda program: program.__name__)
def test_a_size_is_right_below_at_and_above_its_bound(program: Callable[..., Any]) -> None:
    compiled, lanes = ag.jit(program), []
    for n in (0, 1, 4, 5, 6, 50, -1):
        try:
            wanted = program(np.int32(n))
        except Exception as error:
            with pytest.raises(FAILED, match=f"{type(error).__name__}: "):
                jax.block_until_ready(compiled(n))
        else:
            check(compiled(n), wanted)
            lanes.append((n, wanted))
    batch = jax.vmap(compiled)(jnp.array([n for n, _ in lanes]))
    for k, (_, wanted) in enumerate(lanes):
        check(jax.tree.map(lambda x, k=k: x[k], batch), wanted)


@pytest.mark.parametrize("program", [clipped, at_most], ids=lambda program: program.__name__)
def test_a_number_has_its_bound_in_the_lanes_of_a_map(program: Callable[..., Any]) -> None:
    batch = ag.jit(jax.vmap(program))(jnp.arange(1, 6))
    for k in range(5):
        check(jax.tree.map(lambda x, k=k: x[k], batch), program(np.int32(k + 1)))


# --- where it counts ---


def behind_the_branch(n):
    total = 0.0
    if n <= 5:
        total = np.ones(n).sum()
    return total + np.ones(n).sum()


def in_the_other_branch(n):
    return np.ones(n).sum() if n > 5 else 0.0


def asserted_in_a_branch(n, x):
    if x > 0:
        assert n <= 5
    return np.ones(n).sum()


def asserted_in_a_loop(n, x):
    for _ in range(x):
        assert n <= 5
    return np.ones(n).sum()


def asserted_afterwards(n):
    y = np.ones(n)
    assert n <= 5
    return y


def one_or_the_other(n, x):
    assert n <= 5 or x > 0
    return np.ones(n)


def from_below(n):
    assert n >= 5
    return np.ones(n)


def of_another(n, x):
    assert x <= 5
    return np.ones(n)


def of_nothing_but_the_type(n):
    return np.ones(max(n, 0))


@pytest.mark.parametrize(
    "program",
    [
        behind_the_branch, in_the_other_branch, asserted_in_a_branch, asserted_in_a_loop, asserted_afterwards, one_or_the_other,
        from_below, of_another, of_nothing_but_the_type,
    ],
    ids=lambda program: program.__name__,
)  # fmt: skip
def test_what_is_not_said_here_is_no_bound(program: Callable[..., Any]) -> None:
    with pytest.raises(ag.StagingError, match=UNBOUNDED) as caught:
        ag.jit(program)(*[3] * program.__code__.co_argcount)
    assert "np.ones(" in str(caught.value)  # the line


def test_a_bound_is_checked_again_where_room_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(path_conditions, "supposed_bounds", lambda x: (0, 3))  # it is not so
    for make in (np.ones, np.arange, lambda n: np.linspace(0, 1, n)):
        compiled = ag.jit(lambda n, make=make: make(n))
        assert len(np.asarray(compiled(3))) == 3
        with pytest.raises(FAILED, match="more than 3, which the program says to be its bound"):
            jax.block_until_ready(compiled(5))


def test_without_checks_a_bound_does_not_leave_its_branch() -> None:
    def f(n):
        if n <= 3:
            return np.ones(n).sum()
        return np.ones(min(n, 5)).sum() * 10

    ag.set_checks(False)
    try:
        assert [int(ag.jit(f)(n)) for n in (0, 3, 4, 9)] == [0, 3, 40, 50]
    finally:
        ag.set_checks(True)


# --- what is made ---

MAKERS = """
np.zeros(n); np.ones(n, int); np.empty((2, n)) * 0; np.full((n, 3), 2.5); np.full((n, 3), [1, 2, 3]); np.full(n, True); np.zeros((n, n), 'F')
np.zeros(n, order='C'); np.ones(n, np.float32, 'F'); np.zeros(shape=n); np.full(fill_value=1, shape=[n]); np.zeros((0, n)).shape; np.eye(n)
np.eye(n, 3, k=1); np.eye(2, n, -1, dtype=int); np.eye(n, k=n - 2); np.identity(n); np.identity(n, dtype=int); np.zeros_like(x, shape=n)
np.ones_like(x, shape=(n, 2), dtype=int); np.full_like(x, 7, shape=n); np.zeros_like(np.ones(n)); np.full_like(np.arange(n), 2.5)
np.arange(n); np.arange(1, n); np.arange(n, -2, -1); np.arange(-n, n, 3); np.arange(n - 2, n + 3); np.arange(0, 2 * n, 2)
np.arange(n, dtype=float); np.arange(stop=n, start=1); np.arange(n)[::-1]; np.linspace(0, 1, n); np.linspace(-1.5, x[1], num=n)
np.linspace(3, 9, n, endpoint=False); np.linspace(0, -7, n, dtype=int); np.linspace(2, 2, n).sum(); np.zeros((2, n)).T
jnp.zeros(n); jnp.ones((n, 2)); jnp.full(n, 2.5); jnp.eye(n); jnp.arange(n); jnp.arange(n, 0, -2); jnp.linspace(0.0, 1.0, n); jnp.sum(jnp.ones(n))
"""


@pytest.mark.parametrize("expression", [one.strip() for line in MAKERS.strip().splitlines() for one in line.split(";")])
def test_what_is_made_is_what_numpy_makes(expression: str) -> None:
    f = function_of(expression)
    compiled = ag.jit(f)
    for n in (0, 1, 2, 5):
        check(compiled(jnp.arange(4.0), n), f(np.arange(4, dtype=np.float32), np.int32(n)))


def test_negative_sizes_are_those_of_numpy() -> None:
    for expression in ("np.zeros(n)", "np.ones((2, n))", "np.eye(n)", "np.linspace(0, 1, n)", "jnp.full(n, 1.0)"):
        f = function_of(expression)
        with pytest.raises(FAILED, match="ValueError: (negative dimensions|Number of samples)"):
            jax.block_until_ready(ag.jit(f)(jnp.ones(2), -1))
    with pytest.raises(FAILED, match="negative dimensions"):
        ag.jit(lambda n: np.zeros((min(n, 5), -1)))(2)


def test_a_size_that_is_no_integer_is_said_to_be_none() -> None:
    for make in (lambda n: np.zeros(n), lambda n: np.zeros((2, n)), lambda n: np.linspace(0, 1, n)):
        for n in (2.0, jnp.arange(3)):
            with pytest.raises(TypeError, match="integer"):
                ag.jit(make)(n)


def test_derivatives_are_those_of_the_elements() -> None:
    def f(n, a, b):
        assert n <= 6
        return (np.linspace(a, b, n) ** 2).sum() + (np.full(n, a) * np.arange(n)).sum()

    for n in (0, 1, 4, 6):
        wanted = jax.grad(lambda a, b, n=n: (jnp.linspace(a, b, n) ** 2).sum() + (a * jnp.arange(n)).sum(), (0, 1))(2.0, 5.0)
        np.testing.assert_allclose(jax.grad(ag.jit(f), (1, 2))(n, 2.0, 5.0), wanted, rtol=1e-5)
        np.testing.assert_allclose(jax.grad(jax.grad(ag.jit(f), 1), 1)(n, 2.0, 5.0), 2 * sum((1 - np.linspace(0, 1, n)) ** 2), rtol=1e-5)


def test_functions_of_jax_are_looked_up_where_a_size_may_be_traced_and_nowhere_else() -> None:
    def ordinary(x):
        n, m = x.shape
        return jnp.sum(jnp.zeros((n, 2 * m)) + jnp.arange(len(x))[:, None] + jnp.ones(SIZE)[0])

    def sized(x, n):
        return jnp.sum(jnp.zeros(min(n, 4)) + x)

    assert "converted(jnp." not in ag.to_code(ordinary)
    assert "converted(jnp.sum)" in ag.to_code(sized)


SIZE = 3


# --- what the user states ---


class Sizes(NamedTuple):
    n: int
    more: dict


def ramp(n, k=1):
    return np.arange(n) * k


@pytest.mark.parametrize(
    "compiled",
    [
        ag.jit(ramp, bounds={"n": 4}),
        ag.jit(bounds={"n": 4, "k": 9}, static_argnames="k")(ramp),
        ag.function(ramp, bounds={"n": 4}),
        jax.jit(ag.convert(ramp, bounds={"n": 4})),
        ag.convert(bounds={"n": 4})(ramp),
        ag.jit(ag.convert(ramp, bounds={"n": 4})),
        ag.function(ag.convert(ramp, bounds={"n": 4})),
        ag.jit(functools.partial(ag.convert(ramp, bounds={"n": 4}), k=1)),
        ag.jit(lambda n: helper(n)),
        ag.jit(lambda n, k=1: np.arange(ag.at_most(n, 4)) * k),
        lambda n: np.arange(ag.at_most(n, 4)),
    ],
)
def test_a_stated_bound_is_checked(compiled: Callable[..., Any]) -> None:
    for n in (0, 3, 4):
        for given in (n, np.int32(n), jnp.asarray(n)):
            np.testing.assert_array_equal(np.asarray(compiled(given)), np.arange(n))
    for given in (5, jnp.asarray(5)):
        with pytest.raises(FAILED, match=r"(n|number) is more than 4, the bound that"):
            jax.block_until_ready(compiled(given))


helper = ag.convert(ramp, bounds={"n": 4})


def test_lanes_have_the_bound_that_is_stated() -> None:
    totals = ag.jit(jax.vmap(ag.convert(lambda n: np.arange(n).sum(), bounds={"n": 4})))
    assert totals(jnp.arange(5)).tolist() == [0, 0, 1, 3, 6]
    with pytest.raises(FAILED, match="n is more than 4"):
        jax.block_until_ready(totals(jnp.arange(6)))


def test_a_bound_is_that_of_a_part_too() -> None:
    def f(sizes, xs):
        return np.ones(sizes.n), np.zeros((sizes.more["m"], 2)), np.arange(xs[1])

    compiled = ag.jit(f, bounds={"sizes.n": 2, "sizes.more.m": 3, "xs.1": 4})
    check(compiled(Sizes(2, {"m": 3}), [9, 4]), f(Sizes(2, {"m": 3}), [9, 4]))
    for given, name in (((3, 3, 4), "sizes.n"), ((2, 4, 4), "sizes.more.m"), ((2, 3, 5), "xs.1")):
        with pytest.raises(FAILED, match=f"{name} is more than"):
            jax.block_until_ready(compiled(Sizes(given[0], {"m": given[1]}), [9, given[2]]))


class Model:
    def __init__(self) -> None:
        self.w = 2.0

    def __call__(self, n):
        return np.full(n, self.w)

    @staticmethod
    def doubled(n):
        return np.arange(n) * 2


def test_methods_and_models_take_bounds() -> None:
    model = Model()
    for wrap in (ag.jit, ag.convert, ag.function):
        check(wrap(model, bounds={"n": 4})(jnp.asarray(3)), model(3))
        check(wrap(model.__call__, bounds={"n": 4})(jnp.asarray(3)), model(3))
        check(wrap(Model.doubled, bounds={"n": 4})(jnp.asarray(3)), np.arange(3) * 2)


@pytest.mark.parametrize(
    ("wrong", "kind", "what"),
    [
        (lambda: ag.jit(ramp, bounds={"m": 4}), ValueError, "there is no parameter 'm' to have a bound: there are n, k"),
        (lambda: ag.jit(ramp, bounds={"n": 4.5}), TypeError, "integer"),
        (lambda: ag.jit(jax.vmap(ramp), bounds={"n": 4}), ag.ConversionError, "one of a library"),
        (lambda: ag.function(ramp, bounds={"n": 4}, autograph=False), ValueError, "leave out `autograph=False`"),
        (lambda: ag.jit(ramp, bounds={"n": 4})(jnp.arange(3)), TypeError, "a bound is that of an integer"),
        (lambda: ag.at_most(2.5, 4), TypeError, "integer"),
        (lambda: ag.jit(lambda n: ag.jit(lambda m: m, bounds={"m": 3})(n))(2), ag.ConversionError, "ag.at_most"),
    ],
)
def test_what_is_no_bound_is_said_so(wrong: Callable[[], Any], kind: type[Exception], what: str) -> None:
    with pytest.raises(kind, match=what):
        wrong()


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint32])
def test_small_numbers_have_their_bounds(dtype: Any) -> None:
    def f(n):
        return np.arange(ag.at_most(n, 1000)).sum() + np.ones(ag.at_most(n, 100), int).sum()

    assert int(ag.jit(f)(dtype(100))) == 5050
    with pytest.raises(FAILED, match="more than 100"):
        jax.block_until_ready(ag.jit(f)(dtype(101)))
