"""`autograph error`: each page as a terminal shows it, the list of pages, what is said of a name that no page has."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograph.cli import entry, error
from tests import catalogue

PAGES = catalogue.without_further_cases()


@pytest.mark.parametrize("name", PAGES)
def test_each_page_is_shown(name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "72")
    assert entry.main(["error", name]) == 0
    shown = capsys.readouterr().out
    page = PAGES[name]
    assert shown.startswith(f"{page.title}\n{'=' * len(page.title)}\n\n")
    for line in (page.program + page.message + page.instead[0]).splitlines():
        assert not line or f"\n    {line}\n" in shown
    prose = [line for line in shown.splitlines() if not line.startswith("    ")]
    assert not [line for line in prose if "```" in line or "](" in line or line.startswith("#")]


def test_without_a_name_all_pages_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert entry.main(["error"]) == 0
    listed = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert listed == {name: page.title for name, page in PAGES.items()}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("two-shape", "no page two-shape; did you mean list-of-two-shapes or operands-of-two-shapes or two-shapes?\n"),
        ("recursoin", "no page recursoin; did you mean recursion?\n"),
        ("???", "no page ???; `autograph error` lists the pages\n"),
    ],
)
def test_a_name_that_no_page_has(name: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert entry.main(["error", name]) == 2
    shown = capsys.readouterr()
    assert shown.out == "" and shown.err == said


def test_code_is_coloured_on_a_terminal() -> None:
    page = "# Title\n\n```python\nreturn 1\n```\n"
    assert "\x1b[" in error.rendered(page, 80, colored=True) and "\x1b[" not in error.rendered(page, 80)


def test_the_pages_are_found_without_the_link(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "docs" / "errors").mkdir(parents=True)
    monkeypatch.setattr(error, "_PACKAGE", tmp_path / "autograph")
    assert error.folder() == tmp_path / "docs" / "errors"
