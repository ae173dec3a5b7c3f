"""Long loops over a Python range: one loop of the program, or copies of the body where it needs the number itself."""

import math
import random
import time
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag

X = np.random.default_rng(0).standard_normal(50).astype(np.float32)


def total(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * (i / len(x))
    return s


def triangle(x):
    s, count = 0.0, 0
    for i in range(50):
        for j in range(i):
            s += x[i] * x[j] * (i - j) / (i + 1)
            count += 1
    return s, count


def first_of_another_kind(x):
    best = None
    for i in range(50):
        if best is None or x[i] > best:
            best = x[i]
    return best


def appended(x):
    out, rates = [], []
    for i in range(50):
        out.append(x[i] * i)
        rates.append(i * 0.1)
    return out[3], rates[7], len(out)


def several_tests(x):
    s = 0.0
    for i in range(50):
        match i % 3:
            case 0:
                s += x[i]
            case 1:
                s -= x[i] if i in (4, 7, 10) and isinstance(i, int) else 1
            case _:
                continue
        s *= 0.5
    return s, i


def of_a_tuple(x):
    s = 0.0
    for k in tuple(range(0, 50, 1)):
        s += x[k] / (k + 1)
    return s


def few_iterations_of_loops_in_one_another(x):
    s = x[0]
    for a in range(2):
        for b in range(3):
            for c in range(2):
                for d in range(4):
                    s += x[a * b + c * d] * a - d / (c + 1)
    return s


STAGED = [total, triangle, first_of_another_kind, appended, several_tests, of_a_tuple, few_iterations_of_loops_in_one_another]


def keys(x):
    found = {}
    for i in range(50):
        found[i] = x[i] * 2
    return found[3]


def strings(x):
    names = []
    for i in range(50):
        names.append(f"a{i}")
    return x.sum() * 0 + len(names[12])


def shapes(x):
    s = 0.0
    for i in range(50):
        s += jnp.broadcast_to(1.0, (i + 1,)).sum() * x[i]
    return s


def layers(x):
    weights = [np.eye(50, dtype=np.float32) * 0.9 if k % 2 else None for k in range(40)]
    for i in range(40):
        if weights[i] is not None:
            x = x @ weights[i]
    return x


def numbers_in_a_list(x):
    found = [1] * 50
    for i in range(2, 50):
        found[i] = (found[i - 1] + found[i - 2]) % 1000
    return x.sum() * 0 + found[30]


def drawn(x):
    generator, s = random.Random(3), 0.0
    for i in range(50):
        s += x[i] * generator.random()
    return s


def taken(x):
    items, s = iter(range(100)), 0.0
    for i in range(50):
        s += x[i] * next(items)
    return s


def functions(x):
    fs = []
    for i in range(50):
        fs.append(lambda y, i=i: y * i)
    return fs[0](x[0]) + fs[3](x[1])


def clocks(x):
    times, s = [], 0.0
    for i in range(50):
        times.append(time.perf_counter())
        s += x[i]
    return s, len(set(times)) > 1


def recursion(x):
    def fib(k):
        return k if k < 2 else fib(k - 1) + fib(k - 2)

    s = 0.0
    for i in range(40):
        s += x[i] * fib(i % 7)
    return s


UNROLLED = [keys, strings, shapes, layers, numbers_in_a_list, drawn, taken, functions, clocks, recursion]


def primitives(f):
    return [e.primitive.name for e in jax.make_jaxpr(ag.convert(f))(jnp.asarray(X)).eqns]


def check(f):
    wanted, found = f(X.copy()), ag.jit(f)(jnp.asarray(X))
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("f", STAGED)
def test_one_loop(f):
    assert "scan" in primitives(f) and len(primitives(f)) < 60
    check(f)


@pytest.mark.parametrize("f", UNROLLED)
def test_copies_where_the_number_itself_is_needed(f):
    assert "scan" not in primitives(f)
    check(f)


def fails_in_the_first_iteration(x):
    t, root = 1.0, -2.0
    for i in range(50):
        if i > 0:
            t = t / i + 1.0
        root += 1
        if root >= 0:
            t += math.sqrt(root)
        x = x + int(t * 1e7) % 1000
    return x, t


def test_a_number_that_the_first_iteration_cannot_compute_is_exact():
    found, wanted = ag.jit(fails_in_the_first_iteration)(1), fails_in_the_first_iteration(1)
    assert int(found[0]) == wanted[0] and float(found[1]) == np.float32(wanted[1])


def test_what_is_printed(capsys):
    def f(x):
        s = 0.0
        for i in range(50):
            if i % 25 == 0:
                print("step", i)
            s += x[i]
        return s

    ag.jit(f)(jnp.asarray(X))
    assert capsys.readouterr().out == "step 0\nstep 25\n"


def test_an_exception_of_python_comes_out():
    def f(x):
        s = 0.0
        for i in range(50):
            s += x[i] * (1 / (i - 20))
        return s

    with pytest.raises(ZeroDivisionError):
        ag.jit(f)(jnp.asarray(X))


def test_a_short_loop_is_unrolled_and_options_say_otherwise():
    def of(n, **options):
        def f(x):
            for i in range(n):
                ag.set_loop_options(unroll=options.get("unroll"))
                x = jnp.sin(x) + i
            return x

        return [e.primitive.name for e in jax.make_jaxpr(ag.convert(f))(1.0).eqns]

    assert "scan" not in of(31) and of(32).count("scan") == 1

    def forced(x):
        for i in range(3):
            ag.set_loop_options(unroll=False)
            x = x + i
        return x

    def copied(x):
        for i in range(40):
            ag.set_loop_options(unroll=True)
            x = x + i
        return x

    assert primitives(forced).count("scan") == 1 and "scan" not in primitives(copied)

    def impossible(x):
        for i in range(3):
            ag.set_loop_options(unroll=False)
            x = x + jnp.broadcast_to(1.0, (2, i)).sum()
        return x

    with pytest.raises(ag.StagingError):
        ag.jit(impossible)(1.0)


def test_one_warning_from_a_thousand_iterations_on():
    def f(x, n):
        found = {}
        for _ in range(2):
            for i in range(n):
                found[i] = x
        return found[3]

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ag.jit(f, static_argnums=1)(1.0, 900)
    with pytest.warns(
        ag.AutoGraphWarning, match=r"this loop of 1,000 iterations is unrolled(.|\n)*found\[i\]|this loop of 1,000"
    ) as seen:
        ag.jit(f, static_argnums=1)(1.0, 1000)
    assert len(seen) == 1


def test_a_loop_of_python_numbers_alone_runs_in_python():
    def f(x):
        sieve = [True] * 500
        for i in range(2, 500):
            if sieve[i]:
                for j in range(i * i, 500, i):
                    sieve[j] = False
        return x * sum(sieve)

    assert primitives(f) == ["mul"] and float(ag.jit(f)(1.0)) == f(1.0)


@pytest.mark.parametrize("transform", [jax.grad, jax.jacfwd, lambda f: jax.vmap(f)])
def test_under_transforms(transform):
    x = jnp.asarray(X) if transform in (jax.grad, jax.jacfwd) else jnp.stack([X, -X])
    np.testing.assert_allclose(jax.jit(transform(ag.convert(total)))(x), transform(total)(x), rtol=1e-5)
