"""Elements of arrays, lists and the user's containers: read, written, deleted."""

import math
from collections import Counter

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from autograph.errors import StagingError
from autograph.runtime.calls import dispatch
from autograph.runtime.operators.conditionals import if_exp, if_stmt, nothing
from autograph.runtime.operators.item_paths import aug_item_at, set_item_at
from autograph.runtime.operators.items import aug_item, del_item, get_item, get_slice, set_item


@pytest.fixture(autouse=True)
def functions_as_they_are(monkeypatch):
    """The operators alone: the methods that they call are not converted."""
    monkeypatch.setattr(dispatch, "staged", lambda f: f)


# --- reads ---


@pytest.mark.parametrize("xs", [[10, 20, 30], (10, 20.5, 30), range(5, 30, 7), [True, False, True]])
def test_read_at_a_traced_index(xs):
    f = jax.jit(lambda i: get_item(xs, i))
    for i in range(-len(xs), len(xs)):
        assert f(i) == xs[i] == get_item(xs, i)


def test_elements_promote_together_and_stay_weak():
    assert jax.jit(lambda i: get_item([1, 2], i))(0).weak_type
    assert jax.jit(lambda i: get_item([1, 2.5], i))(0).dtype == jnp.float32
    assert jax.jit(lambda i, x: get_item([x, 2], i))(1, jnp.int8(3)).dtype == jnp.int8


def test_read_of_traced_elements_and_tuples():
    assert jax.jit(lambda i, x: get_item([x, x + 1], i))(1, jnp.ones(2)).tolist() == [2.0, 2.0]
    a, b = jax.jit(lambda i, x: get_item([(x, 1), (5.0, 2)], i))(1, 2.0)
    assert (a, b) == (5.0, 2)


def test_read_of_a_numpy_array():
    table = np.arange(6).reshape(3, 2)
    assert jax.jit(lambda i: get_item(table, i))(-1).tolist() == [4, 5]
    assert jax.jit(lambda i: get_item(table, (i, 1)))(1) == 3
    assert type(get_item(table, 1)) is np.ndarray


def test_read_under_vmap_and_grad():
    f = jax.vmap(lambda i: get_item([1.0, 4.0], i))
    assert f(jnp.array([1, 0, -1])).tolist() == [4.0, 1.0, 4.0]
    g = jax.jit(jax.grad(lambda x, i: get_item([x, x * x, 3.0], i)))
    assert [g(3.0, i) for i in range(3)] == [1.0, 6.0, 0.0]


@pytest.mark.parametrize(
    ("xs", "text"),
    [
        ([abs, 1.0], "neither a number nor an array"),
        ([1.0, jnp.ones(2)], "shapes differ"),
        ([{1}, {2}], "neither a number nor an array"),
        (Counter([1]), "a Counter cannot be read at a traced key"),
        ("abc", "a str cannot be read at a traced index"),
        ([(1, 2), (1,)], "differ in structure"),
    ],
)
def test_what_cannot_be_read_is_named(xs, text):
    with pytest.raises(StagingError, match=text) as refused:
        jax.jit(lambda i: get_item(xs, i))(0)
    assert "test_items.py:" in str(refused.value) and "instead:" in str(refused.value)


def test_a_list_of_one_object_needs_no_choice():
    assert jax.jit(lambda i: get_item(["a", "a"], i) == "a")(1)


def test_wrong_indices_raise_as_python_does():
    with pytest.raises(TypeError, match="list indices must be integers"):
        jax.jit(lambda i: get_item([1, 2], i))(0.5)
    with pytest.raises(IndexError, match="out of range"):
        jax.jit(lambda i: get_item([], i))(0)
    with pytest.raises(IndexError, match="list index out of range"):
        get_item([1], 3)


class Table:
    def __init__(self):
        self.log = []

    def __getitem__(self, key):
        return ("read", key)

    def __setitem__(self, key, value):
        self.log.append((key, value))

    def __delitem__(self, key):
        self.log.append(("del", key))


def test_the_user_s_container():
    table = Table()
    assert get_item(table, 3) == ("read", 3)
    assert jax.jit(lambda i: get_item(table, i)[1] + 1)(3) == 4
    assert set_item(5, table, 1) is table
    del_item(table, 2)
    assert table.log == [(1, 5), ("del", 2)]


# --- slices ---


def test_slice():
    xs = jnp.arange(6.0)
    f = jax.jit(lambda i: get_slice(xs, i, 2))
    assert [f(i).tolist() for i in range(5)] == [xs[i : i + 2].tolist() for i in range(5)]
    assert get_slice([1, 2, 3], 1, 1) == [2]
    assert get_slice(xs, 5, 3).tolist() == [5.0]
    assert str(jax.make_jaxpr(lambda x, i: get_slice(x, i, 2))(xs, 1)).count("dynamic_slice") == 1


def test_slices_of_traced_length():
    assert len(jax.jit(lambda n: get_slice(jnp.ones(3), 0, n))(1)) == 1
    for read in (lambda i: get_slice([1, 2], i, 1), lambda i: get_item((1, 2), slice(i, None))):
        with pytest.raises(StagingError, match="has traced bounds"):
            jax.jit(read)(1)
    with pytest.raises(StagingError, match="4 elements"):
        jax.jit(lambda i: get_slice(jnp.ones(3), i, 4))(0)


# --- writes ---


@pytest.mark.parametrize("i", [0, 2, -1, -3])
def test_write_to_an_array(i):
    expected = np.zeros(3)
    expected[i] = 7
    assert set_item(7, jnp.zeros(3), i).tolist() == expected.tolist()
    assert jax.jit(lambda x, i, v: set_item(v, x, i))(jnp.zeros(3), i, 7).tolist() == expected.tolist()


def test_write_of_slices_and_tuples():
    x = jnp.zeros((2, 3))
    assert set_item(1, x, (0, slice(1, None))).tolist() == [[0, 1, 1], [0, 0, 0]]
    assert set_item([1.0, 2.0, 3.0], x, 1).tolist() == [[0, 0, 0], [1, 2, 3]]
    assert jax.jit(lambda x, i: set_item(5.0, x, (i, -1)))(x, 1).tolist() == [[0, 0, 0], [0, 0, 5]]


@pytest.mark.parametrize("i", [3, -4, (0, 3), (2, 0), (slice(None), 3)])
def test_a_known_index_out_of_range_raises(i):
    x = jnp.zeros(3) if type(i) is int else jnp.zeros((2, 3))
    for write in (lambda: set_item(1.0, x, i), lambda: jax.jit(lambda v: set_item(v, x, i))(1.0)):
        with pytest.raises(IndexError) as found:
            write()
        with pytest.raises(IndexError) as expected:
            np.zeros(x.shape)[i] = 1
        assert str(found.value) == str(expected.value)


def test_dtypes_of_writes(strict_promotion):
    assert set_item(2, jnp.zeros(2, jnp.float16), 0).dtype == jnp.float16
    assert set_item(np.float64(2.5), jnp.zeros(2), 0).tolist() == [2.5, 0.0]
    assert set_item(True, jnp.zeros(2, int), 0).tolist() == [1, 0]
    assert set_item(-1.5, jnp.zeros(2, int), 0).tolist() == [-1, 0]  # as NumPy
    with pytest.raises(StagingError, match="dtype float32 is assigned to an element of an array of dtype int32"):
        set_item(jnp.array([1.5]), jnp.zeros(2, int), slice(0, 1))
    with pytest.raises(StagingError, match="complex64"):
        set_item(1j, jnp.zeros(2), 0)


WRITES = {
    "number": lambda x: (x[0], 1),
    "number of an array": lambda x: (x[1], x[0]),
    "corner": lambda x: ((x[0], 1), x[1]),
    "row": lambda x: (x[0], x),
    "known place": lambda x: (1, x[0]),
    "mask": lambda x: (x > 0, x[0]),
    "rows": lambda x: (slice(x[1], x[0]), x[None]),
}


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize("dtype", [None, "int32"])
def test_what_is_weakly_typed_stays_so(name, dtype):
    """As `.at[i].set(v)` has it: beside an array the elements still take its dtype."""
    array, x = jnp.full((3, 3), 100, dtype), jnp.array([2, 0, 1])

    def write(x):
        index, value = WRITES[name](x)
        return set_item(value, array, index)

    index, value = WRITES[name](x)
    expected = array.at[index].set(value)
    for found in (write(x), jax.jit(write)(x)):
        assert (found.tolist(), found.dtype, found.weak_type) == (expected.tolist(), expected.dtype, dtype is None)
    assert ("weak_type=True" in str(jax.make_jaxpr(write)(x))) is (dtype is None)


def test_write_to_containers():
    xs, d = [1, 2, 3], {}
    assert set_item(5, xs, 1) is xs and xs == [1, 5, 3]
    assert set_item(5, d, "k") is d and d == {"k": 5}
    assert set_item([7, 8], xs, slice(0, 1)) is xs and xs == [7, 8, 5, 3]
    with pytest.raises(TypeError, match="does not support item assignment"):
        set_item(1, (1, 2), 0)
    table = np.zeros(2)
    assert set_item(3, table, 1) is table and table.tolist() == [0.0, 3.0]


def test_write_to_a_list_at_a_traced_index():
    def f(i, v):
        xs = [1, 2.5, v]
        set_item(v, xs, i)
        return xs

    for i in (0, 1, -1):
        expected = [1, 2.5, 9]
        expected[i] = 9
        assert [float(x) for x in jax.jit(f)(i, 9)] == expected


def test_numpy_arrays_hold_no_traced_values():
    for f in (lambda x: set_item(x, np.zeros(2), 0), lambda x: aug_item(np.zeros(2), 0, "+=", lambda: x)):
        with pytest.raises(StagingError, match="jnp.asarray"):
            jax.jit(f)(1.0)


def test_a_write_in_a_branch_leaves_no_trace_where_it_is_not_taken():
    def f(p, v):
        xs, d = [1.0, 2.0], {"a": 1.0}

        def body():
            set_item(v, xs, -1)
            set_item(v, d, "a")

        if_stmt(p > 0, body, nothing)
        return xs, d

    assert jax.jit(f)(1, 5.0) == ([1.0, 5.0], {"a": 5.0})
    assert jax.jit(f)(-1, 5.0) == ([1.0, 2.0], {"a": 1.0})


# --- nested targets ---


class Box:
    def __init__(self, value):
        self.value = value


def test_nested_targets():
    x = jnp.zeros((2, 2))
    assert set_item_at(3.0, x, (("[", 1),), 0).tolist() == [[0, 0], [3, 0]]
    box = Box([jnp.zeros(2), 5])
    assert set_item_at(1.0, box, ((".", "value"), ("[", 0)), 1) is box
    assert box.value[0].tolist() == [0.0, 1.0]
    inner = box.value
    assert set_item_at(6, box, ((".", "value"),), 1) is box
    assert box.value is inner and inner[1] == 6
    box = Box(jnp.zeros(2))
    jitted = jax.jit(lambda i: set_item_at(1.0, Box(jnp.zeros(2)), ((".", "value"),), i).value)
    assert jitted(1).tolist() == [0.0, 1.0]
    assert aug_item_at(box, ((".", "value"),), 0, "-=", lambda: 2.0).value.tolist() == [-2.0, 0.0]


# --- augmented ---


def test_augmented():
    xs = [1, [2]]
    assert aug_item(xs, 0, "+=", lambda: 4) is xs and xs[0] == 5
    inner = xs[1]
    aug_item(xs, 1, "+=", lambda: [3])
    assert xs[1] is inner and inner == [2, 3]
    f = jax.jit(lambda x, i: aug_item(x, i, "*=", lambda: 3.0))
    assert f(jnp.array([1.0, 2.0]), -1).tolist() == [1.0, 6.0]
    repeated = aug_item(jnp.zeros(2), jnp.array([0, 0]), "+=", lambda: 1.0)
    assert repeated.tolist() == [1.0, 0.0]  # as NumPy: read all, then write all
    with pytest.raises(IndexError):
        aug_item(jnp.zeros(2), 2, "+=", lambda: 1.0)
    assert aug_item(jnp.array([5, 6]), 0, "/=", lambda: 2).tolist() == [2, 6]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e20, 3e9, -3e9])
def test_a_number_that_no_integer_of_the_array_can_hold(value):
    with pytest.raises((ValueError, OverflowError)):
        set_item(value, jnp.zeros(2, int), 0)
    with pytest.raises((jax.errors.JaxRuntimeError, ValueError), match="a NaN, or a number too large, is put into"):
        jax.block_until_ready(jax.jit(lambda v: set_item(v, jnp.zeros(2, int), 0))(value))


SLICES = [slice(1, 3), slice(0, 2), slice(2, None), slice(None, 2), slice(-2, None), slice(3, 9), slice(4, 1)]


@pytest.mark.parametrize("rows", SLICES, ids=str)
def test_augmented_slices_with_traced_bounds(rows):
    for x in (np.arange(5.0), np.arange(10.0).reshape(5, 2)):
        for operand in (
            3.0,
            *([np.array([1.0, 2.0])] if x.ndim == 2 or rows.stop not in (9, 1) and len(x[rows]) == 2 else []),
        ):
            expected = x.copy()
            expected[rows] *= operand
            bounds = [0 if b is None else b for b in (rows.start, rows.stop)]

            def f(x, low, high, operand=operand):
                given = slice(None if rows.start is None else low, None if rows.stop is None else high)
                return aug_item(x, given, "*=", lambda: operand)

            assert jax.jit(f)(jnp.asarray(x), *bounds).tolist() == expected.tolist()


def test_augmented_rows_that_are_not_as_many_as_the_operand_has():
    f = jax.jit(lambda i: aug_item(jnp.zeros(5), slice(i, i + 2), "+=", lambda: jnp.ones(3)))
    with pytest.raises((jax.errors.JaxRuntimeError, ValueError), match="could not broadcast input array of 3 rows"):
        jax.block_until_ready(f(1))


def test_augmented_elements_of_a_weakly_typed_array():
    x, step = jnp.full(3, 100), jnp.int32(1)
    for index in (1, jnp.int32(1), jnp.array([True, False, True])):
        found = jax.jit(lambda i: aug_item(x, i, "+=", lambda: step))(index)
        assert found.weak_type and found.tolist() == x.at[index].add(1).tolist()


def test_augmented_reads_before_the_value_is_evaluated():
    order = []

    class Log(dict):
        def __getitem__(self, key):
            order.append("read")
            return 1

        def __setitem__(self, key, value):
            order.append(("write", value))

    aug_item(Log(), "k", "+=", lambda: order.append("value") or 1)
    assert order == ["read", "value", ("write", 2)]


def test_augmented_has_a_derivative():
    f = jax.jit(jax.grad(lambda v, i: aug_item(jnp.ones(3), i, "*=", lambda: v).sum()))
    assert f(4.0, 1) == 1.0


# --- deletes ---


def test_delete():
    xs, d = [1, 2, 3], {"a": 1}
    del_item(xs, 0)
    del_item(d, "a")
    assert (xs, d) == ([2, 3], {})

    def f(i):
        xs = [1, 2, 3]
        del_item(xs, i)
        return xs

    for i in (0, 1, 2, -1, -2):
        expected = [1, 2, 3]
        del expected[i]
        assert [int(x) for x in jax.jit(f)(i)] == expected


# --- indices out of range, dynamic slices ---


@pytest.mark.parametrize(
    ("f", "text"),
    [
        (lambda i: get_item([1, 2, 3], i), "IndexError: list index out of range"),
        (lambda i: get_item((1, 2, 3), i), "IndexError: tuple index out of range"),
        (lambda i: get_item(range(3), i), "IndexError: range object index out of range"),
        (lambda i: set_item(5, [1, 2, 3], i), "IndexError: list assignment index out of range"),
        (lambda i: aug_item([1, 2, 3], i, "+=", lambda: 5), "IndexError: list index out of range"),
        (lambda i: aug_item([1, 1, 1], i, "*=", lambda: 1), "IndexError: list index out of range"),
        (lambda i: get_slice(jnp.arange(4), i, 2), "IndexError: a slice of 2 elements"),
    ],
)
def test_a_traced_index_out_of_range_fails_when_the_program_runs(f, text):
    g = jax.jit(f)
    jax.block_until_ready(g(0))
    for i in (3, -5):
        with pytest.raises((jax.errors.JaxRuntimeError, ValueError)) as failed:
            jax.block_until_ready(g(i))
        assert text in str(failed.value) and 'test_items.py", line' in str(failed.value)


def test_an_element_is_changed_where_it_stands_when_its_value_was_computed():
    def f(i):
        xs = [1, 2, 3]
        aug_item(xs, i, "+=", xs.pop)
        return xs

    assert [int(x) for x in jax.jit(f)(-2)] == [5, 2] and [int(x) for x in jax.jit(f)(0)] == [4, 2]


def test_one_lane_out_of_range_fails():
    f = jax.jit(jax.vmap(lambda i: get_item([1, 2, 3], i)))
    assert f(jnp.array([0, 2])).tolist() == [1, 3]
    assert "cond" in str(jax.make_jaxpr(f)(jnp.array([0, 2])))
    with pytest.raises((jax.errors.JaxRuntimeError, ValueError), match="list index out of range"):
        jax.block_until_ready(f(jnp.array([0, 3])))


def test_an_index_that_is_not_reached_may_be_out_of_range():
    xs = [1, 2, 3]
    f = lambda i: if_exp(i < 3, lambda: get_item(xs, i), lambda: -1)  # noqa: E731
    assert jax.jit(f)(7) == -1
    assert jax.jit(jax.vmap(f))(jnp.array([0, 7, 2])).tolist() == [1, -1, 3]


def test_slices_that_python_would_cut_short_fail():
    f = jax.jit(lambda i: get_slice(jnp.arange(5), i, 2))
    assert f(-3).tolist() == [2, 3]
    with pytest.raises((jax.errors.JaxRuntimeError, ValueError)):
        jax.block_until_ready(f(-2))  # Python: x[-2:0] is empty


@pytest.mark.parametrize("bounds", [(0, 2), (1, 4), (-3, -1), (3, 1), (2, 99), (-99, 1)])
def test_write_to_a_slice_with_traced_bounds(bounds):
    expected = np.arange(5.0)
    expected[slice(*bounds)] = 9
    f = jax.jit(lambda x, a, b: set_item(9, x, slice(a, b)))
    assert f(jnp.arange(5.0), *bounds).tolist() == expected.tolist()
    rows = np.full((len(range(5)[slice(*bounds)]), 2), 7.0)
    table = np.zeros((5, 2))
    table[slice(*bounds)] = rows
    f = jax.jit(lambda x, a, b: set_item(rows, x, slice(a, b)))
    assert f(jnp.zeros((5, 2)), *bounds).tolist() == table.tolist()


def test_rows_that_do_not_fit_the_slice_fail():
    f = jax.jit(lambda x, a: set_item(jnp.ones(2), x, slice(a, a + 2)))
    assert f(jnp.zeros(4), 1).tolist() == [0, 1, 1, 0]
    with pytest.raises((jax.errors.JaxRuntimeError, ValueError), match="could not broadcast"):
        jax.block_until_ready(f(jnp.zeros(4), 3))


def test_a_traced_write_out_of_range_does_nothing():
    f = jax.jit(lambda x, i: set_item(1.0, x, i))
    assert f(jnp.zeros(2), 2).tolist() == [0, 0] and f(jnp.zeros(2), -3).tolist() == [0, 0]
    assert jax.vmap(lambda i: set_item(1.0, jnp.zeros(2), i))(jnp.array([-1, 5])).tolist() == [[0, 1], [0, 0]]


def test_writes_are_slices_not_scatters():
    text = str(jax.make_jaxpr(lambda x, i, j: set_item(1.0, x, (i, j)))(jnp.zeros((2, 2)), 0, 1))
    assert "scatter" not in text and text.count("dynamic_update_slice") == 1
    text = str(jax.make_jaxpr(lambda x: set_item(1.0, x, 1))(jnp.zeros((2, 2))))
    assert "scatter" not in text and "select" not in text and "dynamic_slice" not in text


def test_masks_and_random_keys():
    x = set_item(1.0, jnp.zeros(3), jnp.array([True, False, True]))
    assert x.tolist() == [1, 0, 1]
    keys = jax.random.split(jax.random.key(0), 3)
    new = jax.jit(lambda ks, i: set_item(jax.random.key(7), ks, i))(keys, 1)
    assert jax.random.key_data(new[1]).tolist() == jax.random.key_data(jax.random.key(7)).tolist()


def test_no_container_is_probed():
    class Shy:
        def __getattribute__(self, name):
            raise RuntimeError(name)

        def __getitem__(self, key):
            return key

        def __setitem__(self, key, value):
            pass

        def __delitem__(self, key):
            pass

    shy = Shy()
    assert get_item(shy, 1) == 1 and set_item(0, shy, 1) is shy
    del_item(shy, 0)


def test_a_traced_mask_takes_one_value_or_as_many_as_it_selects():
    f = jax.jit(lambda x, v: set_item(v, x, x > 1))
    assert f(jnp.arange(4), 9).tolist() == [0, 1, 9, 9]
    assert f(jnp.arange(4), jnp.arange(7, 9)).tolist() == [0, 1, 7, 8]
    with pytest.raises((jax.errors.JaxRuntimeError, ValueError), match="lengths, known when the program runs, differ"):
        f(jnp.arange(4), jnp.arange(3)).block_until_ready()


@pytest.mark.parametrize("size", [99, 100])
def test_the_last_slice_of_an_array_may_be_shorter(size):
    """Where it is, each slice has the length that Python gives it, in copies of the body."""

    def f(x):
        total, y = 0.0, x * 0
        for i in range(0, len(x), 3):
            chunk = x[i : i + 3]
            total += chunk.mean() * len(chunk)
            y[i : i + 3] = chunk[0]
        return total, y

    x = np.linspace(0.0, 1.0, size, dtype=np.float32)
    for found, wanted in zip(ag.jit(f)(x), f(x.copy()), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5)
    loops = [e for e in jax.make_jaxpr(ag.convert(f))(x).eqns if e.primitive.name == "scan"]
    assert len(loops) == (size == 99)
