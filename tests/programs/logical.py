"""`and`, `or`, `not`, comparisons, membership, walrus: values, short circuit, and counted calls."""

import jax.numpy as jnp

from tests.programs.harness import floats, ints, program


@program((3, 5), (0, 5), (3, 0), (0, 0), transforms=("vmap",))
def or_gives_operand(a, b):
    return a or b


@program((3, 5), (0, 5), (3, 0), (0, 0), transforms=("vmap",))
def and_gives_operand(a, b):
    return a and b


@program((3, 5, 7), (0, 5, 7), (0, 0, 7), (0, 0, 0))
def or_of_three(a, b, c):
    return a or b or c


@program((3, 5, 7), (0, 5, 7), (3, 0, 7), (1, 2, 0))
def and_of_three(a, b, c):
    return a and b and c


@program((3, 5, 7), (0, 5, 7), (3, 0, 7), (0, 0, 0))
def and_or_mixed(a, b, c):
    return a and b or c


@program((3,), (0,))
def or_with_constant(n):
    return n or 10


@program((3,), (0,))
def not_of_int(n):
    return not n


@program((3,), (0,))
def not_not(n):
    return not not n


@program((6,), (3,), (0,))
def short_circuit_and_counts_calls(a):
    calls = 0

    def tick(v):
        nonlocal calls
        calls += 1
        return v

    r = a > 3 and tick(a) > 2
    return r, calls


@program((6,), (3,), (0,))
def short_circuit_or_counts_calls(a):
    calls = 0

    def tick(v):
        nonlocal calls
        calls += 1
        return v

    if a > 3 or tick(a) > 2 or tick(a) == 0:
        calls += 10
    return calls


@program((1,), (5,), (-5,))
def chained_comparison_calls_once(n):
    calls = 0

    def f(x):
        nonlocal calls
        calls += 1
        return x

    inside = 0 < f(n) < 2
    return inside, calls


@program((1, 2, 3), (3, 2, 1), (1, 3, 2), transforms=("vmap",))
def chained_comparison(a, b, c):
    return a < b < c


@program((1, 1, 1, 1), (1, 1, 2, 2), (2, 1, 1, 1))
def chained_equality(a, b, c, d):
    return a == b == c == d


@program((1, 2), (2, 1), (11, 12))
def chained_comparison_short_circuits(a, b):
    calls = 0

    def f(x):
        nonlocal calls
        calls += 1
        return x

    r = f(a) < f(b) < f(10) < f(20)
    return r, calls


@program((1, 3, 2), (3, 1, 2))
def chained_comparison_mixed_operators(a, b, c):
    return a < b >= c != 0


@program((5,), (50,))
def chained_in_condition(n):
    if 0 <= n < 10:
        return n
    return -1


@program((5,), (3,))
def in_tuple(n):
    return n in (1, 3, 7)


@program((5,), (3,))
def in_list_of_traced(n):
    return n in [1, n - 2, 3]


@program((5,), (3,))
def not_in(n):
    if n not in (1, 3, 7):
        return 1
    return 0


@program((ints(1, 2, 3), 2), (ints(1, 2, 3), 5))
def in_array(v, x):
    return x in v


@program((2, 7), (8, 7))
def in_range(n, m):
    return n in range(m)


@program((5,), (3,))
def in_dict_static_key(n):
    d = {"a": n}
    if "a" in d and "b" not in d:
        return d["a"]
    return 0


@program((5,), (3,))
def walrus_in_if(n):
    if (m := n * 2) > 8:
        return m
    return m + 1


@program((5,), (3,))
def walrus_in_ternary(n):
    return (m := n + 1) * 2 if n > 4 else (m := n - 1) + m


@program((5,), (3,))
def walrus_in_and(n):
    m = 0
    if n > 4 and (m := n * 2) > 5:
        m += 1
    return m


@program((5,), (3,))
def walrus_in_or_right_side(n):
    m = 100
    r = n > 4 or (m := n) > 2
    return r, m


@program((5,), (3,))
def walrus_in_comprehension(n):
    xs = [y := n + i for i in range(3)]
    return xs[0] + y


@program((5, 3), (3, 5))
def condition_stored(a, b):
    c = a > b
    d = not c
    if c and not d:
        return 1
    return 2


@program((5, 3), (3, 5))
def condition_in_arithmetic_by_int(a, b):
    return int(a > b) + int(a < b) * 2


@program((floats(1, 2, 3),), (floats(0, 0, 0),))
def all_any(v):
    return jnp.all(v > 0) and not jnp.any(v > 5)


@program((True, False), (False, False), (True, True))
def traced_bools(p, q):
    return p and q, p or q, not p


@program((True, 3), (False, 3))
def bool_and_int(p, n):
    if p and n:
        return 1
    return 0


@program((5,), (0,))
def static_left_operand(n):
    flag = True
    if flag and n > 3:
        return 1
    if not flag or n == 0:
        return 2
    return 3


@program((None, 4), static=(0,))
def or_default_for_none(x, n):
    x = x or n
    return x


@program((None, 4), static=(0,))
def none_and_traced(x, n):
    if x is not None and n > x:
        return 1
    return 0


@program((3,), (0,))
def empty_list_or_traced(n):
    xs = []
    return (xs or n) + 1


@program((1.5, 2.5), (3.5, 1.5))
def max_by_or(a, b):
    return (a > b and a) or b


@program((7,), (12,), (30,))
def fizz_buzz_code(n):
    if n % 15 == 0:
        return 15
    return n % 3 == 0 and 3 or n % 5 == 0 and 5 or 0


@program((5,), (2,))
def short_circuit_guards_index(i):
    v = (10, 20, 30)
    return i < 3 and v[2 if i < 3 else 0] > 5


@program((0, 8), (2, 8))
def guard_division(d, n):
    if d != 0 and n // d > 3:
        return 1
    return 0


@program((3, 4), (4, 4))
def comparison_chain_with_walrus(a, b):
    if (s := a + b) == (p := a * b) or s > p:
        return s
    return p


@program((3, 4), (4, 4))
def is_and_is_not(a, b):
    c = a
    return (c is a), (a is not None), (b is None)


@program((5, 1), (0, 2), (-3, -3))
def arithmetic_on_bools(n, k):
    n, k = int(n), int(k)  # Python's numbers, not elements of arrays
    up = n > k
    down = n < k
    sums = (n > 0) + (k > 0), up + down + up, (n > 0 and k > 0) + (n == k), (1 < n < 9) + (k in (1, 2)), (n > 0) + True
    signs = up - down, -(n > 0), +(n > 0), (not n) - (not k)
    others = (n > 0) * (k > 0), (n > 0) ** (k > 0), (n > 0) << (k > 0), (n > 0) // (k > -9), (n > 0) % (k > -9)
    return sums, signs, others, (n > 0) / (k > -9), (n > 0) & (k > 0), sum(v > 2 for v in (n, k, 3))


@program((ints(5, 1),), (ints(-3, 3),))
def arithmetic_on_bools_of_arrays(x):
    return ~(x > 0), (x > 0) + (x > 2), (x[0] > 0) + (x[1] > 0), ~(x[0] > x[1])


@program((5,), (-3,), (0,))
def bools_that_count_in_a_loop(n):
    n = int(n)
    changes = 0
    for k in range(-2, 3):
        changes += (n > k) - (n < k)
        if (n > k) + (k > 0) == 2:
            changes = changes + 10
    return changes


def plus_first(x, first=None):
    if x > 3 and first is not None:
        return first + x
    return x


@program((5.0,), (0.25,))
def operand_that_a_static_one_closes(x):
    first = None
    y = first + x if (x > 3 and first is not None) else x
    if not (x > 3 or first is None):
        y += first
    return y, plus_first(x), plus_first(x, 2.0)


@program((1.0, floats(2.0)), (1.0, floats(-2.0)), (-1.0, floats(2.0)), (7.0, floats(-1.0)))
def an_array_of_one_element_beside_a_number(x, flag):
    found = 0
    if x > 0 and flag > 0:
        found += 1
    if flag < 0 or x > 5:
        found += 10
    positive = flag > 0
    if not (x > 0 and positive):
        found += 100
    while x < 3 and flag > 0:
        x += 1
        found += 1000
    for k in range(3):
        if x > k and flag > 1:
            break
        found += 10000
    return found
