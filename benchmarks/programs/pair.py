"""A program twice: in natural Python, and as an expert writes it in `lax`; and what their jaxprs are made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np


@dataclass(frozen=True)
class Pair:
    """One program in two forms, with arguments.

    Args:
        python: natural Python; runs as it is on the arguments (arrays as NumPy arrays), and under `ag.jit`.
        expert: the same with `lax.while_loop`, `lax.scan`, `lax.cond`.
        arguments: makes the arguments, numbers and NumPy arrays (new ones each time: programs write into them).
        mapped: what the program is wrapped in before `jit`, for both forms alike (`jax.vmap`).
        plain: makes the arguments of the run in plain Python where `arguments` would take too long or are mapped.
        exact: whether the results are equal bit for bit (integers), or close.
    """

    python: Callable[..., Any]
    expert: Callable[..., Any]
    arguments: Callable[[], tuple[Any, ...]]
    mapped: Callable[[Callable[..., Any]], Callable[..., Any]] = lambda fn: fn
    plain: Callable[[], tuple[Any, ...]] | None = None
    exact: bool = False

    @property
    def name(self) -> str:
        return self.python.__name__

    def plain_arguments(self) -> tuple[Any, ...]:
        return (self.plain or self.arguments)()

    def check(self, got: Any, want: Any) -> None:
        """Raises `AssertionError` unless two results are the same."""
        flat_got, flat_want = _numbers(got), _numbers(want)
        assert len(flat_got) == len(flat_want), f"{self.name}: {len(flat_got)} results for {len(flat_want)}"
        for a, b in zip(flat_got, flat_want, strict=True):
            assert a.shape == b.shape, f"{self.name}: shape {a.shape} for {b.shape}"
            if self.exact:
                np.testing.assert_array_equal(a, b, err_msg=self.name)
            else:
                np.testing.assert_allclose(a, b, rtol=2e-4, atol=1e-5, err_msg=self.name)


def _numbers(result: Any) -> list[np.ndarray]:
    """The arrays of a result; a list of rows is one array."""
    if isinstance(result, tuple):
        return [array for part in result for array in _numbers(part)]
    return [np.asarray(result)] if isinstance(result, list) else [np.asarray(leaf) for leaf in jax.tree.leaves(result)]


@dataclass(frozen=True)
class Shape:
    """What decides the cost of a jaxpr: control flow in it, at any depth, and what loops carry."""

    loops: int
    scans: int
    conds: int
    carried: int
    equations: int

    @classmethod
    def of(cls, jaxpr: Any) -> Shape:
        """
        >>> import jax
        >>> Shape.of(jax.make_jaxpr(lambda x: jax.lax.fori_loop(0, x, lambda i, s: s + i, 0))(3))
        Shape(loops=1, scans=0, conds=0, carried=3, equations=5)
        """
        eqns = list(_equations(getattr(jaxpr, "jaxpr", jaxpr)))
        kinds = Counter(eqn.primitive.name for eqn in eqns)
        carried = 0
        for eqn in eqns:
            if eqn.primitive.name == "while":
                carried += len(eqn.outvars)
            elif eqn.primitive.name == "scan":
                carried += scan_carries(eqn)
        return cls(kinds["while"], kinds["scan"], kinds["cond"], carried, len(eqns))

    def __str__(self) -> str:
        return f"{self.loops}w {self.scans}s {self.conds}c {self.carried:2d} carried {self.equations:3d} eqns"


def scan_carries(eqn: Any) -> int:
    """How many values a `scan` carries: its other outputs have one axis more outside of the body."""
    inside = eqn.params["jaxpr"].jaxpr.outvars
    return sum(len(a.aval.shape) == len(b.aval.shape) for a, b in zip(eqn.outvars, inside, strict=True))


def _equations(jaxpr: Any) -> Iterator[Any]:
    for eqn in jaxpr.eqns:
        yield eqn
        for value in eqn.params.values():
            for inner in value if isinstance(value, tuple) else (value,):
                inner = getattr(inner, "jaxpr", inner)
                if hasattr(inner, "eqns"):
                    yield from _equations(inner)
