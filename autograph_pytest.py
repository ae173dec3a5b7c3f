"""The pytest option `--autograph-packages=a,b`: a test suite with every function of some packages converted.

The hook of `autograph.modules.import_hook` stands before the first `conftest.py` is loaded; the summary says how many functions
were converted, and which were not and why. `AUTOGRAPH_ALWAYS_STAGE=1` in the environment runs the staged bodies.

This module stands outside of the package because pytest imports every plugin at its start: `import autograph` imports
JAX, which shall not happen to those who do not use the option.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from autograph.modules.import_hook import ImportHook

_HOOK: pytest.StashKey[ImportHook] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option."""
    parser.getgroup("autograph").addoption(
        "--autograph-packages",
        default="",
        metavar="A,B",
        help="convert every function of these packages and modules, and of what is below them, when they are imported",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Installs the hook."""
    # pytest rewrites `assert` in every module of a distribution that has a plugin; those of the library are no tests.
    marked = getattr(early_config.pluginmanager.rewrite_hook, "_must_rewrite", None)
    if isinstance(marked, set):
        marked.discard("autograph")
    names = early_config.known_args_namespace.autograph_packages.split(",")
    packages = [name.strip() for name in names if name.strip()]
    if packages:
        from autograph.modules.import_hook import ImportHook

        early_config.stash[_HOOK] = ImportHook(packages, quiet=True)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Uninstalls it."""
    if _HOOK in config.stash:
        config.stash[_HOOK].uninstall()


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Says what was converted."""
    if _HOOK in config.stash:
        report = config.stash[_HOOK].report
        terminalreporter.section("autograph")
        terminalreporter.write_line(f"{100 * report.share:.2f} %: {report}")


# With pytest-xdist the workers import the packages: each sends its report.


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Sends a worker's report."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None and _HOOK in session.config.stash:
        output["autograph"] = session.config.stash[_HOOK].report.as_data()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Adds a worker's report to that of the run."""
    sent = getattr(node, "workeroutput", {}).get("autograph")
    if sent is not None:
        node.config.stash[_HOOK].report.add_data(sent)
