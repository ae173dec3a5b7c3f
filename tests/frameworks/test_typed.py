"""jaxtyping and beartype: functions, methods and dataclasses with checked types and control flow in them."""

import dataclasses

import jax
import jax.numpy as jnp

from tests.frameworks.harness import framework, program

jaxtyping = framework("jaxtyping")
beartype = framework("beartype").beartype
eqx = framework("equinox")
Array, Bool, Float, Int, jaxtyped = (getattr(jaxtyping, name) for name in ("Array", "Bool", "Float", "Int", "jaxtyped"))

SMALL, LARGE = jnp.full((3,), 0.1), jnp.array([3.0, -2.0, 4.0])


@jaxtyped(typechecker=beartype)
def clipped(x: Float[Array, " n"], limit: float = 1.0) -> Float[Array, " n"]:
    norm = jnp.linalg.norm(x)
    if norm > limit:
        x = x * (limit / norm)
    return x


@program
def test_a_typed_function(jit):
    return [jit(clipped)(x) for x in (SMALL, LARGE)]


@program
def test_a_typed_function_that_is_called(jit):
    @jit
    def run(x):
        return clipped(x) + clipped(2 * x, 0.5)

    return [run(x) for x in (SMALL, LARGE)]


@beartype
def collatz(n: Int[Array, ""]) -> Int[Array, ""]:
    steps = jnp.int32(0)
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@program
def test_beartype_alone(jit):
    return [jit(collatz)(jnp.int32(n)) for n in (1, 6, 7)]


@jaxtyped(typechecker=None)
def unchecked(x: Float[Array, " n"]) -> Float[Array, " n"]:
    for _ in range(10):
        if jnp.max(x) > 10.0:
            break
        x = 2 * x
    return x


@program
def test_without_a_checker(jit):
    return [jit(unchecked)(x) for x in (SMALL, LARGE)]


@jaxtyped(typechecker=beartype)
@dataclasses.dataclass
class Ball:
    height: Float[Array, ""]
    speed: Float[Array, ""]

    def moved(self, dt: float) -> "Ball":
        height, speed = self.height + dt * self.speed, self.speed - 9.8 * dt
        if height < 0:
            height, speed = -height, -0.8 * speed
        return Ball(height, speed)


@program
def test_a_typed_dataclass(jit):
    @jit
    def run(height, n):
        ball = Ball(height, jnp.float32(0.0))
        for _ in range(n):
            ball = ball.moved(0.1)
        return ball.height, ball.speed

    return [run(jnp.float32(h), n) for h in (0.5, 2.0) for n in (1, 9)]


@jaxtyped(typechecker=beartype)
class Layer(eqx.Module):
    weight: Float[Array, "out in"]

    def __call__(self, x: Float[Array, " in"]) -> Float[Array, " out"]:
        y = self.weight @ x
        if jnp.sum(y) < 0:
            y = -y
        return y


@program
def test_a_typed_module(jit):
    layer = Layer(jnp.arange(6.0).reshape(2, 3) - 2)
    run = jit(lambda layer, x: layer(x))
    return [run(layer, x) for x in (SMALL, LARGE)]


@jaxtyped(typechecker=beartype)
def searched(xs: Float[Array, " n"], target: float | Float[Array, ""]) -> Int[Array, ""]:
    low, high = jnp.int32(0), jnp.int32(xs.shape[0])
    while low < high:
        middle = (low + high) // 2
        if xs[middle] < target:
            low = middle + 1
        else:
            high = middle
    return low


@program
def test_a_binary_search(jit):
    return [jit(searched)(jnp.array([1.0, 2.0, 5.0, 9.0]), t) for t in (0.0, 4.0, 10.0)]


@jaxtyped(typechecker=beartype)
def softened(x: Float[Array, ""]) -> Float[Array, ""]:
    if x > 0:
        return jnp.log1p(x)
    return x


@program
def test_the_gradient_of_a_typed_function(jit):
    return [jit(lambda x: jax.grad(softened)(x))(jnp.float32(x)) for x in (2.0, -2.0)]


@program(reference=lambda: jnp.stack([softened(x) for x in LARGE]))
def test_vmap_of_a_typed_function(jit):
    return jit(jax.vmap(softened))(LARGE)


@program(reference=lambda: sum(softened(x) for x in LARGE))
def test_a_typed_step_in_lax_scan(jit):
    @jaxtyped(typechecker=beartype)
    def step(total: Float[Array, ""], x: Float[Array, ""]) -> tuple[Float[Array, ""], None]:
        if x > 0:
            total = total + jnp.log1p(x)
        else:
            total = total + x
        return total, None

    return jit(lambda xs: jax.lax.scan(step, jnp.float32(0), xs)[0])(LARGE)


@jaxtyped(typechecker=beartype)
def mixed(x: Float[Array, "b n"], mask: Bool[Array, " b"]) -> Float[Array, " n"]:
    total = jnp.zeros(x.shape[1])
    for i in range(x.shape[0]):
        if mask[i]:
            total = total + clipped(x[i])
    return total


@program
def test_typed_functions_in_one_another(jit):
    x = jnp.stack([SMALL, LARGE, -LARGE])
    return [jit(mixed)(x, jnp.array(mask)) for mask in ([True, False, True], [False, True, False])]


class Sampler:
    def __init__(self, limit: float):
        self.limit = limit

    @beartype
    def draw(self, key: Array, most: int | Array) -> tuple[Float[Array, ""], int | Array]:
        x, n = jnp.float32(0.0), 0
        while n < most and x < self.limit:
            key, one = jax.random.split(key)
            x = x + jax.random.uniform(one)
            n += 1
        return x, n


@program
def test_a_typed_method(jit):
    sampler = Sampler(2.0)
    run = jit(sampler.draw)
    return [run(jax.random.key(0), most) for most in (2, 10)]
