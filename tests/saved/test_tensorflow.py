"""A SavedModel of a loaded function: the same results in TensorFlow; refused where it is not installed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from autograph.saved import container, loader, tensorflow
from autograph.saved.entries import Entry
from tests.saved.examples import EXAMPLES, SCALAR, Account


def loaded(name: str, folder: Path) -> loader.SavedFunction:
    (example,) = [example for example in EXAMPLES if example.name == name]
    ag.save(example.fn, folder / name, signatures=example.signatures)
    return ag.load(folder / name)


def counter() -> loader.SavedFunction:
    """A function with state and without checks."""
    program = jax.export.export(jax.jit(lambda n, x: (x * n, n + 1)))(SCALAR, SCALAR)
    parameter = Account(0.0).__saved_entries__(["cpu"])[0].parameters
    return loader.parse(
        container.content("f", "", [Entry(program, parameter, {"amount": "*"}, "*", {"n": jnp.float32(3)})]), "f"
    )


def test_tensorflow_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "tensorflow", None)
    with pytest.raises(ag.AutoGraphError, match=r"not installed\n  instead: pip install 'jax-autograph\[tensorflow\]'"):
        tensorflow.to_saved_model(counter(), tmp_path / "model")


def test_checks_and_random_keys_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("tensorflow", "tensorflow.compiler.tf2xla.python"):
        monkeypatch.setitem(sys.modules, name, type(sys)(name))
    monkeypatch.setattr(sys.modules["tensorflow.compiler.tf2xla.python"], "xla", None, raising=False)
    ag.save(Account(1.0), tmp_path / "withdraw")
    for function, why in (
        (ag.load(tmp_path / "withdraw"), "it has checks"),
        (loaded("walk", tmp_path), "no random keys"),
    ):
        with pytest.raises(ag.AutoGraphError, match=f"cannot become a SavedModel\n  why: .*{why}"):
            tensorflow.to_saved_model(function, tmp_path / "model")


def test_arrays_are_named_by_the_way_to_them(tmp_path: Path) -> None:
    first = loaded("dense", tmp_path).signatures[0]
    assert tensorflow._names(first) == [f"params_layers_{i}_{name}" for i in range(2) for name in "wb"] + ["x"]


def test_row_27_tensorflow_runs_the_program(tmp_path: Path) -> None:
    tf: Any = pytest.importorskip("tensorflow")
    tensorflow.to_saved_model(loaded("power", tmp_path), tmp_path / "model")
    signatures = tf.saved_model.load(str(tmp_path / "model")).signatures
    assert sorted(signatures) == ["serving_default", "signature_1", "signature_2"]
    np.testing.assert_allclose(signatures["serving_default"](x=tf.constant([1.0, 2.0]))["output_0"], [1, 4])
    assert float(signatures["signature_2"](x=tf.constant(2.0), n=tf.constant(7))["output_0"]) == 128
    tensorflow.to_saved_model(counter(), tmp_path / "counter")
    count = tf.saved_model.load(str(tmp_path / "counter")).signatures["serving_default"]
    assert [float(count(amount=tf.constant(2.0))["output_0"]) for _ in range(3)] == [6, 8, 10]
