"""`install_import_hook`: every function of a package is converted when the package is imported.

A finder stands before all others in `sys.meta_path`. It lets those find a module, and gives what they found a loader that
differs from theirs in one thing: the module's code (`autograph.modules.compiled_modules`). So zipped packages, namespace
packages, `python -m`, `importlib.resources` and reloading work as they do without the hook. What was compiled is kept
beside Python's own files, `__pycache__/name.cpython-311.autograph-<tag>.pyc`, by Python's own rules; the tag changes
with this library.

| the module comes from | its functions |
| --- | --- |
| a .py file, also in an archive | are converted |
| pytest's assertion rewriting | are converted, and `assert` in them is rewritten |
| an extension, a .pyc without source, Python itself (`<frozen os>`) | have no source: the report says so |
| a loader that rewrites modules in its own way | stay as they are: the report says so |
"""

from __future__ import annotations

import ast
import copy
import dataclasses
import functools
import hashlib
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType, ModuleType, TracebackType
from typing import Any, TypeVar
from zipimport import zipimporter

from autograph._version import __version__
from autograph.code import library
from autograph.code.code_places import quietly
from autograph.errors import PACKAGE_DIRECTORIES, AutoGraphWarning, boundary
from autograph.modules import compiled_modules
from autograph.modules.conversion_report import ConversionReport, ModuleReport
from autograph.modules.loaded_modules import exchange
from autograph.options import ALWAYS_STAGE
from autograph.verbosity import tell

T = TypeVar("T")
_OURS = frozenset({"autograph", "jax", "jaxlib", "numpy", "gast"})


@boundary
def install_import_hook(*packages: str | Iterable[str]) -> ImportHook:
    """Converts every function of some packages when they are imported: as if `ag.convert` stood on each of them.

    Functions, methods, lambdas, nested functions, generators. While nothing is traced they are the functions that they
    are without the hook; their control flow works on traced values. Those of modules that are imported already are
    converted at once. Also for `with`:

    >>> import autograph as ag
    >>> with ag.install_import_hook("this_package", "that_package.module") as hook:
    ...     pass  # import this_package
    >>> print(hook.report)
    0 of 0 functions converted in 0 modules

    Args:
        packages: names of packages or modules; all that is below them goes along.
    Returns:
        the hook, with `uninstall()` and a `report`. Modules that were imported stay converted when it is uninstalled.
    Raises:
        ValueError: for a package that this library itself runs on.
    Warns:
        AutoGraphWarning: something in a module stays as it is.
    """
    return ImportHook([name for given in packages for name in ([given] if isinstance(given, str) else given)])


class ImportHook(MetaPathFinder):
    """What `install_import_hook` returns: installed, until `uninstall()` or the end of a `with` statement.

    Args:
        packages: names of packages or modules.
        quiet: leave what stays as it is to the report, without warnings.
    """

    def __init__(self, packages: Sequence[str], *, quiet: bool = False) -> None:
        for name in packages:
            if name.partition(".")[0] in _OURS:
                raise ValueError(f"`{name}` cannot be converted: this library runs on it")
        self.packages = tuple(packages)
        self.quiet = quiet
        self.report = ConversionReport()
        for name, module in list(sys.modules.items()):
            if self.matches(name) and _is_imported(module):
                self.convert_loaded(name, module)
        sys.meta_path.insert(0, self)

    def convert_loaded(self, name: str, module: Any) -> None:
        """Converts the functions of a module that is imported already."""
        spec = copy.copy(module.__spec__)
        self.convert(spec)
        if not isinstance(spec.loader, _FromFile):
            if name not in self.report.modules:
                self._add(ModuleReport(name, spec.origin, problem="was imported before the hook"))
            return
        converted = spec.loader.get_code(name)
        with open(spec.origin, "rb") as file:
            plain = quietly(compile, file.read(), spec.origin, "exec", 0, True)
        made = self.report.modules[name]
        if converted is not None and not made.problem:
            why = "it was imported before the hook, and its code cannot be told, or is not that of the file"
            stay = sorted((fn.__code__.co_firstlineno, fn.__qualname__) for fn in exchange(module, plain, converted))
            self._add(dataclasses.replace(made, left=(*made.left, *(compiled_modules.Left(who, line, why) for line, who in stay))))

    def uninstall(self) -> None:
        """Stops the conversion of modules that are imported from now on."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def __enter__(self) -> ImportHook:
        return self

    def __exit__(self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None) -> None:
        self.uninstall()

    def matches(self, name: str) -> bool:
        """Whether a module is one of the packages, or below one."""
        return any(name == package or name.startswith(f"{package}.") for package in self.packages)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Returns what the other finders find, with a loader that converts."""
        if not self.matches(fullname):
            return None
        for finder in sys.meta_path:
            if not isinstance(finder, ImportHook) and hasattr(finder, "find_spec"):
                spec = finder.find_spec(fullname, path, target)
                if spec is not None:
                    self.convert(spec)
                    return spec
        return None

    def convert(self, spec: ModuleSpec) -> None:
        """Gives a module that is about to be loaded a loader that converts."""
        loader: Any = spec.loader
        kind = _converting(type(loader))
        if kind is not None:
            loader = copy.copy(loader)
            loader.__class__ = kind
            loader.autograph_hook = self
            spec.loader = loader
        elif loader is not None:  # no namespace
            who = loader if isinstance(loader, type) else type(loader)
            what = f"is loaded by {who.__qualname__}, which has no source or rewrites it"
            self._add(ModuleReport(spec.name, spec.origin, problem=what))

    def loaded(self, name: str, filename: str, parts: compiled_modules.Parts) -> None:
        """Notes what was made of a module."""
        self._add(ModuleReport(name, filename, parts.functions, parts.left))

    def failed(self, name: str, filename: str, error: Exception) -> None:
        """Notes that a module stays as it is."""
        self._add(ModuleReport(name, filename, problem=f"could not be converted: {type(error).__name__}: {error}"))

    def _add(self, module: ModuleReport) -> None:
        self.report.add(module)
        tell(1, "%s", module)
        if module.stays and not self.quiet:
            warnings.warn(str(module), AutoGraphWarning, stacklevel=2)


def _is_imported(module: Any) -> bool:
    """Whether a module was imported without a hook; not one that is being imported, since it may convert its own parts."""
    spec = library.names_of(module).get("__spec__")
    if not isinstance(spec, ModuleSpec) or getattr(spec, "_initializing", False):
        return False
    return not isinstance(spec.loader, _Converting)


# --- loaders ---


def _converting(kind: type) -> type | None:
    """Returns the class of loaders that do what `kind` does, and convert; None where nothing is known of `kind`."""
    if kind not in _KINDS:
        base: type | None = None
        if issubclass(kind, SourceFileLoader) and kind.source_to_code is SourceFileLoader.source_to_code:
            base = _FromFile
        elif issubclass(kind, zipimporter):
            base = _FromArchive
        elif kind.__module__ == "_pytest.assertion.rewrite":
            base = _Asserting
        _KINDS[kind] = base and type(kind.__name__, (base, kind), {"__module__": kind.__module__})
    return _KINDS[kind]


_KINDS: dict[type, type | None] = {}


class _Converting:
    """What the loaders share."""

    autograph_hook: ImportHook

    def _code(self, name: str, filename: str, read: Callable[[], bytes], make: Callable[[], CodeType]) -> CodeType:
        """Returns the code of a module.

        Args:
            name: of the module.
            filename: of its source.
            read: gives the source.
            make: gives the code with marks.
        """
        hook = self.autograph_hook
        library.claim(filename)
        try:
            if ALWAYS_STAGE:
                code, parts = _attempted(data := read(), filename, lambda: compiled_modules.compile_staged(data, filename))
            else:
                code, parts = compiled_modules.loaded(make(), lambda digest: compiled_modules.Origin(filename, digest, read))
        except _Unconverted as error:
            hook.failed(name, filename, error.reason)
            return error.plain
        hook.loaded(name, filename, parts)
        return code


class _Unconverted(Exception):
    """A module cannot be converted: its plain code, and why."""

    def __init__(self, plain: CodeType, reason: Exception) -> None:
        self.plain = plain
        self.reason = reason


def _attempted(data: bytes, filename: str, convert: Callable[[], T]) -> T:
    plain = compile(data, filename, "exec", 0, True)  # for its warnings and its errors
    try:
        return convert()
    except Exception as error:
        raise _Unconverted(plain, error) from error


def _compiled(data: bytes, filename: str, finish_tree: Callable[[ast.Module], None] = lambda tree: None) -> CodeType:
    return _attempted(data, filename, lambda: compiled_modules.compile_module(data, filename, finish_tree))


class _FromFile(_Converting):
    """Of `SourceFileLoader`: its own `get_code` compiles and keeps, but under another name."""

    def get_code(self, fullname: str) -> CodeType | None:
        loader: Any = super()
        filename = loader.get_filename(fullname)
        return self._code(fullname, filename, lambda: loader.get_data(filename), lambda: loader.get_code(fullname))

    def source_to_code(self, data: bytes, path: str, *, _optimization: int = -1) -> CodeType:
        return _compiled(data, path)

    def get_data(self, path: str) -> bytes:
        loader: Any = super()
        return loader.get_data(_kept_under(path))

    def set_data(self, path: str, data: bytes, *, _mode: int = 0o666) -> None:
        loader: Any = super()
        loader.set_data(_kept_under(path), data, _mode=_mode)


def _kept_under(path: str) -> str:
    stem, end = os.path.splitext(path)
    return f"{stem}.autograph-{_tag()}{end}" if end == ".pyc" else path


@functools.cache
def _tag() -> str:
    """Returns a tag that changes with every file of this library: what another version compiled is not read."""
    digest = hashlib.blake2b(__version__.encode(), digest_size=6)
    for folder in PACKAGE_DIRECTORIES:
        for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
            if entry.name.endswith(".py"):
                stat = entry.stat()
                digest.update(f"{entry.name} {stat.st_size} {stat.st_mtime_ns}".encode())
    return digest.hexdigest()


class _FromArchive(_Converting):
    """Of `zipimporter`: nothing is kept."""

    def get_code(self, fullname: str) -> CodeType | None:
        loader: Any = super()
        filename = loader.get_filename(fullname)
        if not filename.endswith(".py"):  # the archive holds compiled files
            self.autograph_hook.failed(fullname, filename, ImportError("there is no source"))
            return loader.get_code(fullname)
        read = functools.partial(loader.get_data, filename)
        return self._code(fullname, filename, read, lambda: _compiled(read(), filename))


class _Asserting(_Converting):
    """Of pytest's hook: a test module, or one that a plugin registers; its `assert` statements are rewritten."""

    def exec_module(self, module: ModuleType) -> None:
        hook: Any = self
        spec: Any = module.__spec__
        filename = spec.origin
        hook._rewritten_names[module.__name__] = filename

        def read() -> bytes:
            with open(filename, "rb") as file:
                return file.read()

        def rewrite(tree: ast.Module) -> None:
            from _pytest.assertion.rewrite import rewrite_asserts

            rewrite_asserts(tree, read(), filename, hook.config)

        exec(self._code(module.__name__, filename, read, lambda: _compiled(read(), filename, rewrite)), module.__dict__)
