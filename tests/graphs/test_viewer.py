"""The page in a browser, where one is installed: it draws, opens and closes scopes, finds, and is quick with 5,000 operations."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import autograph as ag
from tests.graphs import programs

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [pytest.mark.slow, pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")]


def opened(graph: ag.Graph, folder: Path, script: str = "", texts: bool = False, flags: tuple[str, ...] = ()) -> str:
    """The document after it was drawn and a script ran in it."""
    file = folder / "page.html"
    text = graph.to_html(texts)
    file.write_text(text.replace("</body>", f"<script>{script}</script></body>"), encoding="utf-8")
    usual = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--dump-dom"]
    command = [str(BROWSER), *usual, *flags, f"--user-data-dir={folder / 'profile'}", file.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout


def names(document: str) -> list[str]:
    """The names of the nodes that are drawn."""
    return re.findall(r'<text class="name"[^>]*>([^<]*)</text>', document)


def test_row_28_scopes_are_drawn_and_can_be_closed_and_opened(tmp_path: Path) -> None:
    graph = ag.graph(programs.branches, 1.0)
    shown = names(opened(graph, tmp_path))
    assert any(name.startswith("▾ if@") for name in shown) and "sin" in shown
    closed = names(opened(graph, tmp_path, "document.getElementById('collapse').click()"))
    assert any(name.startswith("▸ if@") for name in closed) and "sin" not in closed
    again = """
        document.getElementById('collapse').click();
        document.querySelector('.node.if').dispatchEvent(new MouseEvent('click', { bubbles: true }));
    """
    document = opened(graph, tmp_path, again)
    assert "▸ true" in names(document) and "if x &gt; 0:" in document


def test_row_28_a_search_opens_what_it_finds(tmp_path: Path) -> None:
    script = """
        document.getElementById('collapse').click();
        const query = document.getElementById('query');
        query.value = 'sin';
        query.dispatchEvent(new Event('input'));
        document.getElementById('search').requestSubmit();
    """
    document = opened(ag.graph(programs.branches, 1.0), tmp_path, script)
    assert "sin" in names(document) and re.search(r">1 of \d+</output>", document)
    assert "<pre>y = jnp.sin(x) * halved(x)</pre>" in document


def test_row_28_the_wheel_zooms_and_a_drag_pans(tmp_path: Path) -> None:
    script = """
        const svg = document.querySelector('svg'), box = svg.getBoundingClientRect(), found = [];
        const number = /-?[\\d.]+(e-\\d+)?/g, view = document.getElementById('view');
        const look = () => found.push(view.getAttribute('transform').match(number).map(Number));
        const at = (kind, name, x, y, more) =>
            svg.dispatchEvent(new kind(name, { clientX: box.left + x, clientY: box.top + y, ...more }));
        look();
        at(WheelEvent, 'wheel', 0, 0, { deltaY: -Math.log(2) / 0.0015 });
        look();
        at(PointerEvent, 'pointerdown', 10, 10, { pointerId: 1 });
        at(PointerEvent, 'pointermove', 12, 13, { pointerId: 1 });
        at(PointerEvent, 'pointerup', 12, 13, { pointerId: 1 });
        at(PointerEvent, 'pointermove', 50, 50, { pointerId: 1 });
        look();
        document.body.dataset.found = JSON.stringify(found);
    """
    found = re.search(r'data-found="([^"]*)"', opened(ag.graph(programs.branches, 1.0), tmp_path, script))
    assert found is not None
    (x, y, zoom), zoomed, panned = json.loads(found[1])
    assert zoomed == pytest.approx([2 * x, 2 * y, 2 * zoom], abs=0.99)  # events are at whole pixels
    assert zoomed[2] == pytest.approx(2 * zoom, rel=1e-3)
    assert panned == pytest.approx([zoomed[0] + 2, zoomed[1] + 3, zoomed[2]], rel=1e-3)


@pytest.mark.parametrize(("dark", "width"), [(False, 1000), (True, 1000), (False, 500)])
def test_row_28_it_is_light_or_dark_and_fits_a_narrow_screen(dark: bool, width: int, tmp_path: Path) -> None:
    script = """
        document.body.dataset.ground = getComputedStyle(document.body).backgroundColor;
        document.body.dataset.wide = document.documentElement.scrollWidth - innerWidth;
    """
    flags = (f"--window-size={width},800", f"--blink-settings=preferredColorScheme={0 if dark else 1}")
    document = opened(ag.graph(programs.branches, 1.0), tmp_path, script, flags=flags)
    ground = re.search(r'data-ground="rgb\((\d+), (\d+), (\d+)\)"', document)
    assert ground is not None and (max(map(int, ground.groups())) < 100) is dark
    assert 'data-wide="0"' in document


def test_row_29_the_optimised_program_is_shown_beside_the_graph(tmp_path: Path) -> None:
    graph = ag.graph(programs.branches, 1.0)
    assert '<pre id="program" tabindex="0" hidden="">' in opened(graph, tmp_path, texts=True)
    script = "document.querySelector('#views button:last-child').click()"
    document = opened(graph, tmp_path, script, texts=True)
    assert '<pre id="program" tabindex="0">HloModule' in document and 'aria-pressed="true">After XLA<' in document


def test_row_28_five_thousand_operations_are_drawn_in_two_seconds(tmp_path: Path) -> None:
    graph = ag.graph(programs.large, 1.0)
    assert len(graph.operations()) == 5000
    found = re.search(r'data-ready="(\d+)"', opened(graph, tmp_path))
    assert found is not None and int(found[1]) < 2000
