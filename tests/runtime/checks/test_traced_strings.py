"""Texts that show traced values."""

from __future__ import annotations

import csv
import inspect
import io
import linecache
import logging
import sys

import jax
import jax.numpy as jnp
import pytest

import autograph as ag

LOG = logging.getLogger("test_traced_strings")
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
    mine = [record for record in caplog.records if record.filename == "test_traced_strings.py"]
    first = logs.__code__.co_firstlineno
    assert [record.lineno - first for record in mine] == [1, 2, 4, 6], "the lines of the user"
    messages = [record.getMessage() for record in mine]
    assert messages[0].endswith(f" of 3{HINT}") and messages[1].endswith(f"%{HINT}") and messages[2] == "positive: 3"
    assert "Logging error" not in capsys.readouterr().err


def test_known_values_are_logged_as_ever(caplog):
    caplog.set_level(logging.INFO)
    ag.convert(logs)(jnp.float32(2.0), 3)
    assert [record.getMessage() for record in caplog.records] == ["2.00 of 3", "  2.0%", "positive: 3", "-2.0"]


TEMPLATE = "loss %.2f"


def by_percent(x):
    print("loss %.2f" % x)


def by_a_template(x):
    print(TEMPLATE % x)


def by_format(x):
    print("loss {:.2f}".format(x), "of 3")


def by_a_variable(x):
    shown = "loss " + format(x, ".2f")
    print(shown)


@pytest.mark.parametrize("shows", [by_percent, by_a_template, by_format, by_a_variable])
def test_a_printed_format_of_a_traced_number_is_refused_and_what_to_write_shows_it(shows, capsys):
    with pytest.raises(ag.StagingError, match=r"`print\(\.\.\.\)` asks for the digits of a traced value") as refused:
        ag.jit(shows)(2.5)
    typed = str(refused.value).partition("write `")[2].partition("`")[0]
    assert capsys.readouterr().out == ""
    source = inspect.getsource(shows)
    line = next(line for line in source.splitlines() if "print(" in line).strip()
    written = source.replace(line, line.replace("print(", "ag.print(") if typed == "ag.print(...)" else typed)
    linecache.cache["typed.py"] = len(written), None, written.splitlines(True), "typed.py"
    names = {"ag": ag, "jax": jax, "TEMPLATE": TEMPLATE}
    exec(compile(written, "typed.py", "exec"), names)
    ag.jit(names[shows.__name__])(2.5)
    jax.effects_barrier()
    shows(2.5)
    first, second = capsys.readouterr().out.splitlines()
    assert first == second


def test_a_string_of_a_fixed_width_is_shown_as_any(capsys):
    ag.jit(lambda x: print("%30s|" % x, "{!s:<4}".format(x)))(2.5)
    assert "float32[]" in capsys.readouterr().out


@pytest.mark.parametrize(
    "write",
    [
        lambda file, x: file.write(f"{x}\n"),
        lambda file, x: file.writelines(["x is ", str(x)]),
        lambda file, x: print(x, file=file),
        lambda file, x: print(f"{x}", "%s" % x, file=file),
        lambda file, x: csv.writer(file).writerow([1, x]),
    ],
)
def test_a_file_keeps_no_string_of_a_traced_value(write):
    file = io.StringIO()

    @ag.jit
    def f(x):
        write(file, 1)
        write(file, x)
        return x

    with pytest.raises(ag.StagingError, match="a string that shows a traced value is written to a file"):
        f(2.5)
    assert "Tracer" not in file.getvalue() and "1" in file.getvalue()


def test_what_is_shown_at_once_may_show_a_traced_value(capsys):
    ag.jit(lambda x: (sys.stdout.write(f"{x}\n"), print(x, file=sys.stderr)))(2.5)
    shown = capsys.readouterr()
    assert "float32[]" in shown.out and "float32[]" in shown.err


class RayTracer:
    def __repr__(self):
        return "RayTracer(3)"


def test_a_string_that_only_has_such_a_word_is_read():
    assert ag.jit(lambda x: x + len(f"{RayTracer()}"))(1) == 13
