"""Which objects a variable may refer to after a staged loop: a write through it that could miss the right one is refused.

During a staged iteration a *proxy* of tracers takes the place of a container (`fixed_point`). When the loop is over, its
variable gets a new container of the results. In Python it would hold one of: the container from before the loop (no iteration),
one that some iteration made, one that another variable held, one that existed before. These are its roots; `aliases` refuses
changes that could not reach the right one.

>>> import autograph as ag
>>> def f(n):
...     xs = ys = [0]
...     while n > 0:
...         xs = [n]
...         n -= 1
...     xs[0] = 5
...     return ys
>>> f(0), f(1)
([5], [0])
>>> try: ag.jit(f)(1)
... except ag.StagingError as error: print(str(error).splitlines()[0])
a list is changed in place that may be one of several: 'xs'
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from autograph.runtime.heap import aliases
from autograph.runtime.heap.escape import made_inside
from autograph.runtime.values.kinds import open_any
from autograph.runtime.values.merge import Merged, Node, Template

Key = tuple[Any, ...]


class LoopAliases:
    """The containers of one attempt to trace a loop body.

    Attributes:
        contents: what lists and dicts hold at the end of the iteration that were changed in place, by id.
        outs: the containers and objects that leave the iteration, by key.
        first: what the first iteration appends that is older than the loop, by its node.
    """

    def __init__(self) -> None:
        self.contents: dict[int, Any] = {}
        self._inits: dict[Key, Any] = {}
        self._proxies: dict[int, Key] = {}
        self.outs: dict[Key, Any] = {}
        self._nodes: dict[Key, tuple[Node, str]] = {}
        self._roots: dict[Key, list[Any]] = {}
        self._sources: dict[Key, set[Key]] = {}
        self._appended: dict[Key, tuple[Node, str]] = {}
        self._twins: dict[int, int] = {}
        self.first: dict[int, Any] = {}

    def opened(self, key: Key, init: Any) -> None:
        """`init` is replaced by a proxy during the iteration."""
        self._inits[key] = init

    def note_proxies(self, key: Key, template: Template, value: Any) -> None:
        """Finds the proxies in the value that `template` made."""
        if type(template) is not Node:
            return
        if key in self._inits:
            self._proxies[id(value)] = key
        opened = open_any(value)
        assert opened is not None
        for child, inside, step in zip(template.children, opened[0], opened[2], strict=True):
            self.note_proxies((*key, step), child, inside)

    def leaves(self, key: Key, out: Any, node: Node, path: str) -> None:
        """`out` is what stands at `key` when the iteration ends; `node` builds what stands there after the loop."""
        self.outs[key] = out
        self._nodes[key] = (node, path)

    def appends(self, key: Key, out: Any, node: Node, path: str) -> None:
        """Each iteration appends `out` to a list; `node` builds what the list holds after the loop."""
        self.outs[key] = out
        self._appended[key] = node, path

    def close(self, finished: Any, inputs: list[Any]) -> None:
        """Says of each container that left the iteration where it came from; the trace ends, so its values are let go."""
        if self._appended:
            rows = {id(self.outs[key]): id(node) for key, (node, _) in self._appended.items()}
            self._twins = {
                id(n): rows[id(self.outs[k])] for k, (n, _) in self._nodes.items() if id(self.outs[k]) in rows
            }
        found = [(key, aliases.roots_of(out)) for key, out in self.outs.items()]
        self.outs.clear()
        self.contents = {}
        every = [root for _, roots in found for root in roots]
        made = made_inside(every, (finished,), (inputs, *(roots for _, roots in found)), of_libraries=True)
        tokens: dict[int, Any] = {}
        for key, roots in found:
            self._sources[key] = {self._proxies[id(root)] for root in roots if id(root) in self._proxies}
            others = (root for root in roots if id(root) not in self._proxies)
            self._roots[key] = [
                tokens.setdefault(id(root), aliases.Token()) if id(root) in made else root for root in others
            ]
        if self._appended:
            self._forget_own_rows()

    def _forget_own_rows(self) -> None:
        """Of the containers that iterations append, keeps those that may be another one as well.

        Where an iteration appends what a variable held before it, which each iteration replaces by a container of its own, that is
        the container from before the loop in the first iteration, and nothing else's in all others.
        """
        others = [key for key, (node, _) in self._nodes.items() if id(node) not in self._twins]
        uses = Counter(id(root) for key in (*others, *self._appended) for root in self._roots[key])

        def is_own(key: Key) -> bool:
            return not self._sources[key] and all(
                type(r) is aliases.Token and uses[id(r)] == 1 for r in self._roots[key]
            )

        kept = {}
        for key, (node, path) in self._appended.items():
            before = next(iter(self._sources[key]), None)
            if before in others and len(self._sources[key]) == 1 and not self._roots[key] and is_own(before):
                self.first[id(node)] = self._inits[before]
            elif not is_own(key):
                kept[key] = node, path
        self._appended = kept

    def changed(self, slot: Key, touched: set[int]) -> bool:
        """Whether a container was changed of which `slot` holds a copy: one from before, or from during the iteration."""
        inits = [init for key, init in self._inits.items() if key[: len(slot)] == slot]
        outs = [root for key, roots in self._roots.items() if key[: len(slot)] == slot for root in roots]
        return any(id(x) in touched and type(x) is not aliases.Token for x in (*inits, *outs))

    def merged(self, built: dict[int, Any], surely: bool) -> list[Merged]:
        """What was built after the loop, with what it may stand for."""
        return [
            Merged(built[id(node)], list(self._all_roots(key, surely)), path)
            for key, (node, path) in self._nodes.items()
            if id(node) in built and id(node) not in self._twins
        ]

    def merged_of_iteration(self, built: dict[int, Any]) -> list[Merged]:
        """What was built of what one iteration appended, with what it may stand for."""
        return [
            Merged(built[id(node)], list(self._all_roots(key, False)), path)
            for key, (node, path) in self._appended.items()
        ]

    def left_elsewhere(self, built: dict[int, Any]) -> dict[int, Any]:
        """What the last iteration appended and left in a variable as well: by the node of that slot."""
        return {slot: built[row] for slot, row in self._twins.items()}

    def _all_roots(self, key: Key, surely: bool) -> Iterator[Any]:
        seen: set[Key] = set()
        pending = [key]
        if surely:  # some iteration put something there
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
