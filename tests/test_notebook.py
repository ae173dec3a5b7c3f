"""`examples/notebook.ipynb`, executed as it is and converted: it prints what stands in it. Needs nbclient and ipykernel."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

NOTEBOOK = Path(__file__).resolve().parent.parent / "examples" / "notebook.ipynb"
EXECUTE = """
import sys, nbclient, nbformat
notebook = nbformat.read(sys.argv[1], 4)
nbclient.NotebookClient(notebook, kernel_name="python3", timeout=600).execute()
nbformat.write(notebook, sys.argv[1])
"""


def shown(path: Path, last: int = 2) -> list[list[str]]:
    """Return what each code cell shows, without times: lines of strings, and the last lines of errors.

    A kernel sends what a cell prints in parts, which end where the clock says: they are joined before they are lines.
    """
    cells: list[list[str]] = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        shown_here = ""
        for output in cell.get("outputs", ()):
            text: Any = output.get("text") or output.get("data", {}).get("text/plain") or output["evalue"]
            whole = "".join(text)
            if "evalue" in output:
                whole = "\n".join(whole.splitlines()[-last:])
            shown_here += whole if output.get("name") == "stdout" else f"{whole}\n"
        lines = shown_here.splitlines()
        if cell["cell_type"] == "code":
            cells.append([line for line in lines if line and not line.startswith(("CPU times", "Wall time"))])
    return cells


def executed(path: Path, last: int = 2) -> list[list[str]]:
    done = subprocess.run([sys.executable, "-c", EXECUTE, path.name], cwd=path.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return shown(path, last)


def test_the_notebook_shows_what_stands_in_it(tmp_path: Path) -> None:
    copy = Path(shutil.copy(NOTEBOOK, tmp_path))
    stands = shown(NOTEBOOK)
    assert sum(map(len, stands)) >= 8
    assert executed(copy) == stands


def test_the_converted_notebook_shows_the_same(tmp_path: Path) -> None:
    copy = Path(shutil.copy(NOTEBOOK, tmp_path))
    subprocess.run([sys.executable, "-m", "autograph", "convert", copy.name, "--in-place"], cwd=tmp_path, check=True)
    assert "ag__.while_loop" in copy.read_text(encoding="utf-8")
    added, *rest = executed(copy, last=1)  # a converted cell has lines of its own, which errors name
    assert added == [] and rest == shown(NOTEBOOK, last=1)
