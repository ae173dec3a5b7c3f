"""`if`, `elif`, `else` and conditional expressions."""

import jax.numpy as jnp

from tests.programs.harness import floats, ints, program


@program((2.5,), (-1.5,), (0.0,), promotes=True, transforms=("vmap", "jaxpr"))
def simple_relu(x):
    if x > 0:
        return x
    else:
        return 0


@program((1.0,), (3.0,))
def fewer_than_one(x):
    if x <= 1:
        return x * x
    else:
        return x - 1


@program((5,), (0,), (-5,), transforms=("vmap",))
def sign(n):
    if n > 0:
        s = 1
    elif n < 0:
        s = -1
    else:
        s = 0
    return s


@program((5,), (-7,))
def if_without_else(n):
    r = n
    if n < 0:
        r = -n
    return r


@program((1,), (2,), (3,), (4,), (9,))
def elif_chain_some_branches_return(n):
    if n == 1:
        return 10
    elif n == 2:
        n = n + 100
    elif n == 3:
        return 30
    elif n == 4:
        n = n * 2
    return n


@program((95,), (85,), (72,), (40,))
def grade(score):
    if score >= 90:
        g = 4
    elif score >= 80:
        g = 3
    elif score >= 70:
        g = 2
    else:
        g = 0
    return g


@program((3, 4), (-3, 4), (3, -4), (-3, -4), transforms=("vmap",))
def quadrant(x, y):
    if x > 0:
        if y > 0:
            q = 1
        else:
            q = 4
    else:
        if y > 0:
            q = 2
        else:
            q = 3
    return q


@program((3,), (7,), (20,))
def variables_first_bound_in_both_branches(n):
    if n > 5:
        low, high = n - 5, n * 2
    else:
        low = 0
        high = 10
    return high - low


@program((3,), (7,))
def dead_variable_bound_in_one_branch(n):
    if n > 5:
        t = n * 2
        n = t + 1
    return n


@program((1, 2, 3), (4, 3, 1), (9, 3, 5), transforms=("vmap",))
def middle_of_three(a, b, c):
    if a > b:
        a, b = b, a
    if b > c:
        b, c = c, b
    if a > b:
        a, b = b, a
    return b


@program((4,), (-4,))
def empty_branch(n):
    if n > 0:
        pass
    else:
        n = 0
    return n


@program((5,), (15,), (25,))
def sequential_ifs(n):
    k = 0
    if n > 0:
        k = k + 1
    if n > 10:
        k = k + 1
    if n > 20:
        k = k + 1
    return k


@program((2, "double"), static=(1,))
def static_mode_picks_its_branch(x, mode):
    if mode == "double":
        return x * 2
    elif mode == "square":
        return x * x
    else:
        raise ValueError(mode)


@program((2, "cube"), static=(1,))
def static_mode_raises(x, mode):
    if mode == "double":
        y = x * 2
    else:
        raise ValueError(mode)
    return y


@program((2.0, None), static=(1,))
def none_default(x, scale):
    if scale is None:
        scale = 3.0
    return x * scale


@program((3,), (-4,))
def ternary(n):
    return n if n > 0 else -n


@program((5,), (0,), (-3,))
def nested_ternary(n):
    return 1 if n > 0 else (-1 if n < 0 else 0)


@program((5,), (0,), (-3,))
def chained_ternary_in_call(n):
    return max(1 if n > 0 else 2, 2 if n == 0 else 1)


@program((4.0,), (0.0,), (-4.0,), promotes=True)
def ternary_of_sqrt(x):
    return jnp.sqrt(x) if x > 0 else 0


@program((4.0,), (0.0,), (-4.0,), transforms=("grad",))
def guarded_sqrt(x):
    return jnp.sqrt(x) if x > 0 else 0.0 * x


@program((0.0,), (4.0,), promotes=True, transforms=("grad",))
def sqrt_gradient_at_zero(x):
    if x > 0:
        return jnp.sqrt(x)
    else:
        return 0.0


@program((6,), (3,))
def unused_side_of_ternary_is_not_called(a):
    calls = 0

    def tick(v):
        nonlocal calls
        calls += 1
        return v

    r = tick(a) if a > 5 else a + tick(1) + tick(2)
    return r, calls


@program((ints(1, 2, 3),), (ints(-1, -2, -3),), transforms=("vmap",))
def array_in_branch(v):
    if v.sum() > 0:
        w = v * 2
    else:
        w = v - 1
    return w


@program((floats(1, 2),), (floats(-5, 2),))
def scalar_condition_of_any(v):
    if jnp.any(v < 0):
        return jnp.abs(v)
    return v


@program((floats(0.25, 0.5),), (floats(5, 5),))
def scalar_or_vector(x):
    if jnp.sum(x) <= 1:
        return x * x
    else:
        return x - 1


@program((True, 3), (False, 3))
def traced_bool_argument(flag, n):
    if flag:
        n += 1
    return n


@program((3, 0), (0, 3), (0, 0), (2, 2))
def if_on_ints(a, b):
    r = 0
    if a:
        r += 1
    if b:
        r += 2
    if not a:
        r += 4
    return r


@program((0.0,), (0.5,))
def if_on_float(x):
    if x:
        return 1
    return 2


@program((3,), (8,))
def bare_annotation(n):
    z: float
    if n > 5:
        z = 1.5
    else:
        z = 2.5
    return z


@program((3,), (8,))
def annotated_assignment_in_branch(n):
    k: int = 0
    if n > 5:
        k: int = n
    return k


@program((1,), (50,))
def same_source_twice(n):
    if n > 10:
        n = n - 1
    if n > 10:
        n = n - 1
    return n


@program((3,), (6,))
def python_constants_differ_between_branches(n):
    if n > 5:
        a, b, c = 1, 2.0, True
    else:
        a, b, c = 2, 3.0, False
    return a, b, c


@program((3,), (6,))
def strings_equal_in_both_branches(n):
    kind = "int"
    if n > 5:
        n = n - 5
        kind = "int"
    if kind == "int":
        n = n * 2
    return n


@program((3,), (6,))
def static_test_inside_traced(n):
    debug = False
    if n > 5:
        if debug:
            n = n / 0
        n = n - 1
    else:
        if not debug:
            n = n + 1
    return n


@program((3,), (6,), (12,))
def deep_nesting(n):
    r = 0
    if n > 1:
        if n > 2:
            if n > 5:
                if n > 10:
                    r = 4
                else:
                    r = 3
            else:
                r = 2
        else:
            r = 1
    return r


@program((1, 10), (11, 1))
def swap_in_branch(a, b):
    if a > b:
        a, b = b, a
    return a, b


@program((3,), (8,))
def tuple_variable(n):
    pair = (n, n + 1)
    if n > 5:
        pair = (n * 2, 0)
    return pair[0] + pair[1]


@program((3,), (8,))
def if_true_and_if_one(n):
    if True:
        n = n + 1
    if 1:
        n = n + 1
    if 0:
        n = n + 100
    return n


@program((3,), (8,))
def no_return_gives_none(n):
    if n > 5:
        n = n + 1


@program((2000,), (1900,), (2024,), (2023,))
def leap_year(y):
    if y % 4 != 0:
        return False
    if y % 100 != 0:
        return True
    return y % 400 == 0


@program((3, 4, 5), (2, 2, 3), (1, 1, 1), (1, 2, 9))
def triangle_kind(a, b, c):
    if a + b <= c or b + c <= a or a + c <= b:
        return 0
    if a == b == c:
        return 3
    if a == b or b == c or a == c:
        return 2
    return 1


@program((10.0,), (200.0,), (1000.0,), transforms=("vmap", "grad"))
def tax(income):
    due = 0.0 * income
    if income > 100.0:
        due = due + (income - 100.0) * 0.25
        if income > 500.0:
            due = due + (income - 500.0) * 0.25
    return due


@program((0.5,), (1.5,), (-3.0,), transforms=("grad", "vmap"))
def huber(x):
    if abs(x) <= 1.0:
        return 0.5 * x * x
    return abs(x) - 0.5
