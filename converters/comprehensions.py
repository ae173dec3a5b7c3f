"""Comprehensions stay Python; what they iterate over and what they test goes through the runtime.

>>> from autograph.converters.showing import show
>>> print(show("def f(xs): return {x for x in xs if x > 0}", Comprehensions))
def f(xs):
    return {x for x in ag__.comp_iter(xs) if ag__.comp_test(x > 0)}

`comp_iter` takes a traced array apart; `comp_test` is where a traced test is met. A display, or a `range` of literals, is
iterated over as it is. A list may become one loop of the program, if it is long, and a filter on known numbers a branch in it.

>>> print(show("def f(xs): return [x * 2 for x in xs]", Comprehensions))
def f(xs):
    return ag__.collected(lambda items: [x * 2 for x in items], xs)
>>> print(show("def f(s): return [x for x in s if x > 0]", Comprehensions))
def f(s):
    return ag__.collected(lambda items, to=None: [item for x in items for item in ag__.comp_where(x > 0, lambda: (x,), to)], s)

`sum`, `any` and `all` of a generator are given the items and a function that makes the generator; so are `min`, `max` and `next` of
one with a filter, or over a range, whose bounds may be traced.

>>> print(show("def f(n): return sum(i * i for i in range(n))", Comprehensions))
def f(n):
    return ag__.fold(sum, lambda items: (i * i for i in items), range(n))()
>>> print(show("def f(xs): return next((x for x in xs if x > 3), 0)", Comprehensions))
def f(xs):
    return ag__.taken(next, lambda items: ((x > 3, lambda: x) for x in items), xs)(0)

The filter of `sum(e for x in xs if c)`, `any` and `all` may be traced: an element that it may leave out counts for nothing. So
may that of a list that is only made for `sum`, `any`, `all` or `len`.

>>> print(show("def f(xs): return sum(x for x in xs if x > 0)", Comprehensions))
def f(xs):
    return ag__.fold(sum, lambda items, to=None: (item for x in items for item in ag__.comp_kept(x > 0, lambda: x, 0, to)), xs)()
>>> print(show("def f(xs): return len([x for x in xs if x > 0])", Comprehensions))
def f(xs):
    return ag__.comp_len([item_1 for x in ag__.comp_iter(xs) for item_1 in ag__.comp_counted(x > 0, lambda: x)])
"""

from __future__ import annotations

import builtins
import functools
from typing import Any

import gast

from autograph.analyses.operators import callee, is_operator
from autograph.code import locations
from autograph.converters import builders
from autograph.converters.base import ExpressionConverter, Node, binds

FILTERED = {builtins.sum: 0, builtins.any: False, builtins.all: True}
"""Functions of an iterable, and what an element counts for that the filter leaves out."""
TAKERS = (*FILTERED, builtins.min, builtins.max, builtins.next)
_LONG = 32  # items: of so many a comprehension may become a loop of the program (`runtime.operators.long_loops`)
DISPLAYS = (gast.List, gast.Tuple, gast.Set, gast.Dict, gast.ListComp, gast.SetComp, gast.DictComp, gast.JoinedStr)


class Comprehensions(ExpressionConverter):
    """Wraps iterables, tests and elements of comprehensions."""

    def visit_comprehension(self, node: Node) -> Any:
        if not node.is_async and not self.is_plain(node.iter):
            node.iter = builders.operator(self.alias, "comp_iter", [node.iter], at=node.iter)
        node.ifs = [
            test if self.conversion.static.holds(test) else builders.operator(self.alias, "comp_test", [test], at=test)
            for test in node.ifs
        ]
        return node

    def visit_ListComp(self, node: Node) -> Any:
        first = node.generators[0]
        if not (self.is_wrapped(first.iter) or self.is_filtered(first)) or not self.may_move(node):
            return node
        call = builders.operator(self.alias, "collected", self.made_of(node), at=node)
        call.comprehension = node
        return call

    def may_move(self, node: Node) -> bool:
        """Whether the parts of a comprehension may become functions."""
        may_be = self.may_be_operand(node) and not any(clause.is_async for clause in node.generators)
        return may_be and not any(binds(part) for part in (node.elt, *node.generators))

    def made_of(self, node: Node, passed: Any = None) -> list[Node]:
        """Returns a function of its items that makes a comprehension, and its iterable; `passed`: see `handing_on`."""
        first, *others = node.generators
        iterable = first.iter.args[0] if self.is_wrapped(first.iter) else first.iter
        name = self.conversion.namer(self.function).fresh("items")
        items = locations.place(builders.name(name), locations.position(first.iter))
        made = self.handing_on(node, [clause_of(first, iter=items), *others], passed)
        arguments = builders.no_arguments()
        arguments.args = [gast.Name(name, gast.Param(), None, None)]
        if made.elt is not node.elt:
            arguments.args.append(gast.Name(self.to, gast.Param(), None, None))
            arguments.defaults = [gast.Constant(None, None)]
        return [locations.place(gast.Lambda(arguments, made), locations.header(node)), iterable]

    def handing_on(self, node: Node, clauses: list[Node], passed: Any) -> Node:
        """Returns a comprehension of which a filter, or a later clause, may become a branch or a loop of the program.

        Args:
            clauses: those of `node` from some clause on.
            passed: counts instead of an element that the last filter may leave out; None: nothing does.
        """
        for index, clause in enumerate(clauses):
            rest, tests = clauses[index + 1 :], self.filter_tests(clause) if self.is_filtered(clause) else []
            if not tests and not (rest and self.is_wrapped(rest[0].iter)):
                continue
            at = rest[0].iter if rest else node.elt
            if not rest:
                inner = gast.Tuple([node.elt], gast.Load())
            elif self.is_wrapped(rest[0].iter):
                operator = "collected" if isinstance(node, gast.ListComp) else "comp_each"
                behind = locations.place(type(node)(node.elt, rest), locations.position(node))
                inner = builders.operator(
                    self.alias, operator, [*self.made_of(behind, passed), builders.name(self.to)], at=at
                )
            else:
                inner = self.handing_on(node, rest, passed)
            if tests:
                test = self.all_of(tests)
                is_last = not rest and passed is not None
                operator, part = ("comp_kept", node.elt) if is_last else ("comp_where", inner)
                given = [gast.Constant(passed, None)] if is_last else []
                arguments = [test, builders.thunk(part, at=at), *given, builders.name(self.to)]
                inner = builders.operator(self.alias, operator, arguments, at=at)
            return self.flattened(node, [*clauses[:index], clause_of(clause, ifs=[] if tests else clause.ifs)], inner)
        return locations.place(type(node)(node.elt, clauses), locations.position(node))

    def flattened(self, node: Node, clauses: list[Node], inner: Node) -> Node:
        """Returns the comprehension of the elements that `inner` gives for the items of these clauses."""
        item, at = self.conversion.namer(self.function).fresh("item"), locations.position(node.elt)
        clause = gast.comprehension(gast.Name(item, gast.Store(), None, None), inner, [], 0)
        generators = [*clauses, locations.place(clause, at)]
        return locations.place(
            type(node)(locations.place(builders.name(item), at), generators), locations.position(node)
        )

    def all_of(self, tests: list[Node]) -> Node:
        """Returns the test that all of some tests hold."""
        *before, test = tests
        for left in reversed(before):
            test = builders.conditional(self.alias, "and_", left, test, at=test, test=True)
        return test

    @functools.cached_property
    def to(self) -> str:
        """The parameter that takes the elements: a name that the user does not use."""
        return "to" if "to" not in self.conversion.names else self.conversion.namer(self.function).fresh("to")

    def is_wrapped(self, iterable: Node) -> bool:
        """Whether an iterable may be another one than a Python container: `ag__.comp_iter(xs)`."""
        return is_operator(iterable, self.alias) and iterable.func.attr == "comp_iter"

    def visit_Call(self, node: Node) -> Any:
        listed = getattr(node.args[0], "comprehension", None) if node.args else None
        if listed is not None and self.is_known(callee(node, self.alias)):
            node.args[0] = listed
        return self.filtered(self.taken(node))

    def is_known(self, func: Node) -> bool:
        """Whether a callee means `sum`, `any`, `all` or `len`."""
        return any(self.conversion.static.is_builtin(func, f) for f in (*FILTERED, builtins.len))

    def taken(self, node: Node) -> Node:
        """Converts what takes a generator over a range, and `min`, `max`, `next(..., default)` of one with a filter."""
        generator = node.args[0] if node.args else None
        if isinstance(generator, gast.Call):
            return self.of_filter(node, generator)
        if not isinstance(generator, gast.GeneratorExp | gast.ListComp):
            return node
        func = callee(node, self.alias)
        known = self.taker(func)
        if isinstance(generator, gast.ListComp) and known is not builtins.sum:
            return node
        *outer, last = generator.generators
        first = generator.generators[0]
        over_range = self.is_open(first.iter) or known in FILTERED and not self.is_plain(first.iter)
        tests = self.filter_tests(last)
        filters = self.is_filtered(last) and known not in FILTERED
        if known is None or not (over_range or filters) or not fits_known_call(known, node):
            return node
        if not self.may_move(generator):
            return node
        if known in FILTERED:
            return self.handed(node, "fold", [func, *self.made_of(generator, FILTERED[known])])
        test = self.all_of(tests) if tests else gast.Constant(True, None)
        pair = gast.Tuple([test, builders.thunk(generator.elt, at=generator.elt)], gast.Load())
        pair = locations.place(pair, locations.header(generator.elt))
        clauses = [*outer, clause_of(last, ifs=[])]
        generator = locations.place(gast.GeneratorExp(pair, clauses), locations.position(generator))
        return self.handed(node, "taken", [func, *self.made_of(generator)])

    def taker(self, func: Node) -> Any:
        """Returns the function among those above that a callee means, or None."""
        return next((f for f in TAKERS if self.conversion.static.is_builtin(func, f)), None)

    def of_filter(self, node: Node, call: Node) -> Node:
        """`min`, `max` and `next` of `filter(f, xs)`."""
        func = callee(node, self.alias)
        known = self.taker(func)
        if (
            known in FILTERED
            or known is None
            or not fits_known_call(known, node)
            or call.keywords
            or len(call.args) != 2
        ):
            return node
        if any(isinstance(item, gast.Starred) for item in call.args):
            return node
        if not self.conversion.static.is_builtin(callee(call, self.alias), builtins.filter):
            return node
        test, iterable = call.args
        return self.handed(node, "taken", [func, builders.operator(self.alias, "filtering", [test], at=test), iterable])

    def handed(self, node: Node, operator: str, arguments: list[Node]) -> Node:
        """Returns the call without its first argument, of what the operator makes."""
        if is_operator(node.func, self.alias) and node.func.func.attr == "asking":
            tests_for_none = node.func.args[1:]  # whether the caller does, where that is a variable
            arguments += tests_for_none or [locations.place(gast.Constant(True, None), locations.header(node))]
        node.func = builders.operator(self.alias, operator, arguments, at=node)
        node.args = node.args[1:]
        return node

    def is_open(self, node: Node) -> bool:
        """Whether an iterable may be a range of traced bounds."""
        if self.is_wrapped(node):
            [node] = node.args
            if isinstance(node, gast.Call):
                return self.conversion.static.is_builtin(callee(node, self.alias), builtins.range)
        return False

    def filtered(self, node: Node) -> Node:
        """Makes the filter of `sum(e for x in xs if c)`, `any`, `all` and `len` an iterable of one element or none."""
        if not node.args or not isinstance(node.args[0], gast.GeneratorExp | gast.ListComp):
            return node
        if len(node.args) != 1 or node.keywords:
            return node
        func = callee(node, self.alias)
        known = [f for f in (*FILTERED, builtins.len) if self.conversion.static.is_builtin(func, f)]
        if builtins.len in known and not isinstance(node.args[0], gast.ListComp):
            return node  # which Python refuses
        generator = node.args[0]
        *outer, last = generator.generators
        if not known or not self.is_filtered(last) or any(item.ifs for item in outer) or last.is_async:
            return node
        tests = self.filter_tests(last)
        if not self.may_be_operand(generator.elt, *tests) or any(binds(part) for part in (generator.elt, *tests)):
            return node  # neither a lambda nor an iterable can bind a name of the function's
        test = self.all_of(tests)
        element = builders.thunk(generator.elt, at=generator.elt)
        if known[0] is builtins.len:
            kept = builders.operator(self.alias, "comp_counted", [test, element], at=generator.elt)
        else:
            passed = locations.place(gast.Constant(FILTERED[known[0]], None), locations.position(test))
            kept = builders.operator(self.alias, "comp_kept", [test, element, passed], at=generator.elt)
        generator = self.flattened(generator, [*outer, clause_of(last, ifs=[])], kept)
        if known[0] is builtins.len:
            return builders.operator(self.alias, "comp_len", [generator], at=node)
        node.args[0] = generator
        return node

    def is_filtered(self, clause: Node) -> bool:
        """Whether a clause has a filter that may be traced."""
        return any(self.may_be_traced(test) for test in clause.ifs)

    def filter_tests(self, clause: Node) -> list[Node]:
        """Returns what the filters of a clause test: `t` of `ag__.comp_test(t)`; a static test is unchanged."""
        return [test.args[0] if self.may_be_traced(test) else test for test in clause.ifs]

    def may_be_traced(self, test: Node) -> bool:
        return is_operator(test, self.alias) and test.func.attr == "comp_test"

    def is_plain(self, node: Node) -> bool:
        """Whether an iterable is provably a Python container."""
        if isinstance(node, (*DISPLAYS, gast.Constant)):
            return True
        if not isinstance(node, gast.Call) or node.keywords:
            return False
        is_range = self.conversion.static.is_builtin(callee(node, self.alias), builtins.range)
        bounds = [item.value for item in node.args if isinstance(item, gast.Constant) and type(item.value) is int]
        is_known = is_range and len(bounds) == len(node.args) and 0 < len(bounds) < 4 and bounds[2:] != [0]
        return is_known and len(range(*bounds)[:_LONG]) < _LONG


def clause_of(clause: Node, **changes: Any) -> Node:
    """Returns a copy of a clause of a comprehension with these changes."""
    fields = {"target": clause.target, "iter": clause.iter, "ifs": clause.ifs, "is_async": clause.is_async} | changes
    return locations.place(gast.comprehension(**fields), locations.position(clause.target))


def fits_known_call(taker: Any, call: Node) -> bool:
    """Whether a call has no other arguments than we know: `next(g, d)`, `min(g, default=d)`, `sum(g, start)`."""
    if taker is builtins.next:
        return len(call.args) <= 2 and not call.keywords
    if taker is builtins.sum:
        return (
            len(call.args) <= 2 and not call.keywords and not any(isinstance(item, gast.Starred) for item in call.args)
        )
    return (
        len(call.args) == 1
        and (taker not in FILTERED or not call.keywords)
        and all(k.arg == "default" for k in call.keywords)
    )
