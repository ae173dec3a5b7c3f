"""A pytest plugin that writes the outcome of every test to the file that `OUTCOMES` names.

Outcomes are compared between runs: tests with drawn inputs draw the same ones in each, and none fails by the time it takes.
"""

import json
import os
import sys

import pytest

_outcomes: dict[str, str] = {}


@pytest.hookimpl(trylast=True)
def pytest_collection(session: pytest.Session) -> None:
    """Changes the profile that the suite's own `conftest.py` has chosen by now, before its tests take it over."""
    if "hypothesis" in sys.modules:
        from hypothesis import settings

        settings.register_profile("compared", settings(deadline=None, derandomize=True, database=None))
        settings.load_profile("compared")


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
