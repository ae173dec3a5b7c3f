"""Conway's Game of Life until the board repeats: Brent's cycle detection as a natural `while`.

The board is compared with an earlier one that is replaced at generations 1, 2, 4, 8, ...; once both are equal the period
is known and the loop ends. A second loop finds the first generation of the cycle.

    python examples/game_of_life.py [SIZE]
"""

import sys

import jax.numpy as jnp
import numpy as np
from timing import report

import autograph as ag


def next_generation(board):
    """One generation on a torus; `board` is boolean `[size, size]`."""
    cells = board.astype(jnp.int8)
    rows = cells + jnp.roll(cells, 1, axis=0) + jnp.roll(cells, -1, axis=0)
    around = rows + jnp.roll(rows, 1, axis=1) + jnp.roll(rows, -1, axis=1) - cells
    return (around == 3) | (board & (around == 2))


def find_cycle(board, limit):
    """Board at the start of its cycle, that generation, and the period; the period is 0 when `limit` comes first."""
    earlier, now = board, next_generation(board)
    period = power = 1
    iterations = 1
    while (earlier != now).any():
        if iterations == limit:
            return now, iterations, 0
        if period == power:
            earlier = now
            power *= 2
            period = 0
        now = next_generation(now)
        period += 1
        iterations += 1
    slow = fast = board
    for _ in range(period):
        fast = next_generation(fast)
    generation = 0
    while not (slow == fast).all():
        slow, fast = next_generation(slow), next_generation(fast)
        generation += 1
    return slow, generation, period


def r_pentomino(size):
    """Five cells that grow for long, in the middle of an empty board."""
    board = np.zeros((size, size), bool)
    middle = size // 2
    for row, column in ((0, 1), (0, 2), (1, 0), (1, 1), (2, 1)):
        board[middle + row - 1, middle + column - 1] = True
    return jnp.asarray(board)


def main():
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 48
    board = r_pentomino(size)
    print(f"Game of Life: the R-pentomino on a torus of {size} x {size} cells")
    final, generation, period = report(
        ag.jit(find_cycle), board, 100_000, eager=lambda: find_cycle(board, 100), note="100 generations"
    )
    print(f"  repeats from generation {generation} with period {period}, {final.sum()} cells alive")
    for row in np.asarray(final):
        print("  " + "".join("@ " if cell else ". " for cell in row))


if __name__ == "__main__":
    main()
