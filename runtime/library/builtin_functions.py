"""Python's numeric builtins on traced values; on anything else they are the builtins themselves.

| builtin | on traced values |
| --- | --- |
| `int`, `float`, `complex` | a weakly typed scalar: promotes as a Python number does; `int` truncates toward zero |
| `bool` | `x != 0` of a scalar; what the user's `__bool__` says, converted |
| `len` | what the user's `__len__` says, converted |
| `min`, `max`, `sorted` | see `selection` |
| `sum` | of an array: over its leading axis, in its own dtype (bools count as ints); else Python's own, term by term |
| `any`, `all` | a traced bool; what stands behind a deciding element is evaluated, but may write nothing |
| `pow(a, b, m)` | see `modular` |
| `int`, `round`, `divmod`, `pow` in a `try` | see `arithmetic_errors` |
| `round(n, -2)` | of an integer: by a division |
| `round(x, k)` with a traced `k` | see `rounding` |
| `range` | `ag.range`: a counted loop |
| `enumerate`, `zip`, `reversed`, `map`, `filter` | the iterators of `iterables`, which a `for` stages whole |
| `iter`, `next` | see `native_state` |
| `len`, `sum`, `min`, `max` of a range with traced bounds | by arithmetic (see `ranges`) |
| `operator.not_`, `truth`, `index`, `contains`, `getitem`, `setitem`, `iadd`, `countOf`, `eq`, `lt`, ... | what the operator does |
| `str`, `repr`, `format` | a string to show, see `traced_strings` |
| `hasattr`, `getattr` | an `AttributeError` that only a traced value brings about is none |
| `setattr`, `delattr` | announced to the journal, with the user's setters converted |

`abs`, `divmod`, two-argument `pow` and `round` otherwise need no help: arrays define their methods.

NB integers are fixed-width when traced: `int(x)` saturates where Python's integers grow; `sum` of floats adds in the
order that the device finds fastest.

>>> import jax
>>> float(jax.jit(builtin(min))(3.0, 2.0)), int(jax.jit(builtin(int))(-2.7))
(2.0, -2)
>>> builtin(min)([3, 1, 2]), builtin(print) is print
(1, True)
"""

from __future__ import annotations

import builtins
import functools
import operator
import sys
import warnings
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph.jax_internals import convert_weak, is_tracing
from autograph.runtime.checks import handlers, messages, traced_strings
from autograph.runtime.heap import aliases, native_state
from autograph.runtime.heap.unset_reads import note_unset
from autograph.runtime.jaxprs.binding import predicate
from autograph.runtime.library import arithmetic_errors, math_functions, numpy_matrices, rounding
from autograph.runtime.operators import attributes, augmented, comprehensions, conditionals, items, logical
from autograph.runtime.sequences import (
    comparison,
    counted_range,
    inplace_operators,
    iterables,
    lists_of_arrays,
    membership,
    modular,
    powers,
    ranges,
    selection,
    short_circuit,
    traced_index,
)
from autograph.runtime.sequences.bounded_list import BoundedList
from autograph.runtime.tracing import context, host, number_kinds, python_bools, sizes
from autograph.runtime.tracing.array_types import is_integer, python_type, scalar, type_of
from autograph.runtime.tracing.class_lookup import classes_of
from autograph.runtime.tracing.families import NUMBERS
from autograph.runtime.tracing.known.functions import total_of
from autograph.runtime.tracing.staging import is_traced, is_tracer
from autograph.runtime.tracing.truth import length, truth_value
from autograph.runtime.values import choices, key_orders, order_reads
from autograph.runtime.values.bounded_array import BoundedArray


def builtin(fn: Any) -> Any:
    """The version of a builtin function or type that also takes traced values; `fn` itself where there is none."""
    return BUILTINS.get(fn, fn)


def _bool(*args: Any, **kwargs: Any) -> Any:
    if len(args) != 1 or kwargs:
        return bool(*args, **kwargs)
    test = truth_value(args[0])
    return python_bools.of_python(predicate(test)) if is_traced(test) else bool(test)


def _len(obj: Any, /) -> Any:
    if aliases.any_merged() and isinstance(obj, set | frozenset | dict):
        for item in obj:
            comparison.check_search(item, obj)
    return length(obj) if not ranges.is_open(obj) else ranges.range_length(obj)


def _is_of_unknown_length(x: Any) -> bool:
    """Whether `x` is a list or an array of which the length is traced."""
    return type(x) in (BoundedArray, BoundedList) and x.is_traced()


def _int(*args: Any, **kwargs: Any) -> Any:
    if len(args) == 1 and sizes.is_size(args[0]):
        return args[0]
    if len(args) == 1 and is_tracer(args[0]):
        return arithmetic_errors.check_call("int", scalar(args[0], int), args)
    traced_strings.check_shows_no_traced(args)
    return int(*args, **kwargs)


def _float(*args: Any, **kwargs: Any) -> Any:
    if len(args) == 1 and (is_tracer(args[0]) or sizes.is_size(args[0])):
        return scalar(args[0], float)
    traced_strings.check_shows_no_traced(args)
    return float(*args, **kwargs)


def _type(*args: Any, **kwargs: Any) -> Any:
    """`type`; what is weakly typed as Python's numbers are is of the class of one, though traced."""
    if len(args) == 1 and type(args[0]) is choices.Choice:
        return choices.common(args[0], type)
    if len(args) == 1 and type(args[0]) is BoundedList:
        return list
    if len(args) == 1 and sizes.is_size(args[0]):
        return int
    if len(args) != 1 or not is_tracer(args[0]):
        return type(*args, **kwargs)
    found = type_of(args[0])
    number = python_type(found.dtype) if found.weak and not found.shape else None
    if number is None:
        return type(args[0])
    return number_kinds.answer(args[0], "type()", lambda kind: kind) if number_kinds.noted else number


def _isinstance(x: Any, kinds: Any, /) -> bool:
    """`isinstance`; a traced scalar is of the classes that Python's number or NumPy's scalar is of, as well as of those of JAX."""
    if type(x) is choices.Choice:
        return choices.common(x, lambda option: isinstance(option, kinds))

    def is_so(number: Any) -> bool:
        return any(isinstance(x if _looks_at_objects(kind) else number(), kind) for kind in classes_of(kinds))

    if number_kinds.noted and len(number_kinds.kinds_of(x)) > 1:
        return number_kinds.answer(x, "isinstance()", is_so)
    number = _type(x) if is_tracer(x) or sizes.is_size(x) else None
    if number not in NUMBERS:
        return isinstance(x, kinds) or number is not None and not x.shape and _is_scalar(x.dtype, kinds)
    return is_so(number)


def _is_scalar(dtype: Any, kinds: Any) -> bool:
    """Whether one of the classes is NumPy's of scalars (`np.integer`), and those of this dtype belong to it."""
    numpys = (kind for kind in classes_of(kinds) if isinstance(kind, type) and issubclass(kind, np.generic))
    return isinstance(dtype, np.dtype) and any(issubclass(dtype.type, kind) for kind in numpys)


def _looks_at_objects(kind: Any) -> bool:
    """Whether a class is a JAX class, or may ask an object for more than its class."""
    return str(getattr(kind, "__module__", "")).startswith("jax") or type(kind).__module__ not in ("builtins", "abc", "typing")


def _complex(*args: Any, **kwargs: Any) -> Any:
    if not any(map(is_tracer, (*args, *kwargs.values()))):
        return complex(*args, **kwargs)
    parts = dict(zip(("real", "imag"), args, strict=False), **kwargs)
    both = (parts.get("real", 0), parts.get("imag", 0))
    real, imag = (scalar(v, complex) if is_tracer(v) else complex(v) for v in both)
    return real if "imag" not in parts else real + imag * 1j


def _pow(base: Any, exp: Any, mod: Any = None) -> Any:
    if mod is None or not any(map(is_traced, (base, exp, mod))):
        if mod is not None:
            return pow(base, exp, mod)
        return powers.power(base, arithmetic_errors.operand("pow", base, exp))
    if not all(map(is_integer, (base, exp, mod))):
        raise TypeError("pow() 3rd argument not allowed unless all arguments are integers")
    return scalar(modular.modular_power(base, exp, mod), int)


_ADDS_ALIKE = sys.version_info < (3, 12)
"""Whether `sum` adds floats as `+` does."""


def _sum(iterable: Any, /, start: Any = 0) -> Any:
    if ranges.is_open(iterable):
        count = sizes.traced(ranges.range_length(iterable))
        # Half of `count * (count - 1)`, of which the even one is halved first: the product may not fit where the half does.
        pairs = (count >> 1) * ((count - 1) | 1)
        return start + count * iterable.start + iterable.step * pairs
    if _is_of_unknown_length(iterable):
        total = iterable.reduced("sum")
        return total if type(start) is int and start == 0 else start + total
    if not is_traced(iterable) or not jax.typeof(iterable).shape:
        kept = comprehensions.kept(iterable, 0)
        return sum(kept, start) if context.progress.level is None or _ADDS_ALIKE else total_of(kept, start)
    if iterable.shape[0] == 0:
        return start
    if iterable.dtype == jnp.bool_:
        iterable = iterable + 0
    total = jnp.sum(iterable, axis=0, promote_integers=False)
    if type_of(iterable).weak:
        total = convert_weak(total, total.dtype)
    return total if type(start) is int and start == 0 else start + total


def _quantifier(name: str) -> Callable[[Any], Any]:
    """`any` or `all`."""

    def call(iterable: Any, /) -> Any:
        if type(iterable) in key_orders.VIEWS:
            iterable = iterable.view
        if type(iterable) is choices.Choice:
            return choices.each_apart(call, iterable)
        if is_traced(iterable) and len(jax.typeof(iterable).shape) == 1:
            return python_bools.of_python(numpy_matrices.VERSIONS[name](iterable))
        if _is_of_unknown_length(iterable):
            return python_bools.of_python(iterable.reduced(name))
        if name == "any":
            return short_circuit.any_passes(iterable, lambda item: item, "any()")
        return logical.not_(short_circuit.any_passes(iterable, logical.not_, "all()"))

    return call


def _key(kwargs: dict[str, Any]) -> dict[str, Any]:
    if kwargs.get("key") is not None:
        kwargs["key"] = host.calls.converted(kwargs["key"])
    return kwargs


def _extreme(name: str) -> Callable[..., Any]:
    """`min` or `max`."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and not kwargs and ranges.is_open(args[0]):
            return scalar(getattr(jnp, f"{name}imum")(*ranges.ends(args[0], name)), int)
        if len(args) == 1 and not kwargs and _is_of_unknown_length(args[0]):
            return args[0].reduced(name)
        if len(args) == 1 and kwargs.keys() == {"default"} and type(args[0]) is BoundedArray:
            has_some = args[0].data.shape[0] > 0 and args[0].shape[0] > 0
            return conditionals.if_exp(has_some, lambda: call(args[0]), lambda: kwargs["default"])
        return selection.extreme(name, *args, **_key(kwargs))

    return call


def _sorted(iterable: Any, /, **kwargs: Any) -> Any:
    if type(iterable) is BoundedArray and kwargs.get("key") is None and iterable.is_traced():
        return lists_of_arrays.sorted_list(iterable, **{name: kwargs[name] for name in kwargs if name != "key"})
    if type(iterable) is not BoundedList or not iterable.is_traced():
        return selection.sort(iterable, **_key(kwargs))
    made = iterable.copy()
    made.sort(**_key(kwargs))
    return made


def _enumerate(iterable: Any, start: Any = 0) -> Any:
    is_staged = is_traced(start) or iterables.is_staged_iterable(iterable) or iterables.may_be_long(iterable)
    return (iterables.Enumerate if is_staged else enumerate)(iterable, start)


def _zip(*args: Any, strict: bool = False) -> Any:
    is_staged = any(iterables.is_staged_iterable(x) or iterables.may_be_long(x) for x in args)
    return iterables.Zip(args, strict) if is_staged else zip(*args, strict=strict)


def _reversed(sequence: Any, /) -> Any:
    if iterables.is_staged_iterable(sequence) or iterables.may_be_long(sequence):
        return iterables.Reversed(sequence)
    return reversed(sequence)


def _map(fn: Any, /, *args: Any, **kwargs: Any) -> Any:
    fn = host.calls.converted(fn)
    if args and not kwargs and any(iterables.is_staged_iterable(x) or iterables.may_be_long(x) for x in args):
        return iterables.Map(fn, args)
    return map(fn, *args, **kwargs)


def _filter(fn: Any, iterable: Any, /) -> Any:
    if fn is not None:
        fn = host.calls.converted(fn)
    plain = type(iterable) in (list, tuple, builtins.range)
    if iterables.is_staged_iterable(iterable) or (plain and (fn is not None or any(map(is_traced, iterable)))):
        return iterables.Filter(fn, iterable)
    return filter(iterables.known_test(fn), iterable) if is_tracing() else filter(fn, iterable)


def _range(*bounds: Any) -> Any:
    """`range(n)`; a number of the program may stand in an object that says which array it is, as an `ag.Variable` does."""
    known = [x if type(x) is int or sizes.is_unknown(x) else _number_in(x) for x in bounds]
    return (counted_range.range.of_builtin if any(map(sizes.is_unknown, known)) else range)(*known)


def _number_in(x: Any) -> Any:
    return x.__jax_array__() if callable(getattr(type(x), "__jax_array__", None)) else x


def _index(x: Any, /) -> Any:
    return math_functions.index_of_integer(x) if is_tracer(x) else operator.index(x)


def _index_of(items: Any, value: Any, /) -> Any:
    items = list(order_reads.ordered(items))
    if any(map(comparison.may_be_traced, (value, *items))):
        return traced_index.index_of(items, value)
    return operator.indexOf(items, value)


def _getattr(obj: Any, name: str, /, *default: Any) -> Any:
    if len(default) != 1 or not is_tracing():
        return getattr(obj, name, *default)
    if name in _OF_SEQUENCES and is_tracer(obj) and _type(obj) in NUMBERS:
        return default[0]
    with context.handled(lambda: AttributeError):
        try:
            return getattr(obj, name)
        except AttributeError as error:
            if not handlers.is_event(error):
                raise
            note_unset(error)
            return default[0]


def _concat(a: Any, b: Any, /) -> Any:
    if is_tracer(a):
        raise TypeError("Concatenation operation is not implemented for NumPy arrays, use np.concatenate() instead.")
    return operator.concat(a, b)


_OF_SEQUENCES = ("__iter__", "__len__", "__getitem__")
"""By what programs tell a sequence from a number; an array without axes has them, and they fail."""

BUILTINS: dict[Any, Callable[..., Any]] = {
    abs: lambda x, /: abs(sizes.traced(x)),
    bool: _bool,
    len: _len,
    hash: comparison.hashed,
    int: _int,
    float: _float,
    complex: _complex,
    divmod: lambda x, y, /: divmod(x, arithmetic_errors.operand("divmod", x, y)),
    pow: _pow,
    round: rounding.rounded,
    sum: _sum,
    any: _quantifier("any"),
    all: _quantifier("all"),
    min: _extreme("min"),
    max: _extreme("max"),
    sorted: _sorted,
    range: _range,
    enumerate: _enumerate,
    zip: _zip,
    reversed: _reversed,
    map: _map,
    filter: _filter,
    iter: native_state.make_iterator,
    next: native_state.next_item,
    str: messages.string_of_value,
    repr: messages.repr_of,
    format: messages.format_of,
    warnings.warn: traced_strings.warn,
    isinstance: _isinstance,
    type: _type,
    callable: lambda x, /: callable(next(iter(x.choice_options.values())) if type(x) is choices.Choice else x),
    hasattr: lambda obj, name, /: _getattr(obj, name, BUILTINS) is not BUILTINS,
    getattr: _getattr,
    setattr: lambda obj, name, value, /: attributes.set_attr(value, obj, name),
    delattr: attributes.del_attr,
    operator.not_: logical.not_,
    operator.truth: _bool,
    operator.is_: logical.is_,
    operator.is_not: logical.is_not,
    operator.index: _index,
    operator.call: lambda f, /, *args, **kwargs: host.calls.converted(f)(*args, **kwargs),
    operator.contains: lambda container, x, /: membership.contains(x, container),
    operator.getitem: items.get_item,
    operator.setitem: lambda x, i, value, /: (items.set_item(value, x, i), None)[1],
    operator.delitem: items.del_item,
    **{fn: functools.partial(augmented.iop, symbol) for fn, symbol in inplace_operators.FUNCTIONS.items()},
    operator.countOf: lambda items, value, /: traced_index.count_items(list(items), value),
    **{fn: functools.partial(arithmetic_errors.binary, sign) for sign, fn in arithmetic_errors.OF_OPERATORS.items()},
    operator.indexOf: _index_of,
    operator.concat: _concat,
    operator.iconcat: lambda a, b, /: augmented.iop("+=", a, b) if not is_tracer(a) else _concat(a, b),
    **{getattr(operator, fn.__name__): fn for fn in comparison.COMPARISONS.values()},
}
