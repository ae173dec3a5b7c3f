"""Handlers wide enough to catch what is no event of the program, the library's refusals and JAX's, let it pass.

>>> from autograph.converters.showing import show
>>> print(show('''
... def f(x):
...     try:
...         return g(x)
...     except KeyError:
...         return 1
...     except Exception as error:
...         return 2
... ''', Handlers))
def f(x):
    try:
        return g(x)
    except KeyError:
        return 1
    except ag__.caught(Exception) as error:
        return 2

Why: `autograph.runtime.handlers`.
"""

from __future__ import annotations

import builtins
from typing import Any

import gast

from autograph.analyses.static_tests import dotted
from autograph.converters import pieces
from autograph.converters.base import ExpressionConverter, Node

_WIDE = (BaseException, Exception, TypeError, NameError, UnboundLocalError, IndexError, LookupError)


class Handlers(ExpressionConverter):
    """See the module."""

    def visit_ExceptHandler(self, node: Node) -> Any:
        if node.type is None:
            node.type = pieces.operator(self.alias, "caught", [], at=node)
        elif not self._is_narrow(node.type):
            node.type = pieces.operator(self.alias, "caught", [node.type], at=node.type)
        return node

    def _is_narrow(self, kinds: Node) -> bool:
        """Whether these are exceptions of Python's that no refusal is a kind of."""
        if isinstance(kinds, gast.Tuple):
            return all(self._is_narrow(kind) for kind in kinds.elts)
        name = dotted(kinds)
        kind = None if name is None else self.conversion.resolve(name)
        return isinstance(kind, type) and vars(builtins).get(kind.__name__) is kind and kind not in _WIDE
