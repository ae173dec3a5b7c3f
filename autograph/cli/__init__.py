"""The command line: `autograph convert`, `show`, `explain`, `run`, `graph`, `inspect` and `run-saved`."""

from autograph.cli.entry import main as main
