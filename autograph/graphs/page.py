"""A graph as one HTML page that needs no network: scopes open and close, and every node has the user's line.

The page lays out by dagre (`viewer/dagre.min.js`, under the licence beside it): each open scope by itself.
A scope of many parts is divided into runs of them, so that no layout is large.

>>> from autograph.graphs.operations import Operation, Scope, Value
>>> x, y = Value("x", (), "float32"), Value("add", (), "float32")
>>> page = written(Scope("f", "", (x,), (y,), [Operation("add", "add", "", (x, x), (y,))]))
>>> page.startswith("<!DOCTYPE html>"), "https://" in page
(True, False)
"""

from __future__ import annotations

import html
import json
import math
import string
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any

from autograph.graphs.operations import Operation, Scope, Source, Value

MOST = 60
"""The parts of a scope that are laid out at once."""

_KINDS = {"cond": "if", "while": "loop", "scan": "loop"}


def written(tree: Scope, texts: Mapping[str, str] | None = None) -> str:
    """Returns the page as HTML; `texts`: other forms of the program by their titles, shown instead of the graph on request."""
    page = _Page()
    root = page.scope(tree)
    data = {"root": root, "values": page.values, "sources": page.listed_sources(), "texts": dict(texts or {})}
    viewer = files("autograph.graphs") / "viewer"
    parts = {name: (viewer / file).read_text(encoding="utf-8") for name, file in _FILES.items()}
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    # A string of the user's may hold what would end the element.
    parts["data"] = text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    template = string.Template((viewer / "page.html").read_text(encoding="utf-8"))
    return template.substitute(parts, title=html.escape(tree.name))


_FILES = {"style": "viewer.css", "layout": "dagre.min.js", "viewer": "viewer.js"}


def framed(page: str) -> str:
    """Returns a page inside of another one, as notebooks show it: it reaches nothing around it."""
    source = html.escape(page, quote=True)
    style = "width: 100%; height: 520px; border: 1px solid #8888; border-radius: 8px"
    return f'<iframe sandbox="allow-scripts" style="{style}" srcdoc="{source}"></iframe>'


class _Page:
    """What the viewer reads: scopes in one another, and the tables that they point into."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}
        self._sources: dict[Source, int] = {}

    def listed_sources(self) -> list[list[Any]]:
        """Returns file, line and source of each line that is named."""
        return [[source.filename, source.line, source.text] for source in self._sources]

    def scope(self, scope: Scope, above: str = "") -> dict[str, Any]:
        """Returns a scope with all that stands in it."""
        operation = scope.operation
        made = self._node(scope.name, above, scope.taken, scope.made, scope.source)
        made |= {"i": self._names(scope.inputs), "o": self._names(scope.outputs)}
        if operation is not None:
            made |= {"op": operation.name, "kind": operation.kind, "a": operation.parameters}
        made["k"] = _KINDS.get(operation.kind, "call") if operation else "call"
        parts = [(part, self._part(part, scope)) for part in scope.parts]
        if len(parts) > MOST:
            parts = self._divided(parts, scope)
        made["c"] = [part for _, part in parts]
        return made

    def _part(self, part: Operation | Scope, around: Scope) -> dict[str, Any]:
        if isinstance(part, Operation):
            node = self._node(part.name, around.path, part.inputs, part.outputs, part.source)
            return node | {"kind": part.kind, "a": part.parameters}
        made = self.scope(part, around.path)
        if any(part is region for region in around.regions):
            # It is a part of its statement, which hands it the values: its inputs and outputs are drawn inside of it alone.
            made |= {"k": "region", "in": [], "out": []}
            made.pop("s", None)
        return made

    def _node(
        self, name: str, path: str, taken: Iterable[Value], made: Iterable[Value], source: Source | None
    ) -> dict[str, Any]:
        node: dict[str, Any] = {"n": name, "p": path, "in": self._names(taken), "out": self._names(made)}
        if source is not None:
            node["s"] = self._sources.setdefault(source, len(self._sources))
        return node

    def _names(self, values: Iterable[Value]) -> list[str]:
        found = []
        for value in values:
            if not value.is_literal:
                self.values[value.name] = value.type
            found.append(f"={value.name}" if value.is_literal else value.name)
        return found

    def _divided(self, parts: list[tuple[Any, dict[str, Any]]], scope: Scope) -> list[tuple[Any, dict[str, Any]]]:
        """Runs of parts instead of many parts, of as many parts as there are runs."""
        depth = math.ceil(math.log(len(parts), MOST))
        each = math.ceil(len(parts) ** (1 - 1 / depth))
        runs = [parts[k : k + each] for k in range(0, len(parts), each)]
        used = [dict.fromkeys(name for _, part in run for name in part["in"] if name[0] != "=") for run in runs]
        results = {name for name in self._names(scope.outputs)}
        found = []
        for number, run in enumerate(runs):
            made = dict.fromkeys(name for _, part in run for name in part["out"])
            taken = [name for name in used[number] if name not in made]
            later = results.union(*used[number + 1 :])
            left = [name for name in made if name in later]
            node = {
                "n": _lines([part for part, _ in run]),
                "p": scope.path,
                "in": taken,
                "out": left,
                "i": taken,
                "o": left,
            }
            inner = self._divided(run, Scope("", "", outputs=_values(left))) if len(run) > MOST else run
            found.append((run[0][0], {**node, "k": "lines", "c": [part for _, part in inner]}))
        return found


def _values(names: Sequence[str]) -> tuple[Value, ...]:
    return tuple(Value(name, (), "") for name in names)


def _lines(parts: Sequence[Operation | Scope]) -> str:
    """Names a run of parts: after its lines, if these are of one file."""
    sources = [part.source for part in parts if part.source is not None]
    if len({source.filename for source in sources}) != 1:
        return f"{len(parts)} operations"
    first, last = min(source.line for source in sources), max(source.line for source in sources)
    return f"line {first}" if first == last else f"lines {first} to {last}"
