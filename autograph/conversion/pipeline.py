"""The way of one function, from its code object to its two bodies; caches, and the one place with order.

A `Unit` stands for a function's code. Its author's body (`original_body`) runs where nothing is traced and begins
with a check that enters the staged body otherwise. The staged body is built on first need, and both are built once:

1. `source.find`: the exact node;
2. `translation.to_gast`: of the function alone;
3. `converters.apply_passes`: the passes, in their order;
4. `translation.to_ast`, `linking.link`: a code object in the user's file;
5. `linking.make_function`: over the cells, globals and defaults of the function at hand.

>>> def f(x):
...     return x + 1
>>> g = convert_function(f)
>>> g is convert_function(f) is convert_function(g), g(1), g.__code__.co_filename == f.__code__.co_filename
(True, 2, True)
"""

from __future__ import annotations

import marshal
import sys
import time
import weakref
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from types import CodeType, FunctionType
from typing import Any

from autograph import errors, runtime, verbosity
from autograph.code import source
from autograph.code.library import (
    UNCONVERTED as UNCONVERTED,
    announces as announces,
    is_library as is_library,
    is_staged_in_its_file,
    is_unseen as is_unseen,
    stays as stays,
)
from autograph.code.linking import Constants, by_position, link, make_function, parameters
from autograph.code.names import Namespace
from autograph.code.registry import LOCK, CodeTable, Known, Role, known, register, register_all
from autograph.code.source import Source
from autograph.conversion import exchanges, reach, unknown_values
from autograph.conversion.async_delegation import Relay
from autograph.conversion.reach import prepare_class as prepare_class
from autograph.conversion.staged_tree import building_trees, convert_tree as convert_tree, staged_tree
from autograph.jax_internals import is_tracing
from autograph.options import DEFAULT, ConversionOptions
from autograph.runtime.calls import cached_functions
from autograph.runtime.checks import handlers
from autograph.runtime.heap import guarded_iterators, journal, outliving
from autograph.runtime.tracing import context, host
from autograph.runtime.values.merge import describe


class Unit:
    """One function's code: where it stands, and its staged body. Author's code holds it as a constant."""

    __slots__ = (
        "__weakref__",
        "_entry",
        "_find",
        "names",
        "_source",
        "_staged",
        "_traced",
        "_variants",
        "caches",
        "followers",
        "is_cached",
        "options",
    )

    def __init__(self, source: Source | Callable[[], Source], options: ConversionOptions) -> None:
        self._source = source if isinstance(source, Source) else None
        self._find = None if isinstance(source, Source) else source
        self.options = options
        self.caches: str | None = None  # the attribute under which what a getter returns is kept
        self.is_cached = False  # whether it is a method under `functools.cache` that Python calls by itself
        self.followers: weakref.WeakSet[FunctionType] = weakref.WeakSet()  # converted functions beside their originals
        self._staged: CodeType | None = None
        self.names: frozenset[str] | None = None  # see `reach`
        self._variants: dict[ConversionOptions, Unit] = {}
        self._traced: dict[str, str] | None = None  # the arguments of the last trace that was reported
        self._entry: tuple[CodeType, tuple[int, ...]] | None = None

    @property
    def source(self) -> Source:
        """Where the function stands; found when it is first needed where the import hook made the unit."""
        if self._source is None:
            assert self._find is not None
            self._source = self._find()
        return self._source

    @property
    def at_import(self) -> bool:
        """Whether the import hook made the function: then the author's body is the function itself, and no copy."""
        return self._find is not None

    def variant(self, **options: Any) -> Unit:
        """Returns the same code, converted for other calls: with `in_try` or `asked` (see `ConversionOptions`)."""
        wanted = replace(self.options, **options)
        if wanted == self.options:
            return self
        with LOCK:
            found = self._variants.setdefault(wanted, Unit(self.source, wanted))
        found.caches, found.is_cached = self.caches, self.is_cached
        return found

    def __repr__(self) -> str:
        return f"<conversion of {self.source.code.co_qualname}>"

    def __reduce__(self) -> Any:
        """Pickles by value, with the source of the file: for functions that cloudpickle sends to other processes."""
        file = self.source.file
        return _unpickled, (file.filename, file.text, marshal.dumps(self.source.code), self.options)

    def enter(self, cells: Callable[..., Any], /, *arguments: Any) -> Any:
        """Calls the staged body; written in the prologue of the author's.

        Args:
            cells: a lambda that is never called; its closure is that of the author's function.
            arguments: of all parameters, in the order of `co_varnames`.
        """
        assert isinstance(cells, FunctionType)
        if not self.options.in_try and handlers.may_catch_arithmetic():
            return self.variant(in_try=True).enter(cells, *arguments)
        if self.options.bounds:
            from autograph.runtime.checks import size_bounds

            arguments = tuple(size_bounds.checked_arguments(self.options.bounds, self.source.code, arguments))
        if self._entry is None:
            code = by_position(self.staged_code(Namespace.of(cells, self.source)))
            register(code, Role.STAGED, self)
            order = tuple(cells.__code__.co_freevars.index(name) for name in code.co_freevars)
            self._entry = code, order
        (code, order), closure = self._entry, cells.__closure__
        if verbosity.level >= 2:
            self._tell_trace(code, arguments)
        given = tuple([closure[i] for i in order]) if closure and order else None  # noqa: C409
        body = FunctionType(code, cells.__globals__, code.co_name, None, given)
        watch = outliving.Watch(sys._getframe(2), cells, code, context.innermost())
        with handlers.of_items(code.co_name, arguments), watch:
            try:
                return watch.checked([self._call(body, cells, arguments)])
            except Exception as exc:  # here: one that the prologue raised would show its frame a second time
                explained = unknown_values.explain_error(exc, self.source.code)
                if explained is exc:
                    del explained  # this frame would keep the exception, and that all frames that it passed
                    raise
                raise explained from explained.__cause__

    def _call(self, body: FunctionType, cells: FunctionType, arguments: Sequence[Any]) -> Any:
        """Calls the staged body, after what is to be done for an outermost call."""
        if not context.active():
            if self.followers and (exchanged := exchanges.successor(self.followers)) is not None:
                now = staged(exchanged)
                body = FunctionType(by_position(now.__code__), now.__globals__, now.__name__, None, now.__closure__)
            if context.progress.reach is None:
                return reach.enter_outermost(self, body, cells, arguments)
        if context.progress.reach is not None:
            context.progress.reach.receive_arguments(arguments)
        guarded_iterators.enter(self.source.code, cells.__globals__)
        if self.is_cached:
            cached_functions.refuse_implicit(self.source.code)
        if self.caches is not None:
            journal.touch_attribute(arguments[0], self.caches)
        return body(*arguments)

    def relay(self, cells: Callable[..., Any], /, *arguments: Any) -> Relay:
        """Calls the staged body of an asynchronous generator; written in the prologue of the author's."""
        return Relay(self.enter(cells, *arguments))

    def _tell_trace(self, code: CodeType, arguments: Sequence[Any]) -> None:
        """Says that the function is traced, and what is not as it was the last time."""
        if not context.active():
            verbosity.begin_trace()
        now = dict(zip(parameters(code), map(describe, arguments), strict=True))
        shown = f"again: {verbosity.changes(self._traced, now)}" if self._traced is not None else verbosity.list_arguments(now)
        verbosity.tell(2, "tracing %s (%s:%d) %s", *verbosity.describe_code(code), shown)
        self._traced = now

    def left(self) -> None:
        """Takes the prologue's frame, and ours, out of the traceback of the exception that is being handled.

        What JAX says of a value that is not known is said in the user's terms.
        """
        exc = _exception()
        if exc is not None:
            explained = unknown_values.explain_error(exc, self.source.code)
            errors.trim(explained, entry=True)
            if explained is not exc:
                raise explained

    def staged_tree(self, namespace: Namespace) -> tuple[Any, str]:
        """Returns the converted `ast` node and the name that stands for the runtime in it."""
        with LOCK:
            return staged_tree(self.source, namespace, self.options)

    def staged_code(self, namespace: Namespace) -> CodeType:
        """Returns the code of the staged body."""
        if self._staged is None:
            with LOCK:
                if self._staged is None:
                    began = time.perf_counter()
                    with building_trees():
                        code = self._build(namespace)
                    register_all(code, Role.STAGED, None)
                    register(code, Role.STAGED, self)
                    self._staged = code
                    took = 1e3 * (time.perf_counter() - began)
                    verbosity.tell(1, "converted %s (%s:%d) in %.1f ms", *verbosity.describe_code(code), took)
        return self._staged

    def _build(self, namespace: Namespace) -> CodeType:
        constants = Constants()
        tree, _ = staged_tree(self.source, namespace, self.options, constants.mark(runtime))
        return link(tree, self.source, constants)


def convert_function(fn: FunctionType, options: ConversionOptions = DEFAULT, *, explicit: bool = False) -> FunctionType:
    """Returns the two-body function for a Python function: the same object each time.

    Args:
        fn: a plain or converted function.
        options: see `ConversionOptions`.
        explicit: whether the user asked for this function: then library code and functions marked `do_not_convert`
            are converted too, and a missing source is an error. Else such functions come back as they are.
    Raises:
        SourceError: when the source is missing or not what runs.
    """
    found = _known(fn.__code__)
    if found is None:
        fn = exchanges.up_to_date(fn)
        found = _known(fn.__code__)
    if found is not None:
        if found.role is Role.STAGED or not explicit:
            return fn
        options = replace(options, bounds=options.bounds or found.unit.options.bounds)
        if found.unit.options == options:
            return fn
    elif is_staged_in_its_file(fn) or (not explicit and stays(fn)):
        return fn
    table = _CONVERTED.setdefault(options, weakref.WeakKeyDictionary())
    converted = _found(table, fn)
    if converted is None:
        with LOCK:
            converted = _found(table, fn)
            if converted is None:
                converted = make_function(author_code(fn, options), fn)
                table[fn] = exchanges.Made(fn, converted)
                exchanges.follow(fn, converted, partial(convert_function, options=options, explicit=True))
    return converted


def staged(fn: FunctionType, in_try: bool = False) -> FunctionType:
    """Returns what traced code runs for a function: its staged body over the same globals, defaults and cells.

    `fn` itself where it is one, where the user or we say that it stays as it is (`do_not_convert`, library code), and
    where there is no source, as for methods that `dataclasses` writes. While nothing is traced also where the source is
    not what runs: something rewrote the function, which then does what it does.

    `in_try`: see `ConversionOptions`.
    """
    function = _found(_STAGED[in_try, False], fn)
    if function is not None:
        return function
    entry = _known(fn.__code__)
    if entry is None:
        fn = exchanges.up_to_date(fn)
        entry = _known(fn.__code__)
    if entry is None:
        if stays(fn):
            return fn
        try:
            unit = _unit(fn, DEFAULT)
        except errors.SourceError:
            if is_tracing():
                raise
            return fn
    elif entry.role is Role.STAGED:
        if in_try:
            host.calls.refuse_unasked(fn)
        return fn
    elif entry.unit.options.bounds:
        return fn  # which checks its arguments
    else:
        unit = entry.unit
    return _staged_body(fn, unit.variant(in_try=True) if in_try else unit)


def asked(fn: FunctionType) -> FunctionType:
    """Returns the staged body, made once more for callers that test its result for `None`.

    It returns `None` or a value where one of the functions does whose results it returns. The staged body itself where it
    stands in another function.
    """
    entry = _known(fn.__code__)
    if entry is None or entry.unit is None or not entry.unit.source.hands_on or entry.unit.options.bounds:
        return fn
    return _staged_body(fn, entry.unit.variant(asked=True))


def _staged_body(fn: FunctionType, unit: Unit) -> FunctionType:
    table = _STAGED[unit.options.in_try, unit.options.asked]
    with LOCK:
        function = _found(table, fn)
        if function is None:
            function = make_function(unit.staged_code(Namespace.of(fn, unit.source)), fn)
            table[fn] = exchanges.Made(fn, function)
    return function


def unit_of(fn: FunctionType, options: ConversionOptions = DEFAULT) -> Unit:
    """Returns the unit of a plain or converted function."""
    entry = _known(fn.__code__)
    if entry is not None and entry.unit is not None:
        return entry.unit
    return _unit(fn, options)


def _unpickled(filename: str, text: str, code: bytes, options: ConversionOptions) -> Unit:
    return Unit(source.from_string(filename, text, marshal.loads(code)), options)


def _known(code: CodeType) -> Known | None:
    """Returns what a code object is to us. One that was unpickled is known by the unit among its constants."""
    found = known(code)
    if found is None:
        for constant in code.co_consts:
            if type(constant) is Unit:
                register(code, Role.AUTHOR, constant)
                return known(code)
    return found


def leave(fn: FunctionType) -> None:
    """Marks a function as one that stays as it is; conversions that were made before are forgotten.

    One that the import hook converted gets the code back that it would have without the hook.
    """
    found = known(fn.__code__)
    if found is not None and found.unit is not None and found.unit.at_import:
        fn.__code__ = found.unit.source.code
    UNCONVERTED.add(fn)
    for table in _STAGED.values():
        table.pop(fn, None)


_Table = weakref.WeakKeyDictionary[FunctionType, exchanges.Made]
_CONVERTED: dict[ConversionOptions, _Table] = {}
_STAGED: defaultdict[tuple[bool, bool], _Table] = defaultdict(weakref.WeakKeyDictionary)
"""By what they are made for: whether they are called in a `try`, and asked for `None`."""
_AUTHOR = CodeTable()
_UNITS = CodeTable()
_exception: Callable[[], BaseException | None] = sys.exception


def _found(table: _Table, fn: FunctionType) -> FunctionType | None:
    """Returns what was made of a function, if the function still is what it was."""
    made = table.get(fn)
    return None if made is None else made.of(fn)


def _unit(fn: FunctionType, options: ConversionOptions) -> Unit:
    with LOCK:
        if (entry := known(fn.__code__)) is not None and entry.unit is not None:
            return entry.unit  # by another thread, since this one has looked
        units = _UNITS.of(fn.__code__)
        key = (options, id(fn.__globals__))
        if key not in units:
            try:
                with building_trees():
                    units[key] = Unit(source.find(fn), options)
            except errors.SourceError as error:
                units[key] = error  # found out by parsing a file: once is enough
        unit = units[key]
        if isinstance(unit, errors.SourceError):
            raise unit.with_traceback(None)
        return unit


def author_code(fn: FunctionType, options: ConversionOptions) -> CodeType:
    """Returns the author's code for a function; kept as long as the original code lives."""
    key = (options, id(fn.__globals__))
    with LOCK:
        codes = _AUTHOR.of(fn.__code__)
        if key not in codes:
            entry = known(fn.__code__)
            unit = Unit(entry.unit.source, options) if entry is not None else _unit(fn, options)
            namespace = Namespace.of(fn, unit.source)
            from autograph.conversion import original_body

            with building_trees():
                codes[key] = original_body.build(unit, namespace)
        code: CodeType = codes[key]
    return code
