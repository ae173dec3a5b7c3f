"""`while` loops without jumps."""

import jax
import jax.numpy as jnp

from tests.programs.harness import floats, ints, program


@program((12, 18), (17, 5), (7, 0), (100, 75), transforms=("vmap", "jaxpr"))
def gcd(a, b):
    while b != 0:
        a, b = b, a % b
    return a


@program((6,), (7,), (1,), transforms=("vmap",))
def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@program((5,), (0,), (1,))
def count_down(n):
    s = 0
    while n > 0:
        s += n
        n -= 1
    return s


@program((5,), (0,))
def while_on_int(n):
    s = 0
    while n:
        s += n
        n -= 1
    return s


@program((4.0,), (2.0,), (0.25,), transforms=("jvp",))
def newton_sqrt(x):
    g = x
    while abs(g * g - x) > 1e-4:
        g = 0.5 * (g + x / g)
    return g


@program((10,), (1,), (2,))
def fibonacci(n):
    a, b = 0, 1
    while n > 0:
        a, b = b, a + b
        n -= 1
    return a


@program((1234,), (7,), (0,))
def digit_sum(n):
    s = 0
    while n > 0:
        s += n % 10
        n //= 10
    return s


@program((1234,), (100,))
def reverse_digits(n):
    r = 0
    while n:
        n, d = divmod(n, 10)
        r = r * 10 + d
    return r


@program((3, 13, 7), (2, 10, 1000), (5, 0, 7))
def modular_power(base, exponent, modulus):
    result = 1
    base = base % modulus
    while exponent > 0:
        if exponent % 2 == 1:
            result = result * base % modulus
        exponent = exponent // 2
        base = base * base % modulus
    return result


@program((1000,), (1,), (17,))
def integer_square_root(n):
    lo, hi = 0, n + 1
    while hi - lo > 1:
        mid = (lo + hi) // 2
        if mid * mid <= n:
            lo = mid
        else:
            hi = mid
    return lo


@program((5, 3), (2, 6), (0, 4))
def nested_while(n, m):
    total = 0
    i = 0
    while i < n:
        j = 0
        while j < m:
            total += i * j
            j += 1
        i += 1
    return total


@program((4,), (1,))
def triangle_of_whiles(n):
    total = 0
    i = 0
    while i < n:
        j = i
        while j < n:
            k = j
            while k < n:
                total += 1
                k += 1
            j += 1
        i += 1
    return total, i


@program((5,), (0,), promotes=True)
def carry_becomes_float(n):
    s = 0
    while n > 0:
        s = s + 0.5
        n = n - 1
    return s


@program((5,), (2,))
def bool_carry(n):
    found = False
    while n > 0:
        found = n == 3 or found
        n = n - 1
    return found


@program((5,), (4,))
def variable_first_bound_inside(n):
    while n > 0:
        last = n * 10
        n = n - 2
    return last + n


@program((5,), (3,))
def variable_bound_inside_and_dead_after(n):
    s = 0
    while n > 0:
        t = n * n
        s = s + t
        n = n - 1
    return s


@program((ints(1, 2, 3, 4, 5),), (ints(9, 9, 9, 9, 9),))
def index_of_first_big(v):
    i = 0
    while i < len(v) and v[i] < 4:
        i += 1
    return i


@program((floats(1, 2, 3),), (floats(100, 200, 300),))
def scale_until_small(v):
    n = 0
    while jnp.max(v) > 1.0:
        v = v / 2.0
        n += 1
    return v, n


@program((3,), (10,))
def static_while_around_traced_if(n):
    i = 0
    while i < 4:
        if n > 5:
            n = n - i
        else:
            n = n + i
        i += 1
    return n, i


@program((3,), (10,))
def loop_invariant_is_kept(n):
    k = 7
    s = 0
    while n > 0:
        s = s + k
        n = n - 1
    return s, k


@program((20,), (3,))
def predicate_starts_concrete(limit):
    i = 0
    total = 0
    while i < 2 or total < limit:
        if i >= 1:
            total = total + limit // 4 + 1
        i += 1
    return i, total


@program((10,), (3,))
def starts_static_then_traced(n):
    i = 0
    while i < 3:
        i = i + (n if i == 1 else 1)
    return i


@program((7,), (0,))
def test_with_side_effect_by_walrus(n):
    s = 0
    while (n := n - 1) > 0:
        s += n
    return s, n


@program((100,), (5,))
def walrus_in_loop_test_read_in_body(n):
    total = 0
    while (half := n // 2) > 0:
        total += half
        n = half
    return total, half


@program((27, 10), (8, 2))
def two_conditions(n, m):
    steps = 0
    while n != 1 and steps < m:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return n, steps


@program((10,), (0,))
def while_not(n):
    done = False
    k = 0
    while not done:
        k += 1
        done = k * k > n
    return k


@program((1.0, 3.0), (0.0, 1.0), transforms=("vmap",))
def bisection(lo, hi):
    while hi - lo > 1e-3:
        mid = 0.5 * (lo + hi)
        if mid * mid - 2.0 > 0:
            hi = mid
        else:
            lo = mid
    return 0.5 * (lo + hi)


@program((0.5,), (3.0,), transforms=("vmap", "jvp"))
def exponential_series(x):
    term = 1.0
    total = 1.0
    k = 1
    while abs(term) > 1e-6:
        term = term * x / k
        total = total + term
        k = k + 1
    return total


@program((5,), (1,))
def carry_of_tuple(n):
    state = (0, 1)
    while n > 0:
        state = (state[1], state[0] + state[1])
        n = n - 1
    return state


@program((5,), (1,))
def carry_of_dict(n):
    state = {"a": 0, "b": 1}
    while n > 0:
        state = {"a": state["b"], "b": state["a"] + state["b"]}
        n = n - 1
    return state


@program((5,), (2,))
def carry_of_mixed_keys(n):
    state = {"a": 0, 1: 1}
    while n > 0:
        state = {"a": state[1], 1: state["a"] + state[1]}
        n = n - 1
    return state["a"], state[1]


@program((5,), (0,))
def none_stays_none(n):
    extra = None
    s = 0
    while n > 0:
        s = s + n
        if extra is not None:
            s = s + extra
        n = n - 1
    return s, extra


@program((5,), (0,))
def string_carried_by_nobody(n):
    name = "total"
    out = {name: 0}
    while n > 0:
        out = {name: out[name] + n}
        n -= 1
    return out


@program((3, 5), (5, 3))
def ackermann_like_counter(a, b):
    steps = 0
    while a > 0 or b > 0:
        if b == 0:
            a -= 1
            b = 2 if a > 0 else 0
        else:
            b -= 1
        steps += 1
    return steps


@program((48, 36), (7, 13))
def binary_gcd(a, b):
    shift = 0
    while (a | b) & 1 == 0:
        a >>= 1
        b >>= 1
        shift += 1
    while a & 1 == 0:
        a >>= 1
    while b != 0:
        while b & 1 == 0:
            b >>= 1
        if a > b:
            a, b = b, a
        b -= a
    return a << shift


@program((255,), (8,), (0,))
def population_count(n):
    c = 0
    while n:
        n &= n - 1
        c += 1
    return c


@program((240, 46), (17, 5))
def extended_gcd(a, b):
    x0, x1, y0, y1 = 1, 0, 0, 1
    while b != 0:
        q, a, b = a // b, b, a % b
        x0, x1 = x1, x0 - q * x1
        y0, y1 = y1, y0 - q * y1
    return a, x0, y0


# Types that move in an inner loop: what the outer loop supposes from it must hold for the outer loop as well.


@program((3, 0.5), (2, 1.25), transforms=("vmap",))
def inner_sum_moves(n, x):
    s = 0
    i = 0
    while i < n:
        j = 0
        while j < n:
            k = 0
            while k < n:
                s = s + x
                k += 1
            j += 1
        i += 1
    return s


@program((3, 0.5), (2, 1.25))
def moved_inside_and_put_back(n, x):
    s = 0
    last = 0.0
    i = 0
    while i < n:
        kept = s
        j = 0
        while j < n:
            s = s + x
            j += 1
        last = s * 2
        s = kept + 1
        i += 1
    return s, last


@program((3, 0.5), (2, 1.25))
def moved_inside_and_made_whole_again(n, x):
    s = 0
    i = 0
    while i < n:
        j = 0
        while j < n:
            s = s + x
            j += 1
        s = int(s)
        i += 1
    return s


@program((3, 0.5), (2, 1.25))
def two_sums_that_move_one_after_the_other(n, x):
    s = t = 0
    i = 0
    while i < n:
        j = 0
        while j < n:
            s, t = s + t, t + x
            j += 1
        if s > 2:
            s = s - n
        i += 1
    return s, t


@program((3, 0.5), (2, 1.25))
def moves_in_a_function_under_jit(n, x):
    @jax.jit
    def added(total, i):
        j = 0
        while j < n:
            total = total + x * i
            j += 1
        return total

    s = 0
    i = 0
    while i < n:
        s = added(s, i)
        i += 1
    return s, added(1, n)


@program((3, 0.5), (2, 1.25), transforms=("grad",))
def moves_after_a_refusal_that_is_caught(n, x):
    s = 0
    i = 0
    while i < n:
        j = 0
        while j < n:
            s = s + x
            j += 1
        try:
            s = s * x
        except Exception:
            s = s - 1
        i += 1
    return s * x


class Box:
    def __init__(self, q):
        self.q = q


@program((1, 2, 3.0), (5, 2, 3.0), (5, 2, -3.0))
def number_of_the_string_left_by_a_loop_in_a_branch(a, b, x):
    box = Box(1)
    d = {"k": 0}
    if a > 4:
        k = 0
        while True:
            k += 1
            unread = 0
            c = (b := (k % 11)) % 20
            t = (box.q - c * -1) % 9
            box.q = d.get("k", 0) % 15
            if k > 4 or -x < x - x:
                break
    return box.q, b
