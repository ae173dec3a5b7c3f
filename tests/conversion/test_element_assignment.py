"""Element assignment where nothing is traced: arrays get a new value, everything else is written as Python does."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag


class Box:
    def __init__(self, a: Any) -> None:
        self.a = a
        self.reads = 0

    @property
    def counted(self) -> Any:
        self.reads += 1
        return self.a

    @counted.setter
    def counted(self, value: Any) -> None:
        self.a = value


class Logged(dict[Any, Any]):
    """Notes what is asked of it, in order."""

    def __init__(self, log: list[str]) -> None:
        super().__init__()
        self.log = log

    def __setitem__(self, key: Any, value: Any) -> None:
        self.log.append(f"set {key}")
        super().__setitem__(key, value)


def one(x: Any) -> Any:
    x[1] = 5
    return x


def called(x: Any) -> Any:
    x[len(x) - 1] = abs(-4)
    return x


def negative(x: Any) -> Any:
    x[-1] = x[0]
    return x


def slices(x: Any) -> Any:
    x[1:3] = 7
    x[::2] = x[::2] * 2
    return x


def augmented(x: Any) -> Any:
    x[0] += 3
    x[1] *= x[0]
    x[2] -= 1
    return x


def swapped(x: Any) -> Any:
    x[0], x[2] = x[2], x[0]
    return x


def nested_targets(x: Any) -> Any:
    i = 0
    i, (x[i], *rest) = 1, (4, 5, 6)
    x[1], x[2] = rest
    return i, x


def several_targets(x: Any) -> Any:
    y = x[0] = x[1] = 9
    return x, y


def target_of_for(x: Any) -> Any:
    for x[0] in (3, 4):
        x[1] = x[0]
    return x


def annotated(x: Any) -> Any:
    x[0]: int = 8
    return x


def walrus(x: Any) -> Any:
    x[(i := 1)] = (k := 4)
    return x, i, k


def rebound_by_its_value(x: Any) -> Any:
    x[0] = (x := x + 1)[1]
    return x


def from_a_list(x: Any) -> Any:
    xs = [x, x]
    xs[0][1] = 6
    return xs


def attribute(x: Any) -> Any:
    box = Box(x)
    box.a[0] = 2
    box.a[1] += 2
    return box.a


def property_(x: Any) -> Any:
    box = Box(x)
    box.counted[0] = 2
    return box.a


def deep(x: Any) -> Any:
    box = Box({"k": [x]})
    box.a["k"][0][1] = 3
    box.a["k"][0][2] += 3
    return box.a["k"][0]


def inner_function(x: Any) -> Any:
    def write() -> None:
        nonlocal x
        x[0] = 1

    write()
    return x


def free_variable(x: Any) -> Any:
    def write() -> None:
        x[0] = 1

    write()
    return x


PROGRAMS: list[Callable[..., Any]] = [
    one,
    called,
    negative,
    slices,
    augmented,
    swapped,
    nested_targets,
    several_targets,
    target_of_for,
    annotated,
    walrus,
    rebound_by_its_value,
    attribute,
    property_,
    deep,
    inner_function,
    free_variable,
]


def same(a: Any, b: Any) -> None:
    jax.tree.map(lambda p, q: np.testing.assert_array_equal(np.asarray(p), np.asarray(q)), a, b)


@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda fn: fn.__name__)
def test_arrays_as_numpy_has_them(fn: Any) -> None:
    expected = fn(np.array([1, 2, 3]))
    before = jnp.array([1, 2, 3])
    same(ag.convert(fn)(before), expected)
    same(before, [1, 2, 3])
    same(ag.convert(fn)(np.array([1, 2, 3])), expected)


ON_LISTS = [fn for fn in PROGRAMS if fn not in (slices, rebound_by_its_value)]


@pytest.mark.parametrize("fn", ON_LISTS, ids=lambda fn: fn.__name__)
def test_lists_are_written_in_place(fn: Any) -> None:
    ours, plain = [1, 2, 3], [1, 2, 3]
    assert ag.convert(fn)(ours) == fn(plain) and ours == plain


def test_lists_of_arrays_hold_the_new_one_and_aliases_the_old() -> None:
    x = jnp.array([1, 2])
    first, second = ag.convert(from_a_list)(x)
    same((first, second), ([1, 6], [1, 2]))


def test_rows_of_arrays() -> None:
    def rows(a: Any) -> Any:
        a[0][1] = 5
        a[1, 0] += 2
        a[0], a[1] = a[1], a[0]
        return a

    expected = np.array([[3 + 2, 4], [1, 5]])
    same(ag.convert(rows)(jnp.array([[1, 2], [3, 4]])), expected)


def test_out_of_range_is_an_error() -> None:
    with pytest.raises(IndexError):
        ag.convert(one)(jnp.zeros(1))


def test_value_container_index_in_this_order() -> None:
    log: list[str] = []

    def note(text: str, value: Any) -> Any:
        log.append(text)
        return value

    class Holder:
        @property
        def table(self) -> Any:
            return note("container", table)

    def store(holder: Any) -> None:
        holder.table[note("index", 0)] = note("value", 1)
        holder.table[note("index", 0)] += note("value", 1)
        table[note("index", 1)] = note("value", 2)

    table = Logged(log)
    store(Holder())
    plain = log[:]
    log.clear()
    ag.convert(store)(Holder())
    assert log == plain and plain[:4] == ["value", "container", "index", "set 0"]


table_of_module: Any = None


def test_globals_stay_globals(monkeypatch: pytest.MonkeyPatch) -> None:
    def store(value: Any) -> None:
        table_of_module[0] = value

    for table in (jnp.zeros(2), [0, 0], {0: 0}):
        monkeypatch.setitem(globals(), "table_of_module", table)
        ag.convert(store)(4.0)
        assert table_of_module[0] == 4.0 and (table_of_module is table) == (not isinstance(table, jax.Array))


def test_names_of_ours_do_not_stay() -> None:
    def names(x: Any) -> Any:
        box = Box(x)
        box.a[0] = 1
        x[0], x[1] = 1, 2
        return sorted(locals())

    assert ag.convert(names)(jnp.zeros(2)) == names(np.zeros(2)) == ["box", "x"]


def test_errors_are_those_of_python() -> None:
    def missing(d: Any) -> None:
        d["a"]["b"] = 1

    def immutable(t: Any) -> None:
        t[0] = 1

    for fn, argument, error in ((missing, {}, KeyError), (immutable, (1,), TypeError)):
        with pytest.raises(error) as plain:
            fn(argument)
        with pytest.raises(error) as ours:
            ag.convert(fn)(argument)
        assert str(ours.value) == str(plain.value)
        assert [e.lineno for e in ours.traceback[1:]] == [e.lineno for e in plain.traceback[1:]]


def test_containers_that_the_function_makes_itself_are_left_alone() -> None:
    def fills(n: int) -> dict[int, int]:
        made = {}
        for i in range(n):
            made[i] = i
        return made

    converted = ag.convert(fills)
    assert converted(3) == {0: 0, 1: 1, 2: 2}
    assert all(constant is not type for constant in converted.__code__.co_consts)
