"""`raise` and `assert` under traced conditions: fail when the program runs, where they are reached, with the user's words."""

import contextlib
import gc
import importlib.resources
import operator
import pathlib
import tempfile
import threading
import weakref
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import lax

import autograph as ag
from autograph.runtime.checks.runtime_checks import assert_, raise_
from autograph.runtime.heap import journal
from autograph.runtime.operators.conditionals import if_exp, if_stmt, nothing
from autograph.runtime.operators.for_loops import for_loop
from autograph.runtime.operators.while_loops import while_loop
from autograph.runtime.tracing import context


@pytest.fixture(autouse=True)
def no_region_stays_open():
    yield
    assert not context.active()


def run(f, *args):
    """The value of `f(*args)`, or the message of the error that the program raised."""
    try:
        result = jax.block_until_ready(f(*args))
        jax.effects_barrier()
        return result
    except Exception as error:
        try:
            jax.effects_barrier()
        except Exception:  # the same error, once more
            pass
        return str(error)


def fail(exception=ValueError, *args):
    raise raise_(exception(*args) if args else exception)


def above_five(n):
    return if_exp(n > 5, lambda: fail(ValueError, "too large"), lambda: n * 2)


def test_the_branch_that_raises_fails_and_the_other_does_not():
    f = jax.jit(above_five)
    assert run(f, 3) == 6
    text = run(f, 7)
    assert "ValueError: too large" in text and 'test_runtime_checks.py", line' in text
    assert run(f, 3) == 6


def test_python_raises_itself_on_known_values():
    with pytest.raises(ValueError, match="too large"):
        above_five(7)
    with pytest.raises(AssertionError, match="seven"):
        assert_(False, lambda: "seven")
    with pytest.raises(AssertionError):
        assert_([])
    assert_(True, lambda: 1 / 0)
    assert not isinstance(jax.jit(lambda n: n)(1), Exception)


def test_raise_takes_classes_instances_and_causes():
    cause = KeyError("k")
    assert raise_(ValueError).args == () and raise_(ValueError("x"), cause).__cause__ is cause
    assert type(raise_(ValueError, KeyError).__cause__) is KeyError
    with pytest.raises(TypeError, match="exceptions must derive from BaseException"):
        raise_(3)


def test_both_branches_raise():
    def f(n):
        return if_exp(n > 0, lambda: fail(ValueError, "above"), lambda: fail(KeyError, "below"))

    with pytest.raises(ValueError, match="above"):
        jax.jit(f)(1)


def test_an_outer_branch_of_which_both_inner_branches_raise():
    def f(n):
        def inner():
            return if_exp(n > 5, lambda: fail(ValueError, "above"), lambda: fail(KeyError, "below"))

        return if_exp(n > 0, inner, lambda: n)

    f = jax.jit(f)
    assert run(f, -1) == -1 and "above" in run(f, 7) and "below" in run(f, 3)


def test_the_results_are_those_of_the_other_branch():
    def f(n):
        y, z = None, 1

        def body():
            nonlocal z
            z = jnp.ones(3)
            fail()

        def orelse():
            nonlocal y
            y = n

        if_stmt(n > 5, body, orelse, lambda: (y, z))
        return y + z

    assert run(jax.jit(f), 3) == 4 and "ValueError" in run(jax.jit(f), 7)


def test_writes_of_a_raising_branch_are_nobody_s():
    def f(n):
        items = [1]

        def body():
            journal.touch_container(items)
            items.append(n)
            fail()

        if_stmt(n > 5, body, nothing)
        return items

    assert run(jax.jit(f), 3) == [1]


def test_assertions():
    def f(n):
        assert_(n > 0, lambda: "not positive")
        return n

    assert run(jax.jit(f), 3) == 3
    text = run(jax.jit(f), -3)
    assert "AssertionError: not positive" in text and 'test_runtime_checks.py", line' in text
    assert run(jax.jit(lambda n: assert_(n[None] > 0)), jnp.int32(3)) is None


def test_nothing_of_it_is_lost_when_the_result_is_not_used():
    def f(n):
        if_stmt(n > 5, fail, nothing)

    assert run(jax.jit(f), 3) is None and "ValueError" in run(jax.jit(f), 7)


def test_lanes_that_do_not_take_the_branch_do_not_fail():
    for f in (jax.vmap(above_five), jax.jit(jax.vmap(above_five)), jax.vmap(jax.jit(above_five))):
        assert run(f, jnp.array([1, 2])).tolist() == [2, 4] and "too large" in run(f, jnp.array([1, 7]))


def test_lanes_of_nested_branches():
    def f(n, m):
        return if_exp(n > 0, lambda: if_exp(m > 0, lambda: fail(ValueError, "both"), lambda: 1), lambda: 2)

    for mapped in (jax.vmap(f), jax.jit(jax.vmap(f))):
        assert run(mapped, jnp.array([1, -1, -1]), jnp.array([-1, 1, -1])).tolist() == [1, 2, 2]
        assert "both" in run(mapped, jnp.array([1, 1]), jnp.array([-1, 1]))
    assert "both" in run(jax.jit(jax.vmap(f, (None, 0))), 1, jnp.array([-1, 1]))


def climb(n, m):
    k = 0

    def body():
        nonlocal k
        if_stmt(k == m, fail, nothing)
        k = k + 1

    while_loop(lambda: k < n, body, lambda: (k,))
    return k


def test_in_loops():
    f = jax.jit(climb)
    assert run(f, 5, 9) == 5 and "ValueError" in run(f, 5, 3) and run(f, 0, 0) == 0 and run(f, 3, 3) == 3


def test_finished_lanes_do_not_fail():
    for f in (jax.vmap(climb), jax.jit(jax.vmap(climb))):
        assert run(f, jnp.array([2, 5]), jnp.array([2, 9])).tolist() == [2, 5]
        assert "ValueError" in run(f, jnp.array([2, 5]), jnp.array([9, 3]))


def test_finished_lanes_of_a_rotated_loop_do_not_fail():
    def f(n):
        def goes_on():
            nonlocal n
            n = n - 1
            return n % 5 != 0

        def body():
            if_stmt(n < -3, fail, nothing)

        while_loop(goes_on, body, lambda: (n,))
        return n

    assert run(jax.vmap(f), jnp.array([1, 12, 7, 6])).tolist() == [0, 10, 5, 5]
    assert "ValueError" in run(jax.jit(jax.vmap(f)), jnp.array([1, -1]))


def test_in_for_loops_over_arrays():
    def f(xs):
        total = 0.0

        def body(x):
            nonlocal total
            if_stmt(x < 0, lambda: fail(ValueError, "negative"), nothing)
            total = total + jnp.sqrt(x)

        for_loop(xs, body, lambda: (total,))
        return total

    f = jax.jit(f)
    assert run(f, jnp.array([1.0, 4.0])) == 3 and "negative" in run(f, jnp.array([1.0, -4.0]))
    assert run(jax.grad(f), jnp.array([1.0, 4.0])).tolist() == [0.5, 0.25]


def test_under_scan_and_gradients():
    def square(x):
        return if_exp(x < 0, lambda: fail(ValueError, "negative"), lambda: x * x)

    def over(xs):
        return lax.scan(lambda c, x: (c + square(x), c), 0.0, xs)[0]

    assert run(jax.jit(over), jnp.array([1.0, 2.0])) == 5 and "negative" in run(jax.jit(over), jnp.array([1.0, -2.0]))
    for f in (jax.grad(jax.jit(square)), jax.jit(jax.grad(square)), jax.jit(jax.grad(jax.checkpoint(square)))):
        assert run(f, 3.0) == 6 and "negative" in run(f, -3.0)


def test_the_error_is_not_caught_while_the_program_is_built():
    def f(n):
        try:
            return if_exp(n > 5, fail, lambda: n)
        except ValueError:
            return -1

    assert run(jax.jit(f), 3) == 3


def test_errors_that_are_no_events_are_raised_at_once():
    def f(n):
        return if_exp(n > 5, lambda: no_such_name, lambda: n)  # noqa: F821

    with pytest.raises(NameError):
        jax.jit(f)(3)


def test_events_of_python_fail_when_the_branch_is_taken():
    f = jax.jit(lambda n: if_exp(n > 5, lambda: {}["missing"], lambda: n))
    assert run(f, 3) == 3 and "KeyError: 'missing'" in run(f, 7)


def test_arguments_of_the_exception_are_shown_by_value():
    def f(n):
        def body():
            raise raise_(KeyError({"n": n, "what": "x"}, n * 2))

        if_stmt(n > 3, body, nothing)
        return n

    assert jax.jit(f)(3) == 3
    with pytest.raises((jax.errors.JaxRuntimeError, ValueError), match=r"KeyError: \(\{'n': 5, 'what': 'x'\}, 10\)"):
        jax.block_until_ready(jax.jit(f)(5))


def test_the_first_check_of_a_branch_that_fails_is_the_one_reported():
    @ag.jit
    def f(x, on):
        if on:
            assert x > 2, "the first"
            assert x > 1, "the second"
            if x > 5:
                raise ValueError("the third")
            raise KeyError("the fourth")
        return x

    assert run(f, 0, False) == 0
    for x, text in ((0, "the first"), (2, "the first"), (3, "the fourth"), (7, "the third")):
        assert text in run(f, x, True)


def test_what_a_mapped_function_checks_says_nothing_of_the_branch_around():
    @ag.jit
    def f(xs, on):
        def one(x):
            assert x > -5, "one of them"
            return x * 2

        if on > 0:
            ys = jax.vmap(one)(xs)
            assert on < 10, "the branch"
            return ys
        return xs

    assert run(f, jnp.arange(3), 1).tolist() == [0, 2, 4]
    assert "the branch" in run(f, jnp.arange(3), 11)
    assert "one of them" in run(f, jnp.arange(3) - 9, 11)
    assert run(f, jnp.arange(3) - 9, 0).tolist() == [-9, -8, -7]


def test_a_jitted_function_that_checks_is_called_in_the_branches_of_two_programs():
    @ag.jit
    def checked(x):
        assert x > 0, "positive"
        return x * 2

    @ag.jit
    def f(x, on):
        if on > 0:
            return checked(x)
        return x

    @ag.jit
    def g(x, on):
        y = x
        while on > 1:
            y = checked(y) + 1
            on -= 1
        return y

    assert (run(f, 1, 1), run(g, 1, 2), run(f, -1, 0), run(g, -1, 0)) == (2, 3, -1, -1)
    assert "positive" in run(f, -1, 1) and "positive" in run(g, -1, 3)
    lanes = jax.jit(jax.vmap(ag.convert(f)))(jnp.array([1, -1]), jnp.array([1, 0]))
    assert lanes.tolist() == [2, -1]


def test_what_no_handler_matches_fails_with_the_line_of_the_raise():
    @ag.jit
    def f(x, on):
        y = x
        try:
            y += 1
            if on:
                raise ValueError(x, y)
        except KeyError:
            y = 0
        return y

    assert run(f, 1, False) == 2
    assert "in f\nValueError: (1, 2)" in run(f, 1, True)


def test_a_jitted_function_that_checks_nothing_is_traced_twice_at_most():
    traces = 0

    @ag.do_not_convert
    def count():
        nonlocal traces
        traces += 1

    @ag.jit
    def plain(x):
        count()
        return x * 2

    @ag.jit
    def f(x, on):
        while on > 0:
            x = plain(plain(plain(plain(x))))
            on -= 1
        return x

    assert run(f, 1, 2) == 256
    assert traces <= 2


class _Sequence:
    def __init__(self, count: Any) -> None:
        self.count = count

    def __getitem__(self, k: int) -> int:
        if k >= self.count:
            raise IndexError(k)
        return k * 10


class _Delegating(_Sequence):
    def __getitem__(self, k: int) -> int:
        return super().__getitem__(k)


class _Wrapping(_Sequence):
    def __init__(self, count: Any) -> None:
        self.inner = _Sequence(count)

    def __getitem__(self, k: int) -> int:
        return self.inner[k]


class _Iterable(_Sequence):
    def __iter__(self) -> Any:
        return iter(range(self.count))


ITEMS = [lambda s, k: s[k], lambda s, k: s.__getitem__(k), lambda s, k: operator.getitem(s, k)]


@pytest.mark.parametrize("kind", [_Sequence, _Delegating, _Wrapping])
@pytest.mark.parametrize("part", ITEMS)
def test_an_item_that_may_be_missing_fails_when_the_program_runs(part: Any, kind: Any) -> None:
    f = ag.jit(lambda n, k: part(kind(n), k))
    assert f(2, 1) == 10
    assert "IndexError: 1" in run(f, 1, 1)


@pytest.mark.parametrize("part", ITEMS)
def test_a_known_index_may_be_missing_where_no_iteration_asks_for_it(part: Any) -> None:
    f = ag.jit(lambda n: part(_Iterable(n), 1))
    assert f(2) == 10
    assert "IndexError: 1" in run(f, 1)


def test_a_known_index_of_what_has_no_iter_may_be_that_of_an_iteration() -> None:
    with pytest.raises(ag.StagingError, match=r"a sequence without `__iter__` ends[^$]*instead: give its class an `__iter__`"):
        ag.jit(lambda n: _Sequence(n)[1])(2)


class _Checking(_Sequence):
    def check(self, k: int) -> None:
        if k >= self.count:
            raise IndexError(k)

    def __getitem__(self, k: int) -> int:
        self.check(k)
        return k * 10


@pytest.mark.parametrize("kind", [_Sequence, _Delegating, _Wrapping, _Checking])
@pytest.mark.parametrize(
    "part", [sum, list, max, lambda s: [*s], lambda s: 5 in s, lambda s: [x for x in s], lambda s: next(iter(s))]
)
def test_an_iteration_that_may_end_at_a_missing_item_is_refused(part: Any, kind: Any) -> None:
    with pytest.raises(ag.StagingError, match="a sequence without `__iter__` ends on a traced condition"):
        ag.jit(lambda n: part(kind(n)))(2)


class _Steps:
    """An iterator that a method of its own ends."""

    def __init__(self, count: Any) -> None:
        self.count, self.taken = count, 0

    def __iter__(self) -> Any:
        return self

    def check(self) -> None:
        if self.taken >= self.count:
            raise StopIteration

    def __next__(self) -> int:
        self.check()
        self.taken += 1
        return self.taken


@pytest.mark.parametrize("part", [sum, list, max, lambda s: [*s], lambda s: 5 in s, lambda s: [x for x in s]])
def test_an_iterator_that_may_end_in_a_method_that_it_calls_is_refused(part: Any) -> None:
    with pytest.raises(ag.StagingError, match="an iterator ends on a traced condition"):
        ag.jit(lambda n: part(_Steps(n)))(2)


def test_an_iterator_that_may_have_no_next_item_fails_when_the_program_runs_unless_there_is_a_default() -> None:
    f = ag.jit(lambda n, c: next(_Steps(n)) if c else 0)
    assert f(1, True) == 1 and f(0, False) == 0
    assert "StopIteration" in run(f, 0, True)
    with pytest.raises(ag.StagingError, match="an iterator ends on a traced condition"):
        ag.jit(lambda n, c: next(_Steps(n), -1) if c else 0)(1, True)


class _Squares:
    @ag.convert
    def __getitem__(self, k: Any) -> Any:
        if k > 3:
            raise IndexError(k)
        return k * k


def test_a_traced_index_may_be_missing_also_where_code_asks_that_is_not_converted() -> None:
    assert jax.jit(lambda k: _Squares()[k])(2) == 4


def test_an_iteration_in_a_branch_may_end_on_a_known_condition() -> None:
    assert ag.jit(lambda n: sum(_Squares()) if n > 1 else 0)(2) == 14  # type: ignore[call-overload]  # iterated by `__getitem__`


class _Leaving:
    def __init__(self, answer: Any = None) -> None:
        self.answer = answer

    def __enter__(self) -> None: ...

    def __exit__(self, *error: object) -> Any:
        if error[0] is None:
            return False


class _Answering(_Leaving):
    def __exit__(self, *error: object) -> Any:
        return self.answer


@contextlib.contextmanager
def _finishing():
    try:
        yield
    finally:
        pass


@contextlib.contextmanager
def _catching(kind):
    try:
        yield
    except kind:
        pass


@contextlib.contextmanager
def _with_inside(manager):
    with manager:
        yield


@contextlib.contextmanager
def _suppressing(kind):
    with contextlib.suppress(kind):
        yield


@contextlib.contextmanager
@ag.do_not_convert
def _unconverted(kind):
    try:
        yield
    except kind:
        pass


def _without_message():
    made: dict[str, Any] = {}
    exec("def leave(self, *error): pass", made)
    return type("Manager", (), {"__enter__": _Leaving.__enter__, "__exit__": made["leave"]})()


def _stack(manager):
    stack = contextlib.ExitStack()
    stack.callback(print, end="")
    stack.enter_context(manager)
    return stack


MANAGERS_THAT_SWALLOW = [
    lambda: _Answering(True),
    lambda: _catching(ValueError),
    lambda: _catching((KeyError, ValueError)),
    lambda: _unconverted(KeyError),
    lambda: contextlib.suppress(KeyError),
    lambda: _suppressing(ValueError),
    lambda: _stack(_Leaving()),
    lambda: _with_inside(_Answering(True)),
    lambda: _with_inside(_catching(Exception)),
    lambda: _without_message(),
]
MANAGERS_THAT_DO_NOT = [
    tempfile.TemporaryDirectory,
    lambda: importlib.resources.as_file(pathlib.Path(__file__)),
    _Leaving,
    _finishing,
    contextlib.nullcontext,
    lambda: _catching(KeyError),
    lambda: _suppressing(KeyError),
    lambda: _with_inside(_Leaving()),
    lambda: _with_inside(_catching(KeyError)),
    threading.Lock,
]


def _raises_in(manager):
    def f(n):
        with manager():
            if n > 1:
                raise ValueError("big")
            return 1
        return 0

    return ag.jit(f)


@pytest.mark.parametrize("manager", MANAGERS_THAT_SWALLOW)
def test_a_with_that_may_swallow_what_is_raised_is_refused(manager):
    with pytest.raises(ag.StagingError, match="a `with` around it would see it|a handler around it would catch it"):
        _raises_in(manager)(0)


@pytest.mark.parametrize("manager", MANAGERS_THAT_DO_NOT)
def test_a_with_that_swallows_nothing_is_none_of_a_check_s_business(manager):
    f = _raises_in(manager)
    assert f(0) == 1
    assert "ValueError: big" in run(f, 3)


class _Point:
    def __init__(self, v: Any) -> None:
        self.v = v

    @property
    def q(self) -> int:
        if self.v > 1:
            return 1
        raise AttributeError("q")

    def __getattr__(self, name: str) -> int:
        if name == "r" and self.v > 1:
            return 1
        raise AttributeError(name)


@pytest.mark.parametrize("part", [lambda p: hasattr(p, "r"), lambda p: getattr(p, "r", 7)])
def test_an_attribute_that_may_be_missing_is_refused_where_that_is_an_answer(part):
    with pytest.raises(ag.StagingError, match="AttributeError is raised under a traced condition, and a handler"):
        ag.jit(lambda n: part(_Point(n)) + 0)(3)
    f = ag.jit(lambda n: _Point(n).r)
    assert f(3) == 1
    assert "AttributeError: r" in run(f, 0)
    assert ag.jit(lambda n: getattr(_Point(n), "s", n) + hasattr(_Point(n), "t"))(3) == 3


def test_what_our_own_algorithms_raise_names_the_line_of_the_user():
    def first(xs):
        return next(x for x in xs if x > 2)

    text = run(ag.jit(first), [0.0, 1.0])
    line = first.__code__.co_firstlineno + 1
    assert f'{__file__}", line {line}, in first\nStopIteration: return next(x for x in xs if x > 2)' in text


class Shown:
    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"Shown({self.value})"


class Refused(Exception):
    def __init__(self, value: Any, names: Any) -> None:
        super().__init__(names)
        self.value = value

    def __str__(self) -> str:
        return f"{self.value} of {self.args}"


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (lambda x: ValueError({1: x, "a": 2}), "ValueError: {1: 3, 'a': 2}"),
        (lambda x: ValueError({(1, "a"): x, 3: [x, {None: x, 2: 5}]}), "ValueError: {(1, 'a'): 3, 3: [3, {None: 3, 2: 5}]}"),
        (lambda x: ValueError(f"{ {1: x, 'a': 2} }"), "ValueError: {1: 3, 'a': 2}"),
        (lambda x: ValueError(Shown(x), Shown(2)), "ValueError: (Shown(3), Shown(2))"),
        (lambda x: Refused(x, {1: x, "a": 0}), "Refused: 3 of ({1: 3, 'a': 0},)"),
    ],
)  # fmt: skip
def test_what_an_exception_holds_is_told_with_the_values_of_the_run(made, text):
    def f(x):
        if x > 0:
            raise made(x)
        return x

    assert text in run(ag.jit(f), 3)
    assert run(ag.jit(f), -3) == -3


def test_a_list_that_holds_itself_in_an_exception():
    def f(x):
        items: list[Any] = []
        items.append(items)
        assert x < 0, items
        return x

    assert "AssertionError: [[...]]" in run(ag.jit(f), 3)


def test_a_check_keeps_no_frame_of_the_program_alive():
    """A failed check is an exception that stands in the frame that raised it: without the collector both stayed, with all values."""
    kept = []

    class Box:
        pass

    @ag.convert
    def f(x):
        box = Box()
        kept.append(weakref.ref(box))
        while x > 1:
            assert x < 9, "checked"
            x = x - 1
        return x

    gc.collect()
    gc.disable()
    try:
        jax.make_jaxpr(f)(3.0)
        assert [box() for box in kept] == [None]
    finally:
        gc.enable()
