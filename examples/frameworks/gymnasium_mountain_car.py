"""Gymnasium: the mountain car of the installed package, hundreds of episodes side by side in one compiled program.

`ag.install_import_hook("gymnasium")` has the environment's own `step` converted when it is imported. An episode is a
Python loop that ends at the flag. `jax.vmap` runs it for many policies at once, each with an episode of its own length.
The reference runs the same function as plain Python.

    python examples/frameworks/gymnasium_mountain_car.py [POLICIES]
"""

import importlib
import sys

import jax
import jax.numpy as jnp
import numpy as np
from comparing import compare

import autograph as ag

ag.install_import_hook("gymnasium")
gymnasium = importlib.import_module("gymnasium")  # `import gymnasium`, below the hook

LONGEST = 200


def episode(policy):
    """Drives until the flag: the number of steps, and the last position and speed."""
    env = gymnasium.make("MountainCar-v0").unwrapped
    seen, _ = env.reset(seed=1)
    steps = 0
    for _ in range(LONGEST):
        push = policy[0] * (seen[0] + 0.5) + policy[1] * seen[1]
        seen, _, terminated, _, _ = env.step(2 if push > 0 else 0)
        steps += 1
        if terminated:
            break
    return steps, seen


def all_in_python(policies):
    steps, seen = zip(*map(episode, policies))
    return np.array(steps), np.array(seen)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    jax.config.update("jax_enable_x64", True)  # Gymnasium computes with 64 bits
    policies = np.random.default_rng(0).normal(size=(count, 2)) * (1.0, 10.0)
    print(f"{count} policies for a car in a valley, at most {LONGEST} steps each")
    side_by_side = ag.jit(jax.vmap(episode))
    steps, seen = compare(lambda: all_in_python(policies), lambda: side_by_side(policies), "plain Gymnasium")
    best = jnp.argmin(steps)
    arrived = int(np.sum(steps < LONGEST))
    print(f"  {arrived} reach the flag, the fastest after {steps[best]} steps: {policies[best].round(2)}")
    print(f"  it arrives at {seen[best, 0]:.3f} with speed {seen[best, 1]:.4f}")


if __name__ == "__main__":
    main()
