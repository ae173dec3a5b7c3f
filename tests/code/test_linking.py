"""Edited trees run at the author's place: names, cells, positions, flags, and constants that nobody sees."""

import ast
import inspect
import math
import sys
import traceback
from collections.abc import Callable
from typing import Any

import pytest

from autograph.code import code_places, linking, source
from autograph.code.trees import changed, rebuild
from autograph.conversion import pipeline
from autograph.errors import ConversionError


class Runtime:
    """Stands for `autograph.runtime`."""

    calls: list[str] = []

    @staticmethod
    def note(value: Any) -> Any:
        Runtime.calls.append("note")
        return value


def noting_returns(node: Any) -> Any:
    """Wraps the value of each `return` in `ag__.note(...)`."""
    if isinstance(node, ast.Return) and node.value is not None:
        name = ast.copy_location(ast.Name("ag__", ast.Load()), node.value)
        method = ast.copy_location(ast.Attribute(name, "note", ast.Load()), node.value)
        return changed(node, value=ast.copy_location(ast.Call(method, [node.value], []), node.value))
    return rebuild(node, noting_returns)


def relinked(fn: Callable[..., Any], edit: Callable[[Any], Any] = noting_returns) -> Any:
    found = source.find(fn)  # type: ignore[arg-type]
    return linking.make_function(linking.link(edit(found.node), found, {"ag__": Runtime}), fn)  # type: ignore[arg-type]


def describe(code: Any) -> Any:
    """What belongs to a code object's place, for it and those inside it."""
    inner = [describe(constant) for constant in code.co_consts if inspect.iscode(constant)]
    return code.co_name, code.co_qualname, code.co_firstlineno, code.co_flags, code.co_freevars, code.co_varnames, inner


class Outer:
    class _Inner:
        __hidden = 5

        def method(self, x: int, *, __key: int = 2) -> Any:
            """Doc."""

            def local() -> int:
                return self.__hidden + __key

            return local() + x

        def up(self) -> Any:
            return super().__init__, __class__  # type: ignore[name-defined]


def factory(n: int) -> Any:
    __unmangled = n

    def recursive(k: int) -> Any:
        return n if k == 0 else recursive(k - 1)

    class Local:
        def method(self) -> Any:
            return __unmangled if False else (n, recursive, lambda: self)

    return recursive, Local, [lambda: (n, i) for i in range(2)], lambda x: lambda y: (x, y, n)  # noqa: B023


def identity_decorator(fn: Any) -> Any:
    return fn


@identity_decorator
@identity_decorator
def decorated(
    x: int = 1,
    *,
    y: int = 2,
) -> int:
    # a comment
    return x + y


FUNCTIONS = {
    "method": Outer._Inner.method,
    "super": Outer._Inner.up,
    "recursive": factory(1)[0],
    "local class": factory(1)[1].method,
    "in a comprehension": factory(1)[2][0],
    "lambda in a lambda": factory(1)[3](1),
    "decorated": decorated,
}


@pytest.mark.parametrize("fn", FUNCTIONS.values(), ids=FUNCTIONS.keys())
def test_an_unchanged_tree_gives_the_same_code(fn: Any) -> None:
    same = relinked(fn, lambda tree: tree)
    assert describe(same.__code__) == describe(fn.__code__)
    assert same.__code__.co_code == fn.__code__.co_code
    assert list(same.__code__.co_positions()) == list(fn.__code__.co_positions())
    assert same.__closure__ == fn.__closure__


def test_edited_functions_use_cells_classes_and_defaults_of_the_original() -> None:
    assert relinked(Outer._Inner.method)(Outer._Inner(), 1) == 8
    assert relinked(Outer._Inner.up)(Outer._Inner())[1] is Outer._Inner
    recursive = factory(7)[0]
    assert relinked(recursive)(3) == 7
    assert relinked(decorated)() == 3 and relinked(decorated)(y=5) == 6
    assert Runtime.calls


def test_the_runtime_is_a_constant_and_nothing_else() -> None:
    code = relinked(decorated).__code__
    assert Runtime in code.co_consts
    assert "ag__" not in code.co_names + code.co_freevars + code.co_varnames


def test_nested_code_gets_the_constant_too() -> None:
    method = relinked(Outer._Inner.method)
    inside = {constant.co_name: constant for constant in method.__code__.co_consts if inspect.iscode(constant)}
    inside.pop("__annotate__", None)  # since Python 3.14
    (local,) = inside.values()
    assert Runtime in local.co_consts


@pytest.mark.skipif(sys.version_info < (3, 14), reason="annotations wait for somebody who asks since 3.14")
def test_annotations_may_name_what_is_bound_later() -> None:
    def fn(x: Later) -> Any:  # noqa: F821 - bound below
        return x

    same = linking.make_function(fn.__code__, fn)
    assert same(1) == 1
    Later = int
    assert same.__annotations__ == {"x": int, "return": Any} and Later is int


def test_tracebacks_show_the_authors_line_and_columns() -> None:
    def fails(x: Any) -> Any:
        y = x + 1
        return y + (x / 0)

    with pytest.raises(ZeroDivisionError) as plain:
        fails(1)
    with pytest.raises(ZeroDivisionError) as ours:
        relinked(fails)(1)
    assert [str(entry) for entry in traceback.format_tb(ours.tb)[1:]] == traceback.format_tb(plain.tb)[1:]


def test_a_lambda_may_become_a_def() -> None:
    def edit(node: Any) -> Any:
        value = ast.copy_location(ast.Return(node.body), node.body)
        new = ast.FunctionDef("<lambda>", node.args, [value], [], None, None)
        return ast.copy_location(new, node)

    fn = factory(1)[3]
    code = relinked(fn, edit).__code__
    assert describe(code) == describe(fn.__code__)
    assert relinked(fn, edit)(1)(2) == (1, 2, 1)


def test_an_unknown_free_variable_is_refused() -> None:
    def f() -> int:
        return 1

    found = source.find(f)  # type: ignore[arg-type]
    inside = ast.parse("def f():\n    def g():\n        nonlocal_name\n        return __class__\n    return g").body[0]
    method = source.find(Outer._Inner.method)  # type: ignore[arg-type]
    with pytest.raises(ConversionError, match="does not close over '__class__'"):
        linking.link(inside, method, {})
    assert linking.link(inside, found, {}).co_freevars == ()


def test_constants_of_the_user_stay() -> None:
    def f(x: Any) -> Any:
        return x, "ag__", (1, "ag__"), -0.0, frozenset({1}), 1 if x in {1, 2} else 2, ...

    got = relinked(f)(1)
    assert got == f(1) and math.copysign(1, got[3]) == -1


def test_marks_are_told_apart() -> None:
    constants = linking.Constants()
    first, second = [1], [1]
    place = ast.parse("x").body[0]
    texts = [constants.expression(value, place).value for value in (first, second, first)]  # type: ignore[attr-defined]
    assert texts[0] == texts[2] != texts[1]
    assert constants.value(texts[1]) is second and constants.value("text") == "text"


def test_a_view_takes_every_parameter_by_position() -> None:
    def f(a: int, /, b: int, *c: int, d: int, **e: int) -> Any:
        return a, b, c, d, e

    view = linking.by_position(f.__code__)
    assert linking.parameters(f.__code__) == ("a", "b", "d", "c", "e")
    assert type(f)(view, {})(1, 2, 4, (3,), {"k": 5}) == (1, 2, (3,), 4, {"k": 5})


@pytest.mark.skipif(sys.version_info < (3, 12), reason="type parameters came with 3.12")
def test_type_parameters() -> None:
    space: dict[str, Any] = {}
    text = "def f[T](x: T) -> T:\n    return T\nclass A[S]:\n    def m(self):\n        return S\n"
    import linecache

    linecache.cache["<type parameters>"] = (len(text), None, text.splitlines(keepends=True), "<type parameters>")
    exec(compile(text, "<type parameters>", "exec"), space)
    f, m = relinked(space["f"]), relinked(space["A"].m)
    assert f.__type_params__ == space["f"].__type_params__ and f(1) is f.__type_params__[0]
    assert m(None) is space["A"].__type_params__[0] and describe(m.__code__) == describe(space["A"].m.__code__)


def functions_of(space: Any, module: str) -> Any:
    for value in list(vars(space).values()):
        value = getattr(value, "__func__", getattr(value, "fget", value))
        if inspect.isfunction(value) and value.__module__ == module and not hasattr(value, "__wrapped__"):
            yield value
        elif inspect.isclass(value) and value.__module__ == module and space is sys.modules[module]:
            yield from functions_of(value, module)


@pytest.mark.parametrize("name", ["argparse", "contextlib", "json.decoder", "textwrap", "asyncio.tasks", "fractions"])
def test_every_function_of_real_modules_is_found_and_stays_what_it_is(name: str) -> None:
    import importlib

    count = 0
    for fn in functions_of(importlib.import_module(name), name):
        if not fn.__code__.co_filename.startswith("<"):
            found = source.find(fn)
            assert code_places.same_code(linking.link(found.node, found, {}), fn.__code__), fn
            count += 1
    assert count > 3


def names_of_what_is_inside(x: int) -> list[str]:
    found = []
    if x > 0:

        def g() -> None: ...

        class C:
            def method(self) -> None: ...

        found += [g.__qualname__, C.__qualname__, C.method.__qualname__, (lambda: 1).__qualname__]
        found += [sys._getframe().f_code.co_name, sys._getframe().f_code.co_qualname]
    for k in range(x):
        if k > 0:

            def h(k: int = k) -> str:
                if k > 0:
                    return sys._getframe().f_code.co_qualname
                return ""

            found += [h.__qualname__, h(), sys._getframe().f_code.co_name]
    return found


def test_branches_and_bodies_bear_the_name_of_the_authors_function() -> None:
    made = pipeline.staged(names_of_what_is_inside)
    assert made(2) == names_of_what_is_inside(2)
    assert made(2)[-2:] == ["names_of_what_is_inside.<locals>.h", "names_of_what_is_inside"]
