"""The fields of `template % values` and of `template.format(...)`, as those of an f-string.

>>> of_percent("%s is %05.1f of %-4d|", ("x", 2.5, np.int32(3)))
[('x', '', 's'), ' is ', (2.5, '05.1f', ''), ' of ', (np.int32(3), '<4d', ''), '|']
>>> [(value, list(spec), conversion) for value, spec, conversion in of_format("{0!r:>{1}}", ("x", 4), {})]
[('x', ['>', (4, <generator object of_format at ...>, '')], 'r')]
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from string import Formatter
from typing import Any

import jax.numpy as jnp
import numpy as np

_FIELD = re.compile(
    r"%(?:\((?P<key>[^()]*)\))?(?P<flags>[-+ #0]*)(?P<width>\d*)(?P<precision>\.\d*)?(?P<kind>[diuoxXeEfFgGsra%])"
)


def of_percent(template: str, values: Any) -> list[Any] | None:
    """The strings between the fields, and each field as its value, its format and its conversion.

    None where a field is none of an f-string: `%d` of what is no integer, `%*d`, another number of values.
    """
    given = iter(values if type(values) is tuple else (values,))
    parts: list[Any] = []
    end, takes_all = 0, True
    for found in _FIELD.finditer(template):
        parts.append(template[end : found.start()])
        end = found.end()
        key, kind = found["key"], found["kind"]
        takes_all = takes_all and key is None
        try:
            parts.append("" if kind == "%" else _field(next(given) if key is None else values[key], found))
        except (StopIteration, LookupError):
            return None
        if "%" in parts[-2] or parts[-1] is None:
            return None
        parts[-1] = parts[-1] or "%"
    if "%" in template[end:] or takes_all and next(given, None) is not None:
        return None
    return [part for part in (*parts, template[end:]) if part]


def _field(value: Any, found: re.Match[str]) -> tuple[Any, str, str] | None:
    flags, width, precision, kind = found["flags"], found["width"], found["precision"] or "", found["kind"]
    align = "" if not width else "<" if "-" in flags else ">"
    precision = ".0" if precision == "." else precision
    if kind in "sra":
        return value, f"{align}{width}{precision}", kind
    is_integer = kind in "diuoxX"
    dtype = jnp.result_type(value) if isinstance(value, jnp.ndarray | np.generic | int | float) else None
    if dtype is None or jnp.ndim(value) or not jnp.issubdtype(dtype, jnp.integer if is_integer else jnp.floating):
        return None
    if is_integer and precision:
        return None
    sign = "+" if "+" in flags else " " if " " in flags else ""
    zeros = "0" if "0" in flags and "-" not in flags else ""
    align = "" if zeros else align
    other = "#" if "#" in flags else ""
    return value, f"{align}{sign}{other}{zeros}{width}{precision}{'d' if kind in 'iu' else kind}", ""


def of_format(
    template: str, args: Sequence[Any], kwargs: Mapping[str, Any], count: Iterator[int] | None = None
) -> Iterator[Any]:
    """The strings between the fields, and each field as its value, its format, which may have fields itself, and its conversion."""
    count = itertools.count() if count is None else count
    for literal, name, spec, conversion in Formatter().parse(template):
        if literal:
            yield literal
        if name is not None:
            numbered = f"{next(count)}{name}" if name[:1] in ("", ".", "[") else name
            value = Formatter().get_field(numbered, args, kwargs)[0]
            yield value, of_format(spec or "", args, kwargs, count), conversion or ""
