"""Functions typed at a prompt: of plain Python, where it keeps their source from 3.13 on, and of IPython."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys

import jax
import pytest

pytestmark = pytest.mark.slow

DEFINITION = "def f(x):\n    if x > 0:\n        return x\n    return -x\n"


@pytest.mark.skipif(sys.platform == "win32", reason="it has no pseudo-terminals")
def test_the_plain_prompt(tmp_path: pathlib.Path) -> None:
    import pty

    typed = f"import autograph as ag\n{DEFINITION}\nf(-2.0)\nfloat(ag.jit(f)(-3.0) + 4)\n"
    typed += DEFINITION.replace("-x", "-5 * x") + "\nfloat(ag.jit(f)(-3.0))\nexit()\n"
    mine, terminal = pty.openpty()
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "TERM": "dumb", "PYTHON_HISTORY": str(tmp_path / "history")}
    process = subprocess.Popen([sys.executable, "-q"], stdin=terminal, stdout=terminal, stderr=terminal, env=environment)
    os.close(terminal)
    os.write(mine, typed.encode())
    shown = b""
    try:
        while piece := os.read(mine, 1 << 16):
            shown += piece
    except OSError:  # the other end is closed
        pass
    assert process.wait() == 0
    os.close(mine)
    lines = [line.strip() for line in shown.decode().splitlines()]
    assert "2.0" in lines
    if sys.version_info >= (3, 13):
        assert "7.0" in lines and "15.0" in lines
    else:
        assert lines.count("autograph.errors.SourceError: cannot find the source of `f`") == 2
        assert lines.count("at <stdin>:1") == 2 and "type it into IPython or the prompt of Python 3.13" in shown.decode()


def test_ipython() -> None:
    pytest.importorskip("IPython")
    from IPython.core.interactiveshell import InteractiveShell

    cells = ["import autograph as ag", DEFINITION, "found = ag.jit(f)(-3.0)", "%timeit -n1 -r1 ag.jit(f)(-3.0)"]
    cells += ["import asyncio\n" + DEFINITION.replace("f(", "h(") + "await asyncio.sleep(0)\nawaited = ag.jit(h)(-4.0)"]
    cells += ["%%timeit -n1 -r1\ndef g(x):\n    return x if x > 0 else -x\nag.jit(g)(-3.0)"]
    shell = InteractiveShell()
    *fine, inside = [shell.run_cell(cell, silent=True) for cell in cells]
    assert all(result.success for result in fine) and shell.user_ns["found"] == 3.0 and shell.user_ns["awaited"] == 4.0
    assert "define the function in a cell of its own" in str(inside.error_in_exec)


def test_a_failed_check_in_ipython_shows_the_cell_and_the_line(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("IPython")
    from IPython.core.interactiveshell import InteractiveShell

    before = jax.config.jax_traceback_filtering
    shell = InteractiveShell()
    shell.run_cell("import jax, autograph as ag\njax.config.update('jax_traceback_filtering', 'quiet_remove_frames')")
    try:
        shell.run_cell("@ag.jit\ndef f(x):\n    if x < 0:\n        raise ValueError(f'{x} is negative')\n    return x")
        shell.run_cell("f(-1.0)")
    finally:
        jax.config.update("jax_traceback_filtering", before)
    text = re.sub(r"\x1b\[[\d;]*m", "", capsys.readouterr().out)
    shown = text.partition("---\n")[2].rstrip().splitlines()
    of_jax = shown.index("-" * 20)  # JAX says how all frames are shown
    assert of_jax <= 7 and shown[2].endswith("1 f(-1.0)")
    assert shown[of_jax - 1] == "ValueError: -1.0 is negative" and shown[of_jax - 2].endswith("line 4, in f")
