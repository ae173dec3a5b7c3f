"""A graph as a tree in plain text: each operation, and beside it the user's line.

>>> from autograph.graphs.operations import Operation, Scope, Value
>>> x, y = Value("x", (), "float32"), Value("add", (), "float32")
>>> print(list_graph(Scope("f", "", (x,), (y,), [Operation("add", "add", "", (x, x), (y,))])))
f(x: float32[]) -> add
  add = add(x, x) : float32[]
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from autograph.errors import shown_name
from autograph.graphs.operations import Operation, Scope, Source

_WIDEST = 76  # of the left column, so that a long line does not push away all others
_LONGEST = 60  # of a line of the user's


def list_graph(scope: Scope) -> str:
    """Returns the graph as a string."""
    first = next((operation.source for operation in scope.operations() if operation.source), None)
    filename = first.filename if first else ""
    inputs, results = list(map(str, scope.inputs)), _names(scope.outputs)
    head = [f"{scope.name}({', '.join(inputs)}) -> {results}"]
    if len(head[0]) > _WIDEST:  # each input in a line of its own
        head = [f"{scope.name}(", *(f"    {value}," for value in inputs), f") -> {results}"]
    rows = [(head[0], _file(filename)), *((line, "") for line in head[1:]), *_rows(scope, "  ", filename)]
    width = min(max(len(left) for left, _ in rows), _WIDEST)
    return "\n".join(f"{left:<{width}}  {right}".rstrip() for left, right in rows)


def _names(values: tuple[object, ...]) -> str:
    return ", ".join(str(getattr(value, "name", value)) for value in values) or "nothing"


def _rows(scope: Scope, indent: str, filename: str) -> Iterator[tuple[str, str]]:
    regions, above = scope.regions, None
    for part in scope.parts:
        shown = "" if part.source is None or part.source.place == above else _line(part.source, filename)
        if isinstance(part, Operation):
            yield f"{indent}{part}", shown
        elif part.operation is not None:
            yield f"{indent}{part.name}: {part.operation}", shown
        elif part in regions:
            shown = ""
            yield f"{indent}{part.name}({_names(part.inputs) if part.inputs else ''}) -> {_names(part.outputs)}", shown
        else:
            yield f"{indent}{part.name}: {_names(part.outputs)}", shown
        if shown and part.source:
            above = part.source.place
        if isinstance(part, Scope):
            yield from _rows(part, f"{indent}  ", filename)
            above = None


def _line(source: Source, filename: str) -> str:
    """Returns a line of the user's with its number, and its file if that is another one."""
    text = source.text if len(source.text) <= _LONGEST else f"{source.text[: _LONGEST - 3]}..."
    place = "" if source.filename == filename else f"{_file(source.filename)}:"
    return f"{place}{source.line}  {text}"


def _file(filename: str) -> str:
    """Returns a file as messages name it; one below the current folder from there."""
    name = shown_name(filename)
    below = os.path.relpath(name) if os.path.isabs(name) else name
    return name if below.startswith(os.pardir) else below
