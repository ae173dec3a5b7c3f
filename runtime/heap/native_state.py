"""Native state that a staged region must not change: iterators, the generators of `random` and `numpy.random`, C objects.

Lists, attributes and variables are put back after a region was staged; an iterator cannot be, so taking from it in an
branch that is not taken would be seen afterwards. What was made inside the region is nobody else's and may be used up.

>>> it = iter([1, 2])
>>> next_item(it), next_item(it), next_item(it, None)
(1, 2, None)
"""

from __future__ import annotations

from types import FunctionType, MethodDescriptorType, MethodType
from typing import Any

from autograph.code.library import package_of
from autograph.runtime.heap import journal
from autograph.runtime.heap.iterators import advances
from autograph.runtime.tracing import context, host, sharing, sizes
from autograph.runtime.tracing.class_lookup import once_per_class, python_method
from autograph.runtime.tracing.families import BOUND_METHODS
from autograph.runtime.tracing.refusals import a, refusal
from autograph.runtime.tracing.staging import is_jax_array
from autograph.runtime.values import native_effects

_MISSING: Any = object()


def make_iterator(*args: Any) -> Any:
    """`iter(x)`; remembered as made inside the innermost region."""
    if is_jax_array(args[0]) and args[0].ndim and sizes.is_size(args[0].shape[0]):
        raise refusal(
            "iter() takes the items of an axis of unknown size",
            why="an iterator gives one item after the other while the program is traced, and how many there are differs from call "
            "to call",
            instead="take the items by index (`x[0]`), or in a `for` loop",
            page="value-that-python-asks-for",
        )
    found = iter(*args)
    region = context.innermost()
    if region is not None and found is not args[0]:
        region.made[id(found)] = found
    return found


def next_item(iterator: Any, default: Any = _MISSING, /) -> Any:
    """`next(iterator)`, of a Python `__next__` converted, or announced where it is a library's.

    Raises:
        StagingError: a region is being staged, and the iterator is native and older than the region.
    """
    region = context.innermost()
    if region is not None:
        method = python_method(type(iterator), "__next__")
        if method is not None:
            return _from_python(method, iterator, default)
        if sharing.other_references(iterator) > 0 and journal.forbids(iterator):
            raise refusal(
                f"next() takes from {a(type(iterator).__name__)} inside a staged statement",
                why="it would be taken while the program is traced, once, also where the statement is not reached",
                instead="take the items before the statement, or index a list or an array",
                page="next-in-a-branch",
            )
    return next(iterator) if default is _MISSING else next(iterator, default)


def _from_python(method: FunctionType, iterator: Any, default: Any) -> Any:
    step = host.calls.converted(MethodType(method, iterator))
    if default is _MISSING:
        return step()
    try:
        with context.handled(context.ENDS_OF_ITEMS["__next__"]):
            return step()
    except StopIteration:
        return default


def refuse_to_draw(owner: Any, name: str) -> None:
    """Refuses a method that changes what cannot be put back, while a region is staged.

    Of a random generator, a context variable, a queue or a thread (each thread has a journal of its own), and any method of
    an object of C code of which it is not known that it changes nothing.

    Raises:
        StagingError: see there.
    """
    if context.active() and any(name in native_effects.CHANGING.get(base, ()) for base in type(owner).__mro__):
        raise refusal(
            f"{name}() changes {a(type(owner).__name__)} inside a staged statement",
            why="it would change while the program is traced, also where the statement is not reached",
            instead="change it before or after the statement",
            page="native-state",
        )
    if context.active() and name not in native_effects.READING and name[:2] != "__":
        refuse_to_change(owner, name)
    if context.active() and issubclass(type(owner), native_effects.DRAWING) and journal.forbids(owner):
        raise refusal(
            f"{name}() draws from {a(type(owner).__name__)} inside a staged statement",
            why="it would draw while the program is traced, once, also where the statement is not reached",
            instead="draw with jax.random and a key, or draw before the statement",
            page="random-generator",
        )


def refuse_factories(cls: type) -> None:
    """Refuses to make an object of a dataclass of which a default comes from an iterator, or a random generator.

    Raises:
        StagingError: it is older than the region.
    """
    for field in getattr(cls, "__dataclass_fields__", {}).values():
        factory = field.default_factory
        if not advances(factory):
            if isinstance(factory, BOUND_METHODS):
                refuse_to_draw(factory.__self__, factory.__name__)
        elif context.active() and journal.forbids(factory.__self__):
            raise refusal(
                f"the default of {cls.__qualname__}.{field.name} comes from {a(type(factory.__self__).__name__)}, and an "
                "object is made inside a staged statement",
                why="it would be advanced while the program is traced, also where the statement is not reached",
                instead=f"make the object before the statement, or give it its {field.name}",
                page="default-from-an-iterator",
            )


def refuse_to_change(x: Any, name: str) -> None:
    """Refuses a function written in C, or in a library, that is given an object of C code, while a region is staged.

    Raises:
        StagingError: the object is older than the region, and may have a state.
    """
    if has_state(type(x)) and journal.forbids(x):
        raise refusal(
            f"{name}() may change {a(type(x).__name__)} inside a staged statement",
            why="it is written in C, and what changes while the program is traced cannot be put back where the statement is "
            "not reached",
            instead="call it before or after the statement",
            page="object-of-c-code",
        )


@once_per_class
def has_state(kind: type) -> bool:
    """Whether a class was written in C, and it is not known that its objects stay as they are."""
    return issubclass(kind, native_effects.CHANGEABLE) or any(
        type(member) is MethodDescriptorType and name[:2] != "__"
        for base in kind.__mro__
        if package_of(base).lstrip("_") not in native_effects.WITHOUT_STATE
        for name, member in base.__dict__.items()
    )
