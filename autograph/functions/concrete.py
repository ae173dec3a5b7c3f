"""`ConcreteFunction`: one program of a function, for one kind of arguments: called, looked at, saved.

>>> import autograph as ag
>>> import jax.numpy as jnp
>>> square = ag.function(lambda x: x * x)
>>> concrete = square.get_concrete_function(ag.TensorSpec([2], "float32"))
>>> print(concrete(jnp.array([3.0, 4.0])), concrete)
[ 9. 16.] <lambda>(x: float32[2]) -> float32[2]
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax

from autograph.errors import boundary
from autograph.functions import exporting, saving
from autograph.functions.arguments import Leaf, structure_key
from autograph.functions.signatures import CONTAINER, NOTHING, check_argument, describe_argument, mismatch
from autograph.graphs.graph import Graph

if TYPE_CHECKING:
    from autograph.functions.programs import Program, Specialization


class ConcreteFunction:
    """A function for arguments of one kind: arrays of one dtype and shape each, and literals.

    It is called with the same parameters as the function, by position or by keyword. A parameter that is a literal may be left
    out; a container is given with the literals in it.
    """

    def __init__(self, specialization: Specialization, program: Program) -> None:
        self._specialization = specialization
        self._program = program
        self.function = program.function
        self.__name__ = program.function.__name__
        self._object: tuple[Any, ...] = ()
        self._structure = structure_key(program.bound.tree)
        self._specs: dict[str, dict[str, Any]] = {}
        for leaf in program.bound.leaves:
            if leaf.is_input:
                self._specs.setdefault(leaf.parameter, {})[leaf.path] = leaf.value

    def of(self, instance: Any) -> ConcreteFunction:
        """Returns the same, with an object as its first argument; that may be given too."""
        self._object = (instance,)
        return self

    def __reduce__(self) -> str:
        return self.__name__  # the same one in a copy; `pickle` finds none by that name, and `ag.save` writes files

    @boundary
    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Runs the program.

        Raises:
            SignatureError: an argument is of another kind; it names the argument, what was expected and what was given.
        """
        if self._object and not (args and args[0] is self._object[0] or self.function.parameters.names[0] in kwargs):
            args = (*self._object, *args)
        bound = self._bind(args, kwargs)
        return self.function.call_with(self._specialization, bound.inputs, bound.values(bound.inputs))

    def _bind(self, args: Any, kwargs: Any) -> Any:
        own = self._program.bound
        literals = {leaf.parameter: leaf for leaf in own.leaves if not leaf.is_input and not leaf.path}
        signature = self.function.parameters.signature
        given = self.function.parameters.given(args, kwargs)
        for name, leaf in literals.items():
            if name not in given:
                given[name] = leaf.value.get()
        arguments = inspect.BoundArguments(signature, given)
        bound = self.function.parameters.bind(arguments.args, arguments.kwargs)
        at = "the signature of the concrete function"
        for leaf, expected in zip(bound.leaves, own.leaves, strict=False):
            if leaf.name != expected.name:
                break
            if not _fits(_as_array(leaf, expected), expected):
                raise mismatch(self.__name__, leaf, _value(expected), at)
        if bound.tree != own.tree or structure_key(bound.tree) != self._structure:
            raise mismatch(self.__name__, *_other_structure(bound, own), at)
        bound = bound._replace(leaves=tuple(map(_as_array, bound.leaves, own.leaves)))
        arrays = bound._replace(leaves=tuple(leaf for leaf in bound.leaves if leaf.is_input))  # literals are compared above
        check_argument(self.__name__, arrays, self._specs, at)
        return bound

    @property
    def structured_input_signature(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The `ShapeDtypeStruct` or literal of each parameter, those by position and those by keyword alone."""
        own = self._program.bound
        values = own.values([saving.spec_of(leaf.value) for leaf in own.leaves if leaf.is_input])
        signature = self.function.parameters.signature
        bound = inspect.BoundArguments(signature, dict(zip(own.names, values, strict=True)))
        return bound.args, bound.kwargs

    @property
    def structured_outputs(self) -> Any:
        """A `ShapeDtypeStruct` for each array of the results, in their structure; `OneOf` for a string that the program chooses."""
        return self._program.results

    @property
    def captures(self) -> list[Any]:
        """The variables that the program reads or writes."""
        return list(self._program.reads)

    @property
    def graph(self) -> Graph:
        """What the program does, as an `ag.Graph`: its tree, operations, StableHLO, picture, cost and memory."""
        program = self._program
        names = [leaf.name for leaf in program.bound.leaves if leaf.is_input] + [variable.name for variable in program.reads]
        return Graph(self.__name__, program.as_a_whole(), names)

    def cost_analysis(self) -> dict[str, float]:
        """Returns XLA's costs of the compiled program: `flops`, `bytes accessed` and more."""
        return self.graph.cost()

    def memory_analysis(self) -> dict[str, int]:
        """Returns the bytes that XLA reserves for the compiled program: of arguments, results, temporaries."""
        return self.graph.memory()

    @boundary
    def export(self, platforms: Sequence[str] | None = None) -> jax.export.Exported:
        """Returns the program as one of `jax.export`.

        Args:
            platforms: *static*; for which it is lowered; by default the one at hand.
        Returns:
            what is called with the arguments that hold arrays, by position and in the structure of the call; literals are in it.
            A call raises what a check of the program reports.
        Raises:
            AutoGraphError: it has variables, which `ag.save` keeps.
        """
        return exporting.exported(self._program, platforms)

    def __saved_entries__(self, platforms: Sequence[str]) -> list[Any]:
        """Returns what `ag.save` writes: one entry."""
        return saving.saved([self._program], platforms, self._object)

    def pretty_printed_signature(self) -> str:
        """Returns the name, the parameters with their kinds, the results and the captures."""
        own = self._program.bound
        parameters = self.function.parameters.signature.parameters
        args, kwargs = self.structured_input_signature
        bound = self.function.parameters.signature.bind(*args, **kwargs).arguments
        lines = [f"  {name} ({parameters[name].kind.name}): {bound[name]!r}" for name in own.names if name in bound]
        outputs = repr(self.structured_outputs)
        captures = [f"  {v.name}: {describe_argument(v.aval)}" for v in self._program.reads]
        return "\n".join(
            [
                f"{self.__name__}",
                "Input Parameters:",
                *(lines or ["  None"]),
                "Output Type:",
                f"  {outputs}",
                "Captures:",
                *(captures or ["  None"]),
            ]
        )

    def __str__(self) -> str:
        leaves = self._program.bound.leaves
        arguments = ", ".join(f"{leaf.name}: {_brief(leaf)}" for leaf in leaves)
        return f"{self.__name__}({arguments}) -> {jax.tree.map(_Result, self.structured_outputs)}"

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self}>"


def _value(leaf: Leaf) -> Any:
    return leaf.value if leaf.is_input else leaf.value.get()


def _brief(leaf: Leaf) -> str:
    return describe_argument(leaf.value) if leaf.is_input else repr(leaf.value.get())



class _Result:
    """A leaf of the results, in a container that is shown."""

    def __init__(self, leaf: Any) -> None:
        self._shown = describe_argument(leaf) if isinstance(leaf, jax.ShapeDtypeStruct) else repr(leaf)

    def __repr__(self) -> str:
        return self._shown


def _as_array(leaf: Leaf, expected: Leaf) -> Leaf:
    """Returns a Python number that the expected dtype holds exactly, as an array."""
    if leaf.is_input or not expected.is_input:
        return leaf
    value = leaf.value.get()
    kinds = {bool: "b", int: "iuf", float: "f", complex: "c"}.get(type(value), "")
    if expected.value.dtype.kind in kinds and expected.value.shape == ():
        return leaf._replace(value=jax.numpy.asarray(value, expected.value.dtype))
    return leaf


def _fits(leaf: Leaf, expected: Leaf) -> bool:
    if leaf.is_input and expected.is_input:
        return True  # `check_argument` compares their types, with those of the others
    return not leaf.is_input and not expected.is_input and bool(leaf.value.key == expected.value.key)


def _other_structure(bound: Any, own: Any) -> tuple[Leaf, Any]:
    expected = {leaf.name: leaf for leaf in own.leaves}
    for leaf in bound.leaves:
        if leaf.name not in expected:
            whole = expected.get(leaf.parameter)
            return (leaf, NOTHING) if whole is None else (Leaf(leaf.parameter, "", CONTAINER), _value(whole))
    missing = next((leaf for leaf in own.leaves if leaf.name not in {other.name for other in bound.leaves}), own.leaves[0])
    return missing._replace(value=NOTHING), _value(missing)
