"""The author's body: the function as it was written, with a check at entry for a trace in progress.

    def f(x, *rest, scale=1):
        '''Doc.'''
        if <trace state>.value is not <eager>:                                 # constants of the code object
            try:
                return <unit>.enter(lambda: (free, variables), x, scale, rest)
            except:
                <unit>.left()                                                  # drops this frame from the traceback
                raise
        ...                                                                    # what the author wrote

Nested functions, lambdas and methods get the same. Without a trace nothing else runs than what Python compiled: same
frames, locals, cells, recursion depth; the check costs 20 to 30 ns. Rewritten are only element assignment
(`element_assignment`) and calls that lead to functions which need rewriting (`eager_calls`).

The check stands at the position of the first statement, so that debuggers and coverage see no new line. Generators and
coroutines decide when they are first resumed. Where Python has no `yield from`, in asynchronous generators, the check goes on to

    .relay = <unit>.relay(lambda: (free, variables), x)                        # `autograph.conversion.async_delegation`
    while await .relay.advance():
        try:
            .relay.sent = yield .relay.item
        except:
            .relay.throws()
    return

There `except:` takes `GeneratorExit` and `KeyboardInterrupt` too: whatever is thrown into a generator belongs to its staged body.
"""

from __future__ import annotations

import ast
import copyreg
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import CodeType
from typing import Any

from autograph import jax_internals
from autograph.code.code_places import COMPREHENSIONS, FunctionNode
from autograph.code.linking import Constants, link, parameters
from autograph.code.names import Namespace
from autograph.code.registry import Role, register
from autograph.code.source import Source
from autograph.code.trees import at, changed, first_evaluated, mangled, names_stored, rebuild
from autograph.conversion import eager_calls, element_assignment
from autograph.conversion.pipeline import Unit
from autograph.jax_internals import EAGER, TRACE_STATE
from autograph.options import ALWAYS_STAGE
from autograph.runtime.library import debuggers

_CO_GENERATOR, _CO_COROUTINE, _CO_ASYNC_GENERATOR = 0x20, 0x80, 0x200
_RELAY = ".relay"  # no name that anybody can write


class _Always:
    """Stands for the trace state when the staged body shall always run."""

    value = None


def _named(name: str) -> Any:
    return getattr(jax_internals, name)


def _reduced(value: Any) -> Any:
    """Pickles JAX's trace state by name, since it stands among the constants of author's code."""
    if value is EAGER or value is TRACE_STATE:
        return _named, ("EAGER" if value is EAGER else "TRACE_STATE",)
    raise TypeError(f"cannot pickle {type(value).__name__!r} object")


for _kind in (type(EAGER), type(TRACE_STATE)):
    copyreg.pickle(_kind, _reduced)

_STATE: Any = _Always() if ALWAYS_STAGE else TRACE_STATE


def build(unit: Unit, namespace: Namespace) -> CodeType:
    """Returns the author's code of a function: its free variables are the original's."""
    debuggers.prepare()  # one that waits for a line of the function is to stop in the staged body
    body = AuthorBody(unit, namespace)
    code = link(body.function(unit), unit.source, body.constants, body.finish)
    register(code, Role.AUTHOR, unit)  # also where nothing needed a prologue
    return code


@dataclass
class FunctionScope:
    """The function whose statements are being rewritten.

    Args:
        source: where it stands.
        namespace: what its names mean at conversion time.
        in_class: whether the statements are those of a class body inside it.
        hidden: names bound by the comprehensions around the expression at hand.
        declared: names that it rebinds now and did not before, with the word that declares them.
        native: names that can only hold lists, dicts and sets of its own making.
    """

    source: Source
    namespace: Namespace
    in_class: bool = False
    hidden: tuple[frozenset[str], ...] = ()
    declared: dict[str, str] = field(default_factory=dict)
    native: frozenset[str] = frozenset()

    def rebinds(self, name: str) -> None:
        """Notes that the function assigns to a name, which keeps the scope it has."""
        code = self.source.code
        real = mangled(name, self.source.class_name)
        if real in code.co_freevars:
            self.declared[name] = "nonlocal"
        elif real not in code.co_varnames and real not in code.co_cellvars:
            self.declared[name] = "global"

    def is_fast(self, name: str) -> bool:
        """Whether a name is a variable that no other function sees."""
        return mangled(name, self.source.class_name) in self.source.code.co_varnames

    def resolve(self, dotted: str) -> Any:
        """Returns what a dotted name means, or `MISSING`."""
        first = dotted.partition(".")[0]
        if self.in_class or any(first in names for names in self.hidden):
            return self.namespace.resolve("")
        return self.namespace.resolve(dotted)


class AuthorBody:
    """Rewrites one function and everything in it.

    Args:
        unit: the function's unit.
        namespace: what names mean at conversion time.
    """

    def __init__(self, unit: Unit, namespace: Namespace) -> None:
        self.constants = Constants()
        self.unit = unit
        self.namespace = namespace
        self.sources: dict[FunctionNode, Source] = unit.source.nested
        self.scope = FunctionScope(unit.source, namespace)

    def function(self, unit: Unit) -> Any:
        """Returns the rewritten node of a function; a lambda becomes a `def` of that name, which can hold a `try`."""
        node: Any = unit.source.node
        if isinstance(node, ast.Lambda):
            place = node.body if sys.version_info >= (3, 13) else node  # where the compiler sees a lambda return
            body: list[Any] = [at(place, ast.Return(node.body))]
            node = at(node, ast.FunctionDef("<lambda>", node.args, body, [], None, None))
        return changed(node, body=self._body(node.body, unit.source, unit))

    def finish(self, code: CodeType) -> CodeType:
        """Registers a finished code object that has a prologue; a nested lambda gets the form that can hold a `try`."""
        for constant in code.co_consts:
            if type(constant) is Unit:
                if code.co_name == "<lambda>" and constant is not self.unit:
                    namespace = Namespace(self.namespace.globals, self.namespace.cells, constant.source)
                    better = build(constant, namespace)
                    if better.co_freevars == code.co_freevars:
                        return better
                register(code, Role.AUTHOR, constant)
                break
        return code

    def unit_of(self, source: Source) -> Unit:
        """Returns the unit of a function inside this one."""
        return Unit(source, replace(self.unit.options, bounds=()))

    # --- the walk ---

    def visit(self, node: Any) -> Any:
        """Returns the rewritten node, or a list of statements for one."""
        kind = type(node)
        handler = _HANDLERS.get(kind)
        return rebuild(node, self.visit) if handler is None else handler(self, node)

    def _definition(self, node: Any) -> Any:
        source = self.sources.get(node)
        outside = {
            "args": rebuild(node.args, self.visit),
            "decorator_list": [self.visit(decorator) for decorator in node.decorator_list],
            "returns": node.returns and self.visit(node.returns),
        }
        if source is None or eager_calls.has_mark(node, self.scope):  # dead code; `@ag.do_not_convert`
            return changed(node, **outside)
        return changed(node, **outside, body=self._body(node.body, source, self.unit_of(source)))

    def _lambda(self, node: ast.Lambda) -> Any:
        source = self.sources.get(node)
        arguments = rebuild(node.args, self.visit)
        if source is None:
            return changed(node, args=arguments)
        unit = self.unit_of(source)
        with self._within(source):
            body = self.visit(node.body)
        entry = at(node.body, ast.IfExp(self._test(node.body, ast.Is()), body, self._entry(node.body, source, unit)))
        return changed(node, args=arguments, body=entry)

    def _class(self, node: ast.ClassDef) -> Any:
        outside = self.scope
        new = changed(
            node,
            decorator_list=[self.visit(decorator) for decorator in node.decorator_list],
            bases=[self.visit(base) for base in node.bases],
            keywords=[self.visit(keyword) for keyword in node.keywords],
        )
        self.scope = FunctionScope(outside.source, outside.namespace, in_class=True)
        try:
            return changed(new, body=self._statements(node.body))
        finally:
            self.scope = outside

    def _comprehension(self, node: Any) -> Any:
        hidden = self.scope.hidden
        names = frozenset(name for generator in node.generators for name in names_stored(generator.target))
        self.scope.hidden = (*hidden, names)
        try:
            return rebuild(node, self.visit)
        finally:
            self.scope.hidden = hidden

    def _store(self, node: Any) -> Any:
        node = rebuild(node, self.visit)
        return node if self.scope.in_class else element_assignment.rewrite_statement(node, self.scope, self.constants)

    def _call(self, node: ast.Call) -> Any:
        node = rebuild(node, self.visit)
        return eager_calls.rewrite_call(node, self.scope, self.constants) if self.unit.options.recursive else node

    def _statements(self, statements: list[Any]) -> list[Any]:
        new: list[Any] = []
        for statement in statements:
            result = self.visit(statement)
            new.extend(result if type(result) is list else [result])
        return new

    @contextmanager
    def _within(self, source: Source) -> Iterator[FunctionScope]:
        """Enters a nested function, whose statements are rewritten while it lasts."""
        namespace = Namespace(self.namespace.globals, self.namespace.cells, source)
        outer, self.scope = self.scope, FunctionScope(source, namespace, native=element_assignment.native_names(source))
        try:
            yield self.scope
        finally:
            self.scope = outer

    # --- the prologue ---

    def _body(self, statements: list[Any], source: Source, unit: Unit) -> list[Any]:
        with self._within(source) as scope:
            new = self._statements(statements)
        first = int(not isinstance(source.node, ast.Lambda) and ast.get_docstring(source.node, clean=False) is not None)
        if all(type(s) is ast.Pass for s in new[first:]) and not unit.options.bounds:
            return new
        place = first_evaluated(statements[first:] or statements)
        if source.code.co_flags & _CO_ASYNC_GENERATOR:
            entry = self._relayed(place, source, unit)
        else:
            entry = [at(place, ast.Return(self._entry(place, source, unit)))]
        left = at(place, ast.Expr(self._method(place, unit, "left", [])))
        handler = at(place, ast.ExceptHandler(None, None, [left, at(place, ast.Raise(None, None))]))
        guarded = at(place, ast.Try(entry, [handler], [], []))
        always = unit.options.bounds  # the staged body checks them, also of plain numbers
        prologue = at(place, ast.If(self._test(place, ast.IsNot(), always), [guarded], []))
        words: dict[str, Any] = {"global": ast.Global, "nonlocal": ast.Nonlocal}
        declared = [at(place, words[word]([name])) for name, word in sorted(scope.declared.items())]
        return [*new[:first], *declared, prologue, *new[first:]]

    def _test(self, place: Any, operator: ast.cmpop, always: Any = False) -> ast.expr:
        where = _Always() if always else _STATE
        state = at(place, ast.Attribute(self.constants.expression(where, place), "value", ast.Load()))
        return at(place, ast.Compare(state, [operator], [self.constants.expression(EAGER, place)]))

    def _entry(self, place: Any, source: Source, unit: Unit) -> ast.expr:
        """`unit.enter(lambda: (free, variables), a, b, ...)`, delegated to where the function is a generator."""
        call = self._method(place, unit, "enter", self._arguments(place, source))
        if source.code.co_flags & _CO_GENERATOR:
            return at(place, ast.YieldFrom(call))
        return at(place, ast.Await(call)) if source.code.co_flags & _CO_COROUTINE else call

    def _relayed(self, place: Any, source: Source, unit: Unit) -> list[Any]:
        """Returns the statements by which an asynchronous generator delegates to another one."""

        def relay(context: ast.expr_context) -> ast.expr:
            return at(place, ast.Name(_RELAY, context))

        def part(name: str, context: ast.expr_context) -> ast.expr:
            return at(place, ast.Attribute(relay(ast.Load()), name, context))

        def call(name: str) -> ast.expr:
            return at(place, ast.Call(part(name, ast.Load()), [], []))

        made = self._method(place, unit, "relay", self._arguments(place, source))
        item = at(place, ast.Yield(part("item", ast.Load())))
        passed_on = at(place, ast.Assign([part("sent", ast.Store())], item))
        thrown = at(place, ast.ExceptHandler(None, None, [at(place, ast.Expr(call("throws")))]))
        iteration = at(place, ast.Try([passed_on], [thrown], [], []))
        return [
            at(place, ast.Assign([relay(ast.Store())], made)),
            at(place, ast.While(at(place, ast.Await(call("advance"))), [iteration], [])),
            at(place, ast.Return(None)),
        ]

    def _arguments(self, place: Any, source: Source) -> list[ast.expr]:
        """`lambda: (free, variables), a, b, ...`."""
        names = [at(place, ast.Name(name, ast.Load())) for name in source.code.co_freevars]
        held = at(place, ast.Tuple(names, ast.Load()) if names else ast.Constant(None))
        nothing = ast.arguments([], [], None, [], [], None, [])
        cells = at(place, ast.Lambda(nothing, held))
        given = [at(place, ast.Name(name, ast.Load())) for name in parameters(source.code)]
        return [cells, *given]

    def _method(self, place: Any, unit: Unit, name: str, arguments: list[Any]) -> ast.expr:
        method = at(place, ast.Attribute(self.constants.expression(unit, place), name, ast.Load()))
        return at(place, ast.Call(method, arguments, []))


_HANDLERS: dict[type, Any] = {
    ast.FunctionDef: AuthorBody._definition,
    ast.AsyncFunctionDef: AuthorBody._definition,
    ast.Lambda: AuthorBody._lambda,
    ast.ClassDef: AuthorBody._class,
    ast.Call: AuthorBody._call,
    **dict.fromkeys(COMPREHENSIONS, AuthorBody._comprehension),
    **dict.fromkeys(element_assignment.STATEMENTS, AuthorBody._store),
}
