"""A NumPy array that a traced value is written to: it becomes an array of JAX where only the variable has it, else it is refused."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

import autograph as ag
from autograph import StagingError


class Holder:
    def __init__(self) -> None:
        self.sums = np.zeros(3)


def moved(v: Any) -> Any:
    x = np.zeros((3, 2))
    x[0] = v
    return np.moveaxis(x, 0, -1)


def renamed_each_time(v: Any) -> Any:
    c = np.ones(3)
    for _ in range(2):
        d = np.empty(3)
        for j in range(3):
            d[j] = c[j] * v
        c = d
    return c


def renamed_in_a_staged_loop(v: Any) -> Any:
    c, n = np.ones(3), 0
    while n < v:
        d = np.empty(3)
        for j in range(3):
            d[j] = c[j] * v
        c = d
        n += 1
    return c


def updated(v: Any) -> Any:
    x = np.zeros(3)
    x[0] += v
    x += v
    return x.T


def read_by_a_closure(v: Any) -> Any:
    x = np.zeros(3)

    def first() -> Any:
        return x[0]

    x[0] = v
    return first(), x.T


def of_an_attribute(v: Any) -> Any:
    holder = Holder()
    holder.sums += v
    holder.sums[0] = 2 * v
    return holder.sums.T


def table_over_a_counted_range(v: Any) -> Any:
    table = np.zeros((4, 4))
    for i in ag.range(3):
        for j in ag.range(3):
            if i + v > j:
                table[i + 1, j + 1] = table[i, j] + v
            else:
                table[i + 1, j + 1] = max(table[i, j + 1], table[i + 1, j])
    return table


def copied_into_one_another(v: Any) -> Any:
    x, y = np.zeros((4, 3)), np.ones((4, 3))
    y[0] = x[1]
    for i in range(1, 3):
        x[1:, i] = y[:-1, i] * v
        y[1:, i] = x[:-1, i]
    return x, y


def fill_rows(a: Any, u: Any) -> None:
    a[1:] = u[:-1] * 2
    a[0] = a[1]


filled = fill_rows  # a call by another name than that of the `def`


class Grid:
    def __init__(self) -> None:
        self.cells = np.zeros((4, 4))

    def step(self, v: Any) -> None:
        self.cells[0, :] = v
        self.cells[1:-1, 1:-1] = (self.cells[:-2, 1:-1] + self.cells[2:, 1:-1]) / 2


def of_an_object(v: Any) -> Any:
    grid = Grid()
    for _ in range(3):
        grid.step(v)
    return grid.cells


def of_an_object_in_staged_loops(v: Any) -> Any:
    grid, long = Grid(), Grid()
    while grid.cells[1, 1] < 0.2 * v:
        grid.step(v)
    for _ in range(40):
        long.step(v)
    if v > 1:
        grid.step(v)
    return grid.cells, long.cells


def of_containers(v: Any) -> Any:
    layers, state = [np.zeros(3) for _ in range(2)], {"at": np.zeros(2), "by": np.ones(2)}
    layers[0][1], layers[1][:] = v, v * np.ones(3)
    for _ in range(2):
        state["by"] -= state["at"] * v
        state["at"] += state["by"]
    if v > 1:
        state["at"][0] += 1
    return layers, state


def of_numbers_beyond_the_program(v: Any) -> Any:
    x = np.full(2, 1e300)  # `np.empty` may hold such
    x[:] = v
    return x


def of_uninitialised_memory(v: Any) -> Any:
    x = np.ndarray((2, 2), dtype=np.float32)
    x[:, 0] = v
    x[:, 1] = x[:, 0] * 2
    return x


def handed_to_a_function(v: Any) -> Any:
    x, u, k = np.zeros((3, 2)), np.ones((3, 2)), 0
    for _ in range(2):
        fill_rows(u, u * v)
        filled(x, u)
    while k < v:
        k += 1
        fill_rows(x, x)
    return x, u


@pytest.mark.parametrize(
    "f",
    [
        moved, renamed_each_time, renamed_in_a_staged_loop, updated, read_by_a_closure, of_an_attribute, table_over_a_counted_range,
        copied_into_one_another, handed_to_a_function, of_an_object, of_an_object_in_staged_loops, of_containers,
        of_uninitialised_memory, of_numbers_beyond_the_program,
    ],
)  # fmt: skip
def test_an_array_that_one_variable_has_becomes_an_array_of_jax(f: Any) -> None:
    for got, wanted in zip(jax.tree.leaves(ag.jit(f)(2.0)), jax.tree.leaves(f(2.0)), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-6)


def of_two_variables(v: Any) -> Any:
    x = y = np.zeros(2)
    x[0] = v
    return x, y


def without_axes_of_two_variables(v: Any) -> Any:
    x = y = np.zeros(())
    x[()] = v
    return x, y


def in_a_list(v: Any) -> Any:
    x = np.zeros(2)
    found = [x]
    x[0] = v
    return found, x.T


def of_an_object_and_a_variable(v: Any) -> Any:
    grid = Grid()
    cells = grid.cells
    grid.step(v)
    return cells.T


def of_two_objects_in_a_staged_loop(v: Any) -> Any:
    grid, other, n = Grid(), Grid(), 0
    other.cells = grid.cells
    while n < v:
        grid.step(v)
        n += 1
    return other.cells


def of_an_object_and_a_variable_of_the_loop(v: Any) -> Any:
    grid, n, total = Grid(), 0, 0.0
    while n < v:
        cells = grid.cells
        grid.step(v)
        n, total = n + 1, total + cells[0, 0]
    return total


class GridOfAProperty(Grid):
    writes = 0

    @property
    def first(self) -> Any:
        return self.cells

    @first.setter
    def first(self, cells: Any) -> None:
        self.writes += 1


def of_a_property(v: Any) -> Any:
    grid = GridOfAProperty()
    grid.first[0, 0] = v
    return grid.cells, grid.writes


class GridThatCounts:
    """Its property keeps the array under its own name."""

    def __init__(self) -> None:
        self.writes = 0
        self.cells = np.zeros((2, 2))

    @property
    def cells(self) -> Any:
        return self.__dict__["cells"]

    @cells.setter
    def cells(self, cells: Any) -> None:
        self.__dict__["cells"] = cells
        self.writes += 1


def of_a_property_of_its_name(v: Any) -> Any:
    grid = GridThatCounts()
    grid.cells[0, 0] = v
    return grid.cells, grid.writes


def of_a_dict_and_a_list(v: Any) -> Any:
    x = [np.zeros(2)]
    state = {"at": x[0]}
    state["at"][0] = v
    return x


def handed_while_a_list_has_it(v: Any) -> Any:
    x, u = np.zeros((3, 2)), np.ones((3, 2)) * v
    found = [x]
    fill_rows(x, u)
    return found, x.T


def with_a_row_in_a_list(v: Any) -> Any:
    x, rows = np.zeros((2, 2)), [None]
    rows[0] = x[:1]
    x[0] = v
    return rows, x.T


def with_a_view(v: Any) -> Any:
    x = np.zeros(2)
    row = x[:1]
    x[0] = v
    return row, x.T


def with_a_buffer(v: Any) -> Any:
    x = np.zeros(2)
    numbers = memoryview(x)
    x[0] = v
    return numbers[0], x.T


def of_the_caller(v: Any) -> Any:
    def fill(a: Any) -> None:
        a[0] = v

    x = np.zeros(2)
    fill(x.T if v is None else x)
    return x.T


def of_a_closure(v: Any) -> Any:
    x = np.zeros(2)

    def get() -> Any:
        return x

    get()[0] = v
    return x


def of_a_closure_and_rows(v: Any) -> Any:
    x = np.zeros((2, 2))

    def get() -> Any:
        return x

    get()[0][1] = v
    return x


@pytest.mark.parametrize(
    "f",
    [
        of_two_variables,
        without_axes_of_two_variables,
        in_a_list,
        of_an_object_and_a_variable,
        of_two_objects_in_a_staged_loop,
        of_an_object_and_a_variable_of_the_loop,
        of_a_property,
        of_a_property_of_its_name,
        of_a_dict_and_a_list,
        handed_while_a_list_has_it,
        with_a_row_in_a_list,
        with_a_view,
        with_a_buffer,
        of_the_caller,
        of_a_closure,
        of_a_closure_and_rows,
    ],
)
def test_an_array_that_something_else_has_is_refused(f: Any) -> None:
    with pytest.raises(StagingError, match="a NumPy array cannot be written with a traced value"):
        ag.jit(f)(2.0)


def test_an_array_without_axes_that_has_two_names_is_no_number() -> None:
    def changed_in_a_loop(n: Any) -> Any:
        x = y = np.array(5)
        while n > 0:
            x += 1
            n -= 3
        return x, y

    def filled_and_named_again(n: Any) -> Any:
        x = np.zeros((), int)
        x[()] = n
        y = x
        x[()] = 1
        return y

    def added_up(n: Any) -> Any:
        total = np.array(0)
        while n > 0:
            total += n
            n -= 1
        return total

    with pytest.raises(StagingError, match="NumPy array is changed"):
        ag.jit(changed_in_a_loop)(7)
    with pytest.raises(StagingError, match="NumPy array cannot be written"):
        ag.jit(filled_and_named_again)(7)
    assert ag.jit(added_up)(7) == added_up(7)


def test_an_array_that_a_function_fills_with_numbers_stays_one_of_numbers() -> None:
    def fill(a: Any, n: int) -> None:
        for i in range(n):
            a[i] = i * i

    def f(v: Any) -> Any:
        sizes = np.zeros(3, int)
        fill(sizes, 3)
        return v * np.ones(int(sizes[2]))

    assert ag.jit(f)(2.0).tolist() == f(2.0).tolist()
