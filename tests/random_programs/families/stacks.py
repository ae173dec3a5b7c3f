"""Lists that loops take elements from until a traced condition ends them: stacks, queues, numbers to try in their order.

>>> ".pop(" in write(random.Random(0))
True
"""

from __future__ import annotations

import random

_LISTS = [
    "[a, b, 3, 4]", "[a, 2, b]", "list(range(9))", "[3, 1, 2, 5, 4]", "xs.tolist()", "sorted([a, b, 7])", "[x, 1.5, 2.5]",
    "[u + a for u in range(5)]", "list(reversed([a, b, 1]))", "[1, 2] * 3",
]  # fmt: skip
_TESTS = ["while todo:", "while len(todo) > 0:", "while todo and s < 9:", "while s < b:", "while True:", "while todo[-1] > a:",
          "while s < 9 and len(todo) > 1:", "for d in range(3):"]  # fmt: skip
_POPS = ["todo.pop()", "todo.pop()", "todo.pop()", "todo.pop(0)", "todo.pop(-1)", "todo.pop(1)", "todo.pop(int(s) % 2)"]


def write(rng: random.Random) -> str:
    """One program."""
    lines = [f"todo, s, n = {rng.choice(_LISTS)}, 0, 1"]
    if rng.random() < 0.15:
        lines.append("if a > 2:\n        todo = [b, a, b]")
    loop = _loop(rng)
    if rng.random() < 0.2:
        loop = [rng.choice(["for k in range(2):", "if a > b:", "for k in xs:"]), *_indented(loop)]
    lines += loop
    if rng.random() < 0.3:
        lines += _loop(rng)
    is_uneven = any(text.startswith(("if a > 2:", "if a > b:")) or "range(3):" in text for text in lines)
    if rng.random() < 0.4:
        lines += rng.choice(
            [["for u in todo:", "    s += u"], ["s += sum(todo)"], ["if todo:", "    s += todo[0]"], ["s += todo[-1]"]]
        )
    result = rng.choice(["s, n", "s, n, len(todo)", "s, n, todo"])
    lines += ["return RESULT"]
    mark = "# refused: a list that one branch makes shorter\n" if is_uneven else ""
    return f"{mark}def program(a, b, x, xs):\n" + "\n".join(_indented(lines)).replace("RESULT", result) + "\n"


def _indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


def _loop(rng: random.Random) -> list[str]:
    pop = rng.choice(_POPS)
    body = rng.choice([[f"n = {pop}"], [f"n = {pop}", "s += n"], [f"s += {pop} + 1"], [f"n, s = {pop}, s + n"]])
    if rng.random() < 0.3:
        body = [rng.choice(["if s % 2:", "if n > 1:"]), *_indented(body), "s += 1"]
    leave = rng.choice([["break"], ["break"], ["return RESULT"], ["continue"], ["todo.clear()"]])
    if rng.random() < 0.75:
        body += [rng.choice(["if n > a:", "if n < b:", "if s > 6:"]), *_indented(leave)]
    body += ["s += 1"]
    if rng.random() < 0.2:
        body = ["s += todo[0]", *body]
    return [rng.choice(_TESTS), *_indented(body)]
