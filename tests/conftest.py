"""Prepares the process of the tests: platform, how XLA compiles, what is kept for the next run, what a fast test may do.

Warnings are errors (`filterwarnings` in pyproject.toml), also those of JAX, NumPy and gast.
"""

import gc
import os
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

# Before anything imports jax: a test machine with an accelerator shall not spend a minute on starting it for
# scalar programs. Set the variable yourself to run the tests there.
os.environ.setdefault("JAX_PLATFORMS", "cpu")

# Thousands of small programs are compiled and run once: XLA shall compile fast rather than well. With
# JAX_DISABLE_MOST_OPTIMIZATIONS=0 XLA_FLAGS= the tests run what users run; the project's check does so on one JAX.
os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")
if tuple(map(int, version("jaxlib").split(".")[:2])) < (0, 12):  # a newer XLA does not know the flag, and would end
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_use_fusion_emitters=false")

# Tests that start a process find the package of this checkout there, also where nothing is installed.
ROOT = str(Path(__file__).resolve().parent.parent)
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [ROOT, os.environ.get("PYTHONPATH")]))

# Each process would compile the library and rewrite the assertions of all tests again: a third of a run's start.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

import jax  # noqa: E402 - after the environment is set
import jaxlib  # noqa: E402 - after the environment is set
import pytest  # noqa: E402 - after the environment is set

from autograph.runtime.heap import constants  # noqa: E402 - after the environment is set
from autograph.runtime.jaxprs import passes  # noqa: E402 - after the environment is set

passes.STRICT = True  # what each pass over a traced region leaves is checked

_STARTS_A_PROCESS = {"subprocess.Popen", "os.fork", "os.posix_spawn", "pty.spawn"}
_fast_test: str | None = None
_tests = 0


def pytest_configure(config: pytest.Config) -> None:
    """Keeps compiled programs for the next run, in a folder for each version of jaxlib; `--cache-clear` removes them."""
    cache = getattr(config, "cache", None)  # none with `-p no:cacheprovider`
    if cache is not None and "JAX_COMPILATION_CACHE_DIR" not in os.environ:
        jax.config.update("jax_compilation_cache_dir", str(cache.mkdir(f"jaxlib-{jaxlib.__version__}")))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)


def _refuse_processes(event: str, _: tuple[object, ...]) -> None:
    if _fast_test is not None and event in _STARTS_A_PROCESS:
        pytest.fail(f"{_fast_test} starts a process: mark it with `pytest.mark.slow`")


sys.addaudithook(_refuse_processes)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[object]:
    """Lets only tests that are marked `slow` start processes, so that the others stay fast."""
    global _fast_test
    _fast_test = None if item.get_closest_marker("slow") else item.nodeid
    try:
        return (yield)
    finally:
        _fast_test = None


def pytest_runtest_teardown() -> None:
    """Hides from the garbage collector, after each hundred tests, what they left; drops the programs that JAX keeps, sometimes.

    The library collects garbage before it refuses some programs: that took two seconds with what 6,000 tests had left.
    What it searches the heap for belongs to the trace in progress, but for the tables of `constants`, which it keeps.
    """
    global _tests
    _tests += 1
    if _tests % 100 == 0:
        constants._tables()
        if _tests % 500 == 0:
            jax.clear_caches()
        gc.collect()
        gc.freeze()


@pytest.fixture
def strict_promotion() -> Iterator[None]:
    """Numeric promotion as strict as JAX has it, so that a cast that we introduce silently is an error.

    Off by default, because most programs in the tests are about the promotion that users rely on.
    """
    with jax.numpy_dtype_promotion("strict"):
        yield


@pytest.fixture
def with_few_objects() -> None:
    """Hides from the garbage collector what earlier tests left, as programs that JAX keeps.

    JAX's check for leaks collects garbage after each trace: with all of some thousand tests it takes ten times as long.
    """
    gc.freeze()
