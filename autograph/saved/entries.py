"""What is saved of one signature of a function: its program, its trees of arguments and results, its state, its checks.

An object that knows its own programs, as a function with several traces does, has a method `__saved_entries__` (`Saveable`), and
`ag.save` writes what that returns. Of any other function `autograph/saved/saving.py` makes the entries.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, runtime_checkable

from jax.export import Exported

Tree: TypeAlias = Any
"""The structure of a value, as JSON has it; `autograph/saved/trees.py` makes it and says what it looks like."""

Piece: TypeAlias = str | tuple[int, str, str]
"""A part of a message: a string, or the number of a value of the checks, its format and its conversion (`r`, `s`, `a`)."""


@dataclass(frozen=True)
class Check:
    """What a failed check raises: the program says by a number which one, and what the values are.

    >>> Check("ValueError", ("x is ", (0, ".2f", "")), "model.py", 12)
    Check(exception='ValueError', message=('x is ', (0, '.2f', '')), file='model.py', line=12, base='')

    Args:
        exception: the name of the class. One that is no builtin is made where the file is loaded, from `base`.
        message: the parts of the message.
        file: the name of the file in which the check stands, as messages show it.
        line: its line there.
        base: the nearest builtin class from which the exception derives; `RuntimeError` where it is left empty.
    """

    exception: str
    message: tuple[Piece, ...]
    file: str
    line: int
    base: str = ""


@dataclass(frozen=True)
class Entry:
    """One signature: a program and how it is called.

    The program takes arrays by position: those of the state, then the leaves of `inputs`. It returns a flat tuple: the leaves of
    `outputs`, then the new arrays of the state, and, if there are checks, an int32 that is 0 or the number of the first check that
    failed, counted from 1, and then the values that messages show. The state is stored before an exception is raised: a program
    whose failure shall leave it alone returns the old arrays.

    Args:
        exported: the program, for one device, without effects.
        parameters: of the function, without annotations. A default is a number, a string or None, and is then the literal in
            `inputs` if the argument may be left out; of others it is left away.
        inputs: the tree of each argument that the program was made for, by the parameter's name and in the order of the leaves.
            What `*args` took is a tuple, what `**kwargs` took is a dict.
        outputs: the tree of the result.
        state: the arrays that the program reads and writes, by a name. What several entries call by one name is one array.
        checks: by number, from 1.
    """

    exported: Exported
    parameters: Sequence[inspect.Parameter]
    inputs: Mapping[str, Tree]
    outputs: Tree
    state: Mapping[str, Any] = field(default_factory=dict)
    checks: Sequence[Check] = ()


@runtime_checkable
class Saveable(Protocol):
    """An object that knows what is saved of it."""

    def __saved_entries__(self, platforms: Sequence[str]) -> Sequence[Entry]:
        """Returns an entry for each signature, each lowered for the platforms that `ag.save` was given."""
        ...
