"""Programs as repositories and tutorials have them, which join several libraries or several kinds of state in one loop."""

from typing import NamedTuple

import jax
import jax.numpy as jnp

import autograph as ag
from tests.frameworks.harness import framework, program, refused

nn = framework("flax.linen")
struct = framework("flax.struct")
train_state = framework("flax.training.train_state")
optax = framework("optax")
eqx = framework("equinox")
hk = framework("haiku")
numpyro = framework("numpyro")

KEY = jax.random.key(0)
DATA = jax.random.normal(jax.random.key(1), (16, 3))
TARGET = jnp.sin(jnp.sum(DATA, axis=1))


class Decoder(nn.Module):
    """A language model with a cache of its own in a collection."""

    @nn.compact
    def __call__(self, token):
        y = nn.Embed(7, 4)(token)
        y = nn.SelfAttention(num_heads=2, qkv_features=4, decode=True)(y)
        return nn.Dense(7)(y)


@program
def test_decoding_with_a_cache_until_the_end_is_met(jit):
    net = Decoder()
    variables = net.init(KEY, jnp.ones((1, 6), jnp.int32))

    @jit
    def generate(params, cache, token, end):
        n = 0
        while n < 5:
            logits, new = net.apply({"params": params, "cache": cache}, token[None, None], mutable=["cache"])
            cache, token, n = new["cache"], jnp.argmax(logits[0, -1]), n + 1
            if token == end:
                break
        return token, n, cache

    return [generate(variables["params"], variables["cache"], jnp.array(2), end) for end in (3, 5)]


class Beam(NamedTuple):
    scores: jax.Array
    tokens: jax.Array
    length: int


@program
def test_a_beam_in_a_named_tuple(jit):
    table = jax.nn.log_softmax(3 * jax.random.normal(KEY, (6, 6)))

    @jit
    def search(first):
        beam = Beam(jnp.array([0.0, -1e9]), jnp.zeros((2, 5), jnp.int32).at[:, 0].set(first), 0)
        while beam.length < 4:
            ends = beam.tokens[:, beam.length]
            scores, picked = jax.lax.top_k((beam.scores[:, None] + table[ends]).reshape(-1), 2)
            tokens = beam.tokens[picked // 6].at[:, beam.length + 1].set(picked % 6)
            beam = beam._replace(scores=scores, tokens=tokens, length=beam.length + 1)
            if jnp.all(picked % 6 == 0):
                break
        return beam

    return [search(first) for first in (1, 4)]


class BatchNormed(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        x = nn.BatchNorm(use_running_average=not train, momentum=0.8)(nn.Dense(3)(x))
        return nn.Dense(1)(nn.relu(x))[:, 0]


class State(train_state.TrainState):
    statistics: dict


@program
def test_a_train_state_that_skips_steps_and_keeps_statistics(jit):
    net = BatchNormed()
    made = net.init(KEY, DATA, True)
    begin = State.create(
        apply_fn=net.apply, params=made["params"], tx=optax.sgd(0.1), statistics=made["batch_stats"]
    )

    @jit
    def fit(state, tolerance):
        loss, n = jnp.inf, 0
        while loss > tolerance and n < 6:

            def loss_of(params):
                variables = {"params": params, "batch_stats": state.statistics}
                y, new = state.apply_fn(variables, DATA, True, mutable=["batch_stats"])
                return jnp.mean((y - TARGET) ** 2), new

            (loss, new), slope = jax.value_and_grad(loss_of, has_aux=True)(state.params)
            if n % 3 != 1:
                state = state.apply_gradients(grads=slope).replace(statistics=new["batch_stats"])
            n += 1
        return state.params["Dense_1"], state.statistics, state.step, n

    return fit(begin, 0.1)


class Node(eqx.Module):
    """A tree that decides: its method calls that of its children."""

    weight: jax.Array
    children: tuple

    def __call__(self, x):
        if not self.children:
            return self.weight
        if self.weight @ x > 0:
            return self.children[0](x)
        return self.children[1](x)


def tree(key, depth):
    own, left, right = jax.random.split(key, 3)
    return Node(jax.random.normal(own, (3,)), (tree(left, depth - 1), tree(right, depth - 1)) if depth else ())


@program
def test_a_module_whose_method_calls_that_of_its_children(jit):
    node = tree(KEY, 2)
    value, slope = jit(lambda node, x: node(x)), jit(jax.grad(lambda node, x: jnp.sum(node(x))))
    return [(value(node, x), slope(node, x)) for x in DATA[:3]]


@program
def test_functions_of_a_multi_transform_in_a_loop(jit):
    def both():
        encoder, decoder = hk.Linear(2, name="encoder"), hk.Linear(3, name="decoder")

        def encode(x):
            z = encoder(x)
            if jnp.linalg.norm(z) > 1:
                z = z / jnp.linalg.norm(z)
            return z

        return lambda x: decoder(encode(x)), (encode, lambda z: decoder(z))

    net = hk.without_apply_rng(hk.multi_transform(both))
    params = net.init(KEY, DATA[0])
    encode, decode = net.apply

    @jit
    def fitted(params, x):
        z, n = encode(params, x), 0
        while jnp.sum((decode(params, z) - x) ** 2) > 0.5 and n < 5:
            z = z - 0.1 * jax.grad(lambda z: jnp.sum((decode(params, z) - x) ** 2))(z)
            n += 1
        return z, n

    return [fitted(params, x) for x in DATA[:2]]


class Slices:
    """A sampler that counts in an attribute, with loops in a method."""

    def __init__(self, log_density, width):
        self.log_density, self.width, self.calls = log_density, width, 0

    def step(self, x, key):
        key, here = jax.random.split(key)
        level = self.log_density(x) + jnp.log(jax.random.uniform(here))
        low, high = x - self.width, x + self.width
        while self.log_density(low) > level:
            low -= self.width
            self.calls += 1
        while self.log_density(high) > level:
            high += self.width
            self.calls += 1
        while True:
            key, here = jax.random.split(key)
            new = low + (high - low) * jax.random.uniform(here)
            self.calls += 1
            if self.log_density(new) > level:
                return new
            if new < x:
                low = new
            else:
                high = new


@program
def test_a_slice_sampler(jit):
    def log_density(x):
        if x < 0:
            return -jnp.inf
        return jnp.log(x + 1e-6) - x

    @jit
    def run(key):
        sampler, x = Slices(log_density, 1.0), 1.0
        for n in ag.range(3):
            x = sampler.step(x, jax.random.fold_in(key, n))
        return x, sampler.calls

    return run(KEY)


@struct.dataclass
class Particles:
    places: jax.Array
    weights: jax.Array
    drawn: int = 0


@program
def test_a_particle_filter_that_resamples_when_it_must(jit):
    @jit
    def run(ys, key, share):
        cloud, means = Particles(jax.random.normal(key, (10,)), jnp.zeros(10)), []
        for n, y in enumerate(ys):
            first, second = jax.random.split(jax.random.fold_in(key, n))
            if 1 / jnp.sum(jax.nn.softmax(cloud.weights) ** 2) < share * 10:
                picked = jax.random.categorical(first, cloud.weights, shape=(10,))
                cloud = cloud.replace(places=cloud.places[picked], weights=jnp.zeros(10), drawn=cloud.drawn + 1)
            cloud = cloud.replace(places=0.9 * cloud.places + 0.3 * jax.random.normal(second, (10,)))
            if not jnp.isnan(y):
                cloud = cloud.replace(weights=cloud.weights - (y - cloud.places) ** 2)
            means.append(jnp.sum(jax.nn.softmax(cloud.weights) * cloud.places))
        return jnp.stack(means), cloud

    return run(TARGET[:5].at[2].set(jnp.nan), KEY, 0.7)


@program
def test_an_update_in_minibatches_that_stops_in_both_loops(jit):
    @jit
    def update(w, most):
        stop, n = False, 0
        for epoch in ag.range(3):
            order = jax.random.permutation(jax.random.fold_in(KEY, epoch), 16).reshape(4, 4)
            for rows in order:
                error, slope = jax.value_and_grad(lambda w: jnp.mean((DATA[rows] @ w - TARGET[rows]) ** 2))(w)
                if error > most:
                    stop = True
                    break
                w, n = w - 0.1 * slope, n + 1
            if stop:
                break
        return w, n, stop

    return [update(jnp.zeros(3), most) for most in (0.4, 10.0)]


@refused(match=r"(?s)the contents of an OrderedDict.*keys 'w', 'high'.*keys 'w', 'low'")
def test_sites_of_two_branches_are_shown_by_their_names(jit):
    def model():
        w = numpyro.sample("w", numpyro.distributions.Normal(0.0, 1.0))
        if w > 0:
            numpyro.factor("high", -w)
        else:
            numpyro.factor("low", w)

    jit(lambda w: numpyro.infer.util.log_density(model, (), {}, {"w": w})[0])(1.0)
