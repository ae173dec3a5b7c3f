"""The catalogue of errors, `docs/errors/*.md`: its pages as data, and what their programs really do.

A page is a title, a Python block that fails, a `text` block with the exception exactly as it is shown, why that is so, and below
`## Instead` one or more Python blocks that work, each ending in an expression. All blocks begin with `PRELUDE`.

`python -m tests.catalogue` runs the pages and writes each message into its page: read what it changed before keeping it.
"""

from __future__ import annotations

import ast
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
INSTEAD = "\n## Instead\n"
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
    """One page.

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
    def read(cls, path: Path) -> Page:
        text = path.read_text(encoding="utf-8")
        title, _, rest = text.partition("\n")
        before, found, after = rest.partition(INSTEAD)
        assert title.startswith("# ") and found, f"{path.name}: no title, or no part `{INSTEAD.strip()}`"
        languages = [match[1] for match in FENCE.finditer(before)]
        assert languages == ["python", "text"], f"{path.name}: {languages} before `{INSTEAD.strip()}`"
        program, message = (match[2] for match in FENCE.finditer(before))
        blocks = [(match[1], match[2]) for match in FENCE.finditer(after)]
        assert blocks and all(language == "python" for language, _ in blocks), f"{path.name}: what to write instead"
        return cls(path, title[2:], program, message, tuple(block for _, block in blocks))


def pages() -> list[Page]:
    return [Page.read(path) for path in sorted(DIRECTORY.glob("*.md"))]


def failure(program: str, directory: Path) -> str:
    """How the program ends, in the form `Class: text`; the file is called `example.py`."""
    try:
        run(program, directory)
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        return PATH.sub(r"\1", text).rstrip() + "\n"
    return "nothing\n"


def run(program: str, directory: Path, **replaced: Any) -> Any:
    """The value of the program's last expression, None where it ends in another statement.

    Args:
        program: a block of a page; it stands in a file of its own, since conversion needs the source.
        directory: where to put that file.
        replaced: names that mean something else than in `PRELUDE`.
    """
    namespace: dict[str, Any] = {"__name__": "example"}
    exec(PRELUDE, namespace)
    namespace.update(replaced)
    path = directory / "example.py"
    path.write_text(program, encoding="utf-8")
    tree = ast.parse(program)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    imported = {*sys.modules}
    try:
        exec(compile(tree, str(path), "exec"), namespace)
        if not isinstance(last, ast.Expr):
            return None
        value = eval(compile(ast.Expression(last.value), str(path), "eval"), namespace)
        return jax.block_until_ready(value)
    finally:
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
            page.path.write_text(
                text.replace(f"```text\n{page.message}```", f"```text\n{message}```"), encoding="utf-8"
            )
            print(f"{page.path.name}: {message}")
            changed += 1
    print(f"{changed} pages changed", file=sys.stderr)


if __name__ == "__main__":
    main()
