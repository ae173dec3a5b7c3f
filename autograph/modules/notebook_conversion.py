"""Converting a notebook: the functions of its code cells, as if the cells stood below one another in a module.

A line that only IPython reads (`%time f(x)`, `!ls`, `f?`) stays, and so does a cell in another language (`%%bash`). The import
of the runtime gets a cell of its own in front of the others. Outputs stay: converted functions give the same answers.

>>> cell = {"cell_type": "code", "source": ["%matplotlib inline\\n", "def sign(x):\\n", "    return 1 if x > 0 else -1"]}
>>> raw = json.dumps({"cells": [cell], "nbformat": 4, "nbformat_minor": 4}).encode()
>>> conversion = convert_notebook(raw, "sign.ipynb")
>>> conversion.converted
('sign',)
>>> print("".join(json.loads(conversion.output)["cells"][1]["source"]))
%matplotlib inline
def sign(x):
    return ag__.if_exp(x > 0, lambda: 1, lambda: -1)
"""

from __future__ import annotations

import ast
import json
import re
from bisect import bisect_right
from itertools import accumulate
from typing import Any

from autograph.code.stack_room import room
from autograph.conversion.staged_tree import DEPTH
from autograph.errors import AutoGraphError, ConversionError
from autograph.modules.module_conversion import Conversion, ParsedModule
from autograph.modules.module_functions import Target
from autograph.modules.module_source import Edit, InvalidSource, ModuleSource

SUFFIX = ".ipynb"
_OF_PYTHON = frozenset({"time", "timeit", "capture", "prun", "memit", "mprun"})  # cells below them are Python's
_CELL_MAGIC = re.compile(r"\s*%%(\w+)")
# `%run x.py`, `!ls`, `?f`, `f??`, `files = !ls`: what is in the second group is not Python.
_OF_IPYTHON = re.compile(r"(\s*)([%!?].*)$|(\s*)(\S.*\?)\s*$|([^=]+=\s*)([%!].*)$", re.DOTALL)


@room(DEPTH)
def convert_notebook(raw: bytes, name: str, names: frozenset[str] | None = None) -> Conversion:
    """Converts the functions of a notebook, or only those named.

    Raises:
        InvalidSource: the bytes are no notebook of Python, or a cell cannot be read.
        AutoGraphError: a function cannot be converted; the message says in which cell, where and why.
    """
    notebook = _read(raw, name)
    cells = [cell for cell in notebook["cells"] if cell.get("cell_type") == "code"]
    sources = _Sources(["".join(cell["source"]) for cell in cells])
    try:
        module = sources.module(name)
        if module.is_converted():
            return Conversion(raw, "utf-8", selected=names or frozenset(), already_converted=True)
        edits, selected = module.edits(names)
        for target, edit in edits:
            sources.check(target, edit, module.source)
    except (InvalidSource, AutoGraphError) as error:
        error.args = (sources.with_cells(str(error), name),)
        raise
    if not edits:
        return Conversion(raw, "utf-8", selected=selected)
    for cell, source in zip(cells, sources.edited([edit for _, edit in edits]), strict=True):
        cell["source"] = source.splitlines(keepends=True) if isinstance(cell["source"], list) else source
    notebook["cells"].insert(notebook["cells"].index(cells[0]), _cell(module.import_line, notebook))
    indent = re.match(r"\{\r?\n( +|\t)", raw.decode())
    output = json.dumps(notebook, ensure_ascii=False, indent=indent and indent.group(1)) + "\n" * raw.endswith(b"\n")
    return Conversion(output.encode(), "utf-8", tuple(target.name for target, _ in edits), selected)


class _Sources:
    """The sources of the code cells, below one another."""

    def __init__(self, sources: list[str]) -> None:
        self._sources = sources
        self._text = "\n".join(sources)
        self._starts = [0, *accumulate(len(source) + 1 for source in sources)][: len(sources)]
        self._lines = [self._text.count("\n", 0, start) + 1 for start in self._starts]

    def module(self, name: str) -> ParsedModule:
        """Returns the cells as a module of the same length."""
        parts = (_readable(source, name, line) for source, line in zip(self._sources, self._lines, strict=True))
        text = "\n".join(parts)
        return ParsedModule(ModuleSource.parsed(text, name, ast.parse(text, name)))

    def check(self, target: Target, edit: Edit, read: ModuleSource) -> None:
        """Refuses a function with lines that were read as something else."""
        if read.text[edit.start : edit.end] != self._text[edit.start : edit.end]:
            raise ConversionError(
                f"`{target.name}` has a line that only IPython reads",
                at=(read.filename, target.node.lineno),
                instead="write it outside of the function, or convert the others alone (`--functions a,b`)",
            )

    def edited(self, edits: list[Edit]) -> list[str]:
        """Returns the sources with edits of their source made, of which each is inside one cell."""
        found = list(self._sources)
        for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
            k = bisect_right(self._starts, edit.start) - 1
            start, end = edit.start - self._starts[k], edit.end - self._starts[k]
            found[k] = found[k][:start] + edit.text + found[k][end:]
        return found

    def with_cells(self, message: str, name: str) -> str:
        """Returns the message with a cell and a line in it, where it names a line of all cells together."""

        def placed(match: re.Match[str]) -> str:
            line = int(match.group(1))
            k = bisect_right(self._lines, line) - 1
            return f"{name}, code cell {k + 1}, line {line - self._lines[k] + 1}"

        return re.sub(rf"{re.escape(name)}:(\d+)", placed, message)


def _read(raw: bytes, name: str) -> Any:
    try:
        notebook = json.loads(raw)
    except ValueError as error:
        line, column = getattr(error, "lineno", 1), getattr(error, "colno", 1)
        raise InvalidSource(name, line, column, f"no notebook: {error}") from None
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise InvalidSource(name, 1, 1, "no notebook of format 4 (`jupyter nbconvert --to notebook` writes one)")
    data = notebook.get("metadata", {})
    language = data.get("language_info", {}).get("name") or data.get("kernelspec", {}).get("language") or "python"
    if language != "python":
        raise InvalidSource(name, 1, 1, f"a notebook of {language}")
    return notebook


def _cell(source: str, notebook: Any) -> dict[str, Any]:
    cell: dict[str, Any] = {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": [source],
    }
    if notebook.get("nbformat_minor", 0) >= 5:
        cell["id"] = "autograph-runtime"
    return cell


def _readable(source: str, name: str, first: int) -> str:
    """Returns the source with something of the same length that Python reads for what only IPython does.

    Args:
        first: the number of its first line among those of all cells.
    """
    lines = source.split("\n")
    magic = _CELL_MAGIC.match(source)
    if magic is not None:
        if magic.group(1) not in _OF_PYTHON:
            return "\n".join("#" * len(line) for line in lines)
        at = source.count("\n", 0, magic.start(1))
        lines[at] = "#" * len(lines[at])
    while True:
        try:
            ast.parse("\n".join(lines))
            return "\n".join(lines)
        except SyntaxError as error:
            at = min(error.lineno or 1, len(lines)) - 1
            if not _hide(lines, at):
                raise InvalidSource(name, first + at, error.offset or 1, str(error.msg)) from None
        except ValueError as error:  # null bytes
            raise InvalidSource(name, first, 1, str(error)) from None


def _hide(lines: list[str], at: int) -> bool:
    """Replaces what IPython reads in a line, and in those that go on with it, by `0####` or a comment; whether there was any."""
    found = _OF_IPYTHON.match(lines[at])
    if found is None:
        return False
    kept, _ = (part for part in found.groups() if part is not None)
    is_continued = lines[at].endswith("\\")
    lines[at] = (kept and f"{kept}0").ljust(len(lines[at]), "#")
    while is_continued and at + 1 < len(lines):
        at += 1
        is_continued = lines[at].endswith("\\")
        lines[at] = "#" * len(lines[at])
    return True
