"""Distrax: distributions and bijectors, the user's own among them, with control flow."""

import jax
import jax.numpy as jnp

from tests.frameworks.harness import framework, program

distrax = framework("distrax")

KEY = jax.random.key(0)


@program
def test_a_distribution_chosen_in_a_branch(jit):
    @jit
    def run(x, wide):
        if wide:
            d = distrax.Normal(0.0, 3.0)
        else:
            d = distrax.Normal(1.0, 1.0)
        return d.log_prob(x)

    return [run(x, wide) for x in (0.1, 2.0) for wide in (True, False)]


@program
def test_kinds_of_distributions_in_a_branch(jit):
    @jit
    def run(x, wide):
        if wide:
            return distrax.Laplace(0.0, 1.0).log_prob(x)
        return distrax.Normal(0.0, 1.0).log_prob(x)

    return [run(x, wide) for x in (0.1, 2.0) for wide in (True, False)]


@program
def test_rejection_sampling(jit):
    @jit
    def run(key, low):
        d, x, n = distrax.Normal(0.0, 1.0), -10.0, 0
        while x < low:
            key, one = jax.random.split(key)
            x = d.sample(seed=one)
            n += 1
        return x, n

    return [run(jax.random.key(seed), 0.5) for seed in range(3)]


class Leaky(distrax.Bijector):
    """A bijector of the user's: two slopes."""

    def __init__(self, slope):
        super().__init__(event_ndims_in=0)
        self.slope = slope

    def forward_and_log_det(self, x):
        if x > 0:
            return x, jnp.zeros_like(x)
        return self.slope * x, jnp.full_like(x, jnp.log(self.slope))

    def inverse_and_log_det(self, y):
        if y > 0:
            return y, jnp.zeros_like(y)
        return y / self.slope, jnp.full_like(y, -jnp.log(self.slope))


@program
def test_a_bijector_with_branches(jit):
    @jit
    def run(x):
        b = Leaky(0.5)
        return b.forward(x), b.forward_log_det_jacobian(x), b.inverse(x)

    return [run(jnp.float32(x)) for x in (1.5, -1.5)]


@program
def test_a_transformed_distribution(jit):
    d = distrax.Transformed(distrax.Normal(0.0, 1.0), Leaky(0.5))

    @jit
    def run(y):
        return d.log_prob(y)

    return [run(jnp.float32(y)) for y in (1.5, -1.5)]


@program
def test_a_chain_of_bijectors(jit):
    b = distrax.Chain([distrax.ScalarAffine(1.0, 2.0), Leaky(0.25)])
    return [jit(b.forward)(jnp.float32(x)) for x in (1.5, -1.5)]


class Clipped(distrax.Distribution):
    """A distribution of the user's."""

    def __init__(self, limit):
        self.limit = limit

    @property
    def event_shape(self):
        return ()

    @property
    def batch_shape(self):
        return ()

    def _sample_n(self, key, n):
        return jnp.clip(jax.random.normal(key, (n,)), -self.limit, self.limit)

    def log_prob(self, x):
        if jnp.abs(x) > self.limit:
            return -jnp.inf
        return -0.5 * x**2


@program
def test_a_distribution_of_ones_own(jit):
    d = Clipped(1.0)
    return [jit(d.log_prob)(x) for x in (0.5, 2.0)], jit(lambda key: d.sample(seed=key, sample_shape=3))(KEY)


@program
def test_a_policy(jit):
    """Actions until the episode is over; exploration where the policy is sure of itself."""

    @jit
    def run(key, logits):
        total, n = 0, 0
        while n < 8:
            key, one, two = jax.random.split(key, 3)
            policy = distrax.Categorical(logits=logits)
            if policy.entropy() < 0.5:
                action = jax.random.randint(one, (), 0, 3)
            else:
                action = policy.sample(seed=two)
            total += action
            if action == 0:
                break
            logits = logits.at[action].add(1.0)
            n += 1
        return total, n

    return [run(jax.random.key(seed), jnp.array([0.0, 1.0, 2.0])) for seed in range(3)]


@program
def test_a_mixture_by_hand(jit):
    @jit
    def run(key):
        one, two = jax.random.split(key)
        k = distrax.Categorical(probs=jnp.array([0.3, 0.7])).sample(seed=one)
        if k == 0:
            x = distrax.Normal(-2.0, 0.1).sample(seed=two)
        else:
            x = distrax.Gamma(2.0, 1.0).sample(seed=two)
        return k, x

    return [run(jax.random.key(seed)) for seed in range(4)]


@program
def test_divergences(jit):
    @jit
    def run(loc):
        p, q = distrax.Normal(loc, 1.0), distrax.Normal(0.0, 2.0)
        divergence = p.kl_divergence(q)
        if divergence > 1.0:
            divergence = 1.0 + jnp.log(divergence)
        return divergence

    return [run(loc) for loc in (0.0, 5.0)]


@program
def test_the_gradient_of_a_log_density(jit):
    @jit
    def fit(xs, most):
        loc = 0.0
        for n in range(most):
            slope = jax.grad(lambda loc: jnp.sum(distrax.Normal(loc, 1.0).log_prob(xs)))(loc)
            if jnp.abs(slope) < 0.1:
                break
            loc = loc + 0.1 * slope
        return loc, n

    return [fit(jnp.array([1.0, 2.0, 3.0]), most) for most in (2, 40)]


@program
def test_hmm_by_hand(jit):
    @jit
    def forward(obs):
        alpha = jnp.log(jnp.array([0.6, 0.4]))
        transition = jnp.log(jnp.array([[0.7, 0.3], [0.2, 0.8]]))
        emission = distrax.Normal(jnp.array([-1.0, 1.0]), 1.0)
        for o in obs:
            if jnp.isnan(o):
                alpha = jax.nn.logsumexp(alpha[:, None] + transition, axis=0)
            else:
                alpha = jax.nn.logsumexp(alpha[:, None] + transition, axis=0) + emission.log_prob(o)
        return alpha

    return forward(jnp.array([0.5, jnp.nan, -1.0]))


@program
def test_what_is_inferred_on_first_use_in_a_branch(jit):
    doubled = distrax.Lambda(lambda x: 2.0 * x + 1.0)
    d = distrax.Transformed(distrax.Normal(0.0, 1.0), distrax.ScalarAffine(1.0, 2.0))

    @jit
    def run(key, x):
        if x > 0:
            y = d.sample(seed=key) + doubled.inverse(x)
        else:
            y = doubled.forward(x)
        return y + d.log_prob(x)

    return [run(KEY, jnp.float32(x)) for x in (1.0, -1.0)]
