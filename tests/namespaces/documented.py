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
    """Words of `docs/limits.md`, a predicate, and an expression that shows the difference, where JAX has 64 bits or not."""

    words: str
    holds: Callable[[str, Seen], bool]
    example: str
    x64: bool = False


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
    is_power = "Integers to negative integer powers" in text
    return isinstance(_error(seen), ZeroDivisionError) or "negative shift count" in text or is_index or is_power


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
    Row(
        "Arithmetic on two bools is JAX's too where they are arguments",
        _of_two_bools,
        "t + t",
    ),
    Row(
        "`~`, `abs`, `+` and `.real` of such a bool give a bool",
        _of_bools,
        "abs(t)",
    ),
    Row(
        "So have `max(n, x)`, `statistics.median_high` and a list that is written at a traced index",
        _of_several_kinds,
        "max(n, x)",
    ),
    Row(
        "`np.partition` and `np.argpartition` leave what stands on either side of the element in JAX's order",
        _order_of_parts,
        "i.argpartition(0)",
    ),
    Row(
        "`x.sort()` as a value is the sorted array, as of JAX's method",
        _sort_as_a_value,
        "f[1:].sort()",
    ),
    Row(
        "`==` of an array and `None` or a string is one bool",
        _beside_what_is_no_number,
        "f == None",
    ),
    Row(
        "`a @= b` is `a @ b` for vectors, too",
        _product_of_vectors,
        "operator.imatmul(f, g)",
    ),
    Row(
        "With `jax_enable_x64`, `/` and functions of floats give float32 for integers of 32 bits and fewer",
        _half_the_width,
        "np.sin(i)",
        x64=True,
    ),
)
