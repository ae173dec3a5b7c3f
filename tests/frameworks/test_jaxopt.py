"""Jaxopt: solvers whose objectives branch, and loops of their steps."""

import jax
import jax.numpy as jnp

from tests.frameworks.harness import framework, program

jaxopt = framework("jaxopt")

START = jnp.array([3.0, -2.0])


def huber(x, scale=1.0):
    error = jnp.linalg.norm(x - 1.0) / scale
    if error > 1.0:
        return error - 0.5
    return 0.5 * error**2


def selected(x, scale=1.0):
    error = jnp.linalg.norm(x - 1.0) / scale
    return jnp.where(error > 1.0, error - 0.5, 0.5 * error**2)


def descended(fun, wrap):
    solver = jaxopt.GradientDescent(fun=fun, maxiter=20, stepsize=0.5)
    return wrap(lambda x: solver.run(x, scale=2.0).params)(START)


@program(reference=lambda: descended(selected, jax.jit))
def test_gradient_descent(jit):
    return descended(huber, jit)


def quasi_newton(fun, wrap):
    solver = jaxopt.BFGS(fun=fun, maxiter=15)
    return wrap(lambda x: solver.run(x).params)(START)


@program(reference=lambda: quasi_newton(selected, jax.jit))
def test_bfgs(jit):
    return quasi_newton(huber, jit)


def limited(fun, wrap):
    solver = jaxopt.LBFGS(fun=fun, maxiter=10, linesearch="backtracking")
    return wrap(lambda x: solver.run(x).params)(START)


@program(reference=lambda: limited(selected, jax.jit))
def test_lbfgs(jit):
    return limited(huber, jit)


def stepped(solver, x, most):
    state, n = solver.init_state(x), 0
    while n < most and solver.l2_optimality_error(x) > 0.1:
        x, state = solver.update(x, state)
        n += 1
    return x, n


def gradient(fun):
    return jaxopt.GradientDescent(fun=fun, stepsize=0.5, jit=False)


@program(reference=lambda: [stepped(gradient(selected), START, most) for most in (2, 15)])
def test_a_loop_of_steps(jit):
    run = jit(lambda x, most: stepped(gradient(huber), x, most))
    return [run(START, most) for most in (2, 15)]


def root(x):
    if x > 1.0:
        return x * x - 3.0
    return 3.0 * x - 5.0


def bisected(f, wrap):
    return wrap(lambda low: jaxopt.Bisection(f, low, 3.0, maxiter=25, check_bracket=False).run().params)(0.0)


@program(reference=lambda: bisected(lambda x: jnp.where(x > 1.0, x * x - 3.0, 3.0 * x - 5.0), jax.jit))
def test_bisection(jit):
    return bisected(root, jit)


def fixed(f, wrap):
    return wrap(lambda x: jaxopt.FixedPointIteration(f, maxiter=30, tol=1e-4).run(x).params)(jnp.float32(3.0))


def cosine(x):
    if x > 2.0:
        return x / 2
    return jnp.cos(x)


@program(reference=lambda: fixed(lambda x: jnp.where(x > 2.0, x / 2, jnp.cos(x)), jax.jit))
def test_fixed_points(jit):
    return fixed(cosine, jit)


def bounded(x, limit):
    """A projection of the user's."""
    norm = jnp.linalg.norm(x)
    if norm > limit:
        return x * (limit / norm)
    return x


def selected_bounded(x, limit):
    norm = jnp.linalg.norm(x)
    return x * jnp.where(norm > limit, limit / norm, 1.0)


def projected(fun, projection, wrap):
    solver = jaxopt.ProjectedGradient(fun, projection, maxiter=10, stepsize=0.3)
    return wrap(lambda x: solver.run(x, hyperparams_proj=0.5).params)(START)


@program(reference=lambda: projected(selected, selected_bounded, jax.jit))
def test_a_projection_with_a_branch(jit):
    return projected(huber, bounded, jit)


def residual(x):
    if x[0] > 1.0:
        return jnp.stack([2 * (x[0] - 0.5), x[1]])
    return jnp.stack([x[0] - 0.0, x[1]])


def fitted(f, wrap):
    return wrap(lambda x: jaxopt.GaussNewton(f, maxiter=3).run(x).params)(START)


@program(reference=lambda: fitted(lambda x: jnp.stack([jnp.where(x[0] > 1, 2 * (x[0] - 0.5), x[0]), x[1]]), jax.jit))
def test_gauss_newton(jit):
    return fitted(residual, jit)


def restarted(fun, xs):
    """The best of several starts."""
    best, at = jnp.inf, xs[0]
    for x in xs:
        found = jaxopt.GradientDescent(fun, maxiter=5, stepsize=0.5).run(x).params
        if fun(found) < best:
            best, at = fun(found), found
        if best < 1e-3:
            break
    return best, at


@program(reference=lambda: restarted(selected, jnp.stack([2 * START, START, -START])))
def test_several_starts(jit):
    return jit(lambda xs: restarted(huber, xs))(jnp.stack([2 * START, START, -START]))


def implicit(fun, wrap):
    def outer(scale):
        solver = jaxopt.GradientDescent(fun, maxiter=50, stepsize=0.3)
        return jnp.sum(solver.run(START, scale).params ** 2)

    return wrap(jax.grad(outer))(2.0)


def ridge(x, scale):
    if jnp.sum(x) > 10.0:
        return jnp.sum(x**2)
    return jnp.sum((x - scale) ** 2) + 0.1 * jnp.sum(x**2)


@program(reference=lambda: implicit(lambda x, s: jnp.sum((x - s) ** 2) + 0.1 * jnp.sum(x**2), jax.jit))
def test_implicit_gradients(jit):
    return implicit(ridge, jit)


@program(reference=lambda: [lossy(k) for k in (0.5, 3.0)])
def test_losses(jit):
    @jit
    def run(k):
        loss = jaxopt.loss.huber_loss(k, 0.0)
        if loss > 1.0:
            loss = jaxopt.objective.least_squares(START, (jnp.eye(2), k * START))
        return loss

    return [run(k) for k in (0.5, 3.0)]


def lossy(k):
    loss = jaxopt.loss.huber_loss(k, 0.0)
    if loss > 1.0:
        return jaxopt.objective.least_squares(START, (jnp.eye(2), k * START))
    return loss
