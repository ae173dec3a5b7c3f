"""NumPy arrays that are written after the program which is being traced has read them."""

import operator
import random
import struct

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from autograph import StagingError


def assert_as_in_python(f):
    jax.tree.map(np.testing.assert_array_equal, ag.jit(f)(1.0), f(1.0))


def fill(a):
    a[0] = 4


def by_a_helper(v):
    x = np.zeros(2)
    first = v + x
    fill(x)
    return first, v + x


def by_a_method(v):
    x = np.zeros(2)
    first = v + x
    x.put([0, 1], 3)
    return first, v + x


def by_its_flat_iterator(v):
    x = np.zeros(2)
    first = v + x
    x.flat[0] = 3
    return first, v + x


def by_a_method_of_its_flat_iterator(v):
    x = np.zeros(2)
    first = v + x
    x.flat.__setitem__(0, 3)
    return first, v + x


def by_what_is_not_converted_through_a_view(v):
    x = np.zeros(2)
    first = v + x
    ag.do_not_convert(lambda view: view.__setitem__(0, 3))(x.flat)
    return first, v + x


def by_a_struct(v):
    x = np.zeros(2)
    first = v + x
    struct.Struct("d").pack_into(x, 0, 3.0)
    return first, v + x


def by_a_function(v):
    x = np.zeros(2)
    first = v + x
    np.copyto(x, 1.0)
    return first, v + x


def as_the_result(v):
    x = np.zeros(2)
    first = v + x
    np.add(x, 1, out=x)
    return first, v + x


def as_the_result_of_a_method(v):
    x = np.zeros(2)
    first = v + x
    x.clip(1, 2, out=x)
    return first, v + x


def by_a_generator(v):
    x = np.arange(9.0)
    first = v + x
    np.random.default_rng(0).shuffle(x)
    return first, v + x


def by_numpys_generator(v):
    x = np.arange(9.0)
    first = v + x
    np.random.seed(0)
    np.random.shuffle(x)
    return first, v + x


def by_pythons_generator(v):
    x = np.arange(9.0)
    first = v + x
    random.Random(0).shuffle(x)
    return first, v + x


def by_an_operator(v):
    x = np.arange(9.0)
    first = v + x
    operator.setitem(x, 0, 7)
    return first, v + x


@ag.do_not_convert
def fill_unseen(a):
    a[0] = 4


def by_a_function_that_is_not_converted(v):
    x = np.arange(9.0)
    first = v + x
    fill_unseen(x)
    return first, v + x


def by_an_attribute(v):
    x = np.zeros(2)
    first = v + x
    x.flat = 3
    return first, v + x


def in_a_dict(v):
    d = {"x": np.zeros(2)}
    first = v + d["x"]
    d["x"][0] = 3
    return first, v + d["x"]


def another_name(v):
    x = np.zeros(2)
    y = x if v > 0 else x + 1
    x[0] = 7
    return x, y


WRITES = [
    by_a_helper,
    by_a_method,
    by_its_flat_iterator,
    by_a_method_of_its_flat_iterator,
    by_what_is_not_converted_through_a_view,
    by_a_struct,
    by_a_function,
    as_the_result,
    as_the_result_of_a_method,
    by_a_generator,
    by_numpys_generator,
    by_pythons_generator,
    by_an_operator,
    by_a_function_that_is_not_converted,
    by_an_attribute,
    in_a_dict,
    another_name,
]


@pytest.mark.parametrize("function", WRITES)
def test_a_write_that_the_program_would_not_see_is_refused(function):
    with pytest.raises(StagingError, match="is written after the compiled program has read it"):
        ag.jit(function)(1.0)


@pytest.mark.parametrize("function", [f for f in WRITES if f is not another_name])
def test_nothing_is_refused_where_nothing_is_traced(function):
    for x, y in zip(ag.convert(function)(1.0), function(1.0), strict=True):
        np.testing.assert_array_equal(x, y)


def test_a_method_that_reads_is_no_write():
    def f(v):
        x = np.zeros(2)
        first = v + x
        return first, v + x.reshape(2).astype(np.float32), x.argsort()

    assert_as_in_python(f)


VIEWS = {
    "row": lambda b: b[0],
    "row of rows": lambda b: b[:2][0][1:],
    "reshaped": lambda b: b.reshape(-1)[1:].reshape(5, 1),
    "raveled": lambda b: b.ravel(),
    "transposed": lambda b: b.T,
    "columns": lambda b: b[:, ::2],
    "reversed": lambda b: b[::-1, ::-1],
    "broadcast": lambda b: np.broadcast_to(b, (2, 2, 3)),
    "other type": lambda b: b.view(np.int32),
    "iterated": lambda b: list(b)[0],
    "buffer": lambda b: np.frombuffer(b, b.dtype),
    "windows": lambda b: np.lib.stride_tricks.sliding_window_view(b[0], 2),
    "number": lambda b: b[0, 0, ...],
}
if jax.__version_info__ < (0, 9, 2):
    del VIEWS["number"]  # no constant there, but a number of the program's source
DTYPES = [np.float64, np.float32]
"""The constant is a copy of the first, and shares the memory of the second."""


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("make", VIEWS.values(), ids=VIEWS)
def test_a_view_is_read_and_the_array_is_written(make, dtype):
    def f(v):
        b = np.zeros((2, 3), dtype)
        view = make(b)
        first = v + view
        b[0] = 7
        return first, v + view

    with pytest.raises(
        StagingError, match="'b' is written after the compiled program has read 'view', which shares its elements"
    ):
        ag.jit(f)(1.0)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "make", [VIEWS[name] for name in VIEWS if name != "broadcast"], ids=[n for n in VIEWS if n != "broadcast"]
)
def test_the_array_is_read_and_a_view_is_written(make, dtype):
    def f(v):
        b = np.zeros((2, 3), dtype)
        view = make(b)
        first = v + b
        if view.flags.writeable:
            view[...] = 7
        else:
            b[...] = 7
        return first, v + b

    with pytest.raises(StagingError, match="is written after the compiled program has read"):
        ag.jit(f)(1.0)


def increments(b):
    b += 1


def gives(b):
    np.add(b, 1, out=b)


WHOLE = [
    increments,
    gives,
    lambda b: b.sort(),
    lambda b: b.fill(3),
    lambda b: b.put([0], [3]),
    lambda b: np.copyto(b, 3),
    lambda b: np.add.at(b, 0, 3),
    lambda b: b.__setitem__(0, 3),
    lambda b: np.random.default_rng(3).shuffle(b),
    lambda b: operator.iadd(b, 3),
]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("change", WHOLE)
def test_each_way_to_write(change, dtype):
    def f(v):
        b = np.arange(6)[::-1].astype(dtype).reshape(2, 3)
        row = b[0]
        first = v + row
        change(b)
        return first, v + row

    with pytest.raises(
        StagingError, match="'b' is written after the compiled program has read 'row', which shares its elements"
    ):
        ag.jit(f)(1.0)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_row_without_a_name(dtype):
    def f(v):
        b = np.zeros((2, 3), dtype)
        rows = list(b)
        first = v + rows[0]
        b[0, 0] = 7
        return first, v + rows[0]

    with pytest.raises(StagingError, match="'b' is written after the compiled program has read a part or a view of it"):
        ag.jit(f)(1.0)


def test_memory_that_is_no_array():
    def f(v):
        b = bytearray(8)
        view = np.frombuffer(b, np.float32)
        first = v + view
        b[0] = 7
        return first, v + view

    with pytest.raises(StagingError, match="'b' is written after the compiled program has read 'view', which shares"):
        ag.jit(f)(1.0)


def test_methods_that_only_read_are_no_writes(tmp_path):
    np.arange(2, dtype=np.float32).tofile(tmp_path / "numbers")
    mapped = np.memmap(tmp_path / "numbers", np.float32)
    data = bytearray(b"1234")

    def f(v):
        first = v + mapped + np.frombuffer(data, np.float32).sum()
        return first - first, mapped.sum(), data.startswith(b"1"), memoryview(data).tobytes() == b"1234"

    assert [x.sum() for x in ag.jit(f)(1.0)] == [0, 1, True, True]


@pytest.mark.parametrize("wrap", [jax.vmap, lambda g: jax.grad(lambda v: g(v).sum()), jax.jit])
def test_a_function_of_jax_has_read_it(wrap):
    def f(v):
        b = np.zeros((2, 2), np.float32)
        row = b[0]
        first = wrap(lambda v: v * row)(v)
        b[0] = 7
        return first, v[0] * row

    if wrap is jax.jit and jax.__version_info__ < (0, 9, 2):
        pytest.skip("before JAX 0.9.2 what only a nested jax.jit reads is not known as a constant (docs/limits.md)")
    x = jnp.ones(2)
    with pytest.raises(StagingError, match="'b' is written after the compiled program has read 'row', which shares"):
        ag.jit(f)(x)


def test_a_loop_body_has_read_it():
    def f(v):
        table = {"t": np.zeros(2)}
        while v > 1:
            v = v - table["t"].sum() - jnp.sum(table["t"] + v)
        table["t"][0] = 7
        return v + table["t"]

    with pytest.raises(StagingError, match="a NumPy array is written after the compiled program has read it"):
        ag.jit(f)(1.0)


def test_a_write_that_is_refused_is_undone():
    b = np.arange(9.0)

    def f(v):
        first = v + b
        np.random.default_rng(0).shuffle(b)
        return first, v + b

    with pytest.raises(StagingError):
        ag.jit(f)(1.0)
    np.testing.assert_array_equal(b, np.arange(9.0))


@pytest.mark.parametrize("dtype", DTYPES)
def test_elements_that_were_not_read_are_written(dtype):
    def f(v):
        b, c = np.zeros((3, 2), dtype), {"c": np.zeros((3, 2), dtype)}
        column, total = b[:, 0], v
        for i in range(1, 3):
            total = total + (v * c["c"][i - 1]).sum() + (v + column).sum()
            c["c"][i] = i
            b[i, 1] = i
            b[:, 1] += i
        return total, v + column

    assert_as_in_python(f)


def test_an_array_of_its_own_is_copied_where_a_part_was_read():
    def f(v):
        b, reads = np.zeros((3, 2), np.float32), []
        for i in range(3):
            reads.append(v + b[i, :])
            b = b.copy()
            b[i] = 7
        c = np.zeros(3, np.float32)
        for i in range(3):
            reads.append(v + c[1:])
            c[i] = 7
        return reads, v + b, v + c

    assert_as_in_python(f)


def test_what_was_read_before_it_was_copied_does_not_matter():
    def f(v):
        b = np.zeros((2, 3))
        row = b[0].copy()
        first = v + row
        b[0] = 3
        return first, v + row, v + b

    assert_as_in_python(f)


def test_a_program_that_is_over_hinders_nobody():
    def f(v):
        return v + np.zeros(3, np.float32)

    def g(v):
        b = np.zeros(3, np.float32)
        b.fill(3)
        return v + b

    program = ag.jit(f)
    program(1.0)
    np.testing.assert_array_equal(ag.jit(g)(1.0), g(1.0))


def has_a_view(v):
    b = np.zeros(3)
    row = b[1:]
    row[0] = v
    return b


def has_two_names(v):
    b = c = np.zeros(3)
    b[0] = v
    return c


def is_in_a_dict(v):
    d = {"b": np.zeros(3)}
    d["c"] = d["b"]
    d["b"][0] = v
    return d


def is_no_array_of_jax(v):
    b = np.zeros(3, object)
    b[0] = v
    return b


def is_in_a_list(v):
    b = np.zeros(3)
    rows = [b]
    b[0] = v
    return rows


REASONS = [
    (has_a_view, "it is a view of 'b'"),
    (has_two_names, "'b' and 'c' are the same array"),
    (is_in_a_dict, "a list, a dict or an object has it, and no variable of its own"),
    (is_no_array_of_jax, "JAX has no arrays of object"),
    (is_in_a_list, "the function's source does not show that only 'b' refers to it"),
]


@pytest.mark.parametrize(("function", "reason"), REASONS)
def test_why_an_array_cannot_take_a_traced_value(function, reason):
    with pytest.raises(StagingError) as caught:
        ag.jit(function)(1.0)
    assert f"why: it holds numbers, a traced value is not known yet, and {reason}\n" in str(caught.value)
