"""Long comprehensions and generators: one loop of the program, or copies of the elements where a number itself is needed."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from autograph.runtime.operators import long_loops

X = np.random.default_rng(0).uniform(0.1, 1.0, 40).astype(np.float32)
N = len(X)


def filtered(x):
    return [x[i] * i for i in range(len(x)) if i % 3 == 0]


def several_filters(x):
    return [x[i] / i for i in range(len(x)) if i > 0 if i % 2 or i % 5 == 0]


def raises_where_it_is_not_evaluated(x):
    return [x[i] * (1 / (i - 7)) for i in range(len(x)) if i != 7]


def array_of_filtered(x):
    return jnp.array([x[i] + 1 for i in range(len(x)) if i % 2])


def pairs(x):
    return [v * k for k, v in enumerate(x) if k % 4 == 1]


def a_filter_of_no_number(x):
    return [x[i] for i in range(len(x)) if isinstance(i, int) if i is not None]


def known(x):
    return [0.1 * i for i in range(len(x)) if i % 2], x[0]


def two_clauses(x):
    return jnp.array([x[i] * x[j] for i in range(len(x)) for j in range(len(x))])


def two_clauses_with_a_filter(x):
    return [x[i] * j for i in range(len(x)) for j in range(len(x)) if j % 7 == 0]


def matrix(x):
    return jnp.array([[x[i] * x[j] for j in range(len(x))] for i in range(len(x))])


def rows_kept(x):
    return [[x[i] * x[j] for j in range(len(x)) if j % 7 == 2] for i in range(len(x)) if i % 3 == 1]


def total(x):
    return sum(x[i] for i in range(len(x)) if i % 3 == 0)


def triangle(x):
    return sum(x[i] * x[j] for i in range(len(x)) for j in range(i))


def triangle_with_filters(x):
    return sum(x[i] * x[j] for i in range(len(x)) if i % 3 for j in range(i) if (i + j) % 2)


def three_clauses(x):
    return sum(x[i] * x[j] * x[k] for i in range(len(x)) for j in range(i) for k in range(j, i))


def traced_filter(x):
    return sum(x[i] * x[j] for i in range(len(x)) for j in range(i) if x[j] > x[i])


def of_arrays(x):
    return sum(a * b for a in x for b in x)


def beginning(x):
    return sum((x[i] * x[j] for i in range(len(x)) for j in range(i)), x[0])


def some_pass(x):
    return any(x[i] * x[j] > 0.9 for i in range(len(x)) for j in range(i)), any(
        x[i] > 2 for i in range(len(x)) if i % 2
    )


def all_pass(x):
    return all(x[i] * x[j] < 0.2 for i in range(len(x)) if i % 5 == 1 for j in range(i) if j % 2)


def least(x):
    return min(x[i] * x[j] for i in range(len(x)) if i % 3 == 1 for j in range(i) if j % 2)


def greatest(x):
    return max(x[i] * x[j] for i in range(len(x)) for j in range(i)), max(x[i] * i for i in range(len(x)))


def greatest_of_none(x):
    return max((x[i] * x[j] for i in range(len(x)) if i < 0 for j in range(i)), default=-1.0) + x[0]


STAGED = [
    filtered, several_filters, raises_where_it_is_not_evaluated, array_of_filtered, pairs, a_filter_of_no_number, known,
    two_clauses, two_clauses_with_a_filter, matrix, rows_kept, total, triangle, triangle_with_filters, three_clauses,
    traced_filter, of_arrays, beginning, some_pass, all_pass, least, greatest, greatest_of_none,
]  # fmt: skip


def equations(f):
    return [e.primitive.name for e in jax.make_jaxpr(ag.convert(f))(jnp.asarray(X)).eqns]


def check(f):
    wanted, found = f(X.copy()), ag.jit(f)(jnp.asarray(X))
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=3e-5)


@pytest.mark.parametrize("f", STAGED, ids=lambda f: f.__name__)
def test_one_loop(f):
    assert len(equations(f)) < 110
    check(f)


def test_the_rows_of_a_loop_inside_are_one_array():
    assert equations(two_clauses)[0] == "scan" and len(equations(two_clauses)) == 3
    assert [
        len(e.outvars) for e in jax.make_jaxpr(ag.convert(matrix))(jnp.asarray(X)).eqns if e.primitive.name == "scan"
    ] == [2]


def ragged(x):
    return [[x[j] for j in range(i % 4)] for i in range(len(x))]


def keys(x):
    return [{i: x[i]} for i in range(len(x)) if i % 2]


def tuples(x):
    return max((x[i] * x[j], i) for i in range(9) for j in range(i))


def kinds(x):
    return [x[i] if i % 2 else jnp.stack([x[i], x[i]]) for i in range(len(x)) if i % 3]


@pytest.mark.parametrize("f", [ragged, keys, tuples, kinds], ids=lambda f: f.__name__)
def test_copies_where_that_cannot_be(f):
    check(f)


def test_one_that_fails_leaves_the_others_alone():
    def f(x):
        return max(x[i] + len("x" * i) for i in range(N)), max(x[i] * i for i in range(1, N))

    assert equations(f).count("scan") == 1
    check(f)


def test_a_warning_is_about_the_line_of_the_generator(monkeypatch):
    def f(x):
        return max(x[i] + len("x" * i) for i in range(N))

    monkeypatch.setattr(long_loops, "WARN_FROM", N)
    with pytest.warns(ag.AutoGraphWarning, match=r'unrolled(.|\n)*len\("x" \* i\) for i'):
        jax.make_jaxpr(ag.convert(f))(jnp.asarray(X))


def test_a_short_one_is_what_it_was():
    def f(x):
        return [x[i] * i for i in range(20) if i % 3 == 0], sum(x[i] * x[j] for i in range(5) for j in range(i) if j)

    def by_hand(x):
        found, s = [], 0
        for i in range(20):
            if i % 3 == 0:
                found.append(x[i] * i)
        for i in range(5):
            for j in range(i):
                if j:
                    s = s + x[i] * x[j]
        return found, s

    assert equations(f) == equations(by_hand)
    check(f)


def test_variables_of_a_comprehension_are_its_own():
    def f(x, to=3, items=4, item=5):
        i, j = 10, 11
        found = [x[i] * to + items * item for i in range(N) if i % 2 for j in range(3) if j != i % 3]
        return found, i, j, to

    check(f)


def test_items_are_evaluated_once_and_in_order():
    def f(x):
        log = []

        def told(name, value):
            log.append(name)
            return value

        found = [x[i] for i in told("outer", range(N)) if i % 2]
        s = sum(x[i] * x[j] for i in told("first", range(3)) for j in told("second", range(i)))
        assert log == ["outer", "first", "second", "second", "second"]
        return found, s

    check(f)


def test_a_class_and_a_walrus():
    def f(x):
        class Box:
            found = [x[i] * i for i in range(N) if i % 3 == 0]

        last = 0
        s = [(last := i) * x[i] for i in range(N) if i % 2]
        return Box.found, s, last

    check(f)


def test_an_exception_of_python_comes_out():
    def f(x):
        return [x[i] / (1 // (i - 9)) for i in range(N) if i != 7]

    with pytest.raises(ZeroDivisionError):
        ag.jit(f)(jnp.asarray(X))


def test_derivative():
    np.testing.assert_allclose(jax.jit(jax.grad(ag.convert(triangle)))(X), X.sum() - X, rtol=1e-5)


def test_batches():
    x = jnp.asarray(X)
    rows = jax.jit(jax.vmap(ag.convert(matrix)))(jnp.stack([x, -x]))
    np.testing.assert_allclose(rows[1], np.outer(X, X), rtol=1e-6)


# --- `sum` of floats, which is more exact than `+` from Python 3.12 on ---

FLOATS = [(0.1, 1e17, 0.3, -1e17, 0.7)[k % 5] for k in range(50)]


def of_floats(x):
    return sum(0.1 * i for i in range(1003))


def of_floats_behind_a_filter(x):
    return sum(FLOATS[i] * 0.1 for i in range(50) if i != len(x))


def of_floats_in_a_nest(x):
    return sum(FLOATS[j] * 0.1 for i in range(50) for j in range(i - i % 5) if i != len(x))


def of_a_list(x):
    return sum([FLOATS[i] * 0.1 for i in range(50) if i != len(x)], 0.25)


@pytest.mark.parametrize("f", [of_floats, of_floats_behind_a_filter, of_floats_in_a_nest, of_a_list])
@pytest.mark.filterwarnings("error")
def test_a_sum_of_floats_is_that_of_python(f):
    found = []
    program = jax.make_jaxpr(lambda x: (found.append(ag.convert(f)(x)), x)[1])(jnp.asarray(X))
    assert "f32" not in "".join(map(str, program.eqns))
    assert type(found[0]) is float and found[0] == f(X)


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="`sum` is more exact than `+`: Python computes it, in copies")
def test_sums_over_a_triangle_are_one_loop_before_python_3_12():
    def f(x):
        for i in range(40):
            x[i] = int(1e12 * sum(FLOATS[j] * 0.1 for j in range(i))) % 1000
        return x

    assert len(jax.make_jaxpr(ag.convert(f))(jnp.asarray(X)).eqns) == 1
    check(f)


def test_a_sum_of_floats_in_a_loop_is_that_of_python():
    def f(x):
        for i in range(50):
            near = sum([0.1 * i, 0.2, 0.3 * i, 0.7, 1e-9])
            far = sum(0.1 * i * j for j in range(40))
            x[i % 40] = int(near * 1e15) % 97 + int(far * 1e13) % 97
        return x

    check(f)
