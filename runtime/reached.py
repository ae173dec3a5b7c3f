"""Where the code that is traced now is reached at all: what checks (`checks`) ask before they fail.

It is reached where the conditions of all open arms and loops hold, and where no check before it has failed: of several that
fail the first is reported.

>>> import jax
>>> from autograph import convert
>>> def f(n):
...     assert n < 9, 'first'
...     assert n < 8, 'second'
...     return n
>>> fails = jax.jit(convert(f))
>>> try: _ = fails(9).block_until_ready()
... except jax.errors.JaxRuntimeError as error: print('first' in str(error), 'second' in str(error))
True False
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any

from jax import lax

from autograph.jax_internals import current_trace, keep_with_trace, trace_reference
from autograph.runtime import journal


class _Program:
    """What is known of a program outside of all pieces: `survived`, as of a piece. Its trace keeps it."""

    def __init__(self, survived: Any) -> None:
        self.survived = survived
        self.trace = trace_reference()


class _State(threading.local):
    def __init__(self) -> None:
        self.program: Callable[[], _Program | None] = lambda: None
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
    """Where `test` is not as expected, the program has failed: later checks of this piece, or of the program, ask no more."""
    pieces = journal.open_pieces()
    around = pieces[-1] if pieces else _state.program()
    is_known = around is not None and around.trace() is current_trace()
    if pieces and not is_known:
        return  # of a function under `vmap`, say
    holds = test if expected else lax.bitwise_not(test)
    if around is not None and is_known:
        around.survived = holds if around.survived is None else lax.bitwise_and(around.survived, holds)
        return
    program = _Program(holds)
    if keep_with_trace(program) is None:
        _state.program = weakref.ref(program)


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
        ours = [trace() for piece in pieces for trace in (piece.trace, *piece.arms)]
        program = _state.program()
        if program is not None and journal.lies_within(program.trace(), ours):
            found.append(program.survived)
        return found + [piece.survived for piece in pieces if piece.survived is not None]
    finally:
        _state.asking = False
