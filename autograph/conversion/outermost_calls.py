"""An outermost call of a converted function: classes of the objects within its reach are prepared before it runs.

The first trace looks at all objects. Code gets hold of what variables and containers hold, and of the attributes that it names:
so later traces follow the names that code used in the last one, and look at all objects when a function runs that names
others, or one of a library, which may name any. An object with thousands of parts costs them nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from types import CodeType, FunctionType
from typing import Any, Protocol

from autograph.code.registry import BY_TEXT, words_in
from autograph.code.source import Source
from autograph.conversion import implicit_methods, unseen_classes
from autograph.jax_internals import is_tracing
from autograph.runtime.tracing import context, default_dicts


class Unit(Protocol):
    """What is known of the function that is called."""

    names: frozenset[str] | None
    """Those that the last trace used; None where it is the first one, or where they may be any."""

    @property
    def source(self) -> Source:
        """Where it stands."""


def enter_outermost(unit: Unit, body: FunctionType, cells: FunctionType, arguments: Sequence[Any]) -> Any:
    """Calls the staged body of a function, of which `cells` has the variables around."""

    def values() -> tuple[Any, ...]:
        named = implicit_methods.globals_of(unit.source.code, cells.__globals__)
        return (*arguments, *implicit_methods.contents(cells), *named)

    outer = context.progress.reach
    before = default_dicts.begin(unseen_classes.prepare_unseen)
    try:
        if is_tracing():
            implicit_methods.prepare_exchanged()
        context.progress.reach = reach = _Reach(unit.names, values)
        reach.enter(unit.source.code)
        result = body(*arguments)
        unit.names = reach.used() if is_tracing() else None
        return result
    finally:
        default_dicts.end(before)
        context.progress.reach = outer


class _Reach:
    """What an outermost call can reach, and the names that its code has for it.

    Args:
        names: those of the last trace.
        values: gives what the function is given and what it refers to.
    """

    __slots__ = ("codes", "is_any", "is_whole", "names", "values")

    def __init__(self, names: frozenset[str] | None, values: Callable[[], Iterable[Any]]) -> None:
        self.codes: set[CodeType] = set()
        self.names = names
        self.values = values
        self.is_whole = names is None
        self.is_any = False
        implicit_methods.prepare_values(values(), names)

    def enter(self, code: CodeType) -> None:
        """Takes note of a function that is about to run."""
        if code not in self.codes:
            self.codes.add(code)
            if self.names is not None and not words_in(code) <= self.names:
                self._look_at_all()

    def enter_any(self) -> None:
        """Takes note that code is about to run that may name anything."""
        self.is_any = True
        self._look_at_all()

    def _look_at_all(self) -> None:
        if not self.is_whole:
            self.is_whole = True
            implicit_methods.prepare_values(self.values())

    def used(self) -> frozenset[str] | None:
        """The names that were used; None if they may be any."""
        found = frozenset().union(*map(words_in, self.codes))
        return None if self.is_any or not found.isdisjoint(BY_TEXT) else found
