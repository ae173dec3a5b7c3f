"""Where a jump leads: what `return`, `break`, `continue` and `raise` mean where a block stands (see `jumps`).

>>> block = Place(returns=True, loop=Loop(native=True), in_loop=True)
>>> block.native_loop, block.in_branch().native_loop, block.in_branch().returns
(True, False, False)
"""

from __future__ import annotations

from dataclasses import dataclass, field

from autograph.converters.caught_raises import Catch


@dataclass(eq=False)
class Loop:
    """A loop whose body is being lowered; names of flags appear when they are needed.

    Args:
        each_iteration: whether each iteration of the loops around comes by.
    """

    native: bool
    each_iteration: bool = True
    break_: str | None = None
    continue_: str | None = None
    guarded: set[str] = field(default_factory=set)


@dataclass(frozen=True, eq=False)
class Place:
    """What jumps mean where a block stands.

    Args:
        returns: `return` leaves the user's function here; otherwise it is a flag.
        loop: the loop around, or None.
        in_loop: no functional statement stands between here and that loop, so if it is native, jumps stay native.
        catch: the `try` around whose handlers are for what is raised here by a flag, or None.
        at_try: no functional statement stands between here and that `try`, so `raise` stays Python's.
    """

    returns: bool
    loop: Loop | None = None
    in_loop: bool = False
    catch: Catch | None = None
    at_try: bool = False

    def in_branch(self) -> Place:
        """Returns the place inside a branch of a functional statement."""
        return Place(returns=False, loop=self.loop, catch=self.catch)

    @property
    def in_each_iteration(self) -> bool:
        """Whether each iteration of all loops around comes by here; so it is where there is none."""
        return self.loop is None or (self.in_loop and self.loop.each_iteration)

    @property
    def native_loop(self) -> bool:
        return self.loop is not None and self.loop.native and self.in_loop

    @property
    def raises_by_flag(self) -> bool:
        return self.catch is not None and not self.at_try
