"""The exception family, its one message format, and tracebacks without our frames.

Every message says what, where (the user's file, line and source), both sides where there are two, why, and what to
write instead:

>>> error = StagingError("variable 'y' has two shapes", sides={"if branch": "float32[3]", "else branch": "float32[4]"},
...                      why="one program runs both", instead="make both branches return the same shape", page="two-shapes")
>>> print(error)
variable 'y' has two shapes
  if branch:   float32[3]
  else branch: float32[4]
  why: one program runs both
  instead: make both branches return the same shape
  for more, run: autograph error two-shapes

| exception | also a | raised when |
| --- | --- | --- |
| `AutoGraphError` | `Exception` | never itself |
| `ConversionError` | | a function cannot be converted |
| `SourceError` | `ConversionError` | its source is missing, or is not the source that the function was compiled from |
| `Unsupported` | `ConversionError` | it holds a construct that has no meaning for us |
| `StagingError` | `TypeError` | branches or carries cannot be joined, an effect cannot be staged |
| `UndefinedVariableError` | `UnboundLocalError` | a variable is read that only some path binds |
"""

from __future__ import annotations

import functools
import linecache
import os
import sys
import tokenize
from collections.abc import Callable, Mapping
from types import CodeType, TracebackType
from typing import Any, NamedTuple, TypeVar

import jax

from autograph import switches

_LONGEST_HEADER = 6  # lines of a statement that a message shows

F = TypeVar("F", bound=Callable[..., Any])


class Location(NamedTuple):
    """A place in the user's file; columns count characters from 0.

    Args:
        whole: whether a statement begins there, whose header is shown to its end.
    """

    filename: str
    lineno: int
    col: int | None = None
    end_col: int | None = None
    whole: bool = False

    @classmethod
    def of(cls, what: Any, filename: str | None = None) -> Location | None:
        """Returns the place of a syntax node (with `filename`), a code object, a function, or a `(filename, line)` pair."""
        if what is None or isinstance(what, cls):
            return what
        if isinstance(what, tuple):
            return cls(*what)
        code = what if isinstance(what, CodeType) else getattr(what, "__code__", None)
        if isinstance(code, CodeType):
            return cls(code.co_filename, code.co_firstlineno, whole=True)
        lineno = getattr(what, "lineno", None)
        if lineno is None or filename is None:
            return None
        start, end = getattr(what, "col_offset", None), getattr(what, "end_col_offset", None)
        if getattr(what, "end_lineno", lineno) != lineno:
            end = None
        return cls.of_bytes(filename, lineno, start, end)

    @classmethod
    def of_bytes(cls, filename: str, lineno: int, start: int | None, end: int | None) -> Location:
        """Returns a place whose columns count bytes of UTF-8, as syntax trees and code objects have them."""
        start, end = _characters(linecache.getline(filename, lineno), start, end)
        return cls(filename, lineno, start, end)

    @property
    def line(self) -> str:
        """The source of the line, without indentation."""
        return self._line(self.lineno).strip()

    def _line(self, lineno: int) -> str:
        # "<string>" is the name of every string that `exec` is given: what is kept under it may be another one.
        return "" if self.filename == "<string>" else linecache.getline(self.filename, lineno).rstrip()

    def segment(self) -> str:
        """Returns the expression at the place, quoted; empty where its columns or its source are not known."""
        found = "" if self.end_col is None else linecache.getline(self.filename, self.lineno)[self.col : self.end_col]
        return f"`{found}`" if found else ""

    def text(self) -> str:
        """`file:line`, and below it the line itself with carets under the node, or the header of the statement."""
        head = f"{shown_name(self.filename)}:{self.lineno}"
        line = self._line(self.lineno)
        body = line.strip()
        if not body:
            return head
        indent = len(line) - len(line.lstrip())
        if self.whole:
            shown = [text.rstrip()[min(indent, len(text) - len(text.lstrip())) :] for text in self._header()]
            return "\n    ".join([head, *shown])
        shown_line = f"{head}\n    {body}"
        if self.col is not None and self.end_col is not None and self.end_col - self.col < len(body):
            shown_line += f"\n    {' ' * (self.col - indent)}{'^' * max(self.end_col - self.col, 1)}"
        return shown_line

    def _header(self) -> list[str]:
        """Returns the lines of the statement up to its end or its block; the first ones where there are many."""
        text = (self._line(number) + "\n" for number in range(self.lineno, self.lineno + 2 * _LONGEST_HEADER))
        try:
            for token in tokenize.generate_tokens(lambda: next(text)):
                if token.type == tokenize.NEWLINE:
                    return [self._line(self.lineno + k) for k in range(token.start[0])]
                if token.start[0] > _LONGEST_HEADER:
                    return [*(self._line(self.lineno + k) for k in range(_LONGEST_HEADER)), "..."]
        except (tokenize.TokenError, SyntaxError):  # it does not begin where a statement does
            pass
        return [self._line(self.lineno)]


def shown_name(filename: str) -> str:
    """Returns a file's name in messages: `In[7]` for the cell of a notebook or of IPython, which keeps it under its own name."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    cells = getattr(getattr(shell, "compile", None), "_filename_map", None)
    number = cells.get(filename) if isinstance(cells, dict) else None
    return filename if number is None else f"In[{number}]"


def _characters(line: str, *offsets: int | None) -> list[int | None]:
    """Returns columns in characters for columns in UTF-8 bytes, as syntax trees have them."""
    raw = line.encode("utf-8", "surrogatepass")
    return [None if n is None else len(raw[:n].decode("utf-8", "replace")) for n in offsets]


def message(
    what: str,
    *,
    at: Location | None = None,
    sides: Mapping[str, str] | None = None,
    why: str = "",
    instead: str = "",
    page: str = "",
) -> str:
    """Formats a message, the one format that ours have; parts that are left out take no line."""
    lines = [what]
    if at is not None:
        lines.append(f"at {at.text()}".replace("\n", "\n  "))
    if sides:
        width = max(len(name) for name in sides) + 1
        lines.extend(f"{name + ':':<{width}} {side}" for name, side in sides.items())
    if why:
        lines.append(f"why: {why}")
    if instead:
        lines.append(f"instead: {instead}")
    if page:
        lines.append(f"for more, run: autograph error {page}")
    return "\n  ".join(lines)


class Brief:
    """Marks exceptions whose tracebacks show the user's lines alone."""


class AutoGraphError(Brief, Exception):
    """Base of everything that this library raises on its own account.

    Args:
        what: what is wrong, naming the user's variable or function; a whole message when the rest is left out.
        at: where: a `Location`, a `(filename, line)` pair, a function or a code object.
        sides: for a disagreement, a name for each side and what it has.
        why: the reason, one sentence without a full stop.
        instead: what to write instead.
        page: the page in `docs/errors/` that shows such a message.
    """

    what: str = ""
    sides: Mapping[str, str] | None = None
    instead: str = ""
    page: str = ""

    def __init__(
        self,
        what: str = "",
        *,
        at: Any = None,
        sides: Mapping[str, str] | None = None,
        why: str = "",
        instead: str = "",
        page: str = "",
    ) -> None:
        self.location = Location.of(at)
        self.what, self.sides, self.instead, self.page = what, sides, instead, page
        super().__init__(message(what, at=self.location, sides=sides, why=why, instead=instead, page=page))


class ConversionError(AutoGraphError):
    """A function cannot be converted."""


class SourceError(ConversionError):
    """The source of a function is missing, or is not what the function was compiled from."""


class Unsupported(ConversionError):
    """A construct that cannot be converted.

    Args:
        node: the syntax node; its position becomes line and carets.
        why: the reason.
        instead: what to write instead.
        filename: the user's file.
        what: what is unsupported; the kind of the node by default.
    """

    def __init__(self, node: Any, why: str, instead: str = "", *, filename: str | None = None, what: str = "") -> None:
        self.node = node
        what = what or f"`{type(node).__name__}` cannot be converted"
        super().__init__(what, at=Location.of(node, filename), why=why, instead=instead)


class StagingError(AutoGraphError, TypeError):
    """Branches, loop carries or effects that cannot become one program.

    Attributes:
        variable: what a loop cannot carry, as the user would write it; empty where something else is wrong.
        resized: the list that is longer on one path than on another, as the only element of a list.
        depth: how many statements are staged around the one that may give it room (`carry.given_room`).
    """

    variable: str = ""
    resized: list[Any] | None = None
    depth: int = 0


class UndefinedVariableError(AutoGraphError, UnboundLocalError):
    """A variable is read that the path taken, or one of two staged paths, leaves unbound."""


class AutoGraphWarning(UserWarning):
    """Something was left unconverted, is slower than it could be, or is lost under `jax.jit` as well."""


# --- tracebacks ---

DEBUG = switches.is_on("AUTOGRAPH_DEBUG")  # show our own frames too

_HERE = os.path.dirname(os.path.abspath(__file__))
# Beside the package in a checkout whose links are missing, below it everywhere else.
PACKAGE_DIRECTORIES = (_HERE,) + tuple(
    os.path.join(os.path.dirname(_HERE), name)
    for name in ("converters", "runtime")
    if not os.path.isdir(os.path.join(_HERE, name))
)
_OURS = tuple(directory + os.sep for directory in PACKAGE_DIRECTORIES)
_JAX = os.path.dirname(os.path.abspath(jax.__file__)) + os.sep
_STANDARD_LIBRARY = os.path.dirname(os.path.abspath(os.__file__)) + os.sep


def is_ours(filename: str) -> bool:
    """Whether a file belongs to this library (generated code carries the user's file name, so it does not)."""
    return filename.startswith(_OURS)


def is_of_jax(code: CodeType) -> bool:
    """Whether a code object belongs to JAX itself."""
    return code.co_filename.startswith(_JAX)


def _is_of_libraries(filename: str) -> bool:
    """Whether a file belongs to this library, to JAX or to the standard library."""
    return filename.startswith((*_OURS, _JAX)) or (
        filename.startswith(_STANDARD_LIBRARY) and "-packages" not in filename.removeprefix(_STANDARD_LIBRARY)
    )


def trim(exc: BaseException, *, entry: bool = False) -> BaseException:
    """Takes our frames out of the traceback of `exc`, and out of what it was raised from where that is ours too.

    Errors of our own lose the frames of JAX and of the standard library as well: the user's lines say all there is to
    say. Nothing is attached to the exception, which may be frozen or refuse attributes. `AUTOGRAPH_DEBUG=1` leaves
    everything in place.

    Args:
        exc: an exception that is being handled.
        entry: whether a prologue handles the exception; its frame, the first, goes too, since the staged body's frame
            stands for the same function.
    """
    if DEBUG:
        return exc
    seen: set[int] = set()
    error: BaseException | None = exc
    first = True
    while error is not None and id(error) not in seen and (first or isinstance(error, AutoGraphError)):
        seen.add(id(error))
        _relink(error, entry and first)
        first = False
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return exc


def _relink(exc: BaseException, entry: bool) -> None:
    is_hidden = _is_of_libraries if isinstance(exc, Brief) else is_ours
    kept: list[TracebackType] = []
    traceback = exc.__traceback__
    if entry and traceback is not None:
        traceback = traceback.tb_next
    while traceback is not None:
        if not is_hidden(traceback.tb_frame.f_code.co_filename) and not (kept and _is_again(traceback, kept[-1])):
            kept.append(traceback)
        traceback = traceback.tb_next
    chain: TracebackType | None = None
    for link in reversed(kept):
        chain = TracebackType(chain, link.tb_frame, link.tb_lasti, link.tb_lineno)
    BaseException.with_traceback(exc, chain)  # not the attribute: a class may have overridden it


def _is_again(last: TracebackType, before: TracebackType) -> bool:
    """Whether the last place of a traceback, which never ran, is the one before: a check that fails where nothing is compiled."""
    names = {shown_name(link.tb_frame.f_code.co_filename) for link in (last, before)}
    return last.tb_next is None and last.tb_frame.f_back is None and len(names) == 1 and last.tb_lineno == before.tb_lineno


def boundary(fn: F) -> F:
    """Makes a public function raise its errors without our frames: the user's line that called it says all."""

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return fn(*args, **kwargs)
        except Exception as error:
            trim(error)
            raise

    return call  # type: ignore[return-value]  # `wraps` makes it look like `fn`, which no type says
