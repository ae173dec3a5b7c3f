"""`examples/data_parallel.py` over eight devices, and over two processes as two hosts: the numbers are those of one device.

`tests/test_examples.py` compares the run on one device with a reference written without the library.
"""

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import jaxlib
import pytest

pytestmark = pytest.mark.slow

EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "data_parallel.py"
SECONDS = 180  # for a machine with other work; a run takes five


def start(devices: int, *arguments: object) -> subprocess.Popen[str]:
    """The example on so many devices of the processor."""
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={devices}"
    settings = {"XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu", "JAX_CPU_COLLECTIVES_IMPLEMENTATION": "gloo"}
    command = [sys.executable, "-W", "error::UserWarning", str(EXAMPLE), *map(str, arguments)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=os.environ | settings, stdout=pipe, stderr=pipe, text=True)


def finish(*processes: subprocess.Popen[str]) -> list[str]:
    """What each of them printed. Where one fails the others would wait for it: they are ended."""
    try:
        printed = [process.communicate(timeout=SECONDS) for process in processes]
    finally:
        for process in processes:
            process.kill()
    for process, (out, errors) in zip(processes, printed):
        assert process.returncode == 0, f"{out}\n{errors}"
    return [out for out, _ in printed]


def result(out: str) -> tuple[int, int, float, float]:
    """Epochs, best epoch, its validation error, and the length of its weights."""
    match = re.search(r"epochs: (\d+) of at most 60, .* epoch (\d+)\n.* error: (\S+), .*: (\S+)\n", out)
    assert match, out
    return int(match[1]), int(match[2]), float(match[3]), float(match[4])


@pytest.fixture(scope="module")
def of_one_device() -> tuple[int, int, float, float]:
    found = result(finish(start(1))[0])
    assert found[0] == found[1] + 3 < 60  # it stopped early
    return found


def test_eight_devices_give_the_numbers_of_one(of_one_device: tuple[int, int, float, float]) -> None:
    (out,) = finish(start(8))
    assert "8 devices, 1 processes" in out and "on each device: 8 of 64" in out
    assert result(out) == pytest.approx(of_one_device, rel=1e-5)


@pytest.mark.skipif(not hasattr(jaxlib._jax, "make_gloo_tcp_collectives"), reason="this jaxlib has no gloo")
def test_two_processes_give_the_numbers_of_one_device(of_one_device: tuple[int, int, float, float]) -> None:
    with socket.socket() as free:
        free.bind(("localhost", 0))
        coordinator = f"localhost:{free.getsockname()[1]}"
    for out in finish(*(start(4, 60, coordinator, 2, process) for process in range(2))):
        assert "8 devices, 2 processes" in out and "on each device: 8 of 64" in out
        assert result(out) == pytest.approx(of_one_device, rel=1e-5)
