"""Containers that a branch makes, and containers of which a branch chooses one: contents, aliases, refused changes."""

import dataclasses
import gc
from collections import OrderedDict, defaultdict, namedtuple

import jax
import jax.numpy as jnp
import pytest

from autograph.errors import StagingError
from autograph.runtime.heap import aliases, journal
from autograph.runtime.operators.conditionals import if_exp, if_stmt, nothing
from autograph.runtime.tracing import context
from tests.runtime.announced import append, put, write

Pair = namedtuple("Pair", "first second")


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Node:
    value: object
    children: object = ()
    name: str = dataclasses.field(metadata={"static": True}, default="n")


class Box:
    """An ordinary object; `put` writes as converted code does."""


def make(*values):
    items = []
    for value in values:
        append(items, value)
    return items


def boxed(value):
    box = Box()
    write(box, "value", value)
    return box


def both_ways(f, *inputs):
    """`f` staged gives what `f` gives in Python, for inputs of both signs."""
    for x in inputs or (3, -3):
        plain, staged = f(x), jax.jit(f)(x)
        assert jax.tree.map(float, plain) == jax.tree.map(float, staged)
        assert jax.tree.structure(plain) == jax.tree.structure(staged)
    assert not context.active()


def test_a_list_filled_in_a_branch_is_returned_full():
    both_ways(lambda n: if_exp(n > 0, lambda: make(n, 1), lambda: make(2, n * 2)))


def test_a_list_filled_in_one_branch_and_a_display_in_the_other():
    both_ways(lambda n: if_exp(n > 0, lambda: make(n), lambda: [5]))


def test_a_filled_list_leaves_through_a_variable_and_may_be_changed():
    def f(n):
        out = None

        def body():
            nonlocal out
            out = make(n, 2)

        def orelse():
            nonlocal out
            out = make(n * 2, 3)

        if_stmt(n > 0, body, orelse, lambda: (out,))
        put(out, 0, 9)
        return out

    both_ways(f)


def test_a_filled_list_leaves_inside_another_container():
    def f(n):
        table = {"a": 0}

        def body():
            put(table, "a", {"inner": make(n, 1)})

        def orelse():
            put(table, "a", {"inner": make(1, n)})

        if_stmt(n > 0, body, orelse)
        put(table["a"]["inner"], 1, 8)
        return table

    both_ways(f)


def test_two_names_of_one_list_stay_two_names_of_one_list():
    def f(n):
        def branch(k):
            items = make(k, n)
            return (items, items)

        first, second = if_exp(n > 0, lambda: branch(1), lambda: branch(2))
        put(first, 0, 7)
        assert first is second
        return second

    both_ways(f)


def test_lists_that_are_one_in_one_branch_only_are_not_changed_silently():
    def f(n, change):
        def one():
            items = make(1, n)
            return (items, items)

        first, second = if_exp(n > 0, one, lambda: (make(2, n), make(3, n)))
        if change:
            put(first, 0, 7)
        return second

    assert int(jax.jit(lambda n: f(n, False))(4)[0]) == 1
    with pytest.raises(StagingError, match="may be one of several"):
        jax.jit(lambda n: f(n, True))(4)


def test_a_temporary_list_is_forgotten():
    def f(n):
        def total(*values):
            items = make(*values)
            return sum(items)

        return if_exp(n > 0, lambda: total(1, n), lambda: total(n, n, n))

    both_ways(f)


def test_a_list_that_only_one_branch_leaves_behind_keeps_what_was_written():
    def f(n):
        return_ = False

        def body():
            nonlocal return_, return_value
            return_value = make(n, 2)
            return_ = True

        if_stmt(n > 0, body, nothing, lambda: (return_, return_value), exits={"return_": ()})
        return if_exp(return_, lambda: return_value, lambda: [0, 0])
        return_value = None

    both_ways(f)


def test_objects_made_in_both_branches_join_attribute_by_attribute():
    def f(n):
        box = if_exp(n > 0, lambda: boxed(n), lambda: boxed(1.5))
        write(box, "other", 2)
        return box.value, box.other

    assert [float(v) for v in jax.jit(f)(3)] == [3.0, 2.0] and [float(v) for v in jax.jit(f)(-3)] == [1.5, 2.0]


def test_objects_that_are_one_in_one_branch_only_are_refused():
    def f(n):
        def one():
            box = boxed(n)
            return box, box

        a, b = if_exp(n > 0, one, lambda: (boxed(1), boxed(2)))
        return a.value, b.value

    with pytest.raises(StagingError, match="two names of one object"):
        jax.jit(f)(3)


def test_an_object_made_in_a_branch_does_not_replace_an_older_one():
    def f(n):
        old = boxed(1)
        return if_exp(n > 0, lambda: boxed(n), lambda: old).value

    with pytest.raises(StagingError, match="a Box object"):
        jax.jit(f)(3)


def test_one_of_two_lists_may_be_read():
    def f(n):
        xs, ys = [1, n], [3, 4]
        return if_exp(n > 0, lambda: xs, lambda: ys)

    both_ways(f)


@pytest.mark.parametrize("which", ["merged", "left", "right"])
@pytest.mark.parametrize("kind", ["list", "dict", "dataclass", "nested"])
def test_one_of_two_containers_is_not_changed_silently(which, kind):
    def f(n):
        if kind == "list":
            xs, ys, change = [1, 2], [3, n], lambda c: put(c, 0, 100)
        elif kind == "dict":
            xs, ys, change = {"a": 1}, {"a": n}, lambda c: put(c, "a", 100)
        elif kind == "dataclass":
            xs, ys, change = Node(1), Node(n), lambda c: write(c, "value", 100)
        else:
            xs, ys, change = ([1, 2],), ([3, n],), lambda c: put(c[0], 0, 100)
        cur = if_exp(n > 0, lambda: xs, lambda: ys)
        change({"merged": cur, "left": xs, "right": ys}[which])
        return xs, ys, cur

    with pytest.raises(StagingError, match=r"changed in place(.|\n)*test_escape.py:\d+(.|\n)*copy it first"):
        jax.jit(f)(3)


def test_equal_lists_are_still_two_lists():
    def f(n):
        xs, ys = [1, 2], [1, 2]
        cur = if_exp(n > 0, lambda: xs, lambda: ys)
        put(xs, 0, 5)
        return cur

    with pytest.raises(StagingError, match="changed in place"):
        jax.jit(f)(3)


def test_a_change_is_free_once_the_other_names_are_gone():
    def f(n):
        xs, ys = [1, n], [3, 4]
        cur = if_exp(n > 0, lambda: xs, lambda: ys)
        del xs, ys
        put(cur, 0, 9)
        again = list(cur)
        put(again, 0, 8)
        return cur, again

    both_ways(f)


def test_the_old_lists_are_free_once_the_merged_one_is_gone():
    def f(n):
        xs, ys = [1, n], [3, 4]
        cur = if_exp(n > 0, lambda: xs, lambda: ys)
        total = cur[0] + cur[1]
        del cur
        put(xs, 0, 9)
        append(ys, 9)
        return xs, ys, total

    both_ways(f)


def test_the_best_so_far():
    def f(n):
        params = {"w": n * 1.0, "b": [0.0, n]}
        best = params
        for i in range(4):
            params = {"w": params["w"] + i, "b": [params["b"][0] - 1, i]}
            best = if_exp(params["w"] > 4, lambda p=params: p, lambda b=best: b)
        return best

    both_ways(f, 3.0, -3.0)


def test_a_view_of_a_view_knows_all_it_may_be():
    def f(n):
        xs, ys, zs = [1], [2], [n]
        first = if_exp(n > 0, lambda: xs, lambda: ys)
        second = if_exp(n > 5, lambda: first, lambda: zs)
        del first, xs, zs
        put(ys, 0, 5)
        return second

    with pytest.raises(StagingError, match="may be the same as the value of the conditional expression"):
        jax.jit(f)(3)


def test_what_was_written_before_the_choice_is_seen_through_it():
    def f(n):
        xs, ys = [1, 2], [3, 4]
        cur = xs

        def body():
            nonlocal cur
            cur = ys
            put(cur, 0, 50)

        if_stmt(n > 0, body, nothing, lambda: (cur,))
        return xs, ys, cur

    both_ways(f)


@pytest.mark.usefixtures("with_few_objects")
def test_views_do_not_outlive_the_trace():
    def f(n):
        xs, ys = [1, n], [3, 4]
        return if_exp(n > 0, lambda: xs, lambda: ys)

    gc.collect()
    before = [id(view) for view in aliases.live()]  # which the exceptions of other tests keep

    def new():
        gc.collect()
        return [view for view in aliases.live() if id(view) not in before]

    with jax.checking_leaks():
        jax.jit(f)(3)
    assert not new()
    jax.vmap(f)(jnp.arange(3))
    jax.jit(jax.vmap(f))(jnp.arange(3))
    jax.jit(f)(2)
    assert not new()


@pytest.mark.usefixtures("with_few_objects")
@pytest.mark.parametrize(
    "left, right",
    [
        (lambda n: n + 1, lambda n: n * 2),
        (lambda n: make(n, n + 1), lambda n: make(n, n)),
        (lambda n: {"a": [n + 1]}, lambda n: {"a": [n * 2]}),
        (lambda n: Node(n + 1, [n]), lambda n: Node(n, [n * 2])),
        (lambda n: boxed(n + 1).value, lambda n: boxed(n * 2).value),
        (lambda n: if_exp(n > 5, lambda: [n + 1], lambda: make(n * 3)), lambda n: [n - 1]),
    ],
)
def test_values_of_branches_do_not_outlive_them(left, right):
    def f(n):
        box = if_exp(n > 0, lambda: boxed(n + 1), lambda: boxed(n * 2))
        return box.value, if_exp(n > 0, lambda: left(n), lambda: right(n))

    with jax.checking_leaks():
        jax.jit(f)(3)
        jax.vmap(f)(jnp.arange(3))


@pytest.mark.usefixtures("with_few_objects")
def test_a_raising_branch_does_not_keep_values():
    def f(n):
        def body():
            raise journal.mark_raised(ValueError(n + 1))

        return if_exp(n > 0, body, lambda: make(n, n + 1))

    with jax.checking_leaks():
        assert jax.jit(f)(-3) == [-3, -2]


def test_choices_inside_branches():
    def f(n):
        xs, ys = [1, n], [3, 4]

        def inner():
            mine = make(n, n)
            cur = if_exp(n > 5, lambda: mine, lambda: xs)
            return cur

        cur = if_exp(n > 0, inner, lambda: ys)
        return cur, xs, ys

    both_ways(f, 7, 3, -3)


@pytest.mark.parametrize("kind", [dict, OrderedDict, lambda items: defaultdict(int, items)])
def test_dicts_keep_kind_and_order(kind):
    def f(n):
        d = if_exp(n > 0, lambda: kind({"b": n, "a": 1}), lambda: kind({"b": 1, "a": n}))
        seen.append((type(d), list(d), getattr(d, "default_factory", None)))
        return [d["b"], d["a"]]

    seen = []
    both_ways(f)
    assert len(set(map(str, seen))) == 1


def test_dicts_of_two_orders_join_by_their_keys():
    def f(n):
        return if_exp(n > 0, lambda: {"b": n, "c": 3, "a": 1}, lambda: {"c": 3, "a": n, "b": 2})

    assert jax.jit(f)(3) == {"a": 1, "b": 3, "c": 3} and jax.jit(f)(-1) == {"a": -1, "b": 2, "c": 3}


def test_keys_that_are_equal_but_not_the_same_are_refused():
    with pytest.raises(StagingError, match="structures differ|different orders"):
        jax.jit(lambda n: if_exp(n > 0, lambda: {1: n}, lambda: {True: 2})[1])(3)


def test_a_dict_with_keys_of_several_types():
    def f(n):
        d = if_exp(n > 0, lambda: {"b": n, 1: 1, None: n}, lambda: {"b": 1, 1: n, None: 2})
        return [d[k] for k in d]

    both_ways(f)


def test_tuples_named_tuples_and_dataclasses():
    def f(n):
        pair = if_exp(n > 0, lambda: Pair(1, (n, 2.5)), lambda: Pair(n, (2, n)))
        node = if_exp(n > 0, lambda: Node(1, [n]), lambda: Node(n, [2]))
        assert type(pair) is Pair and node.name == "n"
        return pair, node.value, node.children

    for x in (3, -3):
        assert jax.tree.map(float, jax.jit(f)(x)) == jax.tree.map(float, f(x))


def test_static_fields_must_agree():
    with pytest.raises(StagingError, match="the structures differ"):
        jax.jit(lambda n: if_exp(n > 0, lambda: Node(n, (), "p"), lambda: Node(n, (), "q")).value)(3)


def test_a_list_that_contains_itself_is_refused():
    def looped(n):
        items = make(n)
        append(items, items)
        return items

    with pytest.raises(StagingError, match="it contains itself"):
        jax.jit(lambda n: if_exp(n > 0, lambda: looped(1), lambda: looped(2))[0])(3)
