"""Traced loops and conditionals that are not bound yet: the types that the passes take and return (see `passes`).

>>> loop = Loop(test=None, body=None, init=[0, 10, 20], name="loop", dead=[])
>>> loop.whole([2, 0], ["new 2", "new 0"])
['new 0', 10, 'new 2']
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

Bind = Callable[[Any, Any, Sequence[Any]], list[Any]]
"""Binds a `while`: its test, its body, what it begins with."""

Complete = Callable[[Any, Any], tuple[Any, Any]]
"""Makes of the test and the body of a loop those that are bound: the test says whether the loop is reached (`reached_loops`)."""


class Conditional(NamedTuple):
    """`true_branch` if `pred` else `false_branch`: regions (`binding.Traced`) that take nothing and leave values of equal types.

    `may_select`: whether two cheap branches may both be computed, and selected from (see `cost`).
    `dead`: for each result the branch whose value nobody reads, or None; none at all where nothing is known of any.
    `finish`: what the statement leaves, of what the branches leave.
    """

    pred: Any
    false_branch: Any
    true_branch: Any
    may_select: bool = False
    dead: Sequence[bool | None] = ()
    finish: Callable[[list[Any]], list[Any]] = list

    @property
    def regions(self) -> tuple[Any, Any]:
        """Its two branches, that of a false test first."""
        return self.false_branch, self.true_branch


class Loop(NamedTuple):
    """A loop in regions (`binding.Traced`) that take its whole carry, and what its results stand for.

    `name`: of the function that is the test, by which reverse mode knows the loops that it may transpose.
    `dead`: for each result of the body a condition of it, and the value of that where nobody reads the result; or None.
    `alive`: a constant of the body that stands for "this iteration is made" (see `reached_loops`), where it reads that.
    `choose`: `passes.bind_conditional`, for what stands after the loop instead of in it.
    """

    test: Any
    body: Any
    init: list[Any]
    name: str
    dead: list[tuple[Any, bool] | None]
    finish: Callable[[list[Any]], list[Any]] = list
    alive: Any = None
    choose: Any = None

    @property
    def regions(self) -> tuple[Any, Any]:
        """Its test and its body."""
        return self.test, self.body

    def whole(self, kept: Sequence[int], state: Sequence[Any]) -> list[Any]:
        """The whole carry, of which `state` begins with what is `kept`, and the rest never changes."""
        values = list(self.init)
        for k, value in zip(kept, state, strict=False):
            values[k] = value
        return values


class Form(NamedTuple):
    """Another way to run a loop, with the results of the written one.

    `bind`: runs it. `more`: the region that computes more there than the written loop does: where that has derivatives, those
    of the written loop are taken.
    """

    bind: Callable[[Bind], list[Any]]
    more: Any
