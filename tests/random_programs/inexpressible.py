"""Level 7: one statement that no program of fixed shapes and types can hold, in a program of the other levels.

Python's meaning of these needs a list, dict, set, string or class that depends on a number, or a name that some numbers leave
unbound. The other levels leave them out, so that their share of accepted programs says what the library can do; here each
must be refused with its page of `docs/errors` (or be equal, where the condition happens to be known).

>>> sorted(STATEMENTS)[:3]
['closures', 'dict', 'grows']
"""

from __future__ import annotations

from tests.random_programs.expressions import Scope
from tests.random_programs.wild import WildWriter

STATEMENTS: dict[str, tuple[list[str], str, str]] = {
    "unbound": (["if {test}:", "    late = {value}"], "late", "unbound-variable"),
    "length": (
        ["grown = []", "late = grown", "if {test}:", "    grown.append({value})"],
        "len(late)",
        "list-that-one-branch-changes",
    ),
    "closures": (
        ["made = []", "late = made", "if {test}:", "    made.append(lambda: a)"],
        "sum(h() for h in late)",
        "list-that-one-branch-changes",
    ),
    "grows": (["grown = [0]", "for _ in range(abs(b)):", "    grown.append({value})"], "grown", "list-grows-in-a-loop"),
    "dict": (["found = {{'k': 1}}", "if {test}:", "    found['z'] = {value}"], "found", "two-kinds"),
    "set": (["seen = {{1}}", "if {test}:", "    seen.add(7)"], "sorted(seen)", "two-kinds"),
    "range": (["rows = range(3)", "if {test}:", "    rows = range(5)"], "len(rows)", "static-values-differ"),
    "string": (["name = 'up'", "if {test}:", "    name = 'down'"], "len({name, 'x'})", "choice-between-strings"),
    "kind": (["either = 0", "if {test}:", "    either = ({value}, 1)"], "either", "two-objects"),
}
"""By name: the lines, what the program returns of them, and the page of the refusal."""


class InexpressibleWriter(WildWriter):
    """Writes one of `STATEMENTS`."""

    def inexpressible(self, s: Scope) -> str:
        """The lines; gives what the program returns of them."""
        lines, result, _ = STATEMENTS[self.random.choice(sorted(STATEMENTS))]
        for line in lines:
            self.line(line.format(test=self.unknown(), value=f"({self.integer(s, 1)}) % 9"))
        return result

    def unknown(self) -> str:
        """A condition that is traced, whatever stands before it."""
        return f"xs[{self.random.randint(0, 3)}] + b > {self.small()}"


def alone(name: str) -> str:
    """The smallest program with a statement: what stands in front of it in a random one is no part of the reason."""
    lines, result, _ = STATEMENTS[name]
    body = [*(line.format(test="b > 2", value="a") for line in lines), f"return {result}"]
    return "def program(a, b, x, xs):\n" + "\n".join(f"    {line}" for line in body) + "\n"
