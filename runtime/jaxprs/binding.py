"""Binding `cond`, `while` and `scan` on jaxprs that were traced once.

`lax.cond(f, g)` would trace `f` and `g` again; nested, that doubles with every level. Regions are traced by
`jax_internals.trace_region`; what a region closes over (its constants, by identity) becomes operands of the primitive.

Where a region has effects (prints, callbacks, references) the public `lax` function is called on the jaxprs instead: it
knows the rules for effects, and costs a second trace of the equations, never of the user's code.

>>> from autograph.jax_internals import trace_region
>>> def twice_if(p, x):
...     no, yes = (Traced(*trace_region(branch, (), "branch")) for branch in (lambda: [x], lambda: [x * 2]))
...     return bind_cond(p, no, yes)
>>> *_, cond = jax.make_jaxpr(twice_if)(True, 3).eqns
>>> len(cond.invars), [str(branch.jaxpr.eqns) for branch in cond.params["branches"]]  # the index of the branch, and `x`
(2, ['[]', '[a:i32[] = mul b 2:i32[]]'])
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph.jax_internals import ClosedJaxpr, new_var, scan_operands, with_constants
from autograph.runtime.jaxprs import trip_counts
from autograph.runtime.tracing.known.number import KnownTracer


class Traced:
    """A traced region: a jaxpr whose `constvars` stand for `consts`."""

    __slots__ = ("consts", "jaxpr")

    def __init__(self, jaxpr: Any, consts: Sequence[Any]) -> None:
        self.jaxpr = with_constants(jaxpr, consts)
        self.consts = list(consts)

    def call(self, *args: Any) -> list[Any]:
        """Evaluates the region in the current trace; a result that is a number of the source is Python's number."""
        return [_plain(x) for x in jax.core.eval_jaxpr(self.jaxpr, self.consts, *args)]

    def closed(self) -> Any:
        """The jaxpr with its constants as leading inputs."""
        jaxpr = self.jaxpr.replace(constvars=[], invars=[*self.jaxpr.constvars, *self.jaxpr.invars])
        return ClosedJaxpr(with_named_inputs(jaxpr), ())

    @classmethod
    def of_closed(cls, closed: Any, consts: list[Any]) -> Traced:
        """Makes the region of a jaxpr that `closed` returned, with other constants."""
        invars, count = closed.jaxpr.invars, len(consts)
        made = cls.__new__(cls)
        parts = {"constvars": list(invars[:count]), "invars": list(invars[count:])}
        made.jaxpr, made.consts = with_constants(closed.jaxpr, consts, **parts), consts
        return made

    def with_consts(
        self,
        constvars: list[Any],
        consts: list[Any],
        invars: list[Any],
        outvars: list[Any],
        eqns: list[Any] | None = None,
    ) -> Traced:
        """A region with other inputs and outputs, of the same equations or of other ones."""
        parts = {"constvars": constvars, "invars": invars, "outvars": outvars}
        if eqns is not None:
            parts["eqns"] = eqns
        made = Traced.__new__(Traced)
        made.jaxpr, made.consts = with_constants(self.jaxpr, consts, **parts), consts
        return made

    def taking(self, places: Sequence[int]) -> Traced:
        """The region with only those of its inputs, in that order: no equation reads the others."""
        jaxpr = self.jaxpr
        return self.with_consts(
            list(jaxpr.constvars), self.consts, [jaxpr.invars[k] for k in places], list(jaxpr.outvars)
        )


def _plain(x: Any) -> Any:
    """A number that JAX wraps in a class of its own, which another branch's `int` would not equal, as Python's."""
    kind = type(x)
    return kind.__base__(x) if kind.__base__ in (int, float, complex) and kind is not bool else x


def bind_cond(pred: Any, false_branch: Traced, true_branch: Traced) -> list[Any]:
    """`true_branch` if `pred` else `false_branch`; both take no argument and return values of equal types."""
    if false_branch.jaxpr.effects or true_branch.jaxpr.effects:
        pred = no_sooner_than(pred, [*false_branch.consts, *true_branch.consts])
        return list(lax.cond(pred, lambda: tuple(true_branch.call()), lambda: tuple(false_branch.call())))
    return bind_switch(lax.convert_element_type(pred, jnp.int32), (false_branch, true_branch))


def bind_switch(index: Any, branches: Sequence[Traced], *args: Any) -> list[Any]:
    """The branch with that number, of those that take `args` and return values of equal types."""
    operands = {id(const): const for branch in branches for const in branch.consts}
    effects = {effect for branch in branches for effect in branch.jaxpr.effects}
    closed = []
    for branch in branches:
        own = dict(zip(map(id, branch.consts), branch.jaxpr.constvars))
        invars = [own.get(key) or new_var(jax.typeof(value)) for key, value in operands.items()]
        invars += branch.jaxpr.invars
        closed.append(ClosedJaxpr(branch.jaxpr.replace(constvars=[], invars=invars, effects=effects), ()))
    return list(lax.cond_p.bind(index, *operands.values(), *args, branches=tuple(closed)))


def no_sooner_than(pred: Any, operands: Sequence[Any]) -> Any:
    """`pred`, computed from the operands as well, which do not change it.

    The derivative of a `scan` takes what is the same in all iterations out of it. Of a conditional whose predicate is, and
    whose operands are not all, JAX loses the effects, and with them the check that stands in a branch.
    """
    for operand in {id(x): x for x in operands if x is not pred}.values():
        aval = jax.typeof(operand)
        if type(aval) is jax.core.ShapedArray and isinstance(aval.dtype, np.dtype) and 0 not in aval.shape:
            row = lax.reshape(replicated(operand), (aval.size,))
            number = lax.index_in_dim(row, 0, keepdims=False) if aval.shape else operand
            number = lax.real(number) if jnp.issubdtype(aval.dtype, np.complexfloating) else number
            pred = lax.bitwise_or(pred, lax.lt(number, number))
    return pred


def replicated(value: Any) -> Any:
    """An array as a whole on each device, where its type says how it is sharded: along axes of a mesh that are explicit."""
    sharding = getattr(jax.typeof(value), "sharding", None)
    if sharding is None or not any(sharding.spec):
        return value
    return jax.sharding.reshard(value, sharding.update(spec=jax.sharding.PartitionSpec()))


def bind_while(test: Traced, body: Traced, init: Sequence[Any]) -> list[Any]:
    """`while test(*carry): carry = body(*carry)`."""
    test.jaxpr = test.jaxpr.replace(eqns=trip_counts.hidden(test.jaxpr, body.jaxpr))
    if test.jaxpr.effects or body.jaxpr.effects:

        def ag_while_cond(carry: Any) -> Any:
            return test.call(*carry)[0]

        return list(lax.while_loop(ag_while_cond, lambda carry: tuple(body.call(*carry)), tuple(init)))
    order = sorted(range(len(init)), key=lambda k: jnp.size(init[k]) != 1)  # numbers first: a fifth faster on a CPU
    test, body = test.taking(order), body.taking(order)
    body.jaxpr = body.jaxpr.replace(outvars=[body.jaxpr.outvars[k] for k in order])
    results = lax.while_p.bind(
        *test.consts,
        *body.consts,
        *(init[k] for k in order),
        cond_nconsts=len(test.consts),
        cond_jaxpr=test.closed(),
        body_nconsts=len(body.consts),
        body_jaxpr=body.closed(),
    )
    return [x for _, x in sorted(zip(order, results, strict=True), key=lambda pair: pair[0])]


@functools.cache
def _scan_params() -> dict[str, Any]:
    """The parameters of `scan` in this version of JAX, read off the smallest one."""
    jaxpr = jax.make_jaxpr(lambda xs: lax.scan(lambda c, x: (c, x), jnp.int32(0), xs))(
        jax.ShapeDtypeStruct((2,), "int32")
    )
    return dict(next(e for e in jaxpr.jaxpr.eqns if e.primitive is lax.scan_p).params)


def bind_scan(
    body: Traced, init: Sequence[Any], xs: Sequence[Any], length: int, reverse: bool, unroll: int = 1
) -> list[Any]:
    """`carry, ys = body(*carry, *x)` over the leading axis of `xs`; returns the last carry and the stacked outputs."""
    ys_count = len(body.jaxpr.outvars) - len(init)
    layout = scan_operands(len(body.consts), len(init), len(xs), ys_count)
    known = _scan_params()
    if body.jaxpr.effects or layout is None or not layout.keys() <= known.keys():

        def step(carry: Any, x: Any) -> Any:
            out = body.call(*carry, *x)
            return tuple(out[: len(init)]), tuple(out[len(init) :])

        known_length = None if xs else length  # of a size that is not known `lax.scan` takes no length
        carry, ys = lax.scan(step, tuple(init), tuple(xs), length=known_length, reverse=reverse, unroll=unroll)
        return [*carry, *ys]
    params = {**known, **layout, "reverse": reverse, "length": length, "unroll": unroll, "jaxpr": body.closed()}
    operands = [*body.consts, *init, *xs]
    if "linear" in params:
        params["linear"] = (False,) * len(operands)
    return list(lax.scan_p.bind(*operands, **params))


def predicate(test: Any) -> Any:
    """A traced truth value as a boolean scalar, by NumPy's rules for `bool(array)`.

    Raises:
        ValueError: the array has more or fewer than one element, in NumPy's words.
        TypeError: random keys have no truth value, in JAX's words.
    """
    if type(test) is KnownTracer:
        truth = test.truth()
        return lax.full((), truth, bool) if type(truth) is bool else truth
    aval = jax.typeof(test)
    if not isinstance(aval.dtype, np.dtype):
        raise TypeError("key array cannot be converted to boolean.")
    size = 1
    for n in aval.shape:
        size *= n
    if size != 1:
        what = (
            "an array with more than one element is ambiguous. Use a.any() or a.all()"
            if size
            else "an empty array is ambiguous"
        )
        raise ValueError(f"The truth value of {what}")
    if aval.shape:
        test = lax.reshape(test, ())
    if aval.dtype != jnp.bool_:
        # `!=` keeps what tells Python's numbers from arrays
        test = test != 0 if getattr(aval, "weak_type", False) else lax.ne(test, lax.full((), 0, aval.dtype))
    return test


def with_named_inputs(jaxpr: Any) -> Any:
    """Returns the jaxpr with a name, an empty one, for each input.

    JAX before 0.10.2 cannot take the forward derivative of a `while` without (it adds to the names of the test's inputs).
    """
    try:
        return jaxpr.replace(debug_info=jaxpr.debug_info._replace(arg_names=("",) * len(jaxpr.invars)))
    except (AttributeError, TypeError, ValueError):  # pragma: no cover - versions that keep them elsewhere
        return jaxpr
