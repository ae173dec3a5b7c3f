"""Which objects a variable of a loop may hold: for the sake of aliases.

During a staged turn a *stand-in* of tracers takes the place of a container (`carries`). When the loop is over, its
variable gets a new container of the results. In Python it would hold one of: the container from before the loop (no turn),
one that some turn made, one that another variable held, one that existed before. These are its roots; `views` refuses
changes that could not reach the right one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from autograph.runtime import views
from autograph.runtime.containers import open_any
from autograph.runtime.joining import Node, Template
from autograph.runtime.newborns import made_inside

Key = tuple[Any, ...]


class Flows:
    """The containers of one attempt to trace a loop body.

    Attributes:
        contents: what lists and dicts hold at the end of the turn that were changed in place, by id.
    """

    def __init__(self) -> None:
        self.contents: dict[int, Any] = {}
        self._inits: dict[Key, Any] = {}
        self._stand_ins: dict[int, Key] = {}
        self._outs: dict[Key, Any] = {}
        self._nodes: dict[Key, tuple[Node, str]] = {}
        self._roots: dict[Key, list[Any]] = {}
        self._sources: dict[Key, set[Key]] = {}

    def opened(self, key: Key, init: Any) -> None:
        """`init` is replaced by a stand-in during the turn."""
        self._inits[key] = init

    def stand_ins(self, key: Key, template: Template, value: Any) -> None:
        """Finds the stand-ins in the value that `template` made."""
        if type(template) is not Node:
            return
        if key in self._inits:
            self._stand_ins[id(value)] = key
        opened = open_any(value)
        assert opened is not None
        for child, inside, step in zip(template.children, opened[0], opened[2], strict=True):
            self.stand_ins((*key, step), child, inside)

    def leaves(self, key: Key, out: Any, node: Node, path: str) -> None:
        """`out` is what stands at `key` when the turn ends; `node` builds what stands there after the loop."""
        self._outs[key] = out
        self._nodes[key] = (node, path)

    def close(self, finished: Any, inputs: list[Any]) -> None:
        """Says of each container that left the turn where it came from; the trace ends, so its values are let go."""
        found = [(key, views.roots_of(out)) for key, out in self._outs.items()]
        self._outs.clear()
        self.contents = {}
        every = [root for _, roots in found for root in roots]
        made = made_inside(every, (finished,), (inputs, *(roots for _, roots in found)))
        tokens: dict[int, Any] = {}
        for key, roots in found:
            self._sources[key] = {self._stand_ins[id(root)] for root in roots if id(root) in self._stand_ins}
            others = (root for root in roots if id(root) not in self._stand_ins)
            self._roots[key] = [
                tokens.setdefault(id(root), views.Token()) if id(root) in made else root for root in others
            ]

    def changed(self, place: Key, touched: set[int]) -> bool:
        """Whether a container was changed of which `place` holds a copy: one from before, or from during the turn."""
        inits = [init for key, init in self._inits.items() if key[: len(place)] == place]
        outs = [root for key, roots in self._roots.items() if key[: len(place)] == place for root in roots]
        return any(id(container) in touched for container in (*inits, *outs))

    def merged(self, built: dict[int, Any], surely: bool) -> list[views.Merged]:
        """What was built after the loop, with what it may stand for."""
        return [
            views.Merged(built[id(node)], list(self._all_roots(key, surely)), path)
            for key, (node, path) in self._nodes.items()
            if id(node) in built
        ]

    def _all_roots(self, key: Key, surely: bool) -> Iterator[Any]:
        seen: set[Key] = set()
        pending = [key]
        if surely:  # some turn put something there
            yield from self._roots.get(key, ())
            pending = list(self._sources.get(key, ()))
        while pending:
            here = pending.pop()
            if here not in seen:
                seen.add(here)
                yield from self._roots.get(here, ())
                if here in self._inits:
                    yield self._inits[here]
                pending.extend(self._sources.get(here, ()))
