"""Converting a whole module: the staged bodies of its functions instead of the author's.

Each outermost function, method and lambda is converted; functions inside them go along. Of a `def` only the statements
after the docstring are replaced, so decorators, signature and docstring keep their bytes, as does all source outside.
One import line with a comment makes the module stand alone and marks it as converted.

>>> raw = b'def sign(x):\\n    "The sign of x."\\n    return 1 if x > 0 else -1\\n'
>>> conversion = convert_module(raw, "sign.py")
>>> conversion.converted
('sign',)
>>> convert_module(conversion.output, "sign.py").already_converted
True

A converted function is recognised at run time too (`autograph.convert` returns it as it is): its code, or code nested
in it, reads a global that is the module `autograph.runtime`.
"""

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from autograph._version import __version__
from autograph.analyses import argument_writes
from autograph.api import do_not_convert
from autograph.code.module_names import module_resolver
from autograph.code.stack_room import room
from autograph.code.trees import changed
from autograph.conversion.pipeline import convert_tree
from autograph.conversion.staged_tree import DEPTH
from autograph.errors import ConversionError
from autograph.modules import comments
from autograph.modules.module_functions import Target, inner_functions, outermost_functions
from autograph.modules.module_source import Edit, ModuleSource, laid_out
from autograph.options import ConversionContext

MARKER = "converted by jax-autograph"
RUNTIME = "autograph.runtime"
_LEVELS = 99  # of Python's tokenizer
_DEEP = _LEVELS - 20  # blanks of source code that is worth a look: blocks may be indented by one each, and stand in others


@dataclass(frozen=True)
class Conversion:
    """A module before it is written.

    Args:
        output: the bytes of the converted module; the input's where there was nothing to do.
        encoding: of the output.
        converted: qualified names of the functions whose source changed.
        selected: those of the requested names that exist in the module.
        already_converted: the input carries the mark.
    """

    output: bytes
    encoding: str
    converted: tuple[str, ...] = ()
    selected: frozenset[str] = frozenset()
    already_converted: bool = False


@room(DEPTH)
def convert_module(raw: bytes, filename: str, names: frozenset[str] | None = None) -> Conversion:
    """Converts the functions of a module, or only those named.

    Raises:
        InvalidSource: the bytes are no Python module.
        AutoGraphError: a function cannot be converted; the message says where and why.
    """
    module = ParsedModule.read(raw, filename)
    if module.is_converted():
        return Conversion(raw, module.source.encoding, selected=names or frozenset(), already_converted=True)
    edits, selected = module.edits(names)
    added = [module.import_edit()] if edits else []
    output = module.source.replaced([*(edit for _, edit in edits), *added])
    return Conversion(output, module.source.encoding, tuple(target.name for target, _ in edits), selected)


class ParsedModule:
    """A module whose functions can be converted one by one."""

    def __init__(self, source: ModuleSource) -> None:
        self.source = source

    @classmethod
    def read(cls, raw: bytes, filename: str) -> "ParsedModule":
        """Parses the bytes of a file; raises `InvalidSource`."""
        return cls(ModuleSource.read(raw, filename))

    @cached_property
    def alias(self) -> str:
        """The module's name for the runtime: `ag__`, with a number when the source uses that name."""
        alias, number = "ag__", 1
        while re.search(rf"\b{alias}\b", self.source.text):
            number += 1
            alias = f"ag__{number}"
        return alias

    @cached_property
    def targets(self) -> list[Target]:
        """The outermost functions and lambdas, in the order of the source, without those marked `do_not_convert`."""
        return list(outermost_functions(self.source.tree, self._is_opted_out))

    @cached_property
    def resolve(self) -> Callable[[str], Any]:
        """The object that a dotted name of the module means, or `MISSING`, as far as its source tells."""
        return module_resolver(self.source.tree)

    @cached_property
    def writers(self) -> argument_writes.ModuleWriters:
        """The functions of the module that write elements of their parameters."""
        return argument_writes.ModuleWriters(self.source.text, self.source.tree)

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines of the file; line 1 is the first."""
        return tuple(self.source.lines())

    def _is_opted_out(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
        decorators = (d.func if isinstance(d, ast.Call) else d for d in node.decorator_list)
        return any(self.resolve(ast.unparse(decorator)) is do_not_convert for decorator in decorators)

    def is_converted(self) -> bool:
        """Whether an import of the runtime carries our mark."""
        for node in self.source.tree.body:
            if isinstance(node, ast.Import) and any(alias.name == RUNTIME for alias in node.names):
                _, end = self.source.span(node)
                if MARKER in self.source.text[end : self.source.line_end(end)]:
                    return True
        return False

    def staged(self, target: Target) -> Any:
        """Returns the converted `ast` node of a function; its statements carry the author's lines."""
        context = ConversionContext(
            filename=self.source.filename,
            lines=self.lines,
            name=target.name,
            freevars=frozenset({"__class__"}) if target.classes and _uses_class_cell(target.node) else frozenset(),
            class_name=target.classes[-1].name if target.classes else None,
            resolve=self.resolve,
            alias=self.alias,
            writers=argument_writes.lookup(self.source.filename, lambda: self.writers),
        )
        return convert_tree(target.node, context)

    def edits(self, names: frozenset[str] | None) -> tuple[list[tuple[Target, Edit]], frozenset[str]]:
        """Returns the functions that conversion changes, with their replacements; and those of `names` that exist.

        Args:
            names: of which functions; None for all.
        """
        found: list[tuple[Target, Edit]] = []
        selected: set[str] = set()
        for target in self.targets:
            if names is not None:
                if not (wanted := target.is_named_by(names)):
                    continue
                selected |= wanted
            if edit := self.edit(target):
                self._check_depth(target, edit)
                found.append((target, edit))
        return found, frozenset(selected)

    def edit(self, target: Target) -> Edit | None:
        """Returns the replacement of a function's statements or of a lambda; None where conversion changes nothing."""
        node = self.staged(target)
        if isinstance(target.node, ast.Lambda):
            if not isinstance(node, ast.Lambda) or ast.dump(node) == ast.dump(target.node):
                return None  # one that needs statements stays as it is, and converts when it is called
            start, end = self.source.span(target.node)
            return Edit(start, end, ast.unparse(node))
        skipped = int(ast.get_docstring(target.node, clean=False) is not None)
        old, new = target.node.body[skipped:], node.body[skipped:]
        if [ast.dump(statement) for statement in old] == [ast.dump(statement) for statement in new]:
            return None
        try:
            return self._edit_of_body(target.node, skipped, new)
        except IndentationError:  # since Python 3.12 the tokenizer counts
            raise _too_deep(self.source.filename, target) from None

    def _check_depth(self, target: Target, edit: Edit) -> None:
        """Refuses a function whose source would be indented more deeply than Python reads.

        Every `elif` puts the rest of its chain into a function. Compiled without source code it may be as deep as it likes.
        """
        if max(map(len, re.findall(r"^[ \t]*", edit.text, re.MULTILINE))) < _DEEP:
            return
        try:
            ast.parse(self.source.replaced([edit]))
        except IndentationError:
            raise _too_deep(self.source.filename, target) from None

    def _edit_of_body(self, node: ast.FunctionDef | ast.AsyncFunctionDef, skipped: int, new: list[ast.stmt]) -> Edit:
        text = self.source
        (start, _), (_, end) = text.span(node.body[skipped]), text.span(node.body[-1])
        if trailing := re.compile(r"[ \t\f]*;?[ \t\f]*(?=\r|\n|\Z|#)").match(text.text, end):
            end = text.line_end(trailing.end())  # a comment there is about the last statement
        first_line = node.body[skipped].lineno
        outer = text.indentation(text.span(node)[0]) or ""
        head = ""
        prefix = text.indentation(start)
        if prefix is None:  # `"docstring"; statement` or `def f(x): return x`: each gets a line of its own
            start, docstring_end = text.span(node.body[0])
            first_line = node.body[0].lineno
            prefix = text.indentation(start)
            if prefix is None:
                prefix = outer + ("\t" if "\t" in outer else "    ")
                start = len(text.text[:start].rstrip(" \t\f"))
                head = "\n" + prefix
            if skipped:
                head += text.text[text.span(node.body[0])[0] : docstring_end] + "\n" + prefix
        unit = prefix[len(outer) :] if prefix.startswith(outer) and prefix != outer else "    "
        source = text.text[text.line_start(first_line) : end]
        generated = ast.unparse(ast.Module(new, []))
        own_comments = comments.comments_of(source, first_line)
        generated = comments.with_comments(generated, comments.origins_of(new), own_comments)
        return Edit(start, end, head + laid_out(generated, prefix, unit).removeprefix(prefix))

    @property
    def import_line(self) -> str:
        """The statement that makes the module stand alone, and the comment that marks it."""
        return f"import {RUNTIME} as {self.alias}  # {MARKER} {__version__}"

    def import_edit(self) -> Edit:
        """Returns the edit that inserts the line."""
        text, line = self.source, f"{self.import_line}\n"
        last = None
        for number, node in enumerate(text.tree.body):
            is_docstring = number == 0 and ast.get_docstring(text.tree) is not None
            if not is_docstring and not (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
                break
            last = node
        if last is None:
            place = text.line_start(_line_after_header(text.lines()) + 1)
            return Edit(place, place, line)
        end = text.span(last)[1]
        if following := re.compile(r"[ \t\f]*;[ \t\f]*(?=[^#\s])").match(text.text, end):
            return Edit(following.end(), following.end(), "\n" + line)  # `from __future__ import a; import b`
        number = last.end_lineno or last.lineno
        lines = text.lines()
        while number < len(lines) and not lines[number].strip():
            number += 1
        if number == len(lines) or not lines[number].startswith(("import ", "from ")):
            number = last.end_lineno or last.lineno
        place = text.line_start(number + 1)
        return Edit(place, place, line)

    def qualified_names(self) -> list[str]:
        """Returns the names of all functions that can be shown, inner ones too."""
        return [
            name
            for target in self.targets
            for name in (target.name, *(f"{target.name}.{path}" for path, _ in inner_functions(target.node)))
        ]

    @room(DEPTH)
    def shown(self, name: str) -> ast.stmt | ast.expr:
        """Returns the converted node of a function by its qualified name; as in Python, a later definition wins."""
        for target in reversed(self.targets):
            if name == target.name:
                node: ast.stmt | ast.expr = self.staged(target)
                if not isinstance(target.node, ast.Lambda):
                    node = changed(node, decorator_list=target.node.decorator_list)
                return node
            for path, _ in inner_functions(target.node):
                if name == f"{target.name}.{path}":
                    last = path.split(".")[-1]
                    inside = [node for node in ast.walk(self.staged(target)) if getattr(node, "name", None) == last]
                    return next(node for node in inside if isinstance(node, ast.stmt))
        raise KeyError(name)


@room(DEPTH)
def standalone_source(node: ast.stmt | ast.expr, alias: str) -> str:
    """Returns a converted function as source code that says what the runtime's name means."""
    return f"import {RUNTIME} as {alias}\n\n\n{ast.unparse(node)}\n"


def _uses_class_cell(node: ast.AST) -> bool:
    return any(isinstance(child, ast.Name) and child.id in ("super", "__class__") for child in ast.walk(node))


def _line_after_header(lines: list[str]) -> int:
    """Counts the lines that must stay at the top: shebang and encoding, and a comment that a blank line ends."""
    number = 0
    while number < len(lines) and lines[number].startswith("#"):
        number += 1
    if number < len(lines) and not lines[number].strip():
        return number
    special = re.compile(r"#!|#.*?coding[:=]")
    return max((index + 1 for index, line in enumerate(lines[:2]) if special.match(line)), default=0)


def _too_deep(filename: str, target: Target) -> ConversionError:
    return ConversionError(
        f"the converted source of `{target.name}` would have more than the {_LEVELS} levels of indentation that Python reads",
        at=(filename, target.node.lineno),
        why="each `elif`, `if` and loop inside another puts one more function around the next",
        instead="split the chain or look its cases up in a list; or convert the other functions alone "
        "(`--functions a,b`) and put @ag.convert on this one, which writes no source",
    )
