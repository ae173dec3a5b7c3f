"""Which variables may be read after a statement.

Every statement has a *summary*: what it reads before it writes, and for each way out (the end, `break`, `continue`,
`return`) what it has certainly written by then. Summaries are computed once, inner statements first; what is live follows
once, outer statements first. So the cost is linear in the size of the function, whatever the nesting, and every way out of a loop
counts: the test, `break`, `return`, no iteration at all.

>>> import gast
>>> from autograph.analyses.scopes import Scopes
>>> function = gast.parse('''
... def f(n):
...     i = 0
...     for i in range(n):
...         if n > 5:
...             t = i + 100
...             i = t
...     return i
... ''').body[0]
>>> liveness = Liveness(function, Scopes(function, "ag__").of(function), "ag__")
>>> loop = function.body[1]
>>> liveness.state(loop), liveness.state(loop.body[0])
(['i'], ['i'])
>>> liveness.ends_with("n", loop), liveness.ends_with("i", loop)
(False, False)

A jump that became a flag is still a jump: `return_ = True` is followed by nothing but tests of flags until control is where
`return` leads. So flags are all that is live behind it, and what is live at the jump's target.

Three things are live throughout, which is more than needed and never less: what closures capture, from their making on,
what was declared `nonlocal`, and in a `try` or `with` what its handlers, its `finally` and the code after it may read.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Collection
from typing import Any

import gast

from autograph.analyses.bits import ALL, Bits
from autograph.analyses.closures import Closures
from autograph.analyses.effects import Effects
from autograph.analyses.jump_flags import JUMPS, jump_of, jump_of_assignment, jump_of_guard
from autograph.analyses.loops import blocks
from autograph.analyses.scopes import Scope
from autograph.analyses.summaries import NOTHING, Exits, Summary, before, join_summaries, then
from autograph.code.nodes import methods, walk


class Liveness:
    """Liveness in one function.

    Args:
        function: a `def`; statements nested in other functions are not looked into.
        scope: its scope.
        alias: the name of the runtime.
        transient: temporaries that are never state, whatever the paths say.
        flags: the variables that jumps became, and the one that keeps what is returned.
        shared: parameters whose elements it writes, which the caller sees.
    """

    def __init__(
        self,
        function: Any,
        scope: Scope,
        alias: str,
        transient: Collection[str] = (),
        flags: Collection[str] = (),
        shared: Collection[str] = (),
    ) -> None:
        self.bits = Bits()
        self._flag_names = flags
        self._flags = self.bits.mask(flags)
        self._returning: set[Any] = set()
        self._left: dict[Any, Exits] = {}
        self._effects = Effects(alias)
        self._summaries: dict[Any, Summary] = {}
        self._blocks: dict[int, Summary] = {}
        self._assigned: dict[Any, int] = {}
        self._live: dict[Any, int] = {}
        self._tests: dict[Any, Summary] = {}
        self._after: dict[Any, int] = {}  # live when a loop or an `if` is over
        self._inside: dict[Any, int] = {}  # what a loop itself binds: its target, names bound by walrus in its test
        self._stateless = self.bits.mask(scope.globals) | self.bits.mask(transient)
        self._closures = Closures(function, scope, self.bits)
        self._always = self.bits.mask(scope.nonlocals) | self._closures.anywhere
        self._block(function.body)
        caller = self.bits.mask(shared)
        self._spread(function.body, Exits(caller, 0, 0, caller, caller))

    # --- answers ---

    def assigned(self, statements: list[Any]) -> int:
        """Returns the variables that a block may bind or unbind."""
        mask = 0
        for node in statements:
            mask |= self._assigned[node]
        return mask

    def names(self, statements: list[Any]) -> set[str]:
        """Returns the variables that a block may bind or unbind, by name."""
        return set(self.bits.names(self.assigned(statements)))

    def writes(self, expression: Any) -> set[str]:
        """Returns the variables that an expression binds by walrus."""
        return self._effects.of(expression).writes

    def note(self, assignment: Any) -> None:
        """Takes note of an assignment that a converter adds."""
        self._assigned[assignment] = self._names(assignment)[1]

    def state(self, statement: Any) -> list[str]:
        """Returns the variables of a functional statement that outlive one run of one of its bodies."""
        assigned = self._inside.get(statement, 0) | self.assigned(statement.body) | self.assigned(statement.orelse)
        assigned &= ~self._stateless
        return self.bits.names(assigned & (self._live[statement] | self._captured(statement)))

    def ends_with(self, name: str, loop: Any) -> bool:
        """Whether nobody reads a variable from the first iteration of a loop on."""
        read = self._after[loop] | self._blocks[id(loop.body)].reads | self._captured(loop)
        return not self.bits.mask([name]) & read

    def ending(self, names: Collection[str], statement: Any) -> list[str]:
        """Returns those of the variables that nobody reads after an `if` or a loop."""
        outlive = self._after[statement] | self._captured(statement) | self._stateless
        return self.bits.names(self.bits.mask(names) & ~outlive)

    def enclosed(self, statement: Any) -> list[str]:
        """Returns the variables that only closures of its branches read after an `if`, once at most."""
        made = self._closures.after(statement) & ~self._closures.before(statement)
        others = self._after[statement] | self._closures.before(statement) | self._always | self._stateless
        return self.bits.names(self.assigned([statement]) & made & ~others)

    def dead_on_exit(self, flag: str, names: Collection[str], statement: Any) -> list[str]:
        """Returns those of the variables that nobody reads once the jump of a flag, which an `if` sets, is under way."""
        field = jump_of(flag)
        if field is None:
            return []
        outlive = getattr(self._left[statement], field) | self._captured(statement) | self._stateless | self._flags
        return self.bits.names(self.bits.mask(names) & ~outlive)

    def returns(self, statement: Any) -> bool:
        """Whether a statement holds a `return`."""
        return statement in self._returning

    def _captured(self, statement: Any) -> int:
        """Returns what closures may read when a statement is over."""
        return self._always | self._closures.after(statement)

    # --- summaries, inner statements first ---

    def _names(self, *nodes: Any) -> tuple[Summary, int]:
        names = self._effects.of(*nodes)
        mask = self.bits.mask
        kills = mask(names.kills)
        made = self._closures.made_in(*nodes)
        if made and all(map(_only_makes, nodes)):
            made &= ~kills  # no closure runs before the statement has bound these
        return Summary(mask(names.reads) | made, kills), mask(names.writes)

    def _block(self, statements: list[Any]) -> Summary:
        summary = NOTHING
        for node in statements:
            summary = then(summary, self._statement(node))
        self._blocks[id(statements)] = summary
        return summary

    def _statement(self, node: Any) -> Summary:
        make = _SUMMARIES[type(node)]
        if make is None:
            summary, self._assigned[node] = self._names(node)
        else:
            self._assigned[node] = 0
            summary = make(self, node)
            for block in blocks(node):
                self._assigned[node] |= self.assigned(block)
                if any(inner in self._returning for inner in block):
                    self._returning.add(node)
        self._summaries[node] = summary
        return summary

    def _part(self, node: Any, *parts: Any) -> Summary:
        """Returns the summary of expressions of a statement."""
        summary, writes = self._names(*parts)
        self._assigned[node] |= writes
        return summary

    def _summary_Return(self, node: Any) -> Summary:
        own = self._part(node, node.value)
        self._returning.add(node)
        return Summary(own.reads, ALL, return_=own.end)

    def _summary_Assign(self, node: Any) -> Summary:
        own, self._assigned[node] = self._names(node)
        jump = jump_of_assignment(node, self._flag_names)
        return own if jump is None else Summary(own.reads, own.end | ~self._flags)._replace(**{jump: own.end})

    def _summary_Raise(self, node: Any) -> Summary:
        return Summary(self._part(node, node.exc, node.cause).reads, ALL)

    def _summary_Break(self, node: Any) -> Summary:
        return Summary(0, ALL, break_=0)

    def _summary_Continue(self, node: Any) -> Summary:
        return Summary(0, ALL, continue_=0)

    def _summary_If(self, node: Any) -> Summary:
        test = self._part(node, node.test)
        body, orelse = self._block(node.body), self._block(node.orelse)
        if (
            self._flags and jump_of_guard(node.test, self._flag_names) == "return_"
        ):  # where the flag is set, the `return` is under way
            orelse = self._blocks[id(node.orelse)] = then(Summary(0, ~self._flags, return_=0), orelse)
        return then(test, join_summaries(body, orelse))

    def _summary_While(self, node: Any) -> Summary:
        options = self._part(node, getattr(node, "options", None))
        test = self._tests[node] = self._part(node, node.test)
        self._inside[node] = self._names(node.test)[1]
        return then(options, self._loop(node, test, NOTHING))

    def _summary_For(self, node: Any) -> Summary:
        start = self._part(node, getattr(node, "options", None), node.iter)
        extra = getattr(node, "extra_test", None)
        after = Summary(self._part(node, extra).reads, 0) if extra is not None else NOTHING
        target = self._tests[node] = self._part(node, node.target)
        self._inside[node] = self._names(node.target)[1]
        return then(start, self._loop(node, NOTHING, after, target))

    _summary_AsyncFor = _summary_For

    def _loop(self, node: Any, test: Summary, after: Summary, target: Summary = NOTHING) -> Summary:
        """Summarizes no iteration (test, `else`) and one: what later iterations read is read by it or written by it."""
        body = self._block(node.body)
        orelse = self._block(node.orelse)
        iteration = then(then(test, target), body)
        iteration = iteration._replace(reads=iteration.reads | after.reads & ~iteration.end)
        if isinstance(node, gast.While) and isinstance(node.test, gast.Constant) and node.test.value:
            finished = Summary(0, ALL)  # `while True` is left by jumps only
        else:
            finished = then(test, orelse)
        return Summary(
            iteration.reads | finished.reads,
            finished.end & iteration.break_,
            finished.break_,
            finished.continue_,
            finished.return_ & iteration.return_,
        )

    def _summary_With(self, node: Any) -> Summary:
        items = self._part(node, *(part for item in node.items for part in (item.context_expr, item.optional_vars)))
        inside = then(items, self._block(node.body))
        return inside._replace(end=0)  # the manager may suppress an exception before anything was written

    _summary_AsyncWith = _summary_With

    def _summary_Try(self, node: Any) -> Summary:
        completed = then(self._block(node.body), self._block(node.orelse))
        for handler in node.handlers:
            caught = self._part(node, handler.type)
            if handler.name is not None:
                name = self.bits.mask([handler.name.id])
                self._assigned[node] |= name
                caught = caught._replace(end=caught.end | name)
            completed = join_summaries(completed, then(caught, self._block(handler.body)))
        final = self._block(node.finalbody)
        reads = completed.reads | final.reads
        written = [ALL if mask == ALL else mask | final.end for mask in completed[1:]]
        jumps = [a & b for a, b in zip(written[1:], final[2:], strict=True)]
        return Summary(reads, written[0] if final.end != ALL else ALL, *jumps)

    _summary_TryStar = _summary_Try

    def _summary_Match(self, node: Any) -> Summary:
        cases = NOTHING  # no case matches
        for case in node.cases:
            pattern = self._part(node, case.pattern, case.guard)
            cases = join_summaries(cases, then(pattern, self._block(case.body)))
        return then(self._part(node, node.subject), cases)

    # --- liveness, outer statements first ---

    def _spread(self, statements: list[Any], exits: Exits) -> None:
        live = exits.end
        for node in reversed(statements):
            out = Exits(live, *exits[1:])
            self._live[node] = live | exits.exception
            spread = _SPREADS[type(node)]
            if spread is not None:
                spread(self, node, out)
            live = before(self._summaries[node], out)

    def _entry(self, block: list[Any], exits: Exits) -> int:
        return before(self._blocks[id(block)], exits)

    def _behind(self, block: list[Any], out: Exits) -> int:
        """Returns what is live at the end of a branch: flags and what is read at the targets, if it always ends in a jump."""
        summary = self._blocks[id(block)]
        if summary.end | self._flags != ALL:
            return out.end
        targets = [getattr(out, jump) for jump in JUMPS if getattr(summary, jump) != ALL]
        return functools.reduce(operator.or_, targets, out.end & self._flags)

    def _spread_If(self, node: Any, out: Exits) -> None:
        if self._flags:
            self._live[node] = self._behind(node.body, out) | self._behind(node.orelse, out) | out.exception
        self._after[node] = self._live[node]
        self._left[node] = out
        # A variable that one branch reads before writing it is state: the other branch must not make it its own.
        self._live[node] |= self._blocks[id(node.body)].reads | self._blocks[id(node.orelse)].reads
        self._spread(node.body, out)
        self._spread(node.orelse, out)

    def _spread_While(self, node: Any, out: Exits) -> None:
        test = self._tests[node]
        is_for = not isinstance(node, gast.While)
        self._after[node] = self._live[node] | self._entry(node.orelse, out)
        if not is_for:
            self._live[node] |= self._inside[node]  # a walrus in the test hands its value to the body
        finished = self._entry(node.orelse, out)
        body = self._blocks[id(node.body)]
        outside = out._replace(end=0, break_=out.end, continue_=0)  # one iteration that leaves the loop
        once = before(body, outside)
        head = (once & ~test.end) | test.reads | (finished if is_for else finished & ~test.end) | out.exception
        if is_for and (extra := getattr(node, "extra_test", None)) is not None:
            head |= self._names(extra)[0].reads
        self._live[node] |= head
        self._spread(node.orelse, out)
        self._spread(node.body, Exits(head, out.end, head, out.return_, out.exception))

    _spread_For = _spread_AsyncFor = _spread_While

    def _spread_With(self, node: Any, out: Exits) -> None:
        self._spread(node.body, out._replace(exception=out.exception | out.end))

    _spread_AsyncWith = _spread_With

    def _spread_Try(self, node: Any, out: Exits) -> None:
        if node.finalbody:
            self._spread(
                node.finalbody, out._replace(end=out.end | out.break_ | out.continue_ | out.return_ | out.exception)
            )
            final = self._entry(node.finalbody, out._replace(end=out.end | out.break_ | out.continue_ | out.return_))
            out = Exits(final, final, final, final, final | out.exception)
        caught = 0
        for handler in node.handlers:
            caught |= self._entry(handler.body, out) | self._names(handler.type)[0].reads
            self._spread(handler.body, out)
        inside = out._replace(exception=out.exception | caught)
        self._spread(node.orelse, out)
        self._spread(node.body, inside._replace(end=self._entry(node.orelse, out)))

    _spread_TryStar = _spread_Try

    def _spread_Match(self, node: Any, out: Exits) -> None:
        for case in node.cases:
            self._spread(case.body, out)


_SUMMARIES = methods(Liveness, "_summary_")
_SPREADS = methods(Liveness, "_spread_")


def _only_makes(node: Any) -> bool:
    """Whether a statement gives a closure a name and calls nothing."""
    if isinstance(node, gast.FunctionDef | gast.AsyncFunctionDef):
        return not node.decorator_list and not _calls(node.args)
    if isinstance(node, gast.ClassDef):
        plain = [item for item in node.body if not isinstance(item, gast.FunctionDef | gast.AsyncFunctionDef)]
        parts = (*node.decorator_list, *node.bases, *node.keywords, *plain)
        return all(map(_only_makes, set(node.body) - set(plain))) and not _calls(*parts)
    return isinstance(node, gast.Assign) and isinstance(node.value, gast.Lambda)


def _calls(*nodes: Any) -> bool:
    return any(isinstance(item, gast.Call) for item in walk(*nodes))
