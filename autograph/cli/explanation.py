"""What each statement of a function becomes, read off the converted function.

The converters place what they make at the position of the statement that it stands for. So the operators in the converted
tree say which statements may be staged; what has none stayed Python. Nothing is analysed a second time.

>>> from autograph.modules.module_conversion import ParsedModule
>>> module = ParsedModule.read(b"def f(x):\\n    y = 2 * x\\n    if y > 0:\\n        y = -y\\n    return y\\n", "f.py")
>>> for line in explain(module, module.targets[0]):
...     print(line.lineno, line.kind.value, line.source, *line.notes)
2 python y = 2 * x
3 staged if y > 0: lax.cond where its test is traced
4 python y = -y
5 python return y
"""

from __future__ import annotations

import ast
import bisect
import enum
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from autograph.analyses.loops import block_places
from autograph.analyses.static_tests import StaticTests
from autograph.code.locations import header, position
from autograph.code.nodes import walk_outside
from autograph.code.stack_room import room
from autograph.code.translation import to_gast
from autograph.conversion.staged_tree import DEPTH
from autograph.modules.module_conversion import ParsedModule
from autograph.modules.module_functions import Target
from autograph.options import MISSING


class Kind(enum.Enum):
    """What a statement becomes."""

    PYTHON = "python"  # stays what it is
    STAGED = "staged"  # part of the program where a value is traced, or a loop is long; Python's otherwise
    REFUSED = "refused"  # an error where the value that the note names is traced


@dataclass(frozen=True)
class Explained:
    """One statement.

    Args:
        lineno: its first line.
        end_lineno: the last line of it, or of its header where it has a block.
        source: its first line.
        kind: see `Kind`.
        notes: what it becomes and when, one clause each.
    """

    lineno: int
    end_lineno: int
    source: str
    kind: Kind
    notes: tuple[str, ...]


Place = tuple[int, int]

_STATEMENTS = {
    "if_stmt": "lax.cond where its test is traced",
    "while_loop": "lax.while_loop where its test is traced",
    "for_loop": "lax.while_loop where the number of iterations, or whether to go on, is traced",
}
_LONG = "from 32 iterations on (8 around a loop, 2 around two)"
_ONE_LOOP = f"a loop of the program (lax.scan) {_LONG}, if the body needs no Python number"
_LOOPS = {
    None: f"{_ONE_LOOP}; a Python loop (unrolled) below",
    True: "a Python loop (unrolled), as `set_loop_options` says",
    False: "a loop of the program (lax.scan), as `set_loop_options` says; refused if the body needs a Python number",
}
"""Clauses about a loop over Python numbers, by its option `unroll`."""
_ITEMS = "a loop of the program (lax.scan) from 32 items on, if it needs no Python number; a Python loop (unrolled) below"
_EXPRESSIONS = {
    "if_exp": "the conditional expression: lax.cond, or a select, where its test is traced",
    "comp_where": "a list of at most as many elements as there are items, where the filter of the comprehension is traced",
    "and_": "`and`: lax.cond, or a select, where its left side is traced",
    "or_": "`or`: lax.cond, or a select, where its left side is traced",
    "compare": "the chained comparison: lax.cond, or a select, where a comparison before the last is traced",
    "comp_kept": "the filter: a select where it is traced",
    "collected": f"the comprehension: {_ITEMS}",
    "fold": f"the generator: {_ITEMS}",
    "assert_": "a check of the compiled program where its test is traced",
    "raise_": "a check of the compiled program where it stands under a traced test",
}
_OPEN = "nothing is moved here; where a bound or the mask is traced, `ag.set_verbosity(2)` says what using it moves"
_REFUSED = {
    "comp_test": "refused where the filter of the comprehension is traced: the number of elements would not be known",
}
_JUMPS = {ast.Return: "`return`", ast.Break: "`break`", ast.Continue: "`continue`"}
_STARTS_A_GUARD: tuple[Any, ...] = (*_JUMPS, ast.For, ast.While)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_SUSPENDING = (ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith)


@room(DEPTH)
def explain(module: ParsedModule, target: Target) -> list[Explained]:
    """Returns the statements of a function and of those inside it, in the order of the source.

    Args:
        module: the file.
        target: one of its outermost functions.
    Raises:
        AutoGraphError: it cannot be converted; the message says why.
    """
    node = target.node
    if isinstance(node, ast.Lambda):
        statements: list[Any] = [node]
    else:
        statements = sorted(_statements(node.body[ast.get_docstring(node) is not None :]), key=position)
    found = _Found(module.staged(target), module.alias, StaticTests(_resolver(module, node)), statements)
    return [_explained(statement, found, module) for statement in statements]


def _statements(body: list[Any]) -> Iterator[Any]:
    """Yields all statements of a block, those in its blocks, functions and classes included."""
    for node in body:
        yield node
        for _, _, inner in block_places(node):
            yield from _statements(inner)


class _Found:
    """What stands where in a converted function."""

    def __init__(self, tree: ast.AST, alias: str, static: StaticTests, statements: list[Any]) -> None:
        self.static = static
        # An `if` of ours stands where a jump or a loop stood: what it guards is not what the user's test decides.
        guards = {(node.lineno, node.col_offset) for node in statements if isinstance(node, _STARTS_A_GUARD)}
        operators: list[tuple[Place, str, ast.Call]] = []
        self.statements: set[tuple[type, Place]] = set()
        self.leaves_unbound: dict[str, list[int]] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.stmt):
                self.statements.add((type(node), (node.lineno, node.col_offset)))
            if isinstance(node, ast.Call) and (name := _operator(node, alias)):
                operators.append(((node.lineno, node.col_offset), name, node))
                for keyword in node.keywords:
                    if keyword.arg == "unbound" and (node.lineno, node.col_offset) not in guards:
                        for variable in ast.literal_eval(keyword.value):
                            self.leaves_unbound.setdefault(variable, []).append(node.lineno)
        self._operators = sorted(operators, key=_place)

    def within(self, start: Place, end: Place) -> list[tuple[str, ast.Call]]:
        """Returns the operators between two places, and their names."""
        first, last = (bisect.bisect_left(self._operators, place, key=_place) for place in (start, end))
        return [(name, call) for _, name, call in self._operators[first:last]]

    def is_native(self, node: ast.stmt) -> bool:
        """Whether a statement of this kind stands where the user wrote it."""
        return (type(node), (node.lineno, node.col_offset)) in self.statements


def _place(entry: tuple[Place, str, ast.Call]) -> Place:
    return entry[0]


def _resolver(module: ParsedModule, function: ast.AST) -> Callable[[str], Any]:
    """Returns a function from a name to its meaning in a function: nothing known, where the function binds it."""
    bound = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    bound |= {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
    return lambda name: MISSING if name.partition(".")[0] in bound else module.resolve(name)


def _operator(node: ast.Call, alias: str) -> str:
    """Returns the name of the operator that a call calls, or nothing."""
    func = node.func
    is_ours = isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id == alias
    return func.attr if is_ours and isinstance(func, ast.Attribute) else ""


def _explained(node: Any, found: _Found, module: ParsedModule) -> Explained:
    line, column, end_line, end_column = header(node)
    if isinstance(node, ast.Match):  # the tests of its cases stand for it
        *_, last = node.cases
        *_, end_line, end_column = position(last.guard or last.pattern)
    kind, notes = _own(node, found)
    taken: list[str] = []
    for name, call in found.within((line, column), (end_line, end_column)):
        if name in _EXPRESSIONS:
            kind = Kind.STAGED if kind is Kind.PYTHON else kind
            notes.append(_EXPRESSIONS[name])
        elif name in _REFUSED:
            kind = Kind.REFUSED
            notes.append(_REFUSED[name])
        elif name == "get_item" and _takes_a_part(call.args[1]):
            taken.append(f"`{_source(call, module)}`")
        elif name in ("read", "read_free"):
            variable = ast.unparse(call.args[0]).removeprefix("lambda: ")
            if len(call.args) > 1:
                kind = Kind.STAGED if kind is Kind.PYTHON else kind
                notes.append(f"a check of the compiled program that '{variable}' is bound, where traced tests bind it")
            elif lines := found.leaves_unbound.get(variable):
                kind = Kind.REFUSED
                where = " or ".join(str(number) for number in sorted(set(lines)))
                notes.append(f"refused where a traced test in line {where} leaves '{variable}' without a value")
    if taken:
        notes.append(f"{', '.join(taken)}: {_OPEN}")
    source = module.lines[line - 1].strip()
    return Explained(line, end_line, source, kind, tuple(dict.fromkeys(notes)))


def _source(node: Any, module: ParsedModule) -> str:
    """Returns the source of an expression, of one in several lines the first one."""
    end = node.end_col_offset if node.end_lineno == node.lineno else None
    return module.lines[node.lineno - 1].encode()[node.col_offset : end].decode().strip()


def _takes_a_part(index: ast.expr) -> bool:
    """Whether an index has a slice with bounds, or a comparison."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    slices = [part.args for part in parts if isinstance(part, ast.Call) and getattr(part.func, "id", "") == "slice"]
    is_open = any(not isinstance(bound, ast.Constant) for bounds in slices for bound in bounds)
    return is_open or any(isinstance(part, ast.Compare) for part in parts)


def _own(node: Any, found: _Found) -> tuple[Kind, list[str]]:
    """Returns what a statement becomes, without the expressions in it."""
    here = found.within((node.lineno, node.col_offset), (node.lineno, node.col_offset + 1))
    is_guarded = any(name == "if_stmt" for name, _ in here)
    if isinstance(node, ast.Match):
        *_, end_line, end_column = position(node.cases[-1].guard or node.cases[-1].pattern)
        inside = found.within((node.lineno, node.col_offset), (end_line, end_column))
        if any(name == "if_stmt" for name, _ in inside):
            return Kind.STAGED, ["a chain of `if`s: lax.cond where what a case tests is traced"]
        return Kind.PYTHON, []
    if isinstance(node, ast.If | ast.While | ast.For):
        operator = next(((name, call) for name, call in here if name in _STATEMENTS), None)
        if operator is not None and not found.is_native(node):
            return Kind.STAGED, _loop(node, operator[1]) + [_STATEMENTS[operator[0]]]
        if not found.is_native(node):
            return Kind.STAGED, ["part of the loop's test, which may be traced"]
        return _native(node, found)
    if type(node) in _JUMPS and (is_guarded or not found.is_native(node)):
        return Kind.STAGED, [
            f"{_JUMPS[type(node)]} leaves what may be staged: a flag, or a part of its test, stands for it"
        ]
    if is_guarded and not isinstance(node, ast.Expr):
        return Kind.STAGED, ["what a jump in it skips: lax.cond where that jump stands under a traced test"]
    return Kind.PYTHON, []


def _loop(node: Any, operator: ast.Call) -> list[str]:
    """Returns what a loop becomes where Python numbers decide its iterations; nothing of an `if`."""
    if isinstance(node, ast.If):
        return []
    given = next((keyword.value for keyword in operator.keywords if keyword.arg == "options"), None)
    unroll = (ast.literal_eval(given) if given is not None else {}).get("unroll")
    of_numbers = _LOOPS[unroll if isinstance(unroll, bool) else None]
    if isinstance(node, ast.While):
        return [f"where Python numbers decide its test, {of_numbers}"]
    called = ast.unparse(node.iter.func) if isinstance(node.iter, ast.Call) else ""
    if called == "range":
        return [of_numbers]
    return ["lax.scan"] if called.endswith(".range") else ["lax.scan over a traced array", f"over Python numbers, {of_numbers}"]


def _native(node: Any, found: _Found) -> tuple[Kind, list[str]]:
    """Returns an `if` or loop that stayed one, and why."""
    if not isinstance(node, ast.For) and found.static.holds(to_gast(node.test)):
        return Kind.PYTHON, ["its test is known while tracing"]
    if any(isinstance(child, _SUSPENDING) for child in walk_outside(_SCOPES, node)):
        why = "stays Python, since it holds `yield` or `await`"
    else:
        why = "stays Python, since a jump in it, or the frame that the function looks at, cannot move"
    if isinstance(node, ast.For):
        return Kind.PYTHON, [f"{why}: over a traced array it is unrolled"]
    return Kind.REFUSED, [f"{why}: refused where its test is traced"]
