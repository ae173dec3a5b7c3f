"""Code gets hold of the attributes that it names: where it names another one, an iterator in it is found before it runs."""

import collections
import functools
import types
from collections.abc import Callable, Iterator
from typing import Any

import jax
import pytest

import autograph as ag
from autograph.errors import StagingError
from tests.profiling import calls_made


class Source:
    def __init__(self) -> None:
        self.items = iter([1, 2, 3])

    def every(self) -> list[Any]:
        return list(self.items)


class Holder:
    def __init__(self) -> None:
        self.source, self.scale = Source(), 2.0

    def __add__(self, other: Any) -> Any:
        return len(helper(self)) + other


class OfClass:
    items: Any = None


class Counting(type):
    def __len__(cls) -> int:
        return len(list(cls.items))  # type: ignore[attr-defined]  # of the class below


class Counted(metaclass=Counting):
    items: Any = None


class Unheard:
    def __init__(self) -> None:
        self.hidden = iter([1, 2, 3])

    @ag.do_not_convert
    def __add__(self, other: Any) -> Any:
        return other + len(list(self.hidden))


class Matched:
    __match_args__ = ("items",)

    def __init__(self) -> None:
        self.items = iter([1, 2, 3])


class Own(collections.UserDict[str, Any]):
    pass


def helper(holder: Any) -> list[Any]:
    return list(holder.source.items)


def same(x: Any) -> Any:
    return x


def by_name_of_a_function(x: Any) -> Any:
    holder = Holder()
    if x > 0:
        x = x + len(helper(holder))
    return x, len(list(holder.source.items))


def by_name_of_an_operator(x: Any) -> Any:
    holders = [[Holder()]]
    if x > 0:
        x = holders[0][0] + x
    return x, len(list(holders[0][0].source.items))


def by_name_of_an_operator_that_is_not_converted(x: Any) -> Any:
    unheard = [Unheard()]
    if x > 0:
        x = unheard[0] + x
    return x, len(list(unheard[0].hidden))


def by_a_computed_name(x: Any) -> Any:
    source, get, name = Source(), getattr, "".join(["it", "ems"])
    if x > 0:
        x = x + len(list(get(source, name)))
    return x, len(list(source.items))


def loaded_before_the_call(x: Any) -> Any:
    holder = Holder()
    if x > 0:
        source = holder.source
        x = x + same(holder.scale) + len(same(source).every())
    return x, len(list(holder.source.items))


def replaced_before_the_call(x: Any) -> Any:
    holder = Holder()
    if x > 0:
        old = holder.source
        holder.source = Source()
        x = x + len(holder.source.every()) + len(old.every())
        holder.source = old
    return x, len(list(holder.source.items))


def of_the_class(x: Any) -> Any:
    OfClass.items = iter([1, 2, 3])
    held = OfClass()
    if x > 0:
        x = x + len(list(held.items))
    return x, len(list(held.items))


def of_a_class_that_is_named(x: Any) -> Any:
    OfClass.items = iter([1, 2, 3])
    if x > 0:
        x = x + len(list(OfClass.items))
    return x, len(list(OfClass.items))


def by_the_metaclass(x: Any) -> Any:
    Counted.items = iter([1, 2, 3])
    if x > 0:
        x = x + len(Counted)
    return x, len(list(Counted.items))


def by_a_class_that_closes_over(x: Any) -> Any:
    source = Source()

    class Adder:
        def __radd__(self, other: Any) -> Any:
            return other + len(list(source.items))

    if x > 0:
        x = x + Adder()
    return x, len(list(source.items))


def by_a_pattern(x: Any) -> Any:
    matched = Matched()
    if x > 0:
        match matched:
            case Matched(items):
                x = x + len(list(items))
    return x, len(list(matched.items))


def by_a_bound_method(x: Any) -> Any:
    source = Source()
    every = source.every
    if x > 0:
        x = x + len(every())
    return x, len(list(source.items))


def by_a_partial(x: Any) -> Any:
    holder = Holder()
    found = functools.partial(helper, holder)
    if x > 0:
        x = x + len(found())
    return x, len(list(holder.source.items))


def by_a_jitted_function(x: Any) -> Any:
    source = Source()
    jitted = jax.jit(lambda y: y + len(source.every()))
    if x > 0:
        x = x + jitted(x)
    return x, len(list(source.items))


def in_a_librarys_dict(x: Any) -> Any:
    own = Own(key=iter([1, 2, 3]))
    if x > 0:
        x = x + len(list(own["key"]))
    return x, len(list(own["key"]))


def in_a_trial(x: Any) -> Any:
    source, going = Source(), True
    if x > 0:
        while going:
            x = x + len(source.every())
            going = x > 10
    return x, len(list(source.items))


ADVANCING = [
    by_name_of_a_function,
    by_name_of_an_operator,
    by_name_of_an_operator_that_is_not_converted,
    by_a_computed_name,
    loaded_before_the_call,
    replaced_before_the_call,
    of_the_class,
    of_a_class_that_is_named,
    by_the_metaclass,
    by_a_class_that_closes_over,
    by_a_pattern,
    by_a_bound_method,
    by_a_partial,
    by_a_jitted_function,
    in_a_librarys_dict,
    in_a_trial,
]


@pytest.mark.parametrize("fn", ADVANCING, ids=lambda fn: fn.__name__)
def test_an_iterator_is_found_before_code_runs_that_names_it(fn: Callable[..., Any]) -> None:
    with pytest.raises(StagingError, match=r"\(list_iterator\) is advanced inside a staged statement"):
        ag.jit(fn)(2.0)


def numbers() -> Iterator[float]:
    return iter([1.0, 2.0, 3.0])


def default() -> Callable[[], Any]:
    def total(items: Any = numbers()) -> Any:  # noqa: B008  # the default is what is looked for
        return sum(items)

    return total


def keyword_default() -> Callable[[], Any]:
    def total(*, items: Any = numbers()) -> Any:  # noqa: B008  # the default is what is looked for
        return sum(items)

    return total


def attribute_of_a_function() -> Callable[[], Any]:
    def total() -> Any:
        return sum(total.items)  # type: ignore[attr-defined]  # set below

    total.items = numbers()  # type: ignore[attr-defined]  # functions have any attribute
    return total


def argument_of_a_partial() -> Callable[[], Any]:
    return functools.partial(sum, numbers())


def namespace() -> Callable[[], Any]:
    space = types.SimpleNamespace(items=numbers())
    return lambda: sum(space.items)


def user_dict() -> Callable[[], Any]:
    table = collections.UserDict(items=numbers())
    return lambda: sum(table["items"])


MAKERS = [default, keyword_default, attribute_of_a_function, argument_of_a_partial, namespace, user_dict]


@pytest.mark.parametrize("make", MAKERS)
def test_an_iterator_that_a_function_is_made_with_is_found(make: Callable[[], Callable[[], Any]]) -> None:
    def f(x: Any) -> Any:
        total = make()
        found = 0.0
        if x > 0:
            found = total()
        return found + total()

    with pytest.raises(StagingError, match="is advanced inside a staged statement"):
        ag.jit(f)(1.0)
    assert f(1.0) == f(-1.0) == 6.0


def made_inside(x: Any) -> Any:
    if x > 0:
        source = Source()
        x = x + len(same(source).every()) + len(helper(Holder()))
    return x


def replaced_inside(x: Any) -> Any:
    holder = Holder()
    if x > 0:
        holder.source = Source()
        x = x + len(helper(holder))
        holder.source = None
    else:
        holder.source = None
    return x


@pytest.mark.parametrize("fn", [made_inside, replaced_inside])
def test_what_a_region_makes_is_its_own(fn: Callable[..., Any]) -> None:
    for x in (2.0, -1.0):
        assert float(ag.jit(fn)(x)) == fn(x)


def looks(parts: int) -> int:
    """How many calls of Python functions the search makes in a trace, with an object of that many parts within reach."""
    holder = Holder()
    holder.parts = [Holder() for _ in range(parts)]  # type: ignore[attr-defined]  # made here

    def scaled(x: Any) -> Any:
        if x > 0:
            x = x * same(holder).scale
        while x > 1:
            x = x / holder.scale
        return x

    fn = ag.convert(scaled)
    jax.make_jaxpr(lambda x: fn(x))(1.0)
    return calls_made(
        lambda: jax.make_jaxpr(lambda x: fn(x))(1.0), lambda path: path.endswith("heap/iterator_search.py")
    )


@pytest.mark.slow
def test_parts_that_no_code_names_cost_nothing() -> None:
    assert 0 < looks(10) == looks(1_000)
