"""Reads and runs a saved file. This one file is all that a process needs beside JAX: it may be copied to where the library is not.

`docs/saved_format.md` describes the file. Nothing in it is evaluated or unpickled, no name in it is opened, and what is not exactly
as it was written is a `SavedFileError`. But it holds programs, which run when they are called: load what you would install.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import hashlib
import inspect
import json
import os
import re
import reprlib
import struct
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jax import export

MAGIC = b"\x89AGF\r\n\x1a\n"  # as PNG's: a transfer that changes line ends or drops the eighth bit shows here
VERSION = 1
PREFIX = struct.Struct("<8sII32s")  # magic, version, length of the header, SHA-256 of the 16 bytes before and the header
ALIGNMENT = 64
LARGEST_HEADER, DEEPEST = 1 << 20, 64
MOST_VALUES = 50_000  # in the header: each takes some 60 bytes, however short its JSON is


class SavedFileError(ValueError):
    """A file that cannot be loaded: it is no saved file, is truncated, altered or malformed, or was written by a newer release."""


class SavedCallError(TypeError, ValueError):
    """A call that no signature of the file is for."""


def load(path: str | os.PathLike[str], *, checks: bool = True) -> SavedFunction:
    """Returns the function in a saved file.

    >>> load(__file__)
    Traceback (most recent call last):
    autograph.saved.loader.SavedFileError: ...loader.py: this is no saved file

    Args:
        path: the file.
        checks: whether a call waits for the result of the program's checks, and raises what failed.
    Raises:
        SavedFileError, OSError: where it is not what was written, where it cannot be read.
    """
    with open(path, "rb") as file:
        is_saved = file.read(len(MAGIC)) == MAGIC
        file.seek(0)
        return parse(file.read(-1 if is_saved else PREFIX.size), os.fspath(path), checks)


def parse(data: bytes, name: str, checks: bool = True) -> SavedFunction:
    """Returns the function in the bytes of a file of that name; raises as `load` does."""
    try:
        return SavedFunction(*_parts(memoryview(data)), checks)
    except Exception as error:  # of any kind, where a header has the right checksum and was not written by this library
        kind = "" if isinstance(error, SavedFileError) else f"the header is malformed: {type(error).__name__}: "
        raise SavedFileError(f"{name}: {kind}{str(error)[:400]}") from None


def _need(condition: Any, text: str) -> None:
    if not condition:
        raise SavedFileError(text)


def _parts(data: memoryview) -> tuple[dict[str, Any], list[memoryview]]:
    """Returns the header and the sections of a file, all checksums compared."""
    _need(data[: len(MAGIC)] == MAGIC[: len(data)], "this is no saved file")
    _need(len(data) >= PREFIX.size, "the file is truncated")
    _, version, length, checksum = PREFIX.unpack(data[: PREFIX.size])
    _need(version <= VERSION, f"the file has version {version} of the format, this loader reads up to {VERSION}")
    _need(version > 0 and length <= LARGEST_HEADER, f"the header cannot have {length} bytes")
    end = PREFIX.size + length
    _need(len(data) >= end, "the file is truncated")
    _need(hashlib.sha256(b"".join([data[:16], data[PREFIX.size : end]])).digest() == checksum, "the header was altered")
    text = str(data[PREFIX.size : end], "ascii")
    _need(sum(map(text.count, ",[{")) <= MOST_VALUES, f"the header has more than {MOST_VALUES} values")
    header: dict[str, Any] = json.loads(text, parse_constant=lambda name: _need(False, f"the header holds {name}"))
    level: list[Any] = [header]
    for _ in range(DEEPEST):
        level = [x for node in level for x in (node.values() if type(node) is dict else node) if isinstance(x, dict | list)]
    _need(not level, f"the header is nested more than {DEEPEST} deep")
    sections: list[memoryview] = []
    for length, digest in header["sections"]:
        start = end + -end % ALIGNMENT
        _need(type(length) is int and 0 <= length <= len(data) - start, "the file is truncated")
        _need(not any(data[end:start]), f"the bytes before section {len(sections)} were altered")
        end = start + length
        _need(hashlib.sha256(data[start:end]).hexdigest() == digest, f"section {len(sections)} was altered")
        sections.append(data[start:end])
    _need(len(data) == end, f"{len(data) - end} bytes follow the last section")
    return header, sections


def _pick(things: Sequence[Any], index: Any) -> Any:
    """Returns the thing that a number from the file means."""
    _need(type(index) is int and 0 <= index < len(things), f"{index!r} is no number below {len(things)}")
    return things[index]


def _take(sections: list[Any], index: Any) -> memoryview:
    """Returns a section; each is there for one program or array, so that none is copied again and again."""
    found, sections[index] = _pick(sections, index), None
    _need(found is not None, f"section {index} is used twice")
    return memoryview(found)


_TYPE = re.compile(r"(~?)([a-z0-9_<>]{1,40})\[([\w+*(), ^-]{0,400})\]", re.ASCII)
_COSTLY = re.compile(r"\)\s*\^|\^\s*\d\d|(?<!\w)\(|\d{19}")  # sizes that JAX never prints, and would expand
_WIDE = {"int64", "uint64", "float64", "complex128"}
_KINDS: dict[type, Any] = {bool: np.bool_, int: np.integer, float: np.floating, complex: np.complexfloating}


@functools.cache
def _keys() -> dict[str, tuple[Any, str]]:
    """Returns the types of random keys by their names, each with the name of the generator."""
    types = {name: jax.eval_shape(functools.partial(jax.random.key, impl=name), 0).dtype for name in ("threefry2x32", "rbg")}
    return {str(dtype): (dtype, name) for name, dtype in types.items()}


class ArrayType:
    """The type of an array: `float32[b,3]`; `~float32[]` is weak. Equal names of sizes in one scope are equal sizes."""

    def __init__(self, text: str, scope: Any) -> None:
        match = _TYPE.fullmatch(text)
        _need(match and not _COSTLY.search(match[3]) and text.count("(") < 17, f"{text!r} is no type of an array")
        weak, name, sizes = match.groups() if match else ("", "", "")
        dtype = _keys()[name][0] if name[:4] == "key<" else jax.dtypes.float0 if name == "float0" else jax.numpy.dtype(name)
        shape = tuple(export.symbolic_shape(sizes, scope=scope))
        self.text, self.dtype, self.aval = text, dtype, jax.core.ShapedArray(shape, dtype, weak_type=bool(weak))
        self.sizes = tuple(size if isinstance(size, int) else str(size) for size in shape)

    def __repr__(self) -> str:
        return self.text

    def fitted(self, value: Any, known: dict[str, Any]) -> Any:
        """Returns a value as an array of the type, or None; `known` are the sizes that have a name."""
        if isinstance(value, jax.Array) and value.shape == self.sizes and value.dtype == self.dtype:
            return value
        if type(value) in _KINDS and not self.sizes and jax.numpy.issubdtype(self.dtype, _KINDS[type(value)]):
            with contextlib.suppress(OverflowError):
                return np.asarray(value, self.dtype)
        if isinstance(value, np.ndarray | np.generic):
            value = np.asarray(value, jax.dtypes.canonicalize_dtype(value.dtype))
        elif not isinstance(value, jax.Array):
            return None
        named = [size if not isinstance(size, str) or size.isidentifier() else None for size in self.sizes]
        wanted = [known.setdefault(size, given) if isinstance(size, str) else size for size, given in zip(named, value.shape)]
        fits = value.dtype == self.dtype and len(value.shape) == len(named)
        sized = zip(named, wanted, value.shape)  # JAX's programs for open sizes are for sizes from 1 on
        return value if fits and all(size in (None, n) and n >= isinstance(name, str) for name, size, n in sized) else None


def _program(saved: Any, sections: list[Any], name: str) -> tuple[export.Exported, list[ArrayType], list[ArrayType]]:
    """Returns the program that JAX exported, of what the file says of it, and the types of its arguments and results.

    `jax.export.deserialize` is not used: it needs another package, and trusts what it is given.
    """
    first, last = export.minimum_supported_calling_convention_version, export.maximum_supported_calling_convention_version
    convention, platforms, kept = saved["convention"], tuple(saved["platforms"]), saved["kept"]
    _need(convention in range(first, last + 1), f"JAX {jax.__version__} does not run calling convention {convention!r}")
    _need(platforms and all(re.fullmatch(r"\w{1,20}", item) for item in platforms), "a program has no platforms")
    scope = export.SymbolicScope(())
    types = {text: ArrayType(text, scope) for text in {*saved["inputs"], *saved["outputs"]}}
    inputs, outputs = ([types[text] for text in saved[side]] for side in ("inputs", "outputs"))
    _need([_pick(range(len(inputs)), i) for i in kept] == sorted(set(kept)), "the arguments of a program are out of order")
    module = bytes(_take(sections, saved["section"]))
    _need(module[:4] == b"ML\xefR", f"section {saved['section']} is no program")
    derivative = saved["vjp"] and _program(saved["vjp"], sections, f"{name}_vjp")[0]
    known: dict[str, Any] = {
        "in_tree": jax.tree.structure((tuple(inputs), {})), "in_avals": tuple(item.aval for item in inputs),
        "out_tree": jax.tree.structure(tuple(outputs)), "out_avals": tuple(item.aval for item in outputs),
        **dict.fromkeys(("_in_named_shardings", "in_shardings_hlo"), (None,) * len(inputs)),
        **dict.fromkeys(("_out_named_shardings", "out_shardings_hlo"), (None,) * len(outputs)),
        **dict.fromkeys(("ordered_effects", "unordered_effects", "disabled_safety_checks"), ()),
        "fun_name": name, "nr_devices": 1, "platforms": platforms, "_has_named_shardings": True,
        "mlir_module_serialized": module, "calling_convention_version": convention, "module_kept_var_idx": tuple(kept),
        "uses_global_constants": saved["global_constants"] is True,
        "_get_vjp": lambda _: derivative or _without_derivative(name),
    }  # fmt: skip
    return export.Exported(**{key: known[key] for key in export.Exported.__dataclass_fields__}), inputs, outputs


def _without_derivative(name: str) -> Any:
    raise SavedCallError(f"{name} was saved without a derivative (of this order): `ag.save(..., vjp_order=1)`, or more")


class Bounded(tuple[Any, ...]):
    """An array, and for each axis None, or how many of its rows, from the first on, are elements."""

    def trimmed(self, known: Any) -> Any:
        """Returns the elements of a result."""
        return self[0][tuple(slice(None if n is None else int(known(n))) for n in self[1:])]

    def padded(self, value: Any) -> Any:
        """Returns an argument in the room that the program has for it; where it does not fit, the argument itself."""
        axes = list(zip(getattr(value, "shape", ()), self[0].sizes, self[1:]))
        if getattr(value, "ndim", 0) != len(self) - 1 or any(type(n) is not int or n > m or n < m and not r for n, m, r in axes):
            return value
        whole = jax.numpy.pad(value if isinstance(value, jax.Array) else np.asarray(value), [(0, m - n) for n, m, _ in axes])
        return Bounded((whole, *(r and n for n, _, r in axes)))


def _template(tree: Any, types: Iterator[ArrayType]) -> Any:
    """Returns the value of a tree with types in the places of its arrays."""
    if tree == "*":
        return next(types)
    ((kind, content),) = tree.items()
    if kind == "dict":
        return {key: _template(item, types) for key, item in content}
    if kind in (kinds := {"list": list, "tuple": tuple, "bounded": Bounded}):
        made: Any = kinds[kind]([_template(item, types) for item in content])
        _need(kind != "bounded" or len(made[0].sizes) == len(made) - 1, f"{tree!r} is no tree")
        return made
    if kind in ("float", "complex"):
        return float.fromhex(content) if kind == "float" else complex(*map(float.fromhex, content))
    _need(kind == "literal" and isinstance(content, str | int | float | None), f"{tree!r} is no tree")
    return content


def _filled(template: Any, arrays: Iterator[Any], known: Any) -> Any:
    """Returns the value of a template with arrays in it; `known` finds the numbers of one."""
    if isinstance(template, dict):
        return {key: _filled(item, arrays, known) for key, item in template.items()}
    if isinstance(template, list | tuple):
        found = type(template)([_filled(item, arrays, known) for item in template])
        return found.trimmed(known) if type(found) is Bounded else found
    return next(arrays) if isinstance(template, ArrayType) else template


def _fit(template: Any, value: Any, name: str, known: dict[str, Any]) -> Iterator[Any]:
    """Yields the arrays of a value that is what a template says; raises `SavedCallError` where it is not."""
    keys: Any = ()
    value = template.padded(value) if type(template) is Bounded else value
    if isinstance(template, ArrayType):
        fits = (array := template.fitted(value, known)) is not None
        if fits:
            yield array
    elif isinstance(template, dict):
        fits, keys = isinstance(value, Mapping) and value.keys() == template.keys(), template
    elif isinstance(template, list | tuple):
        fits, keys = isinstance(value, type(template)) and len(value) == len(template), range(len(template))
    else:
        fits = type(value) is type(template) and repr(value) == repr(template)
    if not fits:
        is_array = isinstance(value, jax.Array | np.ndarray | np.generic)
        shown = f"{value.dtype}[{','.join(map(str, value.shape))}]" if is_array else reprlib.repr(value)
        is_open = any(isinstance(size, str) for size in getattr(template, "sizes", ()))
        why = " (an open size is at least 1)" if is_open and 0 in getattr(value, "shape", ()) else ""
        raise SavedCallError(f"{name} is {shown}{why}")
    for key in keys:
        yield from _fit(template[key], value[key], f"{name}[{key!r}]", known)


_CONVERSIONS: dict[str, Any] = {"": lambda value: value, "s": str, "r": repr, "a": ascii}
_FORMAT = re.compile(r"[^\d]{0,4}\d{0,3}[,_]?(\.\d{1,3})?[a-zA-Z%]?")  # a width of a million would fill the memory


def read_check(saved: Any, values: Sequence[Any]) -> tuple[type[Exception], list[Any], str]:
    """Returns what a failed check raises: the class, the parts of the message, the place. `values`: as many as messages show."""
    for part in saved["message"]:
        if not isinstance(part, str):
            index, spec, conversion = part
            is_format = _FORMAT.fullmatch(spec) and conversion in _CONVERSIONS
            _need(_pick(values, index) and is_format, f"{part} shows no value")
    kinds = (getattr(builtins, str(saved[key]), None) for key in ("exception", "base"))
    found = [kind if isinstance(kind, type) and issubclass(kind, Exception) else None for kind in kinds]
    known, base = (None if kind and issubclass(kind, UnicodeError | ExceptionGroup) else kind for kind in found)
    made = known or type(str(saved["exception"])[:100], (base or RuntimeError,), {})
    return made, list(saved["message"]), f"{saved['file']}:{saved['line']}"


def filled_message(parts: Sequence[Any], values: Sequence[Any]) -> str:
    """Returns the message of a failed check."""
    shown = [(part, "", "") if isinstance(part, str) else (values[part[0]], *part[1:]) for part in parts]
    return "".join(format(_CONVERSIONS[kept](value), spec) for value, spec, kept in shown)


class Signature:
    """One signature of a saved function: what it takes and returns, and its program `exported`, which takes flat arguments."""

    def __init__(self, saved: Any, sections: list[Any], name: str, state: Sequence[Any]) -> None:
        self.exported, inputs, outputs = _program(saved["program"], sections, name)
        self.name, self.call = name, jax.jit(self.exported.call)
        self.is_wide = any(str(item.dtype) in _WIDE for item in inputs)
        self.parameters = inspect.Signature([self._parameter(item) for item in saved["parameters"]])
        self.state = [_pick(state, index) for index in saved["state"]]
        types, taken, left = [item[1].text for item in self.state], iter(inputs), iter(outputs)
        _need([next(taken).text for _ in types] == types, "a program takes another state than the file has")
        self.inputs = {str(key): _template(tree, taken) for key, tree in saved["inputs"]}
        _need(self.inputs.keys() <= self.parameters.parameters.keys(), "an argument has no parameter")
        self.output = _template(saved["outputs"], left)
        rest = [item.text for item in left]
        self.results = len(outputs) - len(rest)
        _need(rest[: len(types)] == types, "a program leaves another state than the file has")
        del rest[: len(types)]
        self.checks = [read_check(item, rest[1:]) for item in saved["checks"]]
        is_complete = next(taken, None) is None and rest[:1] == ["int32[]"][: len(self.checks)]
        _need(is_complete, "a program has other arguments or results than its signature")

    @staticmethod
    def _parameter(saved: Any) -> inspect.Parameter:
        made, given = inspect.Parameter, saved.get("default", inspect.Parameter)  # null: one that no file holds
        default: Any = made.empty if given is made else ... if given is None else _template(given, iter(()))
        return made(saved["name"], getattr(made, saved["kind"].upper()), default=default)

    def __repr__(self) -> str:
        varies = {key: isinstance(item, ArrayType | dict | list | tuple) for key, item in self.inputs.items()}
        given = ", ".join(f"{key}{': ' if varies[key] else '='}{item!r}" for key, item in self.inputs.items())
        return f"{self.name}({given}) -> {self.output!r}"

    def arrays(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """Returns the arrays in the arguments of a call; raises `SavedCallError` where they are not what the signature is for."""
        if self.is_wide and not jax.config.read("jax_enable_x64"):
            raise SavedCallError("it computes with 64 bits: jax.config.update('jax_enable_x64', True)")
        try:
            bound = self.parameters.bind(*args, **kwargs)
        except TypeError as error:
            raise SavedCallError(str(error)) from None
        for name in bound.arguments.keys() - self.inputs.keys():
            raise SavedCallError(f"{name} was left out when it was saved")
        bound.apply_defaults()
        known: dict[str, Any] = {}
        return [array for name, item in self.inputs.items() for array in _fit(item, bound.arguments[name], name, known)]


class SavedFunction:
    """The function in a saved file: call it as the one that was saved, or under `jax.jit` and, if it was saved so, `jax.grad`."""

    def __init__(self, header: Mapping[str, Any], sections: list[Any], checks: bool = True) -> None:
        self.__name__, self.__doc__, self.written_by = (str(header[key]) for key in ("name", "doc", "written_by"))
        self._checks, self._lock = checks, threading.RLock()
        self._state = [self._read(item, sections) for item in header["state"]]
        self.signatures = tuple(Signature(item, sections, self.__name__, self._state) for item in header["signatures"])
        self.__signature__ = _pick(self.signatures, 0).parameters

    @staticmethod
    def _read(saved: Any, sections: list[Any]) -> list[Any]:
        """Returns the name, the type and the value of an array of the state."""
        found, data = ArrayType(saved["type"], export.SymbolicScope(())), _take(sections, saved["section"])
        if found.text.startswith("key<"):
            numbers = jax.numpy.asarray(np.frombuffer(data, np.uint32).reshape(*found.aval.shape, -1))
            return [str(saved["name"]), found, jax.random.wrap_key_data(numbers, impl=_keys()[str(found.dtype)][1])]
        return [str(saved["name"]), found, np.frombuffer(data, found.dtype).reshape(found.aval.shape).copy()]

    def __repr__(self) -> str:
        return "\n".join(map(repr, self.signatures))

    @property
    def state(self) -> dict[str, Any]:
        """The arrays that calls have left, by name; those of the file before the first call."""
        return {name: value for name, _, value in self._state}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the first signature that is for these arguments; `SavedCallError` if none is. Failed checks raise."""
        reasons = []
        for signature in self.signatures:
            try:
                arrays = signature.arrays(args, kwargs)
            except SavedCallError as error:
                reasons.append(f"\n  {signature}\n    {error}")
            else:
                return self._called(signature, arrays)
        raise SavedCallError(f"{self.__name__} was not saved for these arguments" + "".join(reasons))

    def _called(self, signature: Signature, arrays: Sequence[Any]) -> Any:
        first, last = signature.results, signature.results + len(signature.state)
        with self._lock if signature.state else contextlib.nullcontext():
            try:
                flat = signature.call(*(item[2] for item in signature.state), *arrays)
            except (jax.errors.JaxRuntimeError, NotImplementedError) as error:
                _need("deserialize" not in str(error), f"a program of {self.__name__} is malformed: {error}")
                unmapped = SavedCallError(f"{self.__name__} was not saved for jax.vmap: save that, or use jax.lax.map")
                raise unmapped if "Batching" in str(error) else error from None
            for item, value in zip(signature.state, [self._known(value) for value in flat[first:last]]):
                item[2] = value
        if self._checks and signature.checks and (number := int(self._known(flat[last]))):
            kind, parts, place = signature.checks[number - 1]
            failure = kind(filled_message(parts, [self._known(value) for value in flat[last + 1 :]]))
            failure.add_note(f"at {place}")
            raise failure
        return _filled(signature.output, iter(flat[:first]), self._known)

    def _known(self, value: Any) -> Any:
        """Returns the array itself, also where `jax.grad` differentiates; inside `jax.jit` there is none."""
        found = getattr(stopped := jax.lax.stop_gradient(value), "primal", stopped) if isinstance(value, jax.core.Tracer) else value
        if isinstance(found, jax.core.Tracer):
            what = "state" if self._state else "checks (unless it is loaded with checks=False), or computes the length of a result"
            raise SavedCallError(f"{self.__name__} has {what}: it is not called inside jax.jit, jax.vmap and loops")
        return found
