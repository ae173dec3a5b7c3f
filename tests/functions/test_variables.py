"""`ag.Variable`: by reference, in program order, in branches and loops, under derivatives; refused where JAX traces by itself."""

from __future__ import annotations

import copy
import operator
import pickle
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag


def test_row_24_as_an_argument_it_is_passed_by_reference() -> None:
    @ag.function
    def increment(v: Any) -> Any:
        return v.assign_add(1)

    counter, other = ag.Variable(0), ag.Variable(10)
    assert [int(increment(v)) for v in (counter, counter, other)] == [1, 2, 11]
    assert int(counter.value) == 2 and int(other.value) == 11


def test_row_24_captured_it_is_listed() -> None:
    counter = ag.Variable(0, name="counter")

    @ag.function
    def increment() -> Any:
        return counter.assign_add(1)

    assert [int(increment()), int(increment())] == [1, 2] and increment.tracing_count == 1
    assert increment.pretty_printed_concrete_signatures().endswith("Captures:\n  counter: int32[]")


def test_row_24_as_an_attribute() -> None:
    class Counter:
        def __init__(self) -> None:
            self.count = ag.Variable(0)

        @ag.function
        def increment(self) -> Any:
            return self.count.assign_add(1)

    one, two = Counter(), Counter()
    assert [int(c.increment()) for c in (one, one, two)] == [1, 2, 1]


def test_row_25_methods_and_attributes() -> None:
    v = ag.Variable([1.0, 2.0])
    assert v.assign([3.0, 4.0]) is v and v.assign_add(1).assign_sub(jnp.ones(2)) is v
    assert v.value.tolist() == [3, 4] and v.shape == (2,) and v.dtype == np.float32 and v.ndim == 1
    assert (v + 1).tolist() == [4, 5] and (2 * v).tolist() == [6, 8] and float(v[0]) == 3 and len(v) == 2
    assert (v > 3).tolist() == [False, True] and np.asarray(v).tolist() == [3, 4] and [float(x) for x in v] == [3, 4]
    assert jnp.asarray(v).tolist() == [3, 4] and repr(v).endswith("Array([3., 4.], dtype=float32)>")
    assert bool(ag.Variable(1)) and int(ag.Variable(2)) == 2 and f"{ag.Variable(0.5):.2f}" == "0.50"
    with pytest.raises(ag.StagingError, match="shape"):
        v.assign(1.0)


@pytest.mark.parametrize("compiled", [False, True])
def test_row_25_assignment_operators_raise_and_name_the_method(compiled: bool) -> None:
    v = ag.Variable(1.0)

    def add() -> None:
        w = v
        w += 1

    with pytest.raises(ag.StagingError, match="assign_add"):
        (ag.function(add) if compiled else add)()
    assert float(v.value) == 1


@pytest.mark.parametrize("name", "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split())
def test_row_25_each_assignment_operator_names_what_works_when_typed(name: str) -> None:
    start = jnp.array([[6, 7], [2, 3]], "float32" if name == "truediv" else "int32")
    v, x, by_name = ag.Variable(start), start % 3 + 1, getattr(operator, f"i{name}")
    with pytest.raises(ag.StagingError, match=f"`__i{name}__`") as caught:
        by_name(v, x)
    assert (v.value == start).all()
    (typed,) = re.findall(r"instead: write `(v\..*)`", str(caught.value))
    eval(typed, {"v": v, "x": x, "operator": operator})
    assert (v.value == by_name(start, x)).all() and (name not in ("add", "sub") or typed == f"v.assign_{name}(x)")


def branches(v: Any, x: Any) -> Any:
    if x > 2:
        v.assign_add(x)
        if v > 10:
            v.assign(0)
    else:
        v.assign(v * 2)
    return v.value


def loops(v: Any, x: Any) -> Any:
    for i in range(x):
        if i == 5:
            break
        v.assign_add(i)
    while v > 3:
        v.assign_sub(2)
    return v + 1


def in_a_call(v: Any, x: Any) -> Any:
    def twice() -> None:
        v.assign(2 * v)

    if x > 1:
        twice()
    return v.assign_add(x)


def recursion(v: Any, x: Any) -> Any:
    before = v.value
    v.assign_add(x)
    return before, v.value


@pytest.mark.parametrize("fn", [branches, loops, in_a_call, recursion])
def test_row_26_writes_happen_in_program_order(fn: Callable[..., Any]) -> None:
    eager, compiled, g = ag.Variable(3), ag.Variable(3), ag.function(fn)
    for x in (1, 2, 3, 9, 0, 4):
        expected = fn(eager, jnp.int32(x)) if fn is not loops else loops(eager, x)
        found = g(compiled, jnp.int32(x))
        assert jax.tree.map(int, found) == jax.tree.map(int, expected), x
        assert int(compiled.value) == int(eager.value), x
    assert g.tracing_count == 1


def test_row_26_made_on_every_trace_it_is_refused() -> None:
    @ag.function
    def f(x: Any) -> Any:
        v = ag.Variable(1.0)
        return v.assign_add(x)

    with pytest.raises(ag.StagingError, match=r"each trace of f\(\) makes Variable anew"):
        f(jnp.float32(1))


def test_row_26_made_on_the_first_call_it_stays() -> None:
    class Lazy:
        v: Any = None

        @ag.function
        def __call__(self, x: Any) -> Any:
            if self.v is None:
                self.v = ag.Variable(1.0)
            return self.v.assign_add(x)

    lazy = Lazy()
    assert [float(lazy(jnp.float32(2))), float(lazy(jnp.float32(2)))] == [3, 5]


def test_row_26_its_first_value_may_be_computed_on_the_first_call() -> None:
    values = {
        "zeros": lambda: jnp.zeros(3),
        "random": lambda: jax.random.normal(jax.random.PRNGKey(1), (3,)) * 2 + 1,
        "second result": lambda: jnp.divmod(jnp.arange(3.0), 2)[1],
    }

    class Lazy:
        def __init__(self) -> None:
            self.of: dict[str, Any] = {}

        @ag.function
        def __call__(self, x: Any) -> Any:
            if not self.of:
                self.of.update({name: ag.Variable(make()) for name, make in values.items()})
            return {name: v.assign_add(x).value for name, v in self.of.items()}

    lazy = Lazy()
    for times in (1, 2):
        found = lazy(jnp.float32(2))
        for name, make in values.items():
            np.testing.assert_allclose(found[name], make() + 2 * times, rtol=1e-6)


def test_row_26_its_first_value_may_be_that_of_no_other_variable() -> None:
    @ag.function
    def f(v: Any) -> Any:
        return ag.Variable(v.value + 1).value

    with pytest.raises(ag.StagingError, match="made of a traced value"):
        f(ag.Variable(1.0))


def test_two_names_of_one_variable() -> None:
    @ag.function
    def f(a: Any, b: Any) -> Any:
        a.assign_add(1)
        b.assign_add(10)
        return a.value

    v = ag.Variable(0)
    assert int(f(v, v)) == 11 and int(f(v, ag.Variable(0))) == 12


def test_a_training_step_differentiates_with_respect_to_variables_values() -> None:
    class Model:
        def __init__(self) -> None:
            self.w, self.seen = ag.Variable(jnp.zeros(3)), ag.Variable(0.0)

        def loss(self, w: Any, x: Any, y: Any) -> Any:
            self.seen.assign_add(jnp.sum(x * w))  # a statistic of what is differentiated
            return jnp.sum((x * w - y) ** 2)

    def step(model: Any, x: Any, y: Any) -> Any:
        value, gradient = jax.value_and_grad(model.loss)(model.w.value, x, y)
        model.w.assign_sub(0.1 * gradient)
        return value

    eager, compiled, g = Model(), Model(), ag.function(step)
    x, y = jnp.arange(3.0), jnp.ones(3)
    for _ in range(4):
        assert np.allclose(step(eager, x, y), g(compiled, x, y))
    assert np.allclose(eager.w.value, compiled.w.value) and np.allclose(eager.seen.value, compiled.seen.value)


def test_assignment_cuts_derivatives_compiled_as_eagerly() -> None:
    v = ag.Variable(0.0)

    def loss(x: Any) -> Any:
        v.assign(x * 2)
        return v.value * x

    assert float(jax.grad(loss)(3.0)) == 6
    assert float(ag.function(jax.grad(loss))(jnp.float32(3.0))) == 6
    assert float(jax.grad(ag.function(loss))(3.0)) == 6 and float(v.value) == 6


def test_other_transforms_read_it_and_writes_there_are_refused() -> None:
    v = ag.Variable(2.0, name="v")
    xs = jnp.arange(3.0)

    @ag.function
    def reads(xs: Any) -> Any:
        return jax.lax.scan(lambda c, x: (c + x * v, v.value), 0.0, xs)[0], jax.vmap(lambda x: x * v)(xs)

    assert float(reads(xs)[0]) == 6
    v.assign(3.0)
    assert float(reads(xs)[0]) == 9 and reads(xs)[1].tolist() == [0, 3, 6]

    def write(x: Any) -> Any:
        v.assign(x)
        return x

    for transformed in (jax.vmap(write), lambda xs: jax.lax.map(write, xs), lambda xs: jax.checkpoint(write)(xs[0])):
        with pytest.raises(ag.StagingError, match="v is written in a function that"):
            ag.function(transformed)(xs)
    assert float(v.value) == 3
    with pytest.raises(ag.StagingError, match="v is written"):
        jax.vmap(ag.function(write))(xs)


@pytest.mark.parametrize("keeps", [jax.jit, jax.checkpoint])
@pytest.mark.parametrize("is_known", [False, True])
def test_a_function_whose_program_jax_keeps_sees_what_is_written(keeps: Callable[..., Any], is_known: bool) -> None:
    v = ag.Variable(2.0, name="v")
    kept = keeps(lambda x: x * v.value)
    if is_known:
        assert float(jax.jit(kept)(3.0)) == 6

    @ag.function
    def twice(x: Any, n: int) -> Any:
        first = kept(x)
        v.assign_add(1.0)
        return first, kept(x), jax.grad(kept)(x) * n

    @ag.function
    def looped(x: Any) -> Any:
        for _ in ag.range(3):
            x = kept(x)
            v.assign_add(1.0)
        return x

    assert [float(x) for x in twice(1.0, 1)] == [2, 3, 3] and [float(x) for x in twice(1.0, 2)] == [3, 4, 8]
    assert float(v.value) == 4 and float(kept(1.0)) == 4
    assert float(looped(jnp.float32(1))) == 4 * 5 * 6 and float(v.value) == 7
    assert float(ag.function(lambda x: kept(x) + 1)(jnp.float32(1))) == 8 and float(jax.jit(kept)(2.0)) == 14
    assert (twice.tracing_count, looped.tracing_count) == (2, 1)


def test_the_body_of_a_scan_sees_what_is_written() -> None:
    v = ag.Variable(2.0)

    @ag.function
    def body(carry: Any, x: Any) -> Any:
        return carry * v + x, carry

    @ag.function
    def scanned_twice(x: Any) -> Any:
        first, _ = jax.lax.scan(body, x, jnp.arange(3.0))
        v.assign(9.0)
        return first, jax.lax.scan(body, x, jnp.arange(3.0))[0]

    assert [float(x) for x in scanned_twice(jnp.float32(1))] == [12, 740]


def clipped_sum(total: ag.Variable) -> Callable[..., Any]:
    def add(xs: Any) -> Any:
        for x in xs:
            if x > 0:
                total.assign_add(x)
            if total > 8:
                break
        return total * 2

    return add


def halved(total: ag.Variable) -> Callable[..., Any]:
    def halve(xs: Any) -> Any:
        while total > abs(xs[0]):
            total.assign(total / 2)
        return total.value if xs[1] > 0 else total.value + xs[1]

    return halve


def scanned(total: ag.Variable) -> Callable[..., Any]:
    def add(carry: Any, x: Any) -> Any:
        total.assign_add(x)
        return carry + total.value, total * x

    return lambda xs: jax.lax.scan(add, 0.0, xs)


def derivative(total: ag.Variable) -> Callable[..., Any]:
    def loss(x: Any) -> Any:
        total.assign(total + x)
        return x * total.value

    return lambda xs: jax.value_and_grad(loss)(xs[0])


def mapped(total: ag.Variable) -> Callable[..., Any]:
    return lambda xs: (jax.vmap(lambda x: x * total)(xs), total.assign(xs[0]).value)


WAYS: dict[str, Callable[[Any], Any]] = {
    "ag.jit": ag.jit,
    "jax.jit": lambda f: jax.jit(ag.convert(f)),
    "ag.function inside": lambda f: jax.jit(ag.function(f)),
}


@pytest.mark.parametrize(
    ("make", "way"),
    [
        *((make, way) for make in (clipped_sum, halved, derivative, mapped) for way in WAYS),
        (scanned, "ag.jit"),
        (scanned, "jax.jit"),
    ],
)
def test_every_compiled_function_reads_and_writes_it_in_program_order(make: Callable[..., Any], way: str) -> None:
    ours, plain = ag.Variable(5.0), ag.Variable(5.0)
    compiled, expected = WAYS[way](make(ours)), make(plain)
    for xs in ([1.0, -2.0, 3.0], [-1.0, 0.5, 2.0], [0.25, 6.0, 9.0]):
        got, wanted = compiled(jnp.array(xs)), expected(jnp.array(xs))
        assert jax.tree.map(np.ndarray.tolist, jax.tree.map(np.asarray, (got, ours.value))) == jax.tree.map(
            np.ndarray.tolist, jax.tree.map(np.asarray, (wanted, plain.value))
        )
        for v in (ours, plain):
            v.assign_sub(0.5)  # between two calls


def test_one_that_any_program_has_used_is_still_read_written_saved_and_copied(tmp_path: Path) -> None:
    v = ag.Variable(2.0, name="v")
    assert float(jax.jit(lambda x: v * x)(3.0)) == 6

    @ag.function
    def add(x: Any) -> Any:
        if x > 0:
            v.assign_add(x)
        return v.value

    assert [float(add(jnp.float32(x))) for x in (1, -1, 2)] == [3, 3, 5] and float(v.value) == 5
    ag.save(add, tmp_path / "add.ag")
    assert float(ag.load(tmp_path / "add.ag")(jnp.float32(1))) == 6
    for other in (copy.deepcopy(v), pickle.loads(pickle.dumps(v))):
        assert float(other.assign(1.0).value) == 1 and float(v.value) == 5
    assert repr(v) == "<Variable 'v' Array(5., dtype=float32)>" and (v.shape, v.dtype) == ((), jnp.float32)


@pytest.mark.parametrize("way", ["ag.jit", "jax.jit"])
def test_a_write_for_each_lane_is_refused_in_every_compiled_function(way: str) -> None:
    v = ag.Variable(2.0, name="v")
    with pytest.raises(ag.StagingError, match="v is written under a transform of JAX's"):
        WAYS[way](lambda xs: jax.vmap(lambda x: v.assign(x).value)(xs))(jnp.arange(3.0))
    assert float(v.value) == 2


def test_a_call_that_raises_leaves_variables_as_they_were() -> None:
    v = ag.Variable(1.0)

    @ag.function
    def f(x: Any) -> Any:
        v.assign_add(x)
        if x > 2:
            raise ValueError(f"{x} is large")
        return v.value

    assert float(f(jnp.float32(1))) == 2
    with pytest.raises(ValueError, match=r"3.0 is large"):
        f(jnp.float32(3))
    assert float(v.value) == 2


def test_containers_of_variables_and_variables_among_results() -> None:
    @ag.function
    def f(named: Any) -> Any:
        named["a"].assign_add(3)
        return named

    named = {"a": ag.Variable(1)}
    assert [int(f(named)["a"]), int(f(named)["a"]), int(named["a"].value)] == [4, 7, 7]


def test_the_first_value_is_known() -> None:
    @ag.function
    def f(x: Any) -> Any:
        return ag.Variable(x).value

    with pytest.raises(ag.StagingError, match="made of a traced value"):
        f(jnp.float32(1))


def test_which_variable_it_is_must_be_known() -> None:
    a, b = ag.Variable(1.0), ag.Variable(5.0)

    def chosen(x: Any) -> Any:
        w = a if x > 0 else b
        return w.value

    def bound(x: Any) -> Any:
        w = a
        while x > 0:
            w = b
            x -= 1
        return w.value

    def kept(x: Any) -> Any:
        named = {"v": a}
        if x > 0:
            named["v"] = b
        return named["v"].assign(7.0)

    for fn in (chosen, bound, kept):
        with pytest.raises(ag.StagingError, match="a Variable object"):
            ag.function(fn)(jnp.float32(2))
    assert float(a.value) == 1 and float(b.value) == 5


@pytest.mark.usefixtures("with_few_objects")
def test_a_trace_that_an_iteration_ends_early_is_not_kept() -> None:
    total = ag.Variable(0.0)

    @ag.function
    def f(x: Any) -> Any:
        for _ in ag.range(3):
            total.assign_add(x)  # the carry gets a location, so the body is traced once more
            assert total < 100
        return total.value

    with jax.checking_leaks():
        assert float(f(jnp.float32(1))) == 3


def test_a_copy_is_another_variable_and_none_is_made_of_a_traced_value() -> None:
    v = ag.Variable(1.0, name="v")
    for other in (copy.copy(v), copy.deepcopy(v), pickle.loads(pickle.dumps(v))):
        other.assign(2.0)
        assert (other.name, float(v.value), float(other.value)) == ("v", 1.0, 2.0)
    assert (both := copy.deepcopy([v, v]))[0] is both[1]

    @ag.function
    def f(x: Any) -> Any:
        return copy.deepcopy(v).assign(x).value

    with pytest.raises(ag.StagingError, match="a Variable is made of a traced value"):
        f(jnp.float32(2))


def test_threads_lose_no_update() -> None:
    counter = ag.Variable(0)
    first, second = ag.function(lambda: counter.assign_add(1).value), ag.function(lambda n: counter.assign(counter + n).value)

    def work() -> None:
        for _ in range(30):
            first()
            second(jnp.int32(2))
            counter.assign_add(3)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert int(counter) == 4 * 30 * 6


@pytest.mark.parametrize("inside", [False, True])
def test_a_value_of_a_kind_that_the_variable_does_not_hold_is_refused(inside: bool) -> None:
    count, mean = ag.Variable(0), ag.Variable(0.0)

    def call(fn: Any) -> Any:
        return ag.function(fn)() if inside else fn()

    for wrong in (lambda: count.assign(1.5), lambda: count.assign_add(jnp.float32(0.5)), lambda: mean.assign(1j)):
        with pytest.raises(ag.StagingError, match=r"Variable of dtype .* is assigned a value of dtype"):
            call(wrong)
    call(lambda: mean.assign_add(count + 1).value), call(lambda: count.assign(jnp.asarray(1.5, count.dtype)).value)
    assert float(mean) == 1.0 and int(count) == 1


def test_a_variable_among_the_arguments_of_a_function_of_jax_is_told_to_be_its_value() -> None:
    v = ag.Variable(jnp.ones(3))
    with pytest.raises(ValueError, match="__jax_array__") as raised:
        ag.function(lambda: jnp.sum(v))()
    assert "pass its array, `v.value`" in "".join(raised.value.__notes__)
    assert float(ag.function(lambda: jnp.sum(v.value))()) == 3


def in_a_branch_under_vmap(v: ag.Variable) -> Any:
    def one(x: Any) -> Any:
        if x > 0:
            return x * v
        return x

    return jax.vmap(one)(jnp.ones(2))


def written_in_a_loop_under_grad(v: ag.Variable) -> Any:
    def loss(x: Any) -> Any:
        for i in ag.range(3):
            if x > i:
                v.assign_add(x)
        return x * x

    return jax.grad(loss)(2.0)


def written_under_checkpoint(v: ag.Variable) -> Any:
    return jax.grad(jax.checkpoint(lambda x: x * x * v.assign_add(1.0).value))(1.0)


def checked_before(v: ag.Variable) -> Any:
    x = jnp.float32(1)
    assert x + v > 0
    return [1.0, 2.0][(x * v).astype(int)]


def made(v: ag.Variable) -> Any:
    return ag.Variable(0.0).assign_add(v).value


def in_a_branch_by_hand_under_vmap(v: ag.Variable) -> Any:
    return jax.vmap(lambda x: jax.lax.cond(x > 0, lambda: x * v, lambda: x))(jnp.ones(2))


def in_a_loop_by_hand_under_vmap(v: ag.Variable) -> Any:
    return jax.vmap(lambda x: jax.lax.while_loop(lambda c: c < v.value, lambda c: c + v.value, x))(jnp.zeros(2))


def in_a_custom_derivative(v: ag.Variable) -> Any:
    double = jax.custom_jvp(lambda x: x * 2 * v.value)
    double.defjvps(lambda tangent, result, x: tangent)
    return double(0.5)


def in_a_linear_solve(v: ag.Variable) -> Any:
    return jax.lax.custom_linear_solve(lambda y: y * v.value, 1.0, lambda product, b: b / v.value)


@pytest.mark.parametrize(
    ("f", "text"),
    [
        (in_a_branch_by_hand_under_vmap, "v is used in a branch or a loop under `vmap`"),
        (in_a_loop_by_hand_under_vmap, "v is used in a branch or a loop under `vmap`"),
        (in_a_custom_derivative, "v is used in a function that JAX traces for `custom_jvp fun`"),
        (in_a_linear_solve, "v is used in a function that JAX traces for `custom_linear_solve`"),
        (in_a_branch_under_vmap, "v is used in a branch or a loop under `vmap`"),
        (written_in_a_loop_under_grad, "v is written in a branch or a loop under `jax.grad`"),
        (written_under_checkpoint, "v is written in a function under `jax.checkpoint`"),
        (checked_before, "v is used in a program with a check"),
        (made, "Variable is made in a function that JAX compiles"),
    ],
)
def test_what_jax_cannot_do_with_references_is_refused_by_name(f: Callable[..., Any], text: str) -> None:
    v = ag.Variable(1.0, name="v")
    with pytest.raises(ag.StagingError, match=text):
        ag.jit(lambda: f(v))()
    assert float(v.value) == 1
    expected = {
        in_a_branch_under_vmap: [1.0, 1.0],
        in_a_branch_by_hand_under_vmap: [1.0, 1.0],
        in_a_loop_by_hand_under_vmap: [1.0, 1.0],
        in_a_custom_derivative: 1.0,
        in_a_linear_solve: 1.0,
        written_in_a_loop_under_grad: 4.0,
    }
    if f in expected:
        assert np.asarray(ag.function(lambda: f(v))()).tolist() == expected[f]


def test_a_loop_by_hand_that_runs_at_once_is_refused_a_variable_in_its_condition() -> None:
    limit = ag.Variable(3.0, name="limit")

    def run() -> Any:
        return jax.lax.while_loop(lambda x: x < limit.value, lambda x: x + limit.value, 0.0)

    with pytest.raises(ag.StagingError, match="limit is used in the condition of a `lax.while_loop` that runs at once"):
        run()
    assert float(jax.jit(run)()) == float(ag.jit(run)()) == 3


def test_a_variable_whose_array_jax_has_deleted_says_so_by_name() -> None:
    v = ag.Variable(1.0, name="v")

    @ag.jit
    def checked(x: Any) -> Any:
        assert x > 0
        return x

    @ag.jit
    def add(x: Any) -> Any:
        return v.assign_add(checked(x)).value

    assert float(checked(1.0)) == 1 and float(add(1.0)) == 2  # JAX has kept `checked`: its check is not traced again
    with pytest.raises(jax.errors.JaxRuntimeError):
        add(-1.0)
    for use in (lambda: v.value, lambda: v.assign(0.0), lambda: v.assign_add(1.0)):
        with pytest.raises(ag.StagingError, match="v has lost its value: a compiled function that used it failed"):
            use()


def test_it_stands_for_its_value_in_tests() -> None:
    on = ag.Variable(True)

    def count(x: Any) -> Any:
        steps = 0
        while on:
            x = -x if not on else x + 1
            steps += 1
            on.assign(x < 3)
        return x if on else -x, steps, bool(on)

    for compiled in (ag.function(count), ag.jit(count)):
        on.assign(True)
        assert [float(part) for part in compiled(jnp.float32(0))] == [-3, 3, 0]



@pytest.mark.parametrize(("start", "value"), [("int8", 300), ("int8", [1, -129]), ("uint32", -1), ("uint8", np.int64(256))])
def test_an_integer_of_python_that_does_not_fit_is_refused(start: Any, value: Any) -> None:
    v = ag.Variable(np.zeros(np.shape(value), start), name="v")
    for call in (lambda: v.assign(value), ag.function(lambda: v.assign(value).value)):
        with pytest.raises(ag.StagingError, match=rf"v of dtype {start} is assigned .*, which it cannot hold"):
            call()
        with pytest.raises(ag.StagingError, match="which it cannot hold"):
            v.assign_add(value)
    assert not np.any(v.value)


@pytest.mark.parametrize("value", [3_000_000_000, np.int64(2**40), np.array(3_000_000_000)])
def test_integers_are_numbers_of_a_variable_of_floats(value: Any) -> None:
    v = ag.Variable(0.0)
    assert float(v.assign(value)) == float(v.assign(0.0).assign_add(value)) == np.float32(value)
    assert float(ag.function(lambda: v.assign(value).value)()) == np.float32(value)


def test_integers_of_arrays_are_cast_where_no_number_is_lost() -> None:
    wide, narrow, unsigned = ag.Variable(0), ag.Variable(np.int8(0)), ag.Variable(np.uint32(0))
    assert int(wide.assign(jnp.int8(-3))) == -3 and int(unsigned.assign(3_000_000_000)) == 3_000_000_000
    assert int(narrow.assign(np.int64(7))) == 7 and int(ag.function(lambda x: narrow.assign(x + 0).value)(True)) == 1
    weak = jax.jit(lambda n: n)(1)
    for v, value in ((narrow, jnp.int32(1)), (wide, jnp.uint32(1)), (unsigned, jnp.int32(1)), (narrow, weak), (unsigned, weak)):
        with pytest.raises(ag.StagingError, match="is assigned a value of dtype"):
            v.assign(value)


@pytest.mark.parametrize(
    "f", [lambda v, x: np.ones(3) * v + x, lambda v, x: np.sin(v) * x, lambda v, x: (np.arange(3) < v) & (x > 0)]
)
def test_functions_and_operators_of_numpy_take_its_value(f: Callable[..., Any]) -> None:
    v, x = ag.Variable(2.0), jnp.float32(1)
    expected = np.asarray(f(np.float32(2), np.float32(1))).tolist()
    for wrap in (lambda g: g, ag.function, ag.jit):
        assert np.asarray(wrap(lambda x: f(v, x))(x)).tolist() == pytest.approx(expected)


def test_a_variable_says_how_often_a_loop_runs() -> None:
    count = ag.Variable(3)

    def total(x: Any) -> Any:
        for i in range(1, count):
            x = x + i
        return x

    assert float(ag.function(total)(jnp.float32(2))) == total(jnp.float32(2)) == 5
