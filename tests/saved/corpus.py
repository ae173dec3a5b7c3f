"""Saved files of every release, which all later ones must load: `tests/saved/corpus/RELEASE/NAME.ag`, each with calls and results.

`python -m tests.saved.corpus` writes those of this release, if there are none yet.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import numpy as np

import autograph as ag
from autograph.saved import trees
from tests.saved.examples import EXAMPLES

FOLDER = Path(__file__).parent / "corpus"


def main() -> None:
    # JAX writes names of source files into programs: without their folders.
    jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")
    folder = FOLDER / ag.__version__
    folder.mkdir(exist_ok=True)
    for example in EXAMPLES:
        file = folder / f"{example.name}.ag"
        if file.exists():
            continue
        ag.save(example.fn, file, signatures=example.signatures, vjp_order=min(example.vjp_order, 1))
        loaded = ag.load(file)
        written, arrays = [], []
        for args, kwargs in example.calls:
            for part in (args, kwargs, loaded(*args, **kwargs)):
                tree, leaves = trees.split(part)
                written.append(tree)
                arrays.extend(leaves)
        file.with_suffix(".json").write_text(json.dumps(written) + "\n")
        np.savez(file.with_suffix(".npz"), *map(_stored, arrays))


def _stored(array: Any) -> Any:
    """An array as NumPy stores it: keys as the numbers in them, bfloat16 as float32."""
    if jax.numpy.issubdtype(array.dtype, jax.dtypes.prng_key):
        return np.asarray(jax.random.key_data(array))
    return np.asarray(array, np.float32 if array.dtype == jax.numpy.bfloat16 else array.dtype)


def calls(file: Path) -> list[tuple[Any, Any, Any]]:
    """The calls of a file: arguments by position and by name, and the result."""
    with np.load(file.with_suffix(".npz")) as stored:
        arrays = iter([stored[name] for name in sorted(stored, key=lambda name: int(name.removeprefix("arr_")))])
    parts = [_rebuilt(tree, arrays) for tree in json.loads(file.with_suffix(".json").read_text())]
    return list(zip(parts[::3], parts[1::3], parts[2::3]))


def _rebuilt(tree: Any, arrays: Iterator[Any]) -> Any:
    if tree == "*":
        array = next(arrays)
        is_key = array.dtype == np.uint32 and array.shape == (2,)
        return jax.random.wrap_key_data(jax.numpy.asarray(array)) if is_key else array
    ((kind, content),) = tree.items()
    if kind == "dict":
        return {key: _rebuilt(item, arrays) for key, item in content}
    if kind in ("list", "tuple"):
        return (list if kind == "list" else tuple)(_rebuilt(item, arrays) for item in content)
    return float.fromhex(content) if kind == "float" else content


def assert_same(found: Any, expected: Any) -> None:
    """The same structure, strings and numbers."""
    tree, leaves = trees.split(found)
    wanted_tree, wanted = trees.split(expected)
    assert tree == wanted_tree
    for x, y in zip(leaves, wanted, strict=True):
        np.testing.assert_allclose(np.asarray(_stored(x), float), np.asarray(_stored(y), float), rtol=1e-4)


if __name__ == "__main__":
    main()
