"""The operators of generated code as data: the parameters of each, the passes that write it, and what they write it for.

`checks.py` compares each call with its row. `python -m tests.operators` prints the tables into `docs/architecture.md`.

>>> OPERATORS["raised"].parameters, OPERATORS["raised"].written_by
('outside, exception=None, cause=None', 'caught_raises')
>>> signature("raised").bind(1, cause=2).arguments
{'outside': 1, 'cause': 2}
"""

from __future__ import annotations

import inspect
from functools import cache
from typing import NamedTuple


class Operator(NamedTuple):
    """One operator: a row of a table.

    Args:
        name: what generated code calls: `ag__.name`.
        parameters: those of the runtime's function, without their types.
        written_by: the modules beside this one that write the operator, separated by spaces.
        purpose: what it is written for; empty: the same as the operator above, whose row it shares.
    """

    name: str
    parameters: str
    written_by: str
    purpose: str = ""


GROUPS = {
    "Statements and expressions that assign": (
        Operator(
            "if_stmt",
            "test, body, orelse, state=None, *, exits=None, unbound=(), dead=(), enclosed=(), optional=(), "
            "asked=False, returned=()",
            "control_flow",
            "`if`; returns the joined results of the bodies (`return ag__.if_stmt(...)` when both branches return)"),
        Operator(
            "while_loop",
            "test, body, state=None, *, appends=None, dead=(), options=None, lists=None, optional=(), "
            "asked=False, returned=()",
            "control_flow",
            "`while`; `test` and `body` take no argument; `test` is a lambda unless it assigns"),
        Operator(
            "for_loop",
            "iterable, body, state=None, *, test=None, appends=None, last=False, item=True, dead=(), "
            "options=None, lists=None, optional=(), asked=False, returned=()",
            "control_flow",
            "`for`; `body(item)`"),
        Operator("if_exp", "test, body, orelse, state=None, *, unbound=()", "conditional_expressions",
            "`a if t else b`: lambdas, or `def`s when they assign by walrus"),
        Operator("and_", "left, right, state=None, **options", "logical_expressions comparisons comprehensions",
            "`a and b`: `right` is a lambda; three operands nest to the right: `and_(a, lambda: and_(b, lambda: c))`. "
            "Options: `unbound`, `test=True` (only the truth of the value counts), `lazy=True` (`right` does more than "
            "arithmetic, comparison and logic on names and constants: evaluating it may fail, cost much or be noticed)"),
        Operator("or_", "left, right, state=None, **options", "logical_expressions", "`a or b`, the same"),
    ),
    "Expressions": (
        Operator("not_", "x", "logical_expressions optional_values", "`not x`"),
        Operator("compare", "left, *rest, lazy=False", "comparisons",
            "a chained comparison: `compare(a, '<', lambda: b, '<', lambda: c)`; a single comparison stays native, except "
            "those of the next rows"),
        Operator("eq", "left, right", "comparisons",
            "a single comparison of what may be containers, objects or shapes"),
        Operator("ne", "left, right", "comparisons"),
        Operator("lt", "left, right", "comparisons"),
        Operator("le", "left, right", "comparisons"),
        Operator("gt", "left, right", "comparisons"),
        Operator("ge", "left, right", "comparisons"),
        Operator("in_", "x, container", "comparisons", "membership"),
        Operator("not_in", "x, container", "comparisons"),
        Operator("is_", "a, b", "comparisons", "identity, except with `None`, a class, a function"),
        Operator("is_not", "a, b", "comparisons"),
        Operator("start", "x", "start_values",
            "`1e300` in `best = 1e300`, and `d < best`, in a function that only compares `best`: it may become an infinity"),
        Operator("bound_op", "sign, left, right", "start_values"),
        Operator("bool_op", "sign, *operands", "bool_arithmetic",
            "arithmetic whose operands are all bools by their form: `bool_op('+', x, y)`, `bool_op('~', x)`"),
        Operator("positive", "x", "bool_arithmetic", "`+x` of what is no number by its form: a copy, as in NumPy"),
        Operator("power", "base, exponent", "powers", "`a ** b` where both may be integers"),
        Operator("repeat", "left, right", "repeated_lists", "`[0] * n`, also `n * [0]`"),
        Operator("converted", "f", "calls",
            "a call `f(x)`: `converted(f)(x)`. So `f` is evaluated, looked up, then the arguments are evaluated, and Python "
            "calls"),
        Operator("method", "x, name", "calls",
            "`n.bit_length()` and other methods that numbers have and arrays have not: `method(n, 'bit_length')()`"),
        Operator("f_string", "*parts", "formatted_strings",
            "an f-string: `f_string('x is ', formatted(x, '.2f', 'r'))` for `f'x is {x!r:.2f}'`"),
        Operator("formatted", "value, spec='', conversion=''", "formatted_strings"),
        Operator("percent", "template, values", "formatted_strings", "`'%d' % x`"),
        Operator("ordered", "x", "key_orders",
            "`d` in `*d`, `**d`, `a, b = d`, a native `for`: what may be a dict whose order of keys is not known"),
        Operator("display", "*items", "key_orders", "`{'k': v, **d}` with such a dict: `display(('k', v), (d,))`"),
        Operator("union", "x, y", "key_orders", "`d | e` of such dicts"),
        Operator("binding", "items, variables", "named_operands",
            "a generator that binds variables by `:=` which others read: `binding((... (y := f(x)) ...), lambda: (y,))`"),
        Operator("comp_iter", "iterable", "comprehensions",
            "iterable and `if` of a comprehension (comprehensions stay native)"),
        Operator("comp_test", "test", "comprehensions"),
        Operator("comp_where", "test, part, to=None", "comprehensions",
            "an `if` of a list comprehension, or before another `for`: `[e for x in items for e in comp_where(t, lambda: (x,), "
            "to)]`; `to` takes the elements where that is a branch of the program"),
        Operator("comp_each", "make, iterable, to=None", "comprehensions",
            "a second `for` of a generator: `(e for x in items for e in comp_each(lambda items: (f(x, y) for y in items), ys, "
            "to))`; of a list comprehension `collected`"),
        Operator("comp_kept", "test, element, passed, to=None", "comprehensions",
            "the element of `sum(e for ... if t)` as a tuple of one, or of none: `comp_kept(t, lambda: e, 0, to)`. So a traced "
            "`t` is no refusal: the element is `passed` where `t` does not hold (`any`: `False`, `all`: `True`)"),
        Operator("comp_len", "counts", "comprehensions",
            "`len([e for ... if t])` with a traced `t`: `comp_len([... comp_counted(t, lambda: e)])`"),
        Operator("comp_counted", "test, element", "comprehensions"),
        Operator("collected", "make, iterable, to=None", "comprehensions",
            "a list comprehension: `collected(lambda items: [e for x in items], xs)`"),
        Operator("fold", "f, make, iterable", "comprehensions",
            "`sum`, `any`, `all` of a generator expression: `fold(sum, lambda items: (e for i in items), range(n))(start)`"),
        Operator("taken", "f, make, iterable, asked=False", "comprehensions",
            "`next`, `min`, `max` of one: `taken(next, lambda items: ((t, lambda: e) for x in items), xs)(default)`; without "
            "a default, `next` fails where there is no item; `asked`: the result is tested for `None`"),
        Operator("filtering", "test", "comprehensions",
            "`next(filter(f, xs), default)`: `taken(next, filtering(f), xs)(default)`"),
        Operator("slice", "start, stop, step=None", "builders", "the builtin, where the user's code has another `slice`"),
    ),
    "Items and attributes": (
        Operator("get_item", "x, i", "subscripts",
            "read `x[i]` with one index that is no constant and no slice, or a tuple of such indices and numbers"),
        Operator("get_view", "x, i", "subscripts", "read `x[..., i]`: a view where it has no axes, too"),
        Operator("get_slice", "x, start, length", "subscripts", "`x[i:i + k]` (same source of `i` on both sides)"),
        Operator("set_item", "value, x, i, unshared=None", "element_assignments",
            "`x[i] = value` for a name: `x = set_item(value, x, i)`, which is `x` itself after writing, or the new array"),
        Operator("set_item_at", "value, base, path, i, unshared=None", "element_assignments",
            "`base.a[k][i] = value`: `path` is a tuple of steps `('.', 'a')`, `('[', k)`; returns the new base (`base = ...` "
            "for a name; ignored otherwise)"),
        Operator("aug_item", "x, i, symbol, value, unshared=None", "element_assignments",
            "`x[i] += v`: `x = aug_item(x, i, '+=', lambda: v)`"),
        Operator("aug_item_at", "base, path, i, symbol, value, unshared=None", "element_assignments",
            "`base.a[i] += v`"),
        Operator("iop", "symbol, x, value, unshared=None", "element_assignments",
            "`x += v`: `x = iop('+=', x, v)`, unless `x` is provably a number (then native). `unshared`, here and above: up "
            "to so many axes a NumPy array in `x` is known to no other name, as the source shows; None where no name takes "
            "the result"),
        Operator("del_item", "x, i", "element_assignments", "`del x[i]`"),
        Operator("set_attr", "value, obj, name", "element_assignments", "`obj.a = value`, `del obj.a`"),
        Operator("del_attr", "obj, name", "element_assignments"),
        Operator("aug_attr", "obj, name, symbol, value", "element_assignments",
            "`obj.a += v`: `aug_attr(obj, 'a', '+=', lambda: v)`"),
        Operator("in_place_method", "base, path, method, *args, unshared=None, **keywords", "element_assignments",
            "`base.a[k].sort()` and `base.a[k].fill(v)` as statements: `base = in_place_method(base, path, 'fill', v)`"),
        Operator("in_place_call", "base, path, f, *args, unshared=None, **keywords", "element_assignments",
            "`np.copyto(base.a[k], v)`, `np.add.at(base.a[k], i, v)` and `np.add(x, y, out=base.a[k])` as statements"),
        Operator("lent", "x, others, unshared", "argument_writes",
            "before a statement that hands a NumPy array `a` to such a function (next row): `a = lent(a, (b, c), 2)`, an array of "
            "JAX where one of the other arguments is traced"),
        Operator("latest", "x, *more, unshared=0", "argument_writes",
            "after a statement that hands `a` or `base.a` to a function which writes its elements: the array that it left (`a"
            " = latest(a)`)"),
        Operator("latest_at", "base, path", "argument_writes"),
    ),
    "Variables": (
        Operator("touch", "variable", "outer_writes",
            "the line before an assignment or `del` of a `global` or of a free (`nonlocal`) variable of the *user's* "
            "function: `touch(lambda: g)` names the cell or the global that is about to be written"),
        Operator("read", "variable, is_bound=True", "unbound_reads first_bindings",
            "`read(lambda: y)`: read of a variable that definite assignment cannot prove bound. `read(lambda: y, "
            "y_is_bound)`, where a loop binds `y` first and an iteration may read it before: a variable of its own says "
            "whether it is bound"),
        Operator("read_free", "variable", "unbound_reads", "the same in closures and comprehensions"),
        Operator("is_none", "x", "optional_values",
            "the tests (`x is None`, `if x:`) and the reads of an optional variable; `asked`: the value may be returned "
            "without a test"),
        Operator("is_some", "x", "optional_values"),
        Operator("some", "x, name, asked=False", "optional_values"),
        Operator("maybe_attr", "obj, name", "optional_attributes",
            "what of an attribute that the function tests for `None` and sets to a number these are given: "
            "`is_none(maybe_attr(self, 'k'))`"),
        Operator("asking", "f, asked=True", "optional_values",
            "a call whose result is tested for `None`: `asking(f)(x)`"),
        Operator("uncovered", "asked, name", "optional_values",
            "the `else` that is missing at the end of a function, behind tests of which one holds for all numbers: only `nan`"
            " comes there"),
        Operator("asked_for_none", "", "optional_values control_flow",
            "the first statement of a function that returns `None` or a value: `asked = asked_for_none()`"),
        Operator("either", "asked, test, body, orelse", "optional_values",
            "the whole of such a lambda: `either(asked_for_none(), test, lambda: a, lambda: None)`"),
        Operator("State", "names, get_state, set_state", "", "what another front end passes instead of a state's lambda"),
        Operator("Undefined", "name, reason", "declarations",
            "the annotation of a variable that only functional statements bind; what a variable holds that some path left "
            "unbound"),
        Operator("nothing", "", "control_flow", "an empty branch"),
    ),
    "Exceptions": (
        Operator("assert_", "test, message=None", "asserts", "`assert test, message`; the message is a lambda"),
        Operator("raise_", "exception=None, cause=None", "asserts",
            "`raise X from Y` inside a functional statement: `raise ag__.raise_(X, Y)`; a bare `raise`: `raise ag__.raise_()`"),
        Operator("depth", "", "caught_raises", "at a `try`: how many statements are staged around it"),
        Operator("raised", "outside, exception=None, cause=None", "caught_raises",
            "`raise X from Y` inside the `try` that handles it: what the `raise` leaves; `outside` is the `depth()` of the "
            "`try`"),
        Operator("error", "found", "caught_raises", "that exception again, in front of the handlers"),
        Operator("handled", "kinds", "handlers",
            "around the body of a `try`, what its handlers catch: `with handled(lambda: (KeyError, ValueError)):`"),
        Operator("caught", "kinds=BaseException", "handlers",
            "the classes of an `except`, or none while a refusal passes"),
        Operator("ending", "", "handlers",
            "around a `finally` that calls something: it prints after a failed check, too"),
        Operator("raise_refusal", "", "handlers",
            "at the end of a `finally` that jumps or raises, so that a refusal passes"),
        Operator("failed", "kind, what, args, result=None", "lifting",
            "in a `try` that handles it, whether `a / b` raises: `failed('ZeroDivisionError', '/', (a, b))`; `result`: what "
            "came out, where only that tells"),
        Operator("failure", "kind, what='/', args=()", "lifting", "the exception that it raises"),
        Operator("attempt", "f", "lifting",
            "a function whose failure `failed` has just tested: `attempt(math.sqrt)(x)`"),
        Operator("binary", "what, left, right", "caught_operations",
            "`a / b`, or the `b` of `a /= b`, where no statement can stand in front: finds at run time which handler would "
            "catch it"),
        Operator("operand", "what, left, right", "caught_operations"),
        Operator("context", "manager", "context_managers", "each context manager of a `with`"),
    ),
}  # fmt: skip
"""The operators by the title of their table."""

OPERATORS = {operator.name: operator for group in GROUPS.values() for operator in group}
"""The operators by their names."""


@cache
def signature(operator: str) -> inspect.Signature:
    """Returns the parameters of an operator."""
    return inspect.signature(eval(f"lambda {OPERATORS[operator].parameters}: None"))
