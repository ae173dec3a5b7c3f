"""What modules of the runtime call of those that stand above them: the conversion, the calls, and the staged `if`.

A call of converted code may lead anywhere: `len(x)` to a method `__len__` of the user's, whose body is to be converted first,
and a check that a traced condition guards is a staged `if`. The modules that need this stand far below those that do it, and
imports point downwards. So this is the one way up; what it leads to is imported when it is first used.

>>> from autograph.runtime.tracing import host
>>> callable(host.conversion.staged), callable(host.calls.converted), callable(host.statements.if_stmt)
(True, True, True)
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, Protocol

from autograph import first_use


class Conversion(Protocol):
    """The functions of the user's and their bodies; `autograph.conversion.pipeline`.

    `UNCONVERTED`: the functions that `do_not_convert` marked.
    """

    UNCONVERTED: Collection[FunctionType]

    def staged(self, f: FunctionType, *, in_try: bool = False) -> FunctionType:
        """The function with the staged body; `f` itself where it stays as it is."""

    def asked(self, f: FunctionType) -> FunctionType:
        """The staged body for callers that test its result for `None`; `f` is the one for all others."""

    def convert_function(self, f: FunctionType, *, explicit: bool = False) -> Any:
        """The converted function, which runs the staged body where something is traced."""

    def is_library(self, f: FunctionType) -> bool:
        """Whether a function is library code."""

    def is_unseen(self, f: FunctionType) -> bool:
        """Whether a function of the user's announces no writes: it has no source, or is marked so."""

    def prepare_class(self, kind: type) -> None:
        """Readies the methods of a class that Python calls without a call in the source."""

    def stays(self, f: FunctionType) -> bool:
        """Whether a function is called as it is: library code, marked `do_not_convert`, or without source."""

    def announces(self, f: FunctionType) -> bool:
        """Whether a function's writes are announced though it is not converted now."""

    def author_code(self, f: FunctionType, options: Any) -> CodeType:
        """The code of a function with the check at its entry that leads to the staged body."""


class Calls(Protocol):
    """What stands for a callable in converted code; `autograph.runtime.calls`."""

    def converted(self, f: Any) -> Any:
        """The callable that stands for `f`."""

    def staged(self, f: FunctionType) -> FunctionType:
        """The staged body of a Python function of the user's; `f` itself where there is none."""

    def refuse_unasked(self, f: FunctionType) -> None:
        """Refuses a function that was staged elsewhere where its arithmetic may raise what a handler names."""


class Statements(Protocol):
    """The operators that others are built of; `autograph.runtime.operators.conditionals`."""

    def if_stmt(self, test: Any, body: Callable[[], Any], orelse: Callable[[], Any]) -> Any:
        """An `if` of which both branches are functions."""

    def if_exp(self, test: Any, body: Callable[[], Any], orelse: Callable[[], Any]) -> Any:
        """A conditional expression."""

    def nothing(self) -> None:
        """The branch that does nothing."""


conversion: Conversion
calls: Calls
statements: Statements

if not TYPE_CHECKING:
    __getattr__ = first_use.attributes(
        __name__,
        {
            "conversion": "autograph.conversion.pipeline",
            "calls": "autograph.runtime.calls.dispatch",
            "statements": "autograph.runtime.operators.conditionals",
        }.get,
    )
