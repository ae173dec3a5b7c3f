"""`autograph show FILE.py[:func]`: the converted code of one function, or the names of all; the file is not run."""

import argparse
import difflib
import sys
from pathlib import Path

import astunparse

from autograph.cli import terminal
from autograph.errors import AutoGraphError
from autograph.modules import module_conversion
from autograph.modules.module_source import InvalidSource
from autograph.modules.notebook_conversion import SUFFIX

DESCRIPTION = """\
Print what a function becomes. The file is read, not run. A method is Class.method, a function inside another one is
outer.inner; FILE.py alone lists them. Coloured on a terminal; plain when piped or when NO_COLOR is set."""


class Unreadable(AutoGraphError):
    """A file that cannot be read as a module."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `show`."""
    parser.add_argument("place", metavar="FILE.py[:func]", help="the file and the function's qualified name")
    parser.add_argument("--ast", action="store_true", help="print the tree of the converted code")


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns the exit code."""
    filename, name = file_and_function(arguments.place)
    try:
        module = read_module(filename)
        if not name:
            if arguments.ast:
                arguments.command_parser.error(f"{arguments.place}: --ast expects FILE.py:func")
            return print_listed([f"{filename}:{target.name}" for target in module.targets], filename)
        if name not in module.qualified_names():
            return fail(f"{filename}: no function {name}{suggestion(name, module.qualified_names())}")
        node = module.shown(name)
    except (InvalidSource, AutoGraphError) as error:
        return fail(str(error))
    if arguments.ast:
        print(astunparse.dump(node))
        return 0
    text = module_conversion.standalone_source(node, module.alias)
    sys.stdout.write(terminal.highlighted(text) if terminal.wants_color(sys.stdout) else text)
    return 0


def file_and_function(place: str) -> tuple[str, str]:
    """Returns the parts of `FILE.py:func`; the name is empty where there is none."""
    filename, colon, name = place.rpartition(":")
    return (filename, name) if colon and not Path(place).exists() else (place, "")


def read_module(filename: str) -> module_conversion.ParsedModule:
    """Returns the module in a file; raises `InvalidSource`, `Unreadable`."""
    if filename.endswith(SUFFIX):
        raise Unreadable(
            f"{filename}: only `autograph convert` reads notebooks (`jupyter nbconvert --to script` writes a module)"
        )
    try:
        raw = Path(filename).read_bytes()
    except OSError as error:
        raise Unreadable(f"{filename}: cannot read: {error.strerror or error}") from None
    return module_conversion.ParsedModule.read(raw, filename)


def print_listed(lines: list[str], filename: str) -> int:
    """Prints what is listed of a file, or says that there is nothing, if it has a name; returns the exit code."""
    if lines:
        print("\n".join(lines))
    elif filename:
        print(f"{filename}: no functions", file=sys.stderr)
    return 0


def fail(message: str) -> int:
    """Says what went wrong; returns the exit code for it."""
    print(message, file=sys.stderr)
    return 2


def suggestion(name: str, names: list[str]) -> str:
    """Returns the end of a message about a name that no function has: which ones are near, or which there are."""
    if not names:
        return "; it has no functions"
    close = difflib.get_close_matches(name, names, n=3)
    return f"; did you mean {' or '.join(close)}?" if close else f"; it has {', '.join(sorted(set(names)))}"
