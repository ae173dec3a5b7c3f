"""Files that are edited while `%autoreload 2` of IPython is on, which compiles what it finds new without the lines of the file."""

import ast
import os
import pathlib
import subprocess
import sys
import textwrap
from types import FunctionType, ModuleType
from typing import Any

import pytest

import autograph as ag
from autograph.code.reloading import node_of

OLD = '''\
"""A module of the user's."""

from functools import cache

# What helps.


def helper(x):
    # a comment
    if x > 0:
        return x + 1
    return x


def main(x):
    return helper(x) * 2


class Model:
    scale = 2

    def scaled(self, x):
        """Text
        in two lines."""
        if x > 0:
            return x * self.scale
        return x

    @staticmethod
    def absolute(x):
        return x if x > 0 else -x

    @classmethod
    def of_class(cls, x):
        return x * cls.scale if x > 0 else x


class Other:
    def scaled(self, x):
        if x > 0:
            return x
        return -x


def make(k):
    pick = lambda x: x if x > 0 else -x

    def inner(x):
        # a comment
        if x > 0:
            return pick(x) + k
        return x

    return inner
'''
NEW = OLD.replace("x + 1", "x + 10").replace("x * self.scale", "x * self.scale * 10").replace("else -x", "else -x * 3")
NEW = NEW.replace("x * cls.scale", "x * cls.scale * 5").replace("+ k", "+ k + 100").replace("return -x", "return -x * 9")
ADDED = '''

def fresh(x):
    # new
    while x < 100:
        x = x * 2
    return x


class Late:
    def negated(self, x):
        # new
        return -x if x > 0 else x
'''
WRONG = OLD.replace("        return x + 1\n", '        return x + 1\n    else:\n        x = "text"\n')

PROGRAM = f"""
import os, sys
from IPython.core.interactiveshell import InteractiveShell

shell, path, clock = InteractiveShell.instance(), sys.argv[1], [1_600_000_000]

def run(cell):
    shell.run_cell(cell).raise_error()

def write(text):
    with open(path, "w") as file:
        file.write(text)
    clock[0] += 10
    os.utime(path, (clock[0], clock[0]))

def show(cells):
    values = []
    for cell in cells:
        run(f"value = float({{cell}})")
        values.append(shell.user_ns["value"])
    print(values)

CELLS = ["ag.jit(mod.helper)(1.0)", "ag.jit(lambda x: mod.main(x))(1.0)", "ag.convert(mod.main)(1.0)",
    "ag.function(mod.helper)(1.0)", "ag.jit(mod.Model().scaled)(1.0)", "ag.jit(mod.Model.absolute)(-1.0)",
    "ag.jit(mod.Model.of_class)(1.0)",
    "ag.jit(mod.Other().scaled)(-1.0)", "ag.jit(mod.make(3))(1.0)", "helper(1.0)", "scaled(1.0)"]
write({OLD!r})
for cell in ("%load_ext autoreload", "%autoreload 2", "import autograph as ag, jax, mod"):
    run(cell)
run("model = mod.Model(); helper, scaled = ag.jit(mod.helper), ag.jit(model.scaled)")
show(CELLS)
write({NEW!r})
show(CELLS)
write({NEW + ADDED!r})
show(["ag.jit(mod.fresh)(1.0)", "ag.jit(mod.Late().negated)(1.0)", "helper(1.0)"])
run("place = mod.helper.__code__.co_firstlineno, mod.fresh.__code__.co_filename")
print(*shell.user_ns["place"])
write({WRONG!r})
try:
    run("ag.jit(mod.helper)(1.0)")
except Exception as error:
    print(error)
"""


@pytest.mark.slow
def test_autoreload(tmp_path: pathlib.Path) -> None:
    ipython = pytest.importorskip("IPython")
    (tmp_path / "program.py").write_text(PROGRAM)
    file = tmp_path / "mod.py"
    root = str(pathlib.Path(ag.__file__).parent.parent)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([root, str(tmp_path)]), "IPYTHONDIR": str(tmp_path / "ipython")}
    command = [sys.executable, str(tmp_path / "program.py"), str(file)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=False)
    lines = done.stdout.splitlines()
    assert len(lines) > 3, done.stdout + done.stderr
    assert lines[0] == "[2.0, 4.0, 4.0, 2.0, 2.0, 1.0, 2.0, 1.0, 4.0, 2.0, 2.0]"
    assert lines[1] == "[11.0, 22.0, 22.0, 11.0, 20.0, 3.0, 10.0, 9.0, 104.0, 11.0, 20.0]"
    assert lines[2] == "[128.0, -1.0, 11.0]"
    if ipython.version_info >= (9, 0):
        assert lines[3] == "1 <string>"
    shown = "\n".join(lines[4:])
    assert f"{file}:10" in shown and "if x > 0:" in shown


def compiled(text: str, name: str) -> Any:
    """A function that IPython would make of an edited definition."""
    space: dict[str, Any] = {}
    exec(compile(ast.parse(ast.unparse(ast.parse(text))), "<reloaded>", "exec"), space)
    return space[name]


def in_class(text: str) -> dict[str, Any]:
    space: dict[str, Any] = {}
    exec("class __autoreload_class__:\n" + textwrap.indent(ast.unparse(ast.parse(textwrap.dedent(text))), "    "), space)
    return vars(space["__autoreload_class__"])


def test_methods_with_the_same_source_are_those_of_the_function_s_own_class() -> None:
    text = "class A:\n    def f(self, x):\n        return x\n\n\nclass B:\n    def f(self, x):\n        return x\n"
    code = in_class("def f(self, x):\n    return x")["f"].__code__
    tree = ast.parse(text)
    found = [node_of(code, tree, name) for name in ("A.f", "B.f")]
    assert [node.lineno for node in found if node] == [2, 7]


def test_decorators_are_dropped_or_kept() -> None:
    text = "# note\n\n@(lambda f: f)\n# note\n@(lambda f: f)\ndef f(x):\n    return lambda: x\n"
    tree = ast.parse(text)
    kept = compiled(text, "f")
    alone = ast.parse(ast.unparse(tree))
    [function] = alone.body
    assert isinstance(function, ast.FunctionDef)
    function.decorator_list = []
    space: dict[str, Any] = {}
    exec(compile(alone, "<reloaded>", "exec"), space)
    for f in (kept, space["f"]):
        assert isinstance(f, FunctionType)
        places = [node_of(code, tree, "f") for code in (f.__code__, f(1).__code__)]
        assert [(type(node), node.lineno) for node in places if node] == [(ast.FunctionDef, 6), (ast.Lambda, 7)]


def test_code_of_another_source_is_not_found() -> None:
    f = compiled("def f(x):\n    return x + 1", "f")
    for other in ("def f(x):\n    return x + 2", "def g(x):\n    return x + 1", "def g(x):\n    def f(x):\n        return x + 1"):
        assert node_of(f.__code__, ast.parse(other), "f") is None


def test_names_that_another_class_mangles_are_refused(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "class A:\n    def f(self):\n        return self.__k\n"
    file = tmp_path / "mangled.py"
    file.write_text("# edited\n" + text)
    monkeypatch.setitem(sys.modules, "IPython.extensions.deduperreload", ModuleType("deduperreload"))
    code = in_class("def f(self):\n    return self.__k")["f"].__code__.replace(co_filename=str(file))
    with pytest.raises(ag.SourceError, match="not what is running"):
        ag.convert(FunctionType(code, {"__name__": "mangled", "__file__": str(file)}))
