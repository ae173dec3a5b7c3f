"""`assert` and `raise` in compiled programs, end to end: class, message with run-time values, file and line, said once."""

from __future__ import annotations

import re
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import lax

import autograph as ag
from autograph.runtime.checks.runtime_checks import RunTimeCheckError

HERE = re.escape(__file__)
TRACEBACK = "Traceback (most recent call last):\n"
FAILURES = jax.errors.JaxRuntimeError, ValueError, RunTimeCheckError  # the last one where no program is compiled


def root(x):
    assert x >= 0, f"{x:.2f} is negative"
    return jnp.sqrt(x)


def limited(x, n=3):
    if x > n:
        raise ValueError(f"{x} of {n!r:>3}", x)
    return x * 2


def without_a_message(x):
    assert x >= 0
    return x


class Rejected(Exception):
    def __init__(self, value, limit):
        super().__init__(value, limit)

    def __str__(self):
        return f"{self.args[0]:.1f} is above {self.args[1]}"


def rejecting(x):
    if x > 3:
        raise Rejected(x, 3)
    return x * 2


class Refused(RuntimeError):
    """Whose objects need two arguments, so that no string alone makes one."""

    def __init__(self, value, limit):
        super().__init__(value, limit)


class Final(ValueError):
    def __init_subclass__(cls):
        raise TypeError("nobody derives from it")


def every_kind(x, k):
    assert x >= 0, f"{x} is negative"
    if x > 3:
        raise Rejected(x, 3)
    if x == 3:
        raise Refused(x, 3)
    if x == 2:
        raise KeyError(x)
    if x == 1:
        raise OSError(2, "no file")
    if x == 0.5:
        raise Final(x)
    return [x, x][k]


def dynamic_specification(x, width=8):
    if x > 3:
        raise ValueError(f"[{x:{width}.1f}]")
    return x


def said(run: Callable[[], Any]) -> str:
    """What the program says when it fails: the one line of the user's that the traceback of the check has, and the exception."""
    with pytest.raises(FAILURES) as caught:
        jax.block_until_ready(run())
        jax.effects_barrier()
    try:
        jax.effects_barrier()
    except FAILURES:  # the same once more
        pass
    text = str(caught.value)
    if caught.tb and isinstance(caught.value, RunTimeCheckError):  # the exception itself, where nothing was compiled
        last = traceback.extract_tb(caught.value.__traceback__)[-1]
        text = f'{TRACEBACK}  File "{last.filename}", line {last.lineno}, in {last.name}\n{type(caught.value).__name__}: {text}'
    said = text.rpartition(TRACEBACK)[2]
    return re.sub(rf'^  File "{HERE}", line \d+, in ', "", said)


@pytest.mark.parametrize(
    ("fn", "value", "text"),
    [
        (root, -1.5, "root\nAssertionError: -1.50 is negative"),
        (limited, 4.0, "limited\nValueError: ('4.0 of   3', 4.0)"),
        (rejecting, 4.0, "rejecting\nRejected: 4.0 is above 3"),
        (dynamic_specification, 4.0, "dynamic_specification\nValueError: [     4.0]"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_messages_have_the_values_of_the_run(fn: Any, value: float, text: str) -> None:
    converted = ag.convert(fn)
    assert said(lambda: jax.jit(converted)(value)) == text
    with pytest.raises((AssertionError, ValueError, Rejected)) as plain:  # the message of plain Python
        fn(value)
    assert text.endswith(str(plain.value).splitlines()[0])  # pytest adds lines to assertions


def test_the_message_is_as_short_as_that_of_plain_python() -> None:
    with pytest.raises(jax.errors.JaxRuntimeError) as caught:
        jax.block_until_ready(ag.jit(without_a_message)(-1.0))
    lines = str(caught.value).splitlines()
    assert lines[1:] == [f'  File "{__file__}", line {without_a_message.__code__.co_firstlineno + 1}, in without_a_message',
                         "AssertionError: assert x >= 0"]  # fmt: skip


def calls_of_python(run: Callable[[], Any]) -> int:
    called = []
    sys.setprofile(lambda frame, event, argument: called.append(frame) if event == "call" else None)
    try:
        run()
    finally:
        sys.setprofile(None)
    return len(called) - 1  # `run` itself


def test_a_check_leaves_a_call_on_the_fast_path() -> None:
    """A call of the compiled program runs no Python, as one of a program without checks; other effects are as they were."""

    def prints(x):
        assert x >= 0
        jax.debug.callback(lambda: None)
        return x

    def returns_nothing(x):
        assert x >= 0

    counts = {}
    for fn in (root, every_kind, prints, returns_nothing):
        program = ag.jit(fn)
        arguments = (jnp.float32(2.5), jnp.int32(0))[: fn.__code__.co_argcount]
        program(*arguments)
        program(*arguments)
        counts[fn] = calls_of_python(lambda program=program, arguments=arguments: program(*arguments))  # type: ignore[misc]  # mypy infers no type for a default
    assert counts[root] == counts[every_kind] == 0 < min(counts[prints], counts[returns_nothing])


@pytest.mark.slow
@pytest.mark.parametrize("fn", [root, limited, rejecting], ids=lambda fn: fn.__name__)
def test_transforms(fn: Any) -> None:
    converted = ag.convert(fn)
    good, bad = (1.0, -1.0) if fn is root else (1.0, 4.0)

    def loop(x):
        return lax.fori_loop(0, 3, lambda i, y: y + converted(x), 0.0)

    def own_loop(x, n):
        total = 0.0
        while n > 0:
            total += converted(x)
            n -= 1
        return total

    runs: dict[str, Callable[[float], Any]] = {
        "vmap": lambda x: jax.vmap(converted)(jnp.array([good, x])),
        "jit of vmap": lambda x: jax.jit(jax.vmap(converted))(jnp.array([good, x])),
        "grad": lambda x: jax.jit(jax.grad(converted))(x),
        "scan": lambda x: jax.jit(loop)(x),
        "while": lambda x: ag.jit(own_loop)(x, 2),
        "checkpoint": lambda x: jax.jit(jax.grad(jax.checkpoint(converted)))(x),
    }
    for name, run in runs.items():
        assert bool(jnp.all(jnp.isfinite(run(good)))), name
        assert said(lambda run=run: run(bad)).startswith(f"{fn.__name__}\n"), name  # type: ignore[misc]  # mypy infers no type for a default
    assert float(ag.jit(own_loop)(bad, 0)) == 0.0  # no iteration, no check


@pytest.mark.parametrize(
    ("x", "k", "kind", "words"),
    [
        (-1.0, 0, AssertionError, "AssertionError: -1.0 is negative"),
        (4.0, 0, Rejected, "Rejected: 4.0 is above 3"),
        (3.0, 0, RunTimeCheckError, "Refused: (3.0, 3)"),
        (2.0, 0, KeyError, "KeyError: 2.0"),
        (1.0, 0, OSError, "FileNotFoundError: [Errno 2] no file"),
        (0.5, 0, RunTimeCheckError, "Final: 0.5"),
    ],
)
def test_where_nothing_is_compiled_the_exception_is_of_the_users_type(x: float, k: int, kind: Any, words: str) -> None:
    mapped = jax.vmap(ag.convert(every_kind))
    assert mapped(jnp.zeros(2), jnp.array([0, 1])).tolist() == [0.0, 0.0]
    with pytest.raises(kind) as caught:
        mapped(jnp.array([0.0, x]), jnp.array([0, k]))
    assert f"{type(caught.value).__name__}: {caught.value}" == words
    assert traceback.extract_tb(caught.value.__traceback__)[-1].name == "every_kind"
    assert words in said(lambda: ag.jit(every_kind)(x, k))


def test_a_check_is_called_once_for_all_lanes() -> None:
    """The first lane that fails is shown, and a program does not grow with its lanes."""
    mapped = jax.vmap(jax.vmap(ag.convert(every_kind), (0, None)), (1, None))
    few, many = (jax.make_jaxpr(mapped)(jnp.zeros((n, 2)), 0) for n in (2, 200))
    assert len(few.eqns) == len(many.eqns)
    x = jnp.zeros((200, 3)).at[150, 1].set(-2.0).at[60, 2].set(-3.0)
    assert said(lambda: jax.jit(mapped)(x, 0)) == "every_kind\nAssertionError: -2.0 is negative"


@pytest.fixture
def without_checks() -> Iterator[None]:
    ag.set_checks(False)
    yield
    ag.set_checks(True)


def test_checks_can_be_switched_off(without_checks: None) -> None:
    def all_three(x, i):
        assert x >= 0, "negative"
        if x > 3:
            raise ValueError("large")
        return [x, x + 1][i]

    lowered = ag.jit(all_three).lower(1.0, 1)
    assert "callback" not in lowered.as_text()
    assert float(ag.jit(all_three)(1.0, 1)) == 2.0
    ag.jit(all_three)(-1.0, 5)  # nobody looks


def test_without_checks_a_handler_is_not_passed_by_in_silence(without_checks: None) -> None:
    def check(x):
        if x > 3:
            raise ValueError("large")
        return x

    def caught(x):
        try:
            return check(x)
        except ValueError:
            return 0.0

    with pytest.raises(ag.StagingError, match="would catch it"):
        ag.jit(caught)(1.0)


SCRIPT = """
import sys
import autograph as ag
from autograph.runtime.checks import RunTimeCheckError

@ag.jit
def root(x):
    assert x >= 0, f"{x} is negative"
    return x ** 0.5

try:
    root(-1.0).block_until_ready()
except Exception as error:
    print(str(error).splitlines()[-1])
else:
    print("fine")
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "environment", "printed"),
    [
        ([], {}, "AssertionError: -1.0 is negative\n"),
        (["-O"], {}, "fine\n"),
        ([], {"AUTOGRAPH_CHECKS": "0"}, "fine\n"),
    ],
)
def test_a_script_says_it_once(options: list[str], environment: dict[str, str], printed: str, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    command = [sys.executable, *options, str(tmp_path / "script.py")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert (done.stdout, "callback failed" in done.stderr) == (printed, False), done.stderr


def test_an_element_that_is_deleted_and_never_read_must_be_there() -> None:
    def delete(k):
        items = [True, 9]
        del items[k]
        return len(items)

    def remove(k):
        items = [k, 9]
        items.remove(8)
        return len(items)

    assert int(ag.jit(delete)(1)) == 1 and int(ag.jit(remove)(8)) == 1
    for f, text in ((delete, "IndexError: list assignment index out of range"), (remove, r"ValueError: list.remove\(x\): x not")):
        with pytest.raises(FAILURES, match=text):
            jax.block_until_ready(ag.jit(f)(2))
            jax.effects_barrier()


def test_a_check_of_what_is_the_same_in_all_iterations_stays_under_a_derivative() -> None:
    def cubed(x, n):
        for _ in ag.range(3):
            assert n > 0, f"{n} of {x}"
            x = x * x
        return x

    f = jax.jit(jax.grad(ag.convert(cubed)))
    assert float(f(1.5, 1)) == 8 * 1.5**7
    with pytest.raises(FAILURES, match="-1 of 1.5"):
        jax.block_until_ready(f(1.5, -1))
        jax.effects_barrier()
    with pytest.raises(AssertionError, match="-1 of 1.5"):
        ag.function(jax.grad(cubed))(jnp.float32(1.5), jnp.int32(-1))


def either_way(x: Any) -> Any:
    if x > 0:
        raise KeyError("positive", x)
    else:
        raise IndexError(2 * x)


def in_any_case(x: Any) -> Any:
    for i in range(3):
        if x == i:
            raise KeyError(i)
    raise NotImplementedError(f"for {x:.0f}")


def by_python(x: Any) -> Any:
    if x < 0:
        raise ValueError("negative")
    return [x][3]


def of_a_float(x: Any) -> Any:
    if x != int(x) or x < 0:
        raise ValueError("no integer")
    total = 0
    for i in range(1, x + 1):
        total += i
    return total


def by_the_callee(x: Any) -> Any:
    return either_way(x) + 1


@pytest.mark.parametrize("fn", [either_way, in_any_case, by_python, of_a_float, by_the_callee])
@pytest.mark.parametrize("x", [2.0, -1.0])
def test_of_several_exceptions_of_a_program_that_always_fails_the_first_one_is_raised(fn: Any, x: float) -> None:
    with pytest.raises(Exception) as plain:
        fn(x)
    with pytest.raises(type(plain.value)) as raised:
        ag.function(fn)(jnp.float32(x))
    assert raised.value.args == plain.value.args
    assert f"{type(plain.value).__name__}: " in said(lambda: ag.jit(fn)(x))


@pytest.mark.parametrize(("x", "name"), [(2.0, "TypeError"), (-1.0, "ValueError")])
def test_of_a_program_that_always_fails_vmap_raises_the_first_exception(x: float, name: str) -> None:
    assert f"{name}: " in said(lambda: jax.jit(jax.vmap(ag.convert(of_a_float)))(jnp.full(2, x)))


def test_of_a_program_that_always_fails_a_caller_gets_the_exception() -> None:
    def around(x: Any) -> Any:
        return ag.convert(in_any_case)(x) + 1

    with pytest.raises(NotImplementedError):
        jax.jit(around)(1.0)
    with pytest.raises(NotImplementedError):
        jax.jit(jax.grad(ag.convert(in_any_case)))(1.0)
