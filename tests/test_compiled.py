"""The compiled program is the expert's: the same loops and conditionals with the same numbers of carried values.

Each case is a Python function beside the `lax` form that a person who knows JAX would write. Compared are the loops and
conditionals of the two jaxprs: kind, number of carried values, of scanned inputs and outputs; as a multiset. There may be
fewer conditionals than by hand, since cheap branches become selects, never more.
"""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import lax

import autograph as ag
from benchmarks.programs.pair import scan_carries

N, X = jnp.int32(5), jnp.float32(2.5)
V = jnp.arange(6, dtype=jnp.float32)
K = jnp.arange(6, dtype=jnp.int32)

CASES: dict[str, tuple[Callable[..., Any], Callable[..., Any], tuple[Any, ...]]] = {}


def against(lax_form: Callable[..., Any], *args: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the decorated function beside its hand-written form."""

    def register(fn: Callable[..., Any]) -> Callable[..., Any]:
        CASES[fn.__name__] = (fn, lax_form, args)
        return fn

    return register


# --- conditionals ---


@against(lambda x: lax.cond(x > 0, lambda: jnp.sin(x), lambda: x * x), X)
def branch_returns(x):
    if x > 0:
        return jnp.sin(x)
    return x * x


def _cond_of_two(x):
    return lax.cond(x > 0, lambda: (x + 1, x * 2), lambda: (x, x - 1))


@against(_cond_of_two, X)
def branch_writes_two_variables(x):
    if x > 0:
        a = x + 1
        b = x * 2
    else:
        a = x
        b = x - 1
    return a, b


@against(lambda x: lax.cond(x > 0, lambda: x * 2, lambda: x), X)
def dead_variables_are_not_results(x):
    t = x
    if x > 0:
        t = x * 2
        u = t + 1  # noqa: F841
        v = u + 1  # noqa: F841
    return t


def _elif_chain(x):
    return lax.cond(x > 1, lambda: x, lambda: lax.cond(x > 0, lambda: x * 2, lambda: x * 3))


@against(_elif_chain, X)
def elif_chain(x):
    if x > 1:
        y = x
    elif x > 0:
        y = x * 2
    else:
        y = x * 3
    return y


@against(_elif_chain, X)
def early_returns_need_no_flag(x):
    if x > 1:
        return x
    if x > 0:
        return x * 2
    return x * 3


@against(lambda x: x * 2, X)
def static_condition_leaves_nothing(x):
    mode = "double"
    if mode == "double":
        return x * 2
    return x


# --- while ---


def _gcd(a, b):
    return lax.while_loop(lambda s: s[1] != 0, lambda s: (s[1], s[0] % s[1]), (a, b))[0]


@against(_gcd, N, N)
def gcd(a, b):
    while b != 0:
        a, b = b, a % b
    return a


def _sum_down(n):
    return lax.while_loop(lambda s: s[0] > 0, lambda s: (s[0] - 1, s[1] + s[0]), (n, 0))[1]


@against(_sum_down, N)
def invariant_is_not_carried(n):
    k = n * 1 + 0
    del k
    s = 0
    while n > 0:
        s = s + n
        n = n - 1
    return s


def _scaled(n, x):
    return lax.while_loop(lambda s: s[0] > 0, lambda s: (s[0] - 1, s[1] * x), (n, jnp.float32(1)))[1]


@against(_scaled, N, X)
def closed_over_value_is_not_carried(n, x):
    y = jnp.float32(1)
    scale = x
    while n > 0:
        y = y * scale
        n = n - 1
    return y


@against(_sum_down, N)
def temporary_is_not_carried(n):
    s = 0
    while n > 0:
        t = n
        s = s + t
        n = n - 1
    return s


def _break_first(n):
    def going(s):
        i, total = s
        return (i < n) & ~(total > 20)

    return lax.while_loop(going, lambda s: (s[0] + 1, s[1] + s[0]), (0, 0))


@against(_break_first, N)
def break_first_needs_no_flag(n):
    i, total = 0, 0
    while i < n:
        if total > 20:
            break
        total = total + i
        i = i + 1
    return i, total


def _newton(x):
    return lax.while_loop(lambda g: jnp.abs(g * g - x) > 1e-4, lambda g: 0.5 * (g + x / g), x)


@against(_newton, X)
def while_true_with_break_first(x):
    g = x
    while True:
        if jnp.abs(g * g - x) <= 1e-4:
            break
        g = 0.5 * (g + x / g)
    return g


def _nested(n):
    def outer(s):
        i, total = s
        total = lax.while_loop(lambda t: t[0] < i, lambda t: (t[0] + 1, t[1] + t[0]), (0, total))[1]
        return i + 1, total

    return lax.while_loop(lambda s: s[0] < n, outer, (0, 0))[1]


@against(_nested, N)
def nested_while(n):
    i, total = 0, 0
    while i < n:
        j = 0
        while j < i:
            total = total + j
            j = j + 1
        i = i + 1
    return total


def _collatz(n):
    def body(s):
        m, steps = s
        return lax.cond(m % 2 == 0, lambda: m // 2, lambda: 3 * m + 1), steps + 1

    return lax.while_loop(lambda s: s[0] != 1, body, (n, 0))[1]


@against(_collatz, N)
def branch_in_loop(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps = steps + 1
    return steps


# --- for ---


@against(lambda v: lax.scan(lambda s, x: (s + x * x, None), jnp.float32(0), v)[0], V)
def for_over_array_is_a_scan(v):
    s = jnp.float32(0)
    for x in v:
        s = s + x * x
    return s


@against(lambda v, w: lax.scan(lambda s, xs: (s + xs[0] * xs[1], None), jnp.float32(0), (v, w))[0], V, V)
def zip_is_one_scan(v, w):
    s = jnp.float32(0)
    for x, y in zip(v, w, strict=True):
        s = s + x * y
    return s


def _prefix(v):
    def step(s, x):
        s = s + x
        return s, s

    return lax.scan(step, jnp.float32(0), v)[1]


@against(_prefix, V)
def append_is_an_output_of_the_scan(v):
    out = []
    s = jnp.float32(0)
    for x in v:
        s = s + x
        out.append(s)
    return jnp.stack(out)


def _counted(n):
    return lax.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, s[1] + s[0]), (0, 0))[1]


@against(_counted, N)
def range_of_traced_is_a_while(n):
    s = 0
    for i in range(n):
        s = s + i
    return s


@against(lambda x: lax.scan(lambda y, _: (y * 1.5, None), x, length=10)[0], X)
def ag_range_is_one_loop(x):
    for _ in ag.range(10):
        x = x * 1.5
    return x


def _ten_adds(x):
    for _ in range(10):
        x = x + 1.0
    return x


@against(_ten_adds, X)
def range_unrolls(x):
    for _ in range(10):
        x = x + 1.0
    return x


def _find(v, x):
    def going(i):
        return (i < 6) & (v[jnp.minimum(i, 5)] != x)

    return lax.while_loop(going, lambda i: i + 1, 0)


@against(_find, V, X)
def search_carries_only_the_index(v, x):
    i = 0
    while i < 6 and v[jnp.minimum(i, 5)] != x:
        i = i + 1
    return i


def _relax(d):
    def cell(j, s):
        i, d = s
        return i, d.at[i, j].min(d[i, 0] + d[0, j])

    def row(i, d):
        return lax.fori_loop(0, 6, cell, (i, d))[1]

    return lax.fori_loop(0, 6, row, d)


@against(_relax, jnp.ones((6, 6)))
def element_written_under_an_if(d):
    for i in ag.range(6):
        for j in ag.range(6):
            if d[i, 0] + d[0, j] < d[i, j]:
                d[i, j] = d[i, 0] + d[0, j]
    return d


# --- exits: in the test of the loop, never as a flag that is carried ---


def _escape(n, x):
    def going(s):
        return (s[0] < n) & ~(s[1] > 4)

    return lax.while_loop(going, lambda s: (s[0] + 1, s[1] * s[1] + x), (0, x))


@against(lambda n, x: _escape(n, x)[1], N, X)
def break_at_the_head_of_a_for(n, x):
    y = x
    for _ in range(n):
        if y > 4:
            break
        y = y * y + x
    return y


@against(lambda x: _escape(50, x)[0], X)
def return_at_the_head_of_a_for(x):
    y = x
    for turn in range(50):
        if y > 4:
            return turn
        y = y * y + x
    return 50


def _bounded(n, x):
    def going(s):
        return (s[0] < n) & ~(s[1] > 9) & ~(s[1] < -9)

    k, y = lax.while_loop(going, lambda s: (s[0] + 1, jnp.sin(s[1]) * 3), (0, x))
    return lax.select((k < n) & (y > 9), k, -1)


@against(_bounded, N, X)
def two_exits_of_two_kinds(n, x):
    for k in range(n):
        if x > 9:
            return k
        if x < -9:
            break
        x = jnp.sin(x) * 3
    return -1


@against(_find, V, X)
def return_on_an_element(v, x):
    for i in range(6):
        if v[i] == x:
            return i
    return 6


def _search(v, x):
    def going(s):
        return (s[0] <= s[1]) & (v[(s[0] + s[1]) // 2] != x)

    def body(s):
        middle = (s[0] + s[1]) // 2
        below = v[middle] < x
        return jnp.where(below, middle + 1, s[0]), jnp.where(below, s[1], middle - 1)

    low, high = lax.while_loop(going, body, (0, 5))
    return lax.select(low <= high, (low + high) // 2, -1)


@against(_search, V, X)
def return_in_the_middle_of_a_while(v, x):
    low, high = 0, 5
    while low <= high:
        middle = (low + high) // 2
        if v[middle] == x:
            return middle
        if v[middle] < x:
            low = middle + 1
        else:
            high = middle - 1
    return -1


def _seek(v, x):
    i = lax.while_loop(lambda i: (i < 6) & (v[i] != x), lambda i: i + 1, 0)
    return i + (i < 6)


@against(_seek, V, X)
def flag_of_the_users_own(v, x):
    i, done = 0, False
    while not done and i < 6:
        if v[i] == x:
            done = True
        i += 1
    return i


# --- counting ---


def structure(jaxpr: Any) -> list[tuple[Any, ...]]:
    """Loops and conditionals of a jaxpr at any depth, as a sorted list."""
    found: list[tuple[Any, ...]] = []
    for eqn in jaxpr.eqns:
        p = eqn.params
        if eqn.primitive.name == "while":
            found.append(("while", len(eqn.outvars)))
        elif eqn.primitive.name == "scan":
            pairs = zip(eqn.invars, p["jaxpr"].jaxpr.invars, strict=True)
            slices = sum(len(outer.aval.shape) != len(row.aval.shape) for outer, row in pairs)
            found.append(("scan", scan_carries(eqn), slices, len(eqn.outvars)))
        elif eqn.primitive.name == "cond":
            found.append(("cond", len(p["branches"]), len(eqn.outvars)))
        for inner in jax.tree.leaves(list(p.values()), is_leaf=lambda v: hasattr(v, "eqns") or hasattr(v, "jaxpr")):
            inner = getattr(inner, "jaxpr", inner)
            if hasattr(inner, "eqns"):
                found += structure(inner)
    return sorted(found, key=repr)


def loops(counts: collections.Counter[tuple[Any, ...]]) -> dict[tuple[Any, ...], int]:
    return {what: number for what, number in counts.items() if what[0] != "cond"}


@pytest.mark.parametrize("name", CASES)
def test_same_loops_conditionals_and_carries_as_hand_written(name: str) -> None:
    fn, lax_form, args = CASES[name]
    ours, theirs = jax.make_jaxpr(ag.convert(fn))(*args), jax.make_jaxpr(lax_form)(*args)
    mine, by_hand = collections.Counter(structure(ours.jaxpr)), collections.Counter(structure(theirs.jaxpr))
    explained = f"{ours}\n\nby hand:\n{theirs}\n\n{ag.to_code(fn)}"
    assert loops(mine) == loops(by_hand), explained
    assert mine <= by_hand, explained


def test_unrolled_loop_has_its_ten_additions() -> None:
    jaxpr = jax.make_jaxpr(ag.convert(range_unrolls))(X)
    assert [eqn.primitive.name for eqn in jaxpr.jaxpr.eqns] == ["add"] * 10


def test_structure_sees_a_needless_carry() -> None:
    def carried(n, x):
        def body(s):
            return s[0] - 1, s[1] * x, s[2] + 1

        return lax.while_loop(lambda s: s[0] > 0, body, (n, jnp.float32(1), n))[1]

    assert structure(jax.make_jaxpr(carried)(N, X).jaxpr) != structure(jax.make_jaxpr(_scaled)(N, X).jaxpr)


def test_converted_call_of_jit_is_the_same_type() -> None:
    assert type(ag.jit(gcd)) is type(jax.jit(gcd))


def test_a_second_call_does_not_trace_again() -> None:
    traces = 0

    @ag.jit
    def f(x):
        nonlocal traces
        traces += 1
        if x > 0:
            return x
        return -x

    f(X), f(X + 1), f(-X)
    assert traces == 1
