"""Which functions are library code: called unconverted, since their authors wrote them for JAX or for plain values.

The standard library, every installed package (JAX and NumPy among them) and this library. A package that is installed
in editable form stands in its author's folder and is user code.

>>> import json
>>> is_library(json.dumps), is_library(len), is_library(lambda: None)
(True, True, False)

Packages may also lie where another environment, or a package manager, has put them:

>>> is_library_file("/nix/store/7r4x-jax/lib/python3.11/site-packages/jax/_src/api.py")
True
"""

from __future__ import annotations

import os
import site
import sys
import sysconfig
import types
import weakref
from collections.abc import Mapping
from typing import Any

from autograph.code import source
from autograph.code.registry import names_in
from autograph.errors import PACKAGE_DIRECTORIES

UNCONVERTED: weakref.WeakSet[types.FunctionType] = weakref.WeakSet()
"""Functions that `do_not_convert` marked."""

_PATHS = sysconfig.get_paths()
_ROOTS = {_PATHS[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
_ROOTS.update(site.getsitepackages() if hasattr(site, "getsitepackages") else ())
if isinstance(user := site.getusersitepackages(), str):
    _ROOTS.add(user)
_ROOTS.update(path for path in sys.path if os.path.basename(path) in ("site-packages", "dist-packages"))  # of others
_ROOTS.update(os.path.realpath(root) for root in tuple(_ROOTS))
_ROOTS.update(PACKAGE_DIRECTORIES)
# `<frozen os>` and the like are modules that Python carries inside itself.
_PREFIXES = (*(root + os.sep for root in sorted(_ROOTS)), "<frozen ", "<__array_function__")
_FOLDERS = tuple(f"{os.sep}{name}{os.sep}" for name in ("site-packages", "dist-packages"))
_FLAGS = type.__dict__["__flags__"].__get__
HEAP_TYPE = 1 << 9
"""`Py_TPFLAGS_HEAPTYPE` among the flags of a class: a class statement made it, or a module of C code that makes classes late."""
ARRAY_PACKAGES = frozenset({"jax", "jaxlib", "numpy"})
_known: dict[str, bool] = {}


def is_library_file(filename: str) -> bool:
    """Whether a file, as code objects name it, belongs to library code."""
    answer = _known.get(filename)
    if answer is None:
        answer = filename.startswith(_PREFIXES) or is_installed(filename)
        _known[filename] = answer
    return answer


def is_installed(filename: str) -> bool:
    """Whether a file lies where packages are installed."""
    return any(folder in filename for folder in _FOLDERS)


def claim(filename: str) -> None:
    """Makes a file one of the user's, wherever it lies: the import hook converted it."""
    _known[filename] = False


def is_library(fn: Any) -> bool:
    """Whether a callable is library code. Looks at types and code objects only; user objects are not probed."""
    kind = type(fn)
    if kind is types.FunctionType:
        return is_library_file(fn.__code__.co_filename)
    if kind is types.MethodType:
        return is_library(fn.__func__)
    if kind is type:
        return is_library_class(fn)
    return kind in _BUILTIN or is_library_module(kind.__module__)


def is_library_class(cls: type) -> bool:
    """Whether a class is defined in library code, whatever its metaclass is."""
    name = type.__getattribute__(cls, "__module__")
    if name == "builtins" and _FLAGS(cls) & HEAP_TYPE and not issubclass(cls, BaseException):
        return False  # made by `exec` in a namespace without a name
    if name == "types" and names_of(types).get(type.__getattribute__(cls, "__name__")) is not cls:
        return False  # made by `types.new_class`, as `make_dataclass` does it before Python 3.12
    return is_library_module(name)


def is_library_module(name: Any) -> bool:
    """Whether a module, by its name, is library code; one that is not loaded is none."""
    module = sys.modules.get(name) if isinstance(name, str) else None
    if module is None:
        return False
    own = names_of(module)
    filename = own.get("__file__")
    if filename is None:  # a package without `__init__.py` has folders
        filename = next(iter(own.get("__path__", ())), None)
    if filename is None and not isinstance(module, types.ModuleType):
        inside = (value for value in names_of(type(module)).values() if type(value) is types.FunctionType)
        filename = next((function.__code__.co_filename for function in inside), None)
    return name != "__main__" and (filename is None or is_library_file(filename))


def package_of(x: Any) -> str:
    """Returns the package that a class or a function says it is from; empty for none."""
    module = getattr(x, "__module__", None)
    return module.partition(".")[0] if type(module) is str else ""


def package_of_module(module: types.ModuleType) -> str:
    """Returns the package to which a module belongs, without calling its `__getattr__`."""
    name = names_of(module).get("__name__")
    return name.partition(".")[0] if type(name) is str else ""


def package_of_code(f: Any) -> str:
    """Returns the package in which a function or method is defined: `functools.wraps` names it after what it calls."""
    inner = f.__func__ if type(f) is types.MethodType else f
    if type(inner) is not types.FunctionType:
        return package_of(inner)
    module = inner.__globals__.get("__name__")
    return module.partition(".")[0] if type(module) is str else ""


def names_of(x: Any) -> Mapping[str, Any]:
    """Returns the `__dict__` of an object, or of what stands for a module, without calling its `__getattr__`."""
    try:
        found: Mapping[str, Any] = object.__getattribute__(x, "__dict__")
    except AttributeError:
        return {}
    return found


_BUILTIN = {
    types.BuiltinFunctionType,
    types.MethodWrapperType,
    types.WrapperDescriptorType,
    types.MethodDescriptorType,
    types.ClassMethodDescriptorType,
}


def stays(fn: types.FunctionType) -> bool:
    """Whether a function is called as it is: library code, marked `do_not_convert`, or without source."""
    return fn in UNCONVERTED or is_library(fn) or is_staged_in_its_file(fn) or not source.has_source(fn)


def is_unseen(fn: types.FunctionType) -> bool:
    """Whether a function of the user's announces no writes: marked `do_not_convert`, or without source."""
    return (fn in UNCONVERTED or not source.has_source(fn)) and not announces(fn)


def announces(fn: types.FunctionType) -> bool:
    """Whether a function's writes are announced though it is not converted now: library code, or staged in its file."""
    return is_library(fn) or is_staged_in_its_file(fn)


def is_staged_in_its_file(fn: types.FunctionType) -> bool:
    """Whether a function is staged in its file already, as `autograph convert` writes it.

    It is when its code, or code inside it, reads a global that is the runtime.
    """
    runtime = sys.modules.get("autograph.runtime")
    return runtime is not None and any(fn.__globals__.get(name) is runtime for name in names_in(fn.__code__))
