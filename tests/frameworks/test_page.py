"""docs/frameworks.md: every program runs, prints what the page says, and is unrolled nowhere."""

import os
import re
import sys
import warnings
from pathlib import Path

import pytest

os.environ.setdefault("KERAS_BACKEND", "jax")

import autograph as ag
from tests import test_docs
from tests.frameworks.harness import framework

PAGE = test_docs.ROOT / "docs" / "frameworks.md"
SECTIONS = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.splitlines()[0])
def test_the_program_of_a_section(section: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for library in re.findall(r"^(?:import|from) (\w+)", section, re.MULTILINE):
        framework(library)
    for library in re.findall(r'^ag.install_import_hook\("(\w+)"\)', section, re.MULTILINE):  # the section imports it
        for name in [name for name in sys.modules if name.partition(".")[0] == library]:
            monkeypatch.delitem(sys.modules, name)
    page = tmp_path / "page.md"
    page.write_text(section, encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("error", ag.AutoGraphWarning)
        assert not (wrong := test_docs.wrong_blocks(page, "py", tmp_path)), "\n".join(wrong)


def test_every_section_about_a_library_has_a_program() -> None:
    assert len(SECTIONS) > 16
    assert all("```py\n" in section for section in SECTIONS[:-1])
