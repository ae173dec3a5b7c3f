"""Every refusal: the exception's class and its exact message, with the line; and that plain Python stays untouched.

`FILE:+2` stands for the second line behind the function's `def` line. `{branches}`, `{carry}` and `{grows}` are remedies that many
messages share.
"""

from __future__ import annotations

import asyncio
import collections
import contextlib
import functools
import importlib.util
import inspect
import itertools
import json
import math
import operator
import os
import pathlib
import queue
import re
import statistics
import subprocess
import sys
import textwrap
import threading
import time
import warnings
import xml.etree.ElementTree
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from autograph.conversion import unknown_values
from tests.programs.harness import difference

REMEDIES = {
    "{lists}": "append in both branches, a neutral value in one of them; or let nothing but the variables and objects that the "
    "statement uses refer to the list (no argument, no tuple, no other name), and in a loop of unknown length say how often the "
    "loop iterates at most, "
    "`ag.set_loop_options(maximum_iterations=N)`: then a list may grow in it to which one local "
    "variable alone refers, and which goes into a dict or an object after the loop",
    "{branches}": "make both branches leave a value of one shape, dtype and structure, "
    "or test a Python value (a static argument), so that only one branch is used",
    "{grows}": "preallocate an array (x[n] = ...), or say how often the loop iterates at most, "
    "`ag.set_loop_options(maximum_iterations=N)`: then a list may grow in it to which one local "
    "variable alone refers, and which goes into a dict or an object after the loop",
    "{call}": "use an array and jax.numpy, make the value static (`static_argnums`), or let the running program call it: "
    "`jax.debug.callback` for what it does, `jax.pure_callback` for its value",
    "{carry}": "keep shape, structure and kind of the value the same in every iteration "
    "(preallocate an array and use x[i] = ...), or loop over a Python range so that the loop is unrolled",
}

CASES: dict[str, tuple[Callable[..., Any], type[Exception], str]] = {}


def refused(error: type[Exception], text: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the decorated function: `ag.jit(fn)(4)` raises exactly this."""

    def register(fn: Callable[..., Any]) -> Callable[..., Any]:
        CASES[fn.__name__] = fn, error, textwrap.dedent(text).strip()
        return fn

    return register


WITHOUT_COLUMNS = {"identity_of_a_known_and_a_traced_bool"}
"""What Python 3.11 gives no columns for: an `is` that a jump follows."""


def message_of(error: BaseException, fn: Callable[..., Any]) -> str:
    """The message of the error, with lines relative to the function and the shared remedies by name."""
    lines, first = inspect.getsourcelines(fn)
    start = first + next(i for i, line in enumerate(lines) if line.lstrip().startswith("def "))
    text = re.sub(re.escape(__file__) + r":(\d+)", lambda m: f"FILE:+{int(m.group(1)) - start}", str(error))
    for name, remedy in REMEDIES.items():
        text = text.replace(remedy, name)
    return text


@refused(
    ag.StagingError,
    """
    variable 'best' cannot be carried by the loop
      at FILE:+2
          for i in ag.range(x):
      before the loop:     int 1000000000000
      after one iteration: weak int32
      why: a loop cannot change the type of a value from iteration to iteration: 1000000000000 does not fit into int32
      instead: use a float, or a wider dtype (64 bits: `jax.config.update('jax_enable_x64', True)`)
      for more, run: autograph error loop-changes-shape
    """,
)
def a_number_too_large_for_a_carry(x):
    best = 10**12
    for i in ag.range(x):
        best = i
    return best


@refused(
    ag.StagingError,
    """
    an index into a list picks by a traced value among items that are not numbers or arrays of one shape
      at FILE:+1
          return [1, 2**40][x]
      why: Python integer 1099511627776 out of bounds for int32
      instead: use an array (`jnp.stack`), an `if` chain, or a Python int
      for more, run: autograph error item-that-is-no-number
    """,
)
def a_number_too_large_for_a_row(x):
    return [1, 2**40][x]


@refused(
    unknown_values._both(OverflowError),
    """
    `x & 0xAAAAAAAA` meets a Python integer that no integer of the program can hold
      at FILE:+1
          return x & 0xAAAAAAAA
                 ^^^^^^^^^^^^^^
      why: integers of a compiled program have 32 bits, or 64 where `jax_enable_x64` is set
      instead: `jax.config.update('jax_enable_x64', True)`, or beside a float write that integer `n` as one, `float(n)`
      for more, run: autograph error range-beyond-integers
    """,
)
def a_number_too_large_for_an_operator(x):
    return x & 0xAAAAAAAA


@refused(
    ag.StagingError,
    """
    the two branches of the if leave different values in 'out'
      at FILE:+1
          if x > 0:
      when the test is true: dict with keys 'loss'
      when it is false:      dict with keys 'cost'
      why: the structures differ, and one compiled program must serve both
      instead: {branches}
      for more, run: autograph error two-kinds
    """,
)
def dict_keys(x):
    if x > 0:
        out = {"loss": x}
    else:
        out = {"cost": x}
    return out


@refused(
    ag.StagingError,
    """
    the two branches of the if leave different values in 'best'
      at FILE:+2
          if x > 0:
      when the test is true: int32
      when it is false:      None
      why: the two sides are of different kinds, and one compiled program must serve both
      instead: use a number instead of None, and a flag of your own that says whether it counts
      for more, run: autograph error none-before-a-loop
    """,
)
def none_or_value(x):
    best = None
    if x > 0:
        best = x
    return best


@refused(
    ag.StagingError,
    """
    the two branches of the if leave different values in the returned value
      at FILE:+1
          if x > 0:
      when the test is true: float32[2]
      when it is false:      int32
      why: shapes differ, and one compiled program must serve both
      instead: {branches}
      for more, run: autograph error two-shapes
    """,
)
def returned_shapes(x):
    if x > 0:
        return jnp.zeros(2)
    return x


@refused(
    ag.StagingError,
    """
    this loop leaves an iterator that is used elsewhere on a traced condition
      at FILE:+2
          first = next((k for k in numbers if k > n), 0)
      why: how many items the loop takes is only known when the program runs, and the iterator lives in Python
      instead: loop over a list of the items (`items = list(iterator)`) and index it afterwards
      for more, run: autograph error shared-iterator
    """,
)
def item_of_a_shared_iterator(n):
    numbers = iter([1, 2, 3])
    first = next((k for k in numbers if k > n), 0)
    return first, next(numbers, 0)


@refused(
    ag.StagingError,
    """
    the two branches of the if leave different values in 'k'
      at FILE:+1
          if n > 0:
      when the test is true: key<fry>
      when it is false:      int32
      why: dtypes differ, and one compiled program must serve both
      instead: {branches}
      for more, run: autograph error two-shapes
    """,
)
def dtype_key(n):
    if n > 0:
        k = jax.random.key(0)
    else:
        k = n
    return k


@refused(
    ag.UndefinedVariableError,
    """
    variable 'y' has no value when the test of this `if` is false
      at FILE:+1
          if x > 0:
      why: the test is traced, so both branches are part of the program and both must leave a value
      instead: assign 'y' before the `if`, or in both branches
      for more, run: autograph error unbound-variable
    """,
)
def missing(x):
    if x > 0:
        y = x
    return y + 1


@refused(
    ag.UndefinedVariableError,
    """
    variable 'y' has no value when the test of this `if` is false
      at FILE:+2
          while n > 0 and (y := n * n) < 60:
      why: the test is traced, so both branches are part of the program and both must leave a value
      instead: assign 'y' before the `if`, or in both branches
      for more, run: autograph error unbound-variable
    """,
)
def bound_by_an_operand_and_read_behind_the_loop(n):
    t = 0
    while n > 0 and (y := n * n) < 60:
        t += y
        n -= 1
    return t, y


@refused(
    ag.UndefinedVariableError,
    """
    variable 't' has no value when the test of this `if` is true
      at FILE:+2
          if n > 0:
      why: the test is traced, so both branches are part of the program and both must leave a value
      instead: assign 't' before the `if`, or in both branches
      for more, run: autograph error unbound-variable
    """,
)
def delete(n):
    t = n
    if n > 0:
        del t
    return t


@refused(
    ag.StagingError,
    """
    variable 't' cannot be carried by the loop
      at FILE:+2
          while n > 0:
      before the loop:     tuple of 1 (int32)
      after one iteration: tuple of 2 (tuple of 1 (int32), int32)
      why: a loop cannot change the structure of a value from iteration to iteration: the structures differ
      instead: {carry}
      for more, run: autograph error loop-changes-shape
    """,
)
def carry_structure(n):
    t = (n,)
    while n > 0:
        t = (t, n)
        n = n - 1
    return t


@refused(
    ag.StagingError,
    """
    variable 'best' cannot be carried by the loop
      at FILE:+2
          while n > 0:
      before the loop:     None
      after one iteration: int32
      why: the value is not a number or an array, so a loop cannot change it from iteration to iteration
      instead: begin with a number: one that loses every comparison (`inf`), or any, with a flag that says whether it counts
      for more, run: autograph error none-before-a-loop
    """,
)
def carry_none(n):
    best = None
    while n > 0:
        best = n
        n = n - 1
    return best


WRITTEN: list[Any] = []


@refused(
    ag.StagingError,
    """
    the two branches of the if leave different values in the contents of the list 'WRITTEN'
      at FILE:+1
          if n > 0:
      when the test is true: list of 1 (int32)
      when it is false:      empty list
      why: the structures differ, and one compiled program must serve both
      instead: return the value, and write it where the function is called
      for more, run: autograph error state-outside-of-the-trace
    """,
)
def append_to_a_global(n):
    if n > 0:
        WRITTEN.append(n)
    return n


@refused(
    ag.StagingError,
    """
    the contents of the list 'WRITTEN' cannot be carried by the loop
      at FILE:+1
          while n > 0:
      before the loop:     empty list
      after one iteration: list of 1 (int32)
      why: a loop cannot change the structure of a value from iteration to iteration: the structures differ
      instead: return the value, and write it where the function is called
      for more, run: autograph error state-outside-of-the-trace
    """,
)
def append_to_a_global_in_a_loop(n):
    while n > 0:
        WRITTEN.append(n)
        n = n - 1
    return n


@refused(
    unknown_values._both(jax.errors.TracerBoolConversionError),
    """
    `is` between values that the program chooses
      at FILE:+3
          if on is not was:
             ^^^^^^^^^^^^^
      why: the test is taken for one of objects, and which bool or enum member it is, is only known when the program runs
      instead: compare them by `==` or `!=`
      for more, run: autograph error identity-of-two-bools
    """,
)
def identity_of_a_known_and_a_traced_bool(n):
    was = False
    on = n > 1
    if on is not was:
        return n + 1
    return n


@refused(
    ag.StagingError,
    """
    a NumPy array is changed inside a staged statement
      at FILE:+3
          while i < n:
      why: what it holds afterwards depends on a traced value, and it holds known numbers only
      instead: start from a JAX array: `x = jnp.asarray(x)`
      for more, run: autograph error numpy-array-in-a-branch
    """,
)
def numpy_write_in_a_loop(n):
    v = w = np.zeros(3)
    i = 0
    while i < n:
        v[0] += 1
        i += 1
    return w


@refused(
    ag.StagingError,
    """
    a list is changed in place that may be one of several: 'c'
      at FILE:+2
          if n > 0:
      why: which of several containers 'c' is, is only known when the program runs, so the change cannot reach the right one
      instead: copy it first (`x = list(x)`, `copy.copy(x)`, `copy.deepcopy(x)`), or build a new one instead of changing it
      for more, run: autograph error one-of-several-is-changed
    """,
)
def different_objects(n):
    a, b = [1, 2], [3, 4]
    if n > 0:
        c = a
    else:
        c = b
    c[0] = 9
    return a, b


@refused(
    ag.StagingError,
    """
    an index into a tuple picks by a traced value among items that are not numbers or arrays of one shape
      at FILE:+2
          return len(rows[n])
      why: a range object is neither a number nor an array
      instead: use an array (`jnp.stack`), an `if` chain, or a Python int
      for more, run: autograph error item-that-is-no-number
    """,
)
def tuple_index(n):
    rows = (range(2), range(3))
    return len(rows[n])


@refused(
    ag.StagingError,
    """
    a Counter cannot be read at a traced key
      at FILE:+1
          return collections.Counter([1, 2])[n]
      why: which keys it has would depend on the program, or its class decides what it does with a key that it does not have
      instead: use a dict that has all keys (`dict.fromkeys(range(n), 0)`), an array, or a static argument
      for more, run: autograph error container-at-a-traced-key
    """,
)
def counter_traced_key(n):
    return collections.Counter([1, 2])[n]


@refused(
    ag.StagingError,
    """
    this `return` and the rest of the function leave different values in the returned value
      at FILE:+3
          return jnp.zeros(3)
      when it is taken: float32[3]
      when it is not:   int32
      why: shapes differ, and one compiled program must serve both
      instead: {branches}
      for more, run: autograph error return-inside-a-loop
    """,
)
def return_shape_loop(n):
    for i in range(n):
        if i > 2:
            return jnp.zeros(3)
    return n


@refused(
    ag.StagingError,
    """
    sorted() cannot order by a traced key that holds str 'a'
      at FILE:+2
          xs.sort()
      why: traced keys are ordered by one `lax.sort` of numbers
      instead: give a key that returns a number or a tuple of numbers, always of one length
      for more, run: autograph error sort-key
    """,
)
def sort_key(n):
    xs = [(n, "a"), (2, "b")]
    xs.sort()
    return xs[0][0]


@refused(
    ag.StagingError,
    """
    the two branches of the if leave different values in `state['w']`
      at FILE:+2
          if x > 0:
      when the test is true: float32[3,1]
      when it is false:      float32[3]
      why: shapes differ, and one compiled program must serve both
      instead: {branches}
      for more, run: autograph error two-shapes
    """,
)
def nested_shapes(x):
    state = {"w": jnp.zeros(3), "b": x}
    if x > 0:
        state = {"w": jnp.zeros((3, 1)), "b": x}
    return state


@refused(
    ag.StagingError,
    """
    the two branches of the if leave different values in 'y'
      at FILE:+1
          if x > 0:
      when the test is true: list of 2 (int32, int32)
      when it is false:      tuple of 2 (int32, int32)
      why: the two sides are of different kinds, and one compiled program must serve both
      instead: {branches}
      for more, run: autograph error two-kinds
    """,
)
def list_or_tuple(x):
    if x > 0:
        y = [x, x]
    else:
        y = (x, x)
    return y


@refused(
    ag.StagingError,
    """
    the two branches of the conditional expression have different values
      at FILE:+7
          side = Left() if n > 0 else Right()
      when the test is true: a classes_differ.<locals>.Left object
      when it is false:      a classes_differ.<locals>.Right object
      why: the two sides are of different kinds, and one compiled program must serve both
      instead: {branches}
      for more, run: autograph error two-objects
    """,
)
def classes_differ(n):
    class Left:
        pass

    class Right:
        pass

    side = Left() if n > 0 else Right()
    return n, side is None


@refused(
    ag.StagingError,
    """
    the two branches of the conditional expression have different values at [1]
      at FILE:+1
          return (n, jnp.zeros(2)) if n > 0 else (n, jnp.zeros((3, 4)))
      when the test is true: float32[2]
      when it is false:      float32[3,4]
      why: shapes differ, and one compiled program must serve both
      instead: {branches}
      for more, run: autograph error two-shapes
    """,
)
def conditional_expression(n):
    return (n, jnp.zeros(2)) if n > 0 else (n, jnp.zeros((3, 4)))


@refused(
    ag.StagingError,
    """
    the two operands of the `or` have different values
      at FILE:+1
          return n > 0 or jnp.zeros(2)
      when the test is true: bool True
      when it is false:      float32[2]
      why: shapes differ, and one compiled program must serve both
      instead: {branches}
      for more, run: autograph error operands-of-two-shapes
    """,
)
def operands_of_or(n):
    return n > 0 or jnp.zeros(2)


@refused(
    ag.StagingError,
    """
    the two branches of the filter have different values
      at FILE:+1
          return sum(jnp.zeros(k) for k in (2, 2) if k > n)
      when the test is true: float32[2]
      when it is false:      int 0
      why: shapes differ, and one compiled program must serve both
      instead: {branches}
      for more, run: autograph error two-shapes
    """,
)
def filter_of_a_sum(n):
    return sum(jnp.zeros(k) for k in (2, 2) if k > n)


@refused(
    ag.StagingError,
    """
    the two branches of the if leave different values in 'y'
      at FILE:+1
          if (
              n > 3  # the statement begins one line above
              and n < 7
          ):
      when the test is true: float32[2]
      when it is false:      None
      why: the two sides are of different kinds, and one compiled program must serve both
      instead: use a number instead of None, and a flag of your own that says whether it counts
      for more, run: autograph error none-before-a-loop
    """,
)
def header_of_several_lines(n):
    if (
        n > 3  # the statement begins one line above
        and n < 7
    ):
        y = jnp.zeros(2)
    else:
        y = None
    return y


@refused(
    ag.UndefinedVariableError,
    """
    variable 'y' has no value when the test of this `if` is false
      at FILE:+3
          elif n > 1:
      why: the test is traced, so both branches are part of the program and both must leave a value
      instead: assign 'y' before the `if`, or in both branches
      for more, run: autograph error unbound-variable
    """,
)
def missing_in_the_last_branch(n):
    if n > 2:
        y = 1
    elif n > 1:
        y = 2
    return y


@refused(
    ag.StagingError,
    """
    the two branches of the if leave different values in 'shift'
      at FILE:+1
          if n > 2:
      when the test is true: the function <lambda>
      when it is false:      the function abs
      why: one of the functions refers to a value of the branch or iteration that made it, and one compiled program must serve both
      instead: hand the value to the function where it is called, or call the function where it is made
      for more, run: autograph error two-objects
    """,
)
def a_choice_between_functions(n):
    if n > 2:
        shift = (lambda k: lambda x: x + k)(2 * n)
    else:
        shift = abs
    return shift(3)


@refused(
    ag.UndefinedVariableError,
    """
    variable 'y' has no value when the test of this `if` is false
      at FILE:+1
          if n > 2:
      why: the test is traced, so both branches are part of the program and both must leave a value
      instead: assign 'y' before the `if`, or in both branches
      for more, run: autograph error unbound-variable
    """,
)
def used_in_a_closure(n):
    if n > 2:
        y = None
    return (lambda: y is None)()


@refused(
    ag.UndefinedVariableError,
    """
    variable 'y' has no value when the test of this `if` is false
      at FILE:+1
          if n > 2:
      why: the test is traced, so both branches are part of the program and both must leave a value
      instead: assign 'y' before the `if`, or in both branches
      for more, run: autograph error unbound-variable
    """,
)
def used_in_a_comprehension(n):
    if n > 2:
        y = n
    return len([y for _ in range(2)])


@refused(
    ag.StagingError,
    """
    variable 'v' cannot be carried by the loop
      at FILE:+2
          for k in range(n):
      before the loop:     float32[1]
      after one iteration: float32[2]
      why: a loop cannot change the type of a value from iteration to iteration: shapes differ
      instead: {carry}
      for more, run: autograph error loop-changes-shape
    """,
)
def carry_of_a_counted_loop(n):
    v = jnp.zeros(1)
    for k in range(n):
        v = jnp.append(v, k)
    return v


@refused(
    ag.StagingError,
    """
    variable 'v' cannot be carried by the loop
      at FILE:+3
          for _ in range(n):
      before the loop:     float32[2]
      after one iteration: float32[4]
      why: a loop cannot change the type of a value from iteration to iteration: shapes differ
      instead: {carry}
      for more, run: autograph error loop-changes-shape
    """,
)
def carry_of_an_inner_loop(n):
    v = jnp.ones(2)
    while n > 0:
        for _ in range(n):
            v = jnp.concatenate([v, v])
        n = n - 1
    return v


@refused(
    ag.StagingError,
    """
    `state['v']` cannot be carried by the loop
      at FILE:+2
          while n > state["k"]:
      before the loop:     float32[1]
      after one iteration: float32[2]
      why: a loop cannot change the type of a value from iteration to iteration: shapes differ
      instead: {carry}
      for more, run: autograph error loop-changes-shape
    """,
)
def part_of_a_carry(n):
    state = {"v": jnp.zeros(1), "k": 0}
    while n > state["k"]:
        state = {"v": jnp.append(state["v"], 1.0), "k": state["k"] + 1}
    return state


@refused(
    ag.StagingError,
    """
    the two branches of the if leave different values in the returned value
      at FILE:+3
          if n == 1:
      when the test is true: float 1.5
      when it is false:      tuple of 2 (int 1, int 2)
      why: the two sides are of different kinds, and one compiled program must serve both
      instead: {branches}
      for more, run: autograph error two-kinds
    """,
)
def two_returns_in_a_loop(n):
    while n > 0:
        n = n - 1
        if n == 1:
            return 1.5
        if n == 2:
            return (1, 2)
    return (n, n)


@refused(
    ag.StagingError,
    """
    the two branches of the if leave different values in the contents of the list 'out'
      at FILE:+6
          if n == i:
      when the test is true: list of 2 (int32, int 5)
      when it is false:      list of 1 (int32)
      why: the structures differ, and one compiled program must serve both
      instead: {lists}
      for more, run: autograph error list-that-one-branch-changes
    """,
)
def appended_before_a_return(n):
    out = [n]
    other_name = out

    def inner():
        for i in range(3):
            if n == i:
                out.append(5)
                return 1
        return 2

    return inner(), other_name


@refused(
    ag.StagingError,
    """
    the two branches of the if leave different values in 'state.value'
      at FILE:+8
          if n == i:
      when the test is true: tuple of 2 (int 1, int 2)
      when it is false:      int 1
      why: the two sides are of different kinds, and one compiled program must serve both
      instead: {branches}
      for more, run: autograph error two-kinds
    """,
)
def written_before_a_return(n):
    class State:
        value = 1

    state = State()

    def inner():
        for i in range(3):
            if n == i:
                state.value = (1, 2)
                return 1
        return 2

    return inner(), state.value


@refused(
    ag.StagingError,
    """
    the two branches of the if leave different values in the contents of the list 'seen'
      at FILE:+3
          for k in filter(lambda v: v > n, jnp.arange(3)):
      when the test is true: list of 1 (int32)
      when it is false:      empty list
      why: the structures differ, and one compiled program must serve both
      instead: {lists}
      for more, run: autograph error list-that-one-branch-changes
    """,
)
def iterations_of_a_filter(n):
    seen = []
    other_name = seen
    for k in filter(lambda v: v > n, jnp.arange(3)):
        seen.append(k)
    return other_name


@refused(
    ag.StagingError,
    """
    the two branches of the if leave different values in 'y'
      at FILE:+2
          if n > 3:
      when the test is true: float32[3]
      when it is false:      float32[4,1]
      why: shapes differ, and one compiled program must serve both
      instead: {branches}
      for more, run: autograph error two-shapes
    """,
)
def not_for_a_wide_handler(n):
    try:
        if n > 3:
            y = jnp.zeros(3)
        else:
            y = jnp.zeros((4, 1))
    except Exception:
        y = jnp.zeros(5)
    return y


@refused(
    ag.StagingError,
    """
    the two branches of the if leave different values in 'y'
      at FILE:+3
          if n > 3:
      when the test is true: float32[3]
      when it is false:      float32[4,1]
      why: shapes differ, and one compiled program must serve both
      instead: {branches}
      for more, run: autograph error two-shapes
    """,
)
def not_for_a_manager_that_suppresses(n):
    with contextlib.ExitStack() as stack:
        stack.enter_context(_Suppressing())
        if n > 3:
            y = jnp.zeros(3)
        else:
            y = jnp.zeros((4, 1))
        return y
    return jnp.zeros(5)


class _Suppressing:
    def __enter__(self) -> None: ...

    def __exit__(self, *error: object) -> bool:
        return True


@refused(
    ag.StagingError,
    """
    'rest' calls itself in a loop that ends on a traced condition
      at FILE:+3
          while k > 0:
      why: the body becomes part of the program also where it makes no iteration, so building it would never end
      instead: write a loop, or let a Python value (a static argument) end the recursion
      for more, run: autograph error recursion
    """,
)
def recursion_in_a_while_loop(n):
    def rest(k):
        total = 1
        while k > 0:
            k -= 1
            total += rest(k)
        return total

    return rest(n)


@refused(
    ag.StagingError,
    """
    'rest' calls itself in a loop that ends on a traced condition
      at FILE:+3
          for i in range(k):
      why: the body becomes part of the program also where it makes no iteration, so building it would never end
      instead: write a loop, or let a Python value (a static argument) end the recursion
      for more, run: autograph error recursion
    """,
)
def recursion_in_a_for_loop(n):
    def rest(k):
        total = 1
        for i in range(k):
            total += rest(i)
        return total

    return rest(n)


@refused(
    ag.StagingError,
    """
    KeyError is raised under a traced condition, and a handler around it would catch it
      at FILE:+3
          raise KeyError(x)
      why: the condition is only known when the compiled program runs, and handlers run while it is built
      instead: test for the case with `if`, and do there what the handler does
      for more, run: autograph error caught-exception
    """,
)
def raised_in_front_of_a_finally_that_raises(x):
    try:
        if x > 0:
            raise KeyError(x)
    finally:
        if x > 1:
            raise ValueError("large")
    return x


@refused(
    ag.StagingError,
    """
    KeyError is raised under a traced condition, and a handler around it would catch it
      at FILE:+4
          raise KeyError(i)
      why: the condition is only known when the compiled program runs, and handlers run while it is built
      instead: test for the case with `if`, and do there what the handler does
      for more, run: autograph error caught-exception
    """,
)
def raised_in_front_of_a_finally_that_jumps(x):
    for i in range(3):
        try:
            if x > i:
                raise KeyError(i)
        finally:
            break  # noqa: B012  # which silences the exception
    return i


@refused(
    ag.StagingError,
    """
    KeyError is raised under a traced condition, and a handler around it would catch it
      at FILE:+3
          raise KeyError(x)
      why: the condition is only known when the compiled program runs, and handlers run while it is built
      instead: test for the case with `if`, and do there what the handler does
      for more, run: autograph error caught-exception
    """,
)
def raised_in_front_of_a_finally_that_asserts(x):
    try:
        if x > 0:
            raise KeyError(x)
    finally:
        assert x < 3
    return x


@refused(
    ag.StagingError,
    """
    IndexError is raised under a traced condition, and a handler around it would catch it
      at FILE:+3
          return xs[x]
      why: the condition is only known when the compiled program runs, and handlers run while it is built
      instead: test for the case with `if`, and do there what the handler does
      for more, run: autograph error caught-exception
    """,
)
def an_index_error_that_a_handler_waits_for(x):
    xs = [1, 2, 3]
    try:
        return xs[x]
    except (KeyError, IndexError):
        return -1


@refused(
    ag.StagingError,
    """
    ValueError is raised under a traced condition, and a handler around it would catch it
      at FILE:+2
          return [math.sqrt(y) for y in (x, x)]
      why: the condition is only known when the compiled program runs, and handlers run while it is built
      instead: test for the case with `if`, and do there what the handler does
      for more, run: autograph error caught-exception
    """,
)
def a_domain_error_that_a_handler_waits_for(x):
    try:
        return [math.sqrt(y) for y in (x, x)]
    except ValueError:
        return [0.0, 0.0]


@refused(
    ag.StagingError,
    """
    `Fraction(n, 2)` cannot take a traced value
      at FILE:+2
          return float(Fraction(n, 2))
                       ^^^^^^^^^^^^^^
      why: what is called runs as plain Python, and says: both arguments should be Rational instances
      instead: {call}
      for more, run: autograph error value-that-python-asks-for
    """,
)
def an_error_of_tracing_that_a_handler_waits_for(n):
    try:
        return float(Fraction(n, 2))
    except TypeError:
        return -1


@refused(
    ag.StagingError,
    """
    `bytes(n + 1)` cannot take a traced value
      at FILE:+2
          return bytes(n + 1)[0]
                 ^^^^^^^^^^^^
      why: what is called runs as plain Python, and says: cannot convert 'DynamicJaxprTracer' object to bytes
      instead: {call}
      for more, run: autograph error value-that-python-asks-for
    """,
)
def an_error_of_tracing_is_not_suppressed(n):
    with contextlib.suppress(TypeError):
        return bytes(n + 1)[0]
    return -1


@refused(
    ag.StagingError,
    """
    ValueError is raised under a traced condition, and a `with` around it would see it
      at FILE:+3
          raise ValueError("large")
      why: the condition is only known when the compiled program runs, and the `with` is left while it is built
      instead: put the `try` inside the `with`, or test for the case with `if`, and do there what the handler does
      for more, run: autograph error exception-through-a-with
    """,
)
def raised_in_a_with_that_swallows(n):
    with _Suppressing():
        if n > 3:
            raise ValueError("large")
        return 1
    return 0


class _Sequence:
    def __init__(self, count: Any) -> None:
        self.count = count

    def __getitem__(self, k: int) -> int:
        if k >= self.count:
            raise IndexError
        return k * 10


def test_handlers_for_everything_do_not_hinder_an_index() -> None:
    @ag.jit
    def f(x):
        xs = [1, 2, 3]
        try:
            return xs[x % 3] + math.sqrt(x)
        except Exception:
            return 0.0

    assert f(4) == 4


@refused(
    ag.StagingError,
    """
    the two operands of the `and` leave different values in the contents of a list
      at FILE:+8
          return noted(x) < noted(2) < noted(3), other_name
      when the test is true: list of 3 (int32, int 2, int 3)
      when it is false:      list of 2 (int32, int 2)
      why: the structures differ, and one compiled program must serve both
      instead: {branches}
      for more, run: autograph error operands-of-two-shapes
    """,
)
def a_chain_of_comparisons_whose_operands_write(x):
    calls = []
    other_name = calls

    def noted(v):
        calls.append(v)
        return v

    return noted(x) < noted(2) < noted(3), other_name


@refused(
    ag.StagingError,
    """
    ExceptionGroup is raised under a traced condition, and a handler around it would catch it
      at FILE:+3
          raise ExceptionGroup("several", [ValueError()])
      why: the condition is only known when the compiled program runs, and handlers run while it is built
      instead: test for the case with `if`, and do there what the handler does
      for more, run: autograph error caught-exception
    """,
)
def a_group_that_a_handler_takes_apart(x):
    try:
        if x > 2:
            raise ExceptionGroup("several", [ValueError()])
    except* ValueError:
        x = 0
    return x


@refused(
    ag.StagingError,
    """
    ValueError is raised under a traced condition, and a handler around it would catch it
      at FILE:+2
          r = int("x") if n > 3 else 3
      why: the condition is only known when the compiled program runs, and handlers run while it is built
      instead: test for the case with `if`, and do there what the handler does
      for more, run: autograph error caught-exception
    """,
)
def raised_by_python_in_a_branch(n):
    try:
        r = int("x") if n > 3 else 3
    except ValueError:
        r = 9
    return r


@refused(
    ag.StagingError,
    """
    IndexError is raised under a traced condition, and a handler around it would catch it
      at FILE:+4
          r += [1, 2][5]
      why: the condition is only known when the compiled program runs, and handlers run while it is built
      instead: test for the case with `if`, and do there what the handler does
      for more, run: autograph error caught-exception
    """,
)
def raised_by_python_in_a_loop(n):
    r = 0
    with contextlib.suppress(IndexError):
        while n > 3:
            r += [1, 2][5]
            n -= 1
    return r


@refused(
    ag.StagingError,
    """
    the two branches of the conditional expression leave different values in the contents of the defaultdict 'd'
      at FILE:+2
          v = d["z"] if n > 0 else 3
      when the test is true: dict with keys 'z'
      when it is false:      dict with keys (none)
      why: the structures differ, and one compiled program must serve both
      instead: write the same keys in both branches, or before the statement
      for more, run: autograph error two-kinds
    """,
)
def missing_key_of_a_default_dict(n):
    d = collections.defaultdict(int)
    v = d["z"] if n > 0 else 3
    return v, "z" in d


@refused(
    ag.StagingError,
    """
    `__defaults__` of this function is changed inside a staged statement
      at FILE:+5
          g.__defaults__ = (4,)
      why: it decides what code runs or where it looks, while the program is traced
      instead: make another object, or keep the choice in an attribute
      for more, run: autograph error class-of-an-object
    """,
)
def defaults_changed(n):
    def g(x=1):
        return x

    if n > 0:
        g.__defaults__ = (4,)
    return g()


@refused(
    ag.StagingError,
    """
    'it' (list_iterator) is advanced inside a staged statement
      at FILE:+4
          xs[1:] = it
      why: it would be advanced while the program is traced, once, also where the statement is not reached
      instead: take the items before the statement (`items = list(...)`), or index a list or an array
      for more, run: autograph error iterator-in-a-branch
    """,
)
def an_iterator_into_a_slice(n):
    it = iter([1, 2])
    xs = [0]
    if n > 0:
        xs[1:] = it
    return xs


@refused(
    ag.StagingError,
    """
    'it' (list_iterator) is advanced inside a staged statement
      at FILE:+4
          total = functools.reduce(operator.add, it)
      why: it would be advanced while the program is traced, once, also where the statement is not reached
      instead: take the items before the statement (`items = list(...)`), or index a list or an array
      for more, run: autograph error iterator-in-a-branch
    """,
)
def an_iterator_into_reduce(n):
    it = iter([1, 2])
    total = 0
    if n > 0:
        total = functools.reduce(operator.add, it)
    return total


@refused(
    ag.StagingError,
    """
    the two branches of the if leave different values in the contents of the list 'xs'
      at FILE:+3
          if n > 0:
      when the test is true: list of 2 (int 7, int 3)
      when it is false:      list of 1 (int 7)
      why: the structures differ, and one compiled program must serve both
      instead: {lists}
      for more, run: autograph error list-that-one-branch-changes
    """,
)
def a_function_of_c_writes_what_reduce_gives_it(n):
    xs = [7]
    other_name = xs
    if n > 0:
        functools.reduce(operator.iadd, [[3]], xs)
    return other_name


@refused(
    ag.StagingError,
    """
    start() changes a Thread inside a staged statement
      at FILE:+5
          thread.start()
      why: it would change while the program is traced, also where the statement is not reached
      instead: change it before or after the statement
      for more, run: autograph error native-state
    """,
)
def a_thread_is_started(n):
    xs = [1, 2]
    thread = threading.Thread(target=xs.reverse)
    r = n
    if n > 0:
        thread.start()
    return r


@refused(
    ag.StagingError,
    """
    get() changes a SimpleQueue inside a staged statement
      at FILE:+4
          r = items.get()
      why: it would change while the program is traced, also where the statement is not reached
      instead: change it before or after the statement
      for more, run: autograph error native-state
    """,
)
def a_native_queue_is_read(n):
    items, r = queue.SimpleQueue(), 0
    items.put(3)
    if n > 0:
        r = items.get()
    return r


@refused(
    ag.StagingError,
    """
    the two branches of the if leave different values in the contents of the bytearray 'data'
      at FILE:+2
          if n > 0:
      when the test is true: b'Aa'
      when it is false:      b'aa'
      why: the value is not an array and differs, and one compiled program must serve both
      instead: {branches}
      for more, run: autograph error static-values-differ
    """,
)
def a_memoryview_is_written(n):
    data = bytearray(b"aa")
    if n > 0:
        memoryview(data)[0] = 65
    return data[0]


class Registering:
    names = []

    def __init_subclass__(cls):
        Registering.names.append(cls.__name__)


@refused(
    ag.StagingError,
    """
    the two branches of the if leave different values in the contents of the list 'Registering.names'
      at FILE:+2
          if n > 0:
      when the test is true: list of 1 (str 'Registered')
      when it is false:      empty list
      why: the structures differ, and one compiled program must serve both
      instead: return the value, and write it where the function is called
      for more, run: autograph error state-outside-of-the-trace
    """,
)
def a_class_statement_registers(n):
    Registering.names.clear()
    if n > 0:

        class Registered(Registering):
            pass

    return len(Registering.names)


class Model:
    rate = 1


@refused(
    ag.StagingError,
    """
    attribute 'rate' of class Model is written while a Model may take it from there
      at FILE:+3
          if n > 0:
      why: the statement writes the attribute of the object on one of its paths only, and whether the object has one of its own is \
only known when the program runs
      instead: write the attribute of the object before the statement, on both paths, or not at all
      for more, run: autograph error class-attribute-behind-a-branch
    """,
)
def class_attribute_is_written_in_the_other_branch(n):
    Model.rate = 1
    model = Model()
    if n > 0:
        model.rate = 2
    else:
        Model.rate = 3
    return model.rate


@refused(
    ag.StagingError,
    """
    a list is changed in place that may be the same as '<Model>.rates'
      at FILE:+4
          if n > 0:
      why: which of several containers '<Model>.rates' is, is only known when the program runs, so the change cannot reach it
      instead: copy it first (`x = list(x)`, `copy.copy(x)`, `copy.deepcopy(x)`), or build a new one instead of changing it
      for more, run: autograph error one-of-several-is-changed
    """,
)
def one_branch_copies_a_list(n):
    model = Model()
    rates = [n, n]
    model.rates = rates
    if n > 0:
        model.rates = list(rates)
    rates[0] = 1
    return model.rates[0]


@refused(
    ag.StagingError,
    """
    SubElement() may change an Element inside a staged statement
      at FILE:+3
          xml.etree.ElementTree.SubElement(tree, "b")
      why: it is written in C, and what changes while the program is traced cannot be put back where the statement is not reached
      instead: call it before or after the statement
      for more, run: autograph error object-of-c-code
    """,
)
def an_object_of_c_code_is_changed(n):
    tree = xml.etree.ElementTree.Element("a")
    if n > 0:
        xml.etree.ElementTree.SubElement(tree, "b")
    return len(tree)


@refused(
    ag.StagingError,
    """
    `in` takes items from an iterator that is used elsewhere
      at FILE:+2
          return all(c in it for c in [n, 1])
      why: Python stops at the item that decides, which is traced, so how many are taken is only known when the program runs
      instead: make a list of the items first (`items = list(...)`), then ask `in`
      for more, run: autograph error iterator-in-any
    """,
)
def a_shared_iterator_in_a_membership(n):
    it = iter([1, 2, 3, 1])
    return all(c in it for c in [n, 1])


@refused(
    ag.StagingError,
    """
    any() takes items whose evaluation binds a variable by `:=`
      at FILE:+1
          if any(any((hit := k) > n for k in row) for row in [[1], [2], [3]]):
      why: Python stops at the item that decides, which is traced, so which item binds it last is only known when the program runs
      instead: write a `for` loop that binds it and ends by `break`
      for more, run: autograph error walrus-in-any
    """,
)
def a_walrus_in_any_inside_any(n):
    if any(any((hit := k) > n for k in row) for row in [[1], [2], [3]]):
        return hit
    return -1


@refused(
    ag.StagingError,
    """
    this loop over an endless iterator ends on a traced condition
      at FILE:+2
          for a, b in zip(itertools.count(), itertools.cycle([1, 2])):
      why: the iterator lives in Python and cannot be advanced by the compiled program
      instead: count in a variable of your own with `while True:`
      for more, run: autograph error endless-iterator
    """,
)
def a_loop_over_endless_iterators(n):
    total = 0
    for a, b in zip(itertools.count(), itertools.cycle([1, 2])):
        total += a * b
        if total > n:
            break
    return total


@pytest.mark.parametrize("name", CASES)
def test_refusal(name: str) -> None:
    fn, error, expected = CASES[name]
    with pytest.raises(error) as caught:
        ag.jit(fn)(jnp.int32(4))
    assert type(caught.value) is error
    if sys.version_info < (3, 12) and name in WITHOUT_COLUMNS:
        expected = re.sub(r"\n +\^+(?=\n)", "", expected)
    assert message_of(caught.value, fn) == expected


@pytest.mark.parametrize("name", CASES)
def test_plain_python_is_untouched(name: str) -> None:
    fn = CASES[name][0]
    for n in (2, 0):
        try:
            expected = fn(n)
        except Exception as error:
            with pytest.raises(type(error), match=re.escape(str(error))):
                ag.convert(fn)(n)
        else:
            assert difference(expected, ag.convert(fn)(n), types="exact") is None


def test_a_class_of_the_family_is_also_the_python_one() -> None:
    assert issubclass(ag.StagingError, TypeError)
    assert issubclass(ag.UndefinedVariableError, UnboundLocalError)
    for error in (ag.StagingError, ag.UndefinedVariableError, ag.SourceError, ag.Unsupported):
        assert issubclass(error, ag.AutoGraphError)


BY_EXEC = (
    "put the function into a file; code run by `exec` needs its source in `linecache.cache` "
    "under the file name given to `compile`"
)


@pytest.mark.parametrize(
    ("filename", "instead"),
    [
        ("<string>", BY_EXEC), ("<magic-timeit>", "define the function in a cell of its own, and time the call (`%timeit f(x)`)"),
        ("/nowhere/module.py", "make the .py file available beside the compiled one"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("use", [ag.convert, ag.jit, ag.to_code, ag.convert(), ag.jit(static_argnums=0)])
def test_source_not_found(use: Callable[..., Any], filename: str, instead: str) -> None:
    namespace: dict[str, Any] = {}
    exec(compile("\ndef f(x):\n    return x if x > 0 else -x\n", filename, "exec"), namespace)
    with pytest.raises(ag.SourceError) as caught:
        use(namespace["f"])
    assert str(caught.value) == (
        f"cannot find the source of `f`\n  at {filename}:2\n"
        "  why: conversion works on the source of a function, and Python kept none for this file\n"
        f"  instead: {instead}\n"
        "  for more, run: autograph error no-source"
    )
    assert [entry.name for entry in caught.traceback] == ["test_source_not_found"]  # no frame of ours


@pytest.mark.slow
def test_a_frozen_module_is_converted_from_its_file() -> None:
    program = "import posixpath, autograph as ag; print(ag.convert(posixpath.isabs)('/'))"
    for options, shown in ([], "-X frozen_modules=off"), (["-X", "frozen_modules=off"], "True"):
        command = [sys.executable, *options, "-c", program]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "JAX_PLATFORMS": "cpu"})
        assert shown in done.stdout + done.stderr


def test_source_edited_after_import(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "edited_module.py"
    path.write_text("def f(x):\n    if x > 0:\n        return x\n    return -x\n")
    spec = importlib.util.spec_from_file_location("edited_module", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    path.write_text("def f(x):\n    if x > 1:\n        return x\n    return -x\n")
    with pytest.raises(ag.SourceError) as caught:
        ag.jit(module.f)(jnp.int32(4))
    assert str(caught.value) == (
        f"the source of `f` is not what is running\n  at {path}:1\n      def f(x):\n"
        "  why: the file was edited after it was imported, or something rewrote the function when it was imported\n"
        "  instead: import the module again (restart), or convert the function before it is rewritten\n"
        "  for more, run: autograph error edited-source"
    )


def test_truth_of_an_array_is_ambiguous_as_in_python() -> None:
    def branch(v):
        if v:
            return 1
        return 2

    def loop(v):
        while v > 0:
            v = v - 1
        return v

    for fn in (branch, loop):
        with pytest.raises(ValueError, match="truth value of an array with more than one element is ambiguous"):
            ag.jit(fn)(jnp.arange(3))


def test_errors_of_jax_keep_their_type() -> None:
    def size(n):
        if n > 0:
            n = n + 1
        return jnp.broadcast_to(1, (n,))

    with pytest.raises(TypeError, match="makes an array of a traced size"):
        ag.jit(size)(jnp.int32(3))

    def shapes(n):
        while n > 0:
            n = n - jnp.zeros(2) @ jnp.zeros(3)
        return n

    with pytest.raises(TypeError, match="dot_general requires contracting dimensions to have the same shape"):
        ag.jit(shapes)(jnp.float32(3))


LATER = "this part of the program is Python's own, and the value is known only when the compiled program runs"


def binary_digits(n):
    return bin(n).count("1")


def as_numbers(x):
    return list(memoryview(x.__array__()))


def of_traced_step(n):
    return jnp.arange(0, 9, n)


def masked(x):
    return x.__getitem__(x > 1)


@pytest.mark.parametrize(
    "fn, kind, text",
    [
        (
            binary_digits,
            jax.errors.TracerIntegerConversionError,
            """
            `bin(n)` needs a traced value as a Python integer
              at FILE:+1
                  return bin(n).count("1")
                         ^^^^^^
              why: {later}
              instead: use an array and jax.numpy, a `for` loop over `range(n)`, or make the value static (`static_argnums`)
              for more, run: autograph error value-that-python-asks-for
            """,
        ),
        (
            as_numbers,
            jax.errors.TracerArrayConversionError,
            """
            `x.__array__()` needs the numbers of a traced value
              at FILE:+1
                  return list(memoryview(x.__array__()))
                                         ^^^^^^^^^^^^^
              why: {later}
              instead: write it with jax.numpy, call it through jax.pure_callback, or make the value static (`static_argnums`)
              for more, run: autograph error value-that-python-asks-for
            """,
        ),
        (
            of_traced_step,
            jax.errors.ConcretizationTypeError,
            """
            `jnp.arange(0, 9, n)` needs a value that is known while the program is traced
              at FILE:+1
                  return jnp.arange(0, 9, n)
                         ^^^^^^^^^^^^^^^^^^^
              why: {later}
              instead: use jax.numpy and arrays of a known size (mask what is too much), make the value static \
(`static_argnums`), or do it with what the compiled program returns
              for more, run: autograph error value-that-python-asks-for
            """,
        ),
        (
            masked,
            jax.errors.NonConcreteBooleanIndexError,
            """
            `x.__getitem__(x > 1)` selects by a traced mask, so the number of elements is not known
              at FILE:+1
                  return x.__getitem__(x > 1)
                         ^^^^^^^^^^^^^^^^^^^^
              why: every array of a compiled program has a known shape
              instead: keep every element and mask it: `jnp.where(mask, x, neutral)`, or give `size=` to jnp.nonzero
              for more, run: autograph error value-that-python-asks-for
            """,
        ),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_what_jax_says_of_unknown_values_is_said_of_the_users_line(fn, kind, text) -> None:
    with pytest.raises(kind) as caught:
        ag.jit(fn)(jnp.arange(3) if fn is masked else 4)
    assert isinstance(caught.value, ag.StagingError)
    assert message_of(caught.value, fn) == textwrap.dedent(text).strip().replace("{later}", LATER)
    assert caught.value.location.lineno == inspect.getsourcelines(fn)[1] + 1


def return_in_a_finally(n):
    try:
        n += 1
    finally:
        if n > 7:
            return -5  # noqa: B012  # the rule warns of what this program is refused for
    return n


def beside_locals(n):
    names = locals()
    if n > 1:
        n = 5
    return n + len(names)


def in_a_comprehension_that_binds(n):
    last = 1
    return [(last := last * 2) if v > n else v for v in [1, 2, 3]]


@pytest.mark.parametrize(
    ("fn", "text"),
    [
        (
            return_in_a_finally,
            """
            `n > 7` asks whether a traced value is true
              at FILE:+4
                  if n > 7:
                     ^^^^^
              why: the `finally` at line LINE leaves by `return`, and no flag can stand for that, so what stands in the `try` \
stays as it is
              instead: set a variable in the `finally`, and leave behind the `try`
              for more, run: autograph error value-that-python-asks-for
            """,
        ),
        (
            beside_locals,
            """
            `n > 1` asks whether a traced value is true
              at FILE:+2
                  if n > 1:
                     ^^^^^
              why: the function calls `locals()`, which sees its variables, so its statements stay as they are
              instead: ask for variables by their names, or put the statement into a function of its own
              for more, run: autograph error value-that-python-asks-for
            """,
        ),
        (
            in_a_comprehension_that_binds,
            """
            `v > n` asks whether a traced value is true
              at FILE:+2
                  return [(last := last * 2) if v > n else v for v in [1, 2, 3]]
                                                ^^^^^
              why: the comprehension binds 'last' by `:=`, so what stands in it stays as it is
              instead: write a `for` loop that appends to a list
              for more, run: autograph error value-that-python-asks-for
            """,
        ),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_why_a_test_of_a_converted_function_stays_pythons(fn, text) -> None:
    with pytest.raises(ag.StagingError) as caught:
        ag.jit(fn)(4)
    said = re.sub(r"at line \d+", "at line LINE", message_of(caught.value, fn))
    assert said == textwrap.dedent(text).strip()


def yields_in_a_branch(n):
    def items():
        if n > 4:
            yield 1
        yield 2

    return sum(items())


def yields_in_a_loop(n):
    def items():
        for i in range(n):
            if n is not None:
                got = yield i + 1
                print(got)

    return sum(items())


def yields_in_an_expression(n):
    def items():
        return (yield from (1, 2)) if n > 4 else (yield 3)

    return sum(items())


def awaits_in_a_loop(n):
    async def items():
        while n > 4:
            async with asyncio.timeout(1):
                pass

    return asyncio.run(items())


def yields_in_a_match(n):
    async def items():
        match n:
            case 4:
                yield n

    async def gathered():
        return [x async for x in items()]

    return asyncio.run(gathered())


def breaks_before_a_yield(n):
    def items():
        for i in range(9):
            if i > n:
                break
            yield i

    return sum(items())


def returns_before_an_await(n):
    async def items():
        if n > 4:
            return n
        async with asyncio.timeout(1):
            return 2

    return asyncio.run(items())


@pytest.mark.parametrize(
    ("fn", "text"),
    [
        (
            breaks_before_a_yield,
            """
            generator 'items' breaks inside an `if` that a traced value decides
              at FILE:+3
                  if i > n:
                     ^^^^^
              it breaks: at line +4, `break`
              it yields: at line +5, `yield i`
              why: a compiled program cannot stop half-way, so what jumps past a `yield` stays Python's own
              instead: yield in every case, with a flag that says whether the value counts
              for more, run: autograph error yield-in-a-staged-statement
            """,
        ),
        (
            returns_before_an_await,
            """
            coroutine 'items' returns inside an `if` that a traced value decides
              at FILE:+2
                  if n > 4:
                     ^^^^^
              it returns: at line +3, `return n`
              it awaits:  at line +4, `async with asyncio.timeout(1):`
              why: a compiled program cannot stop half-way, so what jumps past an `await` stays Python's own
              instead: await before the statement, and let the condition choose among values
              for more, run: autograph error await-in-a-staged-statement
            """,
        ),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_a_jump_past_a_yield_or_an_await_is_named(fn, text) -> None:
    with pytest.raises(ag.StagingError) as caught:
        ag.jit(fn)(4)
    first = inspect.getsourcelines(fn)[1]
    expected = re.sub(r"line \+(\d)", lambda found: f"line {first + int(found[1])}", textwrap.dedent(text).strip())
    assert message_of(caught.value, fn) == expected


@pytest.mark.parametrize(
    "fn, what, shown, where",
    [
        (
            yields_in_a_branch,
            "generator 'items' yields inside an `if` that a traced value decides",
            ["if n > 4:", "   ^^^^^"],
            "yields: at line 3, `yield 1`",
        ),
        (
            yields_in_a_loop,
            "generator 'items' yields inside a `for` that a traced value decides",
            ["for i in range(n):"],
            "yields: at line 4, `yield (i + 1)`",
        ),
        (
            yields_in_an_expression,
            "generator 'items' yields inside a conditional expression that a traced value decides",
            ["return (yield from (1, 2)) if n > 4 else (yield 3)", "                              ^^^^^"],
            "yields: at line 2, `yield from (1, 2)`",
        ),
        (
            awaits_in_a_loop,
            "coroutine 'items' awaits inside a `while` that a traced value decides",
            ["while n > 4:", "      ^^^^^"],
            "awaits: at line 3, `async with asyncio.timeout(1):`",
        ),
        (
            yields_in_a_match,
            "generator 'items' yields inside a `match` that a traced value decides",
            ["case 4:"],
            "yields: at line 4, `yield n`",
        ),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_a_statement_with_a_yield_or_an_await_is_named(fn, what, shown, where) -> None:
    with pytest.raises(ag.StagingError) as caught:
        ag.jit(fn)(4)
    word = "an `await`" if where.startswith("awaits") else "a `yield`"
    first = inspect.getsourcelines(fn)[1] + 1
    where = re.sub(r"line (\d)", lambda found: f"line {first + int(found[1]) - 1}", where)
    text = re.sub(r"FILE:\+\d", "FILE", message_of(caught.value, fn)).splitlines()
    assert text[0] == what and text[1] == "  at FILE"
    assert text[2].strip() == shown[0] and [line for line in text if line.strip() == shown[-1].strip()]
    assert text[-4:] == [
        f"  it {where}",
        f"  why: a compiled program cannot stop half-way, so what holds {word} stays Python's own",
        "  instead: await before the statement, and let the condition choose among values"
        if "await" in word
        else "  instead: collect the values in a list and return that, or write the statement where the values are used",
        f"  for more, run: autograph error {word.split('`')[1]}-in-a-staged-statement",
    ]


@pytest.mark.parametrize(
    "fn, what, why",
    [
        (
            lambda n: {1, n},
            "needs the hash of a traced value",
            "sets, the keys of dicts and caches find a value by its number, which is known only when the program runs",
        ),
        (
            lambda n: (2,) * n,
            "repeats a sequence a traced number of times",
            "a list of a compiled program has a known length",
        ),
        (
            lambda n: (1, 2) - jnp.full(2, n)[0],
            "takes a traced value and a list",
            "a list beside an array becomes an array, as in NumPy; beside a single number it does not",
        ),
        (
            lambda n: (n * jnp.arange(1, 4)) ** -1,
            "raises a traced integer to a negative power, which is a float in Python",
            "an integer of a compiled program stays one",
        ),
        (lambda n: statistics.variance([n, 2], 1), "needs the exact fraction of a traced value", LATER),
    ],
    ids=["hash", "repeat", "list", "power", "fraction"],
)
def test_what_python_says_of_unknown_values_is_said_of_the_users_line(fn, what, why) -> None:
    with pytest.raises(TypeError) as caught:
        ag.jit(fn)(4)
    assert isinstance(caught.value, ag.StagingError) and caught.value.location.filename == __file__
    text = str(caught.value)
    assert text.splitlines()[0].endswith(f"` {what}")
    assert f"at {__file__}:" in text and f"why: {why}\n" in text


def test_a_slice_of_traced_length_is_named() -> None:
    def f(x, n):
        return x.at[1:n].set(0)

    with pytest.raises(IndexError) as caught:
        ag.jit(f)(jnp.arange(4), 3)
    assert message_of(caught.value, f) == textwrap.dedent("""\
        `x.at[1:n].set(0)` has a traced length
          at FILE:+1
              return x.at[1:n].set(0)
                     ^^^^^^^^^^^^^^^^
          why: every array of a compiled program has a known shape
          instead: mask: `jnp.where(jnp.arange(len(x)) < n, x, 0)`
          for more, run: autograph error value-that-python-asks-for""")


def test_a_function_without_source_is_named_where_it_fails() -> None:
    namespace: dict[str, Any] = {}
    exec("def unseen(x):\n    return 1 if x > 0 else 2\n", namespace)
    unseen = namespace["unseen"]

    def calls_it(x):
        return unseen(x) + 1

    with pytest.raises(jax.errors.TracerBoolConversionError) as caught:
        ag.jit(calls_it)(4)
    assert message_of(caught.value, calls_it).splitlines()[:-2] == [
        "`unseen(x)` asks whether a traced value is true",
        "  at FILE:+1",
        "      return unseen(x) + 1",
        "             ^^^^^^^^^",
        "  why: `unseen` is not converted, since Python kept no source of it, and runs as plain Python",
    ]


def test_a_function_that_stays_unconverted_is_named_where_it_fails() -> None:
    @ag.do_not_convert
    def left_alone(x):
        return 1 if x > 0 else 2

    def calls_it(x):
        return left_alone(x) + 1

    with pytest.raises(jax.errors.TracerBoolConversionError) as caught:
        ag.jit(calls_it)(4)
    assert message_of(caught.value, left_alone).splitlines()[:-2] == [
        "`x > 0` asks whether a traced value is true",
        "  at FILE:+1",
        "      return 1 if x > 0 else 2",
        "                  ^^^^^",
        "  why: `left_alone` is marked with `ag.do_not_convert`, and runs as plain Python",
    ]


@pytest.fixture
def package(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """An installed package that calls what was registered with it, out of reach of a traced function."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    text = "_kept = []\n\ndef call(x):\n    return globals()['_' + 'kept'][-1](x)\n\ndef own(x):\n    return 1 if x > 0 else 2\n"
    pathlib.Path(folder, "calls_back.py").write_text(text)
    monkeypatch.syspath_prepend(str(folder))
    yield importlib.import_module("calls_back")
    del sys.modules["calls_back"]


class Stepper:
    def sign(self, x):
        return 1 if x > 0 else 2


def test_a_method_that_a_package_calls_is_to_be_converted(package: Any) -> None:
    package._kept.append(Stepper().sign)
    with pytest.raises(jax.errors.TracerBoolConversionError) as caught:
        ag.jit(lambda x: package.call(x))(4)
    assert message_of(caught.value, Stepper.sign).splitlines() == [
        "`x > 0` asks whether a traced value is true",
        "  at FILE:+1",
        "      return 1 if x > 0 else 2",
        "                  ^^^^^",
        "  why: library code calls `Stepper.sign`, which is not converted and runs as plain Python",
        "  instead: put `@ag.convert` on `Stepper.sign` at FILE:+0",
        "  for more, run: autograph error value-that-python-asks-for",
    ]
    package._kept.append(ag.convert(Stepper().sign))
    assert int(ag.jit(lambda x: package.call(x))(4)) == 1


def test_what_a_package_calls_is_to_be_converted_and_not_what_that_calls(package: Any) -> None:
    def helper(x):
        return len(range(x))

    def kept(f):
        return f

    @kept
    def handler(x):
        return helper(x)

    for registered, instead in [
        (handler, f"put `@ag.convert` on `handler` at FILE:{handler.__code__.co_firstlineno}, below what decorates it"),
        (lambda x: helper(x), f"write `ag.convert(lambda ...)` at FILE:{inspect.currentframe().f_lineno}"),
    ]:
        package._kept.append(registered)
        with pytest.raises(jax.errors.TracerIntegerConversionError) as caught:
            ag.jit(lambda x: package.call(x))(4)
        assert str(caught.value).replace(__file__, "FILE").splitlines()[-2] == f"  instead: {instead}"
        package._kept.append(ag.convert(registered))
        assert int(ag.jit(lambda x: package.call(x))(4)) == 4


def test_a_function_of_a_package_is_converted_where_that_is_asked_for(package: Any) -> None:
    def calls_it(x):
        return package.own(x)

    with pytest.raises(jax.errors.TracerBoolConversionError) as caught:
        ag.jit(calls_it)(4)
    assert message_of(caught.value, calls_it).splitlines() == [
        "`package.own(x)` asks whether a traced value is true",
        "  at FILE:+1",
        "      return package.own(x)",
        "             ^^^^^^^^^^^^^^",
        "  why: `own` is library code, which is not converted",
        "  instead: call it as `ag.convert(package.own)`, or make the value static (`static_argnums`)",
        "  for more, run: autograph error value-that-python-asks-for",
    ]
    assert int(ag.jit(lambda x: ag.convert(package.own)(x))(4)) == 1


def test_handlers_inside_a_function_see_jaxs_own_error() -> None:
    def f(n):
        try:
            return n + len(bin(n))
        except jax.errors.TracerIntegerConversionError as error:
            assert not isinstance(error, ag.StagingError)
            return n

    assert ag.jit(f)(4) == 4


def test_a_finally_that_leaves_does_not_lose_a_refusal() -> None:
    def breaks(a: Any) -> Any:
        y = 0
        for _ in range(2):
            try:
                y = jnp.ones(3) if a > 0 else jnp.ones((4, 1))
            finally:
                break  # noqa: B012  # that it silences exceptions is what is tried
        return y

    def raises(a: Any) -> Any:
        y = 0
        try:
            try:
                y = jnp.ones(3) if a > 0 else jnp.ones((4, 1))
            finally:
                raise KeyError
        except KeyError:
            return y

    def returns(a: Any) -> Any:
        y = 0
        try:
            y = [1, 2][jnp.ones(3) if a > 0 else jnp.ones((4, 1))]
        finally:
            return y  # noqa: B012  # the same

    for program in (breaks, raises, returns):
        with pytest.raises(ag.StagingError, match=r"shapes differ"):
            ag.jit(program)(1)


class _Index:
    def __init__(self, value: Any) -> None:
        self.value = value

    def __index__(self) -> Any:
        return self.value


@pytest.mark.parametrize(
    "part",
    [
        lambda n: [0] * n,
        lambda n: "abc"[:n],
        lambda n: {n, 1},
        lambda n: hash(n),
        lambda n: {1: 2}.pop(n, 1),
        lambda n: [1, 2, 3][_Index(n)],
        lambda n: np.zeros(n),
        lambda n: jnp.zeros(n),
        lambda n: jnp.arange(6).reshape(n, -1),
        lambda n: collections.deque([1, 2], maxlen=n),
        lambda n: json.dumps([n]),
        lambda n: Fraction(n, 2),
        lambda n: list(itertools.islice([1, 2], [n][0])),
        lambda n: list(itertools.islice([1, 2], _Index(n).value)),
        lambda n: time.sleep(n / 1000),
    ],
)
def test_no_handler_gets_what_only_a_traced_value_brings_about(part) -> None:
    def f(n):
        try:
            part(n)
        except (TypeError, ValueError, IndexError):
            return -1
        return 0

    assert f(2) == 0
    with pytest.raises((TypeError, ValueError, IndexError), match=r"traced") as caught:
        ag.jit(f)(2)
    assert f"at {__file__}:" in str(caught.value)


def test_no_handler_gets_it_behind_a_jit_inside() -> None:
    inner = ag.jit(lambda n: jnp.float32(len((0,) * n)))

    def f(n):
        try:
            return inner(n)
        except TypeError:
            return jnp.float32(-1)

    with pytest.raises(TypeError, match=r"traced number of times"):
        ag.jit(f)(2)


def _raises(error: BaseException) -> Any:
    raise error


@pytest.mark.parametrize(
    "part",
    [
        lambda n: int("x") + n,
        lambda n: [n, n][7],
        lambda n: jnp.zeros(3) + jnp.zeros(4) + n,
        lambda n: (lambda: 0)(n),
        lambda n: [].index(n),
        lambda n: [n].remove(None),
        lambda n: None + n,
        lambda n: "a" + n,
        lambda n: n < "a",
        lambda n: len(n),
        lambda n: list(n),
        lambda n: n[0],
        lambda n: n(),
        lambda n: n.no_such,
        lambda n: max([]) + n,
        lambda n: [(a, b) for a, b in [[n]]],
        lambda n: _raises(TypeError("a Tracer", n)),
        lambda n: _raises(ValueError(n)),
    ],
)
def test_handlers_get_what_plain_python_raises_too(part) -> None:
    def f(n):
        try:
            part(n)
        except (TypeError, ValueError, IndexError, AttributeError):
            return -1
        return 0

    assert f(2) == ag.jit(f)(2) == -1


def test_handlers_for_refusals_get_them() -> None:
    def f(x):
        try:
            if x > 0:
                y = jnp.zeros(3)
            else:
                y = jnp.zeros((4, 1))
        except (KeyError, ag.StagingError):
            y = jnp.zeros(5)
        return y

    def g(x):
        try:
            return x.__float__()
        except jax.errors.ConcretizationTypeError:
            return 7

    def h(x):
        try:
            return x.__float__()
        except TypeError:
            return 7

    assert ag.jit(f)(1).shape == (5,)
    assert ag.jit(g)(1) == 7
    with pytest.raises(jax.errors.ConcretizationTypeError):
        ag.jit(h)(1)


def test_what_arrays_of_numpy_alone_have_is_refused_and_is_an_attribute_error() -> None:
    def put(n: Any) -> Any:
        x = np.zeros(3) + n
        x.put([0], n)
        return x

    for fn, name in ((put, "x.put"), (lambda n: n.numerator, "n.numerator")):
        with pytest.raises(ag.StagingError, match=f"`{name}` asks a traced value for what an array of JAX") as caught:
            ag.jit(fn)(3)
        assert isinstance(caught.value, AttributeError)


def test_a_refused_program_can_be_called_with_static_values() -> None:
    def f(x, n):
        out = []
        while n > 0:
            out.append(x * n)
            n = n - 1
        return out

    with pytest.raises(ag.StagingError):
        ag.jit(f)(jnp.int32(4), jnp.int32(3))
    assert ag.jit(f, static_argnums=1)(jnp.int32(4), 3) == [12, 8, 4]


def _read_by_a_finally(a):
    found = [0]
    last = None
    try:
        if a > 2:
            return found
        last = (a, a)
    finally:
        found[0] = 1 if last is None else 2
    return found


def _read_by_a_returned_closure(a):
    def closure():
        last = None

        def read():
            return last

        for i in range(3):
            if a == i:
                return read
            last = i, a
        return read

    return 1 if closure()() is None else 2


def test_a_variable_that_outlives_a_return_is_not_forgotten_in_the_branch_that_returns() -> None:
    assert [ag.jit(_read_by_a_finally)(a) for a in (1, 3)] == [_read_by_a_finally(a) for a in (1, 3)] == [[2], [1]]
    with pytest.raises(ag.StagingError, match="different values in 'last'"):
        ag.jit(_read_by_a_returned_closure)(1)
    assert _read_by_a_returned_closure(1) == 2


def test_a_variable_that_no_one_reads_after_a_return_is_forgotten() -> None:
    def find(a):
        last = None
        for i in range(3):
            if a == i:
                return -1
            last = i, a
        return last[0] + last[1]

    assert [int(ag.jit(find)(a)) for a in (0, 1, 5)] == [find(a) for a in (0, 1, 5)]


class _Shown:
    def __init__(self, x):
        self.x = x

    def __repr__(self):
        return f"Shown({self.x})"


@pytest.mark.parametrize(
    "read",
    [
        lambda x: f"{x}" == "2.0",
        lambda x: len(f"{x:.2f}"),
        lambda x: "%s" % x == "2.0",  # noqa: UP031  # the operator is what is tried
        lambda x: "%s %s" % (1, f"{x}") == "1 2.0",  # noqa: UP031  # the operator is what is tried
        lambda x: "%d" % x,  # noqa: UP031  # the operator is what is tried
        lambda x: "{}".format(*[x]) == "2.0",
        lambda x: "".join(["a", str(x)]) == "a2.0",
        lambda x: {"k2.0": 1}[f"k{x}"],
        lambda x: f"k{x}" in {"k2.0": 1},
        lambda x: f"{(x, 1)}" == "(2.0, 1)",
        lambda x: str(_Shown(x)) == "Shown(2.0)",
        lambda x: f"{_Shown(x)!r:>12}" == "  Shown(2.0)",
        lambda x: format(x, ".2f") == "2.00",
        lambda x: int(f"{x}"[0]),
        lambda x: f"{f'{x}'}" == "2.0",
        lambda x: {"2.0": 1}.get(f"{x}", 5),
        lambda x: len({str(x), "2.0"}),
        lambda x: len(str(x).encode()),
        lambda x: format(1.5, f"{x}") != "",
        lambda x: f"{1.5:{x}}" != "",
        lambda x: "{:{}}".format(1.5, x),
    ],
)
def test_strings_of_traced_values_are_not_read(read: Callable[..., Any]) -> None:
    assert read(2.0) is not None
    with pytest.raises(ag.StagingError, match="a string that shows a traced value is read"):
        jax.jit(ag.convert(read))(2.0)


def test_strings_of_traced_values_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    @ag.jit
    def f(x):
        name = f"{x.shape}-{x.dtype}"
        print("shown", f"{x}", "%s" % x, name)  # noqa: UP031  # the operator is what is tried
        return {"()-float32": 1.0}[name] * x

    assert f(jnp.float32(2)) == 2
    assert capsys.readouterr().out.startswith("shown JitTracer")


@pytest.mark.slow
def test_printing_in_a_branch_is_warned_of_once_in_a_process(tmp_path: pathlib.Path) -> None:
    text = """\
import autograph as ag

@ag.jit
def f(x):
    print("before", x)
    if x > 0:
        print("positive", x)
    else:
        print(f"negative {x}", "or zero")
    return x

f(1.0)
f(1)
"""
    (tmp_path / "program.py").write_text(text)
    done = subprocess.run([sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["before", "negative", "positive"] * 2
    assert done.stderr.replace(str(tmp_path.resolve()) + os.sep, "").splitlines() == [
        "program.py:9: AutoGraphWarning: `print` shows a traced value while the program is traced, in both branches of an `if` "
        "and once for a loop; `jax.debug.print('negative {} or zero', x)` prints when the program runs",
        '  print(f"negative {x}", "or zero")',
    ]


def test_strings_of_traced_values_are_warned_with() -> None:
    @ag.jit
    def f(x):
        d = {"a": x, "b": 1.0} if x > 0 else {"b": 1.0, "a": x}
        warnings.warn(f"x is {x}", UserWarning, 1)  # while the order of the keys of `d` is not known
        return d["a"]

    with pytest.warns(UserWarning, match="x is JitTracer") as found:
        f(2.0)
    assert [w.filename for w in found] == [__file__]


def test_a_message_made_before_the_raise_has_the_values_of_the_failure() -> None:
    @ag.jit
    def f(x):
        message = f"{x:.1f} is too large"
        if x > 1:
            raise ValueError(message)
        return x

    with pytest.raises((jax.errors.JaxRuntimeError, ValueError), match=r"2\.0 is too large"):
        f(2.0).block_until_ready()
