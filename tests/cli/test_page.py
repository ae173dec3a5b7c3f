"""docs/cli.md: each command that the page shows prints what the page says."""

from __future__ import annotations

import re
import shlex
import shutil
import textwrap
from pathlib import Path

import jax.numpy as jnp
import pytest

import autograph as ag
from autograph.cli import entry
from tests import catalogue
from tests.saved import corpus

PAGE = catalogue.DIRECTORY.parent / "cli.md"
SHOWN = re.findall(r"^    \$ autograph (.*)\n((?:    .*\n|\n(?=    ))+)", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
SEARCH = """
def search(xs, limit):
    total = 0
    for i, x in enumerate(xs):
        if x > limit:
            found = i
    return found
"""
ROOT = """
def root(x):
    while x > 2.0:
        x = x / 2
    return x
"""


def power(x, n):
    return x**n


@pytest.mark.parametrize(("command", "printed"), SHOWN, ids=[command.split()[0] for command, _ in SHOWN])
def test_a_command_prints_what_the_page_says(
    command: str, printed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for name, text in (("search.py", SEARCH), ("root.py", ROOT)):
        Path(name).write_text(text.lstrip())
    shutil.copy(next(corpus.FOLDER.glob("*/cube_root.ag")), "cube_root.ag")
    ag.save(power, "power.ag", args=(jnp.ones(3), 2))
    capsys.readouterr()
    assert entry.main(shlex.split(command)) == 0
    assert capsys.readouterr().out.strip() == textwrap.dedent(printed).strip()


def test_the_page_shows_some() -> None:
    assert {command.split()[0] for command, _ in SHOWN} == {"error", "explain", "graph", "inspect", "run-saved"}
