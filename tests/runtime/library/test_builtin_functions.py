"""Numeric builtins: themselves on plain values, Python's results on traced ones."""

import builtins
import numbers
import operator
import random
import typing
from collections.abc import Iterable, Sized

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from autograph.directives import range as ag_range
from autograph.errors import StagingError
from autograph.runtime.calls import dispatch
from autograph.runtime.heap import journal
from autograph.runtime.library.builtin_functions import builtin
from autograph.runtime.library.number_methods import method
from autograph.runtime.sequences import iterables


@pytest.fixture(autouse=True)
def functions_as_they_are(monkeypatch):
    """The operators alone: functions handed to them are not converted."""
    monkeypatch.setattr(dispatch, "staged", lambda f: f)


NUMBERS = [3.5, -2.5, 0.0, 2.5, -0.5, 7.0]


def jitted(name, *args, **kwargs):
    return jax.jit(lambda *traced: builtin(getattr(builtins, name))(*traced, **kwargs))(*args)


@pytest.mark.parametrize("name", ["bool", "int", "float", "complex"])
@pytest.mark.parametrize("x", [*NUMBERS, 3, -7, True, False])
def test_conversions(name, x):
    expected = getattr(builtins, name)(x)
    result = jitted(name, x)
    assert result == expected
    assert result.dtype == jnp.asarray(expected).dtype
    assert name == "bool" or result.weak_type  # promotes as a Python number does


def test_conversions_of_plain_values_are_python():
    assert builtin(int)("ff", 16) == 255
    assert builtin(float)("1e3") == 1000.0
    assert builtin(complex)(1, imag=2) == 1 + 2j
    assert builtin(bool)() is False
    with pytest.raises(ValueError, match="invalid literal"):
        builtin(int)("x")


def test_complex_of_two_parts():
    assert jax.jit(lambda a, b: builtin(complex)(a, b))(1.0, 2.0) == 1 + 2j


def test_conversion_of_a_vector_or_complex_is_refused_as_eagerly():
    with pytest.raises(TypeError, match="Only scalar arrays"):
        jitted("float", jnp.ones(1))
    with pytest.raises(TypeError, match="not 'complex'"):
        jitted("int", 1j)


def test_float_has_a_derivative():
    assert jax.jit(jax.grad(lambda x: builtin(float)(x) * x))(3.0) == 6.0


def _from_one(x):
    return (x - 1) * (x - 1)


@pytest.mark.parametrize("name", ["min", "max"])
def test_extremes(name):
    native = getattr(builtins, name)
    rng = random.Random(0)
    for _ in range(6):
        xs = [rng.choice([rng.randint(-3, 3), rng.uniform(-3, 3)]) for _ in range(rng.randint(1, 5))]
        assert jax.jit(lambda *xs: builtin(native)(xs))(*xs) == pytest.approx(native(xs))
        if len(xs) > 1:
            assert jitted(name, *xs) == pytest.approx(native(xs))
        assert jitted(name, jnp.array(xs)) == pytest.approx(native(xs))
        assert jitted(name, jnp.array(xs, int)) == native(int(x) for x in xs)
        by_key = jax.jit(lambda *xs: builtin(native)(xs, key=_from_one))(*xs)
        assert by_key == pytest.approx(native(xs, key=_from_one))


@pytest.mark.parametrize("name", ["min", "max"])
def test_extremes_with_nan_keep_python_s_order(name):
    native, nan = getattr(builtins, name), float("nan")
    for xs in ([nan, 1.0, 2.0], [1.0, nan, 2.0], [nan, nan], [2.0, 1.0, nan], [float("inf"), nan, float("-inf")]):
        expected = native(xs)
        for result in (jitted(name, *xs), jitted(name, jnp.array(xs))):
            assert str(float(result)) == str(expected)


def test_the_first_of_equals_takes_the_derivative():
    grad = jax.jit(jax.grad(lambda v: builtin(max)(v)))(jnp.array([1.0, 2.0, 2.0]))
    assert grad.tolist() == [0.0, 1.0, 0.0]
    grads = jax.jit(jax.grad(lambda a, b: builtin(min)(a, b), argnums=(0, 1)))(1.0, 1.0)
    assert grads == (1.0, 0.0)


def test_extremes_of_tuples_by_key():
    def f(x):
        return builtin(min)([(x, 1), (2.0, 2)], key=lambda pair: pair[0])

    assert jax.jit(f)(1.0) == (1.0, 1)
    assert jax.jit(f)(3.0) == (2.0, 2)


def test_empty_extremes_raise_as_python_does():
    for args, kwargs in (((), {}), ((jnp.ones(0),), {})):
        with pytest.raises((TypeError, ValueError)) as expected:
            min(*args, **kwargs)
        with pytest.raises(expected.type) as found:
            jitted("min", *args, **kwargs)
        assert str(found.value) == str(expected.value)
    assert jax.jit(lambda v: builtin(max)(v, default=5))(jnp.ones(0)) == 5
    with pytest.raises(TypeError, match="default"):
        builtin(max)(1, 2, default=3)


def test_extremes_of_different_shapes_are_refused():
    def f(x):
        return builtin(max)([(x, 1), (2.0, 2, 3)], key=lambda pair: pair[0])

    with pytest.raises(StagingError, match=r"max\(\) chooses between"):
        jax.jit(f)(1.0)


def test_vmap_of_extremes():
    f = jax.jit(jax.vmap(lambda a, b: builtin(max)(a, b, 2.0)))
    assert f(jnp.array([1.0, 3.0]), jnp.array([0.0, 4.0])).tolist() == [2.0, 4.0]


@pytest.mark.parametrize("reverse", [False, True])
def test_sorted(reverse):
    rng = random.Random(1)
    for _ in range(4):
        xs = [rng.randint(-4, 4) / 2 for _ in range(rng.randint(2, 6))]
        result = jax.jit(lambda *xs: builtin(sorted)(xs, reverse=reverse))(*xs)
        assert type(result) is list and [float(x) for x in result] == sorted(xs, reverse=reverse)
        result = jax.jit(lambda xs: builtin(sorted)(xs, reverse=reverse))(jnp.array(xs))
        assert [float(x) for x in result] == sorted(xs, reverse=reverse)
        pairs = [(abs(x), i) for i, x in enumerate(xs)]
        stable = jax.jit(lambda ps: builtin(sorted)(ps, key=lambda p: p[0], reverse=reverse))(pairs)
        assert [(float(a), int(i)) for a, i in stable] == sorted(pairs, key=lambda p: p[0], reverse=reverse)
        both = jax.jit(lambda ps: builtin(sorted)(ps, reverse=reverse))(pairs)
        assert [(float(a), int(i)) for a, i in both] == sorted(pairs, reverse=reverse)


def test_sorted_of_plain_values_calls_the_key_once_each():
    calls = []
    words = ["bb", "a", "ccc"]
    assert builtin(sorted)(words, key=lambda w: (calls.append(w), len(w))[1]) == ["a", "bb", "ccc"]
    assert calls == words


@pytest.mark.parametrize("reverse", [False, True])
def test_sorted_asks_no_traced_value_where_python_knows_the_order(reverse):
    def f(xs):
        pairs = [(i % 3, chr(97 + i), x) for i, x in enumerate(xs)]
        shown = [str(p[:2]) for p in builtin(sorted)(pairs, reverse=reverse)]
        assert shown == [str(p[:2]) for p in sorted([p[:2] for p in pairs], reverse=reverse)]
        stable = builtin(sorted)(pairs, key=lambda p: (p[0], [p[0]]), reverse=reverse)
        assert [p[:2] for p in stable] == sorted([p[:2] for p in pairs], key=lambda p: p[0], reverse=reverse)
        return len(stable)

    assert not jax.make_jaxpr(f)([1.0] * 7).eqns


def test_sorted_compares_as_python_until_a_traced_value_is_reached():
    with pytest.raises(TypeError, match="'<' not supported between instances of 'str' and 'int'"):
        jax.jit(lambda x: builtin(sorted)([(1, x), ("a", x)]))(1.0)
    with pytest.raises(StagingError, match="a traced key that holds str 'a'"):
        jax.jit(lambda x, y: builtin(sorted)([("a", x), ("b", 1), ("a", y)]))(1.0, 2.0)


def test_sorted_refuses_what_cannot_be_reordered():
    with pytest.raises(StagingError, match=r"sorted\(\) picks by a traced value"):
        jax.jit(lambda x: builtin(sorted)([range(2), range(1)], key=lambda r: x * len(r)))(1.0)


@pytest.mark.parametrize("dtype", ["int8", "int32", "float32", "bool"])
def test_sum_of_an_array_has_python_s_dtype(dtype):
    xs = jnp.array([1, 0, 1, 1]).astype(dtype)
    expected = sum(xs)
    result = jitted("sum", xs)
    assert (result, result.dtype, result.weak_type) == (expected, expected.dtype, expected.weak_type)


@pytest.mark.parametrize("name", ["min", "max"])
@pytest.mark.parametrize("start", [100, 100.0, jnp.int32(100), jnp.int8(100), True])
def test_extremes_of_an_array_are_as_weakly_typed_as_it_is(name, start):
    xs = jnp.full(3, start)
    found = jitted(name, xs)
    assert (found, found.dtype, found.weak_type) == (xs[0], xs.dtype, xs.weak_type)


@pytest.mark.parametrize("x", [100, 100.5, 101.5, -0.5, True, jnp.int32(100), jnp.int8(100), jnp.float32(2.5)])
def test_round_gives_an_integer_of_python_s_where_it_gets_a_number_of_python_s(x):
    y = jnp.int8(100)
    expected, found = round(x) * y, jax.jit(lambda x, y: builtin(round)(x) * y)(x, y)
    assert (found, found.dtype) == (expected, expected.dtype)


def test_sum():
    assert jax.jit(lambda a, b: builtin(sum)([a, b], 10))(1, 2) == 13
    assert jitted("sum", jnp.ones((3, 2))).tolist() == [3.0, 3.0]
    assert jitted("sum", jnp.ones(3), start=2.0) == 5.0
    assert jitted("sum", jnp.ones(0)) == 0
    with pytest.raises(TypeError):
        builtin(sum)(5)


@pytest.mark.parametrize("name", ["any", "all"])
def test_any_and_all(name):
    native = getattr(builtins, name)
    for bits in range(8):
        xs = [bool(bits & 1), bool(bits & 2), bool(bits & 4)]
        assert jax.jit(lambda xs: builtin(native)(xs))(xs) == native(xs)
        assert jitted(name, jnp.array(xs)) == native(xs)
        mixed = jax.jit(lambda a, b, c=xs[1]: builtin(native)([a, c, b]))(xs[0], xs[2])
        assert mixed == native(xs)
    assert builtin(native)([]) is native([])


def test_any_stops_at_a_known_true():
    seen = []
    assert builtin(any)(seen.append(x) or x for x in [0, 1, 1]) is True
    assert seen == [0, 1]


def test_pow_with_a_modulus():
    f = jax.jit(lambda b, e, m: builtin(pow)(b, e, m))
    largest = 2**31 - 1
    small = [(2, 10, 1000), (-3, 5, 7), (3, -1, 7), (2, 3, -5), (5, 0, 1)]
    for args in [*small, (7, 123456, largest), (46341, 3, largest)]:
        assert f(*args) == pow(*args)
    assert builtin(pow)(2, 5) == 32
    with pytest.raises(TypeError, match="3rd argument"):
        f(2.0, 3, 5)


def test_iterators_over_plain_values_are_the_builtins():
    assert type(builtin(enumerate)([1])) is enumerate
    assert type(builtin(zip)([1], "a")) is zip
    assert type(builtin(map)(len, ["a"])) is map
    assert type(builtin(filter)(None, [0, 1])) is filter
    assert type(builtin(range)(3)) is range
    assert list(builtin(reversed)([1, 2])) == [2, 1]


def test_iterators_over_traced_arrays_do_what_the_builtins_do():
    def f(xs):
        pairs = builtin(enumerate)(xs, start=2)
        assert type(pairs) is iterables.Enumerate and not pairs.is_started
        first = next(pairs)
        assert pairs.is_started and iter(pairs) is pairs
        zipped = list(builtin(zip)(xs, "abc"))[1][0]
        doubled = list(builtin(map)(lambda a, b: a + b, xs, xs))
        return first, list(pairs), zipped, list(builtin(reversed)(xs)), doubled

    first, rest, zipped, backwards, doubled = jax.jit(f)(jnp.array([1.0, 5.0]))
    assert first == (2, 1.0) and rest == [(3, 5.0)]
    assert zipped == 5.0 and backwards == [5.0, 1.0] and doubled == [2.0, 10.0]


def test_zip_strict_over_traced_arrays():
    with pytest.raises(ValueError, match="shorter"):
        jax.jit(lambda xs: list(builtin(zip)(xs, [1], strict=True)))(jnp.ones(2))


def test_items_behind_a_traced_one_may_write_nothing():
    log = [0]

    def noted(x):
        journal.touch_container(log)
        log.append(1)
        return x > 2

    assert jax.jit(lambda a, b: builtin(any)(x > 2 for x in (a, b)))(1, 3)
    assert not jax.jit(lambda a, b: builtin(all)(x > 2 for x in (a, b)))(1, 3)
    with pytest.raises(StagingError, match=r"any\(\) takes items whose evaluation changes the contents of a list"):
        jax.jit(lambda a, b: builtin(any)(noted(x) for x in (a, b)))(1, 3)
    assert log == [0, 1]  # the first item is always taken


class Noting:
    def __init__(self, value, seen):
        self.value, self.seen = value, seen

    def __eq__(self, other):
        self.seen.append(1)
        return self.value == other.value


@pytest.mark.parametrize("find", [operator.indexOf, list.index])
def test_items_behind_a_traced_match_are_not_compared(find):
    def f(x):
        seen = []
        items = [Noting(1.0, seen), Noting(x, seen), Noting(3.0, seen)]
        return (items.index if find is list.index else lambda y: find(items, y))(Noting(3.0, [])), len(seen)

    with pytest.raises(
        StagingError, match=r"list.index\(\) takes items whose evaluation changes the contents of a list"
    ):
        ag.jit(f)(1.0)


def test_extremes_of_mutable_objects_are_refused():
    with pytest.raises(StagingError, match="copy of one of two objects"):
        jax.jit(lambda x: builtin(min)([[x], [2.0]], key=lambda row: row[0]))(1.0)
    row = [1.0]
    assert jax.jit(lambda x: builtin(min)([row, row], key=lambda r: x) is row)(1.0)


@pytest.mark.parametrize(
    "f",
    [
        lambda n: builtin(range)(n)[n],
        lambda n: builtin(range)(n)[3],
        lambda n: builtin(range)(n)[-4],
        lambda n: builtin(range)(n).index(-1),
        lambda n: builtin(range)(2, n).index(n - 2),
    ],
)
def test_what_a_range_does_not_hold_fails_when_the_program_runs(f):
    with pytest.raises((IndexError, ValueError)) as python:
        f(3)
    with pytest.raises((jax.errors.JaxRuntimeError, ValueError)) as failed:
        jax.block_until_ready(jax.jit(f)(3))
    kind = python.type.__name__
    assert f"{kind}: {python.value}" in str(failed.value) or f"{kind}: x is not in range" in str(failed.value)
    assert 'test_builtin_functions.py", line' in str(failed.value)


def test_the_bounds_of_a_range_are_integers_of_python_s():
    y = jnp.int8(100)
    found = jax.jit(lambda n, y: (builtin(range)(n).stop * y, builtin(range)(n)[-1] * y))(jnp.int16(3), y)
    assert [x.dtype for x in found] == [jnp.int8, jnp.int8]
    with pytest.raises(TypeError, match="'float' object cannot be interpreted as an integer"):
        jax.jit(lambda x: builtin(range)(x).stop)(1.5)


def test_a_range_of_traced_bounds_is_not_sliced():
    with pytest.raises(StagingError, match="a range with a traced bound is sliced"):
        jax.jit(lambda n: builtin(range)(n)[1:])(3)
    for index in ("a", 1.5):
        with pytest.raises(TypeError, match="range indices must be integers or slices"):
            jax.jit(lambda n, index=index: builtin(range)(n)[index])(3)


def test_ranges_that_are_known_answer_as_python_s():
    numbers = ag_range(0, 20, 3)
    assert (numbers[2], numbers[1:3], numbers.count(6), numbers.index(6)) == (6, range(3, 9, 3), 1, 2)
    with pytest.raises(ValueError, match="not in range"):
        numbers.index(7)


def test_numbers_of_an_array_that_python_refuses():
    x = jnp.arange(6).reshape(2, 3)
    for args in [(), (6,), (0, 3), (0, 0, 0), ("a",)]:
        with pytest.raises((ValueError, IndexError, TypeError)) as expected:
            np.asarray(x).item(*args)
        with pytest.raises(expected.type) as found:
            jax.jit(lambda x, args=args: method(x, "item")(*args))(x)
        assert str(found.value) == str(expected.value)
    with pytest.raises(StagingError, match=r"tolist\(\) of a traced array of bools"):
        jax.jit(lambda x: method(x > 2, "tolist")())(x)


def test_a_number_of_an_array_keeps_its_derivative():
    assert jax.grad(lambda x: method(x * x, "item")())(3.0) == 6.0
    assert jax.grad(lambda x: sum(method(x * x, "tolist")()))(jnp.array([1.0, 2.0])).tolist() == [2.0, 4.0]


def test_containers_that_hold_themselves_are_ordered_by_what_else_they_hold():
    xs, d = [], {}
    xs.append(xs)
    d["x"] = d

    def fn(n):
        names = [key for key, *_ in sorted([("b", xs, n), ("a", d, n)])]
        return n if names == ["a", "b"] else -1

    assert ag.jit(fn)(3) == fn(3) == 3


KINDS = (
    int, float, complex, numbers.Real, numbers.Integral, int | None, (str, (bytes, float)), bool, str, jax.Array, object,
    typing.SupportsIndex, int | str,
)  # fmt: skip


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_traced_number_is_of_the_classes_of_numbers(kind):
    ask = builtin(isinstance)
    for x in (3, 2.5, 2j):
        found = []
        jax.jit(lambda x, found=found: found.extend([ask(x, kind), ask(x + x, kind)]) or x)(x)
        assert found == [isinstance(x, kind) or kind is jax.Array] * 2
    for x in (np.int32(3), jnp.float32(2), jnp.arange(2), True):
        found = []
        jax.jit(lambda x, found=found: found.append(ask(x, kind)) or x)(x)
        assert found == [kind in (object, jax.Array, typing.SupportsIndex)]
    assert ask(3, kind) is isinstance(3, kind)


SCALARS = np.generic, np.number, np.integer, np.signedinteger, np.int32, np.uint8, np.floating, np.float32, np.bool_


@pytest.mark.parametrize("kind", [*SCALARS, (str, np.integer), int | np.integer, (np.generic, np.ndarray)], ids=str)
def test_a_traced_scalar_is_of_the_classes_of_numpy_s(kind):
    ask = builtin(isinstance)
    scalars = np.int32(3), np.uint8(1), np.float32(2.5), np.bool_(True), np.arange(2)[1]
    for x in (*scalars, np.arange(2), 3, 2.5):
        found = []
        jax.jit(lambda x, found=found: found.append(ask(x, kind)) or x)(x)
        dtype_is_kept = type(x) is not np.int64  # JAX has 32 bits
        is_array = isinstance(x, np.ndarray) and kind == (np.generic, np.ndarray)  # it is one of JAX's
        assert found == [isinstance(x if dtype_is_kept else np.int32(x), kind) and not is_array]


def test_the_classes_of_a_traced_scalar_decide_in_programs():
    def contains(x):
        if isinstance(x, int):
            return x * 10
        if isinstance(x, (np.generic, np.ndarray)) and np.issubdtype(x.dtype, np.integer) and x.shape == ():
            return x + 1
        return x - 1

    def matched(x):
        match x:
            case int() | np.integer():
                return x + 1
            case _:
                return x - 1

    for x in (np.int32(3), np.float32(3)):
        assert ag.jit(contains)(x) == contains(x) and ag.jit(matched)(x) == matched(x)
    assert ag.jit(contains)(3) == 30
    assert jax.vmap(ag.convert(contains))(np.arange(3)).tolist() == [1, 2, 3]
    assert ag.function(contains)(np.int32(3)) == 4


def test_a_traced_number_has_the_type_of_python_s():
    ask = builtin(type)

    def kinds(x, y):
        found.extend([ask(x), ask(x + x), ask(y)])
        return x

    for x in (3, 2.5, 2j):
        found: list[type] = []
        jax.jit(kinds)(x, np.int32(3))
        assert found[:2] == [type(x)] * 2 and found[2] is not int
    assert ask(3) is int and ask("A", (), {"k": 1}).k == 1


NAMED = (int, float)


def test_a_traced_number_is_one_of_classes_that_have_a_name() -> None:
    def of_tuple(x):
        return x if isinstance(x, NAMED) else -x

    def of_parameter(x, kinds=int | float):
        return x if isinstance(x, kinds) else -x

    def of_loop(x):
        for kind in (str, float, int):
            if isinstance(x, kind):
                return x if kind is int else -x
        return 0

    for f in (of_tuple, of_parameter, of_loop):
        for x in (3, 2.5):
            assert ag.jit(f)(x) == f(x)


@pytest.mark.parametrize("kind", [Iterable, Sized, (str, Iterable)], ids=str)
def test_a_traced_number_is_no_sequence(kind):
    def scalar(x):
        return x + 1 if not isinstance(x, kind) else sum(x)

    assert ag.jit(scalar)(3) == 4 and ag.jit(scalar)(jnp.arange(3)) == 3


@pytest.mark.parametrize("name", ["__iter__", "__len__", "__getitem__"])
def test_a_traced_number_has_not_what_tells_a_sequence(name):
    def has(x):
        return x + 1 if not hasattr(x, name) else sum(x)

    def gets(x):
        return x + 1 if getattr(x, name, None) is None else sum(x)

    for f in (has, gets):
        assert ag.jit(f)(3) == 4 and ag.jit(f)(jnp.arange(3)) == 3
