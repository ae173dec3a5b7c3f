"""The command line: `autograph convert`, `show`, `explain` and `run`."""

from autograph.cli.entry import main as main
