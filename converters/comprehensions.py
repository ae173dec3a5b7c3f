"""Comprehensions stay Python; what they iterate over and what they test goes through the runtime.

>>> from autograph.converters.showing import show
>>> print(show("def f(xs): return [x for x in xs if x > 0]", Comprehensions))
def f(xs):
    return [x for x in ag__.comp_iter(xs) if ag__.comp_test(x > 0)]

`comp_iter` takes a traced array apart; `comp_test` is where a traced test is met. A display, or a `range` of literals, is
iterated over as it is. A list without a filter may become one loop of the program, if it is long.

>>> print(show("def f(xs): return [x * 2 for x in xs]", Comprehensions))
def f(xs):
    return ag__.collected(lambda items: [x * 2 for x in items], xs)

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
    return ag__.fold(sum, lambda items: (item for x in items for item in ag__.comp_kept(x > 0, lambda: x, 0)), xs)()
>>> print(show("def f(xs): return len([x for x in xs if x > 0])", Comprehensions))
def f(xs):
    return ag__.comp_len([item for x in ag__.comp_iter(xs) for item in ag__.comp_counted(x > 0, lambda: x)])
"""

from __future__ import annotations

import builtins
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
        is_wrapped = is_operator(first.iter, self.alias) and first.iter.func.attr == "comp_iter"
        if len(node.generators) > 1 or first.ifs or not is_wrapped or not self.may_be_operand(node):
            return node
        if binds(node.elt) or binds(first.iter):
            return node
        call = builders.operator(self.alias, "collected", self.made_of(node), at=node)
        call.comprehension = node
        return call

    def made_of(self, generator: Node) -> list[Node]:
        """Returns a function of its items that makes a comprehension, and its iterable."""
        first = generator.generators[0]
        name = self.conversion.namer(self.function).fresh("items")
        iterable, first.iter = first.iter, builders.name(name, generator)
        if is_operator(iterable, self.alias) and iterable.func.attr == "comp_iter":
            [iterable] = iterable.args
        arguments = builders.no_arguments()
        arguments.args = [gast.Name(name, gast.Param(), None, None)]
        return [locations.place(gast.Lambda(arguments, generator), locations.header(generator)), iterable]

    def visit_Call(self, node: Node) -> Any:
        listed = getattr(node.args[0], "comprehension", None) if node.args else None
        if listed is not None and self.is_known(callee(node, self.alias)):
            listed.generators[0].iter = builders.operator(self.alias, "comp_iter", [node.args[0].args[1]], at=listed)
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
        inner = [part for item in generator.generators for part in (item.iter, *item.ifs) if part is not first.iter]
        if any(item.is_async for item in generator.generators):
            return node
        if any(item.ifs for item in outer) or not self.may_be_operand(generator, *tests):
            return node
        if any(binds(part) for part in (generator.elt, *inner)):
            return node
        if known in FILTERED:
            node = self.filtered(node, alone=False)
            [generator] = node.args[:1]
        else:
            test = tests.pop() if tests else gast.Constant(True, None)
            while tests:
                test = builders.conditional(self.alias, "and_", tests.pop(), test, at=test, test=True)
            pair = gast.Tuple([test, builders.thunk(generator.elt, at=generator.elt)], gast.Load())
            generator.elt = locations.place(pair, locations.header(generator.elt))
            last.ifs = []
        make, iterable = self.made_of(generator)
        return self.handed(node, "fold" if known in FILTERED else "taken", [func, make, iterable])

    def taker(self, func: Node) -> Any:
        """Returns the function among those above that a callee means, or None."""
        return next((f for f in TAKERS if self.conversion.static.is_builtin(func, f)), None)

    def of_filter(self, node: Node, call: Node) -> Node:
        """`min`, `max` and `next` of `filter(f, xs)`."""
        func = callee(node, self.alias)
        known = self.taker(func)
        if known in FILTERED or known is None or not fits_known_call(known, node) or call.keywords or len(call.args) != 2:
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
        if is_operator(node, self.alias) and node.func.attr == "comp_iter":
            [node] = node.args
            if isinstance(node, gast.Call):
                return self.conversion.static.is_builtin(callee(node, self.alias), builtins.range)
        return False

    def filtered(self, node: Node, alone: bool = True) -> Node:
        """Makes the filter of `sum(e for x in xs if c)`, `any`, `all` and `len` an iterable of one element or none."""
        if not node.args or not isinstance(node.args[0], gast.GeneratorExp | gast.ListComp):
            return node
        if alone and len(node.args) != 1 or node.keywords:
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
        test = tests.pop()
        while tests:
            test = builders.conditional(self.alias, "and_", tests.pop(), test, at=test, test=True)
        element = builders.thunk(generator.elt, at=generator.elt)
        if known[0] is builtins.len:
            kept = builders.operator(self.alias, "comp_counted", [test, element], at=generator.elt)
        else:
            passed = locations.place(gast.Constant(FILTERED[known[0]], None), locations.position(test))
            kept = builders.operator(self.alias, "comp_kept", [test, element, passed], at=generator.elt)
        item = self.conversion.namer(self.function).fresh("item")
        target = gast.Name(item, gast.Store(), None, None)
        clause = gast.comprehension(target, kept, [], 0)
        generator.generators.append(locations.place(clause, locations.position(generator.elt)))
        generator.elt = locations.place(builders.name(item), locations.position(generator.elt))
        last.ifs = []
        return node if known[0] is not builtins.len else builders.operator(self.alias, "comp_len", [generator], at=node)

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
