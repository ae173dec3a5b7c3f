"""Messages of exceptions say what Python says, however their strings are made: at the call, and in a saved file."""

from __future__ import annotations

import dataclasses
import pprint
import string
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag

FORMAT = "{:.1f} of {name!r:>{width}}"
TEMPLATE = "bad %s"


class Point:
    """Shows its number by a method of the user's."""

    def __init__(self, x: Any) -> None:
        self.x = x

    template = "bad %s"

    def __str__(self) -> str:
        return f"Point({self.x})"

    def __repr__(self) -> str:
        return "Point(%s)" % self.x

    def message(self) -> str:
        made = self.template % (self.x,)
        return made + "!"


@dataclasses.dataclass
class State:
    """Shows what it holds by a method that Python wrote."""

    loss: Any
    step: int = 3


VARIABLE = ag.Variable(3.0)
STRINGS = {
    "percent": lambda x: "bad %s" % x,
    "percent of numbers": lambda x: "%5s|%-8s|%+.1f|%06.2f|%%|%e|%g" % (x, x, x, x, x, x),
    "percent of integers": lambda x: "%d|%5d|%-5d|%05d|%x|%i" % ((x.astype(int),) * 4 + (-x.astype(int), 3)),
    "percent by name": lambda x: "%(v)s and %(n)d" % {"v": x, "n": 3},
    "percent of a global template": lambda x: TEMPLATE % x,
    "percent of a template in a class": lambda x: Point(x).message(),
    "percent of a local template": lambda x: of_a_local(x),
    "percent of strings in a row": lambda x: (TEMPLATE + " and %.2f") % (x, x),
    "percent of an object": lambda x: "%s of %s" % (Point(x), x),
    "format": lambda x: "{} and {}".format(x, 2 * x),
    "format with fields in formats": lambda x: FORMAT.format(x, name=x, width=30),
    "format of items": lambda x: "{0[1]} {1.x:.2f} {0}".format([1, x], Point(x)),
    "str and plus": lambda x: "bad " + str(x) + "!",
    "repr": lambda x: "bad " + repr([x, {"x": x}, (x,)]),
    "format function": lambda x: format(x, ".3f"),
    "join": lambda x: ", ".join(["bad", str(x), f"{x:.1f}"]),
    "a string of a string": lambda x: f"{f'bad {x}'} and {str(x)!s}",
    "a string that grows": lambda x: sum_of_strings(x),
    "a container that changes later": lambda x: of_a_list(x),
    "an object": lambda x: f"{Point(x)} and {[x]}",
    "a variable": lambda x: f"{VARIABLE} and {VARIABLE:.2f} {x}",
    "known values": lambda x: "%s, {}, {x}, %d" + f"{3}",
}


def of_a_local(x: Any) -> str:
    template, name = "", "bad"
    template = f"{name} %s"
    made = template % x
    return made


def sum_of_strings(x: Any) -> str:
    text = ""
    for i in range(3):
        text += f"{i}: {x * i} "
    return text


def of_a_list(x: Any) -> str:
    xs = [x]
    text = f"{xs}"
    xs.append(2 * x)
    return text


@pytest.mark.parametrize("name", STRINGS)
def test_a_message_is_python_s_however_its_string_is_made(name: str, tmp_path: Path) -> None:
    make = STRINGS[name]

    def check(x: Any) -> Any:
        if x < 0:
            raise ValueError(make(x))
        return x

    x = jnp.float32(-4.25)
    compiled = ag.function(check)
    compiled(jnp.float32(1))
    ag.save(compiled, tmp_path / "check.ag")
    for fn in (compiled, ag.load(tmp_path / "check.ag")):
        with pytest.raises(ValueError) as raised:
            fn(x)
        assert str(raised.value) == make(x), fn


OBJECTS = {
    "objects in a list": lambda x: f"{[Point(x)]} and {(1, {'a': Point(x)})}",
    "a dataclass": lambda x: f"{State(x)!r} and {[State(Point(x))]}",
    "an object that changes later": lambda x: of_an_object(x),
}


def of_an_object(x: Any) -> str:
    state = State(x)
    text = f"{state} and {[state]}"
    state.loss = 2 * x
    return text


@pytest.mark.parametrize("name", OBJECTS)
def test_objects_in_a_message_are_shown_with_the_values_of_the_run(name: str) -> None:
    make = OBJECTS[name]

    def check(x: Any) -> Any:
        if x < 0:
            raise ValueError(make(x))
        return x

    with pytest.raises(ValueError) as raised:
        ag.function(check)(jnp.float32(-4.25))
    assert str(raised.value) == make(jnp.float32(-4.25))


@pytest.mark.parametrize("template", ["bad %s", "bad %.2f"])
def test_a_template_that_is_an_argument_is_filled_in_a_raise_and_in_an_assert(template: str) -> None:
    def check(x: Any, template: Any) -> Any:
        if x < 0:
            raise ValueError(template % x)
        assert x < 10, template % x
        return x

    compiled = ag.function(check)
    for x in (-4.25, 12.0):
        with pytest.raises((ValueError, AssertionError)) as raised:
            compiled(jnp.float32(x), template)
        assert str(raised.value) == template % x


@pytest.mark.parametrize("kind", [ValueError, KeyError])
def test_an_exception_that_is_caught_is_shown_with_the_values_of_the_run(kind: Any) -> None:
    def check(x: Any) -> Any:
        try:
            if x < 0:
                raise kind(f"bad {x}")
            if x > 10:
                raise kind(f"much: {x}", 3)
        except kind as error:
            raise RuntimeError(f"{error} {error!r} {str(error)!r}") from error
        return x

    compiled = ag.function(check)
    for x in (-2.0, 11.0):
        with pytest.raises(RuntimeError) as expected:
            check(jnp.float32(x))
        with pytest.raises(RuntimeError) as raised:
            compiled(jnp.float32(x))
        assert str(raised.value) == str(expected.value)


def test_notes_and_attributes_are_those_of_the_run(tmp_path: Path) -> None:
    @ag.function
    def check(x: Any) -> Any:
        if x < 0:
            error = ValueError(f"bad {x}")
            twice = 2 * x
            vars(error).update(half=x / 2, twice=twice)
            error.add_note("twice is %s" % twice)
            raise error
        return x

    with pytest.raises(ValueError, match="bad -4.0") as raised:
        check(jnp.float32(-4))
    assert raised.value.__notes__ == ["twice is -8.0"] and float(raised.value.half) == -2
    ag.save(check, tmp_path / "check.ag")
    with pytest.raises(ValueError, match=r"^bad -4.0\ntwice is -8.0\nat "):
        ag.load(tmp_path / "check.ag")(jnp.float32(-4))


def test_a_saved_file_names_no_tracer_where_a_message_is_made_by_a_class(tmp_path: Path) -> None:
    class Wrong(Exception):
        def __init__(self, value: Any) -> None:
            super().__init__(value, value)

        def __str__(self) -> str:
            return f"Wrong<{self.args[0]}>"

    @ag.function
    def check(x: Any) -> Any:
        if x < 0:
            raise Wrong(x)
        return x

    with pytest.raises(Wrong, match="^Wrong<-4.0>$"):
        check(jnp.float32(-4))
    ag.save(check, tmp_path / "check.ag")
    with pytest.raises(Exception, match=r"^Wrong<float32\[\]>\nat "):
        ag.load(tmp_path / "check.ag")(jnp.float32(-4))


def test_keys_that_are_missing_are_shown_in_a_saved_file_as_python_shows_them(tmp_path: Path) -> None:
    @ag.function
    def check(x: Any) -> Any:
        if x < 0:
            raise KeyError("name")
        return x

    check(jnp.float32(1))
    ag.save(check, tmp_path / "check.ag")
    with pytest.raises(KeyError) as raised:
        ag.load(tmp_path / "check.ag")(jnp.float32(-1))
    assert str(raised.value) == "'name'"


def test_a_raise_that_is_certain_shows_the_values_of_the_run() -> None:
    def check(x: Any, mode: str) -> Any:
        if mode == "mean":
            return x
        raise ValueError(f"no mode {mode} for {x}")

    compiled = ag.function(check)
    for x in (2.5, 3.5):
        with pytest.raises(ValueError, match=f"^no mode sum for {x}$") as raised:
            compiled(jnp.float32(x), "sum")
    assert compiled.tracing_count == 1 and raised.traceback[-1].lineno == check.__code__.co_firstlineno + 2


def test_a_raise_that_is_certain_and_caught_is_caught() -> None:
    @ag.function
    def check(x: Any) -> Any:
        try:
            raise ValueError(f"bad {x}")
        except ValueError:
            return 2 * x

    assert float(check(jnp.float32(4))) == 8


@pytest.mark.parametrize(
    "make",
    [
        lambda x: f"x is {x}",
        lambda x: string.Template("x is $x").substitute(x=x),
        lambda x: {"text": pprint.pformat([x])},
        lambda x: ("x is {a}".format_map({"a": x}), 1),
    ],
)
def test_no_string_of_a_traced_value_is_returned_whoever_made_it(make: Any) -> None:
    with pytest.raises(ag.StagingError, match="returns a string that shows a traced value"):
        ag.function(lambda x: make(x))(jnp.float32(2))


def test_a_string_in_a_log_is_no_value_that_outlives_the_trace() -> None:
    log = []

    @ag.function
    def traced(x: Any) -> Any:
        log.append(str(x) + f" {x}")
        return x

    traced(jnp.float32(1))
    assert "float32" in str.__str__(log[0])


def test_ag_print_shows_strings_and_containers_with_the_values_of_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    @ag.function
    def shown(x: Any) -> Any:
        xs = [x]
        ag.print(f"{x:.2f}", "%s!" % x, {"b": 1, "a": 2}, xs[0], sep="|")
        ag.print(xs and "known: {}", end="\n")
        return x

    shown(jnp.float32(2.5)), shown(jnp.float32(3.5))
    jax.effects_barrier()
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["2.50|2.5!|{'b': 1, 'a': 2}|2.5", "known: {}", "3.50|3.5!|{'b': 1, 'a': 2}|3.5", "known: {}"]


def test_messages_of_causes_and_of_exceptions_that_are_caught_have_the_values_of_the_run() -> None:
    def check(x: Any) -> Any:
        try:
            if x < 0:
                raise ValueError(f"bad {x}", 3)
            if x > 10:
                raise ValueError("much: " + str(2 * x))
        except ValueError as error:
            if x > 100:
                return x
            raise RuntimeError(f"{error}" if len(error.args) == 1 else f"no: {error.args[0]}") from error
        return x

    compiled = ag.function(check)
    for x in (-2.0, 1.0, 11.0, 101.0):
        try:
            expected = check(jnp.float32(x))
        except RuntimeError as error:
            with pytest.raises(RuntimeError) as raised:
                compiled(jnp.float32(x))
            assert str(raised.value) == str(error) and str(raised.value.__cause__) == str(error.__cause__)
        else:
            assert float(compiled(jnp.float32(x))) == float(expected)


def from_the_caught(x: Any) -> None:
    try:
        if x > 0:
            raise KeyError(f"key {x}")
    except KeyError as error:
        raise ValueError("value") from error


def while_handling(x: Any) -> None:
    try:
        if x > 0:
            raise KeyError(f"key {x}")
    except KeyError:
        if x > 1:
            raise ValueError("value")  # noqa: B904  # the context is what is tested


def from_nothing(x: Any) -> None:
    try:
        {}["known"]
    except KeyError:
        if x > 0:
            raise ValueError("value") from None


def an_assert_while_handling(x: Any) -> None:
    try:
        if x > 0:
            raise KeyError(f"key {x}")
    except KeyError as error:
        try:
            raise TypeError(f"type {x}") from error
        except TypeError:
            assert x < 0, f"{x} is large"


def from_another(x: Any) -> None:
    if x > 0:
        raise ValueError("value") from KeyError(f"key {x}")


def chain(error: BaseException | None) -> Any:
    """An exception with those that Python shows above it."""
    if error is None:
        return None
    text = str(error).splitlines()[0]  # pytest adds lines to that of an assert
    around = "cause" if error.__context__ is not None and error.__context__ is error.__cause__ else chain(error.__context__)
    return type(error).__name__, text, chain(error.__cause__), around, error.__suppress_context__


@pytest.mark.parametrize("check", [from_the_caught, while_handling, from_nothing, an_assert_while_handling, from_another])
def test_causes_and_contexts_are_those_of_python(check: Any) -> None:
    found = []
    for fn in (check, ag.function(check)):
        with pytest.raises(Exception) as raised:
            fn(jnp.float32(2.5))
        found.append(chain(raised.value))
    assert found[0] == found[1]


def test_a_string_in_a_field_with_a_format_is_made_when_the_check_fails() -> None:
    def check(x: Any) -> Any:
        if x < 0:
            raise ValueError(f"{'bad ' + str(x):>20}|{[1, [x]]}")
        return x

    with pytest.raises(ValueError) as raised:
        ag.function(check)(jnp.float32(-2))
    assert str(raised.value) == f"{'bad -2.0':>20}|{[1, [jnp.float32(-2)]]}"


WAYS: dict[str, Callable[[Any, Any], Any]] = {
    "f-string": lambda word, x: f"{word}: {x:.1f}",
    "conversion": lambda word, x: f"{word!r:>8}: {x}",
    "plus": lambda word, x: word + f" {x} " + word,
    "percent": lambda word, x: "%s: %.1f" % (word, x),
    "format": lambda word, x: "{}: {:.2f}".format(word, x),
    "join": lambda word, x: ", ".join([word, f"{x}", word]),
    "by its name": lambda word, x: word.__add__(f" {x}"),
    "several": lambda word, x: f"{word} {'even' if x % 2 == 0 else 'odd'} {x} {word}",
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("x", [-3.0, 2.0])
def test_a_string_that_the_program_chooses_beside_a_traced_value(way: str, x: float) -> None:
    message = WAYS[way]

    def f(x: Any) -> Any:
        word = "low" if x < 0 else "high"
        for _ in ag.range(1):
            if x < 5:
                raise ValueError(message(word, x))
        return x

    with pytest.raises(ValueError) as plain:
        f(np.float32(x))
    with pytest.raises(ValueError) as compiled:
        ag.function(f)(jnp.float32(x))
    assert str(compiled.value) == str(plain.value)
    with pytest.raises(jax.errors.JaxRuntimeError) as of_jit:
        ag.jit(f)(jnp.float32(x)).block_until_ready()
    assert str(plain.value) in str(of_jit.value)


def test_a_chosen_string_is_printed_beside_a_traced_value(capsys: pytest.CaptureFixture[str]) -> None:
    @ag.function
    def f(x: Any) -> Any:
        word = "low" if x < 0 else "high"
        ag.print(f"{word}: {x}", word, x)
        return x

    f(jnp.float32(-1)), f(jnp.float32(1))
    jax.effects_barrier()
    assert capsys.readouterr().out == "low: -1.0 low -1.0\nhigh: 1.0 high 1.0\n"


CONTAINERS: list[Callable[..., Any]] = [
    lambda word, x: f"{[word, x]}",
    lambda word, x: f"{(x, [x + 1])}",
    lambda word, x: "%s: %s" % (word, {"x": x}),
]


@pytest.mark.parametrize("show", CONTAINERS)
def test_a_string_of_a_container_from_another_function_leaves_a_handler(show: Callable[..., Any]) -> None:
    def message(x: Any) -> Any:
        return show("low" if x < 0 else "high", x)

    def f(x: Any) -> Any:
        try:
            if x < 5:
                raise ValueError(message(x))
        except ValueError as error:
            raise RuntimeError("again") from error
        return x

    def g(x: Any) -> Any:
        if x < 5:
            raise ValueError(message(x))
        return x

    for function, kind in ((f, RuntimeError), (g, ValueError)):
        with pytest.raises(kind) as plain:
            function(jnp.float32(-2))
        with pytest.raises(kind) as compiled:
            ag.function(function)(jnp.float32(-2))
        assert str(compiled.value) == str(plain.value)
        assert str(compiled.value.__cause__) == str(plain.value.__cause__)


@pytest.mark.parametrize(
    "make",
    [
        lambda word, x: string.Template("$x").substitute(x=f"{x}"),
        lambda word, x: string.Template("$word: $x").substitute(word=word, x=f"{x}"),
    ],
)
def test_a_message_is_refused_where_others_showed_a_traced_value_in_it(make: Any) -> None:
    def f(x: Any) -> Any:
        word = "low" if x < 0 else "high"
        for _ in ag.range(1):
            if x < 5:
                raise ValueError(make(word, x))
        return x

    with pytest.raises(ag.StagingError, match="the message contains a string that shows a traced value"):
        ag.function(f)(jnp.float32(2))
