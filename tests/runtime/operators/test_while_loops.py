"""`while_loop` alone: Python's path, the staged path, the shape of the program, tests that write, transforms, trials."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import autograph as ag
from autograph.errors import StagingError
from autograph.runtime.heap import journal
from autograph.runtime.operators.conditionals import if_exp, if_stmt, nothing
from autograph.runtime.operators.unbound_reads import read
from autograph.runtime.operators.while_loops import while_loop
from autograph.runtime.tracing import context
from autograph.runtime.tracing.variables import State
from tests.runtime.announced import put


@pytest.fixture(autouse=True)
def no_region_stays_open():
    yield
    assert not context.active()


def collatz(n):
    steps = 0

    def body():
        nonlocal n, steps
        n = if_exp(n % 2 == 0, lambda: n // 2, lambda: 3 * n + 1)
        steps = steps + 1

    while_loop(lambda: n != 1, body, lambda: (n, steps))
    return steps


def power(x, n):
    result = 1.0

    def body():
        nonlocal n, result
        result = result * jnp.sin(x)
        n = n - 1

    while_loop(lambda: n > 0, body, lambda: (n, result))
    return result


def loops(jaxpr):
    found = []
    for eqn in jaxpr.eqns:
        if str(eqn.primitive) in ("while", "scan"):
            found.append(eqn)
    return found


# --- Python's path ---


def test_known_tests_are_python_s():
    asked = []

    def test():
        asked.append(len(asked))
        return [3, "x", [0], None][len(asked) - 1]

    ran = []
    while_loop(test, lambda: ran.append(1))
    assert asked == [0, 1, 2, 3] and ran == [1, 1, 1]


def test_exceptions_pass_and_leave_what_happened():
    x = 0

    def body():
        nonlocal x
        x = x + 1
        if x == 3:
            raise KeyError(x)

    for run in (lambda f: f(), lambda f: jax.jit(lambda y: f())(1)):
        x = 0
        with pytest.raises(KeyError, match="3"):
            run(lambda: while_loop(lambda: True, body, lambda: (x,)))
        assert x == 3


def test_a_loop_on_plain_values_stays_python_under_jit():
    def f(x):
        k, ran = 0, []

        def body():
            nonlocal k
            ran.append(type(k))
            k = k + 1

        while_loop(lambda: k < 5, body, lambda: (k,))
        assert type(k) is int and ran == [int] * 5
        return x * k

    assert jax.jit(f)(2) == 10 and not loops(jax.make_jaxpr(f)(2).jaxpr)


# --- the program ---


def test_the_program_of_lax_while_loop():
    def by_hand(x, n):
        return lax.while_loop(lambda c: c[0] > 0, lambda c: (c[0] - 1, c[1] * jnp.sin(x)), (n, 1.0))[1]

    (ours,), (theirs,) = loops(jax.make_jaxpr(power)(2.0, 3).jaxpr), loops(jax.make_jaxpr(by_hand)(2.0, 3).jaxpr)
    assert len(ours.outvars) == len(theirs.outvars) == 2
    for name in ("cond_jaxpr", "body_jaxpr"):
        ours_does, theirs_does = (sorted(str(e.primitive) for e in x.params[name].eqns) for x in (ours, theirs))
        assert ours_does == theirs_does
    assert len(jax.make_jaxpr(power)(2.0, 3).jaxpr.eqns) == 1


def test_what_does_not_change_is_not_carried():
    def f(x, n):
        a, b, s = x, (x, "text"), 0.0

        def body():
            nonlocal a, b, s, n
            a, b = a, (b[0], b[1])
            s = s + a * b[0]
            n = n - 1

        while_loop(lambda: n > 0, body, lambda: (a, b, n, s))
        return s, b

    (loop,) = loops(jax.make_jaxpr(lambda x, n: f(x, n)[0])(2.0, 3).jaxpr)
    assert len(loop.outvars) == 2
    seen = []
    assert jax.jit(lambda x, n: (seen.append(f(x, n)), seen[-1][0])[1])(2.0, 3) == 12 and seen[0][1][1] == "text"


def test_bodies_and_tests_are_traced_once():
    traced = []

    def f(n):
        def test():
            traced.append("test")
            return n > 0

        def body():
            nonlocal n
            traced.append("body")
            n = n - 1

        while_loop(test, body, lambda: (n,))
        return n

    jax.make_jaxpr(f)(3)
    assert traced == ["test", "body", "test"]  # the first finds out that the test is traced


@pytest.mark.parametrize("n", [0, 1, 7, -2])
def test_any_number_of_iterations(n):
    assert jax.jit(power)(0.5, n) == power(0.5, n)


@pytest.mark.parametrize("value, iterations", [(np.float32(2.5), 2), (np.int8(3), 3), (3, 3), (True, 1)])
def test_numbers_are_true_while_not_zero(value, iterations):
    def f(x):
        k = 0

        def body():
            nonlocal x, k
            x = if_exp(x >= 1, lambda: x - 1, lambda: x * 0)
            k = k + 1

        while_loop(lambda: x, body, lambda: (k, x))
        return k

    assert jax.jit(f)(value) in (iterations, iterations + 1) and jax.jit(f)(value) == f(value)


def test_tests_of_several_elements_have_no_truth_value():
    def f(x):
        def body():
            nonlocal x
            x = x - 1

        while_loop(lambda: x > 0, body, lambda: (x,))
        return x

    assert jax.jit(f)(jnp.ones((1, 1))) == 0
    with pytest.raises(ValueError, match="truth value"):
        jax.jit(f)(jnp.ones(2))


# --- tests that write ---


def test_a_test_that_assigns():
    def f(n):
        total = 0

        def test():
            nonlocal n
            n = n - 1
            return n > 0

        def body():
            nonlocal total
            total = total + n

        while_loop(test, body, lambda: (n, total))
        return total, n

    for n in (4, 1, 0):
        assert jax.jit(f)(n) == f(n)
    assert len(loops(jax.make_jaxpr(f)(3).jaxpr)) == 1


def test_a_test_that_writes_to_the_heap_runs_once_an_iteration():
    def f(n):
        asked = [0]
        left = n

        def test():
            put(asked, 0, asked[0] + 1)
            return left > 0

        def body():
            nonlocal left
            left = left - 1

        while_loop(test, body, lambda: (left,))
        return asked

    for n in (4, 1, 0):
        assert jax.jit(f)(n) == f(n)


def test_a_test_that_raises_at_run_time():
    def f(n):
        def test():
            def failed():
                raise journal.mark_raised(ValueError("below zero"))

            if_stmt(n < 0, failed, nothing)
            return n != 1

        def body():
            nonlocal n
            n = n - 2

        while_loop(test, body, lambda: (n,))
        return n

    assert jax.jit(f)(5) == 1
    with pytest.raises((jax.errors.JaxRuntimeError, ValueError), match="ValueError: below zero"):
        jax.block_until_ready(jax.jit(f)(4))
        jax.effects_barrier()


# --- variables ---


def test_a_variable_first_bound_in_the_loop():
    def f(n):
        def body():
            nonlocal n, y
            y = n * 2.5
            n = n - 1

        while_loop(lambda: n > 0, body, lambda: (n, y))
        return read(lambda: y)
        y = None

    assert jax.jit(f)(3) == 2.5


def test_a_variable_that_an_iteration_deletes_and_binds_again():
    def f(n):
        y = 5

        def body():
            nonlocal n, y
            del y
            y = n
            n = n - 1

        while_loop(lambda: n > 0, body, lambda: (n, y))
        return y

    assert jax.jit(f)(3) == 1 and jax.jit(f)(0) == 5


def test_a_variable_that_an_iteration_deletes_is_refused():
    def f(n):
        y = 5

        def body():
            nonlocal n, y
            n = n - 1
            del y

        while_loop(lambda: n > 0, body, lambda: (n, y))
        return n

    with pytest.raises(StagingError, match="'y' cannot be carried(.|\n)*deletes it"):
        jax.jit(f)(1)


def test_a_state_of_functions():
    values = {"n": 0, "total": 0}

    def f(n):
        values.update(n=n, total=0)
        state = State(
            tuple(values), lambda: tuple(values.values()), lambda new: values.update(zip(values, new, strict=True))
        )
        while_loop(
            lambda: values["n"] > 0,
            lambda: values.update(total=values["total"] + values["n"], n=values["n"] - 1),
            state,
        )
        return values["total"]

    assert jax.jit(f)(4) == 10


def test_closures_see_the_variables_of_the_iteration():
    def f(n):
        k = total = 0

        def now():
            return k

        def body():
            nonlocal k, total
            k = k + 1
            total = total + now()

        while_loop(lambda: k < n, body, lambda: (k, total))
        return total, now()

    assert jax.jit(f)(4) == (10, 4)


# --- tests that become traced ---


def test_a_test_that_is_traced_after_one_iteration_makes_one_loop():
    traced = []

    def f(x):
        going, k = True, 0

        def body():
            nonlocal going, k
            traced.append(k)
            k = k + 1
            going = k < x

        while_loop(lambda: going, body, lambda: (going, k))
        return k

    for x in (3, 1, 0):
        assert jax.jit(f)(x) == f(x)
    traced.clear()
    (loop,) = loops(jax.make_jaxpr(f)(3).jaxpr)
    assert len(jax.make_jaxpr(f)(3).jaxpr.eqns) == 1 and len(loop.outvars) == 2


def test_a_test_that_is_traced_after_some_iterations():
    def f(x):
        k = 0

        def body():
            nonlocal k
            k = k + 1

        while_loop(lambda: if_exp(k < 3, lambda: True, lambda: k < x), body, lambda: (k,))
        return k

    for x in (7, 3, 0):
        assert jax.jit(f)(x) == f(x)


def test_a_first_iteration_that_settles_the_carry_runs_in_python():
    def f(x):
        items, going = None, True

        def body():
            nonlocal items, going
            items = [x] if items is None else [items[0] + 1]
            going = items[0] < 5

        while_loop(lambda: going, body, lambda: (going, items))
        return items

    for x in (3, 9):
        assert jax.jit(f)(x) == f(x)


def test_nested_loops_with_traced_exits_are_traced_in_linear_time():
    def nested(depth):
        traced = []

        def level(d, x):
            if d == 0:
                traced.append(1)
                return
            going, k = True, 0

            def body():
                nonlocal going, k
                level(d - 1, x)
                k = k + 1
                going = k < x

            while_loop(lambda: going, body, lambda: (going, k))

        jax.make_jaxpr(lambda x: level(depth, x))(3)
        return len(traced)

    assert [nested(depth) for depth in range(1, 7)] == [2, 3, 4, 5, 6, 7]  # innermost bodies


# --- effects, transforms ---


def test_transforms():
    xs = jnp.array([1, 2, 3, 7, 27])
    want = [collatz(int(x)) for x in xs]
    assert jax.vmap(collatz)(xs).tolist() == want
    assert jax.jit(jax.vmap(collatz))(xs).tolist() == want
    assert jax.vmap(jax.jit(collatz))(xs).tolist() == want
    assert lax.map(collatz, xs).tolist() == want
    assert jax.jit(jax.checkpoint(collatz))(27) == 111


@pytest.mark.parametrize("n", [0, 1, 6])
def test_derivatives(n):
    want = jax.grad(lambda x: jnp.sin(x) ** n)(0.5)
    for gradient in (
        jax.grad(power),
        jax.jit(jax.grad(power)),
        jax.grad(jax.jit(power)),
        jax.jacfwd(jax.jit(power)),
        lambda x, n: jax.jvp(lambda x: jax.jit(power)(x, n), (x,), (1.0,))[1],
    ):
        assert jnp.allclose(gradient(0.5, n), want, atol=1e-6)


def test_prints_happen_once_an_iteration(capsys):
    def f(n):
        def body():
            nonlocal n
            jax.debug.print("left {}", n)
            n = n - 1

        while_loop(lambda: n > 0, body, lambda: (n,))
        return n

    jax.jit(f)(3)
    jax.effects_barrier()
    assert capsys.readouterr().out.split("\n")[:-1] == ["left 3", "left 2", "left 1"]


def test_references_in_bodies():
    def f(n):
        total = jax.new_ref(jnp.int32(0))

        def body():
            nonlocal n
            total[...] = total[...] + n
            n = n - 1

        while_loop(lambda: n > 0, body, lambda: (n,))
        return total[...]

    assert jax.jit(f)(4) == 10


def test_collectives_in_bodies():
    def f(x):
        s, k = 0.0, x * 0

        def body():
            nonlocal s, k
            s = s + lax.psum(x, "lanes")
            k = k + 1

        while_loop(lambda: lax.pmax(k, "lanes") < 3, body, lambda: (k, s))
        return s

    assert jax.vmap(f, axis_name="lanes")(jnp.arange(3.0)).tolist() == [9.0] * 3


@pytest.mark.usefixtures("with_few_objects")
def test_modes_of_jax():
    with jax.checking_leaks(), jax.enable_checks(True):
        assert jax.jit(collatz)(27) == 111 and jax.vmap(collatz)(jnp.array([6, 27])).tolist() == [8, 111]
    with jax.disable_jit():
        assert jax.jit(collatz)(27) == 111
    with jax.enable_x64(True):
        assert jax.jit(collatz)(27).dtype == "int64"

    @jax.jit
    def f(x):
        with jax.ensure_compile_time_eval():
            return x * int(collatz(jnp.array(6)))

    assert f(2) == 16


def test_an_error_in_a_body_leaves_everything_as_it_was():
    items = [1]

    def f(n):
        k = 0

        def body():
            nonlocal k
            k = k + 1
            put(items, 0, n)
            int(n)

        try:
            while_loop(lambda: k < n, body, lambda: (k,))
        except jax.errors.ConcretizationTypeError:
            return k
        return None

    assert jax.jit(f)(3) == 0 and items == [1]


def patient(x):
    """The counter that ends the loop is a Python number in the first iteration, and traced from the second on."""
    best, patience = jnp.inf, 0
    for _ in range(50):
        x = x * 0.7 - 0.1
        if x * x < best:
            best, patience = x * x, 0
        else:
            patience += 1
            if patience > 3:
                break
    return best


def patient_while(x):
    best, patience = jnp.inf, 0
    while True:
        x = x * 0.7 - 0.1
        if x * x < best:
            best, patience = x * x, 0
        else:
            patience += 1
            if patience > 3:
                return best


def known_throughout(x):
    """The test stays Python's: the iterations that were tried stand, each made once."""
    iterations = []
    for k in range(4):
        iterations.append(k)
        if k > 1:
            x = x * 2
        if len(iterations) == 3:
            break
        x = x + 1
    return x, iterations


@pytest.mark.parametrize("fn", [patient, patient_while, known_throughout])
def test_a_test_that_is_traced_after_two_iterations_is_staged_from_the_first(fn):
    jaxpr = jax.make_jaxpr(ag.convert(fn))(1.0)
    names = [eqn.primitive.name for eqn in jaxpr.eqns]
    assert names.count("while") == (fn is not known_throughout)
    assert names.count("mul") == (fn is known_throughout)
    for x in (1.0, -2.0, 0.0):
        for got, want in zip(jax.tree.leaves(ag.jit(fn)(x)), jax.tree.leaves(fn(x)), strict=True):
            assert got == pytest.approx(want, rel=1e-4)


class Env:
    def __init__(self, state):
        self.state = state


def steps_of_a_shared_object(s, limit):
    env, total = Env(s), 0.0
    kept = [env]
    while total < limit:
        total += env.state[0]
        env.state = (env.state[0] + 1, env.state[1])
    return total, kept[0].state[1]


def steps_in_a_handler(s, limit):
    seen, total = s, 0.0
    try:
        while total < limit:
            total += seen.sum()
            seen = jnp.concatenate([s, s])
            assert total < 100
    except AssertionError:
        return seen.sum()
    return total


@pytest.mark.parametrize("fn", [steps_of_a_shared_object, steps_in_a_handler])
def test_what_is_known_under_another_name_or_read_by_a_handler_does_not_change_its_kind(fn):
    with pytest.raises(StagingError, match=r"'(env.state|seen)' cannot be carried by the loop"):
        ag.jit(fn)(jnp.ones(2), 3.0)
