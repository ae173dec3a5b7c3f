"""Before and after: what passes make of a part of source, and that the converted source does what the plain one does."""

from __future__ import annotations

import ast
import textwrap
import types
from collections.abc import Mapping
from typing import Any

import gast

from autograph import converters, runtime
from autograph.converters.base import Converter
from autograph.converters.showing import context_for, show
from tests.converters import reference

OPERATORS = {"the reference": reference, "the runtime": runtime}


class Case:
    """A function before and after some passes, and calls of it.

    Args:
        before: a module; its first statement is the function that is shown.
        after: the source of that function after the passes, without blank lines.
        calls: expressions, evaluated in the plain module and in the one that is converted by all passes.
        names: what names of outside mean.
    """

    def __init__(self, before: str, after: str, *calls: str, names: Mapping[str, Any] | None = None) -> None:
        self.before = textwrap.dedent(before).strip()
        self.after = textwrap.dedent(after).strip()
        self.calls = calls
        self.names = names or {}

    def examine(self, *passes: type[Converter]) -> None:
        """Asserts that the passes make `after` of `before`, and that all of them keep what the calls do."""
        made = show(self.before, *passes, names=self.names)
        assert made == self.after, f"before:\n{self.before}\n\nwanted:\n{self.after}\n\nmade:\n{made}"
        check(self.before, *self.calls, names=self.names)


def converted_module(source: str, names: Mapping[str, Any] | None = None) -> ast.Module:
    """A module in which every function at its top, and every method of its classes, is converted."""
    module = ast.parse(textwrap.dedent(source))

    def convert(node: Any, class_name: str | None) -> Any:
        if isinstance(node, ast.ClassDef):
            node.body = [convert(item, node.name) for item in node.body]
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            return node
        free = frozenset(("__class__",)) if class_name else frozenset[str]()
        context = context_for(source, names or {}, class_name=class_name, freevars=free)
        made = gast.gast_to_ast(converters.apply_passes(gast.ast_to_gast(node), context, strict=True))
        return made

    module.body = [convert(node, None) for node in module.body]
    return ast.fix_missing_locations(module)


class Stopped(BaseException):
    """A program took too many steps."""


def run(code: ast.Module, call: str, names: Mapping[str, Any] | None = None, *, operators: Any = None) -> Any:
    """What `call` gives in a module, and the events that the module noted by `note(...)`."""
    events: list[Any] = []

    def note(value: Any = None) -> Any:
        events.append(repr(value))
        if len(events) > 400:
            raise Stopped
        return value

    space: dict[str, Any] = {"__name__": "program", "note": note, "ag__": operators, **(names or {})}
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


def check(source: str, *calls: str, names: Mapping[str, Any] | None = None) -> None:
    """Asserts that plain and converted source do the same, with the reference operators and with the library's."""
    source = textwrap.dedent(source)
    plain = ast.parse(source)
    made = converted_module(source, names)
    for call in calls:
        expected = run(plain, call, names)
        for kind, operators in OPERATORS.items():
            found = run(made, call, names, operators=operators)
            assert found == expected, (
                f"{call}, {kind}\n{ast.unparse(made)}\n\nplain:     {expected}\nconverted: {found}"
            )
