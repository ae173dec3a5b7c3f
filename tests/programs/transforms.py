"""Converted programs under `grad`, `vmap`, `jvp`, `scan`, `checkpoint` and their nestings."""

import jax
import jax.numpy as jnp
from jax import lax

from tests.programs.harness import floats, program


def leaky(x):
    if x > 0:
        return x * x
    return 0.1 * x


def series(x, n):
    s = 0.0
    for k in range(n):
        if k % 2 == 0:
            s = s + x**k
        else:
            s = s - x
    return s


@program((2.0,), (-2.0,), transforms=("vmap", "eager", "grad", "jvp", "jaxpr"))
def all_transforms_of_branch(x):
    if x > 0:
        y = jnp.sin(x)
    else:
        y = x * x * x
    return y


@program((floats(1, -2, 3),), (floats(-1, 2, 0.5),), transforms=("vmap", "grad", "jvp"), slow=True)
def all_transforms_of_scan(v):
    s = 0.0
    for x in v:
        if x > 0:
            s = s + x * x
        else:
            s = s - x
    return s


@program((1.5,), (0.25,), transforms=("vmap", "jvp"))
def all_transforms_of_while(x):
    n = 0
    while x < 4.0:
        x = x * 1.5
        n += 1
    return x * n


@program((2.0,), (-2.0,))
def grad_inside(x):
    return jax.grad(leaky)(x)


@program((2.0,), (-2.0,))
def second_derivative(x):
    def cube(y):
        if y > 0:
            return y * y * y
        return y * y

    return jax.grad(jax.grad(cube))(x)


@program((floats(1, -2, 3),), reference=lambda v: jnp.stack([jax.grad(leaky)(x) for x in v]))
def vmap_of_grad(v):
    return jax.vmap(jax.grad(leaky))(v)


@program((floats(1, -2, 3),), reference=lambda v: jnp.stack([jax.grad(leaky)(x) for x in v]))
def grad_of_vmap(v):
    return jax.grad(lambda w: jax.vmap(leaky)(w).sum())(v)


@program((floats(1, -2, 3),), reference=lambda v: jnp.stack([jax.grad(leaky)(x) for x in v]))
def grad_of_vmap_of_jit(v):
    return jax.grad(lambda w: jax.vmap(jax.jit(leaky))(w).sum())(v)


@program((2.0, 4), (0.5, 3), static=(1,))
def grad_of_static_loop(x, n):
    return jax.grad(series)(x, n)


@program((2.0,), (-0.5,))
def hessian_inside(x):
    def f(w):
        if w[0] > 0:
            return w[0] * w[1] * w[1]
        return w[1] * w[0]

    return jax.hessian(f)(jnp.stack([x, x + 1.0]))


@program((2.0,), (-0.5,))
def jvp_inside(x):
    return jax.jvp(leaky, (x,), (1.0,))


@program((floats(1, -2, 3),), interpreted=True)
def scan_with_return_inside(v):
    def step(c, x):
        if x < 0:
            return c, x
        c = c + x
        return c, c

    return lax.scan(step, 0.0 * v[0], v)


def three_layers(x):
    for _ in range(3):
        x = jnp.tanh(x) + 1.0 if x > 0 else x * 0.5
    return x


@program((2.0,), (-0.5,), transforms=("grad",), reference=three_layers)
def checkpoint_in_static_loop(x):
    @jax.checkpoint
    def layer(h):
        if h > 0:
            return jnp.tanh(h) + 1.0
        return h * 0.5

    for _ in range(3):
        x = layer(x)
    return x


@program(
    (floats(1, -2, 3), 2),
    (floats(1, -2, 3), 0),
    reference=lambda v, n: v if n == 0 else jnp.array([1.0, -0.02, 81.0]),
)
def vmap_inside_traced_loop(v, n):
    while n > 0:
        v = jax.vmap(leaky)(v)
        n -= 1
    return v


@program((floats([1, 2], [3, -4]),), reference=lambda m: jnp.stack([jnp.stack([leaky(x) for x in row]) for row in m]))
def vmap_of_vmap(m):
    return jax.vmap(jax.vmap(leaky))(m)


@program((floats(1, -2, 3), 2.0), reference=lambda v, k: jnp.where(v > k - 2.0, v * k, v))
def vmap_with_in_axes(v, k):
    def f(x, t):
        if x > t - 2.0:
            return x * t
        return x

    return jax.vmap(f, in_axes=(0, None))(v, k)


@program((floats(1, 5, 30),), reference=lambda v: jnp.array([0, 3, 5]))
def vmap_of_while_with_different_counts(v):
    def halvings(x):
        n = 0
        while x > 1.0:
            x = x / 2.0
            n += 1
        return n

    return jax.vmap(halvings)(v)


@program((floats(1, 5, 30),), reference=lambda v: jnp.array([2, 3, -1]))
def vmap_of_loop_with_early_return(v):
    def f(x):
        for k in range(6):
            if k * k > x:
                return k
        return -1

    return jax.vmap(f)(v)


@program((floats(0.5, -1), floats(1, 2)))
def gradient_descent(w, target):
    def loss(p):
        d = p - target
        return (d * d).sum()

    for _ in range(5):
        w = w - 0.25 * jax.grad(loss)(w)
    return w


@program((floats(0.5, -1), floats(1, 2)))
def gradient_descent_until_converged(w, target):
    def loss(p):
        d = p - target
        return (d * d).sum()

    steps = 0
    while loss(w) > 1e-3 and steps < 50:
        w = w - 0.25 * jax.grad(loss)(w)
        steps += 1
    return w, steps


@program((2.0,), (-2.0,))
def stop_gradient_branch(x):
    def f(y):
        if lax.stop_gradient(y) > 0:
            return y * 3.0
        return y * y

    return jax.grad(f)(x)


@program((2.0,), (-2.0,))
def custom_jvp_inside(x):
    @jax.custom_jvp
    def f(y):
        if y > 0:
            return y * y
        return y

    @f.defjvp
    def f_jvp(primals, tangents):
        (y,), (t,) = primals, tangents
        return f(y), 5.0 * t

    return f(x), jax.grad(f)(x)


@program((floats(3, 4),))
def jacobian(v):
    def f(w):
        if w[0] > 0:
            return jnp.stack([w[0] * w[1], w[0]])
        return w

    return jax.jacfwd(f)(v), jax.jacrev(f)(v)


@program((floats(3, 4),))
def linearize_inside(v):
    def f(w):
        if w[0] > 3.5:
            return w * 2.0
        return w * w

    y, push = jax.linearize(f, v)
    return y, push(v)


@program((2.0,), (-2.0,), reference=lambda x: x * 0 + 1.0)
def eval_shape_inside(x):
    def f(y):
        if y > 0:
            return y
        return -y

    return x * len(jax.eval_shape(f, x).shape) + 1.0
