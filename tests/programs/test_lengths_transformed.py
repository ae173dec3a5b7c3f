"""Programs of arrays of lengths known when the program runs, in float32 and float64, under `jit`, `vmap`, `grad` and twice `grad`.

NumPy says what is right, in each lane; derivatives are those of NumPy's results by differences.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag


def eliminated_with_pivots(a, k):
    for i in range(k):
        p = np.abs(a[i:, i]).argmax() + i
        row = a[i].copy()
        a[i] = a[p]
        a[p] = row
        a[i + 1 :, i] /= a[i, i]
        a[i + 1 :, i + 1 :] -= np.outer(a[i + 1 :, i], a[i, i + 1 :])
    return a


def products_of_both_ends(x, k):
    y, t = x[:k], 0.0
    while len(y) > 1:
        t += y[0] * y[-1]
        y = y[1:-1]
    return t, y


def statistics_of_a_mask_of_a_mask(x, k):
    v = x[x > 0]
    w = v[v < k + 0.1]
    return w.mean(), np.sort(w)[::-1], w[w > w.mean()].sum()


def shortened_in_a_branch(x, k):
    y = x[:5]
    if k > 3:
        y = x[: k - 1]
    else:
        y = x[k:]
    return y.std(), y[-1], y


def masks_before_and_after_a_write(x, k):
    y = x[x > k + 0.1]
    x[x > 0] = x[x > 0] * 0.5
    x[x > 0] *= 2
    x[x < 0] = y.sum()
    return x, y


def extremes_of_parts(x, k):
    hidden = np.where(x[:k] > -100, -np.inf, np.nan)
    least = x[:k].min() if k > 0 else x[5]  # of no elements NumPy raises
    return least + x[k - 1 :].max(), hidden.argmax() * 1.0 if k > 0 else -1.0


def operands_beside_others(x, k):
    s = x[5]
    return (s / x[:k] + x[:k] ** s).sum() + np.sqrt(x[x > 0.5] - 0.5).sum()


class Case(NamedTuple):
    program: Callable[[Any, Any], Any]
    array: Any
    lengths: list[int]


SQUARE = [[1.0, 2.0, 0.5, 1.0], [2.0, 8.0, 3.0, 1.0], [4.0, 3.0, 7.0, 2.0], [0.5, 1.0, 2.0, 6.0]]
VALUES = [3.0, -1.0, 4.0, 1.5, -9.0, 2.0]
CASES = [
    Case(eliminated_with_pivots, SQUARE, [0, 1, 3, 4]),
    Case(products_of_both_ends, VALUES, [0, 1, 4, 5]),
    Case(statistics_of_a_mask_of_a_mask, VALUES, [2, 3, 9]),
    Case(shortened_in_a_branch, VALUES, [0, 2, 4, 6]),
    Case(masks_before_and_after_a_write, VALUES, [0, 2, 9]),
    Case(extremes_of_parts, VALUES, [0, 1, 4, 6]),
    Case(operands_beside_others, [3.0, 0.75, 4.0, 0.0, np.nan, 2.0], [0, 1, 3]),
]
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.program.__name__)
each_slope = pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=[pytest.mark.slow] if case.program is eliminated_with_pivots else []) for case in CASES],
    ids=lambda case: case.program.__name__,
)  # the second derivative of elimination takes XLA seconds
each_width = pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float32", "float64"])


def parts(result: Any) -> list[Any]:
    return list(result) if isinstance(result, tuple) else [result]


def lane(results: Any, n: int) -> Any:
    return jax.tree.map(lambda leaf: leaf[n], results)


def check(got: Any, wanted: Any, dtype: Any) -> None:
    for one, other in zip(parts(got), parts(wanted), strict=True):
        assert np.asarray(one).dtype == dtype and np.shape(one) == np.shape(other)
        np.testing.assert_allclose(np.asarray(one), other, rtol=1e-12 if dtype is np.float64 else 2e-5, atol=1e-6)


@each_case
@each_width
def test_the_results_are_those_of_numpy(case: Case, dtype: Any) -> None:
    program, x, lengths = case.program, np.array(case.array, dtype), case.lengths
    wanted = [program(x.copy(), k) for k in lengths]
    with jax.enable_x64(dtype is np.float64):
        jitted = ag.jit(program)
        for k, result in zip(lengths, wanted, strict=True):
            check(jitted(x, k), result, dtype)
        ks = jnp.array(lengths)
        lanes = jax.jit(jax.vmap(ag.convert(program), (None, 0)))(x, ks)
        others = jax.vmap(ag.convert(program))(jnp.array([x] * len(lengths)), ks)
        for n, result in enumerate(wanted):
            check(lane(lanes, n), result, dtype)
            check(lane(others, n), result, dtype)


def differences(f: Callable[[Any], Any], x: Any, step: float) -> Any:
    """Returns the derivative of `f` by each element of `x`, after the axes of what `f` returns."""
    found = []
    for place in np.ndindex(x.shape):
        by = np.zeros_like(x)
        by[place] = step
        found.append((f(x + by) - f(x - by)) / (2 * step))
    return np.moveaxis(np.array(found), 0, -1).reshape(*np.shape(found[0]), *x.shape)


@each_slope
@each_width
def test_the_derivatives_are_those_of_the_elements(case: Case, dtype: Any) -> None:
    program, x = case.program, np.array(case.array)

    def squares(x, k):
        total = 0.0
        for part in parts(program(x, k)):
            total += np.square(part).sum()
        return total

    def slope(k: int) -> Callable[[Any], Any]:
        return lambda x: differences(lambda x: squares(x.copy(), k), x, 1e-4)

    with jax.enable_x64(dtype is np.float64):
        f, ks = ag.convert(squares), jnp.array(case.lengths)
        first = jax.jit(jax.vmap(jax.grad(f), (None, 0)))(x.astype(dtype), ks)
        second = jax.jit(jax.vmap(jax.hessian(f), (None, 0)))(x.astype(dtype), ks)
        alone = jax.grad(f)(x.astype(dtype), case.lengths[-1])
    for n, k in enumerate(case.lengths):
        np.testing.assert_allclose(first[n], slope(k)(x), rtol=1e-4, atol=1e-3)
        np.testing.assert_allclose(second[n], differences(slope(k), x, 1e-4), rtol=1e-2, atol=1e-2)
    np.testing.assert_allclose(alone, first[-1], rtol=1e-5)
