"""What the names of a module mean while its source is all there is.

Only two kinds of names are known without running the module: those that import statements bind to modules of JAX, NumPy
or the standard library, and builtins that the module does not bind itself.

>>> resolve = module_resolver(ast.parse("import math\\nimport mine\\ndef len(x): ..."))
>>> resolve("math.sqrt"), resolve("mine.sqrt"), resolve("len"), resolve("abs")
(<built-in function sqrt>, MISSING, MISSING, <built-in function abs>)
>>> resolve = module_resolver(ast.parse("from mine import *"))
>>> resolve("len"), resolve("super")
(MISSING, <class 'super'>)
"""

import ast
import builtins
import importlib
import inspect
import sys
from collections.abc import Callable
from typing import Any

from autograph.code.nodes import names_bound, walk_outside
from autograph.options import MISSING

_ROOTS = ("autograph", "jax", "numpy")
# Of the standard library, what numeric code uses; other modules are known when they are loaded already, since importing
# one may do something (`this`, `antigravity`).
_STANDARD = ("cmath", "collections", "dataclasses", "functools", "itertools", "math", "operator", "random", "typing")


def module_resolver(tree: ast.Module) -> Callable[[str], Any]:
    """Returns a `resolve` for `ConversionContext`: from a dotted name to the object that it means, or `MISSING`."""
    imported, bound = _bindings(tree)

    def resolve(dotted: str) -> Any:
        first, *rest = dotted.split(".")
        if first in bound:
            return MISSING
        if first in imported:
            found = _load(*imported[first])
        else:
            found = getattr(builtins, first, MISSING)
        for name in rest:
            if not (inspect.ismodule(found) or inspect.isclass(found)):
                return MISSING
            found = getattr(found, name, MISSING)
        return found

    return resolve


def known_globals(tree: ast.Module) -> dict[str, Any]:
    """Returns the globals that a module will have, as far as they are known before it runs; `MISSING` where they are not.

    Nothing is imported for it: known are names that imports bind to modules which are loaded already.
    """
    imported, bound = _bindings(tree)
    found: dict[str, Any] = {}
    for name, (module, attribute) in imported.items():
        root = module.split(".")[0]
        value: Any = MISSING
        if root in _ROOTS or root in sys.stdlib_module_names:
            value = sys.modules.get(module, MISSING)
            if value is not MISSING and attribute is not None:
                value = getattr(value, "__dict__", {}).get(attribute, MISSING)
        found[name] = value
    return found | dict.fromkeys(bound, MISSING)


def _bindings(tree: ast.Module) -> tuple[dict[str, tuple[str, str | None]], set[str]]:
    """Returns names by the module and attribute that an import binds them to, and names that are bound in any other way."""
    imported: dict[str, tuple[str, str | None]] = {}
    bound: set[str] = set()

    def bind(name: str, source: tuple[str, str | None]) -> None:
        if imported.setdefault(name, source) != source:
            bound.add(name)  # `try: from fast import f` / `except ImportError: from slow import f`

    for node in walk_outside(_SCOPES, *tree.body):  # of functions and classes only the node
        if isinstance(node, ast.Import):
            for alias in node.names:
                module = alias.name if alias.asname else alias.name.split(".")[0]
                bind(alias.asname or module, (module, None))
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name == "*":
                    # It may bind any of them; but who has a `super` of his own? One that moved needs to be known.
                    bound.update(vars(builtins).keys() - {"super"})
                elif node.level or node.module is None:
                    bound.add(alias.asname or alias.name)
                else:
                    bind(alias.asname or alias.name, (node.module, alias.name))
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound.add(node.id)
        elif not isinstance(node, ast.alias):
            bound.update(names_bound(node))
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            bound.update(node.names)
    return imported, bound


_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def _load(module: str, attribute: str | None) -> Any:
    root = module.split(".")[0]
    is_loaded = root in sys.stdlib_module_names and module in sys.modules
    if not is_loaded and root not in _ROOTS + _STANDARD:
        return MISSING
    try:
        found = importlib.import_module(module)
        if attribute is None:
            return found
        if not hasattr(found, attribute) and root in _ROOTS:
            importlib.import_module(f"{module}.{attribute}")
        return getattr(found, attribute, MISSING)
    except ImportError:
        return MISSING
