"""The examples in the docstrings of every module run."""

import doctest
import importlib
import pkgutil

import pytest

import autograph

MODULES = ["autograph", *sorted(info.name for info in pkgutil.walk_packages(autograph.__path__, "autograph."))]


SLOW = {"autograph.runtime.jaxprs.reverse_mode", "autograph.functions.saving"}
"""Modules whose examples take over a second."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else [])
        for name in MODULES
        if name != "autograph.__main__"
    ],
)
def test_doctests_of(name: str) -> None:
    module = importlib.import_module(name)
    results = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert results.failed == 0


def test_every_module_of_the_runtime_has_an_example() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    modules = [importlib.import_module(name) for name in MODULES if name.startswith("autograph.runtime.")]
    files = [module for module in modules if not hasattr(module, "__path__")]
    without = {module.__name__ for module in files if not any(test.examples for test in finder.find(module))}
    assert without == {"autograph.runtime.generated_names", "autograph.runtime.library.debuggers"}
