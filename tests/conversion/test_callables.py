"""Entries that are no function of the user's but lead to one: partials and objects of libraries, `jax.jit` around them."""

import functools
import inspect
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.experimental import pallas

import autograph as ag
from autograph.conversion import library_callers
from autograph.runtime.calls.function_arguments import argument

X = jnp.array([1.0, 2.0])
SMALL = jnp.array([0.1, 0.2])
BOTH = jnp.stack([X, SMALL])
DOUBLED = [2.0, 4.0]
EACH = [DOUBLED, SMALL.tolist()]

Enter = Callable[[Any], Any]


def jit_of_convert(fn: Any) -> Any:
    return jax.jit(ag.convert(fn))


ENTRIES = {"jit": ag.jit, "convert": jit_of_convert, "function": ag.function}


def doubled() -> Any:
    """A function that nobody has converted."""

    def user(x: Any) -> Any:
        return x * 2 if x.sum() > 1 else x

    return user


def total() -> Any:
    def user(x: Any) -> Any:
        return (x * 2 if x.sum() > 1 else x).sum()

    return user


def step() -> Any:
    def user(carry: Any, x: Any) -> Any:
        if x > 1:
            carry = carry + x
        return carry, carry

    return user


def larger() -> Any:
    def user(a: Any, b: Any) -> Any:
        return a if a > b else b

    return user


def grows() -> Any:
    def user(x: Any) -> Any:
        if x[0] > 3:
            return x + 1
        return x + 2

    return user


def is_small() -> Any:
    def user(x: Any) -> Any:
        return x[0] < 6 and x[1] < 100

    return user


def counts() -> Any:
    def user(i: Any, x: Any) -> Any:
        return x + 1 if i > 3 else x

    return user


def kernel() -> Any:
    def user(x_ref: Any, out_ref: Any) -> Any:
        s = jnp.sum(x_ref[...])
        while s < 10:
            s = s * 2
        if s > 11:
            out_ref[...] = x_ref[...] * s
        else:
            out_ref[...] = x_ref[...]

    return user


def with_gradient() -> Any:
    user = jax.custom_jvp(doubled())
    user.defjvps(lambda tangent, out, x: tangent * 3 if x.sum() > 1 else tangent)
    return user


def in_pallas() -> Any:
    return pallas.pallas_call(kernel(), out_shape=jax.ShapeDtypeStruct((2,), jnp.float32), interpret=True)


P, TreeP = functools.partial, jax.tree_util.Partial
CASES: dict[str, tuple[Callable[[], Any], tuple[Any, ...], Any]] = {
    "a partial as a pytree": (lambda: TreeP(doubled()), (X,), DOUBLED),
    "a partial of a partial as a pytree": (lambda: TreeP(P(lax.map, doubled())), (BOTH,), EACH),
    "scan": (lambda: P(lax.scan, step(), 0.0), (X,), (2.0, [0.0, 2.0])),
    "while_loop": (lambda: P(lax.while_loop, is_small(), grows()), (X,), [6.0, 7.0]),
    "fori_loop": (lambda: P(lax.fori_loop, 0, 6, counts()), (X,), [3.0, 4.0]),
    "map": (lambda: P(lax.map, doubled()), (BOTH,), EACH),
    "switch": (lambda: P(lax.switch, 1, [doubled(), doubled()]), (X,), DOUBLED),
    "tree.map": (lambda: P(jax.tree.map, doubled()), (X,), DOUBLED),
    "tree.map of a partial": (lambda: P(jax.tree.map, P(jax.tree.map, doubled())), (X,), DOUBLED),
    "jvp": (lambda: P(jax.jvp, doubled()), ((X,), (X,)), (DOUBLED, DOUBLED)),
    "jit of jvp": (lambda: jax.jit(P(jax.jvp, doubled())), ((X,), (X,)), (DOUBLED, DOUBLED)),
    "jit of vmap": (lambda: jax.jit(jax.vmap(doubled())), (BOTH,), EACH),
    "jit of jit of vmap": (lambda: jax.jit(jax.jit(jax.vmap(doubled()))), (BOTH,), EACH),
    "jit of grad": (lambda: jax.jit(jax.grad(total())), (X,), [2.0, 2.0]),
    "jit of checkpoint": (lambda: jax.jit(jax.checkpoint(doubled())), (X,), DOUBLED),
    "jit of jit": (lambda: jax.jit(jax.jit(doubled())), (X,), DOUBLED),
    "jit of a partial": (lambda: jax.jit(P(doubled())), (X,), DOUBLED),
    "jit of a partial as a pytree": (lambda: jax.jit(TreeP(doubled())), (X,), DOUBLED),
    "jit of custom_jvp": (lambda: jax.jit(with_gradient()), (X,), DOUBLED),
    "a partial of custom_jvp": (lambda: P(with_gradient()), (X,), DOUBLED),
    "frompyfunc": (lambda: jnp.frompyfunc(larger(), 2, 1), (X, X[::-1]), [2.0, 2.0]),
    "jit of frompyfunc": (lambda: jax.jit(jnp.frompyfunc(larger(), 2, 1)), (X, X[::-1]), [2.0, 2.0]),
    "reduce of frompyfunc": (lambda: jnp.frompyfunc(larger(), 2, 1, identity=0).reduce, (X,), 2.0),
    "pallas_call": (in_pallas, (X,), [12.0, 24.0]),
    "jit of pallas_call": (lambda: jax.jit(in_pallas()), (X,), [12.0, 24.0]),
}


def assert_gives(found: Any, expected: Any) -> None:
    jax.tree.map(lambda x, y: np.testing.assert_allclose(x, y, rtol=1e-6), *map(leaves, (found, expected)))


def leaves(tree: Any) -> Any:
    return [np.asarray(x).tolist() for x in tree] if isinstance(tree, tuple) else np.asarray(tree).tolist()


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("case", CASES)
def test_the_function_inside_is_converted(case: str, entry: str) -> None:
    make, args, expected = CASES[case]
    assert_gives(ENTRIES[entry](make())(*args), expected)


@pytest.mark.parametrize("case", CASES)
def test_it_is_converted_in_a_call_of_a_converted_function(case: str) -> None:
    make, args, expected = CASES[case]
    made = make()
    assert_gives(ag.jit(lambda *args: made(*args))(*args), expected)


def test_reduce_of_a_partial() -> None:
    def user(a: Any, b: Any) -> Any:
        return a + b if a > b else a - b

    for enter in (ag.jit, jit_of_convert):
        assert float(enter(functools.partial(functools.reduce, user))(X)) == -1.0


def test_what_leads_to_the_function_stays_itself() -> None:
    for made in (P(lax.scan, step(), 0.0), jax.jit(jax.vmap(doubled())), jax.jit(in_pallas()), P(jnp.sin)):
        assert ag.convert(made) is made
    part = TreeP(doubled())
    converted = ag.convert(part)
    assert type(converted) is TreeP and converted.args == () and ag.convert(converted) is converted
    for fn in (jnp.sin, jnp.linalg.norm, jax.nn.relu):
        assert ag.convert(fn) is fn


def test_the_jitted_function_is_that_of_jax() -> None:
    def user(x: Any, scale: int = 2) -> Any:
        return x * scale if x.sum() > 1 else x

    def stacked(xs: Any, scale: int = 2) -> Any:
        """A name and a signature."""

    wrapper = functools.wraps(stacked)(jax.vmap(user))
    jitted = ag.jit(jax.jit(wrapper, static_argnames="scale"), static_argnames="scale")
    assert type(jitted) is type(jax.jit(user)) and jitted.__name__ == "stacked"
    assert inspect.signature(jitted) == inspect.signature(stacked)
    assert jitted.lower(BOTH).compile()(BOTH).tolist() == jitted(BOTH).tolist() == EACH
    assert jitted.eval_shape(BOTH).shape == jitted.trace(BOTH).out_info.shape == (2, 2)
    jitted.clear_cache()
    scanned = ag.jit(functools.partial(lax.scan, step(), 0.0))
    assert list(inspect.signature(scanned).parameters) == list(inspect.signature(P(lax.scan, step(), 0.0)).parameters)


def test_what_is_left_out_is_left_out_for_jax() -> None:
    """`jax.jit` traces the arguments that it is given, and no defaults."""

    def user(x: Any, *rest: Any, name: Any = "double", is_on: bool = True) -> Any:
        return x * len(name) if is_on else x

    def called(x: Any, name: Any = None, is_on: bool = True) -> Any:
        assert name is None and is_on is True
        return x * 2

    for fn in (jax.jit(ag.do_not_convert(called)), jax.jit(P(ag.do_not_convert(called)))):
        assert ag.function(fn)(X).tolist() == DOUBLED
    assert ag.function(jax.jit(user, static_argnames="name"))(X, name="ab").tolist() == DOUBLED


def test_a_partial_that_is_given_to_a_library_leads_to_its_function() -> None:
    part = P(jax.tree.map, P(jax.tree.map, doubled()))
    assert argument(part) is part
    assert ag.jit(lambda x: jax.tree.map(part, x))(X).tolist() == DOUBLED


def test_which_classes_of_jax_stand_for_a_function() -> None:
    stands = library_callers.stands_for_function
    assert all(map(stands, (type(jax.jit(len)), jax.custom_jvp, jax.custom_vjp, TreeP, jnp.ufunc)))
    assert not any(map(stands, (type(X), jax.Array, type(jnp.float32), int, functools.partial)))
