"""What Python raises for some numbers, where a compiled program goes on with an infinity or a NaN.

Outside of a `try` that is JAX's rule (docs/limits.md). In a `try` whose handlers would catch it, the operation is preceded by a
test and a `raise` (`converters.caught_operations`), which jumps to the handler as any `raise` does:

>>> failed("ZeroDivisionError", "/", (1.0, 0.0)), type(failure("ZeroDivisionError", "//", (1, 0)))
(False, <class 'ZeroDivisionError'>)
>>> import jax
>>> bool(jax.jit(lambda x: failed("ZeroDivisionError", "/", (1.0, x)))(0.0))
True

Nothing traced: then the operation raises by itself. What stands where no jump leads from (a called function, a lambda, a
comprehension) is refused where a handler names the exception, and makes the program fail where a handler takes any (`operand`,
`check_call`).

NB a traced scalar stands for a number of Python's here, also where it was computed from an array: dividing such a number by zero
raises. The elements of arrays of one and more dimensions follow NumPy: no exception.
"""

from __future__ import annotations

import builtins
import dis
import functools
import math
import operator
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph.runtime.checks import guards, handlers, runtime_checks
from autograph.runtime.library import math_functions
from autograph.runtime.sequences import powers
from autograph.runtime.tracing import context, host, integer_ranges
from autograph.runtime.tracing.array_types import is_integer_type
from autograph.runtime.tracing.families import NUMBERS
from autograph.runtime.tracing.staging import is_traced, is_tracer

_MESSAGES = {
    ("ValueError", "int"): "cannot convert float NaN to integer",
    ("OverflowError", "int"): "cannot convert float infinity to integer",
    ("ValueError", "math."): "math domain error",
    ("OverflowError", "math."): "math range error",
    ("ValueError", "<<"): "negative shift count",
    ("ValueError", ">>"): "negative shift count",
    ("ValueError", "math.factorial"): "factorial() not defined for negative values",
    ("ValueError", "math.isqrt"): "isqrt() argument must be nonnegative",
    ("ValueError", "math.comb"): "n must be a non-negative integer",
    ("ValueError", "math.perm"): "n must be a non-negative integer",
}
_TO_INTEGERS = ("int", "round", "math.ceil", "math.floor", "math.trunc")
_EXAMPLES: dict[str, Callable[[Any], Any]] = {
    "/": lambda zero: zero / zero,
    "//": lambda zero: zero // zero,
    "%": lambda zero: zero % zero,
    "divmod": lambda zero: divmod(zero, zero),
    "**": lambda zero: zero ** -(zero + 1),
    "pow": lambda zero: zero ** -(zero + 1),
    "math.log": lambda zero: math.log(2.0, 1.0),
}
"""What divides by zero, for the message that this version of Python has for it."""


def failed(kind: str, what: str, args: tuple[Any, ...], result: Any = None) -> Any:
    """Whether `what` raises an exception of the class of this name.

    False where nothing is traced: it raises by itself, and Python's own handler catches that, unless it is in a staged branch.

    Args:
        what: an operator's sign, or the name of a function (`analyses.fallible`).
        args: the operands.
        result: what came out of it, where only this tells.
    """
    if not any(map(is_tracer, args)):
        return result is None and context.active() and _raises(kind, what, args)
    test = _TESTS[kind, what]
    return test(result) if result is not None else test(*args)


def _raises(kind: str, what: str, args: tuple[Any, ...]) -> bool:
    """Whether `what` of known numbers of Python's raises."""
    if not all(type(x) in NUMBERS for x in args):
        return False
    fn = OF_OPERATORS.get(what) or getattr(math if what.startswith("math.") else builtins, what.removeprefix("math."))
    try:
        fn(*args)
    except Exception as error:
        return type(error).__name__ == kind
    return False


def failure(kind: str, what: str = "/", args: tuple[Any, ...] = ()) -> Exception:
    """The exception that Python raises then; of the class of this name alone, one with a message that may be another."""
    if kind == "LinAlgError":
        return np.linalg.LinAlgError(
            "Matrix is not positive definite" if what.endswith("cholesky") else "Singular matrix"
        )
    if kind == "ZeroDivisionError":
        zero = 0 if all(map(_is_integer, args)) else 0.0
        try:
            _EXAMPLES[what](zero)
        except ZeroDivisionError as error:
            return ZeroDivisionError(*error.args)
    if what in ("**", "pow"):
        return OverflowError(34, "Numerical result out of range")
    group = "int" if what in _TO_INTEGERS else "math."
    text = _MESSAGES.get((kind, what)) or _MESSAGES[kind, group]
    return OverflowError(text) if kind == "OverflowError" else ValueError(text)


def attempt(f: Any) -> Callable[..., Any]:
    """`f`, called where it is tested before or afterwards whether it fails."""
    found = host.calls.converted(f)

    @functools.wraps(found, updated=())
    def call(*args: Any) -> Any:
        with context.setting(math_functions.attempts, value=math_functions.attempts.value + 1):
            return found(*args)

    return call


def operand(what: str, left: Any, right: Any) -> Any:
    """`right`, the right operand of an operator in a place that no jump leaves; the program fails where Python raises.

    Raises:
        StagingError: a handler around it names the exception.
    """
    if math_functions.attempts.value or not (is_tracer(left) or is_tracer(right)):
        return right
    return _guarded(what, (left, right), right)


def binary(what: str, left: Any, right: Any) -> Any:
    """An operator in such a place, with its operands."""
    return (powers.power if what == "**" else OF_OPERATORS[what])(left, operand(what, left, right))


def may_fail(what: str) -> bool:
    """Whether a function raises for some numbers."""
    return what in _KINDS


def check_call(what: str, result: Any, args: tuple[Any, ...]) -> Any:
    """The result of such a function on traced arguments, in the same way."""
    return result if math_functions.attempts.value else _guarded(what, args, result, what.startswith("numpy."))


def refuse_unasked(fn: FunctionType) -> None:
    """Refuses a function that was staged elsewhere, so that its arithmetic finds no handler, where one names what it may raise."""
    if _divides(fn.__code__):
        runtime_checks.refuse_to_handle_later(ZeroDivisionError("division by zero"))


@functools.cache
def _divides(code: CodeType) -> bool:
    before = ""
    for step in dis.get_instructions(code):
        if step.opname == "BINARY_OP" and step.argrepr.rstrip("=") in ("/", "//", "%") and before != "LOAD_CONST":
            return True
        before = step.opname
    return False


def _guarded(what: str, args: tuple[Any, ...], value: Any, by_result: bool = False) -> Any:
    for kind in _KINDS[what]:
        error = failure(kind, what, args)
        if not handlers.would_catch(error):
            continue
        fails = failed(kind, what, args, value if by_result else None)
        if is_traced(fails):
            value = jax.tree.map(functools.partial(_tied, lax.bitwise_not(fails), error), value)
        elif fails:
            raise error
    return value


def _tied(ok: Any, error: Exception, value: Any) -> Any:
    return guards.guard_index(value, ok, error)


OF_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "<<": operator.lshift,
    ">>": operator.rshift,
}
"""The functions of `operator`, by their signs."""


# --- when Python raises ---


def _is_number(x: Any) -> bool:
    if is_tracer(x):
        aval = jax.typeof(x)
        return aval.shape == () and any(jnp.issubdtype(aval.dtype, kind) for kind in (jnp.number, jnp.bool_))
    kind = type(x)  # no `isinstance`: it would read the `__class__` of an object of the user's
    if issubclass(kind, (jax.Array, np.ndarray)):
        return bool(x.shape == ())
    return issubclass(kind, (bool, int, float, complex, np.number, np.bool_))


def _is_integer(x: Any) -> bool:
    if not _is_number(x):
        return False
    dtype = jax.typeof(x).dtype if is_tracer(x) else np.result_type(x)
    return is_integer_type(dtype)


def _of_numbers(test: Callable[..., Any], /, *args: Any) -> Any:
    """A test of numbers; arrays pass it."""
    return test(*args) if all(map(_is_number, args)) else False


def _is_zero(x: Any) -> Any:
    known = integer_ranges.range_of(x) if is_traced(x) else None
    return False if known is not None and (known[0] > 0 or known[1] < 0) else x == 0


def _is_negative(x: Any) -> Any:
    known = integer_ranges.range_of(x) if is_traced(x) else None
    return False if known is not None and known[0] >= 0 else x < 0


def _is_complex(x: Any) -> bool:
    return isinstance(x, complex) or (is_tracer(x) and jnp.issubdtype(jax.typeof(x).dtype, jnp.complexfloating))


def _zero_to_negative(base: Any, exponent: Any) -> Any:
    if _is_complex(base) or _is_complex(exponent) or (not is_tracer(exponent) and exponent >= 0):
        return False
    return jnp.logical_and(base == 0, exponent < 0)


def _outgrows(base: Any, exponent: Any) -> Any:
    if _is_complex(base) or _is_complex(exponent) or (_is_integer(base) and _is_integer(exponent)):
        return False
    return _infinite(jnp.power, base, exponent) & (base != 0)


def _infinite(fn: Callable[..., Any], *args: Any) -> Any:
    """Whether a function of finite numbers is infinite."""
    return functools.reduce(operator.and_, map(jnp.isfinite, args), jnp.isinf(fn(*args)))


def _is_whole(x: Any) -> Any:
    return x == jnp.floor(x)


def _is_float(x: Any) -> bool:
    return jnp.issubdtype(jnp.result_type(x), jnp.floating)


def _of_floats(test: Callable[[Any], Any], x: Any, /, *digits: Any) -> Any:
    return test(x) if not digits and _is_number(x) and _is_float(x) else False


_DOMAINS: dict[str, Callable[..., Any]] = {
    "sqrt": lambda x: x < 0,
    **dict.fromkeys(("log2", "log10"), lambda x: x <= 0),
    "log": lambda x, base=1.0: jnp.logical_or(x <= 0, base <= 0),
    "log1p": lambda x: x <= -1,
    **dict.fromkeys(("acos", "asin"), lambda x: jnp.abs(x) > 1),
    "acosh": lambda x: x < 1,
    "atanh": lambda x: jnp.abs(x) >= 1,
    **dict.fromkeys(("cos", "sin", "tan"), jnp.isinf),
    **dict.fromkeys(("fmod", "remainder"), lambda x, y: (jnp.isinf(x) & ~jnp.isnan(y)) | ((y == 0) & ~jnp.isnan(x))),
    "gamma": lambda x: (x <= 0) & _is_whole(x),
    "lgamma": lambda x: (x <= 0) & jnp.isfinite(x) & _is_whole(x),
    "pow": lambda x, y: jnp.isfinite(y) & (((x < 0) & jnp.isfinite(x) & ~_is_whole(y)) | ((x == 0) & (y < 0))),
    **dict.fromkeys(
        ("comb", "factorial", "isqrt", "perm"), lambda *args: functools.reduce(operator.or_, (x < 0 for x in args))
    ),
}


def _out_of_range(name: str, /, *args: Any) -> Any:
    """Whether a function of `math` outgrows the floats, and does not leave its domain."""
    if not all(map(_is_number, args)):
        return False
    infinite = _infinite(math_functions.MATH[name], *args)
    return infinite & ~_DOMAINS[name](*args) if name in _DOMAINS else infinite


_TESTS: dict[tuple[str, str], Callable[..., Any]] = {
    **{
        ("ZeroDivisionError", what): functools.partial(_of_numbers, lambda _, divisor: _is_zero(divisor))
        for what in ("/", "//", "%", "divmod")
    },
    **{("ZeroDivisionError", what): functools.partial(_of_numbers, _zero_to_negative) for what in ("**", "pow")},
    **{("OverflowError", what): functools.partial(_of_numbers, _outgrows) for what in ("**", "pow")},
    **{("ValueError", what): functools.partial(_of_numbers, lambda _, count: _is_negative(count)) for what in ("<<", ">>")},
    **{("ValueError", what): functools.partial(_of_floats, jnp.isnan) for what in _TO_INTEGERS},
    **{("OverflowError", what): functools.partial(_of_floats, jnp.isinf) for what in _TO_INTEGERS},
    **{("ValueError", f"math.{name}"): functools.partial(_of_numbers, test) for name, test in _DOMAINS.items()},
    **{
        ("OverflowError", f"math.{name}"): functools.partial(_out_of_range, name)
        for name in ("cosh", "exp", "exp2", "expm1", "gamma", "ldexp", "lgamma", "pow", "sinh")
    },
    ("ZeroDivisionError", "math.log"): functools.partial(_of_numbers, lambda x, base=0.0: base == 1),
    **{
        ("LinAlgError", f"numpy.linalg.{name}"): lambda result: ~jnp.all(jnp.isfinite(result))
        for name in ("cholesky", "inv", "solve")
    },
}
"""When `what` raises, by the name of the exception's class."""

_KINDS: dict[str, list[str]] = {}
for _kind, _what in _TESTS:
    _KINDS.setdefault(_what, []).append(_kind)
