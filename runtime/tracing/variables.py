"""The variables of a statement: closure cells, and what an unbound one means.

Generated code hands an operator its variables as a lambda that is never called; the cells are the variables.

>>> def f():
...     x = 1
...     (variable,) = variables_of(lambda: (x,))
...     variable.set(5)
...     return variable.name, x
>>> f()
('x', 5)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from types import CellType, FunctionType
from typing import Any, NoReturn, Protocol

from autograph.errors import UndefinedVariableError
from autograph.runtime.tracing import sharing


class _Unset:
    """The value of a variable that is unbound: what an empty cell or a missing attribute reads as."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<unset>"


UNSET = _Unset()


BOUND = "_is_bound"
"""How the name of a variable ends that says whether another one is bound."""


class Undefined:
    """Left in a variable that only one path of a staged statement binds; reading it raises with the reason."""

    __slots__ = ("name", "reason")

    def __init__(self, name: str, reason: str) -> None:
        self.name = name
        self.reason = reason

    def __repr__(self) -> str:
        return f"<undefined {self.name}>"


def is_unbound(value: Any) -> bool:
    """Whether a variable that holds `value` has no value."""
    return value is UNSET or type(value) is Undefined


class CarriesNone(Enum):
    """Whether a loop may carry a variable that is `None` in some iterations and a value in others."""

    NEVER = 0
    IF_LEFT = 1
    """Only if an iteration that begins with `None` may leave `None`. Otherwise the first iteration is better run alone."""
    ALWAYS = 2


class Variable(Protocol):
    """A place that holds a value: a cell, an attribute, a list's contents, ..."""

    @property
    def name(self) -> str:
        """How the user writes it."""

    @property
    def is_optional(self) -> bool:
        """Whether it may hold `None` or a value (see `optional`)."""

    carries_none: CarriesNone
    """Whether a loop may carry both, from iteration to iteration."""

    def get(self) -> Any:
        """The value, or `UNSET`."""

    def set(self, value: Any) -> None:
        """Writes the value; `UNSET` unbinds."""


def cell_contents(cell: CellType) -> Any:
    """What a closure cell holds, or `UNSET`."""
    try:
        return cell.cell_contents
    except ValueError:
        return UNSET


class CellVariable:
    """A variable in a closure cell."""

    __slots__ = ("carries_none", "cell", "is_optional", "name")

    def __init__(self, name: str, cell: CellType, is_optional: bool = False) -> None:
        self.name = name
        self.cell = cell
        self.is_optional = is_optional
        self.carries_none = CarriesNone.NEVER

    def get(self) -> Any:
        return cell_contents(self.cell)

    def set(self, value: Any) -> None:
        if value is UNSET:
            try:
                del self.cell.cell_contents
            except ValueError:
                pass
        else:
            self.cell.cell_contents = value


class State:
    """Variables behind a pair of functions, for front ends that do not write closures.

    Args:
        names: the variables' names, for messages.
        get_state: returns their values as a tuple, `UNSET` for an unbound one.
        set_state: takes such a tuple.
    """

    def __init__(
        self,
        names: Sequence[str],
        get_state: Callable[[], tuple[Any, ...]],
        set_state: Callable[[tuple[Any, ...]], None],
    ) -> None:
        self.names = tuple(names)
        self.get_state = get_state
        self.set_state = set_state


class _StateVariable:
    __slots__ = ("index", "name", "state")
    is_optional, carries_none = False, CarriesNone.NEVER

    def __init__(self, state: State, index: int) -> None:
        self.state = state
        self.index = index
        self.name = state.names[index]

    def get(self) -> Any:
        return self.state.get_state()[self.index]

    def set(self, value: Any) -> None:
        values = list(self.state.get_state())
        values[self.index] = value
        self.state.set_state(tuple(values))


StateLike = Callable[[], Any] | State | list[Variable] | None


def variables_of(state: StateLike, optional: Sequence[str] = ()) -> list[Variable]:
    """The variables that a state names; `optional` are those that may hold `None` or a value (`optional`)."""
    if state is None:
        return []
    if isinstance(state, list):
        return state
    if isinstance(state, State):
        return [_StateVariable(state, i) for i in range(len(state.names))]
    return cells_of(state, optional)


def cells_of(function: Any, optional: Sequence[str] = ()) -> list[Variable]:
    """The variables that a function closes over."""
    assert isinstance(function, FunctionType)
    cells = zip(function.__code__.co_freevars, function.__closure__ or ())
    return [CellVariable(name, cell, name in optional) for name, cell in cells]


class Enclosed:
    """Variables that only closures made in the branches of a statement may read later: which of them nobody reads any more.

    A lambda that a branch hands to `jax.vmap`, a generator that it sums up: they are gone when the branch is over, and so is
    the last reader of what they refer to. A function over a variable refers to its cell, whose references tell.

    >>> def f(x, keep=[]):
    ...     [variable] = variables = cells_of(lambda: x)
    ...     enclosed = Enclosed(variables, ["x"])
    ...     before = sum(v * x for v in (1, 2)), enclosed.is_dead("x")
    ...     keep.append(lambda: x)
    ...     return before, enclosed.is_dead("x")
    >>> f(2)
    ((6, True), False)

    Args:
        variables: those of the statement.
        names: those of them that only closures made in the branches may read later.
    """

    def __init__(self, variables: list[Variable], names: Sequence[str]) -> None:
        self._cells = {v.name: v.cell for v in variables if v.name in names and isinstance(v, CellVariable)}
        self._counts = {name: sharing.references_outside(self._cells, name) for name in self._cells}

    def is_dead(self, name: str) -> bool:
        """Whether the branches, which are over, left no closure over a variable."""
        return name in self._cells and sharing.references_outside(self._cells, name) <= self._counts[name]


def read_free(variable: Callable[[], Any]) -> Any:
    """The value of a variable of a function around that may be unbound; written `read_free(lambda: y)`.

    Raises:
        NameError: as Python does, or `UndefinedVariableError` (one of its kind); see `read`.
    """
    value = variable()
    if type(value) is Undefined:
        raise_undefined(value)
    return value


def raise_undefined(value: Undefined) -> NoReturn:
    """Raises the error that explains why a variable is unbound."""
    raise UndefinedVariableError(value.reason)
