"""What to write in the place of an f-string that needs the digits of a traced value.

>>> debug_print('print(f"loss {loss:.3f} of {n!r:>3}")')
"jax.debug.print('loss {:.3f} of {!r:>3}', loss, n)"
"""

from __future__ import annotations

import ast


def debug_print(line: str) -> str:
    """The call that shows what the f-string of a line shows; empty where it is not one plain f-string in one line."""
    try:
        found = [node for node in ast.walk(ast.parse(line.strip())) if isinstance(node, ast.JoinedStr)]
    except (SyntaxError, ValueError):
        return ""
    inside = [node.format_spec for whole in found for node in whole.values if isinstance(node, ast.FormattedValue)]
    whole = [node for node in found if node not in inside]
    if len(whole) != 1 or any(
        isinstance(node, ast.FormattedValue) for spec in inside if spec for node in ast.walk(spec)
    ):
        return ""
    text, values = "", []
    for part in whole[0].values:
        if isinstance(part, ast.FormattedValue):
            conversion = "" if part.conversion < 0 else f"!{chr(part.conversion)}"
            spec = "" if part.format_spec is None else f":{_constant(part.format_spec)}"
            text += f"{{{conversion}{spec}}}"
            values.append(ast.unparse(part.value))
        else:
            text += _constant(part).replace("{", "{{").replace("}", "}}")
    return f"jax.debug.print({', '.join([repr(text), *values])})"


def _constant(text: ast.expr) -> str:
    """What a text without fields says."""
    return "".join(str(part.value) for part in ast.walk(text) if isinstance(part, ast.Constant))
