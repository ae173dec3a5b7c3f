"""The operators of generated code on plain values, as Python defines them: what `autograph.runtime` does when nothing is traced.

Written from docs/architecture.md alone, with one check of its own: a function made for a statement may write a variable
from outside only if that variable is in the statement's state. A staging runtime could not see the write otherwise.
"""

from __future__ import annotations

import builtins
import contextlib
import dis
import operator
import sys
from typing import Any

from autograph.analyses import numpy_writes
from autograph.runtime.tracing.variables import UNSET, cells_of

slice = builtins.slice

_IN_PLACE = {
    "+=": operator.iadd, "-=": operator.isub, "*=": operator.imul, "/=": operator.itruediv, "//=": operator.ifloordiv,
    "%=": operator.imod, "**=": operator.ipow, "@=": operator.imatmul, "&=": operator.iand, "|=": operator.ior,
    "^=": operator.ixor, "<<=": operator.ilshift, ">>=": operator.irshift,
}  # fmt: skip
_COMPARE = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
    "is": operator.is_, "is not": operator.is_not, "in": lambda a, b: a in b, "not in": lambda a, b: a not in b,
}  # fmt: skip
eq, ne, lt, le, gt, ge = operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge


class Undefined:
    """Only ever written in an annotation that nothing evaluates."""


def nothing() -> None:
    pass


_WRITES = ("STORE_DEREF", "DELETE_DEREF")
_ROLES = (
    "if_body",
    "else_body",
    "loop_body",
    "loop_test",
    "and_right",
    "or_right",
    "if_value",
    "else_value",
    "operand",
)


def _outside_writes(code: Any) -> set[str]:
    names = {step.argval for step in dis.get_instructions(code) if step.opname in _WRITES} & set(code.co_freevars)
    for constant in code.co_consts:
        if isinstance(constant, type(code)) and constant.co_name.startswith(_ROLES):
            names |= _outside_writes(constant) & set(code.co_freevars)
    return names


def _checked(state: Any, *functions: Any) -> None:
    names = () if state is None else state.__code__.co_freevars
    assert list(names) == sorted(names)
    for function in functions:
        if function is not None:
            unknown = _outside_writes(function.__code__) - set(names)
            assert not unknown, f"{function.__code__.co_name} writes {unknown}, the state is {names}"


def if_stmt(
    test: Any,
    body: Any,
    orelse: Any,
    state: Any = None,
    *,
    exits: Any = None,
    unbound: Any = (),
    dead: Any = (),
    enclosed: Any = (),
    asked: Any = False,
    returned: Any = (),
) -> Any:
    _checked(state, body, orelse)
    named = {*(exits or ()), *unbound, *enclosed}
    assert not named or named <= set(state.__code__.co_freevars)
    value = body() if test else orelse()
    for variable in cells_of(state) if state is not None else ():
        if variable.name in dead:
            variable.set(UNSET)  # as the staged statement does: nobody reads it
    return value


def while_loop(
    test: Any,
    body: Any,
    state: Any = None,
    *,
    dead: Any = (),
    options: Any = None,
    asked: Any = False,
    returned: Any = (),
) -> None:
    _checked(state, test, body)
    while test():
        assert body() is None


def for_loop(
    iterable: Any,
    body: Any,
    state: Any = None,
    *,
    test: Any = None,
    appends: Any = None,
    last: bool = False,
    dead: Any = (),
    item: bool = True,
    options: Any = None,
    asked: Any = False,
    returned: Any = (),
) -> None:
    _checked(state, test, body)
    for item in iterable:
        assert body(item) is None
        if test is not None and not test():
            break


def if_exp(test: Any, body: Any, orelse: Any, state: Any = None, *, unbound: Any = ()) -> Any:
    _checked(state, body, orelse)
    return body() if test else orelse()


def either(asked: Any, test: Any, body: Any, orelse: Any) -> Any:
    return body() if test else orelse()


def method(x: Any, name: str) -> Any:
    return getattr(x, name)


def collected(make: Any, iterable: Any, to: Any = None) -> Any:
    return make(iterable)


def fold(f: Any, make: Any, iterable: Any) -> Any:
    return lambda *args: f(make(iterable), *args)


def taken(f: Any, make: Any, iterable: Any, asked: Any = False) -> Any:
    return lambda *args, **kwargs: f((element() for test, element in make(iterable) if test), *args, **kwargs)


def asked_for_none() -> bool:
    return False


def asking(f: Any, asked: Any = True) -> Any:
    return f


def is_some(x: Any) -> Any:
    return x


def uncovered(asked: bool, name: str) -> None:
    pass


def is_none(x: Any) -> bool:
    return x is None


def maybe_attr(obj: Any, name: str) -> Any:
    return getattr(obj, name)


def some(x: Any, name: str, asked: Any = False) -> Any:
    return x


def and_(left: Any, right: Any, state: Any = None, *, unbound: Any = (), test: bool = False, lazy: bool = False) -> Any:
    _checked(state, right)
    return left and right()


def or_(left: Any, right: Any, state: Any = None, *, unbound: Any = (), test: bool = False, lazy: bool = False) -> Any:
    _checked(state, right)
    return left or right()


def not_(x: Any) -> bool:
    return not x


def compare(left: Any, *rest: Any, lazy: bool = False) -> Any:
    for index in range(0, len(rest), 2):
        right = rest[index + 1]()
        result = _COMPARE[rest[index]](left, right)
        if index + 2 == len(rest) or not result:
            return result
        left = right
    raise AssertionError("a comparison has operands")


def in_(x: Any, container: Any) -> bool:
    return x in container


def not_in(x: Any, container: Any) -> bool:
    return x not in container


def is_(x: Any, y: Any) -> bool:
    return x is y


def is_not(x: Any, y: Any) -> bool:
    return x is not y


def converted(f: Any) -> Any:
    return f


attempt = converted


def handled(kinds: Any) -> Any:
    return contextlib.nullcontext()


def failed(kind: str, what: str, args: tuple[Any, ...], result: Any = None) -> bool:
    return False


def failure(kind: str, what: str = "/", args: tuple[Any, ...] = ()) -> Exception:
    raise AssertionError("nothing is traced")


def operand(what: str, left: Any, right: Any) -> Any:
    return right


def binary(what: str, left: Any, right: Any) -> Any:
    return _IN_PLACE[what + "="](left, right)


def get_item(x: Any, i: Any) -> Any:
    return x[i]


get_view = get_item


def get_slice(x: Any, start: Any, length: Any) -> Any:
    return x[start : start + length]


def set_item(value: Any, x: Any, i: Any) -> Any:
    x[i] = value
    return x


def _walked(base: Any, path: Any) -> Any:
    for kind, key in path:
        base = getattr(base, key) if kind == "." else base[key]
    return base


def set_item_at(value: Any, base: Any, path: Any, i: Any) -> Any:
    _walked(base, path)[i] = value
    return base


def in_place_method(base: Any, path: Any, method: str, *args: Any, **keywords: Any) -> Any:
    getattr(_walked(base, path), method)(*args, **keywords)
    return base


def in_place_call(base: Any, path: Any, f: Any, *args: Any, **keywords: Any) -> Any:
    if f.__name__ in numpy_writes.WRITERS or f.__name__ == "at":
        f(_walked(base, path), *args, **keywords)
    else:
        f(*args, out=_walked(base, path), **keywords)
    return base


def aug_item(x: Any, i: Any, sign: str, value: Any) -> Any:
    x[i] = _IN_PLACE[sign](x[i], value())
    return x


def aug_item_at(base: Any, path: Any, i: Any, sign: str, value: Any) -> Any:
    aug_item(_walked(base, path), i, sign, value)
    return base


def set_attr(value: Any, x: Any, name: str) -> None:
    setattr(x, name, value)


def aug_attr(x: Any, name: str, sign: str, value: Any) -> None:
    setattr(x, name, _IN_PLACE[sign](getattr(x, name), value()))


def del_attr(x: Any, name: str) -> None:
    delattr(x, name)


def del_item(x: Any, i: Any) -> None:
    del x[i]


def iop(sign: str, x: Any, value: Any) -> Any:
    return _IN_PLACE[sign](x, value)


def touch(name: Any) -> None:
    assert len(name.__code__.co_freevars + name.__code__.co_names) == 1


def read(name: Any, is_bound: bool = True) -> Any:
    try:
        return name()
    except NameError as error:
        raise UnboundLocalError(str(error)) from None


def read_free(name: Any) -> Any:
    return name()


def assert_(test: Any, message: Any = None) -> None:
    if not test:
        raise AssertionError(*([] if message is None else [message()]))


def raise_(exception: Any = None, cause: Any = None) -> Any:
    if exception is None:
        exception = sys.exception()
    if isinstance(exception, type):
        exception = exception()
    if cause is not None:
        exception.__cause__ = cause() if isinstance(cause, type) else cause
    return exception


def caught(kinds: Any = BaseException) -> Any:
    return kinds


def ending() -> contextlib.AbstractContextManager[None]:
    return contextlib.nullcontext()


def raise_refusal() -> None:
    pass


def depth() -> int:
    return 0


def raised(outside: int, exception: Any = None, cause: Any = None) -> Any:
    return (raise_(exception, cause),)


def error(found: Any) -> Any:
    return found[0]


def start(x: float) -> float:
    return x


def bound_op(sign: str, left: Any, right: Any) -> Any:
    return _COMPARE[sign](left, right)


def positive(x: Any) -> Any:
    return +x


def power(base: Any, exponent: Any) -> Any:
    return base**exponent


def repeat(left: Any, right: Any) -> Any:
    return left * right


def ordered(x: Any) -> Any:
    return x


def union(x: Any, y: Any) -> Any:
    return x | y


def display(*items: Any) -> dict[Any, Any]:
    made = {}
    for item in items:
        made.update(item[0] if len(item) == 1 else [item])
    return made


def binding(items: Any, variables: Any) -> Any:
    return items


def comp_iter(xs: Any) -> Any:
    return xs


def comp_each(make: Any, iterable: Any, to: Any = None) -> Any:
    return make(iterable)


def comp_where(test: Any, part: Any, to: Any = None) -> Any:
    return part() if test else ()


def comp_kept(test: Any, element: Any, passed: Any, to: Any = None) -> tuple[Any, ...]:
    return (element(),) if test else ()


def comp_counted(test: Any, element: Any) -> tuple[Any, ...]:
    return (1,) if test and [element()] else ()


def comp_len(counts: Any) -> Any:
    return len(counts)


def formatted(value: Any, spec: str = "", conversion: str = "") -> str:
    convert = {"": lambda x: x, "s": str, "r": repr, "a": ascii}[conversion]
    return format(convert(value), spec)


def f_string(*parts: str) -> str:
    return "".join(parts)


def percent(template: str, values: Any) -> str:
    return template % values


def comp_test(test: Any) -> Any:
    return test


def context(manager: Any) -> Any:
    return manager


def lent(x: Any, others: tuple[Any, ...], unshared: int) -> Any:
    return x
