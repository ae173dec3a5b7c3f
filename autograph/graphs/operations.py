"""What a graph is made of: values, operations, and scopes of operations in one another.

>>> x, y = Value("x", (3,), "float32"), Value("add", (3,), "float32")
>>> print(Operation("add", "add", "", (x, Value("1.0", (), "float32")), (y,)))
add = add(x, 1.0) : float32[3]
"""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from dataclasses import dataclass, field

from autograph.errors import shown_name


@dataclass(frozen=True)
class Source:
    """A line of the user's.

    Attributes:
        filename: as Python names it.
        line: counted from 1.
        function: the qualified name of the function.
        column, end: where the expression begins and ends in the line, in bytes.
    """

    filename: str
    line: int
    function: str
    column: int = 0
    end: int | None = None

    @property
    def place(self) -> tuple[str, int]:
        """File and line."""
        return self.filename, self.line

    @property
    def text(self) -> str:
        """The line, without its indentation; empty where the file cannot be read."""
        return linecache.getline(self.filename, self.line).strip()

    @property
    def expression(self) -> str:
        """The part of the line that was being computed."""
        line = linecache.getline(self.filename, self.line).encode()
        return line[self.column : self.end].decode(errors="replace").strip()

    def __str__(self) -> str:
        return f"{shown_name(self.filename)}:{self.line}"


@dataclass(frozen=True)
class Value:
    """A value of the program.

    Attributes:
        name: unique in the graph: that of an argument or of the operation that makes it (`while:1` is its second result);
            for a number of the source, the number.
        shape: static sizes, or symbolic ones.
        dtype: `float32`.
        is_literal: whether it is a number of the source.
    """

    name: str
    shape: tuple[object, ...]
    dtype: str
    is_literal: bool = False

    @property
    def type(self) -> str:
        """`float32[3,2]`"""
        return f"{self.dtype}[{','.join(map(str, self.shape))}]"

    def __str__(self) -> str:
        return f"{self.name}: {self.type}"


@dataclass(frozen=True)
class Operation:
    """One operation of the program: an equation of a jaxpr.

    Attributes:
        name: unique in the graph: `add_3`.
        kind: JAX's name of the operation: `add`, `while`, `cond`.
        scope: the path of the scope in which it stands: `dense/if@12/true`; empty for the whole program.
        inputs, outputs: what it takes and makes.
        source: the user's line that it comes from.
        parameters: what else describes it, as strings: `{"axes": "(0,)"}`.
    """

    name: str
    kind: str
    scope: str
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    source: Source | None = None
    parameters: dict[str, str] = field(default_factory=dict, compare=False)

    def __str__(self) -> str:
        taken = ", ".join(value.name for value in self.inputs)
        made = ", ".join(value.type for value in self.outputs)
        return f"{self.name} = {self.kind}({taken}) : {made or 'nothing'}"


@dataclass
class Scope:
    """Operations that belong together: a statement, a branch, a function.

    Attributes:
        name: unique in the scope around: `if@12`, `true`, `dense`.
        path: its name below those around, without that of the whole program.
        inputs, outputs: the values inside of it that come from outside (arrays that the program holds come last), and those
            inside that leave it.
        parts: operations and scopes, in the order of the program.
        regions: the programs of the operation: its branches, its test and body, or this scope itself where it is the only one.
        given: for a branch, body or function: the values around it with which its inputs begin.
        operation: the operation whose program stands in this scope; None for branches, bodies and calls.
        source: the user's line.
    """

    name: str
    path: str
    inputs: tuple[Value, ...] = ()
    outputs: tuple[Value, ...] = ()
    parts: list[Operation | Scope] = field(default_factory=list)
    operation: Operation | None = None
    source: Source | None = None
    given: tuple[Value, ...] = ()
    regions: list[Scope] = field(default_factory=list, repr=False, compare=False)

    @property
    def taken(self) -> tuple[Value, ...]:
        """The values around it that it takes."""
        return self.inputs if self.operation is None else self.operation.inputs

    @property
    def made(self) -> tuple[Value, ...]:
        """The values that it makes, as they are called around it."""
        return self.outputs if self.operation is None else self.operation.outputs

    def operations(self) -> Iterator[Operation]:
        """Yields all operations inside, and below them; a statement comes before what stands in it."""
        for part in self.parts:
            if isinstance(part, Operation):
                yield part
                continue
            if part.operation is not None:
                yield part.operation
            yield from part.operations()
