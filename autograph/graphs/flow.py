"""A graph as nodes and the nodes that they read from, scopes being parts of names: what drawing programs take.

>>> from autograph.graphs.reading import read_program
>>> import jax
>>> for node in nodes(read_program("f", jax.make_jaxpr(lambda x: x + 1.0)(2.0))):
...     print(node.path, node.kind, node.inputs)
x input []
add add ['x']
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from autograph.graphs.operations import Operation, Scope, Source, Value


@dataclass
class Node:
    """One node of a drawing.

    Attributes:
        path: its name, below those of its scopes.
        kind: that of the operation; `input` for an argument, or for what an iteration or a function begins with.
        inputs: the paths of the nodes that it reads from.
        outputs: the values that it makes.
        parameters: what else describes it.
        source: the user's line.
    """

    path: str
    kind: str
    inputs: list[str]
    outputs: tuple[Value, ...]
    parameters: dict[str, str]
    source: Source | None


def nodes(tree: Scope) -> Iterator[Node]:
    """Yields the nodes of a graph, each after those that it reads from, except what an iteration leaves to the next one.

    A statement is a node inside of its own scope: it reads what decides it and what its branches and bodies leave.
    """
    makers = {value.name: value.name for value in tree.inputs}
    for value in tree.inputs:
        yield Node(value.name, "input", [], (value,), {}, None)
    yield from _inside(tree, makers)


def _inside(scope: Scope, makers: dict[str, str]) -> Iterator[Node]:
    for part in scope.parts:
        if isinstance(part, Operation):
            yield _node(part, part.scope, part.inputs, makers)
        elif part.operation is None:
            yield from _inside(part, makers)
        else:
            yield from _statement(part, part.operation, makers)


def _statement(scope: Scope, operation: Operation, makers: dict[str, str]) -> Iterator[Node]:
    given: set[str] = set()
    left: list[Value] = []
    for region in scope.regions:
        for value, begin in zip(region.inputs, region.given):
            given.add(begin.name)
            if value != begin:
                makers[value.name] = f"{region.path}/{value.name}"
                yield Node(makers[value.name], "input", _read((begin,), makers), (value,), {}, scope.source)
        yield from _inside(region, makers)
        left += region.outputs
    decides = [value for value in operation.inputs if value.name not in given]
    yield _node(operation, scope.path, (*decides, *left), makers)


def _node(operation: Operation, path: str, read: tuple[Value, ...], makers: dict[str, str]) -> Node:
    name = f"{path}/{operation.name}".lstrip("/")
    makers.update((value.name, name) for value in operation.outputs)
    return Node(name, operation.kind, _read(read, makers), operation.outputs, operation.parameters, operation.source)


def _read(values: tuple[Value, ...], makers: dict[str, str]) -> list[str]:
    """Returns the nodes that make these values; numbers and constants of the source have none."""
    return list(dict.fromkeys(makers[value.name] for value in values if not value.is_literal and value.name in makers))
