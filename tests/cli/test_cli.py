"""The command line: what it writes where, its messages, its exit codes; nothing is lost when it fails."""

import io
import os
import pty
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from autograph.cli import convert, entry
from autograph.modules.module_conversion import MARKER

SIGN = "def sign(x):\n    if x > 0:\n        return 1\n    return -1\n"
PLAIN = "x = 1\n"
BROKEN = "def f(:\n"

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Calls the command line in this process, in an empty directory: exit code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str, stdin: bytes = b"") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsysbinary.readouterr()
        try:
            code = entry.main(arguments)
        except SystemExit as error:
            assert isinstance(error.code, int)
            code = error.code
        out, err = capsysbinary.readouterr()
        return code, out.decode(), err.decode()

    return call


def process(*arguments: str, cwd: Path, **options: object) -> subprocess.CompletedProcess[str]:
    """Calls the command line as a user does."""
    command = [sys.executable, "-m", "autograph", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, **options)  # type: ignore[call-overload, no-any-return]


# --- convert: where the output goes ---


def test_one_file_goes_to_stdout(run: Run) -> None:
    Path("m.py").write_text(SIGN)
    code, out, err = run("convert", "m.py")
    assert code == 0 and MARKER in out and "ag__." in out and err == ""
    assert Path("m.py").read_text() == SIGN


def test_stdin_goes_to_stdout_under_the_name_given(run: Run) -> None:
    code, out, err = run("convert", "-", stdin=SIGN.encode())
    assert code == 0 and MARKER in out and err == ""
    assert run("convert", "-", "--stdin-filename", "pkg/m.py", stdin=BROKEN.encode()) == (
        2,
        "",
        "pkg/m.py:1:7: invalid syntax\n",
    )


def test_stdin_to_a_file(run: Run) -> None:
    assert run("convert", "-", "-o", "out.py", stdin=SIGN.encode()) == (0, "", "")
    assert MARKER in Path("out.py").read_text()
    assert stat.S_IMODE(Path("out.py").stat().st_mode) == 0o666 & ~current_umask()


def test_output_file_directory_and_dash(run: Run) -> None:
    Path("m.py").write_text(SIGN)
    Path("d").mkdir()
    _, text, _ = run("convert", "m.py")
    assert run("convert", "m.py", "-o", "-") == (0, text, "")
    for output, written in (("n.py", "n.py"), ("d", "d/m.py"), ("new/", "new/m.py")):
        assert run("convert", "m.py", "-o", output) == (0, "", "")
        assert Path(written).read_text() == text


def test_in_place(run: Run) -> None:
    Path("m.py").write_text(SIGN)
    _, text, _ = run("convert", "m.py")
    assert run("convert", "m.py", "--in-place") == (0, "", "")
    assert Path("m.py").read_text() == text
    code, out, err = run("convert", "m.py", "--in-place")
    assert (code, out, err) == (0, "", "m.py: already converted, left as it is\n")
    assert Path("m.py").read_text() == text


def test_a_directory(run: Run) -> None:
    tree = {"a.py": SIGN, "sub/b.py": SIGN, "sub/c.py": PLAIN, ".hidden/x.py": SIGN, "venv/lib.py": SIGN, "t.txt": "-"}
    for name, text in tree.items():
        Path("src", name).parent.mkdir(parents=True, exist_ok=True)
        Path("src", name).write_text(text)
    Path("src/venv/pyvenv.cfg").touch()
    code, out, err = run("convert", "src", "-o", "out")
    assert (code, out, err) == (0, "", "2 converted, 1 unchanged\n")
    written = sorted(path.relative_to("out").as_posix() for path in Path("out").rglob("*") if path.is_file())
    assert written == ["a.py", "sub/b.py", "sub/c.py"]
    assert MARKER in Path("out/sub/b.py").read_text() and Path("out/sub/c.py").read_text() == PLAIN
    assert run("convert", "src", "-o", "src/out", "-q")[0] == 0
    assert run("convert", "src", "-o", "src/out", "-q")[0] == 0
    assert not Path("src/out/out").exists()
    assert run("convert", "src", "--in-place", "-q") == (0, "", "")
    assert MARKER in Path("src/a.py").read_text() and MARKER not in Path("src/.hidden/x.py").read_text()
    Path("src/out").rename("elsewhere")
    assert run("convert", "src", "--check") == (
        0,
        "",
        "0 would be converted, 3 unchanged\n",
    )  # converted files are no news
    assert "a.py: already converted, left as it is\n" in run("convert", "src", "--check", "-v")[2]


def test_verbose_names_files_and_functions(run: Run) -> None:
    Path("m.py").write_text(SIGN)
    Path("p.py").write_text(PLAIN)
    code, _, err = run("convert", "m.py", "p.py", "--in-place", "-v")
    assert code == 0
    assert err == "m.py: converted 1 function: sign\np.py: nothing to convert\n1 converted, 1 unchanged\n"


@pytest.mark.slow
def test_jobs_give_the_same_files_in_the_same_order(tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / f"m{number}.py").write_text(SIGN.replace("sign", f"f{number}"))
    (tmp_path / "m9.py").write_text(BROKEN)
    done = process("convert", ".", "-o", "out", "-j", "2", "-v", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        *(f"m{number}.py: converted 1 function: f{number}" for number in range(4)),
        "m9.py:1:7: invalid syntax",
        "4 converted, 0 unchanged, 1 failed",
    ]


def test_diff_prints_and_writes_nothing(run: Run) -> None:
    Path("m.py").write_text(SIGN)
    code, out, err = run("convert", "m.py", "--diff", "--in-place")
    assert code == 0 and err == ""
    assert out.startswith("--- m.py\toriginal\n+++ m.py\tconverted\n@@ ")
    assert f"+import autograph.runtime as ag__  # {MARKER}" in out
    assert Path("m.py").read_text() == SIGN


def test_check_exits_1_only_when_something_would_change(run: Run) -> None:
    Path("m.py").write_text(SIGN)
    Path("p.py").write_text(PLAIN)
    assert run("convert", "--check", "p.py") == (0, "", "")
    assert run("convert", "--check", "m.py") == (1, "", "m.py: would be converted\n")
    assert run("convert", "--check", "-q", "m.py", "p.py") == (1, "", "")
    assert Path("m.py").read_text() == SIGN
    assert run("convert", "--in-place", "-q", "m.py")[0] == 0
    assert run("convert", "--check", "-q", "m.py", "p.py")[0] == 0


def test_functions(run: Run) -> None:
    Path("m.py").write_text(SIGN + SIGN.replace("sign", "other"))
    code, out, _ = run("convert", "m.py", "--functions", "sign")
    assert code == 0 and SIGN.replace("sign", "other") in out and SIGN not in out
    code, out, err = run("convert", "m.py", "--functions", "sign,sing", "-o", "out.py")
    assert code == 2 and "no function named sing" in err and not Path("out.py").exists()


# --- convert: failures ---


@pytest.mark.parametrize(
    "arguments",
    [
        ["convert"],
        ["convert", "d"],
        ["convert", "m.py", "p.py"],
        ["convert", "d", "-o", "m.py"],
        ["convert", "d", "-o", "-"],
        ["convert", "m.py", "-o", "x.py", "--in-place"],
        ["convert", "-", "m.py"],
        ["convert", "-", "--in-place"],
        ["convert", "m.py", "d", "-o", "out"],
        ["convert", "m.py", "-q", "-v"],
        ["convert", "m.py", "-j", "-1"],
        ["convert", "m.py", "--functions", ","],
        ["convert", "m.py", "--nonsense"],
        ["show"],
        ["show", "m.py", "--ast"],
        ["run"],
        ["nonsense"],
        [],
    ],
)
def test_wrong_usage_exits_2_and_writes_nothing(run: Run, arguments: list[str]) -> None:
    Path("m.py").write_text(SIGN)
    Path("p.py").write_text(SIGN)
    Path("d").mkdir()
    Path("d/m.py").write_text(SIGN)
    code, out, err = run(*arguments)
    assert code == 2 and out == "" and "usage: autograph" in err and "error: " in err
    assert sorted(str(path) for path in Path().rglob("*")) == ["d", "d/m.py", "m.py", "p.py"]


def test_a_failing_file_keeps_the_old_output_and_the_others_go_on(run: Run) -> None:
    Path("src").mkdir()
    for name, text in {"a.py": SIGN, "b.py": BROKEN, "c.py": SIGN}.items():
        Path("src", name).write_text(text)
    Path("out").mkdir()
    Path("out/b.py").write_text("kept")
    code, out, err = run("convert", "src", "-o", "out")
    assert (code, out) == (2, "")
    assert err == f"{Path('src/b.py')}:1:7: invalid syntax\n2 converted, 0 unchanged, 1 failed\n"
    assert Path("out/b.py").read_text() == "kept"
    assert MARKER in Path("out/a.py").read_text() and MARKER in Path("out/c.py").read_text()


def test_missing_and_unreadable_files(run: Run) -> None:
    assert run("convert", "missing.py") == (2, "", "missing.py: cannot read: No such file or directory\n")
    assert run("show", "missing.py:f") == (2, "", "missing.py: cannot read: No such file or directory\n")
    assert run("run", "missing.py") == (2, "", "missing.py: cannot read: No such file or directory\n")
    Path("m.py").write_text(SIGN)
    code, _, err = run("convert", "m.py", "-o", "nowhere/x.py")
    assert code == 2 and err.endswith("cannot write: No such file or directory\n")


@pytest.mark.parametrize("failing", ["fsync", "replace", "chmod"])
def test_a_failure_while_writing_loses_nothing(run: Run, monkeypatch: pytest.MonkeyPatch, failing: str) -> None:
    Path("m.py").write_text(SIGN)

    def fail(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(f"autograph.modules.atomic_write.os.{failing}", fail)
    code, _, err = run("convert", "m.py", "--in-place")
    assert code == 2 and err == "m.py: cannot write: No space left on device\n"
    assert [str(path) for path in Path().iterdir()] == ["m.py"] and Path("m.py").read_text() == SIGN


def test_an_error_of_our_own_is_reported_and_the_others_go_on(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a.py").write_text(SIGN)
    Path("b.py").write_text(PLAIN)
    real = convert.module_conversion.convert_module

    def fail(raw: bytes, name: str, names: frozenset[str] | None) -> object:
        if name == "a.py":
            raise ZeroDivisionError("deep inside")
        return real(raw, name, names)

    monkeypatch.setattr(convert.module_conversion, "convert_module", fail)
    code, _, err = run("convert", "a.py", "b.py", "-o", "out")
    assert code == 2 and "a.py: autograph failed" in err and "deep inside" in err
    assert Path("out/b.py").exists() and not Path("out/a.py").exists()


def test_links_and_permissions_stay(run: Run) -> None:
    Path("real.py").write_text(SIGN)
    Path("real.py").chmod(0o755)
    Path("link.py").symlink_to("real.py")
    assert run("convert", "link.py", "--in-place")[0] == 0
    assert Path("link.py").is_symlink() and MARKER in Path("real.py").read_text()
    assert stat.S_IMODE(Path("real.py").stat().st_mode) == 0o755
    assert run("convert", "real.py", "-o", "copy.py")[0] == 0
    assert stat.S_IMODE(Path("copy.py").stat().st_mode) == 0o755


def test_a_read_only_file_is_replaced_by_force_alone(run: Run) -> None:
    Path("m.py").write_text(SIGN)
    Path("m.py").chmod(0o444)
    code, _, err = run("convert", "m.py", "--in-place")
    assert (code, err) == (2, "m.py: cannot write: it is read-only (--force replaces it)\n")
    assert Path("m.py").read_text() == SIGN
    assert run("convert", "m.py", "--in-place", "--force")[0] == 0
    assert "ag__" in Path("m.py").read_text() and Path("m.py").stat().st_mode & 0o777 == 0o444


def test_show_lists_the_functions_and_each_can_be_shown(run: Run) -> None:
    Path("m.py").write_text(SIGN)
    code, out, err = run("show", "m.py")
    assert (code, out, err) == (0, "m.py:sign\n", "")
    assert run("show", out.strip())[0] == 0


@pytest.mark.parametrize("command", ["show", "explain"])
def test_a_file_without_functions_is_said_to_have_none(run: Run, command: str) -> None:
    Path("m.py").write_text("x = 1\n")
    assert run(command, "m.py") == (0, "", "m.py: no functions\n")


@pytest.mark.parametrize("command", ["show", "explain"])
def test_a_notebook_is_said_to_be_for_convert(run: Run, command: str) -> None:
    Path("m.ipynb").write_text('{"cells": [], "nbformat": 4}')
    code, out, err = run(command, "m.ipynb")
    assert (code, out) == (2, "") and err.startswith("m.ipynb: only `autograph convert` reads notebooks")


@pytest.mark.slow
def test_closed_stdin_cannot_be_read(tmp_path: Path) -> None:
    command = ["sh", "-c", f"{sys.executable} -m autograph convert - <&-"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "<stdin>: cannot read: Bad file descriptor\n")


def test_explain_takes_a_directory(run: Run) -> None:
    Path("d/e").mkdir(parents=True)
    for name in ("d/a.py", "d/e/b.py"):
        Path(name).write_text(SIGN)
    code, out, err = run("explain", "d")
    assert (code, err) == (0, "") and out == run("explain", "d/a.py")[1] + run("explain", "d/e/b.py")[1]
    Path("d/c.py").write_text(BROKEN)
    code, out, err = run("explain", "d")
    assert code == 2 and "d/e/b.py:" in out and err.startswith("d/c.py:1:7: ")


def test_a_device_is_written_directly(run: Run) -> None:
    Path("m.py").write_text(SIGN)
    assert run("convert", "m.py", "-o", os.devnull) == (0, "", "")
    assert not Path(os.devnull).is_file()


@pytest.mark.slow
def test_a_closed_pipe_is_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(SIGN + "# " + "x" * 200_000 + "\n")
    command = f"{sys.executable} -m autograph convert m.py | head -c 10"
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout and done.stderr == ""
    (tmp_path / "n.py").write_text(SIGN * 2000)
    command = f"{sys.executable} -m autograph explain n.py | head -c 10"
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout and done.stderr == ""


# --- show ---


def test_show_prints_the_function_with_the_meaning_of_the_runtime_name(run: Run) -> None:
    Path("m.py").write_text("import functools\n\n@functools.cache\n" + SIGN)
    code, out, err = run("show", "m.py:sign")
    assert code == 0 and err == ""
    assert out.startswith("import autograph.runtime as ag__\n") and "@functools.cache\ndef sign(x):\n" in out
    compile(out, "shown", "exec")


def test_show_tree(run: Run) -> None:
    Path("m.py").write_text(SIGN)
    code, out, _ = run("show", "m.py:sign", "--ast")
    assert code == 0 and out.lstrip().startswith("FunctionDef(") and "if_stmt" in out


def test_show_inner_functions_methods_and_lambdas(run: Run) -> None:
    Path("m.py").write_text(
        "class C:\n    def m(self):\n        def inner(x):\n            return 1 if x else 2\n        return inner\n"
        "relu = lambda x: x if x > 0 else 0\n"
        "low, high = lambda x: x if x < 0 else 0, lambda x: x if x > 9 else 9\n"
    )
    assert "def m(self):" in run("show", "m.py:C.m")[1]
    assert run("show", "m.py:C.m.inner")[1].splitlines()[3].startswith("def inner(x):")
    assert "lambda x: ag__.if_exp(" in run("show", "m.py:relu")[1]
    assert "ag__.if_exp(x > 9" in run("show", "m.py:high")[1]


def test_show_suggests_a_name(run: Run) -> None:
    Path("m.py").write_text(SIGN)
    assert run("show", "m.py:sing") == (2, "", "m.py: no function sing; did you mean sign?\n")
    assert run("show", "m.py:total") == (2, "", "m.py: no function total; it has sign\n")
    Path("p.py").write_text(PLAIN)
    assert run("show", "p.py:f") == (2, "", "p.py: no function f; it has no functions\n")
    Path("b.py").write_text(BROKEN)
    assert run("show", "b.py:f") == (2, "", "b.py:1:7: invalid syntax\n")


def on_a_terminal(arguments: list[str], cwd: Path, **environment: str) -> str:
    """What a command prints when stdin, stdout and stderr are a terminal."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80", **environment}
    command = [sys.executable, "-m", "autograph", *arguments]
    started = subprocess.Popen(command, cwd=cwd, env=environment, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    output = b""
    try:
        while chunk := os.read(ours, 4096):
            output += chunk
    except OSError:  # Linux reports the end of the other side this way
        pass
    os.close(ours)
    assert started.wait() == 0
    return output.decode()


@pytest.mark.slow
def test_colours_are_for_terminals(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(SIGN)
    colored = on_a_terminal(["show", "m.py:sign"], tmp_path)
    assert "\x1b[35mdef\x1b[0m" in colored
    assert "\x1b[" not in on_a_terminal(["show", "m.py:sign"], tmp_path, NO_COLOR="1")
    assert "\x1b[" not in on_a_terminal(["show", "m.py:sign"], tmp_path, TERM="dumb")
    assert "\x1b[" not in process("show", "m.py:sign", cwd=tmp_path).stdout


@pytest.mark.slow
def test_a_terminal_shows_progress_and_ends_clean(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"m{number}.py").write_text(SIGN)
    output = on_a_terminal(["convert", ".", "--in-place"], tmp_path)
    assert "] 3/3 m2.py" in output
    assert output.endswith("\r\x1b[K3 converted, 0 unchanged\r\n")
    assert "\r" not in process("convert", ".", "-o", "out", cwd=tmp_path).stderr


# --- run ---

SCRIPT = '''\
"""A script."""
import sys
import autograph as ag
import jax

def sign(x):
    if x > 0:
        return 1
    return -1

class Shape:
    def area(self, w):
        return w if w > 2 else 2

relu = lambda x: x if x > 0 else 0

print(__name__, __doc__, sys.argv, __file__)
print(jax.jit(sign)(-3.0), jax.jit(Shape().area)(5), jax.jit(relu)(-1))
import pickle, __main__
print(pickle.loads(pickle.dumps(sign)) is sign is __main__.sign, "_MARK" in globals())
'''


@pytest.mark.slow
def test_run_converts_the_functions_of_the_script(tmp_path: Path) -> None:
    (tmp_path / "s.py").write_text(SCRIPT)
    done = process("run", "s.py", "--flag", "--", "-x", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        f"__main__ A script. ['s.py', '--flag', '--', '-x'] {tmp_path / 's.py'}",
        "-1 5 0",
        "True False",
    ]


@pytest.mark.slow
def test_run_finds_the_modules_beside_the_script(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "beside.py").write_text("value = 7\n")
    (tmp_path / "sub" / "s.py").write_text("import beside\nprint(beside.value)\n")
    assert process("run", "sub/s.py", cwd=tmp_path).stdout == "7\n"


@pytest.mark.slow
@pytest.mark.parametrize(("ending", "code"), [("sys.exit(3)", 3), ("sys.exit()", 0), ("sys.exit('bye')", 1)])
def test_run_passes_the_exit_code_through(tmp_path: Path, ending: str, code: int) -> None:
    (tmp_path / "s.py").write_text(f"import sys\n{ending}\n")
    assert process("run", "s.py", cwd=tmp_path).returncode == code


@pytest.mark.slow
def test_run_shows_the_traceback_that_python_shows(tmp_path: Path) -> None:
    (tmp_path / "s.py").write_text("def f(x):\n    if x:\n        return 1 / 0\n\nprint('before')\nf(1)\n")
    converted = process("run", "s.py", cwd=tmp_path)
    plain = subprocess.run([sys.executable, "s.py"], cwd=tmp_path, capture_output=True, text=True)
    assert converted.stderr == plain.stderr and "ZeroDivisionError" in plain.stderr
    assert (converted.returncode, converted.stdout) == (plain.returncode, plain.stdout) == (1, "before\n")


def test_run_reports_a_syntax_error_with_its_place(run: Run) -> None:
    Path("b.py").write_text(BROKEN)
    assert run("run", "b.py") == (2, "", "b.py:1:7: invalid syntax\n")


# --- the rest ---


def test_version_and_help(run: Run) -> None:
    from autograph import __version__

    assert run("--version") == (0, f"jax-autograph {__version__}\n", "")
    for arguments in (["--help"], ["convert", "--help"], ["show", "--help"], ["run", "--help"]):
        code, out, err = run(*arguments)
        assert code == 0 and err == "" and out.startswith("usage: autograph")


@pytest.mark.slow
def test_interrupt(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "m.py")
    # A shell's background jobs ignore the signal, and what they start does too.
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    run = "import runpy; runpy.run_module('autograph', run_name='__main__', alter_sys=True)"
    command = [sys.executable, "-c", heard + run, "convert", "m.py"]
    started = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE)
    with open(tmp_path / "m.py", "wb"):  # waits until the other side reads
        started.send_signal(signal.SIGINT)
        assert started.wait() == 130
    assert started.stderr and started.stderr.read() == b"autograph: interrupted\n"
    started.stderr.close()


def current_umask() -> int:
    value = os.umask(0)
    os.umask(value)
    return value
