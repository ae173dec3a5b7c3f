"""Where the code that is traced now is reached at all: what checks (`checks`) ask before they fail.

It is reached where the conditions of all open arms and loops hold, and where no check of an open arm has failed before: of several
that fail in an arm the first is reported.

>>> import jax
>>> from autograph import convert
>>> def f(n):
...     if n > 7:
...         assert n < 9, 'first'
...         assert n < 8, 'second'
...     return n
>>> fails = jax.jit(convert(f))
>>> try: _ = fails(9).block_until_ready()
... except jax.errors.JaxRuntimeError as error: print('first' in str(error), 'second' in str(error))
True False
"""

from __future__ import annotations

import threading
from typing import Any

from jax import lax

from autograph.jax_internals import current_trace
from autograph.runtime import journal


class _State(threading.local):
    def __init__(self) -> None:
        self.asking = False
        self.checks = 0


_state = _State()


def is_conditional() -> bool:
    """Whether the code that is traced now is reached only where some condition holds."""
    return any(piece.path is not None for piece in journal.open_pieces())


def checks_seen() -> int:
    """How many checks this thread has staged so far."""
    return _state.checks


def survived(test: Any, expected: bool) -> None:
    """Where `test` is not as expected, the program has failed: later checks of this piece ask no more."""
    pieces = journal.open_pieces()
    if pieces and (piece := pieces[-1]).trace() is current_trace():  # not of a function under `vmap`, say
        holds = test if expected else lax.bitwise_not(test)
        piece.survived = holds if piece.survived is None else lax.bitwise_and(piece.survived, holds)


def passed() -> Any:
    """What the innermost piece knows of the checks in it so far, for `forget_since`."""
    pieces = journal.open_pieces()
    return pieces[-1].survived if pieces else None


def forget_since(before: Any) -> None:
    """Forgets the checks that the innermost piece has passed since: those of a loop test that may be dropped again."""
    pieces = journal.open_pieces()
    if pieces:
        pieces[-1].survived = before


def conditions() -> list[Any] | None:
    """The truth values that must all hold where the code that is traced now is reached.

    None while one of them is computed: a loop test that is evaluated for that purpose was checked where it stands.
    """
    _state.checks += 1
    if _state.asking:
        return None
    _state.asking = True
    try:
        found, pieces = [], journal.open_pieces()
        for path in [piece.path for piece in pieces if piece.path is not None]:
            test, expected = path() if callable(path) else path
            found.append(test if expected else lax.bitwise_not(test))
        return found + [piece.survived for piece in pieces if piece.survived is not None]
    finally:
        _state.asking = False
