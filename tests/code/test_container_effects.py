"""The table of what methods of containers do agrees with what Python does: each method of each class is called."""

import array
import collections
import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autograph.analyses.argument_writes import IN_PLACE
from autograph.code.container_effects import METHODS, methods_with, of_callable, of_method
from autograph.runtime import sequences
from autograph.runtime.calls import native_methods

MAKERS: dict[type, list[Callable[[], Any]]] = {
    list: [lambda: [2, 1], list],
    dict: [lambda: {1: 2, 2: 1}, dict],
    set: [lambda: {1, 2}, set],
    collections.deque: [lambda: collections.deque([2, 1]), lambda: collections.deque([2, 1], 2), collections.deque],
    collections.OrderedDict: [lambda: collections.OrderedDict({1: 2, 2: 1}), collections.OrderedDict],
    collections.defaultdict: [lambda: collections.defaultdict(int, {1: 2, 2: 1}), collections.defaultdict],
    np.ndarray: [lambda: np.array([2, 1]), lambda: np.array([2.0, 1.0]), lambda: np.ones((2, 2), int)],
    bytearray: [lambda: bytearray(b"ba"), bytearray],
    array.array: [lambda: array.array("l", [2, 1]), lambda: array.array("l")],
}
ARGUMENTS: list[Any] = [
    (), (1,), (2,), (0,), (9,), (0, 1), (1, 3), (9, 3), (2, None), ([1],), ([3],), ([0, 1],), ({1: 3},), ({7: 3},), ({1},), ({9},),
    ([(1, 3)],), ([(1,)],), (b"a",), (b"abc",), (np.int64, 0), (5, np.int64), (5.0, np.float64), (slice(0, 1), [5, 6]),
    (slice(0, 1), []), (slice(None, None, 2), [5, 6]), (slice(0, 1),), (True,), (-1,), (collections.deque([1]),), ([],), (0.5,),
    ([1, 2, 3],), ([[1, 2], [3, 4]],), (int, {5: 6}), (int, [(1,)]),
    *(((1, (n,), np.dtype("int64"), False, b"12345678" * n),) for n in (2, 5)),
]  # fmt: skip
UNTRIED = {"__class__", "__init_subclass__", "__subclasshook__", "__new__", "tofile", "dump"}
DICTS = (dict, collections.OrderedDict, collections.defaultdict)
IN_TABLE = [list, set, collections.deque, *DICTS]


class Key:
    """Equal to itself alone; notes whether somebody compares or hashes it."""

    is_asked = False

    def __eq__(self, other: object) -> bool:
        self.is_asked = True
        return self is other

    def __hash__(self) -> int:
        self.is_asked = True
        return 7


def methods(kind: type) -> set[str]:
    return {name for name in dir(kind) if name not in UNTRIED and callable(getattr(kind, name))}


def rows(kind: type, column: str) -> set[str]:
    """The methods of a class that have a column."""
    return {name for name in methods(kind) if getattr(of_method(kind, name), column)}


def contents(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        return x.shape, x.tobytes(), x.flags.writeable
    return list(x.items()) if isinstance(x, dict) else list(x)


def calls(kind: type, name: str, arguments: list[Any] = ARGUMENTS) -> list[tuple[Any, Any, Any]]:
    """An object before and after each call, and the result or the exception."""
    found = []
    for make in MAKERS[kind]:
        for args in arguments:
            before, after = make(), make()
            try:
                result = getattr(after, name)(*args)
            except Exception as error:
                result = error
            found.append((before, after, result))
    return found


@functools.cache
def columns(kind: type) -> dict[str, set[str]]:
    """The methods that show a column when they are called with each of `ARGUMENTS`."""
    found: dict[str, set[str]] = {"writes": set(), "grows": set(), "shrinks": set(), "raises": set()}
    for name in methods(kind):
        for before, after, result in calls(kind, name):
            if contents(before) != contents(after):
                found["writes"].add(name)
            if np.size(after) > np.size(before) if kind is np.ndarray else len(after) > len(before):
                found["grows"].add(name)
            is_out = kind is not np.ndarray and name != "__setitem__" and any(item not in after for item in before)
            if is_out or (np.size(after) < np.size(before) if kind is np.ndarray else len(after) < len(before)):
                found["shrinks"].add(name)
            if isinstance(result, IndexError | KeyError | ValueError):
                found["raises"].add(f"{name} {type(result).__name__}")
    return found


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("kind", [*IN_TABLE, np.ndarray])
@pytest.mark.parametrize("column", ["writes", "grows", "shrinks"])
def test_a_method_that_writes_has_a_row(kind: type, column: str) -> None:
    assert columns(kind)[column] == rows(kind, column)


@pytest.mark.parametrize("kind", [bytearray, array.array])
def test_methods_without_a_row_write(kind: type) -> None:
    assert len(columns(kind)["writes"]) >= 10
    assert columns(kind)["writes"] <= rows(kind, "writes")


@pytest.mark.parametrize("kind", IN_TABLE)
def test_exceptions(kind: type) -> None:
    named_in_rows = {f"{name} {error}" for name in methods(kind) for error in of_method(kind, name).raises.split()}
    assert columns(kind)["raises"] == named_in_rows


@pytest.mark.parametrize("kind", IN_TABLE)
def test_a_method_that_keeps_its_argument_has_a_row(kind: type) -> None:
    def keeping(arguments: Callable[[Key], list[Any]]) -> set[str]:
        key = Key()

        def keeps(x: Any) -> bool:
            return any(part is key for part in (*x, *(x.values() if kind in DICTS else ())))

        return {name for name in methods(kind) if any(keeps(after) for _, after, _ in calls(kind, name, arguments(key)))}

    assert keeping(lambda key: [(key,), (0, key), (key, 0), (5, key)]) == rows(kind, "stores")
    assert keeping(parts_of) == rows(kind, "adds") - {"fromkeys"}  # it keeps them in another dict


def parts_of(key: Key) -> list[Any]:
    """Arguments with a key in them."""
    return [([key],), ({key},), ({key: 1},), ([(1, key)],), ({1: key},), (slice(0, 1), [key]), (int, {1: key})]


@pytest.mark.parametrize("kind", IN_TABLE)
def test_a_method_that_searches_has_a_row(kind: type) -> None:
    found = set()
    for name in methods(kind):
        for args in ((), (1,)):
            key = Key()
            calls(kind, name, [(key, *args)])
            if key.is_asked:
                found.add(name)
    assert found - {"__class_getitem__"} == rows(kind, "searches")


@pytest.mark.parametrize("kind", [dict, collections.OrderedDict])
def test_a_method_that_shows_the_order_has_a_row(kind: type) -> None:
    def shown(name: str, args: Any, x: Any) -> str:
        try:
            result = getattr(x, name)(*args)
        except Exception:
            return ""
        parts = result if isinstance(result, tuple) else [result]
        return "" if result is x else repr([[*part] if hasattr(part, "__next__") else part for part in parts])

    found = {
        name
        for name in methods(kind)
        for args in [(), ("",), (2,), ({},), (1,)]
        if shown(name, args, kind({1: 2, 2: 1})) != shown(name, args, kind({2: 1, 1: 2}))
    }
    views, such = {"keys", "values", "items"}, {"copy", "__or__", "__ror__"}  # `order_reads` knows them by name
    assert found - views - such == rows(kind, "reads_order") - {"fromkeys"}


def test_traced_versions() -> None:
    native_methods.bound([].count)(1)  # imports the modules
    found = {name for kind in ("list", "deque", "tuple", "dict", "ndarray") for name in methods_with(kind, "traced")}
    assert IN_PLACE <= found
    for kind in (*IN_TABLE, tuple, np.ndarray):
        for name in rows(kind, "traced"):
            assert callable(operator.attrgetter(of_method(kind, name).traced)(sequences))


def test_bound_and_unbound_methods() -> None:
    for method in ([].append, list.append, [].__iadd__, list.__iadd__, collections.Counter().pop, {}.update, dict.update):
        assert of_callable(method).writes
    for method in ([].copy, list.copy, {}.__getitem__, dict.fromkeys):
        assert not of_callable(method).writes
    assert METHODS > {"append", "move_to_end", "__setitem__", "fromlist", "put"}
