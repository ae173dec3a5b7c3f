"""What is said at each level of verbosity: exactly this, and nothing at level 0."""

from __future__ import annotations

import importlib
import logging
import math
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from autograph import verbosity

Lines = Callable[[], list[str]]


@pytest.fixture
def said(caplog: pytest.LogCaptureFixture) -> Iterator[Lines]:
    """What was said since the last time of asking; verbosity is 0 again at the end."""
    caplog.set_level(logging.INFO, "autograph")

    def lines() -> list[str]:
        found = [record.getMessage() for record in caplog.records]
        caplog.clear()
        return [line.split(" in ")[0] if line.startswith("converted") else line for line in found]

    yield lines
    ag.set_verbosity(0)


def place(fn: Any, line: int = 0) -> str:
    return f"{__file__}:{fn.__code__.co_firstlineno + line}"


def test_nothing_is_said_by_default(said: Lines) -> None:
    jax.jit(ag.convert(lambda x: x if x > 0 else -x))(1.0)
    assert said() == []


def test_level_1_says_what_is_converted(said: Lines) -> None:
    ag.set_verbosity(1)

    def double(x):
        return 2 * x

    def caller(x):
        return double(x)

    jax.jit(ag.convert(caller))(1.0)
    assert said() == [f"converted {fn.__qualname__} ({place(fn)})" for fn in (caller, double)]


def test_level_1_says_what_stays_as_it_is(said: Lines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "edited_class.py"
    path.write_text("class Number:\n    def __add__(self, other):\n        return other + 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    number = importlib.import_module("edited_class").Number()
    path.write_text("class Number:\n    def __add__(self, other):\n        return other + 2\n")
    ag.set_verbosity(1)
    assert jax.jit(ag.convert(lambda x: number + x))(1.0) == 2.0
    [line] = [line for line in said() if "Number" in line]
    assert line.startswith(
        f"Number.__add__ ({path}:2) stays as it is: the source of `Number.__add__` is not what is running"
    )


def test_level_2_says_what_arrays_of_unknown_length_cost(said: Lines) -> None:
    ag.set_verbosity(2)

    def lengths(x, k):
        y = x[:k] + x[k:]
        z = x[x > 0] * 2 + x[x > 0]
        w = np.sort(z) * z
        return y.sum() + z[-1] + (x[:k] * x[:k]).sum() + w.sum()

    jax.jit(ag.convert(lengths))(jnp.arange(-4.0, 5.0)[jnp.array([0, 1, 5, 6, 7, 8])], 3)
    equal = "a check that the lengths are equal, when the program runs"
    sort = "a sort of the mask brings the elements that it chose to the front"
    assert said()[2:] == [
        f"{place(lengths, line)}: `{source}`: {what}"
        for line, source, what in (
            (1, "x[:k] + x[k:]", equal),
            (1, "x[:k] + x[k:]", "one operand is moved to the rows where the elements of the other stand (a pad and a slice)"),
            (3, "np.sort(z) * z", sort),
            (4, "z[-1]", sort),
            (4, "z[-1]", "a check that the index is one of an element, when the program runs"),
        )
    ]


def test_level_2_says_what_is_staged_and_as_what(said: Lines) -> None:
    ag.set_verbosity(2)

    def staged(x, xs):
        if x > 0:
            x = x + 1
        while x < 5:
            x = x + 1
        for y in xs:
            x = x + (y if y > 0 else 0)
        return x

    jax.jit(ag.convert(staged))(1.0, jnp.arange(3.0))
    assert said() == [
        f"converted {staged.__qualname__} ({place(staged)})",
        f"tracing {staged.__qualname__} ({place(staged)}) with x: weak float32, xs: float32[3]",
        f"{place(staged, 1)}: if: staged as lax.cond, or as selects where its branches are cheap, since its test is traced",
        f"{place(staged, 3)}: loop: staged as lax.while_loop, which carries x",
        f"{place(staged, 6)}: conditional expression: staged as lax.cond, or as selects where its branches are cheap, "
        "since its test is traced",
        f"{place(staged, 5)}: for: staged as lax.scan of 3 iterations",
    ]


def test_level_2_says_why_there_is_another_trace(said: Lines) -> None:
    def f(x, n):
        return x * n

    jitted = ag.jit(f, static_argnums=1)
    ag.set_verbosity(2)
    jitted(jnp.arange(3.0), 2)
    said()
    again = f"tracing {f.__qualname__} ({place(f)}) again: "
    jitted(jnp.arange(3.0), 2)
    assert said() == []  # no trace, nothing to say
    jitted(jnp.arange(4.0), 2)
    assert said() == [again + "x was float32[3] and is float32[4]"]
    jitted(jnp.arange(4), 3)
    assert said() == [again + "x was float32[4] and is int32[4], n was int 2 and is int 3"]
    jitted.clear_cache()
    jitted(jnp.arange(4), 3)
    assert said() == [again + "the arguments are alike, so the function, its transform or JAX's settings are not"]


def test_level_2_names_the_known_numbers_and_the_tables_of_a_loop(said: Lines) -> None:
    ag.set_verbosity(2)

    def known(x):
        s, t, total, n = 0.0, 0.0, 0, 0
        for i in range(1000):
            s += x[i % 4] * math.sin(0.1 * i) * t
            t += 0.1
            total += i
        for k, (a, b) in enumerate(zip(range(40), x)):
            s += k * b + a
        while n < 40:
            s += x[n % 4]
            n += 1
        s += sum(x[i % 4] for i in range(40))
        for i in range(40):
            s += x[0]
            if s > 5.5:
                s += i / 3
                break
        return s, jnp.zeros(total)

    jax.make_jaxpr(ag.convert(known))(jnp.ones(40))
    assert [line for line in said() if ": for:" in line or ": while:" in line or ": loop:" in line] == [
        f"{place(known, 2)}: for: staged as lax.scan of 1,000 iterations; 'i', 't', 'total' are known numbers; "
        "2 tables of 8,000 bytes",
        f"{place(known, 6)}: for: staged as lax.scan of 40 iterations; 'k', 'a' are known numbers",
        f"{place(known, 8)}: while: staged as lax.scan of 40 iterations; 'n' is a known number",
        f"{place(known, 11)}: for: staged as lax.scan of 40 iterations; 'i' is a known number",
        f"{place(known, 12)}: loop: staged as lax.while_loop, which carries break_, s; 'i' is a known number; 1 table of 160 bytes",
    ]


def test_level_2_says_why_a_loop_is_unrolled(said: Lines) -> None:
    ag.set_verbosity(2)

    def unrolled(x):
        found, todo, i = {}, list(range(40)), 0
        for i in range(40):
            found[i] = x
        while i > 0:
            found[i] = x
            i -= 1
        while todo:
            x = x + todo.pop()
        return x

    jax.make_jaxpr(ag.convert(unrolled))(1.0)
    python = "while: Python iterates while tracing: "
    assert said()[2:] == [
        f"{place(unrolled, 2)}: for: unrolled, 40 copies of the body: the loop needs its number while the program is traced: "
        "a key of a dict is written",
        f"{place(unrolled, 4)}: {python}the loop needs its number while the program is traced: a key of a dict is written",
        f"{place(unrolled, 7)}: {python}the contents of a list cannot be carried by the loop",
    ]


def test_level_3_says_what_python_decides(said: Lines) -> None:
    ag.set_verbosity(3)

    def decided(x, n):
        if n > 2:
            x = x + 1
        while n > 0:
            n = n - 1
        for _ in range(2):
            x = x * 2
        return x

    jax.jit(ag.convert(decided), static_argnums=1)(1.0, 3)
    assert said()[2:] == [
        f"{place(decided, 1)}: if: decided while tracing, its test is True",
        f"{place(decided, 3)}: while: its test is known, so iterations run in Python while tracing",
        f"{place(decided, 5)}: for: runs in Python while tracing, over a range",
    ]


def test_a_test_of_the_users_is_asked_once(said: Lines) -> None:
    ag.set_verbosity(3)
    asked = []

    class Flag:
        def __bool__(self):
            asked.append(1)
            return True

    flag = Flag()

    def f(x):
        if flag:
            return x
        return -x

    assert jax.jit(ag.convert(f))(1.0) == 1.0
    assert len(asked) == 1


def test_a_statement_is_told_of_once_in_a_trace(said: Lines) -> None:
    ag.set_verbosity(2)
    for _ in range(2):
        verbosity.tell_statement(2, ("some.py", 3), "if: staged")
    assert said() == ["some.py:3: if: staged"]
    verbosity.begin_trace()
    verbosity.tell_statement(2, ("some.py", 3), "if: staged")
    assert said() == ["some.py:3: if: staged"]


@pytest.mark.slow
@pytest.mark.parametrize(("value", "lines"), [("0", 0), ("1", 1), ("2", 3)])
def test_the_environment_chooses_too_and_logging_needs_no_setup(value: str, lines: int, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import autograph as ag\n\n@ag.jit\ndef f(x):\n    return x if x > 0 else -x\n\nf(1.0)\n")
    done = subprocess.run(
        [sys.executable, str(script)], env={"AUTOGRAPH_VERBOSITY": value}, capture_output=True, text=True, check=True
    )
    assert len(done.stderr.splitlines()) == lines and done.stdout == ""
