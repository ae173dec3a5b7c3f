"""Differences that `docs/limits.md` names: for each the words of the row, and which programs it is about."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import numpy as np

from tests.programs.harness import Raised


class Seen(NamedTuple):
    """A program whose outcomes differ.

    Attributes:
        name: what the program is about.
        source: its text.
        wanted: what plain Python returns, or a `Raised`.
        got: the same of `ag.jit`.
        detail: the difference in words.
        x64: whether JAX had 64 bits.
    """

    name: str
    source: str
    wanted: Any
    got: Any
    detail: str
    x64: bool


class Row(NamedTuple):
    """Words of `docs/limits.md`, a predicate, and an expression that shows the difference."""

    words: str
    holds: Callable[[str, Seen], bool]
    example: str


def row_of(kind: str, seen: Seen) -> str | None:
    """The words of the row that names the difference, or None."""
    return next((row.words for row in ROWS if row.holds(kind, seen)), None)


def _error(seen: Seen) -> BaseException | None:
    return seen.wanted.error if isinstance(seen.wanted, Raised) else None


def _division_or_index(kind: str, seen: Seen) -> bool:
    text = str(_error(seen))
    is_zero = re.search(r"\b[jpt]\b|\b0\)?$|\(f, dtype=np.int32\)$", seen.source.strip()) is not None
    by_zero = not _DIVISIONS.isdisjoint(seen.name.split(".")) and is_zero
    if kind == "different":
        return by_zero or seen.name == "np.reciprocal"
    if kind != "error missing":
        return False
    is_index = isinstance(_error(seen), IndexError) and ("out of bounds" in text or "out of range" in text)
    return isinstance(_error(seen), ZeroDivisionError) or "negative shift count" in text or is_index


_DIVISIONS = frozenset(
    "floordiv mod ifloordiv imod floor_divide remainder divmod fmod pow mod-more statements reciprocal".split()
)


def _singular_or_in_no_order(kind: str, seen: Seen) -> bool:
    is_said = isinstance(_error(seen), np.linalg.LinAlgError) or "bins must be monotonically" in str(_error(seen))
    return kind == "error missing" and is_said


def _leading_zeros(kind: str, seen: Seen) -> bool:
    is_division = re.search(r"\bpoly(div|mul)\(", seen.source) is not None
    return kind == "different" and is_division and "shape" in seen.detail


def _domain_of_math(kind: str, seen: Seen) -> bool:
    text = str(_error(seen))
    is_domain = "math domain error" in text or "math range error" in text or "expected a" in text
    return kind == "error missing" and seen.name.startswith("math.") and is_domain


def _whole_number_of_nan(kind: str, seen: Seen) -> bool:
    return kind == "error missing" and str(_error(seen)).startswith("cannot convert float")


def _beyond_32_bits(kind: str, seen: Seen) -> bool:
    if kind != "different" or seen.x64:
        return False
    try:
        largest = np.max(np.abs(np.asarray(seen.wanted, dtype=object)))
    except Exception:
        return False
    return isinstance(largest, (int, np.integer)) and largest >= 2**31


def _attribute_of_a_number(kind: str, seen: Seen) -> bool:
    text = str(_error(seen))
    return kind == "error missing" and re.match(r"'(int|float|bool|complex)' object has no attribute", text) is not None


def _class_of_an_array(kind: str, seen: Seen) -> bool:
    is_asked = (
        re.search(r"\b(isinstance|type)\((f|t|f\[0\]|x > 1), ?|\btype\((f|t|f\[0\])\) is", seen.source) is not None
    )
    return kind == "different" and is_asked


def _root_of_a_negative_number(kind: str, seen: Seen) -> bool:
    is_power = "pow(" in seen.source or "**" in seen.source
    return kind == "different" and is_power and isinstance(seen.wanted, complex)


def _letters(seen: Seen) -> set[str]:
    """The arguments of the program."""
    return set(seen.source.partition("(")[2].partition(")")[0].replace(",", " ").split())


def _same_values(seen: Seen, *narrow: str) -> bool:
    """Whether all that differs are the types, which are these in NumPy."""
    pairs = list(zip(jax.tree.leaves(seen.wanted), jax.tree.leaves(seen.got), strict=False))
    return all(
        (w := np.asarray(wanted)).dtype == (g := np.asarray(got)).dtype
        or (str(w.dtype) in narrow and w.shape == g.shape and np.allclose(w, g, 1e-2, 1e-2, equal_nan=True))
        for wanted, got in pairs
    )


def _narrow_float(kind: str, seen: Seen) -> bool:
    return kind == "different" and "dtype float16 became" in seen.detail and _same_values(seen, "float16")


def _narrow_integer_of_bools(kind: str, seen: Seen) -> bool:
    of_bools = _letters(seen) & set("uibjkwfgmzsxn") == set()
    return kind == "different" and of_bools and "dtype int8 became" in seen.detail and _same_values(seen, "int8")


def _beyond_floats_of_32_bits(kind: str, seen: Seen) -> bool:
    if kind != "different" or seen.x64 or isinstance(seen.wanted, Raised):
        return False
    try:
        wanted, got = np.asarray(seen.wanted), np.asarray(seen.got)
        is_beyond = np.abs(wanted) > np.finfo(np.float32).max
        same = np.allclose(wanted[~is_beyond], got[~is_beyond], 1e-4, 1e-4, equal_nan=True)
        return bool(is_beyond.any() and np.isinf(got[is_beyond]).all() and same)
    except (TypeError, ValueError, IndexError):
        return False


def _negative_float_to_unsigned(kind: str, seen: Seen) -> bool:
    is_asked = re.search(r"uint(8|16|32)|\bu(byte|short|int)\b", seen.source) is not None
    has_floats = bool(_letters(seen) & set("fgvmsxy"))
    return kind == "different" and is_asked and has_floats and re.search(r"dtype \w+ became", seen.detail) is None


def _complex_eigenvalues(kind: str, seen: Seen) -> bool:
    is_eig = re.search(r"\beig(vals)?\(", seen.source) is not None
    return kind == "different" and is_eig and "became complex" in seen.detail


ROWS = (
    Row(
        "`np.linalg` gives NaNs and infinities for a matrix that is singular, or not positive definite",
        _singular_or_in_no_order,
        "np.linalg.inv(np.zeros((2, 2)) * x)",
    ),
    Row("`np.polydiv` and `np.polymul` keep leading zeros", _leading_zeros, "np.polydiv(f, g)"),
    Row(
        "A division by zero, a negative shift, and an index outside of an *array* follow JAX",
        _division_or_index,
        "operator.floordiv(i, j)",
    ),
    Row(
        "So do the functions of `math`: NaN or an infinity where Python raises",
        _domain_of_math,
        "math.sqrt(y)",
    ),
    Row(
        "`int(x)`, `round(x)` and `math.floor(x)` of a NaN give 0",
        _whole_number_of_nan,
        "round(x * float('nan'))",
    ),
    Row(
        "Traced integers have JAX's width (32 bits unless `jax_enable_x64`)",
        _beyond_32_bits,
        "n * 2000000000",
    ),
    Row(
        "what is larger than 3.4e38 is an infinity without `jax_enable_x64`",
        _beyond_floats_of_32_bits,
        "np.i0(u)",
    ),
    Row(
        "take 8-bit integers and bools for float32, where NumPy takes them for float16",
        _narrow_float,
        "np.sin(u)",
    ),
    Row(
        "What NumPy makes an `int8` of bools (`p // p`, `np.square(p)`) is an `int32`",
        _narrow_integer_of_bools,
        "np.square(p)",
    ),
    Row(
        "A negative float, or one that is too large, in an array of unsigned integers",
        _negative_float_to_unsigned,
        "np.uint8(f)",
    ),
    Row(
        "`np.linalg.eig` and `eigvals` give complex numbers, as JAX's do",
        _complex_eigenvalues,
        "np.linalg.eigvals(m @ m.T)",
    ),
    Row(
        "A traced value is a JAX array. Of an argument that is a number of Python's",
        _attribute_of_a_number,
        "x.shape",
    ),
    Row(
        "of bools, NumPy's scalars and arrays, that it is an array of JAX",
        _class_of_an_array,
        "type(f[0]) is np.float32",
    ),
    Row(
        "A negative number to a fractional power (`(-1.0) ** 0.5`) is NaN",
        _root_of_a_negative_number,
        "y ** x",
    ),
)
