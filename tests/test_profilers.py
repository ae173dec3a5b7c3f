"""What tools that follow lines say of converted functions: coverage.py and line_profiler."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

PROGRAM = """\
def clipped(x, n):
    total = 0.0
    for i in range(n):
        if x > 2:
            total = total + 2
        else:
            total = total + x
    return total
"""


def printed(folder: Path, text: str) -> str:
    Path(folder, "program.py").write_text(PROGRAM)
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, cwd=folder, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


COVERAGE = """
import coverage
measured = coverage.Coverage(branch=True, data_file=None, include=["*program.py"])
measured.start()
import autograph as ag
from program import clipped
{call}
measured.stop()
_, _, _, missing, _ = measured.analysis2("program.py")
print(missing)
"""


@pytest.mark.parametrize(
    ("call", "missing"),
    [
        ("ag.convert(clipped)(3.0, 2)", [7]),
        ("with ag.run_functions_eagerly(True): ag.jit(clipped)(3.0, 2)", [7]),
        ("ag.jit(clipped)(3.0, 2)", []),  # both branches are traced
        ("import jax; jax.jit(ag.convert(clipped), static_argnums=(0, 1))(3.0, 2)", [7]),
    ],
    ids=["plain", "eagerly", "traced", "static"],
)
def test_coverage_reports_the_users_lines(call: str, missing: list[int], tmp_path: Path) -> None:
    pytest.importorskip("coverage")
    assert printed(tmp_path, COVERAGE.format(call=call)) == f"{missing}\n"


LINES = """
import autograph as ag
from line_profiler import LineProfiler
from program import clipped
profiler = LineProfiler()
profiled = profiler(ag.convert(clipped))
profiled(3.0, 2)
(timings,) = profiler.get_stats().timings.values()
print([(line, count) for line, count, _ in timings])
"""


def test_line_profiler_counts_the_users_lines(tmp_path: Path) -> None:
    pytest.importorskip("line_profiler")
    assert printed(tmp_path, LINES) == "[(2, 1), (3, 3), (4, 2), (5, 2), (8, 1)]\n"
