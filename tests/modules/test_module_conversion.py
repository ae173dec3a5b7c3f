"""Whole files: what is outside the converted functions keeps its bytes, what is inside means the same."""

import ast
import importlib.util
import textwrap
from pathlib import Path
from types import ModuleType

import jax
import jax.numpy as jnp
import pytest

import autograph as ag
from autograph.modules.module_conversion import MARKER, ParsedModule, convert_module
from autograph.modules.module_source import InvalidSource

SIGN = "def sign(x):\n    if x > 0:\n        return 1\n    return -1\n"


def converted(source: str | bytes, names: frozenset[str] | None = None) -> str:
    raw = source.encode() if isinstance(source, str) else source
    return convert_module(raw, "m.py", names).output.decode("utf-8-sig")


def imported(text: str | bytes, folder: Path, name: str = "converted_module") -> ModuleType:
    path = folder / f"{name}.py"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def outside(text: str) -> list[str]:
    """The lines of a module that stand in no function."""
    inside: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            inside.update(range(node.body[0].lineno, (node.end_lineno or 0) + 1))
    return [line for number, line in enumerate(text.splitlines(), 1) if number not in inside and MARKER not in line]


BUSY = '''\
#!/usr/bin/env python3
# A licence.

"""Doc of the module."""

from __future__ import annotations

import functools   # two spaces too many

import jax.numpy as jnp

LIMIT = { 'a' :1 }   # odd spacing


def decorate(f):
    return f


@decorate  # why
@functools.lru_cache(
    maxsize=None,  # comment in a decorator
)
def pick(   x , *, factor = 2 ):   # header
    """Doc of pick.

      Indented.
    """

    # before the if
    if x > 0:  # the test
        # inside
        y = x * factor
    else:
        y = -x

    return y  # result


# between


class Shape:
\t"""Tabs."""

\tscale = 1 if LIMIT else 2

\tdef area(self, w, h):
\t\tif w < h:
\t\t\tw, h = h, w
\t\treturn w * 10 + h

\t@property
\tdef double(self):
\t\treturn 2 if self.scale else 0


if __name__ == "__main__":
    print( pick( 3 ) )
'''


def test_source_outside_the_functions_is_untouched() -> None:
    result = converted(BUSY)
    assert outside(result) == outside(BUSY)
    assert result.count(f"# {MARKER}") == 1


def test_decorators_signature_and_docstring_keep_their_source() -> None:
    result = converted(BUSY)
    header = BUSY[BUSY.index("@decorate  # why") : BUSY.index("    # before the if")]
    assert header in result


def test_comments_inside_a_function_stay_with_their_statements() -> None:
    result = converted(BUSY)
    for comment in ("# before the if", "# the test", "# inside", "# result"):
        assert result.count(comment) == 1
    lines = result.splitlines()
    assert "y = x * factor" in lines[next(i for i, line in enumerate(lines) if "# inside" in line) + 1]


def test_the_import_follows_docstring_and_future_imports(tmp_path: Path) -> None:
    lines = converted(BUSY).splitlines()
    assert lines[:2] == ["#!/usr/bin/env python3", "# A licence."]
    assert lines[lines.index("import functools   # two spaces too many") - 1].startswith(
        "import autograph.runtime as ag__  # converted by jax-autograph"
    )
    assert imported(converted(BUSY), tmp_path).__doc__ == "Doc of the module."


def test_the_result_runs_with_the_same_names_and_under_jit(tmp_path: Path) -> None:
    plain, module = imported(BUSY, tmp_path, "plain"), imported(converted(BUSY), tmp_path)
    assert [n for n in vars(module) if not n.startswith("_") and n != "ag__"] == [
        n for n in vars(plain) if not n.startswith("_")
    ]
    assert module.pick.__doc__ == plain.pick.__doc__
    assert [module.pick(x) for x in (3, -3)] == [plain.pick(x) for x in (3, -3)] == [6, 3]
    assert jax.jit(module.pick.__wrapped__)(-3) == 3
    assert jax.jit(module.Shape().area)(2, 5) == plain.Shape().area(2, 5) == 52
    assert module.Shape().double == 2


@pytest.mark.parametrize("line_end", ["\r\n", "\r"])
def test_line_ends_are_kept(line_end: str) -> None:
    result = converted(BUSY.replace("\n", line_end))
    assert result == converted(BUSY).replace("\n", line_end)


def test_byte_order_mark_and_encoding_are_kept() -> None:
    bom = b"\xef\xbb\xbf"
    assert convert_module(bom + SIGN.encode(), "m.py").output.startswith(bom + b"import autograph.runtime")
    raw = f"# -*- coding: latin-1 -*-\n# caf\xe9\n{SIGN}".encode("latin-1")
    result = convert_module(raw, "m.py").output
    assert result.startswith(b"# -*- coding: latin-1 -*-\n# caf\xe9\n") or b"# caf\xe9\n" in result
    assert result.startswith(b"# -*- coding: latin-1 -*-\n")
    ast.parse(result)


def test_characters_that_the_encoding_lacks_are_escaped(tmp_path: Path) -> None:
    raw = b'# coding: latin-1\ndef f(x):\n    return "\\u20ac" if x else "\xe9"\n'
    module = imported(convert_module(raw, "m.py").output, tmp_path)
    assert (module.f(True), module.f(False)) == ("€", "é")


def test_strings_over_several_lines_keep_their_value(tmp_path: Path) -> None:
    source = "def f(x):\n\tif x:\n\t\ty = f'''{x}\n  b\n'''\n\telse:\n\t\ty = '''c\n\t\td'''\n\treturn y\n"
    module = imported(converted(source), tmp_path)
    assert (module.f(1), module.f(0)) == ("1\n  b\n", "c\n\t\td")


@pytest.mark.parametrize(
    "source",
    [
        "def f(x): return 1 if x else 2",
        "def f(x): return 1 if x else 2;",
        "def f(x): 'doc'; return 1 if x else 2  # why\n",
        "def f(x):\n  'doc'; return 1 if x else 2\n",
        "def f(x):\n\n  # first\n  return (1 if x else\n 2)  # last\n  # after\n",
        "def f(x): \\\n  return 1 if x else 2\n",
        "if True:\n  def f(x):\n   return 1 if x else 2\n",
        "try:\n\tdef f(x):\n\t\treturn 1 if x else 2\nfinally:\n\tpass\n",
        "f = lambda x: (1 if x else\n  2)\n",
        "from __future__ import annotations; import os\ndef f(x): return 1 if x else 2\n",
        '"Doc."; import os\ndef f(x): return 1 if x else 2\n',
        "# about f\ndef f(x):\n\treturn 1 if x else 2\n",
        "\n\n\ndef f(x):\n    é = 1\n    return é if x else 2\n",
        "f, g = [lambda x: 1 if x else 2, lambda x: 3 if x else 4]\n",
        "def f(x, key=lambda y: 1 if y else 2): return key(x)\n",
        "class C:\n  @staticmethod\n  def f(x):\n    def g(y=1 if x else 2): return y\n    return g()\nf = C.f\n",
    ],
)
def test_layouts(source: str, tmp_path: Path) -> None:
    text = converted(source)
    module = imported(text, tmp_path)
    assert [module.f(True), module.f(False)] == [1, 2], text
    assert jax.jit(module.f)(True) == 1 and jax.jit(module.f)(False) == 2, text


def test_a_file_with_nothing_to_convert_is_unchanged() -> None:
    source = "import os\n\ndef f(x):\n    return x + 1  # plain\n"
    assert converted(source) == source


def test_a_converted_file_is_recognised_and_left_alone() -> None:
    once = convert_module(SIGN.encode(), "m.py")
    twice = convert_module(once.output, "m.py")
    assert twice.already_converted and twice.output == once.output


def test_an_alias_in_use_is_avoided(tmp_path: Path) -> None:
    text = converted("ag__ = 5\n" + SIGN)
    assert "import autograph.runtime as ag__2  #" in text
    module = imported(text, tmp_path)
    assert module.ag__ == 5 and jax.jit(module.sign)(-2.0) == -1


def test_only_the_named_functions_are_converted() -> None:
    pair = "class C:\n  def m(self, x):\n    return 1 if x else 2\n  def n(self, x):\n    return 1 if x else 2\n"
    source = SIGN + pair
    both = convert_module(source.encode(), "m.py", frozenset({"sign", "C.m", "missing"}))
    assert both.converted == ("sign", "C.m") and both.selected == {"sign", "C.m"}
    assert convert_module(source.encode(), "m.py", frozenset({"C"})).converted == ("C.m", "C.n")


def test_do_not_convert_is_obeyed() -> None:
    source = f"import autograph as ag\n\n@ag.do_not_convert\n{SIGN}"
    assert converted(source) == source


def test_a_converted_function_is_staged_once(tmp_path: Path) -> None:
    module = imported(converted(SIGN), tmp_path)
    assert ag.convert(module.sign) is module.sign


def test_functions_left_out_convert_when_they_are_called(tmp_path: Path) -> None:
    source = SIGN + "\n\ndef total(xs):\n    s = 0\n    for x in xs:\n        s += sign(x)\n    return s\n"
    module = imported(converted(source, frozenset({"total"})), tmp_path)
    assert jax.jit(module.total)(jnp.array([1.0, -2.0, 3.0])) == 1


def test_methods_with_super_and_mangled_names(tmp_path: Path) -> None:
    source = textwrap.dedent("""
        class A:
            def __init__(self):
                self.__x = 2

            def f(self, n):
                if n > 0:
                    n = n + self.__x
                return n

        class B(A):
            def f(self, n):
                if n > 1:
                    n = super().f(n)
                return n
        """)
    module = imported(converted(source), tmp_path)
    assert [module.B().f(n) for n in (1, 2)] == [1, 4]
    assert [jax.jit(module.B().f)(n) for n in (1, 2)] == [1, 4]


@pytest.mark.parametrize(
    ("raw", "place"),
    [
        (b"def f(:\n", "m.py:1:7: "),
        (b"x = 1\nreturn 1\n", "m.py:2:1: "),
        (b"x = 1\ny = '\xff'\n", "m.py:2:6: "),
        (b"# coding: nonsense\n", "m.py:1:1: "),
        (b"x = '\0'\n", "m.py:1:1: "),
        (b"def f():\n\tx\n        y\n", "m.py:3:"),
        (b"(" * 3000 + b")" * 3000, "m.py:1:"),
    ],
)
def test_what_is_no_python_is_refused_with_its_place(raw: bytes, place: str) -> None:
    with pytest.raises(InvalidSource) as caught:
        convert_module(raw, "m.py")
    assert str(caught.value).startswith(place)


def test_inner_functions_have_names() -> None:
    module = ParsedModule.read(
        b"def f():\n    def g():\n        def h(): ...\n    class C:\n        def m(self): ...\n", "m.py"
    )
    assert module.qualified_names() == ["f", "f.g", "f.g.h", "f.C.m"]


def chain_of(cases: int) -> str:
    branches = "".join(f"    elif x == {i}:\n        y = {2 * i}\n" for i in range(1, cases))
    return f"\n\ndef doubled(x):\n    if x == 0:\n        y = 0\n{branches}    else:\n        y = -1\n    return y\n"


@pytest.mark.slow
def test_a_chain_that_python_could_not_read_is_refused_with_its_line(tmp_path: Path) -> None:
    doubled = jax.jit(imported(converted(chain_of(90)), tmp_path).doubled)
    assert [int(doubled(x)) for x in (0, 1, 89, 90)] == [0, 2, 178, -1]
    with pytest.raises(ag.ConversionError) as caught:
        convert_module(chain_of(120).encode(), "chain.py")
    assert str(caught.value).splitlines()[:2] == [
        "the converted source of `doubled` would have more than the 99 levels of indentation that Python reads",
        "  at chain.py:3",
    ]


@pytest.mark.slow
def test_a_hundred_levels_of_the_author(tmp_path: Path) -> None:
    nested = "".join(f"{' ' * (i + 1)}if x > {i}:\n{' ' * (i + 2)}y += 1\n" for i in range(97))
    count = jax.jit(imported(converted(f"def count(x):\n y = 0\n{nested} return y\n"), tmp_path).count)
    assert [int(count(x)) for x in (0, 1, 50, 200)] == [0, 1, 50, 97]
