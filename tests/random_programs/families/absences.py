"""Elements and variables that are not there for some inputs: Python raises, and so must the compiled program.

Lists and tuples whose elements are equal, or not, at indices that may lie outside; variables that a loop binds first, in one
branch of an iteration, and that another iteration reads. `owes` names what is compared of Python's exceptions.

>>> "owes()" in write(random.Random(0))
True
"""

from __future__ import annotations

import random

HEADER = """\
def owes():
    return IndexError, UnboundLocalError


"""
_INDICES = ["a", "b", "a - b", "a % 3", "xs[0]", "-b", "xs[1] - 3", "b // 2"]
_VALUES = ["7", "7", "a", "x", "True", "(1, a)", "(3, 4)", "None", "[2]", "b * 2"]
_STARTS = ["ag.range(a % 5)", "range(len(xs))", "ag.range(b % 4)", "xs"]


def write(rng: random.Random) -> str:
    """One program."""
    return HEADER + (_positions if rng.random() < 0.4 else _bindings)(rng)


def _positions(rng: random.Random) -> str:
    value, at = rng.choice(_VALUES), rng.choice(_INDICES)
    other = value if rng.random() < 0.8 else rng.choice(["0", "9"])
    items = ", ".join([value] * rng.randint(0, 3) + [other])
    number = not value.startswith(("(", "[", "N"))
    uses = [f"c = items[{at}]", f"c = ({items},)[{at}]", f"c = items.pop({at})", f"del items[{at}]\n    c = len(items)"]
    if number:
        uses += [
            f"items[{at}] = {value}\n    c = items",
            f"items.remove({rng.choice(['a', '7', 'b'])})\n    c = items",
            f"c = items.index({rng.choice(['a', '7', 'b'])})",
            f"c = [items, items][{at}][{rng.choice(_INDICES)}]",
        ]
    use = rng.choice(uses)
    if rng.random() < 0.3:
        use = f"c = 0\n    if {rng.choice(['a > 2', 'x > 0', 'b < a'])}:\n        " + use.replace("\n", "\n    ")
        if not number:
            use = f"items2 = items\n    {use}\n    c = c is None"
    elif not number:
        use += "\n    c = 0 if c is None else c"
    return f"def program(a, b, x, xs):\n    items = [{items}]\n    {use}\n    return c, len(items)\n"


def _bindings(rng: random.Random) -> str:
    value = rng.choice(["a", "b", "x", "i", "(a, i)", "xs", "[a, b]", "a > b"])
    steps = {
        "(": "(s[1], s[0] + 1)",
        "[": "[s[1], s[0]]",
        ">": "not s",
    }
    step = next((steps[key] for key in steps if key in value), "s + 1")
    test = rng.choice(["i == 0", "i == 1", "i % 2 == 0", "i >= b % 3", "i == a % 3", "x > i"])
    bind, read = f"s = {value}", rng.choice([f"s = {step}", f"s = {step}", "t = t + 1; u = s", f"u = s; s = {value}"])
    if rng.random() < 0.2:
        read = "if b > 2:\n    " + read.replace("; ", "\n    ")
    shapes = [
        f"if {test}:\n    {bind}\nelse:\n{_in(read)}",
        f"if {test}:\n    {bind}\n{read}",
        f"if {test}:\n    {bind}\nelif i > 3:\n{_in(read)}",
        f"{read}\nif {test}:\n    {bind}",
        f"if {test}:\n    {bind}\n    t = t + 2\n    continue\n{read}",
        f"if {test}:\n    {bind}\nif t + i > 2:\n{_in(read)}",
        f"if {test}:\n    for j in ag.range(b % 3):\n        {bind}\nelse:\n{_in(read)}",
    ]
    body = rng.choice(shapes)
    is_read_behind = rng.random() < 0.3  # alone: nothing in the loop reads it
    if is_read_behind:
        body = rng.choice((f"if {test}:\n    {bind}", f"if {test}:\n    {bind}\n    t = t + 2\nelse:\n    t = t + i"))
    if rng.random() < 0.15:
        body = f"for k in ag.range(2):\n{_in(body)}"
    bound = "u = s\n" if is_read_behind or rng.random() < 0.3 and value in "abxi" else ""
    within = body.replace("continue", "i = i + 1; continue")
    loop = rng.choice(
        [
            f"for i in {rng.choice(_STARTS[:3])}:\n{_in(body)}",
            f"i = 0\nwhile i < {rng.choice(['a', 'b % 4', '3'])}:\n{_in(within)}\n    i = i + 1",
            f"for i, d in enumerate(xs):\n{_in(body)}",
        ]
    )
    start = f"t = 0\nu = {value.replace('i', '0') if 'i' in value else value}\n"
    return "def program(a, b, x, xs):\n" + _in(f"{start}{loop}\n{bound}return t, u") + "\n"


def _in(text: str) -> str:
    return "\n".join("    " + line for line in text.split("\n"))
