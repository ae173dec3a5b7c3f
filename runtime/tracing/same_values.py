"""Value numbering: whether two traced values are known to be equal, since the same operations made them of equal values.

>>> import jax
>>> def f(x, k):
...     print(are_same(x[k] > 0, x[k] > 0), are_same(x[k] > 0, x[k + 1] > 0), are_same_integers(k - 1, (k + 1) - 2))
>>> _ = jax.eval_shape(f, jax.numpy.zeros(3), 1)
True False True

Only the operations of a list are followed, which give one result for one operand: no reference is read, nobody is called.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.jax_internals import closed_over, equation_of, literal_value, trace_of
from autograph.runtime.tracing import integer_ranges
from autograph.runtime.tracing.staging import is_traced

_DEEPEST = 16
_PURE = frozenset(
    "abs add and argmax argmin broadcast_in_dim ceil clamp concatenate convert_element_type copy cumsum div dynamic_slice eq exp "
    "exp2 expand_dims floor gather ge gt integer_pow iota is_finite le log log1p lt max min mul ne neg not or pad pow reduce_and "
    "reduce_max reduce_min reduce_or reduce_sum rem reshape rev round rsqrt select_n sign slice sqrt square squeeze sub tanh "
    "transpose xor".split()
)
_CALLS = frozenset(("jit", "pjit"))


def are_same(a: Any, b: Any) -> bool:
    """Whether two numbers or arrays are known to be equal, element by element."""
    return _are_same(a, b, _DEEPEST, {})


def _are_same(a: Any, b: Any, depth: int, seen: dict[tuple[int, int], bool]) -> bool:
    if a is b:
        return True
    known = [literal_value(x) if is_traced(x) else x for x in (a, b)]
    if any(x is not None for x in known):
        are_numbers = all(x is not None and not np.shape(x) for x in known)
        return are_numbers and bool(known[0] == known[1]) and (known[0] != 0 or not np.signbit(known).any())
    if depth == 0 or a.shape != b.shape or a.dtype != b.dtype:
        return False
    key = (id(a), id(b))
    if key not in seen:
        seen[key] = _are_made_alike(a, b, depth - 1, seen)
    return seen[key]


def _are_made_alike(a: Any, b: Any, depth: int, seen: dict[tuple[int, int], bool]) -> bool:
    outer = closed_over(a), closed_over(b)
    if outer[0] is not None and outer[1] is not None:
        return _are_same(*outer, depth, seen)
    if hasattr(a, "primal") and hasattr(b, "primal"):  # values with derivatives
        return _are_same(a.primal, b.primal, depth, seen)
    if hasattr(a, "batch_dim") and hasattr(b, "batch_dim"):  # lanes
        is_one_map = trace_of(a) is trace_of(b)  # else they are lanes of a `vmap` in a `vmap`
        return is_one_map and a.batch_dim == b.batch_dim and _are_same(a.val, b.val, depth, seen)
    one, two = equation_of(a), equation_of(b)
    if one is None or two is None or one.primitive is not two.primitive or len(one.in_tracers) != len(two.in_tracers):
        return False
    is_pure = one.primitive.name in _PURE or (one.primitive.name in _CALLS and not one.params["jaxpr"].effects)
    if not is_pure or len(one.outvars) != 1 or one.params.keys() != two.params.keys():
        return False
    if not all(_are_equal_parameters(one.params[name], two.params[name]) for name in one.params):
        return False
    return all(_are_same(x, y, depth, seen) for x, y in zip(one.in_tracers, two.in_tracers, strict=True))


def _are_equal_parameters(a: Any, b: Any) -> bool:
    return a is b or (type(a) is type(b) and not hasattr(a, "jaxpr") and bool(a == b))


def are_same_integers(a: Any, b: Any) -> bool:
    """Whether two integer scalars are known to be equal, also as sums: `k - 1` is `(k + 1) - 2`."""
    if are_same(a, b):
        return True
    (terms, one), (others, two) = integer_ranges.as_sum(a), integer_ranges.as_sum(b)
    rest = list(others.values())
    for x, factor in terms.values():
        found = next((n for n, (y, other) in enumerate(rest) if other == factor and are_same(x, y)), None)
        if found is None:
            return False
        del rest[found]
    return not rest and one == two
