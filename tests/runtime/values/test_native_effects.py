"""The table of what C code does agrees with what it does: every method is called."""

import array
import collections

import numpy as np
import pytest

from autograph.runtime.values.native_effects import of_method

MAKERS = [
    lambda: [2, 1],
    lambda: {1: 2, 2: 1},
    lambda: {1, 2},
    lambda: collections.deque([2, 1]),
    lambda: collections.OrderedDict({1: 2, 2: 1}),
    lambda: bytearray(b"ba"),
    lambda: array.array("l", [2, 1]),
    lambda: np.array([2, 1]),
]
ARGUMENTS = [(), (1,), (2,), (0,), (0, 1), (1, 3), ([1],), ([3],), ([0, 1],), ({1: 3},), ({1},), ([(1, 3)],), (b"a",), (np.int64, 0)]
UNTRIED = {"__class__", "__init_subclass__", "__subclasshook__", "__new__", "resize", "tofile", "dump"}


def seen(x):
    return list(x.items()) if isinstance(x, dict) else list(x)


def effects(make, name):
    """Whether some call of a method changes its object, and whether one makes it smaller."""
    changes = shrinks = False
    for args in ARGUMENTS:
        x = make()
        before = seen(x)
        try:
            getattr(x, name)(*args)
        except Exception:
            continue
        changes |= seen(x) != before
        shrinks |= len(x) < len(before)
    return changes, shrinks


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: type(make()).__name__)
def test_no_method_changes_its_object_of_which_the_table_says_that_it_reads(make):
    kind = type(make())
    names = [name for name in dir(kind) if name not in UNTRIED and callable(getattr(kind, name))]
    found = {name: effects(make, name) for name in names}
    changing = {name for name, (changes, _) in found.items() if changes}
    assert len(changing) >= 5
    assert {name for name in changing if not of_method(kind, name).writes} == set()
    if kind in (dict, set, collections.OrderedDict):
        shrinking = {name for name, (_, shrinks) in found.items() if shrinks} - {"__init__"}
        assert {name for name in shrinking if not of_method(kind, name).removes} == set()
    reading = {name for name in names if name[:2] != "__" and not of_method(kind, name).writes}
    assert len(reading) >= 2 and reading & changing == set()
