"""Calls go through `ag__.converted`, but for those that neither take functions nor care what is traced."""

import ast
import math
import numbers
import operator

import gast
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph.analyses.native_calls import has_counterpart, stays_native
from autograph.analyses.static_tests import dotted
from autograph.converters.base import Conversion
from autograph.converters.calls import Calls
from autograph.converters.showing import context_for, source_of_tree
from autograph.options import MISSING, ConversionOptions
from tests.converters.converting import Case

PASSES = (Calls,)
NAMES = {"jax": jax, "jnp": jnp, "math": math}

CASES = {
    "a function of the user's": Case(
        """
        def f(x):
            return g(x, *[2], k=3, **{'m': 4})

        def g(*args, **kwargs):
            return args, kwargs
        """,
        """
        def f(x):
            return ag__.converted(g)(x, *[2], k=3, **{'m': 4})
        """,
        "f(1)",
    ),
    "a call of what a call gives": Case(
        """
        def f(x):
            return g(x)(x + 1)

        def g(a):
            return lambda b: (a, b)
        """,
        """
        def f(x):
            return ag__.converted(ag__.converted(g)(x))(x + 1)
        """,
        "f(1)",
    ),
    "the callee is looked up before the arguments are evaluated": Case(
        """
        def f():
            return note(missing_one)(note(1))
        """,
        """
        def f():
            return ag__.converted(ag__.converted(note)(missing_one))(ag__.converted(note)(1))
        """,
        "f()",
    ),
    "methods": Case(
        """
        def f(x):
            return x.append(x.count(1))
        """,
        """
        def f(x):
            return ag__.converted(x.append)(ag__.converted(x.count)(1))
        """,
        "f([1])",
    ),
    "builtins that look at types only": Case(
        """
        def f(x):
            a = isinstance(x, str), callable(x), getattr(x, 'real'), type(x)
            return a, len([x]), type('A', (), {}).__name__
        """,
        """
        def f(x):
            a = (isinstance(x, str), ag__.converted(callable)(x), getattr(x, 'real'), ag__.converted(type)(x))
            return (a, ag__.converted(len)([x]), type('A', (), {}).__name__)
        """,
        "f(1)",
    ),
    "exceptions of Python": Case(
        """
        def f(x):
            return repr(ValueError(x)), repr(Mine(x))

        class Mine(Exception):
            pass
        """,
        """
        def f(x):
            return (ag__.converted(repr)(ValueError(x)), ag__.converted(repr)(ag__.converted(Mine)(x)))
        """,
        "f(1)",
    ),
    "functions of jax.numpy that take no function": Case(
        """
        def f(x):
            return jnp.sin(x), jnp.vectorize(abs)(x), jax.nn.relu(x), math.sin(x)
        """,
        """
        def f(x):
            return (jnp.sin(x), ag__.converted(ag__.converted(jnp.vectorize)(abs))(x), jax.nn.relu(x), ag__.converted(math.sin)(x))
        """,
        names=NAMES,
    ),
    "rows that a loop has appended": Case(
        """
        def f(rows):
            return jnp.stack(rows), jnp.stack([rows]), jnp.asarray(rows)
        """,
        """
        def f(rows):
            return (ag__.converted(jnp.stack)(rows), jnp.stack([rows]), ag__.converted(jnp.asarray)(rows))
        """,
        names=NAMES,
    ),
    "a name that the function binds itself means nothing yet": Case(
        """
        def f(isinstance):
            return isinstance(1, int)
        """,
        """
        def f(isinstance):
            return ag__.converted(isinstance)(1, int)
        """,
        "f(lambda *args: args)",
    ),
    "decorators run as they are, what they decorate does not": Case(
        """
        def f(x):
            @note
            def g(a=note(x)):
                return note(a)
            return g()
        """,
        """
        def f(x):
            @note
            def g(a=ag__.converted(note)(x)):
                return ag__.converted(note)(a)
            return ag__.converted(g)()
        """,
    ),
    "the level of a class body stays": Case(
        """
        def f(x):
            class A(note(x)):
                y = note(1)
                def m(self):
                    return note(2)
            return A
        """,
        """
        def f(x):
            class A(note(x)):
                y = note(1)
                def m(self):
                    return ag__.converted(note)(2)
            return A
        """,
    ),
    "annotations stay": Case(
        """
        def f(x):
            y: note(1) = note(2)
            return y
        """,
        """
        def f(x):
            y: note(1) = ag__.converted(note)(2)
            return y
        """,
        "f(1)",
    ),
    "lambdas and comprehensions": Case(
        """
        def f(x):
            g = (lambda a=abs(-1): abs(a))()
            return [abs(k) for k in sorted(x)], g
        """,
        """
        def f(x):
            g = ag__.converted(lambda a=ag__.converted(abs)(-1): ag__.converted(abs)(a))()
            return ([ag__.converted(abs)(k) for k in ag__.converted(sorted)(x)], g)
        """,
        "f([-2, -1])",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_becomes(name: str) -> None:
    CASES[name].examine(*PASSES)


class Mine(Exception):
    pass


class Meta(type):
    pass


def call(text: str) -> gast.Call:
    return gast.parse(text, mode="eval").body


@pytest.mark.parametrize(
    ("meaning", "text", "native"),
    [
        (isinstance, "f(x, str | A)", True),
        (isinstance, "f(x, (str, int))", False),
        (isinstance, "f(x, numbers.Real)", False),
        (isinstance, "f(x, named)", False),
        (isinstance, "f(x, unknown)", False),
        (getattr, "f(x, 'a')", True),
        (slice, "f(x)", True),
        (type, "f(self)", True),
        (type, "f(x)", False),
        (type, "f(x, y, z)", True),
        (len, "f(x)", False),
        (print, "f(x)", False),
        (ValueError, "f(x)", True),
        (Mine, "f(x)", False),
        (Meta, "f(x, y, z)", False),
        (jnp.sin, "f(x)", True),
        (jnp.linalg.norm, "f(x)", True),
        (jax.random.split, "f(x)", True),
        (jax.nn.softmax, "f(x)", True),
        (jax.lax.dynamic_slice, "f(x, i, k)", True),
        (jax.lax.scan, "f(g, x, y)", False),
        (jax.lax.map, "f(g, x)", False),
        (jnp.vectorize, "f(g)", False),
        (jax.vmap, "f(g)", False),
        (jnp.stack, "f(rows)", False),
        (jnp.stack, "f([a, b])", True),
        (jnp.array, "f(rows)", False),
        (jnp.asarray, "f(*rows)", True),
        (np.sin, "f(x)", False),
        (math.sin, "f(x)", False),
    ],
)
def test_which_callees_stay(meaning: object, text: str, native: bool) -> None:
    known = {"str": str, "A": Mine, "int": int, "numbers.Real": numbers.Real, "named": (int, float)}
    assert stays_native(meaning, call(text), lambda node: known.get(str(dotted(node)), MISSING)) is native


@pytest.mark.parametrize(
    ("meaning", "text", "matters"),
    [
        (len, "f(x)", True),
        (math.sin, "f(x)", True),
        (np.sin, "f(x)", True),
        (dict, "f(x)", True),
        (MISSING, "xs.append(x)", True),
        (MISSING, "xs.update(x)", True),
        (MISSING, "xs.put(i, x)", True),
        (MISSING, "xs.__setitem__(i, x)", True),
        (MISSING, "xs.sum()", False),
        (MISSING, "xs.sum(out=x)", True),
        (operator.setitem, "f(xs, i, x)", True),
        (MISSING, "xs.train(x)", False),
        (MISSING, "append(x)", False),
        (Mine, "f(x)", False),
        (call, "f(x)", False),
    ],
)
def test_what_matters_when_callees_are_not_converted(meaning: object, text: str, matters: bool) -> None:
    assert has_counterpart(meaning, call(text)) is matters


def test_not_recursive() -> None:
    source = "def f(x): return g(len(x.append(h(x).m())))"
    tree = gast.ast_to_gast(ast.parse(source)).body[0]
    context = context_for(source, {}, options=ConversionOptions(recursive=False))
    made = source_of_tree(Calls(Conversion(tree, context)).convert(tree))
    assert made == "def f(x):\n    return g(ag__.converted(len)(ag__.converted(x.append)(h(x).m())))"
