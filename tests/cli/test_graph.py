"""`autograph graph`: the traced program of a function in a file, printed or written."""

import subprocess
import sys
from pathlib import Path

import pytest

from autograph.cli import entry

TEXT = """
SIZE = 3


def root(x):
    while x > 2.0:
        x = x / 2
    return x


class Model:
    @staticmethod
    def scaled(x, by):
        return x * by
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    path = tmp_path / "graphed.py"
    path.write_text(TEXT, encoding="utf-8")
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "graphed", raising=False)
    return str(path)


def test_row_28_the_tree_is_printed(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert entry.main(["graph", f"{file}:root", "--args", "9.0"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("root(x: float32[]) -> while") and out[1].strip().startswith("while@6: while = while(x)")


def test_arguments_are_expressions_with_the_names_of_the_file(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert entry.main(["graph", f"{file}:Model.scaled", "--args", "jnp.ones(SIZE), by=np.float32(2)"]) == 0
    assert capsys.readouterr().out.startswith("scaled(x: float32[3], by: float32[]) -> mul")


@pytest.mark.parametrize(
    ("name", "begin"),
    [("a.html", "<!DOCTYPE html>"), ("a.dot", 'digraph "root"'), ("a.txt", "root(x"), ("a.mlir", "module"), ("a.hlo", "HloModule")],
)
def test_row_28_the_suffix_says_what_is_written(file: str, tmp_path: Path, name: str, begin: str) -> None:
    assert entry.main(["graph", f"{file}:root", "--args", "9.0", "-o", str(tmp_path / name)]) == 0
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(begin)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["graph", "{file}"], "expected FILE.py:func"),
        (["graph", "{file}:rot", "--args", "9.0"], "no function rot"),
        (["graph", "{file}:root", "--args", "9.0", "-o", "a.pdf"], "expected a file that ends in .html"),
        (["graph", "{file}:root", "--args", "9.0", "-o", "{file}/a.dot"], "cannot write"),
        (["graph", "nowhere.py:root"], "cannot read"),
    ],
)
def test_what_is_wrong_is_said(arguments: list[str], words: str, file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert entry.main([word.format(file=file) for word in arguments]) == 2
    assert words in capsys.readouterr().err


def test_an_exception_of_the_users_is_shown(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert entry.main(["graph", f"{file}:root", "--args", "1 / 0"]) == 1
    assert "ZeroDivisionError" in capsys.readouterr().err


@pytest.mark.slow
def test_it_runs_from_a_shell(file: str) -> None:
    command = [sys.executable, "-m", "autograph", "graph", f"{file}:root", "--args", "9.0"]
    assert "while@6" in subprocess.run(command, capture_output=True, text=True, check=True).stdout
