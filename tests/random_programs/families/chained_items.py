"""Loops over the iterators of `itertools` that a traced condition leaves: `zip_longest`, `chain`, `product`, `pairwise`, ...

>>> "for " in write(random.Random(0))
True
"""

from __future__ import annotations

import random

_PAIRS = [
    "zip_longest(items, xs, fillvalue=0)", "zip_longest(items, [a, b], fillvalue=b)", "zip_longest([1, 2], items, fillvalue=-1)",
    "product(items, [a, 2])", "product([1, 2], repeat=2)", "product(range(2), items)", "pairwise(items)",
    "pairwise(chain(items, xs))",
    "enumerate(chain(items, [a]))", "zip(items, chain([b], items))", "combinations(items, 2)", "permutations([a, b, 3], 2)",
    "zip(count(1), items)", "zip(items, cycle([a, 2]))", "zip(repeat(a), items)", "combinations_with_replacement([a, b], 2)",
    "zip_longest(items[:1], items)", "islice(enumerate(items), 1, 3)", "islice(product(items, items), 0, None, 3)",
    "batched_pairs(items)",
    "starmap(swapped, pairwise(items))", "zip(accumulate(items), items)", "zip(*tee(items))",
]  # fmt: skip
_SINGLES = [
    "chain(items, xs)", "chain([a], items, [b])", "chain.from_iterable([items, [a, b]])", "islice(items, 2)",
    "islice(items, 1, None)",
    "islice(count(a), 4)", "islice(cycle(items), 5)", "accumulate(items)", "accumulate(items, max)", "accumulate(xs, initial=a)",
    "accumulate(items, lambda u, v: u - v)", "repeat(a, 3)", "takewhile(small, items)", "dropwhile(small, [1, 2, 9, 1])",
    "filterfalse(small, [3, 7, 2, 8])", "compress(items, [1, 0, 1, 1])", "compress(items, [True, False])",
    "starmap(max, pairwise(items))",
    "map(max, items, chain([a], items))", "reversed(list(chain(items, [a])))", "tee(items)[1]", "iter(items)",
]  # fmt: skip
_TESTS = ["u > a", "u + v > b", "v < b and c < 20", "c > 5", "u * v > a + b", "not u > b", "u == a or v == b"]


def write(rng: random.Random) -> str:
    """One program."""
    lines = ["items, c, n, u, v = [a, 2, b, a - b], 1, 0, 0, 0"]
    for _ in range(rng.randint(1, 2)):
        lines += _loop(rng, 2)
    text = "\n".join("    " + line for line in lines)
    doubtful = "rest" in text or "takewhile" in text or "items[:1], items)" in text
    mark = "# refused: an iterator that a traced condition leaves is read on, or ends on one\n" if doubtful else ""
    return (
        f"{mark}from itertools import *\n\n\ndef small(u):\n    return u < 4\n\n\ndef swapped(u, v):\n    return v, u\n\n\n"
        "def batched_pairs(items):\n    it = iter(items)\n    return list(zip(it, it))\n\n\n"
        "def find(pairs, t):\n    for p, q in pairs:\n        if p > t:\n            return q\n    return t\n\n\n"
        f"def program(a, b, x, xs):\n{text}\n    return c, n, u\n"
    )


def _loop(rng: random.Random, depth: int) -> list[str]:
    is_pair = rng.random() < 0.55
    iterator = rng.choice(_PAIRS if is_pair else _SINGLES)
    form = 1 if "items[:1]" in iterator else rng.random()  # its numbers may be None
    if form < 0.12 and is_pair:
        return [f"c += find({iterator}, {rng.choice(['a', 'b', '2'])})"]
    if form < 0.2:
        target, element = ("(u0, v0)", "u0 + v0") if is_pair else ("u0", "u0 * 2")
        taker = rng.choice(["sum({e} for {t} in {i})", "any({e} > b for {t} in {i})", "next(({e} for {t} in {i} if u0 > a), -1)",
                            "max(({e} for {t} in {i}), default=a)", "len([{e} for {t} in {i}])"])  # fmt: skip
        return ["n += int(" + taker.format(e=element, t=target, i=iterator) + ")"]
    target = "u, v" if is_pair else "u"
    if rng.random() < 0.1:
        target, iterator = ("k, (u, v)" if is_pair else "k, u"), f"enumerate({iterator})"
    lines = []
    if rng.random() < 0.2:
        lines, iterator = [f"rest = {iterator}"], "rest"
    body = []
    if "items[:1], items)" in iterator:
        body.append("if u is None:\n        u = 0".replace("\n        ", "\n    "))
    body += ["n += 1"] * (rng.random() < 0.5)
    leave = rng.choice(["break", "break", "return c, n, u", "continue", "c += 100"])
    test = rng.choice(_TESTS)
    body += [f"if {test}:", f"    {leave}"]
    body.append(rng.choice(["c += u", "c = c * 2 % 17 + v", "c += u - v", "items[0] = items[0] + 1"]))
    if depth and rng.random() < 0.2:
        body += _loop(rng, depth - 1)
    flat = "\n".join(body).split("\n")
    lines += [f"for {target} in {iterator}:", *("    " + line for line in flat)]
    if rng.random() < 0.3:
        lines += ["else:", "    n += 1000"]
    if "rest" in lines[0]:
        lines += [
            rng.choice(
                ["c += sum(1 for _ in rest)", "n += len(list(rest))", "for u in rest:\n    n += 1".replace("\n", "\n")]
            )
        ]
        lines = "\n".join(lines).split("\n")
    return lines
