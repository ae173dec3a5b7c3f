"""The options of `jax.jit`, for the flat arguments of a program.

>>> import numpy as np
>>> options = Options({"donate_argnums": 0})
>>> from autograph.functions.arguments import Parameters
>>> options.flat(Parameters(lambda state, x: x).bind(({"a": np.ones(2), "b": np.ones(3)}, np.ones(4)), {}))
{'donate_argnums': (0, 1)}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import jax

from autograph.functions.arguments import Bound, is_input_leaf
from autograph.runtime.tracing.staging import is_traced

_STATIC = {"static_argnums", "static_argnames"}
_PASSED = {"device", "backend", "compiler_options", "keep_unused", "inline"}


class Options:
    """What a function was given of `jax.jit`'s options.

    Raises:
        TypeError: for `static_argnums` and `static_argnames`, and for what `jax.jit` does not know.
    """

    def __init__(self, given: Mapping[str, Any]) -> None:
        for name in given:
            if name in _STATIC:
                raise TypeError(f"ag.function has no {name}: each argument that is no array is static already")
            if name not in _PASSED | {"donate_argnums", "donate_argnames", "in_shardings", "out_shardings"}:
                raise TypeError(f"ag.function has no option {name!r}")
        self._given = dict(given)

    def flat(self, bound: Bound, variables: int = 0) -> dict[str, Any]:
        """Returns the options for a `jax.jit` object that takes the inputs of these arguments, then so many variables."""
        options = {name: value for name, value in self._given.items() if name in _PASSED}
        names: dict[Any, str] = {name: name for name in bound.names} | dict(enumerate(bound.names))
        names |= dict(enumerate(bound.names, -len(bound.names)))
        wanted = [*_several(self._given.get("donate_argnums", ())), *_several(self._given.get("donate_argnames", ()))]
        for one in wanted:
            if one not in names:
                raise ValueError(f"there is no parameter {one!r} to be donated: there are {', '.join(bound.names)}")
        donated = {names[one] for one in wanted}
        inputs = [leaf for leaf in bound.leaves if leaf.is_input]
        if donated:
            options["donate_argnums"] = tuple(i for i, leaf in enumerate(inputs) if leaf.parameter in donated)
        if self._given.get("in_shardings") is not None:
            options["in_shardings"] = (*self._in_shardings(bound), *(None,) * variables)
        return options

    def inside(self, bound: Bound, variables: int = 0) -> dict[str, Any]:
        """Returns the options that count if the function is called while another program is traced."""
        return {name: value for name, value in self.flat(bound, variables).items() if name in ("inline", "in_shardings")}

    def _in_shardings(self, bound: Bound) -> tuple[Any, ...]:
        prefix = self._given["in_shardings"]
        places = bound.values(range(sum(leaf.is_input for leaf in bound.leaves)))
        found: dict[int, Any] = {}
        prefixes = prefix if isinstance(prefix, tuple | list) else [prefix] * len(places)
        for one, part in zip(prefixes, places, strict=False):
            jax.tree.map(
                lambda sharding, below: found.update(dict.fromkeys(_numbers(below), sharding)),
                one,
                part,
                is_leaf=_is_sharding,
            )
        return tuple(found.get(i) for i in range(sum(leaf.is_input for leaf in bound.leaves)))

    def constrained(self, result: Any) -> Any:
        """Returns the function's result, sharded as `out_shardings` says; along explicit axes of a mesh only what returns it is."""
        return self._sharded(result, lambda leaf, one: leaf if _is_explicit(one) else jax.lax.with_sharding_constraint(leaf, one))

    @property
    def places_results(self) -> bool:
        """Whether results are sharded along explicit axes, which are part of their types."""
        return any(map(_is_explicit, jax.tree_util.tree_leaves(self._given.get("out_shardings"), is_leaf=_is_sharding)))

    def placed(self, result: Any) -> Any:
        """Returns the result of a call, sharded along explicit axes as `out_shardings` says."""
        return self._sharded(result, _placed) if self.places_results else result

    @property
    def are_for_several_devices(self) -> bool:
        """Whether a sharding is over more than one device."""
        given = [self._given.get(name) for name in ("in_shardings", "out_shardings")]
        return any(len(one.device_set) > 1 for one in jax.tree_util.tree_leaves(given) if _is_sharding(one))

    def _sharded(self, result: Any, change: Callable[[Any, Any], Any]) -> Any:
        prefix = self._given.get("out_shardings")
        if prefix is None:
            return result

        def sharded(one: Any, part: Any) -> Any:
            """Shards the arrays in a part of the result; strings and others are unchanged."""
            return part if one is None else jax.tree.map(lambda leaf: change(leaf, one) if is_input_leaf(leaf) else leaf, part)

        return jax.tree.map(sharded, prefix, result, is_leaf=_is_sharding)


def _is_sharding(x: Any) -> bool:
    return x is None or isinstance(x, jax.sharding.Sharding)


def _is_explicit(sharding: Any) -> bool:
    return isinstance(sharding, jax.sharding.NamedSharding) and jax.sharding.AxisType.Explicit in sharding.mesh.axis_types


def _placed(leaf: Any, sharding: Any) -> Any:
    if not _is_explicit(sharding):
        return leaf
    return jax.sharding.reshard(leaf, sharding) if is_traced(leaf) else jax.device_put(leaf, sharding)


def _several(one_or_more: Any) -> tuple[Any, ...]:
    return (one_or_more,) if isinstance(one_or_more, int | str) else tuple(one_or_more)


def _numbers(part: Any) -> list[int]:
    return [x for x in jax.tree_util.tree_leaves(part) if type(x) is int]


