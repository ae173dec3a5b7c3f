"""A function's exact syntax node: whatever defines it, at its own positions, and never from another source."""

import ast
import doctest
import functools
import importlib.util
import linecache
import os
import subprocess
import sys
import textwrap
import types
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from autograph.code import source
from autograph.errors import SourceError


def segment(fn: Callable[..., Any]) -> str:
    """The source of the node that `find` gives."""
    found = source.find(fn)  # type: ignore[arg-type]
    return ast.get_source_segment(found.file.text, found.node) or ""


@pytest.fixture
def load(tmp_path: Path) -> Callable[..., types.ModuleType]:
    """Imports a source as a module from a file."""

    def load_source(text: str, name: str = "module_of_test") -> types.ModuleType:
        path = tmp_path / f"{name}.py"
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return load_file(path)

    return load_source


def load_file(path: Path) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# --- every kind of definition ---


def decorated(fn: Any) -> Any:
    @functools.wraps(fn)
    def wrapper(*args: Any) -> Any:
        return fn(*args)

    return wrapper


@decorated
@decorated
def twice_decorated(x: int) -> int:
    return x


class Holder:
    def method(self, x: int) -> int:
        return x

    class Inner:
        def method(self, x: int) -> int:
            return x + 1

    pick = lambda self, x: x - 1  # noqa: E731


def outer() -> tuple[Any, Any]:
    def inner(x: int) -> int:
        return x * 2

    class Local:
        def method(self) -> Any:
            return self

    return inner, Local


async def asynchronous(x: int) -> int:
    return x


def test_decorated_functions_start_at_their_own_def() -> None:
    found = source.find(twice_decorated.__wrapped__.__wrapped__)
    assert isinstance(found.node, ast.FunctionDef) and found.node.name == "twice_decorated"
    assert found.code.co_firstlineno == found.node.decorator_list[0].lineno < found.node.lineno


def test_methods_know_their_classes() -> None:
    assert segment(Holder.Inner.method).endswith("return x + 1")
    found = source.find(Holder.Inner.method)  # type: ignore[arg-type]
    assert [scope.name for scope in found.chain] == ["Holder", "Inner"]  # type: ignore[union-attr]
    assert found.class_name == "Inner"
    assert segment(Holder.pick) == "lambda self, x: x - 1"


def test_nested_functions_know_what_is_around_them() -> None:
    inner, local = outer()
    assert [type(scope).__name__ for scope in source.find(inner).chain] == ["FunctionDef"]
    assert [type(scope).__name__ for scope in source.find(local.method).chain] == ["FunctionDef", "ClassDef"]


def test_asynchronous_functions() -> None:
    assert isinstance(source.find(asynchronous).node, ast.AsyncFunctionDef)  # type: ignore[arg-type]


def test_positions_are_those_of_the_file() -> None:
    found = source.find(twice_decorated.__wrapped__.__wrapped__)
    line = Path(__file__).read_text(encoding="utf-8").splitlines()[found.node.lineno - 1]
    assert line == "def twice_decorated(x: int) -> int:"
    assert found.lines[found.node.lineno - 1] == line


# fmt: off
several = (lambda x: x + 1), (lambda x: x + 1), (lambda x: (lambda x: x + 1)), [lambda x: x + i for i in (1, 2)]  # noqa: B023, E501
wide = {"é": (lambda x: x), "ü": (lambda x: x)}
multiline = (lambda x:  # noqa: E731
             x
             + 1)
defaulted = lambda x, f=lambda x: x: f(x)  # noqa: E731
# fmt: on


def test_lambdas_on_one_line_are_told_apart_by_their_columns() -> None:
    first, second, third, made = several
    columns = [source.find(fn).node.col_offset for fn in (first, second, third, third(0), made[0])]
    assert columns == sorted(columns) and len(set(columns)) == 5
    assert [segment(fn) for fn in (first, third(0), made[1])] == ["lambda x: x + 1"] * 2 + ["lambda x: x + i"]
    assert segment(third) == "lambda x: (lambda x: x + 1)"


def test_lambdas_in_several_statements_on_one_line(load: Any) -> None:
    module = load("kept = []\nkept.append(lambda: 3); kept.append(lambda a: (lambda: a + 1)); kept.append(lambda: 3)\n")
    assert [segment(fn) for fn in module.kept] == ["lambda: 3", "lambda a: (lambda: a + 1)", "lambda: 3"]
    assert segment(module.kept[1](1)) == "lambda: a + 1"


def test_lambdas_after_characters_of_several_bytes() -> None:
    columns = [source.find(fn).node.col_offset for fn in wide.values()]  # type: ignore[arg-type]
    assert columns[0] < columns[1]


def test_lambdas_over_several_lines_and_in_defaults() -> None:
    assert segment(multiline).count("\n") == 2
    assert segment(defaulted) == "lambda x, f=lambda x: x: f(x)"
    assert segment(defaulted.__defaults__[0]) == "lambda x: x"


@pytest.mark.parametrize("body", ["1", "-1", "None", "(yield)", "x", "'text'", "f'{x}'", "x.a.b(x)", "[y for y in x]"])
def test_lambdas_with_any_body(body: str, load: Any) -> None:
    module = load(f"pair = (lambda x: {body}), (lambda x: {body})\nnested = lambda x: (lambda x: {body})\n")
    starts = [source.find(fn).node.col_offset for fn in module.pair]
    same = module.pair[0].__code__.co_linetable == module.pair[1].__code__.co_linetable  # Python 3.12: `return 1`
    assert starts == sorted(starts) and (same or starts[0] < starts[1])
    assert source.find(module.nested(1)).node.col_offset > source.find(module.nested).node.col_offset


def test_functions_in_a_comprehension_know_its_scope() -> None:
    fns = [lambda x: x + n for n in range(3)]  # noqa: B023
    assert isinstance(source.find(fns[0]).chain[-1], ast.ListComp)


def test_functions_with_an_assert_that_pytest_rewrote() -> None:
    def checked(x: int) -> int:
        assert x > 0, "positive"

        def inner() -> int:
            assert x
            return x

        return inner()

    found = source.find(checked)  # type: ignore[arg-type]
    assert "@pytest_ar" in checked.__code__.co_names
    assert isinstance(found.node, ast.FunctionDef) and "@pytest_ar" not in found.code.co_names
    assert len(found.nested) == 1


# --- where source comes from ---


@pytest.mark.slow
def test_doctests() -> None:
    text = """
    >>> from autograph.code import source
    >>> def f(x):
    ...     return x
    >>> found = source.find(f)
    >>> found.node.name, found.lines
    ('f', ('def f(x):', '    return x'))
    >>> source.find(lambda x: x).node.lineno
    1
    """
    test = doctest.DocTestParser().get_doctest(text, {}, "a docstring", None, 0)
    assert doctest.DocTestRunner(verbose=False).run(test).failed == 0


def test_executed_source_needs_an_entry_in_linecache() -> None:
    text = "def f(x):\n    return x\n"
    name = "<a generated function>"
    space: dict[str, Any] = {}
    exec(compile(text, name, "exec"), space)
    with pytest.raises(SourceError, match="linecache"):
        source.find(space["f"])
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    assert segment(space["f"]) == text.rstrip()


def test_future_statements_of_the_executing_module_are_inherited() -> None:
    text = "def f(x: undefined_name):\n    return x\n"
    name = "<inherits annotations>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    space: dict[str, Any] = {}
    import __future__

    exec(compile(text, name, "exec", __future__.annotations.compiler_flag, True), space)
    assert segment(space["f"]) == text.rstrip()


def test_cells_of_notebooks_are_compiled_statement_by_statement() -> None:
    # On newer versions of Python the bytecode of `np.sum(x)` tells whether the compiler has seen the import.
    text = "import math\ndef f(x):\n    return math.sin(x)\ng = lambda x: math.cos(x)\n"
    name = "<cell 7>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    space: dict[str, Any] = {}
    for statement in ast.parse(text).body:
        exec(compile(ast.Module([statement], []), name, "exec"), space)
    assert segment(space["f"]) == "def f(x):\n    return math.sin(x)"
    assert segment(space["g"]) == "lambda x: math.cos(x)"


def test_a_cell_run_again_does_not_disturb_functions_of_its_first_source() -> None:
    name = "<cell 8>"
    made = []
    for number in range(2):
        text = f"def f(x):\n    return x + {number}\n"
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        space: dict[str, Any] = {}
        exec(compile(text, name, "exec"), space)
        assert segment(space["f"]) == text.rstrip()
        made.append(space["f"])
    assert segment(made[0]).endswith("x + 0")


def run(*arguments: str, given: str | None = None) -> str:
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    done = subprocess.run(
        [sys.executable, *arguments], input=given, capture_output=True, text=True, env=environment, check=False
    )
    return done.stdout + done.stderr


ASK = """from autograph.code import source
def f(x): return x

try: print(source.find(f).text)
except Exception as e: print(e)
"""


@pytest.mark.slow
def test_python_dash_c() -> None:
    said = run("-c", ASK)
    # Python 3.13 keeps the source of -c for its tracebacks
    assert "def f(x): return x" in said or "cannot find the source of `f`" in said
    assert "def f(x): return x" in said or "put the function into a file" in said


@pytest.mark.slow
def test_standard_input() -> None:
    said = run("-", given=ASK)
    assert "cannot find the source of `f`" in said and "put the function into a file" in said


def test_a_missing_file(load: Any) -> None:
    module = load("def f(x):\n    return x\n", "gone")
    os.remove(module.__file__)
    linecache.clearcache()
    with pytest.raises(SourceError, match=r"gone\.py:1"):
        source.find(module.f)


# --- edited files ---


def test_an_edited_function_is_refused(load: Any) -> None:
    module = load("def f(x):\n    return x + 1\n\ndef g(x):\n    return x\n", "edited")
    Path(module.__file__).write_text("def f(x):\n    return x + 2\n\ndef g(x):\n    return x\n# longer\n")
    linecache.checkcache(module.__file__)
    with pytest.raises(SourceError, match="edited after it was imported"):
        source.find(module.f)
    assert segment(module.g).startswith("def g")  # this one is still what the file says


def test_moved_functions_are_refused(load: Any) -> None:
    module = load("def f(x):\n    return x + 1\n", "moved")
    Path(module.__file__).write_text("# a new first line\ndef f(x):\n    return x + 1\n")
    linecache.checkcache(module.__file__)
    with pytest.raises(SourceError, match="edited"):
        source.find(module.f)


def test_a_reloaded_module_is_read_again(load: Any) -> None:
    old = load("def f(x):\n    return x + 1\n", "reloaded")
    assert segment(old.f).endswith("x + 1")
    path = Path(old.__file__)
    path.write_text("def f(x):\n    return x + 20\n")
    os.utime(path, (1, 1))  # another time stamp, so that no stale .pyc is used
    new = load_file(path)
    assert segment(new.f).endswith("x + 20")
    assert segment(old.f).endswith("x + 1")


def test_a_file_that_is_no_python_any_more_is_refused(load: Any) -> None:
    module = load("def f(x):\n    return x + 1\n", "broken")
    Path(module.__file__).write_text("def f(x:\n")
    linecache.checkcache(module.__file__)
    with pytest.raises(SourceError):
        source.find(module.f)


# --- cost, sources ---


def test_a_file_is_parsed_and_compiled_once(load: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    module = load("".join(f"def f{i}(x):\n    return x + {i}\n" for i in range(50)), "many")
    calls = []
    quietly = source.quietly
    monkeypatch.setattr(source, "quietly", lambda *args: (calls.append(args[0]), quietly(*args))[1])
    for i in range(50):
        assert source.find(getattr(module, f"f{i}")).node.lineno == 2 * i + 1
    assert [call.__name__ for call in calls] == ["parse", "compile"]


def test_warnings_of_the_users_file_are_not_given_again(load: Any) -> None:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = load("def f(x):\n    return x is 1, '\\d'\n", "warns")
    assert segment(module.f).startswith("def f")  # warnings are errors in these tests


@pytest.mark.parametrize(
    "text", ["\ufeffdef f(x):\n\treturn x\n", "def f(x): return x", "if 1:\r\n  def f(x):\r\n    return x\r\n"]
)
def test_marks_tabs_line_ends_and_missing_line_ends(text: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.py"
    path.write_bytes(text.encode("utf-8"))
    assert source.find(load_file(path).f).node.name == "f"  # type: ignore[union-attr]


@pytest.mark.skipif(sys.version_info < (3, 12), reason="type parameters came with 3.12")
def test_type_parameters(load: Any) -> None:
    module = load("def f[T](x: T) -> T:\n    return T\nclass A[T]:\n    def m(self):\n        return T\n", "generic")
    assert segment(module.f).startswith("def f[T]")
    assert source.find(module.A.m).code.co_freevars == ("T",)


def test_a_function_that_a_source_does_not_hold_is_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "<made by a decorator> 1"
    lines = ["def other(x):\n", "    return x\n"]
    linecache.cache[name] = (len("".join(lines)), None, lines, name)
    space: dict[str, Any] = {}
    exec(compile("def made(x):\n    return x + 1\n", name, "exec"), space)
    tried: list[Any] = []
    find = source._find
    monkeypatch.setattr(source, "_find", lambda fn: tried.append(fn) or find(fn))
    assert [source.has_source(space["made"]) for _ in range(3)] == [False, False, False] and len(tried) == 1
    lines = ["def made(x):\n", "    return x + 1\n"]
    linecache.cache[name] = (len("".join(lines)), None, lines, name)  # a cell that ran again
    assert source.has_source(space["made"]) and len(tried) == 2
    del linecache.cache[name]


def test_a_function_of_a_timed_cell_is_found_in_the_history(monkeypatch):
    body = "def timed(x):\n    return x + 1 if x > 0 else x\n"
    names = {}
    exec(compile(body, "<timed exec>", "exec"), names)
    with pytest.raises(SourceError):
        source.find(names["timed"])
    history = ["x = 1", f"%%time\n\n\n{body}"]
    manager = SimpleNamespace(input_hist_raw=history)
    shell = SimpleNamespace(history_manager=manager, transform_cell=lambda cell: cell.lstrip("\n"))  # as IPython compiles it
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(linecache.cache, "<timed exec>", (0, None, [], "<timed exec>"))
    source.find(names["timed"])
    history.append("%%time\ndef timed(x):\n    return x + 2 if x > 0 else x\n")
    other = {}
    exec(compile(body.replace("x + 1", "x + 3"), "<timed exec>", "exec"), other)
    with pytest.raises(SourceError):
        source.find(other["timed"])
