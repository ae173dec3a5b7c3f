"""The sentences of the library and of its documentation, checked by four rules; `tests/style_debts.txt` lists today's offences.

`python -m tests.style FILE...` prints each offence with its line. `python -m tests.style --write` lowers the numbers of the list to
those of today. It raises none; if there is no list, it writes a new one. The rules:

* `opening`: the docstring of a library's function begins with a verb ("Returns"), that of a predicate with "Whether". That of a
  property may begin with a noun. Code in backticks may come first, where the function stands for this expression.
* `words`: docstrings, comments, messages and pages have the words of Python's documentation: `WORDS` lists the others.
* `long`: no sentence of a page has more than 35 words. A table, a title or code is not a sentence; code in backticks is one word.
* `average`: the sentences of a page have 20 words on average. The number is that of the words beyond.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
DEBTS = ROOT / "tests" / "style_debts.txt"
LONGEST, AVERAGE = 35, 20

WORDS = re.compile(
    r"""
    \b(?<!plain\s) texts? \b (?! \s+ (?:file|editor|mode)s?\b)
    | \b truth \s+ values? \b
    | \b in \s+ the \s+ place \s+ of \b
    | \b one \s+ of \s+ several \b
    | \b of \s+ (?:Python|JAX|NumPy)'s (?= \s* (?: $ | \| ) | [.,;:)?!]
        | \s+ (?:is|are|was|that|which|and|or|in|on|as|for|to|where|when|with)\b)
    | \b but \s+ for \b
    | (?<!far\s)(?<!long\s)(?<!soon\s)(?<!much\s) \b as \s+ (?:it \s+ is|they \s+ are) \b (?! \s+ \w+(?:ed|en|wn)\b)
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""What a reader would not search for: say string, bool, instead of, one of two, a Python number, except, unchanged."""

PLURALS = """
    Arguments Arrays Assumptions Attributes Axes Blocks Booleans Bounds Branches Bytes Cells Characters Classes Columns
    Conditions Constants Containers Elements Equations Errors Exceptions Expressions Fields Files Functions Globals
    Integers Items Iterations Iterators Lambdas Lines Lists Locations Messages Methods Modules Nodes Numbers
    Objects Operands Operations Operators Options Pairs Paths Positions Programs Rows Sentences Sides Slots Statements
    Strings Structures Things Tokens Tracers Tuples Units Values Variables Words
""".split()
"""Nouns that end as a verb of the third person does."""

NOUN = re.compile(
    rf"(?:{'|'.join(PLURALS)})\b|(?:Calls|Changes|Effects|Keys|Leaves|Loops|Names|Places|Results|Shapes|Sizes|States|Steps|Traces|Types)"
    r" (?:of|that|which|whose|by|in|and|with|from|to)\b"
)
"""Those, and words that are a noun before an "of" and a verb before a noun."""

VERB = re.compile(r"(?!(?:This|As|Always|Is|Its|Thus)\b)[A-Z][a-z]*[a-rt-z]s\b")
PREDICATE = re.compile(r"\bwhether\b|\bTrue\b|\bFalse\b", re.IGNORECASE)
PROPERTY = re.compile(r"property|\.setter$")
COMMENT = re.compile(r"(?:^\s*|  )# (.*)")
CODE = re.compile(r"``.+?``|`[^`]+`")
FENCE = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
BLOCK = re.compile(r"\s*\||#|\s*(?:[*-]|\d+\.) ")


class Offence(NamedTuple):
    """A place that breaks a rule, with the words that do."""

    rule: str
    file: str
    line: int
    words: str
    number: int = 1


def files() -> list[str]:
    """Returns the checked files: the modules of the library, those that its users see, and the pages except the change log."""
    found = [ROOT / "autograph_pytest.py", ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    for folder in ("autograph", "converters", "runtime", "examples", "benchmarks"):
        found += (ROOT / folder).rglob("*.py")
    names = (path.relative_to(ROOT).as_posix() for path in found)
    return sorted(
        name for name in names if not name.startswith(("autograph/converters/", "autograph/runtime/"))
    )  # links to the folders


def of_file(file: str) -> list[Offence]:
    """Returns the offences of a file."""
    content = (ROOT / file).read_text(encoding="utf-8")
    return list(of_page(content, file) if file.endswith(".md") else of_code(content, file))


def of_code(source: str, file: str) -> Iterator[Offence]:
    """Yields the offences of a module; only functions of the library must begin with a verb."""
    library = file.startswith(("autograph", "converters", "runtime"))
    strings: list[tuple[ast.expr, str]] = []
    parts: set[ast.expr] = set()
    docstrings: set[ast.expr] = set()
    for node in ast.walk(ast.parse(source)):  # a node before its children
        if isinstance(node, ast.JoinedStr):
            parts.update(node.values)
            strings.append(
                (node, "".join(str(part.value) if isinstance(part, ast.Constant) else "`x`" for part in node.values))
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in parts:
            strings.append((node, node.value))
        elif isinstance(node, ast.Expr):
            docstrings.add(node.value)
        elif library and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (words := of_opening(node)):
            yield Offence("opening", file, node.body[0].lineno, words)
    lines_of_strings: set[int] = set()
    for node, string in strings:
        if node.end_lineno != node.lineno:
            lines_of_strings.update(range(node.lineno, (node.end_lineno or 0) + 1))
        if node in docstrings:
            yield from of_words(without_programs(string), file, node.lineno)
        elif library and is_message(string):
            yield from of_words(string, file, node.lineno)
    for line, comment in comments(source, lines_of_strings):
        yield from of_words(comment, file, line)


def of_opening(function: ast.FunctionDef | ast.AsyncFunctionDef) -> str | None:
    """Returns the first words of a docstring that begins neither with a verb nor, for a predicate, with "Whether"."""
    docstring = ast.get_docstring(function)
    if (
        not docstring
        or docstring.startswith(("`", "Whether "))
        or any(map(PROPERTY.search, map(ast.unparse, function.decorator_list)))
    ):
        return None
    good = bool(VERB.match(docstring)) and not NOUN.match(docstring)
    if good and function.returns is not None and ast.unparse(function.returns) == "bool":
        good = bool(PREDICATE.search(docstring))  # the function does something, and the docstring says what it returns
    return None if good else " ".join(docstring.split()[:4])


def without_programs(docstring: str) -> str:
    """Returns a docstring with empty lines instead of its programs, each up to the next empty line."""
    lines, program = [], False
    for line in docstring.split("\n"):
        program = line.lstrip().startswith(">>>") or (program and bool(line.strip()))
        lines.append("" if program else line)
    return "\n".join(lines)


def is_message(string: str) -> bool:
    """Whether a string is for a reader: it has three words, and is not code for a template."""
    return string.count(" ") > 1 and not re.search(r"ag__|\$\w|\n {4}", string)


def comments(source: str, others: set[int]) -> Iterator[tuple[int, str]]:
    """Yields the comments outside of some lines; those of consecutive lines are one."""
    first, lines = 0, list[str]()
    for number, line in enumerate(source.split("\n"), 1):
        comment = COMMENT.search(line) if "#" in line and number not in others else None
        if comment and first + len(lines) == number:
            lines.append(comment[1])
            continue
        if lines:
            yield first, "\n".join(lines)
        first, lines = number, [comment[1]] if comment else []
    if lines:
        yield first, "\n".join(lines)


def of_words(prose: str, file: str, line: int) -> Iterator[Offence]:
    """Yields the words of `WORDS` in prose that begins at a line; code in backticks does not count."""
    prose = CODE.sub(lambda code: re.sub(r"[^\n]", "_", code[0]), prose)
    for match in WORDS.finditer(prose):
        yield Offence("words", file, line + prose.count("\n", 0, match.start()), " ".join(match[0].split()))


def of_page(page: str, file: str) -> Iterator[Offence]:
    """Yields the offences of a page in Markdown."""
    lengths = []
    for line, kind, block in blocks(page):
        yield from of_words(block, file, line)
        for sentence in sentences(block) if kind == "prose" else ():
            lengths.append(length := sum(bool(re.search(r"\w", word)) for word in sentence.split()))
            if length > LONGEST:
                yield Offence("long", file, line, f"{length} words: {sentence[:60]}...")
    if (beyond := sum(lengths) - AVERAGE * len(lengths)) > 0:
        yield Offence("average", file, 1, f"{sum(lengths) / len(lengths):.1f} words a sentence", beyond)


def blocks(page: str) -> Iterator[tuple[int, str, str]]:
    """Yields the paragraphs, items, table rows and titles of a page: the first line, the kind, and what stands there."""
    page = FENCE.sub(lambda fence: "\n" * fence[0].count("\n"), page)
    first, kind, lines = 0, "", list[str]()
    for number, line in enumerate([*page.split("\n"), ""], 1):
        begins = BLOCK.match(line)
        if lines and (begins or kind != "prose" or not line.strip()):
            yield first, kind, "\n".join(lines)
            lines = []
        if not line.strip() or (not lines and line.startswith("    ") and not begins):
            continue  # code is indented by four
        if not lines:
            first, kind = (
                number,
                "table" if line.lstrip().startswith("|") else "title" if line.startswith("#") else "prose",
            )
        lines.append(line)


def sentences(paragraph: str) -> list[str]:
    """Returns the sentences of a paragraph, with code as one word and links as what is shown of them."""
    shown = re.sub(r"\*\*|^\s*(?:[*-]|\d+\.) ", "", LINK.sub(r"\1", CODE.sub("`X`", paragraph)))
    return re.split(r"(?:(?<=[.!?])|(?<=[.!?][\"')])) (?=[\"'(`A-Z0-9])", " ".join(shown.split()))


def counted(found: Iterable[Offence]) -> Counter[tuple[str, str]]:
    """Returns how often each file breaks each rule."""
    counts = Counter[tuple[str, str]]()
    for offence in found:
        counts[offence.rule, offence.file] += offence.number
    return counts


def written(counts: Counter[tuple[str, str]]) -> str:
    """Returns the list of debts: a line for each rule and file."""
    return "".join(f"{rule} {file} {counts[rule, file]}\n" for rule, file in sorted(counts))


def listed() -> Counter[tuple[str, str]]:
    """Returns the debts that the list has."""
    rows = (line.split() for line in DEBTS.read_text(encoding="utf-8").splitlines())
    return Counter({(rule, file): int(count) for rule, file, count in rows})


def main(arguments: list[str]) -> None:
    """Shortens the list, or prints the offences: all, or those of the files whose names begin with an argument."""
    write = arguments == ["--write"]
    prefixes = () if write else tuple(arguments)
    found = [offence for file in files() if not prefixes or file.startswith(prefixes) for offence in of_file(file)]
    if write:
        counts = counted(found)
        DEBTS.write_text(
            written(counts & listed() if DEBTS.exists() else counts), encoding="utf-8"
        )  # the smaller of two numbers
        return
    for offence in found:
        print(f"{offence.file}:{offence.line}: {offence.rule}: {offence.words}")


if __name__ == "__main__":
    main(sys.argv[1:])
