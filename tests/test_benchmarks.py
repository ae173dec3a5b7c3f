"""The pairs of `benchmarks/programs`: equal results, and a program of the same loops as the expert's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import jax
import pytest

import autograph as ag
from benchmarks.programs import PAIRS, Pair, Shape


def shapes(pair: Pair) -> tuple[Shape, Shape]:
    arguments = jax.tree.map(jax.numpy.asarray, pair.arguments())
    forms = (pair.mapped(ag.convert(pair.python)), pair.mapped(pair.expert))
    return tuple(Shape.of(jax.make_jaxpr(form)(*arguments)) for form in forms)  # type: ignore[return-value]


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_results_are_those_of_plain_python_and_of_the_expert(pair: Pair) -> None:
    arguments = jax.tree.map(jax.numpy.asarray, pair.plain_arguments())
    got = ag.jit(pair.python)(*arguments)
    pair.check(got, pair.python(*pair.plain_arguments()))
    pair.check(got, jax.jit(pair.expert)(*arguments))


MORE_CONDITIONALS = {"bubble_sort": 1, "smallest_factor": 1}
"""Swaps keep theirs, which is faster; the others stand behind loops."""


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_loops_and_conditionals_are_the_experts(pair: Pair) -> None:
    ours, theirs = shapes(pair)
    assert (ours.loops, ours.scans) == (theirs.loops, theirs.scans)
    assert max(ours.conds - theirs.conds, 0) == MORE_CONDITIONALS.get(pair.name, 0)


@pytest.mark.slow
def test_examples_have_results_and_loops_of_the_experts() -> None:
    """In processes of their own: some examples switch on double precision."""
    script = Path(__file__).parent.parent / "benchmarks" / "examples.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(" ok") == 28, done.stdout
