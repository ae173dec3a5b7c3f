"""Optimistix: objectives, callbacks and solvers with control flow."""

import jax
import jax.numpy as jnp

from tests.frameworks.harness import framework, program

optx = framework("optimistix")
eqx = framework("equinox")

START = jnp.array([3.0, -2.0])


def huber(x, scale):
    error = jnp.linalg.norm(x - 1.0) / scale
    if error > 1.0:
        return error - 0.5
    return 0.5 * error**2


def selected(x, scale):
    error = jnp.linalg.norm(x - 1.0) / scale
    return jnp.where(error > 1.0, error - 0.5, 0.5 * error**2)


def minimised(fun, solver, wrap):
    return wrap(lambda x, s: optx.minimise(fun, solver, x, s, max_steps=30, throw=False).value)(START, 2.0)


BFGS = optx.BFGS(rtol=1e-3, atol=1e-3)


@program(reference=lambda: minimised(selected, BFGS, jax.jit))
def test_bfgs(jit):
    return minimised(huber, BFGS, jit)


DESCENT = optx.GradientDescent(0.5, rtol=1e-3, atol=1e-3)


@program(reference=lambda: minimised(selected, DESCENT, jax.jit))
def test_gradient_descent(jit):
    return minimised(huber, DESCENT, jit)


SIMPLEX = optx.NelderMead(rtol=1e-2, atol=1e-2)


@program(reference=lambda: minimised(selected, SIMPLEX, jax.jit))
def test_nelder_mead(jit):
    return minimised(huber, SIMPLEX, jit)


def residuals(x, k):
    if x[0] > 1.0:
        return jnp.stack([2 * (x[0] - k), x[1]])
    return jnp.stack([x[0] - k, x[1]])


def selected_residuals(x, k):
    return jnp.stack([jnp.where(x[0] > 1.0, 2.0, 1.0) * (x[0] - k), x[1]])


def fitted(fun, wrap):
    solver = optx.LevenbergMarquardt(rtol=1e-3, atol=1e-3)
    return wrap(lambda k: optx.least_squares(fun, solver, START, k, max_steps=30, throw=False).value)(0.5)


@program(reference=lambda: fitted(selected_residuals, jax.jit))
def test_levenberg_marquardt(jit):
    return fitted(residuals, jit)


def root(x, k):
    if x > 1.0:
        return x * x - k
    return k * x - 2 * k + 1


def selected_root(x, k):
    return jnp.where(x > 1.0, x * x - k, k * x - 2 * k + 1)


def solved(fun, solver, wrap):
    return wrap(lambda k: optx.root_find(fun, solver, jnp.float32(2.0), k, max_steps=40, throw=False).value)(3.0)


NEWTON = optx.Newton(rtol=1e-4, atol=1e-4)


@program(reference=lambda: solved(selected_root, NEWTON, jax.jit))
def test_newton(jit):
    return solved(root, NEWTON, jit)


@program(reference=lambda: jax.grad(lambda k: solved_at(selected_root, k))(3.0))
def test_the_implicit_gradient_of_a_root(jit):
    return jit(jax.grad(lambda k: solved_at(root, k)))(3.0)


def solved_at(fun, k):
    return optx.root_find(fun, NEWTON, jnp.float32(2.0), k, max_steps=40, throw=False).value


def bisected(fun, wrap):
    solver = optx.Bisection(rtol=1e-3, atol=1e-3)
    options = {"lower": 0.0, "upper": 4.0}

    def run(k):
        return optx.root_find(fun, solver, jnp.float32(2.0), k, options=options, max_steps=40, throw=False).value

    return wrap(run)(3.0)


@program(reference=lambda: bisected(selected_root, jax.jit))
def test_bisection(jit):
    return bisected(root, jit)


def cosine(x, k):
    if x > 2.0:
        return x / 2
    return jnp.cos(k * x)


def settled(fun, wrap):
    solver = optx.FixedPointIteration(rtol=1e-3, atol=1e-3)
    return wrap(lambda k: optx.fixed_point(fun, solver, jnp.float32(3.0), k, max_steps=60, throw=False).value)(0.9)


@program(reference=lambda: settled(lambda x, k: jnp.where(x > 2.0, x / 2, jnp.cos(k * x)), jax.jit))
def test_fixed_points(jit):
    return settled(cosine, jit)


def restarted(fun, xs, wrap):
    def run(xs):
        best, at = jnp.inf, xs[0]
        for x in xs:
            found = optx.minimise(fun, BFGS, x, 2.0, max_steps=20, throw=False).value
            if fun(found, 2.0) < best:
                best, at = fun(found, 2.0), found
            if best < 1e-4:
                break
        return best, at

    return wrap(run)(xs)


STARTS = jnp.stack([2 * START, START, -START])


@program(reference=lambda: restarted(selected, STARTS, lambda f: f))
def test_several_starts(jit):
    return restarted(huber, STARTS, jit)


def interactive(fun, x, most):
    """The documented loop of `init`, `step`, `terminate`, with the user's own test."""
    solver, args, options = BFGS, 2.0, {}
    fn = lambda y, args: (fun(y, args), None)  # noqa: E731 - as the library's own page has it
    f_struct = jax.eval_shape(lambda: fn(x, args)[0])
    state = solver.init(fn, x, args, options, f_struct, None, frozenset())
    n = 0
    while n < most:
        done, _ = solver.terminate(fn, x, args, options, state, frozenset())
        if done:
            break
        x, state, _ = solver.step(fn, x, args, options, state, frozenset())
        n += 1
    return x, n


@program(reference=lambda: [interactive(selected, START, most) for most in (2, 15)])
def test_steps_in_a_loop_of_ones_own(jit):
    run = jit(lambda x, most: interactive(huber, x, most))
    return [run(START, most) for most in (2, 15)]


class Model(eqx.Module):
    """A residual that is a module."""

    xs: jax.Array
    ys: jax.Array

    def __call__(self, params, args):
        found = params[0] * self.xs + params[1]
        worst = jnp.max(jnp.abs(found - self.ys))
        if worst > 10.0:
            return (found - self.ys) / worst
        return found - self.ys


def line(wrap):
    model = Model(jnp.arange(4.0), jnp.array([1.0, 3.0, 5.0, 7.0]))
    solver = optx.GaussNewton(rtol=1e-3, atol=1e-3)
    return wrap(lambda p: optx.least_squares(model, solver, p, max_steps=20, throw=False).value)(jnp.array([0.0, 0.0]))


@program(reference=lambda: jnp.array([2.0, 1.0]))
def test_a_module_as_residual(jit):
    return line(jit)
