"""The lists that a loop body makes longer. With some it does nothing but append: they can become outputs of a `scan`.

>>> import gast
>>> appended_only(gast.parse('''
... out.append(x)
... if x > 0:
...     pairs.append((x, out))
...     seen.append(x)
... ''').body)
['pairs', 'seen']
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import gast

from autograph.analyses.operators import callee
from autograph.code.container_effects import methods_with
from autograph.code.nodes import names_bound, walk


def appended_only(body: list[Any]) -> list[str]:
    """Returns the names that occur in `body` only as statements `name.append(value)`, sorted."""
    used: Counter[str] = Counter()
    appended: Counter[str] = Counter()
    for node in walk(*body):
        if isinstance(node, gast.Name):
            used[node.id] += 1
        elif isinstance(node, gast.Expr) and (name := _list_of_append(node.value)) is not None:
            appended[name] += 1
    return sorted(name for name, count in appended.items() if used[name] == count)


def lists(function: Any) -> frozenset[str]:
    """Returns the variables of a function that are only bound to lists which are written out.

    >>> code = "def f(out):\\n a = [1]\\n a += [out]\\n b, d = [], []\\n b = a\\n out = []\\n [c for c in a]"
    >>> sorted(lists(gast.parse(code).body[0]))
    ['a', 'd']
    """
    bound: Counter[str] = Counter()
    lists: Counter[str] = Counter()
    for node in walk(function):
        if isinstance(node, gast.Name) and not isinstance(node.ctx, gast.Load):
            bound[node.id] += 1
        elif isinstance(node, gast.Assign):
            pairs = [pair for target in node.targets for pair in _pairs(target, node.value)]
            lists.update(t.id for t, value in pairs if isinstance(t, gast.Name) and isinstance(value, gast.List))
        elif isinstance(node, gast.AugAssign) and isinstance(node.op, gast.Add) and isinstance(node.target, gast.Name):
            lists[node.target.id] += 1
        elif isinstance(node, gast.Global | gast.Nonlocal):
            bound.update(node.names)
        else:
            bound.update(names_bound(node))
    return frozenset(name for name, count in lists.items() if bound[name] == count)


def _pairs(target: Any, value: Any) -> list[tuple[Any, Any]]:
    """Returns the targets of an assignment with their values; of `a, b = [], []` one by one."""
    if isinstance(target, gast.Tuple) and isinstance(value, gast.Tuple) and len(target.elts) == len(value.elts):
        return [] if any(isinstance(t, gast.Starred) for t in target.elts) else [*zip(target.elts, value.elts)]
    return [(target, value)]


def resized(block: list[Any], alias: str) -> list[str]:
    """Returns the variables of which a block calls a method that makes a list longer or shorter, sorted.

    >>> resized(gast.parse("if c: todo.extend(xs)\\nelse: x = todo.pop()\\nd.rows.append(x)").body, "ag__")
    ['todo']
    """
    return sorted(_owners(block, alias, RESIZING))


def shortened(block: list[Any], alias: str) -> list[str]:
    """Returns the names that it only makes shorter.

    >>> shortened(gast.parse("x = todo.pop()\\ny = found.pop()\\nfound.append(x + y)").body, "ag__")
    ['todo']
    """
    found = _owners(block, alias, _SHRINK)
    return sorted(found - _owners(block, alias, _GROW)) if found else []


_FUNCTIONS = methods_with("function", "writes")
_GROW, _SHRINK = (methods_with("list", does) | methods_with("function", does) for does in ("grows", "shrinks"))
RESIZING = _GROW | _SHRINK
"""The methods that make a list longer or shorter, and the functions that do it to their first argument."""


def _owners(block: list[Any], alias: str, methods: frozenset[str]) -> set[str]:
    found: set[str] = set()
    for node in walk(*block):
        function = callee(node, alias) if isinstance(node, gast.Call) else None
        name = getattr(function, "attr", None) or getattr(function, "id", None)
        if name not in methods:
            continue
        changed = node.args[:1] if name in _FUNCTIONS else [getattr(function, "value", None)]
        found.update(str(owner.id) for owner in changed if isinstance(owner, gast.Name))
    return found


def _list_of_append(node: Any) -> str | None:
    """Returns the name in `name.append(value)`."""
    if not (isinstance(node, gast.Call) and len(node.args) == 1 and not node.keywords):
        return None
    function = node.func
    if isinstance(function, gast.Attribute) and function.attr == "append" and isinstance(function.value, gast.Name):
        return None if isinstance(node.args[0], gast.Starred) else str(function.value.id)
    return None
