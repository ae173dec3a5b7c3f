"""Recursion that only a traced condition would end: the program would hold every level of it, so it is refused by name.

>>> import autograph as ag
>>> def factorial(n):
...     return 1 if n <= 1 else n * factorial(n - 1)
>>> try:
...     ag.jit(factorial)(3)
... except ag.StagingError as error:
...     print(str(error).splitlines()[0])
'factorial' calls itself under a traced condition

A Python value may end recursion under a traced condition as well (`f(x, n - 1)`, the branches of a tree), so the first call from
within is not refused as such. It is where it meets all that it met the first time: variables that hold the same Python values and
traced ones of the same types, and nothing changed in the heap. Then each further call does what this one does. What cannot be
compared may differ: such recursion is refused when it is deeper than programs nest, or has more calls.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType, TracebackType
from typing import Any, NamedTuple

from autograph.code.library import HEAP_TYPE
from autograph.errors import StagingError, is_ours
from autograph.runtime.heap import journal
from autograph.runtime.tracing import context
from autograph.runtime.tracing.array_types import type_of
from autograph.runtime.tracing.families import LEAF_KINDS
from autograph.runtime.tracing.staging import is_array_like, is_traced
from autograph.runtime.tracing.variables import UNSET, CellVariable, cell_contents
from autograph.runtime.values.kinds import open_container


class _Kind(NamedTuple):
    deepest: int  # nested runs of one region that are taken for endless recursion
    what: str
    why: str


BRANCH = _Kind(
    64,
    "calls itself under a traced condition",
    "both branches become part of the program, also the one that recurs, so building it would never end",
)
LOOP = _Kind(
    16,
    "calls itself in a loop that ends on a traced condition",
    "the body becomes part of the program also where it makes no iteration, so building it would never end",
)
_MOST = 5000
"""Nested runs of one region, in all: a program that takes further steps in each branch (all paths through a grid) has no end."""
_DEEP = 10  # the same, once Python's own stack is full


class refused:
    """Within it the user's function `run` runs as a region of the program.

    A class, since a generator's frame, and the traceback that `contextlib` puts back, would be shown.

    Raises:
        StagingError: it is running already, and would be for ever, or more often than programs nest.
    """

    __slots__ = ("_around", "_code", "_kind", "_run")

    def __init__(self, run: Callable[..., Any] | None, kind: _Kind) -> None:
        self._run, self._kind = run, kind
        self._code: CodeType | None = getattr(run, "__code__", None)
        self._around = 0

    def __enter__(self) -> None:
        if self._run is None or self._code is None:
            return
        regions = context.open_regions()
        around = [k for k, region in enumerate(regions) if region.code is self._code]
        self._around = len(around)
        if not around:
            return
        outermost = regions[around[0]]
        outermost.recursions += 1
        is_deep = len(around) >= self._kind.deepest or outermost.recursions > _MOST
        if is_deep or _begins_again(self._run, regions[around[-1] :]):
            raise _endless(self._code, self._kind)

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._code is None or error is None:
            return
        if isinstance(error, RecursionError) and self._around >= _DEEP:
            raise _endless(self._code, self._kind) from None
        if not self._around and error.__dict__.get(_CODE) is self._code:
            raise error.with_traceback(None) from None  # the levels of the recursion say nothing more


def _begins_again(run: Callable[..., Any], regions: list[journal.Region]) -> bool:
    """Whether `run` meets what it met when the first of `regions`, the ones open since then, began."""
    first: Any = regions[0].run
    if is_ours(run.__code__.co_filename) or any(
        not _alike(*change) for region in regions for change in _changes(region)
    ):
        return False
    entry = {id(v.cell): x for v, x in zip(regions[0].variables, regions[0].entry) if isinstance(v, CellVariable)}
    return _same_cells(first, run, entry)


def _changes(region: journal.Region) -> list[tuple[Any, Any]]:
    """What stood in each location and shared variable that a region wrote to, and what stands there now."""
    cells = ((v, x) for v, x in zip(region.variables, region.entry, strict=True) if isinstance(v, CellVariable))
    own = ((x, v.get()) for v, x in cells if id(v.cell) in region.forwarded)
    return [*own, *((before, location.get()) for location, before in region.entries.values())]


def _same_cells(first: Any, again: Any, entry: dict[int, Any], depth: int = 0) -> bool:
    """Whether the variables of two functions of one code are alike; `entry`: what some held before, by the id of the cell."""
    pairs = zip(first.__closure__ or (), again.__closure__ or (), strict=True)
    return all(_alike(entry[id(a)] if id(a) in entry else cell_contents(a), cell_contents(b), depth) for a, b in pairs)


def _more_of(f: FunctionType) -> tuple[Any, ...]:
    return f.__defaults__, f.__kwdefaults__, f.__dict__


def _alike(a: Any, b: Any, depth: int = 0) -> bool:
    """Whether Python's control flow cannot tell two values apart: traced ones of one type, equal Python values, one object."""
    kind = type(a)
    if is_traced(a) or is_traced(b):
        return is_traced(a) and is_traced(b) and type_of(a) == type_of(b)
    if kind is not type(b) or depth > _DEEPEST_VALUE:
        return False
    if kind in LEAF_KINDS:
        return bool(a == b)
    if is_array_like(a):
        return a is b
    if kind is FunctionType:
        return a is b or (
            a.__code__ is b.__code__
            and _same_cells(a, b, {}, depth + 1)
            and all(_alike(x, y, depth + 1) for x, y in zip(_more_of(a), _more_of(b), strict=True))
        )
    if kind in (list, tuple, dict):
        (xs, form, *_), (ys, other, *_) = open_container(a), open_container(b)  # type: ignore[misc]  # they are containers
        return form == other and all(_alike(x, y, depth + 1) for x, y in zip(xs, ys, strict=True))
    # An object of Python's own (an iterator) may have changed with nobody hearing of it.
    return (
        a is b
        and (kind.__flags__ & HEAP_TYPE != 0 or kind in _UNCHANGING)
        and not hasattr(kind, "__next__")
    )


_DEEPEST_VALUE = 4
_UNCHANGING = frozenset({ModuleType, BuiltinFunctionType, type(UNSET), set, deque})


def _endless(code: Any, kind: _Kind) -> StagingError:
    names = [name for name in code.co_qualname.split(".") if name != "<locals>"]
    name = names[-1] if names[-1] != "<lambda>" else names[-2:][0]  # an operand bears no name, its function does
    error = StagingError(
        f"'{name}' {kind.what}",
        at=code,
        why=kind.why,
        instead="write a loop, or let a Python value (a static argument) end the recursion",
        page="recursion",
    )
    error.__dict__[_CODE] = code
    return error


_CODE = "_autograph_recursion"
"""The attribute of a refusal that says of which code it is, until it has left the outermost region that runs it."""
