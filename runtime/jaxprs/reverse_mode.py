"""Reverse mode through data-dependent loops: a transpose rule for `while`, for our own loops only.

JAX differentiates `lax.while_loop` forwards; backwards it raises an error, because the number of iterations is not known
when the program is built and nobody keeps the states. Only the last step is missing: JAX's forward rule makes one loop
over (value, tangent) carries, its partial evaluation takes the known loop out of it, and what is left must be
*transposed*. `checkpointing` does that in bounded memory and without a bound on the number of iterations.

A loop is ours when the name of its test function begins with `TAG`. The name lives in the jaxpr's debug information and
survives `jit`, `vmap`, `jvp`, `scan`, `cond` and `checkpoint`. Every other loop keeps JAX's rule, hence JAX's error.

>>> import jax
>>> from jax import lax
>>> install()
True
>>> def ag_while_cond(carry):
...     return carry[0] < carry[1]
>>> def power(x, n):
...     return lax.while_loop(ag_while_cond, lambda c: (c[0] + 1, c[1], c[2] * x), (0, n, 1.0))[2]
>>> print(jax.grad(power)(2.0, 5), jax.grad(jax.grad(power))(2.0, 5))
80.0 160.0

* The forward program is unchanged: the rule acts only when a gradient is taken.
* `grad`, `vjp`, `jacrev`, `hessian`, `linearize` and gradients of gradients work, inside and around `jit`, `vmap`,
  `scan`, `cond`, `checkpoint` and `shard_map`.
* The loop's values are evaluated twice more than by `scan`, which keeps everything.
* What the loop prints is printed in the forward pass only: what the rule evaluates again is silent.
"""

from __future__ import annotations

import re
import threading
from typing import Any

import jax
from jax.lax import while_p

from autograph import jax_internals
from autograph.runtime.jaxprs import checkpointing
from autograph.runtime.jaxprs.binding import with_named_inputs

TAG = "ag_while_cond"
"""How the names of the test functions of our loops begin."""

_lock = threading.Lock()


def tag(checkpoints: int | None = None) -> str:
    """The name for a loop's test function, with the number of states that a gradient may keep.

    >>> tag(), tag(checkpoints=16)
    ('ag_while_cond', 'ag_while_cond_16')
    """
    return TAG if checkpoints is None else f"{TAG}_{checkpoints}"


def checkpoints_of(name: str) -> int | None:
    """The number of states in the name of a test function; None when the name gives none.

    >>> checkpoints_of("ag_while_cond_16 at program.py:3"), checkpoints_of("ag_while_cond")
    (16, None)
    """
    found = re.match(rf"{TAG}_(\d+)", name)
    return int(found[1]) if found else None


def install() -> bool:
    """Makes loops with our tag differentiable in reverse mode; later calls do nothing.

    Returns:
        whether the rule is in place. False in a version of JAX without the names that the rule needs: forward mode
        works there, and reverse mode raises JAX's own error.
    """
    transposes = jax_internals.TRANSPOSES
    if transposes is None or while_p not in transposes:
        return False
    if not isinstance(transposes[while_p], _Rule):
        with _lock:
            if not isinstance(transposes[while_p], _Rule):
                transposes[while_p] = _Rule(transposes[while_p])
                if jax.__version_info__ < (0, 10, 2):
                    _name_inputs(jax_internals.FORWARD_RULES)
    return True


def _name_inputs(forward_rules: dict[Any, Any]) -> None:
    """Lets a `while` be differentiated twice in versions that add to the names of its test's inputs, and lose them before."""
    forward = forward_rules[while_p]

    def named(primals: Any, tangents: Any, *, cond_jaxpr: Any, **params: Any) -> Any:
        if cond_jaxpr.jaxpr.debug_info.arg_names is None:
            cond_jaxpr = cond_jaxpr.replace(jaxpr=with_named_inputs(cond_jaxpr.jaxpr))
        return forward(primals, tangents, cond_jaxpr=cond_jaxpr, **params)

    forward_rules[while_p] = named


class _Rule:
    """The transpose rule of `while`: ours for tagged loops, the `original` for every other one."""

    def __init__(self, original: Any) -> None:
        self.original = original

    def __call__(self, cotangents: Any, *args: Any, **params: Any) -> Any:
        name = str(getattr(params["cond_jaxpr"].jaxpr.debug_info, "func_src_info", ""))
        if not name.startswith(TAG):
            return self.original(cotangents, *args, **params)
        return checkpointing.transpose_while(cotangents, args, checkpoints=checkpoints_of(name), **params)
