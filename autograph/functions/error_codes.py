"""A failed check as a result of the program: which one, and the values that its message shows, instead of a call of the host.

    program = jax.make_jaxpr(ag.convert(f))(*args)
    found = with_error_code(program)      # None where the program has no checks
    new, checks, keeps_rules = found
    *results, words = jax.jit(jax.extend.core.jaxpr_as_fun(new))(*args)
    raise_failed(checks, np.asarray(words))

The further result is an int32 vector: the number of the check that failed first, counted from 1, or 0, then the words of its values
(`error_words`), then zeros. What the program computes after a failed check is of no use; loops end there (`regions`).

>>> import jax, autograph as ag
>>> def root(x):
...     assert x >= 0, f"{x:.2f} is negative"
...     return x ** 0.5
>>> new, checks, _ = with_error_code(jax.make_jaxpr(ag.convert(root))(4.0))
>>> run = jax.jit(lambda x: jax.core.eval_jaxpr(new.jaxpr, new.consts, x))
>>> run(4.0)
[Array(2., dtype=float32, weak_type=True), Array([0, 0], dtype=int32)]
>>> try: raise_failed(checks, np.asarray(run(-4.0)[-1]))
... except AssertionError as error: print(error)
-4.00 is negative

A check within an operation that `regions` does not know, as a Pallas kernel, stays a call of the host, and fails as under `ag.jit`.
The rule of a `jax.custom_jvp` or `jax.custom_vjp` with a check in it is lost: programs are differentiated before.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import jax
import numpy as np

from autograph.functions import error_words
from autograph.functions.regions import Regions
from autograph.jax_internals import ClosedJaxpr, maps_lanes, open_traces, trace_of
from autograph.runtime.checks.failures import FailedCheck

_TRACER = re.compile(r"(?:[A-Z]\w*)?Tracer\(~?([^()]*)\)")  # of which messages show the type


class Check(NamedTuple):
    """A check of a program: how it fails, and the types of the values in its message.

    Files keep `parts`, and `kind` and `place` of `failed`.
    """

    failed: FailedCheck
    avals: tuple[Any, ...]

    @property
    def parts(self) -> tuple[Any, ...]:
        """The message as strings and, for each value in it, its number, its format and its conversion."""
        parts = (_TRACER.sub(r"\1", self.failed.message),) if self.failed.parts is None else self.failed.parts
        return tuple(
            x if isinstance(x, str) or error_words.has_words(self.avals[x[0]]) else self._type(x[0]) for x in parts
        )

    def _type(self, number: int) -> str:
        return repr(error_words.OfType(self.avals[number]))

    def exception(self, words: np.ndarray[Any, Any]) -> BaseException:
        """Returns the exception of plain Python, from the words after the number of the check."""
        return self.failed.exception(error_words.values_of(self.avals, words))


class Coded(NamedTuple):
    """A program with its error code as a last result.

    Attributes:
        program: a `jax.extend.core.ClosedJaxpr`.
        checks: by number, from 1.
        keeps_rules: whether its derivatives are those of the program without the code: no check is in a `custom_jvp`.
    """

    program: Any
    checks: tuple[Check, ...]
    keeps_rules: bool


def with_error_code(closed: Any) -> Coded | None:
    """Returns the same program with its error code as a last result; None where it has no checks.

    Args:
        closed: a `jax.extend.core.ClosedJaxpr`, as `jax.make_jaxpr` returns it.
    """
    regions = Regions(closed.jaxpr)
    if not regions.checks:
        return None
    jaxpr, consts = regions.program(closed.jaxpr, closed.consts)
    return Coded(ClosedJaxpr(jaxpr, consts), tuple(Check(*check) for check in regions.checks), regions.keeps_rules)


_KNOWS = ("EvalTrace", "JVPTrace", "LinearizeTrace", "JaxprTrace", "BatchTrace")


def is_known_at_once() -> bool:
    """Whether a program that is called now runs now: under `jax.grad` or `jax.vmap`, and in no other program."""
    return all(type(trace).__name__ in _KNOWS for trace in open_traces())


def known_words(words: Any) -> np.ndarray[Any, Any]:
    """Returns the words of a program that ran under `jax.grad` or `jax.vmap`: those of the first lane that failed."""
    while isinstance(words, jax.core.Tracer):
        words = words.val if maps_lanes(trace_of(words)) else jax.lax.stop_gradient(words)
    each = np.asarray(words).reshape(-1, words.shape[-1])
    return next((one for one in each if one[0]), each[0])


def error_of(checks: tuple[Check, ...], words: np.ndarray[Any, Any]) -> BaseException | None:
    """Returns the exception that the words tell of; None where no check failed."""
    return checks[words[0] - 1].exception(words[1:]) if words[0] else None


def raise_pending(pending: list[tuple[tuple[Check, ...], Any]]) -> None:
    """Raises a failure that no call has raised when a function goes, or the process ends: Python shows it and goes on."""
    for checks, words in pending:
        raise_failed(checks, np.asarray(words))


def raise_failed(checks: tuple[Check, ...], words: np.ndarray[Any, Any]) -> None:
    """Raises the exception that the words tell of, if a check failed."""
    if words[0]:  # all that a call pays which does not fail
        raise checks[words[0] - 1].exception(words[1:])
