"""The state of functional statements: which variables outlive one run of one of their bodies."""

import gast
import pytest

from autograph.analyses.liveness import Liveness
from autograph.analyses.loops import extended
from autograph.analyses.scopes import Scopes
from autograph.analyses.static_tests import StaticTests
from autograph.options import MISSING
from tests.analyses.trees import compound, expression, function_of, header

static = StaticTests(lambda name: MISSING)

# body of f(a, b, c): the state of each `if`, `while`, `for` without a static test
CASES = {
    "read afterwards": ("if a: x = 1\nelse: y = 2\nreturn x", "if a: x"),
    "dead afterwards": ("if a:\n    x = 1\n    b(x)", "if a:"),
    "written again before it is read": ("if a: x = 1\nx = 2\nreturn x", "if a:"),
    "written again on one way only": ("if a: x = 1\nif b: x = 2\nreturn x", "if a: x; if b: x"),
    "read before it is written": ("if a:\n    b = b + 1\n    c(b)", "if a: b"),
    "unbound": ("if a: del b\nreturn b", "if a: b"),
    "the branch that reads, the branch that writes": ("if a: c(b)\nelse:\n    b = 1\n    c(b)", "if a: b"),
    "from iteration to iteration": ("while a:\n    c(b)\n    b = a\n    a = 0", "while a: a b"),
    "within an iteration": ("while a:\n    x = b\n    a = x", "while a: a"),
    "read by the test": ("while a: a = b", "while a: a"),
    "bound by the test": ("while (x := a): c(x)", "while (x := a): x"),
    "bound and read by one expression": (
        "while a:\n    if (x := b) > x: a = x\n    b = 0",
        "while a: a b; if (x := b) > x: a",
    ),
    "bound by a message that is not evaluated": ("if a: x = 1\nassert b, (x := 2)\nreturn x", "if a: x"),
    "bound by the test and read afterwards": ("while (x := a) > b: pass\nreturn x", "while (x := a) > b: x"),
    "the target, read by its own iteration only": ("for x in a: b(x)", "for x in a:"),
    "the target, read afterwards": ("for x in a: b\nreturn x", "for x in a: x"),
    "the target, written before it is read again": ("for x in a: x = b", "for x in a:"),
    "a loop that makes no iteration": ("x = 0\nfor i in a: x = i\nreturn x", "for i in a: x"),
    "the else of a loop": ("for i in a: x = i\nelse: b(x)", "for i in a: x"),
    "on the way out by break": (
        "while a:\n    if c is None:\n        if b: x = 1\n        break\n    x = 0\nreturn x",
        "while a: x; if b: x",
    ),
    "on the way out by return": (
        "while a:\n    if c is None:\n        if b: x = 1\n        else: x = 2\n        return x",
        "while a:; if b: x",
    ),
    "on the way out by continue": (
        "while a:\n    b(x)\n    if c is None:\n        if b: x = 1\n        continue\n    x = 2",
        "while a: x; if b: x",
    ),
    "`while True` is left by jumps only": (
        "while True:\n    if b: x = 2\n    x = a\n    if x is None: break\nreturn x",
        "if b:",
    ),
    "an exception": ("try:\n    if a: x = 1\n    b()\nexcept c: return x", "if a: x"),
    "an exception in the branch": ("try:\n    if a:\n        x = 1\n        b()\nexcept c: return x", "if a: x"),
    "a finally": ("x = 0\ntry:\n    if a:\n        x = 1\n        return b\nfinally: c(x)", "if a: x"),
    "the else of a try": ("try:\n    if a: x = 1\nexcept c: pass\nelse: b(x)", "if a: x"),
    "the name of a handler": ("while a:\n    try: b\n    except c as x: b(x)\n    a = 0", "while a: a"),
    "a manager may swallow an exception": ("with a:\n    if b: x = 1\n    x = 2\nreturn x", "if b: x"),
    "a match": ("if a: x = 1\nmatch b:\n    case 1: return x\n    case x: pass\nreturn x", "if a: x"),
    "inside a match": (
        "match b:\n    case 1:\n        if a: x = 1\n        return x\n    case _:\n        if c: x = 2",
        "if a: x; if c:",
    ),
    "captured by a closure": ("g = lambda: x\nif a: x = 1\nreturn g", "if a: x"),
    "captured by a closure made later": ("if a: x = 1\nreturn lambda: x", "if a: x"),
    "read by a closure before it is bound again": ("if a: x = 1\nx = b(lambda: x)\nreturn x", "if a: x"),
    "not by a closure that has its name": ("if a: x = 1\nx = lambda: x\nreturn x", "if a:"),
    "read by a class body": ("if a: x = 1\nclass x: b = c(lambda: x)\nreturn x", "if a: x"),
    "read by a comprehension": ("if a: x = 1\nreturn [x for b in c]", "if a: x"),
    "an iterable is read first": ("if a: c = 1\nfor x in c: x = 0", "if a: c; for x in c:"),
    "nested statements": (
        "while a:\n    if b:\n        x = 1\n    else:\n        x = 2\n    a = x",
        "while a: a; if b: x",
    ),
    "globals are no state": ("global g\nif a: g = 1\nreturn g", "if a:"),
    "an element": ("if a: b[0] = 1\nreturn b", "if a:"),
    "a function, a class, an import": (
        "if a:\n    def g(): pass\n    class A: pass\n    import m\nreturn g, A, m",
        "if a: A g m",
    ),
}  # fmt: skip


def liveness_of(function: object, **options: object) -> Liveness:
    return Liveness(function, Scopes(function, "ag__").of(function), "ag__", **options)


@pytest.mark.parametrize("name", CASES)
def test_states(name: str) -> None:
    body, expected = CASES[name]
    function = function_of(body, "a, b, c")
    liveness = liveness_of(function)
    found = [
        f"{header(node)}: {' '.join(liveness.state(node))}".strip()
        for node in compound(function.body)
        if isinstance(node, gast.If | gast.While | gast.For) and not static.holds(getattr(node, "test", None))
    ]
    assert "; ".join(found) == expected


def test_a_nonlocal_is_state() -> None:
    function = function_of("x = 0\ndef g():\n    nonlocal x\n    if a: x = 1", "a")
    inner = function.body[1]
    liveness = Liveness(inner, Scopes(function, "ag__").of(inner), "ag__")
    assert liveness.state(inner.body[1]) == ["x"]


def test_transient_variables_are_never_state() -> None:
    function = function_of("if a: x = y = 1\nreturn x + y", "a")
    assert liveness_of(function, transient={"x"}).state(function.body[0]) == ["y"]


def test_the_extra_test_of_a_loop_reads_after_each_iteration() -> None:
    function = function_of("for x in a:\n    y = x", "a")
    function.body[0] = loop = extended(function.body[0])
    assert liveness_of(function).state(loop) == []
    loop.extra_test = expression("not y")
    assert liveness_of(function).state(loop) == ["y"]


def test_options_are_read_before_the_loop() -> None:
    function = function_of("if a: n = 1\nwhile a: a = 0", "a")
    function.body[1] = loop = extended(function.body[1])
    assert liveness_of(function).state(function.body[0]) == []
    loop.options = expression("{'unroll': n}")
    assert liveness_of(function).state(function.body[0]) == ["n"]


def test_other_answers() -> None:
    function = function_of(
        "if a: return 1\nif b:\n    x = 1\n    for y in (z := c): del w\nwhile (v := a): pass", "a, b, c"
    )
    liveness = liveness_of(function)
    first, second, third = function.body
    assert [liveness.returns(node) for node in function.body] == [True, False, False]
    assert liveness.names([first]) == set() and liveness.names([second]) == {"x", "y", "z", "w"}
    assert liveness.writes(third.test) == {"v"}
    assert liveness.bits.names(liveness.assigned([second, third])) == ["v", "w", "x", "y", "z"]
    added = function_of("u = 1").body[0]
    liveness.note(added)
    assert liveness.names([added]) == {"u"}


JUMPS = """
for x in a:
    if x > b:
        break_ = True
    else:
        s = s + t
        t = u
        u = x
return s
"""


def test_what_nobody_reads_after_a_jump_or_a_loop() -> None:
    function = function_of(JUMPS, "a, b, s, t, u")
    loop = function.body[0]
    liveness = liveness_of(function, flags={"break_"})
    names = ["s", "t", "u"]
    assert liveness.dead_on_exit("break_", names, loop.body[0]) == ["t", "u"]
    assert liveness.ending(names, loop.body[0]) == []  # the next iteration reads them
    assert liveness.ending(names, loop) == ["t", "u"]


@pytest.mark.parametrize("reader", ["def g(): return t", "g = lambda: t"])
def test_what_a_closure_reads_is_not_dead_after_a_jump(reader: str) -> None:
    function = function_of(f"{reader}\n{JUMPS}", "a, b, s, t, u")
    loop = function.body[1]
    liveness = liveness_of(function, flags={"break_"})
    assert liveness.dead_on_exit("break_", ["t", "u"], loop.body[0]) == liveness.ending(["t", "u"], loop) == ["u"]


def test_what_a_finally_reads_is_not_dead_after_a_return() -> None:
    function = function_of("try:\n    if a: return_ = True\n    else: t = u = 1\nfinally: print(t)", "a")
    [tried] = function.body
    liveness = liveness_of(function, flags={"return_"})
    assert liveness.dead_on_exit("return_", ["t", "u"], tried.body[0]) == ["u"]
