"""Functions whose code or defaults were exchanged after something was made of them.

`%autoreload 2` of IPython does so with every function of a module that was edited: the old function object gets the
`__code__`, the `__defaults__` and the `__kwdefaults__` of the new one. So whatever is kept for a function names what it was
made of (`Made`), and is made again when that is not what the function has.

A converted function that somebody keeps is another object than its original. It follows: when the original's old code is gone,
or when a trace finds that the original has another, the converted function gets a code that brings it up to date where it
is called next, and what `ag.jit` compiled of it is traced again. While nothing was exchanged a call compares nothing.

>>> def f(x): return x + 1
>>> def edited(x): return x + 100
>>> from autograph.conversion.pipeline import convert_function
>>> g = convert_function(f)
>>> f.__code__ = edited.__code__
>>> convert_function(f)(1), convert_function(f) is convert_function(f)
(101, True)
"""

from __future__ import annotations

import functools
import sys
import weakref
from collections.abc import Callable, Iterable
from types import CodeType, FunctionType, MethodType
from typing import Any

from autograph import errors
from autograph.code.code_places import quietly
from autograph.code.library import names_of
from autograph.code.linking import parameters
from autograph.code.registry import LOCK, known

Remake = Callable[[FunctionType], FunctionType]


class Made:
    """What was made of a function.

    It is held weakly where it may lead back to the original, for the tables are keyed by that: by its cells, or by its globals
    where the original stands in them. A module that is loaded stays anyway.

    Args:
        fn: the original.
        made: a function with the same defaults.
    """

    __slots__ = ("_code", "_held")

    def __init__(self, fn: FunctionType, made: FunctionType) -> None:
        names = made.__globals__
        module = sys.modules.get(names.get("__name__", ""))
        is_loaded = module is not None and names_of(module) is names
        self._held: Any = made if made.__closure__ is None and is_loaded else weakref.ref(made)
        self._code = weakref.ref(fn.__code__)

    def of(self, fn: FunctionType) -> FunctionType | None:
        """Returns the function that was made, if it lives and the original still is what it was."""
        made: Any = self._held() if type(self._held) is weakref.ref else self._held
        if made is None or self._code() is not fn.__code__:
            return None
        same = made.__defaults__ is fn.__defaults__ and made.__kwdefaults__ is fn.__kwdefaults__
        return made if same else None


class _Following:
    """The original of a converted function, the code that it was made of, and what `jax.jit` made of it."""

    __slots__ = ("__weakref__", "code", "jitted", "original", "remake")

    def __init__(self, fn: FunctionType, made: FunctionType, remake: Remake) -> None:
        self.original = weakref.ref(fn)
        self.remake = remake
        self.jitted: tuple[weakref.ref[Any], ...] = ()
        # When Python ends, functions may outlive the names of this module and of `weakref`.
        self.code = weakref.ref(fn.__code__, functools.partial(_gone, weakref.ref(made), sys.is_finalizing))


class _Successor:
    """What the code of a converted function calls whose original was exchanged."""

    def __init__(self, made: weakref.ref[FunctionType], fn: FunctionType, remake: Remake) -> None:
        self.made = made
        self.fn = fn
        self.remake = remake

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self.current()(*args, **kwargs)

    def current(self) -> FunctionType:
        """Returns the converted function of today: the one at hand, brought up to date, if it can take the new code."""
        with LOCK:
            new, made = self.remake(self.fn), self.made()
            if made is None or not _same(made.__closure__, new.__closure__):
                return new
            if self in made.__code__.co_consts:
                made.__code__, made.__defaults__, made.__kwdefaults__ = (
                    new.__code__,
                    new.__defaults__,
                    new.__kwdefaults__,
                )
                made.__doc__, made.__annotations__ = new.__doc__, new.__annotations__
                follow(self.fn, made, self.remake)
            return made


_FOLLOWING: weakref.WeakKeyDictionary[FunctionType, _Following] = weakref.WeakKeyDictionary()


def follow(fn: FunctionType, made: FunctionType, remake: Remake) -> None:
    """Makes a converted function follow its original.

    Args:
        fn: the original.
        made: its converted function.
        remake: gives the converted function of `fn` as it is now.
    """
    before = _FOLLOWING.get(made)
    _FOLLOWING[made] = now = _Following(fn, made, remake)
    if before is not None:
        now.jitted = before.jitted
    found = known(made.__code__)
    assert found is not None
    found.unit.followers.add(made)


def note_jitted(made: Any, jitted: Any) -> None:
    """Takes note of a `jax.jit` around a converted function: what it compiled is traced again after an exchange."""
    if type(made) is MethodType:
        made = made.__func__
    found = _FOLLOWING.get(made) if type(made) is FunctionType else None
    if found is not None:
        found.jitted += (weakref.ref(jitted),)


def up_to_date(fn: FunctionType) -> FunctionType:
    """Returns the function, up to date if it is a converted one whose original was exchanged."""
    for constant in fn.__code__.co_consts:
        if type(constant) is _Successor:
            return constant.current()
    return fn


def successor(followers: Iterable[FunctionType]) -> FunctionType | None:
    """Returns the original of the only one of these converted functions, if it was exchanged; for a call that is on its way.

    Raises:
        ConversionError: the new code has another signature or other defaults, and the call has bound its arguments.
    """
    with LOCK:
        alive = list(followers)
    following = _FOLLOWING.get(alive[0]) if len(alive) == 1 else None
    fn = following.original() if following is not None else None
    if fn is None or following is None or fn.__code__ is following.code():
        return None
    [made] = alive
    with LOCK:
        before = _signature(made)
        if not _exchange(made, following, fn):
            return None
        now = up_to_date(made)
    if not all(map(_same, before, _signature(now))):
        raise errors.ConversionError(
            f"`{fn.__qualname__}` got other code after it was converted, with another signature or other defaults",
            at=fn,
            why="this call has bound its arguments already, as the code before wanted them",
            instead="call it again: the converted function is up to date now",
        )
    return fn


def _signature(fn: FunctionType) -> tuple[tuple[Any, ...] | None, ...]:
    code, names = fn.__code__, fn.__kwdefaults__ or {}
    counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount
    return parameters(code), counts, fn.__defaults__, tuple(names), tuple(names.values())


def _same(some: tuple[Any, ...] | None, others: tuple[Any, ...] | None) -> bool:
    """Whether two tuples hold the same objects; strings and numbers count by value."""
    some, others = some or (), others or ()
    plain = (str, int)
    return len(some) == len(others) and all(
        a is b or (type(a) is type(b) and type(a) in plain and a == b) for a, b in zip(some, others, strict=True)
    )


def _gone(made: weakref.ref[FunctionType], ending: Callable[[], bool], _: Any) -> None:
    """Reacts when nobody holds the old code of an original any more: it got another one, or is gone as well."""
    if ending():
        return
    function = made()
    following = _FOLLOWING.get(function) if function is not None else None
    fn = following.original() if following is not None else None
    if fn is not None and function is not None and following is not None:
        _exchange(function, following, fn)


def _exchange(made: FunctionType, following: _Following, fn: FunctionType) -> bool:
    """Makes a converted function look for the new code of its original at its next call; returns whether there is new code."""
    old, new = known(made.__code__), known(fn.__code__)
    if old is None:
        return any(type(constant) is _Successor for constant in made.__code__.co_consts)
    if new is not None and new.unit is not None and new.unit.source is old.unit.source:
        follow(fn, made, following.remake)  # a method that got our code in place
        return False
    made.__code__ = _calling(_Successor(weakref.ref(made), fn, following.remake), made.__code__)
    for reference in following.jitted:
        if (jitted := reference()) is not None:
            jitted.clear_cache()
    return True


def _calling(found: _Successor, code: CodeType) -> CodeType:
    """Returns code with the free variables of `code` that calls a successor with whatever it is given."""
    names = ", ".join(code.co_freevars)
    text = f"def outer({names}):\n def f(*args, **kwargs):\n  return {_MARK!r}(args, kwargs)\n  {names or None}\n"
    outer = quietly(compile, text, __file__, "exec").co_consts[0]
    (made,) = (constant for constant in outer.co_consts if isinstance(constant, CodeType))
    constants = tuple(found if constant == _MARK else constant for constant in made.co_consts)
    return made.replace(co_consts=constants, co_name=code.co_name, co_qualname=code.co_qualname)


_MARK = "\0autograph successor"
