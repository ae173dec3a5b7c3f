"""A jaxpr as scopes: their names are those of the source, and each operation has its line."""

from typing import Any

import jax
import jax.numpy as jnp

import autograph as ag
from autograph.graphs.operations import Operation, Scope
from tests.graphs import programs
from tests.graphs.programs import NETWORK


def scopes(tree: Scope) -> list[str]:
    """The paths of all scopes."""
    found = [part for part in tree.parts if isinstance(part, Scope)]
    return [path for part in found for path in (part.path, *scopes(part))]


def line_of(text: str) -> int:
    """The line of the programs that begins with a string."""
    with open(programs.__file__, encoding="utf-8") as file:
        return next(k for k, line in enumerate(file, 1) if line.strip().startswith(text))


def test_row_28_scopes_are_named_after_statements_and_functions() -> None:
    graph = ag.graph(programs.branches, 1.0)
    outer, inner = f"if@{line_of('if x > 0')}", f"while@{line_of('while jnp.max')}"
    below = [f"{outer}/true/halved/{inner}{end}" for end in ("", "/test", "/body")]
    assert scopes(graph.tree) == [outer, f"{outer}/true", f"{outer}/true/halved", *below, f"{outer}/false"]
    loop = next(operation for operation in graph.operations() if operation.kind == "while")
    assert loop.scope == f"{outer}/true/halved" and loop.source is not None
    assert loop.source.text == "while jnp.max(x) > 10:"


def test_row_28_a_for_loop_over_a_staged_range() -> None:
    assert scopes(ag.graph(programs.staged, 1.0).tree) == [f"for@{line_of('for _ in ag.range')}"]


def test_row_28_the_network_of_two_layers_is_nested_scopes() -> None:
    tree = ag.graph(programs.network, *NETWORK).tree
    assert [path for path in scopes(tree) if path.count("/") < 2][:2] == ["relu_layer", "relu_layer/relu"]
    assert "output_layer" in scopes(tree)
    first = tree.parts[0]
    assert isinstance(first, Scope)
    assert [value.name for value in first.inputs] == ["x", "w1", "b1"] and len(first.outputs) == 1


def test_two_calls_of_one_function_are_two_scopes() -> None:
    def twice(x: Any) -> Any:
        x = programs.branches(x)
        return programs.branches(x)

    assert [part.name for part in ag.graph(twice, 1.0).tree.parts] == ["branches", "branches_1"]


def test_named_scopes_of_the_users_are_scopes() -> None:
    def f(x: Any) -> Any:
        with jax.named_scope("first"):
            x = x + 1
        return x * 2

    assert [(operation.kind, operation.scope) for operation in ag.graph(f, 1.0).operations()] == [
        ("add", "first"),
        ("mul", ""),
    ]


def test_conditional_expressions_and_operators_are_named_by_their_words() -> None:
    def f(x: Any) -> Any:
        y = jnp.sin(x) if x > 0 else jnp.cos(x)
        for _ in ag.range(3):
            y = y + 1
        return y

    line = f.__code__.co_firstlineno
    assert scopes(ag.graph(f, 1.0).tree)[0] == f"if@{line + 1}"


def test_what_was_traced_by_hand_has_the_kinds_of_jax() -> None:
    def f(x: Any) -> Any:
        return jax.lax.fori_loop(0, 3, lambda i, c: c + i, x)

    line = f.__code__.co_firstlineno
    assert scopes(ag.graph(f, 1.0).tree) == [f"scan@{line + 1}"]


def test_values_are_joined_from_scope_to_scope() -> None:
    for name, arguments in (("branches", (1.0,)), ("network", NETWORK), ("staged", (1,)), ("unrolled", (1,))):
        graph = ag.graph(getattr(programs, name), *arguments)
        _check(graph.tree)
        names = [operation.name for operation in graph.operations()]
        assert len(set(names)) == len(names) == _count(graph.jaxpr.jaxpr)


def test_a_statement_whose_branches_are_both_computed_is_a_scope() -> None:
    def f(x: Any) -> Any:
        return 1 if x > 0 else 2

    statement = f"if@{f.__code__.co_firstlineno + 1}"
    found = [(operation.kind, operation.scope) for operation in ag.graph(f, 1.0).operations()]
    assert ("select_n", statement) in found and ("gt", "") in found


def test_statements_under_a_derivative_keep_their_names() -> None:
    graph = ag.graph(jax.grad(ag.convert(programs.branches)), 1.0)
    assert f"jvp(if@{line_of('if x > 0')})" in scopes(graph.tree)


def test_a_slash_in_a_name_is_no_scope() -> None:
    graph = ag.graph(lambda params: params["a/b"] * 2, {"a/b": 1.0})
    assert [value.name for value in graph.tree.inputs] == ["params['a.b']"]


def test_arrays_that_the_program_holds_are_inputs() -> None:
    table = jnp.arange(3.0)
    graph = ag.graph(lambda x: table * x, 2.0)
    assert [value.type for value in graph.tree.inputs] == ["float32[]", "float32[3]"]
    _check(graph.tree)
    assert '"constant" -> "mul";' in graph.to_dot()


def _check(scope: Scope) -> None:
    """Whatever a scope reads is made before, in it or around it."""
    known = {value.name for value in scope.inputs}
    for part in scope.parts:
        if part not in scope.regions:
            taken = part.inputs if isinstance(part, Operation) else part.taken
            assert {value.name for value in taken if not value.is_literal} <= known, (scope.path, part.name)
        if isinstance(part, Scope):
            _check(part)
        known |= {value.name for value in (part.outputs if isinstance(part, Operation) else part.made)}
    if scope.operation is None or scope.regions == [scope]:
        assert {value.name for value in scope.outputs if not value.is_literal} <= known


def _count(jaxpr: Any) -> int:
    """The equations of a jaxpr and of those in their parameters."""
    values = [value for equation in jaxpr.eqns for value in equation.params.values()]
    items = [item for value in values for item in (value if isinstance(value, tuple) else (value,))]
    inner = [getattr(item, "jaxpr", item) for item in items]
    return len(jaxpr.eqns) + sum(_count(found) for found in inner if hasattr(found, "eqns"))


def test_a_statement_whose_branches_are_computed_both_has_its_own_line() -> None:
    def f(x: Any) -> Any:
        n = 0
        while x > 1:
            x = x / 2
            if n > 3:
                x = x - 1
            n += 1
        return x

    tree, first = ag.graph(f, 8.0).tree, f.__code__.co_firstlineno
    found: dict[str, Any] = {}
    pending = [tree]
    while pending:
        scope = pending.pop()
        found[scope.name] = scope.source
        pending += [part for part in (*scope.parts, *scope.regions) if isinstance(part, type(tree)) and part is not scope]
    assert found[f"if@{first + 4}"].line == first + 4 and found[f"if@{first + 4}"].text == "if n > 3:"
