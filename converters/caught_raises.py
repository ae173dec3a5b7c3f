"""A `try` whose handlers must also catch what is raised on a traced condition.

Handlers run while the program is built, so an exception that one branch of a staged `if` raises never gets to them. Where the
`raise` stands in the `try` itself it is a jump, and becomes a flag as `break` does; what the handlers do stands a second time
behind the `try`, in an `if` of that flag:

>>> from autograph.converters.jumps import Jumps
>>> from autograph.converters.showing import show
>>> print(show('''
... def f(x):
...     try:
...         if x < 0:
...             raise ValueError("negative")
...         y = sqrt(x)
...     except ValueError:
...         y = 0
...     return y
... ''', Jumps))
def f(x):
    depth = ag__.depth()
    raised = False
    try:
        if x < 0:
            error = ag__.raised(depth, ValueError('negative'))
            raised = True
        else:
            y = sqrt(x)
    except ValueError:
        y = 0
    if raised:
        try:
            raise ag__.error(error)
        except ValueError:
            y = 0
    return y

`ag__.raised` raises at once, and Python's own handlers catch it, unless a staged statement stands between it and the `try`.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, NamedTuple

import gast

from autograph.analyses.operators import is_operator
from autograph.converters import builders
from autograph.converters.base import Node

if TYPE_CHECKING:
    from autograph.converters.jump_targets import Place
    from autograph.converters.jumps import Jumps


class Site(NamedTuple):
    """One `raise`: its flag, the variable that holds what was raised, and where it stands."""

    flag: str
    error: str
    at: Node


class Catch:
    """What is raised by flags in the body of one `try`."""

    def __init__(self, jumps: Jumps, node: Node, place: Place) -> None:
        self.jumps = jumps
        self.node = node
        self.place = place
        self.depth = jumps.namer.fresh("depth")
        self.handlers = copy.deepcopy(node.handlers)  # before they are lowered
        self.sites: list[Site] = []
        self._shared: dict[str | None, Site] = {}

    @property
    def flags(self) -> frozenset[str]:
        return frozenset(site.flag for site in self.sites)

    def before(self) -> list[Node]:
        """Returns what goes in front of the `try`."""
        if not self.sites:
            return []
        made = self.jumps.statements("$name = ag__.depth()", at=self.node, name=self.depth)
        return made + [builders.assign(site.flag, gast.Constant(False, None), at=self.node) for site in self.sites]

    def raising(self, node: Node) -> tuple[list[Node], str]:
        """Returns what takes the place of a `raise`, and its flag."""
        site = self._site(node)
        arguments = [builders.name(self.depth)]
        if node.exc is not None:
            arguments.append(node.exc)
            if node.cause is not None and not isinstance(node.cause, gast.Constant):
                arguments.append(node.cause)
        call = builders.operator(self.jumps.alias, "raised", arguments, at=node)
        [kept] = self.jumps.statements("$name = $call", at=node, name=site.error, call=call)
        return [kept, builders.assign(site.flag, gast.Constant(True, None), at=node)], site.flag

    def _site(self, node: Node) -> Site:
        """Returns a new site, or that of other arithmetic that raises the same: if no handler looks at the message, one will do."""
        kind = None
        if is_operator(node.exc, self.jumps.alias) and node.exc.func.attr == "failure":
            if not any(handler.name for handler in self.handlers) and self.place.catch is None:
                node.exc.args = node.exc.args[:1]
                kind = node.exc.args[0].value
        site = self._shared.get(kind)
        if site is None:
            site = Site(self.jumps.namer.fresh("raised"), self.jumps.namer.fresh("error"), node)
            self.sites.append(site)
            if kind is not None:
                self._shared[kind] = site
        return site

    def handling(self) -> list[Node]:
        """Returns the `if`s behind the `try`, each with a copy of its handlers; not lowered yet."""
        return [self._handling(site) for site in self.sites]

    def _handling(self, site: Site) -> Node:
        node, jumps, outer = self.node, self.jumps, self.place.catch
        handlers = copy.deepcopy(self.handlers)
        if outer is not None:
            handlers.extend(passing_on(jumps, node))
        raising = jumps.statements("raise ag__.error($error)", at=site.at, error=site.error)
        text = "if $flag:\n    try:\n        $raising\n    finally:\n        pass"
        [handling] = jumps.statements(text, at=node, flag=site.flag, raising=raising)
        [again] = handling.body
        again.handlers, again.finalbody = handlers, []
        jumps.native.add_tree(handling, outer is not None)
        return handling


def passing_on(jumps: Jumps, node: Node) -> list[Node]:
    """Makes the last handler, which raises again what no other matches, for the `try` around."""
    if node.handlers[-1].type is None:
        return []
    name = jumps.namer.fresh("error")
    [around] = jumps.statements(
        "try:\n    pass\nexcept BaseException as $error:\n    raise $again", at=node, error=name, again=name
    )
    jumps.native.add_tree(around, True)
    return list(around.handlers)
