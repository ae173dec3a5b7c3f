"""docs/architecture.md is true: it names every module and operator, its example is what converters make, imports point down."""

import ast
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from autograph.converters import CONVERTERS
from autograph.runtime.tracing import context, host
from tests.converters.converting import converted_module

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def _modules() -> Iterator[tuple[str, Path]]:
    for folder, package in (
        ("autograph", "autograph"),
        ("converters", "autograph.converters"),
        ("runtime", "autograph.runtime"),
    ):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if path.relative_to(ROOT).parts[:2] not in {
                ("autograph", "converters"),
                ("autograph", "runtime"),
            }:  # the links
                steps = path.relative_to(ROOT / folder).with_suffix("").parts
                yield ".".join((package, *(step for step in steps if step != "__init__"))), path


MODULES = dict(_modules())
"""The file of each module of the library."""

STRATA = (
    "autograph.first_use",
    "autograph.switches",
    "autograph._version",
    "autograph.errors",
    "autograph.options",
    "autograph.verbosity",
    "autograph.tensor_specs",
    "autograph.code",
    "autograph.jax_internals",
    "autograph.jax_dispatch",
    "autograph.jitted",
    "autograph.analyses",
    "autograph.converters",
    "autograph.runtime.tracing",
    "autograph.runtime.values",
    "autograph.runtime.heap",
    "autograph.runtime.jaxprs",
    "autograph.runtime.checks",
    "autograph.runtime.sequences",
    "autograph.runtime.carry",
    "autograph.runtime.operators",
    "autograph.runtime.library",
    "autograph.runtime.calls",
    "autograph.runtime",
    "autograph.conversion",
    "autograph.directives",
    "autograph.api",
    "autograph.graphs",
    "autograph.modules",
    "autograph.saved",
    "autograph.functions",
    "autograph",
    "autograph.cli",
    "autograph.__main__",
)
"""The folders and single files of the library, lowest first: each imports those before it, and nothing else."""

LATE = {
    ("autograph.code.source", "autograph.code.reloading"): "imported where IPython reloads what is edited",
    ("autograph.code.source", "autograph.code.source_errors"): "imported with the first function without a source",
    ("autograph.conversion.eager_calls", "autograph.api"): "compared with the decorators of the user's functions",
    ("autograph.conversion.pipeline", "autograph.conversion.original_body"): "imported with the first author's body",
    ("autograph.conversion.pipeline", "autograph.runtime.checks.size_bounds"): "imported where a function has bounds",
    ("autograph.conversion.reach", "autograph.conversion.changed_models"): "imported where models of Flax NNX may be arguments",
    ("autograph.conversion.reach", "autograph.conversion.returned_values"): "imported with the first trace",
    ("autograph.conversion.reach", "autograph.runtime.checks.certain_failures"): "imported with the first failure",
    ("autograph.conversion.reach", "autograph.runtime.library.debuggers"): "imported where a debugger may be at work",
    ("autograph.conversion.staged_tree", "autograph.code.translation"): "imported with the first conversion",
    ("autograph.conversion.staged_tree", "autograph.converters"): "imported with the first conversion",
    ("autograph.runtime.heap.outside", "autograph.runtime.heap.library_state"): "which announces to the journal",
    ("autograph.runtime.sequences.counted_range", "autograph.runtime.sequences.ranges"): "which is built on the class",
    ("autograph.runtime.values.merge", "autograph.runtime.values.row_forms"): "imported with the first arrays of two lengths",
}
"""The imports inside functions, each with its reason."""


def stratum(module: str) -> int:
    """The place in the order of the folder or file that a module belongs to."""
    return STRATA.index(max((name for name in STRATA if f"{module}.".startswith(f"{name}.")), key=len))


def section(title: str) -> str:
    return re.split(r"^## ", PAGE.partition(f"## {title}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]


def rows() -> dict[str, str]:
    """What the tables of the page say of each file: the folder stands in the heading above."""
    found: dict[str, str] = {}
    folder = ""
    for line in section("Modules").splitlines():
        if line.startswith("### "):
            folder = line.split("`")[1]
        elif match := re.fullmatch(r"\| `(\w+\.py)` \| (.*) \|", line):
            found[folder + match[1]] = match[2]
    return found


def test_every_file_is_in_the_table_of_its_folder_by_its_first_sentence() -> None:
    files = [path for path in MODULES.values() if path.stem != "__init__"]
    assert rows() == {path.relative_to(ROOT).as_posix(): _first_sentence(path) for path in files}


def _first_sentence(path: Path) -> str:
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return docstring.partition("\n\n")[0].replace("\n", " ").replace("|", "\\|")


def test_every_module_that_is_named_exists() -> None:
    known = {path.relative_to(ROOT).as_posix() for path in MODULES.values()}
    named = {name for name in re.findall(r"`([\w/]+\.py)`", PAGE) if "/" in name}
    assert named - known - {"tests/test_architecture.py"} == set()
    stems = {path.name for path in MODULES.values()}
    assert {name for name in re.findall(r"`(\w+\.py)`", PAGE)} - stems == set()


def test_the_worked_examples_are_what_stands_in_the_files() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    example = page.partition("    def _reversed")[1] + page.partition("    def _reversed")[2].partition("\n\n")[0]
    builtins = MODULES["autograph.runtime.library.builtin_functions"].read_text(encoding="utf-8")
    assert textwrap.dedent(example) + "\n" in builtins and "    reversed: _reversed,\n" in builtins
    paths = set(re.findall(r"`((?:\w+/)+(?:\w+\.(?:py|md))?)`", page))
    assert len(paths) > 20 and {path for path in paths if not (ROOT / path).exists()} == set()
    text = "".join(path.read_text(encoding="utf-8") for path in MODULES.values())
    named = {name for name in re.findall(r"`([A-Za-z_]*_[A-Za-z_]*|[A-Z][a-z]+)`", page)}
    assert {name for name in named if not re.search(rf"\b{name}\b", text)} == set()
    for point in re.split(r"\n(?=\* |\d\. |\n)", page):  # a private name stands in a file that is named beside it
        files = [ROOT / path for path in re.findall(r"`((?:\w+/)+\w+\.py)`", point)]
        beside = "".join(file.read_text(encoding="utf-8") for file in files)
        assert [name for name in re.findall(r"`(_\w+)`", point) if files and not re.search(rf"\b{name}\b", beside)] == []


def test_the_example_is_what_converters_make() -> None:
    lines = PAGE.partition("    def f(n):   ")[2].partition("**Operators.**")[0].splitlines()
    lines[0] = "    def f(n):   " + lines[0]
    width = lines[0].rindex("def f")
    before, after = ("\n".join(part(line) for line in lines) for part in (lambda s: s[4:width], lambda s: s[width:]))
    made = ast.unparse(converted_module(before))
    assert _lines(made) == _lines(after)


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def imports_of(name: str) -> tuple[set[str], set[str]]:
    """The modules that a module imports when it is imported, and inside of functions; for the type checker does not count."""
    found: tuple[set[str], set[str]] = set(), set()
    pending: list[tuple[ast.AST, bool]] = [(ast.parse(MODULES[name].read_text(encoding="utf-8")), False)]
    while pending:
        node, is_late = pending.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.ImportFrom):
            candidates = [f"{node.module}.{item.name}" for item in node.names]
            found[is_late].update(item if item in MODULES else str(node.module) for item in candidates)
        elif isinstance(node, ast.Import):
            found[is_late].update(item.name for item in node.names)
        is_late = is_late or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        pending.extend((child, is_late) for child in ast.iter_child_nodes(node))
    return (found[0] & MODULES.keys()) - {name}, (found[1] & MODULES.keys()) - {name}


def test_imports_point_downwards() -> None:
    upwards = [
        (module, item) for module in MODULES for item in imports_of(module)[0] if stratum(item) > stratum(module)
    ]
    assert upwards == []


def test_every_import_inside_a_function_has_a_reason() -> None:
    assert {(module, item) for module in MODULES for item in imports_of(module)[1]} == LATE.keys()


@pytest.mark.slow
def test_no_module_imports_itself_by_way_of_others() -> None:
    graph = {name: imports_of(name)[0] for name in MODULES}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"a circle: {error.args[1]}")


ONE_NAME_FOR_ONE_IDEA = {
    "add_arguments": "the commands, each by itself",
    "run": "the same",
    "staged": "the staged body of a function: `conversion` makes it, `calls` says which functions have one",
}
"""The names of functions that stand in several modules and mean the same in each."""


def test_no_two_functions_of_one_name_do_different_things() -> None:
    found: dict[str, set[str]] = {}
    for module, path in MODULES.items():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                found.setdefault(node.name, set()).add(module)
    assert {name for name, modules in found.items() if len(modules) > 1} == ONE_NAME_FOR_ONE_IDEA.keys()


MOST_PARAMETERS = 7
OPERATORS_WITH_MORE = {"if_stmt", "while_loop", "for_loop"}
"""Called by generated code, which says by keyword what the converter knows of a statement."""


def _functions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for module, path in MODULES.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield module, node


def test_files_have_at_most_400_lines() -> None:
    lines = {module: path.read_text(encoding="utf-8").count("\n") for module, path in MODULES.items()}
    assert {module: count for module, count in lines.items() if count > 400} == {}


def test_functions_have_at_most_60_lines() -> None:
    lengths = {(module, f.name): (f.end_lineno or 0) - f.lineno + 1 for module, f in _functions()}
    assert {name: length for name, length in lengths.items() if length > 60} == {}


def test_only_operators_have_more_than_7_parameters() -> None:
    counts = {
        (module, f.name): len(f.args.posonlyargs) + len(f.args.args) + len(f.args.kwonlyargs)
        for module, f in _functions()
    }
    assert {name for (_, name), count in counts.items() if count > MOST_PARAMETERS} == OPERATORS_WITH_MORE


def test_the_context_holds_only_what_several_files_share() -> None:
    files = [path.read_text(encoding="utf-8") for path in MODULES.values() if path.name != "context.py"]
    named = {
        name: sum(re.search(rf"progress\.{name}\b|\b{name}=", text) is not None for text in files)
        for name in vars(context.progress)
    }
    assert len(named) <= 20 and min(named.values()) > 1, f"a file keeps its own state in a `PerThread`: {named}"


def test_the_way_up_leads_somewhere() -> None:
    assert callable(host.conversion.staged)
    assert callable(host.calls.converted)
    assert callable(host.statements.if_stmt)


FIRST_USE = {
    "autograph": "public names that most programs do not use",
    "autograph.converters": "passes, which most functions hold nothing for",
    "autograph.runtime": "the operators, which the first staged function needs",
    "autograph.runtime.checks": "a public name, whose module stands in it",
    "autograph.runtime.tracing.host": "the way up",
}
"""The modules that import something when it is first used, each with its reason."""


def test_what_is_imported_at_first_use_has_a_reason() -> None:
    assert {module for module in MODULES if "autograph.first_use" in imports_of(module)[0]} == FIRST_USE.keys()


FIRST_CONVERSION = (
    "analyses",
    "graphs",
    "converters",
    "modules",
    "saved",
    "functions",
    "cli",
    "runtime.jaxprs",
    "runtime.sequences",
    "runtime.carry",
    "runtime.operators",
    "runtime.library",
    "runtime.calls",
)
"""The folders that `import autograph` leaves alone, but for what follows."""
AT_IMPORT = {
    "analyses.argument_writes": "read by what finds a function's text",
    "runtime.calls.cached_functions": "asked by the check at the entry of a converted function",
    "runtime.sequences.counted_range": "the class of `ag.range`",
}


@pytest.fixture(scope="module")
def loaded() -> list[set[str]]:
    """The modules of ours that are loaded after the import, and after the conversion of a function with `while`, `if`, `break`."""
    text = "import heapq, sys, autograph\nprint(*sys.modules)\nautograph.to_code(heapq._siftdown)\nprint(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", text], check=True, capture_output=True, text=True)
    ours = {name for name, path in MODULES.items() if path.stem != "__init__"}
    return [{name.removeprefix("autograph.") for name in ours & set(line.split())} for line in run.stdout.splitlines()]


@pytest.mark.slow
def test_an_import_loads_neither_converters_nor_operators(loaded: list[set[str]]) -> None:
    folders = tuple(f"{folder}." for folder in FIRST_CONVERSION)
    assert {name for name in loaded[0] if name.startswith(folders)} == AT_IMPORT.keys()
    assert len(loaded[0]) <= 89  # bounded arrays and their rows are among the values that joins open


@pytest.mark.slow
def test_a_conversion_loads_the_passes_that_have_something_to_do(loaded: list[set[str]]) -> None:
    passes = {f"converters.{place.partition(':')[0]}" for place in CONVERTERS}
    assert passes - loaded[1] == {
        "converters.argument_writes",
        "converters.caught_operations",
        "converters.caught_statements",
        "converters.match_statements",
        "converters.named_generators",
        "converters.named_operands",
        "converters.super_calls",
    }
    assert len(loaded[1] - loaded[0]) <= 60


RUNS_CODE = {
    ("autograph.first_use", "resolve_name"): "modules of this library",
    ("autograph.modules.import_hook", "exec"): "a module of the user's, when the user imports it",
    ("autograph.runtime.tracing.known.step_functions", "exec"): "the operators and numbers of a recurrence, written by the library",
    ("autograph.modules.script", "exec"): "the script that the user asked to run",
    ("autograph.code.module_names", "import_module"): "JAX, NumPy and the standard library, whose names a text uses",
    ("autograph.modules.notebook_conversion", "loads"): "JSON, which is data",
    ("autograph.saved.loader", "loads"): "JSON, which is data",
    ("autograph.functions.exporting", "loads"): "JSON, which is data",
    ("autograph.cli.graph", "eval"): "arguments that the user wrote",
    ("autograph.cli.graph", "exec_module"): "a file of which the user wants a function traced",
    ("autograph.saved.saving", "load"): "the loader, without its frames in tracebacks",
    ("autograph.cli.inspect_saved", "load"): "a saved file",
    ("autograph.cli.run_saved", "load"): "a saved file that the user asked to run, and NumPy's arrays, without pickles",
    ("autograph.modules.compiled_modules", "loads"): "what the import hook kept beside Python's own `.pyc` files",
    ("autograph.modules.compiled_modules", "load"): "the same",
    ("autograph.conversion.pipeline", "loads"): "a function of the user's that was pickled by value",
    ("autograph.runtime.heap.opaque_calls", "eval"): "what the user calls",
    ("autograph.runtime.heap.opaque_calls", "exec"): "what the user calls",
    ("autograph.converters.operators", "eval"): "the parameters of an operator, from the table in this module",
    ("autograph.converters.base", "eval"): "compared with what the user calls",
    ("autograph.converters.base", "exec"): "compared with what the user calls",
}
"""Everything that may run or load code, by module, and what that is."""


@pytest.mark.slow
def test_nothing_is_evaluated_but_what_the_user_runs() -> None:
    names = {"eval", "exec", "__import__"}
    attributes = {
        "import_module",
        "resolve_name",
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
            elif isinstance(node, ast.ImportFrom) and node.module in (
                "importlib",
                "marshal",
                "pickle",
                "pkgutil",
                "runpy",
            ):
                found.update((module, alias.name) for alias in node.names if alias.name in attributes)
    assert found == set(RUNS_CODE)


FRAMES_AND_BYTECODE = re.compile(
    r"_getframe|currentframe|outward|(f|tb|gi|cr|ag)_(back|code|frame|lasti|lineno|locals)|co_(code|consts)|dis"
)
READS_FRAMES = {
    "autograph.runtime.calls.context_managers": "which function a generator runs, and who wrote it",
    "autograph.runtime.calls.native_methods": "the module in which `namedtuple`, `Enum` and their like make a class",
    "autograph.runtime.heap.array_versions": "whether JAX replays a derivative that holds the array",
    "autograph.runtime.heap.iterators": "where a generator waits that a loop leaves",
    "autograph.runtime.heap.library_state": "which globals the functions of a package write",
    "autograph.runtime.heap.opaque_calls": "the namespaces that `exec` and `eval` take where none are given",
    "autograph.runtime.heap.outliving": "the line of a write; which of JAX's functions began a trace that ends now",
    "autograph.runtime.heap.outside": "which variables of callers lead to what a trace leaves behind",
    "autograph.runtime.tracing.context": "whether a generator with a handler in it is suspended",
    "autograph.runtime.tracing.refusals": "the place of an error, and the names in it",
    "autograph.runtime.tracing.sharing": "which references a caller lends, since Python 3.14",
    "autograph.runtime.tracing.sizes": "whether JAX or converted code compares a size that is not known",
    "autograph.runtime.checks.swallowed": "who has handled an error, and whether that function is still running",
    "autograph.runtime.operators.long_loops": "whether a loop body has a loop in it, and may come to traced values",
    "autograph.runtime.tracing.known.number": "whether a trace of JAX asks for the value of an operand",
    "autograph.runtime.sequences.narrow_integers": "whether JAX or converted code operates on an integer that is too large",
    "autograph.runtime.checks.failures": "the traceback that a check leaves, at the user's line",
    "autograph.runtime.checks.runtime_checks": "the place of an error; whether JAX raised it",
    "autograph.runtime.checks.tracing_errors": "who raised an exception, by its traceback: it may be C code",
    "autograph.runtime.library.element_loops": "gives the body of a loop the code of the elements that it makes",
    "autograph.runtime.library.debuggers": "what a debugger shows of them",
    "autograph.runtime.library.arithmetic_errors": "whether a function divides that was staged for calls outside of a `try`",
}
"""What the runtime reads frames or bytecode for: all else that operators must know of their callers, converters tell them."""


def test_operators_decide_nothing_from_frames_and_bytecode() -> None:
    found = set()
    for module, path in MODULES.items():
        if module.startswith("autograph.runtime."):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                names = [alias.name for alias in getattr(node, "names", ()) if isinstance(alias, ast.alias)]
                names.append(getattr(node, "attr", "") or getattr(node, "id", ""))
                if any(map(FRAMES_AND_BYTECODE.fullmatch, names)):
                    found.add(module)
    assert found == READS_FRAMES.keys()
