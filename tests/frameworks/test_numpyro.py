"""NumPyro: models with control flow, their densities, and inference around them."""

import jax
import jax.numpy as jnp

from tests.frameworks.harness import framework, is_ours, program, refused

numpyro = framework("numpyro")
dist = framework("numpyro.distributions")
infer = framework("numpyro.infer")
handlers = framework("numpyro.handlers")
util = framework("numpyro.infer.util")

KEY = jax.random.key(0)
DATA = jnp.array([0.5, -1.0, 2.0, 0.3])


def robust(data):
    """A scale that is one of two, by the location."""
    loc = numpyro.sample("loc", dist.Normal(0.0, 1.0))
    if loc > 0.5:
        scale = 2.0
    else:
        scale = 1.0
    numpyro.sample("obs", dist.Normal(loc, scale), obs=data)


@program
def test_the_density_of_a_model_with_an_if(jit):
    @jit
    def density(loc):
        return util.log_density(robust, (DATA,), {}, {"loc": loc})[0]

    return [density(loc) for loc in (0.0, 1.0)]


@program
def test_the_gradient_of_a_density(jit):
    @jit
    def gradient(loc):
        return jax.grad(lambda loc: util.log_density(robust, (DATA,), {}, {"loc": loc})[0])(loc)

    return [gradient(loc) for loc in (0.0, 1.0)]


def changing(data):
    """The rate changes at a time that is unknown."""
    early = numpyro.sample("early", dist.Gamma(2.0, 1.0))
    late = numpyro.sample("late", dist.Gamma(2.0, 1.0))
    when = numpyro.sample("when", dist.Uniform(0.0, 4.0))
    for i in range(len(data)):
        if i < when:
            rate = early
        else:
            rate = late
        numpyro.sample(f"y{i}", dist.Poisson(rate), obs=data[i])


@program
def test_a_change_point(jit):
    counts = jnp.array([1, 2, 6, 7])

    @jit
    def density(when):
        values = {"early": 1.5, "late": 6.0, "when": when}
        return util.log_density(changing, (counts,), {}, values)[0]

    return [density(when) for when in (0.5, 2.5)]


def decays(rate, y, steps):
    for _ in range(steps):
        if y > 1.0:
            y = y - rate
        else:
            y = 0.9 * y
    return y


def physical(data, steps):
    rate = numpyro.sample("rate", dist.HalfNormal(1.0))
    y = numpyro.deterministic("y", decays(rate, 3.0, steps))
    numpyro.sample("obs", dist.Normal(y, 0.1), obs=data)


@program
def test_a_simulator_in_a_model(jit):
    @jit
    def density(rate, steps):
        return util.log_density(physical, (DATA, steps), {}, {"rate": rate})[0]

    return [density(rate, 6) for rate in (0.2, 1.5)]


@program
def test_a_trace_of_a_model(jit):
    @jit
    def run(key):
        trace = handlers.trace(handlers.seed(robust, key)).get_trace(DATA)
        return trace["loc"]["value"], trace["obs"]["fn"].log_prob(DATA)

    return [run(jax.random.key(seed)) for seed in range(3)]


@program
def test_a_metropolis_loop(jit):
    @jit
    def run(key, most):
        loc, accepted = 0.0, 0
        value = util.log_density(robust, (DATA,), {}, {"loc": loc})[0]
        for _ in range(most):
            key, one, two = jax.random.split(key, 3)
            tried = loc + jax.random.normal(one)
            other = util.log_density(robust, (DATA,), {}, {"loc": tried})[0]
            if jnp.log(jax.random.uniform(two)) < other - value:
                loc, value = tried, other
                accepted += 1
        return loc, accepted

    return [run(KEY, most) for most in (3, 15)]


@program
def test_a_distribution_chosen_in_a_branch(jit):
    @jit
    def run(x, heavy):
        if heavy:
            value = dist.StudentT(3.0).log_prob(x)
        else:
            value = dist.Normal(0.0, 1.0).log_prob(x)
        return value

    return [run(x, heavy) for x in (0.1, 2.0) for heavy in (True, False)]


def guide(data):
    loc = numpyro.param("loc_q", 0.1)
    numpyro.sample("loc", dist.Normal(loc, 0.3))


@program(reference=lambda: elbo(-0.4))
def test_the_elbo_of_a_model_with_an_if(jit):
    @jit
    def run(q):
        return infer.Trace_ELBO().loss(KEY, {"loc_q": q}, robust, guide, DATA)

    return run(-0.4)


def elbo(q):
    def selected(data):
        loc = numpyro.sample("loc", dist.Normal(0.0, 1.0))
        numpyro.sample("obs", dist.Normal(loc, jnp.where(loc > 0.5, 2.0, 1.0)), obs=data)

    return infer.Trace_ELBO().loss(KEY, {"loc_q": q}, selected, guide, DATA)


def svi(model, wrap):
    made = infer.SVI(model, guide, numpyro.optim.Adam(0.1), infer.Trace_ELBO())
    state = made.init(KEY, DATA)
    update = wrap(lambda state: made.update(state, DATA))
    for _ in range(3):
        state, loss = update(state)
    return made.get_params(state), loss


@program(reference=lambda: svi(selected_robust, lambda f: f))
def test_a_step_of_variational_inference(jit):
    return svi(robust, jit)


def selected_robust(data):
    loc = numpyro.sample("loc", dist.Normal(0.0, 1.0))
    numpyro.sample("obs", dist.Normal(loc, jnp.where(loc > 0.5, 2.0, 1.0)), obs=data)


@program(reference=lambda: nuts(selected_robust))
def test_nuts_of_a_converted_model(jit):
    import autograph as ag

    return nuts(ag.convert(robust)) if is_ours(jit) else nuts(selected_robust)


def nuts(model):
    run = infer.MCMC(infer.NUTS(model), num_warmup=20, num_samples=20, progress_bar=False)
    run.run(jax.random.key(3), DATA)
    return run.get_samples()["loc"]


def walk(steps):
    """A random walk that is reflected."""
    x = 0.0
    for i in range(steps):
        x = x + numpyro.sample(f"dx{i}", dist.Normal(0.0, 1.0))
        if x < 0:
            x = -x
    return x


@program
def test_a_reflected_walk(jit):
    @jit
    def run(key):
        return handlers.seed(walk, key)(5)

    return [run(jax.random.key(seed)) for seed in range(3)]


@program
def test_the_inverse_of_a_transform_in_a_branch(jit):
    """It is kept by a weak reference, and made again."""
    affine = dist.transforms.AffineTransform(1.0, 2.0)
    d = dist.TransformedDistribution(dist.Normal(0.0, 1.0), [affine, dist.transforms.ExpTransform()])

    @jit
    def run(x):
        if x > 0:
            y = d.log_prob(x)
        else:
            y = affine.inv(x)
        return y

    return [run(x) for x in (0.3, -0.3)]


def branching(data):
    loc = numpyro.sample("loc", dist.Normal(0.0, 1.0))
    if loc > 0.5:
        scale = numpyro.sample("scale", dist.HalfNormal(1.0))
    else:
        scale = 1.0
    numpyro.sample("obs", dist.Normal(loc, scale), obs=data)


def drawn_before(data):
    loc = numpyro.sample("loc", dist.Normal(0.0, 1.0))
    scale = numpyro.sample("scale", dist.HalfNormal(1.0))
    if loc > 0.5:
        penalty = -loc
    else:
        scale, penalty = 1.0, 2 * loc
    numpyro.factor("penalty", penalty)
    numpyro.sample("obs", dist.Normal(loc, scale), obs=data)


@program
def test_what_is_sampled_before_a_branch_and_chosen_there(jit):
    @jit
    def run(loc):
        return util.log_density(drawn_before, (DATA,), {}, {"loc": loc, "scale": 2.0})[0]

    return [run(loc) for loc in (0.3, 1.0)]


@refused(match="instead: call `numpyro.sample`, .* before the statement, and choose in it what is used")
def test_a_sample_in_a_branch_is_refused(jit):
    return jit(lambda loc: util.log_density(branching, (DATA,), {}, {"loc": loc, "scale": 1.0})[0])(1.0)
