"""State outside of the program: globals, objects, lists, defaults of parameters, cells, attributes of classes.

What a call leaves there must be what Python leaves, or the call is refused: `left()` tells (see `execution`).

>>> "def left():" in write(random.Random(0))
True
"""

from __future__ import annotations

import random

_STATE = """\
total = 0
log = []
table = {'k': 0, 'm': 1}
box = Box(0, 1)
nested = {'rows': [[0], [1]], 'box': Box(2, 3)}

class Model:
    made = 0
    seen = []

    def __init__(self, w):
        self.w = w
        self.count = 0
        self.last = None

    def step(self, k):
        self.count += 1
        self.w = self.w + k
        return self.w

    def keep(self, k):
        self.last = k
        return k + self.count

model = Model(1)

def acc(k, out=[]):
    out.append(k)
    return len(out)

def counter():
    n = 0

    def count(k):
        nonlocal n
        n = n + k
        return n

    return count

count = counter()

def left():
    return (total, log, table, box.p, box.q, nested['rows'], nested['box'].p, Model.made, Model.seen, model.w, model.count,
            [] if model.last is None else [model.last], acc.__defaults__[0], count.__closure__[0].cell_contents)

"""
_WRITES = [
    "total += {v}", "total = {v}", "log.append({v})", "log.append(({v}, {w}))", "log.extend([{v}])",
    "table['k'] = {v}", "table.update(m={v})", "table['new'] = {v}", "box.p = {v}", "box.bump({v})", "box.total = {v}",
    "nested['rows'][0].append({v})", "nested['box'].p += {v}", "nested['rows'][1][0] = {v}",
    "Model.made += {v}", "Model.seen.append({v})", "c = c + model.step({v})", "c = c + model.keep({v})",
    "c = c + acc({v})", "c = c + count({v})", "setattr(box, 'p', {v})", "globals()['total'] = {v}",
    "other = model\nother.w = {v}", "rows = nested['rows']\nrows[0] = [{v}]",
]  # fmt: skip
_INSIDE = [
    "mine.append({v})", "held.p = {v}", "held.bump({v})", "made.step({v})", "mine[0] = {v}", "found['k'] = {v}",
    "made.last = held", "held.r = mine", "found['all'] = mine",
]  # fmt: skip
_RESTRUCTURES = {"mine.append({v})", "found['k'] = {v}", "made.last = held", "held.r = mine", "found['all'] = mine"}
"""What gives a list, a dict or an object another structure than it had."""
_TAKEN_OUT = [
    "log.append({v})\nc = c + log.pop()",
    "box.p = {v}\nc = c + box.p\nbox.p = 0",
    "before = total\ntotal = {v}\nc = c + total\ntotal = before",
    "model.last = {v}\nc = c + model.keep(1)\nmodel.last = None",
    "table['t'] = {v}\nc = c + table.pop('t')",
]


def write(rng: random.Random) -> str:
    """One program: some writes of static or traced values, at its top, under an `if`, in a loop or in a called function."""
    traced = ["a", "a + b", "b * 2", "fold(a)", "xs[1]"]
    lines = ["global total", "c = 0", "mine = [0]", "held = Box(a, 1)", "made = Model(0)", "found = {}"]
    leaves = rng.random() < 0.2
    expected = "a traced value in a place outside" if leaves else None
    for _ in range(rng.randint(1, 4)):
        kinds = ["plain", "plain", "plain", "static if", "static loop", "if", "loop"]
        texts = rng.choice([_WRITES, _INSIDE, _TAKEN_OUT])
        values = ["1", "2", "len(log)", "3"] if texts is _WRITES and not leaves else traced
        text = rng.choice(texts)
        block = text.format(v=rng.choice(values), w=rng.choice(values)).splitlines()
        kind = rng.choice(kinds[:5] if texts is _WRITES and not leaves else kinds)
        if kind == "if" and text in _RESTRUCTURES:
            expected = expected or "one branch leaves another structure"
        head = {
            "if": "if a > b:",
            "static if": "if len(log) < 9:",
            "loop": "for d in xs:",
            "static loop": "for _ in range(2):",
        }
        lines += [head[kind], *("    " + line for line in block)] if kind in head else block
    lines.append(rng.choice(["return c", "return c, mine[0]", "return c, len(mine)", "return c + held.p"]))
    return (
        f"# refused: {expected}\n" * bool(expected)
        + _STATE
        + "def program(a, b, x, xs):\n"
        + "".join(f"    {line}\n" for line in lines)
    )
