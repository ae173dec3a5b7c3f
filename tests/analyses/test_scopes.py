"""Who owns a name, and what closures capture: the same answers as Python's own compiler."""

import symtable
import sys
import textwrap

import gast
import pytest

from autograph.analyses.scopes import Scope, Scopes

CASES = {
    "parameters": ("def f(a, /, b, *c, d=e, **g): pass", "a b c d g", "", ""),
    "assignments": (
        """
        def f():
            a = b, *c = d = []
            (e.x, h[i]) = 1
            j += 1
            k: int
            for l, m in n: pass
            with o as p: pass
            del q
        """,
        "a b c d j k l m p q",
        "e h i int n o",
        "",
    ),
    "names that statements bind": (
        """
        def f():
            import a.b, c.d as e
            from g import h as i, j
            def k(): pass
            class l(m): pass
            try: pass
            except n as o: pass
            match p:
                case [q, *r]: pass
                case {'s': t, **u}: pass
                case v() as w: pass
        """,
        "a e i j k l o q r t u w",
        "m n p v",
        "",
    ),
    "a closure": (
        """
        def f(a):
            b = c = 0
            def g():
                return a, lambda: c
            return b
        """,
        "a b c g",
        "",
        "a c",
    ),
    "nonlocal and global": (
        """
        def f():
            a = 0
            global b
            b = 1
            def g():
                nonlocal a
                global c
                a = b = c = 2
        """,
        "a g",
        "",
        "a",
    ),
    "a default is read where the function stands": (
        """
        def f(a, b):
            def g(x=a) -> b: pass
            return lambda y=a: y
        """,
        "a b g",
        "",
        "",
    ),
    "a comprehension has names of its own": (
        """
        def f(a, b):
            return [c + b for c in a if d for e in g]
        """,
        "a b",
        "d g",
        "",
    ),
    "a generator runs later": (
        """
        def f(a, b):
            return (c + b for c in a)
        """,
        "a b",
        "",
        "b",
    ),
    "a walrus in a comprehension binds around it": (
        """
        def f(a):
            return [[(b := c) for c in d] for d in a], (e := 1)
        """,
        "a b e",
        "",
        "",
    ),
    "a class body is no scope for its methods": (
        """
        def f(a):
            class A:
                b = a
                def m(self):
                    return b, a
            return A
        """,
        "A a",
        "b",
        "a",
    ),
    "the names of a class body are its own": (
        """
        def f(a):
            class A:
                b = 0
                b += a
            return A
        """,
        "A a",
        "",
        "",
    ),
    "a name of a class body with a closure in it": (
        """
        def f(a):
            class A:
                b = [lambda: a for c in a]
            return A
        """,
        "A a",
        "",
        "a",
    ),
    "an operand of an operator is no closure": (
        """
        def f(a, b):
            return ag__.and_(a, lambda: b), ag__.other(lambda x: a)
        """,
        "a b",
        "ag__",
        "a",
    ),
}


def scope_of(source: str) -> Scope:
    tree = gast.parse(textwrap.dedent(source)).body[0]
    return Scopes(tree, "ag__").of(tree)


@pytest.mark.parametrize("name", CASES)
def test_locals_free_captured(name: str) -> None:
    source, own, free, captured = CASES[name]
    scope = scope_of(source)
    found = [" ".join(sorted(item)) for item in (scope.locals, scope.free, scope.captured)]
    assert found == [own, free, captured]


@pytest.mark.parametrize("name", [name for name in CASES if "operand" not in name])
def test_the_compiler_agrees(name: str) -> None:
    source = textwrap.dedent(CASES[name][0])
    table = symtable.symtable(source, "text", "exec").get_children()[-1]
    scope = scope_of(source)
    compiled = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_local()}
    # From 3.12 on the compiler counts the names of inlined comprehensions among those of the function.
    assert scope.locals == compiled or (sys.version_info >= (3, 12) and scope.locals <= compiled)


def test_functions_come_outer_ones_first() -> None:
    tree = gast.parse("def f():\n    def g():\n        def h(): pass\n    lambda: 0\n    async def k(): pass").body[0]
    assert [node.name for node in Scopes(tree, "ag__").functions] == ["f", "g", "h", "k"]


def test_what_code_inside_may_touch_later() -> None:
    tree = gast.parse("def f(a, b):\n    class A:\n        c = a\n        d = lambda: (b, c)").body[0]
    scopes = Scopes(tree, "ag__")
    assert scopes.of(tree.body[0]).deferred == {"b", "c"} and scopes.of(tree.body[0]).free >= {"a", "b"}
    assert tree.body[0] in scopes and tree.body[0].body[0] not in scopes
    assert len(list(scopes)) == 3


def test_a_nonlocal_that_is_passed_on_counts_as_captured() -> None:
    tree = gast.parse("def f():\n    def g():\n        nonlocal a\n        return lambda: a\n    a = 0").body[0]
    assert Scopes(tree, "ag__").of(tree.body[0]).captured == {"a"}
