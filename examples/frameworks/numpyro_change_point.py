"""NumPyro: when did British coal mines become safer? A model with `if`, sampled by NumPyro's own NUTS.

The number of accidents in a year has one rate until an unknown year and another one behind it; the rate need not jump, it
may fall over some years. The model says so in plain Python. NumPyro jits by itself, so `@ag.convert` stands on the model. The
reference is the same model by `jnp.where`.

    python examples/frameworks/numpyro_change_point.py [SAMPLES]
"""

import sys

import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
from comparing import compare, seconds
from numpyro.infer import MCMC, NUTS
from numpyro.infer.util import log_density

import autograph as ag

FIRST = 1851
# Accidents in each year from 1851 to 1961 (Jarrett 1979), one digit a year.
COUNTS = (
    "454014340633402633545314415534252234213221111300101100310322011101010002100011023311211112420014000100000100101"
)


def rate_of(year, early, late, begin, years):
    """The accidents that a year is expected to have: they begin to change in one year, and take some years to do so."""
    if year < begin:
        return early
    if year < begin + years:
        return early + (late - early) * (year - begin) / years
    return late


@ag.convert
def model(years, accidents):
    early = numpyro.sample("early", dist.Gamma(2.0, 1.0))
    late = numpyro.sample("late", dist.Gamma(2.0, 1.0))
    begin = numpyro.sample("begin", dist.Uniform(1851.0, 1961.0))
    slow = numpyro.sample("slow", dist.HalfNormal(10.0))
    rates = jax.vmap(lambda year: rate_of(year, early, late, begin, slow))(years)
    numpyro.sample("accidents", dist.Poisson(rates), obs=accidents)


def model_by_where(years, accidents):
    early = numpyro.sample("early", dist.Gamma(2.0, 1.0))
    late = numpyro.sample("late", dist.Gamma(2.0, 1.0))
    begin = numpyro.sample("begin", dist.Uniform(1851.0, 1961.0))
    slow = numpyro.sample("slow", dist.HalfNormal(10.0))
    ramp = early + (late - early) * (years - begin) / slow
    rates = jnp.where(years < begin, early, jnp.where(years < begin + slow, ramp, late))
    numpyro.sample("accidents", dist.Poisson(rates), obs=accidents)


def data():
    """Years and accidents."""
    return FIRST + jnp.arange(len(COUNTS)), jnp.array([int(digit) for digit in COUNTS])


def samples_of(model, count):
    """Samples of the posterior, by NumPyro: it compiles the model and its gradient."""
    mcmc = MCMC(NUTS(model), num_warmup=count // 2, num_samples=count, progress_bar=False)
    mcmc.run(jax.random.key(0), *data())
    return mcmc.get_samples()


def densities(model, samples):
    """Logarithms of the model's density at some samples, and their gradients: one after the other, without `jax.jit`."""

    def density(sample):
        return log_density(model, data(), {}, sample)[0]

    some = [{name: values[i] for name, values in samples.items()} for i in range(0, len(samples["late"]), 100)]
    return [jax.value_and_grad(density)(sample) for sample in some]


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    print(f"Accidents in British coal mines, 1851 to 1961: {count} samples of when they became rarer")
    time, found = seconds(lambda: samples_of(model, count))
    print(f"  NumPyro's NUTS             {time:8.2f} s    convert, trace, compile and sample")
    print("  densities of some samples and their gradients:")
    compiled = ag.jit(densities, static_argnums=0)
    compare(lambda: densities(model_by_where, found), lambda: compiled(model, found), "by jnp.where, not jitted")
    for name, values in found.items():
        low, middle, high = jnp.percentile(values, jnp.array([5.0, 50.0, 95.0]))
        print(f"  {name:<6} {middle:8.2f}   90 % between {low:8.2f} and {high:8.2f}")
    print("  accidents in ten years, and what the model expects:")
    early, late, begin, slow = (jnp.median(found[name]).item() for name in ("early", "late", "begin", "slow"))
    for start in range(0, len(COUNTS) - 1, 10):
        seen = sum(int(digit) for digit in COUNTS[start : start + 10])
        expected = sum(rate_of(FIRST + i, early, late, begin, slow) for i in range(start, start + 10))
        print(f"    {FIRST + start}  {'#' * seen:<40} {expected:5.1f}")


if __name__ == "__main__":
    main()
