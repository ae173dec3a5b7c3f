"""Lists made of arrays of unknown length, and what Python's functions of iterables do with these, beside NumPy's."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag

VALUES = [3.0, -1.0, 4.0, 1.5, -9.0, 2.0]


def lists(x, k):
    y = x[x > 0]
    return list(x[:k]), x[:k].tolist(), list(y), sorted(x[:k]), sorted(y, reverse=True), list(np.outer(x, x)[:k]), np.flatnonzero(x > 1).tolist()


def comprehensions(x, k):
    y = x[:k]
    return ([v * 2 for v in y], [v for v in y if v > 0], [(v, i) for i, v in enumerate(y)], [u + v for u, v in zip(y, x[x > 0])],
            [v for v in reversed(y)], [v * w for v in y for w in (1, 2)], [-v if v < 0 else v for v in x[x > 1]],
            [row.sum() for row in np.outer(x, x)[:k]], [u + v for u, v in zip(y, x) if u > 0 if v < 4])  # fmt: skip


def functions(x, k):
    y = x[:k]
    return (2 in y, 4.0 in x[k:], k in y, max(y, default=-5.0), min(x[k:], default=3.0), sum([v * v for v in y]), len(list(y)),
            any(v > 2 for v in y), all(v > 2 for v in x[k:]), sum(i * v for i, v in enumerate(y)))  # fmt: skip


def elements(x, k):
    z, total = list(x[:k]), 0.0
    for v in z:
        total = total * 2 + v
    z.append(7.0)
    return total, z[-1], z[0], len(z)


def plain(value: Any) -> Any:
    """The same in lists and tuples of Python's numbers."""
    if isinstance(value, ag.BoundedList | list):
        return [plain(one) for one in value]
    if isinstance(value, tuple):
        return tuple(plain(one) for one in value)
    return np.asarray(value).tolist()


@pytest.mark.parametrize("program", [lists, comprehensions, functions, elements], ids=lambda f: f.__name__)
@pytest.mark.parametrize("k", [0, 1, 3, 6])
def test_what_is_made_is_what_python_makes(program, k) -> None:
    x = np.array(VALUES, np.float32)
    assert plain(ag.jit(program)(jnp.asarray(x), k)) == plain(program(x.copy(), k))


def test_derivatives_and_lanes() -> None:
    def f(x, k):
        return sum([v * v for v in x[:k] if v > 0]) + sorted(x[:k])[0] * 3 + max(x[:0][:k], default=1.0)

    x = jnp.array(VALUES)
    assert jax.jit(jax.grad(ag.convert(f)))(x, 3).tolist() == [6.0, 3.0, 8.0, 0.0, 0.0, 0.0]
    assert jax.jit(jax.vmap(ag.convert(f), (None, 0)))(x, jnp.array([1, 3])).tolist() == [9 + 9 + 1, 25 - 3 + 1]


def test_the_numbers_of_tolist_are_those_of_python() -> None:
    def f(x, k):
        return list(x[:k])[0] * jnp.float16(2), x[:k].tolist()[0] * jnp.float16(2)

    strong, weak = ag.jit(f)(jnp.arange(3.0), 2)
    assert (strong.dtype, weak.dtype) == (jnp.float32, jnp.float16)


@pytest.mark.parametrize(
    ("program", "what"),
    [
        (lambda x, k: set(x[:k]), "taking the elements one by one"),
        (lambda x, k: max(x[:k], key=abs), "taking the elements one by one"),
        (lambda x, k: [*x[:k]], "taking the elements one by one"),
        (lambda x, k: list(np.outer(x, x)[:k, :k]), "making a list of arrays of unknown length"),
        (lambda x, k: sorted(np.outer(x, x)[:k]), r"sorted\(\) is not possible"),
        (lambda x, k: {v: 1 for v in x[:k]}, "a comprehension over an axis of unknown size"),
    ],
)
def test_what_needs_the_number_of_elements_is_refused(program, what) -> None:
    with pytest.raises(ag.StagingError, match=what):
        ag.jit(program)(jnp.array(VALUES), 2)


def test_a_tuple_cannot_be_unpacked() -> None:
    def f(x, k):
        a, b = x[:k]
        return a + b

    with pytest.raises(ag.StagingError, match="taking the elements one by one"):
        ag.jit(f)(jnp.array(VALUES), 2)
