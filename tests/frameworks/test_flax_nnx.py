"""Flax NNX: modules with variables that are written in branches and loops, and whole trainings."""

import copy
import warnings

import jax
import jax.numpy as jnp
import pytest
from jax.experimental import pallas

import autograph as ag
from tests.frameworks.harness import framework, is_ours, program, refused

nnx = framework("flax.nnx")
optax = framework("optax")

SMALL, LARGE = jnp.full((3,), 0.1), jnp.array([3.0, -2.0, 4.0])
BATCH = jax.random.normal(jax.random.key(1), (8, 3))
TARGET = jnp.sum(BATCH, axis=1)


class Clipped(nnx.Module):
    def __init__(self, rngs):
        self.dense = nnx.Linear(3, 4, rngs=rngs)

    def __call__(self, x):
        y = self.dense(x)
        if jnp.linalg.norm(y) > 1.0:
            y = y / jnp.linalg.norm(y)
        return y


@program
def test_an_if_in_call(jit):
    model = Clipped(nnx.Rngs(0))

    @jit
    def run(x):
        return model(x)

    return [run(x) for x in (SMALL, LARGE)]


@program
def test_a_model_that_is_an_argument(jit):
    graph, state = nnx.split(Clipped(nnx.Rngs(0)))

    @jit
    def run(state, x):
        return nnx.merge(graph, state, copy=True)(x)

    return [run(state, x) for x in (SMALL, LARGE)]


class Moe(nnx.Module):
    def __init__(self, rngs):
        self.router = nnx.Linear(3, 3, rngs=rngs)
        self.experts = nnx.List([nnx.Linear(3, 2, rngs=rngs) for _ in range(3)])

    def __call__(self, x):
        best = jnp.argmax(self.router(x))
        for i, expert in enumerate(self.experts):
            if best == i:
                return nnx.relu(expert(x))
        return jnp.zeros(2)


@program
def test_a_mixture_of_experts(jit):
    model = Moe(nnx.Rngs(0))

    @jit
    def run(x):
        return model(x)

    return [run(x) for x in (SMALL, LARGE, -LARGE)]


@program
def test_the_gradient_of_a_mixture(jit):
    graph, state = nnx.split(Moe(nnx.Rngs(0)))

    def loss(state, x):
        return jnp.sum(nnx.merge(graph, state, copy=True)(x) ** 2)

    grad = jit(jax.grad(loss))
    return [grad(state, x) for x in (LARGE, -LARGE)]


class Counter(nnx.Module):
    """Counts the calls with a large input."""

    def __init__(self, rngs):
        self.dense = nnx.Linear(3, 3, rngs=rngs)
        self.large = nnx.Variable(jnp.zeros((), jnp.int32))

    def __call__(self, x):
        y = self.dense(x)
        if jnp.max(jnp.abs(x)) > 1.0:
            self.large[...] += 1
            y = y / jnp.max(jnp.abs(x))
        return y


@program
def test_a_variable_written_in_a_branch(jit):
    graph, state = nnx.split(Counter(nnx.Rngs(0)))

    @jit
    def run(state, x):
        model = nnx.merge(graph, state, copy=True)
        y = model(x)
        return y, nnx.state(model)

    return [run(state, x) for x in (SMALL, LARGE)]


@program
def test_a_variable_written_in_a_loop(jit):
    graph, state = nnx.split(Counter(nnx.Rngs(0)))

    @jit
    def run(state, x, most):
        model = nnx.merge(graph, state, copy=True)
        n = 0
        while n < most and jnp.sum(jnp.abs(x)) > 0.1:
            x = model(x)
            n += 1
        return x, n, nnx.state(model)

    return [run(state, LARGE, most) for most in (0, 3, 6)]


class Noisy(nnx.Module):
    """Dropout in one branch; its key is counted there."""

    def __init__(self, rngs):
        self.dense = nnx.Linear(3, 3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        y = self.dense(x)
        if jnp.sum(x) > 1.0:
            y = self.drop(y)
        return y


@program
def test_dropout_in_a_branch(jit):
    graph, state = nnx.split(Noisy(nnx.Rngs(0)))

    @jit
    def run(state, x):
        model = nnx.merge(graph, state, copy=True)
        return model(x), model(2 * x), nnx.state(model, nnx.RngCount)

    return [run(state, x) for x in (SMALL, LARGE, -LARGE)]


@program
def test_dropout_in_a_loop(jit):
    graph, state = nnx.split(Noisy(nnx.Rngs(0)))

    @jit
    def run(state, x, most):
        model = nnx.merge(graph, state, copy=True)
        for _ in range(most):
            x = model(x)
            if jnp.max(jnp.abs(x)) > 100.0:
                break
        return x

    return [run(state, LARGE, most) for most in (1, 4)]


class Drawing(nnx.Module):
    """Draws with the methods of its streams, which NNX names after functions of JAX."""

    def __init__(self, rngs):
        self.rngs = rngs

    def __call__(self, least):
        x = self.rngs.normal((3,))
        while jnp.max(x) < least:
            x = self.rngs.noise.uniform((3,)) + self.rngs.normal((3,))
        return x


@program
def test_numbers_drawn_by_the_streams_methods_in_a_loop(jit):
    graph, state = nnx.split(Drawing(nnx.Rngs(0, noise=1)))

    @jit
    def run(state, least):
        model = nnx.merge(graph, state, copy=True)
        return model(least), nnx.state(model)

    return [run(state, least) for least in (0.0, 2.0)]


class Normed(nnx.Module):
    """Statistics are kept for batches that vary."""

    def __init__(self, rngs):
        self.norm = nnx.BatchNorm(3, momentum=0.5, rngs=rngs)

    def __call__(self, x):
        if jnp.std(x) > 0.1:
            return self.norm(x, use_running_average=False)
        return self.norm(x, use_running_average=True)


@program
def test_batch_norm_in_a_branch(jit):
    graph, state = nnx.split(Normed(nnx.Rngs(0)))

    @jit
    def run(state, x):
        model = nnx.merge(graph, state, copy=True)
        y = model(x)
        return y, nnx.state(model)

    return [run(state, x) for x in (BATCH, 0.01 * BATCH)]


class Mlp(nnx.Module):
    def __init__(self, rngs):
        self.layers = nnx.List([nnx.Linear(3, 3, rngs=rngs), nnx.Linear(3, 3, rngs=rngs)])
        self.head = nnx.Linear(3, 1, rngs=rngs)

    def __call__(self, x):
        for layer in self.layers:
            x = nnx.tanh(layer(x))
            if jnp.mean(jnp.abs(x)) > 0.8:
                break
        return self.head(x)[..., 0]


def loss_of(model):
    return jnp.mean((model(BATCH) - TARGET) ** 2)


@program
def test_a_training_step(jit):
    graph, state = nnx.split(Mlp(nnx.Rngs(0)))

    @jit
    def step(state, rate):
        model = nnx.merge(graph, state, copy=True)
        value, grads = nnx.value_and_grad(loss_of)(model)
        if value > 0.5:
            rate = 2 * rate
        params = nnx.state(model, nnx.Param)
        nnx.update(model, jax.tree.map(lambda p, g: p - rate * g, params, grads))
        return value, nnx.state(model)

    return step(state, 0.01)


@program
def test_a_whole_training_with_early_stopping(jit):
    model = Mlp(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(0.05), wrt=nnx.Param)
    graph, state = nnx.split((model, optimizer))

    @jit
    def train(state, most):
        model, optimizer = nnx.merge(graph, state, copy=True)
        best, waited, n = jnp.inf, 0, 0
        while n < most and waited < 3:
            value, grads = nnx.value_and_grad(loss_of)(model)
            optimizer.update(model, grads)
            if value < best - 1e-3:
                best, waited = value, 0
            else:
                waited += 1
            n += 1
        return best, n, nnx.state(model, nnx.Param)

    return [train(state, most) for most in (2, 10)]


def best_state(jit, kept, most):
    graph, state = nnx.split(Mlp(nnx.Rngs(0)))

    @jit
    def train(state, most):
        model = nnx.merge(graph, state, copy=True)
        best, best_state, n = jnp.inf, kept(nnx.state(model)), 0
        while n < most:
            value, grads = nnx.value_and_grad(loss_of)(model)
            if value < best:
                best, best_state = value, kept(nnx.state(model))
            nnx.update(model, jax.tree.map(lambda p, g: p - 0.9 * g, nnx.state(model, nnx.Param), grads))
            n += 1
        nnx.update(model, best_state)
        return best, nnx.state(model)

    return train(state, most)


@program
def test_the_best_state_so_far(jit):
    return [best_state(jit, copy.deepcopy, most) for most in (1, 8)]


@refused(match=r"(?s)the same as `best_state.*copy\.deepcopy\(x\)")
def test_a_state_of_the_variables_that_a_training_changes(jit):
    best_state(jit, lambda state: state, 8)


class Cell(nnx.Module):
    def __init__(self, rngs):
        self.mix = nnx.Linear(5, 2, rngs=rngs)

    def __call__(self, carry, x):
        new = nnx.tanh(self.mix(jnp.concatenate([carry, x])))
        if x[0] < 0:
            return carry, carry
        return new, new


def scanned():
    cell, carry, ys = Cell(nnx.Rngs(0)), jnp.zeros(2), []
    for x in BATCH:
        carry, y = cell(carry, x)
        ys.append(y)
    return carry, jnp.stack(ys)


@program(reference=scanned)
def test_a_cell_in_lax_scan(jit):
    cell = Cell(nnx.Rngs(0))

    @jit
    def run(xs):
        return jax.lax.scan(lambda carry, x: cell(carry, x), jnp.zeros(2), xs)

    return run(BATCH)


@program(reference=scanned)
def test_a_cell_in_nnx_scan(jit):
    @jit
    def run(xs):
        cell = Cell(nnx.Rngs(0))
        scan = nnx.scan(lambda cell, carry, x: cell(carry, x), in_axes=(None, nnx.Carry, 0), out_axes=(nnx.Carry, 0))
        return scan(cell, jnp.zeros(2), xs)

    return run(BATCH)


@program
def test_a_cell_in_a_python_loop(jit):
    cell = Cell(nnx.Rngs(0))

    @jit
    def run(xs):
        carry, n = jnp.zeros(2), 0
        for x in xs:
            carry, _ = cell(carry, x)
            if jnp.sum(carry) > 1.5:
                break
            n += 1
        return carry, n

    return [run(BATCH), run(3 * BATCH)]


@program
def test_nnx_jit_inside(jit):
    graph, state = nnx.split(Clipped(nnx.Rngs(0)))
    wrap = nnx.jit if is_ours(jit) else jit

    @jit
    def run(state, x):
        @wrap
        def inner(model, x):
            return model(x)

        return inner(nnx.merge(graph, state, copy=True), x)

    return [run(state, x) for x in (SMALL, LARGE)]


@program
def test_an_array_that_is_added_to_a_variable(jit):
    total = nnx.Variable(jnp.zeros(3))

    def add(i, total):
        total[...] += i + 1.0
        return total

    def looped(x):
        return nnx.fori_loop(0, 3, add, nnx.Variable(x))[...]

    graph, state = nnx.split(total)

    @jit
    def own(state, x):
        total = nnx.merge(graph, state, copy=True)
        while jnp.sum(total[...]) < 10:
            total[...] += abs(x)
        return total[...]

    return own(state, SMALL), own(state, LARGE), [jit(looped)(x) for x in (SMALL, LARGE)]


class Counting(nnx.Module):
    """Counts in an attribute of its own how often it was large."""

    def __init__(self):
        self.hits = 0
        self.largest = nnx.data(jnp.zeros(()))

    def __call__(self, x):
        if jnp.sum(x) > 1:
            self.hits = self.hits + 1
            self.largest = jnp.maximum(self.largest, jnp.sum(x))
        for value in x:
            if value < 0:
                self.hits = self.hits + 10
                break
        return x * self.hits


@program
def test_attributes_of_a_module_that_are_written(jit):
    @jit
    def run(xs):
        model = Counting()
        ys = [model(x) for x in xs]
        return ys, model.hits, model.largest

    return [run([x, 2 * x]) for x in (SMALL, LARGE, -LARGE)]


@program
def test_a_variable_that_jax_traces_as_one_value(jit):
    def add(total, x):
        for i in range(3):
            if jnp.sum(x) > i:
                total[...] += 2 * x
                break
        while jnp.sum(total[...]) < 10:
            total[...] = total[...] + 1
        return total[...]

    with nnx.var_defaults(hijax=True):
        total = nnx.Param(jnp.zeros(3))
        return [jit(add)(total, x) for x in (SMALL, LARGE)], total[...]


def trained(use):
    """The best of the states of a training, as `best = state`, and what `use` makes of it."""

    def run(x, steps):
        graph, state = nnx.split(nnx.Linear(3, 1, rngs=nnx.Rngs(0)))
        best, lowest = state, jnp.inf
        for _ in ag.range(steps):
            error, slope = jax.value_and_grad(lambda state: jnp.mean(nnx.merge(graph, state)(x) ** 2))(state)
            if error < lowest:
                best, lowest = state, error
            state = jax.tree.map(lambda p, g: p - 0.9 * g, state, slope)
        return use(graph, best, x)

    return run


@program
def test_the_best_state_so_far_is_read_by_the_library(jit):
    def use(graph, best, x):
        return nnx.to_pure_dict(best), nnx.merge(graph, best)(x), len(best)

    return [jit(trained(use))(2.0 * jnp.eye(3), steps) for steps in (1, 4)]


def replaced(graph, best, x):
    nnx.replace_by_pure_dict(best, {"kernel": jnp.ones((3, 1)), "bias": jnp.ones(1)})
    return nnx.to_pure_dict(best)


def put(graph, best, x):
    best["kernel"] = nnx.Param(jnp.ones((3, 1)))
    return nnx.to_pure_dict(best)


def merged(graph, best, x):
    nnx.merge(graph, best).kernel[...] = jnp.ones((3, 1))
    return nnx.to_pure_dict(best)


def of_one_of_its_variables(graph, best, x):
    best["kernel"][...] = jnp.ones((3, 1))
    return nnx.to_pure_dict(best)


@pytest.mark.parametrize("use", [replaced, put, merged, of_one_of_its_variables])
def test_a_change_of_the_best_state_so_far_is_refused(use):
    refused(match="that may be one of several: 'best")(lambda jit: jit(trained(use))(jnp.eye(3), 3))()


@pytest.mark.parametrize("use", [replaced, put, merged])
def test_a_copy_of_the_best_state_so_far_is_changed(use):
    def of_a_copy(graph, best, x):
        return use(graph, copy.deepcopy(best), x)

    program(lambda jit: jit(trained(of_a_copy))(jnp.eye(3), 3))()


@program
def test_the_value_of_a_variable_is_assigned_in_branches_and_loops(jit):
    graph, state = nnx.split(nnx.Dict(count=nnx.Variable(jnp.array(0)), seen=nnx.Variable(jnp.array(False))))

    @jit
    def run(state, x):
        model = nnx.merge(graph, state, copy=True)
        if x > 0:
            model.count.value += 1
            model.seen.value = jnp.array(True)
        n = 0
        while n < x:
            model.count.value = model.count.value + 2
            n += 1
        return nnx.to_pure_dict(nnx.state(model))

    return [run(state, x) for x in (2.5, -1.0)]


class Steps(nnx.Module):
    def __init__(self):
        self.steps = nnx.Sequential(jax.nn.relu)

    def __call__(self, x):
        return self.steps(x)


def halved(x):
    if jnp.max(x) > 1:
        return x / 2
    return x


def test_a_later_trace_finds_a_function_that_a_module_got_meanwhile():
    net = Steps()
    step = ag.jit(lambda x: net(x))
    assert step(jnp.array([4.0, -1.0])).tolist() == [4, 0]
    net.steps.layers = nnx.List([halved])
    assert step(jnp.array([4.0, -1.0, 0.0])).tolist() == [2, -0.5, 0]


def stepping():
    """A training step, and a function that makes three of them."""

    def step(model, optimizer, x):
        loss, slope = nnx.value_and_grad(lambda model: jnp.mean((model(x) - 1.0) ** 2))(model)
        if jnp.isfinite(loss):
            optimizer.update(model, slope)
        return loss

    def train(jitted):
        model = nnx.Linear(3, 3, rngs=nnx.Rngs(0))
        optimizer = nnx.Optimizer(model, optax.adam(0.1), wrt=nnx.Param)
        return [float(jitted(model, optimizer, BATCH)) for _ in range(3)]

    return step, train


def test_a_step_whose_models_stay_as_they_were_warns_once_and_says_what_to_write():
    step, train = stepping()
    with pytest.warns(ag.AutoGraphWarning) as told:
        losses = train(ag.jit(step))
        train(ag.jit(step))
    assert losses[0] == losses[1] == losses[2]
    (one,) = [told for told in told if issubclass(told.category, ag.AutoGraphWarning)]
    assert (one.filename, one.lineno) == (step.__code__.co_filename, step.__code__.co_firstlineno)
    assert str(one.message).startswith("step() changes `model` and `optimizer` and does not return what is new (`model.bias`, ")
    assert "write `nnx.jit(ag.convert(step))`, which writes it back" in str(one.message)


@pytest.mark.parametrize("jit", [lambda f: nnx.jit(ag.convert(f)), lambda f: ag.convert(nnx.jit(f)), lambda f: ag.jit(nnx.jit(f))])
def test_the_jit_of_nnx_around_a_converted_step_trains(jit):
    step, train = stepping()
    with warnings.catch_warnings():
        warnings.simplefilter("error", ag.AutoGraphWarning)
        losses = train(jit(step))
    assert losses[0] > losses[1] > losses[2]


def test_further_options_around_the_jit_of_nnx_lose_what_is_written_and_say_so():
    step, train = stepping()
    with pytest.warns(ag.AutoGraphWarning, match=r"write `ag.convert\(nnx.jit\(f, ...\)\)`"):
        losses = train(ag.jit(nnx.jit(step), keep_unused=True))
    assert losses[0] == losses[1]


def counting(x, models, **others):
    if x > 0:
        models[0].large[...] += 1
    return x


def counting_in_a_keyword(x, **others):
    if x > 0:
        others["model"].large[...] += 1
    return x


def drawing(rngs, x):
    if x > 0:
        return jax.random.normal(rngs.noise(), ())
    return x


def in_a_kernel(model, x):
    def kernel(old, new):
        new[...] = old[...] + 1.0

    if x > 0:
        x = x + 1
    model.bias[...] = pallas.pallas_call(kernel, jax.ShapeDtypeStruct((3,), jnp.float32), interpret=True)(model.bias[...])
    return x


class Named(nnx.Module):
    def __init__(self):
        self.calls, self.word, self.parts = 0, "new", nnx.List([Counter(nnx.Rngs(0))])
        self.parts[0].calls = 0


def counting_calls(model, x):
    model.calls += 1
    return x


def naming_a_part(models, x):
    models["a"].parts[0].calls, models["a"].word = 0, "new"
    models["a"].parts[0].kept = True
    return x


def calls_counted_and_returned(model, x):
    model.calls += 1
    model.parts[0].calls += 1
    return x, model


def calls_of_a_part_returned(model, x):
    model.parts[0].calls += 1
    return x, model.parts


def the_same_again(model, x):
    model.calls, model.word = 0, "new"
    return model.parts[0].dense(jnp.full(3, x))


@pytest.mark.parametrize(
    "call, place",
    [
        (lambda: ag.jit(counting_calls)(Named(), 1.0), "model.calls"),
        (lambda: ag.jit(naming_a_part)({"a": Named()}, 1.0), "models['a'].parts[0].kept"),
        (lambda: ag.jit(in_a_kernel)(nnx.Linear(3, 3, rngs=nnx.Rngs(0)), 1.0), "model.bias"),
        (lambda: ag.jit(counting)(1.0, [Counter(nnx.Rngs(0))]), "models[0].large"),
        (lambda: ag.jit(counting_in_a_keyword)(1.0, model=Counter(nnx.Rngs(0))), "others['model'].large"),
        (lambda: ag.jit(drawing)(nnx.Rngs(noise=0), 1.0), "rngs.noise.count"),
    ],
)
def test_the_places_that_change_are_named(call, place):
    with pytest.warns(ag.AutoGraphWarning) as told:
        call()
    assert any(f"(`{place}`)" in str(one.message) for one in told)


def returned(model, x):
    if x > 0:
        model.large[...] += 1
    return model


def returned_as_a_state(model, x):
    if x > 0:
        model.large[...] += 1
    return nnx.state(model)


def only_read(model, x):
    slope = nnx.grad(lambda model: jnp.sum(nnx.remat(lambda model: model.dense(BATCH))(model)))(model)
    return nnx.jit(lambda model: model.dense(BATCH))(model), nnx.remat(lambda model: model.dense(BATCH))(model), slope


def merged_from_a_state(state, x):
    model = nnx.merge(nnx.graphdef(Counter(nnx.Rngs(0))), state)
    return model(jnp.full(3, x))


@pytest.mark.parametrize("fn", [calls_counted_and_returned, calls_of_a_part_returned, the_same_again])
def test_attributes_that_are_returned_or_stay_are_no_reason_to_warn(fn):
    with warnings.catch_warnings():
        warnings.simplefilter("error", ag.AutoGraphWarning)
        ag.jit(fn)(Named(), 2.0)


@pytest.mark.parametrize("fn", [returned, returned_as_a_state, only_read, merged_from_a_state])
def test_models_that_are_returned_or_only_read_are_no_reason_to_warn(fn):
    model = Counter(nnx.Rngs(0))
    with warnings.catch_warnings():
        warnings.simplefilter("error", ag.AutoGraphWarning)
        result = ag.jit(fn)(nnx.state(model) if fn is merged_from_a_state else model, 2.0)
    if fn is returned:
        assert result.large[...] == 1 and model.large[...] == 0


def scaling(model, x):
    model.kernel[...] = model.kernel[...] * x[0]
    return model(x)


def scaling_in_a_branch(model, x):
    if x[0] > 0:
        model.kernel[...] = model.kernel[...] * x[0]
    return model(x)


def scaling_in_a_loop(model, x):
    for factor in x:
        model.kernel[...] = model.kernel[...] * factor
    return model(x)


@pytest.mark.parametrize("scale", [scaling, scaling_in_a_branch, scaling_in_a_loop])
def test_a_write_to_a_model_from_outside_says_what_the_model_has_to_be(scale):
    def step(x):
        return scale(model, x)

    def merged(state, x):
        model = nnx.merge(graph, state)
        y = scale(model, x)
        return y, nnx.state(model)

    x, expected = jnp.full(3, 2.0), nnx.Linear(3, 3, rngs=nnx.Rngs(0))
    model = nnx.Linear(3, 3, rngs=nnx.Rngs(0))
    with pytest.raises(Exception, match="Cannot mutate Param from a different trace level") as raised:
        ag.jit(step)(x)
    (note,) = [note for note in raised.value.__notes__ if "raised where" in note]
    assert not any("test a Python value" in note for note in raised.value.__notes__)
    assert "a model is written that comes from outside" in note and f"at {__file__}:" in note and "    model.kernel[...] = " in note
    assert "`nnx.jit(ag.convert(f))`" in note and "`nnx.merge(graph, state)`, and return `nnx.state(model)`" in note

    graph, state = nnx.split(copy.deepcopy(model))
    y = scale(expected, x)
    assert jnp.allclose(nnx.jit(ag.convert(scale))(model, x), y, rtol=1e-5)
    assert jnp.allclose(model.kernel[...], expected.kernel[...], rtol=1e-5)
    found, state = ag.jit(merged)(state, x)
    assert jnp.allclose(found, y, rtol=1e-5) and jnp.allclose(state["kernel"][...], expected.kernel[...], rtol=1e-5)


@pytest.mark.parametrize("leave", [lambda x: x.value, lambda x: x + 0])
def test_a_branch_that_leaves_a_variable_is_told_to_leave_its_value(leave):
    def chosen(last):
        def run(variable, x):
            if x > 0:
                return variable * x
            return last(variable)

        return ag.jit(run)

    variable = nnx.Variable(jnp.array(3.0))
    with pytest.raises(ag.StagingError, match="leave the value and not the Variable that holds it: `x.value`, or `x"):
        chosen(lambda x: x)(variable, 2.0)
    assert chosen(leave)(variable, 2.0) == 6 and chosen(leave)(variable, -2.0) == 3
