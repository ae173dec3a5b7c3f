"""Objects that only library code, modules or other objects refer to: operators on them write to the heap in branches."""

import collections
import contextlib
import contextvars
import functools
import operator
import queue
import sys
import threading
import types
import weakref
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, strategies

import autograph as ag
from autograph.conversion.eager_calls import Routes
from autograph.conversion.reach import Reach

VALUE: contextvars.ContextVar[Any] = contextvars.ContextVar("VALUE")
SETTINGS = types.ModuleType("settings_of_the_user")
SETTINGS.__file__ = __file__


def tally() -> Any:
    """An object of a class that nobody has seen, which counts how often it was used."""

    class Tally:
        n = 0

        def __add__(self, k: Any) -> Any:
            self.n += 1
            return k

        @property
        def used(self) -> int:
            self.n += 1
            return self.n

    return Tally()


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """A module of the user's, with a tally in it."""
    monkeypatch.setitem(sys.modules, SETTINGS.__name__, SETTINGS)
    monkeypatch.setattr(SETTINGS, "tally", tally(), raising=False)
    monkeypatch.setattr(SETTINGS, "counts", collections.defaultdict(int), raising=False)
    return SETTINGS


class Waiting:
    """Refers to an object by what a library's function returns."""

    def __init__(self) -> None:
        self.objects: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.objects.put(tally())

    def __call__(self) -> Any:
        found = self.objects.get()
        self.objects.put(found)
        return found


def by_context() -> Callable[[], Any]:
    VALUE.set(tally())
    return lambda: VALUE.get()


def by_reference() -> Callable[[], Any]:
    kept = tally()
    reference = weakref.ref(kept)
    VALUE.set(kept)
    return lambda: reference()


def by_namespace() -> Callable[[], Any]:
    space = types.SimpleNamespace(inner=collections.UserDict(one=tally()))
    return lambda: space.inner["one"]


def by_global_name() -> Callable[[], Any]:
    globals()["HIDDEN"] = tally()
    return lambda: globals()["HID" + "DEN"]


def by_iterator() -> Callable[[], Any]:
    items = weakref.WeakSet[Any]()
    VALUE.set(kept := tally())
    items.add(kept)
    return lambda: next(iter(items))


def by_key() -> Callable[[], Any]:
    table = {tally(): 1}
    return lambda: next(iter(table))


def by_default() -> Callable[[], Any]:
    def get(held: Any = tally(), *, other: Any = None) -> Any:  # noqa: B008 - the default is what is tested
        return held if other is None else other

    return get


def by_object_array() -> Callable[[], Any]:
    array = np.array([[tally(), None]], dtype=object)
    return lambda: array[0, 0]


def by_suspended_frame() -> Callable[[], Any]:
    def repeated(held: Any) -> Any:
        while True:
            yield held

    items = repeated(tally())
    next(items)
    return lambda: next(items)


def by_attribute_with_a_module() -> Callable[[], Any]:
    space = types.SimpleNamespace(module=SETTINGS)
    SETTINGS.held = tally()  # type: ignore[attr-defined]  # a module is open
    return lambda: space.module.held


def by_cache() -> Callable[[], Any]:
    get = functools.cache(tally)
    get()
    return lambda: get()


def by_method_of_a_library() -> Callable[[], Any]:
    local = threading.local()
    local.held = tally()
    return lambda: local.held


def by_partial() -> Callable[[], Any]:
    get = functools.partial(operator.getitem, [tally()])
    return lambda: get(0)


def by_manager() -> Callable[[], Any]:
    VALUE.set(tally())

    def get() -> Any:
        with contextlib.nullcontext(VALUE) as value:
            return value.get()

    return get


REACHES = [
    *(
        Waiting,
        by_context,
        by_reference,
        by_namespace,
        by_global_name,
        by_iterator,
        by_key,
        by_default,
        by_object_array,
    ),
    *(by_suspended_frame, by_attribute_with_a_module, by_cache, by_method_of_a_library, by_partial, by_manager),
]


@pytest.mark.parametrize("reach", REACHES)
def test_operator_in_a_branch(reach: Callable[[], Callable[[], Any]]) -> None:
    get = reach()

    def use(x: Any) -> Any:
        held = get()
        held.n = 0
        if x > 0:
            x = held + x
        if x > 1:
            x = x + held.used
        n, held.n = held.n, 0
        return x, n

    for x in (-1.0, 0.5, 2.0):
        expected = use(x)
        assert jax.tree.map(float, jax.jit(ag.convert(use))(x)) == expected


def test_object_of_a_module(settings: types.ModuleType) -> None:
    def use(x: Any) -> Any:
        import settings_of_the_user as module  # type: ignore[import-not-found]  # a module that only exists while the test runs

        SETTINGS.tally.n = 0
        if x > 0:
            x = SETTINGS.tally + x
        if x > 1:
            x = module.tally + x
        n, settings.tally.n = settings.tally.n, 0
        return x, n

    for x in (-1.0, 0.5, 2.0):
        expected = use(x)
        assert jax.tree.map(float, jax.jit(ag.convert(use))(x)) == expected


class Shared:
    counts: collections.defaultdict[str, int] = collections.defaultdict(int)


class Heir(Shared):
    pass


HEIR = Heir()
REFERENCE: Callable[[], Any] = weakref.ref(HEIR)
PLACES = [
    lambda: SETTINGS.counts,
    lambda: Shared.counts,
    lambda: Heir.counts,
    lambda: HEIR.counts,
    lambda: types.SimpleNamespace(counts=Shared.counts).counts,
    lambda: REFERENCE().counts,
]


@pytest.mark.parametrize("place", PLACES)
def test_missing_key_of_a_default_dict_in_a_branch(settings: types.ModuleType, place: Callable[[], Any]) -> None:
    def use(x: Any) -> Any:
        place().clear()
        if x > 0:
            place()["a"]
        return len(place())

    with pytest.raises(ag.StagingError, match="different values in the contents of (the|a) defaultdict"):
        jax.jit(ag.convert(use))(1.0)


def test_a_global_of_a_callee_that_is_bound_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "BOUND", tally())

    @ag.convert
    def use(x: Any) -> Any:
        BOUND.n = 0
        y = _added(x)
        n, BOUND.n = BOUND.n, 0
        return y, n

    for _ in range(2):
        assert jax.tree.map(float, jax.jit(lambda x: use(x))(-1.0)) == (-1.0, 0)
        BOUND.n = 0
        monkeypatch.setitem(globals(), "BOUND", tally())


BOUND: Any = None


def _added(x: Any) -> Any:
    if x > 0:
        x = BOUND + x
    return x


def test_what_a_library_passes_to_a_function_of_the_user() -> None:
    held = tally()
    VALUE.set(held)

    def use(x: Any) -> Any:
        def added(item: Any, x: Any) -> Any:
            if x > 0:
                x = item + x
            return x

        y = contextvars.copy_context().run(lambda: added(VALUE.get(), x))
        n, held.n = held.n, 0
        return y, n

    assert jax.tree.map(float, jax.jit(ag.convert(use))(-1.0)) == (-1.0, 0)


def test_a_function_that_a_library_holds_is_converted_in_place() -> None:
    def loss(x: Any) -> Any:
        return x * x if x > 1 else x

    step = types.SimpleNamespace(slope=jax.grad(loss))
    code = loss.__code__
    assert jax.jit(ag.convert(lambda x: step.slope(x)))(3.0) == 6.0
    assert loss.__code__ is not code and loss(0.5) == 0.5


def test_what_a_test_tool_wraps_keeps_its_code_while_nothing_is_traced() -> None:
    @given(strategies.booleans())
    def check(is_on: bool) -> None:
        assert is_on == (not not is_on)

    wrapped = check.hypothesis.inner_test
    code = wrapped.__code__  # with pytest's assertions: conversion goes by the source in the file

    def look(x: Any) -> Any:
        Reach(None, lambda: [check]).look_at_all()
        return x

    look(1.0)
    assert wrapped.__code__ is code
    jax.jit(look)(1.0)
    assert wrapped.__code__ is not code
    check()


def test_a_function_that_is_marked_stays() -> None:
    @ag.do_not_convert
    def loss(x: Any) -> Any:
        return x * x

    slope, code = jax.grad(loss), loss.__code__
    assert ag.jit(slope)(3.0) == 6.0
    assert loss.__code__ is code


def test_another_thread_and_a_callback_run_the_function_as_it_is() -> None:
    kinds = []

    def sign(x: Any) -> Any:
        kinds.append(type(x))
        return x if x > 0 else -x

    apply = jax.vmap(sign)

    @ag.jit
    def use(x: Any) -> Any:
        return apply(x) + jax.pure_callback(
            lambda x: np.float32(sign(float(x))), jax.ShapeDtypeStruct((), "float32"), x[0]
        )

    assert use(jax.numpy.array([-2.0, 3.0])).tolist() == [4.0, 5.0]
    assert float in kinds


def test_a_class_that_computes_its_dict() -> None:
    made: dict[str, Any] = {}
    exec("def as_dict(self): return dict(zip(('x', 'y'), self))", made)  # as those that write named tuples do

    class Pair(tuple[float, float]):
        __dict__ = property(made["as_dict"])  # type: ignore[assignment]

    def total(x: jax.Array) -> jax.Array:
        pair = Pair((x, 2.0))  # type: ignore[arg-type]
        if x > 0:
            x = x + sum(vars(pair).values())
        return x

    assert ag.jit(total)(1.0) == 4


def fill(x: Any) -> Any:
    x[0] = 7.0
    return x


@ag.convert
def filled(x: Any) -> Any:
    return fill(x) if x[1] > 0 else x


def test_a_converted_function_may_be_called_whose_own_code_has_a_table_of_routes() -> None:
    assert any(type(constant) is Routes for constant in filled.__code__.co_consts)
    assert ag.jit(lambda x: filled(x))(jnp.ones(2)).tolist() == [7.0, 1.0]


def test_what_the_library_s_own_functions_name_is_not_looked_through() -> None:
    reach = Reach(None, tuple)
    reach.enter(jax.tree.map.__code__, vars(jax.tree))
    assert [*reach.codes] == [jax.tree.map.__code__]
    reach.enter(Reach.enter.__code__, Reach.enter.__globals__)
    assert [*reach.codes] == [jax.tree.map.__code__]


def test_of_a_class_that_results_lead_to_what_is_new_is_looked_at_in_the_same_trace() -> None:
    class Model:
        table: list[Any] = []

    def met() -> Any:
        """An object, and whether its class has been prepared since."""

        class Degrees:
            def __add__(self, other: Any) -> Any:
                return other

        code = Degrees.__add__.__code__
        return Degrees(), lambda: Degrees.__add__.__code__ is not code

    reach = Reach(None, lambda: [])
    reach.receive(Model())
    for place in (Model.table.append, lambda x: setattr(Model, "extra", x)):
        value, is_prepared = met()
        assert not is_prepared()
        place(value)
        reach.receive(Model())
        assert is_prepared()
