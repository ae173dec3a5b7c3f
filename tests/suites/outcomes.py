"""A pytest plugin that writes the outcome of every test to the file that `OUTCOMES` names."""

import json
import os

import pytest

_outcomes: dict[str, str] = {}


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """The first thing that is not a pass counts: a failing set-up, call or tear-down."""
    outcome = f"{report.outcome} as expected" if hasattr(report, "wasxfail") else str(report.outcome)
    if _outcomes.get(report.nodeid, "passed") == "passed":
        _outcomes[report.nodeid] = outcome


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """A file that cannot be collected."""
    if report.outcome != "passed":
        _outcomes[f"collecting {report.nodeid}"] = report.outcome


def pytest_sessionfinish() -> None:
    """Writes them."""
    with open(os.environ["OUTCOMES"], "w", encoding="utf-8") as file:
        json.dump(_outcomes, file)
