"""The catalogue of errors: every page says what happens, every remedy works, every error of the library has a page."""

from __future__ import annotations

import ast
import functools
import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from autograph import errors
from autograph.conversion import unknown_values
from autograph.runtime.sequences import traced_keys
from tests import catalogue
from tests.catalogue import Page
from tests.programs.harness import difference
from tests.typed_code import is_typed

ROOT = Path(__file__).resolve().parent.parent
PAGES = catalogue.pages()
INDEX = ROOT / "docs" / "errors.md"

# Where a message begins its life: an exception of the family is made, or a string in its format for something else.
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
    ("graphs/tensorboard.py", "write_events"): "needs an environment without TensorBoard; docs/graphs.md has it",
    ("modules/notebook_conversion.py", "check"): "is a message of the command line; docs/cli.md has it",
    ("heap/library_notes.py", "refuse_to_number"): "needs Flax; docs/frameworks.md has it",
    ("conversion/unknown_values.py", "_say_of_models"): "needs Flax; docs/frameworks.md has it",
    ("saved/trees.py", "_split"): "docs/saving.md has it",
    ("saved/trees.py", "_key"): "docs/saving.md has it",
    ("saved/tensorflow.py", "to_saved_model"): "docs/saving.md has it",
    ("saved/tensorflow.py", "_refused"): "docs/saving.md has it",
    ("saved/saving.py", "save"): "docs/saving.md has it",
    ("functions/saving.py", "saved"): "docs/saving.md has it",
    ("saved/saving.py", "calls_back"): "docs/saving.md has it",
    ("saved/container.py", "content"): "needs several devices; docs/saving.md has it",
    ("tracing/integer_ranges.py", "check_exact"): "makes a loop over a Python range unroll, and is not shown",
}
REMEDIES_WITHOUT_A_PAGE = [
    "ag.jit(lambda n: 2.0**n)(-1)",  # sequences/powers.py
    "def f(n):\n    p = 1.0\n    for k in ag.range(n):\n        p = p * (k + 1)\n    return p\n\n\nag.jit(f)(15)",  # check_exact
    "def f(x):\n    k = 1e9\n    while k < 1e12 and k < x:\n        k = 2.0 * k\n    return k\n\n\nag.jit(f)(4e9)",  # fail_beyond
    "import datetime\n\n\ndef f(x):\n    day = datetime.date(2020, 1, 2)\n    if x > 0:\n        x = x + 1\n"
    "    day = day.replace(year=2021)\n    return x + day.year\n\n\nag.jit(f)(1)",  # values/locations.py
]
ELSEWHERE = {
    "begin with a list of one element": "plain Python raises an IndexError there",
    "frozen modules have none": "needs Python to begin with another option; tests/test_refusals.py types it",
    "define the function in a cell of its own, and time": "needs IPython; tests/test_prompt.py types it",
    "put the function into a file or a notebook, or type": "needs a terminal; tests/test_prompt.py types it",
    "save the function without `jax.shard_map`": "needs several devices; tests/functions/test_devices.py types it",
    "make the layers in `setup` or before": "needs Flax; tests/frameworks/test_flax_linen.py types it",
    "make the model an argument of the compiled function": "needs Flax; tests/frameworks/test_flax_nnx.py types it",
    "make a variable in both branches or before": "needs Flax; tests/frameworks/test_flax_linen.py types it",
    "pass the value on in variables": "JAX finds such a value when the trace is over, outside of converted functions",
    "write `jax.debug.print(...)`": "stands for a line that names no format of its own",
}
"""Remedies without a program on a page, by their beginnings."""
TYPED_ELSEWHERE = {
    ("conversion/unknown_values.py", "_say_of_models"): "tests/frameworks/test_flax_nnx.py",
    ("heap/library_notes.py", "remedy"): "tests/frameworks/test_flax_linen.py",
    ("heap/library_notes.py", "refuse_to_number"): "tests/frameworks/test_flax_linen.py",
    ("functions/saving.py", "saved"): "tests/functions/test_saving.py",
    ("saved/saving.py", "calls_back"): "tests/functions/test_saving.py",
    ("saved/trees.py", "_split"): "tests/functions/test_saving.py",
}
"""The files of tests that type what the messages of a function name in code, where no page does."""
PASSING_ON = {"autograph/errors.py", "tracing/refusals.py"}  # their callers are the places


@pytest.fixture(params=PAGES, ids=lambda page: f"{page.path.stem}: {page.title}")
def page(request: pytest.FixtureRequest) -> Page:
    found: Page = request.param
    return found


def test_the_program_fails_with_the_message_of_the_page(page: Page, tmp_path: Path) -> None:
    assert catalogue.failure(page.program, tmp_path) == page.message, "see the first lines of tests/catalogue.py"
    assert page.message.endswith(f"\n  for more, run: autograph error {page.path.stem}\n")


def test_what_to_write_instead_works_and_agrees_with_plain_python(page: Page, tmp_path: Path) -> None:
    for program in page.instead:
        assert isinstance(ast.parse(program).body[-1], ast.Expr), "it ends in an expression, which is compared"
        converted, plain = catalogue.run(program, tmp_path), catalogue.run_plain(program, tmp_path)
        assert plain is not None and difference(plain, converted, types="kind") is None, program


@pytest.mark.parametrize("program", REMEDIES_WITHOUT_A_PAGE)
def test_the_remedies_of_messages_without_a_page_work(program: str, tmp_path: Path) -> None:
    converted, plain = catalogue.run(program, tmp_path), catalogue.run_plain(program, tmp_path)
    assert plain is not None and difference(plain, converted, types="kind") is None


CODE = re.compile(r"`([^`]+)`( for `[^`]+`)?")
"""Code in a message; behind `for` stands what it takes the place of."""
IN_PROSE = re.compile(r"\b(?:jax|functools)\.[\w.]+\w|jax\.numpy|static argument|x\[\w\] = \.\.\.")
LEFT_OUT = frozenset({"jit", "ag.do_not_convert", "dtype"})
"""What a message names in code and says to leave out."""


def _named(remedy: str) -> set[str]:
    """The code that a remedy tells to write."""
    prose = CODE.sub("", remedy)
    words = {"static argument": "static_argnums", "x[n] = ...": "x[n] = v", "x[i] = ...": "x[i] = v"}
    return {code for code, _ in CODE.findall(remedy)} - LEFT_OUT | {words.get(word, word) for word in IN_PROSE.findall(prose)}


def test_what_a_remedy_names_is_typed_on_a_page_with_that_remedy() -> None:
    programs: dict[str, list[str]] = {}
    for page in PAGES:
        programs.setdefault(page.remedy, []).extend(page.instead)
    untyped = [
        f"{remedy}: {code}"
        for remedy, blocks in programs.items()
        for code in sorted(_named(remedy))
        if not any(is_typed(code, block) for block in blocks)
    ]
    assert not untyped, "\n".join(untyped)


@functools.cache
def _remedies() -> list[tuple[str, str, tuple[str, str]]]:
    """What the library may say to write instead: patterns of the strings in its source, each with its line and its function."""
    found = []
    of_all = dict(pair for _, tree in _modules() for pair in _positions(tree) if not pair[0].startswith("_"))
    for path, tree in _modules():
        positions = of_all | dict(_positions(tree))
        name = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
        module = importlib.import_module(name if name.partition(".")[0] == "autograph" else f"autograph.{name}")
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef | ast.Module):
                where = _name(path), getattr(function, "name", "")
                for node in _own_nodes(function):
                    for text in _strings(_remedy_in(node, function, positions), vars(module)):
                        found.append((text, f"{path}:{node.lineno}", where))
    return found


def _positions(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """At which place functions, and the classes of tuples and exceptions, take what to write instead."""
    methods = [item for node in tree.body if isinstance(node, ast.ClassDef) for item in node.body]
    for node in [*tree.body, *methods]:
        if isinstance(node, ast.ClassDef):
            made = next((item for item in node.body if getattr(item, "name", "") == "__init__"), None)
            names = [item.target.id for item in node.body if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)]
            if isinstance(made, ast.FunctionDef):
                names = [item.arg for item in made.args.args[1:]]
        elif isinstance(node, ast.FunctionDef):
            names = [item.arg for item in node.args.args if item.arg != "self"]
        else:
            continue
        if "instead" in names:
            yield node.name, names.index("instead")


def _remedy_in(node: Any, function: ast.FunctionDef | ast.Module, positions: dict[str, int]) -> ast.expr | None:
    """The expression by which a node says what to write instead."""
    if isinstance(node, ast.Call):
        place = positions.get(getattr(node.func, "attr", getattr(node.func, "id", "")), len(node.args))
        return node.args[place] if place < len(node.args) else None
    if isinstance(node, ast.keyword) and node.arg == "instead":
        return node.value
    if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in ("instead", "remedy"):
        return node.value
    is_of_remedy = isinstance(node, ast.Return) and "remedy" in getattr(function, "name", "")
    return node.value if is_of_remedy else None


def _strings(value: ast.AST | None, names: dict[str, Any]) -> Iterator[str]:
    """The strings that an expression may stand for."""
    if isinstance(value, ast.Constant) and value.value:
        yield re.escape(str(value.value))
    elif isinstance(value, ast.Name | ast.Attribute):
        inside = isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name) and names.get(value.value.id)
        found = names.get(value.id) if isinstance(value, ast.Name) else getattr(inside, value.attr, None)
        yield from [
            re.escape(text)
            for text in (found.values() if isinstance(found, dict) else [found])
            if isinstance(text, str)
        ]
    elif isinstance(value, ast.JoinedStr):
        parts = [
            [*_strings(getattr(part, "value", None) if isinstance(part, ast.FormattedValue) else part, names)]
            for part in value.values
        ]
        yield "".join(texts[0] if len(texts) == 1 else ".*" for texts in parts)
    elif isinstance(value, ast.BinOp):  # a part that may follow, with an operator
        left, right = [*_strings(value.left, names)] or [".*"], [*_strings(value.right, names)] or [".*"]
        is_sum = isinstance(value.op, ast.Add)
        yield from (first + second for first in left for second in right) if is_sum else left
    elif isinstance(value, ast.Tuple):  # with the page that shows it
        yield from _strings(value.elts[0], names)
    elif isinstance(value, ast.IfExp | ast.BoolOp):
        for branch in value.values if isinstance(value, ast.BoolOp) else (value.body, value.orelse):
            yield from _strings(branch, names)
    elif isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "get":
        yield from _strings(value.func.value, names)


@pytest.mark.slow
def test_every_remedy_of_the_library_is_on_a_page() -> None:
    remedies = [(text, at) for text, at, where in _remedies() if where not in WITHOUT_A_PAGE]
    assert len(remedies) > 100
    shown = [page.remedy for page in PAGES]
    missing = [
        f"{at}: {text}"
        for text, at in remedies
        if not any(re.search(text, remedy) for remedy in shown)
        and not text.startswith(tuple(map(re.escape, ELSEWHERE)))
    ]
    assert not missing, "no page of docs/errors/ tells and types\n" + "\n".join(missing)


@pytest.mark.slow
def test_what_a_remedy_without_a_page_names_is_typed_in_a_test() -> None:
    untyped = [
        f"{at}: {code}"
        for text, at, where in _remedies()
        if where in TYPED_ELSEWHERE
        for code in sorted(_named(re.sub(r"\\(.)", r"\1", text)))
        if ".*" not in code and not is_typed(code, (ROOT / TYPED_ELSEWHERE[where]).read_text(encoding="utf-8"))
    ]
    assert not untyped, "\n".join(untyped)


def test_the_index_lists_every_page_with_its_title_and_the_beginning_of_its_message() -> None:
    row = re.compile(r"^\| \[([^\]]+)\]\(errors/([\w-]+)\.md\) \| (.+) \|$", re.MULTILINE)
    listed = {slug: (title, head) for title, slug, head in row.findall(INDEX.read_text(encoding="utf-8"))}
    first = {page.path: page for page in reversed(PAGES)}.values()
    heads = {page: page.message.splitlines()[0].partition(": ")[2] for page in first}
    assert listed == {page.path.stem: (page.title, heads[page]) for page in first}


def _name(path: Path) -> str:
    """A file with its folder: `heap/journal.py`."""
    return "/".join(path.parts[-2:])


@functools.cache
def _modules() -> list[tuple[Path, ast.Module]]:
    """The modules of the library, by their paths below the checkout."""
    return [
        (path.relative_to(ROOT), ast.parse(path.read_text(encoding="utf-8")))
        for folder in ("autograph", "converters", "runtime")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if path.relative_to(ROOT).parts[1] not in ("converters", "runtime", "__main__.py")  # those are links
    ]


def _places() -> Iterator[tuple[str, str, ast.Call]]:
    """Yields file, function and node of every call that makes a message."""
    for path, tree in _modules():
        for function in ast.walk(tree):
            if _name(path) not in PASSING_ON and isinstance(function, ast.FunctionDef):
                for node in _own_nodes(function):
                    name = (
                        getattr(node.func, "attr", getattr(node.func, "id", "")) if isinstance(node, ast.Call) else ""
                    )
                    if isinstance(node, ast.Call) and name in MAKING and node.args:
                        yield _name(path), function.name, node


def _own_nodes(function: ast.FunctionDef | ast.Module) -> Iterator[Any]:
    """The nodes of a function or a module, not those in functions inside it."""
    pending: list[ast.AST] = [*function.body]
    while pending:
        node = pending.pop()
        if not isinstance(node, ast.FunctionDef):
            pending.extend(ast.iter_child_nodes(node))
            yield node


@pytest.mark.slow
def test_every_message_of_the_library_has_a_page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    reached: set[tuple[str, int]] = set()
    message = errors.message

    def recorded(*args: Any, **kwargs: Any) -> str:
        frame = sys._getframe(1)
        while _name(Path(frame.f_code.co_filename)) in PASSING_ON and frame.f_back is not None:
            frame = frame.f_back
        reached.add((_name(Path(frame.f_code.co_filename)), frame.f_lineno))
        return message(*args, **kwargs)

    for module in (errors, unknown_values, traced_keys):
        monkeypatch.setattr(module, "message", recorded)
    for page in PAGES:
        catalogue.failure(page.program, tmp_path)
    places = list(_places())
    assert len(places) > 40
    missing = [
        f"{file}:{node.lineno} in {function}()"
        for file, function, node in places
        if (file, function) not in WITHOUT_A_PAGE
        and not any((file, line) in reached for line in range(node.lineno, (node.end_lineno or 0) + 1))
    ]
    assert not missing, "no page of docs/errors/ shows the messages made in\n" + "\n".join(missing)
    for entry in WITHOUT_A_PAGE:
        assert any((file, function) == entry for file, function, _ in places), f"{entry} makes no message"


def test_every_message_names_a_page_which_exists() -> None:
    for file, function, node in _places():
        passes_on = len(node.args) == 1 and not node.keywords and not isinstance(node.args[0], ast.Constant | ast.JoinedStr)
        names_one = any(keyword.arg == "page" for keyword in node.keywords)
        assert passes_on or names_one != ((file, function) in WITHOUT_A_PAGE), f"{file}:{node.lineno}"
    named = {word for _, tree in _modules() for node in ast.walk(tree) for word in _pages_in(node)}
    assert len(named) > 100
    assert named <= {page.path.stem for page in PAGES}


def _pages_in(node: ast.AST) -> Iterator[str]:
    """Yields the names of pages that a node gives to a message, or a table or a function of pages holds."""
    value: ast.AST | None = None
    if isinstance(node, ast.keyword) and node.arg == "page":
        value = node.value
    elif isinstance(node, ast.Assign | ast.AnnAssign) and "page" in ast.unparse(getattr(node, "targets", [node])[0]).lower():
        value = node.value
    elif isinstance(node, ast.FunctionDef) and re.search("page|remedy", node.name):
        value = node
    for part in () if value is None else ast.walk(value):
        if isinstance(part, ast.Constant) and re.fullmatch(r"[a-z]+(-[a-z]+)+", str(part.value)):
            yield part.value
