"""`return`, `break` and `continue`: structure where it suffices, flags where it does not.

| program | becomes |
| --- | --- |
| `if c: return a` and the rest | `if c: return a` / `else:` the rest, each branch ending in `return` |
| `if c: continue` and the rest | `if c: pass` / `else:` the rest |
| `while t:` / `if c: break` / rest | `while t and not c:` rest |
| `while True:` head / `if c: break` / rest | head / `while not c:` rest, head |
| any other `break`, or `return` in a loop | `break_ = False` before, `break_ = True` in its place, `while not break_ and t` |
| `try:` / `if c: raise E` / `except E:` handler | `raised = True` in its place, `if raised:` handler behind (`caught_raises`) |

>>> from autograph.converters.showing import show
>>> print(show('''
... def f(n, c):
...     while n > c:
...         n -= 1
...         if n == c:
...             break
...         c += 2
...     return n
... ''', Jumps))
def f(n, c):
    break_ = False
    while not break_ and n > c:
        n -= 1
        if n == c:
            break_ = True
        else:
            c += 2
    return n

Why it is right: a statement that may jump is followed by nothing that runs unconditionally. If one of its branches always
leaves, the rest of the block belongs to the other branch; otherwise the rest is guarded by the flags. So each statement is
moved at most once, and no code is copied but the few statements at the head of a rotated loop. Native statements
(`Nativeness`) keep native jumps as long as no functional statement stands between jump and target.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import gast

from autograph.analyses.completion import JUMPS, Completion, is_constant
from autograph.analyses.jump_flags import NONE, Flags, sets_flag, without_flag
from autograph.analyses.loops import LOOPS, block_places, statements_inside
from autograph.analyses.scopes import FUNCTIONS
from autograph.code import locations
from autograph.converters import builders, loop_shapes
from autograph.converters.base import Node, StatementConverter
from autograph.converters.caught_raises import Catch, passing_on
from autograph.converters.jump_targets import Loop, Place

LONGEST_CHAIN = 25
"""Jumps in a row that nest into one another; more are cut into groups, for Python's compiler recurses."""


class Jumps(StatementConverter):
    """Replaces the jumps of a function, block by block, from the innermost statement out."""

    def convert_function(self, function: Node) -> None:
        if self.conversion.sees_frame(function):
            return
        self.native = self.conversion.nativeness(function)
        self.completion = Completion(self.native)
        body = function.body
        self.return_flag = self.return_value = ""
        self.returns_values = False
        any_jump = False
        for node in statements_inside(body):
            if isinstance(node, gast.Return):
                self.returns_values |= node.value is not None and not is_constant(node.value, None)
            any_jump |= isinstance(node, (*JUMPS, gast.Raise))
            if isinstance(node, gast.While | gast.For):
                any_jump |= bool(node.orelse)
        if not any_jump:
            return
        if any("return" in self.native.lowered(node) for node in body) and self.completion.of_block(body):
            body = [*body, *self.statements("return None", at=body[-1])]
            self.native.add(body[-1])
        function.body, _ = self.lower(body, Place(returns=True))

    # --- blocks ---

    def lower(self, statements: list[Node], place: Place) -> tuple[list[Node], Flags]:
        """Returns a block without functional jumps, and the flags that may be set when control comes out at its end."""
        cut = self._cut(statements, place)
        if cut:
            first, flags = self.lower(statements[:cut], place.in_branch())
            return self.continue_with(first, flags, statements[cut:], True, place)
        result: list[Node] = []
        pending = statements[::-1]
        while pending:
            node = pending.pop()
            escapes = self.native.escapes(node)
            completes = self.completion.of(node)
            flags = NONE
            if isinstance(node, JUMPS) or (isinstance(node, gast.Raise) and place.raises_by_flag):
                made, flags = self.jump(node, place)
                if self.native.is_generator and not flags:  # what is never reached may hold the only `yield`
                    result.extend(made)
                    continue
                return result + made, flags
            if isinstance(node, LOOPS):
                made, flags, added = self.lower_loop(node, place)
                pending.extend(reversed(added))
                completes = completes or bool(added)
            elif self.native.catches(node):
                made, flags = self.lower_catching(node, place)
            elif escapes and isinstance(node, gast.If):
                made, flags, rest = self.lower_if(node, pending[::-1], place)
                completes, pending = self.completion.of(node), rest[::-1]
            else:
                lowered, flags = self.lower_inside(node, place)
                made = [lowered]
            if flags or (not completes and not self.native.is_generator):
                made, flags = self.continue_with(made, flags, pending[::-1], completes, place)
                return result + made, flags
            result.extend(made)
        return result, NONE

    def _cut(self, statements: list[Node], place: Place) -> int:
        """Returns where a long chain of jumps is cut; 0 where it is not."""
        jumping = [index for index, node in enumerate(statements) if self.native.escapes(node)]
        if len(jumping) <= LONGEST_CHAIN or place.native_loop:
            return 0
        if not any(self.native.lowered(statements[index]) for index in jumping):
            return 0
        cut = jumping[LONGEST_CHAIN]
        return 0 if any(map(self.native.suspends, statements[cut:])) else cut

    def continue_with(
        self, made: list[Node], flags: Flags, rest: list[Node], completes: bool, place: Place
    ) -> tuple[list[Node], Flags]:
        """Puts `rest` after statements that may have set `flags`."""
        at = made[-1]
        returns = self.return_flag in flags and place.returns
        if not completes:  # the rest is never reached
            if returns:
                return [*self._set(self.return_flag, False, at), *made, self._return(at)], NONE
            return made, flags
        if returns and not self.completion.of_block(rest):
            rest, after = self.lower(rest, Place(returns=True, loop=place.loop))
            assert not after, "a tail block leaves by returning"
            place_ = self._returning(made) or at
            chosen = self.guard(self.expression(self.return_flag, at=place_), [self._return(place_)], rest, place_)
            return [*self._set(self.return_flag, False, at), *made, chosen], NONE
        if not rest:
            return made, flags
        if place.loop is not None:
            place.loop.guarded |= flags
        rest, after = self.lower(rest, place.in_branch())
        return [*made, self.guard(self._none_of(flags, at), rest, [], at)], flags | after

    def _returning(self, statements: list[Node]) -> Node | None:
        """Returns what stands for the only `return` of some lowered statements; None where there are several."""
        found = [node for node in statements_inside(statements) if sets_flag(node, self.return_flag)]
        return found[0] if len(found) == 1 else None

    def guard(self, test: Node, body: list[Node], orelse: list[Node], at: Node) -> Node:
        """Makes a functional `if`."""
        [node] = self.statements("if $test:\n    $body\nelse:\n    $orelse", at=at, test=test, body=body, orelse=orelse)
        self.native.add(node)
        return node

    # --- jumps ---

    def jump(self, node: Node, place: Place) -> tuple[list[Node], Flags]:
        """Lowers one `return`, `break` or `continue` where it stands."""
        if isinstance(node, gast.Raise):
            assert place.catch is not None
            made, flag = place.catch.raising(node)
            return made, frozenset((flag,))
        if isinstance(node, gast.Return):
            if place.returns:
                return [node], NONE
            flag = self._return_flag()
            made = self._set(flag, True, node)
            if self.returns_values:
                value = node.value if node.value is not None else self.expression("None", at=node)
                made = [*self.statements("$name = $value", at=node, name=self.return_value, value=value), *made]
            return made, frozenset((flag,))
        assert place.loop is not None
        if place.native_loop:
            return [node], NONE
        if isinstance(node, gast.Break):
            flag = place.loop.break_ = place.loop.break_ or self._flag("break_")
        else:
            flag = place.loop.continue_ = place.loop.continue_ or self._flag("continue_")
        return self._set(flag, True, node), frozenset((flag,))

    def _flag(self, base: str) -> str:
        name = self.namer.fresh(base)
        self.conversion.flags.add(name)
        return name

    def _return_flag(self) -> str:
        if not self.return_flag:
            self.return_flag = self._flag("return_")
            if self.returns_values:
                self.return_value = self.namer.fresh("return_value")
                self.conversion.return_values.setdefault(self.function, set()).add(self.return_value)
        return self.return_flag

    def _set(self, flag: str, value: bool, at: Node) -> list[Node]:
        return [builders.assign(flag, gast.Constant(value, None), at=at)]

    def _return(self, at: Node) -> Node:
        if self.returns_values:
            [node] = self.statements("return $value", at=at, value=self.return_value)
        else:
            [node] = self.statements("return None", at=at)
        self.native.add(node)
        return node

    def _none_of(self, flags: Any, at: Node) -> Node:
        names = [builders.name(flag) for flag in sorted(flags)]
        any_of = names[0] if len(names) == 1 else gast.BoolOp(gast.Or(), names)
        return locations.place(gast.UnaryOp(gast.Not(), any_of), locations.header(at))

    # --- statements ---

    def lower_if(self, node: Node, rest: list[Node], place: Place) -> tuple[list[Node], Flags, list[Node]]:
        """Lowers an `if` that may jump; returns also what remains to be put after it."""
        escapes = self.native.escapes(node)
        stays = self.native.holds(node)
        jumps_natively = (
            (place.returns or "return" not in escapes)
            and (place.native_loop or not escapes & {"break", "continue"})
            and not (place.raises_by_flag and "raise" in escapes)
        )
        if stays and jumps_natively and not self.native.lowered(node):
            node.body, _ = self.lower(node.body, place)
            node.orelse, _ = self.lower(node.orelse, place)
            return [node], NONE, rest
        body, orelse = self.completion.of_block(node.body), self.completion.of_block(node.orelse)
        if rest and body != orelse:
            if body:
                node.body = [*(item for item in node.body if not isinstance(item, gast.Pass)), *rest]
            else:
                node.orelse = [*node.orelse, *rest]
            rest = []
            body, orelse = self.completion.of_block(node.body), self.completion.of_block(node.orelse)
            self.completion.declare(node, body or orelse)
        inside = place
        if not stays:
            returning = place.returns and "return" in escapes and not body and not orelse
            inside = Place(returns=True) if returning else place.in_branch()
        node.body, first = self.lower(node.body, inside)
        node.orelse, second = self.lower(node.orelse, inside)
        node.body = node.body or self.statements("pass", at=node)
        return [node], first | second, rest

    def lower_inside(self, node: Node, place: Place, catch: Catch | None = None) -> tuple[Node, Flags]:
        """Lowers any other statement: its blocks in order; flags set in a `try` keep its `else` from running.

        `catch`: for a `try` that catches by a flag.
        """
        if isinstance(node, (*FUNCTIONS, gast.ClassDef)):
            return node, NONE
        inside = place if self.native.holds(node) else place.in_branch()
        unseen = replace(inside, catch=None)
        first = inside if catch is None else replace(inside, returns=False, catch=catch, at_try=True)
        sees_raises = isinstance(node, gast.AsyncWith | gast.TryStar)
        if sees_raises or (isinstance(node, gast.Try) and node.handlers and catch is None):
            first = unseen
        if isinstance(node, gast.Try) and node.handlers and place.raises_by_flag and self.native.raises(node):
            node.handlers.extend(passing_on(self, node))
        flags = NONE
        for owner, name, statements in block_places(node):
            where = first if owner is node and name == "body" else unseen if name == "finalbody" else inside
            guarded = name == "orelse" and bool(flags) and isinstance(node, gast.Try | gast.TryStar)
            lowered, after = self.lower(statements, where.in_branch() if guarded else where)
            if guarded:
                if place.loop is not None:
                    place.loop.guarded |= flags
                lowered = [self.guard(self._none_of(flags, node), lowered, [], node)]
            setattr(owner, name, lowered)
            flags |= after
        return node, flags

    def lower_catching(self, node: Node, place: Place) -> tuple[list[Node], Flags]:
        """Lowers a `try` whose handlers are also for what functional statements in its body raise."""
        catch = Catch(self, node, place)
        final, node.finalbody = node.finalbody, []
        _, flags = self.lower_inside(node, place, catch)
        handled, after = self.lower(catch.handling(), place.in_branch())
        made, flags = [node, *handled], (flags | after) - catch.flags
        if final:
            [around] = self.statements("try:\n    $body\nfinally:\n    $final", at=node, body=made, final=final)
            around.finalbody, after = self.lower(final, replace(place, catch=None))
            made, flags = [around], flags | after
        return [*catch.before(), *made], flags

    # --- loops ---

    def lower_loop(self, node: Node, place: Place) -> tuple[list[Node], Flags, list[Node]]:
        """Lowers a loop; returns also the flags that may be set after it, and statements that are to be lowered behind it."""
        if self.native.holds(node) and (place.returns or "return" not in self.native.escapes(node)):
            loop = Loop(True, place.in_each_iteration)
            body, flags = self.lower(node.body, Place(place.returns, loop, in_loop=True))
            node.body = self._with_continue(loop, body, node)
            node.orelse, after = self.lower(node.orelse, place)
            return [node], after | (flags - {loop.continue_ or ""}), []
        self.native.discard(node)
        if isinstance(node, gast.While) and is_constant(node.test, True) and not self.native.breaks(node):
            node.orelse = []  # never reached
        before, added = self._shaped(node)
        loop = Loop(False, place.in_each_iteration)
        body, flags = self.lower(node.body, Place(returns=False, loop=loop, in_loop=True, catch=place.catch))
        node.body = self._with_continue(loop, body, node)
        flags -= {loop.continue_ or ""}
        if node.orelse:
            added = (
                [self.guard(self._none_of({loop.break_}, node), node.orelse, [], node)] if loop.break_ else node.orelse
            )
            node.orelse = []
        if flags:
            self._test_flags(node, flags)
        if loop.break_:
            before = [*before, *self._set(loop.break_, False, node)]
        if place.in_loop and place.in_each_iteration and self.return_flag in flags:
            # Else this would not be reached. The loop around carries the flag, and only here it is known what it is. (In an
            # branch that would make a flag which no iteration sets one that a branch writes.)
            before = [*before, *self._set(self.return_flag, False, node)]
        return [*before, node], flags - {loop.break_ or ""}, added

    def _with_continue(self, loop: Loop, body: list[Node], at: Node) -> list[Node]:
        """Sets `continue_` at the start of an iteration, or removes it where nothing reads it."""
        if not loop.continue_:
            return body
        if loop.continue_ in loop.guarded:
            return [*self._set(loop.continue_, False, at), *body]
        return without_flag(body, loop.continue_, self.statements("pass", at=at))

    def _test_flags(self, node: Node, flags: Flags) -> None:
        """Makes a loop end when a flag is set."""
        test = self._none_of(flags, node)
        if isinstance(node, gast.For):
            node.extra_test = test
        elif is_constant(node.test, True):
            node.test = test
        else:
            node.test = loop_shapes.both(test, node.test)

    def _shaped(self, node: Node) -> tuple[list[Node], list[Node]]:
        """Folds exits into the test of a `while`; returns what goes before and after the loop."""
        if not isinstance(node, gast.While) or node.orelse:
            return [], []
        if is_constant(node.test, True) and (exit_ := loop_shapes.single_exit(node, self.native)):
            self.completion.declare(node, True)
            before = copy.deepcopy(exit_.head)
            node.test = exit_.stay
            node.body = [*exit_.rest, *exit_.head] or self.statements("pass", at=node)
            return before, exit_.leaving
        loop_shapes.fold_leading_breaks(node, lambda: self.statements("pass", at=node))
        return [], []
