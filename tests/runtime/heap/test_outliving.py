"""Writes to places that are there when the trace is over: refused by name where they leave a traced value."""

from __future__ import annotations

import functools
import threading
import types
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import pytest
from jax import lax

import autograph as ag
from autograph.errors import StagingError
from autograph.runtime.heap import outside
from autograph.runtime.tracing import context

TOTAL = 0.0
LOG: list[Any] = []
TABLE: dict[str, Any] = {"k": 0.0}
LOCAL = threading.local()
SPACE = types.SimpleNamespace(inner=types.SimpleNamespace(n=0.0))


class Counter:
    made = 0.0

    def __init__(self) -> None:
        self.count = 0.0
        self.log: list[Any] = []
        self.steps = 0

    def add(self, x: Any) -> Any:
        self.steps += 1
        self.count += x
        return self.count

    def keep(self, x: Any) -> Any:
        self.log.append((x, [x]))
        return x


COUNTER = Counter()


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    yield
    assert state() == (0.0, [], {"k": 0.0}, 0.0, [], 0.0, 0.0, []), "no traced value stays"


def state() -> tuple[Any, ...]:
    defaults = accumulate.__defaults__ or ()
    return TOTAL, LOG, TABLE, COUNTER.count, COUNTER.log, Counter.made, SPACE.inner.n, defaults[0]


def by_global(x: Any) -> Any:
    global TOTAL
    TOTAL += x
    return x


def by_list(x: Any) -> Any:
    LOG.append(x)
    return x


def by_nested_list(x: Any) -> Any:
    LOG.append([(x,)])
    return x


def by_dict(x: Any) -> Any:
    TABLE["k"] = x
    return x


def by_attribute(x: Any) -> Any:
    return COUNTER.add(x)


def by_list_of_an_object(x: Any) -> Any:
    return COUNTER.keep(x)


def by_class(x: Any) -> Any:
    Counter.made = x
    return x


def by_namespace(x: Any) -> Any:
    inner = SPACE.inner
    inner.n = x
    return x


def by_names(x: Any) -> Any:
    globals()["TOTAL"] = x
    return x


def by_setattr(x: Any) -> Any:
    setattr(COUNTER, "count", x)  # noqa: B010  # the call is what is tried
    return x


def accumulate(x: Any, out: list[Any] = []) -> Any:  # noqa: B006  # the mutable default is what is tried
    out.append(x)
    return x


@functools.lru_cache
def buffer(n: int) -> list[float]:
    return [0.0] * n


@functools.cache
def table(name: str) -> dict[str, Any]:
    return {"name": name, "rows": [[0.0]]}


def by_cached_list(x: Any) -> Any:
    kept = buffer(3)
    kept[1] = x
    return kept[1]


def by_cached_dict(x: Any) -> Any:
    table("a")["rows"][0][0] = x
    return x


def by_default(x: Any) -> Any:
    return accumulate(x)


def in_a_branch(x: Any) -> Any:
    if x > 0:
        COUNTER.count = x
    return x


def in_a_loop(x: Any) -> Any:
    for i in range(3):
        LOG.append(x * i)
    return x


def in_a_staged_loop(x: Any) -> Any:
    for i in ag.range(3):
        LOG.append(x * i)
    return x


def by_new_object(x: Any) -> Any:
    made = Counter()
    made.add(x)
    LOG.append(made)
    return x


def by_closure(x: Any) -> Any:
    LOG.append(lambda: x)
    return x


def in_a_scan(x: Any) -> Any:
    return lax.scan(lambda c, t: (by_attribute(t), t), x, jnp.arange(3.0))[0]


WRITES: dict[Callable[[Any], Any], tuple[str, str]] = {
    by_global: ("'TOTAL'", "TOTAL += x"),
    by_list: ("'LOG'", "LOG.append(x)"),
    by_nested_list: ("'LOG'", "LOG.append([(x,)])"),
    by_dict: ("'TABLE'", 'TABLE["k"] = x'),
    by_attribute: ("'COUNTER.count'", "self.count += x"),
    by_list_of_an_object: ("'COUNTER.log'", "self.log.append((x, [x]))"),
    by_class: ("'Counter.made'", "Counter.made = x"),
    by_namespace: ("'SPACE.inner.n'", "inner.n = x"),
    by_names: ("'TOTAL'", 'globals()["TOTAL"] = x'),
    by_setattr: ("'COUNTER.count'", 'setattr(COUNTER, "count", x)  # noqa: B010  # the call is what is tried'),
    by_default: ("the default of 'out' of accumulate()", "out.append(x)"),
    by_cached_list: ("the cache of buffer()", "kept[1] = x"),
    by_cached_dict: ("the cache of table()['rows'][0]", 'table("a")["rows"][0][0] = x'),
    in_a_branch: ("'COUNTER.count'", "COUNTER.count = x"),
    in_a_loop: ("'LOG'", "LOG.append(x * i)"),
    by_new_object: ("'LOG'", "LOG.append(made)"),
    by_closure: ("'LOG'", "LOG.append(lambda: x)"),
}


@pytest.mark.parametrize("fn", WRITES, ids=lambda fn: fn.__name__)
def test_a_traced_value_that_stays_outside_is_refused(fn: Callable[[Any], Any]) -> None:
    name, line = WRITES[fn]
    for run in (ag.jit(fn), ag.jit(fn), functools.partial(jax.make_jaxpr(ag.convert(fn)))):
        with pytest.raises(StagingError) as caught:
            run(2.0)
        lines = str(caught.value).splitlines()
        assert lines[0] == f"{name} keeps a traced value when the trace of {fn.__name__}() is over"
        assert lines[1].startswith(f"  at {__file__}:") and lines[2].strip() == line
    COUNTER.steps = 0


TRANSFORMS: dict[str, Callable[[Any], Any]] = {
    "vmap": lambda f: jax.vmap(f)(jnp.arange(3.0)),
    "grad": lambda f: jax.grad(f)(2.0),
    "jit of vmap": lambda f: jax.jit(jax.vmap(f))(jnp.arange(3.0)),
    "vmap of jit": lambda f: jax.vmap(jax.jit(f))(jnp.arange(3.0)),
    "jit of grad": lambda f: jax.jit(jax.grad(f))(2.0),
    "jvp": lambda f: jax.jvp(f, (2.0,), (1.0,)),
    "linearize": lambda f: jax.linearize(f, 2.0),
    "hessian": lambda f: jax.hessian(f)(2.0),
    "checkpoint": lambda f: jax.grad(jax.checkpoint(f))(2.0),
    "eval_shape": lambda f: jax.eval_shape(f, 2.0),
    "scan": lambda f: lax.scan(lambda c, t: (f(c), t), 2.0, jnp.arange(3.0)),
}


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("fn", [by_list, by_attribute, by_global], ids=lambda fn: fn.__name__)
def test_under_each_transform(fn: Callable[[Any], Any], transform: str) -> None:
    run = TRANSFORMS[transform]
    converted = ag.convert(fn)
    if transform == "scan":  # what JAX calls is the function of this file, which is not converted
        converted = ag.jit(fn)
    with pytest.raises(StagingError, match="keeps a traced value when the trace of"):
        run(converted)


def test_a_function_that_a_loop_of_jax_runs() -> None:
    with pytest.raises(
        StagingError, match=r"'COUNTER.count' keeps a traced value when the trace of in_a_scan\(\) is over"
    ):
        ag.jit(in_a_scan)(1.0)
    COUNTER.steps = 0


def test_a_variable_of_the_function_around() -> None:
    total = 0.0

    @ag.jit
    def add(x: Any) -> Any:
        nonlocal total
        total += x
        return total

    with pytest.raises(StagingError, match=r"'total' keeps a traced value when the trace of add\(\) is over"):
        add(1.0)
    assert total == 0.0


def test_an_object_of_the_caller() -> None:
    counter = Counter()
    with pytest.raises(StagingError, match=r"'counter.count' keeps a traced value when the trace of add\(\) is over"):
        ag.jit(counter.add)(1.0)
    with pytest.raises(StagingError, match=r"'counter.log' keeps a traced value when the trace of keep\(\) is over"):
        ag.jit(functools.partial(Counter.keep, counter))(1.0)
    assert (counter.count, counter.log, counter.steps) == (0.0, [], 1)


def test_a_list_that_grad_passes_on() -> None:
    seen: list[Any] = []

    def loss(w: Any, seen: list[Any]) -> Any:
        seen.append(w)
        return w * w

    with pytest.raises(StagingError, match="'seen' keeps a traced value"):
        jax.grad(ag.convert(loss))(2.0, seen)
    assert seen == []


def test_what_is_made_in_the_trace_is_nobody_elses() -> None:
    @ag.jit
    def f(x: Any, given: dict[str, Any]) -> Any:
        out = [x]
        out.append(x)
        made = Counter()
        made.add(x)
        made.keep(made.count)
        made.log.append(made)  # it refers to itself
        given["new"] = out
        given["old"] = given["old"] + x

        def recursive(n: int) -> Any:
            out.append(n * x)
            return recursive(n - 1) if n else out

        return recursive(2), given, made.count

    out, given, count = f(2.0, {"old": 1.0, "inner": {}})
    assert [float(v) for v in out] == [2, 2, 4, 2, 0] and float(given["old"]) == 3.0 and float(count) == 2.0


def test_what_is_taken_out_again_is_no_matter() -> None:
    @ag.jit
    def f(x: Any) -> Any:
        global TOTAL
        before, TOTAL = TOTAL, x
        LOG.append(x)
        COUNTER.count = x
        y = TOTAL + LOG.pop() + COUNTER.count
        TOTAL, COUNTER.count = before, 0.0
        return y

    assert float(f(2.0)) == 6.0


def test_code_around_that_is_not_converted_may_take_it_out() -> None:
    kept = ag.convert(by_list)
    total = ag.convert(by_attribute)

    def around(x: Any) -> Any:
        y = kept(x) + total(x)
        COUNTER.count, COUNTER.steps = 0.0, 0
        return y + LOG.pop()

    assert float(jax.jit(around)(2.0)) == 6.0
    assert float(jax.grad(around)(2.0)) == 3.0


def test_a_value_of_a_trace_around_may_stay_while_that_lasts() -> None:
    def around(x: Any) -> Any:
        inner = ag.convert(lambda t: by_list(x) + t)
        return jax.jit(inner)(x) + jax.vmap(inner)(jnp.ones(2)).sum() + LOG.pop() + LOG.pop()

    assert float(jax.jit(around)(2.0)) == 14.0


class Place:
    def __init__(self, row: int) -> None:
        self.row = row

    def __hash__(self) -> int:
        return hash(self.row)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and self.row == other.row


def test_a_hash_that_is_asked_for_between_statements_ends_no_trace() -> None:
    @ag.jit
    def f(x: Any) -> Any:
        heights = {Place(0): x, Place(1): 1.0}
        if x > 1:
            heights[Place(0)] += 1
        for _ in ag.range(3):
            heights[Place(1)] += heights[Place(0)]
        return heights[Place(0)], heights[Place(1)]

    assert f(2.0) == (3.0, 10.0)
    assert f(0.5) == (0.5, 2.5)


def test_static_values_stay_as_with_jax() -> None:
    counter = Counter()

    @ag.jit
    def f(x: Any) -> Any:
        counter.steps += 1
        counter.log.append("traced")
        return x

    f(1.0), f(2.0)
    assert (counter.steps, counter.log) == (1, ["traced"])


def test_a_refusal_leaves_no_traced_value() -> None:
    with pytest.raises(StagingError, match="cannot be carried by the loop"):
        ag.jit(in_a_staged_loop)(1.0)
    assert LOG == []


def test_a_refusal_leaves_a_cached_list_as_it_was() -> None:
    def f(x: Any) -> Any:
        kept = buffer(2)
        kept[0] = x
        return jnp.ones(3) if x > 0 else jnp.ones((4, 1))

    with pytest.raises(StagingError, match="have different values"):
        ag.jit(f)(1.0)
    assert buffer(2) == [0.0, 0.0]


def test_where_the_function_raises_its_error_comes_out() -> None:
    counter = Counter()

    @ag.jit
    def f(x: Any) -> Any:
        counter.count = x
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        f(1.0)


def test_attributes_that_c_code_keeps() -> None:
    @ag.jit
    def f(x: Any) -> Any:
        LOCAL.x = x
        y = LOCAL.x
        del LOCAL.x
        return y

    assert float(f(2.0)) == 2.0


def test_objects_that_are_gone_are_forgotten() -> None:
    most = 0

    def count() -> None:
        nonlocal most
        call = context.progress.call
        most = max(most, len(call.notes) if call is not None else 0)

    @ag.jit
    def f(x: Any) -> Any:
        for i in range(5000):
            made = [i]
            made.append(i)
        count()
        return x

    f(1.0)
    assert 0 < most < 3000


@pytest.mark.parametrize("x", [{}, [], (), iter([]), 3.5])
def test_what_holds_nothing_leads_to_its_class_alone(x: Any) -> None:
    """What a search makes on its way it must not look into: there would be no end of it."""
    assert [found for _, found in outside.leads(x)] in ([], [type(x)])


def test_what_python_keeps_of_an_import_leads_nowhere() -> None:
    """Under pytest the loader of a test module leads to every test there is: each refusal would look at all of them."""
    module, held = types.ModuleType("made"), object()
    module.__loader__, module.__spec__ = types.SimpleNamespace(held=held), types.SimpleNamespace(held=held)  # type: ignore[assignment]
    space = vars(module)
    assert outside.find_paths({id(held)}, [(("", "globals()"), space), *((("", name), x) for name, x in space.items())]) == {}
    space["kept"] = [held]
    assert outside.find_paths({id(held)}, [(("", "globals()"), space)]) == {id(held): "globals()['kept'][0]"}


class Settings(NamedTuple):
    count: int
    rates: dict[str, Any]


def test_what_the_caller_passes_and_takes_back_may_hold_it_until_then() -> None:
    def loss(x: Any, settings: Settings) -> Any:
        settings.rates["first"] = 2 * x
        return settings.rates["first"] ** 2, settings

    def taken(x: Any, settings: Settings) -> Any:
        gradient, settings = jax.grad(loss, has_aux=True)(x, settings)
        return gradient, settings.rates["first"]

    def dropped(x: Any, settings: Settings) -> Any:
        return jax.grad(lambda x: loss(x, settings)[0])(x), settings.rates["first"]

    def made() -> Settings:
        return Settings(0, {"first": jnp.float32(3.0)})

    for f in (ag.convert(taken), ag.jit(taken)):
        assert [float(x) for x in f(1.0, made())] == [8, 2] == [float(x) for x in taken(1.0, made())]
    with pytest.raises(StagingError, match=r"'settings.rates' keeps a traced value when the trace"):
        ag.convert(dropped)(1.0, made())


def test_what_the_caller_binds_anew_may_hold_it_though_something_else_comes_back() -> None:
    def loss(x: Any, settings: Settings) -> Any:
        settings.rates["first"] = 2 * x
        return settings.rates["first"] ** 2, Settings(1, {"first": 3.0})

    def bound_anew(x: Any, settings: Settings) -> Any:
        gradient, settings = jax.grad(loss, has_aux=True)(x, settings)
        return gradient, settings.count

    def another_name(x: Any, settings: Settings) -> Any:
        first = settings
        gradient, settings = jax.grad(loss, has_aux=True)(x, settings)
        return gradient, first.rates["first"]

    def handler(x: Any, settings: Settings) -> Any:
        try:
            gradient, settings = jax.grad(loss, has_aux=True)(x, settings)
        except ValueError:
            return x, settings.rates["first"]
        return gradient, settings.count

    def still_an_operand(x: Any, settings: Settings) -> Any:
        pair = (settings, (settings := jax.grad(loss, has_aux=True)(x, settings)[1]))
        return x, pair[0].rates["first"]

    def read_by_the_rest(x: Any, settings: Settings) -> Any:
        settings = jax.grad(loss, has_aux=True)(x, settings)[0], settings.rates["first"]  # type: ignore[assignment]  # the old ones
        return x, settings

    def made() -> Settings:
        return Settings(0, {"first": jnp.float32(3.0)})

    for f in (ag.convert(bound_anew), ag.jit(bound_anew)):
        assert [float(x) for x in f(1.0, made())] == [8, 1]
    for g in (another_name, handler, still_an_operand, read_by_the_rest):
        with pytest.raises(StagingError, match=r"rates' keeps a traced value when the trace"):
            ag.convert(g)(1.0, made())


def test_what_a_module_holds_may_not_though_it_is_returned() -> None:
    log: list[Any] = []

    def noted(x: Any) -> Any:
        log.append(x)
        return log

    with pytest.raises(StagingError, match="'log' keeps a traced value"):
        ag.jit(noted)(1.0)


def test_a_compiled_method_may_not_keep_it_though_it_returns_it() -> None:
    class Logger:
        def __init__(self) -> None:
            self.log: list[Any] = []

        def keep(self, x: Any) -> Any:
            self.log.append(x)
            return self.log

    logger = Logger()
    with pytest.raises(StagingError, match="'logger.log' keeps a traced value"):
        ag.jit(logger.keep)(1.0)
    assert logger.log == []
