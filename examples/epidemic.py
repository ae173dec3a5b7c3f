"""An epidemic with interventions: schools close above one threshold and open again below another.

SIR equations in daily steps. `for day in range(days)` with a traced `days` is one loop of the compiled program; the
`if` keeps a state from day to day (closed or open); a `break` ends the run when nobody is infected any more.
`jax.vmap` compares strategies.

    python examples/epidemic.py [DAYS]
"""

import sys

import jax
import jax.numpy as jnp
import numpy as np
from timing import report

import autograph as ag

POPULATION, CONTACTS, RECOVERY = 1_000_000.0, 0.35, 0.1
LONGEST = 1000  # days of the record


def epidemic(threshold, days):
    """Infected people per day `[LONGEST]`, the people infected at all, closed days, the day it ended."""
    susceptible, infected, recovered = POPULATION - 10, 10.0, 0.0
    closed = False
    closed_days = 0
    record = jnp.zeros(LONGEST)
    day = 0
    for day in range(days):
        if not closed and infected > threshold:
            closed = True
        elif closed and infected < threshold / 5:
            closed = False
        contacts = CONTACTS
        if closed:
            contacts = CONTACTS * 0.4
            closed_days += 1
        new = contacts * infected * susceptible / POPULATION
        gone = RECOVERY * infected
        susceptible, infected, recovered = susceptible - new, infected + new - gone, recovered + gone
        record[day] = infected
        if infected < 0.5:
            break
    return record, POPULATION - susceptible, closed_days, day + 1


def strategies(thresholds, days):
    return jax.vmap(epidemic, in_axes=(0, None))(thresholds, days)


def main():
    days = int(sys.argv[1]) if len(sys.argv) > 1 else LONGEST
    thresholds = jnp.array([1_000.0, 5_000.0, 20_000.0, 80_000.0, POPULATION])
    few = min(days, 30)
    print(f"SIR epidemic among {POPULATION:,.0f} people, {len(thresholds)} strategies, at most {days} days")
    record, total, closed_days, ended = report(
        ag.jit(strategies),
        thresholds,
        days,
        eager=lambda: ag.convert(epidemic)(thresholds[1], few),
        note=f"1 strategy, {few} days",
    )
    peaks = np.asarray(record).max(axis=1)
    print("  close above   infected at once   infected at all   closed days   last day")
    for row in zip(thresholds, peaks, total, closed_days, ended, strict=True):
        print("  {:11,.0f}   {:16,.0f}   {:15,.0f}   {:11}   {:8}".format(*row))


if __name__ == "__main__":
    main()
