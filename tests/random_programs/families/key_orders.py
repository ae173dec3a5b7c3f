"""Dicts of the same keys, written in several orders by branches, loops, helpers and JAX's tree functions, then read.

>>> "def program" in write(random.Random(0))
True
"""

from __future__ import annotations

import random

_READS = [
    "[*{d}.values()]", "list({d})", "list({d}.items())", "tuple({d}.values())", "[k for k in {d}]", "[v for v in {d}.values()]",
    "[(k, v) for k, v in {d}.items()]", "next(iter({d}.values()))", "list(reversed({d}))", "list(enumerate({d}.values()))",
    "list(zip({d}, range(3)))", "str(list({d}))", "sum(i * v for i, v in enumerate({d}.values()))", "weigh({d})", "''.join({d})",
    "functools.reduce(lambda u, v: u * 2 + v, {d}.values())", "[*{d}]", "list(dict({d}))", "list({d}.copy().values())",
    "list({{**{d}, 'z': 1}})", "list({d} | {{'v': a}})", "named(**{d})", "list(copy.copy({d}))", "unpacked({d})",
    "list(map(str.upper, {d}))", "json.dumps(list({d}))", "max({d}, key=len)", "list(collections.OrderedDict({d}))",
    "list(filter(None, {d}))", "generated({d})", "[list({d}.keys())]", "collections.deque({d}, 2)[0]", "first_of({d})",
    "list(itertools.chain({d}, 'q'))", "dict.fromkeys({d}, a)", "popped(dict({d}))", "sorted({d}, key=len)",
]  # fmt: skip
_UNORDERED = [
    "{d}['u'] + {d}['v']", "len({d})", "'u' in {d}", "{d} == {{'v': a, 'u': b}}", "sorted({d})", "[{d}[k] for k in sorted({d})]",
    "{d}.get('u', 0)", "jax.tree.leaves({d})", "jax.tree.map(lambda u: u + 1, {d})", "{d}", "list(jax.tree.map(lambda u: u, {d}))",
    "len(set({d}))", "len({d}.items())", "'v' in {d}.keys()", "sorted({d}.items(), key=None)[0]", "any(v > 2 for v in sorted({d}))"
    .replace("v > 2", "v > 'u'"), "[(k, {d}[k]) for k in ('v', 'u')]", "{{k: {d}[k] for k in 'uv'}}", "{d}.pop('u')",
]  # fmt: skip
_PLACES = ["d", "d", "d", "box.d", "rows[0]", "table['in']", "pair[1]"]
_HELPERS = """import collections
import copy
import functools
import itertools
import json

import jax


def ahead(u, v):
    return {"u": u, "v": v}


def behind(u, v):
    return {"v": v, "u": u}


def weigh(d):
    s = 0
    for k, v in d.items():
        s = s * 3 + v
    return s


def named(**d):
    return list(d)


def unpacked(d):
    k, m = d.items()
    return k[0], m[1]


def generated(d):
    def keys():
        for k in d:
            yield k

    return list(keys())


def first_of(d):
    for k in d:
        return k


def popped(d):
    return d.popitem()[0]


def coded(found):
    if isinstance(found, str):
        return [ord(c) for c in found]
    return [coded(part) for part in found] if isinstance(found, (list, tuple)) else found


class Holder:
    def __init__(self, d):
        self.d = d


"""


def write(rng: random.Random) -> str:
    """One program."""
    place = rng.choice(_PLACES)
    wrap = {
        "d": "d = {}", "box.d": "box = Holder({})", "rows[0]": "rows = [{}, {{}}]", "table['in']": "table = {{'in': {}, 'at': 0}}",
        "pair[1]": "pair = (a, {})",
    }[place]  # fmt: skip
    lines = [wrap.format(_display(rng))]
    for _ in range(rng.randint(1, 2)):
        lines += _change(rng, wrap if place == "pair[1]" else place + " = {}", place)
    if rng.random() < 0.2:
        lines.append((wrap if place == "pair[1]" else place + " = {}").format(_fresh(rng, place)))
    results = []
    for _ in range(rng.randint(1, 3)):
        reads = _UNORDERED if rng.random() < 0.5 else _READS
        results.append(rng.choice(reads).format(d=place))
    lines += [f"r{i} = {text}" for i, text in enumerate(results)]
    lines.append("return " + ", ".join(f"coded(r{i})" for i in range(len(results))) + ",")
    is_read = any(".pop('u') + 1" in line for line in lines) or not all(
        any(text == form.format(d=place) for form in _UNORDERED) for text in results
    )
    mark = "# refused: the order of the keys of a dict, which depends on a branch or an iteration\n" if is_read else ""
    return mark + _HELPERS + "def program(a, b, x, xs):\n" + "\n".join("    " + line for line in lines) + "\n"


def _display(rng: random.Random) -> str:
    u, v = rng.choice(["a", "b", "1", "a + b"]), rng.choice(["b", "a", "2", "a - b"])
    return rng.choice([f"{{'u': {u}, 'v': {v}}}", f"{{'v': {v}, 'u': {u}}}", f"ahead({u}, {v})", f"behind({u}, {v})",
                       f"dict(v={v}, u={u})"])  # fmt: skip


def _fresh(rng: random.Random, place: str) -> str:
    """A dict whose order is known."""
    return rng.choice(
        [
            f"jax.tree.map(lambda u: u + 1, {place})",
            f"{{k: {place}[k] for k in ('v', 'u')}}",
            f"{{'v': {place}['u'], 'u': 1}}",
            f"dict(sorted({place}.items()))",
        ]
    )


def _change(rng: random.Random, bind: str, place: str) -> list[str]:
    """Statements after which the dict has one order or another."""
    made = rng.choice([_display(rng), _display(rng), _fresh(rng, place)])
    form = rng.random()
    if form < 0.4:
        head = rng.choice(["if a > b:", "if x > 1:", "if a % 2:"])
        lines = [head, "    " + bind.format(made)]
        if rng.random() < 0.4:
            lines += ["else:", "    " + bind.format(_display(rng))]
        return lines
    if form < 0.5:
        return [bind.format(f"{_display(rng)} if a > b else {_display(rng)}")]
    if form < 0.8:
        head = rng.choice(["for i in range(a):", "for i in xs:", "for i in ag.range(2):"])
        lines = [head, "    " + bind.format(made)]
        if rng.random() < 0.3:
            lines = [head, "    if i > 1:", "        " + bind.format(made)]
        return lines
    if form < 0.9:
        return [f"while {place}['u'] < b:", "    " + bind.format(f"behind({place}['u'] + 1, {place}['v'] + 2)")]
    return ["if a > b:", f"    {place}['u'] = {place}.pop('u') + 1"]
