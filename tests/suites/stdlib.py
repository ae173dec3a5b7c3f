"""Runs test modules of CPython over modules of the standard library that are imported afresh, plain or converted.

    python tests/suites/stdlib.py plain|converted TEST=MODULE,MODULE ...

`OUTCOMES` in the environment names the file for the outcome of every test. The modules under test are imported again,
also for the plain run, so that the two differ in nothing but the conversion.
"""

import importlib
import json
import os
import sys
import time
import unittest
import warnings
from typing import Any

from autograph import converters
from autograph.modules.import_hook import ImportHook
from autograph.runtime import converted

# All that the library loads late, before modules that it uses itself are imported anew.
for place in converters.CONVERTERS:
    converters.find_pass(place)
importlib.import_module("autograph.code.translation")
converted(set)


class _Result(unittest.TestResult):
    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.outcomes: dict[str, str] = {}

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self.outcomes[test.id()] = "passed"

    def _note(self, test: Any, outcome: str) -> None:
        self.outcomes[test.id()] = outcome

    def addError(self, test: unittest.TestCase, err: Any) -> None:
        super().addError(test, err)
        self._note(test, "failed")

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:
        super().addFailure(test, err)
        self._note(test, "failed")

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: Any) -> None:
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._note(test, "failed")

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        super().addSkip(test, reason)
        self._note(test, "skipped")

    def addExpectedFailure(self, test: unittest.TestCase, err: Any) -> None:
        super().addExpectedFailure(test, err)
        self._note(test, "failed as expected")

    def addUnexpectedSuccess(self, test: unittest.TestCase) -> None:
        super().addUnexpectedSuccess(test)
        self._note(test, "passed unexpectedly")


def main(mode: str, *pairs: str) -> None:
    """Runs the test modules and writes the outcomes."""
    tests = dict(pair.split("=") for pair in pairs)
    modules = sorted({name for names in tests.values() for name in names.split(",")})
    for name in list(sys.modules):
        if any(name == module or name.startswith(f"{module}.") for module in modules):
            del sys.modules[name]
    hook = ImportHook(modules, quiet=True) if mode == "converted" else None
    outcomes: dict[str, str] = {}
    for test in tests:
        began = time.perf_counter()
        result = _Result()
        module = importlib.import_module(f"test.{test}")
        unittest.defaultTestLoader.loadTestsFromModule(module).run(result)
        print(f"{test}: {result.testsRun} tests in {time.perf_counter() - began:.1f} s", flush=True)
        for failed, text in result.failures + result.errors:
            print(f"--- {failed}\n{text}")
        outcomes |= result.outcomes
    with open(os.environ["OUTCOMES"], "w", encoding="utf-8") as file:
        json.dump(outcomes, file)
    if hook is not None:
        print(f"{100 * hook.report.share:.2f} %: {hook.report}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    arguments, sys.argv[1:] = sys.argv[1:], []  # some tests look at them
    main(*arguments)
