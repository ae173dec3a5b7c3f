"""Reports of staged loops at verbosity 2: which variables are known numbers, and how large their tables are.

>>> targets("for k, (a, b) in enumerate(pairs):"), targets("total = sum(x[i] for i in range(n))"), targets("for (")
(['k', 'a', 'b'], ['i'], ['the item'])
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from autograph import errors, verbosity
from autograph.runtime.operators.loop_variables import TestedBody
from autograph.runtime.tracing.context import progress
from autograph.runtime.tracing.known.number import KnownTracer
from autograph.runtime.tracing.refusals import user_line


def tell_loop(body: Callable[..., Any], what: str, level: Any = None) -> None:
    """Says what became of a loop; of one inside only when that around is staged, which may be traced more than once.

    Args:
        level: of a staged loop whose iterations are numbered.
    """
    reports = [(place_of_loop(body), what)] if level is None else [*level.reports, (place_of_loop(body), what + _known_in(level))]
    if level is not None and level.parent is not None:
        level.parent.reports += reports
        return
    for place, said in reports:
        verbosity.tell_statement(2, place, said)


def place_of_loop(body: Callable[..., Any]) -> Any:
    """Returns the place of a loop, of what says something about it."""
    code = body.__code__  # a report that held the body would hold the lists to which it appends
    return user_line() if errors.is_ours(code.co_filename) else code  # `any` of a generator is a loop of ours


def word_of(body: Callable[..., Any]) -> str:
    """Returns the keyword of the loop with this body."""
    return "while" if isinstance(body, TestedBody) else "for"


def _known_in(level: Any) -> str:
    said, names = "", [name if " " in name else f"'{name}'" for name in dict.fromkeys(level.names)]
    if names:
        said = f"; {', '.join(names)} {'is a known number' if len(names) == 1 else 'are known numbers'}"
    sizes = [size for x, size in level.tables.values() if x.emitted is not None]
    level.tables.clear()
    return said + (f"; {len(sizes)} table{'s' * (len(sizes) > 1)} of {sum(sizes):,} bytes" if sizes else "")


def noting_item(body: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Makes a loop body that first notes which names of the loop's target are known numbers."""
    place = errors.Location.of(place_of_loop(body))
    names = targets("" if place is None else place.line)

    def run(item: Any) -> Any:
        if progress.level is not None:
            are_known = [type(part) is KnownTracer for part in _parts(item)]
            if len(names) == len(are_known):
                progress.level.names = [name for name, known in zip(names, are_known, strict=True) if known]
        return body(item)

    return run


def _parts(item: Any) -> Iterator[Any]:
    if type(item) is not tuple:
        yield item
        return
    for part in item:
        yield from _parts(part)


def targets(line: str) -> list[str]:
    """Returns the names in the target of a loop that begins in a line, in their order."""
    found = re.search(r"\bfor (.+?) in\b", line)
    return re.findall(r"[^\W\d]\w*", found[1]) if found else ["the item"]
