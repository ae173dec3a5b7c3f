"""`autograph error [NAME]`: the page on a message, whose last line says its name; without a name, a list of the pages."""

import argparse
import difflib
import re
import shutil
import sys
import textwrap
from pathlib import Path

from autograph.cli import terminal
from autograph.cli.show import fail

DESCRIPTION = """\
Print the page on an error: a program that is refused, its message, the reason, and programs that work. The last line of a message
has the name. Without a name, list all pages."""

_PACKAGE = Path(__file__).resolve().parent.parent
_WIDEST = 100
_LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `error`."""
    parser.add_argument("name", metavar="NAME", nargs="?", help="the name at the end of the message")


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns the exit code."""
    pages = {path.stem: path for path in sorted(folder().glob("*.md"))}
    name = arguments.name
    if not name:
        width = max(map(len, pages))
        for each, path in pages.items():
            with path.open(encoding="utf-8") as lines:
                print(f"{each:<{width}}  {next(lines).lstrip('# ').rstrip()}")
        return 0
    if name not in pages:
        near = [each for each in pages if name in each] or difflib.get_close_matches(name, pages, n=3)
        advice = f"did you mean {' or '.join(near)}?" if near else "`autograph error` lists the pages"
        return fail(f"no page {name}; {advice}")
    source = pages[name].read_text(encoding="utf-8")
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    sys.stdout.write(rendered(source, width, terminal.wants_color(sys.stdout)))
    return 0


def folder() -> Path:
    """Returns the folder of the pages: in the package, or in `docs` where a source archive has no links."""
    inside = _PACKAGE / "error_pages"
    return inside if inside.is_dir() else _PACKAGE.parent / "docs" / "errors"


def rendered(page: str, width: int, colored: bool = False) -> str:
    """Returns a page for a terminal: titles underlined, blocks indented, paragraphs as wide as the terminal.

    >>> print(rendered("# Title\\n\\n```python\\nf(1)\\n```\\n\\nSee [lists](lists.md).\\n", 80))
    Title
    =====
    <BLANKLINE>
        f(1)
    <BLANKLINE>
    See lists.
    <BLANKLINE>
    """
    shown: list[str] = []
    parts = [*_BLOCK.split(page), "", ""]  # prose, the language of a block, the block, prose, ...
    for prose, language, block in zip(parts[::3], parts[1::3], parts[2::3]):
        shown += [_paragraph(paragraph, width) for paragraph in re.split(r"\n{2,}", prose.strip()) if paragraph]
        if block:
            code = terminal.highlighted(block) if colored and language == "python" else block
            shown.append(textwrap.indent(code.rstrip(), "    "))
    return "\n\n".join(shown) + "\n"


def _paragraph(text: str, width: int) -> str:
    marks, _, title = text.partition(" ")
    if set(marks) == {"#"}:
        return f"{title}\n{('=' if marks == '#' else '-') * len(title)}"
    return textwrap.fill(_LINK.sub(r"\1", text), width, break_long_words=False, break_on_hyphens=False)
