"""What to type in the place of lines that show traced values."""

from __future__ import annotations

import jax
import pytest

import autograph as ag
from autograph.runtime.checks.shown_values import debug_print


def train(loss, step):
    if loss > 1:
        print(f"step {step:5d}: {{loss}} {loss * 2:.3f}")
    return loss


def test_the_message_says_what_to_type_and_that_works(capsys):
    with pytest.raises(ag.StagingError, match="asks for the digits of a traced value") as refused:
        ag.jit(train)(2.0, 3)
    typed = str(refused.value).partition("write `")[2].partition("`")[0]
    assert typed == "jax.debug.print('step {:5d}: {{loss}} {:.3f}', step, loss * 2)"
    run = eval(f"lambda loss, step: {typed}", {"jax": jax})
    jax.jit(run)(2.0, 3)
    jax.effects_barrier()
    train(2.0, 3)
    first, second = capsys.readouterr().out.splitlines()
    assert first == second


@pytest.mark.parametrize(
    "line",
    [
        'print("x", x, 3)', 'print("x: " + str(x))', 'print("%.2f%% of {%5d} and %s" % (x, n, x))', 'print("%d" % n)',
        'print("{:.1f} and {:>9} {{}}".format(x, n))', 'print(f"{x:.1f}", f"{n:3}", x + n)', "print(x, repr(n) + '.')",
    ],
)  # fmt: skip
def test_what_is_to_be_typed_shows_the_same(line, capsys):
    call = eval(f"lambda x, n: {debug_print(line)}", {"jax": jax})
    jax.jit(call)(2.5, 3)
    jax.effects_barrier()
    exec(line, {"x": 2.5, "n": 3})
    first, second = capsys.readouterr().out.splitlines()
    assert first == second


@pytest.mark.parametrize(
    "line",
    [
        'print(f"{x:{width}.1f}")', "if x:", "print('none')", "print(*xs)", 'print("{0}".format(x))', 'print("{!r}".format(x))', 'print("%*d" % (w, n))',
        'print("%s %s" % pair)', "print(x, end='')", 'print("{}".format(*xs))', 'print(f"{x}" % y)',
    ],
)  # fmt: skip
def test_any_other_line_gets_no_call_to_type(line):
    assert debug_print(line) == ""


@pytest.mark.parametrize("line", ['else: print("n", n)', 'elif x > 0: print("n", n)', 'if x > 0: print("n", n)'])
def test_a_call_on_the_line_of_its_branch_is_named_too(line):
    assert debug_print(line) == "jax.debug.print('n {}', n)"
