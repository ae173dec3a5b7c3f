"""`ag.save`: a function becomes programs for the arguments that are named, and a file of them."""

from __future__ import annotations

import errno
import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import jax
from jax import export

from autograph import api
from autograph.errors import AutoGraphError, boundary
from autograph.modules.atomic_write import replace_file
from autograph.saved import container, loader, trees
from autograph.saved.entries import Entry, Saveable
from autograph.tensor_specs import Scope

PLATFORMS = ("cpu", "cuda", "tpu")
_KNOWN = (*PLATFORMS, "rocm")
load = boundary(loader.load)


@boundary
def save(
    fn: Callable[..., Any] | Saveable,
    path: str | os.PathLike[str],
    *,
    args: Sequence[Any] | None = None,
    kwargs: Mapping[str, Any] | None = None,
    signatures: Sequence[Sequence[Any] | Mapping[str, Any]] | None = None,
    platforms: Sequence[str] = PLATFORMS,
    vjp_order: int = 0,
) -> None:
    """Writes a function to a file, which `ag.load` runs where neither the function's source nor this library is.

    >>> import tempfile
    >>> import jax.numpy as jnp
    >>> import autograph as ag
    >>> def scaled(x, by="mean"):
    ...     if by == "mean":
    ...         return x / x.mean()
    ...     return x / x.max()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ag.save(scaled, f"{folder}/scaled.ag", signatures=[(jnp.ones(3),), (jnp.ones(3), "max")])
    ...     loaded = ag.load(f"{folder}/scaled.ag")
    >>> loaded
    scaled(x: float32[3], by='mean') -> float32[3]
    scaled(x: float32[3], by='max') -> float32[3]
    >>> loaded(jnp.array([1.0, 2.0, 3.0]))
    Array([0.5, 1. , 1.5], dtype=float32)

    Args:
        fn: a function; a jitted one; or one of `ag.function`, also as the `__call__` of an object, whose own programs are saved.
        path: the file. It is written beside it first, and then moved there in one step.
        args, kwargs: the arguments of its one signature. Arrays, `ag.TensorSpec` and `jax.ShapeDtypeStruct` stand for all arrays
            of their dtype and shape, whose sizes may be open (None, names, `jax.export.symbolic_shape`). Numbers, strings and None
            are part of the signature: the file has the program for these. Lists, tuples and dicts hold such.
        signatures: several of them: of each the arguments in a sequence, or by name in a mapping.
        platforms: for which the programs are lowered; none of them need be here.
        vjp_order: how often the loaded function can be differentiated in reverse mode.
    Raises:
        AutoGraphError: for arguments, results and programs that no file can hold.
    """
    fn = _that_can_be_saved(fn, Path(path), platforms)
    if vjp_order < 0 or signatures is not None and not signatures:
        raise ValueError(f"there is nothing to save: signatures={signatures}, vjp_order={vjp_order}")
    if isinstance(fn, Saveable):
        if signatures is not None or args is not None or kwargs is not None:
            raise AutoGraphError(
                f"{_name(fn)} was given arguments to be saved for, and has signatures of its own",
                instead="call it with such arguments before, and save it without any",
            )
        entries = list(fn.__saved_entries__(tuple(platforms)))
    else:
        wanted = [_pair(item) for item in signatures or ()]
        if signatures is None or args is not None or kwargs is not None:
            wanted.insert(0, (_pair(() if args is None else args)[0], dict(kwargs or {})))
        entries = [_entry(fn, *pair, tuple(platforms)) for pair in wanted]
    data = container.content(_name(fn), inspect.getdoc(fn) or "", entries, vjp_order)
    loader.parse(data, os.fspath(path))
    replace_file(Path(path), data)


def _that_can_be_saved(fn: Any, path: Path, platforms: Sequence[str]) -> Any:
    """Returns the function that is saved of an object; refuses what cannot be, before anything is traced."""
    called = getattr(fn, "__call__", None)  # noqa: B004  # the method itself is wanted, not whether there is one
    fn = called if isinstance(called, Saveable) else fn  # an object whose class decorates it
    if not isinstance(fn, Saveable) and not callable(fn):
        raise TypeError(f"ag.save takes a function, and {fn!r:.60} is none")
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fspath(path.parent))
    for platform in platforms:
        if platform not in _KNOWN:
            raise ValueError(f"there is no platform {platform!r}: there are {', '.join(_KNOWN)}")
    return fn


def _name(fn: Any) -> str:
    return str(getattr(fn, "__name__", type(fn).__name__))


def _pair(signature: Sequence[Any] | Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Returns the arguments of a signature by position and by name."""
    if not isinstance(signature, Mapping | list | tuple):
        raise TypeError(f"a signature is a tuple of arguments or a dict of them by name, and not {signature!r:.60}")
    return ((), dict(signature)) if isinstance(signature, Mapping) else (tuple(signature), {})


def _entry(fn: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], platforms: Sequence[str]) -> Entry:
    """Returns the program of a function for arguments."""
    try:
        bound = inspect.signature(fn).bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(f"{_name(fn)}: {error}: `args=` and `kwargs=` say for which arguments it is saved") from None
    for name, parameter in bound.signature.parameters.items():
        if name not in bound.arguments and trees.is_stored_literal(parameter.default):
            bound.arguments[name] = parameter.default
    inputs: dict[str, Any] = {}
    types: list[jax.ShapeDtypeStruct] = []
    scope = Scope()
    for name in (name for name in bound.signature.parameters if name in bound.arguments):
        inputs[name], leaves = trees.split(bound.arguments[name], f"argument '{name}' of {_name(fn)}")
        types.extend(_type(scope.abstracted(leaf)) for leaf in leaves)
    converted = api.convert(fn)
    output: list[Any] = []

    def program(*arrays: Any) -> tuple[Any, ...]:
        left = iter(arrays)
        given = {name: trees.replaced(bound.arguments[name], left) for name in inputs}
        call = inspect.BoundArguments(bound.signature, given)
        tree, leaves = trees.split(converted(*call.args, **call.kwargs), f"the result of {_name(fn)}", numbers=False)
        output[:] = [tree]
        return tuple(leaves)

    jitted = jax.jit(program)
    traced: Any = jitted.trace(*types).jaxpr
    if any(type(x).__name__ == "Ref" for x in traced.consts):
        raise AutoGraphError(
            f"{_name(fn)} uses a variable or a mutable reference, which a file of a function of arrays cannot hold",
            why="what it keeps between calls is no part of its program",
            instead="save an `ag.function`, whose variables the file keeps, or pass the array as an argument",
            page="saved-reference",
        )
    if traced.effects:
        raise calls_back(fn)
    return Entry(as_exported(fn, jitted, types, platforms), tuple(bound.signature.parameters.values()), inputs, output[0])


def as_exported(fn: Any, jitted: Any, types: Sequence[Any], platforms: Sequence[str]) -> export.Exported:
    """Returns a jitted program of a function as one of `jax.export`."""
    try:
        return export.export(jitted, platforms=platforms)(*types)
    except NotImplementedError as error:
        if "callback" not in str(error):
            raise
        raise calls_back(fn) from None


def calls_back(fn: Any) -> AutoGraphError:
    """Returns the refusal of a program that runs Python."""
    checks = "save an `ag.function`, whose checks are results of the program; `ag.set_checks(False)` leaves them out"
    return AutoGraphError(
        f"{_name(fn)} calls back to Python when it runs, which a saved file cannot do",
        why="this process would do what an `assert`, a `raise` or a print of traced values does",
        instead="return what `ag.print` shows, and do without callbacks" if isinstance(fn, Saveable) else checks,
    )


def _type(array: Any) -> jax.ShapeDtypeStruct:
    is_key = jax.numpy.issubdtype(array.dtype, jax.dtypes.extended)
    dtype = array.dtype if is_key else jax.dtypes.canonicalize_dtype(array.dtype)
    return jax.ShapeDtypeStruct(array.shape, dtype, weak_type=getattr(array, "weak_type", False))
