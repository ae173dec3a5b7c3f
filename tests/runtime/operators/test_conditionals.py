"""`if_stmt` and `if_exp` alone: Python's path, the staged path, the shape of the program, transforms, errors."""

import functools
import sys
import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from autograph.errors import StagingError, UndefinedVariableError
from autograph.runtime.heap import journal
from autograph.runtime.operators.conditionals import if_exp, if_stmt, nothing
from autograph.runtime.operators.items import set_item
from autograph.runtime.operators.unbound_reads import read
from autograph.runtime.tracing import context
from autograph.runtime.tracing.variables import State


@pytest.fixture(autouse=True)
def no_region_stays_open():
    yield
    assert not context.active()


def absolute(x):
    y = 0

    def body():
        nonlocal y
        y = x

    def orelse():
        nonlocal y
        y = -x

    if_stmt(x > 0, body, orelse, lambda: (y,))
    return y


def primitives(f, *args):
    return [str(eqn.primitive) for eqn in jax.make_jaxpr(f)(*args).eqns]


# --- the test ---


@pytest.mark.parametrize("test", [True, 1, "x", [0], None, 0, "", [], np.float32(2), np.array([0]), jnp.array(3)])
def test_a_known_test_is_python_s(test):
    ran = []
    assert if_stmt(test, lambda: ran.append("yes") or 1, lambda: ran.append("no") or 2) == (1 if test else 2)
    assert ran == ["yes" if test else "no"]


def test_a_known_test_is_asked_once():
    class Counting:
        asked = 0

        def __bool__(self):
            self.asked += 1
            return True

    test = Counting()
    if_stmt(test, nothing, nothing)
    if_exp(test, nothing, nothing)
    assert test.asked == 2


@pytest.mark.parametrize("value", [0, 3, 0.0, 2.5, np.nan, 0j, 1j, True, False, np.int8(0), np.float16(1)])
def test_numbers_are_true_when_not_zero(value):
    assert int(jax.jit(lambda x: if_exp(x, lambda: 1, lambda: 2))(value)) == (1 if value else 2)


@pytest.mark.parametrize("shape", [(1,), (1, 1)])
def test_arrays_of_one_element(shape):
    assert int(jax.jit(lambda x: if_exp(x > 0, lambda: 1, lambda: 2))(jnp.ones(shape))) == 1


@pytest.mark.parametrize("shape, word", [((2,), "more than one element"), ((0,), "empty")])
def test_other_arrays_have_no_truth_value(shape, word):
    with pytest.raises(ValueError, match=f"truth value of an.*{word}"):
        jax.jit(lambda x: if_exp(x > 0, lambda: 1, lambda: 2))(jnp.ones(shape))


def test_random_keys_have_no_truth_value():
    with pytest.raises(TypeError, match="cannot be converted to boolean"):
        jax.jit(lambda x: if_exp(x, lambda: 1, lambda: 2))(jax.random.key(0))


def test_under_eager_grad_the_test_is_known():
    ran = []

    def f(x):
        return if_exp(x > 0, lambda: ran.append("yes") or x * x, lambda: ran.append("no") or x)

    assert jax.grad(f)(3.0) == 6.0 and ran == ["yes"]


# --- the program ---


def test_the_program_of_lax_cond():
    def by_hand(x):
        return lax.cond(x > 0, lambda: x, lambda: -x)

    assert str(jax.make_jaxpr(absolute)(3)) == str(jax.make_jaxpr(by_hand)(3))


def test_each_branch_is_traced_once_at_every_depth():
    traced = []

    def nest(n, depth):
        traced.append(depth)
        if depth == 0:
            return n
        return if_exp(n > depth, lambda: nest(n + 1, depth - 1), lambda: n - 1.5)

    jax.make_jaxpr(lambda n: nest(n, 8))(3)
    assert traced == list(range(8, -1, -1))


def test_equal_results_need_no_program():
    assert primitives(lambda x: (if_exp(x > 0, lambda: 1, lambda: 1), if_exp(x > 0, lambda: x, lambda: x)), 3) == [
        "gt",
        "gt",
    ]


def test_closed_over_values_are_shared_operands():
    def f(x, y):
        return if_exp(x > 0, lambda: y + x, lambda: y - x)

    (cond,) = [e for e in jax.make_jaxpr(f)(1.0, 2.0).eqns if str(e.primitive) == "cond"]
    assert len(cond.invars) == 3


def test_unchanged_variables_are_no_results():
    def f(x):
        a, b = x, x + 1

        def body():
            nonlocal a
            a = a * 2

        if_stmt(x > 0, body, nothing, lambda: (a, b))
        return a, b

    (cond,) = [e for e in jax.make_jaxpr(f)(1.0).eqns if str(e.primitive) == "cond"]
    assert len(cond.outvars) == 1 and jax.jit(f)(2.0) == (4.0, 3.0)


# --- joining numbers ---

JOINS = [
    (1, 2.5, "float32", True),
    (True, 5, "int32", True),
    (True, 2.5, "float32", True),
    (1, 2j, "complex64", True),
    (np.int8(3), 5, "int8", False),
    (np.int8(3), 2.5, "float32", True),
    (np.int8(3), np.uint8(5), "int16", False),
    (np.int32(3), np.uint8(5), "int32", False),
    (jnp.bfloat16(3), 2.5, "bfloat16", False),
    (jnp.bfloat16(3), np.float32(5), "float32", False),
    (np.bool_(True), np.float16(1), "float16", False),
    (np.complex64(1j), 2.5, "complex64", False),
]


@pytest.mark.parametrize("left, right, dtype, weak", JOINS, ids=str)
def test_numbers_join_as_jax_promotes(left, right, dtype, weak):
    for a, b in ((left, right), (right, left)):
        f = jax.jit(lambda n, a=a, b=b: if_exp(n > 0, lambda: a, lambda: b))
        for n, want in ((1, a), (-1, b)):
            got = f(n)
            assert (str(got.dtype), got.weak_type) == (dtype, weak) and got == want
    assert (jnp.asarray(left) + jnp.asarray(right)).dtype == dtype or type(left) is not type(right)


def test_numbers_join_under_strict_promotion(strict_promotion):
    assert jax.jit(absolute)(jnp.float32(-2)) == 2


@pytest.mark.parametrize("array, number", [(np.uint8(3), -1), (np.int8(3), 300), (np.uint32(1), -1)])
def test_a_number_that_does_not_fit_is_refused(array, number):
    with pytest.raises(StagingError, match=f"{number} does not fit into {array.dtype}"):
        jax.jit(lambda n: if_exp(n > 0, lambda: array, lambda: number))(1)


def test_numbers_join_in_64_bits():
    with jax.enable_x64(True):
        f = jax.jit(lambda n, a, b: if_exp(n > 0, lambda: a, lambda: b), static_argnums=(1, 2))
        assert f(1, 1, 2.5).dtype == "float64" and f(1, 1, 2**40).dtype == "int64" and f(-1, 1, 2**40) == 2**40
        assert jax.jit(lambda n: if_exp(n > 0, lambda: jnp.float32(1), lambda: 2.5))(1).dtype == "float32"
        with pytest.raises(StagingError, match="does not fit into int32"):
            jax.jit(lambda n: if_exp(n > 0, lambda: jnp.int32(1), lambda: 2**40))(1)


def test_random_keys_join():
    f = jax.jit(lambda n, key: if_exp(n > 0, lambda: jax.random.fold_in(key, n), lambda: key))
    key = jax.random.key(7)
    assert f(-1, key) == key and f(5, key) == jax.random.fold_in(key, 5)
    with pytest.raises(StagingError, match="dtypes differ"):
        jax.jit(lambda n, key: if_exp(n > 0, lambda: 1, lambda: key))(1, key)


@pytest.mark.parametrize(
    "value", [None, "text", b"raw", 3, 2.5, jnp.sin, int, Ellipsis, (1, "a"), range(3), np.dtype("i4")]
)
def test_equal_static_values_pass_through(value):
    seen = []
    copy = eval(repr(value)) if type(value) in (str, bytes, range, tuple) else value
    jax.jit(lambda n: seen.append(if_exp(n > 0, lambda: value, lambda: copy)))(3)
    assert seen == [value]


def test_bound_methods_of_one_object_are_the_same():
    class Box:
        def get(self):
            return 5

    box = Box()
    assert jax.jit(lambda n: if_exp(n > 0, lambda: box.get, lambda: box.get)())(1) == 5


@pytest.mark.parametrize(
    "left, right, text",
    [
        (lambda: jnp.ones(3), lambda: jnp.ones((4, 1)), r"float32\[3\](.|\n)*float32\[4,1\](.|\n)*shapes differ"),
        (lambda: jnp.ones(3), lambda: 1.0, "shapes differ"),
        (lambda: None, lambda: 1.0, r"None(.|\n)*float 1.0(.|\n)*different kinds"),
        (lambda: b"a", lambda: b"b", "b'a'(.|\n)*b'b'(.|\n)*not an array and differs"),
        (lambda: (1, 2), lambda: (1, 2, 3), "structures differ"),
        (lambda: [1], lambda: (1,), "different kinds"),
        (lambda: {"a": 1}, lambda: {"b": 1}, "'a'(.|\n)*'b'(.|\n)*structures differ"),
        (lambda: {"a": [1, b"x"]}, lambda: {"a": [1, b"y"]}, "b'x'"),
        (lambda: {1}, lambda: {2}, "a set object"),
        (lambda: np.array(["a"]), lambda: np.array(["b"]), "a ndarray object"),
        (lambda: jax.new_ref(jnp.zeros(())), lambda: jax.new_ref(jnp.zeros(())), "Ref"),
    ],
)
def test_values_that_cannot_be_one_are_refused(left, right, text):
    with pytest.raises(StagingError, match=rf"the conditional expression(.|\n)*test_conditionals.py:\d+(.|\n)*{text}"):
        jax.jit(lambda n: if_exp(n > 0, left, right))(1)


def test_an_error_names_the_variable_and_the_element():
    def f(n):
        params = {"w": [0, 0]}

        def body():
            nonlocal params
            params = {"w": [0, jnp.ones(2)]}

        if_stmt(n > 0, body, nothing, lambda: (params,))

    with pytest.raises(StagingError, match=r"different values in `params\['w'\]\[1\]`"):
        jax.jit(f)(1)


# --- variables ---


def test_a_variable_that_one_branch_binds_is_unbound_with_a_reason():
    def f(n):
        def body():
            nonlocal y
            y = n

        if_stmt(n > 0, body, nothing, lambda: (y,), unbound=("y",))
        return read(lambda: y)
        y = None

    with pytest.raises(UndefinedVariableError, match="variable 'y' has no value when the test of this `if` is false"):
        jax.jit(f)(1)
    assert f(1) == 1
    with pytest.raises(UnboundLocalError):
        f(-1)


def test_a_variable_that_one_branch_deletes():
    def f(n, use):
        y = n

        def body():
            nonlocal y
            del y

        if_stmt(n > 0, body, nothing, lambda: (y,), unbound=("y",))
        return read(lambda: y) if use else n

    assert jax.jit(lambda n: f(n, False))(1) == 1
    with pytest.raises(UnboundLocalError, match="'y'"):
        jax.jit(lambda n: f(n, True))(1)


def test_a_variable_that_both_branches_delete():
    def f(n):
        y = n

        def body():
            nonlocal y
            del y

        if_stmt(n > 0, body, body, lambda: (y,))
        return read(lambda: y)

    with pytest.raises(UnboundLocalError, match="'y'"):
        jax.jit(f)(1)


def test_a_state_of_functions():
    values = {"x": 1, "y": 2}

    def f(n):
        state = State(
            ("x", "y"), lambda: (values["x"], values["y"]), lambda new: values.update(zip("xy", new, strict=True))
        )
        if_stmt(n > 0, lambda: values.update(x=n), lambda: values.update(y=n), state)
        return values["x"], values["y"]

    assert jax.jit(f)(5) == (5, 2)
    values.update(x=1, y=2)
    assert jax.jit(f)(-5) == (1, -5)


def test_what_a_branch_assigns_is_undone_for_the_other_branch():
    def f(n):
        y, seen = 1, []

        def body():
            nonlocal y
            seen.append(y)
            y = n

        def orelse():
            nonlocal y
            seen.append(y)
            y = -n

        if_stmt(n > 0, body, orelse, lambda: (y,))
        return y if seen == [1, 1] else None

    assert jax.jit(f)(4) == 4 and jax.jit(f)(-3) == 3


# --- effects, transforms ---


def test_prints_happen_in_the_branch_taken(capsys):
    def f(n):
        if_stmt(n > 0, lambda: jax.debug.print("above {}", n), lambda: jax.debug.print("below {}", n))
        return n

    jax.jit(f)(3)
    jax.jit(f)(-3)
    jax.effects_barrier()
    assert capsys.readouterr().out.split("\n")[:2] == ["above 3", "below -3"]


def test_references_are_written_in_the_branch_taken():
    ref = jax.new_ref(jnp.float32(1))

    @jax.jit
    def f(n):
        def body():
            ref[...] = ref[...] + n

        if_stmt(n > 0, body, nothing)

    f(3.0)
    f(-5.0)
    assert ref[...] == 4


@pytest.mark.parametrize(
    "wrap",
    [
        jax.jit,
        jax.checkpoint,
        lambda f: jax.jit(jax.checkpoint(f)),
        lambda f: lambda x: jax.vmap(f)(x[None])[0],
        lambda f: lambda x: lax.map(f, x[None])[0],
        lambda f: jax.jit(jax.jit(f)),
    ],
)
def test_transforms_and_their_gradients(wrap):
    def f(x):
        return if_exp(x > 0, lambda: jnp.sqrt(x), lambda: 0.0)

    for x, y, dy in ((4.0, 2.0, 0.25), (0.0, 0.0, 0.0), (-1.0, 0.0, 0.0)):
        x = jnp.float32(x)
        assert wrap(f)(x) == y
        for gradient in (jax.grad(wrap(f)), jax.jit(jax.grad(f)), wrap(jax.grad(f)), jax.jacfwd(wrap(f))):
            assert gradient(x) == dy
    assert jnp.allclose(jax.hessian(wrap(f))(jnp.float32(4)), -1 / 32)


def test_vmap_with_mapped_and_unmapped_tests():
    def f(n, m):
        return if_exp(m > 0, lambda: n * 2, lambda: -n)

    xs = jnp.array([1, -2, 3])
    for staged in (jax.vmap(f, (0, 0)), jax.jit(jax.vmap(f, (0, 0))), jax.vmap(jax.jit(f), (0, 0))):
        assert staged(xs, xs).tolist() == [2, 2, 6]
    assert jax.vmap(f, (0, None))(xs, 1).tolist() == [2, -4, 6]
    assert jax.jit(jax.vmap(f, (0, None)))(xs, -1).tolist() == [-1, 2, -3]


def test_collectives_in_branches():
    def f(n, m):
        return if_exp(m > 0, lambda: lax.psum(n, "lanes"), lambda: n)

    mapped = jax.vmap(f, (0, None), axis_name="lanes")
    xs = jnp.array([1, -2, 3])
    assert mapped(xs, 1).tolist() == [2, 2, 2] == jax.jit(mapped)(xs, 1).tolist()
    assert jax.jit(mapped)(xs, -1).tolist() == [1, -2, 3]


def test_in_scans_and_jits_inside_branches():
    def step(carry, x):
        inner = jax.jit(lambda k: if_exp(k > 1, lambda: k, lambda: -k))
        return if_exp(x > 0, lambda: carry + inner(x), lambda: carry), carry

    assert lax.scan(step, 0, jnp.array([1, 5, -3, 2]))[0] == 6


@pytest.mark.usefixtures("with_few_objects")
def test_modes_of_jax():
    def f(n):
        return if_exp(n > 2, lambda: 1, lambda: 2.5)

    with jax.disable_jit():
        assert type(jax.jit(f)(3)) is int
    with jax.enable_checks(True), jax.checking_leaks():
        assert jax.jit(f)(3) == 1 and jax.vmap(f)(jnp.arange(4)).tolist() == [2.5, 2.5, 2.5, 1]

    @jax.jit
    def g(n):
        with jax.ensure_compile_time_eval():
            known = if_exp(jnp.array(3) > 0, lambda: "yes", lambda: 2)
        return if_exp(n > 0, lambda: len(known), lambda: 7)

    assert g(1) == 3


@pytest.mark.usefixtures("with_few_objects")
@pytest.mark.parametrize("made", [dict, lambda: [0.0]])
def test_what_both_branches_write_to_a_local_container_is_no_leak(made):
    def f(x):
        kept = made()

        def true():
            set_item(x * 2, kept, 0)

        def false():
            set_item(x * 3, kept, 0)

        if_stmt(x > 0, true, false)
        return kept[0]

    with jax.checking_leaks():
        assert jax.jit(f)(2.0) == 4.0


def test_tracing_twice_sees_changed_closures():
    scale = [1]

    def f(n):
        return if_exp(n > 0, lambda: n * scale[0], lambda: n)

    assert jax.jit(lambda n: f(n))(3) == 3
    scale[0] = 10
    assert jax.jit(lambda n: f(n))(3) == 30


# --- errors in branches, nesting, threads ---


def test_an_error_in_a_branch_leaves_everything_as_it_was():
    items, box = [1], functools.partial(int)

    def f(n):
        y = 1

        def body():
            nonlocal y
            y = 2
            journal.touch_container(items)
            items.append(n)
            journal.touch_attribute(box, "new")
            box.new = n
            int(n)

        try:
            if_stmt(n > 0, body, nothing, lambda: (y,))
        except jax.errors.ConcretizationTypeError:
            return y
        return None

    assert jax.jit(f)(3) == 1 and items == [1] and not hasattr(box, "new")


def test_branches_nested_as_deep_as_python_allows():
    f = jnp.negative
    for k in range(60 if sys.version_info[:2] != (3, 12) else 40):  # `lax.cond` by hand, 60 deep, crashes Python 3.12 itself

        def f(n, k=k, rest=f):
            return if_exp(n == k, lambda: n * k, lambda: rest(n))

    assert jax.jit(f)(7) == 49 and jax.jit(f)(99) == -99


@pytest.mark.parametrize("name", ["factorial", "fibonacci", "even"])
def test_recursion_on_a_traced_condition_is_refused_by_name(name):
    def factorial(n):
        return if_exp(n <= 1, lambda: 1, lambda: n * factorial(n - 1))

    def fibonacci(n):
        return if_exp(n > 1, lambda: fibonacci(n - 1) + fibonacci(n - 2), lambda: n)

    def even(n):
        return if_exp(n == 0, lambda: True, lambda: odd(n - 1))

    def odd(n):
        return if_exp(n == 0, lambda: False, lambda: even(n - 1))

    limit = sys.getrecursionlimit()
    with pytest.raises(StagingError, match=rf"'({name}|odd)' calls itself under a traced condition"):
        jax.jit(locals()[name])(5)
    assert sys.getrecursionlimit() == limit


def test_recursion_that_a_python_value_ends():
    def power(x, k):
        return 1.0 if k == 0 else if_exp(x > 0, lambda: x * power(x, k - 1), lambda: 0.0)

    assert jax.jit(power, static_argnums=1)(2.0, 20) == 2.0**20


def test_endless_recursion_of_the_user_s_own_stays_python_s_error():
    def endless(n):
        return endless(n)

    with pytest.raises(RecursionError):
        jax.jit(lambda n: if_exp(n > 0, lambda: endless(n), lambda: n))(1)


def test_threads_have_their_own_regions():
    results = {}

    def work(k):
        items = [0]

        def body():
            for _ in range(20):
                journal.touch_container(items)
                items[0] = items[0] + k

        def f(n):
            if_stmt(n > 0, body, nothing)
            return items[0]

        results[k] = int(jax.jit(f)(1))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {k: 20 * k for k in range(6)}
