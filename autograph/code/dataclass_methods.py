"""The source of the comparisons that `dataclasses` writes for a class, which nobody keeps.

`@dataclass` makes `__eq__`, and with `order=True` `__lt__` and its like, by `exec` from source of its own. Given a code
object that may be one of these, the sources that it may come from are built from the names in it; the caller compiles each
and keeps the one that compiles to that very code, so nothing is guessed.

>>> import dataclasses
>>> @dataclasses.dataclass
... class Point:
...     x: int
...     y: int
>>> len(sources_of(Point.__eq__.__code__)), sources_of(Point.__init__.__code__)
(2, [])
"""

from __future__ import annotations

from types import CodeType

_SIGNS = {"__eq__": "==", "__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="}


def sources_of(code: CodeType) -> list[str]:
    """Returns the sources that `dataclasses` may have made a code object from, in any of the Pythons that we support."""
    name = code.co_name
    if code.co_filename != "<string>" or name not in _SIGNS or code.co_qualname != f"__create_fn__.<locals>.{name}":
        return []
    fields = [field for field in code.co_names if field not in ("__class__", "NotImplemented")]
    sides = ("(" + "".join(f"{side}.{field}," for field in fields) + ")" for side in ("self", "other"))
    one_by_one = " and ".join(f"self.{field}==other.{field}" for field in fields) or "True"
    same_object = "  if self is other:\n   return True\n"  # from Python 3.13 on
    return [
        # One source may hold several methods: blank lines stand for those above this one.
        "def __create_fn__():" + "\n" * (code.co_firstlineno - 1) + f" def {name}(self,other):\n{first}"
        "  if other.__class__ is self.__class__:\n"
        f"   return {result}\n"
        "  return NotImplemented\n"
        f" return {name}\n"
        for first, result in (("", _SIGNS[name].join(sides)), (same_object, one_by_one))
    ]
