"""Every program of this folder, in every mode: see `harness`."""

import importlib
import pathlib

import pytest

from tests.programs import harness, pending

for _file in sorted(pathlib.Path(__file__).parent.glob("*.py")):
    if _file.stem not in ("__init__", "harness", "pending") and not _file.stem.startswith("test_"):
        importlib.import_module(f"tests.programs.{_file.stem}")


def _parameters() -> list[object]:
    def marks(name: str, p: harness.Program) -> list[pytest.MarkDecorator]:
        expected = [pytest.mark.xfail(strict=True, reason=pending.PENDING[name])] if name in pending.PENDING else []
        return [*expected, pytest.mark.slow] if p.slow else expected

    return [pytest.param(p, id=name, marks=marks(name, p)) for name, p in harness.PROGRAMS.items()]


@pytest.mark.parametrize("program", _parameters())
def test_program(program: harness.Program) -> None:
    harness.check(program)


def test_pending_names_exist() -> None:
    assert set(pending.PENDING) <= set(harness.PROGRAMS)


def test_there_are_hundreds_of_programs() -> None:
    assert len(harness.PROGRAMS) >= 300
