"""The lists that a loop body does nothing with but append."""

import pytest

from autograph.analyses.appends import appended_only
from tests.analyses.trees import function_of


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("out.append(x)", "out"),
        ("out.append(x)\nout.append(y)", "out"),
        ("if x:\n    b.append(x)\nelse:\n    a.append(x)", "a b"),
        ("out.append(x)\ny = out", ""),
        ("out.append(len(out))", ""),
        ("a.append(b)\nb.append(1)", "a"),
        ("y = out.append(x)", ""),
        ("out.append(*x)", ""),
        ("out.append(x, y)", ""),
        ("out.append(object=x)", ""),
        ("out.append()", ""),
        ("out.extend(x)", ""),
        ("self.out.append(x)", ""),
        ("out[0].append(x)", ""),
        ("out.append(x)\nout = []", ""),
        ("out.append(x)\ndel out", ""),
        ("out.append(x)\ng = lambda: out", ""),
        ("out.append(lambda: x)", "out"),
        ("for y in x:\n    out.append(y)", "out"),
    ],
)
def test_appended_only(body: str, expected: str) -> None:
    assert " ".join(appended_only(function_of(body).body)) == expected
