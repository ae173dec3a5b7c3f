"""A choice between strings, enum members or functions, where the program decides which: `mode = "slow" if x > 0 else "fast"`.

No array holds a string. So a branch, a loop or a list read at a traced index leaves a `Choice`: a traced number, and the string
that each number stands for. The numbers are made of the strings, so that they mean the same in every branch and iteration.
Whatever is done with a choice is done with each option, which is known: a result that is a string is a choice again, one that is a
number is chosen by the program. Equality is a comparison of numbers, and behind it only the options count that it leaves.

>>> import jax
>>> from autograph import convert
>>> def step(x):
...     mode = "slow" if x > 3 else "fast"
...     return len(mode + "er"), mode == "slow", {"slow": 1, "fast": 5}[mode], mode.startswith("f")
>>> [x.item() for x in jax.jit(convert(step))(2)]
[6, False, 5, True]

A choice says that it is of its options' class, also to `isinstance`. A call of code that is not converted, with a choice among its
arguments, is made for each option, in a branch of its own (`calls.choice_arguments`).
"""

from __future__ import annotations

import enum
import operator
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import reduce
from types import FunctionType
from typing import Any, NamedTuple

import jax
import numpy as np
from jax import lax

from autograph import errors
from autograph.runtime.tracing import context, host
from autograph.runtime.tracing.class_lookup import static_lookup
from autograph.runtime.tracing.predicates import negation, note_predicate, said_by, shown_here
from autograph.runtime.tracing.python_bools import note_bool
from autograph.runtime.tracing.refusals import refusal, user_line
from autograph.runtime.tracing.staging import is_array_like, is_traced
from autograph.runtime.values import callables
from autograph.runtime.values.callables import are_equal, is_callable_option, keeps_traced_value, key_of, name_of

MOST = 64
"""How many options a choice may have: each costs a branch wherever something is done with it."""

OF_ONE_CLASS = f"a program chooses between strings, members of one enum, or functions, of which there are {MOST} at most"
REMEDY = "keep a number in its place, and make the string from what the program returns"

Options = Mapping[int, Any]


class _Test(NamedTuple):
    """What a bool says of a choice: where it holds, the number is one of `equal`, else one of `others`."""

    number: Any
    equal: Collection[int]
    others: Collection[int]


class Choice:
    """One of `choice_options`: that which has the traced `choice_number`."""

    __slots__ = ("__weakref__", "choice_number", "choice_options")
    choice_number: Any
    choice_options: Options

    @property  # type: ignore[misc]  # that of `object` can be assigned
    def __class__(self) -> Any:
        kinds = {type(option) for option in self.choice_options.values()}
        return kinds.pop() if len(kinds) == 1 else FunctionType

    def __getattribute__(self, name: str) -> Any:
        if name in ("__doc__", "__module__"):  # which this class has too
            return for_each_option(self, lambda option: getattr(option, name))
        return object.__getattribute__(self, name)

    def __getattr__(self, name: str) -> Any:
        if name == "__jax_array__" and isinstance(self, int):
            return lambda: for_each_option(self, int)  # how JAX's operators and functions take what stands for a number
        found, options = static_lookup(self.__class__, name), self.choice_options.values()  # which runs no property
        is_method = found is None and all(callables.is_only_called(getattr(option, name)) for option in options)
        if is_method or callable(found) or isinstance(found, staticmethod | classmethod):
            return Method(self, name)
        return for_each_option(self, lambda option: getattr(option, name))

    def __repr__(self) -> str:
        return f"Tracer({described(self)})"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return repr(self)

    def __get__(self, owner: Any, kind: Any = None) -> Any:
        """What stands for it in a class, read at an object: a method of it, where it is a Python function."""
        if owner is None or not is_of_functions(self):
            return self
        return for_each_option(self, lambda option: option.__get__(owner, kind) if hasattr(option, "__get__") else option)

    def __copy__(self) -> Choice:
        return self

    def __deepcopy__(self, memo: Any) -> Choice:
        return self

    def __bool__(self) -> bool:
        return for_each_option(self, bool)  # where it is traced, operators that call this by its name get it

    def __eq__(self, other: object) -> Any:
        return _equal(self, other)

    def __ne__(self, other: object) -> Any:
        equal = _equal(self, other)
        if not is_traced(equal):
            return equal if equal is NotImplemented else not equal
        return negation(equal)

    def __len__(self) -> int:
        return for_each_option(self, len)

    def __hash__(self) -> int:
        raise self._refused("looked up by its hash", "compare it (`==`), or read a dict at it (`table[name]`)")

    def __iter__(self) -> Iterator[Any]:
        raise self._refused("iterated over", "iterate in each branch, over the string that is known there")

    __array_ufunc__ = None  # an array leaves its operators to those of the choice

    def _refused(self, how: str, instead: str) -> Exception:
        why = "which of them it is, only the running program knows"
        return refusal(f"{described(self)} is {how}", why=why, instead=instead, page="choice-between-strings")


Choice.__name__ = "ChoiceTracer"  # so that what C code and JAX say of one is known to be about a traced value


def is_of_functions(choice: Choice) -> bool:
    """Whether its options are functions."""
    return is_callable_option(next(iter(choice.choice_options.values())))


def described(choice: Choice) -> str:
    """A choice as a message shows it."""
    names = [name_of(x) if is_callable_option(x) else repr(x) for x in choice.choice_options.values()]
    shown = [text if len(text) < 24 else f"{text[:16]}..." for text in names]
    return f"one of {', '.join(shown if len(shown) < 8 else [*shown[:4], '...', *shown[-2:]])}"


class Method:
    """A method of what a choice is one of; a call is one for each option."""

    __slots__ = ("_choice", "_name")

    def __init__(self, choice: Choice, name: str) -> None:
        self._choice, self._name = choice, name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return each_apart(self._of_option, self._choice, *args, **kwargs)

    def _of_option(self, option: Any, /, *args: Any, **kwargs: Any) -> Any:
        return host.calls.converted(getattr(option, self._name))(*args, **kwargs)


def _modulo(option: Any, value: Any) -> Any:
    """`option % value`, where a string is a template."""
    given = value.values() if type(value) is dict else value if type(value) is tuple else (value,)
    if isinstance(option, str) and any(map(is_traced, given)):
        raise refusal(
            "a template that the program chooses is filled with a traced value",
            why="Python fills it while the program is traced, and the digits are known when it runs",
            instead="fill it where it is known: raise, or `ag.print`, in each branch",
            page="choice-between-strings",
        )
    return option % value


def _binary(function: Callable[[Any, Any], Any], is_reflected: bool = False) -> Callable[[Any, Any], Any]:
    def operate(self: Choice, other: Any) -> Any:
        if function is operator.add and issubclass(type(other), str) and hasattr(other, "__radd__"):
            return other.__radd__(self)  # a string with traced values in it takes the choice as a part
        return each_apart(function, other, self) if is_reflected else each_apart(function, self, other)

    return operate


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and", "or", "xor"):
    _function = _modulo if _name == "mod" else getattr(operator, f"__{_name}__")
    setattr(Choice, f"__{_name}__", _binary(_function))
    setattr(Choice, f"__r{_name}__", _binary(_function, True))
for _name in ("lt", "le", "gt", "ge", "contains", "getitem"):
    setattr(Choice, f"__{_name}__", _binary(getattr(operator, _name)))


for _name in ("neg", "pos", "abs", "invert"):
    _function = getattr(operator, _name)
    setattr(Choice, f"__{_name}__", lambda self, function=_function: for_each_option(self, function))


def for_each_option(choice: Choice, of_option: Callable[[Any], Any]) -> Any:
    """`of_option(choice)`: of each option in a branch of its own."""
    *first, (_, last) = _possible(choice).items()
    at = user_line()

    def from_option(k: int) -> Any:
        if k == len(first):
            return of_option(last)
        number, option = first[k]
        is_this = lax.eq(choice.choice_number, np.int32(number))
        note_predicate(is_this, _Test(choice.choice_number, {number}, choice.choice_options.keys() - {number}))
        return host.statements.if_exp(is_this, _at(at, lambda: of_option(option)), _at(at, lambda: from_option(k + 1)))

    return from_option(0)


def common(choice: Choice, of_option: Callable[[Any], Any]) -> Any:
    """`of_option(choice)`, which has no effects: what it is of all options, or of each in a branch of its own."""
    first, *others = map(of_option, choice.choice_options.values())
    return first if all(other is first for other in others) else for_each_option(choice, of_option)


def _at(place: tuple[str, int] | None, branch: Callable[[], Any]) -> Callable[[], Any]:
    """A branch of ours, which messages say stands in a line of the user's."""
    if place is not None:
        filename, lineno = place
        code = (lambda: None).__code__.replace(co_filename=filename, co_firstlineno=lineno)
        branch.__wrapped__ = FunctionType(code, {})  # type: ignore[attr-defined]  # any function takes attributes
    return branch


def each_apart(f: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """`f(*args, **kwargs)`: for each option of each choice among the arguments."""
    for place, value in [*enumerate(args), *kwargs.items()]:
        if type(value) is Choice:

            def of_option(option: Any, place: Any = place) -> Any:
                if type(place) is str:
                    return each_apart(f, *args, **{**kwargs, place: option})
                return each_apart(f, *args[:place], option, *args[place + 1 :], **kwargs)

            return for_each_option(value, of_option)
    return f(*args, **kwargs)


def _equal(choice: Choice, other: Any) -> Any:
    if type(other) is Choice:
        if options_of(choice, other) is None:
            return for_each_option(other, lambda option: _equal(choice, option))
        for number in choice.choice_options.keys() & other.choice_options.keys():
            are_equal(choice.choice_options[number], other.choice_options[number])
        return _bool(lax.eq(choice.choice_number, other.choice_number))
    if not _can_be_option(other):
        is_by_element = isinstance(other, np.ndarray) or isinstance(choice, int) and is_array_like(other)
        return for_each_option(choice, lambda option: option == other) if is_by_element else NotImplemented
    possible = _possible(choice)
    equal = {number for number, option in possible.items() if are_equal(option, other)}
    if len(equal) in (0, len(possible)):
        return bool(equal)
    result = _bool(reduce(lax.bitwise_or, [lax.eq(choice.choice_number, np.int32(n)) for n in sorted(equal)]))
    return note_predicate(result, _Test(choice.choice_number, equal, choice.choice_options.keys() - equal))


def as_index(i: Any) -> Any:
    """An index of an array with numbers instead of members that are numbers."""
    if type(i) is tuple and context.progress.has_choices:
        return tuple(map(as_index, i))
    return for_each_option(i, int) if type(i) is Choice and isinstance(i, int) else i


def _possible(choice: Choice) -> Options:
    """The options that the tests around the running code leave: behind `if s == "run":`, that one."""
    found = dict(choice.choice_options)
    for test, holds in shown_here():
        known = said_by(test)
        if known and known.number is choice.choice_number:
            left = known.equal if holds else known.others
            found = {n: option for n, option in found.items() if n in left}
    return found or choice.choice_options  # no code is reached where there is none


def is_same(a: Any, b: Any) -> Any:
    """`a is b`, one of which is a choice.

    Raises:
        StagingError: they are strings or methods of objects, of which Python may have several objects that are equal.
    """
    if (options := options_of(a, b)) is None:
        return False
    found = [option for n, option in options.items() if all(n in (options_of(x) or ()) for x in (a, b))]
    if (are_strings := isinstance(next(iter(options.values())), str)) or any(map(callables.is_made_when_read, found)):
        kind = "strings" if are_strings else "methods"
        raise refusal(
            f"`is` between {kind}, one of which the program chooses",
            why=f"Python may have several {kind} that are equal, and which is which is only known when the program runs",
            instead="compare them by `==` or `!=`",
            page="choice-between-strings",
        )
    return _equal(a, b) if type(a) is Choice else _equal(b, a)


def _bool(x: Any) -> Any:
    note_bool(x)
    return x


def _can_be_option(x: Any) -> bool:
    """Whether `x` is a string, a function, or an enum member which compares as Python's do."""
    kind = type(x)
    is_member = issubclass(kind, enum.Enum) and kind.__eq__ in (object.__eq__, str.__eq__, int.__eq__)
    return kind is str or is_member or is_callable_option(x)


def _number(option: Any) -> int:
    """The number of a string or enum member, made of what it is: the same in every process; of a function, the same in this one."""
    kind = type(option)
    if is_callable_option(option):
        name = repr(key_of(option))
    else:
        name = option if kind is str else f"{kind.__module__}.{kind.__qualname__}.{option.name}"
    return int(np.uint32(zlib.crc32(name.encode("utf-8", "surrogatepass"))).astype(np.int32))


def _united(left: Options, right: Options) -> Options | None:
    """The options of both; None where one number means two."""
    both = {**left, **right}
    return both if all(_is_same(x, both[n]) for side in (left, right) for n, x in side.items()) else None


def _is_same(left: Any, right: Any) -> bool:
    are_functions = is_callable_option(left) and is_callable_option(right)
    return key_of(left) == key_of(right) if are_functions else left is right or type(left) is str and bool(left == right)


def options_of(*values: Any, within: Sequence[Any] = ()) -> Options | None:
    """The options that each of these values is one of; None where no choice can be made of them.

    Args:
        within: traces whose values a function must not refer to: they end before it is called.
    """
    found: Options = {}
    for x in values:
        if type(x) is not Choice and not _can_be_option(x):
            return None
        functions = filter(is_callable_option, x.choice_options.values() if type(x) is Choice else [x])
        if within and any(keeps_traced_value(f, within) for f in functions):
            return None
        both = _united(found, x.choice_options if type(x) is Choice else {_number(x): x})
        if both is None or len(both) > MOST:
            return None
        found = both
    return found if len(set(map(callables.family_of, found.values()))) == 1 else None


def number_of(x: Any) -> Any:
    """The number of a choice or of an option."""
    return x.choice_number if type(x) is Choice else np.int32(_number(x))


def choice_of(options: Options, number: Any) -> Any:
    """The choice of that number; the option itself where the number is known."""
    return _made(options, number) if is_traced(number) else options[int(number)]


def refuse_returned(name: str, at: errors.Location, result: Any) -> None:
    """Refuses what a function returns to code that is not converted, where a choice is in it."""
    for x in jax.tree_util.tree_leaves(result):
        if type(x) is Choice:
            raise errors.StagingError(
                f"{name}() returns {described(x)}",
                at=at,
                why="which of them it is, only the running program knows, and what a program returns are arrays",
                instead="call it as an `ag.function`, which returns what was chosen, or return a number",
                page="choice-between-strings",
            )


def as_one_of(x: Any, options: Options | None) -> Any:
    """A choice or an option as one of `options` and its own, also where it is known which; anything else as it is."""
    found = options_of(x) if options is not None else None
    both = None if options is None or found is None else _united(found, options)
    return x if both is None else _made(both, number_of(x))


def _made(options: Options, number: Any) -> Choice:
    made = object.__new__(Choice)
    made.choice_number, made.choice_options = number, options
    context.progress.has_choices = True
    return made
