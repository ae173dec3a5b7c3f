"""Gymnasium: whole episodes of its classic environments, from their installed files, in one compiled program."""

import time
from functools import partial

import jax
import numpy as np
import pytest

import autograph as ag
from tests.frameworks.harness import assert_same, framework

ag.install_import_hook("gymnasium")
gymnasium = framework("gymnasium")

STEPS = 200
ENVIRONMENTS = "CartPole-v1", "MountainCar-v0", "MountainCarContinuous-v0", "Pendulum-v1", "Acrobot-v1"
LONG = pytest.mark.filterwarnings("ignore:Explicitly requested dtype int64")  # by Gymnasium, for an action


def began(name, state):
    """An environment in this state."""
    env = gymnasium.make(name).unwrapped
    env.reset(seed=0)
    env.state = state
    return env


def episode(name, state, actions):
    """Takes these actions until the environment ends."""
    env, total, steps = began(name, state), 0.0, 0
    for action in actions:
        seen, reward, terminated, _, _ = env.step(action)
        total += reward
        steps += 1
        if terminated:
            break
    return seen, total, steps


def states(name):
    env = gymnasium.make(name).unwrapped
    found = []
    for seed in range(3):
        env.reset(seed=seed)
        found.append(env.state)
    return np.array(found)


def actions(name):
    space = gymnasium.make(name).action_space
    rng = np.random.default_rng(0)
    if isinstance(space, gymnasium.spaces.Discrete):
        return rng.integers(0, space.n, (3, STEPS)).astype(np.int32)
    return rng.uniform(space.low, space.high, (3, STEPS, 1)).astype(np.float32)


AFTER_THE_END = pytest.mark.filterwarnings("ignore:.*You are calling 'step:UserWarning")  # seen while it is traced


@pytest.mark.slow
@AFTER_THE_END
@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_an_episode_is_one_program(name):
    """In Gymnasium's own precision, so that 200 steps differ in the last digits alone."""
    start, taken = states(name), actions(name)
    with jax.enable_x64(True):
        before = time.process_time()
        found = ag.jit(partial(episode, name))(start[0], taken[0])
        side_by_side = jax.jit(jax.vmap(ag.convert(partial(episode, name))))(start, taken)
        assert time.process_time() - before < 10
        expected = [episode(name, state, list(row)) for state, row in zip(start, taken)]
        assert_same(found, expected[0])
        assert_same(side_by_side, jax.tree.map(lambda *rows: np.stack(rows), *expected))


def pushed(state):
    """Pushes the car where it moves, up to the flag."""
    env, seen, steps, done = began("MountainCar-v0", state), np.array(state, np.float32), 0, False
    while not done:
        seen, _, done, _, _ = env.step(2 if seen[1] >= 0 else 0)
        steps += 1
    return seen, steps


@pytest.mark.slow
@LONG
def test_an_episode_whose_length_its_observations_decide():
    start = states("MountainCar-v0")
    expected = [pushed(state) for state in start]
    assert len({steps for _, steps in expected}) > 1
    for found in (ag.jit(pushed)(start[0]), ag.function(pushed)(start[0])):
        assert_same(found, expected[0])
    found = jax.vmap(ag.convert(pushed))(start)
    assert_same(found, jax.tree.map(lambda *rows: np.stack(rows), *expected))


@pytest.mark.slow
@AFTER_THE_END
def test_steps_after_the_end():
    def rewards(state, taken):
        env, total = began("CartPole-v1", state), 0.0
        for action in taken:
            _, reward, _, _, _ = env.step(action)
            total += reward
        return total

    state, taken = states("CartPole-v1")[0], actions("CartPole-v1")[0][:40]
    with jax.enable_x64(True):
        assert ag.jit(rewards)(state, taken) == rewards(state, list(taken)) < 40


@LONG
def test_the_wrappers_of_an_environment():
    def limited(state):
        env = gymnasium.make("MountainCar-v0", max_episode_steps=20, disable_env_checker=True)
        env.reset(seed=0)
        env.unwrapped.state = state
        total, done = 0.0, False
        while not done:
            _, reward, terminated, truncated, _ = env.step(1)
            total += reward
            done = terminated or truncated
        return total

    assert ag.jit(limited)(states("MountainCar-v0")[0]) == -20


@pytest.mark.slow
def test_the_gradient_of_an_episode():
    def cost(gain, state):
        env, total = began("Pendulum-v1", state), 0.0
        for _ in ag.range(20):
            angle, speed = env.state
            _, reward, _, _, _ = env.step([-gain * (angle + speed)])
            total += reward
        return total

    state = states("Pendulum-v1")[0]
    slope = jax.grad(ag.convert(cost))(np.float32(0.1), state)
    step = 1e-6
    expected = (cost(0.1 + step, state) - cost(0.1 - step, state)) / (2 * step)
    np.testing.assert_allclose(slope, expected, rtol=1e-3)


def test_an_action_that_the_environment_does_not_have():
    def step(action):
        env = began("MountainCar-v0", np.array([-0.5, 0.0]))
        return env.step(action)[0]

    assert_same(ag.jit(step)(np.int32(2)), step(2))
    for wrong, run in ((np.int32(3), ag.function(step)), (np.float32(1), ag.jit(step)), (np.int32(3), step)):
        with pytest.raises(AssertionError, match="invalid"):
            run(wrong)
