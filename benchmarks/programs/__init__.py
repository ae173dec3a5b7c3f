"""Real small programs, each in natural Python and as an expert writes it in `lax`."""

from . import arithmetic, numerics, optimisation, searches, sequences, simulations, streams, tables
from .pair import Pair as Pair, Shape as Shape

PAIRS: list[Pair] = [
    pair
    for module in (arithmetic, numerics, sequences, simulations, optimisation, tables, streams, searches)
    for pair in module.PAIRS
]
