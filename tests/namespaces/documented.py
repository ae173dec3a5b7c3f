"""Differences that `docs/limits.md` names: for each the anchor of the row, and which programs it is about."""

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
        source: its code.
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
    """An anchor of `docs/limits.md`, a predicate, and an expression that shows the difference, where JAX has 64 bits or not."""

    anchor: str
    holds: Callable[[str, Seen], bool]
    example: str
    x64: bool = False


def row_of(kind: str, seen: Seen) -> str | None:
    """Returns the anchor of the row that names the difference, or None."""
    return next((row.anchor for row in ROWS if row.holds(kind, seen)), None)


def _error(seen: Seen) -> BaseException | None:
    return seen.wanted.error if isinstance(seen.wanted, Raised) else None


def _index(kind: str, seen: Seen) -> bool:
    text = str(_error(seen))
    is_outside = "out of bounds" in text or "out of range" in text
    return kind == "error missing" and isinstance(_error(seen), IndexError) and is_outside


def _division(kind: str, seen: Seen) -> bool:
    text = str(_error(seen))
    is_zero = re.search(r"\b[jpt]\b|\b0\)?$|\(f, dtype=np.int32\)$", seen.source.strip()) is not None
    by_zero = not _DIVISIONS.isdisjoint(seen.name.split(".")) and is_zero
    if kind == "different":
        return by_zero or seen.name == "np.reciprocal"
    if kind != "error missing":
        return False
    is_power = "Integers to negative integer powers" in text
    return isinstance(_error(seen), ZeroDivisionError) or "negative shift count" in text or is_power


_DIVISIONS = frozenset(
    "floordiv mod ifloordiv imod floor_divide remainder divmod fmod pow mod-more statements reciprocal".split()
)


def _singular_or_in_no_order(kind: str, seen: Seen) -> bool:
    is_said = isinstance(_error(seen), np.linalg.LinAlgError) or "bins must be monotonically" in str(_error(seen))
    return kind == "error missing" and is_said


def _leading_zeros(kind: str, seen: Seen) -> bool:
    is_division = re.search(r"\bpoly(div|mul)\(", seen.source) is not None
    is_narrower = seen.x64 and "became float32" in seen.detail  # which is said first
    return kind == "different" and is_division and ("shape" in seen.detail or is_narrower)


def _domain_of_math(kind: str, seen: Seen) -> bool:
    text = str(_error(seen))
    is_domain = "math domain error" in text or "math range error" in text or "expected a" in text
    return kind == "error missing" and seen.name.startswith("math.") and is_domain


def _whole_number_of_nan(kind: str, seen: Seen) -> bool:
    is_array = re.search(r"\.(u?int\d*_?|u?long|u?intp|u?intc)\(v\)", seen.source) is not None
    return (kind == "different" and is_array) or (
        kind == "error missing" and str(_error(seen)).startswith("cannot convert float")
    )


def _beyond_32_bits(kind: str, seen: Seen) -> bool:
    if kind == "different" and "power" in seen.name:
        return np.asarray(seen.wanted).dtype.kind in "iu"
    if kind != "different" or seen.x64:
        return False
    try:
        largest = np.max(np.abs(np.asarray(seen.wanted, dtype=object)))
    except Exception:
        return False
    return isinstance(largest, (int, np.integer)) and largest >= 2**31


def _attribute_of_a_number(kind: str, seen: Seen) -> bool:
    text = str(_error(seen))
    return kind == "error missing" and _LACKING.search(text) is not None


_LACKING = re.compile(
    r"'(int|float|bool|complex|numpy\.\w+)' object (has no attribute|does not support item assignment)"
    r"|type numpy\.\w+ doesn't define"
)


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


def _same_values(seen: Seen, *narrow: str, near: float = 1e-2) -> bool:
    """Whether all that differs are the types, which are these in NumPy."""
    pairs = list(zip(jax.tree.leaves(seen.wanted), jax.tree.leaves(seen.got), strict=False))
    return all(
        (w := np.asarray(wanted)).dtype == (g := np.asarray(got)).dtype
        or (str(w.dtype) in narrow and w.shape == g.shape and np.allclose(w, g.astype(w.dtype), near, near, equal_nan=True))
        for wanted, got in pairs
    )


def _narrow_float(kind: str, seen: Seen) -> bool:
    is_half = kind == "different" and "dtype float16 became" in seen.detail
    return is_half and (seen.name == "np.spacing" or _same_values(seen, "float16"))


def _half_the_width(kind: str, seen: Seen) -> bool:
    is_narrower = re.search("dtype (float64|complex128|int64) became (float32|complex64|int32)", seen.detail)
    wide = ("float64", "complex128", "int64")
    return kind == "different" and seen.x64 and is_narrower is not None and _same_values(seen, *wide, near=1e-4)


def _narrow_integer_of_bools(kind: str, seen: Seen) -> bool:
    of_bools = _letters(seen) & set("uibjkwfgmzsxn") == set()
    return kind == "different" and of_bools and "dtype int8 became" in seen.detail and _same_values(seen, "int8")


def _beyond_floats_of_32_bits(kind: str, seen: Seen) -> bool:
    if kind != "different" or isinstance(seen.wanted, Raised):
        return False
    try:
        wanted, got = np.asarray(seen.wanted), np.asarray(seen.got)
        is_beyond = np.abs(wanted) > np.finfo(np.float32).max
        same = np.allclose(wanted[~is_beyond], got[~is_beyond], 1e-4, 1e-4, equal_nan=True)
        return bool(got.dtype == np.float32 and is_beyond.any() and np.isinf(got[is_beyond]).all() and same)
    except (TypeError, ValueError, IndexError):
        return False


def _negative_float_to_unsigned(kind: str, seen: Seen) -> bool:
    is_asked = re.search(r"uint(8|16|32|64|c|p)|\bu(byte|short|int|long|longlong)\b", seen.source) is not None
    has_floats = bool(_letters(seen) & set("fgvmsxy"))
    if kind == "error missing":
        return is_asked and has_floats and re.match(r"Python integer -\d+ out of bounds for uint", str(_error(seen))) is not None
    return kind == "different" and is_asked and has_floats and re.search(r"dtype \w+ became", seen.detail) is None


def _numbers(x: Any) -> list[Any]:
    """What a result holds, as arrays."""
    return [np.asarray(leaf) for leaf in jax.tree.leaves(x)]


def _of_bools(kind: str, seen: Seen) -> bool:
    """Whether Python has an integer, and the program a bool, made of one bool."""
    if kind == "error missing":
        return "'positive' did not contain a loop" in str(_error(seen))
    is_bool = [w.dtype.kind == "i" and g.dtype == bool for w, g in zip(_numbers(seen.wanted), _numbers(seen.got), strict=False)]
    return kind == "different" and any(is_bool) and not _of_two_bools(kind, seen)


def _of_two_bools(kind: str, seen: Seen) -> bool:
    return kind == "different" and re.search(r"\bt\b, t\b|\bt \+ t\b", seen.source) is not None


def _of_several_kinds(kind: str, seen: Seen) -> bool:
    is_chosen = re.search(r"\b(max|min|median_high)\b|xs\[e\] = ", seen.source) is not None
    if kind != "different" or not is_chosen or "kind of number" not in seen.detail:
        return False
    pairs = zip(_numbers(seen.wanted), _numbers(seen.got), strict=True)
    return all(np.array_equal(w, g) for w, g in pairs)


def _order_of_parts(kind: str, seen: Seen) -> bool:
    return kind == "different" and "partition" in seen.name


def _sort_as_a_value(kind: str, seen: Seen) -> bool:
    return kind == "different" and ".sort(" in seen.source and "NoneType None became" in seen.detail


def _beside_what_is_no_number(kind: str, seen: Seen) -> bool:
    return kind == "different" and re.search(r'[!=]= (None|"a")', seen.source) is not None


def _product_of_vectors(kind: str, seen: Seen) -> bool:
    return kind == "error missing" and "inplace matrix multiplication" in str(_error(seen))


def _complex_eigenvalues(kind: str, seen: Seen) -> bool:
    is_eig = re.search(r"\beig(vals)?\(", seen.source) is not None
    return kind == "different" and is_eig and "became complex" in seen.detail


ROWS = (
    Row("singular-matrix", _singular_or_in_no_order, "np.linalg.inv(np.zeros((2, 2)) * x)"),
    Row("leading-zeros", _leading_zeros, "np.polydiv(f, g)"),
    Row("array-index", _index, "f[n]"),
    Row("division", _division, "operator.floordiv(i, j)"),
    Row("math-domain", _domain_of_math, "math.sqrt(y)"),
    Row("nan-to-integer", _whole_number_of_nan, "round(x * float('nan'))"),
    Row("integer-width", _beyond_32_bits, "n * 2000000000"),
    Row("float-range", _beyond_floats_of_32_bits, "np.i0(u)"),
    Row("narrow-types", _narrow_float, "np.sin(u)"),
    Row("narrow-types", _narrow_integer_of_bools, "np.square(p)"),
    Row("negative-to-unsigned", _negative_float_to_unsigned, "np.uint8(f)"),
    Row("eigenvalues", _complex_eigenvalues, "np.linalg.eigvals(m @ m.T)"),
    Row("type-of-a-value", _attribute_of_a_number, "x.shape"),
    Row("type-of-a-value", _class_of_an_array, "type(f[0]) is np.float32"),
    Row("negative-root", _root_of_a_negative_number, "y ** x"),
    Row("bool-arithmetic", _of_two_bools, "t + t"),
    Row("bool-arithmetic", _of_bools, "abs(t)"),
    Row("joined-types", _of_several_kinds, "max(n, x)"),
    Row("partition", _order_of_parts, "i.argpartition(0)"),
    Row("sort-as-a-value", _sort_as_a_value, "f[1:].sort()"),
    Row("array-equals-none", _beside_what_is_no_number, "f == None"),
    Row("product-of-vectors", _product_of_vectors, "operator.imatmul(f, g)"),
    Row("half-the-width", _half_the_width, "np.sin(i)", x64=True),
)
