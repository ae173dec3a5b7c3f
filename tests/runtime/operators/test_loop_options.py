"""What `set_loop_options` changes in the program, and that it changes no result."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag


def scan_of(fn, *args):
    return next(e for e in jax.make_jaxpr(ag.convert(fn))(*args).jaxpr.eqns if e.primitive.name == "scan")


def total(xs):
    s = 0.0
    for x in xs:
        ag.set_loop_options(unroll=2)
        s = s + x * x
    return s


def power(x, n):
    y = 1.0
    while n > 0:
        ag.set_loop_options(checkpoints=4, maximum_iterations=100)
        y = y * x
        n = n - 1
    return y


def test_unroll():
    xs = jnp.arange(5.0)
    assert scan_of(total, xs).params["unroll"] == 2
    np.testing.assert_allclose(ag.jit(total)(xs), total(xs))


def test_checkpoints_reach_the_gradient_and_change_nothing():
    loop = next(e for e in jax.make_jaxpr(ag.convert(power))(2.0, 3).jaxpr.eqns if e.primitive.name == "while")
    assert loop.params["cond_jaxpr"].jaxpr.debug_info.func_src_info.startswith("ag_while_cond_4")
    np.testing.assert_allclose(ag.jit(power)(1.5, 9), power(1.5, 9), rtol=1e-6)
    np.testing.assert_allclose(jax.jit(jax.grad(ag.convert(power)))(1.5, 9), 9 * 1.5**8, rtol=1e-5)


def sum_until(x):
    y = 0.0
    before = ""
    for i in range(500):
        ag.set_loop_options(checkpoints=4, maximum_iterations=500)
        if before != "" and before * i > 100.0:
            break
        before = x
        y = y + x
    return y


def test_options_hold_for_what_is_left_where_the_first_iteration_runs_in_python():
    loop = next(e for e in jax.make_jaxpr(ag.convert(sum_until))(2.0).jaxpr.eqns if e.primitive.name == "while")
    assert loop.params["cond_jaxpr"].jaxpr.debug_info.func_src_info.startswith("ag_while_cond_4")
    assert ag.jit(sum_until)(2.0) == sum_until(2.0)


# --- unroll=True | False of loops over Python numbers ---


def primitives(fn, *args):
    return [e.primitive.name for e in jax.make_jaxpr(ag.convert(fn))(*args).jaxpr.eqns]


def short_for(x):
    s = 0.0
    for i in range(3):
        ag.set_loop_options(unroll=False)
        s += x[i]
    return s


def short_while(x):
    s, i = 0.0, 0
    while i < 3:
        ag.set_loop_options(unroll=False)
        s += x[i]
        i += 1
    return s, i


def short_with_a_break(x):
    s = 0.0
    for i in range(20):
        ag.set_loop_options(unroll=False)
        if i * i > 9:
            break
        s += x[i % 4]
    return s, i


def ends_at_once(x):
    for i in range(20):
        ag.set_loop_options(unroll=False)
        if i >= 0:
            return x[i]
    return x[0]


def no_iteration(x):
    for i in range(0):
        ag.set_loop_options(unroll=False)
        x = x * i
    for y in []:
        ag.set_loop_options(unroll=False)
        x = x * y
    return x


def of_numbers_alone(x):
    n = 1
    for _ in range(10):
        ag.set_loop_options(unroll=False)
        n *= 2
    return x * n


def traced_after_an_iteration(x):
    s, goes_on = 0.0, True
    while goes_on:
        ag.set_loop_options(unroll=False)
        s += x.sum()
        goes_on = s < 20
    return s


@pytest.mark.parametrize(
    ("fn", "loops"),
    [(short_for, ["scan"]), (short_while, ["scan"]), (short_with_a_break, ["scan"]), (ends_at_once, []), (no_iteration, []),
     (of_numbers_alone, ["scan"]), (traced_after_an_iteration, ["while"])],
)  # fmt: skip
def test_one_loop_is_asked_for(fn, loops):
    x = jnp.arange(4.0)
    assert [name for name in primitives(fn, x) if name in ("scan", "while")] == loops
    jax.tree.map(np.testing.assert_array_equal, ag.jit(fn)(x), fn(x))


def long_for(x):
    s = 0.0
    for i in range(100):
        ag.set_loop_options(unroll=True)
        s += x[i % 4]
    return s


def long_while(x):
    s, i = 0.0, 0
    while i < 100:
        ag.set_loop_options(unroll=True)
        s += x[i % 4]
        i += 1
    return s, i


def long_with_a_break(x):
    s = 0.0
    for i in range(1000):
        ag.set_loop_options(unroll=True)
        if i * i > 2000:
            break
        s += x[i % 4]
    return s, i


@pytest.mark.parametrize("fn", [long_for, long_while, long_with_a_break])
def test_copies_are_asked_for(fn):
    x = jnp.arange(4.0)
    found = primitives(fn, x)
    assert found.count("add") > 40 and not {"scan", "while"} & set(found)
    jax.tree.map(np.testing.assert_array_equal, ag.jit(fn)(x), fn(x))


def key_of_a_dict(x):
    found = {}
    for i in range(20):
        ag.set_loop_options(unroll=False)
        found[i] = x
    return found


def key_in_a_while(x):
    found, i = {}, 0
    while i < 20:
        ag.set_loop_options(unroll=False)
        found[i] = x
        i += 1
    return found


def list_that_shrinks(x):
    todo = [1, 2, 3]
    while todo:
        ag.set_loop_options(unroll=False)
        x = x * todo.pop()
    return x


def over_strings(x):
    for name in ["a", "b"]:
        ag.set_loop_options(unroll=False)
        x = x + len(name)
    return x


def over_strings_until(x):
    for name in ["a", "b"]:
        ag.set_loop_options(unroll=False)
        x = x + len(name)
        if name == "b":
            break
    return x


def array_that_grows(xs):
    ys = jnp.zeros(0)
    for x in xs:
        ag.set_loop_options(unroll=False)
        ys = jnp.concatenate([ys, x[None]])
    return ys


@pytest.mark.parametrize(
    ("fn", "reason"),
    [(key_of_a_dict, "a key of a dict is written"), (key_in_a_while, "cannot be staged: .*a key of a dict is written"),
     (list_that_shrinks, "the contents of a list cannot be carried"), (over_strings, "it runs over a list"),
     (over_strings_until, "it runs over a list"), (array_that_grows, "variable 'ys' cannot be carried")],
)  # fmt: skip
def test_the_error_says_what_is_in_the_way_of_one_loop(fn, reason):
    with pytest.raises(ag.StagingError, match=reason) as refused:
        ag.jit(fn)(jnp.arange(4.0))
    assert refused.value.location.filename == __file__
