"""A jaxpr as scopes of operations.

>>> import jax
>>> graph = read_program("f", jax.make_jaxpr(jax.jit(lambda x: (x + 1.0) * x))(2.0))
>>> [operation.kind for operation in graph.operations()]
['jit', 'add', 'mul']
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from autograph.graphs.operations import Operation, Scope, Source, Value
from autograph.graphs.scopes import KEYWORDS, Call, calls_between, source_of, staged_as, statement_scope, user_frames
from autograph.runtime.jaxprs import rules
from autograph.runtime.jaxprs.graph import is_literal

_LONGEST = 200  # characters of a parameter


def read_program(name: str, closed: Any, inputs: Sequence[str] = ()) -> Scope:
    """Returns the program of a function, by the function's name, and the names of its inputs where JAX does not know them."""
    return _Reader().program(name, getattr(closed, "jaxpr", closed), inputs)


class _Reader:
    """Reads one program: names values and operations, each once."""

    def __init__(self) -> None:
        self._names: Counter[str] = Counter()

    def _fresh(self, base: str) -> str:
        """Returns a name that no other value or operation has. A `/` would be taken for the end of a scope."""
        base = base.replace("/", ".")
        self._names[base] += 1
        count = self._names[base]
        return base if count == 1 else self._fresh(f"{base}_{count - 1}")

    def program(self, name: str, jaxpr: Any, inputs: Sequence[str]) -> Scope:
        """Returns the whole of a program."""
        names = [given or "arg" for given in inputs or _input_names(jaxpr)]
        return self._region(jaxpr, Scope(name, ""), names, [], name)

    def _region(
        self, jaxpr: Any, scope: Scope, inputs: Sequence[str | Value], around: list[Any], function: str
    ) -> Scope:
        """Fills a scope from a jaxpr.

        Args:
            inputs: for each input a name to begin with, or the value around the region that it is.
            around: the frames of the operation that the region belongs to.
            function: the name of the function that it is.
        """
        known = {v: self._constant(v) for v in jaxpr.constvars}
        for v, given in zip(jaxpr.invars, inputs, strict=True):
            known[v] = given if isinstance(given, Value) else _value(self._fresh(given), v.aval)
        scope.inputs = tuple(known[v] for v in (*jaxpr.invars, *jaxpr.constvars))
        tree = _Calls(scope)
        # A statement whose branches are computed both has no operation with a scope of its own.
        whole = {names[-1] for equation in jaxpr.eqns if (names := _named(equation)) and rules.held(equation)}
        for equation in jaxpr.eqns:
            frames, names = user_frames(equation), _named(equation)
            path = calls_between(frames, around, function) + [Call(staged_as(name) or name) for name in names]
            at = source_of(frames) or scope.source
            regions = _regions(equation)
            own = path.pop().name if names and names[-1] in whole and staged_as(names[-1]) else ""
            inside = tree.enter(path, at)
            operation = self._operation(equation, known, inside.path, at)
            inside.parts.append(self._statement(equation, operation, regions, inside, (frames, own)) if regions else operation)
        scope.outputs = tuple(_atom(v, known) for v in jaxpr.outvars)
        tree.finish(scope.outputs)
        return scope

    def _constant(self, v: Any) -> Value:
        return _value(self._fresh("constant"), v.aval)

    def _operation(self, equation: Any, known: dict[Any, Value], path: str, source: Source | None) -> Operation:
        kind = equation.primitive.name
        name = self._fresh(kind)
        made = []
        for k, v in enumerate(equation.outvars):
            made.append(_value(name if len(equation.outvars) == 1 else f"{name}:{k}", v.aval))
            known[v] = made[-1]
        taken = tuple(_atom(v, known) for v in equation.invars)
        held = {key for key, _ in rules.held(equation)}
        texts = {k: str(x)[:_LONGEST] for k, x in equation.params.items() if k not in held and _is_plain(x)}
        return Operation(name, kind, path, taken, tuple(made), source, texts)

    def _statement(
        self,
        equation: Any,
        operation: Operation,
        regions: list[tuple[str, str, Any]],
        parent: Scope,
        place: tuple[list[Any], str],
    ) -> Scope:
        """Returns the scope of an operation that has programs of its own; `place`: its frames, and the name it was staged under."""
        frames, named = place
        function, name = _called(equation, regions, operation.source, named)
        scope = _below(parent, name, operation.source)
        scope.operation = operation
        for word, parameter, jaxpr in regions:
            inside = scope if len(regions) == 1 else _below(scope, word, operation.source)
            scope.regions.append(inside)
            inside.given = tuple(rules.inputs(equation, parameter, jaxpr, operation.inputs))
            self._region(jaxpr, inside, _inputs(equation, inside.given, jaxpr), frames, function)
            if inside is not scope:
                scope.parts.append(inside)
        return scope


def _named(equation: Any) -> list[str]:
    """Returns the names that JAX was given for the scopes around an equation."""
    return [name for name in str(getattr(equation.source_info, "name_stack", "")).split("/") if name]


class _Calls:
    """Puts the equations of a region, as they come, into scopes by the calls that they stand in."""

    def __init__(self, root: Scope) -> None:
        self._root = root
        self._open: list[tuple[Call, Scope]] = []
        self._made: list[Scope] = []

    def enter(self, path: list[Call], at: Source | None) -> Scope:
        """Returns the scope of an operation that stands in these calls."""
        same = 0
        while same < min(len(path), len(self._open)) and path[same] == self._open[same][0]:
            same += 1
        del self._open[same:]
        for call in path[same:]:
            parent = self._open[-1][1] if self._open else self._root
            source = Source(str(call.place[0]), int(str(call.place[1])), "") if call.place else parent.source
            if at is not None and (line := call.name.rpartition("@")[2].rstrip(")")).isdigit():  # a statement of that function
                source = Source(at.filename, int(line), at.function)
            scope = _below(parent, call.name, source)
            parent.parts.append(scope)
            self._made.append(scope)
            self._open.append((call, scope))
        return self._open[-1][1] if self._open else self._root

    def finish(self, results: Sequence[Value]) -> None:
        """Notes what each of the calls takes from outside of it, and what others take from it."""
        if not self._made:
            return
        uses: Counter[str] = Counter(value.name for value in results)
        _count(self._root, uses)
        for scope in self._made:
            inside: Counter[str] = Counter()
            _count(scope, inside)
            made = {value.name: value for value in _made(scope)}
            taken = {value.name: value for value in _taken(scope) if value.name not in made}
            scope.inputs = tuple(taken.values())
            scope.outputs = tuple(value for name, value in made.items() if uses[name] > inside[name])


def _flat(scope: Scope) -> Iterator[Operation]:
    """Yields the operations of one jaxpr: those of calls too, but not those of regions."""
    for part in scope.parts:
        if isinstance(part, Operation):
            yield part
        elif part.operation is not None:
            yield part.operation
        else:
            yield from _flat(part)


def _taken(scope: Scope) -> Iterator[Value]:
    return (value for operation in _flat(scope) for value in operation.inputs if not value.is_literal)


def _made(scope: Scope) -> Iterator[Value]:
    return (value for operation in _flat(scope) for value in operation.outputs)


def _count(scope: Scope, uses: Counter[str]) -> None:
    uses.update(value.name for value in _taken(scope))


def _below(parent: Scope, name: str, source: Source | None) -> Scope:
    """Returns a new scope, whose name no other one in the parent has."""
    name, taken = name.replace("/", "."), {part.name for part in parent.parts if isinstance(part, Scope)}
    unique = next(candidate for candidate in _numbered(name) if candidate not in taken)
    return Scope(unique, f"{parent.path}/{unique}".lstrip("/"), source=source)


def _numbered(name: str) -> Iterator[str]:
    yield name
    number = 1
    while True:
        yield f"{name}_{number}"
        number += 1


def _called(
    equation: Any, regions: list[tuple[str, str, Any]], source: Source | None, named: str
) -> tuple[str, str]:
    """Returns the function that an operation calls, if it is a call, and the name of its scope."""
    kind = equation.primitive.name
    if kind in KEYWORDS:
        return "", named or statement_scope(kind, source)
    debug_info = getattr(regions[0][-1], "debug_info", None)
    name = str(equation.params.get("name") or getattr(debug_info, "func_name", None) or kind)
    return name, name


def _regions(equation: Any) -> list[tuple[str, str, Any]]:
    """Returns the programs in an operation, each with its name (`true` and `false`, `test` and `body`) and its parameter."""
    held = [(name, rules.jaxpr_of(region)) for name, region in rules.held(equation)]
    words = [{"cond_jaxpr": "test", "body_jaxpr": "body"}.get(name, name) for name, _ in held]
    if words == ["branches"] * 2:
        held, words = held[::-1], ["true", "false"]
    unique = [word if words.count(word) == 1 else f"{word}_{words[:k].count(word)}" for k, word in enumerate(words)]
    return [(word, *one) for word, one in zip(unique, held, strict=True)]


def _is_plain(value: Any) -> bool:
    """Whether a parameter that is no program is shown: numbers, strings, shapes, types; not functions."""
    items = value if isinstance(value, tuple | list) else (value,)
    return value is not None and not any(map(callable, items))


def _inputs(equation: Any, given: tuple[Value, ...], jaxpr: Any) -> list[str | Value]:
    """Names the inputs of a region: values around it that do not change keep their names."""
    if rules.is_straight(equation):
        return [name or "arg" for name in _input_names(jaxpr)]
    rule = rules.rule_of(equation)
    xs, ys = rule.scanned(equation)
    carried = 0 if rule.chooses else len(equation.outvars) - ys
    return [*given[: len(given) - carried - xs], *["carry"] * carried, *["item"] * xs]


def _input_names(jaxpr: Any) -> list[str]:
    """Returns the names of a function's arguments, or empty strings."""
    names = getattr(getattr(jaxpr, "debug_info", None), "arg_names", None) or ()
    return [*names] if len(names) == len(jaxpr.invars) else [""] * len(jaxpr.invars)


def _atom(v: Any, known: dict[Any, Value]) -> Value:
    return _value(str(np.asarray(v.val)), v.aval, True) if is_literal(v) else known[v]


def _value(name: str, aval: Any, is_literal: bool = False) -> Value:
    return Value(name, tuple(getattr(aval, "shape", ())), str(getattr(aval, "dtype", aval)), is_literal)
