"""Programs whose axes have no fixed size: traced once with symbolic sizes, compiled by XLA for each size that comes.

`TensorSpec` names them, `input_signature` asks for them, and `reduce_retracing` finds them. The trace is one of `jax.export`.
JAX's symbolic sizes are at least 1, so empty arrays get programs of their own.

>>> from autograph.tensor_specs import TensorSpec
>>> is_symbolic([TensorSpec([None, 28]).abstract(Scope())]), is_symbolic([TensorSpec([2, 28]).abstract(Scope())])
(True, False)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import jax

from autograph.errors import AutoGraphError
from autograph.jax_internals import SIZE
from autograph.tensor_specs import Scope

if TYPE_CHECKING:
    from autograph.functions.programs import Program


def is_symbolic(specs: Iterable[Any]) -> bool:
    """Whether some size is open."""
    return any(isinstance(n, SIZE) for spec in specs for n in spec.shape)


def covers(specs: Sequence[Any], avals: Sequence[Any]) -> bool:
    """Whether arrays of these types are among those of a program: sizes of one name are the same, and none of them is 0.

    >>> n = Scope().size("n")
    >>> of = jax.ShapeDtypeStruct
    >>> covers([of((n, 2), "f4"), of((n,), "f4")], [of((3, 2), "f4"), of((3,), "f4")])
    True
    >>> covers([of((n, 2), "f4"), of((n,), "f4")], [of((3, 2), "f4"), of((4,), "f4")])
    False
    """
    sizes: dict[Any, int] = {}
    for spec, aval in zip(specs, avals, strict=True):
        if spec.dtype != aval.dtype or len(spec.shape) != len(aval.shape):
            return False
        for open_size, size in zip(spec.shape, aval.shape, strict=True):
            fits = sizes.setdefault(open_size, size) == size and size if isinstance(open_size, SIZE) else open_size == size
            if not fits and not (open_size == size == 0):
                return False
    return True


def covering(programs: Iterable[Program], avals: Sequence[Any], is_fixed: bool) -> Program | None:
    """Returns the program with open sizes that takes arrays of these types; where types are fixed, weakly typed ones as well."""
    if not is_fixed and any(map(_is_weak, avals)):
        return None
    fit = (program for program in programs if program.symbolic or is_fixed)
    return next((program for program in fit if covers(program.specs, avals)), None)


def widened(programs: Iterable[Program], avals: Sequence[Any], scope: Scope) -> list[jax.ShapeDtypeStruct] | None:
    """Returns the types of a program for these arrays and those of an earlier program: sizes in which they differ are open.

    Sizes that are the same in both, and the same number wherever they stand, stay the same size. None for weak types too, which
    an exported program does not tell from others.
    """
    if any(map(_is_weak, avals)):
        return None
    for program in programs:
        pairs = list(zip(program.specs, avals, strict=True))
        if all(
            s.dtype == a.dtype and len(s.shape) == len(a.shape) and 0 not in (*s.shape, *a.shape) and not _is_weak(s)
            for s, a in pairs
        ):
            names: dict[tuple[Any, Any], Any] = {}
            return [
                jax.ShapeDtypeStruct(
                    tuple(
                        old if old == new and not isinstance(old, SIZE) else names.setdefault((old, new), scope.size(None))
                        for old, new in zip(spec.shape, aval.shape, strict=True)
                    ),
                    aval.dtype,
                )
                for spec, aval in pairs
            ]
    return None


def _is_weak(aval: Any) -> bool:
    return bool(getattr(aval, "weak_type", False))


def callable_of(program: Program) -> Callable[..., list[Any]]:
    """Returns the program as a function of arrays of any sizes that fit, which is not traced again for each.

    Raises:
        AutoGraphError: JAX exports none of its operations, as callbacks of the host.
    """
    variables = (variable.aval for variable in program.reads)
    try:
        exported = jax.export.export(jax.jit(program.lowerable))(*program.specs, *variables)
    except Exception as error:
        why = f"JAX raises {f'{type(error).__name__}: {error}'.splitlines()[0]:.200}"
        if program.traced.jaxpr.effects:
            why = "it calls the host, as `ag.print` and `jax.debug.print` do, which no exported program can"
        raise cannot_be_exported(program.function.__name__, why) from error
    return lambda *args: list(exported.call(*args))


def cannot_be_exported(name: str, why: str) -> AutoGraphError:
    """Returns the error for the program of a function for open sizes."""
    return AutoGraphError(
        f"the program of {name}() for open sizes cannot be exported",
        why=why,
        instead="give its arrays fixed sizes: no None in `input_signature`",
        page="open-sizes-that-cannot-be-exported",
    )
