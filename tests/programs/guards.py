"""Variables that change their shape, structure or type where nobody reads them afterwards."""

import jax
import jax.numpy as jnp
import numpy as np

from tests.programs.harness import program

M = np.ones((2, 3), np.float32)
W = np.ones((3, 4), np.float32)
V = np.arange(4, dtype=np.float32)


@program((M, W, True), (M, W, False), transforms=("jaxpr",))
def guard_return_reshape(x, w, ok):
    if not ok:
        return 0.0
    x = x @ w
    return x.sum()


@program((M, W, True), (M, W, False))
def rebound_in_one_branch(x, w, ok):
    if not ok:
        y = 0.0
    else:
        x = x @ w
        y = x.sum()
    return y


@program((3, 4), (-3, 4))
def rebound_to_a_list_and_a_string(a, b):
    if a < 0:
        b = [a, b]
        return b[0]
    b = str(type(a) is None)
    return a + len(b)


@program((V, 2.0), (V, 9.0))
def behind_a_continue(xs, n):
    t = 0.0
    for v in xs:
        if v < n:
            continue
        v = jnp.stack([v, v])
        t += v.sum()
    return t


@program((1.0, 5.0), (1.0, 50.0))
def behind_a_loop_that_returns(x, n):
    for _i in range(10):
        if x > n:
            return x
        x = x + 1
    x = jnp.stack([x, x])
    return x.sum()


@program((V, 2.0), (V, 9.0))
def before_a_break(xs, n):
    t, last = 0.0, xs[0]
    for v in xs:
        if v > n:
            last = [v, last]
            t += last[0] + last[1]
            break
        last = v
        t += v
    return t


@program((M, 1.0), (M, 9.0), (-M, 9.0))
def before_a_return_in_a_loop(x, n):
    for _i in range(3):
        if x.sum() > n:
            x = x.T @ x
            return x[2, 2]
        x = x + 1
    return x.sum()


@program((1, 5), (7, 5), (20, 5), (-1, 5))
def branches_of_a_chain(a, b):
    if a > 10:
        b = (a, b)
        return b[1]
    elif a > 5:
        b = {"k": a}
    elif a < 0:
        b = [b]
        a = b[0]
    else:
        a = a + b
    return a * 2


@program((0, 5), (1, 5), (2, 5), (3, 5))
def cases_of_a_match(a, b):
    match a:
        case 0:
            b = [b, b]
            return b[0]
        case 1:
            b = (b,)
            a = b[0]
        case _:
            b = None
    return a + (b is None) if a > 9 else a


def _norm(x, scale):
    if scale == 0:
        return x.sum()
    x = x.reshape(-1)
    if scale < 0:
        x = x[:2]
        return -x.sum()
    x = x * scale
    return x[0]


@program((M, 0.0), (M, 2.0), (M, -2.0))
def in_a_helper(x, scale):
    y = _norm(x, scale)
    if y > 1:
        y = jnp.stack([y, y])
        return _norm(y, scale)
    return y


@program((3, 4), (-3, 4), (30, 4))
def a_loop_with_a_return_in_one_branch(a, b):
    c = 0
    if a < 7:
        for i in range(4):
            c = c + i + b
            if c > a + 20:
                return c
        if b > 4:
            c = c + 1
        elif b > -1:
            a = (1, c)
        return b + 200
    c = [a % 7]
    return c[0]


@program((3,), (-3,))
def a_closure_keeps_what_it_reads(a):
    def read():
        return a

    if a > 0:
        a = a + 1
    return read()


@program((3,), (-3,), (30,))
def a_finally_reads_what_a_return_left(a):
    seen = []
    b = 0
    try:
        if a > 0:
            b = a + 1
            return (seen, b)
        b = a - 1
        return (seen, b)
    finally:
        seen.append(b)


@program((V, 1.0), (V, -1.0))
def behind_a_guard_a_generator(x, ok):
    if ok < 0:
        return 0.0
    x = x[:2]
    return sum(v * x[1] for v in x)


@program((V, 1.0), (V, -1.0))
def behind_a_guard_a_lambda_and_a_function(x, ok):
    if ok < 0:
        x = [x, x]
        return x[0][1]
    x = x[1:3]

    def scaled(t):
        return t * x[1]

    return scaled(3.0) + max(range(2), key=lambda i: x[i])


@program((V, 1.0), (V, -1.0))
def behind_a_guard_a_vmap(x, ok):
    if ok < 0:
        return 0.0
    x = jnp.asarray(x).reshape(2, 2)
    return jnp.sum(jax.vmap(lambda row: row @ x[0])(x))


@program((1,), (-1,))
def a_value_error_of_a_branch_that_is_not_taken(k):
    seen = []
    if k > 0:
        best = k
    else:
        best = max(seen)
    return best


@program((1,), (-1,))
def a_string_that_is_no_number_in_a_branch_that_is_not_taken(k):
    if k > 0:
        return k
    return int("none")


@program((4.0,), (0.5,), (2.5,), transforms=("vmap",))
def range_of_a_float_behind_a_return(x):
    if x < 3 or x > 3:
        return x
    total = x
    for i in range(1, x + 1):
        total += i
    return total


@program((4.0, 2), (3.5, 2), (3.5, -1), (4.0, -1))
def operations_on_a_float_behind_guards(x, n):
    if x != int(x):
        raise ValueError("no integer")
    if n > 0:
        return [1, 2, 3][x] + (x << 1)
    return n


@program((4.0,), (3.5,))
def range_of_a_float_that_is_caught(x):
    if x > 9:
        raise ValueError("too large")
    try:
        for i in range(x):
            x += i
    except TypeError:
        return -1.0
    return x
