"""Objects of a pytree class at a traced index of a list: they are read as one of them, and not written."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import autograph as ag


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Expert:
    scale: Any
    seen: list[Any]

    def __call__(self, x: Any) -> Any:
        return self.scale * x if x > 2 else -x


def experts() -> list[Expert]:
    return [Expert(jnp.float32(n), [jnp.float32(n * n)]) for n in range(3)]


def called(k: Any, x: Any) -> Any:
    return experts()[k](x) + experts()[k].seen[0]


def called_in_a_loop(k: Any, x: Any) -> Any:
    every = experts()
    while k < 3:
        x = x + every[k](x)
        k = k + 1
    return x


def from_the_end(k: Any, x: Any) -> Any:
    return tuple(experts())[k - 3].scale * x


@pytest.mark.parametrize("f", [called, called_in_a_loop, from_the_end])
@pytest.mark.parametrize("k", range(3))
def test_an_object_is_read(f: Callable[..., Any], k: int) -> None:
    for x in (1.0, 3.0):
        assert float(ag.jit(f)(k, x)) == float(f(k, x))


def writes_an_attribute(k: Any, x: Any) -> Any:
    every = experts()
    every[k].scale = x
    return every[1].scale


def writes_into_its_list(k: Any, x: Any) -> Any:
    every = experts()
    every[k].seen.append(x)
    return len(every[1].seen)


def keeps_and_writes(k: Any, x: Any) -> Any:
    every, kept = experts(), {}
    kept["one"] = every[k]
    kept["one"].scale = x
    return every[1].scale


@pytest.mark.parametrize("f", [writes_an_attribute, writes_into_its_list, keeps_and_writes])
def test_an_object_that_may_be_one_of_several_is_not_written(f: Callable[..., Any]) -> None:
    with pytest.raises(ag.StagingError, match="is changed in place that may be one of several: an index into a list"):
        ag.jit(f)(1, 2.0)


def test_which_of_them_it_is_is_not_known() -> None:
    every = experts()
    with pytest.raises(ag.StagingError, match="`is` compares an index into a list, one of several objects, with one of them"):
        ag.jit(lambda k: every[k] is every[1])(1)


def test_objects_of_other_structures_are_refused() -> None:
    every = [Expert(1.0, []), Expert(2.0, [3.0])]
    with pytest.raises(ag.StagingError, match="the items differ in structure"):
        ag.jit(lambda k: every[k].scale)(1)


PAIRS = [(jnp.float32(1), 2), (jnp.float32(1), 2), (jnp.float32("nan"), 2)]
KEYS = [jax.random.key(0), jax.random.key(1)]


@pytest.mark.parametrize("count", [2, 3])
def test_items_with_arrays_that_are_known(count: int) -> None:
    def scaled(k: Any) -> Any:
        scale, by = PAIRS[:count][k]
        return scale * by

    assert str(ag.jit(scaled)(count - 1)) == str(scaled(count - 1))


def test_random_keys_at_a_traced_index() -> None:
    def drawn(k: Any) -> Any:
        return jax.random.uniform(KEYS[k])

    assert float(ag.jit(drawn)(1)) == float(drawn(1))


@jax.tree_util.register_pytree_node_class
class Partly:
    """A class that forgets an attribute when it is made again."""

    def __init__(self, x: Any, scale: float = 1.0) -> None:
        self.x, self.scale = x, scale

    def tree_flatten(self) -> Any:
        return (self.x,), None

    @classmethod
    def tree_unflatten(cls, _: None, parts: Any) -> Any:
        return cls(*parts)


@pytest.mark.parametrize(
    "items",
    [[Partly(1.0, 10.0), Partly(2.0, 20.0)], [collections.defaultdict(float, a=1.0), collections.defaultdict(float, a=2.0)]],
)
def test_objects_that_are_more_than_their_parts_are_refused(items: Any) -> None:
    with pytest.raises(ag.StagingError, match="would be copied, and writes into the copy would be lost"):
        ag.jit(lambda k: items[k])(1)
