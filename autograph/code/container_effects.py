"""Effects of the methods of lists, dicts, sets, deques and NumPy arrays: one row for each method that does more than read.

C code runs these methods, and announces to nobody what it changes. All that must know reads this table: the analyses, the journal,
loops over containers, choices of strings, orders of keys, and lists of traced length.

| column | a method with it |
| --- | --- |
| `writes` | changes its object |
| `grows`, `shrinks` | may make it longer; may take something out of it |
| `stores` | keeps an argument in it, as an element or a value |
| `adds` | keeps in it what is in an argument, in that one's order |
| `searches` | looks in it for the first argument, by `==` or by its hash |
| `reads_order` | gives or shows what is in it, in its order |
| raises | raises this for some arguments of the right classes; not said of arrays |
| traced version | has this function of `runtime/sequences` for traced values |

>>> of_method(list, "append").writes, of_method(list, "index").writes, of_method(np.ndarray, "sum").writes
(True, False, False)
>>> of_method(OrderedDict, "pop").raises, of_method(list, "pop").raises
('KeyError', 'IndexError')
>>> sorted(methods_with("list", "shrinks"))
['__delitem__', '__imul__', '__init__', '__setitem__', 'clear', 'pop', 'remove']
"""

from __future__ import annotations

from array import array
from collections import OrderedDict, defaultdict, deque
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

# of | methods | what they do | raises | traced version
_TABLE = """
list             | append                      | writes grows stores
deque            | append appendleft           | writes grows shrinks stores
list             | insert                      | writes grows stores              |            | traced_index.list_insert
deque            | insert                      | writes grows stores              | IndexError
list             | extend __iadd__             | writes grows adds
deque            | extend extendleft __iadd__  | writes grows shrinks adds
list deque set   | __init__                    | writes grows shrinks adds
list             | pop                         | writes shrinks                   | IndexError | traced_index.list_pop
deque            | pop popleft                 | writes shrinks                   | IndexError
list             | remove                      | writes shrinks searches          | ValueError | traced_index.list_remove
deque            | remove                      | writes shrinks searches          | ValueError
list deque       | clear                       | writes shrinks
list             | sort                        | writes                           |            | traced_index.list_sort
list deque       | reverse                     | writes
deque            | rotate                      | writes
deque            | __copy__
list deque       | __imul__                    | writes grows shrinks
list             | __setitem__                 | writes grows shrinks stores adds | IndexError ValueError
deque            | __setitem__                 | writes stores                    | IndexError
list deque       | __delitem__                 | writes shrinks                   | IndexError
list deque       | __getitem__                 |                                  | IndexError
list deque tuple | count                       | searches                         |            | traced_index.list_count
list deque tuple | index                       | searches                         | ValueError | traced_index.list_index
list deque       | __contains__                | searches
dict             | get                         | searches                         |            | traced_keys.dict_get
dict             | setdefault                  | writes grows stores searches
dict             | update __ior__ __init__     | writes grows adds                | ValueError
dict             | fromkeys                    | adds
dict             | pop                         | writes shrinks searches          | KeyError
dict             | popitem                     | writes shrinks reads_order       | KeyError
OrderedDict      | move_to_end                 | writes searches                  | KeyError
dict             | __setitem__                 | writes grows stores searches
dict             | __delitem__                 | writes shrinks searches          | KeyError
dict             | __getitem__                 | searches                         | KeyError
defaultdict      | __getitem__ __missing__     | writes grows stores searches     | KeyError
defaultdict      | __copy__
set              | add                         | writes grows stores searches
set              | update __ior__              | writes grows adds
set              | discard                     | writes shrinks searches
set              | remove                      | writes shrinks searches          | KeyError
set              | pop                         | writes shrinks                   | KeyError
set              | difference_update           | writes shrinks
set              | intersection_update         | writes shrinks
set              | __isub__ __iand__           | writes shrinks
set              | symmetric_difference_update | writes grows shrinks adds
set              | __ixor__                    | writes grows shrinks adds
dict set         | clear                       | writes shrinks
dict set         | __contains__                | searches
dict             | __iter__ __reversed__       | reads_order
dict             | __repr__ __str__ __format__ | reads_order
dict             | __reduce_ex__               | reads_order
OrderedDict      | __reduce__                  | reads_order
ndarray          | fill                        | writes                           |            | array_items.put_item
ndarray          | sort                        | writes                           |            | array_items.sort_items
ndarray          | put partition __setitem__   | writes
ndarray          | resize __setstate__         | writes grows shrinks
ndarray          | itemset setfield byteswap   | writes
ndarray          | setflags                    | writes
ndarray          | __iadd__ __isub__ __imul__  | writes
ndarray          | __itruediv__ __ifloordiv__  | writes
ndarray          | __imod__ __ipow__           | writes
ndarray          | __imatmul__ __ilshift__     | writes
ndarray          | __irshift__ __iand__        | writes
ndarray          | __ixor__ __ior__            | writes
function         | heappush                    | writes grows stores
function         | heappop                     | writes shrinks                   | IndexError
function         | insort insort_left          | writes grows stores
function         | insort_right                | writes grows stores
"""
_ARRAYS = (np.ndarray, np.flatiter, memoryview)


class Effect(NamedTuple):
    """Says what a method does; each field is a column of the table in the module's docstring."""

    writes: bool = False
    grows: bool = False
    shrinks: bool = False
    stores: bool = False
    adds: bool = False
    searches: bool = False
    reads_order: bool = False
    raises: str = ""
    traced: str = ""


_READS, _WRITES = Effect(), Effect(writes=True)
_NEVER_WRITE = {name for kind in (tuple, frozenset, bytes, MappingProxyType) for name in dir(kind)} - {"__init__", "__ior__"}
_BY_NAME: dict[str, dict[str, Effect]] = {}
for _line in _TABLE.strip().splitlines():
    _of, _methods, _does, _raises, _version = (*map(str.strip, _line.split("|")), "", "", "")[:5]
    for _kind in _of.split():
        _BY_NAME.setdefault(_kind, {}).update(
            dict.fromkeys(_methods.split(), Effect(**dict.fromkeys(_does.split(), True), raises=_raises, traced=_version))
        )
_ROWS: dict[Any, dict[str, Effect]] = {
    **{kind: _BY_NAME[kind.__name__] for kind in (list, dict, set, tuple, deque, OrderedDict, defaultdict)},
    **dict.fromkeys(_ARRAYS, _BY_NAME["ndarray"]),
}


def methods_with(kind: str, column: str) -> frozenset[str]:
    """Returns the names in the rows of a class, or of functions whose first argument is a list, that have a column."""
    return frozenset(name for name, effect in _BY_NAME[kind].items() if getattr(effect, column))


def of_method(kind: type, name: str) -> Effect:
    """Returns what a method of C code does with an object of a class.

    A method without a row only reads if its object is an array, or if classes whose objects never change have it too.
    """
    for base in kind.__mro__:
        if name in _ROWS.get(base, ()):
            return _ROWS[base][name]
    return _READS if issubclass(kind, _ARRAYS) or name in _NEVER_WRITE else _WRITES


def of_callable(f: Any) -> Effect:
    """Returns what a method of C code does that is bound to an object, or taken from its class (`xs.append`, `list.append`)."""
    kind = getattr(f, "__objclass__", None) or (f.__self__ if issubclass(type(f.__self__), type) else type(f.__self__))
    return of_method(kind, f.__name__)


METHODS = {"__setattr__", "__delattr__"}.union(
    name
    for kind in (list, dict, set, deque, OrderedDict, defaultdict, bytearray, array, np.ndarray)
    for name in dir(kind)
    if of_method(kind, name).writes or (kind is not np.ndarray and not name.startswith("_"))
)
"""The methods of containers, and all that write to one, to an array or to an attribute."""
