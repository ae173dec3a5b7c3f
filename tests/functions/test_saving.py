"""What is saved of functions of `ag.function`, run in a process that has neither this library nor the user's source."""

from __future__ import annotations

import functools
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from autograph.saved import loader

RUN = """
import pickle, sys
sys.path = [p for p in sys.path if p not in ("", ROOT)]
from loader import load
import numpy as np
f = load(sys.argv[1])
calls = pickle.load(open(sys.argv[2], "rb"))
out = []
for args, kwargs in calls:
    try:
        found = f(*args, **kwargs)
        out.append(__import__("jax").tree.map(np.asarray, found))
    except Exception as error:
        out.append((type(error).__name__, str(error)))
assert "autograph" not in sys.modules
pickle.dump(out, open(sys.argv[3], "wb"))
"""


def elsewhere(fn: Any, calls: Any, folder: Path) -> list[Any]:
    """What the saved function gives in a fresh process with the loader alone."""
    ag.save(fn, folder / "f.ag", platforms=["cpu"])
    shutil.copy(loader.__file__, folder / "loader.py")
    (folder / "run.py").write_text(RUN.replace("ROOT", repr(str(Path(ag.__file__).parent.parent))))
    (folder / "calls").write_bytes(pickle.dumps(calls))
    command = [sys.executable, "run.py", "f.ag", "calls", "out"]
    subprocess.run(command, cwd=folder, check=True, env={"JAX_PLATFORMS": "cpu", "PATH": ""})
    found: list[Any] = pickle.loads((folder / "out").read_bytes())
    return found


@pytest.mark.slow
def test_row_27_several_signatures_pytrees_and_literals(tmp_path: Path) -> None:
    @ag.function
    def f(tree: Any, mode: Any = "sum", *, scale: Any = 1) -> Any:
        if mode == "sum":
            return {"total": (tree["a"] + tree["b"]) * scale, "name": mode}
        x = tree["a"]
        while x < 100:
            x = x * 2
        return {"total": x, "name": mode}

    tree = {"b": np.float32(3), "a": np.float32(4)}
    calls = [((tree,), {}), ((tree, "grow"), {}), ((tree,), {"scale": 2})]
    expected = [f(*args, **kwargs) for args, kwargs in calls]
    found = elsewhere(f, calls, tmp_path)
    assert [(float(x["total"]), str(x["name"])) for x in found] == [(float(x["total"]), x["name"]) for x in expected]


@pytest.mark.slow
def test_row_27_open_sizes_checks_and_variables(tmp_path: Path) -> None:
    total = ag.Variable(0.0)

    @ag.function(input_signature=[ag.TensorSpec([None]), ag.TensorSpec([], "int32")])
    def f(x: Any, n: Any) -> Any:
        for v in x:
            if v < 0:
                raise ValueError(f"{v:.1f} is negative, n is {n}")
            total.assign_add(v)
        assert n < 10, "n is large"
        return total.value

    f.get_concrete_function()
    calls: list[Any] = [
        ((np.ones(k, np.float32), np.int32(n)), {}) for k, n in [(3, 1), (5, 2), (2, 11), (1, 3)]
    ]
    calls.insert(2, ((np.array([1.0, -2.0, -3.0], np.float32), np.int32(7)), {}))
    expected = []
    for args, kwargs in calls:
        try:
            expected.append(float(f(*args, **kwargs)))
        except (ValueError, AssertionError) as error:
            expected.append((type(error).__name__, str(error)))  # type: ignore[arg-type]
    total.assign(0.0)
    found = elsewhere(f, calls, tmp_path)
    assert found[2][0] == "ValueError" and "-2.0 is negative, n is 7" in found[2][1]
    assert [x if isinstance(x, tuple) else float(x) for x in found] == expected


@pytest.mark.slow
def test_row_27_a_concrete_function_and_a_model(tmp_path: Path) -> None:
    class Model:
        def __init__(self) -> None:
            self.w, self.seen = jnp.arange(3.0), ag.Variable(0)

        @ag.function
        def __call__(self, x: Any) -> Any:
            self.seen.assign_add(1)
            return jnp.sum(self.w * x), self.seen.value

    model = Model()
    model(jnp.ones(3))
    found = elsewhere(model.__call__, [((np.ones(3, np.float32),), {})] * 2, tmp_path)
    assert [(float(x), int(n)) for x, n in found] == [(3, 2), (3, 3)]

    square = ag.function(lambda x: x * x).get_concrete_function(ag.TensorSpec([2]))
    assert elsewhere(square, [((np.array([2.0, 3.0], np.float32),), {})], tmp_path)[0].tolist() == [4, 9]


def test_row_27_lowered_for_all_platforms_from_here(tmp_path: Path) -> None:
    f = ag.function(lambda x: jnp.sin(x))
    f(jnp.ones(2))
    ag.save(f, tmp_path / "f.ag")
    assert np.allclose(ag.load(tmp_path / "f.ag")(jnp.ones(2)), jnp.sin(jnp.ones(2)))


def test_row_27_its_derivative(tmp_path: Path) -> None:
    @ag.function
    def f(x: Any) -> Any:
        return x**3 if x > 0 else -x

    f(jnp.float32(1))
    ag.save(f, tmp_path / "f.ag", vjp_order=1)
    assert float(jax.grad(ag.load(tmp_path / "f.ag"))(jnp.float32(2))) == 12


def test_row_27_a_function_or_a_model_with_a_signature_is_saved_before_it_was_called(tmp_path: Path) -> None:
    class Model:
        def __init__(self, w: float) -> None:
            self.w = ag.Variable(w)

        @ag.function(input_signature=[ag.TensorSpec([None])])
        def __call__(self, x: Any) -> Any:
            return self.w * x

    def alone(x: Any) -> Any:
        return 3 * x

    Model(5.0)(jnp.ones(2))  # another object's program is none of this one
    for saved in (Model(3.0), ag.function(alone, input_signature=[ag.TensorSpec([None])])):
        ag.save(saved, tmp_path / "f.ag")
        for n in (2, 3):
            assert ag.load(tmp_path / "f.ag")(jnp.ones(n)).tolist() == [3] * n


def test_what_no_file_can_hold_is_refused(tmp_path: Path) -> None:
    f = ag.function(lambda x, fn: fn(x))
    with pytest.raises(ag.AutoGraphError, match="no program to be saved"):
        ag.save(f, tmp_path / "f.ag")
    f(jnp.ones(2), jnp.sin)
    with pytest.raises(ag.AutoGraphError, match="argument 'fn'"):
        ag.save(f, tmp_path / "f.ag")

    @ag.function
    def printing(x: Any) -> Any:
        ag.print(x)
        return x

    printing(jnp.float32(1))
    with pytest.raises(ag.AutoGraphError, match="instead: return what `ag.print` shows"):
        ag.save(printing, tmp_path / "f.ag")


def test_row_27_a_concrete_function_of_a_method_is_saved_without_its_object(tmp_path: Path) -> None:
    class Model:
        factor = 3.0

        @ag.function
        def scaled(self, x: Any) -> Any:
            return x * self.factor

    concrete = Model().scaled.get_concrete_function(ag.TensorSpec([2]))
    ag.save(concrete, tmp_path / "scaled.ag", platforms=["cpu"])
    assert ag.load(tmp_path / "scaled.ag")(jnp.ones(2)).tolist() == concrete(jnp.ones(2)).tolist() == [3, 3]


def test_a_message_with_a_string_that_the_program_chooses_is_refused_in_files(tmp_path: Path) -> None:
    @ag.function
    def f(x: Any) -> Any:
        word = "low" if x < 0 else "high"
        assert x > 5, f"{word} {x}"
        return x

    concrete = f.get_concrete_function(ag.TensorSpec([]))
    with pytest.raises(ag.AutoGraphError, match="the message of an AssertionError may show a string that the program chooses"):
        ag.save(concrete, tmp_path / "f.ag", platforms=["cpu"])
    with pytest.raises(AssertionError, match=r"^high 2.0$"):
        concrete.export().call(jnp.float32(2))  # in this process


def test_numbers_that_no_array_holds_are_saved_among_the_results(tmp_path: Path) -> None:
    f = ag.function(lambda x: {"x": x, "big": 2**31, "more": [2**40]})
    expected = f(jnp.float32(2))
    ag.save(f, tmp_path / "f.ag")
    assert ag.load(tmp_path / "f.ag")(jnp.float32(2)) == expected == {"x": 2, "big": 2**31, "more": [2**40]}


def test_a_random_key_in_a_variable_and_a_derivative(tmp_path: Path) -> None:
    key = ag.Variable(jax.random.key(0))

    @ag.function
    def square(x: Any) -> Any:
        key.assign(jax.random.split(key.value)[0])
        return x * x

    square(jnp.float32(2))
    ag.save(square, tmp_path / "f.ag", vjp_order=1)
    assert float(jax.grad(ag.load(tmp_path / "f.ag"))(jnp.float32(3))) == 6


def test_what_calls_python_is_refused_by_name(tmp_path: Path) -> None:
    f = ag.function(lambda x: jax.pure_callback(lambda a: a, jax.ShapeDtypeStruct((), jnp.float32), x))
    f(jnp.float32(2))
    with pytest.raises(ag.AutoGraphError, match="calls back to Python when it runs"):
        ag.save(f, tmp_path / "f.ag")


class Scaled:
    def __init__(self, by):
        self.by = by


def times(model, x):
    return model.by * x if x > 0 else -x


def counted(model, x):
    model.by.assign_add(1.0)
    return model.by.value * x


def test_a_function_is_saved_with_the_object_in_it_as_the_message_says(tmp_path: Path) -> None:
    spec = ag.TensorSpec((), "float32")
    with pytest.raises(ag.AutoGraphError, match=r"instead: save a function that has the object in it"):
        ag.save(times, tmp_path / "refused.ag", args=(Scaled(3.0), spec))
    ag.save(functools.partial(times, Scaled(3.0)), tmp_path / "object.ag", args=(spec,))
    assert float(ag.load(tmp_path / "object.ag")(2.0)) == 6.0
    ag.save(lambda model, x: model["by"] * x, tmp_path / "dict.ag", args=({"by": spec}, spec))
    assert float(ag.load(tmp_path / "dict.ag")({"by": 3.0}, 2.0)) == 6.0
    step = ag.function(functools.partial(counted, Scaled(ag.Variable(3.0))))
    assert float(step(2.0)) == 8.0
    ag.save(step, tmp_path / "variable.ag")
    assert float(ag.load(tmp_path / "variable.ag")(2.0)) == 10.0
