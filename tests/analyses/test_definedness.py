"""Reads and deletes that may find their variable unbound, where staging makes that matter."""

import pytest

from autograph.analyses.definedness import Definedness
from autograph.analyses.nativeness import Nativeness
from autograph.analyses.scopes import Scopes
from autograph.analyses.static_tests import StaticTests
from autograph.options import MISSING
from tests.analyses.trees import function_of, header

# body of f(a, b, c): names of reads, and of statements that unbind or update
CASES = {
    "bound in both branches": ("if a: x = 1\nelse: x = 2\nreturn x", ""),
    "bound in one branch": ("if a: x = 1\nreturn x", "x"),
    "the other branch leaves": ("if a: x = 1\nelse: return 0\nreturn x", ""),
    "the other branch raises": ("if a: x = 1\nelse: raise b\nreturn x", ""),
    "bound by a static `if`, not functional": ("if a is None: x = 1\nreturn x", ""),
    "read in a functional statement": ("if a is None: x = 1\nif b: c(x)", "x"),
    "a loop that may make no iteration": ("for i in a: x = i\nreturn x, i", "i x"),
    "the iterations of a `while`": ("while a:\n    if b: x = 1\n    c(x)", "x"),
    "`while True` takes one": ("while True:\n    x = a\n    if x: break\nreturn x", ""),
    "what a break leaves unbound": ("while True:\n    if a: break\n    x = 1\n    if b: break\nreturn x", "x"),
    "the else of a loop": ("for i in a:\n    if i:\n        x = 1\n        break\nelse: x = 2\nreturn x", ""),
    "the target inside the loop": ("for i in a: b(i)", ""),
    "a continue": ("for i in a:\n    if i: continue\n    else: x = 1\n    b(x)", ""),
    "a parameter": ("if a: b = 1\nreturn b", ""),
    "del": ("if a: del b\nreturn b", "b"),
    "del of what may be unbound": ("if a: x = 1\ndel x", "del x: x"),
    "del in a loop": ("while a:\n    c(b)\n    del b", "b; del b: b"),
    "an augmented assignment": ("if a: x = 1\nx += 1", "x += 1: x"),
    "an augmented element": ("if a: x = [1]\nx[0] += 1", "x"),
    "the name of a handler is unbound afterwards": ("if a:\n    try: b\n    except c as x: pass\n    b(x)", "x"),
    "a try may be left anywhere": ("if a:\n    try: x = b\n    except c: pass\n    b(x)", "x"),
    "unless the handler leaves": ("if a:\n    try: x = b\n    except c: return\n    b(x)", ""),
    "a handler sees nothing of the try": ("if a:\n    try: x = b\n    except c: b(x)", "x"),
    "a finally sees nothing of the try": ("if a:\n    try: x = b\n    finally: b(x)", "x"),
    "after a finally": ("if a:\n    try: x = b\n    finally: y = c\n    b(x, y)", ""),
    "a with": ("if a:\n    with b as x: y = x\n    c(x, y)", ""),
    "a match": ("if a:\n    match b:\n        case [x]: y = x\n        case _: y = 0\n    c(y)\n    c(x)", "x y"),
    "a guard sees what its pattern bound": ("if a:\n    match b:\n        case [x] if x: c(x)", ""),
    "both operands of `and` where it holds": ("if a and (x := b): c(x)", ""),
    "but not where it does not": ("if a and (x := b): pass\nelse: c(x)", "x"),
    "nor where it is read afterwards as well": ("if a and (x := b): c(x)\nreturn x", "x x"),
    "nor in the iterations of a loop behind which it is read": ("while a and (x := b): c += x\nreturn x", "x x"),
    "both operands of `or` where it does not": ("if not (a or (x := b)): c(x)", ""),
    "an operand sees those before it": ("return a and (x := b) and x", ""),
    "an operand of `or`": ("return a and (x := b) or x", "x"),
    "the branches of a conditional expression": ("y = (x := 1) if a else (x := 2)\nreturn x if (z := a) else z", ""),
    "one branch of a conditional expression": ("y = (x := 1) if a else 0\nreturn x", "x"),
    "the middle of a chain": ("return a < (x := b) < x", ""),
    "the end of a chain": ("y = a < b < (x := c)\nreturn x", "x"),
    "the first iterable of a comprehension": ("if a: x = [1]\nreturn [y for y in x if x]", "x"),
    "a default, not a body": ("if a: x = 1\ndef g(b=x): return x\nreturn lambda c=x: x", "x x"),
    "a decorator and a base": ("if a: x = 1\n@x\nclass A(x): pass", "x x"),
    "names of the function around are not followed": ("if a: b = undefined\nreturn undefined", ""),
    "an operand of an operator": ("if a: x = 1\nreturn ag__.and_(b, lambda: x)", "x"),
    "value before target": ("if a: b[x] = (x := c)", ""),
    "object before index": ("if a: x[(x := b)] = 1", "x"),
    "an augmented variable before the value": ("if a: x += (x := b)", "x += (x := b): x"),
}  # fmt: skip


def found_in(body: str, *, moves: bool = False) -> str:
    function = function_of(body, "a, b, c")
    native = Nativeness(function, StaticTests(lambda name: MISSING))
    scope = Scopes(function, "ag__").of(function)
    found = Definedness(function, scope, native.holds, "ag__", moves=moves)
    reads = " ".join(sorted(node.id for node in found.reads))
    updates = [f"{header(node)}: {' '.join(names)}" for node, names in found.updates.items()]
    return "; ".join(filter(None, [reads, *updates]))


@pytest.mark.parametrize("name", CASES)
def test_reads_and_updates(name: str) -> None:
    body, expected = CASES[name]
    assert found_in(body) == expected


def test_every_read_counts_where_statements_may_move() -> None:
    body = "try: x = a\nexcept b: pass\nreturn x"
    assert found_in(body) == "" and found_in(body, moves=True) == "x"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if a: x = 1\ng = lambda: x", "x"),
        ("if a: x = 1\ndef g(): return [lambda: x]", "x"),
        ("if a: x = 1\nreturn [x for b in c]", "x"),
        ("if a: x = 1\nreturn (x for b in c)", "x"),
        ("if a: x = 1\nclass A: y = x", "x"),
        ("g = lambda: x\nif a: x = 1", "x"),
        ("x = 0\ng = lambda: x\nif a: x = 1", ""),
        ("x = 0\ng = lambda: x\nif a: del x", "x"),
        ("if a: x = 1\nelse: return\ng = lambda: x", ""),
        ("if a: b = 1\ng = lambda: b", ""),
        ("g = lambda: x\nif a is None: x = 1", ""),
        ("if a: x = 1\nreturn [x for x in c]", ""),
        ("if a:\n    def g(): return g()", ""),
    ],
)
def test_what_closures_may_find_unbound(body: str, expected: str) -> None:
    function = function_of(body, "a, b, c")
    native = Nativeness(function, StaticTests(lambda name: MISSING))
    found = Definedness(function, Scopes(function, "ag__").of(function), native.holds, "ag__")
    assert " ".join(sorted(found.captured & found.staged)) == expected
