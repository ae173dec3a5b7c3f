"""The table of primitives with regions: each row says truly what its regions take, and how a value is carried through them."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.extend.core import primitives
from jax.interpreters import mlir

from autograph.functions.error_codes import error_of, with_error_code
from autograph.jax_internals import ClosedJaxpr, Primitive, check_jaxpr, new_var
from autograph.runtime.checks.runtime_checks import assert_
from autograph.runtime.jaxprs import cost, rules
from autograph.runtime.jaxprs.checkpointing import work
from autograph.runtime.jaxprs.linear_loop import silent

Function = Callable[..., Any]


@jax.custom_jvp
def with_a_jvp(x: Any, y: Any) -> Any:
    return x * y, x + 1


with_a_jvp.defjvp(lambda primals, tangents: (with_a_jvp(*primals), tangents))


@jax.custom_vjp
def with_a_vjp(x: Any, y: Any) -> Any:
    return x * y, x + 1


with_a_vjp.defvjp(lambda *args: (with_a_vjp(*args), None), lambda _, cotangents: cotangents)

A, B = jnp.float32(2.5), jnp.float32(0.5)
XS = jnp.arange(3.0)

PROGRAMS: dict[str, tuple[Function, tuple[Any, ...]]] = {
    "cond": (lambda x, y: lax.cond(x > 1, lambda x, y: (x * y, x), lambda x, y: (x, y), x, y), (A, B)),
    "switch": (lambda k, x: lax.switch(k, [jnp.sin, lambda x: x + 1, jnp.cos], x), (jnp.int32(1), A)),
    "while": (
        lambda x, y, end: lax.while_loop(lambda c: c[0] < end, lambda c: (c[0] + y, c[1] * y), (x, y)),
        (A, B, 9.0),
    ),
    "scan": (lambda x, y, xs: lax.scan(lambda c, z: (c + z * y, (c, z)), x, xs), (A, B, XS)),
    "jit": (lambda x, y: jax.jit(lambda x, y: (x * y, x + 1))(x, y), (A, B)),
    "remat2": (lambda x, y: jax.checkpoint(lambda x, y: (jnp.sin(x * y), x))(x, y), (A, B)),  # type: ignore[attr-defined]  # not in its stub
    "custom_jvp_call": (lambda x, y: with_a_jvp(x, y), (A, B)),
    "custom_vjp_call": (lambda x, y: with_a_vjp(x, y), (A, B)),
    "custom_vmap_call": (lambda x: jax.custom_batching.sequential_vmap(lambda x: x + 1)(x), (A,)),
    "composite": (lambda x, y: lax.composite(lambda x, y: (x * y, x + 1), "my.name")(x, y), (A, B)),
}


def of_closed_call() -> tuple[Any, Any, tuple[Any, ...]]:
    """`jit` as JAX writes it in some derivatives of a loop."""
    jaxpr, eqn, args = traced("jit")
    eqn = eqn.replace(primitive=primitives.closed_call_p, params={"call_jaxpr": eqn.params["jaxpr"]})
    return jaxpr.replace(eqns=[*jaxpr.eqns[:-1], eqn]), eqn, args


def traced(name: str) -> tuple[Any, Any, tuple[Any, ...]]:
    """A program, its last equation, which holds regions, and arguments."""
    if name == CLOSED_CALL:
        return of_closed_call()
    function, args = PROGRAMS[name]
    jaxpr = jax.make_jaxpr(function)(*args).jaxpr
    assert rules.held(jaxpr.eqns[-1])
    return jaxpr, jaxpr.eqns[-1], args


CLOSED_CALL = primitives.closed_call_p.name  # since JAX 0.11 `eval_jaxpr`
NAMES = [*PROGRAMS, CLOSED_CALL]
WIDER = [name for name in NAMES if name == "switch" or rules.RULES[name].of_one_more is not None]


def results_of(jaxpr: Any, args: tuple[Any, ...], **parts: Any) -> list[np.ndarray]:
    changed = jaxpr.replace(**parts)
    check_jaxpr(changed)
    return [np.asarray(x) for x in jax.jit(lambda *args: jax.core.eval_jaxpr(changed, (), *args))(*args)]


def test_every_row_has_a_program() -> None:
    assert rules.RULES.keys() <= {*NAMES, "closed_call", "eval_jaxpr"}
    for name in NAMES:
        assert traced(name)[1].primitive.name == name.replace("switch", "cond")


def passing(region: Any, at: int, to: int | None) -> Any:
    """The region with one more input, which is one more result."""
    jaxpr, x = rules.jaxpr_of(region), new_var(jax.typeof(jnp.float32(0)))
    invars = [*jaxpr.invars[:at], x, *jaxpr.invars[at:]]
    outvars = jaxpr.outvars if to is None else [*jaxpr.outvars[:to], x, *jaxpr.outvars[to:]]
    info = jaxpr.debug_info._replace(arg_names=("",) * len(invars), result_paths=("",) * len(outvars))
    made = jaxpr.replace(invars=invars, outvars=outvars, debug_info=info)
    return rules.in_form_of(region, made, getattr(region, "consts", ()))


@pytest.mark.parametrize("name", WIDER)
def test_a_value_is_carried_through(name: str) -> None:
    jaxpr, eqn, args = traced(name)
    operand, result = (new_var(jax.typeof(jnp.float32(0))) for _ in range(2))
    made = rules.with_one_more(eqn, passing, operand, result)
    assert (len(made.invars), len(made.outvars)) == (len(eqn.invars) + 1, len(eqn.outvars) + 1)
    info = jaxpr.debug_info._replace(arg_names=("",) * (len(args) + 1), result_paths=("",) * (len(jaxpr.outvars) + 1))
    parts = {"invars": [*jaxpr.invars, operand], "outvars": [*jaxpr.outvars, result], "debug_info": info}
    *results, passed = results_of(jaxpr, (*args, jnp.float32(7)), eqns=[*jaxpr.eqns[:-1], made], **parts)
    assert passed == 7
    for x, y in zip(results, results_of(jaxpr, args), strict=True):
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("name", NAMES)
def test_an_equation_is_rebuilt_of_the_same_regions(name: str) -> None:
    jaxpr, eqn, args = traced(name)
    seen = []
    made = rules.rebuilt(eqn, lambda name, region: seen.append((name, region)) or region)
    assert [(name, id(region)) for name, region in seen] == [(name, id(region)) for name, region in rules.held(eqn)]
    assert made is not eqn and str(made) == str(eqn)
    for x, y in zip(results_of(jaxpr, args, eqns=[*jaxpr.eqns[:-1], made]), results_of(jaxpr, args), strict=True):
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("name", NAMES)
def test_a_region_takes_the_operands_that_its_rule_names(name: str) -> None:
    _, eqn, _ = traced(name)
    xs, _ = rules.rule_of(eqn).scanned(eqn)
    for parameter, region in rules.held(eqn):
        given = rules.inputs(eqn, parameter, region, eqn.invars)
        shapes = [v.aval.shape for v in given]
        shapes[len(shapes) - xs :] = [shape[1:] for shape in shapes[len(shapes) - xs :]]
        assert [(v.aval.shape, v.aval.dtype) for v in rules.jaxpr_of(region).invars] == [
            (shape, v.aval.dtype) for shape, v in zip(shapes, given, strict=True)
        ]


@pytest.mark.parametrize("name", [name for name in NAMES if name not in WIDER])
def test_what_has_a_rule_of_its_own_may_be_replaced_by_its_region(name: str) -> None:
    jaxpr, eqn, args = traced(name)
    [(parameter, region)] = rules.held(eqn)
    given = dict(zip(jaxpr.invars, args, strict=True))
    operands = [given[v] for v in rules.inputs(eqn, parameter, region, eqn.invars)]
    made = jax.core.eval_jaxpr(rules.jaxpr_of(region), region.consts, *operands)
    for x, y in zip(made, results_of(jaxpr, args), strict=True):
        np.testing.assert_array_equal(x, y)
    with pytest.raises(AssertionError):
        rules.with_one_more(eqn, passing, None, None)


def test_how_often_regions_run() -> None:
    assert [rules.runs(traced(name)[1]) for name in ("jit", "cond", "scan", "while")] == [1, 1, 3, float("inf")]
    assert [rules.is_straight(traced(name)[1]) for name in ("jit", "custom_jvp_call", "cond", "scan")] == [
        True,
        True,
        False,
        False,
    ]


# --- a primitive without a row ---

opaque_p = Primitive("opaque")
opaque_p.multiple_results = True
Bodies = namedtuple("Bodies", "first second")


def _run(*args: Any, bodies: Bodies) -> list[Any]:
    return list(jax.core.eval_jaxpr(bodies.first.jaxpr, bodies.first.consts, *args))


opaque_p.def_impl(_run)
opaque_p.def_effectful_abstract_eval(
    lambda *avals, bodies: (bodies.first.out_avals, {e for body in bodies for e in body.effects})
)
mlir.register_lowering(opaque_p, mlir.lower_fun(_run, multiple_results=True))


def opaque(function: Function, x: Any) -> Any:
    closed = jax.make_jaxpr(function)(x)
    return opaque_p.bind(x, bodies=Bodies(closed, closed))[0]


def printing_loop(x: Any) -> Any:
    jax.debug.print("{}", x)
    return lax.while_loop(lambda x: x < 9, lambda x: x + 1, x)


def checked(x: Any) -> Any:
    assert_(x > 0, lambda: "too small")
    return x + 1


def test_passes_look_into_what_has_no_row() -> None:
    [eqn] = jax.make_jaxpr(lambda x: opaque(printing_loop, x))(1.0).eqns
    assert [name for name, _ in rules.held(eqn)] == ["bodies"] * 2
    assert [inner.primitive.name for inner in rules.every([eqn])].count("while") == 2
    assert cost.calls_host([eqn]) and not cost.is_pure([eqn])
    quiet = jax.make_jaxpr(lambda x: opaque(lambda x: lax.while_loop(lambda x: x < 9, lambda x: x + 1, x), x))(1.0)
    assert not cost.calls_host(quiet.eqns) and not cost.is_pure(quiet.eqns) and work(quiet.jaxpr) == float("inf")


def test_prints_are_taken_out_of_what_has_no_row() -> None:
    closed = silent(jax.make_jaxpr(lambda x: opaque(printing_loop, x))(1.0))
    [eqn] = closed.eqns
    assert not closed.effects and not eqn.effects and type(eqn.params["bodies"]) is Bodies
    assert all(not inner.effects for inner in rules.every([eqn]))
    assert jax.core.eval_jaxpr(closed.jaxpr, closed.consts, 1.0) == [9.0]


def test_what_has_no_row_keeps_its_checks_and_with_a_row_carries_them_out(monkeypatch: pytest.MonkeyPatch) -> None:
    program = jax.make_jaxpr(lambda x: opaque(checked, x))(1.0)
    assert with_error_code(program) is None
    around = jax.make_jaxpr(lambda x: opaque(checked, checked(x)))(1.0)
    found = with_error_code(around)
    assert found is not None and len(found.checks) == 1
    [kept] = [eqn for eqn in found.program.eqns if eqn.primitive is opaque_p]
    assert kept.params == around.eqns[-1].params and cost.calls_host([kept])

    monkeypatch.setitem(rules.RULES, "opaque", rules.Rule())  # one row
    found = with_error_code(program)
    assert found is not None and not cost.calls_host(found.program.eqns)
    for x, message in ((1.0, "None"), (-1.0, "too small")):
        result, words = jax.core.eval_jaxpr(found.program.jaxpr, found.program.consts, x)
        assert (result, str(error_of(found.checks, np.asarray(words)))) == (x + 1, message)


def test_an_open_region_stays_open() -> None:
    closed = jax.make_jaxpr(printing_loop)(1.0)
    assert type(rules.in_form_of(closed, closed.jaxpr, closed.consts)) is ClosedJaxpr
    assert rules.in_form_of(closed.jaxpr, closed.jaxpr, ()) is closed.jaxpr
