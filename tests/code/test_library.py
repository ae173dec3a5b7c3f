"""Which functions are library code, and what the registry remembers of code objects."""

import gc
import importlib
import json
import os
import sys
from pathlib import Path

import jax
import numpy as np
import pytest

import autograph as ag
from autograph.code import registry
from autograph.code.library import is_library, is_library_file, is_library_module


@pytest.mark.parametrize(
    "fn",
    [json.dumps, len, [].append, str.upper, np.sin, np.ndarray, jax.jit, jax.numpy.sin, dict, ag.convert, ValueError],
)
def test_library_code(fn: object) -> None:
    assert is_library(fn)


class Own:
    def method(self) -> None: ...

    def __call__(self) -> None: ...


@pytest.mark.parametrize("fn", [test_library_code, lambda: None, Own, Own().method, Own()])
def test_user_code(fn: object) -> None:
    assert not is_library(fn)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (("opt", "other", "lib", "python3.11", "site-packages", "jax", "api.py"), True),  # by PYTHONPATH or a .pth file
        (("usr", "lib", "python3", "dist-packages", "numpy", "core.py"), True),
        (("home", "me", "my-site-packages", "model.py"), False),
        (("home", "me", "site-packages.py"), False),
    ],
)
def test_an_environment_may_be_put_together_from_several(parts: tuple[str, ...], expected: bool) -> None:
    assert is_library_file(os.sep + os.path.join(*parts)) is expected


def test_python_may_end_before_a_code_object_does(monkeypatch: pytest.MonkeyPatch) -> None:
    code = compile("0", "text", "eval")
    registry.register(code, registry.Role.STAGED, None)
    assert registry.known(code) == (registry.Role.STAGED, None)
    problems: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", problems.append)
    monkeypatch.setattr(registry, "_KNOWN", None)  # as Python leaves modules when it ends
    del code
    gc.collect()
    assert not problems


def test_a_package_of_folders_is_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "package_of_folders").mkdir()
    (tmp_path / "package_of_folders" / "inner.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("package_of_folders.inner")
    assert [is_library_module(name) for name in ("package_of_folders", "package_of_folders.inner")] == [False, False]
    assert is_library_module("json") and is_library_module("builtins")
