"""The traced program of a function, for people and programs to look at.

>>> import autograph as ag
>>> def root(x):
...     while x > 2.0:
...         x = x / 2
...     return x
>>> ag.graph(root, 9.0).jaxpr.eqns[-1].primitive
while
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import jax

from autograph import api, tensor_specs
from autograph.errors import AutoGraphError, boundary
from autograph.graphs import dot, page, tensorboard, text
from autograph.graphs.operations import Operation, Scope
from autograph.graphs.reading import read_program
from autograph.jax_internals import SIZE

if TYPE_CHECKING:
    from jax.extend.core import ClosedJaxpr


class Graph:
    """A traced program: what `ag.graph` returns.

    Args:
        name: of the function.
        traced: the program, as `jax.jit(f).trace(*args)` returns it.
        inputs: the names of its inputs, where JAX does not know them.
    """

    def __init__(self, name: str, traced: jax.stages.Traced, inputs: Sequence[str] = ()) -> None:
        self.name = name
        self._inputs = inputs
        self._traced = traced
        self._tree: Scope | None = None
        self._lowered: jax.stages.Lowered | None = None
        self._compiled: jax.stages.Compiled | None = None

    @property
    def jaxpr(self) -> ClosedJaxpr:
        """The program as JAX traced it."""
        return self._traced.jaxpr

    @property
    def tree(self) -> Scope:
        """The program as scopes of operations with names from the source, of statements (`if@12`), branches and functions.

        >>> import autograph as ag
        >>> [part.name for part in ag.graph(jax.nn.relu, 1.0).tree.parts]
        ['relu']
        """
        if self._tree is None:
            self._tree = read_program(self.name, self.jaxpr, self._inputs)
        return self._tree

    def operations(self) -> list[Operation]:
        """Returns all operations, in the order of the program: a statement comes before what stands in it.

        >>> import autograph as ag
        >>> def total(x):
        ...     for i in range(3):
        ...         x = x + i
        ...     return x
        >>> [operation.kind for operation in ag.graph(total, 1).operations()]
        ['add', 'add', 'add']
        """
        return list(self.tree.operations())

    def to_dot(self) -> str:
        """Returns the graph for Graphviz (`dot -Tsvg`): scopes are clusters.

        >>> import autograph as ag
        >>> ag.graph(jax.numpy.sin, 1.0).to_dot().splitlines()[-2]
        '  "x" -> "sin";'
        """
        return dot.drawn(self.tree)

    def to_html(self, texts: bool = False) -> str:
        """Returns a page that needs no network: scopes open and close, every node has the user's line.

        >>> import autograph as ag
        >>> ag.graph(jax.numpy.sin, 1.0).to_html()[:15]
        '<!DOCTYPE html>'

        Args:
            texts: whether the page also has the program in StableHLO and as XLA leaves it, for which it is compiled.
        """
        other = {"StableHLO": self.stablehlo(), "After XLA": self.optimized_hlo()} if texts else {}
        return page.written(self.tree, other)

    def save(self, logdir: str | os.PathLike[str]) -> None:
        """Writes the graph where TensorBoard looks for it: `tensorboard --logdir LOGDIR`, then its tab *Graphs*.

        >>> import autograph as ag, pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as logs:
        ...     try:
        ...         ag.graph(jax.numpy.sin, 1.0).save(logs)
        ...         written = [path.name[:18] for path in pathlib.Path(logs).iterdir()]
        ...     except ag.AutoGraphError:  # TensorBoard is not installed
        ...         written = ["events.out.tfevents"[:18]]
        >>> written
        ['events.out.tfevent']

        Args:
            logdir: a folder, which is made where it is missing.
        Raises:
            AutoGraphError: TensorBoard is not installed; it is the extra `tensorboard`.
        """
        tensorboard.write_events(self.tree, logdir)

    def _repr_html_(self) -> str:
        return page.framed(self.to_html())

    def __str__(self) -> str:
        return text.list_graph(self.tree)

    def __repr__(self) -> str:
        return f"<graph of {self.name}: {len(self.operations())} operations>"

    @property
    def lowered(self) -> jax.stages.Lowered:
        """The program as it is handed to the compiler; made once."""
        if self._lowered is None:
            self._lowered = self._traced.lower()
        return self._lowered

    @property
    def compiled(self) -> jax.stages.Compiled:
        """The program as the compiler left it; compiled once."""
        if any(isinstance(n, SIZE) for aval in self.jaxpr.in_avals for n in aval.shape):
            raise AutoGraphError(
                f"the program of {self.name}() has open sizes, and XLA compiles it for each size that comes",
                why="what the compiler leaves of it, what it costs and how much memory it takes depend on the sizes",
                instead="ask for arrays of fixed sizes: `ag.graph(f.python_function, jnp.ones(4))`",
                page="compiled-program-of-open-sizes",
            )
        if self._compiled is None:
            self._compiled = self.lowered.compile()
        return self._compiled

    def stablehlo(self) -> str:
        """Returns the program in the compiler's input language.

        >>> import autograph as ag
        >>> "stablehlo.sine" in ag.graph(jax.numpy.sin, 1.0).stablehlo()
        True
        """
        return self.lowered.as_text()

    def optimized_hlo(self) -> str:
        """Returns the program after XLA's passes: constants folded, common parts shared, operations fused.

        >>> import autograph as ag
        >>> "sine" in ag.graph(lambda x: jax.numpy.sin(x) * 0.0 + x, 1.0).optimized_hlo()
        True
        """
        return str(self.compiled.as_text())

    def cost(self) -> dict[str, float]:
        """Returns XLA's costs of the compiled program: `flops`, `bytes accessed` and more; empty where it says nothing.

        >>> import autograph as ag
        >>> ag.graph(lambda x: x * 2 + 1, jax.numpy.ones(8)).cost()["flops"]
        16.0
        """
        found = self.compiled.cost_analysis()
        return dict((found[0] if isinstance(found, list) else found) or {})

    def memory(self) -> dict[str, int]:
        """Returns the bytes that XLA reserves for the program: arguments, results, temporaries; empty where it does not say.

        >>> import autograph as ag
        >>> ag.graph(lambda x: x * 2, jax.numpy.ones(8)).memory()["argument_size_in_bytes"]
        32
        """
        found = self.compiled.memory_analysis()
        names = (name for name in dir(found) if name.endswith("_in_bytes"))
        return {name: getattr(found, name) for name in names}


@boundary
def graph(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Graph:
    """Returns the program that a function becomes for arguments of these types.

    >>> import autograph as ag
    >>> ag.graph(lambda x: x + 1, jax.ShapeDtypeStruct((3,), "float32")).jaxpr.out_avals
    [ShapedArray(float32[3])]

    Args:
        f: a function, which is converted as by `ag.convert`; one of `ag.function`; one under `ag.jit` or `jax.jit`, with its
            options; a concrete function, which has its graph already.
        args, kwargs: arrays, what stands for any (`ag.TensorSpec`, `jax.ShapeDtypeStruct`), numbers, or pytrees of these.
    """
    if isinstance(made := getattr(f, "graph", None), Graph):
        return made
    if hasattr(f, "get_concrete_function"):  # of `ag.function`
        return f.get_concrete_function(*args, **kwargs).graph
    if not callable(f):
        raise TypeError(f"ag.graph takes a function, and {f!r:.60} is none")
    is_jitted = hasattr(f, "lower") and hasattr(f, "trace")
    jitted: Any = api.convert(f) if is_jitted else api.jit(f)
    args, kwargs = tensor_specs.Scope().abstracted((args, kwargs))
    traced = jitted.trace(*args, **kwargs)
    return Graph(traced.fun_name, traced)
