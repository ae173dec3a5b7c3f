"""`autograph run-saved FILE --args '[1.0, 2.0], n=3'`: calls the function in a saved file and prints what it returns."""

import argparse
import ast
import sys
from typing import Any

import jax
import numpy as np

from autograph.cli.show import fail
from autograph.saved import loader

DESCRIPTION = """\
Call the function in a saved file and print its result. The arguments are literals as in a call: numbers, strings, lists, tuples,
dicts. A number or nested lists stand for an array of the signature; '@x.npy' is the array in a file, '@x.npz' a dict of them."""

FAILED = 1  # a check of the program


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `run-saved`."""
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--args", default="", metavar="ARGS", help="such as '[1.0, 2.0], n=3'")


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns the exit code."""
    try:
        args, kwargs = parsed(arguments.args)
        loaded = loader.load(arguments.file)
        result = call_saved(loaded, args, kwargs)
    except OSError as error:
        return fail(f"{error.filename or arguments.file}: cannot read: {error.strerror or error}")
    except (loader.SavedFileError, loader.SavedCallError, InvalidArguments) as error:
        return fail(str(error))
    except Exception as error:
        print("\n".join([f"{type(error).__name__}: {error}", *getattr(error, "__notes__", ())]), file=sys.stderr)
        return FAILED
    print(shown(result))
    return 0


class InvalidArguments(Exception):
    """A string that is not the arguments of a call."""


def parsed(text: str) -> tuple[list[Any], dict[str, Any]]:
    """Returns the arguments in a string, by position and by name.

    >>> parsed("[1.0, 2.0], 'fast', n=-3")
    ([[1.0, 2.0], 'fast'], {'n': -3})

    Raises:
        InvalidArguments: when they are anything but literals.
    """
    try:
        call = ast.parse(f"f({text})", mode="eval").body
        if not isinstance(call, ast.Call) or any(keyword.arg is None for keyword in call.keywords):
            raise ValueError("these are not the arguments of one call")
        args = [_read(ast.literal_eval(node)) for node in call.args]
        return args, {str(keyword.arg): _read(ast.literal_eval(keyword.value)) for keyword in call.keywords}
    except (ValueError, SyntaxError, RecursionError, MemoryError) as error:
        raise InvalidArguments(f"--args: expected literals as in a call, such as '[1.0, 2.0], n=3': {error}") from None


def _read(value: Any) -> Any:
    """Returns a value with the arrays of the files that it names."""
    if isinstance(value, dict):
        return {key: _read(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)([_read(item) for item in value])
    if not (isinstance(value, str) and value.startswith("@")):
        return value
    found = np.load(value[1:], allow_pickle=False)
    return found if isinstance(found, np.ndarray) else dict(found)


def call_saved(loaded: loader.SavedFunction, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Calls the function by the first signature that the arguments fit."""
    for signature in loaded.signatures:
        try:
            bound = signature.parameters.bind(*args, **kwargs)
            for name, value in bound.arguments.items():
                bound.arguments[name] = arrays(signature.inputs.get(name), value)
            signature.arrays(bound.args, bound.kwargs)
        except (TypeError, ValueError, OverflowError):
            continue
        return loaded(*bound.args, **bound.kwargs)
    return loaded(*args, **kwargs)  # which says why none does


def arrays(template: Any, value: Any) -> Any:
    """Returns a value with arrays where a signature has them: nested lists and numbers become such."""
    if isinstance(template, loader.ArrayType) and isinstance(value, list | tuple | int | float | complex):
        return np.asarray(value).astype(template.dtype, casting="same_kind")
    if isinstance(template, dict) and isinstance(value, dict):
        return {key: arrays(template.get(key), item) for key, item in value.items()}
    if isinstance(template, list | tuple) and isinstance(value, list | tuple) and len(template) == len(value):
        return type(value)(map(arrays, template, value))
    return value


def shown(value: Any) -> Any:
    """Returns a result as Python's numbers and NumPy's arrays.

    >>> shown([jax.numpy.float32(3), {"y": jax.numpy.arange(2)}, "fast"])
    [3.0, {'y': array([0, 1], dtype=int32)}, 'fast']
    """
    if isinstance(value, dict):
        return {key: shown(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)([shown(item) for item in value])
    if not isinstance(value, jax.Array) or jax.numpy.issubdtype(value.dtype, jax.dtypes.prng_key):
        return value
    return np.asarray(value) if value.ndim else value.item()
