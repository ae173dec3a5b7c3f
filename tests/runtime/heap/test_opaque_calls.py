"""Code that announces no writes: what it wrote in a branch that is not taken is put back, what it wrote in the other joins."""

import argparse
import array
import collections
import math
import types
import weakref
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest

import autograph as ag
from autograph.runtime.heap import opaque_calls

TEXT = """
count = 0

def write(obj, x):
    global count
    count = count + 1
    obj.n = x
    obj.inner["k"][0] = x
    return x

def closed():
    cell = 0
    def write():
        nonlocal cell
        cell += 1
    def read():
        return cell
    return write, read

class Tally:
    total = 0
    def __init__(self):
        self.n = 0
    def bump(self):
        self.n += 1
    def __add__(self, k):
        self.n += k
        return self.n
    def __len__(self):
        type(self).total += 1
        return 3
    @property
    def used(self):
        self.n += 10
        return self.n
"""
MADE: Any = types.SimpleNamespace()
exec(TEXT, vars(MADE))


class Holder:
    """What may be written to."""

    def __init__(self) -> None:
        self.n = 0.0
        self.inner = {"k": [0.0]}


@ag.do_not_convert
def left_as_it_is(obj: Any, x: Any) -> None:
    obj.n = x
    obj.inner["k"].append(x)
    obj.inner["k"].pop()
    obj.inner["k"][-1] = x


@ag.do_not_convert
class Left:
    def __init__(self) -> None:
        self.n = 0

    def __add__(self, k: Any) -> Any:
        self.n += k
        return self.n


def function_without_source(x: Any) -> Any:
    holder = Holder()
    MADE.count = 0
    if x > 0:
        x = MADE.write(holder, x + 1)
    count, MADE.count = MADE.count, 0
    return x, holder.n, holder.inner, count


def cell_of_a_function_without_source(x: Any) -> Any:
    write, read = MADE.closed()
    write()
    if x > 0:
        write()
    return read()


def method_without_source(x: Any) -> Any:
    tally = MADE.Tally()
    if x > 0:
        tally.bump()
    return tally.n


def operator_without_source(x: Any) -> Any:
    tally = MADE.Tally()
    tally.n = 0
    if x > 0:
        tally + 2
    if x > 1:
        x = x + tally.used
    return x, tally.n


def class_attribute_without_source(x: Any) -> Any:
    tally = MADE.Tally()
    MADE.Tally.total = 0
    if x > 0:
        len(tally)
    total, MADE.Tally.total = MADE.Tally.total, 0
    return total


def marked_function(x: Any) -> Any:
    holder = Holder()
    if x > 0:
        left_as_it_is(holder, x)
    return holder.n, holder.inner


def marked_class(x: Any) -> Any:
    left = Left()
    if x > 0:
        left + 1
    return left.n


def string_in_a_namespace(x: Any) -> Any:
    names = {"d": {"a": 0}, "x": x}
    if x > 0:
        exec("d['a'] = x\ny = x + 1", names)
    else:
        exec("y = 5.0", names)
    return names["d"], names["y"]


def string_in_two_namespaces(x: Any) -> Any:
    names: dict[str, Any] = {"d": {"a": 0}}
    inside = {"y": 1.0}
    if x > 0:
        exec("d['a'] = y\ny = y + 1", names, inside)
    return names["d"], inside["y"]


def string_in_a_mapping(x: Any) -> Any:
    inside: Any = collections.UserDict(y=1.0)
    if x > 0:
        exec("y = y + 1", {}, inside)
    return inside["y"]


def run_string(d: Any, x: Any) -> None:
    exec("d['a'] = x")


def string_in_the_frame_of_a_called_function(x: Any) -> Any:
    d = {"a": 0.0}
    if x > 0:
        run_string(d, x)
    return d["a"]


def expression_that_writes(x: Any) -> Any:
    d = {"a": 0.0}
    if x > 0:
        eval("d.update(a=1.0)", {"d": d})
    return d["a"]


def code_that_writes(x: Any) -> Any:
    d = {"a": 0.0}
    code = compile("d['a'] = 2.0", "made", "exec")
    if x > 0:
        exec(code, {"d": d})
    return d["a"]


def string_that_fails(x: Any) -> Any:
    try:
        exec("d['a'] = = 2.0", {})
    except SyntaxError:
        return x
    return -x


def object_that_a_library_changes(x: Any) -> Any:
    parser = argparse.ArgumentParser()
    parser.add_argument("--n", type=float)
    holder = Holder()
    if x > 0:
        parser.parse_args(["--n", "3"], namespace=holder)
    return holder.n


def nested_list_that_a_library_changes(x: Any) -> Any:
    items = {"a": [3.0, 1.0]}
    if x > 0:
        weakref.finalize(MADE.Tally, items["a"].reverse)()
    return items


FUNCTIONS = [
    value
    for value in list(globals().values())
    if isinstance(value, types.FunctionType)
    and value.__name__ != "__annotate__"
    and value not in (left_as_it_is, run_string)
]


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_writes_in_a_branch(fn: Callable[..., Any]) -> None:
    converted = jax.jit(ag.convert(fn))
    for x in (-1.0, 0.5, 2.0):
        expected = fn(x)
        assert jax.tree.map(float, converted(x)) == expected


def test_an_array_of_numbers_that_is_only_reached_is_not_written():
    numbers = array.array("d", [1.5, -0.0, math.nan])
    watch = opaque_calls.Watch([[numbers]])
    assert list(watch.changes()) == []
    numbers[1] = 0.0
    assert [written.location.obj for written in watch.changes()] == [numbers]


@ag.do_not_convert
def write_first(items: Any) -> None:
    items[0] = 7


@pytest.mark.parametrize(("make", "view"), [(lambda: bytearray(b"ab"), memoryview), (lambda: np.zeros(2), lambda x: x.flat)])
def test_a_write_through_a_view_of_memory_is_found(make: Callable[[], Any], view: Callable[[Any], Any]) -> None:
    data = make()

    def f(x):
        if x > 0:
            write_first(view(data))
        return x

    with pytest.raises(ag.StagingError, match="changed inside a staged statement|changes the contents of|the contents of"):
        ag.jit(f)(0.0)
    assert list(data) == list(make())


def test_a_dict_that_was_put_into_an_attribute_since_is_news():
    class Scope:
        pass

    scope = Scope()
    old, new = {}, {}
    scope.variables = {"old": old}
    watch = opaque_calls.Watch([scope])
    scope.variables["new"] = new
    assert watch.parts() & {id(old), id(new)} == {id(old)}
