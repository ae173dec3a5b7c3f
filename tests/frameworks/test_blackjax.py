"""BlackJAX: log densities with control flow, and loops of kernels that stop by themselves."""

import jax
import jax.numpy as jnp

from tests.frameworks.harness import framework, program

blackjax = framework("blackjax")

KEY = jax.random.key(0)


def density(x):
    """A cliff on one side."""
    if x[0] > 1.0:
        return -2.0 * jnp.sum(x**2) + 2.0
    return -0.5 * jnp.sum(x**2)


def selected(x):
    return jnp.where(x[0] > 1.0, -2.0 * jnp.sum(x**2) + 2.0, -0.5 * jnp.sum(x**2))


START = jnp.array([0.9, -0.5])


def walked(density, wrap, steps=6):
    kernel = blackjax.additive_step_random_walk(density, blackjax.mcmc.random_walk.normal(0.7 * jnp.eye(2)))
    state = kernel.init(START)
    step = wrap(kernel.step)
    for key in jax.random.split(KEY, steps):
        state, _ = step(key, state)
    return state.position, state.logdensity


@program(reference=lambda: walked(selected, jax.jit))
def test_a_random_walk(jit):
    return walked(density, jit)


def stepped(make, density, wrap, steps=4):
    kernel = make(density)
    state = kernel.init(START)
    step = wrap(lambda key, state: kernel.step(key, state))
    for key in jax.random.split(KEY, steps):
        state, info = step(key, state)
    return state.position


def hmc(density):
    return blackjax.hmc(density, 0.2, jnp.ones(2), 5)


@program(reference=lambda: stepped(hmc, selected, jax.jit))
def test_hmc(jit):
    return stepped(hmc, density, jit)


def nuts(density):
    return blackjax.nuts(density, 0.3, jnp.ones(2))


@program(reference=lambda: stepped(nuts, selected, jax.jit))
def test_nuts(jit):
    return stepped(nuts, density, jit)


def mala(density):
    return blackjax.mala(density, 0.1)


@program(reference=lambda: stepped(mala, selected, jax.jit))
def test_mala(jit):
    return stepped(mala, density, jit)


def chain(kernel, state, keys):
    """The user's loop: how many were accepted, and the best point."""
    accepted, best, at = 0, state.logdensity, state.position
    for key in keys:
        state, info = kernel.step(key, state)
        if info.is_accepted:
            accepted += 1
            if state.logdensity > best:
                best, at = state.logdensity, state.position
    return accepted, best, at


@program(reference=lambda: chain(hmc(selected), hmc(selected).init(START), jax.random.split(KEY, 8)))
def test_a_chain_that_keeps_the_best(jit):
    @jit
    def run(keys):
        kernel = hmc(density)
        return chain(kernel, kernel.init(START), keys)

    return run(jax.random.split(KEY, 8))


def until(kernel, state, key, most):
    n = 0
    while n < most and state.position[0] > -0.5:
        key, one = jax.random.split(key)
        state, _ = kernel.step(one, state)
        n += 1
    return n, state.position


@program(reference=lambda: [until(hmc(selected), hmc(selected).init(START), KEY, most) for most in (2, 30)])
def test_a_chain_until_it_leaves(jit):
    @jit
    def run(key, most):
        kernel = hmc(density)
        return until(kernel, kernel.init(START), key, most)

    return [run(KEY, most) for most in (2, 30)]


def scanned(density, keys):
    kernel = hmc(density)

    def one(state, key):
        state, info = kernel.step(key, state)
        return state, state.position

    return jax.lax.scan(one, kernel.init(START), keys)[1]


@program(reference=lambda: scanned(selected, jax.random.split(KEY, 5)))
def test_kernels_in_lax_scan(jit):
    return jit(lambda keys: scanned(density, keys))(jax.random.split(KEY, 5))


def chains(density, keys):
    kernel = hmc(density)
    states = jax.vmap(kernel.init)(jnp.stack([START, -START, 2 * START]))
    states, _ = jax.vmap(kernel.step)(keys, states)
    return states.position


@program(reference=lambda: chains(selected, jax.random.split(KEY, 3)))
def test_chains_in_parallel(jit):
    return jit(lambda keys: chains(density, keys))(jax.random.split(KEY, 3))


def tempered(density, keys):
    """Cools down as long as proposals are accepted."""
    heat, state = 4.0, hmc(density).init(START)
    for key in keys:
        kernel = hmc(lambda x, heat=heat: density(x) / heat)
        state, info = kernel.step(key, kernel.init(state.position))
        if info.is_accepted and heat > 1.0:
            heat = heat / 2
    return heat, state.position


@program(reference=lambda: tempered(selected, jax.random.split(KEY, 4)))
def test_a_chain_that_cools_down(jit):
    return jit(lambda keys: tempered(density, keys))(jax.random.split(KEY, 4))


def slice_sampled(density, wrap):
    kernel = blackjax.elliptical_slice(density, mean=jnp.zeros(2), cov=jnp.eye(2))
    state = kernel.init(START)
    step = wrap(lambda key, state: kernel.step(key, state)[0].position)
    return step(KEY, state)


@program(reference=lambda: slice_sampled(selected, jax.jit))
def test_elliptical_slices(jit):
    return slice_sampled(density, jit)


def adapted(density, wrap):
    warmup = blackjax.window_adaptation(blackjax.hmc, density, num_integration_steps=3)

    def run(key):
        (state, parameters), _ = warmup.run(key, START, num_steps=20)
        return state.position, parameters["step_size"]

    return wrap(run)(KEY)


@program(reference=lambda: adapted(selected, jax.jit))
def test_window_adaptation(jit):
    return adapted(density, jit)
