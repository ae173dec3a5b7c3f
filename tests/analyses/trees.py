"""Functions as source, and the headers of their statements as source."""

from __future__ import annotations

import ast
import textwrap
from typing import Any

import gast

from autograph.analyses.loops import blocks


def function_of(body: str, parameters: str = "") -> Any:
    """A `def f` with this body."""
    return gast.parse(f"def f({parameters}):\n" + textwrap.indent(textwrap.dedent(body).strip(), "    ")).body[0]


def compound(statements: list[Any]) -> list[Any]:
    """The compound statements of a block, outer ones first, without those of nested functions."""
    found = []
    for node in statements:
        if inner := blocks(node):
            found.append(node)
            for block in inner:
                found.extend(compound(block))
    return found


def header(node: Any) -> str:
    """The first line of a statement, without its colon."""
    return ast.unparse(gast.gast_to_ast(node)).splitlines()[0].rstrip(":")


def expression(text: str) -> Any:
    return gast.parse(text, mode="eval").body
