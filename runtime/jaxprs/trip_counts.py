"""The test of a loop whose steps are not of one towards its end, hidden from XLA's count of the iterations.

Where XLA knows all three numbers of `while i < n: i += step`, be it only after it has folded constants, it drops or unrolls
the loop by the number of its iterations. It rounds that number down: with 0, 1 and 2 it is 0 iterations and not 1. `i <= n`
is counted wrongly where there is no iteration, and so are counters that leave their type and come back (`while i >= 250: i
+= 1` of eight bits). This holds of all versions of JAX that we support; openxla/xla#48454 mends the first two.

A barrier behind the comparison keeps XLA from counting; the machine code is the same except for that. Loops with steps of one
towards the other number, which are counted rightly, stay as they are, and so do those whose test is `!=`.

>>> import jax
>>> from autograph import convert
>>> def doubled_once(x):
...     i = jax.numpy.zeros((), int)
...     while i < 1:
...         x, i = 2 * x, i + 2
...     return x
>>> int(jax.jit(convert(doubled_once))(3))
6
>>> 'optimization_barrier' in str(jax.make_jaxpr(convert(doubled_once))(3))
True
"""

from __future__ import annotations

import functools
from typing import Any

import jax
from jax import lax

from autograph.jax_internals import new_var
from autograph.runtime.jaxprs.graph import is_literal

# Steps to the other operand, for each.
_UP = {**dict.fromkeys((lax.lt_p, lax.le_p), (1, -1)), **dict.fromkeys((lax.gt_p, lax.ge_p), (-1, 1))}


def hidden(test: Any, body: Any) -> list[Any]:
    """The equations of `test`, with a barrier behind each comparison that XLA could count by; both are jaxprs of one carry."""
    iterations = dict(zip(test.invars, zip(body.invars, body.outvars, strict=True), strict=True))
    equations: list[Any] = []
    for eqn in test.eqns:
        others = [] if eqn.primitive not in _UP else zip(eqn.invars, _UP[eqn.primitive], strict=True)
        counters = [(*iterations[v], step) for v, step in others if not is_literal(v) and v in iterations]
        if any(_may_be_miscounted(v, out, step, body.eqns) for v, out, step in counters):
            compared = [new_var(v.aval) for v in eqn.outvars]
            equations.append(eqn.replace(outvars=compared))
            eqn = eqn.replace(primitive=_barrier(), params={}, invars=compared)
        equations.append(eqn)
    return equations


def _may_be_miscounted(v: Any, out: Any, step: int, eqns: list[Any]) -> bool:
    """Whether an iteration may step from an integer by another number than `step`, as far as it is seen before constants are
    folded."""
    made = None if is_literal(out) else next((eqn for eqn in eqns if out in eqn.outvars), None)
    if made is None or v.aval.shape or v.aval.dtype.kind not in "iu":
        return False
    if made.primitive not in (lax.add_p, lax.sub_p) or made.invars[0] is not v or not is_literal(made.invars[1]):
        return True  # two steps of one, a choice of two numbers, a call: XLA may find that it is a step
    return bool(made.invars[1].val != (step if made.primitive is lax.add_p else -step))


@functools.cache
def _barrier() -> Any:
    """The primitive of `lax.optimization_barrier`, which JAX does not export."""
    return jax.make_jaxpr(lax.optimization_barrier)(True).eqns[0].primitive
