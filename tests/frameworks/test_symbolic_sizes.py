"""Programs that are exported for sizes which are not known (`jax.export.symbolic_shape`): one program serves every size."""

import collections
import functools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from tests.frameworks.harness import assert_same

SIZES = {"n": (1, 2, 4, 7), "m - 1": (0, 1, 5)}
"""What a size is, and for which numbers its program is called: a name stands for one of at least 1."""


def export(f, size="n"):
    """A function of a vector, exported for any number of elements."""
    (n,) = jax.export.symbolic_shape(size)
    return jax.export.export(ag.jit(f))(jax.ShapeDtypeStruct((n,), jnp.float32))


SERVED, REFUSED = [], []
"""The programs below, with what each test of them needs."""


def serves(f=None, *, sizes=tuple(SIZES), plain=None):
    """Collects a program that returns what plain Python does (or `plain`, where only JAX can run it), for every size."""
    if f is None:
        return functools.partial(serves, sizes=sizes, plain=plain)
    SERVED.extend(pytest.param(f, size, plain or f, id=f"{f.__name__}-{size}") for size in sizes)
    return f


def refused(f=None, *, match, sizes=("n",)):
    """Collects a program that cannot be exported."""
    if f is None:
        return functools.partial(refused, match=match, sizes=sizes)
    REFUSED.extend(pytest.param(f, size, match, id=f"{f.__name__}-{size}") for size in sizes)
    return f


@serves
def comparisons(x):
    n, found = x.shape[0], []
    for k in range(9):
        found += [n == k, n != k, n < k, n <= k, n > k, n >= k, k == n, k < n, 3 * n <= 2 * k, n % 3 == k]
    return jnp.stack([jnp.asarray(each) for each in found])


@serves
def branches(x):
    n, k = x.shape[0], 0
    if n == 1:
        k += 1
    if 3 * n <= 12:
        k += 10
    if not n > 2:
        k += 100
    if 1 < n < 5:
        k += 1000
    if n in (1, 4) and n != 4:
        k += 10000
    return k + (5 if n < 3 else 6)


@serves
def shapes(x):
    y = jnp.zeros(len(x))
    return (1 if x.shape == (4,) else 2), (3 if x.shape != y.shape else 4), (5 if x.size == 2 else 6)


@serves
def truth(x):
    n = len(x)
    if n - 1:
        return 1
    return 2 if n and not n - 1 else 3


@serves
def a_branch_of_sizes(x):
    k = len(x) if jnp.sum(x) > 3 else 0
    n = len(x)
    return k, (n if n < 3 else 3)


@serves
def numbers(x):
    n = len(x)
    return int(n), float(n), bool(n - 1), n / 2, n // 2, n**2, abs(n - 3), round(n), -n


@serves
def extremes(x):
    n = len(x)
    return min(n, 3), max(2, n), min(n, n + 1), jnp.zeros(max(n, 1)), max(n, 2.5), sorted([n, 3])


@serves
def functions_of_math_and_numpy(x):
    return math.sqrt(len(x)), np.maximum(len(x), 3)


@serves
def a_while_that_counts_down(x):
    n, total, halvings = len(x), 0, 0
    while n > 0:
        total += n
        n -= 1
    n = len(x)
    while n > 1:
        n = n // 2
        halvings += 1
    return total, halvings


@serves
def a_while_with_an_index(x):
    i, total = jnp.int32(0), 0.0
    while i < len(x) and x[i] < 4:
        total += x[i]
        i += 1
    return total, i


@serves
def ranges(x):
    n, s = len(x), 0
    for i in range(1, n + 1, 2):
        s = s + i
    for i in range(n - 1, -1, -1):
        s = 2 * s + i
    for i in range(2, n):
        s += i
    for i in ag.range(n):
        s += i
    for i in range(0, 20, n + 1):
        s += i
    return s


@serves
def what_ranges_say(x):
    n = len(x)
    return n in range(3, 9), 2 in range(n), len(range(1, n + 3)), range(n + 1)[-1], sum(range(n)), sum(i * i for i in range(n))


@serves
def nested_ranges(x):
    pairs = 0
    for i in range(len(x)):
        for j in range(i, len(x)):
            pairs += 1 if x[i] > x[j] else 2
    return pairs


@serves
def breaks(x):
    total, at = 0.0, -1
    for v in x:
        if v > 3:
            break
        total += v
    for i in range(len(x)):
        if x[i] > 1:
            at = i
            break
    for v in reversed(x):
        if v < 1:
            break
        total = 2 * total + v
    return total, at


@serves
def a_return_in_a_loop(x):
    for i, v in enumerate(x):
        if v > 2:
            return i
    return -1


@serves
def an_else_of_a_loop(x):
    for v in x:
        if v > 5:
            break
    else:
        return -1.0
    return v


@serves
def iterators(x):
    s = 0.0
    for i, v in enumerate(x, 1):
        s += i * v
    for a, b in zip(x, 2 * x):
        s += a * b
    for a, b in zip(x, jnp.arange(3.0)):
        s += a * b + 1
    for a, i in zip(x, range(100)):
        s += a * i
    for v in reversed(x):
        s = s / 2 + v
    for i in reversed(range(len(x))):
        s = s / 2 + i
    for v in map(lambda v: 3 * v, x):
        s += v
    for v in filter(lambda v: v > 1, x):
        s += v
    return s


@serves
def the_last_item(x):
    last = -1.0
    for v in x:
        last = v
    return last


@serves
def a_best_that_is_none(x):
    best = None
    for v in x:
        if best is None or v > best:
            best = v
    return -1.0 if best is None else best


@serves(sizes=["n"], plain=lambda x: jnp.where(x > 1, 2 * x, 0))
def a_gradient(x):
    def loss(x):
        total = 0.0
        for v in x:
            if v > 1:
                total = total + v * v
        return total

    return jax.grad(loss)(x)


@serves(sizes=["n"], plain=lambda x: x)
def a_loop_in_vmap(x):
    def rank(v):
        smaller = 0
        for w in x:
            if w < v:
                smaller += 1
        return smaller

    return jax.vmap(rank)(x)


@serves(sizes=["n"], plain=lambda x: (x[::-1], jnp.concatenate([jnp.zeros(1), jnp.cumsum(x[::-1][1:])])))
def elements_written(x):
    n, out = len(x), jnp.zeros(len(x))
    for i in range(n):
        for j in range(0, n - i - 1):
            if x[j] < x[j + 1]:
                x[j], x[j + 1] = x[j + 1], x[j]
    for i in range(1, n):
        out[i] = out[i - 1] + x[i]
    return x, out


@serves(sizes=["n"])
def lists_that_grow(x):
    rows, sums, total = [], [5.0], 0.0
    for i, v in enumerate(x):
        total += v
        rows.append(2 * v + i)
        sums.append(total)
    found = 0.0
    for s in sums:
        found += s
    return jnp.stack(rows), jnp.array(sums), len(sums), found, sums[0], sums[-1]


@serves(sizes=["n"])
def a_list_that_grows_in_a_branch(x):
    if len(x) == 1:
        return x
    rows = []
    for v in x:
        rows.append(2 * v)
    return jnp.stack(rows)


@serves(sizes=["n"])
def a_list_of_pairs_backwards(x):
    pairs, s = [], 0.0
    for v in reversed(x):
        pairs.append((v, v * v))
    for a, b in pairs:
        s = 2 * s + a * b
    return s


@refused(match="a comprehension over an axis of unknown size has no known length")
def a_comprehension(x):
    return jnp.stack([v * 2 for v in x])


@serves
def a_generator(x):
    return sum(v for v in x), any(v > 2 for v in x)


@refused(match="a set or dict would hold or look for n, a size that is not known")
def a_key_of_a_dict(x):
    return {4: 1}.get(len(x), 0)


HASHED = "a set or dict would hold or look for n, a size that is not known"


@refused(match=HASHED)
def a_set_of_sizes(x):
    return len({len(x), 4})


@refused(match=HASHED)
def the_set_of_a_shape(x):
    return len(set(x.shape))


@refused(match=HASHED)
def a_set_comprehension(x):
    return len({n for n in x.shape})


@refused(match=HASHED)
def a_size_that_is_added_to_a_set(x):
    sizes = {4}
    sizes.add(len(x))
    return len(sizes)


@refused(match=HASHED)
def a_key_of_a_dict_display(x):
    return {len(x): 1}.get(4, 0)


@refused(match=HASHED)
def sizes_that_a_library_counts(x):
    return collections.Counter([len(x), 4])[4]


@refused(match=HASHED)
def the_hash_of_a_shape(x):
    return hash(x.shape) == hash((4,))


@functools.partial(jax.jit, static_argnums=1)
def all_but_one(x, n):
    return jnp.sum(x[: n - 1])


@functools.lru_cache
def one_more(n):
    return n + 1


@serves(sizes=["n"])
def a_size_as_a_static_argument(x):
    return all_but_one(x, len(x)) + one_more(len(x))


@refused(match="a set or dict would hold or look for n, a size that is not known")
def a_written_key_of_a_dict(x):
    d = {4: 1}
    d[len(x)] = 2
    return len(d)


@refused(match=r"iter\(\) takes the items of an axis of unknown size(.|\n)*by index \(`x\[0\]`\), or in a `for` loop")
def an_iterator(x):
    return next(iter(x))


@serves(sizes=["n"])
def the_first_item_by_index(x):
    return x[0]


@serves(sizes=["n"], plain=lambda x: (len(x), jnp.float32(0), len(x) - 1, jnp.zeros(9).at[len(x)].set(1.0)))
def an_item_of_an_array_at_a_size(x):
    written = jnp.zeros(9)
    written[len(x)] = 1.0
    return jnp.arange(10)[len(x)], jnp.eye(8)[0, len(x)], jnp.arange(9)[len(x) - 1], written


def first(x):
    return x[0] if len(x) > 1 else -1.0


def test_the_first_item_where_it_is_said_that_there_are_some():
    (n,) = jax.export.symbolic_shape("m - 1", constraints=["m >= 5"])
    called = jax.export.export(ag.jit(first))(jax.ShapeDtypeStruct((n,), jnp.float32))
    for count in (4, 7):
        assert_same(called.call(jnp.arange(float(count))), first(jnp.arange(float(count))))


@refused(match=r"`x\[0\]` needs a size that is known", sizes=["m - 1"])
def the_first_item_of_none(x):
    return first(x)


@serves
def a_size_is_compared_with_each_key(x):
    return 1 if len(x) == 4 else 0


@serves
def the_digits_of_a_size_are_computed(x):
    n, digits = 100 * len(x), 1
    while n > 9:
        n, digits = n // 10, digits + 1
    return digits


@refused(match="a string that shows a traced value is read")
def a_string(x):
    return len(f"{len(x)}")


@refused(match="a string that shows a traced value is read")
def a_string_of_a_deque(x):
    return len(str(collections.deque([len(x)])))


@refused(match="making an array is not possible with a list whose length", sizes=["m - 1"])
def an_array_of_a_list_that_may_be_empty(x):
    rows = []
    for v in x:
        rows.append(v)
    return jnp.stack(rows)


@pytest.mark.parametrize(("f", "size", "plain"), SERVED)
def test_one_program_serves_every_size(f, size, plain):
    called = export(f, size)
    for count in SIZES[size]:
        x = jnp.arange(float(count))
        assert_same(called.call(x), plain(x))


@pytest.mark.parametrize(("f", "size", "match"), REFUSED)
def test_a_program_that_needs_a_known_size_is_refused(f, size, match):
    with pytest.raises(ag.StagingError, match=match):
        export(f, size)


def test_code_that_is_not_converted_compares_as_jax_does():
    @ag.do_not_convert
    def is_four(x):
        return x.shape[0] == 4

    assert not export(lambda x: 1 if is_four(x) else 0).call(jnp.zeros(4))
    with pytest.raises(Exception, match="inconclusive"):
        (n,) = jax.export.symbolic_shape("n")
        jax.eval_shape(lambda x: x if x.shape[0] > 4 else -x, jax.ShapeDtypeStruct((n,), jnp.float32))


def test_without_checks_a_program_that_makes_some_is_exported():
    """An exported program cannot call the host, as checks do."""

    def f(x):
        assert len(x) < 9
        return [10, 20, 30, 40][len(x)]

    ag.set_checks(False)
    try:
        called = export(f)
    finally:
        ag.set_checks(True)
    assert called.call(jnp.zeros(2)) == 30
