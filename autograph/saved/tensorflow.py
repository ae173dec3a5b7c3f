"""A loaded function as a TensorFlow SavedModel, where TensorFlow is installed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

import jax

from autograph.errors import AutoGraphError
from autograph.saved import loader

DEFAULT = "serving_default"
"""The name of the first signature, which TensorFlow's servers take where none is named."""


def to_saved_model(loaded: loader.SavedFunction, folder: str | os.PathLike[str]) -> None:
    """Writes a folder that TensorFlow, its servers and its converters read; the programs are those of the file, as StableHLO.

    >>> to_saved_model(loader.load("predict.ag"), "predict")  # doctest: +SKIP

    Each signature is one of the SavedModel: the first one is `serving_default`, the others `signature_1` and so on. Its arguments
    are the arrays of the function's, by name (`x`, `params_w`, `layers_0_b`), its results by their place (`output_0`). Literals are
    fixed, state is made variables, and derivatives stay behind.

    Args:
        loaded: what `ag.load` returns.
        folder: the folder, which is made.
    Raises:
        AutoGraphError: where TensorFlow is not installed; for functions with checks, whose exceptions it cannot raise, and for
            random keys, which it does not know.
    """
    try:
        import tensorflow as tf
        from tensorflow.compiler.tf2xla.python import xla  # where JAX's own exporter finds the operation
    except ImportError:
        raise AutoGraphError(
            "a SavedModel is written by TensorFlow, which is not installed",
            instead="pip install 'jax-autograph[tensorflow]'",
        ) from None
    for signature in loaded.signatures:
        types = [*signature.exported.in_avals, *signature.exported.out_avals]
        if signature.checks:
            raise _refused(
                signature, "it has checks, whose exceptions TensorFlow cannot raise", "save it without checks"
            )
        if any(jax.numpy.issubdtype(item.dtype, jax.dtypes.extended) for item in types):
            raise _refused(signature, "TensorFlow knows no random keys", "take a seed, and make the key inside")
        if any(type(part) is loader.Bounded for part in _parts([signature.output, signature.inputs])):
            raise _refused(signature, "it has an array whose length the program computes", "return `y.padded(0)` and `len(y)`")
    module = tf.Module()
    module.state = {name: tf.Variable(value, name=name) for name, value in loaded.state.items()}
    functions = {
        f"signature_{number}" if number else DEFAULT: _function(tf, xla, signature, module.state)
        for number, signature in enumerate(loaded.signatures)
    }
    tf.saved_model.save(module, os.fspath(folder), signatures=functions)


def _parts(template: Any) -> Iterator[Any]:
    """Yields a template and all templates in it."""
    yield template
    for part in template.values() if isinstance(template, dict) else template if isinstance(template, list | tuple) else ():
        yield from _parts(part)


def _refused(signature: loader.Signature, why: str, instead: str) -> AutoGraphError:
    return AutoGraphError(f"{signature} cannot become a SavedModel", why=why, instead=instead)


def _function(tf: Any, xla: Any, signature: loader.Signature, variables: dict[str, Any]) -> Any:
    """Returns a function of TensorFlow that runs the program of a signature."""
    exported, state = signature.exported, [variables[item[0]] for item in signature.state]
    specs = [
        tf.TensorSpec([size if isinstance(size, int) else None for size in aval.shape], _dtype(tf, aval), name=name)
        for name, aval in zip(_names(signature), exported.in_avals[len(state) :])
    ]

    def call(**tensors: Any) -> dict[str, Any]:
        given = [*state, *(tensors[spec.name] for spec in specs)]
        flat = xla.call_module(
            [given[index] for index in exported.module_kept_var_idx],
            version=exported.calling_convention_version,
            module=exported.mlir_module_serialized,
            Sout=[[size if isinstance(size, int) else None for size in aval.shape] for aval in exported.out_avals],
            Tout=[_dtype(tf, aval) for aval in exported.out_avals],
            platforms=[platform.upper() for platform in exported.platforms],
        )
        for variable, value in zip(state, flat[signature.results :]):
            variable.assign(value)
        return {f"output_{index}": value for index, value in enumerate(flat[: signature.results])}

    return tf.function(call, autograph=False).get_concrete_function(**{spec.name: spec for spec in specs})


def _dtype(tf: Any, aval: Any) -> Any:
    return tf.dtypes.as_dtype(aval.dtype)


def _names(signature: loader.Signature) -> list[str]:
    """Returns a name for each array in the arguments, made of the parameter, the keys and the indices that lead to it."""
    paths = (path for name, template in signature.inputs.items() for path in _paths(template, name))
    names = [re.sub(r"\W+", "_", path) for path in paths]
    return [name if names.count(name) == 1 else f"{name}_{index}" for index, name in enumerate(names)]


def _paths(template: Any, path: str) -> Iterator[str]:
    if isinstance(template, loader.ArrayType):
        yield path
    elif isinstance(template, dict | list | tuple):
        for key in template if isinstance(template, dict) else range(len(template)):
            yield from _paths(template[key], f"{path}_{key}")
