"""JAX's own transformations and control flow, handed functions of the user's that branch and loop."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import autograph as ag
from tests.frameworks.harness import is_ours, program

X = jnp.array([1.5, -2.0, 0.5, 3.0])


def leaky(x):
    if x > 0:
        return x * x
    return 0.1 * x


def total(v):
    s = 0.0
    for x in v:
        if x < 0:
            continue
        s = s + leaky(x)
    return s


def scaled(params, x):
    y = params["w"] * x + params["b"]
    if jnp.max(y) > 2.0:
        y = y / jnp.max(y)
    return jnp.sum(y)


PARAMS = {"w": jnp.array(2.0), "b": jnp.array(-0.5)}


@program
def test_grad_outside(jit):
    return [jit(jax.grad(leaky))(x) for x in (2.0, -2.0)]


@program
def test_value_and_grad_outside(jit):
    return jit(jax.value_and_grad(total))(X)


@program
def test_value_and_grad_with_auxiliary_values(jit):
    def loss(params, x):
        value = scaled(params, x)
        if value > 1.0:
            kind = 1
        else:
            kind = 0
        return value, kind

    return [jit(jax.value_and_grad(loss, has_aux=True))(PARAMS, k * X) for k in (0.1, 1.0)]


@program(reference=lambda: jnp.stack([leaky(x) for x in X]))
def test_vmap_outside(jit):
    return jit(jax.vmap(leaky))(X)


@program(reference=lambda: [jnp.stack([scaled(PARAMS, k * X) for k in (0.1, 1.0)])])
def test_vmap_with_axes(jit):
    return [jit(jax.vmap(scaled, in_axes=(None, 0)))(PARAMS, jnp.stack([0.1 * X, X]))]


@program(reference=lambda: jnp.stack([jax.grad(leaky)(x) for x in X]))
def test_vmap_of_grad_outside(jit):
    return jit(jax.vmap(jax.grad(leaky)))(X)


@program
def test_checkpoint(jit):
    return [jit(jax.grad(lambda x: jax.checkpoint(leaky)(jnp.sin(x))))(x) for x in (1.0, -1.0)]


@jax.checkpoint
def block(x):
    if jnp.sum(x) > 1.0:
        x = jnp.tanh(x)
    return x


@program(reference=lambda: [jax.grad(lambda x: jnp.sum(jnp.tanh(jnp.tanh(x)) if k else x**1))(X) for k in (True,)])
def test_checkpoint_as_a_decorator(jit):
    return [jit(jax.grad(lambda x: jnp.sum(block(block(x)))))(X)]


@jax.custom_vjp
def clipped(x, limit):
    if x > limit:
        return limit
    return x


def clipped_forward(x, limit):
    return clipped(x, limit), (x, limit)


def clipped_backward(kept, g):
    x, limit = kept
    if x > limit:
        g = 0.5 * g
    return g, None


clipped.defvjp(clipped_forward, clipped_backward)


@program(reference=lambda: [(jnp.float32(1.0), 0.5), (jnp.float32(0.5), 1.0)])
def test_custom_vjp(jit):
    return [jit(lambda x: (clipped(x, 1.0), jax.grad(clipped)(x, 1.0)))(x) for x in (2.0, 0.5)]


@jax.custom_jvp
def safe_log(x):
    if x > 0:
        return jnp.log(x)
    return -100.0


@safe_log.defjvp
def safe_log_jvp(primals, tangents):
    (x,), (dx,) = primals, tangents
    if x > 0:
        return safe_log(x), dx / x
    return safe_log(x), jnp.zeros_like(dx)


@program(reference=lambda: [(jnp.log(2.0), 0.5), (-100.0, 0.0)])
def test_custom_jvp(jit):
    return [jit(lambda x: (safe_log(x), jax.grad(safe_log)(x)))(x) for x in (2.0, -1.0)]


@program(reference=lambda: total(X))
def test_scan(jit):
    def step(s, x):
        if x < 0:
            return s, s
        return s + leaky(x), s

    return jit(lambda v: lax.scan(step, 0.0, v)[0])(X)


@program(reference=lambda: total(X))
def test_fori_loop(jit):
    def body(i, s):
        if X[i] < 0:
            return s
        return s + leaky(X[i])

    return jit(lambda n: lax.fori_loop(0, n, body, 0.0))(4)


@program
def test_while_loop(jit):
    def test(state):
        x, n = state
        if n > 10:
            return False
        return x < 100.0

    def body(state):
        x, n = state
        if n % 2 == 0:
            x = 3 * x
        return x + 1, n + 1

    if is_ours(jit):
        return [jit(lambda x: lax.while_loop(test, body, (x, 0)))(x) for x in (1.0, 99.0)]
    out = []
    for x in (1.0, 99.0):
        state = x, 0
        while test(state):
            state = body(state)
        out.append(state)
    return out


@program(reference=lambda: [leaky(1.5) + 1, leaky(-1.5) + 1])
def test_cond(jit):
    return [jit(lambda x: lax.cond(x > 1, lambda y: leaky(y) + 1, lambda y: leaky(y) + 1, x))(x) for x in (1.5, -1.5)]


@program(reference=lambda: [leaky(x) * k for x in (2.0, -2.0) for k in (1, 2)])
def test_switch(jit):
    branches = [lambda x: leaky(x), lambda x: 2 * leaky(x)]
    return [jit(lambda k, x: lax.switch(k, branches, x))(k, x) for x in (2.0, -2.0) for k in (0, 1)]


@program(reference=lambda: jnp.stack([leaky(x) for x in X]))
def test_map(jit):
    return jit(lambda v: lax.map(leaky, v))(X)


@program(reference=lambda: lax.associative_scan(jnp.maximum, X))
def test_associative_scan(jit):
    def larger(a, b):
        return jax.vmap(lambda a, b: a if a > b else b)(a, b)

    return jit(lambda v: lax.associative_scan(larger, v))(X)


def newton(f, x):
    for _ in range(30):
        if jnp.abs(f(x)) < 1e-6:
            break
        x = x - f(x) / jax.grad(f)(x)
    return x


@program(reference=lambda: [(jnp.sqrt(k), 0.5 / jnp.sqrt(k)) for k in (2.0, 9.0)])
def test_custom_root(jit):
    def root(k):
        def f(x):
            if x < 0:
                return -k - x
            return x * x - k

        return lax.custom_root(f, 1.0, newton, lambda g, y: y / g(1.0))

    return [jit(lambda k: (root(k), jax.grad(root)(k)))(k) for k in (2.0, 9.0)]


@program
def test_pure_callback(jit):
    """The function of a callback runs in NumPy, when the program runs."""

    def sorted_sum(x):
        s = np.float32(0)
        for v in np.sort(x):
            if v > 1:
                break
            s += v
        return s

    def run(x):
        y = jax.pure_callback(sorted_sum, jax.ShapeDtypeStruct((), jnp.float32), x)
        if y < -1:
            y = -y
        return y

    return [jit(run)(x) for x in (X, -X)]


def normalised(x):
    top = jnp.max(x)
    if top > 1.0:
        x = x / top
    return x


@program(reference=lambda: [normalised(X), normalised(jnp.arange(7.0))])
def test_export_with_symbolic_shapes(jit):
    (n,) = jax.export.symbolic_shape("n")
    exported = jax.export.export(jit(normalised))(jax.ShapeDtypeStruct((n,), jnp.float32))
    return [exported.call(X), exported.call(jnp.arange(7.0))]


def summed(x):
    s = 0.0
    for i in range(x.shape[0]):
        if x[i] > 0:
            s = s + x[i]
    return s


@program(reference=lambda: [summed(X), summed(jnp.arange(7.0))])
def test_a_loop_over_a_symbolic_size(jit):
    (n,) = jax.export.symbolic_shape("n")
    exported = jax.export.export(jit(summed))(jax.ShapeDtypeStruct((n,), jnp.float32))
    return [exported.call(X), exported.call(jnp.arange(7.0))]


@program(reference=lambda: [total(X), total(jnp.arange(7.0))])
def test_a_loop_over_a_symbolic_axis(jit):
    (n,) = jax.export.symbolic_shape("n")
    exported = jax.export.export(jit(total))(jax.ShapeDtypeStruct((n,), jnp.float32))
    return [exported.call(X), exported.call(jnp.arange(7.0))]


def long(x):
    """A question about a size that is not known."""
    if len(x) > 5:
        return jnp.sum(x)
    return jnp.max(x)


@program(reference=lambda: [long(X), long(jnp.arange(7.0))])
def test_a_test_of_a_symbolic_size(jit):
    (n,) = jax.export.symbolic_shape("n")
    exported = jax.export.export(jit(long))(jax.ShapeDtypeStruct((n,), jnp.float32))
    return [exported.call(X), exported.call(jnp.arange(7.0))]


@program(reference=lambda: jnp.stack([leaky(x) for x in X]))
def test_pallas(jit):
    pallas = pytest.importorskip("jax.experimental.pallas")

    def kernel(x_ref, o_ref):
        i = pallas.program_id(0)
        x = x_ref[i]
        if x > 0:
            o_ref[i] = x * x
        else:
            o_ref[i] = 0.1 * x

    @jit
    def run(x):
        return pallas.pallas_call(
            kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), grid=(x.shape[0],), interpret=True
        )(x)

    return run(X)


@program(reference=lambda: jnp.stack([collatz(n) for n in (1, 6, 7, 9)]))
def test_a_while_loop_in_pallas(jit):
    pallas = pytest.importorskip("jax.experimental.pallas")

    def kernel(x_ref, o_ref):
        i = pallas.program_id(0)
        o_ref[i] = collatz(x_ref[i])

    @jit
    def run(x):
        out = jax.ShapeDtypeStruct(x.shape, x.dtype)
        return pallas.pallas_call(kernel, out_shape=out, grid=(x.shape[0],), interpret=True)(x)

    return run(jnp.array([1, 6, 7, 9]))


def collatz(n):
    steps = jnp.int32(0)
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@program(reference=lambda: normalised(X))
def test_shard_map(jit):
    mesh = jax.make_mesh((1,), ("d",), axis_types=(jax.sharding.AxisType.Auto,))
    spec = jax.sharding.PartitionSpec("d")
    return jit(jax.shard_map(normalised, mesh=mesh, in_specs=spec, out_specs=spec))(X)


@program(reference=lambda: (total(X), jnp.array([0.0, 1.0, 0.0, 0.0])))
def test_refs(jit):
    @jit
    def run(v):
        kept = jax.new_ref(jnp.zeros(4))
        s = 0.0
        for i in range(4):
            if v[i] < 0:
                kept[i] = 1.0
            else:
                s = s + leaky(v[i])
        return s, kept[...]

    return run(X)


@program
def test_partial(jit):
    return [jit(functools.partial(scaled, PARAMS))(k * X) for k in (0.1, 1.0)]


@program
def test_jit_of_jit(jit):
    inner = jax.jit(leaky) if is_ours(jit) else leaky
    return [jit(lambda x: inner(x) + inner(-x))(x) for x in (2.0, -2.0)]


@program
def test_linearize_and_vjp(jit):
    @jit
    def run(x):
        y, push = jax.linearize(leaky, x)
        z, pull = jax.vjp(leaky, x)
        return y, push(1.0), z, pull(2.0)[0]

    return [run(x) for x in (2.0, -2.0)]


@pytest.mark.slow
@program
def test_jacobian_and_hessian(jit):
    def f(v):
        if v[0] > 0:
            return v[0] * v[1] ** 2
        return v[1] * v[0]

    return [jit(lambda v: (jax.jacobian(f)(v), jax.hessian(f)(v)))(jnp.array(v)) for v in ([1.0, 2.0], [-1.0, 2.0])]


@program(reference=lambda: [normalised(X), jnp.zeros_like(X)])
def test_eval_shape_of_a_function(jit):
    @jit
    def run(x):
        shape = jax.eval_shape(normalised, x)
        out = jnp.zeros(shape.shape, shape.dtype)
        if x[0] > 0:
            out = normalised(x)
        return out

    return [run(X), run(-X)]


def test_under_a_jit_of_jax():
    """The converted function is an ordinary one: JAX's transformations take it."""
    run = jax.jit(jax.vmap(jax.grad(ag.convert(leaky))))
    np.testing.assert_allclose(run(X), [jax.grad(leaky)(x) for x in X])
