"""Narrow integers beside numbers that their type cannot hold: each type, number and operation, as NumPy has it."""

import functools
import itertools
import math
import operator
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from tests.profiling import calls_made

TYPES = ("uint8", "int8", "uint16", "int16", "uint32", "int32")
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": lambda b, n: b < n,
    "<=": lambda b, n: b <= n,
    ">": lambda b, n: b > n,
    ">=": lambda b, n: b >= n,
    "==": lambda b, n: b == n,
    "!=": lambda b, n: b != n,
    "reflected": lambda b, n: (n < b, n <= b, n > b, n >= b, n == b, n != b),
    "of an element": lambda b, n: (b[0] < n, n >= b[1], b[2] == n),
    "in": lambda b, n: n in b,
    "not in": lambda b, n: n not in b,
    "where": lambda b, n: np.where(b > n, 1, 0),
    "less": lambda b, n: (np.less(b, n), np.less_equal(n, b), np.greater(b, n), np.greater_equal(n, b)),
    "equal": lambda b, n: (np.equal(b, n), np.not_equal(n, b)),
    "isin": lambda b, n: (np.isin(b, n), np.isin(n, b), np.isin(b, n, invert=True)),
    "searchsorted": lambda b, n: (np.searchsorted(np.sort(b), n), np.sort(b).searchsorted(n, "right")),
    "operator": lambda b, n: (operator.lt(b, n), operator.eq(n, b)),
    "a loop": lambda b, n: sum(1 for v in b if v < n),
    "chained": lambda b, n: (n < b[0] < 300, -1 <= b[1] <= n),
    "a branch": lambda b, n: 2 if b[1] >= n else 3,
    "max": lambda b, n: max(b[0], n),
    "min": lambda b, n: min(n, b[1]),
    "sorted": lambda b, n: sorted([int(b[0]), n]),
    "an object": lambda b, n: Held(b[0]) < n,
    "a list": lambda b, n: [b[0], n].index(n),
}

ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda b, n: b + n,
    "reflected +": lambda b, n: n + b,
    "-": lambda b, n: b - n,
    "reflected -": lambda b, n: n - b,
    "*": lambda b, n: b * n,
    "&": lambda b, n: b & n,
    "|": lambda b, n: n | b,
    "^": lambda b, n: b ^ n,
    "of an element": lambda b, n: b[0] + n,
    "+=": lambda b, n: added(b, n),
    "operator": lambda b, n: functools.reduce(operator.add, [b, n]),
    "prod": lambda b, n: math.prod([b[0], n]),
    "sum": lambda b, n: sum([b[1], n]),
    "written": lambda b, n: written(b, n),
    "written in rows": lambda b, n: rows_written(b, n),
    "written by a mask": lambda b, n: mask_written(b, n),
    "updated": lambda b, n: updated(b, n),
    "full_like": lambda b, n: np.full_like(b, n),
    "minimum": lambda b, n: np.minimum(b, n),
    "maximum": lambda b, n: np.maximum(n, b),
    "clip": lambda b, n: np.clip(b, 3, n),
    "clip from below": lambda b, n: np.clip(b, n, None),
    "clip of a method": lambda b, n: (b.clip(n, 100), b.clip(max=n)),
    "start of a maximum": lambda b, n: (b.max(initial=n), np.min(b, initial=n)),
    "gcd": lambda b, n: np.gcd(b, n),
}


class Held:
    def __init__(self, v):
        self.v = v

    def __lt__(self, other):
        return self.v < other


def added(b, n):
    r = b.copy()
    r += n
    return r


def written(b, n):
    r = b.copy()
    r[0] = n
    return r


def rows_written(b, n):
    r = b.copy()
    r[:2] = [n, 1]
    return r


def mask_written(b, n):
    r = b.copy()
    r[r > 2] = n
    return r


def updated(b, n):
    r = b.copy()
    r[0] |= n
    return r


def array(kind: str) -> Any:
    limits = np.iinfo(kind)
    return np.array([3, min(limits.max, 2**31 - 1), limits.min], kind)


def as_lists(result: Any) -> Any:
    return jax.tree.map(lambda x: "array" if type(x) is jax.ShapeDtypeStruct else np.asarray(x).tolist(), result)


def outcome(run: Callable[[], Any]) -> Any:
    try:
        return as_lists(run())
    except OverflowError as error:
        return error.args


@pytest.mark.parametrize("kind", TYPES)
def test_comparisons_are_exact(kind: str) -> None:
    """Without 64 bits a number beyond 32 of them is no result, and no operand of the functions of JAX."""
    b, limits = array(kind), np.iinfo(kind)
    if "32" not in kind:
        numbers = (300, int(limits.min) - 1, int(limits.max), int(limits.max) + 1)
        cases = [(name, n) for name in COMPARISONS for n in numbers]
        large = [name for name in COMPARISONS if name not in ("sorted", "max", "min")]
    else:
        cases = [(name, n) for name in COMPARISONS for n in (0, -1, 300)]
        large = list(COMPARISONS)[:10]
    cases += [(name, n) for name in large for n in (2**40, -(2**70))]
    found = jax.jit(lambda b: [ag.convert(COMPARISONS[name])(b, n) for name, n in cases])(b)
    for (name, n), one in zip(cases, as_lists(found), strict=True):
        assert one == as_lists(COMPARISONS[name](b, n)), (name, n)


@pytest.mark.parametrize("kind", ("uint8", "int16", "uint32"))
def test_comparisons_with_a_traced_number_are_exact(kind: str) -> None:
    b = array(kind)
    names = [name for name in COMPARISONS if name not in ("max", "min", "a list", "a loop")]
    compiled = ag.jit(lambda b, n: [COMPARISONS[name](b, n) for name in names])
    for n in (3, 127, 128, 255, 256, 300, -1, -128, -129, 2**31 - 1, -(2**31)):
        for name, one in zip(names, as_lists(compiled(b, n)), strict=True):
            assert one == as_lists(COMPARISONS[name](b, n)), (name, n)


@pytest.mark.parametrize("kind", TYPES)
def test_arithmetic_raises_where_numpy_does(kind: str) -> None:
    b = array(kind)
    for (name, f), n in itertools.product(ARITHMETIC.items(), (127, 255, 256, -1, 65536)):
        with np.errstate(over="ignore"):
            wanted = outcome(lambda f=f, n=n: f(b, n))
        found = outcome(lambda f=f, n=n: jax.eval_shape(lambda b: ag.convert(f)(b, n), b))
        assert (found == wanted) if type(wanted) is tuple and type(wanted[0]) is str else "array" in str(found), (
            name,
            n,
        )


def counted(b, n):
    count = 0
    for v in b:
        if v < 300 and v != n:
            count += 1
        elif v >= 256:
            count += 100
    return count


def test_lanes_and_functions() -> None:
    rows, ns = np.uint8([[3, 44], [250, 4], [1, 1]]), np.array([300, 4, 1])
    wanted = [counted(row, int(n)) for row, n in zip(rows, ns, strict=True)]
    assert ag.jit(jax.vmap(ag.convert(counted)))(rows, ns).tolist() == wanted
    assert [int(ag.function(counted)(row, int(n))) for row, n in zip(rows, ns, strict=True)] == wanted


def test_a_branch_that_is_not_taken_raises_nothing() -> None:
    def added(b, x):
        if x > 0:
            b = b + 300
        return b

    b, compiled = np.uint8([3, 250]), ag.function(added)
    assert compiled(b, -1.0).tolist() == [3, 250]
    with pytest.raises(OverflowError, match="Python integer 300 out of bounds for uint8"):
        compiled(b, 1.0)


def handled(b):
    try:
        return b + 300
    except OverflowError:
        return b


def test_a_handler_sees_the_error() -> None:
    assert ag.jit(handled)(np.uint8([3])).tolist() == [3]


def test_everybody_else_gets_the_answer_of_jax() -> None:
    """In plain `jax.jit`, in a function that is not converted, and in functions of JAX."""
    @ag.do_not_convert
    def compared(b):
        return b < 300

    b = jnp.uint8([3, 250])
    assert jax.jit(lambda b: b < 300)(b).tolist() == [True, False]
    assert ag.jit(lambda b: (compared(b), jnp.less(b, 300)))(b)[0].tolist() == [True, False]
    assert ag.jit(lambda b: jnp.minimum(b, 300))(b).tolist() == [3, 44]


def without_narrow_integers(x, n, k):
    for i in range(3):
        x = x * -2 + k[i] * -300
        x = np.maximum(x, -1.0) if i != 1 else x % 300
    return x, x > -1, n < 300, k >= -500, 1000 != n, -1 - n, k & 0xFFFF, n * x


def test_a_program_without_any_is_traced_as_by_jax(monkeypatch: pytest.MonkeyPatch) -> None:
    def trace() -> tuple[str, int]:
        made: list[str] = []

        def run() -> None:
            fn = ag.convert(without_narrow_integers)
            made.append(str(jax.make_jaxpr(lambda *args: fn(*args))(1.5, 3, np.arange(4, dtype=np.int32))))

        run()
        calls = calls_made(run, lambda path: True)
        return made[-1], calls

    found = trace()
    for name, method in list(vars(jax.core.Tracer).items()):
        if "narrow_integers" in getattr(getattr(method, "__code__", None), "co_filename", ""):
            monkeypatch.setattr(jax.core.Tracer, name, method.__wrapped__)
    plain = trace()
    assert found[0] == plain[0] and found[1] <= plain[1]


def test_numbers_of_python_that_are_complex_have_no_order() -> None:
    for fn in (lambda c: c < 2j, lambda c: 1 >= c, lambda c: max(c, 1.5), lambda c: sorted([c, 1])):
        with pytest.raises(TypeError, match="not supported between instances of"):
            ag.jit(fn)(1 + 2j)
    c = np.array([1 + 2j, 1 - 3j])
    assert ag.jit(lambda c: c < 1j + 1)(c).tolist() == (c < 1j + 1).tolist()


BESIDE_LISTS: dict[str, Callable[[Any, Any], Any]] = {
    "arithmetic": lambda a, x: (a + [1, 2, 3], (1.5, x, 2) * a, a - [x, x, x], [1, 2, 4] / (a + 9), a ** [0, 1, 2], a // [1, 2, 3]),
    "comparisons": lambda a, x: (a < [1, x, 9], a == [3, 0, 1], a != (3, 1, 1), [0, 1, 2] >= a),
    "products": lambda a, x: (a @ [1, 2, 3], [x, 1, x] @ a, np.stack([a, a]) @ (1, 2, 3)),
    "rows": lambda a, x: np.stack([a, a]) * [[1], [2]],
    "products with displays": lambda a, x: (a * [1, 2, 300], [x, 1, 2] * a, a.astype(np.uint8) * [1, 2, 300]),
    "an assignment": lambda a, x: operator.iadd(a + 0.0, [x, 1, 2]),
    "narrow": lambda a, x: (a.astype(np.uint8) + [1, 2, 300], a.astype(np.uint8) < (300, 2, -1)),
    "chosen": lambda a, x: np.where(a > [1, 1, 1], a, 0) if x > 0 else a - [1, 1, 1],
}


@pytest.mark.parametrize("name", BESIDE_LISTS)
def test_a_list_beside_an_array_is_an_array(name: str) -> None:
    fn, a = BESIDE_LISTS[name], np.float32([3, 0, 1])
    for x in (2.0, -2.0):
        wanted = jax.tree.map(np.asarray, fn(a, x))
        for found in (ag.jit(fn)(a, x), jax.tree.map(lambda y: y[0], jax.vmap(ag.convert(fn))(a[None], jnp.float32([x])))):
            for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-6)
                assert one.dtype.kind == other.dtype.kind
    if name in ("arithmetic", "products"):
        slopes = jax.grad(lambda a, x: sum(y.sum() for y in ag.convert(fn)(a, x)), (0, 1))(a + 0.5, 2.0)
        assert all(np.isfinite(slope).all() for slope in slopes)


def test_a_list_beside_an_array_is_an_error_where_it_is_one_in_numpy() -> None:
    for fn in (lambda a: a + [1, 2], lambda a: a * ["a", "b", "c"]):
        with pytest.raises((TypeError, ValueError)):
            ag.jit(fn)(jnp.zeros(3))
    with pytest.raises(TypeError):
        jax.jit(lambda a: a + [1, 2, 3])(jnp.zeros(3))  # the test's own code is not converted: JAX says so
