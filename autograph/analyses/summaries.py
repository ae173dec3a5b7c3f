"""What a statement does to variables on the way to each of its exits, as sets of names that are integers (`bits`).

>>> block = then(Summary(reads=0, end=0b01), Summary(reads=0b11, end=0b10))
>>> block.reads, block.end
(2, 3)
"""

from __future__ import annotations

from typing import NamedTuple

from autograph.analyses.bits import ALL


class Summary(NamedTuple):
    """`reads`: read before written. The others: certainly written on the way to that exit; `ALL` where none leads there."""

    reads: int
    end: int
    break_: int = ALL
    continue_: int = ALL
    return_: int = ALL


class Exits(NamedTuple):
    """What is live where a block may go: its end, the jumps, and an exception raised in it."""

    end: int
    break_: int
    continue_: int
    return_: int
    exception: int


NOTHING = Summary(0, 0)
"""Of an empty block."""


def then(first: Summary, second: Summary) -> Summary:
    """Returns the summary of one after the other."""
    return Summary(
        first.reads | (second.reads & ~first.end),
        first.end | second.end,
        first.break_ & (first.end | second.break_),
        first.continue_ & (first.end | second.continue_),
        first.return_ & (first.end | second.return_),
    )


def join_summaries(first: Summary, second: Summary) -> Summary:
    """Returns the summary of one or the other."""
    return Summary(first.reads | second.reads, *(a & b for a, b in zip(first[1:], second[1:], strict=True)))


def before(summary: Summary, exits: Exits) -> int:
    """Returns what is live in front of something with this summary."""
    return (
        summary.reads
        | (exits.end & ~summary.end)
        | (exits.break_ & ~summary.break_)
        | (exits.continue_ & ~summary.continue_)
        | (exits.return_ & ~summary.return_)
        | exits.exception
    )
