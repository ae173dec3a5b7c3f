"""Whether anything else refers to an object: each operator that asks, where something does and where nothing does.

Python 3.14 borrows arguments from variables without counting them, so a variable must be found in another way there.
"""

import sys

import jax.numpy as jnp
import pytest

import autograph as ag
from autograph.errors import StagingError
from autograph.runtime.carry.scan_outputs import alone
from autograph.runtime.operators import augmented, items
from autograph.runtime.operators.for_loops import for_loop
from autograph.runtime.operators.items import set_item
from autograph.runtime.operators.unrolled_loops import UnrolledLoopWarning
from autograph.runtime.sequences.membership import contains
from autograph.runtime.sequences.short_circuit import any_passes
from autograph.runtime.tracing import sharing
from autograph.runtime.tracing.variables import variables_of
from autograph.runtime.values.reachability import unreferenced


def asked(x):
    return sharing.other_references(x)


def handed_on(x):
    return asked_behind(x)


def asked_behind(x):
    return sharing.other_references(x, 2)


@pytest.mark.parametrize("ask", [asked, handed_on])
def test_an_argument_that_nothing_else_refers_to(ask):
    found = [ask([1]), ask(iter(())), ask(x for x in ()), ask([[]].pop())]  # `assert` would keep the arguments
    assert found == [0, 0, 0, 0]


@pytest.mark.parametrize("ask", [asked, handed_on])
def test_an_argument_that_a_variable_refers_to(ask):
    x = [1]
    assert ask(x) == 1
    y = x
    assert ask(x) == 2 and y is x
    holder = {"x": x}
    assert ask(x) >= 3
    assert ask(holder["x"]) >= 3


@pytest.mark.parametrize("ask", [asked, handed_on])
def test_an_argument_in_a_cell_or_in_a_container(ask):
    x = [1]

    def read():
        return x

    table = [[1]]
    found = [ask(x), ask([[1]][0]), ask(table[0])]
    assert found == [1, 0, 1] and read() is x


@pytest.mark.parametrize("ask", [asked, handed_on])
def test_an_argument_that_is_a_parameter_of_the_caller(ask):
    def direct(x):
        return ask(x)

    def by_keyword(*, x):
        return ask(x)

    def behind(x):
        return direct(x)

    mine = [1]
    for call in (direct, behind, lambda x: direct(x)):
        assert call([1]) >= 1
        assert call(mine) >= 2
    assert by_keyword(x=[1]) >= 1 and by_keyword(x=mine) >= 2


def test_an_element_of_a_table():
    x = [1]
    assert sharing.references_outside([[1]], 0) == 0 and sharing.references_outside({"a": [1]}, "a") == 0
    assert sharing.references_outside([x], 0) == 1
    assert sharing.references_outside([x, x], 0) == 2


# --- a loop that is left on a traced condition, over an iterator ---


def of_its_own(xs, t):
    for x in iter(xs):
        if x > t:
            break
    return x


def of_a_variable(xs, t):
    it = iter(xs)
    for x in it:
        if x > t:
            break
    return x


def left(it, t):
    for x in it:
        if x > t:
            break
    return x


def of_a_called_function(xs, t):
    return left(iter(xs), t)


def of_an_enumeration(xs, t):
    for _, x in enumerate(iter(xs)):
        if x > t:
            break
    return x


@pytest.mark.parametrize("fn", [of_its_own, of_a_variable, of_a_called_function, of_an_enumeration])
def test_an_iterator_of_a_loop_alone(fn):
    xs = [1.0, 2.0, 3.0]
    assert ag.jit(lambda t: fn(xs, t))(1.5) == 2.0


def read_afterwards(xs, t):
    it = iter(xs)
    for x in it:
        if x > t:
            break
    return x + next(it)


def read_by_the_caller(xs, t):
    it = iter(xs)
    x = left(it, t)
    return x + next(it)


def read_by_the_caller_s_caller(xs, t):
    it = iter(xs)
    x = (lambda it: left(it, t))(it)
    return x + next(it)


def kept_in_a_list(xs, t):
    kept = [iter(xs)]
    for x in kept[0]:
        if x > t:
            break
    return x + next(kept[0])


def known_by_two_names(xs, t):
    it = other = iter(xs)
    for x in it:
        if x > t:
            break
    return x + next(other)


def inside_an_enumeration(xs, t):
    it = iter(xs)
    for _, x in enumerate(it):
        if x > t:
            break
    return x + next(it)


def read_by_a_closure(xs, t):
    it = iter(xs)

    def rest():
        return next(it)

    for x in it:
        if x > t:
            break
    return x + rest()


SHARED = [
    read_afterwards,
    read_by_the_caller,
    read_by_the_caller_s_caller,
    kept_in_a_list,
    known_by_two_names,
    inside_an_enumeration,
    read_by_a_closure,
]


@pytest.mark.parametrize("fn", SHARED)
def test_an_iterator_of_a_loop_that_is_used_elsewhere(fn):
    xs = [1.0, 2.0, 3.0]
    assert fn(xs, 1.5) == 5.0
    with pytest.raises(StagingError, match="an iterator that is used elsewhere"):
        ag.jit(lambda t: fn(xs, t))(1.5)


COUNTED = [
    (for_loop, "iterable"),
    (set_item, "x"),
    (items.writable, "x"),
    (augmented.traceable, "x"),
    (contains, "container"),
    (any_passes, "iterable"),
]


@pytest.mark.parametrize(("function", "parameter"), COUNTED)
def test_what_is_counted_stands_in_no_cell(function, parameter):
    assert parameter in function.__code__.co_varnames and parameter not in function.__code__.co_cellvars


# --- any(), all(), in ---


@pytest.mark.parametrize("what", ["any", "all", "in"])
def test_a_search_in_an_iterator_alone(what):
    def fn(t):
        if what == "any":
            return any(x > t for x in iter([1.0, 2.0, 3.0]))
        if what == "all":
            return not all(x <= t for x in iter([1.0, 2.0, 3.0]))
        return t in iter([1.0, 2.5, 3.0])

    assert bool(ag.jit(fn)(2.5)) is fn(2.5) is True


def asks_any(it, t):
    return any(it)


def asks_all(it, t):
    return not all(it)


def asks_in(it, t):
    return (t > 0) in it


def asks_a_generator_over_it(it, t):
    return any(x for x in it)


@pytest.mark.parametrize("ask", [asks_any, asks_all, asks_in, asks_a_generator_over_it])
def test_a_search_in_an_iterator_that_is_used_elsewhere(ask):
    def fn(t):
        it = iter([t > 1.0, t > 2.0, t > 3.0])
        found = ask(it, t)
        return found, next(it)

    with pytest.raises(StagingError, match="from an iterator that is used elsewhere"):
        ag.jit(fn)(2.5)


# --- next() in a branch ---


def test_next_of_an_iterator_that_the_branch_makes():
    def fn(t):
        return next(y for y in [7.0, 8.0] if y > 7) + t if t > 0 else t

    assert ag.jit(fn)(1.0) == 9.0 and ag.jit(fn)(-1.0) == -1.0


def test_next_of_an_iterator_that_is_older_than_the_branch():
    def fn(t):
        numbers = iter([7.0, 8.0])
        if t > 0:
            t = t + next(numbers)
        return t + next(numbers)

    with pytest.raises(StagingError, match="'numbers' .list_iterator. is advanced inside a staged statement"):
        ag.jit(fn)(1.0)


# --- lists that a loop appends to, and lists that a branch makes ---


def test_a_list_that_one_variable_alone_refers_to():
    def numbers(shared):
        out = []
        other = out if shared else None
        return alone(variables_of(lambda: (out,))) == {id(out)}, other

    assert numbers(False)[0] and not numbers(True)[0]


def filled(out, xs):
    for x in xs:
        out.append(x * 2)
    return out


def test_a_list_that_the_caller_reads_as_well():
    def fn(xs):
        out = []
        same = filled(out, xs)
        return out, same

    with pytest.warns(UnrolledLoopWarning):  # `out` is no stacked output where the caller's variable is the same list
        out, same = ag.jit(fn)(jnp.array([1.0, 2.0]))
    assert [float(x) for x in out] == [float(x) for x in same] == [2.0, 4.0]


def test_objects_that_tables_alone_refer_to():
    held = [2]
    table = {id(x): x for x in ([1], held)}
    assert [table[key] for key in unreferenced(table, {})] == [[1]]


def test_a_list_that_a_branch_makes_and_one_that_is_older():
    def fn(x, log):
        if x > 0:
            mine = []
            mine.append(x)
            log.append(mine[0])
        return x + len(log)

    for x in (1.0, -1.0):
        assert ag.jit(lambda x: fn(x, []))(x) == fn(x, [])

    def made(x):
        if x > 0:
            mine = []
            mine.append(x)
            x = mine[0] * 2
        return x

    assert ag.jit(made)(1.0) == 2.0 and ag.jit(made)(-1.0) == -1.0


def test_a_list_that_grows_in_the_loop_that_runs_over_it():
    def fn(n):
        queue = [0]
        for v in queue:
            ag.set_loop_options(maximum_iterations=8)
            if v < n:
                queue.append(v + 1)
        return queue

    assert list(ag.jit(fn)(3)) == fn(3) == [0, 1, 2, 3]


def test_variables_that_are_looked_at_count_no_more_references():
    xs = [1]
    before = sys.getrefcount(xs)
    assert sharing.locals_of(sys._getframe())["xs"] is xs
    assert sys.getrefcount(xs) == before


def test_variables_that_the_user_holds_stay():
    xs = [1]
    held = locals()
    assert sharing.locals_of(sys._getframe())["xs"] is xs
    assert held["xs"] is xs
    namespace = {"sharing": sharing, "sys": sys}
    exec("found = sharing.locals_of(sys._getframe())", namespace)
    assert namespace["found"]["sys"] is namespace["sys"] is sys
