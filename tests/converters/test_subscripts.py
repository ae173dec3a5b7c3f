"""Reads of elements."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.converters.subscripts import Subscripts
from tests.converters.converting import Case

PASSES = (Subscripts,)

CASES = {
    "an index that may be traced": Case(
        """
        def f(x, i):
            return x[i], x[i + 1], x[x[i]]
        """,
        """
        def f(x, i):
            return (ag__.get_item(x, i), ag__.get_item(x, i + 1), ag__.get_item(x, ag__.get_item(x, i)))
        """,
        "f([1, 0, 2], 0)",
        "f([1], 4)",
    ),
    "constant indices and slices are read by Python": Case(
        """
        def f(x, i):
            return x[0], x[-1], x[1:], x[i:], x[:i], x[::i], x[i:2]
        """,
        """
        def f(x, i):
            return (x[0], x[-1], x[1:], ag__.get_item(x, slice(i, None)), ag__.get_item(x, slice(None, i)), ag__.get_item(x, slice(None, None, i)), ag__.get_item(x, slice(i, 2)))
        """,
        "f([1, 0, 2], 1)",
    ),
    "several indices": Case(
        """
        def f(x, i):
            return x[i, 0], x[i, ...], x[*[i, 0]]
        """,
        """
        def f(x, i):
            return (ag__.get_item(x, (i, 0)), ag__.get_view(x, (i, ...)), x[*[i, 0],])
        """,
        "f({(1, 0): 2, (1, ...): 3}, 1)",
    ),
    "a window": Case(
        """
        def f(x, i, k):
            return x[i:i + k], x[-i:-i + 2], x[i * 2:i * 2 + 1]
        """,
        """
        def f(x, i, k):
            return (ag__.get_slice(x, i, k), ag__.get_slice(x, -i, 2), ag__.get_slice(x, i * 2, 1))
        """,
        "f('abcdef', 1, 2)",
        "f('abcdef', -3, 9)",
    ),
    "what only looks like a window": Case(
        """
        def f(x, i, k):
            return x[i:k + i], x[i:i - k], x[i:i + k:2], x[1:1 + k], x[note(i):note(i) + k]
        """,
        """
        def f(x, i, k):
            return (ag__.get_item(x, slice(i, k + i)), ag__.get_item(x, slice(i, i - k)), ag__.get_item(x, slice(i, i + k, 2)), ag__.get_item(x, slice(1, 1 + k)), ag__.get_item(x, slice(note(i), note(i) + k)))
        """,
        "f('abcdef', 1, 2)",
    ),
    "a target is no read": Case(
        """
        def f(x, i):
            x[i] = x[i]
            del x[i]
            return x
        """,
        """
        def f(x, i):
            x[i] = ag__.get_item(x, i)
            del x[i]
            return x
        """,
        "f([1, 0, 2], 1)",
    ),
    "reads of reads": Case(
        """
        def f(x, i):
            return x[i][i].real[0]
        """,
        """
        def f(x, i):
            return ag__.get_item(ag__.get_item(x, i), i).real[0]
        """,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_becomes(name: str) -> None:
    CASES[name].examine(*PASSES)


TABLE = np.arange(12).reshape(3, 4)


@pytest.mark.parametrize(
    "read",
    [
        lambda k: TABLE[:, k],
        lambda k: TABLE[k, 1:],
        lambda k: TABLE[..., k],
        lambda k: TABLE[k, None] + TABLE[0, :],
        lambda k: sum(TABLE[:, k].sum() + TABLE[i, ::2][k] for i in range(2)),
    ],
)
def test_slices_and_traced_indices_of_an_array_of_numpy(read: Callable[[Any], Any]) -> None:
    for k in (0, 1):
        assert np.asarray(ag.jit(read)(k)).tolist() == np.asarray(read(k)).tolist()


@pytest.mark.parametrize(
    "read",
    [
        lambda x, mask: x[:, mask].sum(),
        lambda x, mask: x[1:, mask].mean(axis=1),
        lambda x, mask: x[..., mask].max(axis=-1),
        lambda x, mask: x[:, x[0] > x[1, 2] - 4].sum(axis=1),
        lambda x, mask: x[::-1, mask][0].prod(),
    ],
)
def test_a_mask_beside_slices(read: Callable[[Any, Any], Any]) -> None:
    for mask in ([True, False, True, True], [False, True, False, False]):
        expected = read(TABLE, np.array(mask))
        np.testing.assert_allclose(ag.jit(read)(TABLE, np.array(mask)), expected, rtol=1e-6)


def test_its_row_is_not_written() -> None:
    def write(k: Any) -> Any:
        column = TABLE[:, k]
        column[0] = 7
        return TABLE.sum()

    with pytest.raises(ag.StagingError, match="may be a view of an array of NumPy's"):
        ag.jit(write)(1)
