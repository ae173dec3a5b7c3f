"""The table of operators is true: of the runtime, of the passes, of the page; and the check after the last pass reads it."""

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import CodeType
from typing import Any

import gast
import pytest

from autograph.analyses import mutations, operators as analyses
from autograph.cli import explanation
from autograph.converters import checks, logical_expressions, named_operands
from autograph.converters.operators import GROUPS, OPERATORS, signature
from autograph.runtime import generated_names
from tests import operators
from tests.converters.converting import converted_module

PASSES = Path(checks.__file__).parent
RUNTIME = {name: value for name, value in vars(generated_names).items() if not name.startswith("_")}


def test_the_table_has_each_name_of_generated_code_once() -> None:
    assert OPERATORS.keys() == RUNTIME.keys()
    assert sum(map(len, GROUPS.values())) == len(OPERATORS) > 80


def test_the_parameters_are_those_of_the_runtime() -> None:
    found = {name: _parameters(f) for name, f in RUNTIME.items() if f is not slice}
    assert found == {name: operator.parameters for name, operator in OPERATORS.items() if name != "slice"}


def _parameters(f: Callable[..., Any]) -> str:
    found = inspect.signature(f)
    plain = [parameter.replace(annotation=parameter.empty) for parameter in found.parameters.values()]
    text = str(found.replace(parameters=plain, return_annotation=found.empty))
    return re.sub(r"<class '(\w+)'>", r"\1", text)[1:-1]


def _named(constants: Iterable[Any]) -> Iterator[str]:
    """Yields the strings among the constants of code, and the operators in templates: docstrings have backticks."""
    for item in constants:
        if isinstance(item, str):
            yield from (item, *re.findall(r"ag__\.(\w+)", item if "`" not in item else ""))
        elif isinstance(item, tuple | frozenset | CodeType):
            yield from _named(item.co_consts if isinstance(item, CodeType) else item)


def _code(module: str) -> CodeType:
    return compile((PASSES / f"{module}.py").read_text(encoding="utf-8"), module, "exec")


def test_the_passes_name_the_operators_that_they_write() -> None:
    rows = [(module, name) for name, operator in OPERATORS.items() for module in operator.written_by.split()]
    found = {module: {*_named([_code(module)])} for module in dict(rows)}
    assert [(module, name) for module, name in rows if name not in found[module]] == []
    assert [name for name, operator in OPERATORS.items() if not operator.written_by] == ["State"]


def test_the_page_has_the_tables() -> None:
    page = operators.PAGE.read_text(encoding="utf-8")
    assert page == operators.printed(page), "run `python -m tests.operators`"


def test_sets_of_operators_elsewhere_name_rows() -> None:
    sets = [
        analyses._CALLERS, analyses._READS, analyses.ARITHMETIC, analyses.TRUTHS, named_operands.ROLES,
        logical_expressions._TESTING_OPERATORS, mutations._OPERATORS,
        explanation._STATEMENTS, explanation._EXPRESSIONS, explanation._REFUSED,
    ]  # fmt: skip
    assert {name for found in sets for name in found} - OPERATORS.keys() == set()
    written = {(name, list(signature(name).parameters)[place]) for name, place in mutations._OPERATORS.items()}
    assert {parameter for _, parameter in written} == {"x", "obj", "base"}


CALLS = {
    "ag__.if_stmt(p, f)": "control_flow wrote ag__.if_stmt(p, f) at line 1: missing a required argument: 'orelse'",
    "ag__.not_(a, b)": "logical_expressions optional_values wrote .* too many positional arguments",
    "ag__.while_loop(t, f, deed=('x',))": "control_flow wrote .* got an unexpected keyword argument 'deed'",
    "ag__.get_item(*xs, i, j, k)": "subscripts wrote .* too many positional arguments",
    "ag__.get_item(*xs, y=1)": "subscripts wrote .* got an unexpected keyword argument 'y'",
    "f(ag__.iff(p))": "ag__.iff at line 1 is no operator of generated code",
}


@pytest.mark.parametrize("text", CALLS)
def test_a_wrong_call_is_reported_with_the_pass_that_writes_it(text: str) -> None:
    with pytest.raises(AssertionError, match=CALLS[text].replace("(", r"\(").replace(")", r"\)")):
        checks.check_result(gast.parse(text), "ag__")


@pytest.mark.parametrize(
    "text",
    ["ag__.get_item(*xs)", "ag__.in_place_call(b, p, f, *xs, out=y, **more)", "ag__.slice(1, 2)", "b__.if_stmt(p)"],
)
def test_a_right_call_is_accepted(text: str) -> None:
    checks.check_result(gast.parse(text), "ag__")


PROGRAMS = Path(operators.__file__).parent / "programs"


@pytest.mark.parametrize("file", sorted(path.name for path in PROGRAMS.glob("*.py")))
def test_the_passes_call_operators_as_the_table_says_in_all_programs(file: str) -> None:
    assert compile(converted_module((PROGRAMS / file).read_text(encoding="utf-8")), file, "exec")  # it raises at a wrong call
