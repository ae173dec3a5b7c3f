"""`autograph graph FILE.py:func --args 'EXPR, EXPR' [-o page.html]`: the traced program of a function, printed or drawn."""

import argparse
import os
import sys
import traceback
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
import numpy as np

from autograph.cli.show import fail, file_and_function
from autograph.errors import AutoGraphError, trim
from autograph.graphs.graph import Graph, graph
from autograph.modules.atomic_write import replace_file

DESCRIPTION = """\
Trace a function of a file, which is imported for it, and print the program as a tree, or write it: FILE.html is a page that
needs no network, FILE.dot is for Graphviz, FILE.txt the tree, FILE.mlir StableHLO, FILE.hlo the compiled program, and a folder
(its name ends in /) gets the event file that TensorBoard shows. A method is Class.method."""

FORMS: dict[str, Callable[[Graph], str]] = {
    ".html": lambda made: made.to_html(),
    ".dot": Graph.to_dot,
    ".txt": str,
    ".mlir": Graph.stablehlo,
    ".hlo": Graph.optimized_hlo,
}
FAILED = 1  # the user's file, an argument or the trace


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `graph`."""
    parser.add_argument("place", metavar="FILE.py:func", help="the file and the function's qualified name")
    words = "expressions, as in a call: 'jnp.ones(3), n=2'; with the names of the file, jax, jnp and np"
    parser.add_argument("--args", default="", metavar="ARGS", help=words)
    parser.add_argument("-o", "--output", metavar="FILE", help=f"{', '.join(FORMS)}, or a folder for TensorBoard")
    parser.add_argument("--texts", action="store_true", help="with .html: StableHLO and what XLA makes of it as well")


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns the exit code."""
    filename, name = file_and_function(arguments.place)
    output = arguments.output
    if not name:
        return fail(f"{arguments.place}: expected FILE.py:func (`autograph show {arguments.place}` lists them)")
    if output is not None and not _is_folder(output) and Path(output).suffix not in FORMS:
        return fail(f"{output}: expected a file that ends in {', '.join(FORMS)}, or a folder")
    try:
        module = imported(filename)
        found = attrgetter(name)(module) if _has(module, name) else None
        if found is None:
            return fail(f"{filename}: no function {name} (`autograph show {filename}` lists them)")
        args, kwargs = evaluate_arguments(arguments.args, module)
        return _written(graph(found, *args, **kwargs), output, arguments.texts)
    except AutoGraphError as error:
        return fail(str(error))
    except OSError as error:
        return fail(f"{error.filename or filename}: cannot read: {error.strerror or error}")
    except Exception as error:
        traceback.print_exception(trim(error))
        return FAILED


def _is_folder(output: str) -> bool:
    return output.endswith(("/", os.sep)) or Path(output).is_dir()


def _has(module: ModuleType, name: str) -> bool:
    try:
        attrgetter(name)(module)
    except AttributeError:
        return False
    return True


def imported(filename: str) -> ModuleType:
    """Returns the module in a file; its folder is where it finds others, as for a script."""
    path = os.path.abspath(filename)
    if not sys.flags.safe_path:
        sys.path.insert(0, os.path.dirname(path))
    loader = SourceFileLoader(Path(path).stem, path)
    spec = spec_from_loader(loader.name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    sys.modules[loader.name] = module
    loader.exec_module(module)
    return module


def evaluate_arguments(text: str, module: ModuleType) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Returns the arguments in a string, by position and by name.

    >>> evaluate_arguments("2 * 3, n=jnp.ones(2).shape", ModuleType("example"))
    ((6,), {'n': (2,)})
    """
    names = {"jax": jax, "jnp": jax.numpy, "np": np, **vars(module)}
    return eval(f"(lambda *args, **kwargs: (args, kwargs))({text}\n)", names)


def _written(made: Graph, output: str | None, texts: bool) -> int:
    if output is None:
        print(made)
        return 0
    try:
        if _is_folder(output):
            made.save(output)
        else:
            suffix = Path(output).suffix
            text = (made.to_html(texts=True) if suffix == ".html" and texts else FORMS[suffix](made)).rstrip("\n")
            replace_file(Path(output), f"{text}\n".encode())
    except OSError as error:
        return fail(f"{output}: cannot write: {error.strerror or error}")
    return 0
