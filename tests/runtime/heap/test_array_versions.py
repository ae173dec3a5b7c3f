"""Arrays written under one name and read under another: the answer of NumPy, or a refusal that names the variable."""

import gc
import weakref

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from autograph.errors import StagingError

VECTOR = np.array([3.0, 1.0, 2.0, 0.0, 5.0], np.float32)
MATRIX = np.arange(6, dtype=np.float32).reshape(2, 3)


def swap(v, i, j):
    v[i], v[j] = v[j], v[i]


def bump(v):
    v[0] = 9
    return v


def sort_in_place(v):
    n = len(v)
    for _ in ag.range(n):
        for j in ag.range(n - 1):
            if v[j] > v[j + 1]:
                swap(v, j, j + 1)


def partition(v, low, high):
    pivot = v[high]
    i = low - 1
    for j in range(low, high):
        if v[j] <= pivot:
            i += 1
            swap(v, i, j)
    swap(v, i + 1, high)
    return i + 1


def merge_sort(a, low, high):
    if low < high:
        middle = (low + high) // 2
        merge_sort(a, low, middle)
        merge_sort(a, middle + 1, high)
        for _ in range(low, high):
            for j in range(low, high):
                if a[j] > a[j + 1]:
                    swap(a, j, j + 1)


class Sorter:
    def __init__(self, items):
        self.items = items

    def exchange(self, v, i, j):
        v[i], v[j] = v[j], v[i]

    def run(self):
        for _ in ag.range(len(self.items)):
            for j in ag.range(len(self.items) - 1):
                if self.items[j] > self.items[j + 1]:
                    self.exchange(self.items, j, j=j + 1)
        return self.items


def statement(a):
    swap(a, 0, 1)
    return a


def keyword(a):
    swap(j=0, v=a, i=2)
    return a


def through_two_functions(a):
    sort_in_place(a)
    return a


def with_a_result(a):
    k = partition(a, 0, len(a) - 1)
    return a, k


def result_into_itself(a):
    a[0] = partition(a, 0, len(a) - 1)
    return a


def in_a_test(a):
    if partition(a, 0, 2) > 1:
        a[0] += 10
    return a


def recursive(a):
    merge_sort(a, 0, len(a) - 1)
    return a


def in_an_attribute(a):
    sorter = Sorter(a)
    for _ in ag.range(3):
        for j in ag.range(4):
            if sorter.items[j] > sorter.items[j + 1]:
                swap(sorter.items, j, j + 1)
    return sorter.items


def in_a_list(a):
    kept = [a.copy(), a]
    swap(kept[1], 0, 2)
    return kept


def returned_under_another_name(a):
    b = bump(a)
    return a + b


def returned_under_its_name(a):
    a = bump(a)
    return a


def sorted_by_its_method(a):
    a.sort()
    return a


def filled(a):
    a.fill(3)
    return a


def captured(a):
    def write():
        swap(a, 0, 1)

    write()
    return a


def copied_row(m):
    row = m[0].copy()
    row[1] = 5
    return m + row


def at_the_index_of_the_iteration(a):
    for i, v in enumerate(a):
        if v > 1:
            a[i] = v * 2
    return a


def buffers_change_places(a):
    old = a.copy()
    new = a.copy()
    for _ in ag.range(3):
        for j in ag.range(5):
            new[j] = old[(j + 1) % 5] + 1
        old, new = new, old
    return old, new


def best_copied(a):
    best, least, now = a.copy(), 100.0, a.copy()
    for i in ag.range(4):
        now[i % 3] = now[i % 3] - i
        if now.sum() < least:
            best, least = now.copy(), now.sum()
    return best


def rebound_before(a):
    x = a
    if a[0] > 2:
        x = x * 2
    else:
        x = x + 1
    x[0] = 1
    return a, x


def element_of_a_row(m):
    m[0][1] = 7
    m[1][2] += 7
    m[0] += 1
    return m


def scale_and_add(v):
    v *= 2
    for i in range(len(v)):
        v[i] += i


def add_and_scale(v):
    for i in range(40):
        v[i % 5] += i
        v *= 0.5
    v -= 1


def updated_where_elements_are_written(a):
    scale_and_add(a)
    add_and_scale(a)
    return a


def updated_by_a_slice(a):
    def scale(v):
        v[:] *= 2

    scale(a)
    return a


SAME = [
    updated_where_elements_are_written,
    updated_by_a_slice,
    statement,
    keyword,
    through_two_functions,
    with_a_result,
    result_into_itself,
    in_a_test,
    recursive,
    in_an_attribute,
    in_a_list,
    returned_under_another_name,
    returned_under_its_name,
    sorted_by_its_method,
    filled,
    captured,
    copied_row,
    at_the_index_of_the_iteration,
    buffers_change_places,
    best_copied,
    rebound_before,
    element_of_a_row,
]


def of_matrix(fn):
    return fn.__code__.co_varnames[0] == "m"


def expected(fn):
    return fn((MATRIX if of_matrix(fn) else VECTOR).copy())


@pytest.mark.parametrize("fn", SAME, ids=lambda fn: fn.__name__)
def test_numpy_answers_the_same(fn):
    got = ag.jit(fn)(MATRIX if of_matrix(fn) else VECTOR)
    jax.tree.map(np.testing.assert_allclose, expected(fn), got)


def test_methods_that_write_an_argument():
    got = ag.jit(lambda a: Sorter(a).run())(VECTOR)
    assert got.tolist() == sorted(VECTOR.tolist())


def alias(a):
    b = a
    b[0] = 1
    return a + b


def alias_returned(a):
    b = a
    b[0] = 1
    return a


def alias_in_a_branch(a):
    b = a
    if a[0] > 1:
        b[0] = 7
    return a + 0


def one_of_two(m):
    q = m if m[0, 1] > 0 else m + 1
    q[0, 0] = 3
    return m + 0


def one_of_two_that_a_branch_wrote(a):
    u, w = a + 1, a
    for _ in range(2):
        if u[0] > 1:
            w.sort()
        else:
            u = w
    return u + 0


def slice_updated(a):
    half = a[:2]
    half += 1
    return a + 0


def row_written(m):
    row = m[0]
    row[1] = 5
    return m + 0


def rows_of_a_loop(m):
    for row in m:
        row[0] = 0
    return m + 0


def transposed(m):
    t = m.T
    t[0, 0] = 5
    return m + 0


def row_of_what_is_written(m):
    row = m[0]
    m[0, 1] = 9
    return row + 0


def two_views(a):
    u, v = a[::-1], a[:3]
    u[4] = 1
    return v + 0


def rows_exchanged(m):
    m[0], m[1] = m[1], m[0]
    return m


def read_ahead(a):
    n = len(a)
    for i, v in enumerate(a):
        if i + 1 < n:
            a[i + 1] = v + 1
    return a


def alias_read_in_a_loop(a):
    p = a
    for i in ag.range(3):
        a[i % 5] = p[0] + 1
    return a


def alias_of_the_iteration_before(a):
    p = a
    for _ in ag.range(3):
        p = a
        a[0] = a[0] + 1
    return p - a


def best_by_name(a):
    best, least, now = a, 100.0, a.copy()
    for i in ag.range(4):
        now[i % 3] = now[i % 3] - i
        if now.sum() < least:
            best, least = now, now.sum()
    return best


def updated_by_a_function(a):
    def add(v):
        v += 1

    add(a)
    return a + 0


def slice_taken_in_each_iteration(a):
    c = 0
    for k in ag.range(3):
        c = c + a[k]
        part = a[:2]
        part[1] = 1
    return c


def row_at_a_traced_index(m):
    k = m[0, 0].astype(int)
    row = m[k]
    row[1] = 7
    return m + 0


def slice_that_a_loop_may_leave(a):
    part, n = a[:3], a[3].astype(int)  # 0: the loop does not run
    while n > 0:
        n, part = n - 1, part * 2
    a[0] = 9
    return part


def slice_of_unknown_length_that_a_loop_may_leave(a):
    part = a[: a[2].astype(int)]
    for i in ag.range(a[3].astype(int)):
        part = part * i
    a[0] = 9
    return part


REFUSED = [
    slice_that_a_loop_may_leave,
    slice_of_unknown_length_that_a_loop_may_leave,
    slice_taken_in_each_iteration,
    row_at_a_traced_index,
    alias,
    alias_returned,
    alias_in_a_branch,
    one_of_two,
    one_of_two_that_a_branch_wrote,
    slice_updated,
    row_written,
    rows_of_a_loop,
    transposed,
    row_of_what_is_written,
    two_views,
    rows_exchanged,
    read_ahead,
    alias_read_in_a_loop,
    alias_of_the_iteration_before,
    best_by_name,
    updated_by_a_function,
]


@pytest.mark.parametrize("fn", REFUSED, ids=lambda fn: fn.__name__)
def test_refused_where_numpy_would_show_the_write(fn):
    with pytest.raises(StagingError, match="under another name"):
        ag.jit(fn)(MATRIX if of_matrix(fn) else VECTOR)


@pytest.mark.parametrize(
    "fn", [alias, row_written, row_of_what_is_written, row_at_a_traced_index], ids=lambda fn: fn.__name__
)
@pytest.mark.parametrize("transform", [jax.vmap, jax.jacfwd, jax.jacrev], ids=lambda t: t.__name__)
def test_refused_under_transforms(fn, transform):
    argument = MATRIX if of_matrix(fn) else VECTOR
    if transform is jax.vmap:
        argument = np.stack([argument, argument])
    with pytest.raises(StagingError, match="under another name"):
        jax.jit(transform(ag.convert(fn)))(argument)


def test_the_message_names_variable_and_line():
    with pytest.raises(StagingError) as caught:
        ag.jit(alias)(VECTOR)
    first = alias.__code__.co_firstlineno
    lines = str(caught.value).splitlines()
    assert lines[0] == "'a' is read after it was written under another name"
    assert lines[1].endswith(f"test_array_versions.py:{first + 3}")
    assert f"(line {first + 2})" in lines[3]


def test_where_the_result_is_what_was_written_the_message_names_the_write():
    def first_row_cleared(m):
        row = m[0]
        row[0] = 0
        return m

    with pytest.raises(StagingError) as caught:
        ag.jit(first_row_cleared)(np.ones((2, 2), np.float32))
    lines = str(caught.value).splitlines()
    assert lines[0] == "the returned array is read after it was written under another name"
    assert lines[1].endswith(f"test_array_versions.py:{first_row_cleared.__code__.co_firstlineno + 2}")


def test_the_gradient_reads_what_was_there():
    def f(a):
        b = a * a
        b[0] = a[1] * b[1]
        b[1] = b[0] * a[2]
        return b.sum()

    def functional(a):
        b = a * a
        b = b.at[0].set(a[1] * b[1])
        b = b.at[1].set(b[0] * a[2])
        return b.sum()

    for transform in (jax.grad, lambda g: jax.jit(jax.grad(g)), jax.jacfwd):
        np.testing.assert_allclose(transform(ag.convert(f))(VECTOR), transform(functional)(VECTOR))


def test_shape_and_dtype_can_be_read():
    def f(a):
        b = a
        b[0] = 1
        return b, a.shape[0]

    assert ag.jit(f)(VECTOR)[1] == 5


def test_nothing_is_kept():
    kept = []

    def f(a):
        b = a + 1
        kept.append(weakref.ref(b))
        c = b
        c[0] = 1
        for i in ag.range(3):
            c[i] = c[i] + 1
        return c

    ag.jit(f)(jnp.zeros(4))
    gc.collect()
    assert kept[0]() is None


def heapify(a, n, i):
    largest, left, right = i, 2 * i + 1, 2 * i + 2
    if left < n and a[left] > a[largest]:
        largest = left
    if right < n and a[right] > a[largest]:
        largest = right
    if largest != i:
        a[i], a[largest] = a[largest], a[i]
        return largest
    return -1


def heap_sort(a):
    for start in range(len(a) // 2 - 1, -1, -1):
        i = start
        while i >= 0:
            i = heapify(a, len(a), i)
    for end in range(len(a) - 1, 0, -1):
        swap(a, 0, end)
        i = 0
        while i >= 0:
            i = heapify(a, end, i)
    return a


def test_a_parameter_that_was_written_outlives_the_function():
    assert ag.jit(heap_sort)(VECTOR).tolist() == sorted(VECTOR.tolist())


def test_rows_that_are_swapped_have_no_name_in_the_source():
    def swapped(m):
        m[0], m[1] = m[1], m[0]
        return m

    with pytest.raises(StagingError, match="^an array is read after it was written under another name"):
        ag.jit(swapped)(jnp.ones((2, 2)))


CHOICES = {
    "max": lambda m, i: max(m, key=lambda row: row[0]),
    "min of two": lambda m, i: min(m[0], m[1], key=lambda row: row[1]),
    "sorted": lambda m, i: sorted(m, key=lambda row: row[0])[1],
    "a list at a traced index": lambda m, i: [m[0], m[1]][i],
    "np.diagonal": lambda m, i: np.diagonal(m),
    "diagonal": lambda m, i: m.diagonal(),
    "einsum of a diagonal": lambda m, i: np.einsum("ii->i", m[:2, :2]),
    "einsum of columns": lambda m, i: np.einsum("ij->ji", m),
}
if hasattr(np, "unstack"):  # from NumPy 2.1 on
    CHOICES["np.unstack"] = lambda m, i: np.unstack(m)[1]


@pytest.mark.parametrize("choice", CHOICES)
def test_an_array_that_a_traced_value_chose_is_one_of_them(choice):
    pick = CHOICES[choice]

    def written_base(m, i):
        m = m.copy()
        row = pick(m, i)
        m[1] = 9
        return row

    def written_choice(m, i):
        m = m.copy()
        row = pick(m, i)
        row[0] = 9
        return m

    def read_alone(m, i):
        m = m.copy()
        m[1, 1] = 7
        row = pick(m, i)
        return row, m

    for fn in (written_base, written_choice):
        if fn is written_base or "diagonal" not in choice.split(".")[-1:]:  # NumPy does not write that one
            with pytest.raises(StagingError, match="is read after it was written under another name"):
                ag.jit(fn)(MATRIX, 1)
    for got, wanted in zip(ag.jit(read_alone)(MATRIX, 1), read_alone(MATRIX, 1), strict=True):
        np.testing.assert_array_equal(got, wanted)


def write_in_a_finally(a, b, xs):
    try:
        for i in range(a):
            if i > b:
                return xs
    finally:
        xs[0] = 9
    return xs


def write_what_a_function_returned(a, b, xs):
    def first(xs):
        for i in range(a):
            if i > b:
                return xs
        xs[1] = 3
        return xs

    ys = first(xs)
    xs[0] = 7
    return ys


def write_under_another_condition(a, b, xs):
    def first():
        for i in range(a):
            if i > b:
                return xs
        return xs * 2

    ys = first()
    if not b > 1:
        xs[2] = 7
    return ys


@pytest.mark.parametrize("fn", [write_in_a_finally, write_what_a_function_returned, write_under_another_condition])
def test_a_returned_array_that_is_written_on_the_path_that_returns_it_is_refused(fn):
    with pytest.raises(StagingError, match="is read after it was written under another name"):
        ag.jit(fn)(5, 1, jnp.arange(4))


BOARD = np.zeros((2, 3))


def a_row(i):
    board = np.zeros((2, 3))
    row = board[i]
    row[0] = 5
    return board.sum()


def a_slice(i):
    board = np.ones((2, 3))
    rows = board[i : i + 1]
    rows *= 3
    return board.sum()


def a_row_of_a_global(i):
    row = BOARD[i]
    row += 1
    return BOARD + 1


def a_part_of_a_row(i):
    board = np.zeros((2, 3))
    part = board[i][0:2]
    part[1] = 4
    return np.sum(board)


def one_of_two(i):
    a, b = np.ones(3), np.zeros(3)
    c = a if i > 0 else b
    c[0] = 9
    return a, b


def one_of_two_in_statements(i):
    a, b = np.ones(3), np.zeros(3)
    if i > 0:
        c = a
    else:
        c = b
    c[0] = 9
    return a, b


def one_of_a_list(i):
    arrays = [np.ones(3), np.zeros(3)]
    arrays[i][0] = 9
    return arrays[0].sum(), arrays[1].sum()


def the_largest(i):
    a, b = np.ones(3), np.zeros(3)
    c = max((a, b), key=lambda t: t[0] * i)
    c[0] = 9
    return a.sum()


def what_a_loop_leaves(i):
    board = np.zeros((3, 2))
    row = board[0]
    for k in ag.range(2):
        row = board[k + 1]
    row[1] = 4
    return board.sum()


def what_a_loop_may_leave(i):
    board = np.zeros((2, 3))
    row = board[0]
    while i > 5:
        row = row + 1
        i -= 1
    row[1] = 4
    return board.sum()


@pytest.mark.parametrize(
    "fn",
    [
        a_row, a_slice, a_row_of_a_global, a_part_of_a_row, one_of_two, one_of_two_in_statements, one_of_a_list, the_largest,
        what_a_loop_leaves, what_a_loop_may_leave,
    ],
)  # fmt: skip
def test_what_numpy_would_show_in_an_array_of_its_own_is_refused(fn):
    with pytest.raises(ag.StagingError, match="an array is (written that may be a view of|read after it was written under)"):
        ag.jit(fn)(jnp.int32(1))


def copies(i):
    board = np.arange(6.0).reshape(2, 3)
    row, other, third = board[i].copy(), board[i], board[[i, 0]]
    row[0], third[0] = 5, i
    other = other + 1
    other[0] = 7
    return board.sum() + row.sum() + other.sum(), third


def new_arrays(i):
    a = np.zeros(3) if i > 0 else np.ones(3)
    b = [np.zeros(3), np.ones(3)][i % 2]
    a[0] = b[1] = i
    while i > 0:
        a[2] += i
        i -= 1
    a[1] = 7
    return a, b


@pytest.mark.parametrize("fn", [copies, new_arrays])
def test_what_no_array_of_numpy_shares_is_written(fn):
    if fn is new_arrays and jax.__version_info__ < (0, 9, 2):  # JAX keeps the arrays of the branches, as a name would
        with pytest.raises(ag.StagingError, match="may be a view of an array of NumPy's"):
            ag.jit(fn)(jnp.int32(1))
        return
    for i in (0, 1):
        for got, wanted in zip(ag.jit(fn)(jnp.int32(i)), fn(i), strict=True):
            np.testing.assert_allclose(got, wanted)


def _used_then_written(x):
    y = jnp.ones(3)
    z = y * x
    y[0] = 5.0
    return z.sum() * x + y[0]


def _filled_until(x):
    y = jnp.zeros(3)
    for i in ag.range(3):
        y[i] = x * (i + 1)
        if x > 2:
            break
    return y[0] * x + y[1]


def test_a_derivative_reads_what_was_used_before_a_write():
    """The array is one of the trace around the derivative, which replays the program after the write."""
    inside = ag.convert(_used_then_written)
    for run in (
        jax.grad(inside),
        lambda x: jax.vjp(inside, x)[1](jnp.float32(1.0))[0],
        lambda x: jax.linearize(inside, x)[1](jnp.ones_like(x)),
        lambda x: jax.vmap(jax.grad(inside))(x[None])[0],
        lambda x: ag.jit(lambda x: jax.grad(_used_then_written)(x))(x),
    ):
        assert jax.jit(run)(jnp.float32(0.5)) == 3.0
    assert jax.jit(jax.hessian(inside))(0.5) == 6.0
    assert ag.function(jax.grad(_used_then_written))(0.5) == 3.0
    jax.make_jaxpr(jax.grad(ag.convert(_filled_until)))(0.5)


def test_a_derivative_is_not_given_an_array_that_was_written():
    def f(x):
        y = jnp.ones(3)
        old = y
        back = jax.vjp(lambda u: u * y, x)[1]
        y[0] = 5.0
        return back(old)

    with pytest.raises(StagingError, match="'old' is read after it was written under another name"):
        ag.jit(f)(jnp.ones(3))
