"""Twenty real small programs, each in natural Python and as an expert writes it in `lax`."""

from . import arithmetic, numerics, sequences, simulations
from .pair import Pair as Pair
from .pair import Shape as Shape

PAIRS: list[Pair] = [*arithmetic.PAIRS, *numerics.PAIRS, *sequences.PAIRS, *simulations.PAIRS]
