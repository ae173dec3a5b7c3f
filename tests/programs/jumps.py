"""`break`, `continue`, `return` inside loops, loop `else`, `while True`."""

import jax.numpy as jnp

from tests.programs.harness import floats, ints, program


@program((10,), (3,), (0,))
def break_in_while(n):
    s = 0
    while n > 0:
        if s > 12:
            break
        s += n
        n -= 1
    return s, n


@program((10,), (3,))
def break_in_middle(n):
    s = 0
    while n > 0:
        s += n
        if s > 12:
            break
        n -= 1
    return s, n


@program((10,), (3,))
def break_at_end(n):
    s = 0
    while True:
        s += n
        n -= 1
        if n <= 0:
            break
    return s


@program((10,), (3,))
def continue_in_while(n):
    s = 0
    while n > 0:
        n -= 1
        if n % 2 == 0:
            continue
        s += n
    return s


@program((10,), (3,), (0,), transforms=("vmap",))
def continue_in_for(n):
    s = 0
    for i in range(n):
        if i % 3 == 0:
            continue
        s += i
    return s


@program((10,), (3,), (0,))
def break_in_traced_range(n):
    s = 0
    for i in range(n):
        if i * i > 20:
            break
        s += i
    return s


@program((10,), (3,), (0,))
def break_in_static_range(n):
    s = 0
    for i in range(8):
        if i > n:
            break
        s += i
    return s, i


@program((10,), (3,), (0,))
def return_in_static_range(n):
    for i in range(8):
        if i * i > n:
            return i
    return -1


@program((10,), (3,), (1000,))
def return_in_traced_range(n):
    for i in range(n):
        if i * i > 50:
            return i
    return -1


@program((10,), (3,), (0,))
def return_in_while(n):
    while n > 0:
        if n % 4 == 0:
            return n
        n -= 1
    return -1


@program((100,), (5,), transforms=("vmap",))
def while_true_return(n):
    k = 0
    while True:
        if k * k >= n:
            return k
        k += 1


@program((3, 5), (7, 2))
def return_in_nested_loops(n, m):
    for i in range(n):
        for j in range(m):
            if i * j == 4:
                return i * 10 + j
    return -1


@program((13,), (15,), (2,), transforms=("vmap",))
def is_prime_for_else(n):
    d = 2
    while d * d <= n:
        if n % d == 0:
            prime = False
            break
        d += 1
    else:
        prime = True
    return prime


@program((7,), (3,), (0,))
def for_else_on_range(n):
    for i in range(n):
        if i == 5:
            r = 100
            break
    else:
        r = -1
    return r


@program((7,), (3,))
def for_else_on_static_range(n):
    for i in range(5):
        if i == n:
            r = i
            break
    else:
        r = 99
    return r


@program((ints(4, 5, 6), 5), (ints(4, 5, 6), 7))
def for_else_on_array(v, x):
    for i, y in enumerate(v):
        if y == x:
            break
    else:
        i = -1
    return i


@program((5,), (0,))
def else_without_break(n):
    s = 0
    while n > 0:
        s += n
        n -= 1
    else:
        s += 1000
    return s


@program((5, 2), (5, 9))
def else_after_continue(n, m):
    s = 0
    for i in range(n):
        if i == m:
            continue
        s += i
    else:
        s += 1000
    return s


@program((5, 3), (5, 9))
def return_in_else(n, m):
    for i in range(n):
        if i == m:
            break
    else:
        return -1
    return i


@program((6,), (2,))
def break_and_continue(n):
    s = 0
    for i in range(20):
        if i % 2:
            continue
        if i > n:
            break
        s += i
    return s


@program((4, 6), (6, 2))
def break_of_inner_only(n, m):
    s = 0
    for i in range(n):
        for j in range(m):
            if j > i:
                break
            s += 1
        s += 100
    return s


@program((4, 6), (6, 2))
def continue_of_outer_after_inner(n, m):
    s = 0
    for i in range(n):
        found = False
        for j in range(m):
            if i + j == 5:
                found = True
                break
        if found:
            continue
        s += 10**i % 97
    return s


@program((4, 6), (2, 9))
def inner_else_continues_outer(n, m):
    s = 0
    for i in range(2, m):
        for j in range(2, i):
            if i % j == 0:
                break
        else:
            s += i
            continue
        s -= n
    return s


@program((5,), (9,))
def three_exits(n):
    k = 0
    while True:
        k += 1
        if k > 20:
            return -1
        if k * 3 == n:
            break
        if k * k > n:
            return k
    return k + 1000


@program((5,), (50,), (500,))
def while_true_with_two_breaks(n):
    a, b = 0, 1
    while True:
        a, b = b, a + b
        if a > n:
            break
        if b > 100:
            break
    return a, b


@program((12,), (5,))
def rotated_loop(n):
    s = 0
    while True:
        x = n * 2 - s
        if x < 5:
            break
        s += 3
    return s, x


@program((0,), (4,), (9,))
def early_return_before_loop(n):
    if n == 0:
        return -1
    s = 0
    for i in range(n):
        if i > 6:
            return s
        s += i
    return s + 1000


@program((3,), (6,))
def return_tuple_in_loop(n):
    for i in range(10):
        if i == n:
            return i, i * 2
    return 0, 0


@program((3,), (60,))
def return_in_if_in_loop_in_if(n):
    if n > 2:
        for i in range(10):
            if i * i > n:
                return i
        n = n + 1
    return n


@program((3,), (60,))
def return_python_number_or_traced(n):
    while n > 0:
        if n > 50:
            return n
        n -= 1
    return 0


@program((3,), (6,))
def break_in_both_branches(n):
    s = 0
    while True:
        s += 1
        if n > 5:
            s += 10
            break
        else:
            s += 20
            break
    return s


@program((3,), (6,))
def return_in_both_branches_of_loop(n):
    for i in range(5):
        if n > 5:
            return i + n
        else:
            return i - n


@program((8,), (2,))
def continue_at_both_levels(n):
    s = 0
    for i in range(n):
        if i % 2 == 0:
            continue
        j = 0
        while j < i:
            j += 1
            if j % 2:
                continue
            s += j
        s += 100
    return s


@program((8,), (2,))
def code_after_break_is_dead(n):
    s = 0
    while n > 0:
        n -= 1
        if n == 4:
            break
            s += 1000
        s += n
    return s


@program((8,), (2,))
def jumps_in_elif(n):
    s = 0
    for i in range(12):
        if i == n:
            break
        elif i % 3 == 0:
            continue
        elif i % 5 == 0:
            s += 50
        else:
            s += i
    return s


@program((ints(1, 2, 0, 5),), (ints(1, 2, 3, 4),))
def break_over_array(v):
    s = 0
    for x in v:
        if x == 0:
            break
        s = s * 10 + x
    return s


@program((ints(1, 2, 0, 5),), (ints(1, 2, 3, 4),), transforms=("vmap",))
def return_over_array(v):
    for x in v:
        if x > 2:
            return x * 100
    return 0


@program((3, 5), (5, 3))
def break_over_list(a, b):
    s = 0
    for x in [a, b, a * b]:
        if x > 4:
            break
        s += x
    return s


@program((3, 5), (5, 3), (1, 1))
def return_over_dict(a, b):
    for k, v in {"a": a, "b": b}.items():
        if v > 4:
            return v + len(k)
    return 0


@program((3,), (6,))
def continue_with_loop_variable_after(n):
    for i in range(n):
        if i == 2:
            continue
    return i


@program((3,), (60,))
def break_keeps_loop_variable(n):
    i = 0
    for i in range(100):
        if i * i > n:
            break
    return i


@program((3,), (6,))
def variable_bound_before_break(n):
    for i in range(10):
        found = i
        if i == n:
            break
    return found


@program((5.0,), (0.5,))
def return_of_different_number_types(x):
    while True:
        x = x - 1.0
        if x < 0:
            return x


@program((3,), (0,), (9,))
def nested_return_three_deep(n):
    for i in range(3):
        for j in range(3):
            for k in range(3):
                if i * 9 + j * 3 + k == n:
                    return i, j, k
    return -1, -1, -1


@program((5,), (2,))
def while_true_static_exit(n):
    i = 0
    while True:
        i += 1
        n = n * 2
        if i == 4:
            break
    return n


@program((5,), (2,))
def static_continue(n):
    s = 0
    for i in range(6):
        if i % 2 == 0:
            continue
        s += n * i
    return s


@program((floats(1, 5, 2, 8, 3), 6.0), (floats(1, 5, 2, 8, 3), 60.0))
def first_above_threshold(v, t):
    for i in range(v.shape[0]):
        if v[i] > t:
            return v[i]
    return jnp.float32(-1)


@program((9,), (4,))
def break_in_loop_else_of_inner(n):
    s = 0
    for i in range(10):
        for j in range(3):
            if i + j > 9:
                break
        else:
            s += 1
            if s > n:
                break
            continue
        s += 100
    return s


@program((3,), (7,))
def jump_in_native_if(n):
    verbose = None
    for i in range(10):
        if verbose is not None:
            break
        if i > n:
            return i
    return 0


@program((5,), (15,))
def return_none_explicit(n):
    for i in range(n):
        if i == 20:
            return None
    return None


@program((5,), (25,))
def bare_return_in_loop_with_carry(n):
    s = 0
    for i in range(n):
        if i > 10:
            break
        s += i
    if s > 50:
        return s
    s += 1
    return s


@program((1,), (5,))
def continue_then_break_of_endless_loop(n):
    while True:
        if n > 3:
            n -= 1
            continue
        break
    return n


@program((1,), (5,))
def continue_then_return_of_endless_loop(n):
    iterations = 0
    while True:
        iterations += 1
        if n > 3:
            n -= 1
            continue
        try:
            if iterations == 2:
                n += 5
        finally:
            n += 1
        return n, iterations


@program((0,), (5,))
def continue_in_handler_then_break(n):
    if n > 3:
        if n > 7:
            return -1
        n -= 1
    read = {}
    while True:
        try:
            found = read["k"]
        except KeyError:
            read["k"] = n
            if n >= 0:
                continue
        break
    return found


@program((0, 1), (2, 1), (2, -1))
def return_in_a_loop_without_iterations(a, n):
    while n > 0:
        if a:
            for _ in range(0):
                return 1
        for _ in range(0):
            return 2
        n -= 1
    return n


@program((2, 1), (0, 1), (2, 0))
def return_that_no_iteration_reaches_in_a_branch(a, n):
    known = False
    for k in range(n):
        if a:
            for _ in range(n):
                for i in range(n):
                    if known:
                        return i
                    a += 1
    return a


@program((1, 0), (1, 3))
def branch_that_is_never_reached_reads_what_nobody_reads(a, b):
    t = b
    try:
        if t:
            return t
    except ValueError:
        pass
    else:
        t = t + a
        return 1
    return t * 2
