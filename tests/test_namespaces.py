"""Programs for each public name: a slice of them. All of them are `python -m tests.namespaces`, a step of `.ci/nightly`."""

import pathlib
import re

import numpy as np
import pytest

from tests.namespaces import arguments, comparison, documented, programs, search
from tests.programs.harness import Raised


def test_every_public_name_has_a_program_or_a_reason() -> None:
    assert programs.missing() == []


def test_a_name_without_either_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(np, "brand_new", lambda a: a, raising=False)
    monkeypatch.setattr(np, "__all__", [*np.__all__, "brand_new"])
    assert programs.missing() == ["np.brand_new"]


def test_there_are_enough_programs() -> None:
    written = programs.written()
    assert len(written) > 10_000 and sum(p.name.startswith("view.") for p in written) > 1_000
    assert len({p.body for p in written}) == len(written)


@pytest.mark.slow
def test_every_program_is_python() -> None:
    for program in programs.written():
        compile(program.source, program.name, "exec")


@pytest.mark.parametrize("row", documented.ROWS, ids=lambda row: row.example)
def test_a_documented_difference_is_one(row: documented.Row, tmp_path: pathlib.Path) -> None:
    letters = ", ".join(arguments.letters_of(row.example))
    source = f"def program({letters}):\n    return {row.example}\n"
    outcome = comparison.compare(source, row.example.partition("(")[0], tmp_path, x64=row.x64)
    is_newer = "eigvals" in row.example and np.lib.NumpyVersion(np.__version__) >= "2.5.0"  # which has complex numbers, too
    assert (outcome.kind, outcome.detail) == (("same", "") if is_newer else ("documented", row.anchor))


@pytest.mark.parametrize(
    ("wanted", "got", "kind"),
    [
        (1.0, 1.0, "same"),
        (np.float32([1, 2]), np.float32([1, 3]), "different"),
        (np.uint8([1, 2]), np.int32([1, 2]), "different"),
        ((1, 2), [1, 2], "different"),
        (Raised(TypeError("no")), 1.0, "error missing"),
        (Raised(TypeError("no")), Raised(ValueError("no")), "error both"),
        (1.0, Raised(ValueError("of JAX")), "raw"),
    ],
)
def test_outcomes_are_told_apart(wanted: object, got: object, kind: str) -> None:
    assert comparison.judged(wanted, got, "np.sum", "", False).kind == kind


def test_what_a_program_writes_to_its_arguments_is_compared(tmp_path: pathlib.Path) -> None:
    kept = comparison.compare("def program(xs):\n    return xs.append(1.0)\n", "list.append", tmp_path)
    assert kept.kind == "same"


@pytest.mark.parametrize(
    "name", ["np.swapaxes", "list.append", "dict.get", "math.sqrt", "heapq.heappop", "itertools.pairwise"]
)
@pytest.mark.parametrize("x64", [False, True])
def test_a_slice_equals_python_or_refuses(name: str, x64: bool, tmp_path: pathlib.Path) -> None:
    for program in search.chosen([name])[:6]:
        outcome = comparison.compare(program.source, program.name, tmp_path, x64=x64)
        assert outcome.kind in comparison.ALLOWED, f"{program.body}: {outcome}"


@pytest.mark.slow
def test_the_command_says_what_came_of_the_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert search.main(["--only", "list", "np.fft.fft2", "-j", "2"]) == 0
    assert re.search(r"^\d+ same, .* programs, \d+ s$", capsys.readouterr().out.strip().splitlines()[-1])


def test_one_program_can_be_asked_for() -> None:
    assert programs.body_of("f + 1") == "return f + 1"
    assert programs.body_of("f += 1; return f") == "f += 1\nreturn f"
