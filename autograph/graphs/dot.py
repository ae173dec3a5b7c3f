"""A graph for Graphviz: scopes are clusters.

>>> from autograph.graphs.operations import Operation, Scope, Value
>>> x, y = Value("x", (), "float32"), Value("add", (), "float32")
>>> print(drawn(Scope("f", "", (x,), (y,), [Operation("add", "add", "", (x, x), (y,))])))
digraph "f" {
  node [shape=box, style=rounded, fontname="sans-serif", fontsize=11];
  "x" [label="x\\nfloat32[]", shape=ellipse];
  "add" [label="add\\nfloat32[]"];
  "x" -> "add";
}
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from autograph.graphs import flow
from autograph.graphs.operations import Scope


def drawn(tree: Scope) -> str:
    """Returns the graph in the DOT language."""
    found = list(flow.nodes(tree))
    scopes: dict[str, list[flow.Node]] = {}
    for node in found:
        scopes.setdefault(node.path.rpartition("/")[0], []).append(node)
    lines = [
        f"digraph {_quoted(tree.name)} {{",
        '  node [shape=box, style=rounded, fontname="sans-serif", fontsize=11];',
        *_cluster(tree, scopes, "  "),
        *(f"  {_quoted(read)} -> {_quoted(node.path)};" for node in found for read in node.inputs),
        "}",
    ]
    return "\n".join(lines)


def _cluster(scope: Scope, nodes: dict[str, list[flow.Node]], indent: str) -> Iterator[str]:
    for node in nodes.get(scope.path, ()):
        yield f"{indent}{_quoted(node.path)} [{_attributes(node)}];"
    for part in scope.parts:
        if isinstance(part, Scope):
            yield f"{indent}subgraph {_quoted(f'cluster {part.path}')} {{"
            yield f"{indent}  label={_quoted(part.name)};"
            yield from _cluster(part, nodes, f"{indent}  ")
            yield f"{indent}}}"


def _attributes(node: flow.Node) -> str:
    types = ", ".join(value.type for value in node.outputs)
    name = node.path.rpartition("/")[2]
    text = f"label={_quoted(f'{name}{chr(10)}{types}')}"
    if node.kind == "input":
        text += ", shape=ellipse"
    if node.source is not None:
        text += f", tooltip={_quoted(f'{node.source}  {node.source.text}')}"
    return text


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
