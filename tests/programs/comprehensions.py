"""Comprehensions and generator expressions over static and traced iterables."""

import jax.numpy as jnp

from tests.programs.harness import floats, ints, program


@program((ints(1, 2, 3),))
def list_over_array(v):
    return [x * 2 for x in v]


@program((ints(1, 2, 3),))
def sum_of_generator(v):
    return sum(x * x for x in v)


@program((3, 4), (4, 7))
def list_over_list(a, b):
    xs = [x + 1 for x in (a, b)]
    return xs[0] * xs[1]


@program((3, 4), (4, 3))
def dict_comprehension(a, b):
    return {k: v * 2 for k, v in {"a": a, "b": b}.items()}


@program((ints(1, 2), ints(3, 4)))
def nested_comprehension(v, w):
    return [x * y for x in v for y in w]


@program((ints([1, 2], [3, 4]),))
def comprehension_of_comprehension(m):
    return [[x + 1 for x in row] for row in m]


@program((ints(1, 2, 3), 2))
def ternary_inside(v, t):
    return [x if x > t else -x for x in v]


@program((ints(1, 2, 3),), (ints(0, 1, 2),))
def any_all_of_generator(v):
    return any(x > 2 for x in v), all(x > 0 for x in v)


@program((ints(3, 1, 2),))
def max_of_generator(v):
    return max(x * 2 for x in v), min(x - 1 for x in v)


@program((ints(3, 1, 2), ints(1, 1, 5)))
def zip_in_comprehension(v, w):
    return sum(x * y for x, y in zip(v, w, strict=True))


@program((ints(3, 1, 2),))
def enumerate_in_comprehension(v):
    return sum(i * x for i, x in enumerate(v))


@program((4,), (2,))
def static_filter(n):
    return [n * i for i in range(6) if i % 2 == 0]


@program((4,), (2,))
def comprehension_scope(n):
    i = n
    xs = [i for i in range(3)]
    return i + len(xs)


@program((4,), (2,))
def comprehension_reads_changed_variable(n):
    if n > 3:
        n = n * 10
    xs = [n + i for i in range(2)]
    return xs[0] + xs[1]


@program((4,), (2,))
def comprehension_in_branch(n):
    xs = [n, n + 1, n + 2]
    if n > 3:
        xs = [x * 2 for x in xs]
    return xs[0] + xs[2]


@program((4,), (2,))
def comprehension_in_loop(n):
    s = 0
    while n > 0:
        s += sum([n * k for k in (1, 2)])
        n -= 1
    return s


@program((4,), (2,))
def call_in_comprehension(n):
    def f(x):
        if x > 3:
            return x * 10
        return x

    return [f(n + i) for i in range(3)]


@program((floats(3, 4),))
def norm_by_generator(v):
    return jnp.sqrt(sum(x * x for x in v))


@program((4,), (2,))
def generator_expression_is_lazy(n):
    g = (n + i for i in range(3))
    n = n * 100
    return next(g) + next(g)


@program((4,), (2,))
def unpack_comprehension(n):
    a, b, c = (n + i for i in range(3))
    return a * b - c


@program((4,), (2,))
def tuple_of_generator(n):
    return tuple(n if i == 1 else i for i in range(3))


@program((4,), (2,))
def stack_of_comprehension(n):
    return jnp.stack([n * i for i in range(3)])


@program((ints(1, 2, 3),))
def reversed_in_comprehension(v):
    return [x for x in reversed(v)]


@program((4,), (2,))
def set_of_static(n):
    names = {c for c in "abca"}
    return n * len(names)


@program((ints(1, 2, 3), ints(1, 5, 3)))
def count_matches(v, w):
    return sum(1 if x == y else 0 for x, y in zip(v, w, strict=True))


@program((ints(1, -2, 3, 0),), (ints(-1, -1, -1, -1),), transforms=("vmap",))
def lists_that_are_only_counted_or_summed(v):
    positive = len([x for x in v if x > 0])
    total = sum([x * 2 for x in v if x > 0 if x < 3])
    return positive, total, any([x > 2 for x in v if x != 0]), all([x > 0 for x in v if x != 0])


@program((3,), (-3,))
def elements_of_a_counted_list_are_evaluated(n):
    seen = [0]

    def note(x):
        seen[0] += x
        return x

    return len([note(x) for x in (n, 2 * n, 5) if x > 0]), seen


@program((3,), (-3,))
def static_filters(n):
    xs = [n, None, 2]
    one = max(x for x in xs if x is not None), min(x for x in xs if x is not None if x > -5)
    some = sum(x for x in xs if x is not None if x > 0), any(x > 2 for x in xs if x is not None)
    return one, some, next((x for x in xs if x is not None), 0), all(x > 2 for x in xs if x is not None if x < 9)


@program((3,), (5,))
def static_filters_over_a_range(n):
    largest = max(i for i in range(n) if i is not None if isinstance(i, object))
    return largest, sum(i for i in range(n) if i is not None), next((i for i in range(n) if i is None), 9)
