"""Calls in the author's body that lead to functions which need rewriting; every other call is unchanged.

| call | becomes | where |
| --- | --- | --- |
| `jax.grad(loss)(w)` | `jax.grad(<converted>(loss))(w)` | the name is a library function that calls functions |
| `fill(x)` | `(<routes>[fill] if <type>(fill) is <function> else fill)(x)` | `fill`, or what it calls, needs it |
| `step(x)` | the same, with the type of `step` | `step` is the user's function under `jax.jit`, `jax.vmap`, ... |

Names are resolved at conversion time. A function that is defined further down in the module is found in its source. What
cannot be resolved runs as plain Python, where JAX's own error is loud.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import opcode
from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any, Protocol

from autograph.code.library import is_library
from autograph.code.linking import Constants
from autograph.code.names import Namespace, attribute
from autograph.code.registry import CodeTable, known
from autograph.code.source import Source
from autograph.code.trees import at, changed, dotted
from autograph.conversion.element_assignment import STORES
from autograph.errors import is_of_jax
from autograph.options import MISSING
from autograph.runtime.calls.function_arguments import argument, takes_functions
from autograph.runtime.calls.rewrapping import CUSTOM, rewrapped
from autograph.runtime.tracing import host
from autograph.runtime.tracing.families import JITTED


class _Scope(Protocol):
    source: Source
    namespace: Namespace

    def resolve(self, dotted: str) -> Any: ...


# Library functions whose arguments are functions even where nothing is known about the argument's name.
TRANSFORMS = frozenset(
    """jit grad value_and_grad vmap pmap jvp vjp linearize jacfwd jacrev jacobian hessian checkpoint remat eval_shape
    make_jaxpr named_call custom_jvp custom_vjp custom_gradient shard_map linear_transpose closure_convert cond switch
    scan while_loop fori_loop associative_scan custom_root custom_linear_solve vectorize piecewise apply_along_axis
    apply_over_axes fromfunction minimize filter_jit filter_grad filter_value_and_grad filter_vmap filter_jvp filter_vjp
    filter_checkpoint filter_eval_shape""".split()
)
_LOAD_GLOBAL, _LOAD_NAME = opcode.opmap["LOAD_GLOBAL"], opcode.opmap["LOAD_NAME"]


def rewrite_call(node: ast.Call, scope: _Scope, constants: Constants) -> ast.Call:
    """Returns the call, or the one that takes its place."""
    name = dotted(node.func)
    callee = MISSING if name is None else scope.resolve(name)
    if callee is MISSING and isinstance(node.func, ast.Name):
        callee = _defined_below(node.func.id, scope)
    if callee is MISSING:
        return node
    if is_wrapper(callee):
        return _routed(node, type(callee), constants)
    if isinstance(callee, CodeType) or type(callee) is FunctionType:
        if _is_plain(callee):
            return _routed(node, FunctionType, constants) if needs_rewriting(callee, scope.namespace.globals) else node
    return _with_functions(node, callee, scope, constants)


def has_mark(node: Any, scope: _Scope) -> bool:
    """Whether a nested definition is decorated with `do_not_convert`."""
    if not node.decorator_list:
        return False
    from autograph.api import do_not_convert

    # `@do_not_convert` and `@do_not_convert()`
    names = (dotted(d.func if isinstance(d, ast.Call) else d) for d in node.decorator_list)
    return any(name is not None and scope.resolve(name) is do_not_convert for name in names)


# --- functions handed to library code ---


def _with_functions(node: ast.Call, callee: Any, scope: _Scope, constants: Constants) -> ast.Call:
    if not _calls_functions(callee):
        return node
    anything = getattr(callee, "__name__", None) in TRANSFORMS

    def wrapped(value: Any) -> Any:
        if isinstance(value, ast.List | ast.Tuple):
            elements = [wrapped(element) for element in value.elts]
            same = all(new is old for new, old in zip(elements, value.elts, strict=True))
            return value if same else changed(value, elts=elements)
        if not isinstance(value, ast.Name | ast.Attribute | ast.Call):
            return value
        name = dotted(value)
        found = MISSING if name is None else scope.resolve(name)
        if not _is_function(found) and not is_wrapper(found) and not (anything and found is MISSING):
            return value
        return at(value, ast.Call(constants.expression(argument, value), [value], []))

    args = [wrapped(value) for value in node.args]
    keywords = [changed(keyword, value=wrapped(keyword.value)) if keyword.arg else keyword for keyword in node.keywords]
    return changed(node, args=args, keywords=keywords)


# --- calls of functions that need rewriting ---


class Routes(dict[Any, Any]):
    """The converted functions of module-level functions, found without a call; those live as long as the process."""

    __hash__ = object.__hash__  # type: ignore[assignment]  # a code object's hash is that of its constants

    def __reduce__(self) -> str:
        return "_ROUTES"

    def __missing__(self, fn: Any) -> Any:
        converted = rewrapped(fn, argument) if is_wrapper(fn) else host.conversion.convert_function(fn)
        if inspect.unwrap(fn).__closure__ is None:
            self[fn] = converted
        return converted


_ROUTES = Routes()


def _routed(node: ast.Call, expected: type, constants: Constants) -> ast.Call:
    f = node.func
    kind = at(f, ast.Call(constants.expression(type, f), [f], []))
    test = at(f, ast.Compare(kind, [ast.Is()], [constants.expression(expected, f)]))
    route = at(f, ast.Subscript(constants.expression(_ROUTES, f), f, ast.Load()))
    return changed(node, func=at(f, ast.IfExp(test, route, f)))


def _is_plain(callee: Any) -> bool:
    """Whether a callee is a function of the user's that has no body of ours yet."""
    if isinstance(callee, CodeType):
        return True
    return not is_library(callee) and known(callee.__code__) is None and callee not in host.conversion.UNCONVERTED


def is_wrapper(callee: Any) -> bool:
    """Whether a callee is a JAX function that traces a function of the user: jitted, or under another transform."""
    kind = type(callee)
    if kind is not JITTED and kind not in CUSTOM and not (kind is FunctionType and is_of_jax(callee.__code__)):
        return False
    inner = callee.__dict__.get("__wrapped__")
    return is_wrapper(inner) or (type(inner) is FunctionType and _is_plain(inner))


def _defined_below(name: str, scope: _Scope) -> Any:
    """Returns the code of a module-level function that the module has not defined yet, or `MISSING`."""
    code = scope.source.code
    own = (*code.co_varnames, *code.co_cellvars, *code.co_freevars, code.co_name)
    if name in own or name in scope.namespace.globals:
        return MISSING
    return scope.source.file.plain_function(name) or MISSING


def needs_rewriting(callee: FunctionType | CodeType, module_globals: dict[str, Any]) -> bool:
    """Whether a function, or one that it names, assigns elements or hands functions to JAX's transforms.

    Judged by bytecode and names, without parsing; a false alarm costs a dictionary look-up per call.
    """
    code = callee if isinstance(callee, CodeType) else callee.__code__
    pending = [(code, module_globals if isinstance(callee, CodeType) else callee.__globals__)]
    visited: dict[int, CodeType] = {}
    final = True  # every name has a value, so that the answer will not change
    while pending:
        part, space = pending.pop()
        answer = _ANSWERS.of(part).get("needs")
        if answer is False or id(part) in visited:
            continue
        visited[id(part)] = part
        items = list(_named(part, space))
        if (
            answer
            or not STORES.isdisjoint(part.co_code[::2])
            or any(_calls_functions(item) and getattr(item, "__name__", "") in TRANSFORMS for item in items)
            or any(map(is_wrapper, items))
        ):
            _ANSWERS.of(code)["needs"] = True
            return True
        final = final and not any(item is MISSING for item in items)
        pending.extend((constant, space) for constant in part.co_consts if isinstance(constant, CodeType))
        pending.extend((item.__code__, item.__globals__) for item in items if _is_function(item) and _is_plain(item))
    if final:
        for part in visited.values():
            _ANSWERS.of(part)["needs"] = False
    return False


_ANSWERS = CodeTable()


def _named(code: CodeType, space: dict[str, Any]) -> Iterator[Any]:
    """Yields what the globals that a code object reads mean now, and the attributes of modules and classes among them."""
    for name in _globals_read(code):
        value = space.get(name, MISSING)
        if value is MISSING:
            value = getattr(builtins, name, MISSING)
        yield value
        if isinstance(value, ModuleType) or type(value) is type:
            yield from (found for other in code.co_names if (found := attribute(value, other)) is not MISSING)


def _globals_read(code: CodeType) -> set[str]:
    names = set()
    high = 0
    instructions = code.co_code
    for place in range(0, len(instructions), 2):
        operation, argument = instructions[place], instructions[place + 1] | high
        high = argument << 8 if operation == opcode.EXTENDED_ARG else 0
        if operation == _LOAD_GLOBAL:
            names.add(code.co_names[argument >> 1])  # the lowest bit says that a call follows
        elif operation == _LOAD_NAME:
            names.add(code.co_names[argument])
    return names


def _is_function(item: Any) -> bool:
    return type(item) is FunctionType and not is_library(item)


def _calls_functions(item: Any) -> bool:
    """Whether something is a library function that may be given functions to call; other objects are not probed."""
    kind = type(item)
    if kind is not FunctionType and kind is not type and kind.__module__.partition(".")[0] not in _MAKERS:
        return False
    return is_library(item) and takes_functions(item)


_MAKERS = frozenset({"jax", "jaxlib", "functools", "builtins"})  # whose objects stand for functions: jitted, partial, C
