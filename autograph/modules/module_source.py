"""The source of a module: bytes that are read, replaced in places, and written back.

Everything that is not replaced keeps its bytes: comments, line ends, tabs, the byte order mark, the encoding.

>>> module = ModuleSource.read(b"x = 1\\r\\ny = (2,\\r\\n     3)\\r\\n", "m.py")
>>> start, end = module.span(module.tree.body[1])
>>> module.replaced([Edit(start, end, "y = 0")])
b'x = 1\\r\\ny = 0\\r\\n'
"""

import ast
import codecs
import io
import re
import tokenize
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

LINE_END = re.compile(r"\r\n|\r|\n")  # Python's line ends; str.splitlines knows others, which Python does not


class InvalidSource(Exception):
    """A file that is no Python module: where and why, in the form that editors and CI understand."""

    def __init__(self, filename: str, line: int, column: int, message: str) -> None:
        super().__init__(f"{filename}:{line}:{column}: {message}")


@dataclass(frozen=True)
class Edit:
    """Replace the characters from `start` to `end` by `text`, whose lines end in `\\n`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class ModuleSource:
    """A parsed module together with its exact source.

    Args:
        filename: as messages name it.
        text: the decoded file with its own line ends, without the byte order mark.
        encoding: what the file's cookie or mark says; `utf-8-sig` writes the mark again.
        tree: the parsed source; positions count lines from 1 and columns in UTF-8 bytes, as `ast` does.
    """

    filename: str
    text: str
    encoding: str
    tree: ast.Module
    _line_starts: list[int] = field(repr=False, compare=False)

    @classmethod
    def read(cls, raw: bytes, filename: str) -> "ModuleSource":
        """Decodes and parses a file.

        Raises:
            InvalidSource: when Python would refuse the file, or when decoding and encoding again loses bytes.
        """
        text, encoding = _decode(raw, filename)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # invalid escapes and the like: Python reports them when the file runs
                tree = ast.parse(text, filename)
                compile(text, filename, "exec", dont_inherit=True)  # `return` outside a function passes the parser
        except SyntaxError as error:
            raise InvalidSource(filename, error.lineno or 1, error.offset or 1, str(error.msg)) from None
        except ValueError as error:  # null bytes, lone surrogates
            raise InvalidSource(filename, 1, 1, str(error)) from None
        except (RecursionError, MemoryError):
            raise InvalidSource(filename, 1, 1, "too deeply nested for Python's parser") from None
        return cls.parsed(text, filename, tree, encoding)

    @classmethod
    def parsed(cls, text: str, filename: str, tree: ast.Module, encoding: str = "utf-8") -> "ModuleSource":
        """Wraps source code that is parsed already."""
        starts = [0, *(match.end() for match in LINE_END.finditer(text))]
        return cls(filename, text, encoding, tree, starts)

    def offset(self, line: int, column: int) -> int:
        """Returns the position in `text` of a line (from 1) and a column in UTF-8 bytes (from 0)."""
        start = self._line_starts[line - 1]
        if self.text.isascii():
            return start + column
        following = self._line_starts[line] if line < len(self._line_starts) else len(self.text)
        return start + len(self.text[start:following].encode("utf-8", "surrogatepass")[:column].decode("utf-8"))

    def lines(self) -> list[str]:
        """Returns the lines without their line ends."""
        return LINE_END.split(self.text)

    def line_start(self, line: int) -> int:
        """Returns the offset of a line (from 1); the end of the source for the line after the last."""
        return self._line_starts[line - 1] if line <= len(self._line_starts) else len(self.text)

    def line_end(self, offset: int) -> int:
        """Finds the end of the line around `offset`, before its line end."""
        match = LINE_END.search(self.text, offset)
        return match.start() if match else len(self.text)

    def span(self, node: Any) -> tuple[int, int]:
        """Returns the first and last position of a statement or expression, decorators included."""
        start = self.offset(node.lineno, node.col_offset)
        if decorators := getattr(node, "decorator_list", None):
            start = self.text.rindex("@", 0, self.offset(decorators[0].lineno, decorators[0].col_offset))
        return start, self.offset(node.end_lineno, node.end_col_offset)

    def indentation(self, offset: int) -> str | None:
        """Returns the white space before `offset` when nothing else stands before it on its line, else None."""
        start = max(self.text.rfind("\n", 0, offset), self.text.rfind("\r", 0, offset)) + 1
        before = self.text[start:offset]
        return before if not before.strip(" \t\f") else None

    def newline(self, offset: int) -> str:
        """Returns the line end that the source uses at `offset`."""
        match = LINE_END.search(self.text, offset) or LINE_END.search(self.text)
        return match.group() if match else "\n"

    def replaced(self, edits: Iterable[Edit]) -> bytes:
        """Returns the bytes of the file with the edits made; edits do not overlap."""
        done, parts = 0, []
        for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
            assert edit.start >= done, "edits overlap"
            parts.append(self.text[done : edit.start])
            parts.append(LINE_END.sub(self.newline(edit.start), self._encodable(edit.text)))
            done = edit.end
        parts.append(self.text[done:])
        return "".join(parts).encode(self.encoding)

    def _encodable(self, generated: str) -> str:
        """Returns generated source with escapes for what the file's encoding lacks.

        Only string literals can hold such characters (identifiers come from the file), and `ast.unparse` writes none
        of them raw, so an escape means the character again.
        """
        encoding = "utf-8" if self.encoding == "utf-8-sig" else self.encoding
        return generated.encode(encoding, "backslashreplace").decode(encoding)


def _decode(raw: bytes, filename: str) -> tuple[str, str]:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        column = error.start - (raw.rfind(b"\n", 0, error.start) + 1) + 1
        raise InvalidSource(filename, line, column, f"not {error.encoding}: byte 0x{raw[error.start]:02x}") from None
    except SyntaxError as error:
        raise InvalidSource(filename, 1, 1, str(error.msg)) from None
    if text.encode(encoding) != raw:
        name = codecs.lookup(encoding).name
        raise InvalidSource(filename, 1, 1, f"source in the encoding {name} cannot be written back byte for byte")
    return text, encoding


# A string over several lines is one token; since Python 3.12 an f-string is a sequence of tokens.
_FSTRING_START = getattr(tokenize, "FSTRING_START", None)
_FSTRING_END = getattr(tokenize, "FSTRING_END", None)


def laid_out(text: str, prefix: str, unit: str) -> str:
    """Indents the output of `ast.unparse`: `prefix` before every line, `unit` for each of its four spaces.

    Lines that begin inside a string stay as they are: they are part of its value.

    >>> print(laid_out("if a:\\n    b = '''x\\n    y'''", prefix="\\t", unit="\\t").replace("\\t", "|--> "))
    |--> if a:
    |--> |--> b = '''x
        y'''
    """
    inside = lines_inside_strings(text)
    result = []
    for number, line in enumerate(text.split("\n"), 1):
        code = line.lstrip(" ")
        if number in inside or not code:
            result.append(line)
        else:
            result.append(prefix + unit * ((len(line) - len(code)) // 4) + code)
    return "\n".join(result)


def lines_inside_strings(text: str) -> set[int]:
    """Returns the lines (from 1) that begin inside a string literal."""
    inside: set[int] = set()
    open_fstrings: list[int] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.STRING:
            inside.update(range(token.start[0] + 1, token.end[0] + 1))
        elif token.type == _FSTRING_START:
            open_fstrings.append(token.start[0])
        elif token.type == _FSTRING_END:
            inside.update(range(open_fstrings.pop() + 1, token.end[0] + 1))
    return inside
