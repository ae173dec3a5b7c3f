"""The catalogue of errors: every page says what happens, every remedy works, every error of the library has a page."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from autograph import errors
from autograph.conversion import unknown_values
from tests import catalogue
from tests.catalogue import Page
from tests.programs.harness import difference

ROOT = Path(__file__).resolve().parent.parent
PAGES = catalogue.pages()
INDEX = ROOT / "docs" / "errors.md"

# Where a message begins its life: an exception of the family is made, or a text in its format for something else.
MAKING = {
    "AutoGraphError", "ConversionError", "SourceError", "Unsupported", "StagingError", "UndefinedVariableError",
    "SignatureError", "refusal", "message",
}  # fmt: skip
WITHOUT_A_PAGE = {
    (
        "conversion/exchanges.py",
        "successor",
    ): "needs a thread that exchanges the code of a function as a call of it binds arguments",
    (
        "operators/python_iteration.py",
        "fail_beyond",
    ): "needs a loop that goes on behind 2**31 numbers on a condition that is known",
    ("code/linking.py", "link"): "only a defect of the library makes such a tree",
    ("conversion/staged_tree.py", "convert_tree"): "says that the library has a defect",
    ("values/locations.py", "_is_read_only"): "only C code that changes what it lets nobody write needs it",
    ("sequences/powers.py", "power"): "is raised by a check when the program runs; the index says what those look like",
    ("modules/module_conversion.py", "_too_deep"): "is a message of the command line; docs/cli.md has it",
    ("modules/notebook_conversion.py", "check"): "is a message of the command line; docs/cli.md has it",
    ("heap/framework_notes.py", "refuse_to_count"): "needs Flax; docs/frameworks.md has it",
    ("saved/trees.py", "_split"): "docs/saving.md has it",
    ("saved/trees.py", "_key"): "docs/saving.md has it",
    ("saved/saving.py", "save"): "docs/saving.md has it",
    ("saved/saving.py", "_calls_back"): "docs/saving.md has it",
    ("tracing/integer_ranges.py", "check_exact"): "makes a loop over a Python range unroll, and is not shown",
}
PASSING_ON = {"autograph/errors.py", "tracing/refusals.py"}  # their callers are the places


@pytest.fixture(params=PAGES, ids=lambda page: f"{page.path.stem}: {page.title}")
def page(request: pytest.FixtureRequest) -> Page:
    found: Page = request.param
    return found


def test_the_program_fails_with_the_message_of_the_page(page: Page, tmp_path: Path) -> None:
    assert catalogue.failure(page.program, tmp_path) == page.message, "see the first lines of tests/catalogue.py"


def test_what_to_write_instead_works_and_agrees_with_plain_python(page: Page, tmp_path: Path) -> None:
    for program in page.instead:
        assert isinstance(ast.parse(program).body[-1], ast.Expr), "it ends in an expression, which is compared"
        converted, plain = catalogue.run(program, tmp_path), catalogue.run_plain(program, tmp_path)
        assert plain is not None and difference(plain, converted, types="kind") is None, program


NAMES = re.compile(r"[A-Za-z_][\w.]*(?=\()|[A-Za-z_]\w*\.[\w.]+\w")  # what is called, or read of a module or an object


def _named(remedy: str) -> set[str]:
    """What a remedy tells to write by name: functions, methods, options, a static argument."""
    code = " ".join([*re.findall(r"`([^`]+)`", remedy), *re.findall(r"\b(?:jax|functools)\.[\w.]+\w", remedy)])
    names = {name.rpartition(".")[2] for name in NAMES.findall(code)} - {"f", "g", "method", "numpy"}  # these stand for others
    return names | ({"(jnp|jax.numpy)"} if "jax.numpy" in remedy else set()) | ({"static_arg"} if "static" in remedy else set())


def test_what_a_remedy_names_is_typed_on_a_page_with_that_remedy() -> None:
    typed: dict[str, str] = {}
    for page in PAGES:
        typed[page.remedy] = "\n".join([typed.get(page.remedy, ""), *page.instead])
    untyped = {remedy: {n for n in _named(remedy) if not re.search(rf"\b{n}", text)} for remedy, text in typed.items()}
    assert not (missing := [f"{remedy}: {sorted(names)}" for remedy, names in untyped.items() if names]), "\n".join(missing)


def test_the_index_lists_every_page_with_its_title_and_the_beginning_of_its_message() -> None:
    row = re.compile(r"^\| \[([^\]]+)\]\(errors/([\w-]+)\.md\) \| (.+) \|$", re.MULTILINE)
    listed = {slug: (title, head) for title, slug, head in row.findall(INDEX.read_text(encoding="utf-8"))}
    first = {page.path: page for page in reversed(PAGES)}.values()
    heads = {page: page.message.splitlines()[0].partition(": ")[2] for page in first}
    assert listed == {page.path.stem: (page.title, heads[page]) for page in first}


def _name(path: Path) -> str:
    """A file with its folder: `heap/journal.py`."""
    return "/".join(path.parts[-2:])


def _places() -> Iterator[tuple[str, str, range]]:
    """File, function and lines of every call that makes a message."""
    for folder in ("autograph", "converters", "runtime"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if _name(path) in PASSING_ON or path.relative_to(ROOT).parts[1] in ("converters", "runtime"):  # or a link
                continue
            for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(function, ast.FunctionDef):
                    for node in _calls(function):
                        assert node.end_lineno is not None
                        yield _name(path), function.name, range(node.lineno, node.end_lineno + 1)


def _calls(function: ast.FunctionDef) -> Iterator[ast.Call]:
    """The calls that make a message in a function, not those in functions inside it."""
    pending: list[ast.AST] = [*function.body]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.FunctionDef):
            continue
        pending.extend(ast.iter_child_nodes(node))
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in MAKING and node.args:
                yield node


def test_every_message_of_the_library_has_a_page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    reached: set[tuple[str, int]] = set()
    message = errors.message

    def recorded(*args: Any, **kwargs: Any) -> str:
        frame = sys._getframe(1)
        while _name(Path(frame.f_code.co_filename)) in PASSING_ON and frame.f_back is not None:
            frame = frame.f_back
        reached.add((_name(Path(frame.f_code.co_filename)), frame.f_lineno))
        return message(*args, **kwargs)

    for module in (errors, unknown_values):
        monkeypatch.setattr(module, "message", recorded)
    for page in PAGES:
        catalogue.failure(page.program, tmp_path)
    places = list(_places())
    assert len(places) > 40
    missing = [
        f"{file}:{lines.start} in {function}()"
        for file, function, lines in places
        if (file, function) not in WITHOUT_A_PAGE and not any((file, line) in reached for line in lines)
    ]
    assert not missing, "no page of docs/errors/ shows the messages made in\n" + "\n".join(missing)
    for entry in WITHOUT_A_PAGE:
        assert any((file, function) == entry for file, function, _ in places), f"{entry} makes no message"
