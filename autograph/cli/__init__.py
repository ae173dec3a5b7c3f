"""The command line: `autograph convert`, `show`, `explain`, `error`, `run`, `graph`, `inspect` and `run-saved`."""

from autograph.cli.entry import main as main
