"""Writes and deletes of attributes: `obj.a = v`, `obj.a += v`, `del obj.a`.

Setters that the user wrote in Python (`property`, descriptors, `__setattr__`, `__delattr__`) are converted and called.
A plain attribute is announced to the journal, so that the branch of a staged `if` that is not taken leaves no trace, and
then written natively.

>>> class Point:
...     x = 0
>>> p = Point()
>>> set_attr(3, p, 'x'); aug_attr(p, 'x', '+=', lambda: 4); p.x
7
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType, WrapperDescriptorType
from typing import Any, NoReturn

import numpy as np

from autograph import errors
from autograph.runtime.heap import aliases, class_fallback, constants, journal, library_objects, outliving
from autograph.runtime.operators import augmented
from autograph.runtime.tracing import context, host
from autograph.runtime.tracing.class_lookup import python_method, static_lookup
from autograph.runtime.tracing.refusals import refusal
from autograph.runtime.tracing.staging import is_jax_array, is_tracer
from autograph.runtime.values.bounded_array import BoundedArray
from autograph.runtime.values.choices import Choice, for_each_option
from autograph.runtime.values.kinds import is_ordinary
from autograph.runtime.values.locations import AttributeLocation, attribute_values
from autograph.runtime.values.optional import TESTED, Maybe, some


def announce(obj: Any, name: str) -> None:
    """Tells the journal that `obj.name` is about to be written or deleted.

    Raises:
        StagingError: a region is being staged, and the object keeps its attributes where they cannot be put back; or the
            object stands for one of several.
    """
    if not context.active():
        constants.check_constant(obj)  # the attributes of an array are its numbers, or what they mean
        aliases.check_alias(obj)
        class_fallback.check_fallback(obj, name)
        outliving.note_attribute_write(obj, name)
        return
    kind = type(obj)
    if name[:2] == "__" == name[-2:] and type(static_lookup(kind, name)) is GetSetDescriptorType:
        raise refusal(
            f"`{name}` of this {kind.__qualname__} is changed inside a staged statement",
            why="it decides what code runs or where it looks, while the program is traced",
            instead="make another object, or keep the choice in an attribute",
            page="class-of-an-object",
        )
    if issubclass(kind, np.ndarray):
        journal.touch_container(obj)  # its attributes are its numbers
    if _is_of_c(static_lookup(kind, name)):
        raise _cannot_be_undone(name, kind)
    writer = static_lookup(kind, "__setattr__")
    if type(writer) is WrapperDescriptorType and writer.__name__ != "__setattr__":
        journal.touch_container(obj)  # `__setattr__ = dict.__setitem__`: attributes are items
        return
    try:
        journal.touch_attribute(obj, name)
    except errors.AutoGraphError:
        raise
    except (AttributeError, TypeError) as error:
        raise _cannot_be_undone(name, kind) from error


def _cannot_be_undone(name: str, kind: type) -> Exception:
    return refusal(
        f"a write to attribute '{name}' of this {kind.__qualname__} cannot be staged",
        why="the object has no `__dict__` and no slot of that name, so the write could not be undone",
        instead="compute the value in the staged statement and write it after the statement",
        page="attribute-that-cannot-be-undone",
    )


def _is_of_c(descriptor: Any) -> bool:
    """Whether C code keeps an attribute: a field of a `ctypes` structure, the shape of an array."""
    setter = static_lookup(type(descriptor), "__set__")
    return type(setter) is WrapperDescriptorType and type(descriptor) not in (property, MemberDescriptorType)


def _behind(obj: Any) -> Any:
    """The object that a `weakref.proxy` stands for: what is written to it is written there."""
    return obj.__init__.__self__ if type(obj) in weakref.ProxyTypes else obj


def maybe_attr(obj: Any, name: str) -> Any:
    """`obj.name` for `is_none` and `some`: also what may be `None` or a value when the program runs."""
    TESTED.add(name)
    try:
        return getattr(obj, name)
    except AttributeError:
        found = AttributeLocation(obj, name).get() if is_ordinary(obj) else None
        if type(found) is not Maybe:
            raise
        return found


def set_attr(value: Any, obj: Any, name: str) -> None:
    """`obj.name = value`; a setter runs once."""
    if type(obj) is Choice:
        return for_each_option(obj, lambda option: set_attr(value, option, name))
    obj = _behind(obj)
    if _by_method(obj, name, ("__setattr__", "fset", "__set__"), value):
        return
    if type(obj) is BoundedArray:
        raise no_part_of_array(name)
    if is_jax_array(obj):
        _refuse_on_array(obj, name, lambda x: setattr(x, name, value))
    announce(obj, name)
    setattr(obj, name, value)


def _refuse_on_array(array: Any, name: str, change: Callable[[Any], None]) -> NoReturn:
    """Raises what NumPy raises where `change` writes or deletes this attribute of an array or a number.

    Raises:
        AttributeError: the attribute cannot be written; any error of NumPy or Python is possible.
        StagingError: NumPy changes the array, or has none of this type, or the array is known.
    """
    if is_tracer(array) and name not in _CHANGING and isinstance(array.dtype, np.dtype):
        x = np.zeros((0,) * array.ndim, array.dtype)
        change(x if x.ndim else x.item() if array.weak_type else x[()])
    raise no_part_of_array(name)


_CHANGING = frozenset({"shape", "dtype", "strides", "flat", "real", "imag"})
"""The attributes by which NumPy changes an array."""


def no_part_of_array(name: str) -> Exception:
    """The refusal where `x.T = v`, `x.T[0] = v` or `x.shape = s` would have to change an array of JAX."""
    return refusal(
        f"`.{name}` of an array is written",
        why="NumPy changes the array itself there; an array of a compiled program is a value, and this attribute another one",
        instead="write the elements by their place in the array (`x[:, 0] = v` for `x.T[0] = v`), or make a new array "
        "(`x = x.reshape(shape)`)",
        page="attribute-of-an-array",
    )


def aug_attr(obj: Any, name: str, symbol: str, value: Callable[[], Any]) -> None:
    """`obj.name <symbol> value()`: read, evaluate, combine, write, in Python's order."""
    if is_jax_array(obj) and is_jax_array(getattr(obj, name)):
        raise no_part_of_array(name)  # `x.T += v` changes `x`, then it raises
    set_attr(augmented.iop(symbol, _read(obj, name), value(), unshared=0), obj, name)  # no variable: references are counted


def _read(obj: Any, name: str) -> Any:
    return some(maybe_attr(obj, name), name) if name in TESTED else getattr(obj, name)


def del_attr(obj: Any, name: str) -> None:
    """`del obj.name`."""
    if type(obj) is Choice:
        return for_each_option(obj, lambda option: del_attr(option, name))
    obj = _behind(obj)
    if is_tracer(obj):
        _refuse_on_array(obj, name, lambda x: delattr(x, name))
    if not _by_method(obj, name, ("__delattr__", "fdel", "__delete__")):
        announce(obj, name)
        delattr(obj, name)


def _by_method(obj: Any, name: str, methods: tuple[str, str, str], *value: Any) -> bool:
    """Whether a Python method writes or deletes an attribute, which it has done then.

    `methods`: how it is called in a class, in a property, and in any other descriptor.
    """
    of_class, of_property, of_descriptor = methods
    method = python_method(type(obj), of_class)
    if method is not None:
        _setter(method, obj, name)(obj, name, *value)
        return True
    found = static_lookup(type(obj), name)
    if type(found) is property:
        function = getattr(found, of_property)
        if function is not None:
            host.calls.converted(function)(obj, *value)
        return function is not None
    method = None if found is None else python_method(type(found), of_descriptor)
    if method is not None:
        _setter(method, obj, name)(found, obj, *value)
    return method is not None


def _setter(method: FunctionType, obj: Any, name: str) -> Callable[..., Any]:
    """A method that writes or deletes an attribute, converted.

    A library's setter writes natively, so the attribute of its name is announced here; the user's announces its own writes.
    """
    found = host.calls.staged(method)
    if found is method:
        if context.active() and type(static_lookup(type(obj), name)) is property:
            journal.touch_container(obj, by_library=True)  # what its setter writes has another name
        else:
            announce(obj, name)
        if (region := context.innermost()) is not None:
            for part in (obj, *attribute_values(obj)):  # a module of NNX has an object that notes its trace
                library_objects.enter_trace(part, region.touch)
    return found
