"""Calls of code that is not converted, with a choice between strings among the arguments (`choices`): made for each, in branches.

Converted code may be given a choice, for all that it does to it leads to an operator or to a method of the choice. Code that is not
converted may ask for its class or compare it by `is`, and must not see one.

>>> each_option_before("abc".find, "abc".find, lambda find: find)("b")
1
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from types import FunctionType, MethodType
from typing import Any

from autograph.code.container_effects import Effect, of_callable
from autograph.code.library import ARRAY_PACKAGES, is_library, names_of, package_of_code
from autograph.code.registry import names_in
from autograph.runtime.calls.function_arguments import calls_functions
from autograph.runtime.heap.opaque_calls import RUN_STRINGS
from autograph.runtime.tracing import host
from autograph.runtime.tracing.class_lookup import static_lookup
from autograph.runtime.tracing.families import BOUND_METHODS, LEAF_KINDS, UNBOUND_METHODS
from autograph.runtime.tracing.refusals import refusal
from autograph.runtime.tracing.staging import is_array_like, is_traced
from autograph.runtime.tracing.variables import UNSET, cell_contents
from autograph.runtime.values import choices
from autograph.runtime.values.kinds import open_any
from autograph.runtime.values.reachability import walk_objects

_MOST = 100_000
"""After so many objects no choice is looked for any more."""
_OPEN = ARRAY_PACKAGES | {"autograph", "copy", "dataclasses"}
"""Packages whose functions ask nothing of what they come upon, or raise."""
_CALL_IT = (map, filter, sorted, min, max)
"""They call a function that they are given, by what stands for it in converted code, as what `calls_functions` names does."""
_AS_THEY_ARE = (isinstance, callable, super, vars, locals, globals, *RUN_STRINGS, any, all, next)
"""The last three count who else refers to an iterator: a call in between would refer to it. They know choices."""


def each_option_before(f: Any, found: Any, find: Callable[[Any], Any]) -> Any:
    """`found`, which stands for the callee `f`; where that is not converted, calls with a choice are made for each option.

    Args:
        find: finds it again, inside the branch of an option: what `f` writes to is announced by whoever looks it up.
    """
    effect = of_callable(f) if type(f) in (*BOUND_METHODS, *UNBOUND_METHODS) else Effect()
    if (effect.stores and not effect.searches) or _is_converted(f) or any(f is known for known in _AS_THEY_ARE):
        return found

    def of_options(*args: Any, **kwargs: Any) -> Any:
        refuse_choices(f, (*args, *kwargs.values()))
        return find(f)(*args, **kwargs)

    def call(*args: Any, **kwargs: Any) -> Any:
        chosen = [x for x in (*args, *kwargs.values()) if type(x) is choices.Choice]
        calls_it = (any(f is known for known in _CALL_IT) or calls_functions(f)) and all(map(choices.is_of_functions, chosen))
        fills = type(getattr(f, "__self__", None)) is str and any(map(is_traced, (*args, *kwargs.values())))
        if chosen and not calls_it and not fills:
            return choices.each_apart(of_options, *args, **kwargs)
        refuse_choices(f, (*args, *kwargs.values()))
        return found(*args, **kwargs)

    return call


def refuse_choices(f: Any, given: Sequence[Any]) -> None:
    """Refuses a call of Python code that is not converted, and would come upon a choice in what it is given or refers to.

    The first choice of a program may be made while the arguments are evaluated: then `each_option_before` was not called for it.
    """
    owner = getattr(f, "__self__", None)
    for function in _layers(getattr(f, "__func__", f)):
        _refuse_choices_of(function, [*given, owner])


def _layers(f: Any) -> list[Any]:
    """A function and those that it wraps."""
    found: list[Any] = []
    while f is not None and all(f is not known for known in found):
        found.append(f)
        f = names_of(f).get("__wrapped__")
    return found


def _refuse_choices_of(sees: Any, given: Sequence[Any]) -> None:
    if type(sees) is not FunctionType or not host.conversion.stays(sees) or package_of_code(sees) in _OPEN:
        return
    around = [*map(cell_contents, sees.__closure__ or ()), *map(sees.__globals__.get, names_in(sees.__code__))]
    for x in walk_objects([*given, *around], _leads_to, _may_lead, _MOST):
        if type(x) is choices.Choice:
            is_direct = any(x is y for y in given)
            raise refusal(
                f"{sees.__qualname__}() is called with {choices.described(x)}"
                if is_direct
                else f"{sees.__qualname__}() is called while what it can reach holds {choices.described(x)}",
                why="it is not converted, and would see what stands for the string in the program",
                instead="bind the string to a variable before the call" if is_direct else "hand the string to it as an argument",
                page="choice-between-strings",
            )


def _may_lead(x: Any) -> bool:
    return type(x) is choices.Choice or not (type(x) in LEAF_KINDS or x is UNSET or is_array_like(x))


def _leads_to(x: Any) -> list[Any]:
    opened = None if type(x) is choices.Choice else open_any(x)
    return [] if opened is None else opened[0]


def _is_converted(f: Any) -> bool:
    """Whether a call runs the user's own code, converted."""
    kind = type(f)
    if kind is MethodType:
        return _is_converted(f.__func__)
    if kind is functools.partial:
        return _is_converted(f.func)
    if kind is FunctionType:
        return not host.conversion.stays(f)
    if issubclass(kind, type):
        made = [static_lookup(f, name) for name in ("__init__", "__new__")]
        return any(type(method) is FunctionType and not is_library(method) for method in made)
    call = static_lookup(kind, "__call__")
    return kind in (choices.Choice, choices.Method) or type(call) is FunctionType and not is_library(call)
