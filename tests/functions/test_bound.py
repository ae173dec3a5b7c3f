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
