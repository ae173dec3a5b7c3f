"""From `ast` to gast and back: the same trees as gast's own functions make."""

from __future__ import annotations

import ast
import asyncio.base_events
import dataclasses
import inspect
import textwrap
import typing
from types import ModuleType
from typing import Any

import gast
import pytest

from autograph.code import translation

UNUSUAL = textwrap.dedent("""
    async def f(a, /, b: int = 1, *c: str, d=2, e: list[int], **g) -> None:
        global x
        async with a as b[0], c: pass
        async for i in a: await i
        else: pass
        try: pass
        except* ValueError as error: raise error from None
        match a:
            case {"k": [1, *rest], **others} if rest: pass
            case A(1, y=None) | (True as z): pass
            case _: pass
        x: int = (y := 1)
        del x, a.b, a[1:2, ..., ::3]
        x = y = u"text", b"bytes", f"{x!r:>{y}}", [*a], {**b}, {1, 2}, -x ** y, not y
        x @= lambda q=1, *, k=3: (yield)
        return [i async for i in a if i if not i] or 1 < 2 <= 3 is not 4 not in 5
    """)


def functions() -> list[Any]:
    modules: list[ModuleType] = [asyncio.base_events, dataclasses, typing]
    trees = [ast.parse(inspect.getsource(module)) for module in modules] + [ast.parse(UNUSUAL)]
    return [
        node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def test_as_gast_does_it() -> None:
    for node in functions():
        wanted = gast.dump(gast.ast_to_gast(node), include_attributes=True)
        assert gast.dump(translation.to_gast(node), include_attributes=True) == wanted


def test_there_and_back() -> None:
    for node in functions():
        before = ast.dump(node, include_attributes=True)
        made = translation.to_ast(translation.to_gast(node))
        assert ast.dump(made, include_attributes=True) == before == ast.dump(node, include_attributes=True)
        assert all(type(item).__module__ == "ast" for item in ast.walk(made))


def test_names_become_constants_where_they_are_read() -> None:
    node = ast.parse("def f(k): k = k.a + g(k=k)").body[0]
    made = translation.to_ast(translation.to_gast(node), {"k": "K"})
    assert ast.unparse(made) == "def f(k):\n    k = 'K'.a + g(k='K')"


@pytest.mark.parametrize("text", ["x = yield", "x: int", "for i in x: pass", "with a: pass", "import a.b as c"])
def test_statements(text: str) -> None:
    node = ast.parse(text).body[0]
    assert gast.dump(translation.to_gast(node)) == gast.dump(gast.ast_to_gast(node))
    assert ast.dump(translation.to_ast(translation.to_gast(node))) == ast.dump(node)
