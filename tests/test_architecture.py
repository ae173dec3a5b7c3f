"""docs/architecture.md is true: it names every module and operator, its example is what converters make, imports point down."""

import ast
import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from autograph import runtime
from tests.converters.converting import converted_module

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")

FOLDERS = {
    "autograph": ROOT / "autograph",
    "autograph.analyses": ROOT / "autograph" / "analyses",
    "autograph.converters": ROOT / "converters",
    "autograph.runtime": ROOT / "runtime",
}
MODULES = {
    package if path.stem == "__init__" else f"{package}.{path.stem}": path
    for package, folder in FOLDERS.items()
    for path in sorted(folder.glob("*.py"))
}


def section(title: str) -> str:
    return re.split(r"^#+ ", PAGE.partition(f"# {title}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]


SECTIONS = {
    "autograph": ["The public names", "The command line", "The way of one function", "Converters and their tools"],
    "autograph.analyses": ["Converters and their tools"],
    "autograph.converters": ["Converters and their tools"],
    "autograph.runtime": ["The runtime"],
}


@pytest.mark.parametrize("package", FOLDERS)
def test_every_module_is_named(package: str) -> None:
    named = re.findall(r"(\w+)\.py`", "".join(map(section, SECTIONS[package])))
    files = {path.stem for path in FOLDERS[package].glob("*.py")} - {"__init__"}
    assert files - set(named) == set()


def test_every_module_that_is_named_exists() -> None:
    known = {path.stem for path in MODULES.values()}
    assert set(re.findall(r"(\w+)\.py`", PAGE)) - known == set()


def test_every_operator_is_named() -> None:
    operators = {
        name for name in vars(runtime) if not name.startswith("_") and f"autograph.runtime.{name}" not in MODULES
    }
    assert len(operators) > 30
    assert {name for name in operators if not re.search(rf"[` ]{name}[`(]", PAGE)} == set()


def test_the_example_is_what_converters_make() -> None:
    lines = PAGE.partition("    def f(n):   ")[2].partition("**Operators**")[0].splitlines()
    lines[0] = "    def f(n):   " + lines[0]
    width = lines[0].rindex("def f")
    before, after = ("\n".join(part(line) for line in lines) for part in (lambda s: s[4:width], lambda s: s[width:]))
    made = ast.unparse(converted_module(before))
    assert _lines(made) == _lines(after)


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def imports_of(name: str) -> set[str]:
    """The modules of the library that a module imports when it is imported; for the type checker does not count."""
    found: set[str] = set()
    pending = list(ast.parse(MODULES[name].read_text(encoding="utf-8")).body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.ImportFrom):
            candidates = [f"{node.module}.{item.name}" for item in node.names]
            found.update(item if item in MODULES else str(node.module) for item in candidates)
        elif isinstance(node, ast.Import):
            found.update(item.name for item in node.names)
        elif isinstance(node, ast.If | ast.Try) and "TYPE_CHECKING" not in ast.unparse(node).partition("\n")[0]:
            pending.extend([*node.body, *node.orelse])
    return (found & MODULES.keys()) - {name}


def below(package: str) -> set[str]:
    """The modules of other folders that those of a package import."""
    found = {item for name in MODULES if name.startswith(package) for item in imports_of(name)}
    return {item for item in found if not item.startswith(package)}


def test_imports_point_downwards() -> None:
    assert below("autograph.runtime") == {
        "autograph.errors",
        "autograph.jax_internals",
        "autograph.switches",
        "autograph.telling",
    }
    assert below("autograph.analyses") == {"autograph.nodes"}
    tools = {
        f"autograph.{name}" for name in ("templates", "naming", "library", "locations", "nodes", "options", "switches")
    }
    assert {name for name in below("autograph.converters") if not name.startswith("autograph.analyses")} == tools


def test_no_module_imports_itself_by_way_of_others() -> None:
    modules = [name for name in MODULES if not name.startswith("autograph.runtime")]  # operators call each other
    order = list(TopologicalSorter({name: imports_of(name) & {*modules} for name in modules}).static_order())
    assert sorted(order) == sorted(modules)


RUNS_CODE = {
    ("autograph.import_hook", "exec"): "a module of the user's, when the user imports it",
    ("autograph.script", "exec"): "the script that the user asked to run",
    ("autograph.module_names", "import_module"): "JAX, NumPy and the standard library, whose names a text uses",
    ("autograph.author_modules", "loads"): "what the import hook kept beside Python's own `.pyc` files",
    ("autograph.author_modules", "load"): "the same",
    ("autograph.pipeline", "loads"): "a function of the user's that was pickled by value",
    ("autograph.runtime.unseen_writes", "eval"): "what the user calls",
    ("autograph.runtime.unseen_writes", "exec"): "what the user calls",
    ("autograph.converters.base", "eval"): "compared with what the user calls",
    ("autograph.converters.base", "exec"): "compared with what the user calls",
}
"""Everything that may run or load code, by module, and what that is."""


def test_nothing_is_evaluated_but_what_the_user_runs() -> None:
    names = {"eval", "exec", "__import__"}
    attributes = {
        "import_module",
        "exec_module",
        "load_module",
        "load",
        "loads",
        "run_module",
        "run_path",
        "eval",
        "exec",
    }
    found = set()
    for module, path in MODULES.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Name) and node.id in names:
                found.add((module, node.id))
            elif isinstance(node, ast.Attribute) and node.attr in attributes:
                found.add((module, node.attr))
            elif isinstance(node, ast.ImportFrom) and node.module in ("importlib", "marshal", "pickle", "runpy"):
                found.update((module, alias.name) for alias in node.names if alias.name in attributes)
    assert found == set(RUNS_CODE)
