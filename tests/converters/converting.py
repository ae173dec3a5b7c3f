"""Converts pieces of text and runs them beside the plain text, with the reference operators."""

from __future__ import annotations

import ast
import textwrap
import types
from typing import Any

import gast

from autograph import converters
from autograph.converters.showing import context_for, text_of
from tests.converters import reference


def converted_text(source: str, names: dict[str, Any] | None = None, **facts: Any) -> str:
    """The text of the first function of `source` after all passes, checked after each."""
    tree = gast.ast_to_gast(ast.parse(textwrap.dedent(source))).body[0]
    return text_of(converters.convert(tree, context_for(source, names or {}, **facts), strict=True))


def converted_module(source: str, names: dict[str, Any] | None = None) -> ast.Module:
    """A module in which every function at its top, and every method of its classes, is converted."""
    module = ast.parse(textwrap.dedent(source))

    def convert(node: Any, class_name: str | None) -> Any:
        if isinstance(node, ast.ClassDef):
            node.body = [convert(item, node.name) for item in node.body]
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            return node
        free = frozenset(("__class__",)) if class_name else frozenset[str]()
        context = context_for(source, names or {}, class_name=class_name, freevars=free)
        made = gast.gast_to_ast(converters.convert(gast.ast_to_gast(node), context, strict=True))
        return made

    module.body = [convert(node, None) for node in module.body]
    return ast.fix_missing_locations(module)


class Stopped(BaseException):
    """A program took too many steps."""


def run(code: ast.Module, call: str, names: dict[str, Any] | None = None, *, steps: int = 400) -> Any:
    """What `call` gives in a module, and the events that the module noted by `note(...)`."""
    events: list[Any] = []

    def note(value: Any = None) -> Any:
        events.append(repr(value))
        if len(events) > steps:
            raise Stopped
        return value

    space: dict[str, Any] = {"__name__": "program", "note": note, "ag__": reference, **(names or {})}
    try:
        exec(compile(code, "<program>", "exec"), space)
        result = eval(call, space)
        if isinstance(result, types.GeneratorType):
            result = list(result)
        outcome = "returns", repr(result)
    except Stopped:
        outcome = "stopped", ""
    except Exception as error:
        outcome = "raises", describe(error)
    left = {key: repr(value) for key, value in space.items() if key.startswith("global_")}
    return outcome, events, left


def describe(error: BaseException | None) -> str:
    """Type, arguments, cause and context of an exception, without names that Python makes up."""
    if error is None:
        return "none"
    if isinstance(error, UnboundLocalError):
        return "UnboundLocalError"
    text = error.name if isinstance(error, NameError) else str(error)
    return f"{type(error).__name__}({text}) from {describe(error.__cause__)}, hidden={error.__suppress_context__}"


def check(source: str, *calls: str, names: dict[str, Any] | None = None) -> None:
    """Asserts that plain and converted text do the same."""
    source = textwrap.dedent(source)
    plain = ast.parse(source)
    made = converted_module(source, names)
    for call in calls:
        expected, found = run(plain, call, names), run(made, call, names)
        assert found == expected, f"{call}\n{ast.unparse(made)}\n\nplain:     {expected}\nconverted: {found}"
