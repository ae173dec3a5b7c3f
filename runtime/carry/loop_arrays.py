"""Arrays that a staged loop writes and that have other names as well: what may still be read under these (see `array_versions`).

Where an iteration writes elements of an array that it carries, the loop's result takes the place of the array from before the
loop. The iteration itself must not read that array under another name: in NumPy it would see the writes of the iterations
before, and here it is closed over as it was before the loop.

| the iteration | then |
| --- | --- |
| writes the carried `a`, and reads `b`, which is the same array or a view of it | refused |
| leaves in a variable an array that was written after | refused where the next iteration reads it |
| writes a row or a slice of an array from outside of the loop | refused: the next iteration would see the write |
| runs over `a`, and writes `a[i]` at the index of the iteration only | the items are right: each is read before its write |
| runs over `a` and writes anything else of it | refused |

>>> import autograph as ag
>>> def f(a, n):
...     b = a
...     while n > 0:
...         a[n] += b[n - 1]
...         n -= 1
...     return a
>>> f(np.ones(3), 2)
array([1., 2., 2.])
>>> try: ag.jit(f)(np.ones(3), 2)
... except ag.StagingError as error: print(str(error).splitlines()[0])
the loop reads an array that it writes under another name, 'a'
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from autograph import errors
from autograph.runtime.heap import array_views, constants
from autograph.runtime.heap.array_outcomes import End, Outcome, Writes, note_outcomes
from autograph.runtime.heap.array_versions import LOST, VIEW, Write, record
from autograph.runtime.jaxprs.graph import reads
from autograph.runtime.tracing import dead_results
from autograph.runtime.tracing.refusals import RETURNED, quoted
from autograph.runtime.values.locations import holds_known_numbers


class LoopArrays:
    """The writes of one iteration to arrays.

    Attributes:
        at: the index of the iteration, where the loop counts.
        rows: its items, with the arrays that they are rows of.
    """

    def __init__(self) -> None:
        self.at: Any = None
        self.rows: Sequence[tuple[Any, Any]] = ()
        self._begin((), ())

    def _begin(self, leaves: Sequence[Any], first_bound: Sequence[Any]) -> None:
        self._written: dict[int, tuple[End, bool]] = {}
        self._stale: list[tuple[int, str]] = []
        self._at_index: set[int] = set()
        self._outer: list[tuple[Any, str]] = []
        self._views: list[Any] = []
        self._slots = [*leaves, *first_bound]
        self._shared: list[tuple[int, Any]] = []
        self._starts: list[tuple[int, Any]] = []

    def collect(
        self, writes: Sequence[Write], leaves: Sequence[Any], first_bound: Sequence[Any], appended: Sequence[Any] = ()
    ) -> None:
        """Finds what the writes mean, while the leaves hold what went into the iteration and what came out.

        Raises:
            StagingError: a NumPy array from before the loop was written, and other names may have it, or an array that was
                `appended` to a list was written after.
        """
        self._begin(leaves, first_bound)
        changing = [k for k, leaf in enumerate(self._slots) if not leaf.invariant and leaf.type.shape]
        if writes:
            self._find_written(Writes(writes), leaves, appended)
        if changing:
            self._find_shared(changing, leaves)
        self.at, self.rows, self._slots = None, (), []

    def _find_written(self, writes: Writes, leaves: Sequence[Any], appended: Sequence[Any]) -> None:
        for index, leaf in enumerate(leaves):
            if writes.of(leaf.tracer) is not None:
                end = writes.end(leaf.tracer)
                if isinstance(leaf.init, np.ndarray) and not end.unshared and not constants.was_alone(leaf.init):
                    raise holds_known_numbers("a NumPy array")  # another name would have to see the write
                self._written[index] = end._replace(indices=[]), end.new is leaf.out and not leaf.invariant
                if self.at is not None and end.index(self.at) is self.at:
                    self._at_index.add(index)
        written = ((k, writes.of(leaf.out)) for k, leaf in enumerate(self._slots))
        self._stale = [(k, write.how) for k, write in written if write is not None]
        self._views = [array for row, array in self.rows if writes.of(row) is not None]
        self._outer = writes.outer()
        if any(writes.of(x) is not None for x in appended):
            raise _refused("an element of a list", None)

    def _find_shared(self, changing: Sequence[int], leaves: Sequence[Any]) -> None:
        """Finds what the arrays that an iteration leaves may be, or share elements with."""
        outs = {
            k: {id(x): x for x in array_views.bases(leaf.out)}
            for k, leaf in enumerate(self._slots)
            if k in changing or k in self._written or leaf.type.shape
        }
        inits = {id(leaf.tracer): leaf.init for leaf in leaves}
        inits.update((id(row), array) for row, array in self.rows)  # `for row in m: last = row`
        for k in changing:
            for key, base in outs[k].items():
                self._shared += [(k, array) for array in array_views.views_in_numpy(base)]
                if key in inits:
                    self._shared.append((k, inits[key]))
                elif array_views.is_outer(base, 1):
                    self._shared.append((k, base))
                    if k in self._written:
                        self._outer.append((base, LOST))
            if k < len(leaves) and not (k in self._written and type(leaves[k].init) is np.ndarray):  # which is unshared
                self._starts.append((k, leaves[k].init))
            others = [other for other in outs if other != k and not outs[k].keys().isdisjoint(outs[other])]
            self._shared += [(k, other) for other in others if other < k]
            if k in self._written:
                self._stale += [(other, LOST) for other in others if not self._ends_the_loop(self._slots[other])]

    def _ends_the_loop(self, leaf: Any) -> bool:
        """Whether no iteration follows one that leaves something that is read there: a `return` ends the loop."""
        flag = dead_results.flags.of(leaf.out) if leaf.path.startswith(RETURNED) else None
        return flag is not None and any(other.out is flag for other in self._slots)

    def land(self, leaves: Sequence[Any], values: Sequence[Any], first_bound: Sequence[Any], surely: bool) -> None:
        """Notes what the loop means for the arrays around it, once its leaves have the `values` after it.

        `surely`: it has at least one iteration; else its results may be what was there before.
        """
        results = [*values, *first_bound]
        for index, (end, is_carried) in self._written.items():
            outcome = Outcome(leaves[index].init, index if is_carried else None, end.how, unshared=end.unshared)
            note_outcomes([outcome], values)
        note_outcomes([Outcome(old, None, how) for old, how in self._outer], ())
        for array in self._views:
            record(array, None, VIEW)
        current = {id(values[k]) for k in self._written.keys() - dict(self._stale).keys()}
        stale = [(k, how) for k, how in self._stale if id(results[k]) not in current]  # one value stands for both names
        note_outcomes([Outcome(None, k, how) for k, how in stale], results)
        pairs = [(k, results[other] if type(other) is int else other) for k, other in self._shared]
        pairs += [] if surely else self._starts
        note_outcomes((), results, [(k, base) for k, other in pairs for base in array_views.bases(other)])

    def check(self, carry: Any, parts: Sequence[Any], xs: Sequence[Any] = (), backwards: Sequence[Any] = ()) -> None:
        """Refuses an iteration that reads an array which it writes under another name.

        Args:
            parts: the traced iteration, and the test of a `while`; their inputs begin with the leaves.
            xs, backwards: arrays that the loop runs over, from the front or from the back.
        Raises:
            StagingError: names the variable.
        """
        if not (self._written or self._stale or self._views or self._outer):
            return
        where = errors.Location.of(carry.functions[0]) if carry.functions else None
        used = [(part, reads(part.jaxpr.eqns, [])) for part in parts]
        constants = [x for p, read in used for v, x in zip(p.jaxpr.constvars, p.consts, strict=True) if v in read]
        leaves = {k: leaf for k, leaf in enumerate(carry.leaves) if any(p.jaxpr.invars[k] in read for p, read in used)}
        for index, _ in self._stale:
            if index in leaves:
                raise _refused(leaves[index].path, where)
        for array, what in (*((x, "the items") for x in self._views), *((x, "an array") for x, _ in self._outer)):
            if _share([array], [*constants, *(leaf.init for leaf in leaves.values())]):
                raise _refused(what, where)
        for index in self._written:
            leaf = carry.leaves[index]
            others = [*constants, *(other.init for k, other in leaves.items() if k != index), *backwards]
            others += [x for x in xs if not (x is leaf.init and index in self._at_index and jnp.ndim(x) == 1)]
            if _share([leaf.init, *(old for old, _ in self._outer)], others):
                raise _refused(leaf.path, where)


def _share(arrays: Sequence[Any], others: Sequence[Any]) -> bool:
    """Whether one of the others may have elements in common with one of some arrays."""
    own = {id(base) for x in arrays for base in array_views.bases(x)}
    return any(id(base) in own for x in others if jnp.ndim(x) for base in array_views.bases(x))


def _refused(path: str, where: Any) -> errors.StagingError:
    return errors.StagingError(
        f"the loop reads an array that it writes under another name, {quoted(path)}",
        at=where,
        why="NumPy shows the write under every name, row and slice of the array; an array of a compiled program is a value, "
        "and only one name gets the new one",
        instead="use one name for it (run over `range(len(a))` and read `a[i]`), or take a copy first (`b = a.copy()`)",
        page="loop-over-what-it-writes",
    )
