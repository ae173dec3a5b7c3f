"""Converts the functions of a module that was imported before the hook: they get the code that they would have had behind it.

The functions stay the objects that they are, so whoever holds one (another module, a class, a registry, a closure) has the
converted one. A function is left as it is where its code is not that of the module's source, or where another function has the same
name and line.

>>> [code.co_name for code in _by_place(compile("def f(): pass\\na, b = lambda: 1, lambda: 2", "", "exec")).values()]
['f']
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

from autograph.code.code_places import codes_in
from autograph.code.library import names_of
from autograph.code.registry import known
from autograph.conversion.pipeline import UNCONVERTED

Place = tuple[str, int]


def exchange(module: ModuleType, plain: CodeType, converted: CodeType) -> Iterator[FunctionType]:
    """Gives the functions of a module their converted code; yields those that stay as they are.

    Args:
        plain: the code that the module's source has without the hook.
        converted: the code that it has with the hook.
    """
    before, after = _by_place(plain), _by_place(converted)
    names, filename = names_of(module), plain.co_filename
    for fn in [x for x in gc.get_objects() if type(x) is FunctionType and x.__globals__ is names]:
        code: Any = fn.__code__
        if code.co_filename != filename or known(code) is not None or fn in UNCONVERTED:
            continue  # made by `exec`, converted already, marked
        place = (code.co_qualname, code.co_firstlineno)
        new = after.get(place)
        if new is None or before.get(place) != code or new.co_freevars != code.co_freevars:
            yield fn
        else:
            fn.__code__ = new


def _by_place(module: CodeType) -> dict[Place, CodeType]:
    """Returns the functions' code of a module by name and line, where one function alone has these."""
    found: dict[Place, CodeType] = {}
    alike: set[Place] = set()
    for code in codes_in(module):
        place = (code.co_qualname, code.co_firstlineno)
        if place in found:
            alike.add(place)
        found[place] = code
    return {place: code for place, code in found.items() if place not in alike}
