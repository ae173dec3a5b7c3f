"""Regions as graphs: what equations make, read and need, and the graph that a pass edits.

>>> import jax, jax.numpy as jnp
>>> jaxpr = jax.make_jaxpr(lambda x, y: (x + 1, jnp.sin(y)))(1, 2.0).jaxpr
>>> total, sine = jaxpr.outvars
>>> [eqn.primitive.name for eqn in needed(jaxpr.eqns, [total])], producers(jaxpr.eqns)[sine].primitive.name
(['add'], 'sin')
>>> reads(jaxpr.eqns, []) == set(jaxpr.invars)
True
>>> graph = Graph(jaxpr.invars)
>>> total, sine = graph.add(jaxpr, graph.invars)
>>> half = graph.op(jax.lax.mul, sine, sine)
>>> [eqn.primitive.name for eqn in graph.eqns], graph.made_by[half].invars == [sine, sine]
(['add', 'sin', 'mul'], True)
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
from jax.lax import cond_p

from autograph.jax_internals import Literal, new_var, trace_region
from autograph.runtime.tracing.known.number import value_of
from autograph.runtime.tracing.staging import is_tracer


def is_literal(atom: Any) -> bool:
    """Whether an operand of an equation is a number, not a variable."""
    return type(atom) is Literal


def has_at_most(v: Any, count: int) -> bool:
    """Whether a value of a jaxpr is known to have so many elements at most: one of a symbolic size is not."""
    return isinstance(v.aval.size, int) and v.aval.size <= count


def producers(eqns: Iterable[Any]) -> dict[Any, Any]:
    """The equation that makes each variable."""
    return {v: eqn for eqn in eqns for v in eqn.outvars}


def reads(eqns: Iterable[Any], outs: Iterable[Any]) -> set[Any]:
    """The variables that equations and results read."""
    found = {v for eqn in eqns for v in eqn.invars if type(v) is not Literal}
    found.update(v for v in outs if type(v) is not Literal)
    return found


def needed(eqns: Sequence[Any], outs: Iterable[Any], keep_effects: bool = False) -> list[Any]:
    """The equations that some values depend on, in order; and all with effects, where these are kept."""
    live, found = reads((), outs), []
    for eqn in reversed(eqns):
        if not live.isdisjoint(eqn.outvars) or (keep_effects and eqn.effects):
            found.append(eqn)
            live.update([v for v in eqn.invars if type(v) is not Literal])
    return found[::-1]


def only_weakens(eqn: Any) -> bool:
    """Whether an equation gives a value a weak type of the same dtype, or takes it away: that is nothing to compute."""
    return eqn.primitive.name == "convert_element_type" and eqn.invars[0].aval.dtype == eqn.outvars[0].aval.dtype


def predicate_of(eqn: Any, made_by: dict[Any, Any]) -> Any:
    """The boolean variable by which a `cond` or a `select` chooses one of two.

    None for any other equation, and where an integer or a literal chooses. `made_by`: the equation that makes each variable.
    """
    if eqn.primitive is cond_p and len(eqn.params["branches"]) == 2:
        index = eqn.invars[0]
        eqn = None if is_literal(index) else made_by.get(index)
        if eqn is None or eqn.primitive.name != "convert_element_type":
            return None
    elif eqn.primitive.name != "select_n":
        return None
    predicate = eqn.invars[0]
    return predicate if not is_literal(predicate) and predicate.aval.dtype == bool else None


class Graph:
    """A region while a pass edits it: equations of other regions and new ones, in order.

    An *atom* is what an equation reads, a variable or a literal.

    Attributes:
        invars: the inputs. outs: the atoms that are the results.
        eqns: the equations; made_by: the one that makes each variable.
        consts: the values of the variables that are neither inputs nor made by an equation.
    """

    def __init__(self, invars: Iterable[Any] = ()) -> None:
        self.invars, self.outs = list(invars), list[Any]()
        self.eqns: list[Any] = []
        self.made_by: dict[Any, Any] = {}
        self.consts: dict[Any, Any] = {}
        self._atoms: dict[Any, Any] = {}

    def define(self, variables: Iterable[Any], atoms: Iterable[Any]) -> None:
        """Has atoms stand for variables, in the equations that are added from now on."""
        self._atoms.update((v, x) for v, x in zip(variables, atoms, strict=True) if v is not x)

    def read(self, atom: Any) -> Any:
        """Returns what stands for an atom of a region that was added."""
        return atom if type(atom) is Literal else self._atoms.get(atom, atom)

    def close_over(self, region: Any) -> None:
        """Takes over the constants of a region (`binding.Traced`); one that two regions have is one."""
        own = {id(x): v for v, x in self.consts.items()}
        for v, x in zip(region.jaxpr.constvars, region.consts, strict=True):
            if (one := own.get(id(x), v)) is v:
                self.consts[v] = x
            else:
                self._atoms[v] = one

    def add(self, jaxpr: Any, args: Iterable[Any], fresh: bool = False) -> list[Any]:
        """Adds the equations of a jaxpr, given its inputs; returns its results.

        Args:
            fresh: its variables get new names, since it may be added twice.
        """
        self.define(jaxpr.invars, args)
        for eqn in jaxpr.eqns:
            self.add_equation(eqn, fresh)
        return [self.read(v) for v in jaxpr.outvars]

    def add_region(self, region: Any, args: Iterable[Any], fresh: bool = True) -> list[Any]:
        """Adds a region with its constants; see `add`."""
        self.close_over(region)
        return self.add(region.jaxpr, args, fresh)

    def add_value(self, x: Any) -> Any:
        """Adds a value of the program around; returns the atom that stands for it, of a number of the source a literal."""
        if type(x) in (bool, int, float):
            return _literal(x, jax.typeof(x), repr(x))
        if is_tracer(x := value_of(x)):
            v = new_var(jax.typeof(x))
            self.consts[v] = x
            return v
        jaxpr, consts = trace_region(lambda: [x], (), "value")
        self.consts.update(zip(jaxpr.constvars, consts, strict=True))
        return self.add(jaxpr, ())[0]

    def add_equation(self, eqn: Any, fresh: bool = False) -> None:
        """Adds an equation."""
        self._keep(eqn, self._operands(eqn), fresh)

    def op(self, operation: Callable[..., Any], *atoms: Any) -> Any:
        """Adds an operation of JAX (`lax.select`) on atoms; returns its result."""
        return self.add(_traced(operation, *(x.aval for x in atoms)), atoms, fresh=True)[0]

    def region(self, like: Any) -> Any:
        """Returns the region; its name is that of another one (`binding.Traced`)."""
        eqns = needed(self.eqns, self.outs, keep_effects=True)
        read = reads(eqns, self.outs)
        consts = {v: x for v, x in self.consts.items() if v in read}
        return like.with_consts(list(consts), list(consts.values()), self.invars, self.outs, eqns)

    def _operands(self, eqn: Any) -> list[Any]:
        operands: list[Any] = eqn.invars
        is_renamed = any(type(v) is not Literal and v in self._atoms for v in operands)
        return [self.read(v) for v in operands] if is_renamed else operands

    def _keep(self, eqn: Any, operands: list[Any], fresh: bool) -> None:
        if fresh:
            outvars = [new_var(v.aval) for v in eqn.outvars]
            self._atoms.update(zip(eqn.outvars, outvars, strict=True))
            eqn = eqn.replace(invars=operands, outvars=outvars)
        elif operands is not eqn.invars:
            eqn = eqn.replace(invars=operands)
        self.eqns.append(eqn)
        for v in eqn.outvars:
            self.made_by[v] = eqn


@functools.lru_cache(maxsize=256)
def _literal(x: Any, aval: Any, text: str) -> Any:
    """Returns a number as a literal; `aval` and `text` tell numbers apart that are equal, 0.0 and -0.0."""
    return trace_region(lambda: [x], (), "value")[0].outvars[0]


@functools.lru_cache(maxsize=256)
def _traced(operation: Callable[..., Any], *avals: Any) -> Any:
    return trace_region(lambda *xs: [operation(*xs)], avals, "operation")[0]


def with_equations(region: Any, eqns: list[Any], outs: list[Any], more: Sequence[Any] = ()) -> Any:
    """A region (`binding.Traced`) with other equations and results: it keeps the constants that these read, and its inputs,
    to which `more` are added."""
    read = reads(eqns, outs)
    consts = {v: x for v, x in zip(region.jaxpr.constvars, region.consts, strict=True) if v in read}
    return region.with_consts(list(consts), list(consts.values()), [*region.jaxpr.invars, *more], outs, eqns)
