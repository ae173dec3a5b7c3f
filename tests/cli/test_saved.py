"""`autograph inspect` and `autograph run-saved`: what they print of a saved file, their messages, their exit codes."""

from collections.abc import Callable
from pathlib import Path

import jax
import numpy as np
import pytest

import autograph as ag
from autograph.cli import entry
from autograph.saved import container
from tests.saved import mutations
from tests.saved.examples import EXAMPLES, Account

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of three examples, and one with state and checks."""
    made = tmp_path_factory.mktemp("saved")
    for example in EXAMPLES:
        if example.name in ("power", "dense", "nearest"):
            ag.save(example.fn, made / example.name, signatures=example.signatures, vjp_order=example.vjp_order)
    ag.save(Account(100.0), made / "withdraw")
    return made


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, folder: Path) -> Run:
    """Calls the command line in this process, in the folder of the files: exit code, stdout, stderr."""
    monkeypatch.chdir(folder)

    def call(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = entry.main(arguments)
        return code, *capsys.readouterr()

    return call


def test_inspect_says_what_a_file_holds(run: Run) -> None:
    code, out, err = run("inspect", "withdraw")
    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert lines[0] == f"withdraw: written by jax-autograph {ag.__version__}, JAX {jax.__version__}"
    assert lines[1:5] == [
        "  state balance: float32[]",
        "  state key: key<fry>[]",
        "withdraw(amount: float32[]) -> {'left': float32[], 'taken': float32[]}",
        "  for cpu, cuda, tpu",
    ]
    assert " operations: " in lines[5]
    assert lines[6:] == ["  raises ValueError (account.py:8)", "  raises OverdrawnError (account.py:10)"]


def test_inspect_prints_each_signature_and_its_program(run: Run) -> None:
    _, out, _ = run("inspect", "power")
    assert out.count("power(") == 3 and "1 while" in out and "derivatives" not in out
    _, out, _ = run("inspect", "power", "--stablehlo")
    assert out.count("func.func public @main") == 3 and "stablehlo.while" in out
    assert "derivatives of order 1" in run("inspect", "dense")[1]


def test_run_saved_calls_the_first_signature_that_fits(run: Run) -> None:
    assert run("run-saved", "power", "--args", "[1, 2, 3], n=2") == (0, "[1. 4. 9.]\n", "")
    assert run("run-saved", "power", "--args", "x=2, n=7")[:2] == (0, "128.0\n")
    assert run("run-saved", "nearest", "--args", "[[0, 1], [2, 2], [5, 0]], ([4, 1], 0.5)")[1] == "(2.5, 2)\n"
    assert run("run-saved", "withdraw", "--args", "30")[1] == "{'left': 70.0, 'taken': 30.0}\n"


def test_run_saved_reads_arrays(run: Run) -> None:
    np.save("x.npy", np.ones((2, 3), "float32"))
    np.savez("layer.npz", w=np.ones((3, 2), "float32"), b=np.zeros(2, "float32"))
    code, out, _ = run("run-saved", "dense", "--args", "{'layers': ['@layer.npz']}, '@x.npy', 'none'")
    assert code == 0 and "'logits': array([[3., 3.],\n       [3., 3.]], dtype=float32)" in out
    np.save("objects.npy", np.array([None]), allow_pickle=True)
    code, _, err = run("run-saved", "power", "--args", "'@objects.npy', 2")
    assert code == 2 and "Object arrays cannot be loaded" in err


@pytest.mark.parametrize("arguments", ["open('x')", "1, *[2]", "1) + f(2", "**{}", "x", "1,,"])
def test_arguments_are_literals(run: Run, arguments: str) -> None:
    code, out, err = run("run-saved", "power", "--args", arguments)
    assert (code, out) == (2, "") and err.startswith("--args: expected literals as in a call, such as")


def test_a_call_that_fits_no_signature(run: Run) -> None:
    code, out, err = run("run-saved", "power", "--args", "[1.0], n=3")
    assert (code, out) == (2, "")
    assert err.startswith("power was not saved for these arguments\n  power(x: float32[b], n=2) -> float32[b]\n")


def test_a_failed_check_is_the_exception_and_exits_1(run: Run) -> None:
    assert run("run-saved", "withdraw", "--args=-1.0") == (
        1,
        "",
        "ValueError: a negative amount: -1.0\nat account.py:8\n",
    )


@pytest.mark.parametrize("command", ["inspect", "run-saved"])
def test_what_is_no_saved_file(run: Run, command: str) -> None:
    Path("text").write_text("x = 1\n")
    assert run(command, "text") == (2, "", "text: this is no saved file\n")
    assert run(command, "missing") == (2, "", "missing: cannot read: No such file or directory\n")


def test_a_program_that_is_none(run: Run) -> None:
    header, sections = mutations.parts(Path("power").read_bytes())
    Path("bad").write_bytes(container.assembled(header, [b"ML\xefR not", *sections[1:]]))
    code, _, err = run("inspect", "bad")
    assert code == 2 and err.startswith("bad: a program is malformed: ")
    code, _, err = run("run-saved", "bad", "--args", "[1.0], 2")
    assert code == 2 and err.startswith("a program of power is malformed: ")
