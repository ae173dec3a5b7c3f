"""Odd sources, deep and long functions, hostile names, decorators, memory: what Python runs converts, and agrees with it."""

from __future__ import annotations

import __hello__
import gc
import importlib
import importlib.util
import itertools
import linecache
import py_compile
import subprocess
import sys
import textwrap
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
import pytest

import autograph as ag
from autograph.code import registry, source
from autograph.conversion import pipeline
from tests.programs.harness import difference

Load = Callable[..., ModuleType]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    count = 0

    def module(text: str | bytes, encoding: str = "utf-8") -> ModuleType:
        nonlocal count
        count += 1
        path = tmp_path / f"written{count}.py"
        path.write_bytes(text if isinstance(text, bytes) else textwrap.dedent(text).encode(encoding))
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None and spec.loader is not None
        made = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(made)
        return made

    return module


def agrees(fn: Any, *args: Any) -> None:
    """Plain Python and the compiled program give the same."""
    assert difference(fn(*args), jax.jit(ag.convert(fn))(*args), types="promoted") is None


# --- names ---

NAMES = """
def f(x, get_state=1, set_state=2, loop_body=3, if_body=4, else_body=5, return_=6, return_value=7, continue_=9):
    ag__ = match = 1
    case, type, _, __ = 2, 3, 4, 5
    while x > 0:
        x = x - 1
        if x < return_value - 5:
            break_ = x
            break
        if x == 100:
            continue
        match = match + 1
        match x:
            case 1:
                case = type
            case _:
                type = _
        return_ = return_ + loop_body
    for _ in range(3):
        if x > 50:
            return return_value
        if_body, ag__ = if_body + _, ag__ + 1
        __ = else_body
    return get_state + set_state + loop_body + if_body + else_body + return_ + continue_ + match + case + type + _ + __ + ag__
"""


def test_names_of_ours_are_the_users_where_the_user_has_them(load: Load) -> None:
    agrees(load(NAMES).f, 9.0)


def test_names_that_are_almost_keywords(load: Load) -> None:
    text = """
    def match(x): return x + 1
    def case(x): return x * 2

    def f(x):
        type, y = match, 0.0
        if x > 0:
            x = match(case(x))
        match (x):
            case 3: y = 1.0
            case type if x > 2: y = 2.0
        return y
    """
    fn = load(text).f
    for x in (1.0, 2.0, -1.0):
        agrees(fn, x)


def test_names_beyond_ascii_are_normalised_as_python_does(load: Load) -> None:
    text = """
    def f(größe, ﬁ=1, 数=2):
        π = 3.0
        if größe > π:
            π = größe
            fi = ﬁ + 数
        else:
            fi = ﬁ
        return π + fi + 数
    """
    agrees(load(text).f, 5.0)


def test_private_names_of_a_class(load: Load) -> None:
    text = """
    class _Account:
        def __init__(self):
            self.__balance = 2.0

        def deposit(self, x):
            __fee = 0.0
            if x > 0:
                self.__balance = x
                __fee = 1.0
            return self.__balance + __fee

    def f(x):
        return _Account().deposit(x)
    """
    agrees(load(text).f, 5.0)


# --- sources ---

BODY = "def f(x):\n\tif x > 0:\n\t\ty = x\n\telse:\n\t\ty = -x\n\treturn y\n"


@pytest.mark.parametrize(
    "text",
    [
        BODY,
        BODY.replace("\n", "\r\n"),
        BODY.replace("\n", "\r"),
        BODY.rstrip("\n"),
        "\ufeff" + BODY,
        "x = 1\n\f\ndef f(x):\n\f    if x > 0:\n\f        y = x\n    else:\n        y = 1\n\f    return y\n",
        "def f(x):\n    if x > 0: y = x; z = \\\n  3\n    else: y, z = \\\n    1, \\\n    2\n    return y + \\\n  z\n",
        "def f(x):\n    s = 'a\x0bb\x1c\x85\u2028c'\n    return len(s) if x > 0 else 1\n",
        "def f(x):\n    s = '''a\n\n  b\\\n'''\n    return len(s) if x > 0 else 1",
    ],
    ids=["tabs", "crlf", "cr", "no last line end", "mark", "form feeds", "continuations", "separators", "long string"],
)
def test_sources_as_python_takes_them(text: str, load: Load) -> None:
    fn = load(text.encode()).f
    agrees(fn, 1.0)
    agrees(fn, -1.0)


@pytest.mark.parametrize(
    ("encoding", "word"),
    [("latin-1", "é"), ("cp1252", "ž"), ("shift_jis", "日本"), ("koi8-r", "ж"), ("utf-8", "é")],
)
def test_encodings_of_a_cookie(encoding: str, word: str, load: Load) -> None:
    text = f"# -*- coding: {encoding} -*-\ndef f(x):\n    {word} = '{word}'; y = x if x > 0 else len({word})\n    return y\n"
    agrees(load(text, encoding).f, 1.0)
    agrees(load(text, encoding).f, -1.0)


def test_modules_in_a_zip_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(tmp_path / "archive.zip", "w") as archive:
        archive.writestr("in_a_zip.py", BODY)
        archive.writestr("zipped_package/__init__.py", "")
        archive.writestr("zipped_package/inside.py", BODY)
    monkeypatch.syspath_prepend(tmp_path / "archive.zip")
    agrees(importlib.import_module("in_a_zip").f, -1.0)
    agrees(importlib.import_module("zipped_package.inside").f, -1.0)


def test_a_module_without_its_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "only_compiled.py"
    path.write_text(BODY)
    py_compile.compile(str(path), cfile=str(path.with_suffix(".pyc")))
    path.unlink()
    monkeypatch.syspath_prepend(tmp_path)
    fn = importlib.import_module("only_compiled").f
    with pytest.raises(ag.SourceError, match="make the .py file available beside the compiled one"):
        ag.convert(fn)
    assert jax.jit(ag.convert(lambda x: fn(2.0) + x))(1.0) == 3.0  # a callee stays as it is


def test_a_frozen_module(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(__hello__, "__file__", raising=False)  # some builds keep the text of frozen modules beside them
    with pytest.raises(ag.SourceError, match="cannot find the source(.|\n)*frozen modules have none"):
        ag.convert(__hello__.main)


# --- depth and length ---


def nested(statement: str, levels: int) -> str:
    lines = [" " * (k + 1) + statement.format(k) for k in range(levels)]
    return "\n".join(["def f(x):", *lines, " " * (levels + 1) + "x = x + 1", " return x", ""])


@pytest.mark.parametrize(
    "text",
    [
        nested("if x > -{}:", 97),  # Python's parser takes 100 indentations
        nested("while x < {}:", 19),  # and its compiler 20 loops
        nested("for i{} in range(1):", 19),
        "def f(x):\n if x > 9:\n  x = x + 1\n"
        + "".join(f" elif x > {8 - k}:\n  x = x + {k}\n" for k in range(40))
        + " return x\n",
        "def f(x):\n return " + "".join(f"(x if x > {k + 3} else " for k in range(90)) + "x" + ")" * 90 + "\n",
        "def f(x):\n return " + " and ".join(f"x > {-k}" for k in range(150)) + "\n",
        "def f(x):\n return " + "+".join("x" for _ in range(300)) + "\n",
    ],
    ids=["if", "while", "for", "elif", "conditional expression", "and", "sum"],
)
def test_as_deep_as_python_takes_it(text: str, load: Load) -> None:
    fn = load(text).f
    fn(2.0)
    before = sys.getrecursionlimit()
    jax.make_jaxpr(ag.convert(fn))(2.0)
    compile(ag.to_code(fn), "view", "exec")
    assert sys.getrecursionlimit() == before


def test_endless_recursion_is_still_found() -> None:
    def down(x):
        return down(x - 1) if x > 0 else x

    with pytest.raises(ag.StagingError, match="'down' calls itself under a traced condition"):
        ag.jit(down)(3.0)


def seconds(load: Load, lines: int) -> float:
    body = "".join(f"    y = y + {k % 7}\n" if k % 10 else f"    y = y - 1 if y > {k} else y\n" for k in range(lines))
    fn = load(f"def f(x):\n    y = x\n{body}    return y\n").f
    began = time.process_time()
    ag.to_code(fn)
    return time.process_time() - began


@pytest.mark.slow
def test_twenty_thousand_lines_take_twenty_times_as_long_as_a_thousand(load: Load) -> None:
    seconds(load, 100)
    assert seconds(load, 20_000) < 20 * 3 * seconds(load, 1000)


# --- decorators, redefinition ---


def test_decorators_that_keep_replace_and_cache(load: Load) -> None:
    text = """
    import functools

    @functools.lru_cache(None)
    def cached(n):
        return n + 1

    def keep(fn):
        @functools.wraps(fn)
        def inner(*args):
            return fn(*args)
        return inner

    def replace(fn):
        return lambda x: -x if x > 0 else x

    @keep
    def kept(x):
        if x > 0:
            return x
        return -x

    @replace
    def replaced(x):
        raise AssertionError

    def f(x):
        return kept(x) + cached(2) + replaced(x)
    """
    fn = load(text).f
    agrees(fn, 1.0)
    agrees(fn, -1.0)


def test_a_name_that_is_defined_again_means_the_new_function(load: Load) -> None:
    module = load("def g(x):\n    return x if x > 0 else -x\n\ndef f(x):\n    return g(x)\n")
    converted = ag.convert(module.f)
    assert jax.jit(lambda x: converted(x))(-2.0) == 2.0
    exec(compile("def g(x):\n    return 3 * x\n", "<cell 2>", "exec"), module.__dict__)  # no source: runs as it is
    assert jax.jit(lambda x: converted(x))(-2.0) == -6.0


# --- memory ---


def test_a_thousand_closures_share_one_conversion() -> None:
    def make(n):
        def above(x):
            return x if x > n else -x

        return above

    first = ag.convert(make(0))
    jax.make_jaxpr(first)(1.0)
    before = codes()
    made = [ag.convert(make(n)) for n in range(1000)]
    for fn in made[:100]:
        jax.make_jaxpr(fn)(1.0)
    assert {id(fn.__code__) for fn in made} == {id(first.__code__)}
    assert codes() <= before


def codes() -> set[tuple[str, int]]:
    """The code objects that the library knows."""
    return {(code.co_qualname, id(code)) for code in (entry[0]() for entry in list(registry._KNOWN.entries.values())) if code}


def made_from_source(number: int) -> Any:
    """A function with a source and globals of its own, as notebooks and generators of code make them."""
    name = f"<made {number}>"
    text = f"def f(x):\n    if x > {number}:\n        return x\n    return -x\n"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace: dict[str, Any] = {"__name__": "made"}
    exec(compile(text, name, "exec"), namespace)
    return namespace["f"]


@pytest.mark.slow
@pytest.mark.usefixtures("with_few_objects")
def test_conversions_of_functions_that_are_gone_take_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "_KEPT_FILES", 8)
    monkeypatch.setattr(source, "_FILES", {})

    def convert(numbers: range) -> tuple[int, int]:
        for number in numbers:
            fn = made_from_source(number)
            pipeline.staged(ag.convert(fn))
            pipeline.staged(fn)
            del linecache.cache[fn.__code__.co_filename]
        gc.collect()
        return tracemalloc.get_traced_memory()[0], len(registry._KNOWN.entries)

    tracemalloc.start()
    try:
        first, *later = [convert(range(start, start + 150)) for start in range(0, 750, 150)]
    finally:
        tracemalloc.stop()
    assert max(roles for _, roles in later) <= first[1]
    # What is kept for good grows in every window; a table that the whole process shares (that of the interned strings
    # takes megabytes) is laid out anew in one of them. What one conversion builds takes some 20 kB.
    sizes = [size for size, _ in (first, *later)]
    grown = min(after - before for before, after in itertools.pairwise(sizes))
    assert grown < 150 * 4000, f"{grown / 150:.0f} bytes a conversion, sizes {sizes}"


def test_a_converted_function_lives_as_long_as_its_module(load: Load) -> None:
    module = load("def f(x):\n    return x if x > 0 else -x\n")
    sys.modules[module.__name__] = module
    try:
        number = id(ag.convert(module.f))
        gc.collect()
        assert id(ag.convert(module.f)) == number  # nobody else held it
    finally:
        del sys.modules[module.__name__]


WATCHED = """
import sys
import jax
import autograph as ag

executed = []

def watch(event, arguments):
    if event == "exec" and arguments[0].co_filename == __file__:  # what `exec` and `eval` run
        executed.append(arguments[0])

def counted(value):
    calls.append(value)
    return lambda fn: fn

calls = []

@counted("decorator")
def climb(x, step=counted("default"), *, by: counted("annotation") = 2):
    "Doc."
    class Local:
        kept = counted("class body")
    while x < 10:
        x = x + by
    return x

before = list(calls)
sys.addaudithook(watch)
eval(compile("1", __file__, "eval"))
assert executed.pop() and not executed
converted = ag.convert(climb)
text = ag.to_code(climb)
lowered = jax.jit(converted).lower(1)
assert "while_loop" in text and "while" in lowered.as_text()
print(before, calls[len(before):], executed)
"""


@pytest.mark.slow
def test_conversion_evaluates_nothing_of_the_users(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(WATCHED)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    # decorators, defaults and annotations once, by Python itself; the class body when the function was traced
    assert done.stdout == "['decorator', 'default', 'annotation'] ['class body'] []\n", done.stdout + done.stderr
