"""The regions of a program with the words of its error code carried through them: into branches, loops and calls, and out again.

| operation | with a check in it |
| --- | --- |
| a check | the words are its own where it fails and none has failed before |
| `cond` | the words are one more operand, and one more result of each branch; cheap branches are computed both |
| `while` | a further carry, and it ends where a check failed; a test with checks is evaluated before it and in its body |
| `scan` | a further carry |
| `jit`, `checkpoint`, `closed_call` | a further operand and result |
| `custom_jvp_call`, `custom_vjp_call`, `custom_vmap_call`, `composite` | what they call, without their rules or its name |
| a print | is made as long as no check has failed (`host_calls`); what has one in it is as with a check |

Every other equation is the same object as before, or reads other variables. An operation that the table does not have keeps
the calls of the host that are in it.

>>> import jax, autograph as ag
>>> def halved(x, n):
...     while n > 0:
...         assert x > n
...         x, n = x / 2, n - 1
...     return x
>>> program = jax.make_jaxpr(ag.convert(halved))(8.0, 3)
>>> regions = Regions(program.jaxpr)
>>> jaxpr, consts = regions.program(program.jaxpr, program.consts)
>>> len(regions.checks), [(eqn.primitive.name, len(eqn.outvars)) for eqn in jaxpr.eqns if eqn.primitive.name == "while"]
(1, [('while', 4)])
>>> [len(eqn.outvars) for eqn in program.eqns if eqn.primitive.name == "while"]
[3]
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph.functions import error_words, host_calls, lanes
from autograph.jax_internals import ClosedJaxpr, new_var, trace_region, with_constants
from autograph.runtime.checks.failures import FailedCheck, FailedGuard, check_of
from autograph.runtime.jaxprs import cost, graph, rules

_FEW = 8
"""Of how many branches all are computed, where they are cheap: the words of each follow from those before, in a program that XLA
compiles in a time that grows with the square of their number."""


class Regions:
    """The regions of one program, and the checks in them.

    Attributes:
        checks: each with the types of the values in its message.
        keeps_rules: whether none stands in a function with a rule of its own (`custom_jvp_call`), which is lost.
    """

    def __init__(self, jaxpr: Any) -> None:
        self.checks: list[tuple[FailedCheck, tuple[Any, ...]]] = []
        self.numbers: dict[int, int] = {}
        self.keeps_rules = True
        self._held: dict[int, tuple[Any, bool, bool]] = {}
        self._made: dict[Any, tuple[Any, Any]] = {}
        self._find(jaxpr)
        self.length = 1 + max((sum(map(error_words.count_words, avals)) for _, avals in self.checks), default=0)

    def _find(self, jaxpr: Any) -> None:
        """Finds whether checks, which get their numbers, and prints are in a jaxpr."""
        if id(jaxpr) in self._held:
            return
        held = any([self._number(check, eqn) for eqn in jaxpr.eqns if (check := check_of(eqn)) is not None])
        prints = any(check_of(eqn) is None and host_calls.is_print(eqn) for eqn in jaxpr.eqns)
        for eqn in jaxpr.eqns:
            if (rule := rules.RULES.get(eqn.primitive.name)) is not None:
                for region in rules.regions(eqn):
                    self._find(region)
                    _, checks, prints_inside = self._held[id(region)]
                    self.keeps_rules &= rule.of_one_more is not None or not checks
                    held, prints = held or checks, prints or prints_inside
        self._held[id(jaxpr)] = jaxpr, held, prints

    def _number(self, check: FailedCheck, eqn: Any) -> bool:
        if id(check) not in self.numbers:
            shown = tuple(
                lanes.type_in_lane(v.aval, check.lanes) for v in eqn.invars[check.conditions :][: check.shown]
            )
            self.checks.append((check, shown))
            self.numbers[id(check)] = len(self.checks)
        return True

    def holds(self, eqn: Any) -> bool:
        """Whether an equation is a check, or one that is known and has checks in it."""
        return check_of(eqn) is not None or (
            eqn.primitive.name in rules.RULES and any(map(self.has_checks, rules.regions(eqn)))
        )

    def prints(self, eqn: Any) -> bool:
        """Whether an equation prints, or is one that is known and has prints in it, unless that is a function with a rule."""
        rule = rules.RULES.get(eqn.primitive.name)
        if rule is None or rule.of_one_more is None or host_calls.is_in_finally(eqn):
            return host_calls.is_print(eqn)
        return any(self._held[id(region)][2] for region in rules.regions(eqn))

    def has_checks(self, closed: Any) -> bool:
        """Whether checks are in a region of the program."""
        return self._held[id(rules.jaxpr_of(closed))][1]

    def program(self, jaxpr: Any, consts: Sequence[Any]) -> tuple[Any, list[Any]]:
        """Returns the whole program, with the words as its last result, and its constants."""
        region = Region(self)
        results = region.add(jaxpr, jaxpr.invars)
        return region.closed(jaxpr, consts, jaxpr.invars, [*results, region.the_words()])

    def region(self, closed: Any, at: int, to: int | None) -> Any:
        """Returns a region that takes the words and leaves them, at these places of its inputs and its results.

        Args:
            to: None for the test of a loop, which leaves no words, but ends the loop where a check has failed.
        """
        key = id(closed), at, to
        if key not in self._made:
            jaxpr, words = rules.jaxpr_of(closed), self.new_words()
            region = Region(self, words)
            results = region.add(jaxpr, jaxpr.invars)
            outs = region.going_on(*results) if to is None else [*results[:to], region.the_words(), *results[to:]]
            invars = [*jaxpr.invars[:at], words, *jaxpr.invars[at:]]
            made, consts = region.closed(jaxpr, getattr(closed, "consts", ()), invars, outs)
            self._made[key] = closed, rules.in_form_of(closed, made, consts)
        return self._made[key][1]

    def new_words(self) -> Any:
        """Returns a variable for the words."""
        return new_var(jax.core.ShapedArray((self.length,), jnp.dtype(jnp.int32)))


class Region:
    """The equations of one region, and the words so far.

    Attributes:
        words: the variable that holds them; None where no check stands before.
        fine: a bool that says that no check has failed; None where only the words do.
    """

    def __init__(self, regions: Regions, words: Any = None) -> None:
        self.regions = regions
        self.words, self.fine = words, None
        self.eqns: list[Any] = []
        self._atoms: dict[Any, Any] = {}
        self._constants: list[tuple[Any, Any]] = []
        self._reached: list[Any] = []  # by which branches around, that are computed anyhow

    def add(self, jaxpr: Any, args: Sequence[Any], fresh: bool = False) -> list[Any]:
        """Returns the results of a jaxpr on given operands; `fresh`: its variables get new names, since it may be added twice."""
        self._atoms.update((v, x) for v, x in zip(jaxpr.invars, args, strict=True) if v is not x)
        for eqn in jaxpr.eqns:
            operands = [self._read(v) for v in eqn.invars]
            if self.regions.holds(eqn):
                self._atoms.update(zip(eqn.outvars, self._with_checks(eqn, operands), strict=True))
            elif self.regions.prints(eqn) and self._fine() is not None:
                results = self._print(jaxpr, eqn, operands) if host_calls.is_print(eqn) else self._with_checks(eqn, operands)
                self._atoms.update(zip(eqn.outvars, results, strict=True))
            else:
                self._keep(eqn, operands, fresh)
        return [self._read(v) for v in jaxpr.outvars]

    def _read(self, atom: Any) -> Any:
        return atom if graph.is_literal(atom) else self._atoms.get(atom, atom)

    def _keep(self, eqn: Any, operands: list[Any], fresh: bool) -> None:
        if fresh:
            outvars = [new_var(v.aval) for v in eqn.outvars]
            self._atoms.update(zip(eqn.outvars, outvars, strict=True))
            eqn = eqn.replace(outvars=outvars)
        if any(x is not v for x, v in zip(operands, eqn.invars, strict=True)):
            eqn = eqn.replace(invars=operands, effects=self._renamed(eqn.effects))
        self.eqns.append(eqn)

    def _renamed(self, effects: Any) -> Any:
        """Effects on the variables that are read now."""
        named = {e: self._atoms.get(e.input, e.input) for e in effects if hasattr(e, "input")}
        return (
            {e.replace(named[e]) if e in named and named[e] is not e.input else e for e in effects}
            if named
            else effects
        )

    def closed(self, jaxpr: Any, consts: Sequence[Any], invars: list[Any], outs: list[Any]) -> tuple[Any, list[Any]]:
        """Returns a jaxpr with these equations, like a given one, and its constants."""
        constvars = [*jaxpr.constvars, *(v for v, _ in self._constants)]
        consts = [*consts, *(x for _, x in self._constants)]
        info = jaxpr.debug_info
        if info is not None:
            info = info._replace(arg_names=("",) * len(invars), result_paths=("",) * len(outs))
        parts = {"constvars": constvars, "invars": list(invars), "outvars": list(outs), "eqns": self.eqns}
        effects = rules.other_effects(jaxpr.effects) | {e for eqn in self.eqns for e in eqn.effects if rules.reports(e)}
        return with_constants(jaxpr, consts, **parts, effects=effects, debug_info=info), consts

    def the_words(self) -> Any:
        """Returns the variable that holds the words."""
        if self.words is None:
            length = self.regions.length
            [self.words] = self._apply(lambda: [lax.full((length,), 0, jnp.int32)])
        return self.words

    def _apply(self, function: Callable[..., list[Any]], *atoms: Any, like: Any = None) -> list[Any]:
        """Applies a JAX function to variables, as further equations; `like`: the equation that they stand for."""
        jaxpr, consts = trace_region(function, [x.aval for x in atoms], "check")
        assert not consts, "a check has constants"
        atoms_of: dict[Any, Any] = dict(zip(jaxpr.invars, atoms, strict=True))
        for eqn in jaxpr.eqns:
            eqn = eqn.replace(invars=[x if graph.is_literal(x) else atoms_of.get(x, x) for x in eqn.invars])
            self.eqns.append(eqn if like is None else eqn.replace(source_info=like.source_info))
        return [x if graph.is_literal(x) else atoms_of.get(x, x) for x in jaxpr.outvars]

    def _with_checks(self, eqn: Any, operands: list[Any]) -> list[Any]:
        """Returns the results of an equation with checks in it."""
        check = check_of(eqn)
        if check is not None:
            return self._check(check, eqn, operands)
        rule, held = rules.RULES[eqn.primitive.name], [region for _, region in rules.held(eqn)]
        if rule.of_one_more is None:
            return self._inline(held[0], operands)
        if rule.chooses and len(held) <= _FEW and not self.regions.prints(eqn) and all(map(self._is_cheap, held)):
            return self._both(held, operands)
        if rule.test and (self.regions.has_checks(test := eqn.params[rule.test]) or rules.jaxpr_of(test).outvars[0].aval.shape):
            return self._while(eqn, operands)
        return self._carried(eqn, operands, self.regions.region)

    def _inline(self, closed: Any, operands: Sequence[Any]) -> list[Any]:
        jaxpr = getattr(closed, "jaxpr", closed)
        constants = [(new_var(v.aval), x) for v, x in zip(jaxpr.constvars, getattr(closed, "consts", ()), strict=True)]
        self._constants += constants
        self._atoms.update((v, new) for v, (new, _) in zip(jaxpr.constvars, constants, strict=True))
        return self.add(jaxpr, operands, fresh=True)

    def _check(self, check: FailedCheck, eqn: Any, operands: list[Any]) -> list[Any]:
        number, length, is_guard = self.regions.numbers[id(check)], self.regions.length, isinstance(check, FailedGuard)
        conditions = operands[:1] if is_guard else operands[: check.conditions]
        shown = operands[check.conditions :][: check.shown]
        if 0 in (n for x in conditions[:1] for n in x.aval.shape if isinstance(n, int)):
            return operands[1:] if is_guard else []  # no lanes
        before = [] if self._fine() is None else [self.fine]

        def run(words: Any, *values: Any) -> list[Any]:
            bools, parts = list(values[: len(values) - len(shown)]), list(values[len(values) - len(shown) :])
            if is_guard:
                bools[0] = lax.bitwise_not(lanes.all_lanes(bools[0]))
            failed = functools.reduce(jnp.logical_and, bools) if bools else lax.full((), True, bool)
            if check.lanes:
                lane, failed = lanes.first_lane(lax.reshape(failed, (failed.size,))), lanes.any_lane(failed)
                parts = [lanes.in_lane(x, check.lanes, lane) for x in parts]
            parts = [lax.full((1,), number, jnp.int32), *error_words.packed(parts)]
            rest = length - sum(part.size for part in parts)
            parts += [lax.full((rest,), 0, jnp.int32)] * (rest > 0)
            holds = lax.bitwise_not(failed)
            fine = lax.bitwise_and(values[len(conditions)], holds) if before else holds
            return [lax.select_n(failed, words, lax.concatenate(parts, 0) if parts[1:] else parts[0]), fine]

        self.words, self.fine = self._apply(
            run, self.the_words(), *conditions, *before, *self._reached, *shown, like=eqn
        )
        return operands[1:] if is_guard else []

    def _print(self, jaxpr: Any, eqn: Any, operands: list[Any]) -> list[Any]:
        if (print_ := host_calls.with_condition(eqn, operands, self.fine)) is not None:
            self.eqns.append(print_)
            return []
        return self._apply(*host_calls.only_if_fine(jaxpr, eqn, operands, self.fine), like=eqn)

    def _fine(self) -> Any:
        """Returns the bool that says that no check has failed; None at the start of the program."""
        if self.fine is None and self.words is not None:
            [self.fine] = self._apply(lambda words: [_is_fine(words)], self.words)
        return self.fine

    def _carried(self, eqn: Any, operands: list[Any], change: Callable[[Any, int, int | None], Any]) -> list[Any]:
        """Returns the results of an equation that takes the words and leaves them; `change` makes its regions (`with_one_more`)."""
        outvars, words = [new_var(v.aval) for v in eqn.outvars], self.the_words()
        self.words, self.fine = self.regions.new_words(), None
        eqn = eqn.replace(invars=operands, outvars=outvars, effects=self._renamed(eqn.effects))
        self.eqns.append(rules.with_one_more(eqn, change, words, self.words))
        return outvars

    def _both(self, branches: Sequence[Any], operands: list[Any]) -> list[Any]:
        """Returns the results of a `cond` whose branches are all computed."""
        index, around, results = operands[0], self._reached, []
        for number, branch in enumerate(branches):
            if self.regions.has_checks(branch):
                self._reached = [
                    *around,
                    *self._apply(lambda index, number=number: [lax.eq(index, np.int32(number))], index),
                ]
            results.append(self._inline(branch, operands[1:]))
            self._reached = around
        return [self._chosen(index, values) for values in zip(*results, strict=True)]

    def _chosen(self, index: Any, values: tuple[Any, ...]) -> Any:
        if all(x is values[0] for x in values):
            return values[0]
        which = (lambda index: lax.ne(index, np.int32(0))) if len(values) == 2 else lambda index: index
        return self._apply(lambda index, *values: [lax.select_n(which(index), *values)], index, *values)[0]

    def _is_cheap(self, closed: Any) -> bool:
        """Whether a branch may be computed wherever the `cond` is: its checks, and little else."""
        jaxpr = rules.jaxpr_of(closed)
        rest, made = [], set()
        for eqn in jaxpr.eqns:
            rule = rules.rule_of(eqn)
            if not self.regions.holds(eqn):
                rest.append(eqn)
            elif check_of(eqn) is None and not (
                (rule.chooses or rule.of_one_more is None) and all(map(self._is_cheap, rules.regions(eqn)))
            ):
                return False
            else:
                made.update(eqn.outvars)
        outs = [v for v in jaxpr.outvars if graph.is_literal(v) or v not in made]
        return cost.is_cheap(jaxpr.replace(eqns=rest, outvars=outs)) and all(map(cost.is_small, jaxpr.outvars))

    def _while(self, eqn: Any, operands: list[Any]) -> list[Any]:
        """Returns the results of a loop whose test is evaluated before it and in its body: the carry has its truth."""
        test, body = eqn.params["cond_jaxpr"], eqn.params["body_jaxpr"]
        consts, of_body, carry = rules.while_operands(eqn.params, operands)
        [alive] = self._inline(test, [*consts, *carry])
        inside = Region(self.regions, self.regions.new_words())
        words, flag = inside.words, new_var(alive.aval)
        of_test, carried = [new_var(v.aval) for v in consts], body.jaxpr.invars[len(of_body) :]
        left = inside.add(body.jaxpr, body.jaxpr.invars)
        if flag.aval.shape:  # of several lanes: those that are done keep what they have
            left = [inside._apply(lanes.chosen, flag, x, old)[0] for x, old in zip(left, carried, strict=True)]
        results = [*left, *inside._inline(test, [*of_test, *left]), inside.the_words()]
        invars = [*body.jaxpr.invars[: len(of_body)], *of_test, *carried, flag, words]
        made = ClosedJaxpr(*inside.closed(body.jaxpr, body.consts, invars, results))
        of_flag = [*(new_var(v.aval) for v in (*consts, *carry)), new_var(flag.aval)]
        ends = ClosedJaxpr(*Region(self.regions).closed(test.jaxpr.replace(constvars=[], effects=set()), (), of_flag, of_flag[-1:]))
        params = {"cond_jaxpr": ends, "body_nconsts": len(of_body) + len(consts)}
        eqn = eqn.replace(outvars=[*eqn.outvars, flag], params={**eqn.params, **params})
        start = [*consts, *of_body, *consts, *carry, alive]
        return self._carried(eqn, start, lambda x, at, to: made if x is body else self.regions.region(x, at, to))[:-1]

    def going_on(self, alive: Any) -> list[Any]:
        """Returns whether a loop goes on: its test holds, and no check has failed."""
        return self._apply(
            lambda alive, words: [lax.bitwise_and(lanes.any_lane(alive), _is_fine(words))], alive, self.words
        )


def _is_fine(words: Any) -> Any:
    return lax.eq(lax.squeeze(lax.slice(words, (0,), (1,)), (0,)), np.int32(0))
