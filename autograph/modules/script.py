"""Running a Python file as `__main__` with all its own functions converted.

Each function gets both bodies, as in a module that the import hook loads (`compiled_modules`). Positions stay the author's, so
tracebacks and breakpoints are those of `python FILE`.
"""

import os
import sys
import traceback
import types
from collections.abc import Sequence
from importlib.machinery import SourceFileLoader
from typing import Any

from autograph.code import library
from autograph.errors import trim
from autograph.modules import compiled_modules
from autograph.modules.module_conversion import ParsedModule

INTERRUPTED = 130  # 128 + SIGINT, as a shell reports it


def run_script(filename: str, arguments: Sequence[str]) -> int:
    """Runs the file and returns its exit code.

    `sys.argv`, `sys.path[0]`, `__name__` and `__file__` are what `python FILE ARGUMENTS` makes them.

    Raises:
        OSError: it cannot be read.
        InvalidSource: it is no Python.
        SystemExit: the script's own.
    """
    path = os.path.abspath(filename)
    with open(path, "rb") as file:
        data = file.read()
    ParsedModule.read(data, filename)  # says what is no Python
    library.claim(path)
    code = compile_script(data, path)
    main = types.ModuleType("__main__")
    main.__dict__.update(__file__=path, __cached__=None, __builtins__=sys.modules["builtins"], __annotations__={})
    main.__loader__ = SourceFileLoader("__main__", path)
    sys.modules["__main__"] = main
    sys.argv = [filename, *arguments]
    if not sys.flags.safe_path:
        sys.path[0] = os.path.dirname(os.path.realpath(path))
    try:
        exec(code, main.__dict__)
    except SystemExit:
        raise
    except BaseException as error:
        _report(trim(error))
        return INTERRUPTED if isinstance(error, KeyboardInterrupt) else 1
    return 0


def _report(error: BaseException) -> None:
    """Shows an uncaught exception as the interpreter does."""
    hook: Any = sys.excepthook
    try:
        hook(type(error), error, error.__traceback__)
    except BaseException:  # a hook of the script's own that fails, as the interpreter handles it
        traceback.print_exc()


def compile_script(data: bytes, path: str) -> types.CodeType:
    """Returns the code of a module whose functions have both bodies, as the import hook loads it."""
    compile(data, path, "exec", dont_inherit=True)  # for its warnings; the next one is silent
    code, _ = compiled_modules.loaded(
        compiled_modules.compile_module(data, path), lambda digest: compiled_modules.Origin(path, digest, lambda: data)
    )
    return code
