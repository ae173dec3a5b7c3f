"""Comments of the author's function in the source of its staged body.

Neither `ast` nor gast knows comments, so they are put back by position: each generated statement carries the line of
the author's statement it comes from. A comment on a line of its own goes before the first statement that comes from a
later line; one behind code goes to the line of the first statement that comes from that line.

>>> author = "if a:  # test\\n    # why\\n    b()\\n"
>>> generated = "def body():\\n    b()\\nif_stmt(a, body)"
>>> origins = [1, 3, 1]
>>> print(with_comments(generated, origins, comments_of(author, 1)))
def body():  # test
    # why
    b()
if_stmt(a, body)
"""

import ast
import io
import tokenize
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from autograph.modules.module_source import LINE_END


@dataclass(frozen=True)
class Comment:
    """A comment, the line it stands on, and whether code stands before it."""

    line: int
    text: str
    behind_code: bool


def comments_of(source: str, first_line: int) -> list[Comment]:
    """Returns the comments of a part of a file that begins at `first_line`."""
    found: list[Comment] = []
    tokens = tokenize.generate_tokens(io.StringIO(LINE_END.sub("\n", source)).readline)
    try:
        for token in tokens:
            if token.type == tokenize.COMMENT:
                behind_code = bool(token.line[: token.start[1]].strip())
                found.append(Comment(token.start[0] + first_line - 1, token.string, behind_code))
    except (tokenize.TokenError, IndentationError):
        pass  # the part ends inside its block; all its comments have been seen
    return found


def origins_of(statements: Sequence[ast.stmt]) -> list[int]:
    """Returns the author's line of each statement, in the order in which `ast.unparse` writes them."""
    return [statement.lineno for statement in _in_order(statements)]


def _in_order(statements: Sequence[ast.stmt]) -> list[ast.stmt]:
    ordered: list[ast.stmt] = []
    for statement in statements:
        ordered.append(statement)
        for _, value in ast.iter_fields(statement):
            for child in value if isinstance(value, list) else ():
                if isinstance(child, ast.stmt):
                    ordered += _in_order([child])
                elif isinstance(child, ast.ExceptHandler | ast.match_case):
                    ordered += _in_order(child.body)
    return ordered


def with_comments(generated: str, origins: Sequence[int], comments: Sequence[Comment]) -> str:
    """Returns the generated source with the comments in it.

    Args:
        generated: what `ast.unparse` wrote; its statements, in order, come from the lines `origins`.
    """
    if not comments:
        return generated
    statements = _in_order(ast.parse(generated).body)
    assert len(statements) == len(origins)
    before: defaultdict[int, list[str]] = defaultdict(list)
    behind: defaultdict[int, list[str]] = defaultdict(list)
    after: list[str] = []
    for comment in comments:
        if comment.behind_code and (earlier := [origin for origin in origins if origin <= comment.line]):
            same = [s for s, origin in zip(statements, origins, strict=True) if origin == max(earlier)]
            # Behind the header of a loop it goes to the function that the loop's body became.
            behind[next((s for s in same if hasattr(s, "body")), same[0]).lineno].append(comment.text)
        elif later := [origin for origin in origins if origin > comment.line]:
            before[_first_line(statements[origins.index(min(later))])].append(comment.text)
        else:
            after.append(comment.text)
    result = []
    for number, line in enumerate(generated.split("\n"), 1):
        indentation = line[: len(line) - len(line.lstrip(" "))]
        result += [indentation + text for text in before[number]]
        texts = behind[number]
        if line.rstrip() and texts and _ends_statement_line(statements, number):
            line = "  ".join([line, *texts])
        else:
            result += [indentation + text for text in texts]
        result.append(line)
    return "\n".join(result + after)


def _first_line(statement: ast.stmt) -> int:
    decorators = getattr(statement, "decorator_list", None)
    return decorators[0].lineno if decorators else statement.lineno


def _ends_statement_line(statements: Sequence[ast.stmt], line: int) -> bool:
    """Whether no string goes on into the next line: a comment there would be part of its value."""
    for statement in statements:
        if statement.lineno == line and not hasattr(statement, "body"):
            return statement.end_lineno == line
    return True
