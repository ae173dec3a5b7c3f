"""`for` loops over static and traced iterables."""

import jax.numpy as jnp

import autograph as ag
from tests.programs.harness import floats, ints, program


@program((7,), (3,), (0,))
def loop_target_rebound_in_body(n):
    i = 0
    for i in range(n):
        if n > 5:
            i = i + 100
    return i


@program((7,), (3,), transforms=("vmap",))
def sum_of_range(n):
    s = 0
    for i in range(n):
        s += i
    return s


@program((2, 9), (5, 5), (5, 1))
def range_with_start(a, b):
    s = 0
    for i in range(a, b):
        s += i * i
    return s


@program((10, 0, -3), (0, 10, 3), (0, 10, -1), (10, 0, 3), (0, 9, 3), (5, 5, 1))
def range_with_step(a, b, c):
    iterations = 0
    last = -99
    for i in range(a, b, c):
        iterations += 1
        last = i
    return iterations, last


@program((10,), (1,))
def range_negative_static_step(n):
    out = 0
    for i in range(n, 0, -3):
        out = out * 10 + i % 10
    return out


@program((5,), (0,))
def range_static(n):
    s = n
    for i in range(4):
        s = s * 2 + i
    return s


@program((5,), (0,), stages_anyway=True)
def ag_range(n):
    s = n
    for _i in ag.range(10):
        s += 1
    return s


@program((5,), (2,), stages_anyway=True)
def ag_range_of_traced(n):
    s = 0
    for i in ag.range(1, n):
        s += i
    return s


@program((4,), (1,))
def loop_variable_after_loop(n):
    for i in range(n):
        pass
    return i


@program((4,), (0,))
def loop_variable_initialised_before(n):
    i = -1
    for i in range(n):
        pass
    return i


@program((ints(1, 2, 3, 4),), transforms=("jaxpr",))
def sum_of_array(v):
    s = 0
    for x in v:
        s = s + x
    return s


@program((floats(1, 2, 3, 4),), (floats(0, 0, 0, -1),), transforms=("vmap", "grad"))
def sum_of_squares(v):
    s = 0.0
    for x in v:
        s = s + x * x
    return s


@program((ints([1, 2], [3, 4], [5, 6]),))
def rows_of_matrix(m):
    s = jnp.zeros(2, jnp.int32)
    for row in m:
        s = s * 10 + row
    return s


@program((ints([1, 2], [3, 4], [5, 6]),))
def unpack_rows(m):
    s = 0
    for a, b in m:
        s = s * 3 + a - b
    return s


@program((ints(4, 5, 6),))
def enumerate_array(v):
    s = 0
    for i, x in enumerate(v):
        s += i * x
    return s


@program((ints(4, 5, 6),))
def enumerate_with_start(v):
    s = 0
    for i, x in enumerate(v, 10):
        s += i * x
    return s, i


@program((ints(4, 5, 6), ints(1, 2, 3)))
def zip_arrays(v, w):
    s = 0
    for x, y in zip(v, w, strict=False):
        s += x * y
    return s


@program((ints(4, 5, 6), ints(1, 2)))
def zip_of_unequal_lengths(v, w):
    s = 0
    for x, y in zip(v, w):  # noqa: B905
        s += x * y
    return s


@program((ints(4, 5, 6), 2))
def zip_array_with_list(v, k):
    s = 0
    for x, y in zip(v, [1, k, 3], strict=True):
        s += x * y
    return s


@program((ints(4, 5, 6), 2))
def zip_array_with_static_range(v, k):
    s = 0
    for x, y in zip(v, range(3), strict=True):
        s += x * y * k
    return s


@program((ints(4, 5, 6),))
def reversed_array(v):
    s = 0
    for x in reversed(v):
        s = s * 10 + x
    return s


@program((ints(4, 5, 6), ints(1, 2, 3)))
def enumerate_zip(v, w):
    s = 0
    for i, (x, y) in enumerate(zip(v, w, strict=True)):
        s += i * x - y
    return s


@program((5,), (0,))
def reversed_range(n):
    s = 0
    for i in reversed(range(n)):
        s = s * 3 + i
    return s


@program((5,), (0,))
def enumerate_range(n):
    s = 0
    for k, i in enumerate(range(1, n)):
        s += k * i
    return s


@program((3, 5), (4, 1))
def list_of_traced(a, b):
    s = 0
    for x in [a, b, a + b]:
        s = s * 2 + x
    return s


@program((3, 5), (4, 1))
def tuple_of_mixed(a, b):
    s = 0
    for x in (a, 10, b):
        s += x
    return s


@program((3, 5), (4, 1))
def dict_of_traced(a, b):
    d = {"a": a, "b": b}
    s = 0
    for k, v in d.items():
        s += v * len(k)
    for v in d.values():
        s -= v
    for k in d:
        s += d[k]
    return s


@program((3, 5), (4, 1))
def generator_of_traced(a, b):
    s = 0
    for x in (y * 2 for y in (a, b)):
        s += x
    return s


@program((3,), (5,))
def string_iteration(n):
    s = 0
    for c in "hello":
        if c == "l":
            s += n
    return s


@program((3, 4), (5, 0), (0, 5))
def nested_ranges(n, m):
    s = 0
    for i in range(n):
        for j in range(m):
            s += i * 10 + j
    return s


@program((4,), (6,))
def triangular(n):
    s = 0
    for i in range(n):
        for j in range(i):
            s += j
    return s


@program((4,), (0,))
def static_outer_traced_inner(n):
    s = 0
    for k in range(3):
        for j in range(n):
            s += k * j
    return s


@program((4,), (0,))
def traced_outer_static_inner(n):
    s = 0
    for j in range(n):
        for k in (1, 2, 3):
            s += k * j
    return s


@program((7,), (3,), promotes=True)
def accumulator_becomes_float(n):
    s = 0
    for _i in range(n):
        s += 0.25
    return s


@program((floats(0.5, 1.5),))
def weak_int_accumulator_over_floats(v):
    s = 0
    for x in v:
        s += x
    return s


@program((5,), (0,))
def for_with_if(n):
    even = odd = 0
    for i in range(n):
        if i % 2 == 0:
            even += i
        else:
            odd += i
    return even, odd


@program((5,), (12,))
def variable_from_last_iteration(n):
    for i in range(n):
        square = i * i
    return square


@program((5,), (2,))
def body_rebinds_bound(n):
    s = 0
    for i in range(n):
        n = n + i
        s += n
    return s, n


@program((5, 3), (2, 2))
def iterable_evaluated_once(n, m):
    calls = 0

    def bound():
        nonlocal calls
        calls += 1
        return n

    s = 0
    for i in range(bound()):
        s += i * m
    return s, calls


@program((floats(1, 2, 3, 4),))
def running_maximum(v):
    best = v[0]
    for x in v:
        if x > best:
            best = x
    return best


@program((floats(2, -3, 4),), transforms=("grad",))
def horner(c):
    y = 0.0
    for a in c:
        y = y * 0.5 + a
    return y


@program((ints(3, 1, 2),), (ints(1, 2, 3),))
def argmax(v):
    best, where = v[0], 0
    for i, x in enumerate(v):
        if x > best:
            best, where = x, i
    return where


@program((5,), (3,))
def subscript_target(n):
    out = {"i": 0, "s": 0}
    for out["i"] in (1, 2, n):
        out["s"] += out["i"]
    return out


@program((ints(1, 2, 3),))
def starred_target(v):
    s = 0
    for a, *rest in [(v[0], 1, 2), (v[1], 3), (v[2],)]:
        s += a + len(rest)
    return s


@program((floats(1, 2, 3), 2.0))
def array_times_traced(v, k):
    s = 0.0
    for x in v * k:
        s += x
    return s


@program((4,), (1,))
def for_over_arange(n):
    s = 0
    for i in jnp.arange(5):
        s += i * n
    return s


@program((jnp.zeros((0,), jnp.int32), 3))
def empty_array(v, n):
    for x in v:
        n = n + x
    return n


@program((6,), (1,))
def counted_loop_with_array_carry(n):
    v = jnp.zeros(3, jnp.int32)
    for i in range(n):
        v = v + i
    return v


@program((3,), (5,))
def same_target_twice(n):
    s = 0
    for i in range(n):
        for i in range(2):  # noqa: B020
            s += i
        s += 10 * i
    return s, i


@program((5,), (1,))
def power_by_counting(n):
    x = jnp.ones((2, 2), jnp.int32)
    for _ in range(n):
        x = x @ jnp.array([[1, 1], [1, 0]], jnp.int32)
    return x


@program((jnp.array([3, 1, 4, 1, 5, 9, 2]),), (jnp.array([5, 4, 4]),))
def largest_from_none(xs):
    best = None
    for x in xs:
        if best is None or x > best:
            best = x
    return best


@program((jnp.array([3, 1, 4, 1, 5, 9, 2]),), (jnp.array([5, 4, 4]),))
def differences_from_none(xs):
    falls, last = 0, None
    for i, x in enumerate(xs):
        if last is not None and x < last:
            falls += i
        last = x
    return falls, last
