"""What one branch of a traced `if` left behind: its value, its variables, its writes, or the exception that ended it.

>>> from autograph.runtime.tracing.variables import variables_of
>>> def f():
...     x, items = 1, []
...     def if_body():
...         nonlocal x
...         x = 2
...         journal.touch_container(items)
...         items.append(x)
...     result = BranchResult(if_body, variables_of(lambda: (x,)), None)
...     return result.values, [w.after for w in result.written], x, items
>>> f()
([2], [[2]], 1, [])
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from autograph.runtime.checks import runtime_checks
from autograph.runtime.heap import guarded_iterators, journal, recursion
from autograph.runtime.heap.escape import Finished, holders_of
from autograph.runtime.heap.unset_reads import is_read, refuse_to_read_unset
from autograph.runtime.tracing.staging import is_array_like
from autograph.runtime.tracing.variables import UNSET, Variable
from autograph.runtime.values.optional import settled


class BranchResult(Finished):
    """What one branch left behind; `beside` is the branch that was traced before it, whose results are no names of this one.

    What it leaves in `dead` variables, by name, nobody reads: they hold the number from before, or are unbound, when it is over.
    """

    def __init__(
        self,
        run: Callable[[], Any],
        variables: list[Variable],
        path: Any,
        beside: BranchResult | None = None,
        dead: Sequence[str] = (),
    ) -> None:
        super().__init__()
        self.run, self.test = run, path[0] if path else None
        self.raised: BaseException | None = None
        with recursion.refused(run, recursion.BRANCH), journal.Region(variables, path, run=run) as region:
            self.traces = region.branches = [region.trace]
            if beside is not None:
                region.branches += beside.traces
                region.holders = functools.partial(holders_of, beside)
            try:
                with guarded_iterators.guard_iterators(variables, run) as original:
                    self.value = original(run())
            except BaseException as error:
                if error is not region.raised and not runtime_checks.is_event_of_branch(error):
                    refuse_to_read_unset(error)
                    runtime_checks.refuse_to_handle(error)
                    runtime_checks.say_where(error, f"what runs when the test is {'true' if path[1] else 'false'}", run)
                    raise
                if isinstance(error, UnboundLocalError):
                    name = str(error.name)  # in a loop: what an earlier iteration left
                    journal.note_skipped(is_read(name))
                    if hasattr(error, "has_flag"):
                        journal.note_skipped(name)
                self.raised = error
                if error is not region.raised or not region.fails:
                    runtime_checks.stage_failure(error)
            for variable, before in zip(variables, region.entry, strict=True):
                if variable.name in dead:
                    variable.set(before if is_array_like(before) else UNSET)
                elif variable.is_optional:  # a test around the branch may tell which it is
                    variable.set(settled(variable.get()))
            self.values, self.written = region.collect()
        if self.raised is not None:
            self.written, region.arrays = [], journal.ArrayWrites()  # nobody gets to see them
        self.forwarded, self.arrays = region.forwarded, region.arrays

    def forget(self) -> None:
        """Forgets the values of the branch."""
        self.value, self.values, self.written, self.arrays = None, [], [], journal.ArrayWrites()
