"""Methods of `ag.function`: equal, hashable, copied and pickled as Python's bound methods."""

from __future__ import annotations

import copy
import functools
import pickle
from typing import Any

import jax.numpy as jnp
import pytest

import autograph as ag


class Counter:
    """Keeps methods of its own, as a trainer keeps its callbacks."""

    def __init__(self) -> None:
        self.total = ag.Variable(0.0)
        self.kept = self.add
        self.callbacks = [self.add, ag.function(functools.partial(Counter.add.python_function, self))]

    @ag.function
    def add(self, x: Any) -> Any:
        self.total.assign_add(x)
        return self.total.value


@ag.function
def twice(x: Any) -> Any:
    return 2 * x


def test_they_are_equal_where_object_and_function_are_the_same() -> None:
    counter, other = Counter(), Counter()
    assert counter.add == counter.add != other.add
    assert counter.add in counter.callbacks
    assert len({counter.add, counter.kept, other.add}) == 2
    assert counter.add != counter.__init__  # type: ignore[misc]  # read, not called


def test_a_deep_copy_of_an_object_has_methods_of_the_copy() -> None:
    counter = Counter()
    counter.add(jnp.float32(1))
    other = copy.deepcopy(counter)
    for call in (other.kept, *other.callbacks):
        call(jnp.float32(2))
    assert (float(counter.total.value), float(other.total.value)) == (1.0, 7.0)
    assert copy.copy(counter).kept.__self__ is counter  # type: ignore[attr-defined]  # of the Callable that a checker sees


def test_copies_and_pickles_of_functions_and_methods() -> None:
    counter = Counter()
    assert copy.copy(counter.add) == counter.add
    assert copy.deepcopy(twice) is twice is pickle.loads(pickle.dumps(twice))
    assert copy.deepcopy(Counter.add) is Counter.add is pickle.loads(pickle.dumps(Counter.add))
    concrete = twice.get_concrete_function(jnp.float32(1))
    assert copy.deepcopy({"step": concrete})["step"] is concrete
    del counter.callbacks[1]
    loaded = pickle.loads(pickle.dumps(counter))
    assert float(loaded.kept(jnp.float32(2))) == float(loaded.total.value) == 2.0
    assert counter.total.value == 0


@pytest.mark.parametrize("made", [ag.function(lambda x: x), ag.function(lambda x: x).get_concrete_function(jnp.float32(1))])
def test_what_no_name_leads_to_is_not_pickled(made: Any) -> None:
    with pytest.raises(pickle.PicklingError, match="lambda"):
        pickle.dumps(made)


class Scaled:
    """Methods of every kind, whose concrete functions are called as the methods are."""

    by = 3

    @ag.function
    def method(self, x: Any, n: int = 1) -> Any:
        return self.by * x * n

    @ag.function
    @classmethod
    def of_class(cls, x: Any) -> Any:
        return cls.by * x


class Twice(Scaled):
    by = 6


def test_a_concrete_function_of_a_method_is_called_without_the_object() -> None:
    x, other = jnp.float32(2), Twice()
    for made, by in ((Scaled(), 3), (other, 6)):
        concrete = made.method.get_concrete_function(ag.TensorSpec([]))
        assert float(concrete(x)) == float(concrete(x=x)) == float(concrete(made, x)) == float(concrete(x, 1)) == 2 * by
        assert float(concrete(self=made, x=x)) == 2 * by
    with pytest.raises(TypeError, match="'n' of method"):
        other.method.get_concrete_function(x)(x, 2)


def test_a_class_method_has_its_class_also_in_its_other_methods() -> None:
    x = jnp.float32(2)
    for owner, by in ((Scaled, 3), (Twice, 6), (Twice(), 6)):
        assert float(owner.of_class(x)) == float(owner.of_class.get_concrete_function(x)(x)) == 2 * by
