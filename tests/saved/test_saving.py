"""`ag.save`: what goes into a file comes out of it, here and in a process without this library; what cannot go in is refused."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from autograph.saved import loader
from tests.saved.examples import EXAMPLES, SCALAR, Account, Example, dense, sigmoid_until


def leaves(value: Any) -> list[Any]:
    """The arrays of a value, keys as their numbers, and whatever else is in it."""
    found = jax.tree.leaves(value, is_leaf=lambda x: x is None)
    return [
        jax.random.key_data(x) if isinstance(x, jax.Array) and jnp.issubdtype(x.dtype, jax.dtypes.prng_key) else x
        for x in found
    ]


def assert_same(found: Any, expected: Any) -> None:
    """The same numbers and strings; what both have of arrays has one dtype."""
    for x, y in zip(leaves(found), leaves(expected), strict=True):
        if isinstance(x, str) or x is None:
            assert x == y
        else:
            assert np.shape(x) == np.shape(y)
            np.testing.assert_allclose(np.asarray(x, complex), np.asarray(y, complex), rtol=1e-4, atol=1e-6)
            assert not isinstance(y, jax.Array) or x.dtype == y.dtype


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a file of each example."""
    made = tmp_path_factory.mktemp("saved")
    for example in EXAMPLES:
        ag.save(example.fn, made / example.name, signatures=example.signatures, vjp_order=example.vjp_order)
    ag.save(Account(100.0), made / "withdraw")
    return made


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_row_27_a_loaded_function_returns_what_the_function_returns(example: Example, folder: Path) -> None:
    loaded = ag.load(folder / example.name)
    for args, kwargs in example.calls:
        assert_same(loaded(*args, **kwargs), example.fn(*args, **kwargs))


CHILD = """
import pickle, sys
sys.modules.update(dict.fromkeys(["autograph", "gast", "astunparse", "flatbuffers"]))  # none of them can be imported
import jax, numpy as np
import loader
for path, calls in pickle.load(sys.stdin.buffer):
    loaded = loader.load(path)
    print(loaded)
    for args, kwargs, expected in calls:
        args = [jax.random.wrap_key_data(x["key"]) if type(x) is dict and "key" in x else x for x in args]
        found = jax.tree.leaves(loaded(*args, **kwargs))
        found = [jax.random.key_data(x) if "key" in str(getattr(x, "dtype", "")) else x for x in found]
        for x, y in zip(found, expected, strict=True):
            assert x == y if isinstance(y, str) else np.allclose(x, y, 1e-4) and x.dtype == y.dtype, (path, x, y)
assert not any(name.startswith(("autograph.", "tests.")) for name in sys.modules)
"""


def portable(value: Any) -> Any:
    """A value without the classes of the tests."""
    if isinstance(value, dict):
        return {key: portable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return (list if isinstance(value, list) else tuple)(map(portable, value))
    if isinstance(value, jax.Array):
        is_key = jnp.issubdtype(value.dtype, jax.dtypes.prng_key)
        return {"key": np.asarray(jax.random.key_data(value))} if is_key else np.asarray(value)
    return value


@pytest.mark.slow
def test_row_27_files_run_in_a_process_with_jax_and_the_loader_alone(folder: Path, tmp_path: Path) -> None:
    shutil.copy(loader.__file__, tmp_path / "loader.py")
    work = []
    for example in EXAMPLES:
        loaded = ag.load(folder / example.name)  # which returns what the functions do, says the test above
        calls = []
        for args, kwargs in example.calls:
            found = [x for x in leaves(loaded(*args, **kwargs)) if x is not None]
            expected = [x if isinstance(x, str) else np.asarray(x) for x in found]
            calls.append((portable(args), portable(kwargs), expected))
        work.append((folder / example.name, calls))
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-c", CHILD]
    run = subprocess.run(command, input=pickle.dumps(work), capture_output=True, cwd=tmp_path, env=environment)
    assert run.returncode == 0, run.stderr.decode()
    assert b"cube_root(a: float32[]) -> (float32[], ~int32[])" in run.stdout


def test_row_27_files_are_lowered_for_platforms_that_are_not_here(folder: Path) -> None:
    (signature,) = ag.load(folder / "cube_root").signatures
    assert signature.exported.platforms == ("cpu", "cuda", "tpu")


def test_platforms_can_be_chosen(tmp_path: Path) -> None:
    ag.save(sigmoid_until, tmp_path / "f", args=(np.ones(3, "float32"), 0.1), platforms=["cuda"])
    loaded = ag.load(tmp_path / "f")
    with pytest.raises(ValueError, match="exported for platforms"):
        loaded(np.ones(3, "float32"), 0.1)


@pytest.mark.slow
def test_row_27_derivatives_go_along(folder: Path) -> None:
    x = jnp.array([1.0, 2.0, 3.0])
    loaded = ag.load(folder / "sigmoid_until")
    for transform in (jax.grad, lambda f: jax.grad(lambda x: jax.grad(f)(x).sum())):
        found = transform(lambda x: loaded(x, jnp.float32(0.1))[0])(x)
        assert_same(found, transform(lambda x: ag.jit(sigmoid_until)(x, jnp.float32(0.1))[0])(x))
    with pytest.raises(ValueError, match="was saved without a derivative"):
        jax.grad(lambda x: ag.load(folder / "cube_root")(x)[0])(27.0)


def test_a_loaded_function_goes_into_other_programs(folder: Path, tmp_path: Path) -> None:
    loaded = ag.load(folder / "power")
    assert_same(jax.jit(lambda x: loaded(x, 2) + 1)(jnp.ones(4)), np.full(4, 2, "float32"))
    ag.save(lambda x: loaded(x, n=5).sum(), tmp_path / "again", args=(jnp.ones(4),))
    assert_same(ag.load(tmp_path / "again")(jnp.full(4, 2.0)), np.float32(128))


def test_row_27_the_state_and_the_checks_of_an_object_that_makes_its_own_entries(folder: Path) -> None:
    loaded = ag.load(folder / "withdraw")
    assert_same(loaded(30.0), {"left": np.float32(70), "taken": np.float32(30)})
    with pytest.raises(ValueError, match="^a negative amount: -1.0") as caught:
        loaded(-1.0)
    assert caught.value.__notes__ == ["at account.py:8"]
    with pytest.raises(ArithmeticError, match=r"^80.00 of     70.0") as other:
        loaded(amount=80.0)
    assert type(other.value).__name__ == "OverdrawnError"
    assert float(loaded.state["balance"]) == 70
    assert_same(ag.load(folder / "withdraw", checks=False)(130.0), {"left": np.float32(100), "taken": np.float32(130)})
    with pytest.raises(loader.SavedCallError, match="has state: it is not called inside jax.jit"):
        jax.jit(loaded)(1.0)


def test_the_state_is_updated_under_grad(tmp_path: Path) -> None:
    class Counter(Account):
        def __saved_entries__(self, platforms: Any) -> Any:
            (entry,) = super().__saved_entries__(platforms)
            exported = jax.export.export(jax.jit(lambda n, x: (x * n, n + 1)))(SCALAR, SCALAR)
            return [type(entry)(exported, entry.parameters, entry.inputs, "*", {"n": jnp.float32(3)})]

    ag.save(Counter(0.0), tmp_path / "f", vjp_order=1)
    loaded = ag.load(tmp_path / "f")
    assert [float(jax.grad(loaded)(2.0)), float(loaded.state["n"]), float(jax.grad(loaded)(2.0))] == [3, 4, 4]


# --- what cannot be saved ---


class Model:
    pass


def refused(save: Callable[[], None]) -> str:
    with pytest.raises(ag.AutoGraphError) as caught:
        save()
    return str(caught.value)


def above(x, limit):
    chosen = x[x > limit]
    return chosen * 2, {"places": np.flatnonzero(x > limit)[::-1], "count": len(chosen)}


def weighted(y, w):
    return (y * y).sum() * w[0], y[1:]


@pytest.mark.parametrize("wrapped", [lambda f: f, ag.function], ids=["function", "ag.function"])
def test_arrays_of_unknown_length_are_trimmed_and_padded(wrapped: Callable[..., Any], tmp_path: Path) -> None:
    def saved(fn: Callable[..., Any], *args: Any) -> Any:
        fn = wrapped(fn)
        fn(*args)
        given = {"args": args} if wrapped is not ag.function else {}
        ag.save(fn, tmp_path / "saved", vjp_order=1, **given)
        return ag.load(tmp_path / "saved")

    x = np.array([3.0, -1.0, 4.0, 1.5], np.float32)
    loaded = saved(ag.convert(above), jnp.asarray(x), 1.0 if wrapped is not ag.function else jnp.float32(1.0))
    limits = (1.0,) if wrapped is not ag.function else (1.0, -5.0, 9.0)
    for limit in limits:
        chosen, rest = loaded(x, limit)
        expected, places = above(x, limit)
        assert isinstance(chosen, jax.Array) and chosen.shape == expected.shape
        assert_same([chosen, rest["places"], rest["count"]], [expected, places["places"], places["count"]])
    y = ag.jit(lambda x: x[x > 1])(jnp.asarray(x))
    loaded = saved(ag.convert(weighted), y, jnp.asarray(x))
    for given in (y, x[:2], jnp.asarray(x), x[:0]):
        assert_same(loaded(given, x), weighted(np.asarray(given), x))
    np.testing.assert_allclose(jax.grad(lambda y: loaded(y, x)[0])(jnp.asarray(x[:3])), 2 * x[:3] * x[0])
    with pytest.raises(ag.SavedCallError, match=r"y is float32\[5\]"):
        loaded(np.zeros(5, np.float32), x)
    with pytest.raises(ag.SavedCallError, match="computes the length of a result"):
        jax.jit(loaded)(x[:2], x)
    with pytest.raises(ag.SavedCallError, match="y is float32.at most 4"):
        jax.jit(loaded)(y, x)


def test_objects_of_other_classes_are_refused(tmp_path: Path) -> None:
    text = refused(lambda: ag.save(lambda model, x: x, tmp_path / "f", args=({"m": [Model()]}, 1)))
    assert text.startswith(
        "argument 'model' of <lambda>['m'][0] is an object of class Model, which a saved file cannot hold"
    )
    text = refused(lambda: ag.save(lambda x: {1: Model()}, tmp_path / "f", args=(1,)))
    assert text.startswith("the result of <lambda>[1] is an object of class Model")
    assert "is a dict with the key (1,)" in refused(lambda: ag.save(lambda x: {(1,): x}, tmp_path / "f", args=(1,)))
    assert list(tmp_path.iterdir()) == []


def test_what_calls_back_to_python_is_refused(tmp_path: Path) -> None:
    def checked(x):
        assert x > 0
        return x

    def printing(x):
        jax.debug.print("{}", x)
        return x

    def asking(x):
        return jax.pure_callback(np.sin, SCALAR, x)

    for fn in (checked, printing, asking, ag.jit(checked)):
        assert "calls back to Python when it runs" in refused(lambda fn=fn: ag.save(fn, tmp_path / "f", args=(SCALAR,)))
    ag.set_checks(False)
    try:
        ag.save(checked, tmp_path / "f", args=(SCALAR,))
    finally:
        ag.set_checks(True)
    assert float(ag.load(tmp_path / "f")(3.0)) == 3


def test_an_object_with_signatures_of_its_own_is_saved_without_arguments(tmp_path: Path) -> None:
    assert "has signatures of its own" in refused(lambda: ag.save(Account(1.0), tmp_path / "f", args=(1.0,)))


def test_what_fails_leaves_the_file_that_was_there(tmp_path: Path) -> None:
    path = tmp_path / "f"
    ag.save(dense, path, args=({"layers": []}, SCALAR.update(shape=(2,))))
    before = path.read_bytes()
    refused(lambda: ag.save(dense, path, args=({"layers": [Model()]}, SCALAR)))
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["f"]


def test_what_cannot_be_written_or_read_is_said_at_the_user_s_line(tmp_path: Path) -> None:
    wrong: list[tuple[Any, type[Exception], str]] = [
        (lambda: ag.load(tmp_path / "missing.ag"), FileNotFoundError, "missing.ag"),
        (lambda: ag.save(abs, tmp_path / "missing" / "f.ag", args=(1.0,)), FileNotFoundError, r"missing'$"),
        (lambda: ag.save(jnp.tanh, tmp_path / "f.ag"), TypeError, "tanh: missing .*: `args=` and `kwargs=` say for which"),
        (lambda: ag.save(abs, tmp_path / "f.ag", args=(1.0,), platforms=["gpu"]), ValueError, "no platform 'gpu': .*cpu, cuda"),
        (lambda: ag.save(3, tmp_path / "f.ag"), TypeError, "ag.save takes a function, and 3 is none"),  # type: ignore[arg-type]  # the mistake that is tried
    ]
    for run, kind, text in wrong:
        with pytest.raises(kind, match=text) as raised:
            run()
        assert raised.traceback[-1].path == Path(__file__), [entry.path for entry in raised.traceback]


def test_an_object_whose_call_is_one_of_ag_function_is_saved_with_its_variables(tmp_path: Path) -> None:
    class Scaled:
        def __init__(self) -> None:
            self.by = ag.Variable(2.0, name="by")

        @ag.function
        def __call__(self, x: Any) -> Any:
            return self.by * x

    model = Scaled()
    model(jnp.ones(2))
    ag.save(model, tmp_path / "f.ag")
    loaded = ag.load(tmp_path / "f.ag")
    assert loaded(jnp.ones(2)).tolist() == [2, 2] and loaded.state.keys() == {"by"}


@pytest.mark.parametrize("order", [0, 1])
def test_a_derivative_that_was_not_saved_is_named_with_what_saves_it(order: int, tmp_path: Path) -> None:
    ag.save(lambda x: x**3, tmp_path / "f.ag", args=(jnp.float32(1),), vjp_order=order)
    differentiated: Any = ag.load(tmp_path / "f.ag")
    for _ in range(order):
        differentiated = jax.grad(differentiated)
    assert float(differentiated(jnp.float32(2))) == (8 if order == 0 else 12)
    with pytest.raises(ag.SavedCallError, match=r"was saved without a derivative .*vjp_order=1"):
        jax.grad(differentiated)(jnp.float32(2))


def test_what_names_no_signature_is_refused(tmp_path: Path) -> None:
    def same(x: Any) -> Any:
        return x

    save: Any = ag.save
    for options in {"signatures": []}, {"args": (SCALAR,), "vjp_order": -1}:
        with pytest.raises(ValueError, match="there is nothing to save"):
            save(same, tmp_path / "f", **options)
    for options in {"signatures": [jnp.ones(2)]}, {"args": jnp.ones(2)}:
        with pytest.raises(TypeError, match="a signature is a tuple of arguments"):
            save(same, tmp_path / "f", **options)
