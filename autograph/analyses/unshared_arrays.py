"""NumPy arrays that nothing but one variable refers to, by the source: escape analysis of what `np.zeros` and its like make.

>>> import gast, numpy
>>> function = gast.parse('''
... def f(v, n):
...     x, y, z = np.zeros(n), np.zeros((n, n)), np.zeros(n)
...     x[0] = v
...     first = y[0]
...     y[0] = v
...     other = z
...     return x, first + x[1]
... ''').body[0]
>>> unshared(function, lambda node: getattr(numpy, node.attr, None) if isinstance(node, gast.Attribute) else None)
{'x': 32, 'y': 1, 'z': 0}

An array escapes where an expression could hand on the array itself or a view of it. What an index that names `n` axes reads of an
array of `n` axes is a number; of one with more axes it is a view. So each variable comes with the largest number of axes that its
array may have. A function of the user's that is handed an array is looked into: whether it keeps it.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from functools import cached_property
from types import CodeType, FunctionType
from typing import Any

import gast
import numpy as np

from autograph.analyses import numpy_writes
from autograph.analyses.argument_writes import IN_PLACE
from autograph.analyses.loops import statements_inside
from autograph.code import source
from autograph.code.library import is_library
from autograph.code.names import Namespace
from autograph.code.nodes import children, walk
from autograph.code.translation import to_gast
from autograph.code.trees import dotted
from autograph.errors import SourceError
from autograph.options import MISSING

MOST_AXES = 32
MAKERS = frozenset(
    "arange array concatenate copy empty empty_like eye full full_like identity linspace ndarray ones ones_like zeros"
    " zeros_like".split()
)
"""Functions of NumPy that return an array of their own; `np.array` without `copy=False`, `np.ndarray` without a buffer."""

_READING = frozenset(
    "abs absolute all allclose amax amin any append argmax argmin argsort array array_equal around average bincount ceil clip"
    " column_stack concatenate convolve copy corrcoef correlate count_nonzero cov cross cumprod cumsum diff dot empty_like floor"
    " full_like histogram hstack inner interp isclose isfinite isin isinf isnan kron matmul max maximum mean median min"
    " minimum ones_like outer percentile prod quantile repeat round searchsorted sort sqrt stack std sum take tensordot tile"
    " trace trapezoid tril triu unique var vdot vstack where zeros_like"
    " cholesky det eig eigh eigvals inv lstsq matrix_rank norm pinv qr slogdet solve svd".split()
)
"""Functions of NumPy that neither keep an argument, nor write it, nor return a view of it; all of its ufuncs are such."""

_READERS = frozenset(
    getattr(builtins, name)
    for name in "abs all any bool divmod float int len print range repr round str sum type".split()
)
_FACTS = frozenset("all any argmax argmin copy dot dtype max mean min ndim prod shape size std sum tolist var".split())
_VIEWS = frozenset(("T", "real", "imag"))
_ARITHMETIC = (gast.BinOp, gast.UnaryOp)

Meaning = Callable[[Any], Any]


def unshared(function: Any, meaning: Meaning) -> dict[str, int] | None:
    """Returns the variables of a function whose NumPy arrays nothing else refers to, each with the number of axes up to
    which it holds: 0 where the source does not show it. None where the function makes no array.

    Args:
        function: a `def`.
        meaning: the object that an expression names, or anything else.
    """
    if not any(makes(value, meaning) for node in statements_inside(function.body) for value in _values(node)):
        return None
    around = {child: node for node in walk(*function.body) for child in children(node)}
    found: dict[str, int] = {}
    escaped = {name.id for name in walk(function.args) if isinstance(name, gast.Name)}
    uses = _Uses(function, around, meaning)
    for node in walk(*function.body):
        if isinstance(node, gast.Name) and node.id not in escaped:
            if isinstance(node.ctx, gast.Load):
                axes = uses.axes(node)
            else:
                axes = MOST_AXES if isinstance(node.ctx, gast.Del) or uses.is_made(node) else 0
            if axes:
                found[node.id] = min(axes, found.get(node.id, MOST_AXES))
            else:
                escaped.add(node.id)
        elif isinstance(node, gast.Global | gast.Nonlocal):
            escaped.update(node.names)
    stored = {n.id for n in walk(*function.body) if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Store)}
    made = {node.id for node in walk(*function.body) if isinstance(node, gast.Name) and makes(uses.bound_to(node), meaning)}
    known = {name: axes for name, axes in found.items() if name in stored and name not in escaped}
    return {**dict.fromkeys(sorted(made), 0), **known}


def not_kept(function: FunctionType, parameter: str, callers: frozenset[CodeType]) -> int:
    """Returns the number of axes up to which nothing knows an array that a function was handed when the call is over.

    Args:
        callers: the functions that are looked into: one that calls itself is taken to keep it.
    """
    code = function.__code__
    if code in callers or is_library(function):
        return 0
    try:
        found = source.find(function)
    except SourceError:
        return 0
    space = Namespace.of(function, found)

    def meaning(node: Any) -> Any:
        name = dotted(node)
        return MISSING if name is None else space.resolve(name)

    tree = to_gast(found.node)
    around = {child: node for node in walk(tree) for child in children(node)}
    uses = _Uses(tree, around, meaning, parameter, callers | {code})
    names = [node for node in walk(*tree.body) if isinstance(node, gast.Name) and node.id == parameter]
    if not isinstance(tree, gast.FunctionDef) or any(not isinstance(node.ctx, gast.Load) for node in names):
        return 0
    return min((uses.axes(node) for node in names), default=MOST_AXES)


def _elements(node: Any) -> list[Any]:
    return node.elts if isinstance(node, gast.Tuple) else [node]


def _values(statement: Any) -> list[Any]:
    """Returns what a statement assigns."""
    return _elements(statement.value if isinstance(statement, gast.Assign | gast.AnnAssign) else None)


def makes(value: Any, meaning: Meaning) -> bool:
    """Whether an expression is a call of a NumPy function that returns an array of its own."""
    if not isinstance(value, gast.Call) or any(k.arg in ("copy", "out", "buffer", None) for k in value.keywords):
        return False
    function = getattr(value.func, "attr", getattr(value.func, "id", ""))
    if function == "ndarray" and len(value.args) > 2:
        return False
    return function in MAKERS and meaning(value.func) is getattr(np, function)


def _is_ours(f: Any, name: str) -> bool:
    """Whether an object is `ag.<name>`."""
    return getattr(f, "__name__", "") == name and str(getattr(f, "__module__", "")).startswith("autograph.")


class _Uses:
    """Looks at how one function uses its names.

    Args:
        lent: a parameter that is handed an array of the caller's.
        callers: the functions that are looked into.
    """

    def __init__(
        self, function: Any, around: dict[Any, Any], meaning: Meaning, lent: str = "", callers: frozenset[CodeType] = frozenset()
    ) -> None:
        self._lent, self._callers = lent, callers
        self._around = around
        self._meaning = meaning
        self._parameters = {name.id for name in walk(function.args) if isinstance(name, gast.Name)}

    def bound_to(self, name: Any) -> Any:
        """Returns the expression that an assignment gives to a name, or None."""
        parent = self._around.get(name)
        if isinstance(parent, gast.Tuple):
            statement = self._around.get(parent)
            value = getattr(statement, "value", None)
            if isinstance(statement, gast.Assign) and isinstance(value, gast.Tuple) and statement.targets == [parent]:
                return value.elts[parent.elts.index(name)] if len(value.elts) == len(parent.elts) else None
            return None
        if isinstance(parent, gast.Assign):
            return parent.value if len(parent.targets) == 1 else None
        return parent.value if isinstance(parent, gast.AnnAssign) else None

    def is_made(self, name: Any) -> bool:
        """Whether what a name is bound to is a new array, the variable's own array, or no array."""
        value = self.bound_to(name)
        if isinstance(value, gast.Call):
            written = [getattr(one, "id", None) for one in numpy_writes.arrays_written(value, self._meaning)]
            return written == [name.id] or makes(value, self._meaning)
        if isinstance(value, gast.BinOp):  # of its own array; the operators of other objects may return anything
            return name.id in (getattr(value.left, "id", ""), getattr(value.right, "id", ""))
        return isinstance(value, gast.Constant) or isinstance(self._around.get(name), gast.AugAssign)

    def axes(self, node: Any) -> int:
        """Returns the number of axes up to which the array that a name holds does not escape by this use; 0 where it does."""
        named: int | None = 0
        parent = self._around.get(node)
        while isinstance(parent, gast.Subscript) and parent.value is node:
            if not isinstance(parent.ctx, gast.Load):
                return MOST_AXES
            count = self._named_axes(parent.slice)
            named = named + count if count is not None and named is not None else None
            node, parent = parent, self._around.get(parent)
        if (call := self._writing_call(node)) is not None:
            return MOST_AXES if self._is_bound_again(node, call) else self.axes(call)  # which gives the array
        if isinstance(parent, gast.Attribute):
            is_fact = parent.attr in _FACTS and isinstance(parent.ctx, gast.Load)
            call = self._around.get(parent)
            view = call if isinstance(call, gast.Call) and call.func is parent else parent if parent.attr in _VIEWS else None
            is_last = view is not None and self._is_returned(self._around.get(view))  # nothing is written any more
            return MOST_AXES if is_fact or is_last or self._is_changed_by(parent) else 0
        is_read = (
            isinstance(parent, (*_ARITHMETIC, gast.Compare, gast.FormattedValue))
            or (isinstance(parent, gast.If | gast.While | gast.IfExp | gast.Assert) and parent.test is node)
            or (isinstance(parent, gast.Assign) and all(map(self._takes_elements, parent.targets)))
        )
        if is_read or self._is_read_by_call(node, parent) or self._is_returned(parent):
            return MOST_AXES
        return named or self._lent_axes(node)

    def _writing_call(self, node: Any) -> Any:
        """Returns the call of NumPy that writes the array, or None."""
        parent = self._around.get(node)
        while isinstance(parent, gast.keyword | gast.Tuple):
            parent = self._around.get(parent)
        if not isinstance(parent, gast.Call) or not any(node is one for one in numpy_writes.arrays_written(parent, self._meaning)):
            return None
        return parent

    def _is_bound_again(self, node: Any, call: Any) -> bool:
        """Whether a call that writes an array is a statement, or is assigned to the variable that has the array."""
        statement = self._around.get(call)
        targets = statement.targets if isinstance(statement, gast.Assign) else []
        is_own = len(targets) == 1 and isinstance(node, gast.Name) and getattr(targets[0], "id", None) == node.id
        return isinstance(statement, gast.Expr) or is_own

    def _is_changed_by(self, method: Any) -> bool:
        """Whether a method changes the array in a statement, which an operator does then."""
        call = self._around.get(method)
        return method.attr in IN_PLACE and isinstance(call, gast.Call) and isinstance(self._around.get(call), gast.Expr)

    def _takes_elements(self, target: Any) -> bool:
        """Whether an assignment copies elements into an array: to `x[:, i]`, which no list has, or to one that is made here."""
        if not isinstance(target, gast.Subscript):
            return False
        index = target.slice
        is_of_array = isinstance(index, gast.Tuple) and any(isinstance(part, gast.Slice) for part in index.elts)
        return is_of_array or getattr(target.value, "id", "") in self._made

    @cached_property
    def _made(self) -> frozenset[str]:
        """Names that are bound only to new arrays."""
        bound = {name: name == self._lent for name in self._parameters}
        for node in self._around:
            if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Store | gast.Del):
                bound[node.id] = bound.get(node.id, True) and makes(self.bound_to(node), self._meaning)
        return frozenset(name for name, made in bound.items() if made)

    def _named_axes(self, index: Any) -> int | None:
        """Counts the axes that an index names by a number each; None where it may be a slice."""
        parts = index.elts if isinstance(index, gast.Tuple) else [index]
        return len(parts) if all(self._is_number(part) for part in parts) else None

    def _is_number(self, part: Any) -> bool:
        if isinstance(part, gast.Constant):
            return type(part.value) is int
        return isinstance(part, _ARITHMETIC) or (isinstance(part, gast.Name) and part.id in self._counters)

    @cached_property
    def _counters(self) -> frozenset[str]:
        """Names that are bound only by `for` over a range, or to a result of arithmetic or a number."""
        bound: dict[str, bool] = {}
        for node in self._around:
            if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Store):
                bound[node.id] = bound.get(node.id, True) and self._counts(node)
        return frozenset(name for name, counts in bound.items() if counts)

    def _counts(self, name: Any) -> bool:
        parent = self._around.get(name)
        is_first = isinstance(parent, gast.Tuple) and parent.elts[0] is name
        loop = self._around.get(parent) if is_first else parent
        if isinstance(loop, gast.For | gast.comprehension) and isinstance(loop.iter, gast.Call):
            counter = self._meaning(loop.iter.func)
            if counter is reversed and loop.iter.args and isinstance(loop.iter.args[0], gast.Call):
                counter = self._meaning(loop.iter.args[0].func)
            counts = counter is enumerate if is_first else counter is range or _is_ours(counter, "range")
            return counts and loop.target is (parent if is_first else name)
        value = self.bound_to(name)
        if isinstance(value, gast.Call):
            return self._meaning(value.func) in (int, len, round)
        return isinstance(value, (*_ARITHMETIC, gast.Constant)) or isinstance(parent, gast.AugAssign)

    def _is_read_by_call(self, node: Any, parent: Any) -> bool:
        if isinstance(parent, gast.List | gast.Tuple) and isinstance(parent.ctx, gast.Load):  # `np.stack([x, y])`
            node, parent = parent, self._around.get(parent)
        if isinstance(parent, gast.keyword) and parent.arg not in ("out", None):
            parent = self._around.get(parent)
        elif not isinstance(parent, gast.Call) or node not in parent.args:
            return False
        function = self._meaning(parent.func)
        if type(function).__hash__ is not None and function in _READERS:
            return True
        name = getattr(parent.func, "attr", getattr(parent.func, "id", ""))
        is_numpys = str(getattr(function, "__module__", "")).startswith(("numpy", "jax.numpy", "jax._src.numpy"))
        return isinstance(function, np.ufunc) or (is_numpys and name in _READING)

    def _lent_axes(self, node: Any) -> int:
        """Returns the number of axes up to which a function of the user's does not keep an array that it is handed."""
        call: Any = self._around.get(node)
        keyword, call = (call.arg, self._around.get(call)) if isinstance(call, gast.keyword) else (None, call)
        function = self._meaning(call.func) if isinstance(call, gast.Call) else None
        if type(function) is not FunctionType or any(isinstance(one, gast.Starred) for one in call.args):
            return 0
        names = function.__code__.co_varnames[: function.__code__.co_argcount]
        name = keyword or next((name for name, given in zip(names, call.args, strict=False) if given is node), "")
        return not_kept(function, name, self._callers) if name in names else 0

    def _is_returned(self, parent: Any) -> bool:
        if self._lent:
            return False
        while isinstance(parent, gast.Tuple | gast.List | gast.Dict):
            parent = self._around.get(parent)
        if not isinstance(parent, gast.Return) or self._has_finally:
            return False
        while parent is not None and not isinstance(parent, gast.FunctionDef | gast.AsyncFunctionDef):
            parent = self._around.get(parent)
        return parent is None

    @cached_property
    def _has_finally(self) -> bool:
        return any(isinstance(node, gast.Try) and node.finalbody for node in {*self._around.values()})
