"""What is `None` or a value is used only where a test shows that there is a value; else it is refused by name."""

import jax
import jax.numpy as jnp
import pytest
from jax import lax

import autograph as ag


def returned(c):
    x = None
    if c > 0:
        x = c
    if x is not None and c > 1:
        return c
    return x


def used_in_the_wrong_branch(c):
    x = None
    if c > 0:
        x = c
    if x is None:
        return c
    elif c > 1:
        x = None
    return x + 1


def used_after_a_guarded_use(c):
    x = None
    if c > 0:
        x = c
    y = 0.0 if x is None else x
    return y + x


def shown_by_one_of_two(c):
    x = None
    if c > 0:
        x = c
    if x is not None or c < -1:
        return x
    return c


def shown_of_an_older_value(c):
    x = None
    if c > 0:
        x = c
    known = x is not None
    if c < 2:
        x = None
    if known:
        return x
    return c


def shown_in_another_iteration(c):
    x = None
    s = 0.0
    for v in jnp.array([1.0, 2.0, 3.0]):
        if x is not None:
            s = s + x
        if v > c:
            x = v
        else:
            x = None
        s = s + x
    return s


def asserted_where_it_may_not_run(c):
    x = None
    if c > 0:
        x = c

    def branch():
        assert x is not None
        return x

    return lax.cond(c > 1, branch, lambda: 0.0 * c) + x


def passed_on(c):
    x = None
    if c > 0:
        x = c
    y = x
    return 0.0 if x is None else y


@pytest.mark.parametrize(
    "fn",
    [
        returned,
        used_in_the_wrong_branch,
        used_after_a_guarded_use,
        shown_by_one_of_two,
        shown_of_an_older_value,
        shown_in_another_iteration,
        asserted_where_it_may_not_run,
        passed_on,
    ],
)
def test_refused_where_it_may_be_none(fn):
    with pytest.raises(ag.StagingError, match="variable 'x' is used where it may be None"):
        ag.jit(fn)(0.5)


def test_a_loop_that_settles_after_its_first_iteration_carries_numbers_only():
    @ag.jit
    def largest(xs):
        best = None
        for x in xs:
            if best is None or x > best:
                best = x
        return best

    jaxpr = jax.make_jaxpr(largest)(jnp.arange(5.0))
    assert largest(jnp.arange(5.0)) == 4
    assert "bool[]" not in str(
        next(e for e in jaxpr.jaxpr.eqns[0].params["jaxpr"].eqns if e.primitive.name == "scan").outvars
    )


def test_a_loop_with_an_exit_that_settles_after_its_first_iteration_carries_numbers_only():
    @ag.convert
    def largest(xs, most):
        best = None
        for x in xs:
            if best is None or x > best:
                best = x
            if best > most:
                break
        return best

    jaxpr = str(jax.make_jaxpr(largest)(jnp.array([1.0, 3.0, 2.0]), 2.5))
    assert jaxpr.count("while[") == 1 and "cond[" not in jaxpr.replace("cond_", "")


def test_a_search_that_its_first_iteration_need_not_settle_holds_its_body_once():
    @ag.convert
    def first(xs, least):
        found = None
        for x in xs:
            if x > least:
                found = jnp.sin(x)
                break
        return 0.0 if found is None else found

    jaxpr = str(jax.make_jaxpr(first)(jnp.array([1.0, 3.0, 2.0]), 2.5))
    assert jaxpr.count("while[") == jaxpr.count("sin ") == 1


def test_no_test_of_a_parameter_with_a_default_becomes_an_operator():
    def scaled(x, factor=None):
        if factor is None:
            factor = 2
        return x * factor

    assert "ag__" not in ag.to_code(scaled).split("\n", 1)[1]


def doubled(c):
    if c > 0:
        return 2 * c


def around(c):
    return doubled(c)


def untested(c):
    return doubled(c) + 1


def given_to_a_parameter(c):
    def plus(y=None):
        return c if y is None else c + y

    return plus(doubled(c))


def asked_of_another_function(c):
    def constant(x):
        doubled(x)
        return 3.0

    y = constant(c)
    return c if y is None else y


def asked_with_wrong_arguments(c):
    try:
        y = doubled(c, c)
        if y is None:
            return c
    except TypeError:
        pass
    return untested(c)


def handed_to_a_transform(c):
    y = jax.vmap(doubled)(jnp.stack([c, c]))
    return c if y is None else y[0]


def kept_in_a_list(c):
    y = [doubled(c)]
    return c if y[0] is None else y[0]


@pytest.mark.parametrize(
    "fn",
    [
        around,
        untested,
        given_to_a_parameter,
        asked_of_another_function,
        asked_with_wrong_arguments,
        handed_to_a_transform,
        kept_in_a_list,
    ],
)
def test_a_result_that_nobody_tests_is_refused(fn):
    with pytest.raises(
        ag.StagingError, match=r"different values in the returned value[^+]*test the result of the call"
    ):
        ag.jit(fn)(0.5)


def test_no_variable_of_the_users_may_be_none_because_of_its_name():
    def returning(c):
        return_value = None
        if c > 0:
            return_value = c
        if isinstance(return_value, float):
            return None
        return c

    @ag.jit
    def f(c):
        y = returning(c)
        return 0.0 if y is None else y

    with pytest.raises(ag.StagingError, match="leave different values in the returned value"):
        f(0.5)


# --- an attribute that may be `None` or a number ---


class Late:
    def __init__(self):
        self.count = None

    def step(self, x):
        if x > 1:
            if self.count is None:
                self.count = 0
            else:
                self.count += 1
        return x

    def is_late(self):
        return self.count is not None


def read(late, x):
    return late.count


def asked_for(late, x):
    return x if hasattr(late, "count") else -x


def with_a_default(late, x):
    return getattr(late, "count", -1)


def asked_elsewhere(late, x):
    return x if late.is_late() else -x


def in_a_branch(late, x):
    if x > 2:
        x = x + late.count
    return x


def in_a_loop(late, x):
    for k in ag.range(3):
        if x > k:
            x = x + late.count
    return x


def caught(late, x):
    try:
        if x > 2:
            x = x + late.count
    except AttributeError:
        x = -x
    return x


@pytest.mark.parametrize("reader", [read, asked_for, with_a_default, asked_elsewhere, in_a_branch, in_a_loop, caught], ids=lambda f: f.__name__)
def test_only_functions_that_test_it_read_an_attribute_that_may_be_none(reader):
    def f(x):
        late = Late()
        late.step(x)
        return reader(late, x)

    with pytest.raises(ag.StagingError, match="reads an attribute that may be None"):
        ag.jit(f)(3.0)


def test_an_attribute_that_may_be_none_is_written():
    def f(x):
        late = Late()
        late.step(x)
        late.count = 4
        late.step(x)
        return late.count

    for x in (0.0, 2.0):
        assert ag.jit(f)(x) == f(x)
