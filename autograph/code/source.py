"""The exact syntax node of a function, at its own positions in the user's file.

The whole file is parsed and compiled once. A function's code object is looked up among the compiled ones by name and
first line and must be *equal*, bytecode, constants and positions: so a file that was edited after import is refused and
not misread (`inspect.getsource` would return the new source for the old function), and two equal lambdas on one line are
distinguished by their columns. The whole file and not the function alone: bytecode depends on the module's imports.

>>> def f(x):
...     return (lambda y: y + 1)(x)
>>> found = find(f)
>>> found.node.name, found.node.lineno, [type(scope).__name__ for scope in found.chain]
('f', 1, [])
"""

from __future__ import annotations

import ast
import bisect
import io
import linecache
import sys
from dataclasses import dataclass, field
from functools import cached_property
from types import CodeType, FunctionType
from typing import Any

from autograph.code import dataclass_methods
from autograph.code.code_places import (
    FUTURE_FLAGS,
    Chain,
    FunctionNode,
    Places,
    by_place,
    codes_in,
    first_line,
    matching,
    quietly,
    same_but_for_pytest,
    same_code,
    scopes_below,
)
from autograph.code.registry import LOCK, CodeTable
from autograph.errors import SourceError

_KEPT_FILES = 256  # a program that makes functions from strings may have one "file" each
_KEPT_VERSIONS = 3  # of one file: a notebook or a reloaded module may run functions of an older source


@dataclass(frozen=True, eq=False)
class Source:
    """Where a function stands.

    Args:
        node: its `FunctionDef`, `AsyncFunctionDef` or `Lambda` in the tree of the whole file; copy it before edits.
        chain: the scopes around it, outermost first, without the module.
        code: the code object that the file's source compiles to.
        file: the file.
        imports: the names that the compiler saw imported at the level of the module.
    """

    node: FunctionNode
    chain: Chain
    code: CodeType
    file: SourceFile
    imports: frozenset[str] = frozenset()

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
        """The source of the function as the file has it, decorators left out."""
        return ast.get_source_segment(self.file.text, self.node) or ""

    @property
    def class_name(self) -> str | None:
        """The class whose name mangles `__x` in the function."""
        return next((scope.name for scope in reversed(self.chain) if isinstance(scope, ast.ClassDef)), None)

    @cached_property
    def hands_on(self) -> bool:
        """Whether it may return what a function that it calls returns: by `return` of a call, or of a variable for one."""
        nodes = list(ast.walk(self.node))
        values = [self.node.body, *(each.value for each in nodes if isinstance(each, ast.Return))]
        names = {value.id for value in values if isinstance(value, ast.Name)}
        bound = (each.targets[0] for each in nodes if isinstance(each, ast.Assign) and isinstance(each.value, ast.Call))
        is_bound = any(isinstance(target, ast.Name) and target.id in names for target in bound)
        return is_bound or any(isinstance(value, ast.Call | ast.IfExp) for value in values)

    @cached_property
    def nested(self) -> dict[FunctionNode, Source]:
        """The functions inside this one, by their nodes; those in dead code have no code object and are missing."""
        found: dict[FunctionNode, Source] = {}
        if not any(isinstance(constant, CodeType) for constant in self.code.co_consts):
            return found
        inside = [entry for entry in scopes_below(self.node, self.chain) if entry[0] is not self.node]
        table = by_place(inside)
        for code in codes_in(self.code):
            entry = matching(code, table)
            if entry is not None:
                found.setdefault(entry[0], Source(entry[0], entry[1], code, self.file, self.imports))
        return found


@dataclass(eq=False)
class SourceFile:
    """One version of a file's source, with its tree and the code objects that it compiles to."""

    filename: str
    raw_lines: list[str]
    text: str
    _codes: dict[Any, dict[tuple[str, int], list[CodeType]]] = field(default_factory=dict)
    _scopes: dict[int, Places] = field(default_factory=dict)

    @cached_property
    def tree(self) -> ast.Module:
        """The parsed file."""
        return quietly(ast.parse, self.text, self.filename)

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines without line ends."""
        return tuple(line.rstrip("\r\n") for line in self.raw_lines)

    @cached_property
    def guarded(self) -> list[tuple[int, int]]:
        """The lines, first and last, behind which code runs whatever leaves them: of `finally`, `with`, wide handlers."""
        found: list[tuple[int, int]] = []
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Try | ast.TryStar) and node.finalbody:
                found.append((node.lineno, node.finalbody[0].lineno - 1))
            elif isinstance(node, ast.Try | ast.TryStar):
                if any(handler.type is None or _named(handler.type) in _WIDEST for handler in node.handlers):
                    found.append((node.body[0].lineno, _last_line(node.body[-1])))
            elif isinstance(node, ast.With | ast.AsyncWith):
                found.append((node.body[0].lineno, _last_line(node.body[-1])))
        return found

    @cached_property
    def imports(self) -> frozenset[str]:
        """The names that the module binds by imports, outside its functions and classes."""
        found: set[str] = set()
        pending: list[ast.AST] = [self.tree]
        while pending:
            node = pending.pop()
            if isinstance(node, ast.Import | ast.ImportFrom):
                found.update((alias.asname or alias.name).split(".")[0] for alias in node.names)
            elif isinstance(node, ast.stmt | ast.Module | ast.ExceptHandler | ast.match_case):
                if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                    pending.extend(ast.iter_child_nodes(node))
        return frozenset(found - {"*"})

    @cached_property
    def rebound_globals(self) -> frozenset[str]:
        """Globals that some function of the file rebinds, so that their value now says nothing about later."""
        if "global" not in self.text:
            return frozenset()
        return frozenset(name for node in ast.walk(self.tree) if isinstance(node, ast.Global) for name in node.names)

    def plain_function(self, name: str) -> CodeType | None:
        """Returns the code of the only module-level definition of a name, when it has no decorators."""
        found = [statement for statement in self.tree.body if getattr(statement, "name", None) == name]
        if len(found) != 1 or not isinstance(found[0], ast.FunctionDef) or found[0].decorator_list:
            return None
        codes = self._compiled(0, False).get((name, found[0].lineno), [])
        return codes[0] if codes else None

    def find(self, code: CodeType) -> Source | None:
        """Returns the place of a code object, or None when this source does not compile to it."""
        flags = code.co_flags & FUTURE_FLAGS
        for alone in (False, True):  # notebooks and the interactive prompt compile each statement of a cell alone
            for candidate in self._compiled(flags, alone).get((code.co_name, code.co_firstlineno), ()):
                if same_code(code, candidate) or same_but_for_pytest(code, candidate):
                    entry = self._entry(candidate)
                    if entry is not None:
                        imports = frozenset() if alone else self.imports
                        candidate = candidate.replace(co_flags=code.co_flags)
                        return Source(entry[0], entry[1], candidate, self, imports)
        return None

    def find_reloaded(self, fn: FunctionType) -> Source | None:
        """Returns the place of a function that IPython compiled from what it made of this source, and the code that
        this compiles to.
        """
        from autograph.code import reloading

        code = fn.__code__
        node = reloading.node_of(code, self.tree, fn.__qualname__)
        place = node and (code.co_name, first_line(node))
        for candidate in self._compiled(code.co_flags & FUTURE_FLAGS, False).get(place, ()) if place else ():
            entry = self._entry(candidate)
            if entry is not None and entry[0] is node and set(candidate.co_names) == set(code.co_names):  # `__x` may differ
                candidate = candidate.replace(co_flags=code.co_flags)
                return Source(entry[0], entry[1], candidate, self, self.imports)
        return None

    def _compiled(self, flags: int, alone: bool) -> dict[tuple[str, int], list[CodeType]]:
        table = self._codes.get((flags, alone))
        if table is None:
            table = {}
            modules = [ast.Module([statement], []) for statement in self.tree.body] if alone else [self.tree]
            allowed = flags | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT  # in cells of IPython
            for module in modules:
                root = quietly(compile, module, self.filename, "exec", allowed, True)
                for code in codes_in(root):
                    table.setdefault((code.co_name, code.co_firstlineno), []).append(code)
            self._codes[flags, alone] = table
        return table

    @cached_property
    def _first_lines(self) -> list[int]:
        """The first line of each top-level statement."""
        return [first_line(statement) for statement in self.tree.body]

    def _entry(self, code: CodeType) -> tuple[FunctionNode, Chain] | None:
        """Returns the node that a code object of this source was compiled from, and the scopes around it."""
        line = code.co_firstlineno
        last = bisect.bisect_right(self._first_lines, line)
        first = last - 1
        while first > 0 and _last_line(self.tree.body[first - 1]) >= line:  # several statements on one line
            first -= 1
        for index in range(max(first, 0), last):
            statement = self.tree.body[index]
            if isinstance(statement, ast.FunctionDef) and statement.name == code.co_name:
                if self._first_lines[index] == line:
                    return statement, ()
            if index not in self._scopes:
                self._scopes[index] = by_place(scopes_below(statement, ()))
            found = matching(code, self._scopes[index])
            if found is not None:  # else: another statement on the same line
                return found
        return None


def _last_line(statement: ast.stmt) -> int:
    return statement.end_lineno or statement.lineno


def find(fn: FunctionType) -> Source:
    """Returns the source of a Python function.

    Raises:
        SourceError: when there is none, or when it is not what the function was compiled from.
    """
    with LOCK:
        return _find(fn)


def _find(fn: FunctionType) -> Source:
    code = fn.__code__
    filename = code.co_filename
    known = _FILES.get(filename, [])
    for file in known:
        if (source := file.find(code)) is not None:
            return source
    if filename == "<timed exec>":
        _keep_timed_cell(filename)
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
            remember(file)
            return source
    for text in dataclass_methods.sources_of(code):
        source = SourceFile(filename, text.splitlines(keepends=True), text).find(code)
        if source is not None:
            return source
    if (source := _find_reloaded(fn)) is not None:
        return source
    raise _not_found(code, has_source=bool(lines))


def _find_reloaded(fn: FunctionType) -> Source | None:
    """Returns the source of a function that IPython compiled anew after its file was edited. A new one has no file name there."""
    filename: Any = fn.__code__.co_filename
    if filename == "<string>":
        filename = fn.__globals__.get("__file__")
    if "IPython.extensions.deduperreload" not in sys.modules or type(filename) is not str or not filename.endswith(".py"):
        return None
    linecache.checkcache(filename)
    lines = linecache.getlines(filename)
    file = next((file for file in _FILES.get(filename, ()) if file.raw_lines == lines), None)
    if file is None:
        file = SourceFile(filename, list(lines), "".join(lines))
    try:
        source = file.find_reloaded(fn)
    except (SyntaxError, ValueError, RecursionError):
        return None
    if source is not None and file not in _FILES.get(filename, ()):
        remember(file)
    return source


def _not_found(code: CodeType, has_source: bool) -> SourceError:
    from autograph.code import source_errors

    return source_errors.stale(code) if has_source else source_errors.missing(code)


def _keep_timed_cell(filename: str) -> None:
    """Gives `linecache` the source of the cell that IPython runs for `%%time`, under a name that all such cells have."""
    shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    cells = getattr(getattr(shell, "history_manager", None), "input_hist_raw", None)
    if cells:
        _, _, cell = cells[-1].lstrip().partition("\n")
        lines = shell.transform_cell(cell).splitlines(keepends=True)  # without empty lines in front, as it is compiled
        linecache.cache[filename] = sum(map(len, lines)), None, lines, filename


def from_string(filename: str, text: str, code: CodeType) -> Source:
    """Returns the source of a code object that was compiled from a string, whether or not such a file is here."""
    for file in _FILES.get(filename, []):
        if file.text == text and (found := file.find(code)) is not None:
            return found
    file = SourceFile(filename, list(io.StringIO(text)), text)
    remember(file)
    found = file.find(code)
    if found is None:
        raise _not_found(code, has_source=True)
    return found


def runs_cleanup(filename: str, line: int, start: int) -> bool:
    """Whether code runs whatever leaves a line of a file: of a `finally`, a `with`, a handler for everything.

    Args:
        start: the first line of the function or generator expression there; what stands around that is not in it.
    """
    files = _FILES.get(filename)
    return files is not None and any(start < first <= line <= last for first, last in files[0].guarded)


_WIDEST = ("BaseException", "GeneratorExit")


def tree_of(filename: str) -> ast.Module | None:
    """Returns the parsed source of a file in which a function was looked for; of its latest version."""
    files = _FILES.get(filename)
    return files[0].tree if files else None


def _named(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


_FILES: dict[str, list[SourceFile]] = {}
"""The files that were read, the latest last. A function that is in use keeps its own file."""


_MISSING = CodeTable()
"""What `linecache` had for the file of a function that was not found in it."""


def remember(file: SourceFile) -> None:
    """Notes a version of a file, in which functions are looked for first."""
    known = _FILES.pop(file.filename, [])
    _FILES[file.filename] = [file, *known][:_KEPT_VERSIONS]
    while len(_FILES) > _KEPT_FILES:
        del _FILES[next(iter(_FILES))]


def has_source(fn: FunctionType) -> bool:
    """Whether there is any source for a function. For a file this parses nothing, nor says that it is the right one.

    Names in angle brackets stand for many sources: there the function has to be found.
    """
    filename = fn.__code__.co_filename
    if not filename.startswith("<"):
        return bool(_FILES.get(filename)) or bool(linecache.getlines(filename, fn.__globals__))
    missing, text = _MISSING.of(fn.__code__), linecache.cache.get(filename)
    if missing.get("of") is text and missing:
        return False  # it was looked for in that source
    try:
        find(fn)
    except SourceError:
        missing["of"] = linecache.cache.get(filename)
        return False
    return True
