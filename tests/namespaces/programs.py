"""Names become programs: every public name of a namespace, called as the tables say and with each of its optional parameters.

>>> [p.body for p in written() if p.name == "np.ndarray.swapaxes"][:2]
['return m.swapaxes(0, 1)', 'return k.swapaxes(-1, 0)']
>>> print(Program("np.clip", "return np.clip(u, 0, n)").source)
def program(n, u):
    return np.clip(u, 0, n)
<BLANKLINE>
"""

from __future__ import annotations

import builtins
import functools
import heapq
import inspect
import itertools
import math
import operator
import re
import statistics
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from tests.namespaces import arguments, left_out, numpy_calls, parameters, python_calls, views


class Program(NamedTuple):
    """A function of the arguments that it names.

    Attributes:
        name: what it is about.
        body: its statements.
    """

    name: str
    body: str

    @property
    def source(self) -> str:
        """The source of the function."""
        lines = "\n    ".join(self.body.split("\n"))
        return f"def program({', '.join(arguments.letters_of(self.body))}):\n    {lines}\n"


class Namespace(NamedTuple):
    """Public names, and how they are called.

    Attributes:
        name: how a program writes it.
        owner: the module or class whose names these are.
        table: a line for each group of names.
        is_class: whether the names are methods.
    """

    name: str
    owner: Any
    table: str
    is_class: bool = False

    def calls(self) -> dict[str, list[str]]:
        """By name: the calls of the table."""
        found: dict[str, list[str]] = {}
        for line in _lines(self.table):
            names, _, calls = line.partition(": ") if ": " in line else (line.rstrip(":"), "", "")
            for name in names.split():
                name = name.partition("-")[0]
                found.setdefault(name, []).extend(call.strip().replace("THIS", name) for call in calls.split(" | "))
        return found

    def missing(self) -> list[str]:
        """Public names that no program is about, and that are not left out for a reason."""
        known = self.calls().keys() | _left_out(self.name)
        return [name for name in public_names(self.owner) if name not in known]

    def programs(self) -> Iterator[Program]:
        """All programs of the namespace, in the table's order."""
        for name, calls in self.calls().items():
            full = name if self.name == "builtins" else f"{self.name}.{name}"
            for call in calls:
                template = self._expression(name, call)
                expressions = arguments.expanded(template)
                yield from (Program(full, body_of(expression)) for expression in expressions)
                if full in _WRITERS and not _is_whole(call):
                    yield from (Program(full, _as_statement(expression)) for expression in expressions)
            owned = getattr(self.owner, name, None)
            if owned is not None and self.name.startswith("np"):
                first = next((self._expression(name, c) for c in calls if not _is_whole(c)), None)
                if first is not None:
                    yield from (Program(full, body_of(e)) for e in _with_options(first, owned))

    def _expression(self, name: str, call: str) -> str:
        if _is_whole(call):
            return call
        if self.is_class:
            receiver, _, rest = call.partition(": ")
            return f"{receiver.removesuffix(':')}.{name}({rest})"
        prefix = "" if self.name == "builtins" else f"{self.name}."
        return f"{prefix}{name}({call})"


def _is_whole(call: str) -> bool:
    return call.startswith("=") or "return " in call


def body_of(expression: str) -> str:
    """The statements of a program: those of the source, or the return of its expression."""
    if "return " in expression:
        return expression.replace("; ", "\n")
    return f"return {expression.removeprefix('=')}"


_WRITERS = frozenset(
    "np.copyto np.put np.place np.putmask np.fill_diagonal np.put_along_axis np.ndarray.sort np.ndarray.fill np.ndarray.put "
    "np.ndarray.partition np.ndarray.resize np.ndarray.setfield operator.setitem operator.delitem".split()
)
"""What writes its first argument and returns nothing: as a statement, too."""


def _as_statement(expression: str) -> str:
    """The call, then the return of the array that it writes."""
    receiver = re.search(r"[a-z]+(?=[.\[])", expression.partition("(")[0])
    written = receiver.group() if receiver and receiver.group() not in ("np", "operator") else ""
    return f"{expression}\nreturn {written or expression.partition('(')[2].partition(',')[0]}"


def public_names(owner: Any) -> list[str]:
    """The names of a module or class that are no exceptions, no modules, and have no underscore in front."""
    names = getattr(owner, "__all__", None) or dir(owner)
    values = {name: getattr(owner, name, None) for name in names if not name.startswith("_")}
    return [name for name, value in values.items() if not inspect.ismodule(value) and not _is_exception(value)]


def _is_exception(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, BaseException)


def _left_out(namespace: str) -> set[str]:
    return {name for line in _lines(left_out.LEFT_OUT.get(namespace, "")) for name in line.partition(": ")[2].split()}


def _lines(table: str) -> list[str]:
    """The lines of a table; an indented one continues the line above."""
    return re.sub(r"\n    ", " ", table.strip()).splitlines()


def _optional_parameters(fn: Callable[..., Any]) -> list[str]:
    try:
        found = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):  # NumPy before 2.4 says nothing of some functions
        return []
    return [p.name for p in found if p.default is not p.empty]


def _with_options(call: str, fn: Any) -> Iterator[str]:
    """The call with each optional parameter of `fn`; of a choice of arguments some letters."""
    two = re.sub(r"\b(ANY|VEC|REAL|INT|NUM|FEW)\b", "TWO", call)
    for letter_call in arguments.expanded(re.sub(r"\bONE, TWO\b", "DUO, f", two).replace("TWO", "DUO")):
        for name in _optional_parameters(fn):
            if name == "out":
                yield _with_out(letter_call, "")
                if "axis" in _optional_parameters(fn):
                    yield _with_out(letter_call, "axis=0")
            for option in parameters.OPTIONS.get(name, ()) if name not in parameters.NOT_PASSED else ():
                yield _with(letter_call, option)


def _with(call: str, option: str) -> str:
    if not option:
        return call
    return f"{call[:-1]}{option})" if call.endswith("(") or call.endswith("()") else f"{call[:-1]}, {option})"


def _with_out(call: str, option: str) -> str:
    """The call with an array of its own for the result."""
    plain = _with(call, option)
    return f"o = np.zeros_like({plain}); r = {_with(plain, 'out=o')}; return r, o"


# --- universal functions ---------------------------------------------------------------------------------------------

_GENERALIZED = {
    "matmul": [
        "m, m",
        "m, f",
        "f, m",
        "f, g",
        "w, w.T",
        "q, q",
        "k, m",
        "i, i",
        "u, u",
        "f, x",
        "m, f, out=np.zeros(3, np.float32)",
    ],
    "matvec": ["m, f", "k, i", "w, u"],
    "vecmat": ["f, m", "z, m"],
    "vecdot": ["f, g", "z, z", "u, u", "m, f", "i, j"],
}
_METHODS = {
    "reduce": "f | u | i | p | m | z | m, 1 | f, initial=2 | u, initial=300 | m, keepdims=True | f, where=p, initial=1 | [] | xs "
    "| f, dtype=np.int32",
    "accumulate": "f | u | i | p | m, 1 | m | xs | i, dtype=np.float32",
    "outer": "f, g | i, f | u, 300 | xs, f | x, n | p, p | m, f",
    "at": "f, [0, 0], 1 | u, [0], 300 | i, j, 2 | m, 0, f | f, p, x | i, [0], 2.5 | f, 0, n",
    "reduceat": "f, [0, 2] | u, [0, 1] | i, [2, 0] | m, [0, 1], 1",
}


def _of_ufuncs() -> Iterator[Program]:
    for name, fn in _ufuncs():
        calls = _calls_of_ufunc(name, fn)
        is_alias = name != fn.__name__ and hasattr(np, fn.__name__)  # `np.acos` is `np.arccos`
        yield from (Program(f"np.{name}", body_of(text)) for text in itertools.islice(calls, 4 if is_alias else None))


def _ufuncs() -> Iterator[tuple[str, np.ufunc]]:
    for name in public_names(np):
        fn = getattr(np, name)
        if isinstance(fn, np.ufunc) and name not in _left_out("np"):
            yield name, fn


def _calls_of_ufunc(name: str, fn: np.ufunc) -> Iterator[str]:
    if name in _GENERALIZED:
        yield from (f"np.{name}({call})" for call in _GENERALIZED[name])
        return
    taken = "ANY" if fn.nin == 1 else "ONE, TWO"
    yield from arguments.expanded(f"np.{name}({taken})")
    for letters in ("f", "u") if fn.nin == 1 else ("f, g", "u, u"):
        call = f"np.{name}({letters})"
        if fn.nout == 1:
            yield _with_out(call, "")
            yield f"o = np.zeros_like({call}); np.{name}({letters}, o); return o"
            yield f"o = np.ones(3, np.float32); np.{name}({letters}, out=o, where=p); return o"
            yield f"o = np.zeros_like({call}); np.{name}({letters}, out=o, where=p); return o"
        yield _with(call, "dtype=np.float32")
    letters = "xs" if fn.nin == 1 else "xs, f"
    yield f"np.{name}({letters})"


def _of_ufunc_methods() -> Iterator[Program]:
    for name, fn in _ufuncs():
        if name in _GENERALIZED or (name != fn.__name__ and hasattr(np, fn.__name__)):
            continue
        calls = _METHODS if fn.nin == 2 and fn.nout == 1 else {"at": "f, [0, 0] | i, j | u, 1", "reduce": "f"}
        for method, texts in calls.items():
            for call in texts.split(" | "):
                body = f"return np.{name}.{method}({call})"
                if method == "at":
                    body = f"np.{name}.at({call})\nreturn {call[0]}"
                yield Program(f"np.{name}.{method}", body)


def _of_attributes() -> Iterator[Program]:
    uses = Namespace("np.ndarray", np.ndarray, numpy_calls.ATTRIBUTE_USES).calls()
    for name in numpy_calls.ATTRIBUTES:
        bodies = [*arguments.expanded(f"ANY.{name}"), *uses.get(name, ())]
        yield from (Program(f"np.ndarray.{name}", body_of(body)) for body in bodies)


def _of_views() -> Iterator[Program]:
    for base, lines in views.VIEWS.items():
        for view in filter(None, re.split(r"[\s]*\n(?:    \| )?| \| ", lines)):
            yield from (Program(f"view.{base}", body) for body in views.written(view, base))


NAMESPACES = (
    Namespace("np", np, numpy_calls.FUNCTIONS),
    Namespace("np.linalg", np.linalg, numpy_calls.LINALG),
    Namespace("np.fft", np.fft, numpy_calls.FFT),
    Namespace("np.ndarray", np.ndarray, numpy_calls.METHODS, is_class=True),
    Namespace("builtins", builtins, python_calls.BUILTINS),
    Namespace("operator", operator, python_calls.OPERATORS),
    Namespace("math", math, python_calls.MATH),
    Namespace("itertools", itertools, python_calls.ITERTOOLS),
    Namespace("functools", functools, python_calls.FUNCTOOLS),
    Namespace("statistics", statistics, python_calls.STATISTICS),
    Namespace("heapq", heapq, python_calls.HEAPQ),
    Namespace("list", list, python_calls.LIST_METHODS, is_class=True),
    Namespace("dict", dict, python_calls.DICT_METHODS, is_class=True),
    Namespace("set", set, python_calls.SET_METHODS, is_class=True),
    Namespace("tuple", tuple, python_calls.TUPLE_METHODS, is_class=True),
    Namespace("str", str, python_calls.STR_METHODS, is_class=True),
    *(Namespace(n, getattr(builtins, n), table, is_class=True) for n, table in python_calls.NUMBER_METHODS.items()),
)


def missing() -> list[str]:
    """Public names without a program and without a reason to have none."""
    found = [f"{space.name}.{name}" for space in NAMESPACES for name in space.missing()]
    covered = {p.name for p in itertools.chain(_of_ufuncs(), _of_attributes())}
    return [name for name in found if name not in covered]


@functools.cache
def written() -> tuple[Program, ...]:
    """All programs, each once."""
    named = itertools.chain.from_iterable(space.programs() for space in NAMESPACES)
    whole = itertools.chain(named, _of_ufuncs(), _of_ufunc_methods(), _of_attributes(), _of_views())
    return tuple({program.body: program for program in reversed(list(whole))}.values())[::-1]
