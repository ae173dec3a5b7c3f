"""Subscripts, slices and element assignment on arrays (the reference runs on NumPy copies where it assigns)."""

import jax.numpy as jnp
import numpy as np

import autograph as ag
from tests.programs.harness import floats, ints, program

V = ints(10, 20, 30, 40)
M = ints([1, 2, 3], [4, 5, 6], [7, 8, 9])


@program((V, 2), (V, 0), (V, 3), transforms=("vmap",))
def read_traced_index(v, i):
    return v[i]


@program((V, -1), (V, -4))
def read_negative_index(v, i):
    return v[i]


@program((M, 1, 2), (M, 0, 0))
def read_two_indices(m, i, j):
    return m[i, j]


@program((M, 1, 2), (M, 0, 0))
def read_twice(m, i, j):
    return m[i][j]


@program((M, 1), (M, 2))
def read_row_and_column(m, i):
    return m[i].sum() - m[:, i].sum()


@program((V, 1), (V, 2))
def read_slice_of_static_length(v, i):
    return v[i : i + 2]


@program((V,))
def static_slices(v):
    return v[1:3], v[:-1], v[::-1], v[::2], v[...]


@program((V, 2), (V, 0), numpy=True)
def write_traced_index(v, i):
    v[i] = 99
    return v


@program((V, 2), (V, -1), numpy=True)
def augment_traced_index(v, i):
    v[i] += 5
    v[i] *= 2
    return v


@program((M, 1, 2), numpy=True)
def write_two_indices(m, i, j):
    m[i, j] = -1
    return m


@program((M, 1, 2), numpy=True)
def write_chained_indices(m, i, j):
    m[i][j] = -1
    return m


@program((M, 1), numpy=True)
def write_row(m, i):
    m[i] = m[i] * 2
    return m


@program((M, 1), numpy=True)
def write_column(m, i):
    m[:, i] = 0
    return m


@program((V, 7), numpy=True)
def write_slice(v, k):
    v[1:3] = k
    return v


@program((V, 7), numpy=True)
def augment_slice(v, k):
    v[1:] += k
    v[::2] -= 1
    return v


@program((V, 1), (V, 3), numpy=True)
def write_in_branch(v, i):
    if v[i] > 25:
        v[i] = 0
    else:
        v[i] = 1
    return v


@program((V, 1), (V, 3), numpy=True)
def write_in_one_branch(v, i):
    if i > 2:
        v[-1] = v[-1] + 1
    return v


@program((V, 3), (V, 0), numpy=True)
def write_in_loop(v, n):
    for i in range(n):
        v[i] = v[i] + i
    return v


@program((V, 3), (V, 0), numpy=True, transforms=("vmap",))
def write_in_while(v, n):
    i = 0
    while i < n:
        v[i] = v[i + 1] - v[i]
        i += 1
    return v


@program((ints(5, 2, 9, 1, 7),), (ints(1, 2, 3, 4, 5),), numpy=True, transforms=("vmap",))
def bubble_sort(v):
    n = len(v)
    for i in range(n):
        for j in range(n - 1 - i):
            if v[j] > v[j + 1]:
                v[j], v[j + 1] = v[j + 1], v[j]
    return v


@program((ints(5, 2, 9, 1, 7),), (ints(5, 4, 3, 2, 1),), numpy=True)
def insertion_sort(v):
    for i in range(1, len(v)):
        key = v[i]
        j = i - 1
        while j >= 0 and v[j] > key:
            v[j + 1] = v[j]
            j -= 1
        v[j + 1] = key
    return v


@program((ints(5, 2, 9, 1, 7), 5), (ints(5, 2, 9, 1, 7), 3), numpy=True)
def selection_sort_prefix(v, n):
    for i in range(n):
        low = i
        for j in range(i + 1, n):
            if v[j] < v[low]:
                low = j
        t = v[i]
        v[i] = v[low]
        v[low] = t
    return v


@program((ints(1, 3, 5, 7, 9), 7), (ints(1, 3, 5, 7, 9), 4), (ints(1, 3, 5, 7, 9), 99))
def binary_search(v, x):
    lo, hi = 0, len(v)
    while lo < hi:
        mid = (lo + hi) // 2
        if v[mid] == x:
            return mid
        if v[mid] < x:
            lo = mid + 1
        else:
            hi = mid
    return -1


@program((ints(*[1] * 31), 30), (ints(*[1] * 31), 10), numpy=True)
def sieve(flags, n):
    flags[0] = 0
    flags[1] = 0
    i = 2
    while i * i <= n:
        if flags[i] == 1:
            j = i * i
            while j <= n:
                flags[j] = 0
                j += i
        i += 1
    count = 0
    for k in range(n + 1):
        count += flags[k]
    return count


@program((ints(0, 0, 0, 0), ints(1, 3, 1, 0, 1)), numpy=True)
def histogram(counts, v):
    for x in v:
        counts[x] += 1
    return counts


@program((ints(1, 2, 3, 4, 5), 2), (ints(1, 2, 3, 4, 5), 0), numpy=True)
def rotate_left(v, k):
    for _ in range(k):
        first = v[0]
        v[:-1] = v[1:]
        v[-1] = first
    return v


@program((ints(1, 2, 3, 4, 5),), (ints(9, 8, 7, 6, 5),), numpy=True)
def reverse_in_place(v):
    i, j = 0, len(v) - 1
    while i < j:
        v[i], v[j] = v[j], v[i]
        i += 1
        j -= 1
    return v


@program((ints(1, 2, 3, 4),), numpy=True)
def prefix_sums(v):
    for i in range(1, len(v)):
        v[i] += v[i - 1]
    return v


@program((floats(1, 2, 3, 4), 2.0), numpy=True)
def write_float(v, x):
    v[1] = x / 4.0
    v[2] = 7
    return v


@program((V, 2), numpy=True)
def order_of_evaluation(v, i):
    log = 0

    def value():
        nonlocal log
        log = log * 10 + 1
        return 7

    def index():
        nonlocal log
        log = log * 10 + 2
        return i

    v[index()] = value()
    v[index()] += value()
    return v, log


@program((M,), numpy=True)
def write_every_element(m):
    rows, columns = m.shape
    for i in range(rows):
        for j in range(columns):
            m[i, j] = i * 10 + j
    return m


@program((M, 5), (M, 100), numpy=True)
def clip_by_loop(m, t):
    for i in range(3):
        for j in range(3):
            if m[i, j] > t:
                m[i, j] = t
    return m


@program((V, 2, 1), (V, 0, 3), numpy=True)
def swap_elements(v, i, j):
    v[i], v[j] = v[j], v[i]
    return v


@program((V, 2), numpy=True)
def write_in_called_function_result(v, i):
    def put(w, k):
        w[k] = 0
        return w

    v = put(v, i)
    return v


@program((ints([0, 1, 0], [1, 0, 1], [0, 1, 0]), 0), (ints([0, 0, 0], [0, 0, 1], [0, 1, 0]), 1))
def reachable_breadth_first(adjacency, start):
    seen = jnp.arange(3) == start
    while True:
        grown = seen | jnp.any(adjacency * seen[:, None] > 0, axis=0)
        if jnp.all(grown == seen):
            break
        seen = grown
    return seen


@program((V, ints(3, 1)))
def gather(v, where):
    return v[where]


@program((V, 2))
def index_by_tuple_in_variable(v, i):
    where = (i,)
    return v[where]


@program((V, 25), (V, 5))
def boolean_mask_sum(v, t):
    if (v > t).sum() > 2:
        return v[0]
    return v[-1]


@program((V, 1), numpy=True)
def write_list_of_arrays(v, k):
    rows = [v, v * 2]
    rows[1][k] = 5
    return rows[1]


@program((V, 1), numpy=True)
def write_dict_of_arrays(v, k):
    d = {"v": v}
    d["v"][k] = 5
    d["v"][0] += 1
    return d["v"]


@program((ints([0, 1, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]), 2))
def game_of_life(grid, generations):
    def neighbours(g):
        total = jnp.zeros_like(g)
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                if dy == 0 and dx == 0:
                    continue
                total = total + jnp.roll(g, (dy, dx), (0, 1))
        return total

    for _ in range(generations):
        n = neighbours(grid)
        grid = ((n == 3) | ((grid == 1) & (n == 2))).astype(jnp.int32)
    return grid


@program((ints(3, 1, 4, 1, 5), 3), (ints(3, 1, 4, 1, 5), 0), numpy=True)
def shift_and_insert(cache, x):
    found = -1
    for i in range(len(cache)):
        if cache[i] == x:
            found = i
            break
    if found < 0:
        found = len(cache) - 1
    k = found
    while k > 0:
        cache[k] = cache[k - 1]
        k -= 1
    cache[0] = x
    return cache


@program((floats(3.0, -1.0, 4.0, -1.5),), numpy=True)
def values_put_by_a_mask(x):
    x[x < 0] = 0
    x[x > 3] *= 2
    x[x == 3] += 1.5
    return x


@program((floats(3.0, -1.0, 4.0, -1.5),), numpy=True)
def columns_put_by_a_mask(x):
    m = x > 0
    y = np.zeros((4, 3))
    y[m, 0] = x.sum()
    y[m, 1:] += x[:2]
    y[~m] -= 1
    y[2, y[2] > 2] /= 2
    for i in ag.range(3):
        if x[i] > 0:
            y[x < i, i] = i
    return y


@program((ints([3, -1], [4, -2], [0, 7]),), numpy=True)
def rows_put_by_a_mask(x):
    x[x[:, 1] < 0] = 9
    x[x > 7] -= 1
    return x


@program(
    (floats(1.0, 2.0, 3.0, 4.0, 5.0), 1, floats(10.0, 20.0)),
    (floats(1.0, 2.0, 3.0, 4.0, 5.0), 3, floats(1.0, 2.0)),
    numpy=True,
)
def augmented_windows(x, i, v):
    x[i : i + 2] += v
    x[i - 1 : i + 1] *= 2
    x[i:] -= 1
    x[: i - 1] /= v[0]
    for k in range(3):
        x[k : k + 2] += v
    return x


@program((ints(1, 2, 3), 1, 2.7), (ints(1, 2, 3), -1, -2.7), numpy=True)
def numbers_are_cut_in_an_array_of_integers(k, i, value):
    k[0] = 2.7
    k[i] = value
    k[1] /= 2
    k[k > 2] = value
    return k


@program((floats(1.0, 2.0, 3.0, 4.0),), (floats(4.0, 3.0, 2.0, 1.0),))
def the_functions_of_numpy_that_have_two_names(x):
    m = np.reshape(x, (2, 2))
    return np.transpose(m) + np.permute_dims(m, (1, 0)) * np.abs(m) + np.transpose(m, axes=(1, 0))


@program((V, 1), (V, 7), (V, 9), numpy=True)
def returned_by_an_inner_loop_and_written_there(xs, c):
    k = 0
    while k < 4:
        k += 1
        j = 0
        while j < 3:
            j += 1
            if c > 7:
                return c, xs
            xs[j] = c % 9
        c -= xs[k % 3]
    return c, xs


@program((V, 1, 4), (V, -9, 4), numpy=True)
def returned_where_it_was_written_and_replaced_after(xs, c, n):
    for k in range(1, n + 1):
        for j in range(1, n):
            xs[j % 2] += 1
            if c > -3:
                return c, xs
            xs = xs + 1
        c += xs[k % 3]
    return c, xs


@program((floats(1.0, 2.0), 3.0), (floats(-1.0, 0.5), 0.0))
def lists_beside_traced_arrays_in_functions_of_numpy(x, t):
    y = np.add(x, [1, 2]) * np.dot([1.0, t], x) + np.where(x > 1, x, (5.0, t))
    z = np.concatenate([x, [1.0, t], (2,)]) - np.append(x, [3.0, 4.0, 5.0])
    w = np.average(x, weights=[1.0, 3.0]) + np.sum([[1.0, t], [2.0, 3.0]], axis=(0, 1))
    return (
        y,
        z,
        w,
        np.stack([x, [1, 2]], axis=1),
        np.delete(x, [0]),
        np.diff(x, append=[4.0]),
        np.clip(x, [0, 0], [1, t + 1]),
    )


@program((50,), (2,), (8,))
def primes_by_a_sieve(n):
    is_prime = np.ones(50, bool)
    is_prime[:2] = False
    for p in range(2, n):
        if is_prime[p]:
            is_prime[p * p :: p] = False
    return is_prime


_STEPS = [(a, b, c) for a in (-8, -2, 0, 3, 9) for b in (-9, -1, 2, 8) for c in (-3, -1, 2, 5)]


@program(*((V, *bounds) for bounds in _STEPS), numpy=True, slow=True)
def one_value_at_a_slice_with_a_step(v, a, b, c):
    v[a:b:c] = 7
    v[::c] += 2
    v[a::c] *= 3
    return v
