"""Whole modules with both bodies in every function, as the import hook loads them.

`compile_module` makes the code of a module that can be kept on disk: objects of ours stand in it as marks. `loaded` puts the
objects in their places. Then a function of the module *is* its author's body, with the check at entry that
`autograph.conversion.original_body` describes: nothing was copied, so identity, closures, decorators, pickling and registries are
Python's own. The source of the module is read again when one of its functions is first staged.

>>> text = b"def sign(x):\\n    return 1 if x > 0 else -1\\n"
>>> kept = compile_module(text, "sign.py")
>>> code, parts = loaded(kept, lambda digest: Origin("sign.py", digest, lambda: text))
>>> exec(code, space := {})
>>> space["sign"](-3), parts.functions, parts.left
(-1, 1, ())
"""

from __future__ import annotations

import ast
import io
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from importlib.util import decode_source, source_hash
from types import CodeType
from typing import Any

from autograph.code import code_places, source
from autograph.code.linking import Constants, link
from autograph.code.module_names import known_globals
from autograph.code.names import Namespace
from autograph.code.registry import Role, register
from autograph.code.source import Source, SourceFile
from autograph.conversion.original_body import AuthorBody
from autograph.conversion.pipeline import Unit
from autograph.conversion.staged_tree import building_trees
from autograph.errors import AutoGraphError, SourceError
from autograph.options import DEFAULT


@dataclass(frozen=True)
class Left:
    """A function that stays as it is.

    Args:
        name: its qualified name.
        line: its first line.
        reason: why.
    """

    name: str
    line: int
    reason: str


@dataclass(frozen=True)
class Parts:
    """The functions of a module: how many there are, lambdas and nested ones included, and which stay as they are."""

    functions: int
    left: tuple[Left, ...]


class Origin:
    """The source that a module was compiled from.

    Args:
        filename: as code objects name it.
        digest: `source_hash` of the source.
        read: reads the source's bytes again.
    """

    def __init__(self, filename: str, digest: bytes, read: Callable[[], bytes]) -> None:
        self.filename = filename
        self.digest = digest
        self.read = read

    @cached_property
    def functions(self) -> list[Source]:
        """The places of the functions, in the order in which units are numbered.

        Raises:
            SourceError: when the source is gone, or is another one now.
        """
        try:
            data = self.read()
        except OSError as error:
            raise self._changed("cannot be read any more") from error
        if source_hash(data) != self.digest:
            raise self._changed("was edited after it was imported")
        module = module_source(data, self.filename)
        source.remember(module.file)
        return list(module.nested.values())

    def function(self, number: int) -> Source:
        """Returns the place of one function."""
        return self.functions[number]

    def _changed(self, what: str) -> SourceError:
        return SourceError(
            f"the file {what}",
            at=(self.filename, 1),
            why="the staged body of a function is made from its source when it is first traced",
            instead="import the module again (restart)",
            page="edited-after-the-import-hook",
        )


def module_source(data: bytes, filename: str) -> Source:
    """Returns a module as the place of all its functions."""
    text = decode_source(data)
    file = SourceFile(filename, list(io.StringIO(text)), text)
    code = code_places.quietly(compile, file.tree, filename, "exec", 0, True)
    tree: Any = file.tree
    return Source(tree, (), code, file, file.imports)


class _Marks(Constants):
    """Constants that stay marks in the code that is linked."""

    def value(self, constant: Any) -> Any:
        return constant


class _Pickler(pickle.Pickler):
    """Writes the objects that marks stand for; units by their numbers."""

    def __init__(self, file: io.BytesIO, numbers: dict[int, int]) -> None:
        super().__init__(file, protocol=5)
        self.numbers = numbers

    def persistent_id(self, value: Any) -> int | None:
        return self.numbers[id(value)] if type(value) is Unit else None


class _Unpickler(pickle.Unpickler):
    """Reads them again, with new units."""

    def __init__(self, file: io.BytesIO, origin: Origin) -> None:
        super().__init__(file)
        self.origin = origin

    def persistent_load(self, number: Any) -> Unit:
        return Unit(partial(self.origin.function, number), DEFAULT)


class _ModuleBody(AuthorBody):
    """Rewrites every function of a module; the module's own statements, and those of class bodies, stay."""

    def __init__(self, module: Source) -> None:
        super().__init__(Unit(module, DEFAULT), Namespace(known_globals(module.file.tree), {}, module))
        self.constants = _Marks()
        self.scope.in_class = True
        self._units = [Unit(place, DEFAULT) for place in module.nested.values()]
        self._by_node = {id(unit.source.node): unit for unit in self._units}

    def unit_of(self, source: Source) -> Unit:
        return self._by_node[id(source.node)]

    def code(self, finish_tree: Callable[[ast.Module], None]) -> CodeType:
        """Returns the code of the module, with marks; `finish_tree` may change the rewritten tree before."""
        module = self.unit.source
        tree: Any = module.node
        tree = ast.Module(self._statements(tree.body), tree.type_ignores)
        finish_tree(tree)
        return self._finished(code_places.quietly(compile, tree, module.filename, "exec", 0, True))

    def _finished(self, code: CodeType) -> CodeType:
        constants = tuple(self._finished(part) if isinstance(part, CodeType) else part for part in code.co_consts)
        if any(new is not old for new, old in zip(constants, code.co_consts, strict=True)):
            code = code.replace(co_consts=constants)
        return self.finish(code)

    def finish(self, code: CodeType, outer: Unit | None = None) -> CodeType:
        """Gives a lambda the form that can hold a `try`, as in `AuthorBody`; `outer` has it already."""
        if code.co_name == "<lambda>":
            for constant in code.co_consts:
                unit = self.constants.object(constant)
                if type(unit) is Unit and unit is not outer:
                    better = link(self.function(unit), unit.source, self.constants, partial(self.finish, outer=unit))
                    return better if better.co_freevars == code.co_freevars else code
        return code

    def parts(self) -> Parts:
        """Returns what was made of the functions."""
        lost = lost_lambdas(self.unit.source)
        return Parts(len(self._units) + len(lost), lost)

    def objects(self) -> bytes:
        """Pickles what the marks stand for; units by their numbers."""
        file = io.BytesIO()
        _Pickler(file, {id(unit): number for number, unit in enumerate(self._units)}).dump(self.constants.objects)
        return file.getvalue()


def lost_lambdas(module: Source) -> tuple[Left, ...]:
    """Returns the lambdas of a module whose nodes are not known."""
    why = "which lambda of its line it is cannot be told"
    found = {id(place.code) for place in module.nested.values()}
    table = code_places.by_place(code_places.scopes_below(module.node, ()))
    lambdas = [code for code in code_places.codes_in(module.code) if code.co_name == "<lambda>" and id(code) not in found]
    lost = [code for code in lambdas if code_places.matching(code, table) is None]
    return tuple(Left(code.co_qualname, code.co_firstlineno, why) for code in lost)


def compile_module(data: bytes, filename: str, finish_tree: Callable[[ast.Module], None] = lambda tree: None) -> CodeType:
    """Returns the code of a module whose functions have their author's bodies; `marshal` takes it.

    Args:
        data: the bytes of the file.
        filename: the name that code objects get.
        finish_tree: may change the rewritten tree in place before it is compiled.
    """
    with building_trees():
        module = module_source(data, filename)
        body = _ModuleBody(module)
        code = body.code(finish_tree)
        kept = body.objects(), body.parts()
    record = pickle.dumps((source_hash(data), *kept), protocol=5)
    return code.replace(co_consts=(*code.co_consts, record))


def loaded(kept: CodeType, origin: Callable[[bytes], Origin]) -> tuple[CodeType, Parts]:
    """Returns the code of a module as it runs, from what `compile_module` made.

    Args:
        kept: what `compile_module` made, perhaps in another process.
        origin: the source, given its hash.
    """
    digest, objects, parts = pickle.loads(kept.co_consts[-1])
    place = origin(digest)
    constants = Constants()
    constants.objects = _Unpickler(io.BytesIO(objects), place).load()
    return _with_objects(kept.replace(co_consts=kept.co_consts[:-1]), constants), parts


def _with_objects(code: CodeType, constants: Constants) -> CodeType:
    values = []
    unit = None
    same = True
    for constant in code.co_consts:
        value = _with_objects(constant, constants) if type(constant) is CodeType else constants.value(constant)
        same = same and value is constant
        if type(value) is Unit:
            unit = value
        values.append(value)
    if not same:
        code = code.replace(co_consts=tuple(values))
    if unit is not None:
        register(code, Role.AUTHOR, unit)
    return code


def compile_staged(data: bytes, filename: str) -> tuple[CodeType, Parts]:
    """Returns the code of a module whose functions have their staged bodies only, for proofs that those are exact.

    There is no check at entry and no frame of ours: staged bodies stand where the author's would.
    """
    module = module_source(data, filename)
    namespace = Namespace(known_globals(module.file.tree), {}, module)
    places = {id(place.code): place for place in module.nested.values()}
    left: list[Left] = []

    def replaced(code: CodeType) -> CodeType:
        place = places.get(id(code))
        if place is None:
            constants = tuple(replaced(part) if isinstance(part, CodeType) else part for part in code.co_consts)
            return code.replace(co_consts=constants)
        reason = ""
        try:
            new = Unit(place, DEFAULT).staged_code(Namespace(namespace.globals, {}, place))
        except AutoGraphError as error:
            reason = str(error)
        else:
            if new.co_freevars == code.co_freevars:
                return new
            reason = f"its staged body closes over {new.co_freevars} and not over {code.co_freevars}"
        for inside in (code, *(part for part in code_places.codes_in(code) if id(part) in places)):
            left.append(Left(inside.co_qualname, inside.co_firstlineno, reason))
        return code

    code = replaced(module.code)
    lost = lost_lambdas(module)
    return code, Parts(len(places) + len(lost), (*left, *lost))
