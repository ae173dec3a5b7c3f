"""Chex: dataclasses as states, assertions and checks, in functions with control flow."""

import jax
import jax.numpy as jnp
import pytest

import autograph as ag
from tests.frameworks.harness import framework, program

chex = framework("chex")

KEY = jax.random.key(0)


@chex.dataclass
class Ball:
    height: chex.Array
    speed: chex.Array

    def moved(self, dt):
        height, speed = self.height + dt * self.speed, self.speed - 9.8 * dt
        if height < 0:
            height, speed = -height, -0.8 * speed
        return self.replace(height=height, speed=speed)


@program
def test_a_state_in_a_loop(jit):
    @jit
    def run(height, n):
        ball = Ball(height=height, speed=jnp.float32(0.0))
        for _ in range(n):
            ball = ball.moved(0.1)
        return ball

    return [run(jnp.float32(h), n) for h in (0.5, 2.0) for n in (0, 1, 9)]


@program
def test_a_state_as_argument(jit):
    @jit
    def run(ball):
        n = 0
        while ball.height > 0.2 and n < 20:
            ball = ball.moved(0.05)
            n += 1
        return ball, n

    return [run(Ball(height=jnp.float32(h), speed=jnp.float32(0))) for h in (0.1, 1.0)]


@program
def test_a_field_assigned_in_a_branch(jit):
    @jit
    def run(x):
        ball = Ball(height=x, speed=jnp.float32(1))
        if x > 1:
            ball.speed = -x
        return ball

    return [run(jnp.float32(x)) for x in (0.5, 2.0)]


@chex.dataclass(frozen=True)
class Params:
    w: chex.Array
    b: chex.Array


def loss(params):
    error = params.w * 2.0 + params.b - 3.0
    if error > 1.0:
        return error
    return error**2


@program
def test_a_frozen_state_in_a_training_loop(jit):
    @jit
    def fit(params, most):
        best, best_params, n = jnp.inf, params, 0
        while n < most:
            value, grads = jax.value_and_grad(loss)(params)
            if value < best:
                best, best_params = value, params
            if value < 1e-3:
                break
            params = jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)
            n += 1
        return best, best_params, n

    start = Params(w=jnp.float32(2.0), b=jnp.float32(1.0))
    return [fit(start, most) for most in (1, 30)]


def checked(x, y):
    chex.assert_rank(x, 1)
    chex.assert_equal_shape([x, y])
    chex.assert_type(x, float)
    if jnp.sum(x) > jnp.sum(y):
        return x - y
    return y - x


@program
def test_assertions_of_shapes(jit):
    x, y = jnp.array([1.0, 2.0]), jnp.array([0.5, 3.0])
    return [jit(checked)(x, y), jit(checked)(2 * x, y)]


@program
def test_assertions_in_a_loop(jit):
    @jit
    def run(x, n):
        for _ in range(n):
            y = jnp.tanh(x)
            chex.assert_equal_shape([x, y])
            chex.assert_shape(y, (3,))
            if jnp.max(jnp.abs(x - y)) < 0.05:
                break
            x = y
        return x

    return [run(jnp.array([0.1, 2.0, -3.0]), n) for n in (1, 9)]


@chex.dataclass(mappable_dataclass=False)
class Particle:
    x: chex.Array
    weight: chex.Array


@program
def test_resampling(jit):
    @jit
    def run(particles, key):
        total = jnp.sum(particles.weight)
        if 1.0 / jnp.sum((particles.weight / total) ** 2) < 2.0:
            picked = jax.random.categorical(key, jnp.log(particles.weight), shape=(4,))
            particles = particles.replace(x=particles.x[picked], weight=jnp.ones(4))
        return particles

    x = jnp.arange(4.0)
    return [run(Particle(x=x, weight=jnp.array(w)), KEY) for w in ([1.0, 1.0, 1.0, 1.0], [9.0, 0.1, 0.1, 0.1])]


def small(x):
    chex.assert_tree_all_finite(x)
    while x > 1:
        if x > 8:
            chex.assert_trees_all_close(x, jnp.round(x))
        x = x / 2
    return x


@program(reference=lambda: [0.5, 1.0, 0.625])
def test_chexify(jit):
    return [chex.chexify(jit(small), async_check=False)(jnp.float32(x)) for x in (0.5, 16.0, 2.5)]


@pytest.mark.parametrize(("x", "failed"), [(jnp.nan, "assert_tree_all_finite"), (10.5, "assert_trees_all_close")])
def test_chexify_reports_what_fails(x, failed):
    with pytest.raises(AssertionError, match=failed):
        chex.chexify(ag.jit(small), async_check=False)(jnp.float32(x))


@program(reference=lambda: jnp.stack([moved(h) for h in (0.05, 2.0)]))
def test_vmap_over_states(jit):
    balls = Ball(height=jnp.array([0.05, 2.0]), speed=jnp.array([-1.0, -1.0]))
    return jit(jax.vmap(lambda ball: ball.moved(0.1).height))(balls)


def moved(height):
    return Ball(height=jnp.float32(height), speed=jnp.float32(-1.0)).moved(0.1).height


@program
def test_a_state_in_a_list(jit):
    @jit
    def run(heights):
        balls = [Ball(height=h, speed=jnp.float32(0)) for h in heights]
        for k, ball in enumerate(balls):
            if ball.height > 1:
                balls[k] = ball.moved(0.5)
        return [ball.height for ball in balls]

    return run(jnp.array([0.5, 2.0, 3.0]))


class Env:
    """An environment as users of reinforcement learning write them."""

    def __init__(self, limit):
        self.limit = limit

    def step(self, state, action):
        if action == 0:
            speed = state.speed - 0.1
        elif action == 1:
            speed = state.speed
        else:
            speed = state.speed + 0.1
        height = state.height + speed
        done = False
        if jnp.abs(height) > self.limit:
            done = True
        return Ball(height=height, speed=speed), done


@program
def test_an_episode(jit):
    env = Env(1.0)

    @jit
    def episode(key, most):
        state, total, n, done = Ball(height=jnp.float32(0), speed=jnp.float32(0)), 0.0, 0, False
        while n < most and not done:
            key, one = jax.random.split(key)
            state, done = env.step(state, jax.random.randint(one, (), 0, 3))
            total += state.height
            n += 1
        return state, total, n

    return [episode(jax.random.key(seed), most) for seed in range(2) for most in (4, 60)]


@program
def test_assertions_about_numbers_of_Python(jit):
    @jit
    def run(x):
        chex.assert_scalar_in(3, 0, 5)
        if x > 0:
            chex.assert_is_divisible(4, 2)
            return jnp.log1p(x)
        return x

    return [run(jnp.float32(x)) for x in (-1.0, 2.0)]
