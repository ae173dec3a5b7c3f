"""What every test shares: the platform, how XLA compiles, and a fixture for strict promotion.

Warnings are errors (`filterwarnings` in pyproject.toml), also those of JAX, NumPy and gast.
"""

import gc
import os
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

import jax  # noqa: E402 - after the environment is set
import pytest  # noqa: E402 - after the environment is set


@pytest.fixture
def strict_promotion() -> Iterator[None]:
    """Numeric promotion as strict as JAX has it, so that a cast that we introduce silently is an error.

    Off by default, because most programs in the tests are about the promotion that users rely on.
    """
    with jax.numpy_dtype_promotion("strict"):
        yield


@pytest.fixture
def with_few_objects() -> Iterator[None]:
    """What earlier tests left, as programs that JAX keeps, is nothing that the garbage collector looks at.

    JAX's check for leaks collects garbage after each trace: with all of some thousand tests it takes ten times as long.
    """
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()
