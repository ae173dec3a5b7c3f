"""Rules by primitive: how each primitive holds regions, how a value is carried through them, and one walk over all equations.

A region is a jaxpr among the parameters of an equation: a branch, the test or the body of a loop, a function that is called.
`held`, `regions` and `every` find the regions of every primitive, also of one without a row.

| primitive | its regions take | and leave | one more value is |
| --- | --- | --- | --- |
| `jit`, `checkpoint`, `closed_call`, `eval_jaxpr` | the operands | the results | last |
| `cond` | the operands after the first, which chooses a region | the results | last |
| `while` | test: its constants and the carry; body: its own and the carry | body: the results | last |
| `scan` | constants, carry, a slice of each scanned array | carry, a slice of each stacked result | behind the carry |
| `custom_jvp_call`, `custom_vjp_call`, `custom_vmap_call`, `composite` | the operands | the results | not possible |

A primitive without a row is opaque: a pass looks into its regions, and changes nothing in them except that it leaves prints out.

>>> import jax
>>> program = jax.make_jaxpr(lambda x: jax.lax.while_loop(lambda x: x < 9, jax.jit(lambda x: x + 1), x))(1)
>>> [eqn] = program.eqns
>>> [name for name, _ in held(eqn)], [inner.primitive.name for inner in every(program.eqns)]
(['cond_jaxpr', 'body_jaxpr'], ['while', 'lt', 'jit', 'add'])
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import jax

from autograph.jax_internals import ClosedJaxpr, Jaxpr, scan_operands

_JAXPRS = (ClosedJaxpr, Jaxpr)  # since JAX 0.11 one class


@functools.cache
def _small_call() -> dict[str, Any]:
    """Returns what calls say of each operand or result (its sharding, say), for one of both: `jit` in this version of JAX."""
    jaxpr = jax.make_jaxpr(jax.jit(lambda x: x))(jax.ShapeDtypeStruct((2,), "int32"))
    each = {name: x for name, x in jaxpr.jaxpr.eqns[0].params.items() if type(x) is tuple}
    return each | {"prevent_cse": (True,)}  # of `checkpoint`, where it is no bool


def _of_call(eqn: Any) -> dict[str, Any]:
    each = _small_call()
    return {name: (*x, *each[name]) for name, x in eqn.params.items() if name in each and type(x) is tuple}


def _scan_counts(eqn: Any) -> tuple[int, int, int, int]:
    """Counts the constants, carried values, scanned arrays and stacked results of a `scan`."""
    params = eqn.params
    if "num_carry" in params:
        consts, carry = params["num_consts"], params["num_carry"]
    else:
        consts, carry = (len(list(part)) for part in params["ft_in"].unpack()[:2])
    return consts, carry, len(eqn.invars) - consts - carry, len(eqn.outvars) - carry


def _of_scan(eqn: Any) -> dict[str, Any]:
    consts, carry, xs, ys = _scan_counts(eqn)
    more = scan_operands(consts, carry + 1, xs, ys) or {}
    if "linear" in eqn.params:
        more["linear"] = tuple(_inserted(eqn.params["linear"], xs, False))
    return more


def while_operands(
    params: dict[str, Any], operands: Sequence[Any]
) -> tuple[Sequence[Any], Sequence[Any], Sequence[Any]]:
    """Splits the operands of a `while`: the constants of its test, those of its body, the carry."""
    head, body = params["cond_nconsts"], params["cond_nconsts"] + params["body_nconsts"]
    return operands[:head], operands[head:body], operands[body:]


def _of_while(params: dict[str, Any], name: str, operands: Sequence[Any]) -> Sequence[Any]:
    of_test, of_body, carry = while_operands(params, operands)
    return [*(of_test if name == "cond_jaxpr" else of_body), *carry]


class Rule(NamedTuple):
    """A row of the table. The default is that of a call: one region, which runs once and takes all operands and leaves all results.

    Attributes:
        runs: how often a region runs in one run of the equation: a number, infinite if unknown, or the parameter that has it.
        chooses: whether only one region runs, which the first operand chooses.
        test: the parameter whose region leaves no result of the equation, but says whether the loop goes on; empty for none.
        scanned: counts the operands, and the results, of which an iteration takes or leaves a slice. They are the last ones.
        inputs: returns the operands that a region takes, from the parameters, the name of its parameter and all operands. Where
            these are more than its inputs, it takes the last ones.
        of_one_more: returns the parameters that change with one more operand and one more result. None: the equation has a rule of
            its own, for its derivative, say, which knows nothing of more operands; its region may replace it.
    """

    runs: float | str = 1
    chooses: bool = False
    test: str = ""
    scanned: Callable[[Any], tuple[int, int]] = lambda eqn: (0, 0)
    inputs: Callable[[dict[str, Any], str, Sequence[Any]], Sequence[Any]] = lambda params, name, operands: operands
    of_one_more: Callable[[Any], dict[str, Any]] | None = _of_call


_CALL, _WITH_RULE = Rule(), Rule(of_one_more=None)

RULES: dict[str, Rule] = {
    "cond": Rule(chooses=True),
    "while": Rule(runs=math.inf, test="cond_jaxpr", inputs=_of_while),
    "scan": Rule(runs="length", scanned=lambda eqn: _scan_counts(eqn)[2:], of_one_more=_of_scan),
    "jit": _CALL,
    "remat2": _CALL,  # `jax.checkpoint`
    "closed_call": _CALL,  # a loop in a `jax.checkpoint` whose derivative is taken
    "eval_jaxpr": _CALL,  # the same since JAX 0.11
    "custom_jvp_call": _WITH_RULE,
    "custom_vjp_call": _WITH_RULE,
    "custom_vmap_call": _WITH_RULE,
    "composite": _WITH_RULE,  # a backend knows it by its name, with these operands and results
}
"""The rows, by the name of the primitive. A primitive of ours gets its row where it is defined: `RULES["name"] = Rule(...)`."""


def rule_of(eqn: Any) -> Rule:
    """Returns the row of an equation; that of a call if there is none."""
    return RULES.get(eqn.primitive.name, _CALL)


def held(eqn: Any) -> list[tuple[str, Any]]:
    """Returns the regions of an equation, with their constants, each with the name of its parameter."""
    found = []
    for name, value in eqn.params.items():
        for x in value if isinstance(value, tuple | list) else (value,):
            if isinstance(x, _JAXPRS):
                found.append((name, x))
    return found


def jaxpr_of(region: Any) -> Any:
    """Returns the jaxpr of a region, without its constants."""
    return getattr(region, "jaxpr", region)


def in_form_of(region: Any, jaxpr: Any, consts: Sequence[Any]) -> Any:
    """Returns a jaxpr with its constants in the form of another region: closed or open."""
    return jaxpr if type(jaxpr) is type(region) else ClosedJaxpr(jaxpr, consts)


def regions(eqn: Any) -> list[Any]:
    """Returns the jaxprs that an equation holds."""
    return [jaxpr_of(region) for _, region in held(eqn)]


def every(eqns: Iterable[Any]) -> Iterator[Any]:
    """Yields equations, and after each those of its regions, at any depth."""
    for eqn in eqns:
        yield eqn
        for _, region in held(eqn):
            yield from every(jaxpr_of(region).eqns)


def runs(eqn: Any) -> Any:
    """Returns how often the regions of an equation run in one run of it; infinite where that is unknown."""
    times = rule_of(eqn).runs
    return eqn.params[times] if type(times) is str else times


def is_straight(eqn: Any) -> bool:
    """Whether an equation neither chooses between regions nor repeats one."""
    return (rule := rule_of(eqn)).runs == 1 and not rule.chooses


def inputs(eqn: Any, name: str, region: Any, operands: Sequence[Any]) -> Sequence[Any]:
    """Returns those of an equation's operands that a region takes, or takes slices of."""
    given = rule_of(eqn).inputs(eqn.params, name, operands)
    return given[len(given) - len(jaxpr_of(region).invars) :]


def reports(effect: Any) -> bool:
    """Whether an effect is that of a check, `jax.debug.print` or `jax.debug.callback` (their classes have no public name)."""
    return any(kind.__name__ in ("DebugEffect", "OrderedDebugEffect") for kind in type(effect).__mro__)


def other_effects(effects: Iterable[Any]) -> set[Any]:
    """Returns the effects that are not those of checks and prints."""
    return {effect for effect in effects if not reports(effect)}


def rebuilt(eqn: Any, change: Callable[[str, Any], Any], more: dict[str, Any] | None = None, **parts: Any) -> Any:
    """Returns an equation with other regions. Its regions say whether it reports anything (`reports`).

    Args:
        change: makes the new region, from the name of the parameter and the old one.
        more: other parameters that change.
        parts: other parts of the equation that change.
    """

    def changed(name: str, value: Any) -> Any:
        if isinstance(value, _JAXPRS):
            return change(name, value)
        if isinstance(value, tuple | list) and any(isinstance(x, _JAXPRS) for x in value):
            kind = getattr(value, "_make", type(value))  # of a named tuple
            return kind([changed(name, x) for x in value])
        return value

    made = eqn.replace(params={name: changed(name, x) for name, x in eqn.params.items()} | (more or {}), **parts)
    return made.replace(
        effects=other_effects(eqn.effects) | {e for x in regions(made) for e in x.effects if reports(e)}
    )


def with_one_more(eqn: Any, change: Callable[[Any, int, int | None], Any], operand: Any, result: Any) -> Any:
    """Returns an equation with one more operand and one more result: a value that its regions pass on, or change.

    Args:
        change: makes a region with one more input and one more result from a region and the places of both. The place of the result
            is None for the test of a loop, which has no more results.
    """
    rule = RULES[eqn.primitive.name]
    assert rule.of_one_more is not None, "its region may replace the equation, but it cannot take another operand"
    xs, ys = rule.scanned(eqn)

    def changed(name: str, region: Any) -> Any:
        jaxpr = jaxpr_of(region)
        return change(region, len(jaxpr.invars) - xs, None if name == rule.test else len(jaxpr.outvars) - ys)

    wider = {"invars": _inserted(eqn.invars, xs, operand), "outvars": _inserted(eqn.outvars, ys, result)}
    return rebuilt(eqn, changed, rule.of_one_more(eqn), **wider)


def _inserted(xs: Sequence[Any], behind: int, x: Any) -> list[Any]:
    at = len(xs) - behind
    return [*xs[:at], x, *xs[at:]]
