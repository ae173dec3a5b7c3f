"""One harness for whole programs: each is run in every way that promises the same answer.

A program is an ordinary function with inputs. It is registered by a decorator that gives the function back unchanged,
so programs may call themselves and each other:

    @program((7,), (3,))
    def collatz(n): ...

`check` runs it as plain Python (the reference), converted on plain values, as the staged body on plain values, and
under `ag.jit` with traced arguments; on request also under `vmap`, `grad`, `jvp` and `make_jaxpr`.
Results must have the same structure, shapes and values; exceptions the same type. A failure prints the converted code.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import autograph as ag
from autograph.conversion import pipeline

KINDS = "biufc"  # promotion order of numpy's dtype kinds; unsigned integers only meet unsigned integers here


@dataclasses.dataclass(frozen=True)
class Program:
    """A function, the inputs it is tried on, and what is special about it.

    Args:
        static: positions of arguments that stay Python values under `jit` and `vmap`.
        transforms: any of `vmap`, `grad`, `jvp`, `jaxpr`; these cost a compilation each, so few programs ask for them.
        numpy: the reference runs on NumPy copies of arrays (`x[i] = v` is not possible on JAX arrays in plain Python).
        promotes: results may be of a wider number type than in Python, because another path returns one.
        interpreted: the reference runs under `jax.disable_jit`, because the program itself hands functions to `lax`.
        stages_anyway: the program asks for a loop operation (`ag.range`), so results of the staged body are arrays.
        reference: the same computation for programs that plain Python cannot run (`vmap` of a function with an `if`).
        slow: the program takes over a second, so it is left to `.ci/run`.
    """

    fn: Callable[..., Any]
    inputs: tuple[tuple[Any, ...], ...]
    static: tuple[int, ...] = ()
    transforms: tuple[str, ...] = ()
    numpy: bool = False
    promotes: bool = False
    interpreted: bool = False
    stages_anyway: bool = False
    reference: Callable[..., Any] | None = None
    slow: bool = False

    @property
    def name(self) -> str:
        return f"{self.fn.__module__.rpartition('.')[2]}.{self.fn.__name__}"


@dataclasses.dataclass(frozen=True)
class Raised:
    """An exception as the outcome of a run."""

    error: BaseException

    def __str__(self) -> str:
        return f"raised {type(self.error).__name__}: {self.error}"


PROGRAMS: dict[str, Program] = {}


def program(*inputs: tuple[Any, ...], **options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the decorated function to be tried on each of `inputs` (a tuple of arguments each); see `Program`."""

    def register(fn: Callable[..., Any]) -> Callable[..., Any]:
        made = Program(fn, inputs, **options)
        assert inputs and all(isinstance(args, tuple) for args in inputs), f"{made.name}: inputs are tuples"
        assert made.name not in PROGRAMS, f"two programs are called {made.name}"
        PROGRAMS[made.name] = made
        return fn

    return register


def ints(*values: Any) -> np.ndarray:
    """An int32 array argument."""
    return np.array(values, np.int32)


def floats(*values: Any) -> np.ndarray:
    """A float32 array argument."""
    return np.array(values, np.float32)


# --- arguments -------------------------------------------------------------------------------------------------------


def _map_leaves(convert: Callable[[Any], Any], value: Any) -> Any:
    """Map over numbers and arrays inside containers; everything else is copied, so that runs cannot see each other."""
    if isinstance(value, (bool, int, float, np.ndarray, np.generic, jax.Array)):
        return convert(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_map_leaves(convert, v) for v in value))
    if isinstance(value, (list, tuple)):
        return type(value)(_map_leaves(convert, v) for v in value)
    if isinstance(value, dict):
        return {k: _map_leaves(convert, v) for k, v in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: _map_leaves(convert, getattr(value, f.name)) for f in dataclasses.fields(value)}
        return dataclasses.replace(value, **fields)
    return copy.copy(value)


def _reference_leaf(numpy: bool) -> Callable[[Any], Any]:
    def convert(leaf: Any) -> Any:
        if isinstance(leaf, (np.ndarray, np.generic)):
            return leaf.copy() if numpy else jnp.asarray(leaf)
        return leaf

    return convert


def _traced_leaf(leaf: Any) -> Any:
    if isinstance(leaf, bool):
        return jnp.asarray(leaf)
    if isinstance(leaf, int):
        return jnp.asarray(leaf, jnp.int32)
    if isinstance(leaf, float):
        return jnp.asarray(leaf, jnp.float32)
    return jnp.asarray(leaf)


def plain_arguments(p: Program, args: Sequence[Any]) -> list[Any]:
    return [_map_leaves(_reference_leaf(p.numpy), a) for a in args]


def concrete_arguments(args: Sequence[Any]) -> list[Any]:
    return [_map_leaves(_reference_leaf(False), a) for a in args]


def traced_arguments(p: Program, args: Sequence[Any]) -> list[Any]:
    return [copy.copy(a) if i in p.static else _map_leaves(_traced_leaf, a) for i, a in enumerate(args)]


# --- outcomes --------------------------------------------------------------------------------------------------------


def outcome(run: Callable[[], Any]) -> Any:
    """What `run` returns, after the device has finished, or what it raises."""
    try:
        return jax.block_until_ready(run())
    except Exception as error:
        return Raised(error)


def _kind(leaf: Any) -> int:
    kind = np.asarray(leaf).dtype.kind
    return KINDS.index(kind) if kind in KINDS else -1


def _is_number(leaf: Any) -> bool:
    return isinstance(leaf, (bool, int, float, complex, np.ndarray, np.generic, jax.Array))


def difference(expected: Any, actual: Any, *, types: str, where: str = "result") -> str | None:
    """The first difference between two results in words, or None.

    Args:
        types: `exact` (the Python types agree), `kind` (bool, int, float agree), or `promoted` (at least as wide).
    """
    if isinstance(expected, Raised) or isinstance(actual, Raised):
        return _different_errors(expected, actual, where)
    if isinstance(expected, jax.Array) and jnp.issubdtype(expected.dtype, jax.dtypes.prng_key):
        expected, actual = jax.random.key_data(expected), jax.random.key_data(actual)
    if type(actual) is ag.BoundedArray:
        actual = np.asarray(actual)  # its documented result type
    if _is_number(expected):
        return _different_numbers(expected, actual, types, where)
    if type(expected) is list and type(actual) is ag.BoundedList:
        actual = list(actual)  # likewise
    if type(expected) is not type(actual):
        return f"{where}: {type(expected).__name__} {expected!r} became {type(actual).__name__} {actual!r}"
    if isinstance(expected, (list, tuple)):
        if len(expected) != len(actual):
            return f"{where}: {len(expected)} elements {expected!r} became {len(actual)} elements {actual!r}"
        pairs = [(f"{where}[{i}]", e, a) for i, (e, a) in enumerate(zip(expected, actual, strict=True))]
    elif isinstance(expected, dict):
        if set(expected) != set(actual):
            return f"{where}: keys {list(expected)} became {list(actual)}"
        pairs = [(f"{where}[{k!r}]", e, actual[k]) for k, e in expected.items()]
    elif dataclasses.is_dataclass(expected):
        names = [f.name for f in dataclasses.fields(expected)]  # type: ignore[arg-type]
        pairs = [(f"{where}.{n}", getattr(expected, n), getattr(actual, n)) for n in names]
    else:
        return None if expected == actual else f"{where}: {expected!r} became {actual!r}"
    found = (difference(e, a, types=types, where=w) for w, e, a in pairs)
    return next((f for f in found if f is not None), None)


def _different_errors(expected: Any, actual: Any, where: str) -> str | None:
    if not isinstance(expected, Raised) or not isinstance(actual, Raised):
        return f"{where}: {expected!s} became {actual!s}"
    name = type(expected.error).__name__
    if type(expected.error) is type(actual.error) or name in str(actual.error):
        return None  # a compiled program fails with JAX's run-time error, whose message carries the user's exception
    return f"{where}: {expected} became {actual}"


def _different_numbers(expected: Any, actual: Any, types: str, where: str) -> str | None:
    if not _is_number(actual):
        return f"{where}: {expected!r} became {type(actual).__name__} {actual!r}"
    if types == "exact" and type(expected) is not type(actual):
        both_arrays = isinstance(expected, (np.ndarray, np.generic)) and isinstance(actual, jax.Array)
        if not both_arrays:
            return f"{where}: {type(expected).__name__} {expected!r} became {type(actual).__name__} {actual!r}"
    if np.shape(expected) != np.shape(actual):
        return f"{where}: shape {np.shape(expected)} became {np.shape(actual)}"
    wider = _kind(actual) - _kind(expected)
    if wider and not (types == "promoted" and wider > 0):
        return f"{where}: {expected!r} became {actual!r}, another kind of number"
    e, a = np.asarray(expected), np.asarray(actual)
    same = np.allclose(e, a, rtol=2e-5, atol=1e-6, equal_nan=True) if e.dtype.kind in "fc" else np.array_equal(e, a)
    return None if same else f"{where}: {expected!r} became {actual!r}"


def plain_python(p: Program, args: Sequence[Any]) -> Any:
    """The reference: the function itself, never converted."""
    with jax.disable_jit() if p.interpreted else contextlib.nullcontext():
        return (p.reference or p.fn)(*plain_arguments(p, args))


# --- modes -----------------------------------------------------------------------------------------------------------


def staged_on_plain_values(fn: Callable[..., Any]) -> Callable[..., Any]:
    """The staged body of `fn`, entered although nothing is traced."""
    return pipeline.staged(fn)


def _float_positions(p: Program) -> tuple[int, ...]:
    def floating(arg: Any) -> bool:
        return bool(jax.tree.leaves(arg)) and all(_kind(leaf) == KINDS.index("f") for leaf in jax.tree.leaves(arg))

    return tuple(i for i, a in enumerate(p.inputs[0]) if i not in p.static and floating(a))


def _check_each(
    p: Program, mode: str, expected: Sequence[Any], run: Callable[[Sequence[Any]], Any], types: str
) -> None:
    for args, wanted in zip(p.inputs, expected, strict=True):
        got = outcome(lambda args=args: run(args))  # type: ignore[misc]
        found = difference(wanted, got, types=types)
        if found is not None:
            raise AssertionError(report(p, mode, args, wanted, got, found))


def report(p: Program, mode: str, args: Any, wanted: Any, got: Any, found: str) -> str:
    """All that is needed to understand a failure: the two answers, the error's own traceback, the converted code."""
    lines = [f"{p.name} [{mode}] on {args!r}: {found}", f"  plain Python: {wanted!s}", f"  {mode}: {got!s}"]
    if isinstance(got, Raised):
        lines.append("".join(traceback.format_exception(got.error)))
    try:
        lines.append(ag.to_code(p.fn))
    except Exception as error:
        lines.append(f"(no converted code: {type(error).__name__}: {error})")
    return "\n".join(lines)


def check(fn: Callable[..., Any] | Program, *inputs: tuple[Any, ...], **options: Any) -> None:
    """Check a program (or a function on `inputs`, with the options of `Program`) in all its modes."""
    p = fn if isinstance(fn, Program) else Program(fn, inputs, **options)
    expected = [outcome(lambda args=args: plain_python(p, args)) for args in p.inputs]
    converted = ag.convert(p.fn)
    staged = staged_on_plain_values(p.fn)
    plain = "kind" if p.numpy or p.interpreted or p.reference else "exact"
    _check_each(p, "converted", expected, lambda args: converted(*concrete_arguments(args)), plain)
    plain = "kind" if p.stages_anyway else plain
    _check_each(p, "staged on plain values", expected, lambda args: staged(*concrete_arguments(args)), plain)
    traced = "promoted" if p.promotes else "kind"
    jitted = ag.jit(p.fn, static_argnums=p.static)
    _check_each(p, "jit", expected, lambda args: jitted(*traced_arguments(p, args)), traced)
    for transform in p.transforms:
        TRANSFORMS[transform](p, converted, expected)


def _check_vmap(p: Program, converted: Callable[..., Any], expected: Sequence[Any]) -> None:
    columns = [[traced_arguments(p, args)[i] for args in p.inputs] for i in range(len(p.inputs[0]))]
    batch = [c[0] if i in p.static else jax.tree.map(lambda *xs: jnp.stack(xs), *c) for i, c in enumerate(columns)]
    axes = [None if i in p.static else 0 for i in range(len(batch))]
    jitted = jax.jit(jax.vmap(converted, in_axes=axes), static_argnums=p.static)
    eager = outcome(lambda: jax.vmap(converted, in_axes=axes)(*batch)) if "eager" in p.transforms else None
    for mode, got in (("jit(vmap)", outcome(lambda: jitted(*batch))), ("vmap", eager)):
        if got is None:
            continue
        for lane, (args, wanted) in enumerate(zip(p.inputs, expected, strict=True)):
            mine = got if isinstance(got, Raised) else jax.tree.map(lambda leaf, lane=lane: leaf[lane], got)
            found = difference(wanted, mine, types="promoted")
            if found is not None:
                raise AssertionError(report(p, f"{mode}, lane {lane}", args, wanted, mine, found))


def _check_grad(p: Program, converted: Callable[..., Any], expected: Sequence[Any]) -> None:
    where = _float_positions(p)
    wanted = [jax.grad(p.reference or p.fn, where)(*concrete_arguments(args)) for args in p.inputs]
    eager = jax.grad(converted, where)
    _check_each(p, "grad", wanted, lambda args: eager(*concrete_arguments(args)), "kind")
    jitted = jax.jit(jax.grad(converted, where), static_argnums=p.static)
    _check_each(p, "jit(grad)", wanted, lambda args: jitted(*traced_arguments(p, args)), "kind")


def _check_jvp(p: Program, converted: Callable[..., Any], expected: Sequence[Any]) -> None:
    where = _float_positions(p)
    wanted = [jax.jacfwd(p.reference or p.fn, where)(*concrete_arguments(args)) for args in p.inputs]
    jitted = jax.jit(jax.jacfwd(converted, where), static_argnums=p.static)
    _check_each(p, "jit(jacfwd)", wanted, lambda args: jitted(*traced_arguments(p, args)), "kind")


def _check_jaxpr(p: Program, converted: Callable[..., Any], expected: Sequence[Any]) -> None:
    jaxpr = jax.make_jaxpr(converted, static_argnums=p.static)(*traced_arguments(p, p.inputs[0]))
    assert jaxpr.jaxpr.outvars or expected[0] is None, f"{p.name}: nothing comes out of\n{jaxpr}"


TRANSFORMS: dict[str, Callable[[Program, Callable[..., Any], Sequence[Any]], None]] = {
    "vmap": _check_vmap,
    "grad": _check_grad,
    "jvp": _check_jvp,
    "jaxpr": _check_jaxpr,
    "eager": lambda p, converted, expected: None,  # with `vmap`: also without `jit` around it
}
