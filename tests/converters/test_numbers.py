"""Names that are numbers on every way through a function."""

import textwrap

import gast
import pytest

from autograph.analyses import numbers
from autograph.converters.base import Conversion
from autograph.converters.showing import context_for


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("n = 0", "n"),
        ("n = 1.5 + 2j; b = True; s = 'a'; o = None", "b n"),
        ("n = 0; m = -n * 2; k = m if n else m", "m n"),
        ("n = 0; n += a", ""),
        ("n = 0; n += 2; m = n", "m n"),
        ("n = not 0", ""),
        ("n = m = 0", "m n"),
        ("n, m = 0, a", "n"),
        ("n, m = m, n = 0, 1", "m n"),
        ("n, *m = 0, 1", ""),
        ("(n, m), k = (0, 1), 2", "k m n"),
        ("n = 0; del n", ""),
        ("a = 1", ""),
        ("n: int = 0", ""),
        ("if a: n = 0\nelse: n = a", ""),
        ("for i in range(a): pass", "i"),
        ("for i, j in range(a): pass", ""),
        ("for i in a: pass", ""),
        ("for i in range(a): i = a", ""),
        ("with a as n: n = 0", ""),
        ("n = 0\ndef n(): pass", ""),
        ("n = 0\nclass n: pass", ""),
        ("n = 0\nimport n", ""),
        ("n = 0\nfrom a import b as n", ""),
        ("n = 0\nmatch a:\n    case n: pass", ""),
        ("n = m = k = 0\nmatch a:\n    case [*n]: pass\n    case {'a': 1, **m}: pass\n    case int() as k: pass", ""),
        ("n = 0\ntry: pass\nexcept ValueError as n: pass", ""),
        ("n = 0\n(n := a)", ""),
        ("n = 0\ndef g():\n    nonlocal n\n    n = a", ""),
        ("global n\nn = 0", ""),
        ("n = 0\nm = n\nk = m\nn = a", ""),
        ("n = 0\ndef g():\n    n = a", "n"),
        ("n = undefined", ""),
    ],
)
def test_numbers(body: str, expected: str) -> None:
    source = "def f(a):\n" + textwrap.indent(body, "    ")
    tree = gast.parse(source).body[0]
    conversion = Conversion(tree, context_for(source, {}))
    assert " ".join(sorted(numbers.number_names(tree, conversion))) == expected
