"""`autograph explain`: what it prints, and that it is true: checked against what happens when the programs are traced."""

from __future__ import annotations

import importlib
import logging
import re
import textwrap
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import pytest

import autograph as ag
from autograph.cli import entry
from autograph.cli.explanation import Explained, Kind, explain
from autograph.errors import AutoGraphError
from autograph.modules.module_conversion import ParsedModule
from autograph.runtime.operators import long_loops
from tests import catalogue
from tests.programs import harness

PROGRAMS = Path(harness.__file__).parent
FILES = [
    "conditionals",
    "while_loops",
    "for_loops",
    "jumps",
    "comprehensions",
    "logical",
    "exceptions",
    "matching",
    "scopes",
]

PYTHON_FILE = '''\
def search(xs, limit):
    """Where the sum first exceeds the limit."""
    total = 0
    if limit is None:
        limit = 10
    for i, x in enumerate(xs):
        total += x if x > 0 else -x
        if total > limit:
            found = i
            break
        assert total >= 0, "negative"
    big = [x for x in xs if x > limit]
    while True:
        total = total / 2
        if (
            total < 1
            and limit > 2
        ):
            return total, found


class Steps:
    def each(self, n):
        for k in range(n):
            if k > n:
                yield k


double = lambda x: 2 * x
'''

LISTING = """\
search.py:1: search: 5 python, 9 staged
 3  python       total = 0
 4  python       if limit is None:
                   ^ its test is known while tracing
 5  python           limit = 10
 6  staged       for i, x in enumerate(xs):
                   ^ lax.scan over a traced array
                   ^ over Python numbers, a loop of the program (lax.scan) from 32 iterations on (8 around a loop, 2
                     around two), if the body needs no Python number; a Python loop (unrolled) below
                   ^ lax.while_loop where the number of iterations, or whether to go on, is traced
 7  staged           total += x if x > 0 else -x
                       ^ the conditional expression: lax.cond, or a select, where its test is traced
 8  staged           if total > limit:
                       ^ lax.cond where its test is traced
 9  python               found = i
10  staged               break
                           ^ `break` leaves what may be staged: a flag, or a part of its test, stands for it
11  staged           assert total >= 0, "negative"
                       ^ a check of the compiled program where its test is traced
12  staged       big = [x for x in xs if x > limit]
                   ^ the comprehension: a loop of the program (lax.scan) from 32 items on, if it needs no Python number;
                     a Python loop (unrolled) below
                   ^ a list of at most as many elements as there are items, where the filter of the comprehension is
                     traced
13  staged       while True:
                   ^ where Python numbers decide its test, a loop of the program (lax.scan) from 32 iterations on (8
                     around a loop, 2 around two), if the body needs no Python number; a Python loop (unrolled) below
                   ^ lax.while_loop where its test is traced
14  python           total = total / 2
15  staged           if (
                       ^ part of the loop's test, which may be traced
                       ^ `and`: lax.cond, or a select, where its left side is traced
19  staged               return total, found
                           ^ a check of the compiled program that 'found' is bound, where traced tests bind it
"""


def listing(place: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert entry.main(["explain", place]) == 0
    return capsys.readouterr().out


def explained(file: Path) -> list[Explained]:
    module = ParsedModule.read(file.read_bytes(), str(file))
    return [line for target in module.targets for line in explain(module, target)]


def kinds(text: str) -> dict[int, tuple[str, str]]:
    module = ParsedModule.read(textwrap.dedent(text).encode(), "example.py")
    lines = [line for target in module.targets for line in explain(module, target)]
    return {line.lineno: (line.kind.value, "; ".join(line.notes)) for line in lines}


@pytest.fixture
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "search.py").write_text(PYTHON_FILE)
    return tmp_path


def test_the_listing(in_a_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert listing("search.py:search", capsys) == LISTING


def test_a_file_lists_all_its_functions(in_a_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    titles = [line for line in listing("search.py", capsys).splitlines() if line.startswith("search.py:")]
    assert titles == [
        "search.py:1: search: 5 python, 9 staged",
        "search.py:23: Steps.each: 2 python, 1 refused",
        "search.py:29: double: 1 python",
    ]


def test_names_that_are_not_there(in_a_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert entry.main(["explain", "search.py:serch"]) == 2
    assert capsys.readouterr().err == "search.py: no function serch; did you mean search?\n"
    assert entry.main(["explain", "nothing.py"]) == 2
    assert "cannot read" in capsys.readouterr().err


def test_parts_of_which_the_program_may_compute_the_length() -> None:
    found = kinds(
        """
        def f(x, k):
            y = x[:k] + x[
                1 : k + 1]
            return y[x > 0], x[1:-1]
        """
    )
    notes = "nothing is moved here; where a bound or the mask is traced, `ag.set_verbosity(2)` says what using it moves"
    assert found == {3: ("python", f"`x[:k]`, `x[`: {notes}"), 5: ("python", f"`y[x > 0]`: {notes}")}


def test_what_is_refused_where_a_value_is_traced() -> None:
    found = kinds(
        """
        def f(x, xs):
            if x > 0:
                y = x
            kept = {k for k in xs if k > x}
            return y, kept

        def g(x):
            if x > 0:
                yield x

        def h(x):
            if x > 0:
                return sorted(locals())
        """
    )
    assert found[5] == (
        "refused", "refused where the filter of the comprehension is traced: the number of elements would not be known"
    )
    assert found[6] == ("refused", "refused where a traced test in line 3 leaves 'y' without a value")
    assert found[9] == ("refused", "stays Python, since it holds `yield` or `await`: refused where its test is traced")
    assert found[13][0] == "refused" and found[3][0] == "staged"


def test_loops_over_python_numbers() -> None:
    found = kinds(
        """
        import autograph as ag

        def f(x, n):
            for i in range(n):
                x = x + i
            for i in range(n):
                ag.set_loop_options(unroll=True)
                x = x + i
            while n < 50:
                ag.set_loop_options(unroll=False)
                n = n + 1
            for i in ag.range(n):
                x = x + i
            y = [x[i] for i in range(n)]
            return sum(v + 1 for v in y)
        """
    )
    long = "from 32 iterations on (8 around a loop, 2 around two)"
    loop = f"a loop of the program (lax.scan) {long}, if the body needs no Python number"
    ends = "lax.while_loop where the number of iterations, or whether to go on, is traced"
    items = "a loop of the program (lax.scan) from 32 items on, if it needs no Python number; a Python loop (unrolled) below"
    assert (long_loops.LEAST, long_loops.LEAST_AROUND_A_LOOP, long_loops.LEAST_AROUND_LOOPS) == (32, 8, 2)
    assert found[5] == ("staged", f"{loop}; a Python loop (unrolled) below; {ends}")
    assert found[7] == ("staged", f"a Python loop (unrolled), as `set_loop_options` says; {ends}")
    assert found[10] == (
        "staged",
        "where Python numbers decide its test, a loop of the program (lax.scan), as `set_loop_options` says; "
        "refused if the body needs a Python number; lax.while_loop where its test is traced",
    )
    assert found[13] == ("staged", f"lax.scan; {ends}")
    assert found[15] == ("staged", f"the comprehension: {items}")
    assert found[16] == ("staged", f"the generator: {items}")


def test_a_long_function_is_explained_in_linear_time() -> None:
    body = "".join(f"    if x > {i}:\n        x = x + {i}\n" for i in range(400))
    assert len(kinds(f"def f(x):\n{body}    return x\n")) == 801


# --- truth ---


@pytest.fixture
def events(caplog: pytest.LogCaptureFixture) -> Iterator[Any]:
    """Lines by file that were staged, or might have been, in what was traced since the last time of asking."""
    caplog.set_level(logging.INFO, "autograph")
    ag.set_verbosity(3)

    def since() -> dict[str, set[int]]:
        found: dict[str, set[int]] = {}
        for record in caplog.records:
            if match := re.fullmatch(r"(.+\.py):(\d+): (.+)", record.getMessage()):
                found.setdefault(match[1], set()).add(int(match[2]))
        caplog.clear()
        return found

    yield since
    ag.set_verbosity(0)


def anew(fn: Any) -> Any:
    """The converted function in a function of its own: JAX remembers what it traced, also for other tests."""
    converted = ag.convert(fn)
    return lambda *args: converted(*args)


@pytest.mark.parametrize("name", FILES)
def test_what_is_called_python_is_never_staged(name: str, events: Any) -> None:
    """Every statement that an operator has decided on, staged or not, is called `staged` or `refused`."""
    importlib.import_module(f"tests.programs.{name}")
    file = PROGRAMS / f"{name}.py"
    for program in [p for p in harness.PROGRAMS.values() if p.fn.__module__ == f"tests.programs.{name}"]:
        arguments = harness.traced_arguments(program, program.inputs[0])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                jax.make_jaxpr(anew(program.fn), static_argnums=program.static)(*arguments)
            except Exception:  # what the program raises is the business of other tests
                pass
    reached = events().get(str(file), set())
    may_be_staged = {
        number
        for line in explained(file)
        if line.kind is not Kind.PYTHON
        for number in range(line.lineno, line.end_lineno + 1)
    }
    assert len(reached) > 5
    assert reached <= may_be_staged, f"called python, and staged: {sorted(reached - may_be_staged)}"


@pytest.mark.parametrize(
    ("page", "line", "note"),
    [
        ("unbound-variable", 5, "a traced test in line 3 leaves 'factor' without a value"),
        ("comprehension-filter", 3, "where the filter of the comprehension is traced"),
    ],
)
def test_what_is_called_refused_is_refused(page: str, line: int, note: str, tmp_path: Path) -> None:
    found = catalogue.without_further_cases()[page]
    assert found.message.startswith(("StagingError", "UndefinedVariableError"))
    kind, notes = kinds(found.program)[line]
    assert kind == "refused" and note in notes


def test_what_the_catalogue_advises_is_not_called_refused() -> None:
    for page in catalogue.pages():
        for program in page.instead:
            try:
                lines = kinds(program)
            except AutoGraphError as error:
                raise AssertionError(page.path.name) from error
            allowed = {"iterator-ends-on-a-traced-condition", "edited-source"}
            refused = [number for number, (kind, _) in lines.items() if kind == "refused"]
            assert not refused or page.path.stem in allowed, f"{page.path.name}: lines {refused}\n{program}"
