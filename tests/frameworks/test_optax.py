"""Optax: transformations and schedules of the user's, and trainings that stop by themselves."""

import copy
from typing import NamedTuple

import jax
import jax.numpy as jnp

from tests.frameworks.harness import framework, is_ours, program, refused

optax = framework("optax")

START = {"w": jnp.array([2.0, -3.0]), "b": jnp.array(0.5)}
X = jax.random.normal(jax.random.key(1), (8, 2))
Y = X @ jnp.array([1.0, 2.0]) - 0.3


def loss(params):
    return jnp.mean((X @ params["w"] + params["b"] - Y) ** 2)


@program
def test_a_loop_until_the_gradient_is_small(jit):
    optimizer = optax.adam(0.3)

    @jit
    def fit(params, most):
        state = optimizer.init(params)
        n = 0
        while n < most:
            grads = jax.grad(loss)(params)
            if optax.global_norm(grads) < 0.5:
                break
            updates, state = optimizer.update(grads, state, params)
            params = optax.apply_updates(params, updates)
            n += 1
        return params, n

    return [fit(START, most) for most in (0, 3, 60)]


@program
def test_the_best_parameters_so_far(jit):
    optimizer = optax.sgd(0.9, momentum=0.5)

    @jit
    def fit(params, most):
        state, best, best_params = optimizer.init(params), loss(params), params
        for _ in range(most):
            updates, state = optimizer.update(jax.grad(loss)(params), state)
            params = optax.apply_updates(params, updates)
            value = loss(params)
            if value < best:
                best, best_params = value, params
        return best, best_params

    return [fit(START, most) for most in (1, 9)]


class PlateauState(NamedTuple):
    best: jax.Array
    waited: jax.Array
    scale: jax.Array


def halve_on_plateau(patience):
    """A transformation of the user's, with an `if` in its `update`."""

    def init(params):
        return PlateauState(jnp.array(jnp.inf), jnp.array(0), jnp.array(1.0))

    def update(updates, state, params=None):
        norm = optax.global_norm(updates)
        best, waited, scale = state
        if norm < best:
            best, waited = norm, jnp.array(0)
        else:
            waited = waited + 1
            if waited >= patience:
                scale, waited = scale / 2, jnp.array(0)
        return jax.tree.map(lambda u: scale * u, updates), PlateauState(best, waited, scale)

    return optax.GradientTransformation(init, update)


@program
def test_a_transformation_in_a_chain(jit):
    optimizer = optax.chain(halve_on_plateau(1), optax.sgd(1.1))

    @jit
    def step(params, state):
        updates, state = optimizer.update(jax.grad(loss)(params), state, params)
        return optax.apply_updates(params, updates), state

    params, state = START, optimizer.init(START)
    for _ in range(5):
        params, state = step(params, state)
    return params, state


@program
def test_the_update_of_a_chain_under_jit(jit):
    optimizer = optax.chain(optax.clip(1.0), halve_on_plateau(1))
    state = optimizer.init(START)
    update = jit(optimizer.update)
    out = []
    for k in (1.0, 3.0, 5.0):
        updates, state = update(jax.tree.map(lambda p, k=k: k * p, START), state)
        out.append(updates)
    return out, state


@program
def test_the_update_of_a_chain_that_jax_jits(jit):
    optimizer = optax.chain(optax.clip(1.0), halve_on_plateau(1))
    state = optimizer.init(START)
    update = jit(jax.jit(optimizer.update) if is_ours(jit) else optimizer.update)
    out = []
    for k in (1.0, 3.0, 5.0):
        updates, state = update(jax.tree.map(lambda p, k=k: k * p, START), state)
        out.append(updates)
    return out, state


def warm_up(count):
    if count < 3:
        return 0.1 * (count + 1)
    if count < 6:
        return 0.3
    return 0.3 / (count - 4)


@program
def test_a_schedule_with_branches(jit):
    optimizer = optax.sgd(warm_up)

    @jit
    def fit(params, most):
        state, n = optimizer.init(params), 0
        while n < most:
            updates, state = optimizer.update(jax.grad(loss)(params), state)
            params = optax.apply_updates(params, updates)
            n += 1
        return params

    return [fit(START, most) for most in (2, 8)]


@program
def test_a_schedule_in_a_step(jit):
    optimizer = optax.inject_hyperparams(optax.sgd)(learning_rate=warm_up)

    @jit
    def step(params, state):
        updates, state = optimizer.update(jax.grad(loss)(params), state)
        return optax.apply_updates(params, updates), state

    params, state = START, optimizer.init(START)
    rates = []
    for _ in range(5):
        params, state = step(params, state)
        rates.append(state.hyperparams["learning_rate"])
    return params, rates


@program
def test_a_step_that_is_taken_back(jit):
    """Twice the rate where a step helps, half of it where it does not."""
    optimizer = optax.inject_hyperparams(optax.sgd)(learning_rate=0.1)

    @jit
    def fit(params, most):
        state, value = optimizer.init(params), loss(params)
        for _ in range(most):
            updates, after = optimizer.update(jax.grad(loss)(params), state)
            tried = optax.apply_updates(params, updates)
            if loss(tried) < value:
                params, value = tried, loss(tried)
                state = optax.tree.set(after, learning_rate=2 * after.hyperparams["learning_rate"])
            else:
                state = optax.tree.set(state, learning_rate=state.hyperparams["learning_rate"] / 2)
        return params, value, state.hyperparams["learning_rate"]

    return [fit(START, most) for most in (2, 9)]


def learn_the_rate(jit, begin):
    """Learns the rate of an optimizer by the derivative of its steps; `begin` gives the state that a step writes to."""
    optimizer, outer = optax.inject_hyperparams(optax.sgd)(learning_rate=0.1), optax.adam(0.1)

    def steps(log_rate, params, state):
        state = begin(state)
        state.hyperparams["learning_rate"] = jnp.exp(log_rate)
        for _ in range(2):
            updates, state = optimizer.update(jax.grad(loss)(params), state)
            params = optax.apply_updates(params, updates)
        return loss(params), (params, state)

    @jit
    def fit(params, most):
        state, log_rate, n = optimizer.init(params), jnp.float32(-3.0), 0
        outer_state = outer.init(log_rate)
        while n < most:
            slope, (params, state) = jax.grad(steps, has_aux=True)(log_rate, params, state)
            change, outer_state = outer.update(slope, outer_state)
            log_rate = optax.apply_updates(log_rate, change)
            n += 1
        return params, log_rate

    return fit(START, 4)


@program
def test_a_rate_that_is_learned(jit):
    return learn_the_rate(jit, copy.deepcopy)


def test_a_rate_that_a_loop_would_write_to_its_state_is_refused_at_a_line_with_the_copy_that_works():
    def run(jit):
        learn_the_rate(jit, lambda state: state)

    refused(match=r"(?s)'state.hyperparams' keeps a .*at .*test_optax.py.*change a copy \(`copy.deepcopy\(x\)`\)")(run)()


@program
def test_masked_updates_by_a_branch(jit):
    optimizer = optax.adam(0.1)

    @jit
    def step(params, state, freeze):
        grads = jax.grad(loss)(params)
        if freeze:
            grads = {**grads, "w": jnp.zeros_like(grads["w"])}
        updates, state = optimizer.update(grads, state, params)
        return optax.apply_updates(params, updates), state

    return [step(START, optimizer.init(START), freeze) for freeze in (True, False)]


@program
def test_gradients_that_are_not_finite_are_skipped(jit):
    optimizer = optax.apply_if_finite(optax.adam(0.1), 3)

    @jit
    def step(params, state, k):
        grads = jax.tree.map(lambda g: g * k, jax.grad(loss)(params))
        norm = optax.global_norm(grads)
        if norm > 1.0:
            grads = jax.tree.map(lambda g: g / norm, grads)
        updates, state = optimizer.update(grads, state, params)
        return optax.apply_updates(params, updates), state.notfinite_count

    return [step(START, optimizer.init(START), k) for k in (1.0, jnp.inf, 0.01)]


@program
def test_accumulated_gradients(jit):
    optimizer = optax.MultiSteps(optax.sgd(0.1), every_k_schedule=2)

    @jit
    def run(params, ks):
        state = optimizer.init(params)
        for k in ks:
            if k > 0:
                grads = jax.tree.map(lambda g: g * k, jax.grad(loss)(params))
                updates, state = optimizer.update(grads, state, params)
                params = optax.apply_updates(params, updates)
        return params

    return run(START, jnp.array([1.0, -1.0, 2.0, 0.5, 1.0]))


@program
def test_lbfgs_in_a_loop(jit):
    optimizer = optax.lbfgs(linesearch=None, learning_rate=0.5)

    @jit
    def fit(params, most):
        state, n = optimizer.init(params), 0
        while n < most:
            value, grads = jax.value_and_grad(loss)(params)
            if value < 1e-3:
                break
            updates, state = optimizer.update(grads, state, params)
            params = optax.apply_updates(params, updates)
            n += 1
        return params, n

    return [fit(START, most) for most in (1, 12)]


@program
def test_two_optimizers_take_turns(jit):
    first, second = optax.adam(0.1), optax.sgd(0.05)

    @jit
    def fit(params, most):
        one, two = first.init(params), second.init(params)
        n = 0
        while n < most and loss(params) > 1e-2:
            grads = jax.grad(loss)(params)
            if n % 2 == 0:
                updates, one = first.update(grads, one)
            else:
                updates, two = second.update(grads, two)
            params = optax.apply_updates(params, updates)
            n += 1
        return params, n

    return [fit(START, most) for most in (1, 7)]
