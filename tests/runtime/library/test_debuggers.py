"""pdb in traced functions: where it stops, what it shows of the stack, and which variables it finds."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

PROGRAM = """\
import pdb

import jax.numpy as jnp

import autograph as ag
from helpers import doubled


@ag.jit
def total(xs, scale):
    result = jnp.zeros(())
    for x in xs:
        if x > 0:
            {stop}
            part = doubled(x)
            result = result + part
        else:
            result = result - scale
    return result


print(total(jnp.arange(3.0), 2.0))
print("again", total(jnp.arange(3.0), 2.0))
"""

HELPERS = """\
def doubled(v):
    if v > 2:
        return v * 2
    return v
"""

STOPS_AT_ONCE = sys.version_info >= (3, 13)  # before, pdb stopped at the line behind `breakpoint()`


def session(folder: Path, commands: list[str], stop: str = "pass", *options: str, **environment: str) -> list[str]:
    """What pdb shows in a program: lines of code that it stopped at, the frames of `where`, and what it prints."""
    Path(folder, "program.py").write_text(PROGRAM.format(stop=stop))
    Path(folder, "helpers.py").write_text(HELPERS)
    done = subprocess.run(
        [sys.executable, *options, "program.py"],
        input="\n".join([*commands, ""]),
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHON_COLORS": "0", **environment},
        cwd=folder,
        check=False,
    )
    assert not done.stderr, done.stderr
    shown = named(done.stdout).replace("(Pdb) ", "").replace(f"{folder.resolve()}{os.sep}", "").splitlines()
    return [line.removeprefix("-> ") for line in shown if not line.startswith("> ")]


def named(shown: str) -> str:
    """With tracers as JAX shows them since 0.9: `JitTracer(float32[3])`."""
    return re.sub(r"JitTracer<(.*?)>", r"JitTracer(\1)", shown)


def stepping(*commands: str) -> list[str]:
    """Commands from the line behind `breakpoint()` on."""
    return ["n"] * STOPS_AT_ONCE + list(commands)


def test_next_passes_from_the_end_of_a_branch_to_the_users_next_line(tmp_path: Path) -> None:
    shown = session(tmp_path, stepping("n", "n", "n", "c"), "breakpoint()")
    assert shown[STOPS_AT_ONCE:] == [
        "part = doubled(x)",
        "result = result + part",
        "return result",
        "--Return--",
        "return result",
        "1.0",
        "again 1.0",
    ]


def test_step_enters_functions_and_both_branches(tmp_path: Path) -> None:
    shown = session(tmp_path, stepping("s", "s", "s", "s", "s", "s", "c"), "pdb.set_trace()")
    assert shown[STOPS_AT_ONCE:-2] == [
        "part = doubled(x)",
        "--Call--",
        "def doubled(v):",
        "if v > 2:",
        "return v",
        "return v * 2",
        "--Return--",
        "if v > 2:",
        "result = result + part",
    ]


def test_where_shows_the_users_frames_and_a_branch_has_its_functions_variables(tmp_path: Path) -> None:
    commands = ["w", "p scale, xs, part", "up", "p x", "up", "p result", "c"]
    shown = session(tmp_path, stepping("n", *commands), "breakpoint()")
    assert shown[1 + STOPS_AT_ONCE : -2] == [
        "result = result + part",
        "  program.py(22)<module>()",
        "print(total(jnp.arange(3.0), 2.0))",
        "  program.py(12)total()",
        "for x in xs:",
        "  program.py(13)total()",
        "if x > 0:",
        "result = result + part",
        "(JitTracer(~float32[]), JitTracer(float32[3]), JitTracer(float32[]))",
        "if x > 0:",
        "JitTracer(float32[])",
        "for x in xs:",
        "JitTracer(float32[])",
    ]


def test_a_branch_shows_no_names_that_the_user_did_not_write(tmp_path: Path) -> None:
    shown = session(tmp_path, stepping("n", "p sorted(locals())", "up", "p sorted(locals())", "c"), "breakpoint()")
    assert shown[2 + STOPS_AT_ONCE : -2] == [
        "['part', 'result', 'scale', 'x', 'xs']",
        "if x > 0:",
        "['else_body', 'if_body', 'result', 'scale', 'x', 'xs']",
    ]


def test_breakpoints_by_line_stop_once_and_next_leads_to_the_caller_in_another_file(tmp_path: Path) -> None:
    commands = ["b 11", "b helpers.py:3", "c", "n", "c", "r", "n", "n", "c", "q"]
    shown = session(tmp_path, commands, "pass", "-m", "pdb")
    assert [
        line
        for line in shown[shown.index("result = jnp.zeros(())") :]
        if "import" not in line and "restart" not in line
    ] == [
        "result = jnp.zeros(())",
        "for x in xs:",
        "return v * 2",
        "--Return--",
        "if v > 2:",
        "result = result + part",
        "return result",
        "1.0",
        "again 1.0",
    ]


@pytest.mark.skipif(STOPS_AT_ONCE, reason="the page shows where pdb of Python 3.11 and 3.12 stops first")
def test_the_page_shows_what_pdb_prints(tmp_path: Path) -> None:
    page = Path(__file__).parents[3].joinpath("docs", "debugging.md").read_text(encoding="utf-8")
    program, session = re.findall(r"```py\n(.*?)```\n\n```text\n(.*?)```", page, re.DOTALL)[0]
    Path(tmp_path, "example.py").write_text(program)
    commands = re.findall(r"^\(Pdb\) (.*)", session, re.MULTILINE)
    done = subprocess.run(
        [sys.executable, "example.py"],
        input="\n".join(commands),
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    shown = named(done.stdout).replace(f"{tmp_path.resolve()}{os.sep}", "")
    assert shown == re.sub(r"^(\(Pdb\) ).*\n", r"\1", session, flags=re.MULTILINE), done.stderr


def test_another_debugger_stops_too(tmp_path: Path) -> None:
    Path(tmp_path, "other.py").write_text(
        "import pdb, sys\n\nclass Other(pdb.Pdb):\n    pass\n\ndef stop():\n    Other().set_trace(sys._getframe(1))\n"
    )
    environment = {"PYTHONBREAKPOINT": "other.stop", "PYTHONPATH": f"{tmp_path}{os.pathsep}{os.environ['PYTHONPATH']}"}
    shown = session(tmp_path, stepping("p part", "c"), "breakpoint()", **environment)
    assert shown[STOPS_AT_ONCE] == "part = doubled(x)" and shown[-1] == "again 1.0"
