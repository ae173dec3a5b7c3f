"""`docs/limits.md`: every row has programs, every program a row, and both do what the page says."""

from __future__ import annotations

import inspect
import re
import textwrap
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np
import pytest

from tests import catalogue
from tests.limits import DECORATORS, DIFFERENT, INSTEAD, Program, Raises, Written
from tests.namespaces import documented
from tests.programs.harness import Raised, difference, outcome
from tests.typed_code import is_typed

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE = (DOCS / "limits.md").read_text(encoding="utf-8")


class Row(NamedTuple):
    """A row of the page: its anchor, its cells, and the title of the part in which it stands."""

    anchor: str
    cells: list[str]
    part: str


def rows() -> list[Row]:
    """The rows of all tables with anchors, in the order of the page."""
    found = []
    for part in re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]:
        for line in part.splitlines():
            if anchor := re.match(r'\| <a id="([\w-]+)"></a>', line):
                cells = re.split(r"(?<!\\) \| ", line.removeprefix(anchor[0]).removesuffix(" |"))
                found.append(Row(anchor[1], [cell.strip() for cell in cells], part.splitlines()[0]))
    return found


ROWS = rows()
SILENT = "Different on purpose"
LINK = r"\]\((errors/[\w-]+\.md)\)"
ANCHORS = [row.anchor for row in ROWS]
OF_NAMES = {row.anchor for row in documented.ROWS}
"""Anchors whose programs `tests/test_namespaces.py` runs."""


def run(program: Written, *, plain: bool) -> Any:
    """The outcome of a program in plain Python, or with the decorator that its parameter names."""
    (name,) = inspect.signature(program).parameters
    return outcome(lambda: program((lambda fn: fn) if plain else DECORATORS[name]))


def shown(value: Any) -> Any:
    """An outcome as the programs state it: Python's numbers with six digits, lists, and exceptions."""
    if isinstance(value, Raised):
        return Raises(f"{type(value.error).__name__}: {value.error}")
    if isinstance(value, np.ndarray | np.generic | jax.Array):
        return shown(value.tolist())
    if isinstance(value, tuple | list):
        return type(value)(map(shown, value))
    return float(f"{value:.6g}") if isinstance(value, float) and abs(value) < 1e6 else value


def is_as_stated(value: Any, stated: Any) -> bool:
    """Whether an outcome is the one that a program states."""
    found = shown(value)
    if isinstance(stated, Raises):
        return isinstance(found, Raises) and stated.words in found.words
    return repr(found) == repr(stated)


def test_every_row_has_a_program_and_every_program_a_row() -> None:
    assert len(set(ANCHORS)) == len(ANCHORS)
    programs = DIFFERENT.keys() | OF_NAMES
    assert (programs | INSTEAD.keys()) - set(ANCHORS) == set()
    pages = {row.anchor: re.findall(LINK, row.cells[1]) for row in ROWS if row.part != SILENT}
    assert [row.anchor for row in ROWS if row.anchor not in programs and not pages.get(row.anchor)] == []
    assert [page for found in pages.values() for page in found if not (DOCS / page).exists()] == []


def test_every_remedy_is_typed_in_a_program() -> None:
    blocks: dict[str, list[str]] = {}
    for page in catalogue.pages():
        blocks.setdefault(f"errors/{page.path.name}", []).extend(page.instead)
    untyped = []
    for row in ROWS:
        own = [textwrap.dedent(inspect.getsource(INSTEAD[row.anchor]))] if row.anchor in INSTEAD else []
        programs = own or [block for page in re.findall(LINK, row.cells[1]) for block in blocks[page]]
        code = re.findall(r"`([^`]+)`", row.cells[2])
        untyped += [
            f"{row.anchor}: {part}" for part in code if not any(is_typed(part, program) for program in programs)
        ]
        if row.cells[2] != "—" and not programs:
            untyped.append(row.anchor)
    assert not untyped, "\n".join(untyped)


def test_cells_and_sentences_are_short() -> None:
    assert len(ROWS) <= 80
    shown = re.sub(r"\]\([^)]*\)|<a id=[^>]*></a>|`[^`]*`", lambda link: "]" if link[0][0] == "]" else "code", PAGE)
    lines = [line.strip() for line in shown.splitlines()]
    cells = [cell for line in lines if line.startswith("| ") for cell in line.split(" | ")]
    prose = "\n".join("" if line.startswith(("|", "#")) else line for line in lines)
    sentences = re.split(r"(?<=[.:?])\s|\n\s*\n|^\* ", prose, flags=re.MULTILINE)
    assert [cell for cell in cells if len(cell.split()) > 25] == []
    assert [sentence for sentence in sentences if len(sentence.split()) > 18] == []


def test_links_to_a_part_or_a_row_lead_there() -> None:
    titles = re.findall(r"^#+ (.*)$", PAGE, re.MULTILINE)
    known = {*ANCHORS, *(re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles)}
    pages = [*DOCS.rglob("*.md"), *DOCS.parent.glob("*.md")]
    linked = [part for page in pages for part in re.findall(r"limits\.md#([\w-]+)", page.read_text(encoding="utf-8"))]
    assert linked and set(linked + re.findall(r"\]\(#([\w-]+)\)", PAGE)) - known == set()


@pytest.mark.parametrize("anchor", DIFFERENT)
def test_the_program_of_a_row_is_different_in_that_way(anchor: str) -> None:
    program: Program = DIFFERENT[anchor]
    found = run(program.run, plain=True), run(program.run, plain=False)
    assert all(map(is_as_stated, found, (program.python, program.compiled))), [*map(shown, found)]


@pytest.mark.parametrize("anchor", INSTEAD)
def test_what_to_write_instead_agrees_with_plain_python(anchor: str) -> None:
    plain, compiled = run(INSTEAD[anchor], plain=True), run(INSTEAD[anchor], plain=False)
    assert difference(plain, compiled, types="kind") is None
