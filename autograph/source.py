"""The exact syntax node of a function, at its own positions in the user's file.

The whole file is parsed and compiled once. A function's code object is looked up among the compiled ones by name and
first line and must be *equal*, bytecode, constants and positions: so a file that was edited after import is refused and
not misread (`inspect.getsource` would return the new text for the old function), and two equal lambdas on one line are
told apart by their columns. The whole file and not the function alone: bytecode depends on the module's imports.

>>> def f(x):
...     return (lambda y: y + 1)(x)
>>> found = find(f)
>>> found.node.name, found.node.lineno, [type(scope).__name__ for scope in found.chain]
('f', 1, [])
"""

from __future__ import annotations
import __future__

import ast
import linecache
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from types import CodeType, FunctionType
from typing import Any

from autograph.errors import SourceError

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Scope = FunctionNode | ast.ClassDef | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
Chain = tuple[Scope, ...]

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
# `nested_scopes` shares its bit with CO_NESTED.
FUTURE_FLAGS = 0
for _name in __future__.all_feature_names:
    if _name != "nested_scopes":
        FUTURE_FLAGS |= getattr(__future__, _name).compiler_flag

_KEPT_VERSIONS = 3  # of one file: a notebook or a reloaded module may run functions of an older text


@dataclass(frozen=True, eq=False)
class Source:
    """Where a function stands.

    Args:
        node: its `FunctionDef`, `AsyncFunctionDef` or `Lambda` in the tree of the whole file; copy it before edits.
        chain: the scopes around it, outermost first, without the module.
        code: the code object that the file's text compiles to.
        file: the file.
    """

    node: FunctionNode
    chain: Chain
    code: CodeType
    file: SourceFile

    @property
    def filename(self) -> str:
        """The name that tracebacks show."""
        return self.code.co_filename

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of the file without line ends; line 1 is the first."""
        return self.file.lines

    @property
    def text(self) -> str:
        """The text of the function as the file has it, decorators left out."""
        return ast.get_source_segment(self.file.text, self.node) or ""

    @property
    def class_name(self) -> str | None:
        """The class whose name mangles `__x` in the function."""
        return next((scope.name for scope in reversed(self.chain) if isinstance(scope, ast.ClassDef)), None)

    @cached_property
    def nested(self) -> dict[FunctionNode, Source]:
        """The functions inside this one, by their nodes; those in dead code have no code object and are missing."""
        found: dict[FunctionNode, Source] = {}
        inside = [entry for entry in scopes_below(self.node, self.chain) if entry[0] is not self.node]
        table = _by_place(inside)
        for code in _codes_in(self.code):
            entry = _matching(code, table)
            if entry is not None:
                found.setdefault(entry[0], Source(entry[0], entry[1], code, self.file))
        return found


@dataclass(eq=False)
class SourceFile:
    """One version of a file's text, with its tree and the code objects that it compiles to."""

    filename: str
    raw_lines: list[str]
    text: str
    _codes: dict[Any, dict[tuple[str, int], list[CodeType]]] = field(default_factory=dict)
    _scopes: dict[int, dict[tuple[str, int], list[tuple[FunctionNode, Chain]]]] = field(default_factory=dict)

    @cached_property
    def tree(self) -> ast.Module:
        """The parsed file."""
        return quietly(ast.parse, self.text, self.filename)

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines without line ends."""
        return tuple(line.rstrip("\r\n") for line in self.raw_lines)

    @cached_property
    def rebound_globals(self) -> frozenset[str]:
        """Globals that some function of the file rebinds, so that their value now says nothing about later."""
        if "global" not in self.text:
            return frozenset()
        return frozenset(name for node in ast.walk(self.tree) if isinstance(node, ast.Global) for name in node.names)

    def plain_function(self, name: str) -> CodeType | None:
        """The code of the only module-level definition of a name, when it has no decorators."""
        found = [statement for statement in self.tree.body if getattr(statement, "name", None) == name]
        if len(found) != 1 or not isinstance(found[0], ast.FunctionDef) or found[0].decorator_list:
            return None
        codes = self._compiled(0, False).get((name, found[0].lineno), [])
        return codes[0] if codes else None

    def find(self, code: CodeType) -> Source | None:
        """The place of a code object, or None when this text does not compile to it."""
        flags = code.co_flags & FUTURE_FLAGS
        for alone in (False, True):  # notebooks and the interactive prompt compile each statement of a cell alone
            for candidate in self._compiled(flags, alone).get((code.co_name, code.co_firstlineno), ()):
                if same_code(code, candidate) or _same_but_for_pytest(code, candidate):
                    entry = _matching(candidate, self._places(candidate.co_firstlineno))
                    if entry is not None:
                        return Source(entry[0], entry[1], candidate, self)
        return None

    def _compiled(self, flags: int, alone: bool) -> dict[tuple[str, int], list[CodeType]]:
        table = self._codes.get((flags, alone))
        if table is None:
            table = self._codes[flags, alone] = {}
            modules = [ast.Module([statement], []) for statement in self.tree.body] if alone else [self.tree]
            for module in modules:
                root = quietly(compile, module, self.filename, "exec", flags, True)
                for code in _codes_in(root):
                    table.setdefault((code.co_name, code.co_firstlineno), []).append(code)
        return table

    def _places(self, line: int) -> dict[tuple[str, int], list[tuple[FunctionNode, Chain]]]:
        """The functions in the top-level statement around a line, by name and first line."""
        for index, statement in enumerate(self.tree.body):
            if first_line(statement) <= line <= (statement.end_lineno or statement.lineno):
                if index not in self._scopes:
                    self._scopes[index] = _by_place(scopes_below(statement, ()))
                table = self._scopes[index]
                if any(place[1] == line for place in table):  # else: another statement on the same line
                    return table
        return {}


def find(fn: FunctionType) -> Source:
    """The source of a Python function.

    Raises:
        SourceError: when there is none, or when it is not what the function was compiled from.
    """
    code = fn.__code__
    filename = code.co_filename
    known = _FILES.get(filename, [])
    for file in known:
        if (source := file.find(code)) is not None:
            return source
    for refresh in (False, True):
        if refresh:
            linecache.checkcache(filename)
        lines = linecache.getlines(filename, fn.__globals__)
        if not lines or any(file.raw_lines == lines for file in known):
            continue
        file = SourceFile(filename, list(lines), "".join(lines))
        try:
            source = file.find(code)
        except (SyntaxError, ValueError, RecursionError):
            source = None
        if source is not None:
            _FILES[filename] = [file, *known][:_KEPT_VERSIONS]
            return source
    raise _missing(code) if not lines else _stale(code)


_FILES: dict[str, list[SourceFile]] = {}


def has_source(fn: FunctionType) -> bool:
    """Whether there is any text for a function. For a file this parses nothing, and does not say that the text is right.

    Names in angle brackets stand for many texts: there the function has to be found.
    """
    filename = fn.__code__.co_filename
    if not filename.startswith("<"):
        return bool(_FILES.get(filename)) or bool(linecache.getlines(filename, fn.__globals__))
    try:
        find(fn)
    except SourceError:
        return False
    return True


def _missing(code: CodeType) -> SourceError:
    name = code.co_qualname
    if code.co_filename == "<stdin>":
        instead = "put the function into a file, or use a notebook or the prompt of Python 3.13, which keep the source"
    elif code.co_filename.startswith("<"):
        instead = (
            "put the function into a file; code run by `exec` needs its text in `linecache.cache` under the file name "
            "given to `compile`"
        )
    else:
        instead = "make the .py file available beside the compiled one"
    return SourceError(
        f"cannot find the source of `{name}`",
        at=code,
        why="conversion works on the text of a function, and Python kept none for this file",
        instead=instead,
    )


def _stale(code: CodeType) -> SourceError:
    return SourceError(
        f"the source of `{code.co_qualname}` is not what is running",
        at=code,
        why="the file was edited after it was imported, or something rewrote the function when it was imported",
        instead="import the module again (restart), or convert the function before it is rewritten",
    )


def quietly(function: Any, *args: Any) -> Any:
    """Calls the compiler without its warnings: Python gave them when the user's file was imported."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args)


def first_line(node: ast.AST) -> int:
    """The first line of a statement as the compiler counts it: decorators belong to a `def`."""
    decorators = getattr(node, "decorator_list", None)
    return min(decorators[0].lineno, node.lineno) if decorators else node.lineno  # type: ignore[attr-defined]


def scopes_below(root: ast.AST, chain: Chain) -> Iterator[tuple[FunctionNode, Chain]]:
    """Every function in a tree with the scopes around it; `chain` are those around `root`.

    Decorators, defaults, annotations and base classes belong to the scope around a definition, and so does the first
    iterable of a comprehension.
    """
    stack: list[tuple[ast.AST, Chain]] = [(root, chain)]
    while stack:
        node, around = stack.pop()
        if isinstance(node, _FUNCTIONS):
            yield node, around
            inside = (*around, node)
            body: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else list(node.body)
        elif isinstance(node, ast.ClassDef):
            inside, body = (*around, node), list(node.body)
        elif isinstance(node, COMPREHENSIONS):
            inside = (*around, node)
            first = node.generators[0]
            body = [part for part in ast.iter_child_nodes(node) if part is not first]
            body += [part for part in ast.iter_child_nodes(first) if part is not first.iter]
        else:
            stack.extend((child, around) for child in ast.iter_child_nodes(node))
            continue
        inner = {id(part) for part in body}
        stack.extend((part, inside) for part in body)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.comprehension) and isinstance(node, COMPREHENSIONS):
                if child is node.generators[0]:
                    stack.append((child.iter, around))
            elif id(child) not in inner:
                stack.append((child, around))


Places = dict[tuple[str, int], list[tuple[FunctionNode, Chain]]]


def _by_place(entries: Any) -> Places:
    table: Places = {}
    for node, chain in entries:
        name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
        table.setdefault((name, first_line(node)), []).append((node, chain))
    return table


def _matching(code: CodeType, table: Places) -> tuple[FunctionNode, Chain] | None:
    """The node that a code object was compiled from."""
    candidates = table.get((code.co_name, code.co_firstlineno), [])
    if not candidates or not isinstance(candidates[0][0], ast.Lambda):
        return candidates[0] if candidates else None
    span = _span(code)
    if span is None:
        return next((entry for entry in candidates if _same_alone(entry[0], code)), None)
    start, end = span
    found: tuple[FunctionNode, Chain] | None = None
    for entry in candidates:
        body: Any = entry[0].body
        if (body.lineno, body.col_offset) <= start and end <= (body.end_lineno, body.end_col_offset):
            # the innermost of nested lambdas starts last
            if found is None or (body.lineno, body.col_offset) > (found[0].body.lineno, found[0].body.col_offset):  # type: ignore[union-attr]
                found = entry
    return found


def _span(code: CodeType) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """First and last position that the instructions of a lambda cover; None for one that only returns a constant."""
    starts, ends = [], []
    for line, end_line, column, end_column in code.co_positions():
        # Instructions that prepare the frame have no position, or an empty one at the start of the line. So has the
        # return of a constant on Python 3.12.
        if line is not None and end_line is not None and column is not None and end_column:
            starts.append((line, column))
            ends.append((end_line, end_column))
    return (min(starts), max(ends)) if starts else None


def _same_alone(node: Any, code: CodeType) -> bool:
    """Whether a lambda compiles to the same instructions and constants: then it does not matter which one it is."""
    alone = quietly(compile, ast.Expression(node), code.co_filename, "eval", code.co_flags & FUTURE_FLAGS, True)
    made = next(constant for constant in alone.co_consts if isinstance(constant, CodeType))
    return made.co_code == code.co_code and _same_constant(made.co_consts, code.co_consts)


def _codes_in(root: CodeType) -> Iterator[CodeType]:
    """The code objects in the constants of a code object, at any depth, without itself."""
    stack = [root]
    while stack:
        for constant in stack.pop().co_consts:
            if isinstance(constant, CodeType):
                yield constant
                stack.append(constant)


_LAYOUT = (
    "co_name",
    "co_qualname",
    "co_firstlineno",
    "co_argcount",
    "co_posonlyargcount",
    "co_kwonlyargcount",
    "co_flags",
    "co_freevars",
)
_BODY = ("co_names", "co_varnames", "co_cellvars", "co_code", "co_linetable", "co_exceptiontable")


def same_code(a: CodeType, b: CodeType) -> bool:
    """Whether two code objects are the same but for the file name."""
    return all(getattr(a, name) == getattr(b, name) for name in _LAYOUT + _BODY) and _same_constant(
        a.co_consts, b.co_consts
    )


def _same_constant(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, CodeType):
        return same_code(a, b)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(_same_constant, a, b))
    if isinstance(a, (float, complex)):
        return repr(a) == repr(b)  # NaN, -0.0
    return bool(a == b)


def _same_but_for_pytest(code: CodeType, candidate: CodeType) -> bool:
    """Whether `code` is `candidate` with its `assert` statements rewritten by pytest.

    The rewritten code cannot be compiled again from the text; signature, free variables and the lines that hold code
    must agree.
    """
    if not any("@pytest_ar" in c.co_names for c in (code, *_codes_in(code))):
        return False
    lines = [{line for *_, line in c.co_lines() if line is not None} for c in (code, candidate)]
    return lines[0] == lines[1] and all(getattr(code, name) == getattr(candidate, name) for name in _LAYOUT)
