"""Haiku: transformed functions and modules with control flow, state and random numbers."""

import jax
import jax.numpy as jnp

import autograph as ag
from tests.frameworks.harness import framework, is_ours, program, refused

hk = framework("haiku")
optax = framework("optax")

KEY = jax.random.key(0)
SMALL, LARGE = jnp.full((3,), 0.1), jnp.array([3.0, -2.0, 4.0])
BATCH = jax.random.normal(jax.random.key(1), (8, 3))
TARGET = jnp.sum(BATCH, axis=1)


def clipped(x):
    y = hk.Linear(4)(x)
    if jnp.linalg.norm(y) > 1.0:
        y = y / jnp.linalg.norm(y)
    return y


@program
def test_an_if_in_a_transformed_function(jit):
    net = hk.without_apply_rng(hk.transform(clipped))
    params = net.init(KEY, SMALL)
    return [jit(net.apply)(params, x) for x in (SMALL, LARGE)]


@program
def test_a_transformed_function_that_jax_jits(jit):
    net = hk.without_apply_rng(hk.transform(lambda x: x * 2 if jnp.sum(x) > 1 else x))
    apply = jit(jax.jit(net.apply) if is_ours(jit) else net.apply)
    return [apply({}, x) for x in (SMALL, LARGE)]


@program
def test_each_of_several_transformed_functions(jit):
    def functions():
        def doubled(x):
            return x * 2 if jnp.sum(x) > 1 else x

        return doubled, (doubled, lambda x: doubled(x) + 1)

    net = hk.without_apply_rng(hk.multi_transform(functions))
    return [jit(apply)({}, x) for x in (SMALL, LARGE) for apply in net.apply]


class Clipped(hk.Module):
    def __init__(self, limit, name=None):
        super().__init__(name=name)
        self.limit = limit

    def __call__(self, x):
        y = hk.Linear(4)(x)
        if jnp.max(jnp.abs(y)) > self.limit:
            y = jnp.clip(y, -self.limit, self.limit)
        return y


@program
def test_an_if_in_a_module(jit):
    net = hk.without_apply_rng(hk.transform(lambda x: Clipped(1.0)(Clipped(2.0)(x))))
    params = net.init(KEY, SMALL)

    @jit
    def run(params, x):
        return net.apply(params, x)

    return [run(params, x) for x in (SMALL, LARGE)]


class Moe(hk.Module):
    def __init__(self):
        super().__init__()
        self.router = hk.Linear(2)
        self.left = hk.Linear(3, name="left")
        self.right = hk.nets.MLP([4, 3], name="right")

    def __call__(self, x):
        scores = self.router(x)
        if hk.running_init():
            self.left(x)
            return self.right(x)
        if scores[0] > scores[1]:
            return self.left(x)
        return self.right(x)


@program
def test_a_mixture_of_experts(jit):
    net = hk.without_apply_rng(hk.transform(lambda x: Moe()(x)))
    params = net.init(KEY, SMALL)
    return [jit(net.apply)(params, x) for x in (SMALL, LARGE, -LARGE)]


@program
def test_the_gradient_of_a_mixture(jit):
    net = hk.without_apply_rng(hk.transform(lambda x: Moe()(x)))
    params = net.init(KEY, SMALL)

    @jit
    def gradient(params, x):
        return jax.grad(lambda params: jnp.sum(net.apply(params, x) ** 2))(params)

    return [gradient(params, x) for x in (LARGE, -LARGE)]


def refined(x):
    layer = hk.Linear(3, w_init=hk.initializers.RandomNormal(0.2))
    y, n = layer(x), 0
    while n < 20:
        after = jnp.tanh(layer(y)) + x
        if jnp.max(jnp.abs(after - y)) < 1e-3:
            break
        y = after
        n += 1
    return layer(y), n


@program
def test_a_layer_in_a_loop(jit):
    net = hk.without_apply_rng(hk.transform(refined))
    params = net.init(KEY, SMALL)
    return [jit(net.apply)(params, x) for x in (SMALL, LARGE)]


def counted(x):
    count = hk.get_state("count", [], jnp.int32, init=jnp.zeros)
    y = hk.Linear(3)(x)
    if jnp.sum(x) > 1.0:
        hk.set_state("count", count + 1)
        y = -y
    return y


@program
def test_state_set_in_a_branch(jit):
    net = hk.without_apply_rng(hk.transform_with_state(counted))
    params, state = net.init(KEY, SMALL)
    return [jit(net.apply)(params, state, x) for x in (SMALL, LARGE)]


def noisy(x):
    y = hk.Linear(3)(x)
    if jnp.sum(x) > 1.0:
        y = hk.dropout(hk.next_rng_key(), 0.5, y)
    return y


@program
def test_dropout_in_a_branch(jit):
    net = hk.transform(noisy)
    params = net.init(KEY, SMALL)
    return [jit(net.apply)(params, jax.random.key(seed), x) for seed in range(2) for x in (SMALL, LARGE)]


def normed(x):
    norm = hk.BatchNorm(True, True, 0.9)
    if jnp.std(x) > 0.1:
        return norm(x, is_training=True)
    return norm(x, is_training=False)


@program
def test_batch_norm_in_a_branch(jit):
    net = hk.without_apply_rng(hk.transform_with_state(normed))
    params, state = net.init(KEY, BATCH)
    return [jit(net.apply)(params, state, x) for x in (BATCH, 0.01 * BATCH)]


def mlp(x):
    for size in (4, 4):
        x = jax.nn.relu(hk.Linear(size)(x))
        if jnp.max(x) > 2.0:
            x = x * (2.0 / jnp.max(x))
    return hk.Linear(1)(x)[..., 0]


@program
def test_a_whole_training_with_early_stopping(jit):
    net = hk.without_apply_rng(hk.transform(mlp))
    params = net.init(KEY, BATCH)
    optimizer = optax.adam(0.1)

    def loss(params):
        return jnp.mean((net.apply(params, BATCH) - TARGET) ** 2)

    @jit
    def train(params, most):
        state, best, best_params, waited, n = optimizer.init(params), jnp.inf, params, 0, 0
        while n < most:
            value, grads = jax.value_and_grad(loss)(params)
            if value < best - 1e-2:
                best, best_params, waited = value, params, 0
            else:
                waited += 1
                if waited == 2:
                    break
            updates, state = optimizer.update(grads, state)
            params = optax.apply_updates(params, updates)
            n += 1
        return best, best_params, n

    return [train(params, most) for most in (2, 8)]


def unrolled(xs, length):
    core = hk.VanillaRNN(4)
    h = core.initial_state(None)
    for i, x in enumerate(xs):
        if i >= length:
            break
        _, h = core(x, h)
    return h


@program
def test_a_recurrent_core_over_a_sequence(jit):
    net = hk.without_apply_rng(hk.transform(unrolled))
    params = net.init(KEY, BATCH, 1)
    return [jit(net.apply)(params, BATCH, n) for n in (1, 4, 8)]


def by_method(x):
    net = Greedy(5)
    return net.decode(x)


class Greedy(hk.Module):
    def __init__(self, words, name=None):
        super().__init__(name)
        self.embed = hk.Embed(words, 4)
        self.out = hk.Linear(words)

    def scores(self, token):
        return self.out(jnp.tanh(self.embed(token)))

    def decode(self, token):
        n, total = 0, 0.0
        while n < 6:
            scores = self.scores(token)
            token = jnp.argmax(scores)
            total += jnp.max(scores)
            if token == 0:
                return n, total
            n += 1
        return n, total


@program
def test_decoding_in_a_method(jit):
    net = hk.without_apply_rng(hk.transform(by_method))
    params = net.init(KEY, jnp.int32(1))
    return [jit(net.apply)(params, jnp.int32(k)) for k in range(5)]


@program
def test_keys_of_a_sequence_in_a_branch(jit):
    @jit
    def run(key, x):
        keys = hk.PRNGSequence(key)
        if x > 0:
            x = x + jax.random.uniform(next(keys))
            for one, _ in zip(keys, range(2)):
                x = x - jax.random.uniform(one)
        return x + jax.random.uniform(next(keys))

    return [run(KEY, x) for x in (1.0, -1.0)]


@program
def test_keys_of_a_sequence_in_a_loop(jit):
    @jit
    def run(key):
        keys, n = hk.PRNGSequence(key), 0
        x = jax.random.normal(next(keys))
        while x < 0.5:
            x = jax.random.normal(next(keys))
            n += 1
        return x, n, jax.random.normal(next(keys))

    return [run(jax.random.key(seed)) for seed in range(4)]


def normed_in_groups(x):
    layers = hk.GroupNorm(2), hk.Bias()
    if hk.running_init():
        return [layer(x) for layer in layers]
    y = x
    for layer in layers:
        if jnp.sum(x) > 0:
            y = layer(y)
    return y


@program
def test_layers_that_note_their_shape_in_a_branch(jit):
    x = jnp.arange(8.0).reshape(2, 4)
    net = hk.without_apply_rng(hk.transform(normed_in_groups))
    params = net.init(KEY, x)
    return [jit(net.apply)(params, k * x) for k in (1, -1)]


def chosen(x, first):
    """`first` calls both layers before the branch, as `docs/frameworks.md` says."""
    left, right = hk.Linear(2, name="left"), hk.Linear(2, name="right")
    if first:
        left(x), right(x)
    if jnp.sum(x) > 0:
        return left(x)
    return right(x)


@refused(match="the contents of a defaultdict[^$]*instead: make the modules before[^$]*`if hk.running_init\\(\\): left")
def test_parameters_that_one_branch_makes_are_refused(jit):
    net = hk.without_apply_rng(hk.transform(lambda x: chosen(x, first=False)))
    return jit(net.init)(KEY, SMALL)


def test_parameters_that_are_made_before_the_branch_are_those_of_both():
    net = hk.without_apply_rng(hk.transform(lambda x: chosen(x, first=hk.running_init())))
    assert set(ag.jit(net.init)(KEY, SMALL)) == {"left", "right"}
