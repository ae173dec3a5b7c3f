"""`**` of integers, whose type depends on the sign of the exponent."""

import jax.numpy as jnp

from tests.programs.harness import program


@program((3.0,), (-5.0,), (1.0,))
def powers_of_the_iteration(n):
    t = 0.0
    for j in range(3):
        t += 2**-j
        if t > n:
            break
    return t


@program((3, 2), (2, 10), (7, 0))
def both_traced(a, b):
    return a**b


@program((3,), (0,))
def in_place(n):
    b = 2
    b **= n
    return b


@program((5.0,), (2.0,))
def cordic(target):
    x, y = 1.0, jnp.tan(target / 10)
    angle = 0.0
    for i in range(8):
        s = jnp.where(y > 0, -1.0, 1.0)
        x, y = x - s * y * 2**-i, y + s * x * 2**-i
        angle -= s * jnp.arctan(2.0**-i)
        if jnp.abs(y) < 1e-3:
            break
    return angle


@program((7.0,), (2.0,), (-2.0,))
def keys_made_of_the_iteration(n):
    table = {"w0": 1.0, "w1": 2.0, "w2": 3.0}
    t = 0.0
    for j in range(3):
        t += table[f"w{j}"] + jnp.ones((2, j + 1)).sum()
        if t > n:
            break
    return t
