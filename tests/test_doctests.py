"""The examples in the docstrings of every module run."""

import doctest
import importlib
import pkgutil

import pytest

import autograph

MODULES = ["autograph", *sorted(info.name for info in pkgutil.walk_packages(autograph.__path__, "autograph."))]


@pytest.mark.parametrize("name", [name for name in MODULES if name != "autograph.__main__"])
def test_doctests_of(name: str) -> None:
    module = importlib.import_module(name)
    results = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert results.failed == 0


def test_there_are_doctests_at_all() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    modules = [importlib.import_module(name) for name in MODULES if name != "autograph.__main__"]
    assert sum(bool(test.examples) for module in modules for test in finder.find(module)) >= 10
