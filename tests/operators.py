"""The tables of operators in `docs/architecture.md`, printed from `converters/operators.py`: `python -m tests.operators`."""

import re
from pathlib import Path

from autograph.converters.operators import GROUPS, Operator

PAGE = Path(__file__).resolve().parent.parent / "docs" / "architecture.md"


def table(operators: tuple[Operator, ...]) -> str:
    """Returns a table; operators without a purpose share the row of the one above."""
    rows: list[list[Operator]] = []
    for operator in operators:
        if operator.purpose:
            rows.append([])
        rows[-1].append(operator)
    return "| operator | written by | written for |\n| --- | --- | --- |\n" + "".join(map(_row, rows))


def _row(operators: list[Operator]) -> str:
    calls = ", ".join(f"`{operator.name}({operator.parameters})`" for operator in operators)
    modules = dict.fromkeys(module for operator in operators for module in operator.written_by.split())
    passes = ", ".join(f"`{module}.py`" for module in modules)
    return f"| {calls} | {passes} | " + operators[0].purpose.replace("|", "\\|") + " |\n"


def printed(page: str) -> str:
    """Returns the page with the tables of today: each stands behind its title."""
    for title, operators in GROUPS.items():
        before, after = re.split(rf"(?<={title}:\n\n)(?:\|.*\n)+", page)
        page = before + table(operators) + after
    return page


if __name__ == "__main__":
    PAGE.write_text(printed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
