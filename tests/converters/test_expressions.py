"""The passes over expressions in one walk make what they make one after the other."""

from __future__ import annotations

import argparse
import ast
import asyncio.base_events
import inspect
import itertools
import textwrap
from types import ModuleType

import pytest

from autograph import converters
from autograph.code import translation
from autograph.converters.expressions import Expressions
from autograph.converters.showing import context_for, source_of_tree

UNUSUAL = """
def f(a, b, xs, k):
    s = sum(x[k] for x in xs if x and not x in b)
    t = [y for i in range(3) for y in (a if i else b) if i < y < k is not None]
    with open(a) as stream, b[k]:
        assert a and (z := b) or k, a[k](b)
    u = (lambda v: v[k] if v is True else (b or v))(a)
    return any(a < (w := x) < b for x in xs) and 0 < (q := s) < k, isinstance(a, int) and a[k:k + 2], locals
"""


def in_steps() -> dict[str, tuple[type, ...]]:
    bases = [f"{base.__module__.rpartition('.')[2]}:{base.__name__}" for base in Expressions.__bases__]
    steps = {"expressions:Expressions": bases}
    return {step: kinds for one, kinds in converters.CONVERTERS.items() for step in steps.get(one, [one])}


@pytest.mark.parametrize("module", [argparse, textwrap, asyncio.base_events, None])
def test_one_walk_makes_what_passes_in_a_row_make(module: ModuleType | None, monkeypatch: pytest.MonkeyPatch) -> None:
    source = UNUSUAL if module is None else inspect.getsource(module)
    functions = [item for item in ast.walk(ast.parse(source)) if isinstance(item, ast.FunctionDef)]

    def texts() -> list[str]:
        context = context_for(source, {})
        return [source_of_tree(converters.apply_passes(translation.to_gast(item), context, strict=False)) for item in functions]

    together = texts()
    monkeypatch.setattr(converters, "CONVERTERS", in_steps())
    assert texts() == together


SHARED = {"visit_Assign", "visit_Call", "visit_UnaryOp", "visit_BinOp", "visit_Compare", "visit_Assert", "visit_Raise"}


def test_no_pass_hides_a_method_of_another() -> None:
    for first, second in itertools.combinations(Expressions.__bases__, 2):
        both = {name for name in vars(first) if not name.startswith("_")} & set(vars(second))
        assert both <= SHARED, (first, second)
