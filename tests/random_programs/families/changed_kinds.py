"""Loops that a traced test ends, with variables and attributes whose kind the first iteration changes.

>>> all("for " in text or "while " in text for text in map(write, map(random.Random, range(9))))
True
"""

from __future__ import annotations

import random

_KINDS = [
    ("xs[:2]", "xs[:3] * d", "{v}[0] + {v}[-1]"),
    ("xs[:2]", "(d, n)", "{v}[0] - {v}[1]"),
    ("[a, b]", "(n, d, a)", "{v}[0] + {v}[1]"),
    ("(a, b)", "{{'u': d, 'w': n}}", None),
    ("7", "(d, b)", None),
    ("xs[:1]", "d * 2", None),
    ("'start'", "(d, 4)", None),
    ("None", "(d, n)", None),
    ("{{}}", "{{'k': d}}", None),
    ("xs[1:3]", "moved({v}, d)", "{v}[1] * 2 + {v}[0]"),
]
"""What a variable is before the loop, what each iteration makes of it, and a number in either."""
_LOOPS = ["for d in xs:", "for d in xs:", "for i, d in enumerate(xs):", "for d, e in zip(xs, xs[::-1]):", "for d in reversed(xs):",
          "for i in range(4):", "for i in ag.range(4):", "while True:", "while going:", "while n < a:",
          "for i in ag.range(b):"]  # fmt: skip
_MAY_NOT_BEGIN = _LOOPS[-2:]
_TESTS = ["n > a", "d > b", "n % 3 == 1", "d < 0", "n > 99", "n + d > 5", "n < 99"]

HEADER = """\
class Env:
    def __init__(self, state):
        self.state = state
        self.count = None

    def counted(self, test):
        if not test:
            return 0 if self.count is None else self.count
        elif self.count is None:
            self.count = 0
        else:
            self.count += 1
        return self.count * 2

    def step(self, make):
        self.state = make(self.state)
        return self.state

def moved(state, d):
    return state[0] + d, state[-1]

"""


def write(rng: random.Random) -> str:
    """One program: a variable is of one kind before a loop and of another in its iterations, which an exit ends."""
    before, after, number = rng.choice(_KINDS)
    is_attribute = rng.random() < 0.3
    v = "env.state" if is_attribute else "v"
    before, after = before.format(), after.format(v=v)
    change = [f"{v} = {after}"]
    if is_attribute and rng.random() < 0.5:
        change = [f"env.step(lambda state: {after.replace(v, 'state')})"]
    if number is not None and rng.random() < 0.5:
        change.insert(0, f"n = (n + {number.format(v=v)}) % 17")
    is_late = rng.random() < 0.25  # `w` changes its kind in the second iteration
    if is_late and number is not None and rng.random() < 0.5:
        change.insert(0, f"n = (n + {number.format(v='w')}) % 17")
    if is_late:
        change.insert(-1, f"w = {v}")
    loop = rng.choice(_LOOPS)
    is_string = before == "'start'"  # no program returns one
    is_read = not is_string and rng.random() < 0.8
    is_late_read = is_late and not is_string and rng.random() < 0.5
    result = "n" + f", {v}" * is_read + ", w" * is_late_read
    leave = rng.choice(["break", "break", f"return {result}", "continue", f"return {rng.choice(['n', '-1'])}"])
    if leave.startswith("return") and leave != f"return {result}":
        result = leave.removeprefix("return ").replace("-1", "n")
        is_read = is_late_read = False
    exits = [f"if {rng.choice(_TESTS)}:", f"    {leave}"]
    is_early = rng.random() < 0.25
    body = [*_heads(loop), *(exits + change if is_early else change + exits), "n = (n + d) % 17", "going = n > 3"]
    if rng.random() < 0.3:
        body += [f"if {rng.choice(_TESTS)}:", "    break"]
    lines = ["n, k, going = 1, 0, True", f"env = Env({before})" if is_attribute else f"v = {before}"]
    lines += [f"w = {v}"] if is_late else []
    if rng.random() < 0.3:
        body.insert(rng.choice([1, len(body)]), f"n = (n + env.counted({rng.choice(_TESTS)})) % 17")
        lines += [] if is_attribute else ["env = Env(0)"]
    around = rng.random()
    written = [loop, *_indented(body)]
    if around < 0.1:
        written = ["for m in range(2):", *_indented(written)]
    elif around < 0.2:
        written = ["for m in xs:", *_indented(written), "    if n > b:", "        break"]
    is_nested_kind = around < 0.2
    is_of_one_kind = not (is_early and leave == "continue") and not (is_read and (is_early or loop in _MAY_NOT_BEGIN))
    may_stay = is_early or is_late or loop in _MAY_NOT_BEGIN  # as it was before an inner loop
    refused = not is_of_one_kind or is_late_read or is_nested_kind and (may_stay or not is_attribute)
    mark = "# refused: a value of one kind or of another, as the numbers are\n"
    text = "def program(a, b, x, xs):\n" + "\n".join(_indented([*lines, *written, f"return {result}"])) + "\n"
    return mark * refused + HEADER + text


def _heads(loop: str) -> list[str]:
    """How an iteration begins: with its number in `d`."""
    if loop.startswith("while"):
        return ["d = xs[k % 4]", "k += 1", "if k > 4:", "    break"]
    return ["d = xs[i]"] if " i in" in loop else []


def _indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]
