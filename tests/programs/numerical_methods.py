"""Numerical methods as a stranger would write them: iterations that stop when they have converged."""

import jax
import jax.numpy as jnp

from tests.programs.harness import floats, program


@program((2.0,), (10.0,), (0.5,), transforms=("vmap",))
def secant_method(a):
    x0, x1 = 0.5, 1.0 + a
    for _ in range(30):
        f0, f1 = x0 * x0 - a, x1 * x1 - a
        if abs(f1) < 1e-5 or abs(f1 - f0) < 1e-12:
            break
        x0, x1 = x1, x1 - f1 * (x1 - x0) / (f1 - f0)
    return x1


@program((1.0, 0.5), (9.0, 0.9))
def armijo_line_search(x, c):
    def f(v):
        return (v - 1.5) ** 2 + 0.5 * v

    g = jax.grad(f)(x)
    step = 1.0
    while f(x - step * g) > f(x) - c * step * g * g:
        step = step * 0.5
        if step < 1e-6:
            break
    return x - step * g, step


@program((1.0,), (2.0,))
def adaptive_euler(y):
    t, h = 0.0, 0.5
    accepted = rejected = 0
    while t < 1.0:
        if t + h > 1.0:
            h = 1.0 - t
        full = y + h * (-2.0 * y)
        half = y + 0.5 * h * (-2.0 * y)
        two = half + 0.5 * h * (-2.0 * half)
        error = abs(two - full)
        if error < 0.02:
            t = t + h
            y = two
            accepted += 1
            if error < 0.005:
                h = h * 1.5
        else:
            h = h * 0.5
            rejected += 1
    return y, accepted, rejected


@program((floats([2, 1], [1, 3]),), (floats([4, 0], [0, 1]),))
def power_iteration(m):
    v = jnp.ones(2)
    old = 0.0
    for _ in range(50):
        w = m @ v
        value = jnp.max(jnp.abs(w))
        v = w / value
        if abs(value - old) < 1e-5:
            break
        old = value
    return value, v


@program((floats([4, 1], [1, 3]), floats(1, 2)), (floats([1, 0], [0, 1]), floats(0, 0)))
def conjugate_gradient(a, b):
    x = jnp.zeros_like(b)
    r = b - a @ x
    p = r
    rs = r @ r
    iterations = 0
    while rs > 1e-8 and iterations < 10:
        ap = a @ p
        alpha = rs / (p @ ap)
        x = x + alpha * p
        r = r - alpha * ap
        new = r @ r
        p = r + (new / rs) * p
        rs = new
        iterations += 1
    return x, iterations


@program((0.3, 0.5), (-0.5, 0.5), (2.0, 2.0), transforms=("vmap",))
def mandelbrot_point(re, im):
    x = y = 0.0
    n = 0
    while n < 20:
        if x * x + y * y > 4.0:
            break
        x, y = x * x - y * y + re, 2.0 * x * y + im
        n += 1
    return n


@program((5,), (40,))
def random_walk_until_exit(limit):
    key = jax.random.key(3)
    position = 0
    steps = 0
    while abs(position) < 4 and steps < limit:
        key, sub = jax.random.split(key)
        if jax.random.bernoulli(sub):
            position += 1
        else:
            position -= 1
        steps += 1
    return position, steps


@program((10,), (25,))
def simulated_annealing(n):
    key = jax.random.key(0)
    x, temperature = 3.0, 1.0
    energy = (x - 1.0) ** 2
    for _ in range(n):
        key, k1, k2 = jax.random.split(key, 3)
        candidate = x + jax.random.normal(k1) * temperature
        e = (candidate - 1.0) ** 2
        if e < energy or jax.random.uniform(k2) < jnp.exp((energy - e) / temperature):
            x, energy = candidate, e
        temperature *= 0.9
    return x, energy


@program((floats(0, 1, 10, 11), 0.0, 10.0), (floats(0, 1, 2, 30), 0.0, 1.0))
def k_means_one_dimension(points, a, b):
    iterations = 0
    while True:
        near = jnp.abs(points - a) < jnp.abs(points - b)
        new_a = (points * near).sum() / jnp.maximum(near.sum(), 1)
        new_b = (points * ~near).sum() / jnp.maximum((~near).sum(), 1)
        iterations += 1
        if abs(new_a - a) + abs(new_b - b) < 1e-4 or iterations >= 20:
            break
        a, b = new_a, new_b
    return new_a, new_b, iterations


@program((floats(1, 2, 4, 8), 3.0), (floats(1, 2, 4, 8), 100.0))
def linear_interpolation_search(xs, x):
    i = 0
    while i < len(xs) - 2 and xs[i + 1] < x:
        i += 1
    t = (x - xs[i]) / (xs[i + 1] - xs[i])
    if t > 1.0:
        t = jnp.float32(1.0)
    return i, t


@program((2.0,), (5.0,))
def simpson_refinement(b):
    def f(x):
        return x * x * x

    n = 2
    old = -1.0
    while True:
        h = b / n
        s = f(0.0) + f(b)
        for k in range(1, n):
            if k % 2 == 1:
                s = s + 4.0 * f(k * h)
            else:
                s = s + 2.0 * f(k * h)
        value = s * h / 3.0
        if abs(value - old) < 1e-2 or n >= 16:
            break
        old = value
        n *= 2
    return value, n


@program((floats(0.1, 0.9, 0.4),), (floats(0.5, 0.5, 0.5),))
def early_stopping(losses):
    best = float("inf")
    patience = 0
    epoch = 0
    for loss in losses:
        epoch += 1
        if loss < best:
            best = loss
            patience = 0
        else:
            patience += 1
            if patience >= 2:
                break
    return best, epoch


@program((0.0, 2.0), (1.0, 5.0))
def golden_section(a, b):
    ratio = 0.618
    c, d = b - ratio * (b - a), a + ratio * (b - a)
    while abs(b - a) > 0.1:
        if (c - 1.3) ** 2 < (d - 1.3) ** 2:
            b = d
        else:
            a = c
        c, d = b - ratio * (b - a), a + ratio * (b - a)
    return (a + b) / 2
