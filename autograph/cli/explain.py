"""`autograph explain FILE.py[:func]|DIR`: what each statement becomes, without running the file."""

import argparse
import shutil
import sys
import textwrap
from collections import Counter
from pathlib import Path

from autograph.cli import terminal
from autograph.cli.convert import python_files
from autograph.cli.explanation import Explained, Kind, explain
from autograph.cli.show import fail, file_and_function, print_listed, read_module, suggestion
from autograph.errors import AutoGraphError
from autograph.modules.module_conversion import ParsedModule
from autograph.modules.module_functions import Target
from autograph.modules.module_source import InvalidSource

DESCRIPTION = """\
List the statements of the functions of a file, or of all files of a directory, with what each becomes: `python` stays
as it is, `staged` becomes part of the compiled program where a value is traced, `refused` is an error there. The file
is read, not run. A method is Class.method. Coloured on a terminal; plain when piped or when NO_COLOR is set."""

COLORS = {Kind.PYTHON: terminal.FAINT, Kind.STAGED: terminal.STRING, Kind.REFUSED: terminal.REFUSED}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `explain`."""
    parser.add_argument(
        "place", metavar="FILE.py[:func]|DIR", help="a file, one of its functions by its qualified name, or a directory"
    )


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns the exit code."""
    filename, name = file_and_function(arguments.place)
    if not Path(filename).is_dir():
        return _explain(filename, name)
    explained = [_explain(str(source), "", in_directory=True) for source, _ in python_files(Path(filename))]
    return max(explained) if explained else fail(f"{filename}: no Python files")


def _explain(filename: str, name: str, in_directory: bool = False) -> int:
    try:
        module = read_module(filename)
        targets = [target for target in module.targets if not name or target.name == name]
        if name and not targets:
            names = [target.name for target in module.targets]
            return fail(f"{filename}: no function {name}{suggestion(name, names)}")
        return print_listed(_lines(module, targets), "" if in_directory else filename)
    except (InvalidSource, AutoGraphError) as error:
        return fail(str(error))


def _lines(module: ParsedModule, targets: list[Target]) -> list[str]:
    shown: list[str] = []
    in_color = terminal.wants_color(sys.stdout)
    width = shutil.get_terminal_size().columns if in_color else 120
    digits = len(str(len(module.lines)))
    for number, target in enumerate(targets):
        lines = explain(module, target)
        counts = Counter(line.kind for line in lines)
        listed = ", ".join(f"{counts[kind]} {kind.value}" for kind in Kind if counts[kind])
        title = f"{module.source.filename}:{target.node.lineno}: {target.name}: {listed}"
        shown += [""] * (number > 0)
        shown.append(f"{terminal.NAME}{title}{terminal.RESET}" if in_color else title)
        shown += [_shown(line, module, digits, width, in_color) for line in lines]
    return shown


def _shown(line: Explained, module: ParsedModule, digits: int, width: int, in_color: bool) -> str:
    """Returns a statement as the listing has it: its line, what it becomes, its source, and below it when."""
    source = module.lines[line.lineno - 1].expandtabs().rstrip()
    text = source if source.strip() == line.source else line.source
    kind = f"{line.kind.value:<7}"
    color = COLORS[line.kind]
    head = f"{line.lineno:>{digits}}  {f'{color}{kind}{terminal.RESET}' if in_color else kind}  {text}"
    margin = " " * (digits + 11 + len(source) - len(source.lstrip()))
    notes = [
        textwrap.fill(
            note, max(width, len(margin) + 40), initial_indent=f"{margin}  ^ ", subsequent_indent=f"{margin}    "
        )
        for note in line.notes
    ]
    return "\n".join([head, *(f"{terminal.FAINT}{note}{terminal.RESET}" if in_color else note for note in notes)])
