"""`and`, `or`, `not`, chained comparison, membership."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph.runtime.calls import dispatch
from autograph.runtime.library.builtin_functions import builtin
from autograph.runtime.operators.logical import and_, compare, in_, not_, not_in, or_


@pytest.fixture(autouse=True)
def functions_as_they_are(monkeypatch):
    """The operators alone: the methods that they call are not converted."""
    monkeypatch.setattr(dispatch, "staged", lambda f: f)


def primitives(f, *args):
    return [e.primitive.name for e in jax.make_jaxpr(f)(*args).eqns]


@pytest.mark.parametrize("left", [0, 3, 0.0, 2.5, True, False])
@pytest.mark.parametrize("right", [0, 4, 0.0, -1.5, True, False])
def test_the_value_is_the_operand(left, right):
    for f, expected in ((and_, left and right), (or_, left or right)):
        assert f(left, lambda: right) == expected
        for value in (
            jax.jit(lambda a, b, f=f: f(a, lambda: b))(left, right),
            jax.jit(lambda a, b, f=f: f(a, lambda: b if b is not None else 0))(left, right),
        ):
            assert value == expected
            assert value.dtype == jnp.result_type(type(left), type(right))


def test_the_right_side_waits_for_the_left_one():
    ran = []
    assert and_([], lambda: ran.append(1)) == [] and or_([1], lambda: ran.append(1)) == [1]
    assert ran == []
    f = jax.jit(lambda x: and_(x > 0, lambda: 1.0 / x > 0.5, lazy=True))
    assert f(1.0) and not f(0.0)
    assert "cond" not in primitives(lambda x: and_(x > 0, lambda: 1.0 / x > 0.5, lazy=True), 1.0), (
        "a question of a few numbers"
    )
    assert "cond" in primitives(lambda x: and_(x > 0, lambda: (jnp.ones(100) / x).sum() > 0.5, lazy=True), 1.0)


def test_bools_take_one_bit_operation():
    assert primitives(lambda x: and_(x > 0, lambda: x * 2 < 10), 1.0) == ["gt", "mul", "lt", "and"]
    assert primitives(lambda x: or_(x > 0, lambda: x < -5), 1.0) == ["gt", "lt", "or"]


LIMIT = 3.0


def test_arithmetic_runs_before_it_is_needed_where_its_variables_are_numbers():
    class Quotient:
        def __gt__(self, x):
            return 1 / x > 0

    def last(right, **options):
        return primitives(lambda a: and_(a > 0, right(a), test=True, **options), 1.0)[-1]

    x, odd = 1.0, Quotient()
    assert last(lambda a: lambda: 0 < -a * 2 + x) == last(lambda a: lambda: LIMIT > a) == "and"
    assert last(lambda a: lambda: odd > a) == last(lambda a: lambda: a > 1, lazy=True) == "select_n"


def test_an_unbound_right_side_raises_only_where_python_does():
    assert and_(0, lambda: missing) == 0  # noqa: F821
    with pytest.raises(NameError):
        jax.jit(lambda x: and_(x, lambda: missing))(1)  # noqa: F821


def test_truth_is_asked_once():
    class Loud:
        asked = 0

        def __bool__(self):
            Loud.asked += 1
            return True

    assert and_(Loud(), lambda: "right") == "right" and Loud.asked == 1
    assert not_(Loud()) is False and Loud.asked == 2


def test_in_a_test_the_value_is_the_truth():
    class Switch:
        asked = 0

        def __init__(self, x):
            self.x = x

        def __bool__(self):
            Switch.asked += 1
            return self.x > 0

    for a, b in itertools.product((-1.0, 1.0), (-2.0, 2.0)):
        for f, expected in ((and_, a > 0 and b > 0), (or_, a > 0 or b > 0)):
            asked = Switch.asked
            assert jax.jit(lambda a, b, f=f: f(Switch(a), lambda: b > 0, test=True))(a, b) == expected
            assert jax.jit(lambda a, b, f=f: f(a > 0, lambda: Switch(b), test=True))(a, b) == expected
            assert (
                jax.jit(lambda a, b, f=f: f(b > 0, lambda: [1] if a > 0 else "", test=True), static_argnums=0)(a, b)
                == expected
            )
            assert Switch.asked == asked + 2
    asked = Switch.asked
    assert not and_(Switch(0), lambda: 1, test=True) and or_(Switch(1), lambda: 0, test=True)
    assert Switch.asked == asked + 2, "and whoever gets the answer asks no more"
    assert primitives(lambda a, b: and_(a, lambda: b, test=True), 1, 2) == ["ne", "ne", "and"]
    assert primitives(lambda a, b: and_(Switch(a), lambda: b > 3, test=True), 1, 2) == ["gt", "gt", "and"]


def test_not():
    assert not_([]) is True
    f = jax.jit(not_)
    assert f(0) and not f(2.5) and not f(True) and f(jnp.zeros(1)) and f(jnp.zeros(1)).shape == ()
    with pytest.raises(ValueError, match="ambiguous"):
        f(jnp.ones(2))


def test_under_vmap_and_grad():
    f = jax.vmap(lambda x: and_(x > 0, lambda: 1.0 / x < 1.0, lazy=True))
    assert f(jnp.array([-1.0, 0.5, 2.0, 0.0])).tolist() == [False, False, True, False]
    g = jax.jit(jax.grad(lambda x: or_(x, lambda: x + 5.0) * 2.0))
    assert g(3.0) == 2.0 and g(0.0) == 2.0


@pytest.mark.parametrize("ops", [*itertools.product(["<", "<=", "==", "!=", ">"], repeat=2)])
def test_chained_comparison(ops):
    first, second = ops
    f = jax.jit(lambda a, b, c: compare(a, first, lambda: b, second, lambda: c))
    for a, b, c in itertools.product([1, 2], repeat=3):
        expected = eval(f"{a} {first} {b} {second} {c}")
        assert compare(a, first, lambda b=b: b, second, lambda c=c: c) is expected
        assert f(a, b, c) == expected


def test_chained_comparison_evaluates_each_operand_once_and_no_more_than_needed():
    calls_ = []

    def middle():
        calls_.append("middle")
        return 5

    assert compare(9, "<", middle, "<", lambda: calls_.append("right"), lazy=True) is False
    assert calls_ == ["middle"]
    jax.jit(lambda x: compare(x, "<", middle, "<", lambda: x + 9))(1)
    assert calls_ == ["middle", "middle"]
    assert primitives(lambda x: compare(0, "<", lambda: x, "<", lambda: 2), 1.0) == ["gt", "lt", "and"]
    assert compare(1, "in", lambda: [1], "is not", lambda: None) is True
    assert compare(1, "not in", lambda: [1], "==", lambda: 1 / 0) is False


CONTAINERS = [
    [1, 2, 3], (1.0, 2.5), {1, 4}, frozenset({2}), {3: "x"}, range(1, 10, 3), range(10, 0, -2), [], [1, "a", None, 2],
    list(range(20)), range(0), [True, 7],
]  # fmt: skip


@pytest.mark.parametrize("container", CONTAINERS, ids=repr)
def test_in(container):
    f, g = jax.jit(lambda x: in_(x, container)), jax.jit(lambda x: not_in(x, container))
    for x in (0, 1, 2, 2.0, 2.5, 4, 7, 10, -1):
        assert in_(x, container) is (x in container)
        assert f(x) == (x in container)
        assert g(x) == (x not in container)


def test_in_traced_containers():
    assert jax.jit(lambda xs: in_(2, xs))(jnp.arange(3)) and not jax.jit(lambda xs: in_(5, xs))(jnp.arange(3))
    assert jax.jit(lambda a, b: in_(3, [a, b]))(1, 3) and not jax.jit(lambda a, b: in_(3, (a, b)))(1, 2)
    assert jax.jit(lambda a: jnp.bool_(in_(a, [a])))(float("nan"))  # the same object
    assert jax.jit(lambda x: in_(x, np.arange(4)))(3)
    assert jax.jit(lambda x: in_(x, (y * y for y in range(4))))(9)
    # As in NumPy any element will do; an array of JAX refuses more than one axis where nothing is traced.
    assert not jax.jit(lambda xs: in_(2, xs))(jnp.ones((2, 2))) and jax.jit(lambda xs: in_(1, xs))(jnp.eye(2))
    assert jax.jit(lambda xs: in_(xs, xs))(jnp.arange(3)) and not jax.jit(lambda xs: in_(300, xs))(np.uint8([[44, 3]]))


def test_in_the_user_s_container():
    class Ball:
        def __contains__(self, x):
            return x * x < 4

    assert in_(1, Ball()) is True and jax.jit(lambda x: in_(x, Ball()))(1.5)


def test_in_under_vmap():
    assert jax.vmap(lambda x: in_(x, [1, 2]))(jnp.array([0, 1, 2])).tolist() == [False, True, True]


@pytest.mark.parametrize("bounds", [(5,), (2, 9), (1, 10, 3), (10, 0, -2), (4, 4)])
def test_in_a_range_of_traced_bounds(bounds):
    f = jax.jit(lambda x, *bounds: in_(x, builtin(range)(*bounds)))
    g = jax.jit(lambda *bounds: in_(4, builtin(range)(*bounds)))
    for x in (-1, 0, 2, 4, 7, 10, 2.0, 2.5):
        assert f(x, *bounds) == (x in range(*bounds))
    assert g(*bounds) == (4 in range(*bounds))
