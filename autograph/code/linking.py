"""An edited syntax tree becomes a code object and then a function, at the author's file, lines, columns and names.

The tree is compiled inside the real chain of enclosing definitions, so that qualified names, mangling of `__x`,
`super()` and references of a function to itself come from the compiler. Objects of this library reach the code as
*constants*: not as globals or cells, which users, debuggers and `locals()` would see.

>>> from autograph.code import source
>>> def f(x):
...     return x + 1
>>> found = source.find(f)
>>> tree = ast.parse("def f(x):\\n    return ag__.double(x) + 1").body[0]
>>> class Runtime:
...     double = staticmethod(lambda x: x * 2)
>>> g = make_function(link(tree, found, {"ag__": Runtime}), f)
>>> g(10), g.__code__.co_names, g.__qualname__ == f.__qualname__
(21, ('double',), True)
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import CellType, CodeType, FunctionType
from typing import Any

from autograph.code.code_places import CO_ITERABLE_COROUTINE, FUTURE_FLAGS, Scope, quietly
from autograph.code.source import Source
from autograph.code.trees import changed, rebuild
from autograph.errors import ConversionError

# Stands for an object until the code exists: a constant that no program contains and that is never folded away.
_MARK = "\0autograph constant "
_PLACE: dict[str, Any] = {"lineno": 1, "col_offset": 0, "end_lineno": 1, "end_col_offset": 0}
_UNNAMED = ast.Lambda(
    args=ast.arguments(posonlyargs=[], args=[], vararg=None, kwonlyargs=[], kw_defaults=[], kwarg=None, defaults=[]),
    body=ast.Constant(None),
)
_CO_VARARGS, _CO_VARKEYWORDS, _CO_NESTED = 0x4, 0x8, 0x10
_OUTSIDE_FLAGS = _CO_NESTED | CO_ITERABLE_COROUTINE  # not to be seen in the function's own source


class Constants:
    """Objects on their way into a code object: `expression` is what stands for one in the tree."""

    def __init__(self) -> None:
        self.objects: list[Any] = []
        self._numbers: dict[int, int] = {}

    def expression(self, value: Any, at: ast.AST) -> ast.expr:
        """Returns an expression that will be the constant `value`, at the position of a node."""
        return ast.copy_location(ast.Constant(self.mark(value)), at)

    def mark(self, value: Any) -> str:
        """Returns the constant that stands for `value` in the tree."""
        number = self._numbers.get(id(value))
        if number is None:
            number = self._numbers[id(value)] = len(self.objects)
            self.objects.append(value)
        return f"{_MARK}{number}"

    def object(self, constant: Any) -> Any:
        """Returns the object that a constant of compiled code stands for; any other constant itself."""
        if isinstance(constant, str) and constant.startswith(_MARK):
            return self.objects[int(constant[len(_MARK) :])]
        return constant

    def value(self, constant: Any) -> Any:
        """Returns what takes the place of a constant in the finished code."""
        return self.object(constant)


def link(
    tree: Any,
    source: Source,
    constants: Constants | Mapping[str, Any],
    finish: Callable[[CodeType], CodeType] = lambda code: code,
) -> CodeType:
    """Compiles an edited function node where the original stands.

    Args:
        tree: the edited `FunctionDef`, `AsyncFunctionDef` or `Lambda`; every node in it has a position in the user's
            file. It is not changed. A lambda may have become a `def` with the name `<lambda>`.
        source: the original.
        constants: what the tree's marks stand for; or objects for names, each load of which becomes a constant.
        finish: gets each finished code object, nested ones first, and returns what takes its place.
    Returns:
        the code object, whose free variables are among the original's.
    Raises:
        ConversionError: when the tree uses a name of an enclosing function that the original does not close over.
    """
    if not isinstance(constants, Constants):
        named, constants = constants, Constants()
        tree = _marked(tree, named, constants)
    made: frozenset[str] = getattr(tree, "made", frozenset())
    module, depth = _skeleton(_without_outside(tree, source), source)
    code = quietly(compile, module, source.filename, "exec", source.code.co_flags & FUTURE_FLAGS, True)
    for _ in range(depth):  # each scope of the skeleton holds one code object
        (code,) = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    extra = set(code.co_freevars) - set(source.code.co_freevars)
    if extra:
        raise ConversionError(f"`{source.code.co_qualname}` does not close over {sorted(extra)[0]!r}", at=source.code)
    code = code.replace(co_flags=code.co_flags & ~_OUTSIDE_FLAGS | source.code.co_flags & _OUTSIDE_FLAGS)
    return _finished(code, _Names(code.co_qualname, source.code.co_qualname, made), constants, finish)


def make_function(code: CodeType, fn: FunctionType) -> FunctionType:
    """Returns a function that runs `code` over the globals, cells, defaults and metadata of `fn`."""
    new = FunctionType(code, fn.__globals__, fn.__name__, fn.__defaults__, closure_for(code, fn))
    if fn.__kwdefaults__ is not None:
        new.__kwdefaults__ = fn.__kwdefaults__
    new.__qualname__ = fn.__qualname__
    new.__doc__ = fn.__doc__
    new.__module__ = fn.__module__
    annotate = getattr(
        fn, "__annotate__", None
    )  # since Python 3.14: evaluated when they are read, names may be unknown
    if annotate is None:
        new.__annotations__ = fn.__annotations__
    else:
        new.__annotate__ = annotate  # type: ignore[attr-defined]  # since Python 3.14
    if fn.__dict__:
        new.__dict__.update(fn.__dict__)
    if parameters := getattr(fn, "__type_params__", None):
        new.__type_params__ = parameters  # type: ignore[attr-defined]
    return new


def closure_for(code: CodeType, fn: FunctionType) -> tuple[CellType, ...] | None:
    """Returns the cells of `fn` for the free variables of `code`: the very cells, so that writes are shared."""
    if not code.co_freevars:
        return None
    if code.co_freevars == fn.__code__.co_freevars:
        return fn.__closure__
    cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))
    return tuple(cells[name] for name in code.co_freevars)


def parameters(code: CodeType) -> tuple[str, ...]:
    """Returns the names of all parameters in the order of `co_varnames`: keyword-only ones before `*args` and `**kwargs`."""
    flags = code.co_flags
    count = code.co_argcount + code.co_kwonlyargcount + bool(flags & _CO_VARARGS) + bool(flags & _CO_VARKEYWORDS)
    return code.co_varnames[:count]


def by_position(code: CodeType) -> CodeType:
    """Returns a view of `code` that takes every parameter by position, in the order of `parameters`."""
    return code.replace(
        co_argcount=len(parameters(code)),
        co_posonlyargcount=0,
        co_kwonlyargcount=0,
        co_flags=code.co_flags & ~(_CO_VARARGS | _CO_VARKEYWORDS),
    )


def _marked(tree: Any, named: Mapping[str, Any], constants: Constants) -> Any:
    def visit(node: Any) -> Any:
        if type(node) is ast.Name:
            if node.id in named and type(node.ctx) is ast.Load:
                return constants.expression(named[node.id], node)
            return node
        return rebuild(node, visit)

    return visit(tree)


def _without_outside(tree: Any, source: Source) -> Any:
    """Drops what is evaluated outside the function: decorators, defaults, annotations.

    A proxy at the first decorator's position keeps the first line, from which every line is counted.
    """
    given = tree.args
    bare = lambda arg: arg and changed(arg, annotation=None)  # noqa: E731
    arguments = changed(
        given,
        posonlyargs=[bare(arg) for arg in given.posonlyargs],
        args=[bare(arg) for arg in given.args],
        kwonlyargs=[bare(arg) for arg in given.kwonlyargs],
        vararg=bare(given.vararg),
        kwarg=bare(given.kwarg),
        defaults=[],
        kw_defaults=[None] * len(given.kwonlyargs),
    )
    if isinstance(tree, ast.Lambda):
        return changed(tree, args=arguments)
    original: Any = source.node
    decorators = [] if isinstance(original, ast.Lambda) else original.decorator_list[:1]
    stand_in = [ast.copy_location(ast.Constant(None), decorator) for decorator in decorators]
    tree = changed(tree, args=arguments, returns=None, decorator_list=stand_in)
    tree.type_params = []  # as far as the function uses them, they are among its free variables
    return tree


def _skeleton(tree: Any, source: Source) -> tuple[ast.Module, int]:
    """Returns a module in which `tree` stands inside scopes of the original kinds and names, and how deep.

    The outermost function binds every free variable of the original; which function did so does not matter, since
    cells are found by name.
    """
    free = [name for name in source.code.co_freevars if name != "__class__"]
    chain: list[Scope] = list(source.chain)
    if free and all(isinstance(scope, ast.ClassDef) for scope in chain):
        chain.insert(0, _UNNAMED)  # type parameters of a class or of the function: a scope without a node
    outermost = next((i for i, scope in enumerate(chain) if not isinstance(scope, ast.ClassDef)), -1)
    inside: ast.stmt = ast.Expr(tree, **_PLACE) if isinstance(tree, ast.Lambda) else tree
    for index in range(len(chain) - 1, -1, -1):
        inside = _scope(chain[index], inside, free if index == outermost else [])
    # The compiler makes a plain call, not a method call, of `np.sin(x)` where it has seen the import.
    names = [ast.alias(name="x", asname=name, **_PLACE) for name in sorted(source.imports)]
    imports: list[ast.stmt] = [ast.Import(names, **_PLACE)] if names else []
    return ast.Module([*imports, inside], []), len(chain) + 1


def _scope(scope: Scope, inside: ast.stmt, names: list[str]) -> ast.stmt:
    node: Any
    if isinstance(scope, ast.ClassDef):
        node = ast.ClassDef(name=scope.name, bases=[], keywords=[], body=[inside], decorator_list=[], **_PLACE)
    else:
        args = [ast.arg(arg=name, annotation=None, **_PLACE) for name in names]
        arguments = ast.arguments(
            posonlyargs=[], args=args, vararg=None, kwonlyargs=[], kw_defaults=[], kwarg=None, defaults=[]
        )
        # `await` in a lambda or comprehension compiles only inside an asynchronous function
        kind: Any = ast.AsyncFunctionDef if isinstance(scope, ast.AsyncFunctionDef) else ast.FunctionDef
        node = kind(name=_name(scope), args=arguments, body=[inside], decorator_list=[], returns=None, **_PLACE)
    node.type_params = []
    return node


def _name(scope: Scope) -> str:
    if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
        return scope.name
    kinds: dict[type, str] = {ast.ListComp: "<listcomp>", ast.SetComp: "<setcomp>", ast.DictComp: "<dictcomp>"}
    return "<lambda>" if isinstance(scope, ast.Lambda) else kinds.get(type(scope), "<genexpr>")


@dataclass(frozen=True)
class _Names:
    """What code objects are called: as in the author's source, where the branches and bodies of statements are no functions.

    Args:
        compiled: the function's qualified name in the skeleton.
        original: that of the original.
        made: the names of the functions that converters made of statements. No function of the author's has one of these.
    """

    compiled: str
    original: str
    made: frozenset[str]

    def qualified(self, name: str) -> str:
        """Returns the qualified name of the author's function, or of the one whose statement became this function."""
        if name != self.compiled and not name.startswith(self.compiled + "."):
            return name
        inside = name[len(self.compiled) :].split(_LOCALS)
        return self.original + _LOCALS.join([part for part in inside if part not in self.made])


_LOCALS = ".<locals>."


def _finished(code: CodeType, names: _Names, constants: Constants, finish: Callable[[CodeType], CodeType]) -> CodeType:
    """Replaces the marks by their objects, and the skeleton's names and ours by the author's."""
    values = [
        _finished(value, names, constants, finish) if isinstance(value, CodeType) else constants.value(value)
        for value in code.co_consts
    ]
    old, new = code.co_qualname, names.qualified(code.co_qualname)
    if old != new and "__qualname__" in code.co_names:  # the body of a class stores it
        values = [new if type(value) is str and value == old else value for value in values]
    name = new.rpartition(".")[2] if code.co_name in names.made else code.co_name
    return finish(code.replace(co_consts=tuple(values), co_name=name, co_qualname=new))
