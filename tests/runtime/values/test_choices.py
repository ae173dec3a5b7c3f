"""One of several strings or enum members: what is asked of it, where it may go, and where it is refused."""

import dataclasses
import enum
import functools
import json
import pathlib
import re
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from autograph.runtime.values.choices import MOST


class Colour(enum.Enum):
    RED = 1
    GREEN = 2
    BLUE = 3

    def is_warm(self) -> bool:
        return self is Colour.RED

    @property
    def twice(self) -> int:
        return self.value * 2


class Level(enum.StrEnum):
    LOW = "low"
    HIGH = "high"


class Holder:
    def __init__(self, mode: Any) -> None:
        self.mode = mode


@dataclasses.dataclass(frozen=True)
class Point:
    name: str
    y: Any


RUN = "run"
FORM, FIELDS = "%s-%d", "{} {}"


def mode_of(x: Any) -> str:
    return "run" if x > 0 else "stop"


def plain(value: Any) -> Any:
    return jax.tree.map(lambda leaf: np.asarray(leaf).tolist() if isinstance(leaf, jax.Array | np.generic) else leaf, value)


def agrees(f: Callable[..., Any], *calls: Any) -> None:
    """The compiled function returns what Python's does, for a number or array each."""
    compiled = ag.function(f)
    for x in calls:
        x = jnp.asarray(x)
        assert plain(compiled(x)) == plain(f(x)), x


ASKED: dict[str, Callable[[Any], Any]] = {
    "equality": lambda s: (s == "run", s != "run", "stop" == s, s == "other", s == 3),
    "order": lambda s: (s < "s", "run" <= s, max(s == "run", 0)),
    "length and items": lambda s: (len(s), s[0], s[-2:], s[::-1]),
    "methods": lambda s: (s.upper(), s.startswith("st"), s.replace("t", "d"), s.count("o"), s.center(9, "*")),
    "put together": lambda s: (s + "!", "pre" + s, s * 2, f"<{s:>6}>", FORM % (s, 3), FIELDS.format(s, 1), ",".join([s, "x"])),
    "membership": lambda s: (s in ("run", "x"), s in {"stop", "y"}, "o" in s, s in {"run": 1}, s not in ["run"]),
    "tables": lambda s: ({"run": 1.5, "stop": 2.0}[s], {"run": 1}.get(s, 7), {"run": "go", "stop": "halt"}[s], {"run": (1, "a"), "stop": (2, "b")}[s]),
    "truth": lambda s: (not s, "yes" if s else "no", s or "none", s and "some"),
    "class": lambda s: (isinstance(s, str), isinstance(s, (list, tuple)), type(s) is str, callable(s), str(s) == s),
    "containers": lambda s: ((s, 1) == ("run", 1), [s, "x"].count("run"), [s, "run"].index("run"), [s] + ["a"], {"k": s}["k"]),
    "native functions": lambda s: (ord(s[0]), json.loads(json.dumps(s)), sorted([len(s), 1]), bool(s), repr(s)),
    "two of them": lambda s: (s == s.upper().lower(), s + s[0], s[0] == s[1], s.find(s[1])),
}  # fmt: skip


@pytest.mark.parametrize("name", ASKED)
def test_what_is_asked_of_a_string_is_asked_of_each(name: str) -> None:
    ask = ASKED[name]
    agrees(lambda x: ask(mode_of(x)), 1.0, -1.0)


def test_members_of_an_enum() -> None:
    def ask(x: Any) -> Any:
        c = Colour.RED if x > 2 else Colour.GREEN if x > 0 else Colour.BLUE
        low = Level.LOW if x > 0 else Level.HIGH
        both = (c.name, c.value, c.twice, c.is_warm(), c is Colour.RED, c is not Colour.BLUE, c in (Colour.GREEN, Colour.BLUE))
        return c, both, {Colour.RED: 1, Colour.GREEN: 2, Colour.BLUE: 3}[c], low, low == "low", low.upper(), isinstance(c, Colour)

    agrees(ask, 3.0, 1.0, -1.0)


class Speed(enum.IntEnum):
    SLOW = 1
    FAST = 2


class Gear(enum.IntEnum):
    ONE = 1
    THREE = 3


def test_members_that_are_numbers() -> None:
    def ask(x: Any) -> Any:
        m = Speed.SLOW if x > 0 else Speed.FAST
        numbers = (m + 1, 5 - m, -m, abs(m), x * m, m * x, jnp.exp(x) * m, int(m), float(m), max(m, 1), [10, 20, 30][m], [1, 2, 3][m - 1])
        return m, m.name, m == 2, m == Speed.SLOW, m is Speed.FAST, m < 2, m == x, isinstance(m, int), numbers

    agrees(ask, 1.0, -1.0, 2.0)


def test_tests_for_all_options_leave_nothing_open() -> None:
    def by_elif(x: Any) -> Any:
        c = Colour.RED if x > 2 else Colour.GREEN if x > 0 else Colour.BLUE
        if c is Colour.GREEN:
            y = 1.0
        elif not c == Colour.BLUE:
            y = x
        elif c != Colour.RED:
            y = 3.0
        return y

    def by_match(x: Any) -> Any:
        match mode_of(x):
            case "stop":
                y = 1.0
            case "run":
                y = 2.0
        return y

    def behind_a_test(x: Any) -> Any:
        mode = mode_of(x)
        return 0.0 if mode == "stop" else {"run": x}[mode]  # no key is missing there

    def behind_one_of_two(x: Any) -> Any:
        mode = mode_of(x)
        return 0.0 if mode == "stop" or x > 2 else {"run": x}[mode]

    for f in (by_elif, by_match, behind_a_test, behind_one_of_two):
        agrees(f, 3.0, 1.0, -1.0)
    for f in (behind_a_test, behind_one_of_two):
        assert "callback" not in str(jax.make_jaxpr(ag.convert(f))(1.0))


def test_a_list_of_names_is_read_at_a_traced_index() -> None:
    names = ["low", "mid", "high"]
    agrees(lambda k: (names[k], names[k].upper(), ("a", "b", "c")[k]), 0, 1, -1)
    agrees(lambda xs: names[jnp.argmax(xs)], [1.0, 3.0, 2.0])
    with pytest.raises(IndexError, match="list index out of range"):
        ag.function(lambda k: names[k])(jnp.int32(3))


def test_strings_are_sorted_by_traced_keys() -> None:
    def ranked(xs: Any) -> Any:
        scores = {"a": xs[0], "b": xs[1], "c": xs[2]}
        return sorted(scores, key=lambda name: scores[name]), max(scores, key=lambda name: scores[name]), min(scores.items(), key=lambda p: p[1])

    agrees(ranked, [1.0, 3.0, 2.0], [3.0, 1.0, 2.0], [1.0, 1.0, 1.0])


def test_states_of_a_machine_in_loops() -> None:
    def machine(xs: Any) -> Any:
        state, n = "idle", 0
        for x in xs:
            if state == "idle":
                if x > 0:
                    state = "run"
            elif state == "run":
                n += 1
                if x < 0:
                    state = "done"
        return state, n

    def waits(x: Any) -> Any:
        state, k = Colour.RED, 0
        while state is not Colour.BLUE:
            if state == Colour.RED:
                state = Colour.GREEN
            elif x > 3:
                state = Colour.BLUE
            x, k = x + 1, k + 1
        return state, k

    def matched(x: Any) -> int:
        match mode_of(x):
            case "run":
                return 1
            case "stop" | "halt":
                return 2
        return 3

    agrees(machine, [0.0, 1, 2, -1, 3], [0.0, 0, 0], [1.0, 1, -1])
    agrees(waits, 1.0, 9.0)
    agrees(matched, 1.0, -1.0)


def test_kept_in_attributes_containers_and_closures() -> None:
    def kept(x: Any) -> Any:
        h, d, seen = Holder("a"), {"m": "q"}, []
        if x > 0:
            h.mode = "b"
            d["m"] = "r"
        point = Point(mode_of(x), x)
        moved = dataclasses.replace(point, y=x + 1)
        for k in range(3):
            seen.append("low" if x > k else "high")
        inside = jax.lax.scan(lambda c, y: (c + (y if h.mode == "b" else 0.0), y), 0.0, jnp.arange(3.0))[0]
        return h.mode, d["m"], d.get("m"), moved.name, point == moved, seen, inside

    agrees(kept, 1.0, -1.0, 2.0)


def test_transforms_see_through_it() -> None:
    def f(x: Any) -> Any:
        mode = "square" if x > 1 else "line"
        return x * x if mode == "square" else 3 * x

    xs = jnp.array([0.5, 2.0])
    compiled = ag.jit(lambda x: (jax.vmap(f)(x), jax.vmap(jax.grad(f))(x)))
    assert plain(compiled(xs)) == ([1.5, 4.0], [3.0, 4.0])


def test_functions_that_jax_transforms_may_refer_to_one() -> None:
    def f(x: Any) -> Any:
        mode = mode_of(x)

        @jax.jit
        def compiled(y: Any) -> Any:
            return y * 2 if mode == "run" else y * 3

        @jax.checkpoint
        def kept(y: Any) -> Any:
            return y * y if mode == "run" else y

        slope = jax.grad(lambda y: kept(y) + compiled(y))(x)
        return slope, jax.vmap(lambda y: y * len(mode))(jnp.arange(2.0))

    agrees(f, 1.0, -1.0)


@ag.do_not_convert
def hidden(f: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(f)
    @ag.do_not_convert
    def call(holder: Any) -> Any:
        return f(holder) if type(holder.mode) is str else 0

    return call


def test_a_wrapper_that_is_not_converted_never_comes_upon_one() -> None:
    length = hidden(lambda holder: len(holder.mode))
    with pytest.raises(ag.StagingError, match=r"while what it can reach holds one of 'run', 'stop'"):
        ag.function(lambda x: length(Holder(mode_of(x))))(jnp.float32(1))


def test_members_of_two_enums_and_strings_are_compared_by_what_they_are() -> None:
    def f(x: Any) -> Any:
        level, text = (Level.LOW if x > 0 else Level.HIGH), ("low" if x > 0 else "other")
        speed, gear = (Speed.SLOW if x > 0 else Speed.FAST), (Gear.ONE if x > 0 else Gear.THREE)
        return level == text, text != level, level in [text], speed == gear, gear != speed, speed is gear, text == speed

    agrees(f, 1.0, -1.0)


def test_a_method_that_changes_a_container_changes_it_for_the_option_that_is_chosen() -> None:
    def stored(x: Any) -> Any:
        mode = mode_of(x)
        d, xs = {"a": "b"}, ["c", "d"]
        d.setdefault("k", mode)
        d.update(a=mode)
        xs.remove("d" if x > 0 else "c")
        return d, xs, d.setdefault("k", "z")

    agrees(stored, 1.0, -1.0)
    for pop in (lambda d, x: d.pop(mode_of(x)), lambda d, x: [mode := mode_of(x), d.pop(mode)]):

        def popped(x: Any, pop: Any = pop) -> Any:
            d = {"run": 1, "stop": 7}
            pop(d, x)
            return d

        with pytest.raises(ag.StagingError, match="different values in the contents of a dict"):
            ag.function(popped)(jnp.float32(1))


def test_a_string_that_the_first_iteration_of_a_loop_does_not_have() -> None:
    def f(xs: Any) -> Any:
        n = 0
        for i, x in enumerate(xs):
            if i > 0 and last == "run":
                n += 1
            last = mode_of(x)
        return last, n

    agrees(f, [1.0, -1.0, 2.0], [1.0, 1.0, -1.0])


@pytest.mark.parametrize("make", [lambda s: "%s" % [s], lambda s: FIELDS.format((s,), 1), lambda s: str({"k": s})], ids=["%", "format", "str"])
def test_the_string_of_a_container_with_one_is_that_of_a_traced_value(make: Callable[[Any], str]) -> None:
    with pytest.raises(ag.StagingError, match="string that shows a traced value is read"):
        ag.function(lambda x: len(make(mode_of(x))))(jnp.float32(1))

    def raises(x: Any) -> None:
        mode = mode_of(x)
        raise ValueError(make(mode))

    with pytest.raises(ValueError, match=re.escape(make("stop"))):
        ag.function(raises)(jnp.float32(-1))


def test_numpy_leaves_operators_to_it_and_special_methods_are_called_by_name() -> None:
    def f(x: Any) -> Any:
        mode, speed = mode_of(x), Speed.SLOW if x > 0 else Speed.FAST
        names = np.array(["run", "x"])
        return (names == mode).sum(), (mode != names).sum(), (np.ones(2) * speed).sum(), mode.__add__("!"), mode.__len__(), eval("mode")

    agrees(f, 1.0, -1.0)
    with pytest.raises(ag.StagingError, match="ChoiceTracer"):
        ag.function(lambda x: str(pathlib.Path("a") / mode_of(x)))(jnp.float32(1))


def test_an_array_is_written_at_a_chosen_member() -> None:
    @ag.function
    def f(x: Any) -> Any:
        speed, xs = Speed.SLOW if x > 0 else Speed.FAST, jnp.zeros(3)
        xs[speed] = 2.0
        xs[speed] += 5.0
        return xs

    assert plain(f(jnp.float32(1))) == [0, 7, 0]
    assert plain(f(jnp.float32(-1))) == [0, 0, 7]

    def g(x: Any, zeros: Any) -> Any:
        speed, box = Speed.SLOW if x > 0 else Speed.FAST, {"grid": zeros}
        box["grid"][speed] = 1.0
        box["grid"][0, speed] += x
        box["grid"][speed, speed] = x
        return box["grid"]

    for x in (2.0, -2.0):
        assert np.array_equal(ag.function(g)(jnp.float32(x), jnp.zeros((3, 3))), g(x, np.zeros((3, 3))))


def test_an_index_of_several_axes_and_a_key_of_several_parts_may_hold_one() -> None:
    def f(x: Any) -> Any:
        speed, grid = Speed.SLOW if x > 0 else Speed.FAST, np.arange(12).reshape(3, 4)
        return grid[speed, 0], grid[speed, speed], jnp.asarray(grid)[0, speed], {("run", 1): 3, ("stop", 1): 4}[mode_of(x), 1]

    agrees(f, 1.0, -1.0)


class Gauge(enum.Enum):
    BROKEN = 1
    GOOD = 2

    @property
    def level(self) -> int:
        if self is Gauge.BROKEN:
            raise ValueError("broken")
        return self.value

    @staticmethod
    def least() -> int:
        return 1

    @classmethod
    def first(cls) -> Any:
        return cls(1)


def test_a_property_runs_for_the_option_that_is_chosen() -> None:
    def f(x: Any) -> Any:
        gauge = Gauge.BROKEN if x > 0 else Gauge.GOOD
        return gauge.least(), gauge.first(), gauge.level

    agrees(f, -1.0)
    with pytest.raises(ValueError, match="^broken$"):
        ag.function(f)(jnp.float32(1))


class Operation(enum.Enum):
    ADD = "+"
    TIMES = "*"

    def __call__(self, a: Any, b: Any) -> Any:
        return a + b if self is Operation.ADD else a * b


def test_a_member_that_can_be_called_is() -> None:
    def f(x: Any) -> Any:
        operation = Operation.ADD if x > 0 else Operation.TIMES
        colour = Colour.RED if x > 0 else Colour.BLUE
        return operation(x, 3.0), callable(operation), callable(colour), callable(mode_of(x)), max([3, 2], key=lambda v: operation(v, 1))

    agrees(f, 1.0, -1.0)


FAVOURITE = Colour.RED


def test_identity_with_a_member_under_another_name() -> None:
    def by_global(x: Any) -> int:
        colour = Colour.RED if x > 0 else Colour.BLUE
        if colour is FAVOURITE:
            return 1
        return 2

    def by_variable(x: Any) -> int:
        colour, favourite = Colour.RED if x > 0 else Colour.BLUE, Colour.RED
        if colour is favourite:
            return 1
        return 2

    agrees(by_global, 1.0, -1.0)
    with pytest.raises(ag.StagingError, match=r"`is` between values that the program chooses(.|\n)*compare them by `==`"):
        ag.function(by_variable)(jnp.float32(1))


def test_attributes_by_a_chosen_name_and_of_a_chosen_member() -> None:
    def f(x: Any) -> Any:
        name, holder = ("mode" if x > 0 else "unit"), Holder("m")
        holder.unit = "s"
        first = getattr(holder, name), hasattr(holder, name)
        setattr(holder, name, "w")
        return first, holder.mode, holder.unit

    def of_member(x: Any) -> None:
        member = Colour.RED if x > 0 else Colour.BLUE
        member.count = 3

    agrees(f, 1.0, -1.0)
    with pytest.raises(ag.StagingError, match="different values in '<Colour>.count'"):
        ag.function(of_member)(jnp.float32(1))


def test_a_message_shows_the_string_that_was_chosen() -> None:
    @ag.function
    def checked(x: Any) -> Any:
        mode = mode_of(x)
        assert x > -5, "far: " + mode
        if mode == "stop":
            raise ValueError(f"mode {mode} at {x}")
        if x > 5:
            raise KeyError(mode)
        return x

    for x, kind, text in ((-1.0, ValueError, "mode stop at -1.0"), (9.0, KeyError, "'run'"), (-9.0, AssertionError, "far: stop")):
        with pytest.raises(kind, match=f"^{re.escape(text)}$"):
            checked(jnp.float32(x))


def test_a_missing_key_fails_as_in_python() -> None:
    f = ag.function(lambda x: {"run": x}[mode_of(x)])
    assert float(f(jnp.float32(2))) == 2.0
    with pytest.raises(KeyError, match="'stop'"):
        f(jnp.float32(-2))


@ag.do_not_convert
def by_identity(mode: Any, x: Any) -> Any:
    return x * 2 if mode is Colour.RED else x * 3


@ag.do_not_convert
def by_class(holder: Any, x: Any) -> Any:
    return x * 2 if type(holder.mode) is str else x * 3


@ag.do_not_convert
def by_class_of_item(items: Any, x: Any) -> Any:
    return x * 2 if type(items[0]) is str else x * 3


HOLDER = Holder("m")


@ag.do_not_convert
def by_class_in_module(x: Any) -> Any:
    return x * 2 if type(HOLDER.mode) is str else x * 3


def test_code_that_is_not_converted_is_called_for_each() -> None:
    def called(x: Any) -> Any:
        colour = Colour.RED if x > 0 else Colour.BLUE
        return by_identity(colour, x) + by_identity(x=x, mode=colour)

    agrees(called, 1.0, -1.0)


def test_functions_of_jax_that_take_strings_are_called_for_each() -> None:
    def called(x: Any) -> Any:
        xs = jnp.arange(4.0).reshape(2, 2) + x
        mode, order, side = ("edge", "fro", "left") if x > 0 else ("reflect", "nuc", "right")
        padded = jnp.pad(xs, 1, mode=mode).sum() + jnp.pad(xs, 1, mode)[0, 0]
        return padded, jnp.linalg.norm(xs, ord=order), jnp.searchsorted(jnp.arange(4.0), x + 2, side=side)

    agrees(called, 1.0, -1.0)


def writes_global(x: Any) -> Any:
    HOLDER.mode = mode_of(x)
    try:
        return by_class_in_module(x)
    finally:
        HOLDER.mode = "m"


@pytest.mark.parametrize(
    "f",
    [
        lambda x: by_class(Holder(mode_of(x)), x),
        lambda x: by_class_of_item([mode_of(x)], x),
        lambda x: by_identity(mode_of(x), x),  # the first choice of the program: the callee was looked up before
        writes_global,
    ],
    ids=["attribute", "item", "first", "global"],
)
def test_code_that_is_not_converted_never_comes_upon_one(f: Callable[..., Any]) -> None:
    with pytest.raises(ag.StagingError, match=r"\(\) is called (with|while what it can reach holds) one of 'run', 'stop'"):
        ag.function(f)(jnp.float32(1))


@pytest.mark.parametrize(
    ("f", "text"),
    [
        (lambda s: {s, "c"}, "one of 'run', 'stop' is looked up by its hash"),
        (lambda s: {s: 1}, "one of 'run', 'stop' is looked up by its hash"),
        (lambda s: [c for c in s], "one of 'run', 'stop' is iterated over"),
        (lambda s: 1 if s is RUN else 2, "`is` between strings, one of which the program chooses"),
    ],
    ids=["set", "key", "iteration", "identity"],
)
def test_what_no_program_can_tell_is_refused(f: Callable[..., Any], text: str) -> None:
    with pytest.raises(ag.StagingError, match=re.escape(text)):
        ag.function(lambda x: f(mode_of(x)))(jnp.float32(1))


def test_a_compiled_function_of_arrays_returns_none() -> None:
    for f in (mode_of, lambda x: {"k": (mode_of(x), x)}):
        with pytest.raises(ag.StagingError, match=r"returns one of 'run', 'stop'(.|\n)*ag.function"):
            ag.jit(f)(1.0)
        with pytest.raises(ag.StagingError, match=r"returns one of 'run', 'stop'"):
            jax.jit(ag.convert(f))(1.0)


def test_more_than_a_program_should_choose_between_is_refused() -> None:
    names = [f"n{k}" for k in range(MOST + 1)]
    assert ag.function(lambda k: names[:MOST][k])(jnp.int32(3)) == "n3"
    with pytest.raises(ag.StagingError, match=f"of which there are {MOST} at most"):
        ag.function(lambda k: names[k])(jnp.int32(3))

    @ag.function
    def grows(x: Any) -> Any:
        s = ""
        while x > 0:
            s, x = s + "a", x - 1
        return s

    with pytest.raises(ag.StagingError, match="each iteration makes another string"):
        grows(jnp.float32(3))


def test_strings_of_two_classes_are_no_choice() -> None:
    with pytest.raises(ag.StagingError, match="different values"):
        ag.function(lambda x: "a" if x > 0 else Colour.RED)(jnp.float32(1))
    with pytest.raises(ag.StagingError, match="different values"):
        ag.function(lambda x: "a" if x > 0 else 1.0)(jnp.float32(1))


@pytest.mark.parametrize("values", [lambda x: x, lambda x: (x,), lambda x: {"x": x}], ids=["one", "tuple", "dict"])
def test_a_chosen_template_is_filled_with_what_is_known_and_refused_what_is_traced(values: Callable[[Any], Any]) -> None:
    def filled(x: Any, given: Any) -> str:
        template = ("%(x)s is large" if x > 9 else "%(x)s is small") if type(given) is dict else "%s or" if x > 9 else "%s and"
        return template % given

    for x in (3.0, 12.0):
        assert ag.function(filled)(jnp.float32(x), values(7)) == filled(x, values(7))
    with pytest.raises(ag.StagingError, match="a template that the program chooses is filled with a traced value"):
        ag.function(lambda x: filled(x, values(x)))(jnp.float32(3))
