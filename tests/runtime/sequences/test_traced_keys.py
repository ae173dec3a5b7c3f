"""Dicts read and written at a traced number, or at a tuple with some in it: as Python does it, or refused."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag

MOVES = {0: (0, 1), 1: (1, 0), 2: (0, -1), 3: (-1, 0)}


def numbers(x: Any) -> Any:
    prices = {0: 10.0, 1: 20.0, 5: 30.0}
    return prices[int(x)], prices[x], prices.get(int(x) + 1, 7.0)


def tuples_as_values(x: Any) -> Any:
    row, column = MOVES[int(x) % 4]
    return row * 10 + column


def bools(x: Any) -> Any:
    return {True: 1.0, False: 2.0}[x > 1], {0: 5, 1: 6}[x > 1]


def strings_and_functions_as_values(x: Any) -> Any:
    return {1: "one", 5: "five"}[int(x)] == "five", {1: jnp.sin, 5: jnp.cos}[int(x)](2.0)


def a_histogram(x: Any) -> Any:
    counts = {1: 0, 2: 0, 5: 3}
    for v in (1, 2, 1):
        counts[int(x) * 0 + v] += 1
    counts[int(x)] = counts[int(x)] + 10
    return list(counts.values())


def keys_of_other_kinds(x: Any) -> Any:
    return {"a": 1, 1: 2.0, (1, 2): 3, 5: 9, 2**40: 5, None: 4}[int(x)], {1.5: 1.0, 1: 2.0, 5.0: 7.0}[x]


def a_float_as_key_of_an_integer(x: Any) -> Any:
    return {2**24: 1.0, 2**24 + 1: 2.0, 1: 3.0, 5: 4.0}[x], {1.5: 1.0, 1.0: 2.0, 5.0: 3.0}[int(x)]


def dicts_in_a_dict(x: Any) -> Any:
    return {0: {1: 5, 5: 6}, 1: {1: 7, 5: 8}}[int(x) % 2][int(x)]


def a_state_machine(x: Any) -> Any:
    state, following = 0, {0: 1, 1: 5, 5: 0}
    while x > 0:
        state = following[state]
        x -= 1
    return state


def a_table_of_states_and_actions(x: Any) -> Any:
    q = {(s, a): float(10 * s + a) for s in range(6) for a in range(2)}
    s, a = int(x), 1
    q[s, a] += 0.5 * (q[s, 0] - q[s, a])
    best = max(q[s, k] for k in range(2))
    return best, q[5, 1], sum(q.values()), q.get((s + 1, 0), -1.0)


def a_grid(x: Any) -> Any:
    cells = {(r, c): r * 3 + c for r in range(3) for c in range(3)}
    r, c, seen = int(x) % 3, 1, 0
    for dr, dc in ((0, 1), (1, 0), (-1, 0), (0, -1)):
        if (r + dr, c + dc) in cells:
            seen += cells[r + dr, c + dc]
    return seen


def an_attribute(x: Any) -> Any:
    class Bank:
        def __init__(self) -> None:
            self.accounts = {1: 1.0, 5: 4.0}

    bank = Bank()
    bank.accounts[int(x)] *= 3
    alias = bank.accounts
    return alias[1], bank.accounts[5], alias[int(x)]


def in_staged_statements(x: Any) -> Any:
    totals = OrderedDict([(5, 0.0), (1, 2.0)])
    i = 0
    while i < 3:
        if x > 2:
            totals[int(x)] += i
        i += 1
    return list(totals.values()), list(totals)


def known_parts(x: Any) -> Any:
    table = {("a", 1): 1.0, ("b", 1): 2.0, ("a", 5): 3.0, ("a", 1, 1): 4.0}
    return table["a", int(x)]


def write_to(counts: dict[int, int], key: Any) -> Any:
    counts[key] = counts.get(key, 0) + 1
    return counts[key]


class Shop:
    """Returns what its dict gives."""

    def __init__(self) -> None:
        self.prices = {1: 2.0, 4: jnp.float32(0.5)}

    def price(self, key: Any) -> Any:
        return self.prices.get(key)

    def total(self, key: Any) -> Any:
        price = self.price(key)
        return -1.0 if price is None else 3 * price


def get_or_none(x: Any) -> Any:
    names, grid, found, missing = {1: 10.0, 2: 20.0}, {(0, 1): 1, (5, 0): x}, 0.0, 0
    value = names.get(int(x))
    if value is None:
        value = 7.0
    corner = grid.get((int(x), 0), None)
    for key in (int(x), int(x) + 1):
        if (other := names.get(key)) is not None:
            found += other
        if grid.get((0, key)) is None:
            missing += 1
    return value, corner + 1 if corner is not None else -x, found, missing, Shop().total(int(x)), Shop().total(int(x) - 1)


NEXT_STATES = {("idle", 1): "busy", ("busy", 1): "busy", ("busy", 5): "idle", ("idle", 7): "off"}


def states_and_events(x: Any) -> Any:
    state, seen = "idle", 0
    for event in (1, int(x), int(x) + 2, 3):
        state = NEXT_STATES.get((state, event), "idle")
        seen += state == "busy"
    return seen, state == "idle", NEXT_STATES["busy", int(x)] == "idle"


@pytest.mark.parametrize(
    "f",
    [
        numbers, tuples_as_values, bools, strings_and_functions_as_values, a_histogram, keys_of_other_kinds, a_float_as_key_of_an_integer,
        dicts_in_a_dict, a_state_machine, a_table_of_states_and_actions, a_grid, an_attribute, in_staged_statements, known_parts, get_or_none,
        states_and_events,
    ],
)  # fmt: skip
def test_a_dict_at_a_traced_key(f: Callable[..., Any]) -> None:
    for compiled in (ag.jit(f), ag.function(f)):
        for x in (1.0, 5.0):
            wanted, got = f(x), compiled(jnp.float32(x))
            assert jax.tree.structure(wanted) == jax.tree.structure(got)
            np.testing.assert_allclose(jax.tree.leaves(got), jax.tree.leaves(wanted), rtol=1e-6)


def test_which_of_several_lists_is_changed_is_not_known() -> None:
    def f(key: Any) -> Any:
        rows = {1: [1.0], 2: [2.0]}
        rows[key][0] = 3.0
        return rows[1][0]

    with pytest.raises(ag.StagingError, match="changed in place that may be one of several: a dict read at a traced key"):
        ag.jit(f)(1)


def test_a_missing_key_is_a_key_error_with_the_key() -> None:
    @ag.function
    def read(key: Any) -> Any:
        return {1: 1.0, 2: 2.0}[key]

    @ag.function
    def of_no_number(key: Any) -> Any:
        return {"a": 1.0}[key]

    assert read(jnp.int32(2)) == 2
    for f in (read, of_no_number):
        with pytest.raises(KeyError) as raised:
            f(jnp.int32(7))
        assert raised.value.args == (7,)


def test_no_key_that_it_may_be() -> None:
    for compiled in (ag.jit, ag.function):
        f = compiled(lambda key: ({"a": 1}.get((1, key), 5), {}.get(key, 6), {(1, 2): 7, (1, 2, 3): 8}.get((key, 3), 9)))
        assert [int(x) for x in f(jnp.int32(1))] == [5, 6, 9]
    with pytest.raises(KeyError):
        ag.function(lambda key: {"a": 1}[1, key])(jnp.int32(2))


def test_a_key_that_would_be_added_fails() -> None:
    @ag.function
    def put(key: Any) -> Any:
        d = {1: 1.0}
        d[key] = 2.0
        return d[1]

    assert put(jnp.int32(1)) == 2
    with pytest.raises(RuntimeError, match="a key is written that the dict does not have"):
        put(jnp.int32(2))


def test_lanes_and_derivatives() -> None:
    f = ag.convert(lambda key, x: {0: x, 3: x * x, 4: 1.0}[key])
    assert jax.vmap(f)(jnp.asarray([0, 3, 4]), jnp.asarray([2.0, 3.0, 5.0])).tolist() == [2, 9, 1]
    assert [float(jax.grad(f, 1)(key, 3.0)) for key in (0, 3, 4)] == [1, 6, 0]


@pytest.mark.parametrize(
    ("f", "text"),
    [
        (lambda key: {1: 1.0, 2: None}[key], "None is neither a number nor an array"),
        (lambda key: {1: 1.0, 2: 2.0}.pop(key), "needs the hash of a traced value"),
        (lambda key: {1: 1.0}[jnp.stack([key])], "a dict cannot be read at a traced key"),
        (lambda key: {1: 1.0}.get(key) or 2.0, "gives None where the key is missing"),
        (lambda key: write_to({}, key), "a traced key is written to a dict, and none of its 0 keys can be it"),
    ],
)
def test_what_no_program_can_look_up_is_refused(f: Callable[..., Any], text: str) -> None:
    with pytest.raises(ag.StagingError, match=text):
        ag.jit(f)(1)


def test_a_function_returns_none_where_the_key_is_missing() -> None:
    prices = {1: 2.0, 4: 0.5}

    @ag.function
    def read(key: Any) -> Any:
        return prices.get(key)

    assert [read(jnp.int32(key)) for key in (1, 2, 4)] == [2.0, None, 0.5]
