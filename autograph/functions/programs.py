"""The programs of `ag.function`: one for each structure and literals of the arguments, and in it one for each dtypes and shapes.

A `Specialization` has one `jax.jit` object, whose cache in C++ tells the dtypes and shapes apart; its body asks for the `Program`
of these and runs that. A program is traced once. What it has besides its results (variables that it writes, checks, results that
are no arrays) comes back in an `Outcome`, which says how the call goes on.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import jax

from autograph.functions import error_codes, symbolic, updates
from autograph.functions.arguments import Bound, container_contents, is_iterator, never_changes
from autograph.functions.cells import Tracing, with_variables_as_inputs
from autograph.functions.results import Results
from autograph.functions.variables import Variable
from autograph.jax_dispatch import jit_is_disabled
from autograph.jax_internals import jaxpr_as_fun
from autograph.runtime.checks.runtime_checks import note_check
from autograph.runtime.heap.escape import Finished
from autograph.runtime.tracing.refusals import refusal

if TYPE_CHECKING:
    from autograph.functions.function import Function


class Outcome:
    """What a program gives back that has more than results: a pytree with a weak reference to the program as its static part.

    Attributes:
        program: that reference: JAX's caches keep static parts.
        parts: the results, in the function's structure where the program `is_whole`, what is written to variables, the error code.
    """

    __slots__ = ("parts", "program")

    def __init__(self, program: Callable[[], Any], parts: tuple[Any, ...]) -> None:  # as JAX calls it, with no step between
        self.program, self.parts = program, parts

    def settle(self) -> None:
        """Looks at the checks, and writes the variables.

        Raises:
            Exception: what the function raised, of the user's type. Variables are then as before the call.
        """
        program, (_, written, words) = self.program(), self.parts
        if words is not None:
            program.function.check(program, words)
        for variable, value in zip(program.writes, written, strict=True):
            variable.take(value)

    def taken(self, values: Sequence[Any]) -> Any:
        """Returns the results of the function, with `values` as its parameters; settled by the call where there are variables."""
        program, (results, _, words) = self.program(), self.parts
        if words is not None and not program.has_variables:
            program.function.check(program, words)
        return results if program.is_whole else program.function.options.placed(program.results_of.output(results, values))


jax.tree_util.register_pytree_node(Outcome, lambda o: (o.parts, o.program), Outcome)


class NewVariables(Exception):
    """A program was traced that uses variables which the `jax.jit` object does not take yet."""


class RunsEagerly(Exception):
    """The eager switch is on: the function is called as it is, with the caller's own objects."""


class Program:
    """One trace of a function.

    Attributes:
        function: of which it is a trace.
        bound: the arguments, with abstract values for arrays.
        traced: the trace, as JAX shows it: without variables as inputs, its checks as callbacks.
        checks: what can fail, by its number in the error code.
        has_variables: whether it uses variables.
        is_whole: whether the results of a call are those of the program, in their structure.
    """

    def __init__(self, function: Function, bound: Bound) -> None:
        self.function, self.bound = function, bound
        self.specs = [_spec(leaf.value) for leaf in bound.leaves if leaf.is_input]
        self.symbolic = symbolic.is_symbolic(self.specs)
        if self.symbolic and function.options.are_for_several_devices:
            why = "it has shardings over several devices, and JAX divides only sizes that it knows"
            raise symbolic.cannot_be_exported(function.__name__, why)
        self.plain = jax.jit(_named(self._body, function.__name__), **function.options.inside(bound))
        self.made: list[Variable] = []
        self._reads: list[Callable[[], Variable]] = []
        self._writes: list[Callable[[], Variable]] = []
        self.traced = self.plain.trace(*self.specs)
        closed: Any = self.traced.jaxpr
        self.closed = with_variables_as_inputs(closed, len(self.reads)) if self.reads else closed
        self.checks: tuple[Any, ...] = ()
        self._coded, self._keeps_rules = self.closed, True
        self._run: Callable[..., Any] | None = None
        coded = error_codes.with_error_code(self.closed)
        if coded is not None:
            self._coded, self.checks, self._keeps_rules = coded
        self.has_variables = bool(self._reads)
        places = function.options.places_results
        self.is_whole = not (self.results_of.known or self.results_of.is_open or places)
        self.is_simple = self.is_whole and not (self.checks or self.has_variables or self.symbolic)

    def _body(self, *inputs: Any) -> tuple[list[Any], list[Any]]:
        with Tracing() as variables:
            values = self.bound.values(inputs)
            before = [_parts(self.bound.names, values) for _ in range(2)]
            returned = Finished()
            returned.value = self.function.run_converted(values)
            _refuse_changes(self.function, before[0], before[1], _parts(self.bound.names, values))
            found = Results(self.function.__name__, returned, self.bound.leaves)
            arrays, found.arrays = found.arrays, []
            self.results_of, self._count = found, len(arrays)
            written = variables.written()
        self.made, given = variables.made, {id(literal.get()) for literal in self.bound.literals}
        self._reads = [_held(variable, given) for variable in variables.read()]
        self._writes = [_held(variable, given) for variable, _ in written]
        return arrays, [value for _, value in written]

    @property
    def reads(self) -> list[Variable]:
        """The variables that it uses."""
        return [get() for get in self._reads]

    @property
    def writes(self) -> list[Variable]:
        """Those that it writes."""
        return [get() for get in self._writes]

    @property
    def results(self) -> Any:
        """The abstract values of the results, in the function's structure."""
        return self.results_of.output([jax.ShapeDtypeStruct(x.shape, x.dtype) for x in self.closed.out_avals[: self._count]])

    def as_a_whole(self) -> jax.stages.Traced:
        """Returns the trace of the program that runs: with variables as inputs, and its error code."""
        variables = (variable.aval for variable in self.reads)
        return self.traced if self._coded is self.traced.jaxpr else jax.jit(self.lowerable).trace(*self.specs, *variables)

    @property
    def lowerable(self) -> Any:
        """A flat function of inputs, then the variables' values, that is this program with its error code."""
        return _named(jaxpr_as_fun(self._coded), self.function.__name__)

    def prepare(self) -> None:
        """Makes what `run` calls, once.

        Raises:
            AutoGraphError: sizes are open, and JAX cannot export what is in the program.
        """
        if self._run is None:
            self._run = symbolic.callable_of(self) if self.symbolic else self.lowerable

    def run(self, inputs: Sequence[Any], values: Sequence[Any]) -> Any:
        """Runs in a trace: the results, or an `Outcome`."""
        if self.is_simple:
            return self.results_of.output(self.plain(*inputs)[0])
        self.prepare()
        assert self._run is not None
        flat = self._run(*inputs, *values)
        words = flat.pop() if self.checks else None
        results, written = flat[: self._count], flat[self._count :]
        if words is not None and self.function.checks == "deferred":  # the variables are written before anybody reads the words
            before = {id(variable): value for variable, value in zip(self.reads, values, strict=True)}
            held = [before[id(variable)] for variable in self.writes]
            written = [jax.lax.select(words[0] == 0, new, old) for new, old in zip(written, held, strict=True)]
        return Outcome(weakref.ref(self), (self.results_of.output(results) if self.is_whole else results, written, words))

    def run_inside(self, inputs: Sequence[Any]) -> Any:
        """Runs under a JAX transform, as a compiled function in it.

        Checks raise at the call where their values are known there, as under `jax.grad`; in another program they are callbacks.
        """
        placed, output = self.function.options.placed, self.results_of.output
        raises = bool(self.checks) and self._keeps_rules and error_codes.is_known_at_once()
        if self.checks:
            note_check()
        if not (self.has_variables or self.results_of.known or raises):
            return placed(output(self.plain(*inputs)[0]))
        values = [variable.at_once() for variable in self.reads]
        options = self.function.options.inside(self.bound, len(values))
        run = self.lowerable if raises else _named(jaxpr_as_fun(self.closed), self.function.__name__)
        flat = jax.jit(run, **options)(*inputs, *values)
        if raises:
            self.function.check(self, error_codes.known_words(flat.pop()))
        written = [(v, jax.lax.stop_gradient(value)) for v, value in zip(self.writes, flat[self._count :], strict=True)]
        for variable, value in written:
            variable.check_take(value)
        for variable, value in written:
            variable.take(value)
        return placed(output(flat[: self._count]))


def _held(variable: Variable, given: set[int]) -> Callable[[], Any]:
    """Returns a reference to a variable; weak to one that is an argument: with it goes the program."""
    return weakref.ref(variable) if id(variable) in given else lambda: variable


def _parts(names: Sequence[str], values: Sequence[Any]) -> dict[str, tuple[Any, Any]]:
    """Returns the leaves of arguments by their names, with what they hold where they are containers."""
    return {
        name + jax.tree_util.keystr(path): (leaf, container_contents(leaf))
        for name, value in zip(names, values, strict=True)
        for path, leaf in jax.tree_util.tree_flatten_with_path(value, is_iterator)[0]
    }


def _refuse_changes(function: Function, before: dict[str, Any], again: dict[str, Any], after: dict[str, Any]) -> None:
    """Refuses a body that wrote to a container among its arguments: those of a program are copies.

    A leaf that its container makes anew whenever it is opened (`before` and `again`) says nothing.
    """
    gone: tuple[Any, Any] = object(), None
    for name in {**before, **after}:
        (old, held), (now, holds), (same, _) = (parts.get(name, gone) for parts in (before, after, again))
        if old is same and (now is not old or held != holds):
            break
    else:
        return
    raise refusal(
        f"{function.__name__}() changes its argument: {name} is another value when it returns",
        why="the program gets copies of the containers among its arguments, so the caller's would stay as it is",
        instead="return what is new, or a copy that is written (`x = copy.deepcopy(x)`), or keep it in an `ag.Variable`",
        page="argument-that-is-changed",
    )


def _named(fn: Callable[..., Any], name: str) -> Callable[..., Any]:
    def program(*args: Any) -> Any:
        return fn(*args)

    program.__name__ = program.__qualname__ = name
    return program


def _spec(aval: Any) -> jax.ShapeDtypeStruct:
    sharding = getattr(aval, "sharding", None)
    known = sharding if any(getattr(sharding, "spec", ())) else None  # along the explicit axes of a mesh: part of the type
    return jax.ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=getattr(aval, "weak_type", False), sharding=known)


class Specialization:
    """The programs for one structure of arguments and one set of literals.

    Attributes:
        call: takes the flat inputs; gives the results, or an `Outcome`.
    """

    def __init__(self, function: Function, bound: Bound) -> None:
        self._function = function
        self.bound = bound
        self._programs: dict[Hashable, Program] = {}
        self._variables: tuple[Callable[[], Variable], ...] = ()
        self._lock = threading.RLock()
        self.call: Callable[..., Any] = self._jit()

    def _jit(self) -> Any:
        variables = self._variables
        ids = [id(get()) for get in variables]

        def body(*arguments: Any) -> Any:
            count = len(arguments) - len(ids)
            inputs, values = arguments[:count], dict(zip(ids, arguments[count:], strict=True))
            if jit_is_disabled():
                raise RunsEagerly
            program = self.program(inputs)
            if any(id(variable) not in values for variable in program.reads):
                self._take(program.reads)
                raise NewVariables
            return program.run(inputs, [values[id(variable)] for variable in program.reads])

        options = self._function.options.flat(self.bound, len(variables))
        jitted = jax.jit(_named(body, self._function.__name__), **options)
        if not variables:
            return jitted

        def call(*inputs: Any) -> Any:
            with updates.LOCK:
                result = jitted(*inputs, *[get().held for get in variables])
                if type(result) is Outcome and result.program().has_variables:
                    result.settle()
                return result

        return call

    def _take(self, variables: Sequence[Variable]) -> None:
        with self._lock:
            known = {id(get()) for get in self._variables}
            given = {id(literal.get()) for literal in self.bound.literals}
            self._variables += tuple(_held(variable, given) for variable in variables if id(variable) not in known)
            self.call = self._jit()

    def first(self, inputs: Sequence[Any]) -> Any:
        """Works as `call`, where programs may be traced that use further variables."""
        while True:
            try:
                return self.call(*inputs)
            except NewVariables:
                continue

    def program(self, inputs: Sequence[Any]) -> Program:
        """Returns the program for arrays of these dtypes and shapes; traced if there is none."""
        avals = tuple(map(jax.typeof, inputs))
        found = self._found(avals)
        if found is None:
            with self._lock:  # another thread may trace it
                found = self._found(avals)
                if found is None:
                    found = self._programs[avals] = self._function.trace(self, avals)
        return found

    def _found(self, avals: tuple[Any, ...]) -> Program | None:
        return self._programs.get(avals) or symbolic.covering(self.programs(), avals, self._function.is_of_one_type)

    def holds(self, value: Any) -> bool:
        """Whether a value is one of the literals, kept with them, and never changes: then its identity is as good a key."""
        return never_changes(value) and any(literal.get() is value for literal in self.bound.literals)

    def programs(self) -> Iterable[Program]:
        """Returns the programs that were traced."""
        return tuple(self._programs.values())

    def inside(self, inputs: Sequence[Any]) -> Any:
        """Calls the function under a JAX transform."""
        return self.program(inputs).run_inside(inputs)
