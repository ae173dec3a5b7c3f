"""Joining two values: templates, outputs, aliases, refusals."""

import math
from collections import namedtuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph.runtime.tracing.variables import UNSET, Undefined
from autograph.runtime.values.kinds import open_container, same_number
from autograph.runtime.values.merge import Join, Mismatch, Node, Same, Slot, describe, fill

Point = namedtuple("Point", "x y")


class Loud:
    """Asking this object anything but its type fails."""

    def __eq__(self, other):
        raise RuntimeError("asked")

    __hash__ = None

    def __bool__(self):
        raise RuntimeError("asked")

    def __len__(self):
        raise RuntimeError("asked")


def test_equal_parts_pass_and_numbers_become_outputs():
    join = Join()
    template = join.add({"a": (1, 2), "b": "x"}, {"a": (1, 3), "b": "x"}, "d")
    assert (join.left, join.right) == ([2], [3]) and fill(template, [9]) == {"a": (1, 9), "b": "x"}


@pytest.mark.parametrize("a, b", [(0.0, -0.0), (1, 1.0), (1, True), (1.5, 2.5)])
def test_numbers_that_are_not_one_become_outputs(a, b):
    assert type(Join().add(a, b, "x")) is Slot and not same_number(a, b)


@pytest.mark.parametrize("a", [1, 1.5, -0.0, True, 2j, "x", None, float("inf")])
def test_equal_static_values_pass(a):
    assert type(Join().add(a, eval(repr(a), {"inf": float("inf")}), "x")) is Same


def test_two_nans_become_an_output():
    assert type(Join().add(float("nan"), float("nan"), "x")) is Slot


def test_arrays_are_never_compared():
    x = jnp.ones(3)
    assert type(Join().add(x, x, "x")) is Same and type(Join().add(x, jnp.ones(3), "x")) is Slot
    assert type(Join().add(np.ones(3), np.ones(3), "x")) is Slot


def test_aliases_stay_aliases():
    a, b = [1], [2]
    join = Join()
    template = join.add([a, a, {"k": a}], [b, b, {"k": b}], "x")
    first, second, third = fill(template, [9])
    assert first is second is third["k"] == [9]
    built = {}
    assert fill(join.add(a, b, "y"), [9], built) is fill(join.add(a, b, "z"), [9], built)


def test_a_join_can_be_taken_back():
    join = Join()
    a, b = [1, 2], [3, "x"]
    mark = join.mark()
    with pytest.raises(Mismatch) as caught:
        join.add(a, b, "v")
    assert (caught.value.path, caught.value.left, caught.value.right) == ("v[1]", "int 2", "str 'x'")
    join.reset(mark)
    assert not (join.left or join.types or join.nodes)


@pytest.mark.parametrize(
    "left, right, path",
    [
        ([1], [1, 2], "v"),
        ([[1], [2]], [[1], (2,)], "v[1]"),
        ({"a": {"b": 1}}, {"a": {"c": 1}}, "v['a']"),
        (Point(1, [2]), Point(1, 2), "v.y"),
        (Point(1, 2), (1, 2), "v"),
        (Loud(), Loud(), "v"),
        (Loud(), 1, "v"),
        (None, 0, "v"),
        ("a", b"a", "v"),
        ({1, 2}, {1, 3}, "v"),
        (object(), object(), "v"),
        (iter([]), iter([]), "v"),
    ],
)
def test_the_place_of_a_difference_is_named(left, right, path):
    for a, b in ((left, right), (right, left)):
        with pytest.raises(Mismatch) as caught:
            Join().add(a, b, "v")
        assert caught.value.path == path


def test_containers_open_with_steps_as_the_user_writes_them():
    assert open_container({"a": 1, 2: 3})[2] == ["['a']", "[2]"]
    assert open_container(Point(1, 2))[2] == [".x", ".y"]
    assert open_container([])[0] == [] and open_container("abc") is None and open_container(np.ones(3)) is None
    assert open_container(Loud()) is None and open_container(jax.tree_util.Partial(max, 1)) is not None


def test_contents_of_sets_are_compared_by_simple_elements():
    assert type(Join().contents({1, "a"}, {"a", 1}, "s")) is Same
    with pytest.raises(Mismatch):
        Join().contents({1}, {2}, "s")
    assert type(Join().contents([1], [2], "s")) is Node


@pytest.mark.parametrize(
    "value, text",
    [
        (1, "int 1"),
        (True, "bool True"),
        (None, "None"),
        ("x" * 80, "'" + "x" * 59),
        (jnp.ones((2, 3)), "float32[2,3]"),
        ([], "empty list"),
        ([1, (2.5, None)], "list of 2 (int 1, tuple of 2 (float 2.5, None))"),
        ({"a": 1, 2: 3}, "dict with keys 'a', 2"),
        (Loud(), "a Loud object"),
        (math.floor, "the function floor"),
        (UNSET, "no value"),
        (Undefined("x", ""), "no value"),
        (list(range(9)), "list of 9 (int 0, int 1, int 2, int 3, ...)"),
    ],
    ids=lambda x: x if type(x) is str else type(x).__name__,
)
def test_descriptions(value, text):
    assert describe(value) == text


def test_a_description_ends():
    items = []
    items.append(items)
    assert describe(items).endswith("(...)" + ")" * 3)
