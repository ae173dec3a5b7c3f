"""Programs of a given size or depth, written to files: functions in natural Python, and the same in `lax` by hand."""

from __future__ import annotations

import atexit
import importlib.util
import itertools
import pathlib
import shutil
import tempfile
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import lax

_folder = pathlib.Path(tempfile.mkdtemp(prefix="generated_"))
atexit.register(shutil.rmtree, _folder, ignore_errors=True)
_numbers = itertools.count()


def function(text: str, name: str = "program") -> Callable[..., Any]:
    """The function of that name in a new module with this source: no cache has seen it."""
    path = _folder / f"generated_{next(_numbers)}.py"
    path.write_text("import jax\nimport jax.numpy as jnp\n\n\n" + text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def nested_ifs(depth: int) -> str:
    """
    >>> print(nested_ifs(2))
    def program(x):
        y = x
        if x > 0.0:
            y = y * 2.0
            if x > 1.0:
                y = y * 2.0
            else:
                y = y - 1.0
        else:
            y = y - 0.0
        return y
    <BLANKLINE>
    """
    pad = ["    " * k for k in range(depth + 2)]
    head = [line for k in range(depth) for line in (f"{pad[k + 1]}if x > {k}.0:", f"{pad[k + 2]}y = y * 2.0")]
    tail = [line for k in reversed(range(depth)) for line in (f"{pad[k + 1]}else:", f"{pad[k + 2]}y = y - {k}.0")]
    return "\n".join(["def program(x):", "    y = x", *head, *tail, "    return y", ""])


def nested_conds(depth: int) -> Callable[[Any], Any]:
    def program(x: Any) -> Any:
        def level(k: int, y: Any) -> Any:
            if k == depth:
                return y
            return lax.cond(x > float(k), lambda: level(k + 1, y * 2.0), lambda: y - float(k))

        return level(0, x)

    return program


def nested_whiles(depth: int, start: str = "x") -> str:
    """Loops within loops; with `start` an int, the type of the sum moves at every level.

    >>> print(nested_whiles(2))
    def program(x, n):
        s = x
        i0 = 0
        while i0 < n:
            i1 = 0
            while i1 < n:
                s = s + x
                i1 = i1 + 1
            i0 = i0 + 1
        return s
    <BLANKLINE>
    """
    pad = ["    " * k for k in range(depth + 2)]
    head = [line for k in range(depth) for line in (f"{pad[k + 1]}i{k} = 0", f"{pad[k + 1]}while i{k} < n:")]
    tail = [f"{pad[k + 2]}i{k} = i{k} + 1" for k in reversed(range(depth))]
    body = f"{pad[depth + 1]}s = s + x"
    return "\n".join(["def program(x, n):", f"    s = {start}", *head, body, *tail, "    return s", ""])


def nested_while_loops(depth: int) -> Callable[[Any, Any], Any]:
    def program(x: Any, n: Any) -> Any:
        def level(k: int, s: Any) -> Any:
            if k == depth:
                return s + x
            return lax.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, level(k + 1, c[1])), (jnp.int32(0), s))[1]

        return level(0, x)

    return program


def ifs_in_a_row(count: int) -> str:
    body = [line for k in range(count) for line in (f"    if x > {k}.0:", f"        y = y * 2.0 + {k}.0")]
    return "\n".join(["def program(x):", "    y = x", *body, "    return y", ""])


def conds_in_a_row(count: int) -> Callable[[Any], Any]:
    def program(x: Any) -> Any:
        y = x
        for k in range(count):
            y = lax.cond(x > float(k), lambda y, k=k: y * 2.0 + float(k), lambda y: y, y)
        return y

    return program


def long_function(lines: int) -> str:
    """About so many lines of what functions are made of: assignments, calls, ifs, loops, early exits."""
    block = [
        "    a{k} = x * {k} + y",
        "    b{k} = jnp.sin(a{k}) + abs(a{k})",
        "    if a{k} > b{k}:",
        "        y = y + a{k}",
        "        z = z - 1",
        "    elif z > 5:",
        "        y = b{k}",
        "    while z > 0:",
        "        z = z - 1",
        "        if y > 100:",
        "            break",
        "    for i{k} in range(z):",
        "        if i{k} == 3:",
        "            continue",
        "        y = y - x * i{k}",
        "    w{k} = [y, z] if y > 0 and z > 0 else [z, y]",
    ]
    text = [line.format(k=k) for k in range(lines // len(block)) for line in block]
    return "\n".join(["def program(x, y, z):", *text, "    return x, y, z", ""])


def many_functions(count: int, lines: int) -> str:
    """`program_0`, `program_1` and so on, of about so many lines each."""
    text = long_function(lines)
    return "\n\n".join(text.replace("def program(", f"def program_{k}(") for k in range(count))
