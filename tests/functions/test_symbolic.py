"""Open sizes: `input_signature` with None, names for sizes, and `reduce_retracing`."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import pytest

import autograph as ag
from autograph.runtime.tracing.sizes import is_size


def test_row_16_batches_share_one_concrete_function() -> None:
    traced = []

    @ag.function(input_signature=[ag.TensorSpec([None, 28, 28], jnp.float32)])
    def thinned(images: Any) -> Any:
        traced.append(images.shape)
        return images[:, ::2, ::2]

    for n in (100, 50, 1):
        assert thinned(jnp.ones((n, 28, 28))).shape == (n, 14, 14)
    assert len(traced) == thinned.tracing_count == 1
    assert thinned(jnp.ones((0, 28, 28))).shape == (0, 14, 14)


@pytest.mark.parametrize(
    ("given", "what"),
    [
        (jnp.ones(28), r"'x' of f\(\) is float32\[28\] where float32\[None,28\] is expected"),
        (jnp.ones((1, 4), int), r"'x' of f\(\) is int32\[1,4\] where float32\[None,28\] is expected"),
        (jnp.ones((1, 28), "float16"), r"'x' of f\(\) is float16\[1,28\] where float32\[None,28\] is expected"),
        (3.0, r"'x' of f\(\) is the float 3.0 where float32\[None,28\] is expected"),
    ],
)
def test_row_16_another_rank_dtype_or_a_python_value_is_refused(given: Any, what: str) -> None:
    @ag.function(input_signature=[ag.TensorSpec([None, 28])])
    def f(x: Any) -> Any:
        return x

    for kind in (ValueError, TypeError):
        with pytest.raises(kind, match=what):
            f(given)
    f(jnp.ones((3, 28)))
    with pytest.raises(ValueError, match=what):
        f(given)


class Scaled:
    """Methods of every kind with a signature, which says nothing of the object or the class."""

    by = 2.0

    @ag.function(input_signature=[ag.TensorSpec([None])])
    def method(self, x: Any) -> Any:
        return self.by * x

    @ag.function(input_signature=[ag.TensorSpec([None])])
    @classmethod
    def of_class(cls, x: Any) -> Any:
        return cls.by * x

    @ag.function(input_signature=[ag.TensorSpec([None])])
    @staticmethod
    def static(x: Any) -> Any:
        return 2 * x

    def plain(self, x: Any, times: Any = 1) -> Any:
        return self.by * x * times

    def __call__(self, x: Any) -> Any:
        return self.by * x

    @ag.function(input_signature=[ag.TensorSpec([], "int32"), ag.TensorSpec([None])])
    def both(self: Any, x: Any) -> Any:
        return self * x


SIGNED = {
    "method": Scaled().method,
    "class method": Scaled.of_class,
    "static method": Scaled.static,
    "bound": ag.function(Scaled().plain, input_signature=[ag.TensorSpec([None])]),
    "object": ag.function(Scaled(), input_signature=[ag.TensorSpec([None])]),
}


@pytest.mark.parametrize("name", SIGNED)
def test_row_16_the_signature_of_a_method_begins_behind_the_object(name: str) -> None:
    fn = SIGNED[name]
    assert fn.get_concrete_function().structured_outputs.shape[0] != 3
    for n in (3, 4):
        assert fn(jnp.ones(n)).tolist() == [2] * n
    assert fn.tracing_count == 1
    with pytest.raises(ValueError, match=r"'x' of .* is float32\[3,1\] where float32\[None\] is expected"):
        fn(jnp.ones((3, 1)))


def test_the_signature_of_a_method_of_several_arrays_begins_behind_the_object() -> None:
    signature = [ag.TensorSpec([2]), ag.TensorSpec([2])]

    class Model:
        w = 2.0

        @ag.function(input_signature=signature)
        def add(self, *args: Any, scale: float = 1.0) -> Any:
            return sum(args) * self.w * scale

        @classmethod
        @ag.function(input_signature=signature)
        def of_class(cls, x: Any, *args: Any) -> Any:
            return x + sum(args) * cls.w

        @staticmethod
        @ag.function(input_signature=signature)
        def alone(*args: Any, scale: float = 3.0) -> Any:
            return sum(args) * scale

    model, x = Model(), jnp.ones(2)
    assert model.add(x, x).tolist() == model.add.get_concrete_function()(x, x).tolist() == [4, 4]
    assert model.add(x, x, scale=0.5).tolist() == [2, 2]
    assert model.of_class(x, x).tolist() == Model.of_class(x, x).tolist() == [3, 3]
    assert Model.alone(x, x).tolist() == [6, 6]
    with pytest.raises(ValueError, match=r"'args\[1\]' of add\(\) is nothing where float32\[2\] is expected"):
        model.add(x)
    with pytest.raises(ValueError, match=r"'args\[2\]' of add\(\) is float32\[2\] where nothing is expected"):
        model.add(x, x, x)


def test_row_16_a_method_is_called_with_its_object_first() -> None:
    assert Scaled.method(Scaled(), jnp.ones(2)).tolist() == [2, 2]
    assert Scaled.both(jnp.int32(3), jnp.ones(2)).tolist() == [3, 3]  # the signature has a part for each parameter


def test_row_16_control_flow_runs_on_all_sizes() -> None:
    @ag.function(input_signature=[ag.TensorSpec([None])])
    def longest_run(x: Any) -> Any:
        best = run = 0
        for v in x:
            run = run + 1 if v > 0 else 0
            best = max(best, run)
        return best

    for values in ([1.0, 1, -1, 1, 1, 1], [-1.0], [2.0, 2, -2]):
        run = best = 0
        for v in values:
            run = run + 1 if v > 0 else 0
            best = max(best, run)
        assert int(longest_run(jnp.array(values))) == best
    assert longest_run.tracing_count == 1


def test_sizes_of_one_name_are_the_same() -> None:
    @ag.function(input_signature=[ag.TensorSpec(["n"]), ag.TensorSpec(["n", 2])])
    def f(x: Any, y: Any) -> Any:
        return x @ y

    assert f(jnp.ones(3), jnp.ones((3, 2))).tolist() == [3, 3] and f(jnp.ones(4), jnp.ones((4, 2))).tolist() == [4, 4]
    with pytest.raises(ValueError, match="'x' and 'y' of f\\(\\) have sizes 3 and 4"):
        f(jnp.ones(3), jnp.ones((4, 2)))
    assert f.tracing_count == 1


def test_a_signature_of_structures_and_of_the_first_parameters() -> None:
    @ag.function(input_signature=[{"a": ag.TensorSpec([None]), "b": ag.TensorSpec([], "int32")}])
    def f(named: Any, times: Any = 2) -> Any:
        return named["a"] * named["b"] * times

    assert f({"a": jnp.ones(3), "b": jnp.int32(2)}).tolist() == [4, 4, 4]
    assert f({"a": jnp.ones(2), "b": jnp.int32(2)}).tolist() == [4, 4] and f.tracing_count == 1
    with pytest.raises(ValueError, match="named"):
        f({"a": jnp.ones(3)})


def test_variables_with_open_sizes() -> None:
    total = ag.Variable(0.0)

    @ag.function(input_signature=[ag.TensorSpec([None])])
    def add(x: Any) -> Any:
        if jnp.sum(x) > 0:
            total.assign_add(jnp.sum(x))
        return total.value

    assert [float(add(jnp.ones(n))) for n in (1, 2, 3)] == [1, 3, 6] and add.tracing_count == 1


def test_row_17_an_axis_that_changes_becomes_open() -> None:
    @ag.function(reduce_retracing=True)
    def f(x: Any, y: Any) -> Any:
        return jnp.sum(x * y)

    for n in (2, 3, 4, 5, 9):
        assert float(f(jnp.ones(n), jnp.ones(n))) == n
    assert f.tracing_count == 2


def test_row_17_an_axis_that_is_the_same_stays_fixed() -> None:
    shapes = []

    @ag.function(reduce_retracing=True)
    def f(x: Any) -> Any:
        shapes.append(["open" if is_size(n) else n for n in x.shape])
        return jnp.sum(x)

    for n in (2, 4, 5):
        assert float(f(jnp.ones((n, 3)))) == 3 * n
    assert shapes == [[2, 3], ["open", 3]]


def test_row_17_where_sizes_decide_each_keeps_its_trace() -> None:
    @ag.function(reduce_retracing=True)
    def f(x: Any) -> Any:
        return x.reshape(2, 2) if x.shape[0] == 4 else x

    assert [f(jnp.ones(n)).shape for n in (3, 4, 5, 6)] == [(3,), (2, 2), (5,), (6,)]


def test_specs_are_values() -> None:
    spec = ag.TensorSpec([None, 2], "int32", name="ids")
    assert spec == ag.TensorSpec((None, 2), "int32") and hash(spec) == hash(ag.TensorSpec((None, 2), "int32"))
    assert repr(spec) == "TensorSpec(shape=(None, 2), dtype=int32, name='ids')"


def test_checks_in_a_loop_over_an_open_size() -> None:
    @ag.function(input_signature=[ag.TensorSpec([None])])
    def f(x: Any) -> Any:
        total = 0.0
        for v in x:
            if v < 0:
                raise ValueError(f"{v:.1f} is negative")
            total += v
        return total

    for n in (1, 4):
        assert float(f(jnp.ones(n))) == n
        with pytest.raises(ValueError, match="-2.0 is negative"):
            f(jnp.array([1.0] * n + [-2.0, -3.0]))
    assert f.tracing_count == 1


def test_a_signature_says_what_is_no_part_of_one_and_what_is_missing_or_too_much() -> None:
    for wrong in (3, [3], ag.TensorSpec([2]), [{"a": "float32"}]):
        with pytest.raises(TypeError, match="`input_signature` is a list of `ag.TensorSpec`"):
            ag.function(lambda x: x, input_signature=wrong)
    f = ag.function(lambda d: d["a"] + d["b"], input_signature=[{"a": ag.TensorSpec([]), "b": ag.TensorSpec([])}])
    one = jnp.float32(1)
    with pytest.raises(ValueError, match=r"'d\['b'\]' .* is nothing where float32\[\] (.|\n)*instead: pass it too"):
        f({"a": one})
    with pytest.raises(ValueError, match=r"'d\['c'\]' .* where nothing is expected(.|\n)*instead: leave it out"):
        f({"a": one, "b": one, "c": one})
    with pytest.raises(ValueError, match=r"jnp.asarray\(d\['b'\], ...\)"):
        f({"a": one, "b": 1})
    assert float(f({"a": one, "b": one})) == 2


def test_a_signature_has_parts_for_each_of_several_values_of_one_parameter() -> None:
    total = ag.function(lambda x, *more: x + sum(more), input_signature=[ag.TensorSpec([]), *[ag.TensorSpec(["n"])] * 2])
    assert total(jnp.float32(1), jnp.ones(2), jnp.ones(2)).tolist() == [3, 3] and total.tracing_count == 1
    with pytest.raises(ValueError, match=r"'more\[1\]' .* is nothing"):
        total(jnp.float32(1), jnp.ones(2))


@pytest.mark.parametrize("size", [lambda x: x.shape[0], len, lambda x: len(x) * 2, lambda x: max(x.size, 2), lambda x: -x.shape[0]])
def test_row_17_a_size_among_the_results_is_the_number_of_the_call(size: Any) -> None:
    open_ = ag.function(lambda x: {"size": size(x), "x": x}, input_signature=[ag.TensorSpec([None])])
    found = ag.function(lambda x: size(x), reduce_retracing=True)
    for n in (5, 4, 3, 1):
        x = jnp.ones(n)
        assert int(open_(x)["size"]) == int(found(x)) == size(x)
        assert int(jax.jit(open_)(x)["size"]) == size(x)
    assert open_.tracing_count == 1
    assert float(open_(jnp.ones(3))["size"] + 0.5) == size(jnp.ones(3)) + 0.5


def test_row_17_a_size_is_an_integer_of_pythons() -> None:
    @ag.function(input_signature=[ag.TensorSpec([None])])
    def f(x: Any) -> Any:
        match len(x):
            case int():
                matched = 1
            case _:
                matched = 0
        return isinstance(x.shape[0], int), type(len(x)) is int, isinstance(len(x), int | str), isinstance(len(x), float), matched

    assert [int(flag) for flag in f(jnp.ones(3))] == [1, 1, 1, 0, 1]


def test_row_17_weak_types_are_not_widened() -> None:
    times = ag.function(lambda a, b: a * b, reduce_retracing=True)
    for n in (2, 3, 4):
        assert times(jnp.ones(n, "int32"), jnp.full(n, 100, "int8")).dtype == jnp.int32
    for n in (4, 5):
        weak = jnp.broadcast_to(jnp.asarray(2), (n,))
        assert weak.weak_type and times(weak, jnp.full(n, 100, "int8")).dtype == jnp.int8


def test_row_17_what_jax_cannot_export_keeps_its_sizes() -> None:
    transform = ag.function(jnp.fft.fft, reduce_retracing=True)
    printing = ag.function(lambda x: (ag.print(x.sum()), x * 2)[1], reduce_retracing=True)
    for n in (2, 3, 4):
        assert transform(jnp.ones(n)).tolist() == jnp.fft.fft(jnp.ones(n)).tolist()
        assert printing(jnp.ones(n)).shape == (n,)
    asked = ag.function(lambda x: (ag.print(x.sum()), x * 2)[1], input_signature=[ag.TensorSpec([None])])
    with pytest.raises(ag.AutoGraphError, match=r"the program of <lambda>\(\) for open sizes cannot be exported\n  why: it calls"):
        asked(jnp.ones(2))


@pytest.mark.parametrize("size", ["", -1, 2.5, "2*n", "mod", "_", "a b"])
def test_what_is_no_size_is_refused(size: Any) -> None:
    with pytest.raises(ValueError, match="is no size of a TensorSpec"):
        ag.TensorSpec([size])
    with pytest.raises(ValueError, match="has a list of sizes, and not None"):
        ag.TensorSpec(None)  # type: ignore[arg-type]  # the mistake that is tried


def test_an_open_size_is_an_index_of_an_update() -> None:
    def marked(x: Any) -> Any:
        return x.at[len(x) - 1].set(9.0)

    f = ag.function(marked, input_signature=[ag.TensorSpec([None])])
    assert f(jnp.ones(3)).tolist() == marked(jnp.ones(3)).tolist() == [1, 1, 9]


def test_row_17_a_size_as_a_key_is_refused_or_keeps_its_trace() -> None:
    def by_size(x: Any) -> Any:
        return {(x.shape[0], "sum"): x.sum()}

    with pytest.raises(ag.StagingError, match=r"a set or dict would hold or look for none_0, a size"):
        ag.function(by_size, input_signature=[ag.TensorSpec([None])])(jnp.ones(2))
    f = ag.function(by_size, reduce_retracing=True)
    assert [f(jnp.ones(n)) for n in (2, 3, 4)] == [by_size(jnp.ones(n)) for n in (2, 3, 4)]
