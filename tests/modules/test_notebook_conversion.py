"""Notebooks: what is converted, what stays, and which cell a message names."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from autograph.errors import ConversionError
from autograph.modules.module_source import InvalidSource
from autograph.modules.notebook_conversion import convert_notebook

SIGN = "def sign(x):\n    if x > 0:\n        return 1\n    return -1"


def notebook(*sources: str, minor: int = 4, **metadata: Any) -> bytes:
    cells: list[dict[str, Any]] = [{"cell_type": "markdown", "metadata": {}, "source": ["def no_code(): ..."]}]
    for source in sources:
        cells.append(
            {
                "cell_type": "code",
                "execution_count": 3,
                "metadata": {"tags": ["kept"]},
                "outputs": [{"output_type": "stream", "name": "stdout", "text": ["ü\n"]}],
                "source": source.splitlines(keepends=True),
            }
        )
    data = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": minor}
    return (json.dumps(data, indent=1, ensure_ascii=False) + "\n").encode()


def code(raw: bytes) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(raw)["cells"] if cell["cell_type"] == "code"]


def run(raw: bytes) -> dict[str, Any]:
    """What the cells define that Python reads."""
    space: dict[str, Any] = {}
    for source in code(raw):
        exec("\n".join(line for line in source.splitlines() if line.lstrip()[:1] not in ("%", "!")), space)
    return space


def test_functions_of_all_cells_are_converted_and_the_rest_stays() -> None:
    raw = notebook("import jax\n\nlimit = 3", SIGN + "\n\nsign(limit)")
    converted = convert_notebook(raw, "n.ipynb")
    assert converted.converted == ("sign",)
    before, after = json.loads(raw), json.loads(converted.output)
    added = after["cells"].pop(1)
    assert added["source"][0].startswith("import autograph.runtime as ag__  # converted by jax-autograph")
    after["cells"][2]["source"] = before["cells"][2]["source"]
    assert after == before
    assert list(run(converted.output)["jax"].jit(run(converted.output)["sign"])(x).item() for x in (2.0, -2.0)) == [
        1,
        -1,
    ]
    lines = raw.decode().splitlines()
    kept = set(converted.output.decode().splitlines())
    assert [line for line in lines if line not in kept and "if x" not in line and "return" not in line] == []


@pytest.mark.parametrize(
    "source",
    [
        "%matplotlib inline\n",
        "%%time\n",
        "%%capture out\n",
        "!pip install 'x\n",
        "!ls \\\n  -l (\n",
        "files = !ls\n",
        "value = %time 3\n",
        "sign?\n",
        "?sign\n",
        "for k in range(3):\n    !ls\n",
        "if True:\n    %time 3\nelse:\n    pass\n",
        "text = '''\n%not a magic\n'''\n",
        "await main()\n",
    ],
)
def test_what_only_ipython_reads_stays(source: str) -> None:
    converted = convert_notebook(notebook(source + SIGN), "n.ipynb")
    assert converted.converted == ("sign",)
    assert code(converted.output)[1].startswith(source + "def sign(x):\n")


@pytest.mark.parametrize("source", ["%%bash\ndef f(x): if\n", "%%writefile a.py\n" + SIGN, "%%html\n<b>"])
def test_cells_in_other_languages_stay(source: str) -> None:
    raw = notebook(source, "x = 1")
    assert convert_notebook(raw, "n.ipynb").output == raw
    converted = convert_notebook(notebook(source, SIGN), "n.ipynb")
    assert code(converted.output)[1] == source and converted.converted == ("sign",)


def test_names_of_other_cells_are_known() -> None:
    raw = notebook("import autograph as ag", "@ag.do_not_convert\n" + SIGN)
    assert convert_notebook(raw, "n.ipynb").converted == ()


def test_a_converted_notebook_is_recognised_and_cells_have_names_where_the_format_asks() -> None:
    converted = convert_notebook(notebook(SIGN, minor=5), "n.ipynb")
    assert json.loads(converted.output)["cells"][1]["id"] == "autograph-runtime"
    again = convert_notebook(converted.output, "n.ipynb")
    assert again.already_converted and again.output == converted.output


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"{", "n.ipynb:1:2: no notebook: Expecting property name"),
        (b"[]", "n.ipynb:1:1: no notebook of format 4"),
        (notebook(SIGN, language_info={"name": "R"}), "n.ipynb:1:1: a notebook of R"),
        (notebook(SIGN, "x = 1\ny = = 2"), "n.ipynb, code cell 2, line 2:5: invalid syntax"),
        (notebook(), None),
    ],
)
def test_what_is_no_notebook_of_python_is_told(raw: bytes, message: str | None) -> None:
    if message is None:
        assert convert_notebook(raw, "n.ipynb").output == raw
        return
    with pytest.raises(InvalidSource) as caught:
        convert_notebook(raw, "n.ipynb")
    assert str(caught.value).startswith(message)


def test_a_function_with_a_line_of_ipython_is_refused_with_its_cell() -> None:
    raw = notebook("x = 1\n", "def f(x):\n    if x:\n        !ls\n    return x\n" + SIGN)
    with pytest.raises(ConversionError) as caught:
        convert_notebook(raw, "n.ipynb")
    assert str(caught.value).splitlines() == [
        "`f` has a line that only IPython reads",
        "  at n.ipynb, code cell 2, line 1",
        "  instead: write it outside of the function, or convert the others alone (`--functions a,b`)",
    ]
    assert convert_notebook(raw, "n.ipynb", frozenset({"sign"})).converted == ("sign",)


@pytest.mark.slow
def test_the_command_converts_a_notebook(tmp_path: Path) -> None:
    (tmp_path / "n.ipynb").write_bytes(notebook(SIGN))
    command = [sys.executable, "-m", "autograph", "convert", "n.ipynb", "--in-place", "-v"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stderr == "n.ipynb: converted 1 function: sign\n" and done.stdout == ""
    assert "ag__.if_stmt" in code((tmp_path / "n.ipynb").read_bytes())[1]
