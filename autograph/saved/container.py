"""The bytes of a saved file: a header in JSON, and the programs and arrays that it describes.

`docs/saved_format.md` says what stands where, and `loader.py` reads it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jax.export import Exported

from autograph._version import __version__
from autograph.errors import AutoGraphError
from autograph.saved import loader, trees
from autograph.saved.entries import Check, Entry

# How JAX writes `shard_map`; shardings that are only wished for (`with_sharding_constraint`) do not bind.
_PARTS = re.compile("GlobalToLocalShape|manual_computation|SPMDFullToShardShape")


def content(name: str, doc: str, entries: Sequence[Entry], vjp_order: int = 0) -> bytes:
    """Returns the file of a function.

    >>> double = jax.export.export(jax.jit(lambda x: (2 * x,)))(jax.ShapeDtypeStruct((), "float32"))
    >>> content("double", "", [Entry(double, (), {}, {"literal": None})])[:4]
    b'\\x89AGF'

    Args:
        name: of the function.
        doc: its docstring.
        entries: its signatures.
        vjp_order: how many derivatives of each program go along.
    """
    sections: list[bytes] = []
    state: dict[str, Any] = {}
    for entry in entries:
        if entry.exported.nr_devices != 1 and _PARTS.search(entry.exported.mlir_module()):
            raise AutoGraphError(
                f"{name} computes with the parts of arrays on {entry.exported.nr_devices} devices, which a saved file cannot hold",
                why="there may be one device where the file is loaded",
                instead="save the function without `jax.shard_map`; `jax.export` writes a program for so many devices",
            )
        state.update(entry.state)
    places = {key: index for index, key in enumerate(state)}
    header = {
        "written_by": f"jax-autograph {__version__}, JAX {jax.__version__}",
        "name": name,
        "doc": doc,
        "state": [_state(key, value, sections) for key, value in state.items()],
        "signatures": [
            {
                "parameters": [_parameter(parameter) for parameter in entry.parameters],
                "inputs": [[key, tree] for key, tree in entry.inputs.items()],
                "outputs": entry.outputs,
                "state": [places[key] for key in entry.state],
                "checks": [_check(check) for check in entry.checks],
                "program": _program(entry.exported, vjp_order, sections),
            }
            for entry in entries
        ],
    }
    return assembled(header, sections)


def assembled(header: Mapping[str, Any], sections: Sequence[bytes]) -> bytes:
    """Returns a file of a header and of sections, with their checksums.

    >>> assembled({"name": "f"}, [b"abc"])[48:].partition(b"}")[0][:39]
    b'{"name":"f","sections":[[3,"ba7816bf8f0'
    """
    listed = [[len(section), hashlib.sha256(section).hexdigest()] for section in sections]
    text = json.dumps({**header, "sections": listed}, separators=(",", ":"), allow_nan=False).encode("ascii")
    parts = [loader.PREFIX.pack(loader.MAGIC, loader.VERSION, len(text), b""), text]
    checksum = hashlib.sha256(parts[0][:16] + text).digest()
    parts[0] = loader.PREFIX.pack(loader.MAGIC, loader.VERSION, len(text), checksum)
    end = len(parts[0]) + len(text)
    for section in sections:
        parts.extend((bytes(-end % loader.ALIGNMENT), section))
        end += -end % loader.ALIGNMENT + len(section)
    return b"".join(parts)


def _added(section: bytes, sections: list[bytes]) -> int:
    sections.append(section)
    return len(sections) - 1


def _program(exported: Exported, vjp_order: int, sections: list[bytes]) -> dict[str, Any]:
    return {
        "section": _added(exported.mlir_module_serialized, sections),
        "inputs": [saved_type(aval) for aval in exported.in_avals],
        "outputs": [saved_type(aval) for aval in exported.out_avals],
        "kept": list(exported.module_kept_var_idx),
        "convention": exported.calling_convention_version,
        "platforms": list(exported.platforms),
        "global_constants": exported.uses_global_constants,
        "vjp": _program(exported.vjp(), vjp_order - 1, sections) if vjp_order > 0 else None,
    }


def saved_type(array: Any) -> str:
    """Returns the type of an array, as files have it.

    >>> saved_type(np.ones((2, 3), "int8"))
    'int8[2,3]'
    """
    name = "float0" if array.dtype == jax.dtypes.float0 else str(array.dtype)
    return f"{'~' * bool(getattr(array, 'weak_type', False))}{name}[{','.join(map(str, array.shape))}]"


def _state(name: str, value: Any, sections: list[bytes]) -> dict[str, Any]:
    is_key = jax.numpy.issubdtype(value.dtype, jax.dtypes.prng_key)
    array = np.asarray(jax.random.key_data(value) if is_key else value)
    return {"name": name, "type": saved_type(value).lstrip("~"), "section": _added(array.tobytes(), sections)}


def _parameter(parameter: Any) -> dict[str, Any]:
    saved = {"name": parameter.name, "kind": parameter.kind.name}
    if parameter.default is not parameter.empty:
        saved["default"] = trees.literal_tree(parameter.default) if trees.is_stored_literal(parameter.default) else None
    return saved


def _check(check: Check) -> dict[str, Any]:
    message = [part if isinstance(part, str) else list(part) for part in check.message]
    return {
        "exception": check.exception,
        "base": check.base,
        "message": message,
        "file": check.file,
        "line": check.line,
    }
