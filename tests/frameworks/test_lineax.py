"""Lineax: operators given by functions that branch, and solves in branches and loops."""

import jax
import jax.numpy as jnp

from tests.frameworks.harness import framework, program

lx = framework("lineax")
eqx = framework("equinox")

A = jnp.array([[4.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.5, 2.0]])
B = jnp.array([1.0, 2.0, -1.0])


@program
def test_a_solve_in_a_branch(jit):
    @jit
    def run(a, b):
        if jnp.linalg.norm(b) > 1.0:
            x = lx.linear_solve(lx.MatrixLinearOperator(a), b).value
        else:
            x = b
        return x

    return [run(A, k * B) for k in (0.1, 1.0)]


def matrix_vector(x):
    y = A @ x
    if y.shape[0] > 2:
        y = y + 0.0
    return y


@program
def test_a_function_as_operator(jit):
    @jit
    def run(b):
        operator = lx.FunctionLinearOperator(matrix_vector, jax.ShapeDtypeStruct((3,), jnp.float32))
        return lx.linear_solve(operator, b, lx.GMRES(rtol=1e-5, atol=1e-5)).value

    return run(B)


def scaled(a, shift):
    """The function of an operator branches on a parameter."""

    def multiply(x):
        if shift > 1.0:
            return a @ x + shift * x
        return a @ x

    return multiply


@program
def test_an_operator_that_branches_on_a_parameter(jit):
    @jit
    def run(b, shift):
        operator = lx.FunctionLinearOperator(
            scaled(A, shift), jax.ShapeDtypeStruct((3,), jnp.float32), lx.positive_semidefinite_tag
        )
        return lx.linear_solve(operator, b, lx.CG(rtol=1e-5, atol=1e-5)).value

    return [run(B, shift) for shift in (0.5, 2.0)]


def newton(x, most):
    for n in range(most):
        value = x**3 + A @ x - B
        if jnp.max(jnp.abs(value)) < 1e-4:
            return x, n
        slope = lx.MatrixLinearOperator(jnp.diag(3 * x**2) + A)
        x = x - lx.linear_solve(slope, value).value
    return x, most


@program
def test_newton_steps(jit):
    run = jit(newton)
    return [run(B, most) for most in (1, 12)]


@program
def test_a_step_that_is_damped_until_it_helps(jit):
    @jit
    def run(x):
        value = x**3 + A @ x - B
        step = lx.linear_solve(lx.MatrixLinearOperator(A), value).value
        rate = 1.0
        while jnp.linalg.norm((x - rate * step) ** 3 + A @ (x - rate * step) - B) > jnp.linalg.norm(value):
            rate = rate / 2
        return x - rate * step, rate

    return [run(k * B) for k in (0.5, 3.0)]


@program
def test_iterative_refinement(jit):
    @jit
    def run(b, most):
        solver, operator = lx.LU(), lx.MatrixLinearOperator(A)
        state = solver.init(operator, {})
        x, n = jnp.zeros(3), 0
        while n < most:
            residual = b - A @ x
            if jnp.max(jnp.abs(residual)) < 1e-5:
                break
            dx, _, _ = solver.compute(state, residual, {})
            x = x + 0.9 * dx
            n += 1
        return x, n

    return [run(B, most) for most in (1, 10)]


@program
def test_the_gradient_of_a_solve(jit):
    def loss(b):
        x = lx.linear_solve(lx.MatrixLinearOperator(A), b).value
        if x[0] > 0:
            return jnp.sum(x**2)
        return jnp.sum(x)

    run = jit(jax.grad(loss))
    return [run(k * B) for k in (1.0, -1.0)]


@program(reference=lambda: jnp.stack([solved(k * B) for k in (0.1, 1.0, 2.0)]))
def test_vmap_of_a_solve(jit):
    return jit(jax.vmap(solved))(jnp.stack([k * B for k in (0.1, 1.0, 2.0)]))


def solved(b):
    if jnp.linalg.norm(b) > 1.0:
        return lx.linear_solve(lx.MatrixLinearOperator(A), b).value
    return b


class Ridge(eqx.Module):
    weight: float

    def __call__(self, a, b):
        weight = self.weight
        if jnp.linalg.norm(b) > 2.0:
            weight = 10 * weight
        operator = lx.MatrixLinearOperator(a.T @ a + weight * jnp.eye(3), lx.positive_semidefinite_tag)
        return lx.linear_solve(operator, a.T @ b).value


@program
def test_a_module_that_solves(jit):
    ridge = Ridge(0.1)
    run = jit(lambda a, b: ridge(a, b))
    return [run(A, k * B) for k in (0.1, 1.0)]


@program
def test_a_solver_chosen_by_a_static_value(jit):
    def run(b, exact):
        solver = lx.LU() if exact else lx.GMRES(rtol=1e-5, atol=1e-5)
        x = lx.linear_solve(lx.MatrixLinearOperator(A), b, solver).value
        if x[0] > 0:
            x = -x
        return x

    return [jit(lambda b, exact=exact: run(b, exact))(B) for exact in (True, False)]


@program
def test_a_power_iteration(jit):
    @jit
    def run(most):
        operator = lx.MatrixLinearOperator(A)
        x, value = jnp.ones(3) / jnp.sqrt(3.0), 0.0
        for _ in range(most):
            y = operator.mv(x)
            norm = jnp.linalg.norm(y)
            if jnp.abs(norm - value) < 1e-4:
                break
            x, value = y / norm, norm
        return x, value

    return [run(most) for most in (1, 30)]


@program
def test_a_singular_system_is_seen(jit):
    @jit
    def run(a, b):
        solution = lx.linear_solve(lx.MatrixLinearOperator(a), b, lx.AutoLinearSolver(well_posed=False))
        x = solution.value
        if jnp.linalg.norm(a @ x - b) > 1e-2:
            x = jnp.zeros_like(x)
        return x

    return [run(a, B) for a in (A, A.at[2].set(0.0))]
