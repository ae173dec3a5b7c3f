"""f-strings and `%` go through the runtime, field by field."""

import pytest

from autograph.converters.formatted_strings import FormattedStrings
from tests.converters.converting import Case

PASSES = (FormattedStrings,)

CASES = {
    "fields with specifications and conversions": Case(
        """
        def f(x, w):
            return f'{x} {x!r} {x:>6} {x!s:>{w}} {w=} {{}}'
        """,
        """
        def f(x, w):
            return ag__.f_string(ag__.formatted(x), ' ', ag__.formatted(x, '', 'r'), ' ', ag__.formatted(x, '>6'), ' ', \
ag__.formatted(x, ag__.f_string('>', ag__.formatted(w)), 's'), ' w=', ag__.formatted(w, '', 'r'), ' {}')
        """,
        "f('a', 4)",
        "f(2.5, 7)",
    ),
    "each field is formatted before the next one is evaluated": Case(
        """
        def f(xs):
            return f'{xs}{xs.append(1)}{xs}'
        """,
        """
        def f(xs):
            return ag__.f_string(ag__.formatted(xs), ag__.formatted(xs.append(1)), ag__.formatted(xs))
        """,
        "f([])",
    ),
    "what is printed stays": Case(
        """
        def f(x):
            print(f'{x} and {x:{x}}', 'a', sep='')
        """,
        """
        def f(x):
            print(f'{x} and {x:{x}}', 'a', sep='')
        """,
    ),
    "a string without fields stays": Case(
        """
        def f():
            return f'a' 'b'
        """,
        """
        def f():
            return f'ab'
        """,
        "f()",
    ),
    "percent": Case(
        """
        def f(x, s):
            return '%s and %d' % (s, x), x % 3, s % x
        """,
        """
        def f(x, s):
            return (ag__.percent('%s and %d', (s, x)), x % 3, s % x)
        """,
        "f(3, 'n is %d')",
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_becomes(case: Case) -> None:
    case.examine(*PASSES)
