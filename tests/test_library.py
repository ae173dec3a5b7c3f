"""Which functions are library code, and what the registry remembers of code objects."""

import gc
import json
import os
import sys

import jax
import numpy as np
import pytest

import autograph as ag
from autograph import registry
from autograph.library import is_library, is_library_file


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
    monkeypatch.setattr(registry, "_ROLES", None)  # as Python leaves modules when it ends
    del code
    gc.collect()
    assert not problems
