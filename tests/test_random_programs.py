"""Random programs: conversion equals Python or raises by name. The long run is `python -m tests.random_programs`."""

import ast
import pathlib

import jax.numpy as jnp
import pytest
from hypothesis import given, settings, strategies as st

from tests import catalogue
from tests.random_programs import execution, families, grammar, inexpressible, search, shrinking

Folders = pytest.TempPathFactory


@pytest.mark.slow
@settings(max_examples=45, deadline=None, derandomize=True, database=None)
@given(seed=st.integers(0, 10**6), level=st.sampled_from([1, 2, 3, 6]))
def test_traced_programs_equal_python_or_refuse(seed: int, level: int, tmp_path_factory: Folders) -> None:
    result = search.run_one(seed, level, tmp_path_factory.mktemp("programs"))
    assert result.outcome.kind in search.ALLOWED, grammar.write_program(seed, level) + result.outcome.detail


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(seed=st.integers(0, 10**6))
def test_jumps_in_every_place(seed: int, tmp_path_factory: Folders) -> None:
    result = search.run_one(seed, 5, tmp_path_factory.mktemp("programs"), plain=True)
    assert result.outcome.kind in search.ALLOWED, grammar.write_program(seed, 5) + result.outcome.detail


@pytest.mark.slow
@settings(max_examples=25, deadline=None, derandomize=True, database=None)
@given(seed=st.integers(0, 10**6), level=st.sampled_from([1, 2, 3, 6]))
def test_programs_on_plain_values_equal_python(seed: int, level: int, tmp_path_factory: Folders) -> None:
    result = search.run_one(seed, level, tmp_path_factory.mktemp("programs"), plain=True)
    assert result.outcome.kind in search.ALLOWED, grammar.write_program(seed, level) + result.outcome.detail


@pytest.mark.parametrize("family", sorted(families.FAMILIES))
def test_a_program_of_each_family_equals_python_or_refuses(family: str, tmp_path: pathlib.Path) -> None:
    text = search.Kind((8,), family=family).write(0)
    outcome = execution.compare(text, grammar.write_inputs(0), tmp_path)
    assert outcome.kind in search.ALLOWED, text + outcome.detail


def test_a_wrong_answer_is_noticed(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "def program(a, b, x, xs):\n    return a + b\n"
    assert execution.compare(text, [(1, 2, 0.0, [0])], tmp_path).kind == "equal"
    monkeypatch.setattr(execution.ag, "jit", lambda fn: lambda a, b, x, xs: jnp.int32(4))
    assert execution.compare(text, [(1, 2, 0.0, [0])], tmp_path).kind == "WRONG"


def test_an_error_that_is_not_ours_is_a_crash(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(fn: object) -> object:
        def run(*args: object) -> object:
            raise KeyError("inside")

        return run

    monkeypatch.setattr(execution.ag, "jit", broken)
    outcome = execution.compare("def program(a, b, x, xs):\n    return a\n", [(1, 2, 0.0, [0])], tmp_path)
    assert (outcome.kind, outcome.category) == ("crash", "KeyError: …")


def test_a_refusal_is_one_where_python_raises_as_well(tmp_path: pathlib.Path) -> None:
    text = """
def program(a, b, x, xs):
    if a > 0:
        raise ValueError
    if b > 0:
        late = 1
    return late
"""
    assert execution.compare(text, [(1, 2, 0.0, [0])], tmp_path).kind == "refused"


def test_a_refusal_that_is_expected_is_counted_apart(tmp_path: pathlib.Path) -> None:
    text = "def program(a, b, x, xs):\n    other = xs\n    xs[0] = a\n    return other + 1\n"
    for program, kind in ((text, "refused"), (f"# refused: an alias\n{text}", "by design")):
        assert execution.compare(program, [(1, 2, 0.0, [0])], tmp_path).kind == kind
    equal = "# refused: nothing\ndef program(a, b, x, xs):\n    return a\n"
    assert execution.compare(equal, [(1, 2, 0.0, [0])], tmp_path).kind == "equal"


def test_programs_that_python_refuses_are_skipped(tmp_path: pathlib.Path) -> None:
    outcome = execution.compare("def program(a, b, x, xs):\n    return nothing\n", [(1, 2, 0.0, [0])], tmp_path)
    assert outcome.kind == "skip"


@pytest.mark.parametrize("level", [1, 2, 3, 5, 6])
def test_programs_are_python_and_differ(level: int) -> None:
    texts = {grammar.write_program(seed, level) for seed in range(50)}
    assert len(texts) > 45
    for text in texts:
        ast.parse(text)


def test_the_same_seed_writes_the_same_program() -> None:
    assert grammar.write_program(5, 3) == grammar.write_program(5, 3)


def test_shrinking_keeps_only_what_fails() -> None:
    text = grammar.write_program(7, 2)
    assert "while" in text
    small = shrinking.shrink(text, lambda t: "while" in t, attempts=3000)
    assert len(small.splitlines()) <= 3, small


@pytest.mark.parametrize("name", sorted(inexpressible.STATEMENTS))
def test_what_cannot_be_expressed_is_refused_by_name(name: str, tmp_path: pathlib.Path) -> None:
    outcome = execution.compare(inexpressible.alone(name), grammar.write_inputs(1), tmp_path)
    assert (outcome.kind, search.page_of(outcome)) == ("refused", inexpressible.STATEMENTS[name][2]), outcome.detail


@pytest.mark.parametrize("name", ["loop-changes-shape", "caught-exception", "unbound-variable", "list-grows-in-a-loop"])
def test_a_refusal_is_counted_under_its_page(name: str) -> None:
    message = catalogue.without_further_cases()[name].message
    renamed = message.replace("'x'", "'w3'").replace("'factor'", "'z1'").replace("'out'", "'m'")
    assert search.page_of(execution.Outcome("refused", renamed, execution.category_of(renamed))) == name
