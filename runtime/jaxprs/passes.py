"""The passes over staged loops and conditionals, in their order, and the forms in which they run.

| pass | the statement afterwards |
| --- | --- |
| `recomputed` | a loop that carries nothing that its other results tell |
| `folded` | a loop whose test includes the conditions of its exits, where these can be evaluated before an iteration |
| `sunk` | branches that leave elements: arrays are written after the `cond` |

Of the forms the first that fits is taken: `rotated` evaluates a costly condition once for each iteration, `unguarded` computes
without a guard what an exit guards in the last iteration only, `selected` computes both branches. A `for` that is bound as
`scan` has neither test nor exits and skips the passes over loops. With `AUTOGRAPH_DEBUG=1`
and in the tests `checks` looks at what each of them leaves.

>>> from autograph.runtime.jaxprs.binding import Traced
>>> def primitives(**options):
...     def doubled_if(p, x):
...         regions = (Traced(*trace_region(branch, (), "branch")) for branch in (lambda: [x], lambda: [x * 2.0]))
...         return bind_conditional(Conditional(p, *regions, **options))
...     return [eqn.primitive.name for eqn in jax.make_jaxpr(doubled_if)(True, 1.0).eqns]
>>> primitives(), primitives(may_select=True)
(['convert_element_type', 'cond'], ['mul', 'select_n'])
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import jax
import jax.numpy as jnp

from autograph import errors
from autograph.runtime.heap.constants import trace_region
from autograph.runtime.jaxprs import checks
from autograph.runtime.jaxprs.binding import bind_cond, bind_while
from autograph.runtime.jaxprs.cost import selected
from autograph.runtime.jaxprs.exit_folding import folded
from autograph.runtime.jaxprs.if_conversion import unguarded
from autograph.runtime.jaxprs.loop import Complete, Conditional, Form, Loop
from autograph.runtime.jaxprs.result_recovery import note_dead_results, recomputed
from autograph.runtime.jaxprs.rotation import rotated
from autograph.runtime.jaxprs.store_sinking import sunk
from autograph.runtime.tracing.known.number import value_of
from autograph.runtime.tracing.staging import is_tracer

STRICT = errors.DEBUG
"""Whether what a pass leaves is checked."""

LOOP_PASSES: tuple[Callable[[Loop], Loop], ...] = (
    recomputed,  # first: an exit that sets nothing but its flag is easier to fold
    folded,  # before the forms, which look at the exits that are left
)
LOOP_FORMS: tuple[Callable[[Loop], Form | None], ...] = (
    rotated,  # first: what follows the condition needs no guard then
    unguarded,
)
CONDITIONAL_PASSES: tuple[Callable[[Conditional], Conditional], ...] = (
    sunk,  # before the form: branches that leave elements may be cheap enough to compute both
)
CONDITIONAL_FORMS: tuple[Callable[[Conditional], list[Any] | None], ...] = (selected,)

_Statement = TypeVar("_Statement", Loop, Conditional)


def _rewritten(statement: _Statement, passes: tuple[Callable[[_Statement], _Statement], ...]) -> _Statement:
    for rewrite in passes:
        statement = checks.checked(rewrite, statement) if STRICT else rewrite(statement)
    return statement


def bind_conditional(written: Conditional) -> list[Any]:
    """Runs a conditional, and gives what it leaves."""
    conditional = _rewritten(written, CONDITIONAL_PASSES)
    forms = (form(conditional) for form in CONDITIONAL_FORMS)
    results = next((results for results in forms if results is not None), None)
    return conditional.finish(bind_cond(conditional.pred, *conditional.regions) if results is None else results)


def bind_loop(written: Loop, complete: Complete) -> list[Any]:
    """Runs a loop, and gives what it leaves in its whole carry."""

    def bind(test: Any, body: Any, init: Sequence[Any]) -> list[Any]:
        return bind_while(*complete(test, body), init)

    loop = _rewritten(written._replace(choose=bind_conditional), LOOP_PASSES)
    forms = ((rewrite, form) for rewrite in LOOP_FORMS if (form := rewrite(loop)) is not None)
    rewrite, form = next(forms, (None, None))
    checked = functools.partial(checks.bind_checked, bind, rewrite.__name__) if STRICT and rewrite is not None else bind
    if form is None:
        results = bind(loop.test, loop.body, loop.init)
    elif any(jnp.issubdtype(v.aval.dtype, jnp.inexact) for v in form.more.jaxpr.outvars):
        run = type(loop.body)(*trace_region(lambda: form.bind(checked), (), "loop"))
        results = _differentiated_as_written(run, complete(loop.test, loop.body), list(map(value_of, loop.init)))
    else:
        results = form.bind(checked)
    results = loop.finish(results)
    note_dead_results(written, results)
    return results


def _differentiated_as_written(run: Any, regions: tuple[Any, Any], init: Sequence[Any]) -> list[Any]:
    """Runs a region (`binding.Traced` without inputs); its derivatives are those of a `while`, bound where one is taken.

    Args:
        regions, init: of the `while`. Nothing of it keeps a value of the trace around.
    """
    parts = (run, *regions)
    values = [*(x for region in parts for x in region.consts), *filter(is_tracer, init)]
    operands = list({id(x): x for x in values}.values())
    places = {id(x): k for k, x in enumerate(operands)}
    closed, read = [region.closed() for region in parts], [[places[id(x)] for x in region.consts] for region in parts]
    starts = [(places.get(id(x)), None if id(x) in places else x) for x in init]
    kind = type(run)

    def regions_on(values: Sequence[Any]) -> Iterator[Any]:
        return (kind.of_closed(one, [values[k] for k in own]) for one, own in zip(closed, read, strict=True))

    def as_it_runs(*values: Any) -> list[Any]:
        region, _, _ = regions_on(values)
        return list(jax.core.eval_jaxpr(region.jaxpr, region.consts))

    def as_written(*values: Any) -> list[Any]:
        _, test, body = regions_on(values)
        return bind_while(test, body, [x if k is None else values[k] for k, x in starts])

    found = jax.custom_jvp(as_it_runs)
    found.defjvp(lambda primals, tangents: jax.jvp(as_written, primals, tangents))
    return list(found(*operands))
