"""What author's code calls for element assignment on JAX arrays; see `autograph.conversion.element_assignment`.

>>> import jax.numpy as jnp
>>> x = jnp.zeros(2)
>>> Slot(x)[0] = 5
>>> take_array(x).tolist(), take_array(x).tolist()
([5.0, 0.0], [0.0, 0.0])
"""

from __future__ import annotations

from typing import Any

from autograph import runtime
from autograph.runtime.tracing.context import PerThread


class Slot:
    """Stands for an array as the container of an element assignment."""

    __slots__ = ("array",)

    def __init__(self, array: Any) -> None:
        self.array = array

    def __setitem__(self, index: Any, value: Any) -> None:
        _written.value = self.array, put_element(value, self.array, index)


_written: PerThread[tuple[Any, Any] | None] = PerThread(lambda: None)  # an array, and what took its place


def take_array(array: Any) -> Any:
    """Returns the array that took the place of `array` in the assignment before; `array` where there was none."""
    pair, _written.value = _written.value, None
    return pair[1] if pair is not None and pair[0] is array else array


def put_element(value: Any, array: Any, index: Any) -> Any:
    """Returns the array with an element replaced; with anything else written by Python (the variable may have been rebound)."""
    return runtime.set_item(value, array, index)


def augment(array: Any, index: Any, symbol: str, value: Any) -> Any:
    """Returns the array with `array[index] <symbol> value` done."""
    return put_element(runtime.iop(symbol, array[index], value), array, index)
