"""Texts that show traced values."""

from __future__ import annotations

import logging

import jax.numpy as jnp

import autograph as ag

LOG = logging.getLogger("test_texts")
HINT = " (traced: `jax.debug.print` shows the number when the program runs)"


def logs(x, n):
    logging.warning("%.2f of %d", x, n)
    LOG.info("%(loss)5.1f%%", {"loss": x})
    if x > 0:
        LOG.error("positive: %s", n)
        x = -x
    LOG.log(logging.INFO, x)
    return x


def test_a_logged_number_that_is_traced_is_one_line(caplog, capsys):
    caplog.set_level(logging.INFO)
    assert ag.jit(logs, static_argnames="n")(2.0, n=3) == -2.0
    mine = [record for record in caplog.records if record.filename == "test_texts.py"]
    first = logs.__code__.co_firstlineno
    assert [record.lineno - first for record in mine] == [1, 2, 4, 6], "the lines of the user"
    messages = [record.getMessage() for record in mine]
    assert messages[0].endswith(f" of 3{HINT}") and messages[1].endswith(f"%{HINT}") and messages[2] == "positive: 3"
    assert "Logging error" not in capsys.readouterr().err


def test_known_values_are_logged_as_ever(caplog):
    caplog.set_level(logging.INFO)
    ag.convert(logs)(jnp.float32(2.0), 3)
    assert [record.getMessage() for record in caplog.records] == ["2.00 of 3", "  2.0%", "positive: 3", "-2.0"]
