"""What can be chosen about a conversion, and what is known about a function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from autograph import switches


@dataclass(frozen=True)
class ConversionOptions:
    """How one function is converted.

    Args:
        recursive: whether the functions that it calls are converted too.
        in_try: whether it is called inside of a `try` whose handlers may catch what its arithmetic raises.
        asked: whether its caller tests its result for `None`, which a function that it calls may have returned.
        bounds: by parameter, or part of one, the greatest integer that it may be.
    """

    recursive: bool = True
    in_try: bool = False
    asked: bool = False
    bounds: tuple[tuple[str, int], ...] = ()


DEFAULT = ConversionOptions()


ALWAYS_STAGE = switches.is_on("AUTOGRAPH_ALWAYS_STAGE")
"""The staged body runs also where nothing is traced: for tests that it is exact on plain values."""


class _Missing:
    """What `ConversionContext.resolve` answers for a name that has no value at conversion time."""

    def __repr__(self) -> str:
        return "MISSING"

    def __bool__(self) -> bool:
        return False


MISSING: Any = _Missing()


@dataclass(frozen=True)
class ConversionContext:
    """What the converters may know about the function besides its tree.

    Args:
        filename: the user's file, for messages.
        lines: the lines of that file, without line ends; line 1 is `lines[0]`.
        name: the qualified name of the function.
        freevars: names that the function takes from enclosing functions, as the compiler has them (mangled).
        class_name: the class whose name mangles `__x`, or None.
        resolve: `resolve("jnp.sin")` is the object that the dotted name means now, from closure cells, globals and
            builtins, or `MISSING`; only modules and classes are looked into, so no user code runs. Names that the
            function binds itself are not known here: look in the scopes first.
        options: see `ConversionOptions`.
        writers: the functions of a file (None: this one) and of a name that write elements of their parameters.
        alias: the name that stands for the runtime in the generated tree; linking turns it into a constant.
    """

    filename: str
    lines: tuple[str, ...]
    name: str
    freevars: frozenset[str]
    class_name: str | None
    resolve: Callable[[str], Any]
    options: ConversionOptions = DEFAULT
    alias: str = "ag__"
    writers: Callable[[str | None, str], Sequence[Any]] = lambda filename, name: ()

    @property
    def recursive(self) -> bool:
        """Whether called functions are converted."""
        return self.options.recursive
