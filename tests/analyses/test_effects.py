"""What expressions and simple statements read, may write and certainly write."""

import pytest

from autograph.analyses.effects import Effects
from tests.analyses.trees import function_of

# statement: reads, writes, kills
CASES = {
    "x = y": ("y", "x", "x"),
    "x = y = z": ("z", "x y", "x y"),
    "x, (y, *z) = a": ("a", "x y z", "x y z"),
    "x.a = y": ("x y", "", ""),
    "x[i] = y": ("i x y", "", ""),
    "x += y": ("x y", "x", "x"),
    "x[i] += y": ("i x y", "", ""),
    "x: int = y": ("y", "x", "x"),
    "x: int": ("", "", ""),
    "x.a: int": ("x", "", ""),
    "del x, y[i]": ("i x y", "x", "x"),
    "x": ("x", "", ""),
    "(x := y)": ("y", "x", "x"),
    "a and (x := b)": ("a b", "x", ""),
    "(x := a) and (y := b) or c": ("a b c", "x y", "x"),
    "(x := a) if (y := b) else (z := c)": ("a b c", "x y z", "y"),
    "(x := a) < (y := b) < (z := c)": ("a b c", "x y z", "x y"),
    "f(x, (y := a), *b, k=c, **d)": ("a b c d f x", "y", "y"),
    "lambda a=b: a + c": ("b", "", ""),
    "[a + b for a in c if d]": ("b c d", "", ""),
    "{a: (x := b) for a in (y := c) for d in e}": ("b c e", "x y", "y"),
    "ag__.and_(a, lambda: (x := b))": ("a ag__ b", "x", ""),
    "ag__.f((x := b), key=lambda: c)": ("ag__ b c", "x", "x"),
    "f(lambda: b)": ("f", "", ""),
    "import a.b, c as d": ("", "a d", "a d"),
    "from a import b, c as d": ("", "b d", "b d"),
    "def f(a: b = c) -> d: return e": ("b c d", "f", "f"),
    "@a\ndef f(): return b": ("a", "f", "f"),
    "async def f(a=b): return c": ("b", "f", "f"),
    "@a\nclass A(b, metaclass=c): d = e": ("a b c e", "A", "A"),
    "class A:\n    nonlocal b\n    b = c\n    d = e": ("c e", "A b", "A"),
    "return x": ("x", "", ""),
    "x = x": ("x", "x", "x"),
    "x, y[x] = a": ("a y", "x", "x"),
    "(x := a) + x": ("a", "x", "x"),
    "x + (x := a)": ("a x", "x", "x"),
    "a and (x := b) and x": ("a b x", "x", ""),
    "x += (x := a)": ("a x", "x", "x"),
    "x[i] += (i := a)": ("a i x", "i", "i"),
    "{a: x, (x := b): x}": ("a b x", "x", "x"),
    "[x for y in (x := a)]": ("a", "x", "x"),
    "raise x from y": ("x y", "", ""),
    "assert x, (y := z)": ("x z", "y", ""),
    "global x": ("", "", ""),
}


@pytest.mark.parametrize("source", CASES)
def test_effects(source: str) -> None:
    [statement] = function_of(source).body
    assert tuple(" ".join(sorted(part)) for part in Effects("ag__").of(statement)) == CASES[source]


@pytest.mark.parametrize(
    ("pattern", "reads", "writes"),
    [
        ("x", "", "x"),
        ("_", "", ""),
        ("1 | a.b", "a", ""),
        ("[x, *y]", "", "x y"),
        ("[_, *_]", "", ""),
        ("{'k': x, a.b: y, **z}", "a", "x y z"),
        ("A(x, k=[y]) as z", "A", "x y z"),
    ],
)
def test_patterns(pattern: str, reads: str, writes: str) -> None:
    [statement] = function_of(f"match s:\n    case {pattern}: pass").body
    names = Effects("ag__").of(statement.cases[0].pattern)
    assert tuple(" ".join(sorted(part)) for part in names) == (reads, writes, writes)


def test_several_nodes_one_after_the_other() -> None:
    names = Effects("ag__").of(*function_of("x = y\nz = x").body, None)
    assert names == ({"y"}, {"x", "z"}, {"x", "z"})
