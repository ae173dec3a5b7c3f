"""Which statements stay Python statements."""

import builtins

import gast
import pytest

from autograph.analyses.nativeness import Nativeness, suspends
from autograph.analyses.static_tests import StaticTests
from autograph.options import MISSING
from tests.analyses.trees import compound, expression, function_of, header


def nativeness(function: gast.FunctionDef) -> Nativeness:
    return Nativeness(function, StaticTests(lambda name: getattr(builtins, name, MISSING)))


# body: the statements that stay native, of all compound ones
CASES = {
    "functional by default": ("if a: b\nwhile a: b\nfor a in b: c", ""),
    "static tests": ("if a is None: b\nwhile a is None: b\nwhile a: b", "if a is None; while a is None"),
    "try, with, match": (
        "try: a\nfinally: b\nwith a: b\nmatch a:\n    case 1: b",
        "try; with a; match a",
    ),
    "a static `while` that a functional statement leaves": (
        "while True:\n    if a: break\nwhile True:\n    if b: return",
        "",
    ),
    "a static `while` that a native statement leaves": (
        "while True:\n    if a is None: break",
        "while True; if a is None",
    ),
    "a static `while` whose iteration is cut short": ("while a is None:\n    if a: continue", "while a is None"),
    "a loop of its own inside": ("while a is b:\n    for a in b:\n        if a: break", "while a is b"),
    "what suspends, and what it stands in": (
        "if a:\n    for b in c:\n        yield b\n    if d: e\nwhile a: b",
        "if a; for b in c",
    ),
    "a test that suspends": ("if (yield a): b\nfor a in (yield b): c", "if (yield a); for a in (yield b)"),
    "a function that suspends does not": ("if a:\n    def g(): yield b\n    h = lambda: (yield)", ""),
    "an asynchronous comprehension": ("if a: [b async for b in c]", "if a"),
    "a return in a generator has no flag": (
        "yield a\nif b: return\nfor c in d:\n    if c: return",
        "if b; for c in d; if c",
    ),
    "a static `while` that a staged raise leaves for a handler": (
        "try:\n    while True:\n        if a: raise b\nexcept c: pass\nwhile True:\n    if a: raise b",
        "try",
    ),
    "a `while` that only an exception ends": (
        "while True: a\nwhile 1:\n    for a in b:\n        if a: break\nwhile 0: a",
        "while 0",
    ),
    "a break in a generator may have one": ("for c in d:\n    if c: break\nyield a", ""),
    "a break out of a loop that suspends": (
        "for a in b:\n    yield a\n    if a: break\n    if b: c",
        "for a in b; if a",
    ),
    "a jump out of a finally": (
        "for a in b:\n    try: c\n    finally:\n        if a: break\n    if b: d",
        "for a in b; try; if a",
    ),
    "a continue out of a finally": (
        "while a:\n    try: c\n    finally: continue",
        "while a; try",
    ),
    "a return out of a finally leaves every loop natively": (
        "for a in b:\n    for c in d:\n        try: e\n        finally: return 1",
        "for a in b; for c in d; try",
    ),
    "a loop inside a finally keeps its jumps": (
        "try: c\nfinally:\n    for a in b:\n        if a: break",
        "try",
    ),
    "a jump out of a try has a flag": ("for a in b:\n    try:\n        if a: break\n    except c: continue", "try"),
}


@pytest.mark.parametrize("name", CASES)
def test_native_statements(name: str) -> None:
    body, expected = CASES[name]
    function = function_of(body)
    native = nativeness(function)
    assert "; ".join(header(node) for node in compound(function.body) if native.holds(node)) == expected


@pytest.mark.parametrize(
    ("body", "escapes", "soft"),
    [
        ("if a: return b", "return", "return"),
        ("if a is None: return b", "return", ""),
        ("for a in b:\n    if a: break\n    if c: return", "return", "return"),
        ("for a in b:\n    if a: continue", "", ""),
        ("try:\n    if a: return b\nfinally: c", "return", "return"),
        ("try: return b\nfinally: c", "return", ""),
        ("def g(): return a", "", ""),
    ],
)
def test_jumps_that_leave_a_statement(body: str, escapes: str, soft: str) -> None:
    function = function_of(body)
    native = nativeness(function)
    [node] = function.body
    assert (" ".join(sorted(native.escapes(node))), " ".join(sorted(native.lowered(node)))) == (escapes, soft)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if a: return b", True),
        ("if a is None: return b", False),
        ("for a in b:\n    if a: continue", True),
        ("a", False),
    ],
)
def test_whether_lowering_jumps_may_move_statements(body: str, expected: bool) -> None:
    assert nativeness(function_of(body)).lowers_jumps is expected


def test_breaks() -> None:
    function = function_of("while a:\n    for b in c: break\nwhile a:\n    if b: break")
    native = nativeness(function)
    assert [native.breaks(loop) for loop in function.body] == [False, True]


def test_notes_of_converters() -> None:
    function = function_of("while a is None: a")
    native = nativeness(function)
    [loop] = function.body
    assert native.holds(loop)
    native.discard(loop)
    assert not native.holds(loop)
    made = gast.If(expression("a"), [gast.Return(None)], [])
    native.add(made.body[0])
    native.add(made)
    assert native.escapes(made) == native.lowered(made) == {"return"}


def test_generators() -> None:
    assert nativeness(function_of("yield a")).is_generator
    assert not nativeness(function_of("def g(): yield a")).is_generator


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(yield)", True),
        ("f((yield from a))", True),
        ("(await a)", True),
        ("lambda: (yield)", False),
        ("[a for a in b]", False),
        ("[a async for a in b]", True),
        ("[await a for a in b]", True),
    ],
)
def test_suspends(text: str, expected: bool) -> None:
    assert suspends(function_of(text).body) is expected


@pytest.mark.parametrize(
    ("body", "catches"),
    [
        ("try:\n    if a: raise b\nexcept c: pass", True),
        ("try:\n    for a in b: raise c\nexcept c: pass", True),
        ("try:\n    if a: return\n    raise b\nexcept c: pass", True),  # the rest moves into a branch
        ("try:\n    try:\n        if a: raise b\n    finally: d\nexcept c: pass", True),
        ("try:\n    try:\n        if a: raise b\n    except d: pass\nexcept c: pass", True),  # no handler may match
        ("try:\n    try: a\n    except b:\n        if a: raise\nexcept c: pass", True),
        ("try:\n    raise b\nexcept c: pass", False),
        ("try:\n    if a is None: raise b\nexcept c: pass", False),
        ("try:\n    if a: raise b\nfinally: pass", False),
        ("try:\n    with a:\n        if a: raise b\nexcept c: pass", True),  # the manager sees what passes it
        ("try:\n    def f():\n        if a: raise b\nexcept c: pass", False),
        ("try:\n    if a: raise b\nexcept c: d = lambda: e", True),
        ("try:\n    if a: raise b\nexcept c: yield", False),
        ("try: a\nexcept c:\n    if a: raise b", False),
    ],
)
def test_catches(body: str, catches: bool) -> None:
    function = function_of(body)
    assert nativeness(function).catches(function.body[0]) is catches
