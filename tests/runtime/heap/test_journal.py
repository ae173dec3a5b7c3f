"""The journal: every kind of location is snapshotted, reported, put back, also after an exception, in order."""

import array
import collections
import threading

import jax
import numpy as np
import pytest

import autograph as ag
from autograph.errors import StagingError
from autograph.runtime.heap import journal, path_conditions
from autograph.runtime.heap.journal import Region
from autograph.runtime.tracing import context
from autograph.runtime.tracing.variables import UNSET, variables_of

LEVEL = 0


class Box:
    kind = "class"


class Slotted:
    __slots__ = ("here", "missing")

    def __init__(self):
        self.here = 1


class Both(Slotted):
    __slots__ = ("__dict__",)


class Guarded:
    """Attribute access is the user's own business: the journal goes beneath it."""

    def __init__(self):
        object.__setattr__(self, "value", 1)

    def __setattr__(self, name, value):
        raise RuntimeError("asked")

    def __getattribute__(self, name):
        if name in ("value", "__dict__"):
            raise RuntimeError("asked")
        return object.__getattribute__(self, name)


@pytest.fixture(autouse=True)
def no_region_stays_open():
    yield
    assert not context.active()


CONTAINERS = [
    ([1, 2], lambda c: c.append(3)),
    ([1, 2], lambda c: c.reverse()),
    ([1, 2], lambda c: c.clear()),
    ({"a": 1, "b": 2}, lambda c: c.pop("a")),
    ({"a": 1, "b": 2}, lambda c: c.update(a=c.pop("a"))),
    ({"a": 1}, lambda c: c.update(b=2)),
    ({1, 2}, lambda c: c.add(3)),
    (collections.OrderedDict(a=1, b=2), lambda c: c.move_to_end("a")),
    (collections.defaultdict(list, a=1), lambda c: c["new"]),
    (collections.Counter("ab"), lambda c: c.update("b")),
    (collections.deque([1, 2], maxlen=3), lambda c: c.appendleft(0)),
    (bytearray(b"ab"), lambda c: c.append(3)),
    (array.array("d", [1.0, 2.0]), lambda c: c.append(3.0)),
    (np.zeros(3), lambda c: c.fill(2.0)),
]


def _plain(container):
    return list(container.items()) if isinstance(container, dict) else list(container)


@pytest.mark.parametrize("container, change", CONTAINERS, ids=lambda x: type(x).__name__)
def test_containers_are_put_back(container, change):
    before, kind = _plain(container), type(container)
    with Region([]) as region:
        journal.touch_container(container)
        change(container)
        after = _plain(container)
        _, (written,) = region.collect()
    assert _plain(container) == before != after and type(container) is kind
    assert written.location.obj is container
    written.location.set(written.after)
    assert _plain(container) == after


@pytest.mark.parametrize("make", [Box, Slotted, Both])
def test_attributes_are_put_back(make):
    obj = make()
    obj.here = 1
    with Region([]) as region:
        for name in ("here", "missing"):
            journal.touch_attribute(obj, name)
            setattr(obj, name, name)
        journal.touch_attribute(obj, "here")
        del obj.here
        _, written = region.collect()
    assert obj.here == 1 and not hasattr(obj, "missing")
    assert [(w.location.attribute, w.before, w.after) for w in written] == [
        ("here", 1, UNSET),
        ("missing", UNSET, "missing"),
    ]


def test_class_attributes_are_put_back_and_inherited_ones_stay():
    with Region([]) as region:
        journal.touch_attribute(Box, "kind")
        Box.kind = 2
        instance = Box()
        journal.touch_attribute(instance, "kind")
        instance.kind = 3
        region.collect()
    assert Box.kind == "class" and "kind" not in vars(instance)


def test_the_user_s_attribute_access_is_not_asked():
    obj = Guarded()
    with Region([]) as region:
        journal.touch_attribute(obj, "value")
        object.__setattr__(obj, "value", 2)
        _, (written,) = region.collect()
    assert object.__getattribute__(obj, "value") == 1 and written.after == 2


def test_globals_and_cells_are_put_back():
    global LEVEL
    inner = 1

    with Region([]) as region:
        journal.touch(lambda: LEVEL)
        LEVEL = 5
        journal.touch(lambda: inner)
        inner = 6
        _, written = region.collect()
    assert (LEVEL, inner) == (0, 1)
    assert [(w.location.name, w.after) for w in written] == [("LEVEL", 5), ("inner", 6)]


def test_a_cell_that_is_emptied_and_one_that_is_filled():
    full, empty = 1, 2
    del empty
    with Region([]) as region:
        journal.touch(lambda: full)
        del full
        journal.touch(lambda: empty)
        empty = 3
        _, written = region.collect()
    assert full == 1 and [w.after for w in written] == [UNSET, 3]
    with pytest.raises(NameError):
        empty  # noqa: B018


def test_what_comes_out_as_it_went_in_is_not_written():
    items, box = [1, 2], Box()
    box.value = items
    with Region([]) as region:
        journal.touch_container(items)
        items.append(3)
        items.pop()
        journal.touch_attribute(box, "value")
        box.value = items
        assert region.collect()[1] == []


def test_overlapping_writes_are_undone_in_reverse():
    box, items = Box(), [1]
    box.items = items
    with Region([]) as region:
        journal.touch_container(items)
        items.append(2)
        journal.touch_attribute(box, "items")
        box.items = [9]
        journal.touch_container(box.items)
        box.items.append(10)
        region.collect()
    assert box.items is items == [1]


@pytest.mark.parametrize("order", ["attribute first", "dict first"])
def test_attributes_and_their_dict_are_one_place(order):
    box = Box()
    box.value, names = 1, None
    names = vars(box)
    with Region([]) as region:
        for step in ("attribute", "dict", "attribute") if order == "attribute first" else ("dict", "attribute"):
            if step == "attribute":
                journal.touch_attribute(box, "value")
                box.value = box.value + 1
                journal.touch_attribute(box, "new")
                box.new = 5
            else:
                journal.touch_container(names)
                names["value"] += 10
        after = dict(names)
        _, (written,) = region.collect()
    assert names == {"value": 1} == written.before and written.after == after and written.location.obj is names


def test_an_exception_puts_everything_back():
    items, x = [1], 1
    with pytest.raises(KeyError), Region(variables_of(lambda: (x,))):
        journal.touch_container(items)
        items.append(2)
        x = 5
        raise KeyError
    assert items == [1] and x == 1


def test_inner_regions_are_undone_first():
    items = [0]
    with pytest.raises(KeyError), Region([]):
        journal.touch_container(items)
        items.append(1)
        with Region([]):
            journal.touch_container(items)
            items.append(2)
            raise KeyError
    assert items == [0]


def test_own_variables_leave_through_the_state():
    x = 1
    with Region(variables_of(lambda: (x,))) as region:
        journal.touch(lambda: x)
        x = 2
        values, written = region.collect()
    assert (values, written, x) == ([2], [], 1) and [v.name for v in region.forwarded.values()] == ["x"]


def test_a_kept_region_is_undone_by_the_enclosing_one():
    items, x, y = [0], 1, 1
    with Region(variables_of(lambda: (y,))) as outer:
        with Region(variables_of(lambda: (x, y))) as inner:
            journal.touch_container(items)
            items.append(1)
            journal.touch(lambda: x)
            x = 2
            journal.touch(lambda: y)
            y = 3
            inner.keep()
        assert (items, x, y) == ([0, 1], 2, 3)
        values, written = outer.collect()
    assert (items, x, y) == ([0], 1, 1) and values == [3]
    assert sorted(w.location.name for w in written) == ["the contents of a list", "x"]


def test_touched_objects_are_known_also_when_they_were_put_back():
    items = [0]
    with Region([]) as outer:
        with Region([]) as inner:
            journal.touch_container(items)
            items.append(1)
            inner.collect()
        assert id(items) in outer.touched
        assert outer.collect()[1] == []


def test_without_a_region_nothing_is_done():
    journal.touch_container([1])
    journal.touch_attribute(Guarded(), "value")
    journal.touch(lambda: LEVEL)
    assert not context.active() and context.innermost() is None and path_conditions.conditions() == []


def test_slices_of_a_numpy_array_are_the_array():
    base = np.arange(6)
    part = base[1:][::2]
    with Region([]) as region:
        journal.touch_container(part)
        part[:] = 9
        _, (written,) = region.collect()
    assert base.tolist() == list(range(6)) and written.location.obj is base
    with pytest.raises(StagingError, match="a NumPy array is changed"):
        jax.jit(lambda x: written.location.set(x))(1)


def test_a_failing_location_does_not_leave_the_region_open():
    with pytest.raises(AttributeError), Region([]):
        journal.touch_attribute(object(), "x")


def test_regions_belong_to_threads():
    seen = []
    with Region([]):
        thread = threading.Thread(target=lambda: seen.append(context.active()))
        thread.start()
        thread.join()
    assert seen == [False]


def test_native_state_is_forbidden_in_a_region_and_makes_a_trial_final():
    it = iter([1])
    assert not journal.forbids(it)
    with Region([]) as region:
        assert journal.forbids(it)
        region.made[id(it)] = it
        assert not journal.forbids(it)
    with Region([]) as trial:
        trial.is_trial = True
        assert not journal.forbids(it) and trial.is_final
        trial.keep()


KEPT: list = []


def returned(out, n):
    if n > 3:
        return out
    out.append(n)
    return out


def known_to_the_caller(out, n):
    if n > 3:
        return 0
    out.append(n)
    return 1


def known_to_a_global(out, n):
    KEPT[:] = [out]
    out = KEPT[0]
    if n > 3:
        return 0
    out.append(n)
    return 1


def read_in_finally(out, n):
    out = list(out)
    try:
        if n > 3:
            return 0
        out.append(n)
        return 1
    finally:
        KEPT.append(len(out))


def captured(out, n):
    out = list(out)

    def grown():
        return len(out)

    if n > 3:
        return 0
    out.append(n)
    return grown()


@pytest.mark.parametrize("fn", [returned, known_to_the_caller, known_to_a_global, read_in_finally])
def test_what_an_early_return_leaves_is_not_forgotten(fn):
    def outer(n):
        xs = []
        result = fn(xs, n)
        return result, len(xs)

    assert outer(1) != outer(5)
    with pytest.raises(StagingError, match="contents of the list|returned value|'KEPT' keeps a traced value"):
        ag.jit(outer)(1)


@pytest.mark.parametrize("n", [1, 5])
def test_a_closure_reads_what_an_early_return_leaves(n):
    assert ag.jit(lambda n: captured([2], n))(n) == captured([2], n)
