"""Converting every function of a module changes nothing while nothing is traced: each probe of the zoo, both bodies."""

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from autograph.modules import import_hook
from autograph.modules.import_hook import ImportHook

HERE = Path(__file__).resolve().parent
NAME = "zoo_of_probes"


def imported(mode: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The zoo, with no hook, with the author's bodies or with the staged ones."""
    monkeypatch.setattr(import_hook, "ALWAYS_STAGE", mode == "staged")
    spec = importlib.util.spec_from_file_location(NAME, HERE / "zoo.py")
    assert spec is not None
    monkeypatch.delitem(sys.modules, NAME, raising=False)
    hook = ImportHook([NAME], quiet=True)
    hook.uninstall()
    if mode != "plain":
        hook.convert(spec)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, NAME, module)
    assert spec.loader is not None
    spec.loader.exec_module(module)
    if mode != "plain":
        assert hook.report.functions > 150
        assert [left.name for left in hook.report.modules[NAME].left] == []
    return module


@pytest.fixture(scope="module", params=["author", "staged"])
def zoos(request: pytest.FixtureRequest) -> Iterator[tuple[ModuleType, ModuleType, str]]:
    """The plain zoo and a converted one."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        yield imported("plain", monkeypatch), imported(request.param, monkeypatch), request.param


def answer(zoo: ModuleType, probe: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setitem(sys.modules, NAME, zoo)
    result = getattr(zoo, probe)()
    assert zoo.log == []
    return result


PROBES = [
    line.split("(")[0][4:] for line in (HERE / "zoo.py").read_text().splitlines() if line.startswith("def probe_")
]


@pytest.mark.parametrize("probe", PROBES)
def test_nothing_changes(probe: str, zoos: tuple[ModuleType, ModuleType, str], monkeypatch: pytest.MonkeyPatch) -> None:
    plain, converted, mode = zoos
    for zoo in (plain, converted):
        monkeypatch.setattr(zoo, "whole_tracebacks", mode == "author")
    assert answer(converted, probe, monkeypatch) == answer(plain, probe, monkeypatch)
