"""What a loop carries: containers, aliases, places on the heap, types; how often bodies are traced; nothing outlives the trace."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from autograph.errors import StagingError
from autograph.runtime.heap import journal
from autograph.runtime.operators.conditionals import if_exp
from autograph.runtime.operators.for_loops import for_loop
from autograph.runtime.operators.while_loops import while_loop
from autograph.runtime.tracing import context
from tests.runtime.announced import append, put, write

COUNT = 0

pytestmark = pytest.mark.usefixtures("with_few_objects")  # `check` looks for leaks


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Pair:
    first: object
    second: object


class Box:
    """An ordinary object; `write` writes to it as converted code does."""

    def __init__(self, value):
        self.value = value


class Slotted:
    __slots__ = ("value",)


def pop(items, *where):
    journal.touch_container(items)
    return items.pop(*where)


def repeat(n, iteration, state=None):
    """`for k in n, n - 1, ..., 1: iteration(k)`, as a while loop over the further variables in `state`."""
    left = n

    def body():
        nonlocal left
        iteration(left)
        left = left - 1

    if state is None:
        while_loop(lambda: left > 0, body, lambda: (left,))
    else:
        cells = dict(zip(state.__code__.co_freevars, state.__closure__, strict=True))
        while_loop(lambda: left > 0, body, _with(cells, lambda: (left,)))


def _with(cells, own):
    """A state over several closures, for the tests only."""
    from autograph.runtime.tracing.variables import State

    cells = {**cells, **dict(zip(own.__code__.co_freevars, own.__closure__, strict=True))}

    def set_state(values):
        for cell, value in zip(cells.values(), values, strict=True):
            cell.cell_contents = value

    return State(tuple(cells), lambda: tuple(cell.cell_contents for cell in cells.values()), set_state)


def check(f, *inputs, promotes=False):
    """The staged function gives what Python gives."""
    for n in inputs or (3, 1, 0):
        plain = f(n)
        with jax.checking_leaks():
            staged = jax.jit(f)(n)
        assert jax.tree.structure(plain) == jax.tree.structure(staged)
        assert jax.tree.map(lambda x: np.asarray(x).tolist(), staged) == jax.tree.map(
            lambda x: np.asarray(x).tolist(), plain
        )
        assert not context.active()


# --- containers that are changed in place ---


def test_a_list_changed_in_place_stays_the_same_list():
    def f(n):
        xs = [0, 1]
        ys = xs

        def iteration(k):
            put(xs, 0, xs[0] + k)
            put(xs, 1, ys[0])

        repeat(n, iteration)
        assert ys is xs
        return xs, ys

    check(f)


def test_a_dict_changed_in_place_stays_the_same_dict():
    def f(n):
        d = {"a": 0, "b": [1, 2]}
        inner = d["b"]

        def iteration(k):
            put(d, "a", d["a"] + k)
            put(inner, 0, inner[0] + d["a"])

        repeat(n, iteration)
        assert d["b"] is inner
        return d, inner

    check(f)


def test_a_list_rotated_in_place():
    def f(n):
        xs = [1, 2, 3]
        repeat(n, lambda k: append(xs, pop(xs, 0)))
        return xs

    check(f, 7, 2, 0)


def test_lists_in_lists():
    def f(n):
        grid = [[0, 1], [2, 3]]
        row = grid[0]

        def iteration(k):
            put(grid[0], 1, grid[0][1] + k)
            put(grid[1], 0, row[1])

        repeat(n, iteration)
        return grid, row

    check(f)


def test_rows_replaced_and_swapped():
    def f(n):
        grid = [[0, 1], [2, 3]]

        def iteration(k):
            first = grid[0]
            put(grid, 0, grid[1])
            put(grid, 1, first)

        repeat(n, iteration)
        return grid

    check(f, 3, 2, 0)


def test_a_temporary_list_is_nobody_else_s():
    def f(n):
        total = 0

        def iteration(k):
            nonlocal total
            items = []
            append(items, k)
            append(items, total)
            put(items, 0, items[0] * 2)
            total = items[0] + items[1]

        repeat(n, iteration, lambda: (total,))
        return total

    check(f)


def test_a_list_filled_in_the_iteration_replaces_the_old_one():
    def f(n):
        xs = [0]
        old = xs

        def iteration(k):
            nonlocal xs
            items = []
            append(items, xs[0] + k)
            xs = items

        repeat(n, iteration, lambda: (xs,))
        return xs, old

    check(f)


def test_growing_lists_are_refused():
    def f(n):
        xs = [1]
        repeat(n, lambda k: append(xs, k))
        return xs

    with pytest.raises(
        StagingError, match=r"contents of a list(.|\n)*list of 1(.|\n)*list of 2(.|\n)*structures differ"
    ):
        jax.jit(f)(3)


def test_a_key_that_is_deleted_and_set_again_changes_the_order():
    def f(n):
        d = {"a": 1, "b": 2}

        def iteration(k):
            value = d["a"]
            journal.touch_container(d)
            del d["a"]
            d["c"] = value

        repeat(n, iteration)
        return d

    with pytest.raises(StagingError, match="contents of a dict"):
        jax.jit(f)(3)


# --- containers that are replaced ---


@pytest.mark.parametrize("make", [lambda a, b: [a, b], lambda a, b: (a, b), lambda a, b: {"a": a, "b": b}, Pair])
def test_a_container_rebuilt_in_every_iteration(make):
    def f(n):
        v = make(0, 1)

        def iteration(k):
            nonlocal v
            a, b = jax.tree.leaves(v)
            v = make(b, a + k)

        repeat(n, iteration, lambda: (v,))
        return v

    check(f)


def test_after_a_loop_that_replaced_it_a_list_may_be_changed():
    def f(n):
        xs = [0, 1]

        def iteration(k):
            nonlocal xs
            xs = [xs[1], k]

        repeat(n, iteration, lambda: (xs,))
        put(xs, 0, 100)
        return xs

    check(f)


@pytest.mark.parametrize("same", [True, False])
def test_but_not_while_the_old_one_is_alive(same):
    def f(n):
        xs = [0, 1]
        old = xs

        def iteration(k):
            nonlocal xs
            xs = [xs[0], xs[1]] if same else [xs[1], k]

        repeat(n, iteration, lambda: (xs,))
        put(xs, 0, 100)
        return xs, old

    with pytest.raises(StagingError, match="may be one of several: 'xs'"):
        jax.jit(f)(3)


def test_two_lists_that_trade_places():
    def f(n, change=False):
        a, b = [1], [2]
        c = a

        def iteration(k):
            nonlocal a, b
            a, b = b, a

        repeat(n, iteration, lambda: (a, b))
        if change:
            put(a, 0, 100)
        return a, b, c

    check(f, 3, 2, 0)
    with pytest.raises(StagingError, match="may be one of several"):
        jax.jit(f, static_argnums=1)(2, True)


def test_a_variable_that_takes_over_an_existing_list():
    def f(n, change=False):
        a, b = [0], [7]

        def iteration(k):
            nonlocal a
            a = b

        repeat(n, iteration, lambda: (a,))
        if change:
            put(a, 0, 100)
        return a, b

    check(f)
    with pytest.raises(StagingError, match="may be one of several"):
        jax.jit(f, static_argnums=1)(2, True)


def test_a_list_changed_through_another_name_than_the_one_replaced():
    def f(n):
        a, b = [0], [0]
        total = 0

        def iteration(k):
            nonlocal a, total
            total = total + a[0]
            put(b, 0, k)
            total = total + a[0]
            a = b

        repeat(n, iteration, lambda: (a, total))
        return a, b, total

    with pytest.raises(StagingError, match="'a' cannot be carried(.|\n)*changes the object in place and replaces it"):
        jax.jit(f)(3)


def test_a_dict_changed_through_another_name_than_the_one_replaced():
    def f(n):
        a = {"x": 0}
        b, total = a, 0

        def iteration(k):
            nonlocal b, total
            put(a, "x", a["x"] + k)
            total = total + b["x"]
            b = if_exp(k == 2, lambda: {"x": 50}, lambda: b)

        repeat(n, iteration, lambda: (b, total))
        return a, b, total

    with pytest.raises(StagingError, match="'b' cannot be carried(.|\n)*changes the object in place and replaces it"):
        jax.jit(f)(3)


def test_a_change_that_is_taken_back_is_a_change():
    def f(n):
        a = {"x": 0}
        b, total = a, 0

        def iteration(k):
            nonlocal b, total
            put(a, "x", 5)
            total = total + b["x"]
            put(a, "x", 0)
            b = if_exp(k == 0, lambda: {"x": 1}, lambda: b)

        repeat(n, iteration, lambda: (b, total))
        return total

    with pytest.raises(StagingError, match="changes the object in place and replaces it"):
        jax.jit(f)(3)


def test_the_best_so_far():
    def f(n):
        params = {"w": 0.0, "h": [0.0, 1.0]}
        best, loss = params, 100.0

        def iteration(k):
            nonlocal params, best, loss
            params = {"w": params["w"] + k, "h": [params["h"][1], params["w"]]}
            now = (params["w"] - 3) ** 2
            best = if_exp(now < loss, lambda: params, lambda: best)
            loss = if_exp(now < loss, lambda: now, lambda: loss)

        repeat(n, iteration, lambda: (params, best, loss))
        return best, params, loss

    check(f, 3.0, 1.0, 0.0)


def test_the_value_of_the_iteration_before():
    def f(n):
        now, before = [0], [1]

        def iteration(k):
            nonlocal now, before
            before = now
            now = [before[0] + k]

        repeat(n, iteration, lambda: (now, before))
        return now, before

    check(f)


def test_a_variable_first_bound_to_an_existing_list():
    def f(n):
        grid = [[0, 1], [2, 3]]

        def iteration(k):
            nonlocal row
            row = grid[1]
            put(row, 0, row[0] + k)

        row = None
        del row
        left = n

        def body():
            nonlocal left
            iteration(left)
            left = left - 1

        while_loop(lambda: left > 0, body, lambda: (left, row))
        put(row, 1, 77)
        return grid, row

    check(f, 3, 1)


# --- places on the heap ---


@pytest.mark.parametrize("kind", [lambda: Box(0), Slotted])
def test_attributes(kind):
    def f(n):
        box = kind()
        box.value = 0
        repeat(n, lambda k: write(box, "value", box.value + k * 0.5))
        return box.value

    check(f)


def test_an_attribute_of_an_attribute():
    def f(n):
        box = Box(Box(1))
        inner = box.value
        repeat(n, lambda k: write(box.value, "value", inner.value + k))
        return inner.value

    check(f)


def test_containers_in_attributes_changed_or_replaced():
    def f(n, replace):
        box = Box({"a": 0, "b": [1, 2]})
        old = box.value

        def iteration(k):
            if replace:
                write(box, "value", {"a": box.value["a"] + k, "b": box.value["b"]})
            else:
                put(box.value, "a", box.value["a"] + k)
                put(box.value["b"], 0, box.value["a"])

        repeat(n, iteration)
        return box.value, old

    check(lambda n: f(n, True))
    check(lambda n: f(n, False))


def test_class_attributes_globals_and_cells_of_other_functions():
    global COUNT

    def f(n):
        global COUNT
        COUNT = 0
        total = 0

        def add(k):
            nonlocal total
            journal.touch(lambda: total)
            total = total + k

        def iteration(k):
            global COUNT
            journal.touch(lambda: COUNT)
            COUNT = COUNT + 1
            write(Box, "made", Box.made + 2)
            add(k)

        Box.made = 0
        repeat(n, iteration)
        result = COUNT, Box.made, total
        COUNT = 0
        del Box.made
        return result

    check(f)


def test_numpy_arrays_are_not_carried():
    def f(n):
        a = np.zeros(2)
        repeat(n, lambda k: put(a, 0, 1.0))
        return a

    with pytest.raises(StagingError, match="a NumPy array is changed"):
        jax.jit(f)(3)


def test_sets_keep_their_elements():
    def f(n, element):
        items = {1}

        def iteration(k):
            journal.touch_container(items)
            items.add(element)

        repeat(n, iteration)
        return sorted(items)

    check(lambda n: f(n, 1))
    with pytest.raises(StagingError, match="the contents of a set"):
        jax.jit(lambda n: f(n, 2))(3)


# --- types ---


def test_a_python_number_that_stays_is_static():
    def f(n):
        k, total = 3, 0

        def iteration(_):
            nonlocal k, total
            k = 3
            total = total + [0, 0, 0, 10][k]

        repeat(n, iteration, lambda: (k, total))
        assert type(k) is int
        return total

    check(f)


def test_types_widen_along_a_chain():
    def f(n):
        a, b, c, d = 0, 0, 0, 0

        def iteration(k):
            nonlocal a, b, c, d
            d, c, b, a = c, b, a, a + 0.5j

        repeat(n, iteration, lambda: (a, b, c, d))
        return a, b, c, d

    for n in (5, 1, 0):
        assert jax.jit(f)(n) == f(n)
    assert all(x.dtype == "complex64" and x.weak_type for x in jax.jit(f)(2))


@pytest.mark.parametrize(
    "start, step, dtype",
    [
        (0, 0.5, "float32"),
        (False, 1, "int32"),
        (np.int8(1), 1, "int8"),
        (0, jnp.bfloat16(1), "bfloat16"),
        (np.int8(1), np.int32(1), "int32"),
        (0, 1j, "complex64"),
        (np.uint8(1), 2, "uint8"),
    ],
)
def test_the_carry_has_the_joined_type(start, step, dtype):
    def f(n):
        total = start

        def iteration(k):
            nonlocal total
            total = total + step

        repeat(n, iteration, lambda: (total,))
        return total

    for n in (3, 0):
        assert jax.jit(f)(n).dtype == dtype and jax.jit(f)(n) == f(n)


@pytest.mark.parametrize(
    "start, after, text",
    [
        (lambda: jnp.ones(2), lambda x: jnp.ones(3), r"float32\[2\](.|\n)*float32\[3\](.|\n)*shapes differ"),
        (lambda: 1.0, lambda x: x * jnp.ones(2), "shapes differ"),
        (lambda: None, lambda x: 1, "None(.|\n)*cannot change it"),
        (lambda: 1, lambda x: None, "into something else"),
        (lambda: "a", lambda x: x + "b", "one of 'a', 'ab'(.|\n)*one of 'ab', 'abb'"),
        (lambda: (1, 2), lambda x: (*x, 3), "structures differ"),
        (lambda: {"a": 1}, lambda x: {**x, "b": 2}, "structures differ"),
        (lambda: [1], lambda x: tuple(x), "different kinds|cannot change it"),
        (lambda: np.uint8(1), lambda x: 300, "300 does not fit into uint8"),
        (lambda: jax.random.key(0), lambda x: 1, "dtypes differ"),
        (lambda: Box(1), lambda x: Box(2), "a Box object"),
        (lambda: jnp.sin, lambda x: len(str(x)), "the function sin"),
    ],
)
def test_values_that_cannot_be_carried_are_refused(start, after, text):
    def f(n):
        v = start()

        def iteration(k):
            nonlocal v
            v = after(v)

        repeat(n, iteration, lambda: (v,))

    with pytest.raises(StagingError, match=rf"'v' cannot be carried(.|\n)*test_fixed_point.py:\d+(.|\n)*{text}"):
        jax.jit(f)(3)


def test_an_element_is_named():
    def f(n):
        v = {"w": (0, jnp.ones(2))}

        def iteration(k):
            nonlocal v
            v = {"w": (0, jnp.ones(3))}

        repeat(n, iteration, lambda: (v,))

    with pytest.raises(StagingError, match=r"`v\['w'\]\[1\]` cannot be carried"):
        jax.jit(f)(3)


# --- how often bodies are traced ---


def _nested(depth, change):
    """Traces loops nested `depth` deep around `change`, and counts how often a body is traced."""
    traced = [0]

    def level(d, n):
        if d == 0:
            change(n)
            return
        i = 0

        def body():
            nonlocal i
            traced[0] += 1
            level(d - 1, n)
            i = i + 1

        while_loop(lambda: i < n, body, lambda: (i,))

    jax.make_jaxpr(lambda n: level(depth, n))(2)
    return traced[0]


def test_bodies_are_traced_once_when_nothing_moves():
    assert [_nested(depth, lambda n: None) for depth in range(1, 8)] == list(range(1, 8))


@pytest.mark.parametrize("kind", ["attribute", "attribute of moving type", "list", "dict"])
def test_written_places_are_found_in_polynomial_time(kind):
    def counted(depth):
        box, items, table = Box(0), [0], {"a": 0}
        change = {
            "attribute": lambda n: write(box, "value", box.value + 1),
            "attribute of moving type": lambda n: write(box, "value", box.value + 0.5),
            "list": lambda n: put(items, 0, items[0] + n),
            "dict": lambda n: put(table, "a", table["a"] + n),
        }[kind]
        return _nested(depth, change)

    for depth in range(1, 8):
        limit = depth * (depth + 2) if kind == "attribute of moving type" else depth * (depth + 3) / 2
        assert counted(depth) <= limit


def test_moving_types_at_every_level_take_polynomial_time():
    def counted(depth):
        traced = [0]

        def level(d, n, s):
            t = i = 0

            def body():
                nonlocal i, t, s
                traced[0] += 1
                t = t + 0.5 * s if d == 1 else level(d - 1, n, t)
                s = s + t
                i = i + 1

            while_loop(lambda: i < n, body, lambda: (i, t, s))
            return s

        jax.make_jaxpr(lambda n: level(depth, n, 0))(2)
        return traced[0]

    for depth in range(1, 9):
        assert counted(depth) <= depth * (depth + 3) / 2


@pytest.mark.parametrize("kind", ["while", "scan"])
def test_a_type_that_moves_in_the_innermost_loop_is_found_at_once(kind):
    def counted(depth):
        traced = 0

        def f(x, n):
            s = 0

            def level(d):
                i = 0

                def body(item=None):
                    nonlocal i, s, traced
                    traced += 1
                    if d == 1:
                        s = s + x
                    else:
                        level(d - 1)
                    i = i + 1

                if kind == "while":
                    while_loop(lambda: i < n, body, lambda: (i, s))
                else:
                    for_loop(jnp.arange(3), body, lambda: (i, s))

            level(depth)
            return s

        assert jax.jit(f)(0.5, 3) == 0.5 * 3**depth
        return traced

    assert [counted(depth) for depth in range(1, 6)] == [2 * depth for depth in range(1, 6)]


def count():
    print("turn")  # what goes out of the program does so while it is traced


def in_branches(x, n):
    """The type of `s` moves in a loop within branches within loops."""
    s = 0
    for i in range(n):
        if x > i - 9:
            for j in range(n):
                if x < 9 + j:
                    for k in range(n):
                        count()
                        if k < 9:
                            s = s + x
    return s


def returning(x, n):
    """No loop knows what `return` gives but the innermost one."""
    s = 0.0
    for i in range(n):
        for j in range(n):
            for _ in range(n):
                count()
                s = s + x
                if s > 5:
                    return s * 2 + i + j
            x = x * 2
        x = x + 1
    return s


def returning_at_every_level(x, n):
    s = 0.0
    for i in range(n):
        if s > 5 * x:
            return s + i
        for j in range(n):
            if s > 4 * x:
                return s + j
            for k in range(n):
                count()
                if s > 3 * x:
                    return s + k
                s = s + x
    return s


def finding(x, n):
    """The flag stays one of Python's bools, which count as integers, in the iterations that are given up as well."""
    found, s, best = False, 0, 0
    for _ in range(n):
        for j in range(n):
            for _ in range(n):
                count()
                s = s + x
                if s > 2:
                    best = s + j
                    found = True
            if found:
                s = s - best
    return s, found + found


@pytest.mark.parametrize("fn", [in_branches, returning, returning_at_every_level, finding], ids=lambda f: f.__name__)
def test_bodies_inside_branches_and_loops_that_return_are_traced_twice(fn, capsys):
    compiled = ag.jit(fn)
    compiled(0.25, 3)
    assert capsys.readouterr().out == "turn\n" * 2
    for x in (0.25, 1.5):
        for n in (0, 1, 3):
            np.testing.assert_allclose(compiled(x, n), fn(x, n), rtol=1e-6)


def test_a_closure_with_another_type_is_not_remembered():
    def f(n):
        def add(x):
            s = 0

            def body(_):
                nonlocal s
                s = s + x

            for_loop(jnp.zeros(2) + n, body, lambda: (s,))
            return s

        results = []

        def iteration(k):
            results[:] = [add(2), add(2.0), add(2)]

        repeat(n, iteration)
        return [add(2), add(2.0), add(2)]

    assert [x.dtype.name for x in jax.jit(f)(3)] == ["int32", "float32", "int32"]


def last_of_a_range(x, small):
    for i in range(4):
        if x > i:
            break
    return small * i


def last_of_an_unknown_range(x, small):
    total = 0
    for i in range(jnp.asarray(x, int)):
        total += i
    return small * i + total


def first_of_a_generator(x, small):
    return small * next((i for i, v in enumerate(x + jnp.arange(3)) if v > 1), -1)


def index_that_a_loop_returns(x, small):
    def index():
        for i in range(4):
            if x < i:
                return i
        return -1

    return small * index()


def number_of_an_iteration(x, small):
    while x > 0:
        factor = 2.5 if small.dtype == "float16" else 2
        x = x - 1
    return small * factor


def none_or_a_number(x, small):
    k = None
    if x > 1:
        k = int(x)
    if k is None:
        k = -1
    return small * k


@pytest.mark.parametrize("dtype", ["int8", "float16"])
@pytest.mark.parametrize(
    "fn",
    [
        last_of_a_range,
        last_of_an_unknown_range,
        first_of_a_generator,
        index_that_a_loop_returns,
        number_of_an_iteration,
        none_or_a_number,
    ],
    ids=lambda f: f.__name__,
)
def test_a_number_that_is_first_bound_inside_stays_weak(fn, dtype):
    small = jnp.arange(3).astype(dtype)
    for x in (2.0, 1.0):
        got, want = ag.jit(fn)(x, small), fn(jnp.asarray(x), small)
        assert got.tolist() == want.tolist() and (got.dtype, got.weak_type) == (want.dtype, want.weak_type)
