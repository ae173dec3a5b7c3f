"""What is assumed of a carry slot belongs to the object in it, and not to an address."""

import jax
import jax.numpy as jnp
import pytest

from autograph.runtime.operators.items import aug_item, get_item
from autograph.runtime.operators.while_loops import while_loop
from autograph.runtime.values.locations import ContentsLocation


def test_a_list_at_the_address_of_one_that_is_gone_inherits_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The body of the outer loop is traced twice, and makes another list each time; their keys collide."""
    monkeypatch.setattr(ContentsLocation, "key", property(lambda location: ("the same address", len(location.obj))))
    attempts = []

    def total(xs: jax.Array, n: jax.Array) -> jax.Array:
        k, s = 0, 0

        def loop_body() -> None:
            nonlocal k, s
            at = [4]
            attempts.append(1)
            least = -3 if len(attempts) > 1 else 1  # a value of a closure can change between two attempts

            def inner_body() -> None:
                nonlocal s
                s = s + get_item(xs, get_item(at, 0))
                aug_item(at, 0, "-=", lambda: 1)

            while_loop(
                lambda: jax.lax.bitwise_and(jnp.asarray(get_item(at, 0) > least), n > 0), inner_body, lambda: (s,)
            )
            k = k + 1

        while_loop(lambda: k < n, loop_body, lambda: (k, s))
        return s

    xs = jnp.array([1.0, 2.0, 4.0, 8.0, 16.0])
    assert float(jax.jit(total)(xs, 1)) == sum(float(xs[at]) for at in (4, 3, 2, 1, 0, -1, -2))


def test_a_list_of_an_enclosing_loop_inherits_nothing_from_one_at_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the outermost body is traced again, each of its lists has the key that the other one had."""
    attempts = []

    def key(location: ContentsLocation) -> tuple[str, int]:
        return "address", len(location.obj) if len(attempts) == 1 else 3 - len(location.obj)

    monkeypatch.setattr(ContentsLocation, "key", property(key))

    def total(xs: jax.Array, n: jax.Array) -> jax.Array:
        k, s = 0, 0

        def outer_body() -> None:
            nonlocal k, s
            attempts.append(1)
            down, other, j = [4], [1, 7], 0

            def middle_body() -> None:
                nonlocal j, down, other

                def inner_body() -> None:
                    nonlocal s
                    s = s + get_item(xs, get_item(down, 0)) + get_item(xs, get_item(other, 0))
                    aug_item(down, 0, "-=", lambda: 1)
                    aug_item(other, 0, "-=", lambda: 1)

                while_loop(
                    lambda: jax.lax.bitwise_and(jnp.asarray(get_item(down, 0) > 1), n > 0), inner_body, lambda: (s,)
                )
                j = j + 1

            while_loop(lambda: j < n, middle_body, lambda: (j, s, down, other))
            k = k + 1

        while_loop(lambda: k < n, outer_body, lambda: (k, s))
        return s

    xs = jnp.array([1.0, 2.0, 4.0, 8.0, 16.0])
    assert float(jax.jit(total)(xs, 1)) == sum(float(xs[i] + xs[j]) for i, j in ((4, 1), (3, 0), (2, -1)))
    assert len(attempts) == 2
