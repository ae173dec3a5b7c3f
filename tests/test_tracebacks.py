"""What the user sees when something fails: own lines with carets, no frame of ours; debuggers stop there too."""

import bdb
import inspect
import linecache
import os
import random
import subprocess
import sys
import textwrap
import traceback
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import autograph as ag
from autograph import errors
from autograph.runtime.checks import traced_strings

OURS = tuple(directory + os.sep for directory in errors.PACKAGE_DIRECTORIES)


def failing(x: Any, d: Any) -> Any:
    y = x + 1
    return y + d["missing"]


def failing_nested(x: Any, d: Any) -> Any:
    def inner(z: Any) -> Any:
        return z + d["missing"]

    return inner(x)


def failing_lambda(x: Any, d: Any) -> Any:
    return (lambda z: z + d["missing"])(x)


def failing_callee(x: Any, d: Any) -> Any:
    return failing(x, d)


def failing_in_a_generator(x: Any, d: Any) -> Any:
    def generate() -> Any:
        yield x
        yield d["missing"]

    return list(generate())


def failing_in_a_loop(x: Any, d: Any) -> Any:
    for i in range(3):
        if i == 2:
            x = x + d["missing"]
    return x


def failing_in_a_traced_branch(x: Any, d: Any) -> Any:
    if x > 0:
        x = x + d["missing"]
    return x


def failing_in_a_traced_loop(x: Any, d: Any) -> Any:
    while x < 10:
        x = (
            x + d["missing"]
        )  # fmt: skip
    return x


PROGRAMS = [
    failing,
    failing_nested,
    failing_lambda,
    failing_callee,
    failing_in_a_generator,
    failing_in_a_loop,
    failing_in_a_traced_branch,
    failing_in_a_traced_loop,
]


def frames_below(exc: BaseException, run: Callable[..., Any]) -> list[tuple[str, int | None, str | None]]:
    """Function, line and source with carets of each entry of a traceback that stands below `run`."""
    found = []
    for entry in traceback.extract_tb(exc.__traceback__):
        start, end = entry.colno, entry.end_colno
        line = linecache.getline(entry.filename, entry.lineno or 0)
        found.append((entry.name, entry.lineno, line[start:end]))
    names = [name for name, _, _ in found]
    return found[names.index(run.__name__) + 1 :]


def call(fn: Any) -> None:
    fn(1, {})


def call_jitted(fn: Any) -> None:
    jax.jit(lambda x: fn(x, {}))(1)


def call_under_vmap(fn: Any) -> None:
    jax.vmap(lambda x: fn(x, {}))(jnp.ones(2))


@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda fn: fn.__name__)
def test_plain_values_give_pythons_own_traceback(fn: Any) -> None:
    with pytest.raises(KeyError) as plain:
        call(fn)
    with pytest.raises(KeyError) as ours:
        call(ag.convert(fn))
    assert frames_below(ours.value, call) == frames_below(plain.value, call)


MAYBE_NOT_TAKEN = (failing_in_a_traced_branch, failing_in_a_traced_loop)
AT_TRACE_TIME = [fn for fn in PROGRAMS if fn not in MAYBE_NOT_TAKEN]


@pytest.mark.parametrize("run", [call_jitted, call_under_vmap], ids=["jit", "vmap"])
@pytest.mark.parametrize("fn", AT_TRACE_TIME, ids=lambda fn: fn.__name__)
def test_traced_code_shows_the_users_lines_and_none_of_ours(fn: Any, run: Any) -> None:
    with pytest.raises(KeyError) as plain:
        call(fn)
    with pytest.raises(KeyError) as ours:
        run(ag.convert(fn))
    expected = [entry for entry in frames_below(plain.value, call)]
    entries = traceback.extract_tb(ours.value.__traceback__)
    assert not [entry for entry in entries if entry.filename.startswith(OURS)]
    got = [entry for entry in frames_below(ours.value, run) if entry[2] and "site-packages" not in entry[0]]
    assert got[-1][1:] == expected[-1][1:]
    # a staged statement has a frame for its body, so the entries of plain Python are among them by line
    assert [entry[1:] for entry in got if entry[1:] in [e[1:] for e in expected]] == [entry[1:] for entry in expected]


@pytest.mark.parametrize(
    ("fn", "offset", "taken", "other"),
    [
        (failing_in_a_traced_branch, 2, 1, -1),
        (failing_in_a_traced_loop, 3, 1, 11),
    ],
    ids=["branch", "loop"],
)
def test_what_may_not_be_taken_says_where_when_it_fails(fn: Any, offset: int, taken: int, other: int) -> None:
    def run(x: Any) -> Any:
        return jax.block_until_ready(jax.jit(lambda x: ag.convert(fn)(x, {}))(x))

    line = inspect.getsourcelines(fn)[1] + offset
    with pytest.raises(Exception, match=rf"test_tracebacks\.py\", line {line}, in {fn.__name__}\nKeyError: 'missing'"):
        run(taken)
    assert run(other) == other


def test_a_prologue_leaves_no_frame() -> None:
    with pytest.raises(KeyError) as ours:
        call_jitted(ag.convert(failing))
    names = [entry.name for entry in traceback.extract_tb(ours.value.__traceback__)]
    assert names.count("failing") == 1


def frames_of(fn: Any, *args: Any) -> list[tuple[str, str]]:
    """File and line of each frame from the call of the function on."""
    with pytest.raises(Exception) as raised:
        fn(*args)
    found = traceback.extract_tb(raised.value.__traceback__)
    return [(os.path.basename(frame.filename), (frame.line or "").strip()) for frame in found[1:]]


def test_an_error_of_pythons_own_class_shows_the_function_once() -> None:
    def repeated(n: Any) -> Any:
        size = n + 1
        return [0] * size

    assert frames_of(ag.jit(repeated), 3) == [("test_tracebacks.py", "return [0] * size")]


def test_an_error_of_ours_shows_no_frame_of_the_standard_library() -> None:
    def drawn(n: Any) -> Any:
        return random.Random(1).randint(0, n)

    assert frames_of(ag.jit(drawn), 3) == [("test_tracebacks.py", "return random.Random(1).randint(0, n)")]
    with pytest.raises(ag.StagingError) as raised:
        ag.jit(drawn)(3)
    assert "During handling" not in "".join(traceback.format_exception(raised.value))


def test_a_check_that_fails_where_nothing_is_compiled_shows_its_line_once() -> None:
    def positive(x: Any) -> Any:
        assert x > 0, "no"
        return x

    frames = frames_of(jax.vmap(ag.convert(positive)), jnp.array([1.0, -1.0]))
    assert [line for name, line in frames if name == "test_tracebacks.py"] == ['assert x > 0, "no"']
    assert not [name for name, _ in frames if name == "debugging.py"]


def test_a_wrong_option_of_jit_shows_no_frame_of_ours() -> None:
    assert not [name for name, _ in frames_of(lambda: ag.jit(failing, no_option=1)) if name in ("errors.py", "api.py")]


def test_exceptions_that_refuse_attributes_are_trimmed_too() -> None:
    class Frozen(Exception):
        def __setattr__(self, name: str, value: Any) -> None:
            raise AttributeError("frozen")

        def with_traceback(self, tb: Any) -> Any:
            raise AssertionError("overridden")

    def fails(x: Any) -> Any:
        raise Frozen

    def catches(x: Any) -> Any:  # below the boundary of JAX, which sets attributes itself
        with pytest.raises(Frozen) as ours:
            ag.convert(fails)(x)
        names.extend(entry.name for entry in traceback.extract_tb(ours.tb))
        return x

    names: list[str] = []
    jax.eval_shape(catches, 1.0)
    assert names == ["catches", "fails"]


def test_context_and_cause_stay() -> None:
    def fails(d: Any) -> Any:
        try:
            d["missing"]
        except KeyError as error:
            raise ValueError("no") from error

    with pytest.raises(ValueError) as ours:
        jax.eval_shape(lambda: ag.convert(fails)({}))
    assert isinstance(ours.value.__cause__, KeyError)
    assert [entry.name for entry in traceback.extract_tb(ours.value.__cause__.__traceback__)] == ["fails"]


def test_messages_have_one_format() -> None:
    error = ag.StagingError(
        "variable 'x' has two types",
        at=failing,
        sides={"if branch": "float32[]", "else branch": "int32[3]"},
        why="one program runs both",
        instead="give it one type",
    )
    line = inspect.getsourcelines(failing)[1]
    assert str(error) == textwrap.dedent(f"""\
        variable 'x' has two types
          at {__file__}:{line}
              def failing(x: Any, d: Any) -> Any:
          if branch:   float32[]
          else branch: int32[3]
          why: one program runs both
          instead: give it one type""")
    assert isinstance(error, TypeError) and isinstance(error, ag.AutoGraphError)
    assert issubclass(ag.UndefinedVariableError, UnboundLocalError)


def test_unsupported_nodes_are_shown_with_carets() -> None:
    import ast

    from autograph.code import source

    found = source.find(failing)  # type: ignore[arg-type]
    node = next(n for n in ast.walk(found.node) if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Load))
    error = ag.Unsupported(node, "it must not be", "nothing", filename=found.filename)
    *_, text, carets, why, instead = str(error).splitlines()
    start = text.index('d["missing"]')
    assert carets == " " * start + "^" * len('d["missing"]') and why.strip() == "why: it must not be"
    assert instead.strip() == "instead: nothing"


@pytest.mark.slow
def test_debug_shows_our_frames() -> None:
    script = (
        "import jax, autograph as ag\nfrom tests_debug import f\n"
        "try: jax.eval_shape(ag.convert(f), 1.0)\nexcept KeyError:\n    import traceback; traceback.print_exc()\n"
    )
    root = Path(__file__).resolve().parents[1]
    for debug, shown in (("", False), ("1", True)):
        environment = {**os.environ, "AUTOGRAPH_DEBUG": debug, "PYTHONPATH": str(root), "JAX_PLATFORMS": "cpu"}
        done = _run_beside(script, environment)
        assert ("pipeline.py" in done) == shown, done


def _run_beside(script: str, environment: dict[str, str]) -> str:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "tests_debug.py").write_text("def f(x):\n    return {}[x]\n")
        environment["PYTHONPATH"] += os.pathsep + folder
        done = subprocess.run(
            [sys.executable, "-c", script.replace("{}[x]", "{}['k']")],
            capture_output=True,
            text=True,
            env=environment,
            cwd=folder,
            check=False,
        )
    return done.stdout + done.stderr


class Stops(bdb.Bdb):
    """A debugger that notes where a breakpoint stopped."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, int, Any]] = []

    def user_line(self, frame: Any) -> None:
        if self.break_here(frame):
            self.seen.append((frame.f_code.co_name, frame.f_lineno, frame.f_locals.get("y")))
        self.set_continue()


@pytest.mark.parametrize("run", [call, call_jitted], ids=["plain", "traced"])
def test_breakpoints_stop_at_the_users_line(run: Any) -> None:
    line = inspect.getsourcelines(failing)[1] + 2
    debugger = Stops()
    debugger.set_break(__file__, line)
    before = sys.gettrace()
    try:
        debugger.runcall(_swallow, run, ag.convert(failing))
    finally:
        sys.settrace(before)
    assert [(name, at) for name, at, _ in debugger.seen] == [("failing", line)]
    assert debugger.seen[0][2] is not None


def _swallow(run: Any, fn: Any) -> None:
    try:
        run(fn)
    except KeyError:
        pass


def test_xla_metadata_names_the_users_line() -> None:
    def computes(x: Any) -> Any:
        return jnp.sin(x)

    text = jax.jit(ag.convert(computes)).lower(1.0).as_text(debug_info=True)
    line = inspect.getsourcelines(computes)[1] + 1
    assert f'{os.path.basename(__file__)}":{line}:' in text
    assert "pipeline.py" not in text


def test_a_cell_of_a_notebook_has_the_name_that_its_reader_sees(monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = SimpleNamespace(_filename_map={__file__: 7})
    shell = SimpleNamespace(compile=compiler)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))  # type: ignore[arg-type]  # a stub
    assert errors.Location("other.py", 3).text() == "other.py:3"
    assert errors.Location(__file__, 1).text().startswith("In[7]:1\n")
    del compiler._filename_map
    assert errors.shown_name(__file__) == __file__


def test_a_warning_names_the_cell_of_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    def shows(x: Any) -> Any:
        if x > 0:
            print("positive", x)
        return x

    shell = SimpleNamespace(compile=SimpleNamespace(_filename_map={__file__: 7}))
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))  # type: ignore[arg-type]  # a stub
    traced_strings._tell_of_printing.cache_clear()
    with pytest.warns(ag.AutoGraphWarning, match="'positive {}', x") as found:
        ag.jit(shows)(1.0)
    assert [(w.filename, w.lineno) for w in found] == [("In[7]", inspect.getsourcelines(shows)[1] + 2)]


variable = ag.Variable(jnp.zeros(3), name="state")


class Failing:
    """Methods of `ag.function` that fail while they are traced, and when their program runs."""

    @ag.function
    def in_a_branch(self, x: Any) -> Any:
        if x > 0:
            y = jnp.ones(3)
        else:
            y = jnp.ones((4, 1))
        return y

    @ag.function
    def at_once(self, x: Any) -> Any:
        raise ValueError("no")

    @ag.function
    def in_the_program(self, x: Any) -> Any:
        if x > 0:
            raise ValueError("no")
        return x

    @ag.function
    def of_a_variable(self, x: Any) -> Any:
        variable.assign(jnp.ones(4))
        return x


CALLS = {
    "refused": lambda: Failing().in_a_branch(jnp.float32(1)),
    "raised": lambda: Failing().at_once(jnp.float32(1)),
    "failed": lambda: Failing().in_the_program(jnp.float32(1)),
    "assigned": lambda: Failing().of_a_variable(jnp.float32(1)),
    "outside": lambda: variable.assign_add(jnp.ones(4)),
    "operator": lambda: variable + "text",
    "signature": lambda: ag.function(lambda x: x).get_concrete_function(jnp.float32(1))(jnp.ones(3)),
    "options": lambda: ag.function(input_signature=[ag.TensorSpec([2])])(lambda x: x)(jnp.ones(3)),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_what_fails_in_a_function_or_a_variable_shows_the_users_lines_and_none_of_ours(call: Any) -> None:
    with pytest.raises((TypeError, ValueError)) as raised:
        call()
    text = "".join(traceback.format_exception(raised.value))
    assert not [directory for directory in OURS if directory in text], text
    assert "During handling" not in text
