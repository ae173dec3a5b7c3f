"""README and docs: every Python block runs and prints what the page says.

The blocks of a page run in order in one namespace, each as a file of its own (conversion needs the source). A `text`
block right after a Python block is what it prints, or the uncaught exception it ends with, in the form `Name: message`.
"""

import contextlib
import io
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

import autograph as ag
from autograph.cli import entry

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass
class Block:
    """A fenced block: its language, text, and the line of the page on which the text begins."""

    language: str
    text: str
    line: int


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [Block(m[1], m[2], text.count("\n", 0, m.start(2)) + 1) for m in FENCE.finditer(text)]


def expected_after(page: Path, blocks: list[Block], index: int) -> str | None:
    """The `text` block that follows block `index` with only blank lines between."""
    if index + 1 == len(blocks) or blocks[index + 1].language != "text":
        return None
    block, following = blocks[index], blocks[index + 1]
    end = block.line + block.text.count("\n")  # the line of the closing fence
    between = page.read_text(encoding="utf-8").splitlines()[end : following.line - 2]
    return following.text if not any(line.strip() for line in between) else None


SLOW = {"from_tensorflow.md", "gradients.md", "saving.md", "tracing.md"}
"""Pages whose blocks take over a second."""


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=page.name, marks=[pytest.mark.slow] if page.name in SLOW else [])
        for page in PAGES
        if page.name != "architecture.md"
    ],
)
def test_the_python_blocks_run_and_print_what_the_page_says(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert not (wrong := wrong_blocks(page, "python", tmp_path)), "\n".join(wrong)


def wrong_blocks(page: Path, language: str, tmp_path: Path) -> list[str]:
    """What the blocks of a language print otherwise than the page says; a block that raises is an `AssertionError`."""
    blocks = blocks_of(page)
    namespace: dict[str, object] = {"__name__": "__page__"}
    wrong = []
    for index, block in enumerate(blocks):
        if block.language != language:
            continue
        file = tmp_path / f"line{block.line}.py"
        file.write_text(block.text, encoding="utf-8")
        expected = expected_after(page, blocks, index)
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile(block.text, str(file), "exec"), namespace)
        except Exception as error:
            if expected is None:
                raise AssertionError(f"{page.name}:{block.line}: the block raises {error!r}") from error
            printed.write(f"{type(error).__name__}: {error}\n")
        output = printed.getvalue().replace(str(file), "example.py").replace(file.name, "example.py")
        if expected is not None and plain(output) != plain(expected):
            wrong.append(f"{page.name}:{block.line} prints\n{output}\nand not\n{expected}")
    return wrong


def plain(text: str) -> list[str]:
    """Lines without trailing white space, so that an editor cannot break a page, and without times."""
    return [re.sub(r"\d+\.\d ms$", "some ms", line.rstrip()) for line in text.strip().splitlines()]


def test_some_page_has_blocks_with_output() -> None:
    assert any(expected_after(page, blocks_of(page), i) for page in PAGES for i in range(len(blocks_of(page))))


def test_what_a_page_shows_of_an_example_stands_in_it() -> None:
    excerpts = [
        (example, excerpt)
        for page in PAGES
        for example, excerpt in re.findall(r"\]\(\.\./(examples/.*\.py)\).*:\n\n((?:    .*\n)+)", page.read_text(encoding="utf-8"))
    ]
    assert excerpts
    for example, excerpt in excerpts:
        assert excerpt in (ROOT / example).read_text(encoding="utf-8")


def test_the_reference_has_every_public_name_once() -> None:
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^\.\. \w+:: (\w+)$", text, re.MULTILINE)) == sorted([*ag.__all__, "autograph"])


def test_readme_has_exactly_two_commands() -> None:
    readme = ROOT / "README.md"
    commands = [block.text.strip() for block in blocks_of(readme) if block.language == "sh"]
    assert len(commands) == 2
    assert all(len(command.splitlines()) == 1 for command in commands)
    assert "examples/mandelbrot.py" in commands[0] and "pytest" in commands[1]
    assert len(re.findall(r"^```(sh|bash|shell|console)", readme.read_text(), re.MULTILINE)) == 2


@pytest.mark.parametrize("page", [*PAGES, *sorted((ROOT / "docs" / "errors").glob("*.md"))], ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    text = re.sub(FENCE, "", page.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        if not target.startswith(("http:", "https:", "mailto:")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("command", ["convert", "show", "explain", "error", "run", "graph", "inspect", "run-saved"])
def test_the_command_line_page_names_every_option(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    with pytest.raises(SystemExit):
        entry.main([command, "--help"])
    shown = capsys.readouterr().out
    assert f"usage: autograph {command}" in shown
    for option in re.findall(r"--[a-z-]+", shown):
        assert option in page, f"docs/cli.md says nothing of {option}"
