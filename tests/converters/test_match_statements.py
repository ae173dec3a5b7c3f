"""`match` becomes a chain of `if`s; Python's own `match` takes structures apart."""

import numbers

import jax.numpy as jnp
import pytest

import autograph as ag
from autograph.converters.match_statements import MatchStatements
from tests.converters.converting import Case, check

PASSES = (MatchStatements,)

CASES = {
    "values, alternatives, singletons": Case(
        """
        def f(x):
            match x:
                case 0 | -1:
                    return 'small'
                case None:
                    return 'none'
                case _:
                    return 'other'
        """,
        """
        def f(x):
            if x == 0 or x == -1:
                return 'small'
            elif x is None:
                return 'none'
            else:
                return 'other'
        """,
        "f(0)",
        "f(-1)",
        "f(None)",
        "f(5)",
    ),
    "no case matches": Case(
        """
        def f(x):
            match x:
                case 1:
                    x = 2
            return x
        """,
        """
        def f(x):
            if x == 1:
                x = 2
            return x
        """,
        "f(1)",
        "f(0)",
    ),
    "the subject is evaluated once": Case(
        """
        def f(x):
            match note(x):
                case 1:
                    return 'one'
                case 2:
                    return 'two'
        """,
        """
        def f(x):
            subject = note(x)
            if subject == 1:
                return 'one'
            elif subject == 2:
                return 'two'
        """,
        "f(2)",
        "f(3)",
    ),
    "a subject that a case binds": Case(
        """
        def f(x):
            match x:
                case x if x > 3:
                    return x
                case 1:
                    return 'one'
            return x
        """,
        """
        def f(x):
            subject = x
            x = subject
            if x > 3:
                return x
            elif subject == 1:
                return 'one'
            return x
        """,
        "f(4)",
        "f(1)",
        "f(2)",
    ),
    "guards": Case(
        """
        def f(x, y):
            match x:
                case 1 if y > 0:
                    return 'a'
                case (1 | 2) as n if n > y:
                    return n
                case n:
                    return -n
        """,
        """
        def f(x, y):
            if x == 1 and y > 0:
                return 'a'
            else:
                if x == 1 or x == 2:
                    n = x
                    match_ = n > y
                else:
                    match_ = False
                if match_:
                    n = x
                    return n
                else:
                    n = x
                    return -n
        """,
        "f(1, 1)",
        "f(1, 0)",
        "f(2, 0)",
        "f(2, 5)",
        "f(3, 0)",
    ),
    "structures without values are Python's": Case(
        """
        def f(x):
            match x:
                case [a, b]:
                    return a + b
                case {'k': a, **rest}:
                    return a, rest
                case int() | str():
                    return 'scalar'
        """,
        """
        def f(x):
            match x:
                case [a, b]:
                    return a + b
                case {'k': a, **rest}:
                    return (a, rest)
                case _:
                    if isinstance(x, int) or isinstance(x, str):
                        return 'scalar'
        """,
        "f([1, 2])",
        "f({'k': 1, 'l': 2})",
        "f(3)",
        "f(None)",
    ),
    "values in a structure are compared afterwards": Case(
        """
        def f(x):
            match x:
                case ['add', 2, [*_, y]]:
                    return y
                case {'k': 0, **rest} if rest:
                    return rest
                case complex(real=1, imag=i):
                    return i
        """,
        """
        def f(x):
            match x:
                case [part_4, part_5, [*_, part_6]]:
                    match_ = part_4 == 'add' and part_5 == 2
                case _:
                    match_ = False
            if match_:
                y = part_6
                return y
            else:
                match x:
                    case {'k': part_2, **part_3}:
                        match_ = part_2 == 0
                    case _:
                        match_ = False
                if match_:
                    rest = part_3
                    match_ = rest
                if match_:
                    rest = part_3
                    return rest
                else:
                    match x:
                        case complex(real=part, imag=part_1):
                            match_ = part == 1
                        case _:
                            match_ = False
                    if match_:
                        i = part_1
                        return i
        """,
        "f(['add', 2, [5, 6]])",
        "f(['add', 3, [5, 6]])",
        "f({'k': 0, 'm': 1})",
        "f({'k': 0})",
        "f(1 + 2j)",
    ),
    "strings in a structure stay where the function walks over a tree": Case(
        """
        def f(x):
            match x:
                case ['neg', y]:
                    return -f(y)
                case [z]:
                    return z
        """,
        """
        def f(x):
            match x:
                case ['neg', y]:
                    return -f(y)
                case [z]:
                    return z
        """,
        "f(['neg', ['neg', [2]]])",
    ),
    "alternatives of structures": Case(
        """
        def f(x):
            match x:
                case [1, a] | [a, 2, _] if a > 0:
                    return a
                case [[a, 3] | {'a': a}]:
                    return a
        """,
        """
        def f(x):
            match x:
                case [part_5, part_6]:
                    part_4 = part_6
                    match_ = part_5 == 1
                case _:
                    match_ = False
            if not match_:
                match x:
                    case [part_7, part_8, _]:
                        part_4 = part_7
                        match_ = part_8 == 2
                    case _:
                        match_ = False
            if match_:
                a = part_4
                match_ = a > 0
            if match_:
                a = part_4
                return a
            else:
                match x:
                    case [[part_1, part_2]]:
                        part = part_1
                        match_ = part_2 == 3
                    case _:
                        match_ = False
                if not match_:
                    match x:
                        case [{'a': part_3}]:
                            part = part_3
                            match_ = True
                        case _:
                            match_ = False
                if match_:
                    a = part
                    return a
        """,
        "f([1, 4])",
        "f([5, 2, 0])",
        "f([-5, 2, 0])",
        "f([[7, 3]])",
        "f([{'a': 8}])",
    ),
    "a pattern that is captured as a whole": Case(
        """
        def f(x):
            match x:
                case [1, *rest] as whole:
                    return whole, rest
        """,
        """
        def f(x):
            match x:
                case [part, *part_1] as part_2:
                    match_ = part == 1
                case _:
                    match_ = False
            if match_:
                rest = part_1
                whole = part_2
                return (whole, rest)
        """,
        "f([1, 2])",
        "f([2])",
    ),
    "a dotted name is a value": Case(
        """
        def f(x):
            match x:
                case math.pi:
                    return 'pi'
        """,
        """
        def f(x):
            if x == math.pi:
                return 'pi'
        """,
        "f(3)",
        names={"math": __import__("math")},
    ),
    "a case that suspends": Case(
        """
        def f(x):
            match x:
                case 1:
                    yield 'one'
        """,
        """
        def f(x):
            match x:
                case 1:
                    yield 'one'
        """,
        "f(1)",
        "f(2)",
    ),
    "a function that looks at its frame": Case(
        """
        def f(x):
            match x:
                case 1:
                    return sorted(locals())
        """,
        """
        def f(x):
            match x:
                case 1:
                    return sorted(locals())
        """,
        "f(1)",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_becomes(name: str) -> None:
    CASES[name].examine(*PASSES)


def test_names_are_bound_before_the_guard_as_in_python() -> None:
    source = """
    def f(x, n='before'):
        match x:
            case n if n > 5:
                return 'big', n
            case [n, m] if m > 5:
                return 'pair', n
        return 'none', n
    """
    check(source, "f(9)", "f(1)", "f(int)")


def test_a_match_in_a_match_in_a_loop() -> None:
    source = """
    def f(commands):
        x = y = 0
        for command in commands:
            match command:
                case ('go', d, n):
                    match d:
                        case 'north':
                            y += n
                        case 'east' if n < 5:
                            x += n
                        case _:
                            continue
                case 'stop':
                    break
            note((x, y))
        return x, y
    """
    check(source, "f([('go', 'north', 2), ('go', 'east', 9), ('go', 'east', 1), 0, 'stop', ('go', 'north', 2)])")


def test_a_traced_number_is_of_the_class_that_python_s_is_of() -> None:
    def kind(x):
        match x:
            case [int(), float() as y]:
                return y
            case int() | float():
                return -x
        return 0

    for x in (3, 4.0, [1, 2.0], [2.0, 1]):
        assert ag.jit(kind)(x) == kind(x)
    assert ag.jit(kind)(jnp.float32(3)) == kind(jnp.float32(3)) == 0


Whole = numbers.Integral


def test_a_traced_number_matches_a_pattern_within_its_class() -> None:
    def kind(x, y):
        match {"x": x, "y": y}:
            case {"x": int(0 | 1)}:
                return 100
            case {"x": (int(2) | float(0.5)) as n}:
                return 200 + n
            case {"x": int(3 | 4 as n)} if y > 1:
                return 300 + n
            case {"x": int(n), "y": Whole()}:
                return 400 + n
            case {"x": float(_), "y": numbers.Real() as n}:
                return 500 + n
        return 0

    def whole(x):
        match x:
            case int(n) if n > 3:
                return n * 10
            case int(n) | float(n):
                return -n
        return 0

    for x in (0, 1, 2, 3, 4, 5, 0.5, 1.5):
        assert ag.jit(whole)(x) == whole(x)
        for y in (1, 2, 2.5):
            assert ag.jit(kind)(x, y) == kind(x, y)
