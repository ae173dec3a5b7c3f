"""Comprehensions stay Python, but for what they iterate over and what they test."""

import pytest

from autograph.converters.comprehensions import Comprehensions
from tests.converters.converting import Case

PASSES = (Comprehensions,)

CASES = {
    "every kind": Case(
        """
        def f(xs):
            a = [x for x in xs], {x for x in xs}
            return a, {x: 1 for x in xs}, list(x for x in xs)
        """,
        """
        def f(xs):
            a = (ag__.collected(lambda items: [x for x in items], xs), {x for x in ag__.comp_iter(xs)})
            return (a, {x: 1 for x in ag__.comp_iter(xs)}, list((x for x in ag__.comp_iter(xs))))
        """,
        "f([1, 2])",
    ),
    "every generator and every filter": Case(
        """
        def f(a, n):
            return [x for x in a if x > n if x for y in a]
        """,
        """
        def f(a, n):
            return ag__.collected(lambda items, to=None: [item for x in items for item in ag__.comp_where(ag__.and_(x > n, lambda: x, test=True), lambda: ag__.collected(lambda items_1: [x for y in items_1], a, to), to)], a)
        """,
        "f([1, 2, 9], 1)",
    ),
    "what is provably Python's own is iterated over as it is": Case(
        """
        def f(a):
            return [x for y in [a, a] for x in (y, y)], [x for x in 'ab'], [x for x in range(1, 3)], {x for x in {a: a}}
        """,
        """
        def f(a):
            return ([x for y in [a, a] for x in (y, y)], [x for x in 'ab'], [x for x in range(1, 3)], {x for x in {a: a}})
        """,
        "f(1)",
    ),
    "a range of anything else is not": Case(
        """
        def f(n):
            return [x for x in range(n)], [x for x in sorted([n])]
        """,
        """
        def f(n):
            return (ag__.collected(lambda items: [x for x in items], range(n)), ag__.collected(lambda items_1: [x for x in items_1], sorted([n])))
        """,
        "f(2)",
    ),
    "a static filter stays": Case(
        """
        def f(xs):
            return [x for x in xs if x is not None if isinstance(x, int)]
        """,
        """
        def f(xs):
            return ag__.collected(lambda items: [x for x in items if x is not None if isinstance(x, int)], xs)
        """,
        "f([1, None, 'a'])",
    ),
    "the filter of a sum becomes an iterable of one element or none": Case(
        """
        def f(xs):
            a = sum(x for x in xs if x > 0)
            b = any(x for x in xs if x > 0)
            return a, b, all(x for x in xs if x > 0)
        """,
        """
        def f(xs):
            a = ag__.fold(sum, lambda items, to=None: (item for x in items for item in ag__.comp_kept(x > 0, lambda: x, 0, to)), xs)()
            b = ag__.fold(any, lambda items_1, to=None: (item_1 for x in items_1 for item_1 in ag__.comp_kept(x > 0, lambda: x, False, to)), xs)()
            return (a, b, ag__.fold(all, lambda items_2, to=None: (item_2 for x in items_2 for item_2 in ag__.comp_kept(x > 0, lambda: x, True, to)), xs)())
        """,
        "f([1, -2, 3])",
        "f([])",
        "f([1, 0])",
    ),
    "the filter of a list that is only counted or summed": Case(
        """
        def f(xs):
            n = len([x for x in xs if x > 0])
            s = sum([x for x in xs if x > 0])
            return n, s, len([x for x in xs])
        """,
        """
        def f(xs):
            n = ag__.comp_len([item_1 for x in ag__.comp_iter(xs) for item_1 in ag__.comp_counted(x > 0, lambda: x)])
            s = ag__.fold(sum, lambda items_2, to=None: [item_3 for x in items_2 for item_3 in ag__.comp_kept(x > 0, lambda: x, 0, to)], xs)()
            return (n, s, len([x for x in ag__.comp_iter(xs)]))
        """,
        "f([1, -2, 3])",
        "f([])",
    ),
    "several filters, the last generator": Case(
        """
        def f(n, y):
            s = sum(x for x in n if y if x)
            return s
        """,
        """
        def f(n, y):
            s = ag__.fold(sum, lambda items, to=None: (item for x in items for item in ag__.comp_kept(ag__.and_(y, lambda: x, test=True), lambda: x, 0, to)), n)()
            return s
        """,
        "f([1, 0, 4], 2)",
        "f([1, 0, 4], 0)",
    ),
    "a filter of an outer generator stays a filter": Case(
        """
        def f(xs):
            return sum(x + y for x in xs if x for y in xs if y)
        """,
        """
        def f(xs):
            return ag__.fold(sum, lambda items, to=None: (item_1 for x in items for item_1 in ag__.comp_where(x, lambda: ag__.comp_each(lambda items_1, to=None: (item for y in items_1 for item in ag__.comp_kept(y, lambda: x + y, 0, to)), xs, to), to)), xs)()
        """,
        "f([1, 0, 3])",
    ),
    "a static filter of a sum stays one": Case(
        """
        def f(xs):
            return sum(x for x in xs if x is not None)
        """,
        """
        def f(xs):
            return ag__.fold(sum, lambda items: (x for x in items if x is not None), xs)()
        """,
        "f([1, None])",
    ),
    "a static filter of what asks for one item": Case(
        """
        def f(xs):
            m = max(x for x in xs if x is not None), next((x for x in xs if x is not None), 0)
            return m, min(i for i in range(len(xs)) if i is not None)
        """,
        """
        def f(xs):
            m = (max((x for x in ag__.comp_iter(xs) if x is not None)), next((x for x in ag__.comp_iter(xs) if x is not None), 0))
            return (m, ag__.taken(min, lambda items: ((i is not None, lambda: i) for i in items), range(len(xs)))())
        """,
        "f([1, None])",
    ),
    "static filters among others": Case(
        """
        def f(n):
            s = sum(x for x in n if 1 if x)
            m = max(x for x in n if x is not None if x)
            return s, m
        """,
        """
        def f(n):
            s = ag__.fold(sum, lambda items, to=None: (item for x in items for item in ag__.comp_kept(ag__.and_(1, lambda: x, test=True), lambda: x, 0, to)), n)()
            m = ag__.taken(max, lambda items_1: ((ag__.and_(x is not None, lambda: x, test=True), lambda: x) for x in items_1), n)()
            return (s, m)
        """,
        "f([1, None, 2])",
    ),
    "a filter or an element that binds for the function": Case(
        """
        def f(xs):
            last = 0
            total = sum(x for x in xs if (last := x) > 0)
            return total, last, sum((last := x) for x in xs if x > 0), last
        """,
        """
        def f(xs):
            last = 0
            total = sum((x for x in ag__.comp_iter(xs) if ag__.comp_test((last := x) > 0)))
            return (total, last, sum(((last := x) for x in ag__.comp_iter(xs) if ag__.comp_test(x > 0))), last)
        """,
        "f([1, -2, 3])",
    ),
    "a sum with a start, and a name that is not the builtin": Case(
        """
        def f(xs, max):
            a = sum((x for x in xs if x), 1)
            return a, max(x for x in xs if x)
        """,
        """
        def f(xs, max):
            a = ag__.fold(sum, lambda items, to=None: (item for x in items for item in ag__.comp_kept(x, lambda: x, 0, to)), xs)(1)
            return (a, max((x for x in ag__.comp_iter(xs) if ag__.comp_test(x))))
        """,
        "f([1, 0, 3], list)",
    ),
    "an element of a sum that is no number": Case(
        """
        def f(xs):
            return sum(Sum([x]) for x in xs if x).items

        class Sum:
            def __init__(self, items):
                self.items = items

            def __add__(self, other):
                return Sum(self.items + other.items)

            def __radd__(self, zero):
                return self
        """,
        """
        def f(xs):
            return ag__.fold(sum, lambda items_1, to=None: (item for x in items_1 for item in ag__.comp_kept(x, lambda: Sum([x]), 0, to)), xs)().items
        """,
        "f([1, 0, 3])",
    ),
    "asynchronous ones are Python's": Case(
        """
        async def f(xs):
            return [x async for x in xs if x]
        """,
        """
        async def f(xs):
            return [x async for x in xs if ag__.comp_test(x)]
        """,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_becomes(name: str) -> None:
    CASES[name].examine(*PASSES)
