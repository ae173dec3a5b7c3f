"""How generated statements are laid out in a file: its indentation, nothing moved inside strings.

>>> print(laid_out("if a:\\n    b = '''x\\n    y'''", prefix="\\t", unit="\\t").replace("\\t", "|--> "))
|--> if a:
|--> |--> b = '''x
    y'''
"""

import io
import tokenize

# A string over several lines is one token; since Python 3.12 an f-string is a sequence of tokens.
_FSTRING_START = getattr(tokenize, "FSTRING_START", None)
_FSTRING_END = getattr(tokenize, "FSTRING_END", None)


def laid_out(text: str, prefix: str, unit: str) -> str:
    """Indents the output of `ast.unparse`: `prefix` before every line, `unit` for each of its four spaces.

    Lines that begin inside a string stay as they are: they are part of its value.
    """
    inside = lines_inside_strings(text)
    result = []
    for number, line in enumerate(text.split("\n"), 1):
        code = line.lstrip(" ")
        if number in inside or not code:
            result.append(line)
        else:
            result.append(prefix + unit * ((len(line) - len(code)) // 4) + code)
    return "\n".join(result)


def lines_inside_strings(text: str) -> set[int]:
    """The lines (from 1) that begin inside a string literal."""
    inside: set[int] = set()
    open_fstrings: list[int] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.STRING:
            inside.update(range(token.start[0] + 1, token.end[0] + 1))
        elif token.type == _FSTRING_START:
            open_fstrings.append(token.start[0])
        elif token.type == _FSTRING_END:
            inside.update(range(open_fstrings.pop() + 1, token.end[0] + 1))
    return inside
