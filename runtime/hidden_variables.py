"""Variables of a staged loop's own, which it carries beside the user's.

>>> import jax
>>> from autograph import convert
>>> def f(xs, n):
...     for x in xs:
...         assert n < 5, "in the loop"
...     assert n < 3, "after it"
...     return n
>>> fails = jax.jit(convert(f))
>>> try: _ = fails(jax.numpy.arange(2), 7).block_until_ready()
... except jax.errors.JaxRuntimeError as error: print("in the loop" in str(error), "after it" in str(error))
True False
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime import reached


class Hidden:
    """A variable of the loop's own: a counter, or the truth value of a test that must not run twice."""

    __slots__ = ("name", "value")
    is_optional = may_be_none = False

    def __init__(self, name: str, value: Any) -> None:
        self.name = name
        self.value = value

    def get(self) -> Any:
        return self.value

    def set(self, value: Any) -> None:
        self.value = value


class Checked(Hidden):
    """Whether no check of a loop's turns has failed. Only carried where there are some.

    No number of turns would do for later checks to wait for: XLA may know it, and may write the turns out one by one.
    """

    __slots__ = ("some",)

    def __init__(self) -> None:
        super().__init__("the loop checks", np.bool_(True))
        self.some = False

    def after(self, turn: Callable[..., None]) -> Callable[..., None]:
        """A turn that tells of its checks."""

        def checked(*args: Any) -> None:
            reached.survived(self.value)
            turn(*args)
            holds = reached.passed().holds
            if holds is not self.value:
                self.some = True
                self.value = holds

        return checked

    def tell(self) -> None:
        """Tells of them after the loop."""
        if self.some:
            reached.survived(self.value)
