"""Equinox: modules with control flow in their methods, filtered transformations, and trainings with Optax."""

import copy
from collections.abc import Callable

import jax
import jax.numpy as jnp
import pytest

import autograph as ag
from tests.frameworks.harness import assert_same, convert, framework, is_ours, program, refused

eqx = framework("equinox")
optax = framework("optax")

KEY = jax.random.key(0)
SMALL, LARGE = jnp.full((3,), 0.1), jnp.array([3.0, -2.0, 4.0])
BATCH = jax.random.normal(jax.random.key(1), (8, 3))
TARGET = jnp.sum(BATCH, axis=1)


class Clipped(eqx.Module):
    linear: eqx.nn.Linear
    limit: float = 1.0

    def __call__(self, x):
        y = self.linear(x)
        norm = jnp.linalg.norm(y)
        if norm > self.limit:
            y = y * (self.limit / norm)
        return y


def clipped():
    return Clipped(eqx.nn.Linear(3, 4, key=KEY))


@program
def test_an_if_in_call(jit):
    model = clipped()
    run = jit(lambda model, x: model(x))
    return [run(model, x) for x in (SMALL, LARGE)]


@program
def test_a_module_itself_under_jit(jit):
    return [jit(clipped())(x) for x in (SMALL, LARGE)]


class Moe(eqx.Module):
    router: eqx.nn.Linear
    left: eqx.nn.MLP
    right: eqx.nn.MLP

    def __init__(self, key):
        a, b, c = jax.random.split(key, 3)
        self.router = eqx.nn.Linear(3, 2, key=a)
        self.left = eqx.nn.MLP(3, 2, 4, 1, key=b)
        self.right = eqx.nn.MLP(3, 2, 8, 2, key=c)

    def __call__(self, x):
        scores = self.router(x)
        if scores[0] > scores[1]:
            return self.left(x)
        return self.right(x)


@program
def test_filter_jit_outside(jit):
    """The library's own `jit` around ours."""
    model = Moe(KEY)
    outer = eqx.filter_jit if is_ours(jit) else jit

    @outer
    @convert(jit)
    def run(model, x):
        return model(x)

    return [run(model, x) for x in (SMALL, LARGE)]


@program
def test_experts_of_different_sizes(jit):
    model = Moe(KEY)
    run = jit(lambda x: model(x))
    return [run(x) for x in (SMALL, LARGE, -LARGE)]


@program
def test_the_gradient_of_a_mixture(jit):
    model = Moe(KEY)

    @jit
    def gradient(params, x):
        def loss(params):
            return jnp.sum(eqx.combine(params, static)(x) ** 2)

        return jax.grad(loss)(params)

    params, static = eqx.partition(model, eqx.is_inexact_array)
    return [jax.tree.leaves(gradient(params, x)) for x in (LARGE, -LARGE)]


def batched():
    model = clipped()
    return jnp.stack([model(x) for x in BATCH])


@program(reference=batched)
def test_vmap_of_a_module(jit):
    model = clipped()

    @jit
    def run(xs):
        return jax.vmap(model)(xs)

    return run(BATCH)


@program(reference=batched)
def test_filter_vmap_of_a_module(jit):
    model = clipped()

    @jit
    def run(xs):
        return eqx.filter_vmap(model)(xs)

    return run(BATCH)


@program(reference=lambda: jnp.stack([Clipped(eqx.nn.Linear(3, 4, key=k))(LARGE) for k in jax.random.split(KEY, 4)]))
def test_an_ensemble_under_filter_vmap(jit):
    @jit
    def run(keys):
        models = eqx.filter_vmap(lambda key: Clipped(eqx.nn.Linear(3, 4, key=key)))(keys)
        return eqx.filter_vmap(lambda model: model(LARGE))(models)

    return run(jax.random.split(KEY, 4))


class Solver(eqx.Module):
    """A method other than `__call__`, with a loop that calls a submodule."""

    cell: eqx.nn.Linear
    act: Callable = eqx.field(static=True)

    def fixed_point(self, x, most):
        y = x
        for n in range(most):
            after = self.act(0.3 * self.cell(y)) + x
            if jnp.max(jnp.abs(after - y)) < 1e-3:
                return after, n
            y = after
        return y, most

    @property
    def scale(self):
        return jnp.max(jnp.abs(self.cell.weight))

    def __call__(self, x):
        y, n = self.fixed_point(x, 30)
        if self.scale > 0.2:
            y = y / self.scale
        return y, n


@program
def test_a_loop_in_a_method(jit):
    model = Solver(eqx.nn.Linear(3, 3, key=KEY), jnp.tanh)
    run = jit(lambda x: model(x))
    return [run(x) for x in (SMALL, LARGE)]


@program
def test_a_method_under_jit(jit):
    model = Solver(eqx.nn.Linear(3, 3, key=KEY), jnp.tanh)
    run = jit(lambda x, most: model.fixed_point(x, most))
    return [run(x, most) for x in (SMALL, LARGE) for most in (2, 30)]


class Mlp(eqx.Module):
    layers: list

    def __init__(self, key):
        a, b = jax.random.split(key)
        self.layers = [eqx.nn.Linear(3, 4, key=a), eqx.nn.Linear(4, 1, key=b)]

    def __call__(self, x):
        for layer in self.layers[:-1]:
            x = jax.nn.relu(layer(x))
            if jnp.max(x) > 2.0:
                x = x * (2.0 / jnp.max(x))
        return self.layers[-1](x)[0]


def loss_of(model):
    return jnp.mean((jax.vmap(model)(BATCH) - TARGET) ** 2)


def by_hand(model):
    """The same loss, for plain Python: one row after the other."""
    return jnp.mean((jnp.stack([model(x) for x in BATCH]) - TARGET) ** 2)


def trained(loss, most):
    model = Mlp(KEY)
    optimizer = optax.adam(0.05)
    params, static = eqx.partition(model, eqx.is_inexact_array)
    state = optimizer.init(params)
    best, best_params, waited, n = jnp.inf, params, 0, 0
    while n < most:
        value, grads = jax.value_and_grad(lambda params: loss(eqx.combine(params, static)))(params)
        if value < best - 1e-2:
            best, best_params, waited = value, params, 0
        else:
            waited += 1
            if waited > 2:
                break
        updates, state = optimizer.update(grads, state)
        params = eqx.apply_updates(params, updates)
        n += 1
    return best, n, jax.tree.leaves(best_params)


@program(reference=lambda: [trained_plainly(most) for most in (3, 12)])
def test_a_whole_training_with_early_stopping(jit):
    train = jit(lambda most: trained(loss_of, most))
    return [train(most) for most in (3, 12)]


def trained_plainly(most):
    return trained(by_hand, most)


@program(reference=lambda: jax.tree.leaves(jax.grad(lambda m: by_hand(m))(Mlp(KEY))))
def test_filter_grad(jit):
    run = jit(lambda: jax.tree.leaves(eqx.filter_grad(loss_of)(Mlp(KEY))))
    return run()


@program
def test_a_model_chosen_in_a_branch(jit):
    first, second = clipped(), Clipped(eqx.nn.Linear(3, 4, key=jax.random.key(5)))

    @jit
    def run(x):
        if jnp.sum(x) > 1.0:
            model = first
        else:
            model = second
        return model(x)

    return [run(x) for x in (SMALL, LARGE)]


@program
def test_tree_at_in_a_branch(jit):
    model = clipped()

    @jit
    def run(model, x):
        if jnp.sum(x) > 1.0:
            model = eqx.tree_at(lambda m: m.linear.bias, model, jnp.zeros(4))
        return model(x), model.linear.bias

    return [run(model, x) for x in (SMALL, LARGE)]


@program
def test_a_model_updated_in_a_loop(jit):
    @jit
    def run(model, x, most):
        n = 0
        while n < most and jnp.linalg.norm(model.linear(x)) > 0.5:
            model = eqx.tree_at(lambda m: m.linear.weight, model, 0.8 * model.linear.weight)
            n += 1
        return model(x), n

    return [run(clipped(), LARGE, most) for most in (0, 2, 20)]


class Stateful(eqx.Module):
    norm: eqx.nn.BatchNorm
    count: eqx.nn.StateIndex

    def __init__(self):
        self.norm = eqx.nn.BatchNorm(3, axis_name="batch", mode="batch")
        self.count = eqx.nn.StateIndex(jnp.array(0))

    def __call__(self, x, state):
        if jnp.sum(x) > 0:
            state = state.set(self.count, state.get(self.count) + 1)
        return 2 * x, state


@program
def test_state_set_in_a_branch(jit):
    @jit
    def run(x):
        model, state = eqx.nn.make_with_state(Stateful)()
        y, new = model(x, state)
        return y, new.get(model.count)

    return [run(x) for x in (LARGE, -LARGE)]


def used(jit, x, most, given):
    """A state that is set in a loop, and in a branch there; `given` says which one is used up."""

    @jit
    def run(x, most):
        model, state = eqx.nn.make_with_state(Stateful)()
        n = 0
        while n < most:
            state = given(state).set(model.count, state.get(model.count) + 10)
            if jnp.sum(x) > n:
                state = given(state).set(model.count, state.get(model.count) + 1)
            n += 1
        return state.get(model.count)

    return run(x, most)


@program
def test_copies_of_a_state_are_set_in_a_loop_and_a_branch(jit):
    return [used(jit, x, most, copy.copy) for x in (LARGE, -LARGE) for most in (0, 9)]


@refused(match=r"change a copy \(`copy\.copy\(x\)`, ")
def test_a_state_that_each_iteration_uses_up(jit):
    @jit
    def run(most):
        model, state = eqx.nn.make_with_state(Stateful)()
        n = 0
        while n < most:
            state, n = state.set(model.count, state.get(model.count) + 1), n + 1
        return state.get(model.count)

    run(3)


@program
def test_what_a_state_holds_is_carried_and_set_behind_the_loop(jit):
    @jit
    def run(most):
        model, state = eqx.nn.make_with_state(Stateful)()
        n, count = 0, state.get(model.count)
        while n < most:
            n, count = n + 1, count + 1
        return state.set(model.count, count).get(model.count)

    return [run(most) for most in (0, 3)]


@program
def test_a_state_set_in_one_branch_after_another(jit):
    @jit
    def run(x):
        model, state = eqx.nn.make_with_state(Stateful)()
        for limit in (0.0, 1.0, 2.0):
            if jnp.sum(x) > limit:
                state = state.set(model.count, state.get(model.count) + 1)
        if jnp.sum(x) < 0:
            return state.set(model.count, jnp.array(-1)).get(model.count)
        state = state.set(model.count, 2 * state.get(model.count))
        return state.get(model.count)

    return [run(x) for x in (LARGE, -LARGE, LARGE / 3)]


@pytest.mark.parametrize("x", [LARGE, -LARGE])
def test_a_state_that_one_branch_used_up_cannot_be_used_after_it(x):
    @ag.jit
    def run(x):
        model, state = eqx.nn.make_with_state(Stateful)()
        new = state
        if jnp.sum(x) > 0:
            new = state.set(model.count, state.get(model.count) + 1)
        return new.get(model.count), state.get(model.count)

    with pytest.raises(ValueError, match="old state"):
        run(x)


@program
def test_a_recurrent_cell_over_a_sequence(jit):
    cell = eqx.nn.GRUCell(3, 4, key=KEY)

    @jit
    def run(xs, length):
        h = jnp.zeros(4)
        for i, x in enumerate(xs):
            if i >= length:
                break
            if jnp.any(x > 0):
                h = cell(x, h)
        return h

    return [run(BATCH, n) for n in (0, 3, 8)]


class Leaky(eqx.Module):
    """A model that is handed on."""

    weight: jax.Array

    def __call__(self, x):
        if x > 0:
            return x * self.weight
        return -x

    def grown(self, x):
        while x < 10:
            x = x * self.weight
        return x


def test_a_converted_model_is_the_model():
    model = ag.convert(Leaky(jnp.array(2.0)))
    assert isinstance(model, Leaky)
    assert [float(eqx.filter_jit(model)(x)) for x in (3.0, -3.0)] == [6.0, 3.0]
    assert float(eqx.filter_jit(model.grown)(3.0)) == 12.0
    assert float(eqx.filter_grad(lambda model: model(3.0))(model).weight) == 3.0


class Experts(eqx.Module):
    """One of several networks, which the gate picks."""

    experts: list[eqx.nn.MLP]
    gate: eqx.nn.Linear

    def __init__(self):
        keys = jax.random.split(jax.random.key(0), 4)
        self.experts = [eqx.nn.MLP(3, 3, 4, 1, key=key) for key in keys[1:]]
        self.gate = eqx.nn.Linear(3, 3, key=keys[0])

    def __call__(self, x):
        return self.experts[jnp.argmax(self.gate(x))](x)


@program
def test_an_expert_by_its_index(jit):
    model = Experts()
    return [jit(model)(sign * x) for x in BATCH for sign in (1.0, -1.0)]


def test_the_derivative_of_an_expert_by_its_index():
    model, x = Experts(), BATCH[0]
    number = int(jnp.argmax(model.gate(x)))
    found = eqx.filter_grad(lambda model: ag.convert(model)(x).sum())(model)
    expected = eqx.filter_grad(lambda model: model.experts[number](x).sum())(model)
    assert_same(eqx.filter(found, eqx.is_array), eqx.filter(expected, eqx.is_array))
