"""f-strings that ask a traced value for its digits."""

from __future__ import annotations

import jax
import pytest

import autograph as ag
from autograph.conversion.unknown_values import debug_print


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
    "line", ['print(f"{x:{width}.1f}")', 'print(f"{x:.1f}", f"{y:.1f}")', "if x:", "print('none')"]
)
def test_any_other_line_gets_no_call_to_type(line):
    assert debug_print(line) == ""
