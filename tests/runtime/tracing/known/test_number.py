"""Numbers known in each iteration: the item of a counted loop gives what Python's own loop gives, to the last bit.

The bits are those of Python's 64-bit number, rounded once to the type of the array that takes it.
"""

import linecache
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from autograph.runtime.tracing.known import evaluation

N = 300
WEIGHTS = np.array([0.1, 0.2, 0.3, 0.7, 0.9])
LIST = [0.1, 0.2, 0.3, 0.7]
DICT = {0: 0.1, 1: 0.2, 2: 0.3}

EXPRESSIONS = """
i**3 % 7919; 0.999**i; math.sin(0.1 * i); i / n; int(i * 0.7); i * 0.1; (i + 5000)**3 % 7919; float(i**9); i // 7 * 3; -i % 13
abs(i - 100); min(i, 50); max(i * 0.5, 10.0); max(0.1 * i, 0.2 * i, 5.0); i & 255; i ^ 1023; i << 3; i >> 2; i * i; i**2; pow(i, 2)
round(i * 0.37); round(i * 0.37, 1); math.sqrt(i); math.floor(i * 0.123); math.exp(-i / 100); math.gcd(i, 12); math.comb(10, i % 10)
(i % 3 == 0) + (i % 5 == 0); (i > 2) * 0.1 * 3; -(i > 3); divmod(i, 7)[1]; pow(3, i, 7919); 3 - i; 2.5 ** (i / 1000)
np.sqrt(i); np.float32(i) * 0.1; np.float64(0.1) * i; w[i % 5]; w[i % 5] * i * 0.1; w[i % 5 - 2] * 0.3; l[i % 4] * i * 0.1
l[-1 - i % 4] * 0.3; d[i % 3] * 0.1; i in (3, 5, 8); float(i in l); i in range(5, 90, 3); i * 2654435761 % 2**32 % 1000
(1 if i % 2 else 2) / 3; (0.1 if i % 2 else 0.2) * 3; not i % 3; i ** -1 if i > 0 else 0.0; 1 / i if i > 0 else 0.5
i % 2 == 0 and i % 3 == 0; i > 5 or i / 3 > 2; 0 < i < 7; 1e300 * i / 1e300; (i % 4, i)[0] * 0.1; float(i) // 0.3; float(i) % 0.3
"""
ALL = [expression.strip() for line in EXPRESSIONS.strip().splitlines() for expression in line.split(";")]


def loaded(source: str, name: str, numbers: Any) -> Callable[..., Any]:
    """Defines a function, whose loops run over `numbers(...)`."""
    filename = f"<{name} over {numbers.__module__}.range>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    names: dict[str, Any] = {"math": math, "np": np, "jnp": jnp, "numbers": numbers}
    exec(compile(source, filename, "exec"), names)
    found: Callable[..., Any] = names[name]
    return found


def assert_as_in_python(source: str, *args: Any, name: str = "f", by: Callable[..., Any] = jax.jit) -> Any:
    """Compares a function over `ag.range`, under a transform, with the same one over `range` on NumPy's arrays of 64 bits."""
    wide = [a.astype(np.float64) if isinstance(a, np.ndarray) else a for a in args]
    wanted = loaded(source, name, range)(*wide)
    found = by(ag.convert(loaded(source, name, ag.range)))(*args)
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b).astype(np.asarray(a).dtype))
    return found


def test_expressions_of_the_index_are_those_of_python() -> None:
    body = "".join(f"        y[{k}, i] = {expression}\n" for k, expression in enumerate(ALL))
    source = f"def f(y, n, w, l, d):\n    for i in numbers(n):\n{body}    return y\n"
    wanted = loaded(source, "f", range)(np.zeros((len(ALL), N)), N, WEIGHTS, LIST, DICT).astype(np.float32)
    f = ag.convert(loaded(source, "f", ag.range))
    found = np.asarray(jax.jit(lambda y: f(y, N, WEIGHTS, LIST, DICT))(jnp.zeros((len(ALL), N))))
    wrong = {ALL[k]: int(count) for k, count in enumerate((found != wanted).sum(1)) if count}
    assert wrong == {}


Z = np.zeros((6, 7), np.float32)

NEST = """
def f(y):
    for i in numbers(1, 12, 2):
        a = i * 0.1
        for j in numbers(6, -1, -1):
            if (i + j) % 2 == 0:
                t = a * j
            elif i != 5:
                t = a / (i - 5) / (j + 1)
            else:
                t = (i * 10 + j)**5 % 101 / 7
            y[i // 2, j] = t * 3 + math.sin(0.1 * i * j)
    return y
"""
EXIT = """
def f(y, limit):
    for i in numbers(3, 40, 4):
        if y[0, 0] > limit:
            return y, i
        y[0, i % 7] = i * 0.1 * 3
        y[0, 0] += 0.5
    return y, -1
"""
EXITS_INSIDE = """
def f(y):
    for i in numbers(6):
        if i % 3 == 1:
            continue
        for j in numbers(7):
            if y[i, j] > i * 0.1 * j:
                break
            y[i, j] = (i - j) * 0.3 * 0.1
        else:
            y[i, 0] = 10 / i if i else -1.0
    return y
"""
RAGGED = """
def f(y):
    for i in numbers(6):
        for j in range(i):
            y[i, j] = i * 0.3 * 0.1
    return y
"""
BESIDE_ARRAYS = """
def f(y):
    out = []
    for i, j, row in zip(numbers(6), numbers(10, 22, 2), y + 0):
        y[i, 0] = i / 7 * j * 0.3 + row[1]
        out.append(i * 0.1 * 3)
    for i, row in enumerate(y + 0):
        y[i, 1] = i * 0.1 * 3 + row[2]
    for i in reversed(numbers(6)):
        y[i, 2] = i * 0.7 * 0.7
    return y, out
"""


@pytest.mark.parametrize(
    "source", [NEST, EXITS_INSIDE, RAGGED, BESIDE_ARRAYS], ids=["nest", "exits", "ragged", "arrays"]
)
def test_nests_exits_and_items_beside_arrays(source: str) -> None:
    assert_as_in_python(source, Z)


@pytest.mark.parametrize("limit", [1.2, 100.0])
def test_a_loop_that_a_traced_exit_ends(limit: float) -> None:
    assert_as_in_python(EXIT, Z, limit)


LOOKED_UP = """
TENTHS, WIDE = [0.1, 0.2, 0.4, 0.7], np.array([[0.1, 0.3], [0.7, 0.9], [1.1, 1.3]])

def f(y):
    t, sizes = 0.0, [1, 2, 3]
    for i in numbers(60):
        j = i % 3
        while j * j < i * 3:
            j += sizes[j % 3]
            t += TENTHS[-1 - j % 4] * 0.1
            for k in range(sizes[-j % 3]):
                t += WIDE[j % 3, -1 - j % 2]
        y[i % 6, i % 7] = int(t * 10000) % 7919
    return y
"""
OF_NUMPY = """
WIDE = np.array([0.1, 0.3, 0.7, 0.9])

def f(y):
    t = u = 0.0
    v, k, flag = np.float32(0.1), np.int64(7), np.bool_(False)
    for i in numbers(60):
        t += WIDE[i % 4]
        for j in range(i % 3):
            u += WIDE[j] * v
        v, k, flag = v * np.float32(0.99), k * 3 % 10**10, flag ^ (i % 3 == 0)
        y[i % 6, i % 7] = int(t * 10000) % 7919 + int(u * 10000) % 7919 + k % 1009 + flag
    return y, t, u, v, flag
"""
LOOKED_UP_BY_TRACED = """
TENTHS = [0.1, 0.2, 0.4, 0.7]

def f(y):
    j = 0
    for i in numbers(6):
        y[i, 1] = TENTHS[j]
        j = (j + int(y[i, 0])) % 4
    return y, j
"""


def test_elements_of_lists_and_arrays_at_a_number_that_the_loop_computes() -> None:
    assert_as_in_python(LOOKED_UP, Z)
    assert_as_in_python(LOOKED_UP_BY_TRACED, Z + 3)


@pytest.mark.parametrize("numbers", [ag.range, range])
def test_numbers_of_numpy_stay_numbers_of_numpy(numbers: Any) -> None:
    f = loaded(OF_NUMPY, "f", numbers)
    wanted, found = loaded(OF_NUMPY, "f", range)(Z.astype(np.float64)), ag.function(f)(Z)
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b).astype(np.asarray(a).dtype))


def test_an_index_that_becomes_traced_is_checked() -> None:
    source = """
def f(x):
    j, s = 0, 0.0
    for i in numbers(3):
        s += [0.5, 0.25][j]
        j = j + x
    return s
"""
    f = ag.function(loaded(source, "f", ag.range))
    assert float(f(0)) == 1.5
    with pytest.raises(IndexError, match="list index out of range"):
        f(1)


def test_under_vmap_and_grad() -> None:
    source = "def f(x):\n    for i in numbers(9):\n        x = x * (i * 0.1 * 3)**0 + i / 7 * 0.3\n    return x\n"
    plain, staged = loaded(source, "f", range), ag.convert(loaded(source, "f", ag.range))
    np.testing.assert_allclose(jax.vmap(staged)(jnp.arange(3.0)), [plain(x) for x in range(3)], rtol=1e-6)
    assert jax.jit(jax.grad(staged))(2.0) == jax.jit(jax.jacfwd(staged))(2.0) == 1.0


def test_a_branch_of_known_numbers_alone_is_no_branch_of_the_program() -> None:
    def f(x):
        for i in ag.range(9):
            weight = 4 if i % 2 else 2
            if i == 0:
                weight = 1
            x = x + weight * 0.1
        return x

    (scan,) = (e for e in jax.make_jaxpr(ag.convert(f))(jnp.float32(0)).eqns if e.primitive.name == "scan")
    names = [e.primitive.name for e in scan.params["jaxpr"].eqns]
    assert "select_n" not in names and "cond" not in names and names.count("dynamic_slice") == 1


def test_a_number_is_recorded_where_it_was_computed_and_once() -> None:
    def f(x):
        for i in ag.range(9):
            k = i * 3
            for j in ag.range(4):
                x = x + k * j + k
            x = x - k
        return x

    (scan,) = (e for e in jax.make_jaxpr(ag.convert(f))(jnp.float32(0)).eqns if e.primitive.name == "scan")
    outer = [e.primitive.name for e in scan.params["jaxpr"].eqns]
    (inner,) = (e for e in scan.params["jaxpr"].eqns if e.primitive.name == "scan")
    assert outer.count("mul") == 1
    assert [e.primitive.name for e in inner.params["jaxpr"].eqns].count("mul") == 1


def test_a_number_that_is_the_same_in_all_iterations_is_a_number() -> None:
    seen = []

    def f(x):
        for i in ag.range(9):
            seen.append(i * 0 + 2)
            if i >= 0:
                x = x + 1
        return x

    text = str(jax.make_jaxpr(ag.convert(f))(jnp.float32(0)))
    assert set(seen) == {2} and "cond" not in text and "select" not in text


def test_a_range_of_more_numbers_than_a_table_holds() -> None:
    n = evaluation.MOST_CELLS * 8

    def f(x, limit):
        total, flags = 0, 0
        for i in ag.range(n):
            if i > limit:
                break
            if (i * 2 + 1) % 3 == 0:
                total += i // 2
            if i % 2:
                total -= -i
            if not i % 5 and not (i > 40 or i < 3):
                flags += 1 if i % 3 else 2
            if i & 1:
                flags += abs(i - 7)
        return total, flags

    assert jax.tree.map(int, jax.jit(ag.convert(f))(0.0, 100)) == f(0.0, 100)


def test_an_integer_that_does_not_fit_is_refused_by_its_number() -> None:
    def f(x):
        for i in ag.range(10):
            x = x + i**20
        return x

    with pytest.raises(ag.StagingError, match="12157665459056928801 in one iteration"):
        jax.jit(ag.convert(f))(jnp.float32(0))
    assert float(jax.jit(ag.convert(lambda x: _powers(x)))(0.0)) == pytest.approx(float(sum(i**20 for i in range(10))))


def _powers(x):
    for i in ag.range(10):
        x = x + float(i**20)
    return x


@pytest.mark.parametrize(
    "expression", ["bytes(i)", "[0] * i", "x.reshape(i)", "{i: 1}", "jnp.repeat(x, i)"]
)
def test_python_is_refused_the_number_itself(expression: str) -> None:
    f = loaded(f"def f(x):\n    for i in numbers(3):\n        z = {expression}\n    return x\n", "f", ag.range)
    with pytest.raises(ag.StagingError):
        jax.jit(ag.convert(f))(jnp.ones(3))


def test_a_number_that_the_first_test_of_a_loop_reads_stays_in_the_program() -> None:
    source = """
def f(y):
    k = 0
    for i in numbers(1, 6):
        while k > 0 and y[k, 0] != y[i, 0]:
            k = k - 1
        if y[k, 0] == y[i, 0]:
            k += 1
        y[i, 1] = k
    return y, k
"""
    assert_as_in_python(source, np.float32([[1, 0], [2, 0], [1, 0], [1, 0], [2, 0], [3, 0]]))


def test_a_float_that_becomes_traced_is_compared_with_a_large_int() -> None:
    def f(x: Any) -> Any:
        t, k, above = 1.0, 0, 0
        for _ in ag.range(20):
            if t > 10**12:
                above += 1
            if k < 10**12:
                above += 100
            t, k = t * x, k + (x > 5)
        return above

    assert int(ag.jit(f)(10.0)) == f(10.0)
