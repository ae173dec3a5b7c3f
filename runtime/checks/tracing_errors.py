"""Which exceptions exist only because a value is traced: plain Python, which has a number there, would not raise them.

Code of C and of libraries needs a number, is given a tracer, and says so in many words and classes. What JAX says has
classes of its own (`handlers`); here are the others:

| raised | is no event of the program where |
| --- | --- |
| anywhere | its message names a tracer, and no other number would be better (`x + None`) |
| by JAX | its message is about a value that must be known |
| by JAX's functions on trees | never: a tree that lacks a node lacks it for any leaf, though the message names the leaf's class |
| by C code, or by the standard library | the expression that called it names a traced value |

What the user raises is always an event.

>>> import jax
>>> def f(n):
...     try:
...         return bytes(n)
...     except TypeError as error:
...         print(is_of_tracing(error), error)
>>> f("")
False string argument without an encoding
>>> jax.jit(f)(3)
True cannot convert 'DynamicJaxprTracer' object to bytes
"""

from __future__ import annotations

import ast
import dis
import inspect
import linecache
import re
import sysconfig
from collections.abc import Iterator
from itertools import islice
from types import FrameType, TracebackType
from typing import Any

import jax

from autograph.code.library import is_library_file
from autograph.errors import is_of_jax, is_ours
from autograph.runtime.tracing.sharing import value_of_name
from autograph.runtime.tracing.staging import is_tracer
from autograph.runtime.values.locations import AttributeLocation, is_read_untested

_KINDS = (TypeError, ValueError, IndexError, OverflowError)
_NAMED = re.compile(r"\w*Tracer\b|_DimExpr\b|Traced<|__hash__ method should return an integer")
_ASKS = re.compile(r"\w*Tracer\b|Traced<|\bconcrete\b|\bstatic\b|must have __hash__")
_ASKS_FOR_AN_INTEGER = re.compile(r".* can be converted to a scalar index")
_ALSO_OF_NUMBERS = re.compile(
    r"unsupported operand type\(s\) for .*'(NoneType|dict|set)'"
    r"|unsupported operand type\(s\) for (?![*%]).*'(str|list|tuple)'"
    r"|'[<>]=?' not supported between .*'(NoneType|dict|set|str|list|tuple)'"
    r"|.*\bx not in (list|tuple|deque)$|can only concatenate "
    r"|sequence item \d+: expected |'\w*Tracer' object is not (callable|iterable|subscriptable)"
)
_OF_THE_CALL = re.compile(r".*\) (takes|missing|got) | ?\w+ expected (at \w+ )?\d+ argument|.* takes (no|exactly|at) ")
# A `yield` raises what its caller throws into the generator.
_RAISES = frozenset({"RAISE_VARARGS", "RERAISE", "YIELD_VALUE", "RESUME"})
_OF_A_TYPE = re.compile(
    r"'(float|complex)\d*' object (cannot be interpreted as an integer|has no attribute)"
    r"|Only integer scalar arrays can be converted to a scalar index"
    r"|[\w ]+ indices must be integers or slices, not (float|complex)"
    r"|\w+ does not accept dtype (float|complex|bfloat)"
    r"|Indexer must have integer or boolean type|pow\(\) 3rd argument not allowed unless "
    r"|unsupported operand type\(s\) for [&|^<>]+: .*'(float|complex)\d*'"
    r"|can't multiply sequence by non-int of type '(float|complex)\d*'"
)
_KNOWN = ("shape", "ndim", "size", "dtype")
_TREES = frozenset(inspect.unwrap(fn).__code__.co_filename for fn in (jax.tree.map, jax.tree_util.tree_map))
_LIBRARY = tuple(sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib"))


class Explained(str):
    """The message of a Python exception that has been said in the user's terms; it stays no event."""


def is_of_tracing(error: BaseException) -> bool:
    """Whether `error` says in some way that a value is not known while the program is traced."""
    if type(error.args[0] if error.args else None) is Explained:
        return True
    if isinstance(error, AttributeError):
        is_of_number = any(hasattr(kind, error.name or "") for kind in (int, float, complex, jax.Array))
        return is_read_untested(error) or is_tracer(error.obj) and is_of_number
    last = last_of(error.__traceback__)
    if last is None or not isinstance(error, Exception):
        return False
    code, is_users = last.tb_frame.f_code, _is_users(last)
    is_raised = _instruction(last) in _RAISES
    if is_raised and (is_users or not isinstance(error, _KINDS) or _says_raise(error.__traceback__)):
        return False
    if not isinstance(error, _KINDS) and type(error).__module__ == "builtins":
        return False
    text = str(error)
    if _ALSO_OF_NUMBERS.match(text) and "ChoiceTracer" not in text:
        return False
    if is_of_jax(code):
        if code.co_filename in _TREES:
            return False
        return bool(_ASKS.search(text)) or (bool(_ASKS_FOR_AN_INTEGER.match(text)) and _is_of_call(error.__traceback__))
    if _NAMED.search(text):
        return True
    if is_raised:
        needs = code.co_filename.startswith(_LIBRARY) and "-packages" not in code.co_filename
    else:
        needs = is_users or is_ours(code.co_filename)
    return needs and not _OF_THE_CALL.match(text) and _names_a_tracer(error.__traceback__)


def is_of_a_call(error: BaseException) -> bool:
    """Whether what raised `error` is C code or an operator of ours that the user's code called, and no library's Python code."""
    last = last_of(error.__traceback__)
    return last is not None and (_is_users(last) or is_ours(last.tb_frame.f_code.co_filename))


def is_of_users_raise(error: BaseException) -> bool:
    """Whether a `raise` or an `assert` of the user's raised `error`."""
    last = last_of(error.__traceback__)
    return last is not None and _is_users(last) and _instruction(last) == "RAISE_VARARGS"


def is_of_a_type(error: BaseException) -> bool:
    """Whether `error` says that a float stands where Python needs an integer: so it is for each number that the float can be."""
    return isinstance(error, TypeError | AttributeError) and _OF_A_TYPE.match(str(error)) is not None


def is_handled_by_the_user(error: BaseException) -> bool:
    """Whether the frame in which an exception is handled is the user's: JAX and this library run functions in handlers as well."""
    return error.__traceback__ is not None and _is_users(error.__traceback__)


def last_of(trace: TracebackType | None) -> TracebackType | None:
    """The innermost place of a traceback."""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace


def _instruction(trace: TracebackType) -> str:
    """What ran at a place; where Python has made an instruction a faster one, it may name one of the caches behind it."""
    code, at = trace.tb_frame.f_code.co_code, trace.tb_lasti
    while dis.opname[code[at]] == "CACHE":
        at -= 2
    return dis.opname[code[at]]


def _is_users(trace: TracebackType) -> bool:
    filename = trace.tb_frame.f_code.co_filename
    return not is_ours(filename) and not is_library_file(filename)


def _at(trace: TracebackType | None) -> tuple[FrameType, str, str] | None:
    """The user's innermost frame, what it does there, and the source of the expression or statement."""
    found = None
    while trace is not None:
        found = trace if _is_users(trace) else found
        trace = trace.tb_next
    if found is None:
        return None
    code = found.tb_frame.f_code
    line, end_line, col, end_col = next(islice(code.co_positions(), found.tb_lasti // 2, None), (None,) * 4)
    if line is None or end_line is None or col is None or end_col is None:
        return None
    lines = [linecache.getline(code.co_filename, number).encode() for number in range(line, end_line + 1)]
    lines[-1] = lines[-1][:end_col]
    lines[0] = lines[0][col:]
    return found.tb_frame, _instruction(found), b"".join(lines).decode(errors="replace")


def _says_raise(trace: TracebackType | None) -> bool:
    at = _at(trace)
    return at is not None and re.match(r"(raise|assert)\b", at[2]) is not None


def _is_of_call(trace: TracebackType | None) -> bool:
    """Whether the user's code calls something there: what takes Python floats, `time.sleep`, asks others for an integer."""
    at = _at(trace)
    return at is not None and at[1].startswith("CALL")


def _names_a_tracer(trace: TracebackType | None) -> bool:
    """Whether a traced value is an operand or an argument of the expression that failed."""
    at = _at(trace)
    if at is None or at[1].startswith("UNPACK"):
        return False
    frame, _, text = at
    try:
        node = ast.parse(f"({text}\n)", mode="eval").body
    except SyntaxError:
        return False
    if isinstance(node, ast.Name | ast.Attribute):
        return is_tracer(_value(node, frame))
    # What is in a container does not matter to the search in it.
    parts = [node.slice] if isinstance(node, ast.Subscript) else ast.iter_child_nodes(node)
    return any(_holds_tracer(part, frame) for part in parts)


def _holds_tracer(node: ast.AST, frame: FrameType) -> bool:
    if isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and _is_path(node)):
        return is_tracer(_value(node, frame))
    if isinstance(node, ast.Attribute) and node.attr in _KNOWN:
        return False
    if isinstance(node, ast.Subscript) and _is_path(node.value):
        return any(map(is_tracer, _items(_value(node.value, frame)))) or _holds_tracer(node.slice, frame)
    if isinstance(node, ast.Lambda) or (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "len"):
        return False
    return any(_holds_tracer(part, frame) for part in ast.iter_child_nodes(node))


def _is_path(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and _is_path(node.value))


def _items(value: Any) -> Iterator[Any]:
    yield value
    if type(value) in (list, tuple):
        yield from value
    elif type(value) is dict:
        yield from value.values()


def _value(node: ast.AST, frame: FrameType) -> Any:
    """What a name or a path of attributes stands for, without running code of the user's; None if that is not known."""
    if isinstance(node, ast.Name):
        return value_of_name(frame, node.id)
    if not isinstance(node, ast.Attribute):
        return None
    owner = _value(node.value, frame)
    if is_tracer(owner):
        return None if node.attr in _KNOWN else owner
    try:
        return AttributeLocation(owner, node.attr).get()
    except AttributeError:
        return None
