"""Episodes of environments as users of Gymnasium write them: `reset`, `step`, `terminated or truncated`, wrappers, policies."""

import jax.numpy as jnp

from tests.programs.harness import floats, program

WEIGHTS = floats(0.4, 1.0)
OTHERS = floats(-0.4, -1.0)
BOTH = [(WEIGHTS, 0.0), (OTHERS, 0.0), (WEIGHTS, 2.0)]


class Pole:
    """Its state is an array after a reset, a tuple of numbers after a step; a counter is None until the episode has ended."""

    def __init__(self):
        self.state = None
        self.steps_beyond = None

    def reset(self):
        self.state = jnp.array([0.05, -0.02])
        self.steps_beyond = None
        return self.state, {}

    def step(self, action):
        angle, speed = self.state
        force = 0.3 if action == 1 else -0.3
        speed = speed + angle * 0.4 + force
        angle = angle + speed * 0.5
        self.state = (angle, speed)
        terminated = angle < -1 or angle > 1
        if not terminated:
            reward = 1.0
        elif self.steps_beyond is None:
            self.steps_beyond = 0
            reward = 1.0
        else:
            self.steps_beyond += 1
            reward = 0.0
        return jnp.array(self.state), reward, terminated, False, {}


def _chosen(weights, seen, limit):
    return 1 if jnp.dot(weights, seen) < limit else 0


@program(*BOTH, transforms=("vmap",))
def until_done(weights, limit):
    env = Pole()
    seen, _ = env.reset()
    total, done = 0.0, False
    while not done:
        seen, reward, terminated, truncated, _ = env.step(_chosen(weights, seen, limit))
        total += reward
        done = terminated or truncated or total > 20
    return total, seen


@program(*BOTH, transforms=("vmap",))
def discounted_and_left_at_the_end(weights, limit):
    env = Pole()
    seen, _ = env.reset()
    total, discount = 0.0, 1.0
    for t in range(40):
        seen, reward, terminated, truncated, _ = env.step(_chosen(weights, seen, limit))
        total += discount * reward
        discount *= 0.9
        if terminated or truncated:
            break
    return total, t, seen


@program(*BOTH, transforms=("vmap",))
def a_policy_and_a_return(weights, limit):
    def policy(seen):
        return _chosen(weights, seen, limit)

    def rollout(env, policy, steps):
        seen, _ = env.reset()
        total = 0.0
        for _ in range(steps):
            seen, reward, terminated, truncated, _ = env.step(policy(seen))
            total += reward
            if terminated or truncated:
                return total, seen
        return total, seen

    return rollout(Pole(), policy, 30)


@program(*BOTH, transforms=("vmap",))
def the_observation_before_the_last(weights, limit):
    env = Pole()
    seen, _ = env.reset()
    change = 0.0
    for _ in range(30):
        after, _, terminated, _, _ = env.step(_chosen(weights, seen, limit))
        change += jnp.abs(after - seen).sum()
        before, seen = seen, after
        if terminated:
            break
    return change, before, seen


@program(*BOTH, transforms=("vmap",))
def a_test_before_the_step(weights, limit):
    env = Pole()
    seen, _ = env.reset()
    done, total = False, 0.0
    for _ in range(30):
        if done:
            break
        seen, reward, terminated, truncated, _ = env.step(_chosen(weights, seen, limit))
        total += reward * seen[0]
        done = terminated or truncated
    return total


@program(*BOTH, transforms=("vmap", "grad"), slow=True)
def learned_while_it_runs(weights, limit):
    env = Pole()
    seen, _ = env.reset()
    value = jnp.zeros(2)
    for _ in range(12):
        after, reward, terminated, _, _ = env.step(_chosen(weights, seen, limit))
        error = reward + (0.0 if terminated else 0.9 * jnp.dot(value, after)) - jnp.dot(value, seen)
        value = value + 0.1 * error * seen * limit
        seen = after
        if terminated:
            break
    return value.sum()


@program(*BOTH, transforms=("vmap",))
def several_episodes(weights, limit):
    env, best, lengths = Pole(), None, []
    for k in range(3):
        seen, _ = env.reset()
        total, steps, done = 0.0, 0, False
        while not done and steps < 15:
            seen, reward, terminated, truncated, _ = env.step(_chosen(weights * (k + 1), seen, limit))
            total += reward
            steps += 1
            done = terminated or truncated
        lengths.append(steps)
        if best is None or total > best:
            best = total
    return best, lengths


class TimeLimit:
    def __init__(self, env, limit):
        self.env = env
        self.limit = limit
        self.elapsed = None

    def reset(self):
        self.elapsed = 0
        return self.env.reset()

    def step(self, action):
        seen, reward, terminated, truncated, info = self.env.step(action)
        self.elapsed += 1
        if self.elapsed >= self.limit:
            truncated = True
        return seen, reward, terminated, truncated, info


class Centred:
    def __init__(self, env):
        self.env = env
        self.mean, self.count = 0.0, 0

    def reset(self):
        seen, info = self.env.reset()
        return self._centred(seen), info

    def _centred(self, seen):
        self.count += 1
        self.mean = self.mean + (seen - self.mean) / self.count
        return seen - self.mean

    def step(self, action):
        seen, *rest = self.env.step(action)
        return self._centred(seen), *rest


@program(*BOTH, transforms=("vmap",))
def wrappers(weights, limit):
    env = Centred(TimeLimit(Pole(), 10))
    seen, _ = env.reset()
    total, done = 0.0, False
    while not done:
        seen, reward, terminated, truncated, _ = env.step(_chosen(weights, seen, limit))
        total += reward
        done = terminated or truncated
    return total, env.mean, env.env.elapsed
