"""Loops that are not reached make no iteration: behind a check that failed, and in lanes of `vmap` that go another way.

Every loop here ends after a while wherever it runs, so that a failure is one; the iterations are counted on the host.
"""

import jax
import jax.numpy as jnp
import pytest
from jax import lax

import autograph as ag

iterations = []


def iterate(x):
    """Says that an iteration is made; the result is `x`."""
    jax.debug.callback(iterations.append, x)
    return x


def halve(a):
    k = 0
    while a != 0 and k < 300:
        a = iterate(a) // 2
        k += 1
    return k


def steps(n):
    k = 0
    while n != 1 and k < 300:
        n = iterate(n)
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        k += 1
    return k


jitted = jax.jit(halve)


def work(carry, _):
    return halve(carry), None


def by_raise(a):
    if a < 0:
        raise ValueError("negative")
    return halve(a)


def by_assert(a):
    assert a >= 0, "negative"
    return halve(a)


def ensure(a):
    if a < 0:
        raise ValueError("negative")
    return a


def in_a_call(a):
    return halve(ensure(a))


def in_a_branch(a):
    if a != 77:
        assert a >= 0, "negative"
    return halve(a)


def before_a_branch(a):
    assert a >= 0, "negative"
    if a != 5:
        return halve(a)
    return 5


def in_each_iteration(a):
    k = 0
    for _ in ag.range(2):
        if a < 0:
            raise ValueError("negative")
        k += halve(a)
    return k


def before_a_scan(a):
    assert a >= 0, "negative"
    k = 0
    for _ in ag.range(2):
        k += halve(a)
    return k


def before_a_counted_loop(a):
    assert a >= 0, "negative"
    k = 0
    for _ in range(lax.select(a < 0, 300, 3)):
        k = iterate(k) + 1
    return k


def of_an_index(a):
    table = [1, 2, 3]
    x = table[a]
    return halve(a), x


def before_a_jitted_function(a):
    assert a >= 0, "negative"
    return jitted(a)


def before_a_scan_of_jax(a):
    assert a >= 0, "negative"
    return lax.scan(work, a, None, length=1)[0]


def the_first_of_two(a):
    assert a >= 0, "negative"
    k = halve(a)
    assert k < 100, "too many"
    return k


CHECKED = [
    by_raise,
    by_assert,
    in_a_call,
    in_a_branch,
    before_a_branch,
    in_each_iteration,
    before_a_scan,
    before_a_counted_loop,
    of_an_index,
    before_a_jitted_function,
    before_a_scan_of_jax,
    the_first_of_two,
]


def run(f, *args):
    """The result of a program or the message of its failure, and how often its loops iterated."""
    iterations.clear()
    try:
        result = jax.tree.map(lambda x: x.tolist(), f(*args))
    except (jax.errors.JaxRuntimeError, ValueError) as error:
        result = str(error)
    jax.effects_barrier()
    return result, len(iterations)


@pytest.mark.parametrize("f", CHECKED, ids=lambda f: f.__name__)
def test_no_loop_runs_behind_a_check_that_failed(f):
    program = ag.jit(f)
    assert run(program, 2)[1] > 0
    text, count = run(program, -9)
    assert count == 0
    assert ("negative" in text or "IndexError" in text) and "too many" not in text


@pytest.mark.parametrize("f", CHECKED, ids=lambda f: f.__name__)
def test_nor_where_the_check_fails_in_one_lane(f):
    text, count = run(jax.jit(jax.vmap(ag.convert(f))), jnp.array([1, -9]))
    assert ("negative" in text or "IndexError" in text) and "too many" not in text
    assert count < 20


def test_reverse_mode_stops_as_well():
    def root(a):
        assert a >= 0, "negative"
        x, k = a, 0
        while abs(x * x - a) > 1e-4 and k < 300:
            x = (iterate(x) + a / x) / 2
            k += 1
        return x

    slope = jax.jit(jax.grad(ag.convert(root)))
    assert slope(4.0) == pytest.approx(0.25, abs=1e-3)
    text, count = run(slope, -4.0)
    assert "negative" in text and count == 0


def test_a_function_given_to_jax_is_traced_for_each_place():
    def f(n, m):
        x = lax.scan(work, n, None, length=1)[0] if n > 0 else n
        return x + lax.scan(work, m, None, length=1)[0]

    assert run(ag.jit(f), 4, 8) == (3 + 4, 7)
    assert run(jax.jit(jax.vmap(ag.convert(f))), jnp.array([4, -1]), jnp.array([0, 1])) == ([3, 0], 2 * (3 + 1))


# --- lanes ---


def behind_an_if(n):
    if n > 0:
        return steps(n)
    return 0


def behind_an_early_return(n):
    if n <= 0:
        return 0
    return steps(n)


def in_an_expression(n):
    return steps(n) if n > 0 else 0


def in_a_jitted_function(n):
    k = 0
    if n > 0:
        k = jax.jit(steps)(n)
    return k


def in_a_branch_of_a_scan(n):
    k = 0
    for _ in ag.range(1):
        if n > 0:
            k = steps(n)
    return k


def behind_a_break(n):
    k = 0
    while True:
        if n <= 0:
            break
        k += steps(n)
        n = n - 99
    return k


LANES = [
    behind_an_if,
    behind_an_early_return,
    in_an_expression,
    in_a_jitted_function,
    in_a_branch_of_a_scan,
    behind_a_break,
]


@pytest.mark.parametrize("f", LANES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("transform", [jax.jit, lambda f: f], ids=["jit", "eager"])
def test_lanes_that_do_not_reach_a_loop_make_no_iteration(f, transform):
    lanes = jnp.array([0, 6, -3, 4])
    assert run(transform(jax.vmap(ag.convert(f))), lanes) == ([0, 8, 0, 2], 8 * len(lanes))


def test_lanes_that_have_ended_make_no_iteration_inside():
    def f(n):
        k = 0
        while n > 0:
            k += halve(n)
            n = n - 5  # -1 at the end: never halved to 0
        return k

    assert run(ag.jit(f), 9) == (4 + 3, 7)
    lanes = jnp.array([9, 4, 0, -1])
    assert run(jax.jit(jax.vmap(ag.convert(f))), lanes) == ([7, 3, 0, 0], 7 * len(lanes))


def test_an_iteration_that_leaves_is_none_of_a_lane_that_ended():
    def in_python(n, m):
        k = 0
        for i in range(m):
            if n < 0:
                break
            k += n.bit_length()
            n = n - 3 - i
        return k, n

    def f(n, m):
        k = 0
        for i in range(m):
            if n < 0:
                break
            k += halve(n)
            n = n - 3 - i
        return k, n

    plain = [in_python(*args) for args in ((6, 9), (2, 1), (-1, 4))]
    (counts, ends), iterated = run(jax.jit(jax.vmap(ag.convert(f))), jnp.array([6, 2, -1]), jnp.array([9, 1, 4]))
    assert list(zip(counts, ends, strict=True)) == plain and iterated < 30


def test_vmap_in_vmap_asks_for_the_lanes_of_both():
    def f(n, m):
        k = 0
        if n > 0:
            if m > 0:
                k = steps(n * m)
        return k

    inner = jax.vmap(ag.convert(f), in_axes=(None, 0))
    result, count = run(jax.jit(jax.vmap(inner, in_axes=(0, None))), jnp.array([0, 1, -2]), jnp.array([6, -6]))
    assert result == [[0, 0], [8, 0], [0, 0]] and count == 6 * 8


def test_a_gradient_in_lanes():
    def root(a):
        x, k = a, 0
        if a > 0:
            while abs(x * x - a) > 1e-4 and k < 300:
                x = (iterate(x) + a / x) / 2
                k += 1
        return x

    slopes, count = run(jax.jit(jax.vmap(jax.grad(ag.convert(root)))), jnp.array([4.0, -4.0, 1.0]))
    assert slopes == pytest.approx([0.25, 1.0, 1.0], abs=1e-3) and count < 30


# --- what it costs ---


def test_nothing_is_asked_where_nothing_stands_before():
    assert "reached" not in str(jax.make_jaxpr(ag.convert(steps))(3))


def test_without_lanes_the_condition_is_compiled_away():
    def program(n):
        k = 0
        if n > 0:
            while n != 1:
                n = n // 2 if n % 2 == 0 else 3 * n + 1
                k += 1
        return k

    assert "reached" in str(jax.make_jaxpr(ag.convert(program))(3))
    text = ag.jit(program).lower(3).compile().as_text()
    test = text[text.index("while_cond") if "while_cond" in text else 0 :]
    assert text.count(" while(") == 1 and " and(" not in test.partition("}")[0]


def test_without_checks_nothing_is_asked():
    def consts_of_test():
        jaxpr = jax.make_jaxpr(lambda a: ag.convert(before_a_counted_loop)(a))(3)  # traced anew
        return next(eqn for eqn in jaxpr.eqns if eqn.primitive.name == "while").params["cond_nconsts"]

    assert consts_of_test() == 2  # the end of the range and whether the check holds
    ag.set_checks(False)
    try:
        assert consts_of_test() == 1
    finally:
        ag.set_checks(True)
