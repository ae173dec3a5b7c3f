"""`autograph run FILE.py [args]`: the script with all its own functions converted."""

import argparse
import sys

from autograph.modules.module_source import InvalidSource
from autograph.modules.script import run_script

DESCRIPTION = """\
Run a script as python does, with every function that it defines converted. Arguments after the file are the script's;
the exit code is the script's."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `run`."""
    parser.add_argument("file", metavar="FILE.py")
    parser.add_argument("arguments", metavar="args", nargs=argparse.REMAINDER)


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns the exit code."""
    # From the words themselves: argparse would take the first `--` away, which may be meant for the script.
    words = arguments.words[arguments.words.index(arguments.file, 1) + 1 :]
    try:
        return run_script(arguments.file, words)
    except InvalidSource as error:
        print(error, file=sys.stderr)
    except OSError as error:
        print(f"{arguments.file}: cannot read: {error.strerror or error}", file=sys.stderr)
    return 2
