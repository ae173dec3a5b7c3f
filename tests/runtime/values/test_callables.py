"""Functions that a program chooses between: by branches, loops, lists and dicts; what is refused."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from types import FunctionType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from tests.runtime.values.test_choices import plain


def square(x: Any) -> Any:
    return x * x


def cube(x: Any) -> Any:
    return x * x * x


def shifted_by(n: Any) -> Callable[[Any], Any]:
    return lambda x: x + n


def by_an_expression(x: Any) -> Any:
    f = square if x > 0 else cube
    return f(x) + f(2.0), (jnp.abs if x > 1 else operator.neg)(x)


def by_a_statement(x: Any) -> Any:
    if x > 2:
        f = square
    elif x > 0:
        f = cube
    else:
        f = abs
    return f(x)


def by_a_return(x: Any) -> Any:
    def pick(y: Any) -> Any:
        if y > 0:
            return square
        return cube

    return pick(x)(pick(-x)(x))


def defined_in_both_branches(x: Any) -> Any:
    k = 1.0
    if x > 0:

        def g(y: Any) -> Any:
            nonlocal k
            k = k + y
            return k

    else:

        def g(y: Any) -> Any:
            return y - x

    return g(2.0) + k


def a_lambda_of_a_branch_sees_variables(x: Any) -> Any:
    k = x + 1
    f = (lambda y: y + k) if x > 0 else (lambda y, n=3: y * n - k)
    k = k + 1
    return f(x)


def from_a_list(x: Any) -> Any:
    functions, k = [square, cube, operator.neg, shifted_by(2.0)], 0
    while k * k < x:
        k += 1
    return functions[k % 4](x)


def from_a_table(x: Any) -> Any:
    token = "+" if x > 2 else "-" if x > 0 else "*"
    return {"+": operator.add, "-": operator.sub, "*": lambda a, b: a * b}[token](x, 3.0)


def an_interpreter(x: Any) -> Any:
    table = [square, operator.neg, abs, lambda v: v + 1]
    for code in jnp.asarray([0, 3, 1, 2, 3]):
        x = table[code](x)
    return x


def states(x: Any) -> Any:
    def idle(total: Any, y: Any) -> Any:
        return (busy if y > 0 else idle), total

    def busy(total: Any, y: Any) -> Any:
        return (idle if y < 0 else busy), total + y

    state, total = idle, x
    for y in jnp.asarray([1.0, 2.0, -1.0, 3.0, 4.0, -2.0]):
        state, total = state(total, y)
    return total


class Machine:
    def __init__(self) -> None:
        self.state = self.idle
        self.busy_for = 0

    def idle(self, x: Any) -> None:
        if x > 0:
            self.state = self.busy

    def busy(self, x: Any) -> None:
        self.busy_for += 1
        if x < 0:
            self.state = self.idle


def methods_as_states(x: Any) -> Any:
    machine = Machine()
    for y in jnp.asarray([1.0, 2.0, -1.0, 3.0, 4.0, -2.0]):
        machine.state(y + x)
    return machine.busy_for


def until_it_stays(x: Any) -> Any:
    f, n = square, 0
    while n < 4:
        x = f(x)
        f = operator.neg if x > 3 else square
        n += 1
    return x


def the_best(x: Any) -> Any:
    best = square
    for f in (square, cube, abs):
        if f(x) < best(x):
            best = f
    return best(2.0), max([square, cube], key=lambda f: f(x))(3.0)


def handed_on(x: Any) -> Any:
    f = square if x > 0 else cube
    return (
        functools.reduce(lambda a, b: a + f(b), [x, x], 0.0),
        list(map(f, [x, 2.0])),
        sorted([3.0, -4.0, 1.0], key=f),
        min([3.0, -4.0], key=f),
        (lambda *fs: fs[0](x))(f),
    )


def under_transforms(x: Any) -> Any:
    f = square if x > 0 else jnp.sin
    return jax.vmap(f)(jnp.arange(3.0)), jax.grad(f)(2.0), jax.jit(f)(2.0), jax.lax.map(f, jnp.arange(2.0)), (jax.nn.relu if x > 1 else f)(2.0)


def composed(x: Any) -> Any:
    def compose(f: Any, g: Any) -> Any:
        return lambda y: f(g(y))

    return (compose(square, cube) if x > 0 else compose(cube, operator.neg))(x)


def compared(x: Any) -> Any:
    f, found = square if x > 0 else cube, 0
    if f is square:
        found += 1
    if f is not cube and f != abs:
        found += 2
    if f in (cube, abs):
        found += 4
    return found, {square: 1.0, cube: 2.0}[f], f.__name__, [cube, square].index(f), f == square


def of_several_classes(x: Any) -> Any:
    f = square if x > 0 else abs
    return isinstance(f, FunctionType), callable(f), f.__name__


def in_containers(x: Any) -> Any:
    functions = [square, cube, abs]
    if x > 0:
        functions[0], functions[1] = functions[1], functions[0]
    box = {"f": functions[0]}
    if x > 2:
        box["f"] = functions[2]
    return box["f"](x), functions[-1](x)


def wrapped(x: Any) -> Any:
    @functools.wraps(square)
    def inner(y: Any) -> Any:
        return y + 1

    f = inner if x > 0 else square
    return f(x), f.__name__


def handed_to_functions_of_jax(x: Any) -> Any:
    def shrink(i: Any, v: Any) -> Any:
        return v / (2 + i)

    def grow(i: Any, v: Any) -> Any:
        return v * 2

    f = square if x > 0 else jnp.sin
    return (
        jax.lax.fori_loop(0, 3, shrink if x > 1 else grow, x),
        jax.lax.switch(jnp.int32(x > 1), [f, cube], x),
        jax.lax.switch(0, (cube, f), x),
        jax.tree.map(square if x > 1 else cube, {"a": x}),
        jax.checkpoint(square if x > 1 else cube)(x),
        functools.reduce(operator.add if x > 1 else operator.mul, [1.0, x, 3.0]),
    )


def of_other_classes(x: Any) -> Any:
    @functools.lru_cache
    def factorial(n: int) -> int:
        return 1 if n < 2 else n * factorial(n - 1)

    return (factorial if x > 0 else abs)(5), (jnp.maximum if x > 1 else jnp.add)(x, 2.0)


def kept_in_a_class(x: Any) -> Any:
    class Machine:
        step: Any

    def several(*given: Any) -> Any:
        return len(given)

    def one(self: Any) -> Any:
        return 10

    Machine.step = several if x > 0 else one
    of_machine = Machine().step(), Machine.step(3)
    Machine.step = abs if x > 0 else operator.neg
    return of_machine, Machine().step(x)


def what_every_class_has(x: Any) -> Any:
    def one(y: Any) -> Any:
        """One."""
        return y

    def two(y: Any) -> Any:
        """Two."""
        return y

    f, text = one if x > 0 else two, "one" if x > 0 else "two"
    return f.__doc__ == "One.", f.__module__ == __name__, (square if x > 0 else cube).__doc__ is None, text.__doc__ == str.__doc__


PROGRAMS = [
    by_an_expression, by_a_statement, by_a_return, defined_in_both_branches, a_lambda_of_a_branch_sees_variables, from_a_list, from_a_table,
    an_interpreter, states, methods_as_states, until_it_stays, the_best, handed_on, under_transforms, composed, compared,
    of_several_classes, in_containers, wrapped, handed_to_functions_of_jax, of_other_classes,
    kept_in_a_class, what_every_class_has,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
def test_a_program_chooses_between_functions(f: Callable[..., Any]) -> None:
    compiled = ag.function(f)
    for x in (0.5, 1.5, 3.0, -1.5):
        wanted, got = f(jnp.float32(x)), compiled(jnp.float32(x))
        jax.tree.map(lambda a, b: a == b if isinstance(a, str) else np.testing.assert_allclose(a, b, rtol=1e-5), wanted, got)
        assert [a for a in jax.tree.leaves(plain(wanted)) if isinstance(a, str)] == [a for a in jax.tree.leaves(plain(got)) if isinstance(a, str)]


def test_under_vmap_and_grad() -> None:
    f = ag.convert(lambda x: (square if x > 0 else cube)(x))
    assert jax.vmap(f)(jnp.asarray([2.0, -2.0])).tolist() == [4, -8]
    assert [float(jax.grad(f)(x)) for x in (2.0, -2.0)] == [4, 12]


def test_a_function_of_ag_function_returns_the_function() -> None:
    chosen = ag.function(lambda x: square if x > 0 else cube)
    assert chosen(jnp.float32(1)) is square and chosen(jnp.float32(-1)) is cube


def refers_to_a_value_of_a_branch(x: Any) -> Any:
    f = shifted_by(x) if x > 0 else shifted_by(2 * x)
    return f(1.0)


def refers_to_a_value_of_an_iteration(x: Any) -> Any:
    f = square
    for i in range(5):
        if i > x:
            f = shifted_by(i * x)
    return f(3.0)


def another_one_in_each_iteration(x: Any) -> Any:
    f, i = square, 0
    while i < x + 5:
        f = shifted_by(i * x)
        i += 1
    return f(3.0)


def a_method_of_an_object_of_a_branch(x: Any) -> Any:
    class Counter:
        def __init__(self, n: Any) -> None:
            self.n = n

        def down(self) -> Any:
            self.n -= 1
            return self.n

    if x > 0:
        counter = Counter(5.0)
        down = counter.down
    else:
        counter = Counter(x)
        down = counter.down
    return down() + counter.n


def numbers_of_objects(x: Any) -> Any:
    f = square if x > 0 else cube
    return 1.0 if id(f) == id(square) else 2.0


def an_attribute_of_one_of_them(x: Any) -> Any:
    f = square if x > 0 else cube
    f.calls = 3  # type: ignore[attr-defined]  # any function takes attributes
    return 1.0


def the_identity_of_a_lambda(x: Any) -> Any:
    def pick(y: Any) -> Any:
        return (lambda z: z) if y > 0 else abs

    return pick(x) is pick(x + 1)


@ag.function
def halved_or_negated(x: Any) -> Any:
    return x / 2 if x > 1 else -x


@ag.function
def doubled_until_large(x: Any) -> Any:
    while x < 4:
        x = 2 * x + 6
    return x


def functions_of_ag_function(x: Any) -> Any:
    f: Callable[..., Any] = halved_or_negated
    for y in jnp.asarray([1.0, 2.0, -1.0]):
        x = f(x) / 4
        f = doubled_until_large if y > x else square
    return x, f is square, [halved_or_negated, doubled_until_large][jnp.int32(x > 1)](x)


def test_functions_of_ag_function_are_chosen() -> None:
    for x in (0.5, 1.5, 3.0, -1.5):
        wanted = functions_of_ag_function(jnp.float32(x))
        for compiled in (ag.jit(functions_of_ag_function), ag.function(functions_of_ag_function)):
            np.testing.assert_allclose(wanted, compiled(jnp.float32(x)), rtol=1e-5)


def the_identity_of_a_method(x: Any) -> Any:
    machine = Machine()
    state = machine.idle if x > 0 else machine.busy
    return state is machine.idle


def the_identity_of_a_method_of_a_list(x: Any) -> Any:
    xs = [1.0]
    return (xs.append if x > 0 else xs.remove) is xs.append


def named_like_one_of_them(x: Any) -> Any:
    chosen = square if x > 0 else cube

    @functools.wraps(chosen)
    def f(y: Any) -> Any:
        return y

    return f(x)


def an_attribute_of_a_chosen_name(x: Any) -> Any:
    return getattr(Machine(), "idle" if x > 0 else "busy")(x)


@pytest.mark.parametrize(
    ("f", "text"),
    [
        (the_identity_of_a_method, "`is` between methods"),
        (the_identity_of_a_method_of_a_list, "`is` between methods"),
        (named_like_one_of_them, "names a function by something other than a known string"),
        (an_attribute_of_a_chosen_name, "bind the string or the function that the program chooses to a variable"),
        (refers_to_a_value_of_a_branch, "refers to a value of the branch or iteration that made it"),
        (refers_to_a_value_of_an_iteration, "refers to a value of the branch or iteration that made it"),
        (another_one_in_each_iteration, "refers to a value of the branch or iteration that made it"),
        (a_method_of_an_object_of_a_branch, "different values in 'counter'"),
        (numbers_of_objects, "int32"),
        (an_attribute_of_one_of_them, r"different values in '<function>\.calls'"),
        (the_identity_of_a_lambda, "Python makes another function each time"),
        (lambda x: square if x > 0 else cube, "returns one of square, cube"),
        (lambda x: (float if x > 0 else int)(x), "a type object"),
    ],
)
def test_what_no_program_can_choose_is_refused(f: Callable[..., Any], text: str) -> None:
    with pytest.raises(ag.StagingError, match=text):
        ag.jit(f)(1.5)
    assert not vars(square) and not vars(cube)
