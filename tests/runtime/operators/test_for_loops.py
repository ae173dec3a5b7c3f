"""`for_loop` alone: Python's path, scans, counted loops, jump flags, appended lists, unrolling as the fallback."""

import itertools
import warnings

import jax
import jax.numpy as jnp
import pytest
from jax import lax

import autograph as ag
from autograph.directives import range as ag_range
from autograph.errors import StagingError, UndefinedVariableError
from autograph.runtime.heap import journal
from autograph.runtime.operators.conditionals import if_exp, if_stmt, nothing
from autograph.runtime.operators.for_loops import for_loop
from autograph.runtime.operators.logical import not_
from autograph.runtime.operators.unbound_reads import read
from autograph.runtime.operators.unrolled_loops import UnrolledLoopWarning
from autograph.runtime.sequences.iterables import Enumerate, Filter, Map, Reversed, Zip
from autograph.runtime.tracing import context
from benchmarks.programs.pair import scan_carries
from tests.runtime.announced import append


@pytest.fixture(autouse=True)
def no_region_stays_open():
    yield
    assert not context.active()


def total(xs):
    s = 0.0

    def body(x):
        nonlocal s
        s = s * 2 + x

    for_loop(xs, body, lambda: (s,))
    return s


def first_above(xs, limit):
    """The first item above `limit` and how many came before it; `break` and `else` as the converters write them."""
    break_ = False
    found = -1.0
    k = 0

    def body(x):
        nonlocal break_, found, k

        def leave():
            nonlocal break_, found
            found = x
            break_ = True

        def go_on():
            nonlocal k
            k = k + 1

        if_stmt(x > limit, leave, go_on, lambda: (break_, found, k), exits={"break_": ()})

    for_loop(xs, body, lambda: (break_, found, k), test=lambda: not_(break_), last=True)
    if_stmt(break_, nothing, lambda: None)
    return found, k


def primitives(f, *args):
    return [str(eqn.primitive) for eqn in jax.make_jaxpr(f)(*args).eqns]


def loops(f, *args):
    return [eqn for eqn in jax.make_jaxpr(f)(*args).eqns if str(eqn.primitive) in ("while", "scan")]


# --- Python's path ---


@pytest.mark.parametrize("make", [list, tuple, set, range, iter, jnp.asarray], ids=lambda f: f.__name__)
def test_known_items_are_python_s(make):
    seen = []
    for_loop(make(3) if make is range else make([0, 1, 2]), seen.append)
    assert [int(x) for x in seen] == [0, 1, 2]


def test_python_stops_where_the_flag_says():
    it = iter(range(10))
    seen = []
    for_loop(it, seen.append, test=lambda: len(seen) < 3)
    assert seen == [0, 1, 2] and next(it) == 3


def test_what_cannot_be_iterated():
    for iterable in (3, None):
        with pytest.raises(TypeError, match="not iterable"):
            for_loop(iterable, print)
        with pytest.raises(TypeError, match="not iterable"):
            for_loop(iterable, print, test=lambda: True)
    with pytest.raises(TypeError, match="iteration over a 0-d array"):
        jax.jit(lambda x: for_loop(x, print))(1.0)


# --- arrays ---


@pytest.mark.parametrize("length", [4, 1, 0])
def test_arrays_are_scanned(length):
    xs = jnp.arange(float(length))
    assert jax.jit(total)(xs) == total(xs)
    assert primitives(total, xs) == (["scan"] if length else [])
    assert jax.jit(lambda rows: total([row.sum() for row in rows]))(xs[:, None]) == total(xs)


def test_the_program_of_lax_scan():
    def by_hand(xs):
        return lax.scan(lambda s, x: (s * 2 + x, None), 0.0, xs)[0]

    xs = jnp.arange(4.0)
    (ours,), (theirs,) = loops(total, xs), loops(by_hand, xs)
    assert len(jax.make_jaxpr(total)(xs).eqns) == len(jax.make_jaxpr(by_hand)(xs).eqns) == 1
    for name in ("length", "reverse", "unroll"):
        assert ours.params[name] == theirs.params[name]
    assert len(ours.outvars) == len(theirs.outvars) and scan_carries(ours) == scan_carries(theirs)


@pytest.mark.parametrize(
    "wrap",
    [
        lambda xs: Reversed(xs),
        lambda xs: Map(lambda x: x * x, (xs,)),
        lambda xs: Map(lambda i, x: x * i, (Enumerate(xs),)) if False else Map(lambda x, y: x * y, (xs, Reversed(xs))),
    ],
)
def test_arrays_in_other_iterables_are_one_scan(wrap):
    xs = jnp.arange(4.0) + 1
    assert jax.jit(lambda xs: total(wrap(xs)))(xs) == total(list(wrap(xs)))
    assert primitives(lambda xs: total(wrap(xs)), xs).count("scan") == 1


def test_pairs():
    def f(xs, ys):
        s = 0.0

        def body(item):
            nonlocal s
            i, (x, y) = item
            s = s * 2 + i * x - y

        for_loop(Enumerate(Zip((xs, ys)), 3), body, lambda: (s,))
        return s

    xs, ys = jnp.arange(4.0), jnp.arange(6.0) * 3
    want = 0.0
    for i, (x, y) in enumerate(zip(xs, ys, strict=False), 3):
        want = want * 2 + i * x - y
    assert jax.jit(f)(xs, ys) == want


def test_filtered_arrays():
    def f(xs, fn):
        return total(Filter(fn, xs))

    xs = jnp.array([0.0, 3.0, 1.0, 5.0])
    assert jax.jit(lambda xs: f(xs, lambda x: x > 2))(xs) == total([3.0, 5.0])
    assert jax.jit(lambda xs: f(xs, None))(xs) == total([3.0, 1.0, 5.0])
    assert jax.jit(lambda xs: first_above(Filter(lambda x: x > 2, xs), 4))(xs) == (5.0, 1)


def test_a_consumed_iterator_is_empty():
    def f(xs):
        pairs = Enumerate(xs)
        for_loop(pairs, lambda item: None)
        assert list(pairs) == []
        rest = Filter(None, xs)
        for_loop(rest, lambda item: None)
        assert list(rest) == []
        return xs

    jax.jit(f)(jnp.arange(3))


# --- ranges ---


def powers(n, start=0, step=1):
    s = 0

    def body(i):
        nonlocal s
        s = s * 3 + i

    for_loop(ag_range(start, n, step), body, lambda: (s,))
    return s


@pytest.mark.parametrize("bounds", [(5,), (0,), (-2,), (7, 3), (3, 7), (7, 1, 2), (0, 9, -4), (9, 0, -4), (5, 5, 1)])
def test_ranges_of_traced_bounds(bounds):
    assert jax.jit(powers)(*bounds) == powers(*bounds)
    assert [str(e.primitive) for e in loops(powers, *bounds)] == ["while"]


LEAST, GREATEST = -(2**31), 2**31 - 1
EDGES = (LEAST, LEAST + 1, -7, -1, 0, 2, 9, GREATEST - 5, GREATEST - 1, GREATEST)


def first_items(start, stop, step):
    count, total, last = 0, 0, 7
    for i in range(start, stop, step):
        count, total, last = count + 1, total * 3 + i % 1000, i
        if count >= 5:
            break
    return count, total, last


@pytest.mark.parametrize("step", [1, -1, 2, -3, 2**30, -(2**30), GREATEST, LEAST])
def test_ranges_end_at_the_edges_of_the_integers(step):
    """No count of iterations and no number after the last one may wrap around."""
    starts, stops = (jnp.array(x) for x in zip(*itertools.product(EDGES, EDGES), strict=True))
    every = [first_items(start, stop, step) for start, stop in itertools.product(EDGES, EDGES)]
    want = [list(x) for x in zip(*every, strict=True)]
    whole = ag.convert(first_items)
    known_step = jax.jit(jax.vmap(lambda a, b: whole(a, b, step)))
    assert [x.tolist() for x in known_step(starts, stops)] == want
    assert [x.tolist() for x in jax.jit(jax.vmap(whole, (0, 0, None)))(starts, stops, step)] == want
    for start in (0, 5, -5):
        known_start = ag.jit(first_items, static_argnums=(0, 2))
        assert [known_start(start, b, step) for b in EDGES] == [first_items(start, b, step) for b in EDGES]
        assert [ag.jit(first_items, static_argnums=(0, 1))(start, 9, s) for s in (2, -2)] == [
            first_items(start, 9, s) for s in (2, -2)
        ]


def test_a_range_of_traced_bounds_counts_in_its_items():
    [loop] = loops(lambda n, k: powers(n, k), 9, 3)
    assert len(loop.outvars) == 2
    assert [e.primitive.name for e in loop.params["cond_jaxpr"].eqns] == ["lt"]
    assert [e.primitive.name for e in loop.params["body_jaxpr"].eqns] == ["mul", "add", "add"]
    [loop] = loops(lambda n: powers(n, 10, -3), 2)
    assert [e.primitive.name for e in loop.params["cond_jaxpr"].eqns] == ["ne"]
    assert [e.primitive.name for e in loop.params["body_jaxpr"].eqns] == ["mul", "add", "add"]


def test_gradients_through_a_range_of_traced_bounds():
    def f(x, n):
        for i in range(10, n, -3):
            x = x * i
        return x

    for n in (4, 2, 10, 20):
        assert jax.jit(jax.grad(ag.convert(f)))(2.0, n) == f(1.0, n)


def test_a_staged_range_of_known_length_is_a_scan():
    f = lambda x: powers(5) * x  # noqa: E731
    assert [str(e.primitive) for e in loops(f, 1)] == ["scan"] and jax.jit(f)(2) == 2 * powers(5)
    assert not loops(lambda x: powers(0) * x, 1)


def test_the_target_is_known_afterwards():
    def f(xs):
        x = -1.0

        def body(item):
            nonlocal x
            x = item

        for_loop(xs, body, lambda: (x,))
        return x

    assert jax.jit(f)(jnp.arange(4.0)) == 3 and jax.jit(f)(jnp.zeros(0)) == -1


def test_a_target_first_bound_in_the_loop():
    def f(xs):
        def body(item):
            nonlocal x
            x = item

        for_loop(xs, body, lambda: (x,))
        return read(lambda: x)
        x = None

    assert jax.jit(f)(jnp.arange(4.0)) == 3
    with pytest.raises(UnboundLocalError):
        jax.jit(f)(jnp.zeros(0))


# --- jump flags ---


@pytest.mark.parametrize("limit", [2.5, -1.0, 100.0])
def test_leaving_early(limit):
    xs = jnp.arange(6.0)
    want = first_above(list(range(6)), limit)
    assert jax.jit(first_above)(xs, limit) == want
    assert jax.vmap(first_above, (None, 0))(xs, jnp.array([limit, 0.0]))[1].tolist() == [want[1], 1]
    assert [str(e.primitive) for e in loops(first_above, xs, limit)] == ["while"]
    assert jax.jit(lambda xs, limit: first_above(Reversed(xs), limit))(xs, limit) == first_above(
        list(range(6))[::-1], limit
    )
    assert jax.jit(first_above)(xs[:0], limit) == (-1, 0)


@pytest.mark.parametrize(
    "make", [lambda: range(6), lambda: [0, 1, 2, 3, 4, 5], lambda: iter(range(6)), lambda: (0, 1, 2, 3, 4, 5)]
)
@pytest.mark.parametrize("limit", [2.5, -1.0, 100.0])
def test_leaving_python_s_iterables_early(make, limit):
    assert jax.jit(lambda limit: first_above(make(), limit))(limit) == first_above(make(), limit)


def test_a_range_left_early_is_one_loop():
    assert len(loops(lambda limit: first_above(range(100), limit), 2.5)) == 1
    assert len(jax.make_jaxpr(lambda limit: first_above(range(100), limit))(2.5).eqns) < 10


def test_an_endless_iterator_left_on_a_traced_condition():
    with pytest.raises(StagingError, match="endless iterator(.|\n)*test_for_loops.py"):
        jax.jit(lambda limit: first_above(itertools.count(), limit))(2.5)


def test_flags_that_stay_known_are_python_s():
    def f(x):
        break_, seen = False, []

        def body(k):
            nonlocal break_
            seen.append(k)
            break_ = k == 2

        for_loop(range(10), body, lambda: (break_,), test=lambda: not break_)
        return x * len(seen)

    assert jax.jit(f)(2) == 6


def test_native_state_in_a_range_loop_with_known_flags_advances_once():
    def f(x):
        it, break_, seen = iter(range(100)), False, []

        def body(k):
            nonlocal break_
            seen.append(next(it))
            break_ = k == 2

        for_loop(range(10), body, lambda: (break_,), test=lambda: not break_)
        return x * next(it), seen

    assert jax.jit(f)(1) == (3, [0, 1, 2])


# --- appended lists ---


def test_appended_lists_are_outputs_of_the_scan():
    def f(xs):
        out = []

        def body(x):
            append(out, x * 2)
            append(out, {"x": (x, 1)})

        for_loop(xs, body, appends=lambda: (out,))
        return out

    xs = jnp.arange(3.0)
    assert jax.tree.map(float, jax.jit(f)(xs)) == jax.tree.map(float, f(list(xs)))
    (scan,) = loops(f, xs)
    assert scan_carries(scan) == 0


def test_a_list_with_another_name_is_not_an_output():
    def f(xs):
        out = [0.0]
        other = out

        def body(x):
            append(out, x + other[-1])

        for_loop(xs, body, appends=lambda: (out,))
        return out

    with pytest.warns(UnrolledLoopWarning, match="the contents of the list 'other'"):
        assert [float(x) for x in jax.jit(f)(jnp.arange(3.0))] == [0, 0, 1, 3]


# --- the fallback ---


def growing(xs):
    out = xs[:0]

    def body(x):
        nonlocal out
        out = jnp.concatenate([out, x[None] * 2])

    for_loop(xs, body, lambda: (out,))
    return out


def test_a_carry_of_changing_shape_is_unrolled_with_a_warning():
    with pytest.warns(
        UnrolledLoopWarning, match=r"this loop is unrolled(.|\n)*test_for_loops.py:\d+(.|\n)*'out'"
    ) as seen:
        assert jax.jit(growing)(jnp.arange(3.0)).tolist() == [0, 2, 4]
    assert len(seen) == 1 and seen[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert "scan" not in primitives(growing, jnp.arange(3.0))


def test_a_failed_attempt_leaves_no_trace():
    def f(xs):
        out, count, items = xs[:0], 0, [0]

        def body(x):
            nonlocal out, count
            count = count + 1
            journal.touch_container(items)
            items[0] = items[0] + x
            out = jnp.concatenate([out, x[None]])

        for_loop(xs, body, lambda: (out, count))
        return out, count, items

    with pytest.warns(UnrolledLoopWarning):
        out, count, items = jax.jit(f)(jnp.arange(3.0))
    assert out.tolist() == [0, 1, 2] and count == 3 and items == [3]


def test_a_dynamic_loop_cannot_be_unrolled():
    def f(n):
        out = jnp.zeros(0)

        def body(i):
            nonlocal out
            out = jnp.append(out, i)

        for_loop(ag_range(n), body, lambda: (out,))
        return out

    with pytest.raises(StagingError, match="'out' cannot be carried"):
        jax.jit(f)(3)


def test_an_unrolled_loop_with_a_jump():
    def f(xs, limit):
        out, break_ = xs[:0], False

        def body(x):
            nonlocal out, break_
            break_ = x > limit
            out = if_exp(break_, lambda: out, lambda: out) if break_ is True else jnp.stack([out, out])

        for_loop(xs, body, lambda: (out, break_), test=lambda: not_(break_))
        return out

    with pytest.raises(StagingError, match="shapes differ"):  # and no warning, which would be an error here
        jax.jit(f)(jnp.arange(3.0), 1.0)


def test_a_warning_is_given_once_however_often_the_loop_is_traced():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("default")
        jax.eval_shape(growing, jnp.arange(3.0))
        jax.eval_shape(growing, jnp.arange(4.0))
    assert [w.category for w in seen] == [UnrolledLoopWarning]


# --- a first iteration that gives a variable its kind ---


def rollout(s, actions):
    seen = s
    for a in actions:
        s = s + a
        seen = jnp.concatenate([s, s])
        if s[0] > 500:
            break
    return seen


def compiled_loops(fn, *args):
    return str(jax.jit(ag.convert(fn)).lower(*args).as_text()).count("stablehlo.while")


@pytest.mark.parametrize("wrap", [ag.jit, ag.function, ag.convert])
def test_the_iterations_after_one_that_changes_a_shape_are_one_loop(wrap):
    start, actions = jnp.zeros(2), jnp.ones((2, 200, 2)) * jnp.array([1.0, 3.0])[:, None, None]
    results = jax.vmap(wrap(rollout), (None, 0))(start, actions) if wrap is ag.convert else [wrap(rollout)(start, a) for a in actions]
    assert [r.tolist() for r in results] == [[200.0] * 4, [501.0] * 4]
    assert compiled_loops(rollout, start, actions[0]) == 1


@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_shape_that_changes_in_one_of_a_few_iterations(count):
    start, actions = jnp.zeros(2), jnp.ones((count, 2))
    assert ag.jit(rollout)(start, actions).tolist() == rollout(start, actions).tolist()


def changes(s, actions):
    """What two observations differ by: the one before has the shape of the others from the third iteration on."""
    total, before, seen = 0.0, s, s
    for a in actions:
        total += before.sum() - seen.sum()
        s = s + a
        before, seen = seen, jnp.concatenate([s, s])
        if s[0] > 500:
            break
    return total


def changes_in_a_range(s, actions):
    total, before, seen = 0.0, s, s
    for k in range(200):
        total += before.sum() - seen.sum()
        s = s + actions[k]
        before, seen = seen, jnp.concatenate([s, s])
        if s[0] > 500:
            return total
    return total


def changes_in_a_while(s, actions):
    total, before, seen, k = 0.0, s, s, 0
    while s[0] <= 500 and k < len(actions):
        total += before.sum() - seen.sum()
        s = s + actions[k]
        before, seen = seen, jnp.concatenate([s, s])
        k += 1
    return total


@pytest.mark.parametrize("fn", [changes, changes_in_a_range, changes_in_a_while])
def test_the_iterations_after_two_that_change_a_shape_are_one_loop(fn):
    start, actions = jnp.zeros(2), jnp.ones((2, 200, 2)) * jnp.array([1.0, 3.0])[:, None, None]
    expected = [-796.0, -1992.0]  # as plain Python
    assert [float(ag.jit(fn)(start, a)) for a in actions] == expected
    assert [float(ag.function(fn)(start, a)) for a in actions] == expected
    assert jax.jit(jax.vmap(ag.convert(fn), (None, 0)))(start, actions).tolist() == expected
    assert compiled_loops(fn, start, actions[0]) == 1


def test_no_program_returns_two_shapes():
    def f(s, actions):
        seen = s
        for a in actions:
            if a[0] > 1:
                break
            seen = jnp.stack([s, a])
        return seen

    with pytest.raises(
        StagingError, match=r"different values in 'seen'(.|\n)*float32\[2\](.|\n)*float32\[2,2\](.|\n)*shapes differ"
    ):
        ag.jit(f)(jnp.zeros(2), jnp.ones((5, 2)))


# --- transforms ---


@pytest.mark.slow
@pytest.mark.usefixtures("with_few_objects")
def test_transforms_and_gradients():
    xs = jnp.arange(4.0)
    want = jnp.array([8.0, 4.0, 2.0, 1.0])
    staged = jax.jit(total)
    for gradient in (
        jax.grad(staged),
        jax.jit(jax.grad(total)),
        jax.jacfwd(staged),
        jax.jacrev(jax.checkpoint(staged)),
    ):
        assert gradient(xs).tolist() == want.tolist()
    assert jax.vmap(total)(jnp.stack([xs, xs + 1])).tolist() == [total(xs), total(xs + 1)]
    assert jax.jit(jax.vmap(total))(jnp.stack([xs, xs + 1])).tolist() == [total(xs), total(xs + 1)]
    with jax.checking_leaks(), jax.enable_checks(True):
        assert jax.jit(total)(xs) == total(xs)
    with jax.disable_jit():
        assert jax.jit(total)(xs) == total(xs)


def test_gradients_of_counted_loops():
    def f(x, n):
        s = x

        def body(i):
            nonlocal s
            s = jnp.sin(s) * x

        for_loop(ag_range(n), body, lambda: (s,))
        return s

    def by_hand(x, n):
        s = x
        for _ in range(n):
            s = jnp.sin(s) * x
        return s

    for n in (0, 1, 4):
        assert jnp.allclose(jax.jit(jax.grad(f))(0.5, n), jax.grad(by_hand)(0.5, n))
    assert jnp.allclose(
        jax.vmap(jax.grad(f))(jnp.array([0.5, 0.7]), jnp.array([1, 4])),
        jnp.array([jax.grad(by_hand)(0.5, 1), jax.grad(by_hand)(0.7, 4)]),
    )


def test_nested_loops_over_rows():
    def f(grid):
        s = 0.0

        def row_body(row):
            def body(x):
                nonlocal s
                s = s * 2 + x

            for_loop(row, body, lambda: (s,))

        for_loop(grid, row_body, lambda: (s,))
        return s

    grid = jnp.arange(6.0).reshape(2, 3)
    assert jax.jit(f)(grid) == f(grid) == total(grid.reshape(-1))


def test_a_variable_that_no_iteration_may_bind_names_itself():
    def f(xs):
        def body(x):
            nonlocal y

            def bind():
                nonlocal y
                y = x

            if_stmt(x > 1, bind, nothing, lambda: (y,), unbound=("y",))

        for_loop(xs, body, lambda: (y,))
        return read(lambda: y)
        y = None

    with pytest.raises(UndefinedVariableError, match="'y'"):
        jax.jit(f)(jnp.arange(3.0))
