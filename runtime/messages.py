"""f-strings in the messages of checks: put together when the check fails, from the values that it has then.

>>> text("x is ", (1.5, "", ".2f"), " and ", ("y", "r", ""))
"x is 1.50 and 'y'"
>>> made = []
>>> shape = jax.eval_shape(lambda x: made.append(opened(text("x is ", (x, "", ".2f")))), 1.5)
>>> closed(jax.tree.map(lambda leaf: 2.5, made[0]))
'x is 2.50'
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax

from autograph.runtime.staging import is_traced

_CONVERSIONS: dict[str, Callable[[Any], Any]] = {"": lambda x: x, "s": str, "r": repr, "a": ascii}


class Text(str):
    """A text with traced values in it. As a string it says what Python would have said while tracing."""

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
        return "".join(part if type(part) is str else _formatted(next(values), *part[1:]) for part in self.parts)


def _without_values(parts: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(part if type(part) is str else (None, *part[1:]) for part in parts)


jax.tree_util.register_pytree_node(
    _Values, lambda x: ((x.values,), _without_values(x.parts)), lambda parts, children: _Values(children[0], parts)
)


def _formatted(value: Any, conversion: str, spec: str) -> str:
    return format(_CONVERSIONS[conversion](value), spec)


def text(*parts: Any) -> str:
    """An f-string: texts, and a tuple `(value, conversion, specification)` for each replacement field."""
    fields = [part for part in parts if type(part) is tuple]
    if not any(is_traced(leaf) for field in fields for leaf in jax.tree.leaves(field[0])):
        return "".join(part if type(part) is str else _formatted(*part) for part in parts)
    made = Text("".join(part if type(part) is str else str(part[0]) for part in parts))
    made.parts = parts
    return made


def opened(args: Any) -> Any:
    """A pytree in which the values in texts are leaves."""
    return jax.tree.map(lambda x: x.as_tree() if type(x) is Text else x, args)


def closed(tree: Any) -> Any:
    """The pytree with texts in the place of what `opened` made of them."""
    return jax.tree.map(lambda x: x.text() if type(x) is _Values else x, tree, is_leaf=lambda x: type(x) is _Values)
