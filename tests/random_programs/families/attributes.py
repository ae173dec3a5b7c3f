"""Objects whose attributes are first set in a loop or a branch, and read behind a test, a jump, in the loop's test or afterwards.

>>> "box" in write(random.Random(0))
True
"""

from __future__ import annotations

import random

_HEADER = """\
class Empty:
    def put(self, k):
        self.x = k
        return k


class Box:
    def __init__(self, v):
        self.v = v

    def put(self, k):
        self.x = k
        return self.v + k


def owes():
    return AttributeError, UnboundLocalError


"""
_HEADS = ["for k in range(4):", "for k in ag.range(3):", "for k in range(b % 4):", "while s < b:", "while s == 0 or box.x < b:",
          "while s < a % 5 or box.x > 9:", "while True:", "for k in xs:", "for box in boxes:"]  # fmt: skip
_WRITES = ["box.x = k", "box.x = s + a", "box.x = x", "box.y = box.x = k", "s = s + box.put(k)", "box.x = getattr(box, 'x', 0) + a",
           "if not hasattr(box, 'x'):\n    box.x = k"]  # fmt: skip
_READS = ["if {t}:\n    s = s + box.x", "s = s + (box.x if {t} else 1)",
          "s = s + 1 if not ({t} and box.x > 1) else s + 2",
          "if {t} and box.x > a:\n    break", "if {t}:\n    box.x += 1", "s = s + box.x",
          "if {t}:\n    return s, box.x"]  # fmt: skip
_TESTS = ["k > 0", "k > a", "s > b", "s > 0", "k > 1", "a > b", "x > 0"]


def write(rng: random.Random) -> str:
    """One program."""
    lines = ["s = k = 0", f"boxes = [{', '.join([rng.choice(['Empty()', 'Box(a)'])] * 3)}]", "box = boxes[1]"]
    for _ in range(rng.choice([1, 1, 2])):
        lines += _loop(rng)
    lines.append(f"return s, k{rng.choice(['', ', box.x', ', boxes[0].x'])}")
    return _HEADER + "def program(a, b, x, xs):\n" + "\n".join(_in(lines)) + "\n"


def _loop(rng: random.Random) -> list[str]:
    head = rng.choice(_HEADS)
    reads = [rng.choice(_READS).format(t=rng.choice(_TESTS)) for _ in range(rng.randint(0, 2))]
    body = [*reads, rng.choice(_WRITES), *rng.sample(reads, rng.randint(0, len(reads)))]
    if rng.random() < 0.3:
        body = [rng.choice(["if a > 1:", "for i in range(2):"]), *_in("\n".join(body).splitlines())]
    body = ["\n".join(body)]
    if head.startswith("while"):
        body += ["s = s + 1", "k = k + 1", *(["if s > 4:\n    break"] if "True" in head or "x" in head else [])]
    return [head, *_in("\n".join(body).splitlines())]


def _in(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]
