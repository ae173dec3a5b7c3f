"""The examples with other libraries run as their users run them, and agree with the reference that each of them computes."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.frameworks.harness import framework

ROOT = Path(__file__).resolve().parent.parent.parent
SMALL = {  # argument, and the largest difference from the reference
    "diffrax_thermostat": (6, 1e-4),
    "equinox_early_stopping": (60, 1e-3),
    "flax_adaptive_depth": (2, 1e-3),
    "gymnasium_mountain_car": (20, 1e-6),
    "keras_spikes": (1, 1e-4),
    "numpyro_change_point": (40, 1e-2),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SMALL))
def test_the_example_agrees_with_its_reference(name, tmp_path):
    framework(name.partition("_")[0])
    argument, gap = SMALL[name]
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths)), "JAX_PLATFORMS": "cpu"}
    file = ROOT / "examples" / "frameworks" / f"{name}.py"
    done = subprocess.run(
        [sys.executable, str(file), str(argument)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    for word in ("Traceback", "Exception ignored", "UnrolledLoopWarning"):
        assert word not in done.stderr, done.stderr
    found = re.search(r"largest difference of the two results: (\S+)", done.stdout)
    assert found and float(found[1]) <= gap, done.stdout
    assert "times as fast" in done.stdout


def test_every_example_is_run_and_listed():
    names = {file.stem for file in (ROOT / "examples" / "frameworks").glob("*.py")} - {"comparing"}
    assert names == set(SMALL)
    index = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    assert all(f"(frameworks/{name}.py)" in index for name in names)
