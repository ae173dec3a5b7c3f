"""The names of staged statements in JAX's profiles: `if_12`, `while_20`, after the word and the line.

>>> def branch(): ...
>>> line = branch.__code__.co_firstlineno
>>> def program(x):
...     with named("if", branch):
...         return x + 1
>>> str(jax.make_jaxpr(program)(1).eqns[0].source_info.name_stack) == f"if_{line}"
True

The functions that converters make of blocks begin at the line of the statement, so nothing has to be looked up. A name is made
where a statement is bound, once: operations inside of it get theirs from JAX, which puts that of the statement before them.
XLA cuts a name at an `@`, which graphs have instead of the `_`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import jax

from autograph.errors import is_ours

_WITHOUT: AbstractContextManager[Any] = nullcontext()


def named(word: str, place: Callable[..., Any]) -> AbstractContextManager[Any]:
    """Names what is bound inside after a statement of the user's; what the library stages for itself has no name.

    Args:
        word: the word of the statement.
        place: its block.
    """
    code = place.__code__
    return _WITHOUT if is_ours(code.co_filename) else jax.named_scope(f"{word}_{code.co_firstlineno}")


FINALLY = "finally"
"""The name of what a `finally` and the end of a `with` do: they do it after a check that failed, too."""


def ending() -> AbstractContextManager[Any]:
    """Names what stands in a `finally`, or in the end of a `with`."""
    return jax.named_scope(FINALLY)


def named_loop(functions: Sequence[Callable[..., Any]]) -> AbstractContextManager[Any]:
    """Names a loop, by the functions of its body and of its test, if it has one: the test of a `for` is the library's."""
    if not functions:
        return _WITHOUT
    is_while = len(functions) > 1 and not is_ours(functions[1].__code__.co_filename)
    return named("while" if is_while else "for", functions[0])
