"""`BoundedList` and what makes them; programs are in `tests/programs/growing_lists.py`."""

import copy
import pickle
import re
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from autograph.errors import StagingError

FAILED = (
    jax.errors.JaxRuntimeError,
    ValueError,
)  # as the callback is run by the compiled program, or by a thread of ours


@ag.convert
def countdown(n):
    out = []
    while n > 0:
        ag.set_loop_options(maximum_iterations=5)
        out.append(n)
        n -= 1
    return out


def made(n):
    return jax.jit(countdown)(n)


def test_is_a_list_without_tracing():
    assert type(countdown(3)) is list


def test_reads_like_a_list():
    xs = made(3)
    assert type(xs) is ag.BoundedList
    assert (list(xs), len(xs), xs[0], xs[-1], xs[1:], 2 in xs, bool(xs), xs == [3, 2, 1]) == (
        [3, 2, 1], 3, 3, 1, [2, 1], True, True, True,
    )  # fmt: skip
    assert not made(0) and list(made(0)) == [] and made(0) != [1]
    assert repr(xs) == "BoundedList([3, 2, 1])"
    with pytest.raises(IndexError):
        xs[3]
    with pytest.raises(TypeError, match="unhashable"):
        hash(xs)
    with pytest.raises(AttributeError, match="no attribute 'shape'"):
        print(xs.shape)


def test_can_be_changed_outside():
    xs = made(2)
    xs.append(7)
    assert (list(xs), xs.pop(), list(xs)) == ([2, 1, 7], 7, [2, 1])
    xs[0] = 5
    assert list(xs.copy()) == [5, 1]


def test_is_a_pytree():
    xs = made(2)
    count, column = jax.tree.leaves(xs)
    assert (int(count), column.shape, xs.capacity) == (2, (6,), 5)
    assert list(jax.jit(lambda xs: xs)(xs)) == [2, 1]
    assert jax.tree.map(lambda x: x, xs) == xs


def test_batch():
    batch = jax.vmap(countdown)(jnp.arange(4))
    assert batch.capacity == 5
    assert [list(jax.tree.map(lambda x, k=k: x[k], batch)) for k in range(4)] == [[], [1], [2, 1], [3, 2, 1]]
    with pytest.raises(TypeError, match=r"a batch of \(4,\) lists"):
        len(batch)


def test_longer_than_said():
    with pytest.raises(FAILED, match=r"the list 'out' has more elements(.|\n)*maximum_iterations=5"):
        made(6).size.block_until_ready()


@ag.jit
def emptied(n):
    out = [0]
    k = 0
    while k < n:
        ag.set_loop_options(maximum_iterations=3)
        out.append(k)
        k += 1
        if k == n:
            while len(out) > 1:
                out.pop()
    return out


@ag.jit
def last_ones(n):
    out = [0]
    total = 0
    while n > 0:
        ag.set_loop_options(maximum_iterations=3)
        out.append(n)
        total += out[-1]
        n -= 1
    return total


@ag.jit
def looped_over(n):
    out = [0]
    total = 0
    while n > 0:
        ag.set_loop_options(maximum_iterations=3)
        out.append(n)
        for x in out:
            total += x
        n -= 1
    return total


@ag.jit
def summed(n):
    out = [0]
    total = 0
    while n > 0:
        ag.set_loop_options(maximum_iterations=3)
        out.append(n)
        total += sum(out)
        n -= 1
    return total


@ag.jit
def written(n):
    out = [0]
    while n > 0:
        ag.set_loop_options(maximum_iterations=3)
        out.append(n)
        out[-1] = 7
        n -= 1
    return out


@pytest.mark.parametrize(
    ("f", "three"), [(last_ones, 6), (looped_over, 3 + 5 + 6), (summed, 3 + 5 + 6), (written, [0, 7, 7, 7])]
)
def test_lost_elements_are_missed_where_they_are_read(f, three):
    assert f(3) == three
    with pytest.raises(FAILED, match=r"the list 'out' has more elements"):
        jax.block_until_ready(f(5))


def test_lost_elements_that_nobody_reads():
    assert list(emptied(3)) == [0]
    assert list(emptied(5)) == [0]


def test_tuples_of_two_kinds():
    class Pair(NamedTuple):
        a: int
        b: int

    @ag.jit
    def f(n):
        out = []
        while n > 0:
            ag.set_loop_options(maximum_iterations=3)
            if n > 2:
                out.append(Pair(n, n))
            else:
                out.append((n, n))
            n -= 1
        return out

    with pytest.raises(StagingError, match="the structures differ"):
        f(3)


@pytest.mark.parametrize(("n", "k"), [(2, 2), (0, 0), (2, -3)])
def test_index_out_of_range(n, k):
    f = ag.jit(lambda n, k: countdown(n)[k])
    assert int(f(3, -1)) == 1
    with pytest.raises(FAILED, match="IndexError: list index out of range"):
        f(n, k).block_until_ready()


def test_pop_from_empty():
    @ag.jit
    def f(n):
        out = countdown(n)
        return out.pop()

    assert int(f(2)) == 1
    with pytest.raises(FAILED, match="IndexError: pop from empty list"):
        f(0).block_until_ready()


def array(xs):
    return jnp.array(xs)


def in_order_of_a_key(xs):
    xs.sort(key=lambda x: -x)
    return xs


def with_a_step(xs):
    xs[::2] = [1, 2]
    return xs


def as_often(xs):
    return xs * len(xs)


@pytest.mark.parametrize(
    ("use", "what"),
    [
        (in_order_of_a_key, "sorting by a key, or in a traced direction,"),
        (with_a_step, "writing a slice with a step"),
        (as_often, "repeating a traced number of times"),
    ],
)
def test_what_needs_a_known_length(use, what):
    with pytest.raises(
        StagingError, match=rf"{what} is not possible with a list whose length(.|\n)*test_bounded_list.py"
    ):
        ag.jit(lambda n: use(countdown(n)))(3)


@pytest.mark.parametrize(
    "use",
    [
        np.sum, np.argmax, np.mean, np.shape, np.ndim, np.size, np.unique, np.flip, np.median, np.diff,
        np.array, lambda xs: np.array(xs).size, lambda xs: jnp.array(xs).sum(), lambda xs: np.array(xs) * 2 + xs[0],
    ],
)  # fmt: skip
def test_functions_of_arrays_take_the_elements_for_an_array(use):
    for n in (1, 3, 5):
        np.testing.assert_allclose(ag.jit(lambda n: use(countdown(n)))(n), use(countdown(n)), rtol=1e-6)


@pytest.mark.parametrize(
    "use",
    [
        np.add.reduce, lambda xs: np.array([xs, xs]).size, lambda xs: np.size([xs]), lambda xs: np.array_equal(a1=[xs], a2=[3]),
        lambda xs: np.array_equiv([3], xs), lambda xs: np.ones(3) == xs, lambda xs: xs == np.ones(3),
        lambda xs: xs != np.float32(1), lambda xs: np.ones(3) + xs,
        lambda xs: np.arange(9)[xs], lambda xs: np.array(xs, dtype=object).size, lambda xs: np.ones(3).dot(xs),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:.*requires ndarray or scalar:DeprecationWarning")
def test_numpy_makes_no_array_of_one_object(use):
    with pytest.raises(StagingError, match="is not possible with an? (list|array) whose length"):
        ag.jit(lambda n: use(countdown(n)))(3)


def test_numpy_makes_an_array_when_the_program_has_run():
    xs = made(3)
    assert np.asarray(xs).tolist() == [3, 2, 1] and np.asarray(xs, float).dtype == float and np.array([xs, xs]).shape == (2, 3)
    assert (np.sum(xs), np.argmax(xs), np.shape(xs), np.array_equal(xs, [3, 2, 1])) == (6, 0, (3,), True)
    assert np.asarray(made(0)).shape == (0,)


def test_it_is_a_list_to_whoever_asks():
    @ag.jit
    def f(n):
        xs = countdown(n)
        ys = copy.copy(xs)
        ys.append(7)
        kinds = isinstance(xs, list), isinstance(xs, tuple | dict), type(xs) is list, isinstance(xs, ag.BoundedList)
        return xs, ys, kinds

    xs, ys, kinds = f(3)
    assert list(map(bool, kinds)) == [True, False, True, True]
    assert xs == [3, 2, 1] and ys == [3, 2, 1, 7]
    assert isinstance(xs, list) and copy.deepcopy(xs) == pickle.loads(pickle.dumps(xs)) == [3, 2, 1]
    assert type(pickle.loads(pickle.dumps(xs))) is list


def test_only_of_a_local_variable():
    @ag.jit
    def f(n):
        out = []
        other = out
        while n > 0:
            ag.set_loop_options(maximum_iterations=5)
            out.append(n)
            n -= 1
        return out, other

    with pytest.raises(StagingError, match=re.escape("let nothing but one local variable refer to the list")):
        f(3)


def test_the_loop_inside_must_say_it_too():
    @ag.jit
    def f(n):
        out = []
        while n > 0:
            ag.set_loop_options(maximum_iterations=5)
            k = n
            while k > 0:
                out.append(k)
                k -= 1
            n -= 1
        return out

    with pytest.raises(StagingError, match="'out' grows in a loop of unknown length"):
        f(3)


def test_elements_that_could_be_changed():
    @ag.jit
    def f(n):
        out = []
        while n > 0:
            ag.set_loop_options(maximum_iterations=5)
            out.append([n])
            n -= 1
        return out

    with pytest.raises(StagingError, match="cannot hold list of 1"):
        f(3)


@pytest.mark.parametrize("element, value", [(1, jnp.arange(3)), (jnp.ones(2), jnp.ones(2))])
def test_asked_for_what_is_no_number(element, value):
    @ag.jit
    def f(n):
        out = []
        while n > 0:
            ag.set_loop_options(maximum_iterations=5)
            out.append(element)
            n -= 1
        return value in out

    with pytest.raises(StagingError, match="`in` of "):
        f(3)


def test_no_number_is_a_string():
    @ag.jit
    def f(n):
        out = []
        while n > 0:
            ag.set_loop_options(maximum_iterations=5)
            out.append(n)
            n -= 1
        return "a" in out, None in out, (1, 2) in out, 2 in out

    assert list(map(bool, f(3))) == [False, False, False, True]


def test_elements_of_two_shapes():
    @ag.jit
    def f(n):
        out = []
        while n > 0:
            ag.set_loop_options(maximum_iterations=5)
            out.append(n)
            out.append(jnp.ones(3))
            n -= 1
        return out

    with pytest.raises(StagingError, match="the elements of a list of unknown length differ"):
        f(3)


def test_no_loop_where_nothing_is_appended():
    """The option changes nothing else."""

    @ag.jit
    def f(n):
        s = 0
        while n > 0:
            ag.set_loop_options(maximum_iterations=5)
            s += n
            n -= 1
        return s

    assert int(f(9)) == 45


def test_one_loop_of_the_size_of_an_experts():
    jaxpr = jax.make_jaxpr(countdown)(3)
    [loop] = [eqn for eqn in jaxpr.eqns if eqn.primitive.name == "while"]
    assert len(loop.params["body_jaxpr"].eqns) == 6  # the row, its place (2), its weak type, the count, n
    assert [str(v.aval.shape) for v in loop.outvars] == ["()", "()", "(6,)"]


@pytest.mark.parametrize("start", [[], [100]])
def test_numbers_of_python_take_the_dtype_of_an_array_beside_them(start):
    def f(n, y):
        xs = list(start)
        for _ in range(n):
            ag.set_loop_options(maximum_iterations=5)
            xs.append(100)
        total = xs[0] + y
        for x in xs:
            total = total + x
        return total, xs

    y = jnp.int8(100)
    total, xs = ag.jit(f)(3, y)
    assert total.dtype == jnp.int8 and total == f(3, y)[0]
    assert all(x.weak_type for x in xs)


def test_the_test_of_a_loop_appends():
    @ag.convert
    def f(n):
        out = []
        while out.append(n) or n > 0:
            ag.set_loop_options(maximum_iterations=6)
            n -= 1
        return out

    assert list(jax.jit(f)(3)) == f(3) == [3, 2, 1, 0]


def test_of_known_elements():
    xs = ag.BoundedList.of([(1, 2.5), (2.5, 1)])
    assert (list(xs), xs.capacity, repr(xs)) == ([(1.0, 2.5), (2.5, 1.0)], 2, "BoundedList([(1.0, 2.5), (2.5, 1.0)])")
    assert list(ag.BoundedList.of([])) == []


def test_counted_loops_inside():
    """What a loop inside appends needs room for each of its iterations."""

    @ag.jit
    def f(edges):
        seen = jnp.zeros(len(edges), bool)
        stack = [0]
        order = []
        while stack:
            ag.set_loop_options(maximum_iterations=10)
            v = stack.pop()
            if not seen[v]:
                seen[v] = True
                order.append(v)
                for w in ag.range(len(edges)):
                    if edges[v, w] and not seen[w]:
                        stack.append(w)
        return order, stack

    edges = jnp.array([[0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1], [0, 0, 0, 0]])
    order, stack = f(edges)
    assert (order, stack, stack.capacity) == ([0, 3, 2, 1], [], 1 + 10 * 4)


def test_every_method_of_a_list_when_the_program_has_run():
    xs = jax.jit(countdown)(4)
    values = [int(x) for x in xs]
    assert (xs.index(values[1]), xs.count(values[1]), int(xs.pop(0))) == (1, 1, values[0])
    xs.sort()
    xs.insert(1, 9)
    xs.remove(values[-1])
    expected = sorted(values[1:])
    expected.insert(1, 9)
    expected.remove(values[-1])
    assert xs == expected
    xs.reverse()
    assert xs == expected[::-1]
    assert int(xs.pop()) == expected[0]
    xs.clear()
    with pytest.raises(IndexError, match="pop from empty list"):
        xs.pop()
    with pytest.raises(ValueError, match="not in list"):
        xs.index(3)


def halves(n):
    xs = []
    while n > 0:
        ag.set_loop_options(maximum_iterations=8)
        xs.append((n, n * 0.5))
        n = n // 2
    return xs


@ag.jit
def changed_in_branches(n, c):
    xs = halves(n)
    ys = xs
    if c > 0:
        ys.append((c, 1))
        if c > 2:
            xs.extend([(1.5, 1.0), (2, 2.0)])
    elif c < -3:
        xs.pop()
    return xs, len(ys), xs is ys


@pytest.mark.parametrize("c", [-5, -1, 1, 3])
@pytest.mark.parametrize("n", [5, 100])
def test_branches_that_change_a_list_after_its_loop(n, c):
    xs = [(k, k * 0.5) for k in (n >> i for i in range(8)) if k]
    added = [(c, 1)] * (c > 0) + [(1.5, 1.0), (2, 2.0)] * (c > 2)
    expected = xs[: -1 if c < -3 else None] + added
    got, length, is_same = changed_in_branches(n, c)
    assert (got == expected, int(length), bool(is_same)) == (True, len(expected), True)
    assert changed_in_branches.trace(n, c).jaxpr.out_avals[1].shape == (
        12,
    )  # room for eight and three, and the spare row


def test_branches_that_put_different_things_into_a_list():
    @ag.jit
    def f(n, c):
        xs = halves(n)
        if c > 0:
            xs.append(1)
        return xs

    with pytest.raises(ag.StagingError, match="elements of a list of unknown length differ"):
        f(3, 1)


@pytest.mark.slow
@pytest.mark.parametrize("jit", [lambda f: f, jax.jit])
def test_a_list_grows_under_vmap(jit):
    def total(n):
        stack = [n]
        seen = 0
        while stack:
            ag.set_loop_options(maximum_iterations=30)
            x = stack.pop()
            seen += x
            if x > 2:
                stack.append(x - 1)
                stack.append(x - 2)
        return seen

    assert jit(jax.vmap(ag.convert(total)))(jnp.array([1, 4, 5])).tolist() == [total(1), total(4), total(5)]
