"""NumPy arrays of known numbers that the traced program reads, and that are written, in whole or through views, between the reads.

>>> all("np." in write(random.Random(k)) for k in range(9))
True
"""

from __future__ import annotations

import random
from textwrap import indent

IN = "    "
_HELPERS = """\
def put(t, k):
    t[0] = k


def look(t, v):
    return t + v


class Table:
    def __init__(self, cells):
        self.cells = cells
        self.first = cells[:1]

    def put(self, k):
        self.cells[0] = k

    def look(self, v):
        return (self.cells + v).sum() + (self.first * v).sum()


"""
_MAKERS = {
    1: ["np.zeros(3, {d})", "np.arange(3).astype({d})", "np.array([4, 5, 6], {d})", "np.ones(4, {d})[1:]"],
    2: ["np.zeros((3, 3), {d})", "np.arange(9).astype({d}).reshape(3, 3)", "np.ones((3, 3), {d})"],
}  # fmt: skip
_VIEWS = {
    1: ["t", "t[1:]", "t[::2]", "t[::-1]", "t.reshape(3, 1)", "np.asarray(t)", "np.broadcast_to(t, (2, 3))", "t[:2][1:]"],
    2: ["t", "t[0]", "t[1]", "t.T", "t[:, 0]", "t[1:, :2]", "t.ravel()", "t.reshape(-1)[2:]", "list(t)[2]", "t.diagonal()"],
}  # fmt: skip
_READS = ["a + {x}", "{x} * b", "np.where(b > 1, {x}, 0)", "look({x}, a)", "np.maximum({x}, a)", "a - {x} + 1"]
_WRITES = {
    1: ["{y}[0] = {k}", "{y}[1] += {k}", "{y}[:] = {k}", "{y}[[0, 1]] = {y}[[1, 0]]", "{y}[0], {y}[1] = {y}[1], {y}[0]"],
    2: ["{y}[0, 1] = {k}", "{y}[1] = {k}", "{y}[0][1] = {k}", "{y}[1, 0] += {k}", "{y}[[0, 1]] = {y}[[1, 0]]", "{y}[:, 1] = {k}"],
}  # fmt: skip
_OF_ALL = [
    "{y} += {k}",
    "{y}.sort()",
    "{y}.fill({k})",
    "np.copyto({y}, {k})",
    "np.add({y}, {k}, out={y})",
    "np.add.at({y}, 0, {k})",
    "put({y}, {k})",
    "{y}.put([1], [{k}])",
    "{y}.flat[1] = {k}",
    "np.random.default_rng({k}).shuffle({y})",
    "memoryview({y})[0:1] = memoryview({y})[1:2]",
    "{y}.clip(1, 3, out={y})",
]


def write(rng: random.Random) -> str:
    """One program: an array, perhaps views of it, and reads and writes by turns."""
    pick = rng.choice
    size = pick((1, 1, 2))
    made = pick(_MAKERS[size]).format(d=pick(("np.int32", "np.int64", "np.float32", "float", "int")))
    lines = [f"t = {made}", "c = 0"]
    shares = rng.random() < 0.6
    readers = ["t"] * (1 + 2 * (not shares)) + ["t.copy()"] * (not shares)
    writers = ["t"]
    if shares:
        for name in ("u", "w")[: rng.randint(1, 2)]:
            lines.append(f"{name} = {pick(_VIEWS[size])}")
            readers += [name, name]
        writers += ["u"] * (lines[2] in ("u = t", "u = np.asarray(t)"))
        if rng.random() < 0.3:
            lines.append(pick(["g = Table(t)", "d = {'t': t}", "rows = [t, t]"]))
            held = {"g": "g.cells", "d": "d['t']", "r": "rows[1]"}[lines[-1][0]]
            readers.append(held)
            writers.append(held)
    else:
        readers += _VIEWS[size][1:3]

    def read() -> list[str]:
        text = pick(_READS).format(x=pick(readers))
        return [f"c = c + ({text}).sum()"]

    def store(k: str) -> list[str]:
        texts = _WRITES[size] * 2 + _OF_ALL * shares + _OF_ALL[:1]
        return [pick(texts).format(y=pick(writers), k=k)]

    def statement(depth: int) -> list[str]:
        kind = pick(("read", "store", "loop", "branch", "both") if depth else ("read", "store", "both"))
        if kind == "loop":
            body = [line for _ in range(rng.randint(1, 3)) for line in statement(depth - 1)]
            return [f"for k in range({pick('234')}):", *(IN + line for line in body), "k = 1"]
        if kind == "branch":
            lines = [f"if a > {pick('0123')}:", *(IN + line for line in read())]
            return lines + (["else:", *(IN + line for line in read())] if rng.random() < 0.5 else [])
        return [*(read() if kind != "store" else []), *(store(pick(("k", "5", "k + 2"))) if kind != "read" else [])]

    lines.append("k = 1")
    for _ in range(rng.randint(2, 5)):
        lines += statement(2)
    lines += [*read(), f"return c, {pick(('t', 'a', 't.sum()', 'k'))}"]
    text = "\n".join(lines)
    is_own = (
        size == 1
        and not shares
        and not any(part in text for part in ("look(", "[[", "astype", "4, np", "4, f", "4, i"))
    )
    mark = "" if is_own else "# refused: something else may refer to the array that is written\n"
    return f"{mark}import numpy as np\n\n\n{_HELPERS}def program(a, b, x, xs):\n{indent(text, IN)}\n"
