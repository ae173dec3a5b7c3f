"""`ag.function`: the decorator, and what it returns.

A call decides in this order: all arguments are JAX arrays and the last program for such is there (JAX's cache in C++ tells
dtypes and shapes apart); else the literals among the arguments are looked up; else a program is made. So the steady call costs a
few tests more than one of `jax.jit`.
"""

from __future__ import annotations

import functools
import inspect
import weakref
from collections.abc import Callable, Hashable, Mapping, Sequence
from types import FunctionType, MethodType
from typing import Any

import jax
import numpy as np

from autograph import api, errors
from autograph.conversion import callables, pipeline
from autograph.functions import arguments, error_codes, retracing, saving, signatures, symbolic, updates
from autograph.functions.arguments import PLAIN, Bound, Parameters, flattened, is_input, is_input_leaf, literal_key
from autograph.functions.bound import BoundFunction, ClassFunction, class_of_method
from autograph.functions.cells import tracing
from autograph.functions.concrete import ConcreteFunction
from autograph.functions.options import Options
from autograph.functions.programs import NewVariables, Outcome, Program, RunsEagerly, Specialization
from autograph.jax_dispatch import jit_is_disabled
from autograph.jax_internals import ARRAY_TYPE, EAGER, TRACE_STATE
from autograph.runtime.tracing import context
from autograph.runtime.tracing.class_lookup import static_lookup
from autograph.runtime.tracing.refusals import refusal
from autograph.runtime.values.callables import add_option_class
from autograph.tensor_specs import Scope, TensorSpec

CHECKS = (True, "deferred", False)
_SPECS = (TensorSpec, jax.ShapeDtypeStruct, jax.Array, np.ndarray)


class Settings:
    """The options of `ag.function`.

    Args:
        input_signature: a `TensorSpec`, or a pytree of them, for each of the first parameters: no other arrays are taken.
        reduce_retracing: whether sizes that change become open ones.
        autograph: whether the function is converted.
        checks: whether failed checks raise at the call, at the next call ("deferred"), or are left out.
        jit_options: those of `jax.jit`.
    Raises:
        TypeError, ValueError: for what is no option, or no value of one.
    """

    def __init__(
        self, input_signature: Any, reduce_retracing: bool, autograph: bool, checks: Any, jit_options: Mapping[str, Any]
    ) -> None:
        if not any(checks is known or checks == known for known in CHECKS):
            raise ValueError(f"checks={checks!r} is none of {', '.join(map(repr, CHECKS))}")
        if isinstance(input_signature, list | tuple):
            wrong = [x for x in jax.tree.leaves(input_signature) if not isinstance(x, _SPECS)]
        else:
            wrong = [] if input_signature is None else [input_signature]
        if wrong:
            raise TypeError(f"`input_signature` is a list of `ag.TensorSpec`, one for each parameter, and not {wrong[0]!r:.60}")
        self.input_signature = None if input_signature is None else tuple(input_signature)
        self.reduce_retracing, self.autograph, self.checks = reduce_retracing, autograph, checks
        self.jit = Options(jit_options)


class Function:
    """A function with a program for each kind of input: what `ag.function` returns.

    Attributes:
        python_function: what was decorated.
        __wrapped__: the same.
    """

    def __init__(self, fn: Callable[..., Any], settings: Settings) -> None:
        functools.update_wrapper(self, fn)
        self.__name__: str = getattr(fn, "__name__", type(fn).__name__)
        self.__qualname__: str = getattr(fn, "__qualname__", self.__name__)
        self.python_function = fn
        self.options, self.checks = settings.jit, settings.checks
        self.parameters = Parameters(fn)
        self._settings = settings
        self._converted = api.convert(fn) if settings.autograph else fn
        self._arity = self.parameters.arity
        self._fills: dict[tuple[Any, ...], tuple[tuple[str, Any], ...]] = {}
        self._quick: dict[Hashable, Specialization] = {}
        self._identified: set[type] = set()
        self._specializations: dict[Hashable, Specialization] = {}
        self._programs: list[tuple[Specialization, Program]] = []
        self._scope = Scope()
        self._signature = settings.input_signature and self._scope.abstracted(settings.input_signature)
        self._specs = self.parameters.specs(self._signature or ())
        self.is_of_one_type = settings.input_signature is not None
        self._objects = self._traces = 0
        self._pending: list[tuple[Any, Any]] = []
        if self.checks == "deferred":
            weakref.finalize(self, error_codes.raise_pending, self._pending)  # no call may follow
        self._watch = retracing.Watch(opens_sizes=settings.reduce_retracing)
        self._is_method = False

    def __set_name__(self, owner: Any, name: str) -> None:
        """Notes that the function is a method: its first argument is the object, which is not in the `input_signature`."""
        self._is_method = True
        if self._signature and (self.parameters.several or len(self._signature) < len(self.parameters.names)):
            self._objects, self._specs = 1, self.parameters.specs(self._signature, 1)

    # Calls.

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Calls the function, by the program for arguments of these kinds; traces one if there is none."""
        try:
            if kwargs or len(args) != self._arity:
                args = self._in_order(args, kwargs)
            if TRACE_STATE.value is not EAGER:
                return self._call_inside(args)
            key: list[Any] = []
            inputs = []
            for x in args:
                kind = type(x)
                if kind is ARRAY_TYPE:
                    inputs.append(x)
                elif kind in PLAIN:
                    key += kind, x, len(inputs)
                elif kind is float:
                    key += kind, x.hex(), len(inputs)
                elif kind in self._identified:
                    key += kind, id(x), len(inputs)
                else:
                    return self._call(args)
            found = self._quick.get(tuple(key))
            if found is None:
                return self._call(args)
            try:
                result = found.call(*inputs)
            except NewVariables:
                result = found.first(inputs)
            except RunsEagerly:
                result = RunsEagerly
            if type(result) is Outcome:
                return result.taken(args)
            return self.run_python(args) if result is RunsEagerly else result
        except BaseException as error:
            updates.note_of_variables(error)
            errors.trim(error)
            raise

    def _in_order(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """Returns a value for each parameter, defaults included."""
        given = (len(args), *kwargs)
        fill = self._fills.get(given)
        if fill:
            return args + tuple([kwargs[name] if name in kwargs else default for name, default in fill])
        values = self.parameters.values(args, kwargs)
        self._fills[given] = self.parameters.fill(len(args), kwargs)
        return values

    def _call(self, values: tuple[Any, ...]) -> Any:
        """Returns the call where containers are among the values, or the first one with such values."""
        leaves, tree = flattened(values)
        key: list[Any] = [tree]
        inputs = []
        for leaf in leaves:
            if type(leaf) is ARRAY_TYPE or is_input_leaf(leaf):
                inputs.append(leaf)
                key.append(None)
            else:
                key += literal_key(leaf)[0]
        found = self._specializations.get(tuple(key)) or self._specializations.get((*key, *arguments.structure_key(tree)))
        if found is None:
            bound = self.parameters.flatten(values)
            found = self._specialize(bound)
            self._remember(values, found)
        elif self._signature is not None:
            self._check_signature(self.parameters.flatten(values))
        return self.call_with(found, inputs, values)

    def _remember(self, values: tuple[Any, ...], found: Specialization) -> None:
        """Lets later calls find the programs without flattening: each value is a leaf, of a type that tells how it is known."""
        if self._signature is not None:
            return
        key: list[Any] = []
        count = 0
        for x in values:
            kind = type(x)
            if kind is ARRAY_TYPE:
                count += 1
                continue
            if is_input_leaf(x) or not (x is None or arguments.is_leaf(x)):
                return
            part, is_identity = literal_key(x)
            if kind not in PLAIN and kind is not float:
                if not is_identity and not found.holds(x):
                    return
                self._identified.add(kind)
                part = kind, id(x)
            key += *part, count
        self._quick[tuple(key)] = found

    def call_with(self, specialization: Specialization, inputs: Sequence[Any], values: Sequence[Any]) -> Any:
        """Runs the program for these inputs, or the function with a value for each parameter where the eager switch is on."""
        if TRACE_STATE.value is not EAGER:
            return self.run_python(values) if jit_is_disabled() else specialization.inside(inputs)
        try:
            result = specialization.first(inputs)
        except RunsEagerly:
            result = RunsEagerly
        if type(result) is Outcome:
            return result.taken(values)
        return self.run_python(values) if result is RunsEagerly else result

    def _call_inside(self, values: tuple[Any, ...]) -> Any:
        """Calls the function inside a trace: as a part of an `ag.function`, or compiled under other transforms."""
        if tracing() is not None:
            return self.parameters.call(self._converted, values)
        bound = self.parameters.flatten(values)
        return self.call_with(self._specialize(bound), bound.inputs, values)

    def _specialize(self, bound: Bound) -> Specialization:
        self._check_signature(bound)
        key = bound.key()
        found = self._specializations.get(key)
        if found is None:
            found = self._specializations.setdefault(key, Specialization(self, bound.with_avals(map(jax.typeof, bound.inputs))))
            for literal in bound.literals:
                if literal.is_identity:
                    weakref.finalize(literal.get(), _forget, weakref.ref(self), key)
        return found

    def _check_signature(self, bound: Bound) -> None:
        if self._signature is not None:
            if not self._is_method and (owner := class_of_method(bound, self)):
                self.__set_name__(owner, self.__name__)
            signatures.check_argument(self.__name__, bound, self._specs, "`input_signature`")

    # What programs ask for.

    def run_converted(self, values: Sequence[Any]) -> Any:
        """Traces the body."""
        unchecked, code = self.checks is False or context.progress.is_unchecked, getattr(self.python_function, "__code__", None)
        with context.setting(is_unchecked=unchecked, raises_values=True, takes_none=code):
            return self.options.constrained(self.parameters.call(self._converted, values))

    def run_python(self, values: Sequence[Any]) -> Any:
        """Runs the function as plain Python, with the caller's own objects: the eager switch is on."""
        return self.parameters.call(self._converted, values)

    def trace(self, specialization: Specialization, avals: Sequence[Any]) -> Program:
        """Returns a new program for arrays of these types, or for more than these where sizes may be open."""
        bound = specialization.bound
        wider = self._open_sizes(specialization, avals)
        try:
            program = self._traced(bound.with_avals(avals if wider is None else wider))
            program.prepare()
        except Exception:
            if wider is None or self._signature is not None:
                raise
            program = self._traced(bound.with_avals(avals))  # the sizes decide something: each needs a program of its own
        self._programs.append((specialization, program))
        self._traces += 1
        self._watch.note(self.__name__, program.bound)
        return program

    def _open_sizes(self, specialization: Specialization, avals: Sequence[Any]) -> Sequence[Any] | None:
        if any(0 in aval.shape for aval in avals):
            return None
        if self._signature is not None:
            return signatures.filled(specialization.bound, self._specs, avals)
        if self._settings.reduce_retracing:
            return symbolic.widened(specialization.programs(), avals, self._scope)
        return None

    def _traced(self, bound: Bound) -> Program:
        for _ in range(2):  # variables that the first call makes are there in the second
            program = Program(self, bound)
            if not program.made:
                return program
        raise refusal(
            f"each trace of {self.__name__}() makes {program.made[0].name} anew",
            why="a variable lives longer than a call, so a function makes it once at most, on its first call",
            instead="make it outside, or keep it: `if self.v is None: self.v = ag.Variable(...)`", page="variable-on-every-trace",
        )

    def check(self, program: Program, words: Any) -> None:
        """Raises what a program reports, now or with the next call."""
        checks = program.checks
        if self.checks == "deferred":
            self._pending.append((checks, words))
            if len(self._pending) == 1:
                return
            checks, words = self._pending.pop(0)
        numbers = np.asarray(words)
        if numbers[0]:  # all that a call pays which does not fail
            error_codes.raise_failed(checks, numbers)

    # What users ask for.

    @errors.boundary
    def get_concrete_function(self, /, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """Returns the program for arguments of one kind, traced if there is none.

        Args:
            args, kwargs: as for a call, with `ag.TensorSpec` or `jax.ShapeDtypeStruct` in place of any array. Where the function
                has an `input_signature` they may be left out.
        """
        if len(args) == self._objects and not kwargs and self._signature is not None:
            args = (*args, *self._signature)
        values = self.parameters.values(args, kwargs)
        bound = self.parameters.flatten(self._scope.abstracted(values), is_input)
        specialization = self._specialize(bound)
        return ConcreteFunction(specialization, specialization.program(bound.inputs))

    def __saved_entries__(self, platforms: Sequence[str]) -> list[Any]:
        """Returns what `ag.save` writes: an entry for each program, or that of the signature if none was called."""
        if self._signature and not self._programs:
            self.get_concrete_function()
        return saving.saved([program for _, program in self._programs], platforms)

    @property
    def concrete_functions(self) -> tuple[ConcreteFunction, ...]:
        """A concrete function for each program, in the order of their traces."""
        return tuple(ConcreteFunction(*found) for found in self._programs)

    @property
    def tracing_count(self) -> int:
        """How many programs were traced, also for objects that are gone."""
        return self._traces

    def experimental_get_tracing_count(self) -> int:
        """`tracing_count`, by the name that TensorFlow's users know."""
        return self.tracing_count

    def pretty_printed_concrete_signatures(self) -> str:
        """Returns each program's name, parameters, results and captures, in the order of their traces."""
        return "\n\n".join(concrete.pretty_printed_signature() for concrete in self.concrete_functions)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        if not self._is_method:  # nobody names what a class method wraps, or what a class is given later
            self.__set_name__(type(instance), self.__name__)
        return BoundFunction(self, instance)

    def __reduce__(self) -> Any:
        if isinstance(self.python_function, FunctionType):
            return self.__qualname__  # as functions: found by name, and the same one in a copy
        return Function, (self.python_function, self._settings)

    def __repr__(self) -> str:
        count = self.tracing_count
        return f"<ag.function {self.__name__}{self.parameters.signature}: {count} trace{'s' * (count != 1)}>"


def _forget(function: Callable[[], Function | None], key: Hashable) -> None:
    """Drops the programs that were made for an object which is gone."""
    found = function()
    if found is not None:
        gone = found._specializations.pop(key, None)
        found._quick = {quick: one for quick, one in found._quick.items() if one is not gone}
        if found._is_method:  # which has programs for each object by intent
            found._watch.forget([program.bound for one, program in found._programs if one is gone])
        found._programs = [(one, program) for one, program in found._programs if one is not gone]


def make(fn: Any, settings: Settings) -> Any:
    """Returns the function, method or model as one of `ag.function`; static and class methods and properties stay such."""
    if isinstance(fn, staticmethod | classmethod | property):
        made: Any = callables.convert_inside(fn, lambda inner: Function(inner, settings))
        return ClassFunction(_method(made.__func__)) if isinstance(made, classmethod) else made
    if isinstance(fn, MethodType):
        if settings.autograph:
            api.convert(fn)  # a library's method calls what its object holds: `net.apply`
        return BoundFunction(_method(make(fn.__func__, settings)), fn.__self__)
    if isinstance(fn, FunctionType | functools.partial) or not _is_object(fn):
        return Function(fn, settings)
    model = api.convert(fn) if settings.autograph else fn

    def call(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        return self(*args, **kwargs)

    function: Any = call
    first = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    function.__signature__ = inspect.Signature([first, *inspect.signature(fn).parameters.values()])
    function.__name__ = type(fn).__name__
    pipeline.leave(function)
    return BoundFunction(_method(Function(function, settings)), model)


def _method(function: Any) -> Any:
    function.__set_name__(None, "")
    return function


def _is_object(fn: Any) -> bool:
    return not isinstance(fn, type) and isinstance(static_lookup(type(fn), "__call__"), FunctionType)


add_option_class(Function)
