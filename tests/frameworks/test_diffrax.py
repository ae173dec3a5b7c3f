"""Diffrax: vector fields, events and loops of steps with control flow."""

import jax
import jax.numpy as jnp

from tests.frameworks.harness import framework, program

dfx = framework("diffrax")
eqx = framework("equinox")

Y0 = jnp.array([1.0, 0.5])


def rk4(field, y, t1, steps, args=None):
    """The reference: Python's loop around the classical method, of the same field."""
    t, dt = 0.0, t1 / steps
    for _ in range(steps):
        a = field(t, y, args)
        b = field(t + dt / 2, y + dt / 2 * a, args)
        c = field(t + dt / 2, y + dt / 2 * b, args)
        d = field(t + dt, y + dt * c, args)
        y, t = y + dt / 6 * (a + 2 * b + 2 * c + d), t + dt
    return y


def solved(field, y, t1, args=None, **options):
    options = {"stepsize_controller": dfx.PIDController(rtol=1e-6, atol=1e-7), **options}
    return dfx.diffeqsolve(dfx.ODETerm(field), dfx.Tsit5(), 0.0, t1, 0.05, y, args, **options)


def thermostat(t, y, args):
    """Heats below the limit."""
    if y[0] < 0.8:
        heat = 1.0
    else:
        heat = 0.0
    return jnp.stack([heat - 0.3 * y[0], y[0] - y[1]])


def euler(field, y, t1, steps, args=None):
    t, dt = 0.0, t1 / steps
    for _ in range(steps):
        y, t = y + dt * field(t, y, args), t + dt
    return y


def eulers(field, y, t1, steps, args=None):
    return dfx.diffeqsolve(dfx.ODETerm(field), dfx.Euler(), 0.0, t1, t1 / steps, y, args).ys[0]


@program(reference=lambda: euler(thermostat, Y0, 1.0, 50))
def test_an_if_in_a_vector_field(jit):
    return jit(lambda y: eulers(thermostat, y, 1.0, 50))(Y0)


def pulsed(t, y, args):
    if t < 0.512:
        return -y
    if t < 0.763:
        return args * y
    return jnp.zeros_like(y)


@program(reference=lambda: [euler(pulsed, Y0, 1.0, 40, k) for k in (1.0, 2.0)])
def test_a_field_that_changes_with_time(jit):
    run = jit(lambda y, k: eulers(pulsed, y, 1.0, 40, k))
    return [run(Y0, k) for k in (1.0, 2.0)]


def smooth(t, y, args):
    rate = 0.0
    for k in range(3):
        if args[k] > 0:
            rate = rate + args[k]
    return -rate * y


@program(reference=lambda: rk4(smooth, Y0, 1.0, 100, jnp.array([0.5, -1.0, 0.25])))
def test_a_loop_in_a_vector_field(jit):
    return jit(lambda y, args: solved(smooth, y, 1.0, args).ys[0])(Y0, jnp.array([0.5, -1.0, 0.25]))


class Field(eqx.Module):
    """A field that is a module: a small network with a limit."""

    mlp: eqx.nn.MLP
    limit: float

    def __call__(self, t, y, args):
        dy = self.mlp(y)
        norm = jnp.linalg.norm(dy)
        if norm > self.limit:
            dy = dy * (self.limit / norm)
        return dy


def field():
    return Field(eqx.nn.MLP(2, 2, 4, 1, key=jax.random.key(0)), 0.3)


@program(reference=lambda: euler(field(), Y0, 1.0, 30))
def test_a_module_as_the_field(jit):
    return jit(lambda y: eulers(field(), y, 1.0, 30))(Y0)


@program(reference=lambda: jax.grad(lambda k: euler(pulsed, Y0, 1.0, 40, k)[0])(1.5))
def test_the_gradient_of_a_solution(jit):
    return jit(lambda k: jax.grad(lambda k: eulers(pulsed, Y0, 1.0, 40, k)[0])(k))(1.5)


def bounce(t, y, args):
    if y[0] < 0:
        return jnp.stack([y[1], -9.8 - 50.0 * y[0]])
    return jnp.stack([y[1], jnp.float32(-9.8)])


@program(reference=lambda: euler(bounce, Y0, 1.0, 200))
def test_a_bouncing_ball(jit):
    return jit(lambda y: eulers(bounce, y, 1.0, 200))(Y0)


def falling(t, y, args, **_):
    if y[1] < 0:
        return y[0] < 0.2
    return False


def gravity(t, y, args):
    return jnp.stack([y[1], jnp.float32(-9.8)])


def fallen():
    y, t, dt = Y0, 0.0, 0.01
    while t < 0.995 and not falling(t, y, None):
        y, t = y + dt * gravity(t, y, None), t + dt
    return y


@program(reference=fallen)
def test_an_event_with_a_branch(jit):
    @jit
    def run(y):
        event = dfx.Event(falling)
        return dfx.diffeqsolve(dfx.ODETerm(gravity), dfx.Euler(), 0.0, 1.0, 0.01, y, event=event).ys[0]

    return run(Y0)


@program(reference=lambda: (euler(pulsed, Y0, 1.0, 40, 1.0), jnp.array(True)))
def test_a_branch_around_solutions(jit):
    @jit
    def run(y):
        if y[0] > 0:
            out = eulers(pulsed, y, 1.0, 40, 1.0)
            good = True
        else:
            out, good = y, False
        return out, good

    return run(Y0)


@program(reference=lambda: [stepped(n) for n in (3, 40)])
def test_a_loop_of_solver_steps(jit):
    """The loop is the user's, the step the library's."""
    term, solver = dfx.ODETerm(pulsed), dfx.Heun()

    @jit
    def run(y, most):
        t, dt, n = 0.0, 0.05, 0
        state = solver.init(term, t, t + dt, y, 2.0)
        while n < most and jnp.linalg.norm(y) < 2.0:
            y, _, _, state, _ = solver.step(term, t, t + dt, y, 2.0, state, made_jump=False)
            t = t + dt
            n += 1
        return y, n

    return [run(Y0, most) for most in (3, 40)]


def stepped(most):
    y, t, dt, n = Y0, 0.0, 0.05, 0
    while n < most and jnp.linalg.norm(y) < 2.0:
        a = pulsed(t, y, 2.0)
        b = pulsed(t + dt, y + dt * a, 2.0)
        y, t, n = y + dt / 2 * (a + b), t + dt, n + 1
    return y, n


def saved(t, y, args):
    if t > 0.5:
        return y[0]
    return y[1]


@program(
    reference=lambda: jnp.stack([saved(t, euler(bounce, Y0, t, round(t * 100)) if t else Y0, None) for t in TIMES])
)
def test_what_is_saved_is_chosen(jit):
    @jit
    def run(y):
        save = dfx.SaveAt(ts=jnp.array(TIMES), fn=saved)
        return dfx.diffeqsolve(dfx.ODETerm(bounce), dfx.Euler(), 0.0, 1.0, 0.01, y, saveat=save).ys

    return run(Y0)


TIMES = [0.0, 0.25, 0.75, 1.0]


@program(reference=lambda: jnp.stack([euler(thermostat, k * Y0, 1.0, 50) for k in (0.5, 1.0, 2.0)]))
def test_vmap_of_a_solution(jit):
    return jit(jax.vmap(lambda k: eulers(thermostat, k * Y0, 1.0, 50)))(jnp.array([0.5, 1.0, 2.0]))


def shot(field, target):
    low, high = 0.0, 4.0
    for _ in range(12):
        middle = (low + high) / 2
        if field(middle)[0] < target:
            high = middle
        else:
            low = middle
    return (low + high) / 2


@program(reference=lambda: shot(lambda k: euler(decay, Y0, 1.0, 20, k), 0.3))
def test_a_bisection_around_solutions(jit):
    return jit(lambda target: shot(lambda k: eulers(decay, Y0, 1.0, 20, k), target))(0.3)


def decay(t, y, k):
    if y[0] > 0.5:
        return -k * y
    return -2 * k * y
