"""Assignments to elements and attributes."""

import contextlib

import pytest

from autograph.converters.element_assignments import ElementAssignments
from tests.converters.converting import Case, check

PASSES = (ElementAssignments,)

CASES = {
    "one item is appended to what is surely a list": Case(
        """
        def f(x, xs):
            made = []
            made += [x]
            made += [x, x]
            made += [*xs]
            xs += [x]
            return made, xs
        """,
        """
        def f(x, xs):
            made = []
            made.append(x)
            made = ag__.iop('+=', made, [x, x])
            made = ag__.iop('+=', made, [*xs])
            xs = ag__.iop('+=', xs, [x])
            return (made, xs)
        """,
        "f(1, [2, 3])",
    ),
    "an element of a variable": Case(
        """
        def f(x, i):
            x[i] = x[0]
            return x
        """,
        """
        def f(x, i):
            x = ag__.set_item(x[0], x, i)
            return x
        """,
        "f([1, 2], 1)",
        "f([1, 2], 5)",
    ),
    "value first, then object and index": Case(
        """
        def f(x):
            x[note(1)] = note(2)
            note(x)[note(1)] = note(2)
            note(x)[note(1)] += note(2)
        """,
        """
        def f(x):
            x = ag__.set_item(note(2), x, note(1))
            ag__.set_item_at(note(2), note(x), (), note(1))
            ag__.aug_item_at(note(x), (), note(1), '+=', lambda: note(2))
        """,
        "f([1, 2])",
    ),
    "slices": Case(
        """
        def f(x, i):
            x[i:] = [1]
            x[:i:2] = [2]
            x[1:2, i:, ...] = 3
        """,
        """
        def f(x, i):
            x = ag__.set_item([1], x, slice(i, None))
            x = ag__.set_item([2], x, slice(None, i, 2))
            x = ag__.set_item(3, x, (slice(1, 2), slice(i, None), ...))
        """,
        "f([1, 2, 3], 1)",
    ),
    "a name `slice` of the user's": Case(
        """
        def f(x, slice):
            x[slice:] = [1]
            return x
        """,
        """
        def f(x, slice):
            x = ag__.set_item([1], x, ag__.slice(slice, None))
            return x
        """,
        "f([1, 2, 3], 1)",
    ),
    "attributes": Case(
        """
        def f(o):
            o.a = 1
            o.a.b = 2
            o.a += 3
            del o.a
        """,
        """
        def f(o):
            ag__.set_attr(1, o, 'a')
            ag__.set_attr(2, o.a, 'b')
            ag__.aug_attr(o, 'a', '+=', lambda: 3)
            ag__.del_attr(o, 'a')
        """,
    ),
    "paths: only an element of an element gives the name a new value": Case(
        """
        def f(x, i):
            x[0][i] = 1
            x[0].a[i] = 2
            x.a[i][0] = 3
            g().a[i] = 4
        """,
        """
        def f(x, i):
            x = ag__.set_item_at(1, x, (('[', 0),), i)
            x = ag__.set_item_at(2, x, (('[', 0), ('.', 'a')), i)
            ag__.set_item_at(3, x, (('.', 'a'), ('[', i)), 0)
            ag__.set_item_at(4, g(), (('.', 'a'),), i)
        """,
    ),
    "augmented": Case(
        """
        def f(x, i):
            x[i] += 1
            x[i][0] -= 2
            x.a[i] *= 3
            g(x)[i] //= 4
        """,
        """
        def f(x, i):
            x = ag__.aug_item(x, i, '+=', lambda: 1)
            x = ag__.aug_item_at(x, (('[', i),), 0, '-=', lambda: 2)
            ag__.aug_item_at(x, (('.', 'a'),), i, '*=', lambda: 3)
            ag__.aug_item_at(g(x), (), i, '//=', lambda: 4)
        """,
    ),
    "an augmented name, unless it is a number": Case(
        """
        def f(x):
            n = 0
            n += 1
            x += n
            x @= x
            return n
        """,
        """
        def f(x):
            n = 0
            n += 1
            x = ag__.iop('+=', x, n)
            x = ag__.iop('@=', x, x)
            return n
        """,
    ),
    "every sign": Case(
        """
        def f(x):
            x += 7; x -= 1; x *= 5; x //= 2; x **= 2; x %= 100; x &= 63; x |= 8; x ^= 3; x <<= 2; x >>= 1; x /= 2
            return x
        """,
        """
        def f(x):
            x = ag__.iop('+=', x, 7)
            x = ag__.iop('-=', x, 1)
            x = ag__.iop('*=', x, 5)
            x = ag__.iop('//=', x, 2)
            x = ag__.iop('**=', x, 2)
            x = ag__.iop('%=', x, 100)
            x = ag__.iop('&=', x, 63)
            x = ag__.iop('|=', x, 8)
            x = ag__.iop('^=', x, 3)
            x = ag__.iop('<<=', x, 2)
            x = ag__.iop('>>=', x, 1)
            x = ag__.iop('/=', x, 2)
            return x
        """,
        "f(3)",
    ),
    "several targets": Case(
        """
        def f(x, i):
            y = x[i] = x[0]
            return x, y
        """,
        """
        def f(x, i):
            value = x[0]
            y = value
            x = ag__.set_item(value, x, i)
            return (x, y)
        """,
        "f([1, 2], 1)",
    ),
    "a tuple of targets is stored one by one": Case(
        """
        def f(x, i, j):
            x[i], x[j] = x[j], x[i]
            i, x[i] = 0, 5
            (a, [x[1], *x[2:]]) = 1, (2, 3, 4)
            return x, a
        """,
        """
        def f(x, i, j):
            item, item_1 = (x[j], x[i])
            x = ag__.set_item(item, x, i)
            x = ag__.set_item(item_1, x, j)
            item_2, item_3 = (0, 5)
            i = item_2
            x = ag__.set_item(item_3, x, i)
            item_4, item_5 = (1, (2, 3, 4))
            a = item_4
            item_6, *item_7 = item_5
            x = ag__.set_item(item_6, x, 1)
            x = ag__.set_item(item_7, x, slice(2, None))
            return (x, a)
        """,
        "f([1, 2, 3], 1, 2)",
    ),
    "del": Case(
        """
        def f(x, i):
            y = 0
            del x[i], y
            del (x[0], [x[0]])
            return x
        """,
        """
        def f(x, i):
            y = 0
            ag__.del_item(x, i)
            del y
            ag__.del_item(x, 0)
            ag__.del_item(x, 0)
            return x
        """,
        "f([1, 2, 3, 4], 1)",
    ),
    "the target of a loop": Case(
        """
        def f(x, xs):
            for x[0] in xs:
                note(x)
            else:
                x[0] = 9
            for a, x[0] in [(1, 2)]:
                pass
            return x, a
        """,
        """
        def f(x, xs):
            for item in xs:
                x = ag__.set_item(item, x, 0)
                note(x)
            else:
                x = ag__.set_item(9, x, 0)
            for item_1 in [(1, 2)]:
                item_2, item_3 = item_1
                a = item_2
                x = ag__.set_item(item_3, x, 0)
                pass
            return (x, a)
        """,
        "f([0], [1, 2])",
    ),
    "a variable of outside as the target of a loop": Case(
        """
        def f(xs):
            global global_x
            for global_x in xs:
                note(global_x)
        """,
        """
        def f(xs):
            global global_x
            for item in xs:
                global_x = item
                note(global_x)
        """,
        "f([1, 2])",
    ),
    "the target of a context manager; later managers may use it": Case(
        """
        def f(m, x):
            with m(1) as x[0], m(x[0]) as y, m(2) as x[1]:
                x[0] += y
            return x
        """,
        """
        def f(m, x):
            with m(1) as item:
                x = ag__.set_item(item, x, 0)
                with m(x[0]) as y, m(2) as item_1:
                    x = ag__.set_item(item_1, x, 1)
                    x = ag__.aug_item(x, 0, '+=', lambda: y)
            return x
        """,
        "f(nullcontext, [0, 0])",
        names={"nullcontext": contextlib.nullcontext},
    ),
    "an annotated element": Case(
        """
        def f(x):
            x[0]: int = 1
            x[1]: int
            return x
        """,
        """
        def f(x):
            x = ag__.set_item(1, x, 0)
            x[1]: int
            return x
        """,
        "f([0, 0])",
    ),
    "a value that suspends stays where the value would move": Case(
        """
        def f(x):
            x[0] = yield 1
            x[0] += yield 2
            return x
        """,
        """
        def f(x):
            x = ag__.set_item((yield 1), x, 0)
            x[0] += (yield 2)
            return x
        """,
    ),
    "a name of the function around is declared": Case(
        """
        def f(x):
            def g():
                x[0] = 1
            g()
            return x
        """,
        """
        def f(x):
            def g():
                nonlocal x
                x = ag__.set_item(1, x, 0)
            g()
            return x
        """,
        "f([0])",
    ),
    "a global name is declared": Case(
        """
        def f():
            global_x[0] = 1
            return global_x

        global_x = [0]
        """,
        """
        def f():
            global global_x
            global_x = ag__.set_item(1, global_x, 0)
            return global_x
        """,
        "f()",
    ),
    "in a class body nothing is declared": Case(
        """
        def f(x):
            class A:
                y = [0]
                y[0] = 1
                def m(self):
                    self.__z = self.__w.__v__ = self.y
                    return self
            return sorted(vars(A().m()))
        """,
        """
        def f(x):
            class A:
                y = [0]
                y[0] = 1
                def m(self):
                    value = self.y
                    ag__.set_attr(value, self, '_A__z')
                    ag__.set_attr(value, self.__w, '__v__')
                    return self
            return sorted(vars(A().m()))
        """,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_becomes(name: str) -> None:
    CASES[name].examine(*PASSES)


def test_private_names_are_mangled_as_the_compiler_does() -> None:
    source = """
    class _Box:
        def fill(self, x):
            self.__a = x
            self.__b = [x]
            self.__b[0] += 1
            self.__c__ = 0
            class __Inner:
                def fill(self):
                    self.__d = 1
                    return self
            return sorted(vars(self)), vars(__Inner().fill())
    """
    check(source, "_Box().fill(3)")
