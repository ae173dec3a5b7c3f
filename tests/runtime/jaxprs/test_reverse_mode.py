"""Reverse mode through tagged loops: every gradient is compared with that of the unrolled Python loop."""

import os
import subprocess
import sys
import textwrap
import threading
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.extend.core.primitives import while_p

from autograph import jax_internals
from autograph.runtime.jaxprs import checkpointing, linear_loop, reverse_mode

reverse_mode.install()
TRIPS = [0, 1, 5, 64, 65, 300]


def while_loop(test, body, start):
    def ag_while_cond(carry):
        return test(carry)

    return lax.while_loop(ag_while_cond, body, start)


def wave(x, n):
    """A loop with a counter, a bound that is carried, and one float."""
    return while_loop(lambda c: c[0] < c[1], lambda c: (c[0] + 1, c[1], jnp.sin(c[2]) * 0.1 + c[2]), (0, n, x))[2]


def wave_python(x, n):
    for _ in range(int(n)):
        x = jnp.sin(x) * 0.1 + x
    return x


def layers(w, x, n):
    """A closed-over parameter and a vector."""
    return while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, jnp.tanh(w @ c[1])), (0, x))[1].sum()


def layers_python(w, x, n):
    for _ in range(n):
        x = jnp.tanh(w @ x)
    return x.sum()


def close(a, b, **tolerance):
    jax.tree.map(partial(np.testing.assert_allclose, **({"rtol": 2e-5, "atol": 1e-6} | tolerance)), a, b)


# All orders of transforms, once with the same function for every number of iterations.


@pytest.fixture(scope="module")
def gradient():
    return jax.jit(jax.grad(wave))


@pytest.mark.parametrize("n", TRIPS)
def test_gradient_equals_that_of_the_python_loop(gradient, n):
    close(gradient(1.0, n), jax.grad(wave_python)(1.0, n))


@pytest.fixture(scope="module")
def gradient_of_layers():
    return jax.jit(jax.grad(layers, argnums=(0, 1)))


@pytest.mark.parametrize("n", TRIPS)
def test_parameters_closed_over(gradient_of_layers, n):
    w = jnp.asarray(np.random.RandomState(0).randn(3, 3), jnp.float32)
    x = jnp.ones(3)
    scanned = jax.grad(lambda w, x: lax.scan(lambda c, _: (jnp.tanh(w @ c), None), x, None, length=n)[0].sum(), (0, 1))
    close(gradient_of_layers(w, x, n), scanned(w, x))


@pytest.mark.parametrize("n", [0, 1, 5])
@pytest.mark.parametrize(
    "transform",
    [
        lambda f, n: jax.grad(jax.jit(f))(1.0, n),
        lambda f, n: jax.value_and_grad(f)(1.0, n)[1],
        lambda f, n: jax.jacrev(f)(1.0, n),
        lambda f, n: jax.vjp(lambda x: f(x, n), 1.0)[1](1.0)[0],
        lambda f, n: jax.linear_transpose(jax.linearize(lambda x: f(x, n), 1.0)[1], 1.0)(1.0)[0],
        lambda f, n: jax.grad(jax.checkpoint(f))(1.0, n),
    ],
    ids=["grad(jit)", "value_and_grad", "jacrev", "vjp", "linearize", "checkpoint"],
)
def test_first_order_in_every_form(transform, n):
    close(transform(wave, n), jax.grad(wave_python)(1.0, n))


@pytest.mark.slow
@pytest.mark.parametrize(
    "transform",
    [
        lambda f: jax.grad(jax.grad(f)),
        jax.hessian,
        lambda f: jax.grad(jax.jacfwd(f)),
    ],
    ids=["grad(grad)", "hessian", "reverse over forward"],
)
def test_second_order(transform):
    second = jax.jit(transform(wave))
    for n in (0, 5, 40):
        close(second(1.0, n), jax.grad(jax.grad(wave_python))(1.0, n), rtol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("trips", [[4, 4, 4], [0, 3, 70], [64, 1, 33]])
def test_vmap_of_grad_and_grad_of_vmap(trips):
    xs, ns = jnp.array([0.5, 1.0, 1.5]), jnp.array(trips)
    want = jnp.stack([jax.grad(wave_python)(x, n) for x, n in zip(xs, ns, strict=True)])
    close(jax.jit(jax.vmap(jax.grad(wave)))(xs, ns), want)
    close(jax.jit(jax.grad(lambda xs: jax.vmap(wave)(xs, ns).sum()))(xs), want)
    close(jax.vmap(jax.jit(jax.grad(wave)))(xs, ns), want)


def test_vmap_with_a_shared_bound():
    xs = jnp.array([0.5, 1.0])
    close(jax.vmap(jax.grad(wave), in_axes=(0, None))(xs, 40), jnp.stack([jax.grad(wave_python)(x, 40) for x in xs]))


@pytest.mark.slow
def test_gradients_flow_through_a_vmap_in_the_middle():
    def loss(xs):
        return (jax.vmap(jax.grad(wave))(xs, jnp.array([2, 5])) ** 2).sum()

    def loss_python(xs):
        return sum(jax.grad(wave_python)(x, n) ** 2 for x, n in zip(xs, (2, 5), strict=True))

    xs = jnp.array([0.5, 1.0])
    close(jax.jit(jax.grad(loss))(xs), jax.grad(loss_python)(xs), rtol=1e-4)


# Inside other control flow.


def test_inside_scan_cond_and_checkpoint():
    def scanned(x):
        return lax.scan(lambda c, n: (wave(c, n), None), x, jnp.array([0, 3, 40]))[0]

    want = jax.grad(lambda x: wave_python(wave_python(x, 3), 40))(1.0)
    close(jax.jit(jax.grad(scanned))(1.0), want)
    close(jax.jit(jax.grad(jax.checkpoint(scanned)))(1.0), want)

    def chosen(x, n):
        return lax.cond(n > 2, lambda: wave(x, n), lambda: x * 3)

    close(jax.jit(jax.grad(chosen))(1.0, 5), jax.grad(wave_python)(1.0, 5))
    close(jax.jit(jax.grad(chosen))(1.0, 1), 3.0)


def test_inside_another_loop_with_a_branch():
    def nested(x, n):
        def body(c):
            k, x = c
            return k + 1, lax.cond(k % 2 == 0, lambda: wave(x, k), lambda: x * x * 0.5)

        return while_loop(lambda c: c[0] < n, body, (0, x))[1]

    def nested_python(x, n):
        for k in range(n):
            x = wave_python(x, k) if k % 2 == 0 else x * x * 0.5
        return x

    gradient = jax.jit(jax.grad(nested))
    for n in (0, 1, 6):
        close(gradient(1.1, n), jax.grad(nested_python)(1.1, n))


# What a carry may hold.


def test_the_test_depends_on_the_differentiated_value():
    def newton(a):
        return while_loop(lambda x: jnp.abs(x * x - a) > 1e-3, lambda x: 0.5 * (x + a / x), a)

    def newton_python(a):
        x = a
        while abs(x * x - a) > 1e-3:
            x = 0.5 * (x + a / x)
        return x

    for a in (1.0, 2.0, 9.0):  # 1.0 takes no iteration
        close(jax.jit(jax.grad(newton))(a), jax.grad(newton_python)(a))


def test_a_carry_that_starts_at_a_constant_and_an_array_written_in_place():
    def history(x, n):
        def body(c):
            k, total, kept = c
            return k + 1, total + x * k, kept.at[k].set(total * x)

        _, total, kept = while_loop(lambda c: c[0] < n, body, (0, 0.0, jnp.zeros(6)))
        return total + kept.sum()

    def history_python(x, n):
        total, kept = 0.0, []
        for k in range(n):
            total, kept = total + x * k, [*kept, total * x]
        return total + sum(kept)

    for n in (0, 4):
        close(jax.jit(jax.grad(history))(1.5, n), jax.grad(history_python)(1.5, n))


def test_bools_integers_and_random_keys_are_carried():
    def draws(x, n):
        def body(c):
            key, k, positive, x = c
            key, used = jax.random.split(key)
            return key, k + 1, x > 0, jnp.where(positive, x * jax.random.uniform(used), -x)

        return while_loop(lambda c: c[1] < n, body, (jax.random.key(0), jnp.int8(0), False, x))[3]

    def draws_python(x, n):
        key, positive = jax.random.key(0), False
        for _ in range(n):
            key, used = jax.random.split(key)
            positive, x = x > 0, x * jax.random.uniform(used) if positive else -x
        return x

    for n in (0, 5, 40):
        close(jax.jit(jax.grad(draws))(1.5, n), jax.grad(draws_python)(1.5, n))


@pytest.mark.slow
def test_complex_carry():
    def power(z, n):
        c = jnp.asarray(0.1 + 0.2j)

        def body(s):
            return s[0] + 1, s[1] * s[1] + c * z

        return while_loop(lambda s: (s[0] < n) & (jnp.abs(s[1]) < 1e3), body, (0, z))[1]

    def power_python(z, n):
        c, start = jnp.asarray(0.1 + 0.2j), z
        for _ in range(n):
            z = z * z + c * start
        return z

    z = jnp.asarray(0.3 - 0.4j)
    for n in (0, 1, 6):
        close(jax.grad(power, holomorphic=True)(z, n), jax.grad(power_python, holomorphic=True)(z, n))


def test_half_precision_and_a_pytree_of_parameters():
    def loss(params, n):
        def body(c):
            return c[0] + 1, c[1] * params["a"] + params["b"]

        return while_loop(lambda c: c[0] < n, body, (0, jnp.bfloat16(1)))[1].astype(jnp.float32)

    got = jax.grad(loss)({"a": jnp.bfloat16(0.5), "b": jnp.bfloat16(2)}, 3)
    assert got["a"].dtype == got["b"].dtype == jnp.bfloat16
    close(jax.tree.map(float, got), {"a": 4.75, "b": 1.75}, rtol=0.02)


def test_finite_differences():
    """An adaptive loop: the number of iterations does not change near the point."""

    def growth(x):
        return while_loop(lambda c: c[0] < 50.0, lambda c: (c[0] * x + 1.0, c[1] + jnp.cos(c[0])), (x, 0.0))[1]

    with jax.enable_x64(True):
        x, h = jnp.asarray(1.3), 1e-6
        close(jax.grad(growth)(x), (growth(x + h) - growth(x - h)) / (2 * h), rtol=1e-6)


def test_agrees_with_forward_mode_on_long_loops():
    """Far more iterations than slots and blocks: states are dropped and made again."""
    gradient = jax.jit(
        jax.grad(
            lambda x, n: while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, c[1] + 1e-3 * jnp.sin(3 * c[1])), (0, x))[
                1
            ]
        )
    )

    def scanned(x, n):
        return lax.scan(lambda c, _: (c + 1e-3 * jnp.sin(3 * c), None), x, None, length=n)[0]

    for n in (63 * 32, 64 * 32, 64 * 32 + 1, 20_000):
        close(gradient(0.7, n), jax.jit(jax.grad(scanned), static_argnums=1)(0.7, n), rtol=1e-6)


@pytest.mark.parametrize("checkpoints", [1, 2, 3, 8])
def test_few_checkpoints(checkpoints):
    def loop(x, n):
        def test(c):
            return c[0] < n

        test.__name__ = test.__qualname__ = reverse_mode.tag(checkpoints)
        return lax.while_loop(test, lambda c: (c[0] + 1, jnp.sin(c[1]) * 0.1 + c[1]), (0, x))[1]

    gradient = jax.jit(jax.grad(loop))
    scanned = jax.jit(
        jax.grad(lambda x, n: lax.scan(lambda c, _: (jnp.sin(c) * 0.1 + c, None), x, None, length=n)[0]),
        static_argnums=1,
    )
    for n in (31, 32, 33, 64, 65, 321, 1000):
        close(gradient(1.0, n), scanned(1.0, n))


# Values outside of the domain of the body, behind the end of the loop.


def test_the_state_after_the_loop_may_be_out_of_domain():
    def fall(w, x):
        return while_loop(lambda x: x > 0, lambda x: x - jnp.sqrt(x) * w - 0.01, x)

    def fall_python(w, x):
        while x > 0:
            x = x - jnp.sqrt(x) * w - 0.01
        return x

    xs = jnp.array([2.0, -1.0, 0.0, 5.0])  # two lanes take no iteration
    want = [jax.grad(fall_python, (0, 1))(1.0, float(x)) for x in xs]
    want_w, want_x = sum(w for w, _ in want), jnp.stack([x for _, x in want])
    close(jax.jit(jax.vmap(jax.grad(fall, (0, 1)), (None, 0)))(1.0, xs), (jnp.stack([w for w, _ in want]), want_x))
    close(jax.jit(jax.grad(lambda w, xs: jax.vmap(fall, (None, 0))(w, xs).sum(), (0, 1)))(1.0, xs), (want_w, want_x))


# What stays as it is.


def test_other_loops_keep_the_error_of_jax():
    def other(x):
        return lax.while_loop(lambda c: c < 5, lambda c: c * 2, x)

    with pytest.raises(ValueError, match="Reverse-mode differentiation does not work for lax.while_loop"):
        jax.grad(other)(1.0)


def test_the_forward_program_is_the_plain_one():
    def program(name):
        def test(c):
            return c[0] < c[1]

        test.__name__ = test.__qualname__ = name

        def power(x, n):
            return lax.while_loop(test, lambda c: (c[0] + 1, c[1], c[2] * x), (0, n, x))[2]

        return jax.jit(power).lower(1.0, 3).as_text()

    assert program(reverse_mode.TAG) == program("anything")


def test_prints_happen_once(capfd):
    def loop(x, n):
        def body(c):
            jax.debug.print("turn {}", c[0])
            return c[0] + 1, lax.cond(c[0] > 0, lambda: (jax.debug.print("branch"), c[1] * c[1])[1], lambda: c[1])

        return while_loop(lambda c: c[0] < n, body, (0, x))[1]

    assert jax.jit(jax.grad(loop))(2.0, 2) == 4.0
    jax.effects_barrier()
    assert sorted(capfd.readouterr().out.split("\n")) == ["", "branch", "turn 0", "turn 1"]


def test_install_is_idempotent_and_safe_in_threads():
    before = jax_internals.TRANSPOSES[while_p]
    threads = [threading.Thread(target=reverse_mode.install) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert jax_internals.TRANSPOSES[while_p] is before
    assert not isinstance(before.original, type(before))


def test_without_the_private_names_jax_raises_its_own_error(monkeypatch):
    monkeypatch.setitem(jax_internals.TRANSPOSES, while_p, jax_internals.TRANSPOSES[while_p].original)
    with monkeypatch.context() as patch:
        patch.setattr(jax_internals, "TRANSPOSES", None)
        assert not reverse_mode.install()
        with pytest.raises(ValueError, match="Reverse-mode differentiation does not work"):
            jax.grad(wave)(1.0, 3)
        assert jax.jvp(lambda x: wave(x, 3), (1.0,), (1.0,))[1] > 0


# Cost.


def test_light_iterations_have_long_blocks_and_large_states_fewer_slots():
    def plan(body, start, checkpoints=None):
        body_jaxpr = jax.make_jaxpr(body)(start)
        cond_jaxpr = jax.make_jaxpr(lambda x: x.sum() < 5)(start)
        loop = linear_loop.Loop([start], cond_jaxpr=cond_jaxpr, cond_nconsts=0, body_jaxpr=body_jaxpr, body_nconsts=0)
        return checkpointing.Plan.of(loop, checkpoints)

    assert plan(jnp.sin, jnp.ones(3)) == (checkpointing.LIGHT_BLOCK, checkpointing.MOST_SLOTS)
    assert plan(jnp.sin, jnp.ones(1 << 20)) == (checkpointing.HEAVY_BLOCK, 16)
    assert plan(lambda x: wave(x.sum(), 3) * x, jnp.ones(3)).block == checkpointing.HEAVY_BLOCK
    assert plan(lambda x: x @ x, jnp.ones((32, 32))).block == checkpointing.HEAVY_BLOCK
    assert plan(jnp.sin, jnp.ones(3), checkpoints=5).slots == 6


def test_arrays_of_unknown_size_are_differentiated():
    def shrunk(x):
        return while_loop(lambda x: x @ x > 1, lambda x: x * 0.5, x).sum()

    (n,) = jax.export.symbolic_shape("n")
    gradient = jax.jit(jax.grad(shrunk))
    exported = jax.export.export(gradient)(jax.ShapeDtypeStruct((n,), "float32"))
    x = jnp.array([3.0, 4.0])
    np.testing.assert_allclose(exported.call(x), gradient(x))


def test_gradient_holds_no_array_that_grows_with_the_number_of_iterations():
    jaxpr = jax.make_jaxpr(jax.grad(wave))(1.0, 1_000_000)
    sizes = []

    def visit(jaxpr):
        for eqn in jaxpr.eqns:
            sizes.extend(v.aval.size for v in eqn.outvars)
            for inner in jax.tree.leaves(eqn.params, is_leaf=lambda p: hasattr(p, "eqns") or hasattr(p, "jaxpr")):
                if hasattr(inner, "jaxpr") or hasattr(inner, "eqns"):
                    visit(getattr(inner, "jaxpr", inner))

    visit(jaxpr.jaxpr)
    assert max(sizes) == checkpointing.MOST_SLOTS + 1


# Several devices: a process of its own, because the number of devices is fixed when JAX starts.

DEVICES = """
    import jax, jax.numpy as jnp, numpy as np
    from jax import lax
    from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
    from autograph.runtime.jaxprs import reverse_mode

    reverse_mode.install()

    def ag_while_cond(c):
        return c[0] < c[1]

    def loop(w, x, n):
        body = lambda c: (c[0] + 1, c[1], jnp.sin(w * c[2]))
        return lax.while_loop(ag_while_cond, body, (jnp.zeros_like(n), n, x))[2]

    def python(w, x, n):
        for _ in range(n):
            x = jnp.sin(w * x)
        return x

    xs, ns = jnp.linspace(0.5, 1.5, 4), jnp.array([0, 3, 40, 7])
    pairs = [jax.grad(python, (0, 1))(1.1, float(x), int(n)) for x, n in zip(xs, ns)]
    want = sum(w for w, _ in pairs), jnp.stack([x for _, x in pairs])

    mesh = jax.make_mesh((4,), ("i",), axis_types=(AxisType.Auto,))
    local = jax.shard_map(lambda w, x, n: loop(w, x[0], n[0])[None], mesh=mesh,
                          in_specs=(P(), P("i"), P("i")), out_specs=P("i"))
    got = jax.jit(jax.grad(lambda w, x: local(w, x, ns).sum(), (0, 1)))(1.1, xs)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5), got, want)

    want = jax.grad(lambda w, x: python(w, x, 40).sum(), (0, 1))(1.1, xs)
    for kind in (AxisType.Auto, AxisType.Explicit):
        mesh = jax.make_mesh((4,), ("i",), axis_types=(kind,))
        with jax.set_mesh(mesh):
            sharded = jax.device_put(xs, NamedSharding(mesh, P("i")))
            got = jax.jit(jax.grad(lambda w, x: loop(w, x, 40).sum(), (0, 1)))(1.1, sharded)
        jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5), got, want)
    print("done")
"""


@pytest.mark.slow
@pytest.mark.skipif(jax.__version_info__ < (0, 9), reason="ShardingTypeError of JAX's: docs/limits.md, Which versions")
def test_devices_that_take_different_numbers_of_iterations():
    flags = {"XLA_FLAGS": "--xla_force_host_platform_device_count=4", "JAX_PLATFORMS": "cpu"}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(DEVICES)],
        env=os.environ | flags,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.stdout == "done\n", done.stderr
