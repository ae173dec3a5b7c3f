"""The catalogue of errors, `docs/errors/*.md`: its pages as data, and what their programs really do.

A page is a title, a Python block that fails, a `text` block with the exception exactly as it is shown, why that is so, and below
`## Instead` one or more Python blocks that work, each ending in an expression. Further cases may follow, each a part of the same
form below a title of its own, `## ...`, with `### Instead`. All blocks begin with `PRELUDE`.

`python -m tests.catalogue` runs the pages and writes each message into its page: read what it changed before keeping it.
"""

from __future__ import annotations

import ast
import os
import re
import sys
import tempfile
import types
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import numpy as np

import autograph as ag

DIRECTORY = Path(__file__).resolve().parent.parent / "docs" / "errors"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PATH = re.compile(r"/\S+/(\w+\.py)")  # pages show the name of a file alone
INSTEAD = re.compile(r"^#{2,3} Instead$", re.MULTILINE)
CASE = re.compile(r"^(?=## (?!Instead$))", re.MULTILINE)
REMEDY = re.compile(r"^ +instead: (.*)", re.MULTILINE)
PRELUDE = """\
import itertools
import math
import random
import statistics

import jax
import jax.numpy as jnp
import numpy as np

import autograph as ag
"""


@dataclass(frozen=True)
class Page:
    """One page, or one of its further cases.

    Args:
        path: its file.
        title: its first line.
        program: the block that fails.
        message: what it fails with, `Class: text`.
        instead: the blocks that work.
    """

    path: Path
    title: str
    program: str
    message: str
    instead: tuple[str, ...]

    @classmethod
    def read(cls, path: Path, text: str) -> Page:
        title, _, rest = text.partition("\n")
        parts = INSTEAD.split(rest)
        assert title.startswith("#") and len(parts) == 2, f"{path.name}: no title, or not one part `## Instead`"
        languages = [match[1] for match in FENCE.finditer(parts[0])]
        assert languages == ["python", "text"], f"{path.name}: {languages} before `## Instead`"
        program, message = (match[2] for match in FENCE.finditer(parts[0]))
        blocks = [(match[1], match[2]) for match in FENCE.finditer(parts[1])]
        assert blocks and all(language == "python" for language, _ in blocks), f"{path.name}: what to write instead"
        return cls(path, title.lstrip("# "), program, message, tuple(block for _, block in blocks))

    @property
    def remedy(self) -> str:
        """What the message says to write instead."""
        found = REMEDY.search(self.message)
        return found[1] if found else ""


def pages() -> list[Page]:
    """The pages, each with its further cases behind it."""
    return [
        Page.read(path, text)
        for path in sorted(DIRECTORY.glob("*.md"))
        for text in CASE.split(path.read_text(encoding="utf-8"))
    ]


def without_further_cases() -> dict[str, Page]:
    """The first case of each page, by the name of its file."""
    return {page.path.stem: page for page in reversed(pages())}


def failure(program: str, directory: Path) -> str:
    """How the program ends, in the form `Class: text`; the file is called `example.py`."""
    try:
        run(program, directory)
    except Exception as error:
        ours = [note for note in getattr(error, "__notes__", ()) if not note.startswith("---")]  # and not JAX's
        text = "\n".join([f"{type(error).__name__}: {error}", *ours])
        return PATH.sub(r"\1", text).rstrip() + "\n"
    return "nothing\n"


def run(program: str, directory: Path, **replaced: Any) -> Any:
    """The value of the program's last expression, None where it ends in another statement.

    Args:
        program: a block of a page; it stands in a file of its own, since conversion needs the source.
        directory: where to put that file, and what the program writes.
        replaced: names that mean something else than in `PRELUDE`.
    """
    namespace: dict[str, Any] = {"__name__": "example"}
    exec(PRELUDE, namespace)
    namespace.update(replaced)
    path = directory / "example.py"
    path.write_text(program, encoding="utf-8")
    tree = ast.parse(program)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    imported, integers = {*sys.modules}, jax.config.jax_enable_x64
    before = os.getcwd()
    os.chdir(directory)
    try:
        exec(compile(tree, str(path), "exec"), namespace)
        if not isinstance(last, ast.Expr):
            return None
        value = eval(compile(ast.Expression(last.value), str(path), "eval"), namespace)
        return jax.block_until_ready(value)
    finally:
        os.chdir(before)
        jax.config.update("jax_enable_x64", integers)
        for name in {*sys.modules} - imported:
            if name.endswith("_module"):  # the program's own; it may run again
                del sys.modules[name]


def run_plain(program: str, directory: Path) -> Any:
    """The same in plain Python on NumPy's arrays: nothing is converted, nothing is traced or compiled."""

    def itself(fn: Any = None, **options: Any) -> Any:
        return (lambda given: given) if fn is None else fn

    def vmap(fn: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda xs: np.stack([fn(x) for x in xs])

    plain_ag = types.SimpleNamespace(**{**vars(ag), "convert": itself, "jit": itself})
    plain_jax = types.SimpleNamespace(**{**vars(jax), "vmap": vmap, "numpy": np})
    with jax.disable_jit():
        return run(program, directory, ag=plain_ag, jax=plain_jax, jnp=np)


def main() -> None:
    warnings.simplefilter("error")
    changed = 0
    for page in pages():
        with tempfile.TemporaryDirectory() as directory:
            message = failure(page.program, Path(directory))
        if message != page.message:
            text = page.path.read_text(encoding="utf-8")
            shown = f"{page.program}```\n\n```text\n"
            page.path.write_text(text.replace(f"{shown}{page.message}```", f"{shown}{message}```"), encoding="utf-8")
            print(f"{page.path.name}: {message}")
            changed += 1
    print(f"{changed} pages changed", file=sys.stderr)


if __name__ == "__main__":
    main()
