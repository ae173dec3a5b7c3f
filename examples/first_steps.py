"""The first things to know, in the order of a tutorial: branches, traces, short and long loops.

Each step prints what it computed; the numbers of operations are read from the traced program (`jax.make_jaxpr`).

    python examples/first_steps.py
"""

import jax
import jax.numpy as jnp
from timing import report

import autograph as ag


def simple_relu(x):
    if x > 0:
        return x
    else:
        return 0  # a Python number beside an array takes its type


def square_or_decrease(x):
    if sum(x) <= 1:
        return x * x
    else:
        return x - 1


def short(x):
    for _ in range(10):  # ten additions in the program
        x += 1
    return x


def long(x):
    for _ in range(100):  # one loop in the program
        x += 1
    return x


def long_by_hand(x):
    return jax.lax.fori_loop(0, 100, lambda _, x: x + 1, x)


def sum_of_even(numbers):
    """Sum of the even numbers before the first negative one."""
    total = 0
    for number in numbers:
        if number < 0:
            break
        if number % 2:
            continue
        total += number
    return total


def operations(fn, *args):
    """Names of the operations of the outermost level of the traced program."""
    return [equation.primitive.name for equation in jax.make_jaxpr(fn)(*args).eqns]


def main():
    relu = ag.jit(simple_relu)
    print("an `if` on a traced value:", relu(jnp.float32(5.5)), relu(jnp.float32(-1.0)))
    print("  a Python number takes the array's type:", relu(jnp.float32(-1.0)).dtype)
    fast = ag.jit(square_or_decrease)
    print("one trace per shape:", fast(jnp.array([1.0])), fast(jnp.array([5.0, 5.0])))
    one = jnp.float32(1)
    for fn in short, long, long_by_hand:
        print(f"{fn.__name__:15}", ag.jit(fn)(one), operations(ag.convert(fn), one))
    numbers = jnp.array([3, 4, 10, 7, 8, -1, 12])
    print(f"`for`, `break` and `continue` on {numbers}")
    total = report(ag.jit(sum_of_even), numbers, eager=lambda: sum_of_even(numbers))
    print(f"  sum: {total}")


if __name__ == "__main__":
    main()
