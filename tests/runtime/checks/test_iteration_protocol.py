"""An `IndexError` of a `__getitem__` ends an iteration only where an iteration asks for the item."""

from typing import Any

import jax
import pytest

import autograph as ag
from autograph.errors import StagingError


class Squares:
    @ag.convert
    def __getitem__(self, k: Any) -> Any:
        if k > 3:
            raise IndexError(k)
        return k * k


def test_an_item_that_code_asks_for_which_is_not_converted() -> None:
    assert jax.jit(lambda k: Squares()[k])(2) == 4


def test_items_that_an_iteration_asks_for() -> None:
    def total(n: Any) -> Any:
        class Shifted:
            @ag.convert
            def __getitem__(self, k: Any) -> Any:
                if k + n > 3:
                    raise IndexError(k)
                return k + n

        return sum(Shifted())  # type: ignore[arg-type]  # iterated by `__getitem__`

    with pytest.raises(StagingError, match="an iterator ends on a traced condition"):
        jax.jit(total)(1)
