"""The page: it holds all that it needs, and nothing of the user's strings is more than text."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import jax.numpy as jnp

import autograph as ag
from autograph.graphs import page
from tests.graphs import programs


class Loads(HTMLParser):
    """What a page would load, and how many elements of each name it has."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.elements: dict[str, int] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements[tag] = self.elements.get(tag, 0) + 1
        self.found += [f"{tag} {name}" for name, _ in attrs if name in ("src", "href", "srcset", "data", "action")]


def data_of(text: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_row_28_the_page_loads_nothing() -> None:
    text = ag.graph(programs.network, *programs.NETWORK).to_html()
    loads = Loads()
    loads.feed(text)
    assert loads.found == [] and loads.elements["script"] == 3
    assert not re.search(
        r"@import|url\((?!#)|\bfetch\(|XMLHttpRequest|importScripts|https?://(?!www\.w3\.org/2000/svg)", text
    )
    assert "default-src 'none'" in text


def test_the_layout_library_comes_with_its_licence() -> None:
    folder = Path(page.__file__).parent / "viewer"
    assert "Permission is hereby granted" in (folder / "dagre.LICENSE").read_text(encoding="utf-8")
    assert "Permission is hereby granted" in (folder / "dagre.min.js").read_text(encoding="utf-8")


def test_the_string_of_the_user_ends_no_element() -> None:
    def f(x: Any) -> Any:
        return x + len("</script><script>alert(1)</script><!--")

    text = ag.graph(f, 1.0).to_html()
    loads = Loads()
    loads.feed(text)
    assert loads.elements["script"] == 3 and "alert(1)</script>" not in text
    assert any("</script><script>alert(1)</script><!--" in line for _, _, line in data_of(text)["sources"])


def test_the_name_of_a_function_is_text() -> None:
    graph = ag.Graph("<b>$data", ag.graph(lambda x: x + 1, 1.0)._traced)
    assert "<title>&lt;b&gt;$data</title>" in graph.to_html()


def test_notebooks_show_the_page_in_a_frame_of_its_own() -> None:
    shown = ag.graph(programs.branches, 1.0)._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-scripts"') and shown.count("<") == 2


def test_every_node_has_its_line_and_its_scope() -> None:
    data = data_of(ag.graph(programs.branches, 1.0).to_html())
    statement = next(node for node in data["root"]["c"] if node["n"].startswith("if@"))
    assert [branch["n"] for branch in statement["c"]] == ["true", "false"] and statement["k"] == "if"
    sine = statement["c"][0]["c"][0]
    assert sine["n"] == "sin" and data["sources"][sine["s"]][2] == "y = jnp.sin(x) * halved(x)"
    assert data["values"]["sin"] == "float32[]"


def _levels(node: dict[str, Any]) -> list[dict[str, Any]]:
    return [node, *(level for child in node.get("c", ()) for level in _levels(child))] if "c" in node else []


def test_many_parts_are_divided_into_runs() -> None:
    levels = _levels(data_of(ag.graph(programs.large, 1.0).to_html())["root"])
    assert max(len(level["c"]) for level in levels) <= page.MOST
    assert sum("c" not in child for level in levels for child in level["c"]) == 5000
    for level in levels:  # what a run reads is made before it, or comes from around it
        known = set(level["i"])
        for child in level["c"]:
            assert {name for name in child["in"] if name[0] != "="} <= known
            known |= set(child["out"])
        assert set(level["o"]) <= known


def test_an_array_in_the_program_is_no_text() -> None:
    table = jnp.arange(1000.0)
    data = data_of(ag.graph(lambda x: table[x], 3).to_html())
    assert all(len(text) <= 200 for node in _nodes(data["root"]) for text in node.get("a", {}).values())


def _nodes(node: dict[str, Any]) -> list[dict[str, Any]]:
    return [node, *(found for child in node.get("c", ()) for found in _nodes(child))]
