"""A variable that only its own trace may write to is one of the region in which it is written."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import jax
import pytest

import autograph as ag

VARIABLES = """
import jax

core = jax.extend.core if hasattr(jax.extend.core, "get_opaque_trace_state") else jax.core  # before JAX 0.10


class State:
    def __init__(self):
        self._jax_trace = core.get_opaque_trace_state(convention="test")


class Variable:
    def __init__(self, value):
        self.value = value
        self._trace_state = State()

    def add(self, k):
        if self._trace_state._jax_trace != State()._jax_trace:
            raise RuntimeError("another trace")
        self.value = self.value + k
"""


def test_it_is_written_in_branches_and_loops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "variables_of_the_test.py").write_text("import jax.extend\n" + VARIABLES, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    package = importlib.import_module("variables_of_the_test")

    def f(x: Any) -> Any:
        variable, n = package.Variable(x), 0
        state = variable._trace_state
        while n < 3:
            if variable.value > 1:
                variable.add(-x)
            variable.add(1.0)
            n += 1
        return variable.value, variable._trace_state is state

    def differentiated(x: Any) -> Any:
        variable = package.Variable(x)
        if x > 0:
            x = jax.grad(lambda y: variable.add(y) or y)(x)  # whose trace ends before the branch
        return x

    def traced(x: Any, most: Any) -> Any:
        variable, n = package.Variable(x), 0
        while n < most:
            if variable.value > 1:
                variable.add(-x)
            variable.add(1.0)
            n += 1
        return variable.value

    for x in (0.5, 2.0):
        assert jax.tree.map(float, ag.jit(f)(x)) == jax.tree.map(float, f(x))
        assert float(ag.jit(traced)(x, 5)) == float(traced(x, 5))
    with pytest.raises(Exception, match="another trace"):
        ag.jit(differentiated)(2.0)
    del sys.modules["variables_of_the_test"]
