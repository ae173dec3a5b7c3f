"""Types of traced values and how two of them join: JAX's own promotion, weak types included.

>>> str(join_types(type_of(1), type_of(2.5)))
'weak float32'
>>> import jax.numpy as jnp
>>> join_types(type_of(0.0), type_of(jnp.int8(1))).dtype.name
'float32'

A Python number is weakly typed: beside an array it takes the array's dtype, as in `x + 1`.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph.jax_internals import convert_weak
from autograph.runtime.tracing.start_values import FOR_LARGE_FLOATS, infinite, is_start

_FOR_LARGE_INTEGERS = "use a float, or a wider dtype (64 bits: `jax.config.update('jax_enable_x64', True)`)"
_KINDS = ((jnp.bool_, bool), (jnp.integer, int), (jnp.floating, float), (jnp.complexfloating, complex))


class ArrayType(NamedTuple):
    """Shape, dtype, whether weakly typed, the manual mesh axes over which the value varies (`shard_map`), its sharding.

    The sharding is part of the type where the mesh has explicit axes; None means replicated.
    """

    shape: tuple[Any, ...]
    dtype: Any
    weak: bool
    varying: frozenset[Any]
    sharding: Any = None

    def __str__(self) -> str:
        weak = "weak " if self.weak and self.dtype != bool else ""
        axes = "" if not self.shape else "[" + ",".join(map(str, self.shape)) + "]"
        name = np.dtype(self.dtype).name if isinstance(self.dtype, np.dtype) else self.dtype
        return f"{weak}{name}{axes}" + ("" if self.sharding is None else f" sharded over {tuple(self.sharding.spec)}")


class TypesDiffer(Exception):
    """Two types that do not join; the message says in what they differ, `instead` what helps, where that is known."""

    def __init__(self, why: str, instead: str = "") -> None:
        super().__init__(why)
        self.instead = instead


def type_of(x: Any) -> ArrayType:
    """The type of a number, array or tracer; of a Python int that no array can hold, that of smaller ones."""
    try:
        aval = jax.typeof(x)
    except OverflowError:
        aval = jax.typeof(0)
    weak = bool(getattr(aval, "weak_type", False))
    return ArrayType(aval.shape, aval.dtype, weak, _varying(aval), _sharding(aval))


def _sharding(aval: Any) -> Any:
    found: Any = getattr(aval, "sharding", None)
    spec = getattr(found, "spec", None)
    if spec is None or not any(axis is not None for axis in spec) or not found.mesh.are_all_axes_explicit:
        return None
    return found


def _varying(aval: Any) -> frozenset[Any]:
    manual = getattr(aval, "manual_axis_type", None)
    found: Any = getattr(manual, "varying", None)
    return frozenset(getattr(aval, "vma", ()) if found is None else found)


def join_types(a: ArrayType, b: ArrayType) -> ArrayType:
    """The smallest type that holds both; raises `TypesDiffer` when shapes or kinds of dtype do not agree."""
    if a == b:
        return a
    if a.shape != b.shape:
        raise TypesDiffer("shapes differ")
    if a.sharding is not None and b.sharding is not None and a.sharding != b.sharding:
        raise TypesDiffer("shardings differ")
    varying, sharding = a.varying | b.varying, b.sharding if a.sharding is None else a.sharding
    if a.dtype == b.dtype:
        return ArrayType(a.shape, a.dtype, a.weak and b.weak, varying, sharding)
    if not (_is_number(a.dtype) and _is_number(b.dtype)):
        raise TypesDiffer("dtypes differ")
    left, right = (python_type(t.dtype) if t.weak else t.dtype for t in (a, b))
    try:
        dtype = np.dtype(jnp.result_type(left, right))
    except (TypeError, ValueError):  # JAX has no implicit promotion for 4-bit integers, 8-bit floats, or in strict mode
        raise TypesDiffer("JAX promotes these two dtypes to no common one") from None
    # As in JAX's lattice, a Python number of a higher kind stays weak beside an array: int8 and 2.5 are a weak float.
    kinds = (bool, int) if dtype.kind in "fc" else (bool,)
    weak = (a.weak or b.weak) and all(t.weak or python_type(t.dtype) in kinds for t in (a, b))
    return ArrayType(a.shape, dtype, weak, varying, sharding)


def check_fits(x: Any, target: ArrayType) -> None:
    """Raises `TypesDiffer` for a Python number that the joined dtype cannot hold: JAX would wrap it around, or make it infinite."""
    if type(x) is int and isinstance(target.dtype, np.dtype) and jnp.issubdtype(target.dtype, jnp.integer):
        limits = jnp.iinfo(target.dtype)
        if not limits.min <= x <= limits.max:
            raise TypesDiffer(f"{x} does not fit into {target.dtype.name}", instead=_FOR_LARGE_INTEGERS)
    if type(x) in (int, float) and isinstance(target.dtype, np.dtype) and jnp.issubdtype(target.dtype, jnp.floating):
        if float(jnp.finfo(target.dtype).max) < abs(x) < float("inf") and not is_start(x):
            instead = "use a wider dtype" if abs(x) <= float(jnp.finfo(jnp.float32).max) else FOR_LARGE_FLOATS
            raise TypesDiffer(f"{x} does not fit into {target.dtype.name}", instead=instead)


def fits(x: Any, target: ArrayType) -> bool:
    """Whether `check_fits` has nothing to say."""
    try:
        check_fits(x, target)
    except TypesDiffer:
        return False
    return True


def _is_number(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and (dtype == np.dtype(bool) or jnp.issubdtype(dtype, jnp.number))


def python_type(dtype: Any) -> Any:
    """The type of the numbers that Python makes of an array's; None where it holds no numbers."""
    return next((kind for known, kind in _KINDS if jnp.issubdtype(dtype, known)), None)


def is_of_higher_kind(dtype: Any, other: Any) -> bool:
    """Whether numbers of a dtype need a higher kind of number (bool, int, float, complex) than those of another dtype.

    >>> is_of_higher_kind(jnp.dtype("float32"), jnp.dtype("int32")), is_of_higher_kind(jnp.dtype("int8"), jnp.dtype("uint8"))
    (True, False)
    """
    order = (bool, int, float, complex)
    kinds = [python_type(dtype), python_type(other)]
    return None in kinds or order.index(kinds[0]) > order.index(kinds[1])


def convert_to(x: Any, target: ArrayType) -> Any:
    """`x` as a value of type `target`, which is a join of the type of `x` with others; with zeros where it has more rows."""
    have = type_of(x)
    if have == target:
        return x
    if have.shape != target.shape:
        x = jnp.pad(x, [(0, size - n) for size, n in zip(target.shape, have.shape, strict=True)])
    if type(x) is int and np.issubdtype(target.dtype, np.inexact):
        x = float(x)  # it may be larger than any JAX integer
    elif is_start(x):
        x = infinite(x, target.dtype)
    if have.dtype != target.dtype:
        x = convert_weak(x, target.dtype) if target.weak else lax.convert_element_type(x, target.dtype)
    elif have.weak and not target.weak:
        x = lax.convert_element_type(x, target.dtype)
    missing = target.varying - have.varying
    if missing:
        # JAX 0.8.0 has the older name alone.
        x = (
            lax.pcast(x, tuple(missing), to="varying")
            if hasattr(lax, "pcast")
            else vars(lax)["pvary"](x, tuple(missing))
        )
    if target.sharding is not None and have.sharding is None:
        x = jax.sharding.reshard(x, target.sharding)
    return x


def of_type(target: ArrayType) -> Any:
    """A traced value of exactly type `target`, for a trace that is going to be thrown away."""
    value = placeholder(target._replace(weak=False))
    return convert_weak(value, target.dtype) if target.weak else lax.optimization_barrier(value)


def placeholder(target: ArrayType) -> Any:
    """A value of type `target` that no correct program reads."""
    zero: Any
    if isinstance(target.dtype, np.dtype):
        zero = lax.full(target.shape, 0, target.dtype) if target.shape else np.zeros((), target.dtype)
    else:  # typed random keys and other extended dtypes
        zero = lax.broadcast(jax.random.key(0, impl=target.dtype._impl.name), target.shape)
    return weakly(convert_to(zero, target._replace(weak=False)), target) if target.weak else convert_to(zero, target)


def weakly(x: Any, target: ArrayType) -> Any:
    """`x` as a value of the weak type `target`, to whose type only that is missing; a known number as a Python number."""
    number = x.item() if isinstance(x, np.ndarray) and not x.shape else x
    return number if type_of(number) == target else convert_weak(x, target.dtype)


def is_integer(x: Any) -> bool:
    """Whether `x` is an integer or a bool without axes, known or traced."""
    aval = jax.typeof(x)
    return not aval.shape and is_integer_type(aval.dtype)


@functools.cache
def is_integer_type(dtype: Any) -> bool:
    """Whether numbers of a type are integers or bools: looked up, since JAX takes a microsecond and more to say so."""
    return bool(jnp.issubdtype(dtype, jnp.integer) or dtype == jnp.bool_)


def scalar(x: Any, kind: type) -> Any:
    """A traced value as `kind(x)` makes it: a weakly typed scalar of the default dtype of a Python number's type.

    Raises:
        TypeError: as the eager conversion does: not a scalar, or complex.
    """
    aval = jax.typeof(x)
    if aval.shape:
        raise TypeError(f"Only scalar arrays can be converted to Python scalars; got arr.ndim={len(aval.shape)}")
    if kind is not complex and jnp.issubdtype(aval.dtype, jnp.complexfloating):
        raise TypeError(f"{kind.__name__}() argument must be a string or a real number, not 'complex'")
    return convert_weak(x, jnp.result_type(kind))
