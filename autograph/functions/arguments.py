"""What of a call's arguments is traced and what a program is made for: arrays by dtype and shape, everything else by value.

The arguments are bound to the function's parameters, defaults included, and flattened as pytrees. A leaf that is an array is an
input of the program. Any other leaf is a *literal*: the program is made for it.

>>> def f(x, n, *, mode="fast"): ...
>>> parameters = Parameters(f)
>>> bound = parameters.bind((np.ones(2), 3), {})
>>> bound.inputs, [literal.get() for literal in bound.literals]
([array([1., 1.])], [3, 'fast'])
>>> parameters.bind((np.zeros(2), 3), {"mode": "fast"}).key() == bound.key()
True
>>> parameters.bind((np.zeros(2), 3.0), {}).key() == bound.key()
False
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import enum
import inspect
import itertools
import weakref
from array import array
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import FunctionType, MethodType
from typing import Any, NamedTuple, cast

import jax
import numpy as np

from autograph import errors
from autograph.jax_internals import ARRAY_TYPE

_NUMERIC = "biufcV"  # `V` are the small floats of `ml_dtypes`
PLAIN = frozenset({int, bool, str, bytes, type(None)})
"""Types whose values are the same where they are equal."""
_FINE = frozenset({"decimal", "datetime"})  # of which equal objects may differ
_VARIABLE = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}


def is_input_leaf(x: Any) -> bool:
    """Whether a leaf is an input of the program: an array of JAX or NumPy, or one of its numbers.

    >>> is_input_leaf(np.float32(1)), is_input_leaf(1.0), is_input_leaf(np.array(["text"]))
    (True, False, False)
    """
    if type(x) is ARRAY_TYPE or isinstance(x, jax.Array):
        return True
    return isinstance(x, np.ndarray | np.generic) and x.dtype.kind in _NUMERIC


def is_input(x: Any) -> bool:
    """Whether a leaf is an array, or says what array there will be."""
    return is_input_leaf(x) or isinstance(x, jax.ShapeDtypeStruct)


class Literal(NamedTuple):
    """A leaf for which a program is made.

    Attributes:
        key: what tells it from others.
        get: gives the value; None once the object is gone.
        is_identity: whether it is compared by identity: the program is dropped when the object is.
    """

    key: tuple[Any, ...]
    get: Callable[[], Any]
    is_identity: bool

    @classmethod
    def of(cls, value: Any) -> Literal:
        """Makes the literal of a value: numbers, strings and containers compare by type and value, hashable objects by `==`.

        >>> Literal.of(0.0).key == Literal.of(-0.0).key, Literal.of(1).key == Literal.of(True).key
        (False, False)
        >>> numbers = {1, 2}
        >>> literal = Literal.of(numbers)
        >>> numbers.add(3)
        >>> literal.get(), literal.key == Literal.of(numbers).key
        ({1, 2}, False)
        """
        key, is_identity = literal_key(value)
        if is_identity:
            try:
                return cls(key, weakref.ref(value), True)
            except TypeError:  # nothing refers to it weakly: it is kept, so that no other can have its place
                pass
        elif (held := container_contents(value)) is not None:
            kept = copy.copy(value)  # as it is now: the caller may change it
            if container_contents(kept) != held:  # a set, whose copy has another order: itself, as long as it is the same
                return cls(key, lambda: value if container_contents(value) == held else kept, False)
            return cls(key, lambda: kept, False)
        return cls(key, lambda: value, False)


def literal_key(value: Any) -> tuple[tuple[Any, ...], bool]:
    """Returns the key of a leaf, and whether it is the identity, which is good as long as the object is there."""
    kind = type(value)
    if kind in PLAIN:
        return (kind, value), False
    if kind is float:
        return (kind, value.hex()), False  # which tells -0.0 from 0.0, and is the same for every nan
    if kind is complex:
        return (kind, value.real.hex(), value.imag.hex()), False
    held = container_contents(value)
    if held is not None:
        return (kind, held), False
    if kind.__hash__ in (None, object.__hash__):
        return (kind, id(value)), True
    try:
        hash(value)
    except TypeError:  # it holds what cannot be hashed
        return (kind, id(value)), True
    return (kind, value, _finer(value)), False


def container_contents(value: Any) -> Any:
    """Returns the contents of a Python container that is not a pytree, in its order and hashable; None for all other values.

    >>> container_contents(deque([1, 2], 3)) == container_contents(deque([1, 2])), container_contents([1, 2])
    (False, None)
    """
    of = _CONTENTS.get(type(value))
    return None if of is None else of(value)


def _keys(values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(literal_key(x)[0] for x in values)


_CONTENTS: dict[type, Callable[[Any], Any]] = {
    **dict.fromkeys((set, frozenset), _keys),  # the order in which they are iterated depends on how they came about
    deque: lambda x: (x.maxlen, _keys(x)),
    Counter: lambda x: (_keys(x), _keys(x.values())),
    **dict.fromkeys((slice, range), lambda x: _keys((x.start, x.stop, x.step))),
    bytearray: bytes,
    array: lambda x: (x.typecode, x.tobytes()),
    np.ndarray: lambda x: None if x.dtype.hasobject else (x.dtype, x.shape, x.tobytes()),  # of strings, times or records
}


def never_changes(value: Any) -> bool:
    """Whether what `literal_key` says of an object is the same as long as the object is there.

    >>> never_changes(inspect.Parameter.VAR_KEYWORD), never_changes(inspect.signature(len))
    (True, False)
    """
    kind = type(value)
    if kind in PLAIN or kind is float or isinstance(value, enum.Enum):
        return True
    made_with = getattr(kind, "__dataclass_params__", None)
    if made_with is None or not made_with.frozen:
        return False
    return all(never_changes(getattr(value, field.name, None)) for field in dataclasses.fields(kind))


def _finer(value: Any) -> Any:
    """Returns a key that tells equal objects apart, such as `Point(1)` and `Point(1.0)` of a data class."""
    if isinstance(value, tuple):
        return _keys(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _keys(getattr(value, field.name, None) for field in dataclasses.fields(value))
    return repr(value) if type(value).__module__ in _FINE else None


class Leaf(NamedTuple):
    """One leaf of the bound arguments.

    Attributes:
        parameter: the name of its parameter.
        path: where in the argument it stands, as JAX writes it; nothing where it is the argument.
        value: the array or the literal.
    """

    parameter: str
    path: str
    value: Any

    @property
    def name(self) -> str:
        """How messages call it.

        >>> Leaf("batch", "['x']", 1).name
        "batch['x']"
        """
        return self.parameter + self.path

    @property
    def is_input(self) -> bool:
        """Whether it is an array."""
        return type(self.value) is not Literal


class Bound(NamedTuple):
    """The arguments of a call, bound to parameters and flattened."""

    tree: Any
    leaves: tuple[Leaf, ...]
    names: tuple[str, ...]

    @property
    def inputs(self) -> list[Any]:
        """The arrays, in order."""
        return [leaf.value for leaf in self.leaves if leaf.is_input]

    @property
    def literals(self) -> list[Literal]:
        """The others, in order."""
        return [leaf.value for leaf in self.leaves if not leaf.is_input]

    def key(self) -> tuple[Any, ...]:
        """Returns the key of a program: the structure, which leaves are inputs, and the literals."""
        keys = ((None,) if leaf.is_input else leaf.value.key for leaf in self.leaves)
        return (self.tree, *itertools.chain.from_iterable(keys), *structure_key(self.tree))

    def with_avals(self, avals: Iterable[Any]) -> Bound:
        """Returns the same with abstract values for arrays: what a program keeps."""
        rest = iter(avals)
        return self._replace(leaves=tuple(leaf._replace(value=next(rest)) if leaf.is_input else leaf for leaf in self.leaves))

    def values(self, inputs: Sequence[Any]) -> Sequence[Any]:
        """Returns a value for each parameter, with these arrays as inputs."""
        rest = iter(inputs)
        found = [next(rest) if leaf.is_input else leaf.value.get() for leaf in self.leaves]
        return jax.tree_util.tree_unflatten(self.tree, found)


def flattened(values: tuple[Any, ...]) -> tuple[list[Any], Any]:
    """Returns the leaves of a value for each parameter and their structure; an iterator is a leaf."""
    is_leaf = is_iterator if any(map(is_iterator, values)) else None
    return jax.tree_util.tree_flatten(values, is_leaf)


def is_leaf(x: Any) -> bool:
    """Whether a value has no parts."""
    leaves = flattened((x,))[0]
    return len(leaves) == 1 and leaves[0] is x


def structure_key(tree: Any) -> tuple[Any, ...]:
    """Returns a key that tells equal structures apart: they compare the keys of dicts, and what a class keeps static, by `==`.

    >>> first, second = (jax.tree.structure(x) for x in ({1: "x"}, {True: "x"}))
    >>> first == second, structure_key(first) == structure_key(second), structure_key(jax.tree.structure({"a": 1}))
    (True, False, ())
    """
    return (*_static_keys(tree.node_data()), *(key for child in tree.children() for key in structure_key(child)))


def _static_keys(data: Any) -> Iterator[Any]:
    if isinstance(data, int | float | complex | np.generic | str | bytes) and type(data) not in (str, bytes):
        yield literal_key(data)[0]
    elif isinstance(data, list | tuple):
        for part in data:
            yield from _static_keys(part)
    elif (finer := _finer(data)) is not None:
        yield finer


def is_iterator(x: Any) -> bool:
    """Whether a value is an iterator, which has no parts without being advanced."""
    return isinstance(x, Iterator)


class Parameters:
    """The parameters of a function: binds calls to them.

    Args:
        fn: its signature is read once.
    Raises:
        TypeError: it has none, as some functions of C code.
    """

    def __init__(self, fn: Callable[..., Any]) -> None:
        self._fn = fn
        try:  # what is wrapped may take others; but a cache and a partial say nothing of their own
            self.signature = inspect.signature(fn, follow_wrapped=not isinstance(fn, FunctionType | MethodType | type))
        except ValueError:
            raise TypeError(f"{fn!r} has no signature that Python knows: wrap it in a function of your own") from None
        hands_on = type(fn) is not FunctionType
        if any(p.kind in _VARIABLE for p in self.signature.parameters.values()):
            own, self.signature = self.signature, inspect.signature(fn)  # names for the values that a wrapper hands on
            hands_on = hands_on or own != self.signature
        self.names = tuple(self.signature.parameters)
        self._left_out = self._optional() if hands_on else {}

    def _optional(self) -> dict[str, Any]:
        """Returns the defaults of parameters that a call can leave out, whatever it gives for others."""
        parameters = self.signature.parameters.values()
        by_name: set[Any] = {inspect.Parameter.KEYWORD_ONLY}
        if not any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters):
            by_name.add(inspect.Parameter.POSITIONAL_OR_KEYWORD)
        return {p.name: p.default for p in parameters if p.kind in by_name}

    @property
    def arity(self) -> int:
        """How many values a call has in order; -1 where that differs between calls."""
        kinds = {parameter.kind for parameter in self.signature.parameters.values()}
        return -1 if kinds & _VARIABLE or self._only_by_keyword else len(self.names)

    @property
    def several(self) -> int | None:
        """The position of `*args` among the parameters; None where there is none."""
        kinds = [parameter.kind for parameter in self.signature.parameters.values()]
        return kinds.index(inspect.Parameter.VAR_POSITIONAL) if inspect.Parameter.VAR_POSITIONAL in kinds else None

    @property
    def _only_by_keyword(self) -> bool:
        return any(p.kind is inspect.Parameter.KEYWORD_ONLY for p in self.signature.parameters.values())

    def values(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any, ...]:
        """Returns a value for each parameter.

        Raises:
            TypeError: the arguments do not fit the signature: what Python says of it.
        """
        bound = self._bound(self.signature.bind, args, kwargs)
        bound.apply_defaults()
        return tuple(bound.arguments.values())

    def given(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the values of the parameters that a call gives; others may be missing."""
        return self._bound(self.signature.bind_partial, args, kwargs).arguments

    def _bound(self, bind: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> inspect.BoundArguments:
        with contextlib.suppress(TypeError):
            return cast(inspect.BoundArguments, bind(*args, **kwargs))
        self._fn(*args, **kwargs)  # Python itself says what is wrong, before the body runs
        name = getattr(self._fn, "__name__", "function")
        text = f"{name}() says that its signature is {self.signature}, and takes other arguments"
        raise TypeError(
            errors.message(
                text,
                why="a decorator around it hands on others than it gets, and `functools.wraps` says what is wrapped",
                instead="`del wrapper.__wrapped__` in the decorator, before it returns `wrapper`",
                page="decorator-that-adds-arguments",
            )
        )

    def fill(self, count: int, kwargs: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
        """Returns each parameter's name and default after `count` arguments by position; nothing where that is not so simple."""
        parameters = list(self.signature.parameters.values())
        if any(p.kind in _VARIABLE or p.kind is inspect.Parameter.POSITIONAL_ONLY for p in parameters):
            return ()
        return tuple((p.name, p.default) for p in parameters[count:])

    def flatten(self, values: Sequence[Any], is_input: Callable[[Any], bool] = is_input_leaf) -> Bound:
        """Returns the leaves of a value for each parameter; those are inputs of which a test says so."""
        leaves = []
        for name, value in zip(self.names, values, strict=True):
            for path, leaf in jax.tree_util.tree_flatten_with_path(value, is_iterator)[0]:
                found = leaf if is_input(leaf) else Literal.of(leaf)
                leaves.append(Leaf(name, jax.tree_util.keystr(path), found))
        return Bound(flattened(tuple(values))[1], tuple(leaves), self.names)

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Bound:
        """Returns the leaves of a call's arguments."""
        return self.flatten(self.values(args, kwargs))

    def call(self, fn: Callable[..., Any], values: Sequence[Any]) -> Any:
        """Calls the function with a value for each parameter."""
        given = dict(zip(self.names, values, strict=True))
        if self._left_out:  # a wrapper may add what is left out, and `jax.jit` traces what is given
            given = {name: x for name, x in given.items() if name not in self._left_out or x is not self._left_out[name]}
        bound = inspect.BoundArguments(self.signature, given)
        return fn(*bound.args, **bound.kwargs)

    def specs(self, signature: Sequence[Any], start: int = 0) -> dict[str, dict[str, Any]]:
        """Returns what an `input_signature` says of the parameters from one on: by their names, then by the paths of leaves.

        Raises:
            TypeError: there are fewer parameters.
        """
        if (several := self.several) is not None and several >= start:
            at = several - start
            signature = (*signature[:at], tuple(signature[at:]))
        if len(signature) > len(self.names[start:]):
            raise TypeError(f"the `input_signature` has {len(signature)} parts for {len(self.names)} parameters")
        parts = zip(self.names[start:], signature, strict=False)
        return {
            name: {jax.tree_util.keystr(path): spec for path, spec in jax.tree_util.tree_flatten_with_path(part)[0]}
            for name, part in parts
        }
