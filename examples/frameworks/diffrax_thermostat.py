"""Diffrax: a heated room, a thermostat that switches, and an event that ends the solution, all by `if`.

The vector field and the condition of the event are plain Python. Diffrax calls them from its own loop, the bisection for the
weakest heater that is strong enough is a Python loop around that, and one `ag.jit` compiles everything. The reference has the
same field and event by `jnp.where`, under `eqx.filter_jit`, with the bisection in Python.

    python examples/frameworks/diffrax_thermostat.py [HALVINGS]
"""

import sys

import diffrax
import equinox as eqx
import jax.numpy as jnp
from comparing import compare

import autograph as ag

HOURS, OUTSIDE, COMFORT = 8.0, 2.0, 19.0


def room(t, state, power):
    """Rates of the temperatures of the air and of the walls. At night (before six) the heater runs at half its power."""
    air, wall = state
    if air > 21.0:
        heat = 0.0
    elif t < 6.0:
        heat = power / 2
    else:
        heat = power
    return jnp.stack([heat - 1.5 * (air - wall), 0.5 * (air - wall) - 0.1 * (wall - OUTSIDE)])


def too_cold(t, state, power, **_):
    """Ends the solution when the pipes freeze, or when it is not warm by seven."""
    air, _ = state
    if t > 7.0:
        return air < COMFORT
    return air < 4.0


def room_by_where(t, state, power):
    air, wall = state
    heat = jnp.where(air > 21.0, 0.0, jnp.where(t < 6.0, power / 2, power))
    return jnp.stack([heat - 1.5 * (air - wall), 0.5 * (air - wall) - 0.1 * (wall - OUTSIDE)])


def too_cold_by_where(t, state, power, **_):
    return jnp.where(t > 7.0, state[0] < COMFORT, state[0] < 4.0)


def night(power, field=room, event=too_cold):
    """When the solution ends, the temperatures at the end, and whether it was warm enough all the time."""
    solution = diffrax.diffeqsolve(
        diffrax.ODETerm(field),
        diffrax.Heun(),
        0.0,
        HOURS,
        0.01,
        jnp.array([12.0, 10.0]),
        args=power,
        event=diffrax.Event(event),
    )
    return solution.ts[0], solution.ys[0], solution.ts[0] >= HOURS


def weakest_heater(halvings, night=night):
    """The least power with which the room is warm in the morning, to within 40 / 2**halvings degrees an hour."""
    low, high = 0.0, 40.0
    for _ in range(halvings):
        power = (low + high) / 2
        _, _, warm = night(power)
        if warm:
            high = power
        else:
            low = power
    return high, night(high)


def main():
    halvings = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    print(f"The weakest heater that has the room at {COMFORT} degrees by seven, found by {halvings} solutions")
    by_where = eqx.filter_jit(lambda power: night(power, room_by_where, too_cold_by_where))
    by_where(jnp.asarray(1.0))  # compiled
    search = ag.jit(weakest_heater)
    power, (end, (air, wall), warm) = compare(
        lambda: weakest_heater(halvings, lambda power: by_where(jnp.asarray(power))),
        lambda: search(halvings),
        "jnp.where, filter_jit",
    )
    print(f"  power {power:.3f}: at {end:.2f} hours {air:.2f} degrees, the walls {wall:.2f}, warm enough: {warm}")
    for share in (0.3, 0.9, 0.99):
        end, (air, wall), warm = ag.jit(night)(share * power)
        print(
            f"  power {share * power:.3f}: at {end:.2f} hours {air:.2f} degrees, the walls {wall:.2f}, warm enough: {warm}"
        )


if __name__ == "__main__":
    main()
