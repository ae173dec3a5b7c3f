"""The DOT source for Graphviz."""

import shutil
import subprocess

import pytest

import autograph as ag
from tests.graphs import programs
from tests.graphs.test_reading import line_of


def test_row_28_scopes_are_clusters() -> None:
    text = ag.graph(programs.branches, 1.0).to_dot()
    statement = f"if@{line_of('if x > 0')}"
    assert f'subgraph "cluster {statement}/true"' in text
    assert f'"x" -> "{statement}/true/sin";' in text
    assert f'"convert_element_type" -> "{statement}/cond";' in text  # what decides
    assert f'"{statement}/false/sub" -> "{statement}/cond";' in text  # what a branch leaves


def test_a_loop_begins_with_what_it_is_given() -> None:
    text = ag.graph(programs.halved, 1.0).to_dot()
    loop = f"while@{line_of('while jnp.max')}"
    assert f'"x" -> "{loop}/body/carry_1";' in text and f'"{loop}/body/div" -> "{loop}/while";' in text


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_draws_it() -> None:
    text = ag.graph(programs.network, *programs.NETWORK).to_dot()
    drawn = subprocess.run(["dot", "-Tsvg"], input=text, capture_output=True, text=True, check=True).stdout
    assert "relu_layer" in drawn and "output_layer" in drawn
