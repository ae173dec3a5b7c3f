"""`return`, `break` and `continue`: structure where it suffices, flags where it does not."""

import pytest

from autograph.converters.jumps import LONGEST_CHAIN, Jumps
from autograph.converters.showing import show
from tests.converters.converting import Case, check

PASSES = (Jumps,)

CASES = {
    "no jump, no change": Case(
        """
        def f(x):
            if x:
                x = 0
            for y in x:
                pass
        """,
        """
        def f(x):
            if x:
                x = 0
            for y in x:
                pass
        """,
    ),
    "the rest of the block moves into the other branch": Case(
        """
        def f(x):
            if x > 0:
                return x
            y = -x
            return y
        """,
        """
        def f(x):
            if x > 0:
                return x
            else:
                y = -x
                return y
        """,
        "f(1)",
        "f(-1)",
    ),
    "also behind an else, and with a `pass` in the way": Case(
        """
        def f(x):
            if x > 0:
                pass
            else:
                return 'no'
            return x
        """,
        """
        def f(x):
            if x > 0:
                return x
            else:
                return 'no'
        """,
        "f(1)",
        "f(-1)",
    ),
    "both branches leave, what follows is never reached": Case(
        """
        def f(x):
            if x > 0:
                return 1
            else:
                raise ValueError
            return 2
        """,
        """
        def f(x):
            if x > 0:
                return 1
            else:
                raise ValueError
        """,
        "f(1)",
        "f(-1)",
    ),
    "a function that may end without `return`": Case(
        """
        def f(x):
            if x > 0:
                return x
        """,
        """
        def f(x):
            if x > 0:
                return x
            else:
                return None
        """,
        "f(1)",
        "f(-1)",
    ),
    "a static test keeps its native return": Case(
        """
        def f(x):
            if x is None:
                return 0
            return x
        """,
        """
        def f(x):
            if x is None:
                return 0
            return x
        """,
        "f(1)",
        "f(None)",
    ),
    "a native `if` that holds a functional one": Case(
        """
        def f(x, y):
            if x is None:
                if y > 0:
                    return 'a'
                y = 1
            return y
        """,
        """
        def f(x, y):
            return_ = False
            if x is None:
                if y > 0:
                    return_value = 'a'
                    return_ = True
                else:
                    y = 1
            if return_:
                return return_value
            else:
                return y
        """,
        "f(None, 1)",
        "f(None, 0)",
        "f(1, 2)",
    ),
    "a branch that may or may not leave": Case(
        """
        def f(x, y):
            if x > 0:
                if y > 0:
                    return 'a'
                y = 1
            return y
        """,
        """
        def f(x, y):
            return_ = False
            if x > 0:
                if y > 0:
                    return_value = 'a'
                    return_ = True
                else:
                    y = 1
            if return_:
                return return_value
            else:
                return y
        """,
        "f(1, 1)",
        "f(1, 0)",
        "f(0, 2)",
    ),
    "a break at the top of a while": Case(
        """
        def f(n):
            while n > 0:
                if n == 7:
                    break
                if n == 9:
                    break
                n -= 2
            return n
        """,
        """
        def f(n):
            while n > 0 and (not n == 7) and (not n == 9):
                n -= 2
            return n
        """,
        "f(10)",
        "f(11)",
        "f(9)",
    ),
    "a break in the else at the top of a while": Case(
        """
        def f(n):
            while True:
                if n > 3:
                    n -= 2
                else:
                    break
            return n
        """,
        """
        def f(n):
            while n > 3:
                n -= 2
            return n
        """,
        "f(10)",
        "f(0)",
    ),
    "a loop with its exit in the middle is rotated": Case(
        """
        def f(n):
            while True:
                m = n * 2
                if m > 100:
                    break
                n = m + 1
            return n, m
        """,
        """
        def f(n):
            m = n * 2
            while not m > 100:
                n = m + 1
                m = n * 2
            return (n, m)
        """,
        "f(1)",
        "f(60)",
    ),
    "also when the exit returns, and what is done on the way out": Case(
        """
        def f(n):
            while True:
                n = n * 2
                if n > 100:
                    note(n)
                    return n
        """,
        """
        def f(n):
            n = n * 2
            while not n > 100:
                n = n * 2
            note(n)
            return n
        """,
        "f(1)",
        "f(60)",
    ),
    "a break further down": Case(
        """
        def f(n):
            while n > 0:
                n -= 1
                if n == 3:
                    note(n)
                    break
                note('on')
            return n
        """,
        """
        def f(n):
            break_ = False
            while not break_ and n > 0:
                n -= 1
                if n == 3:
                    note(n)
                    break_ = True
                else:
                    note('on')
            return n
        """,
        "f(5)",
        "f(2)",
    ),
    "a continue": Case(
        """
        def f(xs):
            for x in xs:
                if x == 0:
                    continue
                note(x)
        """,
        """
        def f(xs):
            for x in xs:
                if x == 0:
                    pass
                else:
                    note(x)
        """,
        "f([1, 0, 2])",
    ),
    "a continue that needs a flag": Case(
        """
        def f(xs):
            for x in xs:
                if x > 0:
                    if x > 1:
                        continue
                    note('one')
                note(x)
        """,
        """
        def f(xs):
            for x in xs:
                continue_ = False
                if x > 0:
                    if x > 1:
                        continue_ = True
                    else:
                        note('one')
                if not continue_:
                    note(x)
        """,
        "f([1, 0, 2])",
    ),
    "break and continue in one loop": Case(
        """
        def f(xs):
            s = 0
            for x in xs:
                if x < 0:
                    break
                if x == 0:
                    continue
                s += x
            return s
        """,
        """
        def f(xs):
            s = 0
            break_ = False
            for x in xs:
                if x < 0:
                    break_ = True
                elif x == 0:
                    pass
                else:
                    s += x
            return s
        """,
        "f([1, 0, 2, -1, 5])",
    ),
    "a return in a loop": Case(
        """
        def f(xs):
            for x in xs:
                if x > 0:
                    return x
            return -1
        """,
        """
        def f(xs):
            return_ = False
            for x in xs:
                if x > 0:
                    return_value = x
                    return_ = True
            if return_:
                return return_value
            else:
                return -1
        """,
        "f([0, 3, 4])",
        "f([0])",
    ),
    "a bare return in a loop": Case(
        """
        def f(xs):
            for x in xs:
                if x > 0:
                    return
                note(x)
            note('end')
        """,
        """
        def f(xs):
            return_ = False
            for x in xs:
                if x > 0:
                    return_ = True
                else:
                    note(x)
            if return_:
                return None
            else:
                note('end')
                return None
        """,
        "f([0, 3, 4])",
        "f([0])",
    ),
    "a return out of two loops": Case(
        """
        def f(xs):
            for x in xs:
                for y in x:
                    if y > 0:
                        return x, y
                    note(y)
                note(x)
            return None
        """,
        """
        def f(xs):
            return_ = False
            for x in xs:
                return_ = False
                for y in x:
                    if y > 0:
                        return_value = (x, y)
                        return_ = True
                    else:
                        note(y)
                if not return_:
                    note(x)
            if return_:
                return return_value
            else:
                return None
        """,
        "f([[0], [1, 2], [3]])",
        "f([])",
    ),
    "the else of a loop": Case(
        """
        def f(xs):
            for x in xs:
                if x > 0:
                    break
            else:
                return 'none'
            return x
        """,
        """
        def f(xs):
            break_ = False
            for x in xs:
                if x > 0:
                    break_ = True
            if not break_:
                return 'none'
            else:
                return x
        """,
        "f([0, 2])",
        "f([0])",
    ),
    "the else of a loop that is never left": Case(
        """
        def f(n):
            while n > 0:
                n -= 1
            else:
                n = 'else'
            return n
        """,
        """
        def f(n):
            while n > 0:
                n -= 1
            n = 'else'
            return n
        """,
        "f(2)",
    ),
    "the else of `while True` is never reached": Case(
        """
        def f(n):
            while True:
                n += 1
                if n > 3:
                    return n
            else:
                note('never')
        """,
        """
        def f(n):
            n += 1
            while not n > 3:
                n += 1
            return n
        """,
        "f(0)",
    ),
    "a native loop keeps native jumps": Case(
        """
        def f(xs):
            while True:
                yield xs
                if xs:
                    break
                xs += 1
                continue
        """,
        """
        def f(xs):
            while True:
                yield xs
                if xs:
                    break
                xs += 1
                continue
        """,
        "f(0)",
    ),
    "a native loop left from inside a functional one": Case(
        """
        async def f(xs):
            async for x in xs:
                for y in x:
                    if y:
                        break
                    if not x:
                        return y
        """,
        """
        async def f(xs):
            async for x in xs:
                for y in x:
                    if y:
                        break
                    if not x:
                        return y
        """,
    ),
    "a try: flags keep its else from running": Case(
        """
        def f(xs):
            for x in xs:
                try:
                    if x > 1:
                        break
                    note(1 / x)
                except ZeroDivisionError:
                    continue
                else:
                    note('else')
                finally:
                    note('finally')
                note('after')
        """,
        """
        def f(xs):
            break_ = False
            for x in xs:
                continue_ = False
                try:
                    if x > 1:
                        break_ = True
                    else:
                        note(1 / x)
                except ZeroDivisionError:
                    continue_ = True
                else:
                    if not break_:
                        note('else')
                finally:
                    note('finally')
                if not (break_ or continue_):
                    note('after')
        """,
        "f([1, 0, 2, 3])",
    ),
    "a jump in a `finally` stays native": Case(
        """
        def f(xs):
            for x in xs:
                try:
                    note(1 / x)
                finally:
                    if x == 0:
                        break
                note('after')
        """,
        """
        def f(xs):
            for x in xs:
                try:
                    note(1 / x)
                finally:
                    if x == 0:
                        break
                note('after')
        """,
        "f([1, 0, 2, 3])",
    ),
    "a return in a with": Case(
        """
        def f(m, x):
            with m:
                if x > 0:
                    return x
                note(x)
            return 'end'
        """,
        """
        def f(m, x):
            return_ = False
            with m:
                if x > 0:
                    return_value = x
                    return_ = True
                else:
                    note(x)
            if return_:
                return return_value
            else:
                return 'end'
        """,
        "f(__import__('contextlib').nullcontext(), 1)",
        "f(__import__('contextlib').nullcontext(), 0)",
    ),
    "functions in a function have their own jumps": Case(
        """
        def f(x):
            def g():
                if x:
                    return 1
                return 2
            return g()
        """,
        """
        def f(x):
            def g():
                if x:
                    return 1
                else:
                    return 2
            return g()
        """,
        "f(0)",
        "f(1)",
    ),
    "names of flags that are taken": Case(
        """
        def f(break_, xs):
            for x in xs:
                note(x)
                if x == break_:
                    break
                note(x)
        """,
        """
        def f(break_, xs):
            break_1 = False
            for x in xs:
                note(x)
                if x == break_:
                    break_1 = True
                else:
                    note(x)
        """,
        "f(2, [1, 2, 3])",
    ),
    "a function that looks at its frame": Case(
        """
        def f(x):
            if x:
                return sorted(locals())
            return x
        """,
        """
        def f(x):
            if x:
                return sorted(locals())
            return x
        """,
        "f(1)",
        "f(0)",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_becomes(name: str) -> None:
    CASES[name].examine(*PASSES)


def test_a_long_chain_of_jumps_is_cut() -> None:
    count = 3 * LONGEST_CHAIN
    lines = ["def f(x):", *(f"    if x == {i}: return {i}" for i in range(count)), "    return -1"]
    source = "\n".join(lines)
    deepest = max(len(line) - len(line.lstrip()) for line in show(source, Jumps).splitlines())
    assert deepest <= 4 * (LONGEST_CHAIN + 5)
    check(source, *(f"f({i})" for i in (0, LONGEST_CHAIN - 1, LONGEST_CHAIN, LONGEST_CHAIN + 1, count - 1, count)))
