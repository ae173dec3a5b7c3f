"""Random programs with several checks: the exception is that of plain Python, with its arguments, attributes and line.

So is what they print, up to the check that fails.

`python -m tests.functions.test_random_checks 100 400` searches 400 programs from the one with number 100.
"""

from __future__ import annotations

import io
import random
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import autograph as ag
from autograph.functions.error_codes import error_of, with_error_code

HEAD = """
class Custom(Exception):
    def __init__(self, *args):
        super().__init__("custom", *args)
        self.first = args[0]


def checked(a, limit):
    if a > limit:
        raise OverflowError(f"{a} > {limit}")
    return a - 1


def exceeds(a):
    if a == 3:
        raise LookupError(a)
    return a > 1


"""


class Program:
    """A function of two floats and an integer, made from a number."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.checks = 0
        self.text = HEAD + "def f(x, y, k):\n" + "\n".join(f"    {line}" for line in [*self.block(2), "return x, y, k"])

    def expression(self) -> str:
        v, n = self.random.choice("xyk"), self.random.randint(-3, 3)
        return self.random.choice([v, f"{v} + {n}", f"{v} * 0.5", f"{v} * -1", "x + y", "y - k"])

    def test(self) -> str:
        comparison = (
            f"{self.expression()} {self.random.choice(['>', '<', '>=', '!=', '=='])} {self.random.randint(-4, 6)}"
        )
        kind = self.random.random()
        if kind < 0.15:
            return (
                f"{comparison} {self.random.choice(['and', 'or'])} {self.expression()} > {self.random.randint(-3, 3)}"
            )
        return f"exceeds({self.expression()})" if kind < 0.23 else comparison

    def check(self) -> list[str]:
        self.checks += 1
        message = f"f'{self.checks} {self.random.choice(['{x} {k}', '{y:.2f}', 'done', '{x + y}', '{k:>4} {x!r}'])}'"
        kind = self.random.random()
        if kind < 0.35:
            return [f"if not ({self.test()}):", f"    raise AssertionError({message})"]
        if kind < 0.8:
            name = self.random.choice(["ValueError", "KeyError", "RuntimeError", "Custom", "ZeroDivisionError"])
            return [f"if {self.test()}:", f"    raise {name}({self.random.choice([message, 'x', 'k, ' + message])})"]
        if kind < 0.9:
            return [f"x = [x, y, 1.0][{self.random.choice(['k', 'k - 1', 'k % 3'])}]"]
        return [f"x = checked(x, {self.random.randint(2, 8)})"]

    def block(self, depth: int) -> list[str]:
        return [line for _ in range(self.random.randint(1, 3)) for line in self.statement(depth)]

    def statement(self, depth: int) -> list[str]:
        kind = self.random.random()
        if kind < 0.4:
            return self.check()
        if kind < 0.5:
            return [f"ag.print({self.random.randint(0, 9)}, {self.random.choice(['x', 'k', 'y'])}, file=log)"]
        if kind < 0.6 or not depth:
            return [
                self.random.choice([f"x = {self.expression()} * 1.0", f"y = {self.expression()} * 1.0", "k = k + 1"])
            ]
        inside = [f"    {line}" for line in self.block(depth - 1)]
        if kind < 0.75:
            other = [f"    {line}" for line in self.block(depth - 1)]
            return [f"if {self.test()}:", *inside, *(["else:", *other] if self.random.random() < 0.5 else [])]
        if kind < 0.88:
            leave = [f"    if {self.test()}:", f"        {self.random.choice(['break', 'continue'])}"]
            return [
                f"for _ in ag.range({self.random.choice(['3', 'k % 4'])}):",
                *inside,
                *leave * (self.random.random() < 0.3),
            ]
        count = f"left{depth}"
        return [f"{count} = 3", f"while {count} > 0 and ({self.test()}):", f"    {count} -= 1", *inside]


def outcome(error: BaseException | None) -> Any:
    if error is None:
        return None
    last = traceback.extract_tb(error.__traceback__)[-1]
    return type(error), repr(error.args), str(error), repr(vars(error)), last.name, last.lineno


def compare(seed: int, folder: Path) -> None:
    path = folder / f"program{seed}.py"
    path.write_text(Program(seed).text)
    log = io.StringIO()
    names: dict[str, Any] = {"ag": ag, "log": log}
    exec(compile(path.read_text(), str(path), "exec"), names)
    f, numbers = names["f"], random.Random(seed)
    calls = [(float(numbers.randint(-3, 6)), float(numbers.randint(-3, 6)), numbers.randint(-1, 4)) for _ in range(8)]
    found = with_error_code(jax.make_jaxpr(ag.convert(f))(*calls[0]))
    if found is None:
        return
    new, checks, _ = found
    run = jax.jit(lambda *xs: jax.core.eval_jaxpr(new.jaxpr, new.consts, *xs))
    for call in calls:
        log.truncate(log.seek(0))
        *results, words = run(*call)
        jax.effects_barrier()
        printed = log.getvalue()
        log.truncate(log.seek(0))
        error = error_of(checks, np.asarray(words))
        try:
            values = f(*call)
        except Exception as expected:
            assert outcome(error) == outcome(expected), (seed, call)
        else:
            assert error is None, (seed, call)
            np.testing.assert_allclose(results, values, rtol=1e-5)
        assert printed == log.getvalue(), (seed, call)


@pytest.mark.parametrize("seed", range(12))
def test_random_programs(seed: int, tmp_path: Path) -> None:
    compare(seed, tmp_path)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        for number in range(int(sys.argv[1]), int(sys.argv[1]) + int(sys.argv[2])):
            compare(number, Path(name))
