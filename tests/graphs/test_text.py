"""The printed tree."""

import autograph as ag
from tests.graphs import programs
from tests.graphs.test_reading import line_of


def test_row_28_the_tree_has_scopes_operations_and_lines() -> None:
    lines = str(ag.graph(programs.branches, 1.0)).splitlines()
    assert lines[0].startswith("branches(x: float32[]) -> cond") and lines[0].endswith("programs.py")
    assert lines[1].startswith("  gt = gt(x, 0.0) : bool[]") and lines[1].endswith("if x > 0:")
    assert "    true(x, gt) -> mul" in lines and "    false(x, gt) -> sub" in lines
    sine = next(line for line in lines if "= sin(" in line)
    assert sine.startswith("      sin = sin(x) : float32[]")
    number = line_of("y = jnp.sin(x)")
    assert sine.endswith(f"{number}  y = jnp.sin(x) * halved(x)")


def test_a_line_that_goes_on_is_named_once() -> None:
    lines = str(ag.graph(programs.unrolled, 1.0)).splitlines()
    assert sum("x += 1" in line for line in lines) == 1 and len(lines) == 11


def test_long_lines_are_shortened() -> None:
    def f(x: float) -> float:
        return x * 1.0 + x * 2.0 + x * 3.0 + x * 4.0 + x * 5.0 + x * 6.0 + x * 7.0 + x * 8.0

    assert str(ag.graph(f, 1.0)).splitlines()[1].endswith("...")


def test_many_arguments_have_lines_of_their_own() -> None:
    lines = str(ag.graph(programs.network, *programs.NETWORK)).splitlines()
    assert lines[0].startswith("network(") and lines[1] == "    x: float32[1,2]," and lines[6] == ") -> add_1"
