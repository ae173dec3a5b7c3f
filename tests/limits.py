"""Programs for the rows of `docs/limits.md`: the anchor `float-digits` is that of `float_digits` and `float_digits_instead`.

A program gets the decorator that its one parameter names, or in plain Python one that does nothing.
"""

from __future__ import annotations

import contextlib
import io
import math
import random
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

import autograph as ag

Decorator = Callable[[Any], Any]
Written = Callable[[Decorator], Any]
DECORATORS: dict[str, Decorator] = {"jit": ag.jit, "convert": ag.convert, "function": ag.function}


class Raises(NamedTuple):
    """An outcome: an exception whose class or message has these words."""

    words: str


class Program(NamedTuple):
    """A program of a row, and its outcomes, where they differ."""

    run: Written
    python: Any
    compiled: Any


DIFFERENT: dict[str, Program] = {}
INSTEAD: dict[str, Written] = {}


def differs(python: Any, compiled: Any) -> Callable[[Written], Written]:
    """Registers a program with the outcome of plain Python and that of the compiled program."""

    def register(run: Written) -> Written:
        DIFFERENT[run.__name__.replace("_", "-")] = Program(run, python, compiled)
        return run

    return register


def instead(run: Written) -> Written:
    """Registers the program to write instead, which has one outcome."""
    INSTEAD[run.__name__.removesuffix("_instead").replace("_", "-")] = run
    return run


# --- numbers ---------------------------------------------------------------------------------------------------------


@differs(4_000_000_000, -294_967_296)
def integer_width(jit: Decorator) -> Any:
    return jit(lambda n: n * 2)(2_000_000_000)


@instead
def integer_width_instead(jit: Decorator) -> Any:
    return jit(lambda n: float(n) * 2)(2_000_000_000)


@differs([5_000_000_001], [705_032_705])
def integer_arguments(jit: Decorator) -> Any:
    return jit(lambda a: a + 1)(np.array([5_000_000_000]))


@instead
def integer_arguments_instead(jit: Decorator) -> Any:
    with jax.enable_x64(True):
        return jit(lambda a: a + 1)(np.array([5_000_000_000]))


@differs(20_261_130.0, 20_261_128.0)
def float_digits(jit: Decorator) -> Any:
    return jit(lambda day: day + 1)(20_261_129.0)


@instead
def float_digits_instead(jit: Decorator) -> Any:
    return jit(lambda day: day + 1)(20_261_129)


@differs((1.41421, 4), (1.41421, 1000))
def convergence(jit: Decorator) -> Any:
    def root(a: Any) -> Any:
        x, n = a, 0
        while abs(x * x - a) > 1e-9 * a and n < 1000:
            x, n = (x + a / x) / 2, n + 1
        return x, n

    return jit(root)(2.0)


@instead
def convergence_instead(jit: Decorator) -> Any:
    def root(a: Any) -> Any:
        x = a
        for n in range(1000):
            if abs(x * x - a) <= 1e-6 * a:
                return x, n
            x = (x + a / x) / 2
        return x, 1000

    return jit(root)(2.0)


@differs(2, 3)
def last_digit(jit: Decorator) -> Any:
    def digits(x: Any) -> Any:
        n = 0
        while x > 0.01:
            x /= 10
            n += 1
        return n

    return jit(digits)(1.0)


@instead
def last_digit_instead(jit: Decorator) -> Any:
    def digits(x: Any) -> Any:
        n = 0
        while x > 0.015:
            x /= 10
            n += 1
        return n

    return jit(digits)(1.0)


@instead
def float_range_instead(jit: Decorator) -> Any:
    return jit(lambda x: math.log(x) + math.log(x))(1e30)


@differs(Raises("ZeroDivisionError"), math.inf)
def division(jit: Decorator) -> Any:
    return jit(lambda a, b: a / b)(1.0, 0.0)


@instead
def division_instead(jit: Decorator) -> Any:
    def divided(a: Any, b: Any) -> Any:
        try:
            return a // b
        except ZeroDivisionError:
            return -1

    return jit(divided)(1, 0)


@instead
def math_domain_instead(jit: Decorator) -> Any:
    def root(x: Any) -> Any:
        try:
            return math.sqrt(x)
        except ValueError:
            return -1.0

    return jit(root)(-4.0)


@instead
def nan_to_integer_instead(jit: Decorator) -> Any:
    def rounded(x: Any) -> Any:
        try:
            return round(x)
        except ValueError:
            return -1

    return jit(rounded)(math.nan)


@instead
def negative_root_instead(jit: Decorator) -> Any:
    return jit(lambda x: complex(x) ** 0.5)(-4.0)


@differs(1.0, -1.0)
def remainder_sign(jit: Decorator) -> Any:
    return jit(lambda x: jnp.copysign(1.0, x % 0.5))(-2.5)


@differs(2.67, 2.68)
def round_digits(jit: Decorator) -> Any:
    return jit(lambda x: round(x, 2))(2.675)


@instead
def bool_arithmetic_instead(jit: Decorator) -> Any:
    return jit(lambda a, b: (int(a) + int(b), ~int(a)))(True, True)


@differs(300, 44)
def joined_types(jit: Decorator) -> Any:
    return jit(lambda u, n: u if u > n else n)(np.uint8(3), 300)


@instead
def joined_types_instead(jit: Decorator) -> Any:
    return jit(lambda u, n: int(u) if u > n else n)(np.uint8(3), 300)


@differs(Raises("OverflowError: Python integer 300 out of bounds for uint8"), [38])
def narrow_integers(jit: Decorator) -> Any:
    return jit(lambda u, n: u + n)(np.uint8([250]), 300)


@instead
def narrow_integers_instead(jit: Decorator) -> Any:
    return jit(lambda u, n: u.astype(np.int32) + n)(np.uint8([250]), 300)


@instead
def type_of_a_value_instead(jit: Decorator) -> Any:
    return jit(lambda a: jnp.issubdtype(a.dtype, np.floating))(np.float32([1.0]))


@differs(False, True)
def identity_of_a_bool(jit: Decorator) -> Any:
    return jit(lambda flags: flags[0] is True)(np.array([True]))


@instead
def identity_of_a_bool_instead(jit: Decorator) -> Any:
    def chosen(flags: Any) -> Any:
        if flags[0]:
            return 1.0
        return 2.0

    return jit(chosen)(np.array([True]))


@differs([3.0, math.nan, 1.0], [1.0, 3.0, math.nan])
def sorted_nan(jit: Decorator) -> Any:
    return jit(lambda x: sorted([3.0, x, 1.0]))(math.nan)


# --- arrays ----------------------------------------------------------------------------------------------------------


@differs([5.0, 0.0], [0.0, 0.0])
def alias_outside_a_trace(convert: Decorator) -> Any:
    def first(a: Any) -> Any:
        b = a
        a[0] = 5.0
        return b

    return convert(first)(jnp.zeros(2) if convert is ag.convert else np.zeros(2))


@instead
def alias_outside_a_trace_instead(convert: Decorator) -> Any:
    def first(a: Any) -> Any:
        b = a.copy()
        a[0] = 5.0
        return a, b

    return convert(first)(jnp.zeros(2) if convert is ag.convert else np.zeros(2))


@differs(([5.0, 0.0], [1.0, 2.0]), ([0.0, 0.0], [1.0]))
def arguments_are_copies(jit: Decorator) -> Any:
    a, xs = np.zeros(2), [1.0]

    @jit
    def fill(a: Any, xs: Any) -> None:
        a[0] = 5.0
        xs.append(2.0)

    fill(a, xs)
    return a, xs


@instead
def arguments_are_copies_instead(jit: Decorator) -> Any:
    a, xs = np.zeros(2), [1.0]

    @jit
    def filled(a: Any, xs: Any) -> Any:
        a[0] = 5.0
        xs.append(2.0)
        return a, xs

    a, xs = filled(a, xs)
    return a, xs


@differs(Raises("IndexError"), [0.0, 0.0])
def array_index(jit: Decorator) -> Any:
    def filled(a: Any, i: Any) -> Any:
        a[i] = 5.0
        return a

    return jit(filled)(np.zeros(2), 7)


@instead
def array_index_instead(jit: Decorator) -> Any:
    return jit(lambda a, i: a[i] if 0 <= i < len(a) else -1.0)(np.float32([1.0, 2.0]), 7)


def _add(x: Any, v: Any) -> Any:
    x += v
    return x


@differs([-56], [200])
def in_place_type(jit: Decorator) -> Any:
    return jit(_add)(np.int8([100]), np.int16([100]))


@instead
def in_place_type_instead(jit: Decorator) -> Any:
    return jit(lambda x, v: x + v.astype(x.dtype))(np.int8([100]), np.int16([100]))


@differs([[5.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]])
def fortran_order(jit: Decorator) -> Any:
    def marked(m: Any) -> Any:
        flat = m.T.ravel()
        flat[0] = 5.0
        return m

    return jit(marked)(np.asfortranarray(np.zeros((2, 2))))


@instead
def fortran_order_instead(jit: Decorator) -> Any:
    def marked(m: Any) -> Any:
        m[0, 0] = 5.0
        return m

    return jit(marked)(np.asfortranarray(np.zeros((2, 2))))


@differs([[1.0, 2.0], [0.0, 1.0]], [[1.0, 1.0], [0.0, 1.0]])
def matrix(jit: Decorator) -> Any:
    with warnings.catch_warnings(action="ignore"):  # NumPy advises against the class
        return jit(lambda m: m * m)(np.array([[1.0, 1.0], [0.0, 1.0]]).view(np.matrix))


@instead
def matrix_instead(jit: Decorator) -> Any:
    with warnings.catch_warnings(action="ignore"):
        return jit(lambda m: m @ m)(np.array([[1.0, 1.0], [0.0, 1.0]]).view(np.matrix))


@instead
def sort_as_a_value_instead(jit: Decorator) -> Any:
    def smallest(x: Any) -> Any:
        x.sort()
        return x[0]

    return jit(smallest)(np.float32([3.0, 1.0]))


@instead
def product_of_vectors_instead(jit: Decorator) -> Any:
    def product(a: Any, b: Any) -> Any:
        a = a @ b
        return a

    return jit(product)(np.float32([1.0, 2.0]), np.float32([3.0, 4.0]))


@instead
def array_equals_none_instead(jit: Decorator) -> Any:
    return jit(lambda x: x is None)(np.float32([3.0, 1.0]))


@differs(0.0, math.nan)
def gradient_of_a_branch(jit: Decorator) -> Any:
    def root(x: Any) -> Any:
        y = jnp.sqrt(x)
        if x > 0:
            return y
        return x * 0

    return jit(jax.grad(root))(0.0)


@instead
def gradient_of_a_branch_instead(jit: Decorator) -> Any:
    def root(x: Any) -> Any:
        if x > 0:
            return jnp.sqrt(x)
        return x * 0

    return jit(jax.grad(root))(0.0)


# --- lists and dicts -------------------------------------------------------------------------------------------------


def _countdown(n: Any) -> Any:
    xs: list[Any] = []
    while n > 0:
        ag.set_loop_options(maximum_iterations=5)
        xs.append(n)
        n = n - 1
    return xs


@differs(True, False)
def bounded_list(jit: Decorator) -> Any:
    return type(jit(_countdown)(3)) is list


@instead
def bounded_list_instead(jit: Decorator) -> Any:
    return isinstance(jit(_countdown)(3), list) and type(list(jit(_countdown)(3))) is list


@differs(Raises("IndexError"), 7)
def unused_element(jit: Decorator) -> Any:
    def checked(i: Any) -> Any:
        xs = [1.0, 2.0]
        xs[i]
        return i

    return jit(checked)(7)


@instead
def unused_element_instead(jit: Decorator) -> Any:
    def checked(i: Any) -> Any:
        xs = [1.0, 2.0]
        assert 0 <= i < len(xs)
        return i

    return jit(checked)(7)


@differs(["b", "a"], ["a", "b"])
def key_order(jit: Decorator) -> Any:
    return list(jit(lambda d: d)({"b": 1.0, "a": 2.0}))


@instead
def key_order_instead(jit: Decorator) -> Any:
    return jit(lambda d: [d[key] for key in ("b", "a")])({"b": 1.0, "a": 2.0})


@differs(["str_"], ["str"])
def keys_of_a_class_of_strings(function: Decorator) -> Any:
    same = function(lambda d: d)
    same({"a": 1.0})
    return [type(key).__name__ for key in same({np.str_("a"): 1.0})]


@instead
def keys_of_a_class_of_strings_instead(function: Decorator) -> Any:
    same = function(lambda d: d)
    same({"a": 1.0})
    return [type(key).__name__ for key in same({str(np.str_("a")): 1.0})]


# --- objects ---------------------------------------------------------------------------------------------------------


@jax.tree_util.register_pytree_node_class
class Reading:
    def __init__(self, value: Any, unit: str = "") -> None:
        self.value, self.unit = value, unit

    def tree_flatten(self) -> Any:
        return (self.value,), None

    @classmethod
    def tree_unflatten(cls, _: Any, leaves: Any) -> Any:
        return cls(*leaves)


@differs("m", "")
def pytree_attribute(jit: Decorator) -> Any:
    return jit(lambda reading: reading)(Reading(1.0, "m")).unit


@instead
def pytree_attribute_instead(jit: Decorator) -> Any:
    @jax.tree_util.register_pytree_node_class
    class WholeReading(Reading):
        def tree_flatten(self) -> Any:
            return (self.value,), self.unit

        @classmethod
        def tree_unflatten(cls, unit: Any, leaves: Any) -> Any:
            return cls(*leaves, unit)

    return jit(lambda reading: reading)(WholeReading(1.0, "m")).unit


class Account:
    rate = 1.0
    last: Any
    steps: int


@differs(0, 1)
def class_attribute(jit: Decorator) -> Any:
    def attributes(x: Any) -> Any:
        account = Account()
        if x > 0:
            account.rate = 2.0
        return len(vars(account))

    return jit(attributes)(-1.0)


@instead
def class_attribute_instead(jit: Decorator) -> Any:
    def rate(x: Any) -> Any:
        account = Account()
        if x > 0:
            account.rate = 2.0
        return account.rate

    return jit(rate)(-1.0)


@differs(2, 0)
def vars_in_a_loop(jit: Decorator) -> Any:
    def later(xs: Any) -> Any:
        account, n = Account(), 0
        for x in xs:
            n = n + len(vars(account))
            account.last = x
        return n

    return jit(later)(np.float32([1, 2, 3]))


@instead
def vars_in_a_loop_instead(jit: Decorator) -> Any:
    def later(xs: Any) -> Any:
        account, n = Account(), 0
        for x in xs:
            n = n + hasattr(account, "last")
            account.last = x
        return n

    return jit(later)(np.float32([1, 2, 3]))


# --- exceptions ------------------------------------------------------------------------------------------------------


@differs(Raises("UnboundLocalError"), 0.0)
def loop_without_iterations(jit: Decorator) -> Any:
    def last_of(xs: Any, n: Any) -> Any:
        for i in range(n):
            last = xs[i]
        return last

    return jit(last_of)(np.float32([1.0, 2.0]), 0)


@instead
def loop_without_iterations_instead(jit: Decorator) -> Any:
    def last_of(xs: Any, n: Any) -> Any:
        last = -1.0
        for i in range(n):
            last = xs[i]
        return last

    return jit(last_of)(np.float32([1.0, 2.0]), 0)


@differs([], ["after"])
def after_a_failed_check(jit: Decorator) -> Any:
    seen: list[str] = []

    def checked(x: Any) -> Any:
        assert x > 0
        jax.debug.callback(seen.append, "after")
        return x

    with contextlib.suppress(Exception):
        jax.block_until_ready(jit(checked)(-1.0))
    jax.effects_barrier()
    return seen


@instead
def after_a_failed_check_instead(function: Decorator) -> Any:
    seen: list[str] = []

    def checked(x: Any) -> Any:
        assert x > 0
        jax.debug.callback(seen.append, "after")
        return x

    with contextlib.suppress(AssertionError):
        function(checked)(-1.0)
    jax.effects_barrier()
    return seen


@differs(False, True)
def context_of_an_exception(jit: Decorator) -> Any:
    def is_alone(x: Any) -> Any:
        try:
            try:
                raise KeyError("a")
            except KeyError:
                if x > 0:
                    raise ValueError("b") from None
        except ValueError as error:
            return error.__context__ is None
        return True

    return jit(is_alone)(1.0)


# --- iterators and side effects --------------------------------------------------------------------------------------


@differs((1.0, 2.0), (1.0, 1.0))
def items_of_an_iterator(jit: Decorator) -> Any:
    items = iter([1.0, 2.0])
    add = jit(lambda x: x + next(items))
    return add(0.0), add(0.0)


@instead
def items_of_an_iterator_instead(jit: Decorator) -> Any:
    items = iter([1.0, 2.0])
    add = jit(lambda x, item: x + item)
    return add(0.0, next(items)), add(0.0, next(items))


@differs(False, True)
def random_numbers(jit: Decorator) -> Any:
    add = jit(lambda x: x + random.random())
    return bool(add(0.0) == add(0.0))


@instead
def random_numbers_instead(jit: Decorator) -> Any:
    add = jit(lambda x, key: x + jax.random.uniform(key))
    return bool(add(0.0, jax.random.key(0)) == add(0.0, jax.random.key(1)))


@differs((10.0, 50.0), (10.0, 10.0))
def constants_of_the_closure(jit: Decorator) -> Any:
    rates = np.array([1.0, 2.0])
    pay = jit(lambda hours: hours * rates[0])
    first = pay(10.0)
    rates[0] = 5.0
    return first, pay(10.0)


@instead
def constants_of_the_closure_instead(jit: Decorator) -> Any:
    rates = np.array([1.0, 2.0])
    pay = jit(lambda hours, rates: hours * rates[0])
    first = pay(10.0, rates)
    rates[0] = 5.0
    return first, pay(10.0, rates)


RATE = 1.0


@differs((10.0, 50.0), (10.0, 10.0))
def constants_of_globals(jit: Decorator) -> Any:
    global RATE
    RATE = 1.0
    pay = jit(lambda hours: hours * RATE)
    first = pay(10.0)
    RATE = 5.0
    return first, pay(10.0)


@instead
def constants_of_globals_instead(function: Decorator) -> Any:
    rate = ag.Variable(1.0)
    pay = function(lambda hours: hours * rate)
    first = pay(10.0)
    rate.assign(5.0)
    return first, pay(10.0)


@differs((10.0, 50.0), (10.0, 10.0))
def constants_of_objects(jit: Decorator) -> Any:
    account = Account()
    pay = jit(lambda hours: hours * account.rate)
    first = pay(10.0)
    account.rate = 5.0
    return first, pay(10.0)


@instead
def constants_of_objects_instead(jit: Decorator) -> Any:
    account = Account()
    pay = jit(lambda hours, rate: hours * rate)
    first = pay(10.0, account.rate)
    account.rate = 5.0
    return first, pay(10.0, account.rate)


def _printed(run: Callable[[], Any]) -> list[str]:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        jax.block_until_ready(run())
        jax.effects_barrier()
    return out.getvalue().split()


@differs(["plus", "plus"], ["minus", "plus"])
def printing(jit: Decorator) -> Any:
    @jit
    def sign(x: Any) -> Any:
        if x > 0:
            print("plus")
        else:
            print("minus")
        return x

    return _printed(lambda: (sign(1.0), sign(2.0)))


@instead
def printing_instead(jit: Decorator) -> Any:
    @jit
    def sign(x: Any) -> Any:
        if x > 0:
            jax.debug.print("{}", x)
        return x

    return _printed(lambda: (sign(1.0), sign(2.0)))


@differs((2.0, ["called", "called"], 2), (2.0, ["called"], 1))
def written_once(jit: Decorator) -> Any:
    log: list[str] = []
    account = Account()
    account.steps = 0

    @jit
    def step(x: Any) -> Any:
        log.append("called")
        account.steps += 1
        return x

    step(1.0)
    return step(2.0), log, account.steps


@instead
def written_once_instead(function: Decorator) -> Any:
    calls = ag.Variable(0)

    @function
    def step(x: Any) -> Any:
        calls.assign_add(1)
        return x

    step(1.0)
    return step(2.0), calls.value


@differs((2.0, 101.0), (2.0, 2.0))
def edited_callee(jit: Decorator) -> Any:
    def inner(x: Any) -> Any:
        return x + 1

    def edited(x: Any) -> Any:
        return x + 100

    outer = jit(lambda x: inner(x))
    first = outer(1.0)
    inner.__code__ = edited.__code__
    return first, outer(1.0)


@instead
def edited_callee_instead(jit: Decorator) -> Any:
    def inner(x: Any) -> Any:
        return x + 1

    def edited(x: Any) -> Any:
        return x + 100

    outer = jit(lambda x: inner(x))
    first = outer(1.0)
    inner.__code__ = edited.__code__
    if jit is ag.jit:
        outer.clear_cache()
    return first, outer(1.0)


# --- libraries -------------------------------------------------------------------------------------------------------


@instead
def singular_matrix_instead(jit: Decorator) -> Any:
    def inverse(m: Any) -> Any:
        try:
            return np.linalg.inv(m)
        except np.linalg.LinAlgError:
            return m

    return jit(inverse)(np.zeros((2, 2), np.float32))


@instead
def eigenvalues_instead(jit: Decorator) -> Any:
    return jit(lambda m: np.linalg.eigvals(m).real)(np.float32([[2.0, 0.0], [0.0, 3.0]]))


@instead
def partition_instead(jit: Decorator) -> Any:
    return jit(lambda x: np.sort(x))(np.float32([3.0, 1.0, 2.0]))


@instead
def narrow_types_instead(jit: Decorator) -> Any:
    return jit(lambda u: np.sin(u.astype(np.float32)))(np.uint8([1, 2]))


@instead
def half_the_width_instead(jit: Decorator) -> Any:
    with jax.enable_x64(True):
        found = jit(lambda i: np.sin(i.astype(float)))(np.int32([1, 2]))
    return found, found.dtype.name


@instead
def negative_to_unsigned_instead(jit: Decorator) -> Any:
    return jit(lambda f: np.clip(f, 0, 255).astype(np.uint8))(np.float32([-1.0, 300.0, 7.0]))


@differs((0,), (1,))
def leading_zeros(jit: Decorator) -> Any:
    a, b = np.float32([[1, 1], [1, 1], [1, 1]]), np.float32([1, 2, 3])
    return jit(lambda a, b: np.linalg.lstsq(a, b, rcond=None)[1])(a, b).shape


# --- refused, or failing when the program runs -------------------------------------------------------------------------


@differs(0.5, Raises("start from a float, as in `2.0 ** n`"))
def negative_power(jit: Decorator) -> Any:
    return jit(lambda n: 2**n)(-1)


@instead
def negative_power_instead(jit: Decorator) -> Any:
    return jit(lambda n: 2.0**n)(-1)


@differs(10_000_000_000, Raises("meets a Python integer that no integer of the program can hold"))
def large_integers(jit: Decorator) -> Any:
    return jit(lambda n: n * 5_000_000_000)(2)


@instead
def large_integers_instead(jit: Decorator) -> Any:
    return jit(lambda n: n * 5e9)(2.0)


@differs(1_307_674_368_000, Raises("OverflowError: math.factorial"))
def large_factorial(jit: Decorator) -> Any:
    return jit(lambda n: math.factorial(n))(15)


@instead
def large_factorial_instead(jit: Decorator) -> Any:
    return jit(lambda n: math.lgamma(n + 1.0))(15)


@differs(True, Raises("`a < b` asks whether a traced value is true"))
def order_of_tuples(jit: Decorator) -> Any:
    return jit(lambda a, b: a < b)((1.0, 2.0), (1.0, 3.0))


@instead
def order_of_tuples_instead(jit: Decorator) -> Any:
    return jit(lambda a, b: (a[0], a[1]) < (b[0], b[1]))((1.0, 2.0), (1.0, 3.0))


@differs(None, Raises("none of its tests holds for nan"))
def no_else_for_nan(jit: Decorator) -> Any:
    def side(x: Any) -> Any:
        if x > 0:
            return 1.0
        elif x <= 0:
            return -1.0

    return jit(side)(math.nan)


@instead
def no_else_for_nan_instead(jit: Decorator) -> Any:
    def side(x: Any) -> Any:
        if x > 0:
            return 1.0
        elif x <= 0:
            return -1.0
        else:
            return 0.0

    return jit(side)(math.nan)
