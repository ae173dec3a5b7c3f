"""Attributes of modules that are imported when they are first used, so that `import autograph` imports little.

The modules that use this are listed in `tests/test_architecture.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from pkgutil import resolve_name
from typing import Any

find = cache(resolve_name)
"""What stands at `package.module:attribute`, or the module `package.module`, which is imported with the first call."""


def attributes(module: str, place: Callable[[str], str | None]) -> Callable[[str], Any]:
    """Returns the `__getattr__` of a module: imports what is read and leaves it there, where Python finds it from then on.

    >>> find = attributes(__name__, {"quote": "shlex:quote"}.get)
    >>> find("quote") is sys.modules[__name__].quote
    True
    >>> find("other")
    Traceback (most recent call last):
    AttributeError: module 'autograph.first_use' has no attribute 'other'

    Args:
        module: the name of the module.
        place: where something is, by its name: `package.module:attribute`, or `package.module` for a module.
    """

    def __getattr__(name: str) -> Any:
        path = place(name)
        if path is None:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        found = find(path)
        setattr(sys.modules[module], name, found)
        return found

    return __getattr__
