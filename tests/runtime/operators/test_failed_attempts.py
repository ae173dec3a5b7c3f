"""An attempt to stage a loop that fails leaves nothing behind: it is made to fail at each of its operations in turn.

The loop is then staged from a later iteration, or unrolled: the program is valid, and computes what Python computes. The next
trace is not disturbed.
"""

import functools
import gc
import weakref
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.core import Trace
from jax.extend import core
from jax.extend.core import Primitive

import autograph as ag
from autograph.runtime.operators import long_loops, peeling, python_iteration

CHECK = core.check_jaxpr if hasattr(core, "check_jaxpr") else jax.core.check_jaxpr


class Interrupted(Exception):
    """Raised in the middle of an attempt; no code of the library knows it."""


@contextmanager
def interrupted(monkeypatch: pytest.MonkeyPatch, at: int) -> Iterator[Counter[str]]:
    """Ends each attempt at its operation number `at`; counts the operations of the longest one, and how many were ended."""
    counts, depth, count = Counter[str](), 0, 0
    bind = Primitive.bind

    def attempted(attempt: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            nonlocal depth, count
            depth, count = depth + 1, 0 if depth == 0 else count
            try:
                return attempt(*args)
            finally:
                depth -= 1
                counts["operations"] = max(counts["operations"], count)

        return call

    def bound(self: Any, *args: Any, **params: Any) -> Any:
        nonlocal count
        if depth:
            count += 1
            if count - 1 == at:
                counts["ended"] += 1
                raise Interrupted
        return bind(self, *args, **params)

    with monkeypatch.context() as patch:
        attempt = attempted(peeling.failure_from_here)
        for module in peeling, python_iteration, long_loops:
            patch.setattr(module, "failure_from_here", attempt)
        patch.setattr(long_loops, "iterations_of", attempted(long_loops.iterations_of))
        patch.setattr(Primitive, "bind", bound)
        yield counts


class Box:
    def __init__(self, total: Any) -> None:
        self.total, self.seen = total, 0


def numbers(x):
    for i in range(5):
        x = x * 2 + i
        if x.sum() > 90:
            break
    return x


def an_object(x):
    box = Box(x)
    for i in range(5):
        box.total = box.total + jnp.sin(box.total) * i
        box.seen += 1
        if box.total[0] > 3:
            break
    return box.total, box.seen


def an_array_loop_inside(x):
    total = 0.0
    for i in range(4):
        for item in x:
            if item > i:
                total += item
        if total > 20:
            break
    return total


def lists_and_dicts(x):
    log, best = [0.0, 0.0], {"at": 0, "value": x[0]}
    for i in range(4):
        log[0] += x[i % 3]
        if x[i % 3] > best["value"]:
            best["at"], best["value"] = i, x[i % 3]
        if log[0] > 7:
            return log, best
    return log, best


def written_elements(x):
    for i in range(2):
        x[i] = x[i] * 2 if x[i] > 1 else x[i - 1]
        if x[i] > 5:
            break
    return x


def functions(x):
    scale = jax.jit(lambda y, k: y * k)

    def step(y, k):
        return scale(y, k) if y[0] > 0 else y - k

    for k in range(4):
        x = step(x, k) + 1
        while x[0] > 10:
            x = x / 2
        if x[1] > 6:
            return x
    return -x


@functools.lru_cache
def powers(n):
    return [2**k for k in range(n)]


class Account:
    def __init__(self, balance):
        self.balance = balance

    @property
    def is_empty(self):
        return self.balance < 0.5

    def pay(self, amount):
        self.balance = self.balance + amount


def objects_and_caches(x):
    account, table = Account(x[0]), x * 0
    for k in range(4):
        account.pay(powers(4)[k] * x[1])
        table[k % 3] += account.balance
        if account.is_empty:
            account.balance = -account.balance
        for row in (x, table):
            if row.max() > 20:
                return account.balance, table
    return account.balance, table


def nests(x):
    total, seen = 0.0, 0
    for i in range(3):
        for j in range(i, 3):
            if x[j] > x[i]:
                total = total + x[i] * j
                continue
            total -= 1.0
            if total < -3:
                break
        else:
            seen += 1
        for row in jnp.stack([x, 2 * x]):
            total += row.sum()
        if total > 30:
            return total, seen
    return total, seen


def a_known_test(x):
    total, i = 0.0, 0
    while i * i < 1100:
        total += x[i % 3] * (i % 5)
        i += 1
    return total, i


def comprehensions(x):
    rows = [[x[k] * j for k in range(3)] for j in range(33) if j % 11 == 0]
    squares = [x[j % 3] / j for j in range(33) if j > 0 if j % 8 == 1]
    return rows, squares, sum(x[j % 3] * k for j in range(33) if j % 2 for k in range(j % 4))


PROGRAMS = [
    numbers,
    a_known_test,
    comprehensions,
    objects_and_caches,
    nests,
    an_object,
    an_array_loop_inside,
    lists_and_dicts,
    written_elements,
    functions,
]


def record(program: Callable[..., Any]) -> Any:
    """Traces a program; fails where a trace outlives it."""
    traces = weakref.WeakSet[Any]()
    init = Trace.__init__

    def noted(self: Any, *args: Any, **kwargs: Any) -> None:
        init(self, *args, **kwargs)
        traces.add(self)

    gc.freeze()
    Trace.__init__ = noted
    try:
        found = jax.make_jaxpr(lambda x: ag.convert(program)(x))(X)  # a new function: JAX keeps what it traced
    finally:
        Trace.__init__ = init
    gc.collect()
    gc.unfreeze()
    assert not list(traces), "a trace is kept"
    return found


X = np.float32([1.5, 0.5, 3.0])


def test_a_trace_that_is_kept_is_noticed() -> None:
    kept = []

    with pytest.raises(AssertionError, match="a trace is kept"):
        record(ag.do_not_convert(lambda x: kept.append(x) or x))


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_an_attempt_that_fails_leaves_nothing(program: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = jax.tree.leaves(program(X.copy()))
    with interrupted(monkeypatch, -1) as counts:
        staged = str(record(program))
    assert counts["operations"] > 3, "nothing was attempted"
    for at in range(counts["operations"]):
        with interrupted(monkeypatch, at) as ended:
            made = record(program)
        CHECK(made.jaxpr)
        for found, value in zip(jax.core.eval_jaxpr(made.jaxpr, made.consts, X), wanted, strict=True):
            np.testing.assert_allclose(found, value, rtol=1e-5, err_msg=f"operation {at}")
        assert ended["ended"] or at > 3
    assert str(record(program)) == staged, "the next trace is another one"
