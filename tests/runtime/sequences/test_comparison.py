"""Comparisons and searches of what may hold traced values, or may be one of several objects."""

from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.errors import StagingError


def writes_beside_one_of_several(c: Any, k: Any) -> Any:
    p, q = [1.0], [2.0]
    row = p if c > 0 else q
    t, counts = np.array(5.0), np.zeros(3)
    t[()] = 3
    counts[1] += 4
    return (t[()] + counts[1]) * k + row[0]


def finds_one_of_several(c: Any) -> Any:
    p, q = object(), object()
    one = p if c > 0 else q
    return {p: 1.0}.get(one, 2.0)


def test_only_what_finds_a_key_by_its_hash_is_searched_for_one_of_several_objects() -> None:
    assert ag.jit(writes_beside_one_of_several)(1, 2.0) == writes_beside_one_of_several(1, 2.0) == 15
    with pytest.raises(StagingError):
        ag.jit(finds_one_of_several)(1)


class Counting:
    """Counts how often its hash is asked."""

    asked = 0

    def __hash__(self) -> int:
        self.asked += 1
        return 7


def test_each_element_of_a_tuple_is_hashed_once() -> None:
    key = Counting()
    assert ag.convert(lambda k: hash((k, (k, 1))))(key) == hash((key, (key, 1)))
    assert key.asked == 2 + 2  # here and there
