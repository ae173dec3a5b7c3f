"""`ag.print`: at each call, in order, in branches and loops."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import autograph as ag


def shown(capsys: pytest.CaptureFixture[str]) -> str:
    jax.effects_barrier()
    return capsys.readouterr().out


def told(n: Any) -> Any:
    ag.print("begin", n)
    for i in ag.range(n):
        if i % 2 == 0:
            ag.print("even", i, sep="-", end="; ")
        else:
            ag.print({"odd": i})
    ag.print("end")
    return n


@pytest.mark.parametrize("compile_", [ag.function, ag.jit, ag.convert])
def test_row_21_prints_in_the_order_of_the_program(compile_: Any, capsys: pytest.CaptureFixture[str]) -> None:
    f = compile_(told)
    for n in (3, 3, 0):
        f(jnp.int32(n))
    text = "begin 3\neven-0; {'odd': 1}\neven-2; end\n"
    found = shown(capsys)
    for number in ("np.int32(1)", "Array(1, dtype=int32, weak_type=True)", "Array(1, dtype=int32)"):
        found = found.replace(number, "1")
    assert found == 2 * text + "begin 0\nend\n"


def test_row_23_is_kept_where_nothing_is_returned(capsys: pytest.CaptureFixture[str]) -> None:
    @ag.function
    def f(x: Any) -> None:
        ag.print(x)

    f(jnp.float32(1))
    f(jnp.float32(2))
    assert shown(capsys) == "1.0\n2.0\n"


def test_variables_show_their_values(capsys: pytest.CaptureFixture[str]) -> None:
    v = ag.Variable(0)

    @ag.function
    def f() -> None:
        ag.print("v =", v.assign_add(1))

    f()
    f()
    ag.print(v)
    assert shown(capsys) == "v = 1\nv = 2\n2\n"


TRANSFORMS: list[Any] = [jax.grad, lambda f: jax.grad(ag.convert(f)), lambda f: jax.jit(jax.grad(f)), jax.value_and_grad]


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_numbers_that_a_derivative_knows_are_printed(transform: Any, capsys: pytest.CaptureFixture[str]) -> None:
    def f(x: Any) -> Any:
        ag.print("x is", x, {"x": x})
        return x * 2

    transform(f)(2.0)
    jax.effects_barrier()
    assert capsys.readouterr().out == "x is 2.0 {'x': np.float32(2.0)}\n"


def prints_after_a_check(x: Any) -> Any:
    ag.print("before", x)
    if x < 0:
        raise ValueError("negative")
    ag.print("after", x)
    for i in range(2):
        ag.print("in a loop", i)
    return x


def prints_in_a_loop(x: Any) -> Any:
    for i in ag.range(4):
        if x + i > 3:
            raise ValueError("large")
        ag.print("in the loop", i)
    ag.print("after the loop")
    return x


def prints_in_a_branch(x: Any) -> Any:
    if x > 0:
        if x > 2:
            raise ValueError("large")
        ag.print("in the branch", x)
    jax.debug.print("after {}", x, ordered=True)
    return x


def prints_beside_keys(x: Any) -> Any:
    key = jax.random.key(0)
    assert x > 0
    for i in ag.range(2):
        key, _ = jax.random.split(key)
        ag.print("split", i)
        jax.debug.print("again {}", i, ordered=True)
    return jax.random.key_data(key)


def prints_in_a_finally(x: Any) -> Any:
    try:
        if x < 0:
            raise ValueError("negative")
        ag.print("in the try", x)
    finally:
        ag.print("in the finally", x)
    ag.print("behind", x)
    return x


@contextlib.contextmanager
def told_of() -> Any:
    ag.print("begin")
    try:
        yield
    finally:
        ag.print("end")


class Told:
    def __enter__(self) -> None:
        ag.print("enter")

    def __exit__(self, *_: Any) -> None:
        jax.debug.print("exit", ordered=True)


def prints_at_the_end_of_a_with(x: Any) -> Any:
    with told_of(), Told():
        assert x > 0
        ag.print("inside")
    ag.print("behind")
    return x


@pytest.mark.parametrize("x", [-1.0, 1.0, 3.0])
@pytest.mark.parametrize(
    "f",
    [
        prints_after_a_check,
        prints_in_a_loop,
        prints_in_a_branch,
        prints_beside_keys,
        prints_in_a_finally,
        prints_at_the_end_of_a_with,
    ],
)
def test_row_21_nothing_is_printed_after_a_check_that_failed(f: Any, x: float, capsys: pytest.CaptureFixture[str]) -> None:
    shown = []
    for run in (f, ag.function(f)):
        with contextlib.suppress(ValueError, AssertionError):
            run(jnp.float32(x))
        jax.effects_barrier()
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1]


@pytest.mark.parametrize("compile_", [ag.function, ag.jit])
def test_a_file_of_the_users_is_written_in_a_branch_when_the_program_runs(compile_: Any, tmp_path: Path) -> None:
    with open(tmp_path / "log", "w") as log:

        @compile_
        def logged(x: Any) -> Any:
            if x > 0:
                ag.print("positive:", x, file=log)
            return x

        for x in (1.0, -1.0, 2.0):
            logged(jnp.float32(x))
        jax.effects_barrier()
    assert (tmp_path / "log").read_text() == "positive: 1.0\npositive: 2.0\n"
    with open(tmp_path / "log", "w") as log:

        @compile_
        def writes(x: Any) -> Any:
            if x > 0:
                log.write("positive")
            return x

        with pytest.raises(ag.StagingError, match=r"is advanced inside a staged statement(.|\n)*write with `ag.print\("):
            writes(jnp.float32(1))
