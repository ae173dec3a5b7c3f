"""Variables that only closures may read later: nobody reads them when no closure over them is left.

A lambda that a branch hands to `jax.vmap`, a generator that it sums up: they are gone when the branch is over, and so is the
last reader of what they refer to. A function over a variable refers to its cell, so the references of the cell tell.

>>> from autograph.runtime.tracing.variables import cells_of
>>> def f(x, keep=[]):
...     [variable] = variables = cells_of(lambda: x)
...     enclosed = Enclosed(variables, ["x"])
...     before = sum(v * x for v in (1, 2)), enclosed.is_dead("x")
...     keep.append(lambda: x)
...     return before, enclosed.is_dead("x")
>>> f(2)
((6, True), False)
"""

from __future__ import annotations

from collections.abc import Sequence

from autograph.runtime.tracing import sharing
from autograph.runtime.tracing.variables import CellVariable, Variable


class Enclosed:
    """What refers to the cells of some variables before the branches of a statement run.

    Args:
        variables: those of the statement.
        names: those of them that only closures made in the branches may read later.
    """

    def __init__(self, variables: list[Variable], names: Sequence[str]) -> None:
        self._cells = {v.name: v.cell for v in variables if v.name in names and isinstance(v, CellVariable)}
        self._counts = {name: sharing.outside(self._cells, name) for name in self._cells}

    def is_dead(self, name: str) -> bool:
        """Whether the branches, which are over, left no closure over a variable."""
        return name in self._cells and sharing.outside(self._cells, name) <= self._counts[name]
