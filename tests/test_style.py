"""The sentences of the library keep the rules of `tests/style.py`: no new offence, and the list of today's gets shorter."""

import ast
import textwrap
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests import style

FILES: dict[str, list[str]] = {}
"""The checked files in groups, of which each takes less than a second."""
for name in style.files():
    FILES.setdefault("/".join(name.split("/")[:-1][:2]), []).append(name)


@pytest.mark.parametrize("folder", FILES)
def test_no_file_has_more_offences_than_the_list_says_and_none_has_fewer(folder: str) -> None:
    files = FILES[folder]
    found = [offence for file in files for offence in style.of_file(file)]
    now, listed = style.counted(found), style.listed()
    worse = [
        f"{file}: {rule}: {listed[rule, file]} listed, {now[rule, file]} found"
        for rule, file in now
        if now[rule, file] > listed[rule, file]
    ]
    assert not worse, "Rewrite what is new; `python -m tests.style FILE` shows what there is:\n" + "\n".join(worse)
    better = [
        f"{file}: {rule}: {listed[rule, file]} listed, {now[rule, file]} found"
        for rule, file in listed
        if file in files and now[rule, file] < listed[rule, file]
    ]
    assert not better, "The list gets shorter: run `python -m tests.style --write`.\n" + "\n".join(better)


def test_the_list_is_in_order_and_has_only_files_that_exist() -> None:
    assert style.DEBTS.read_text(encoding="utf-8") == style.written(style.listed())
    assert {file for _, file in style.listed()} <= set(style.files())
    assert all(number > 0 for number in style.listed().values())


def test_writing_the_list_raises_no_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(style, "DEBTS", tmp_path / "debts.txt")
    monkeypatch.setattr(style, "files", lambda: ["a.py", "b.py"])
    monkeypatch.setattr(style, "of_file", lambda file: [style.Offence("words", file, 1, "text")] * 2)
    style.main(["--write"])
    assert style.DEBTS.read_text() == "words a.py 2\nwords b.py 2\n"
    style.DEBTS.write_text("words a.py 3\nwords b.py 1\nwords c.py 1\n")
    style.main(["--write"])
    assert style.DEBTS.read_text() == "words a.py 2\nwords b.py 1\n"


def opening(docstring: str, returns: str = "str", decorator: str = "") -> bool:
    """Whether the docstring is an offence."""
    function = f'def f() -> {returns}:\n    """{docstring}"""\n'
    return style.of_opening(ast.parse((f"@{decorator}\n" if decorator else "") + function).body[0]) is not None


@pytest.mark.parametrize(
    "docstring",
    [
        "Returns the name of a file.",
        "Runs it; what it writes is undone.",
        "Assigns to it.",
        "Names what stands there.",
        "Passes it on.",
        "Whether it is an array, if that is known.",
        "`a < b` as a call.",
    ],
)
def test_a_verb_whether_or_code_may_come_first(docstring: str) -> None:
    assert not opening(docstring)


@pytest.mark.parametrize(
    "docstring",
    [
        "What a message calls a file.",
        "Which files are read.",
        "How many lines there are.",
        "Those of `names` that mean it.",
        "Of what it was handed.",
        "That of the function.",
        "The name of a file.",
        "A name.",
        "Names of all functions.",
        "Arrays that it returns.",
        "This returns a name.",
        "As the function.",
        "Class of the object.",
    ],
)
def test_anything_else_may_not(docstring: str) -> None:
    assert opening(docstring)


def test_a_predicate_says_whether() -> None:
    assert opening("Returns the answer.", "bool")
    assert not opening("Whether it is one.", "bool")
    assert not opening("Writes it; returns whether that was new.", "bool")


def test_a_property_may_begin_with_a_noun_and_a_function_without_a_docstring_is_none_of_this_rule() -> None:
    assert not opening("The name.", decorator="property")
    assert not opening("The name.", decorator="functools.cached_property")
    assert opening("The name.", decorator="functools.cache")
    assert style.of_opening(ast.parse("def f(): return 1").body[0]) is None


WRONG = [
    "the text of a line",
    "two texts",
    "its truth value",
    "in the\nplace of another",
    "one of several",
    "a bool of Python's",
    "an array of NumPy's, which",
    "a function of JAX's that",
    "all but for those",
    "left as it is",
    "they stay as they are.",
]
RIGHT = [
    "a text file, as plain text in a text editor",
    "the rules of Python's grammar",
    "`text` and ``one of several``",
    "as far as they are known",
    "as it is called",
    "the context",
]


@pytest.mark.parametrize("words", WRONG)
def test_words_are_found_in_docstrings_comments_messages_and_pages(words: str) -> None:
    indented = words.replace("\n", "\n    ")
    one_line = words.replace("\n", " ")
    commented = words.replace("\n", "\n    # ")
    for source in (
        f'"""Says: {words}"""',
        f'def f():\n    """Says: {indented}"""',
        f"def f():\n    # says: {commented}\n    pass",
        f"x = 1  # says: {one_line}",
        f'raise_error("Sorry, not this: {one_line}")',
        f'raise_error(f"Sorry, not {{this}}: {one_line}")',
    ):
        assert rules(style.of_code(source, "autograph/a.py")) == ["words"], source
    for page in (f"Says: {words}", f"* says: {words}", f"| a | {one_line} |", f"# Says {one_line}"):
        assert rules(style.of_page(page, "docs/a.md")) == ["words"], page


@pytest.mark.parametrize("words", RIGHT)
def test_other_words_are_not(words: str) -> None:
    assert not list(style.of_code(f'"""Says: {words}"""\n# {words}\nprint("Sorry, not {words}")', "autograph/a.py"))
    assert not list(style.of_page(words, "docs/a.md"))


def test_code_is_not_prose() -> None:
    source = '''
        text = "the text"
        template = "text = $text, or the text"
        program = """
            # the text
        """
        def text(text):
            """Returns it.

            >>> print("the text")
            the text
            """
        '''
    assert not list(style.of_code(textwrap.dedent(source), "autograph/a.py"))
    assert not list(style.of_page("Run:\n\n```python\nthe text\n```\n\n    the text\n", "docs/a.md"))


def test_an_offence_has_its_line() -> None:
    source = '"""A module.\n\nIts text.\n"""\n\nx = 1\n# a comment\n# with a text\n'
    assert [o.line for o in style.of_code(source, "autograph/a.py")] == [3, 8]
    assert [o.line for o in style.of_page("# A page\n\n```\ncode\n```\n\nA line,\nand a text.\n", "docs/a.md")] == [8]


def test_a_sentence_has_at_most_35_words_and_20_on_average() -> None:
    assert lengths("word " * 36) == {"long": 1, "average": 16}
    assert lengths("word " * 35) == {"average": 15}
    assert lengths("word " * 20) == {}
    assert lengths("Word " * 25 + ". " + "Word " * 15 + ".") == {}
    assert lengths("* " + "word " * 30 + "\n* " + "word " * 10) == {}
    assert lengths("Word " * 30 + "`code of many words` [a link](of/a/page.md#with-a-title) " + "word " * 4) == {
        "long": 1,
        "average": 17,
    }
    for no_sentence in (
        "| " + "word " * 40,
        "# " + "word " * 40,
        "    " + "word " * 40,
        "```\n" + "word " * 40 + "\n```",
    ):
        assert lengths(no_sentence) == {}


def test_where_a_sentence_ends() -> None:
    assert style.sentences('A. B! "C?" D (e. g. this). `x` is F: g; h.\n   I') == [
        "A.",
        "B!",
        '"C?"',
        "D (e. g. this).",
        "`X` is F: g; h.",
        "I",
    ]


def rules(found: Iterable[style.Offence]) -> list[str]:
    """Returns the names of the rules."""
    return [offence.rule for offence in found]


def lengths(page: str) -> dict[str, int]:
    """Returns the offences of a page by rule."""
    return {rule: number for (rule, _), number in style.counted(style.of_page(page, "docs/a.md")).items()}
