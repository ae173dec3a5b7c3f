"""f-strings with traced values in them: in the message of a check they are put together when it fails, with the values it has then.

Elsewhere such a text can be shown and not be read (`texts`).

>>> text("x is ", formatted(1.5, ".2f"), " and ", formatted("y", "", "r"))
"x is 1.50 and 'y'"
>>> made = []
>>> shape = jax.eval_shape(lambda x: made.append(opened(text("x is ", formatted(x, ".2f")))), 1.5)
>>> closed(jax.tree.map(lambda leaf: 2.5, made[0]))
'x is 2.50'
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax

from autograph.runtime.staging import is_traced
from autograph.runtime.texts import TextOfTraced, as_shown, unreadable

_CONVERSIONS: dict[str, Callable[[Any], Any]] = {"": lambda x: x, "s": str, "r": repr, "a": ascii}


class Text(TextOfTraced):
    """A text with traced values in it. Shown, it says what Python would have said while tracing."""

    __slots__ = ("parts",)
    parts: tuple[Any, ...]

    def as_tree(self) -> _Values:
        """A pytree whose leaves are the values in the text."""
        return _Values([part[0] for part in self.parts if type(part) is tuple], self.parts)


class _Values:
    def __init__(self, values: Any, parts: tuple[Any, ...]) -> None:
        self.values = values
        self.parts = parts

    def text(self) -> str:
        values = iter(self.values)
        return "".join(part if type(part) is not tuple else _formatted(next(values), *part[1:]) for part in self.parts)


def _without_values(parts: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(part if type(part) is not tuple else (None, *part[1:]) for part in parts)


jax.tree_util.register_pytree_node(
    _Values, lambda x: ((x.values,), _without_values(x.parts)), lambda parts, children: _Values(children[0], parts)
)


def _formatted(value: Any, spec: str, conversion: str) -> str:
    return format(_CONVERSIONS[conversion](value), spec)


def formatted(value: Any, spec: str = "", conversion: str = "") -> Any:
    """A replacement field of an f-string: its text, or itself where the value is traced."""
    if isinstance(spec, TextOfTraced):
        raise unreadable()
    try:
        holds_traced, opens = any(map(is_traced, jax.tree.leaves(value))), True
    except ValueError:  # a dict whose keys cannot be sorted is no pytree
        holds_traced, opens = _holds_traced(value), False
    if holds_traced and opens:
        return value, spec, conversion
    made = _formatted(value, spec, conversion)
    return TextOfTraced(made) if holds_traced or isinstance(value, TextOfTraced) else as_shown(made)


def _holds_traced(value: Any) -> bool:
    """Whether a value is traced, or a container that holds one."""
    if isinstance(value, dict):
        return any(map(_holds_traced, value.values()))
    if isinstance(value, list | tuple):
        return any(map(_holds_traced, value))
    return is_traced(value)


def text(*parts: Any) -> str:
    """An f-string: texts, and what `formatted` makes of its fields."""
    if all(isinstance(part, str) for part in parts):
        joined = "".join(parts)
        return TextOfTraced(joined) if any(isinstance(part, TextOfTraced) for part in parts) else joined
    made = Text("".join(part if isinstance(part, str) else str(part[0]) for part in parts))
    made.parts = tuple(str.__str__(part) if isinstance(part, str) else part for part in parts)
    return made


def opened(args: Any) -> Any:
    """A pytree in which the values in texts are leaves."""
    return jax.tree.map(lambda x: x.as_tree() if type(x) is Text else x, args)


def closed(tree: Any) -> Any:
    """The pytree with texts in the place of what `opened` made of them."""
    return jax.tree.map(lambda x: x.text() if type(x) is _Values else x, tree, is_leaf=lambda x: type(x) is _Values)
