"""What reads the order of a dict whose order of keys is not known is refused, by name."""

import collections
import copy
import functools
import itertools
import json
import operator
from collections import deque

import jax
import pytest

import autograph as ag


def named(**d):
    return list(d)


def writes_a_slice(d):
    xs = [1, 2]
    xs[1:] = d


READS = [
    lambda d: [k for k in d],
    lambda d: [v for v in d.values()],
    lambda d: list(d),
    lambda d: tuple(d.items()),
    lambda d: [*d],
    lambda d: [*d.values()],
    lambda d: next(iter(d)),
    lambda d: list(reversed(d)),
    lambda d: list(enumerate(d.values())),
    lambda d: list(zip(d, range(2))),
    lambda d: sum(d.values()),
    lambda d: max(d, key=len),
    lambda d: sorted(d.items(), key=lambda item: item[1]),
    lambda d: set(d.values()),
    lambda d: d.popitem(),
    lambda d: named(**d),
    lambda d: str(d),
    lambda d: str([d]),
    lambda d: repr(d),
    lambda d: f"{d}",
    lambda d: "%s" % (d,),  # noqa: UP031  # each way to write a string is a program of its own
    lambda d: "{}".format(d),  # noqa: UP032  # the same
    lambda d: ",".join(d),
    lambda d: json.dumps(d),
    lambda d: list(dict(d)),
    lambda d: list(d.copy()),
    lambda d: list(copy.copy(d)),
    lambda d: copy.deepcopy([d]),
    lambda d: list({**d, "z": 1}),
    lambda d: list(d | {"z": 1}),
    lambda d: list({"z": 1} | d),
    lambda d: collections.OrderedDict(d),
    lambda d: deque(d),
    lambda d: [].extend(d),
    lambda d: {}.update(d),
    lambda d: dict.fromkeys(d),
    lambda d: list(map(len, d)),
    lambda d: functools.reduce(max, d),
    lambda d: list(itertools.chain(d, "q")),
    lambda d: dict.keys(d).__iter__(),
    lambda d: [].__iadd__(d),
    lambda d: deque().__iadd__(d),
    lambda d: [1, 2].__setitem__(slice(1), d),
    lambda d: operator.setitem([1, 2], slice(1), d),
    writes_a_slice,
    lambda d: list(d.__or__({"z": 1})),
    lambda d: list({"z": 1}.__or__(d)),
    lambda d: list({"z": 1}.__ror__(d)),
    lambda d: list(dict.__or__(d, {"z": 1})),
    lambda d: list(operator.or_(d, {"z": 1})),
    lambda d: list(d.__reduce_ex__(2)[4]),
    lambda d: operator.indexOf(d, "x"),
]


def chosen(n):
    return {"x": n, "y": 2} if n > 2 else {"y": 3, "x": 4}


@pytest.mark.parametrize("read", READS, ids=range(len(READS)))
def test_what_reads_the_order_is_refused(read):
    def f(n):
        d = chosen(n)
        read(d)
        return n

    with pytest.raises(ag.StagingError, match=r"the order of the keys of .* is read\n"):
        ag.jit(f)(1)


def test_loops_and_unpacking_are_refused():
    def loop(n):
        d = chosen(n)
        for _ in d:
            n += 1
        return n

    def unpacked(n):
        d = chosen(n)
        first, second = d
        return n

    def values(n):
        first, second = chosen(n).values()
        return first

    def matched(n):
        match chosen(n):
            case {"x": _, **rest}:
                return len(rest)

    def suspended(n):
        d = chosen(n)

        def keys():
            for k in d:
                yield k, 0

        return [d[k] for k, _ in keys()]

    for f in (loop, unpacked, values, matched, suspended):
        with pytest.raises(ag.StagingError, match=r"the order of the keys of .* is read\n"):
            ag.jit(f)(1)


def test_inside_the_loop_that_changes_it():
    def f(n):
        d = {"w": n, "b": 2}
        for _ in range(n):
            n += list(d.values())[0]
            d = jax.tree.map(lambda p: p + 1, d)
        return n

    with pytest.raises(ag.StagingError, match=r"the order of the keys of 'd' is read\n"):
        ag.jit(f)(1)


def test_what_keeps_it_and_asks_for_no_order_is_not_refused():
    def f(n):
        d = chosen(n)
        pair = functools.partial(lambda a, b: a["x"] + b, d)
        rows = [d]
        rows.append(d)
        total = {}
        total.setdefault("d", d)
        seen = any(v > 2 for v in (d["x"], d["y"])), any(d.values()), bool(d), isinstance(d, dict)
        return pair(2), rows, total, seen, d.keys() == {"x", "y"}, dict.get(d, "x")

    assert ag.jit(f)(1)[0] == 6


TAKEN_OUT = [
    ({"a": 1, "b": 2}, lambda d: (d.pop("b"), d.update(b=3))),
    ({"a": 1, "b": 2}, lambda d: (d.__delitem__("b"), d.update(b=3))),
    ({1, 2}, lambda d: (d.discard(2), d.add(2))),
    (deque([1, 2]), lambda d: d.append(d.popleft())),
]


@pytest.mark.parametrize("over", [lambda d: d, enumerate], ids=["alone", "enumerated"])
@pytest.mark.parametrize("container, change", TAKEN_OUT, ids=["pop", "del", "set", "deque"])
def test_taking_out_in_a_branch_what_a_loop_iterates_over_is_refused(container, change, over):
    def f(n):
        d = copy.copy(container)
        for _ in over(d):
            if n > 0:
                change(d)
        return n

    with pytest.raises(ag.StagingError, match="is changed inside a staged statement while a loop iterates over it"):
        ag.jit(f)(1)


def test_taking_out_of_a_container_that_only_the_branch_iterates_over():
    def f(n):
        d = {"a": n, "b": 2}
        if n > 0:
            for k in list(d):
                d[k] = d.pop(k) + 1
        for _ in d:
            e = {"u": n}
            if n > 1:
                e["u"] = e.pop("u") + 1
        return d, e

    assert ag.jit(f)(2) == ({"a": 3, "b": 3}, {"u": 3})


def run_string(d, x):
    exec("d['a'] = x")


def test_a_string_runs_in_the_frame_that_runs_it():
    @ag.jit
    def f(x):
        unknown = {"p": x, "q": x}
        if x > 0:
            unknown = {"q": x, "p": x}
        d = {"a": 0.0}
        if x > 1:
            run_string(d, x)
        return d["a"] + unknown["p"]

    assert [float(f(x)) for x in (-1.0, 2.0)] == [-1.0, 4.0]
