"""The command line `autograph`, which is `python -m autograph` too:
`convert`, `show`, `explain`, `error`, `run`, `graph`, `inspect`, `run-saved`.

What is computed goes to stdout, everything that is said about it to stderr.

| exit code | when |
| --- | --- |
| 0 | done |
| 1 | only `convert --check`: a file would change; `graph` and `run-saved`: the function raised an exception |
| 2 | wrong usage, or a file that cannot be read, is no Python, or cannot be converted; an `error` without a page |
| the script's own | `run` |
"""

import argparse
import os
import sys
from collections.abc import Sequence

from autograph._version import __version__
from autograph.cli import convert, error, explain, graph, inspect_saved, run, run_saved, show

INTERRUPTED = 130  # 128 + SIGINT and 128 + SIGPIPE: what a shell reports for other programs
BROKEN_PIPE = 141

COMMANDS = (
    ("convert", convert, "write converted modules"),
    ("show", show, "print the converted code of a function"),
    ("explain", explain, "say what each statement becomes"),
    ("error", error, "print the page on an error"),
    ("run", run, "run a script with its functions converted"),
    ("graph", graph, "print or draw the traced program of a function"),
    ("inspect", inspect_saved, "print the signatures of a saved file"),
    ("run-saved", run_saved, "call the function in a saved file"),
)
"""Each command with the module that runs it, and its line in the list."""


def grammar() -> argparse.ArgumentParser:
    """Returns the whole grammar of the command line."""
    top = argparse.ArgumentParser(
        prog="autograph",
        description="Python functions with data-dependent control flow, made ready for jax.jit.",
        epilog="Each command has its own --help.",
    )
    top.add_argument("--version", action="version", version=f"jax-autograph {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, command, purpose in COMMANDS:
        parser = commands.add_parser(name, help=purpose, description=command.DESCRIPTION)
        command.add_arguments(parser)
        parser.set_defaults(command_function=command.run, command_parser=parser)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line and returns its exit code.

    >>> main(["show", "--help"])
    Traceback (most recent call last):
    SystemExit: 0

    Args:
        argv: the arguments without the program's name; those of the process by default.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    arguments = grammar().parse_args(words)
    arguments.words = words
    try:
        code: int = arguments.command_function(arguments)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        print("autograph: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # `autograph show ... | head`: the reader has seen enough. What is still buffered has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
