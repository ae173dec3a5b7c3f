"""Methods and functions written in C, which announce no write: the journal hears of the write before they run.

While no region is staged nothing needs to be said, and the method itself is called. Some methods have a version for traced values
(`autograph/code/container_effects.py`), and NumPy arrays' methods become JAX's.

>>> xs = [2, 1]
>>> bound(xs.append)(3); bound(xs.sort)(reverse=True); xs
[3, 2, 1]
"""

from __future__ import annotations

import functools
import operator
import sys
from collections.abc import Callable, Iterator
from types import BuiltinFunctionType, FunctionType
from typing import Any

import jax.numpy as jnp
import numpy as np

from autograph.code.container_effects import of_callable, of_method
from autograph.code.library import package_of, package_of_code
from autograph.runtime import sequences
from autograph.runtime.calls import choice_arguments
from autograph.runtime.checks import traced_strings
from autograph.runtime.heap import (
    aliases,
    guarded_iterators,
    iterated_containers,
    journal,
    library_objects,
    library_state,
    native_state,
    opaque_calls,
)
from autograph.runtime.library import numpy_arguments, numpy_functions
from autograph.runtime.operators import attributes
from autograph.runtime.sequences import comparison, ranges
from autograph.runtime.tracing import context, host
from autograph.runtime.tracing.families import MUTABLE_CONTAINERS, NUMBERS, WRITABLE
from autograph.runtime.tracing.refusals import frames_of_user, refusal
from autograph.runtime.tracing.staging import is_traced
from autograph.runtime.values import choices
from autograph.runtime.values.kinds import is_value_class
from autograph.runtime.values.native_effects import FILLING, FRESH_PACKAGES, READING_PACKAGES

_RANGE_METHODS: dict[str, Callable[..., Any]] = {"count": ranges.count_in_range, "index": ranges.index}


def bound(f: Any) -> Any:
    """A method of C code bound to an object: `xs.append`, `d.update`, `super().__setattr__`."""
    method, owner, name = f, f.__self__, f.__name__
    if name in _WRITE_ATTRIBUTES:
        return functools.partial(_write_attribute, f)
    if issubclass(type(owner), np.ufunc):
        return functools.partial(_ufunc_method, f)
    if type(owner) is range and name in _RANGE_METHODS:
        return functools.partial(_RANGE_METHODS[name], owner)
    if type(owner) in NUMBERS:
        return functools.partial(_method_of_number, f)
    effect = of_method(type(owner), name)
    if not effect.traced and not issubclass(type(owner), WRITABLE):
        if name in FILLING:
            return functools.partial(_filling, f)
        if name in ("write", "writelines", "writerow", "writerows"):
            f = functools.partial(_written, f)
        package = package_of(type(owner)).lstrip("_")
        return f if package in READING_PACKAGES or package in FRESH_PACKAGES else received(f)
    if effect.writes:
        iterated_containers.check_iterated(owner, name)
        journal.touch_container(owner)
    if issubclass(type(owner), np.ndarray):
        return functools.partial(_array_method, f)
    if effect.traced:
        f = functools.partial(operator.attrgetter(effect.traced)(sequences), f)
    is_by_hash = issubclass(type(owner), dict | set)
    return functools.partial(_search, f, method) if effect.searches and (is_by_hash or aliases.any_merged()) else f


def _filling(f: Any, /, *args: Any, **kwargs: Any) -> Any:
    """A method that writes to its first argument."""
    for filled in args[:1]:
        journal.touch_container(filled)
    return f(*args, **kwargs)


def _written(f: Any, *args: Any) -> Any:
    """A method that writes to a file."""
    traced_strings.check_written(args, f.__self__)
    return f(*args)


def _search(f: Any, method: Any, *args: Any, **kwargs: Any) -> Any:
    """A method that looks for its first argument in its owner; `f` stands for it."""
    if args:
        if type(args[0]) is choices.Choice:
            return host.calls.converted(method)(*args, **kwargs)  # for each option: there was no choice when it was looked up
        comparison.check_search(args[0], method.__self__)
    return f(*args, **kwargs)


def unbound(f: Any) -> Any:
    """A method of C code taken from its class (`list.append`, `object.__setattr__`): that which is bound to its first argument."""
    kind = f.__objclass__
    if f.__name__ not in FILLING.union(_WRITE_ATTRIBUTES) and not issubclass(kind, (tuple, *WRITABLE)):
        return f
    return lambda *args, **kwargs: (
        bound(f.__get__(args[0]))(*args[1:], **kwargs) if args and isinstance(args[0], kind) else f(*args, **kwargs)
    )


_WRITE_ATTRIBUTES = ("__setattr__", "__delattr__")


def _write_attribute(f: Any, *args: Any) -> Any:
    if args and type(args[0]) is str:
        attributes.announce(f.__self__, args[0])
    return f(*args)


def announced(f: Any, *owner: Any) -> Any:
    """A library function: where a region is staged, what it is given may come back changed.

    Most comes back as it was (the parameters that an optimiser is given), so it is compared, and a change is announced
    when it is known. Where the result may write later, or what is given is a library's object, it is announced before.
    """
    package = package_of(f).lstrip("_")
    if package in READING_PACKAGES:
        package = package_of_code(f).lstrip("_")
    if package not in READING_PACKAGES or (package == "jax" and not owner):
        guarded_iterators.enter_any()
    if package in READING_PACKAGES:
        return f
    if not journal.hears_of_writes():
        return f if package in FRESH_PACKAGES else received(f, is_library=True)

    def before(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], opaque_calls.Watch]:
        given = (*owner, *args, *kwargs.values())
        if context.progress.has_choices:
            choice_arguments.refuse_choices(f, given)
        for x in given:
            native_state.refuse_to_change(
                x, type(f).__name__ if is_object else getattr(f, "__name__", type(f).__name__)
            )
            _announce_object(x)
        library_state.watch_package(f)
        if package not in FRESH_PACKAGES:
            context.announce_hand_over(given)
        return given, opaque_calls.Watch(given)

    def announce(given: tuple[Any, ...], watch: opaque_calls.Watch) -> None:
        changed = watch.announce(by_library=True)
        if changed and aliases.any_merged():
            _check_objects(given, changed)

    def after(given: tuple[Any, ...], result: Any) -> Any:
        if type(result) is f and native_state.has_state(f) and (region := context.innermost()) is not None:
            region.made[id(result)] = result
        if callable(result) or hasattr(type(result), "__next__"):
            for x in given:
                if issubclass(type(x), MUTABLE_CONTAINERS):
                    journal.touch_container(x)
                elif not library_objects.has_library_methods(type(result)):  # whose methods are looked at when they are called
                    aliases.check_alias(x, journal.held_by_regions)
        return context.receive(result)

    def call(*args: Any, **kwargs: Any) -> Any:  # it names no global: see `_as_of_the_user`
        given, watch = before(args, kwargs)
        try:
            result = f(*args, **kwargs)
        finally:
            announce(given, watch)
        return after(given, result)

    is_object = bool(owner) and owner[0] is f  # of the user's, whose `__getattr__` is not to run
    return functools.wraps(f, () if is_object else _ASSIGNED, updated=())(_as_of_the_user(call))


def received(f: Any, is_library: bool = False) -> Any:
    """A function that is not converted, of which the result is looked at: it may be an object that nothing else leads to.

    Args:
        is_library: whether it may call functions that it finds in what it is given.
    """
    if context.progress.reach is None:
        return f
    receive = context.receive

    def hand(given: tuple[Any, ...]) -> None:
        if context.progress.has_choices:
            choice_arguments.refuse_choices(f, given)
        if is_library:
            context.announce_hand_over(given)

    def call(*args: Any, **kwargs: Any) -> Any:
        hand((*args, *kwargs.values()))
        return receive(f(*args, **kwargs))

    return _as_of_the_user(call)


# From Python 3.12 on a frame's module is that of its function, which is the user's.
_ASSIGNED = [name for name in functools.WRAPPER_ASSIGNMENTS if name != "__module__"]


def _as_of_the_user(call: Any) -> Any:
    """`call` with the globals of the code that is running: `namedtuple`, `Enum` and their like take the name of the module
    in which they make a class from the frame that called them.
    """
    frame = next(frames_of_user(sys._getframe(), libraries=True), None)
    return (
        call if frame is None else FunctionType(call.__code__, frame.f_globals, call.__name__, None, call.__closure__)
    )


def _announce_object(x: Any) -> None:
    """Announces what library code may change of an argument beside containers: what a method is bound to among it.

    An object that may be one of several is refused only when it has been changed: most are only read.
    """
    for part in _held(x):
        if type(part) is BuiltinFunctionType:
            if of_callable(part).writes:
                journal.touch_container(part.__self__)
        elif not issubclass(type(part), MUTABLE_CONTAINERS) and not is_value_class(type(part)):
            journal.touch_container(part, by_library=True, may_only_read=not issubclass(type(part), WRITABLE))


def _held(x: Any) -> Iterator[Any]:
    """What a `functools.partial` holds; anything else itself."""
    for part in (x.func, *x.args, *x.keywords.values()) if type(x) is functools.partial else ():
        yield from _held(part)
    if type(x) is not functools.partial:
        yield x


def _check_objects(given: tuple[Any, ...], changed: set[int]) -> None:
    """Refuses that library code has changed a part of an object that may be one of several.

    Args:
        changed: the ids of what it changed.
    """
    several = aliases.ids()
    for x in library_objects.changeable_parts([part for argument in given for part in _held(argument)]):
        if id(x) in several and not changed.isdisjoint(map(id, library_objects.changeable_parts(x))):
            aliases.check_alias(x, journal.held_by_regions)


# --- methods that take traced arguments; `f` is the bound method ---


def _method_of_number(f: Any, *args: Any, **kwargs: Any) -> Any:
    """`(5).__add__(x)`: Python's number knows nothing of traced ones, so the operator is called, which knows both."""
    result = f(*args, **kwargs)
    if result is not NotImplemented or len(args) != 1 or not is_traced(args[0]):
        return result
    name = f.__name__
    is_divmod = name in ("__divmod__", "__rdivmod__")
    apply: Any = divmod if is_divmod else getattr(operator, name, None) or getattr(operator, "__" + name[3:], None)
    if apply is None:
        return result
    is_reflected = not hasattr(operator, name) and name != "__divmod__"
    return apply(args[0], f.__self__) if is_reflected else apply(f.__self__, args[0])


def _array_method(f: Any, *args: Any, **kwargs: Any) -> Any:
    numpy_functions.touch_written(getattr(np, f.__name__, None), f.__name__, (f.__self__, *args), kwargs)
    if numpy_functions.takes_traced(args, kwargs):
        if of_method(np.ndarray, f.__name__).writes:
            raise refusal(
                f"{f.__name__}() writes a traced value into a NumPy array",
                why="it holds numbers, and a traced value is not known yet",
                instead="start from a JAX array: `x = jnp.full_like(x, value)`, `x = x.at[i].set(value)`",
                page="numpy-method-that-writes",
            )
        array, name = jnp.asarray(f.__self__), f.__name__
        return numpy_arguments.call_method(getattr(array, name), name, array, *args, **kwargs)
    return f(*args, **kwargs)


def _ufunc_method(f: Any, *args: Any, **kwargs: Any) -> Any:
    numpy_functions.touch_written(f, f.__name__, args, kwargs)
    if numpy_functions.takes_traced(args, kwargs):
        return numpy_functions.ufunc_method(f, args, kwargs)
    return f(*args, **kwargs)
