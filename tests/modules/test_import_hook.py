"""The import hook: what it converts, what it leaves and says so, and ways to a module other than a plain `import`."""

import asyncio
import importlib
import importlib.resources
import inspect
import os
import pickle
import runpy
import subprocess
import sys
import textwrap
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import autograph as ag
from autograph.code import code_places, source
from autograph.modules import import_hook
from autograph.modules.import_hook import ImportHook

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder from which modules are imported; they are forgotten afterwards, and so are hooks that stayed."""
    monkeypatch.syspath_prepend(tmp_path)
    modules, finders = set(sys.modules), list(sys.meta_path)
    yield tmp_path
    sys.meta_path[:] = finders
    for name in set(sys.modules) - modules:
        if getattr(sys.modules[name], "__file__", None) is None or str(tmp_path) in str(sys.modules[name].__file__):
            del sys.modules[name]


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return path


SIGN = """
    import jax

    def sign(x):
        if x > 0:
            return 1
        elif x < 0:
            return -1
        return 0

    @jax.jit
    def jitted(x):
        while x > 10:
            x = x - 10
        return x

    class Scaled:
        def __init__(self, by):
            self.by = by

        def __call__(self, x):
            return x * self.by if x > 0 else x

        @property
        def twice(self):
            return 2 * self.by if self.by > 0 else 0

        def __add__(self, other):
            return other + (self.by if other > 0 else 0)

    chosen = {"relu": lambda x: x if x > 0 else 0.0}

    def outer(x):
        def inner(y):
            return y if y > x else x
        return inner
"""


def test_every_function_works_on_traced_values(folder: Path) -> None:
    write(folder / "hooked_sign.py", SIGN)
    with ag.install_import_hook("hooked_sign") as hook:
        import hooked_sign as m  # type: ignore[import-not-found]  # a module that only exists while the test runs
    assert [int(jax.jit(m.sign)(x)) for x in (3.0, -2.0, 0.0)] == [1, -1, 0]
    assert int(m.jitted(37)) == 7
    assert float(jax.jit(m.Scaled(3.0))(2.0)) == 6.0
    assert float(jax.jit(lambda by: m.Scaled(by).twice)(2.0)) == 4.0
    assert float(jax.jit(lambda by, x: m.Scaled(by) + x)(2.0, 1.0)) == 3.0
    assert jax.vmap(m.chosen["relu"])(jnp.array([-1.0, 2.0])).tolist() == [0.0, 2.0]
    assert float(jax.jit(lambda x, y: m.outer(x)(y))(3.0, 2.0)) == 3.0
    assert str(hook.report) == "9 of 9 functions converted in 1 module" and hook.report.share == 1.0


def test_functions_stay_what_they_are(folder: Path) -> None:
    path = write(folder / "hooked_sign.py", SIGN)
    with ag.install_import_hook("hooked_sign"):
        import hooked_sign as m
    assert m.sign(-3) == -1 and ag.convert(m.sign) is m.sign
    assert inspect.getsource(m.sign) in path.read_text() and m.sign.__code__.co_firstlineno == 4
    assert pickle.loads(pickle.dumps(m.sign)) is m.sign
    assert "lax" not in ag.to_code(m.sign) and "ag__.if_stmt" in ag.to_code(m.sign)


def test_packages_with_all_below_and_no_others(folder: Path) -> None:
    for name in ("hooked_a/__init__", "hooked_a/sub/__init__", "hooked_a/sub/deep", "hooked_a/space/leaf", "hooked_ab"):
        write(folder / f"{name}.py", "def f(x):\n    return 1 if x > 0 else 2\n")
    with ag.install_import_hook(["hooked_a"]) as hook:
        names = ["hooked_a", "hooked_a.sub", "hooked_a.sub.deep", "hooked_a.space.leaf", "hooked_ab"]
        modules = [importlib.import_module(name) for name in names]
    assert list(hook.report.modules) == names[:-1]
    assert [int(jax.jit(m.f)(-1)) for m in modules[:-1]] == [2, 2, 2, 2]
    with pytest.raises(jax.errors.TracerBoolConversionError):
        jax.jit(modules[-1].f)(1)


def test_uninstalled_hooks_convert_nothing(folder: Path) -> None:
    write(folder / "hooked_late.py", "def f(x):\n    return 1 if x > 0 else 2\n")
    hook = ag.install_import_hook("hooked_late")
    hook.uninstall()
    hook.uninstall()
    module = importlib.import_module("hooked_late")
    assert hook.report.functions == 0
    with pytest.raises(jax.errors.TracerBoolConversionError):
        jax.jit(module.f)(1)


def test_a_module_that_is_imported_already_is_converted_where_it_is(folder: Path) -> None:
    write(folder / "hooked_early.py", SIGN)
    m = importlib.import_module("hooked_early")
    scaled, inner, converted = m.Scaled(3.0), m.outer(3.0), ag.convert(m.sign)
    with ag.install_import_hook("hooked_early") as hook:
        pass
    assert str(hook.report) == "9 of 9 functions converted in 1 module"
    assert [int(jax.jit(m.sign)(x)) for x in (3.0, -2.0, 0.0)] == [1, -1, 0] == [m.sign(x) for x in (3.0, -2.0, 0.0)]
    assert float(jax.jit(scaled)(2.0)) == 6.0 and float(jax.jit(inner)(2.0)) == 3.0 and int(jax.jit(converted)(-2.0)) == -1
    assert jax.vmap(m.chosen["relu"])(jnp.array([-1.0, 2.0])).tolist() == [0.0, 2.0]
    assert pickle.loads(pickle.dumps(m.sign)) is m.sign and ag.convert(m.sign) is m.sign


def test_of_a_module_that_is_imported_already_what_cannot_be_told_stays(folder: Path) -> None:
    text = """
        import autograph as ag

        def f(x):
            return 1 if x > 0 else 2

        @ag.do_not_convert
        def g(x):
            return 1 if x > 0 else 2

        def h(x):
            return f(x)

        a, b = lambda: 1, lambda: 2
    """
    path = write(folder / "hooked_early.py", text)
    m = importlib.import_module("hooked_early")
    write(path, path.read_text().replace("return f(x)", "return f(x) + 1"))
    with pytest.warns(ag.AutoGraphWarning) as caught:
        hook = ag.install_import_hook("hooked_early")
    hook.uninstall()
    why = "stays as it is: it was imported before the hook, and its code cannot be told, or is not that of the file"
    stay = ((11, "h"), (14, "<lambda>"), (14, "<lambda>"))
    assert str(caught[0].message).splitlines() == [f"{path}:{n}: `{name}` {why}" for n, name in stay]
    assert int(jax.jit(m.f)(1)) == 1 and m.h(1) == 1
    with pytest.raises(jax.errors.TracerBoolConversionError):
        jax.jit(m.g)(1)


def test_a_module_without_source_that_is_imported_already_is_reported() -> None:
    with pytest.warns(ag.AutoGraphWarning) as caught:
        hook = ag.install_import_hook("math")
    hook.uninstall()
    assert str(hook.report).startswith("0 of 0 functions converted in 0 modules\n  `math` stays as it is: it is loaded by")
    assert len(caught) == 1


def test_a_package_may_convert_its_own_parts(folder: Path) -> None:
    write(
        folder / "hooked_own/__init__.py",
        "import autograph as ag\nwith ag.install_import_hook(__name__):\n    from . import part",
    )
    write(folder / "hooked_own/part.py", "def f(x):\n    return 1 if x > 0 else 2\n")
    package = importlib.import_module("hooked_own")
    assert int(jax.jit(package.part.f)(-1)) == 2


@pytest.mark.parametrize("name", ["jax", "jax.numpy", "autograph", "numpy.linalg"])
def test_what_the_library_runs_on_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"`{name}` cannot be converted: this library runs on it"):
        ag.install_import_hook(name)


def test_what_stays_is_reported_with_its_reason(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(folder / "hooked_rows.py", "rows = lambda n: n\n\ndef f(x):\n    return x\n")

    def no_lambda(code: CodeType, table: Any) -> Any:  # no program is known whose lambdas cannot be told
        return None if code.co_name == "<lambda>" else find(code, table)

    find = code_places.matching
    monkeypatch.setattr(code_places, "matching", no_lambda)
    monkeypatch.setattr(source, "matching", no_lambda)
    with ag.install_import_hook("hooked_rows") as hook, pytest.warns(ag.AutoGraphWarning) as caught:
        importlib.import_module("hooked_rows")
    text = f"{path}:1: `<lambda>` stays as it is: which lambda of its line it is cannot be told"
    assert [str(warning.message) for warning in caught] == [text]
    assert str(hook.report) == f"1 of 2 functions converted in 1 module\n  {text}"


ROWS = """
    import asyncio

    async def rows(n):
        seen = []
        try:
            for i in range(3):
                y = n * i
                if y > 2:
                    y = y + 100
                seen.append((yield y))
        except KeyError as error:
            yield str(error), seen

    async def shifted(n):
        async def inner(k):
            if k > n:
                k = n - 1
            yield k
            await asyncio.sleep(0)
            yield k + n
        async for x in inner(n + 1):
            yield x

    async def stubborn():
        try:
            yield 1
        except GeneratorExit:
            yield 2

    async def conversation():
        generator = rows(2)
        said = [await anext(generator), await generator.asend("sent"), await generator.athrow(KeyError("k"))]
        said.append(await anext(generator, "the end"))
        generator = rows(2)
        await anext(generator)
        try:
            await generator.athrow(ValueError("v"))
        except ValueError as error:
            said.append(error.__context__)
        await generator.aclose()
        generator = stubborn()
        await anext(generator)
        try:
            await generator.aclose()
        except RuntimeError as error:
            said.append(str(error))
        return said, [x async for x in shifted(3)]

    def total(n):
        async def added():
            return sum([x async for x in shifted(n)]) + sum([x async for x in rows(n)])
        return asyncio.run(added())
"""


def test_asynchronous_generators_delegate(folder: Path) -> None:
    write(folder / "hooked_rows.py", ROWS)
    with ag.install_import_hook("hooked_rows") as hook:
        module = importlib.import_module("hooked_rows")
    assert str(hook.report) == "7 of 7 functions converted in 1 module"
    talk = [0, 2, ("'k'", ["sent"]), "the end", None, "async generator ignored GeneratorExit"], [2, 5]
    assert asyncio.run(module.conversation()) == talk
    assert traced(lambda: asyncio.run(module.conversation())) == talk
    assert module.total(3) == jax.jit(module.total)(3) == 7 + 209  # 2 + 5, and 0 + 103 + 106


def traced(run: Callable[[], Any]) -> Any:
    """The value of `run()` while a trace is in progress."""
    values: list[Any] = []
    jax.eval_shape(lambda: values.append(run()))
    return values[0]


def test_do_not_convert(folder: Path) -> None:
    text = """
        import autograph as ag

        @ag.do_not_convert
        def plain(x):
            return 1 if x > 0 else 2

        @ag.do_not_convert
        class Plain:
            def get(self, x):
                return 1 if x > 0 else 2

        def other(x):
            return 1 if x > 0 else 2
    """
    write(folder / "hooked_marked.py", text)
    with ag.install_import_hook("hooked_marked"):
        m = importlib.import_module("hooked_marked")
    for fn in (m.plain, m.Plain().get):
        with pytest.raises(jax.errors.TracerBoolConversionError):
            jax.jit(fn)(1)
    assert int(jax.jit(m.other)(1)) == 1


def test_errors_of_the_module_are_pythons(folder: Path) -> None:
    write(folder / "hooked_syntax.py", "def f(:\n")
    write(folder / "hooked_raises.py", "def f():\n    return [][1]\n\nf()\n")
    with ag.install_import_hook("hooked_syntax", "hooked_raises"):
        with pytest.raises(SyntaxError, match="invalid syntax"):
            importlib.import_module("hooked_syntax")
        with pytest.raises(IndexError) as caught:
            importlib.import_module("hooked_raises")
    assert [(entry.name, entry.lineno) for entry in caught.traceback[-2:]] == [("<module>", 3), ("f", 1)]  # from 0
    assert "autograph" not in str([entry.path for entry in caught.traceback[1:]])


def test_a_file_that_was_edited_after_import_is_refused(folder: Path) -> None:
    path = write(folder / "hooked_edited.py", "def f(x):\n    return 1 if x > 0 else 2\n")
    with ag.install_import_hook("hooked_edited"):
        m = importlib.import_module("hooked_edited")
    write(path, "def f(x):\n    return 3 if x > 0 else 4\n")
    assert m.f(1) == 1
    with pytest.raises(ag.SourceError, match=f"the file was edited after it was imported\n  at {path}:1"):
        jax.jit(m.f)(1)


def test_archives(folder: Path) -> None:
    with zipfile.ZipFile(folder / "archive.zip", "w") as archive:
        archive.writestr("hooked_zip/__init__.py", "def f(x):\n    return 1 if x > 0 else 2\n")
        archive.writestr("hooked_zip/data.txt", "text")
    sys.path.insert(0, str(folder / "archive.zip"))
    with ag.install_import_hook("hooked_zip") as hook:
        m = importlib.import_module("hooked_zip")
    assert int(jax.jit(m.f)(-1)) == 2 and str(hook.report).startswith("1 of 1 functions")
    assert importlib.resources.files("hooked_zip").joinpath("data.txt").read_text() == "text"
    assert "if x > 0" in inspect.getsource(m.f)


def test_run_as_a_program(folder: Path) -> None:
    write(folder / "hooked_program/__init__.py", "")
    write(folder / "hooked_program/__main__.py", "def f(x):\n    return 1 if x > 0 else 2\n\nresult = f(1), __name__\n")
    with ag.install_import_hook("hooked_program"):
        space = runpy.run_module("hooked_program", run_name="__main__", alter_sys=True)
    assert space["result"] == (1, "__main__")
    assert int(jax.jit(space["f"])(-1)) == 2


def test_reloading(folder: Path) -> None:
    path = write(folder / "hooked_again.py", "def f(x):\n    return 1 if x > 0 else 2\n")
    with ag.install_import_hook("hooked_again"):
        m = importlib.import_module("hooked_again")
        write(path, "def f(x):\n    return 30 if x > 0 else 40\n")
        m = importlib.reload(m)
    assert int(jax.jit(m.f)(-1)) == 40


def test_what_was_compiled_is_kept_and_read_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    path = write(
        folder / "hooked_kept.py",
        "import jax\nf = lambda x: 1 if x > 0 else 2\ndef g(x):\n    x[0] = 1\n    return x\n",
    )

    def load() -> Any:
        sys.modules.pop("hooked_kept", None)
        with ag.install_import_hook("hooked_kept") as hook:
            module = importlib.import_module("hooked_kept")
        assert str(hook.report) == "2 of 2 functions converted in 1 module"
        return module

    load()
    kept = [file.name for file in (folder / "__pycache__").iterdir()]
    assert len(kept) == 1 and kept[0].startswith(f"hooked_kept.{sys.implementation.cache_tag}.autograph-")
    monkeypatch.setattr(import_hook, "_compiled", None)  # must not be called
    m = load()
    assert int(jax.jit(m.f)(-1)) == 2 and m.g(jnp.zeros(2)).tolist() == [1, 0]
    importlib.invalidate_caches()
    plain = importlib.util.spec_from_file_location("hooked_plain", path)  # type: ignore[attr-defined]
    module = importlib.util.module_from_spec(plain)  # type: ignore[attr-defined]
    plain.loader.exec_module(module)
    assert all(not hasattr(constant, "enter") for constant in module.f.__code__.co_consts)


def test_two_hooks_convert_once(folder: Path) -> None:
    write(folder / "hooked_twice.py", "def f(x):\n    return 1 if x > 0 else 2\n")
    with ag.install_import_hook("hooked_twice") as first, ag.install_import_hook("hooked_twice") as second:
        m = importlib.import_module("hooked_twice")
    assert (first.report.functions, second.report.functions) == (0, 1)
    assert sum(type(constant).__name__ == "Unit" for constant in m.f.__code__.co_consts) == 1


def test_a_loader_that_rewrites_in_its_own_way_is_left_alone(folder: Path) -> None:
    write(folder / "hooked_other.py", "def f(x):\n    return x\n")

    class Rewriting(importlib.machinery.SourceFileLoader):  # type: ignore[name-defined]
        def source_to_code(self, data: Any, path: Any, *, _optimization: int = -1) -> Any:
            return compile(data.replace(b"return x", b"return x + 1"), path, "exec")

    class Finder:
        @staticmethod
        def find_spec(name: str, path: Any = None, target: Any = None) -> Any:
            if name != "hooked_other":
                return None
            return importlib.util.spec_from_file_location(  # type: ignore[attr-defined]
                name, folder / "hooked_other.py", loader=Rewriting(name, str(folder / "hooked_other.py"))
            )

    sys.meta_path.insert(0, Finder)
    hook = ImportHook(["hooked_other"], quiet=True)
    m = importlib.import_module("hooked_other")
    hook.uninstall()
    assert m.f(1) == 2
    assert "it is loaded by " in str(hook.report) and "which has no source or rewrites it" in str(hook.report)


def test_modules_without_source_are_reported() -> None:
    hook = ImportHook(["_collections_abc", "_sha1"], quiet=True)
    hook.uninstall()
    for name in hook.packages:
        hook.report.modules.pop(name, None)
        hook.find_spec(name)
    assert all("which has no source or rewrites it" in module.problem for module in hook.report.modules.values())
    assert len(hook.report.modules) == 2


# --- the pytest option ---


def run_pytest(folder: Path, *options: str) -> str:
    # By name, and not by its entry point: a checkout may have been installed before there was one.
    plugins = ["-p", "autograph_pytest", "-p", "xdist.plugin", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", *plugins, "--rootdir", str(folder), *options]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    return done.stdout + done.stderr


SUITE = {
    "shop/__init__.py": "def price(n):\n    return 1 if n > 2 else 2\n",
    "shop/tests/__init__.py": "",
    "shop/tests/test_shop.py": """
        import jax
        from shop import price

        def by_helper(n):
            assert price(n) == 1
            return 5 if n > 0 else 6

        def test_traced():
            assert int(jax.jit(price)(3)) == 1

        def test_converted_test_module():
            assert int(jax.jit(lambda n: 1 if n > 0 else 2)(3)) == 1

        def test_fails():
            found = price(3)
            assert found == 2
    """,
    "conftest.py": "import shop\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("workers", [[], ["-n", "2"]], ids=["alone", "with xdist"])
def test_the_pytest_option(folder: Path, workers: list[str]) -> None:
    for name, text in SUITE.items():
        write(folder / name, text)
    printed = run_pytest(folder, "--autograph-packages=shop", *workers)
    assert "2 passed" in printed and "1 failed" in printed
    assert "100.00 %: 6 of 6 functions converted in 3 modules" in printed
    assert "assert 1 == 2" in printed  # assertions are rewritten
    plain = run_pytest(folder, *workers)
    assert "3 failed" in plain and "functions converted" not in plain


@pytest.mark.slow
def test_the_plugin_alone_does_not_import_jax(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import sys, autograph_pytest; print('jax' in sys.modules, 'autograph' in sys.modules)"],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert done.stdout.split() == ["False", "False"], done.stderr


REPLACED = """
    import sys

    def sign(x):
        return 1 if x > 0 else -1

    class Facade:
        def __getattr__(self, name):
            if name.startswith("of_"):
                return sign
            return getattr(self.inner, name)

    sys.modules[__name__] = Facade()
"""


@pytest.mark.slow
@pytest.mark.parametrize("always", ["0", "1"])
def test_a_module_that_puts_an_object_in_its_place_is_not_asked(always: str, folder: Path) -> None:
    write(folder / "hooked_facade.py", REPLACED)
    script = "import jax, autograph as ag; ag.install_import_hook('hooked_facade'); import hooked_facade as m; "
    script += "print(jax.jit(m.of_sign)(2), m.of_sign(-2)); ag.install_import_hook('hooked_facade', 'other')"
    environment = {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}", "AUTOGRAPH_ALWAYS_STAGE": always}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "1 -1\n"


def test_a_module_with_a_getattr_of_its_own_may_be_held_by_a_closure(folder: Path) -> None:
    text = """
        asked = []
        lazy = {"half": lambda x: x / 2 if x > 1 else x}

        def __getattr__(name):
            asked.append(name)
            if name in lazy:
                return lazy[name]
            raise AttributeError(name)
    """
    write(folder / "hooked_lazy.py", text)
    with ag.install_import_hook("hooked_lazy"):
        held = importlib.import_module("hooked_lazy")
    held.asked.clear()
    assert float(ag.jit(lambda x: held.half(x) + 1)(4.0)) == 3.0 == float(ag.function(lambda x: held.half(x) + 1)(4.0))
    assert set(held.asked) == {"half"}
