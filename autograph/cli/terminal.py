"""What the command line does differently on a terminal: colours and a live progress line.

Piped output is plain text. `NO_COLOR` (https://no-color.org) and `TERM=dumb` switch colours off on a terminal too.
"""

import builtins
import io
import keyword
import os
import re
import shutil
import sys
import tokenize
from collections.abc import Iterable, Iterator
from typing import TextIO

RESET = "\x1b[0m"
KEYWORD, NAME, STRING, NUMBER, COMMENT, OPERATOR = (f"\x1b[{code}m" for code in ("35", "1;34", "32", "36", "2", "33"))
ADDED, REMOVED, PLACE = "\x1b[32m", "\x1b[31m", "\x1b[36m"
FAINT, REFUSED = "\x1b[2m", "\x1b[31m"
RUNTIME_NAME = re.compile(r"ag__\d*")


def is_terminal(stream: TextIO) -> bool:
    """Whether a person looks at the stream and the terminal can move its cursor."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def wants_color(stream: TextIO) -> bool:
    """Whether to write colours to the stream."""
    return is_terminal(stream) and not os.environ.get("NO_COLOR")


def highlighted(code: str) -> str:
    """Returns Python code with colours: keywords, strings, numbers, comments, defined names, operators of the runtime.

    >>> highlighted("x = 1")
    'x = \\x1b[36m1\\x1b[0m'
    """
    lines = code.splitlines(keepends=True)
    result: list[str] = []
    line, column = 1, 0
    for color, start, end in _colored(code):
        result += _between(lines, (line, column), start)
        result += [color, *_between(lines, start, end), RESET]
        line, column = end
    return "".join([*result, *_between(lines, (line, column), (len(lines) + 1, 0))])


Place = tuple[int, int]


def _colored(code: str) -> Iterator[tuple[str, Place, Place]]:
    previous = ""
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        color = None
        if token.type == tokenize.NAME:
            if keyword.iskeyword(token.string):
                color = KEYWORD
            elif previous in ("def", "class"):
                color = NAME
            elif RUNTIME_NAME.fullmatch(token.string) or (previous == "." and _is_operator_access(token)):
                color = OPERATOR
            elif previous != "." and token.string in vars(builtins):
                color = NUMBER
        elif token.type in (tokenize.STRING, tokenize.NUMBER, tokenize.COMMENT):
            color = {tokenize.STRING: STRING, tokenize.NUMBER: NUMBER, tokenize.COMMENT: COMMENT}[token.type]
        elif tokenize.tok_name[token.type].startswith("FSTRING"):
            color = STRING
        if color and token.start != token.end:
            yield color, token.start, token.end
        if token.string.strip():
            previous = token.string


def _is_operator_access(token: tokenize.TokenInfo) -> bool:
    return bool(RUNTIME_NAME.search(token.line[: token.start[1]].rsplit(".", 2)[-2]))


def _between(lines: list[str], start: Place, end: Place) -> list[str]:
    """Returns the source from one place to another, in parts."""
    if start >= end or start[0] > len(lines):
        return []
    if start[0] == end[0]:
        return [lines[start[0] - 1][start[1] : end[1]]]
    last = [lines[end[0] - 1][: end[1]]] if end[0] <= len(lines) else []
    return [lines[start[0] - 1][start[1] :], *lines[start[0] : end[0] - 1], *last]


def colored_diff(lines: Iterable[str]) -> Iterator[str]:
    """Yields the lines of a unified diff with colours."""
    for line in lines:
        color = {"+": ADDED, "-": REMOVED, "@": PLACE}.get(line[:1])
        text = line.rstrip("\r\n")
        yield f"{color}{text}{RESET}{line[len(text) :]}" if color else line


class Progress:
    """One line at the bottom of the terminal that shows how far a list of files is done; nothing elsewhere.

    Args:
        total: how many files there are.
        shown: *static*; False for one file and under `--quiet`.
        stream: where to draw, stderr by default.
    """

    def __init__(self, total: int, shown: bool, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._total = total
        self._done = 0
        self._live = shown and is_terminal(self._stream)

    def advance(self, name: str) -> None:
        """Counts one more file as done; `name` is the last one."""
        self._done += 1
        if not self._live:
            return
        width = shutil.get_terminal_size().columns - 1
        filled = 20 * self._done // max(self._total, 1)
        text = f"[{'#' * filled}{'.' * (20 - filled)}] {self._done}/{self._total} {name}"
        self._stream.write(f"\r\x1b[K{text[:width]}")
        self._stream.flush()

    def say(self, message: str) -> None:
        """Prints a line above the progress line."""
        self.clear()
        print(message, file=self._stream)

    def clear(self) -> None:
        """Takes the progress line away."""
        if self._live:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
