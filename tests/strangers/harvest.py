"""Calls with known arguments, out of the docstrings of a package.

>>> import statistics
>>> "statistics.mean" in {case.name for case in harvest(statistics)}
True
"""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import doctest
import importlib
import io
import pkgutil
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any


@dataclasses.dataclass(frozen=True)
class Case:
    """A call `function(*args, **kwargs)` that a docstring shows."""

    name: str
    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def modules_of(package: types.ModuleType) -> Iterator[types.ModuleType]:
    """A package and what can be imported of what it holds."""
    yield package
    for found in pkgutil.walk_packages(
        getattr(package, "__path__", []), f"{package.__name__}.", onerror=lambda _: None
    ):
        parts = found.name.split(".")
        if any(part.startswith("test") or part in ("__main__", "numba", "vectorized", "units") for part in parts):
            continue
        with contextlib.suppress(Exception), contextlib.redirect_stdout(io.StringIO()):
            yield importlib.import_module(found.name)


def harvest(package: types.ModuleType, each: int = 1) -> list[Case]:
    """The first calls (`each` of them) that the docstring of every function shows, by the functions' names."""
    found: dict[str, list[Case]] = {}
    for module in modules_of(package):
        for name, fn in vars(module).items():
            full = f"{module.__name__}.{name}"
            if isinstance(fn, types.FunctionType) and fn.__module__ == module.__name__ and fn.__doc__:
                cases = [case for case in calls_of(full, fn, vars(module)) if _has_numbers(case)]
                found.setdefault(full, cases[:each])
    return [case for name in sorted(found) for case in found[name]]


def calls_of(full: str, fn: Any, names: dict[str, Any]) -> Iterator[Case]:
    """The calls of a function in its docstring, whose arguments are evaluated with the names of its module."""
    with contextlib.suppress(ValueError):  # a docstring that is no doctest
        for example in doctest.DocTestParser().get_examples(fn.__doc__):
            with contextlib.suppress(Exception), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(example.source.strip(), mode="eval").body
                while isinstance(tree, ast.Call) and _name(tree.func) in ("list", "tuple", "round", "float", "int"):
                    tree = tree.args[0]
                if not isinstance(tree, ast.Call) or _name(tree.func) != fn.__name__:
                    continue
                args = [_value(item, names) for item in tree.args]
                kwargs = {item.arg: _value(item.value, names) for item in tree.keywords if item.arg is not None}
                yield Case(full, fn, tuple(args), kwargs)


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def _value(node: ast.expr, names: dict[str, Any]) -> Any:
    return eval(compile(ast.Expression(node), "<example>", "eval"), dict(names))  # source of a package that was imported


def _has_numbers(case: Case) -> bool:
    return any(is_number(x) or is_numbers(x) for x in (*case.args, *case.kwargs.values()))


def is_number(x: Any) -> bool:
    """Whether a value is a Python number (and no truth value)."""
    return type(x) in (int, float, complex)


def is_numbers(x: Any) -> bool:
    """Whether a value is a list or tuple of numbers, or of such lists of one length."""
    if type(x) not in (list, tuple) or not x:
        return False
    return all(map(is_number, x)) or (all(map(is_numbers, x)) and len({len(row) for row in x}) == 1)
