"""Row 31: the guides' timed functions give the same results eagerly and as graphs; their times are in `benchmarks/guides.py`.

Row 32: the pages of the guide. What their programs print is compared by `tests/test_docs.py`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag


@pytest.fixture
def guides(monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[2] / "benchmarks"))
    import guides

    yield guides
    for name in ("guides", "measure"):
        sys.modules.pop(name, None)


@pytest.mark.slow
def test_row_31_power_and_the_dense_model(guides: object) -> None:
    x = jax.random.randint(jax.random.key(1), (10, 10), -1, 2, jnp.int32)
    power, model = guides.power, guides.SequentialModel()  # type: ignore[attr-defined]
    assert np.array_equal(ag.function(power)(x, 100), power(x, 100))
    images = jax.random.uniform(jax.random.key(2), (60, 28, 28))
    assert np.allclose(ag.function(model)(images), model(images), atol=1e-5)


@pytest.mark.parametrize(
    ("question", "page", "title"),
    [
        ("what to put under a function", "functions", "## What to put under a function"),
        ("when tracing happens", "tracing", "# What is traced, and when"),
        ("what is static", "functions", "## What is traced"),
        ("what is static for ag.jit", "tracing", "## Python values and arrays"),
        ("what to do when something is refused", "getting_started", "## When something is refused"),
        ("what to do about a message", "errors", "# Errors, and what to write instead"),
    ],
)
def test_row_32_a_page_of_the_guide_answers(question: str, page: str, title: str) -> None:
    docs = Path(__file__).resolve().parents[2] / "docs"
    assert title in (docs / f"{page}.md").read_text(encoding="utf-8").splitlines()
    assert f"\n{page}\n" in (docs / "index.md").read_text(encoding="utf-8")  # the site leads to it
