"""The event file that TensorBoard shows."""

import json
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest

import autograph as ag
from tests.graphs import programs

pytestmark = pytest.mark.slow


def test_row_28_tensorboard_reads_the_two_layers_as_nested_scopes(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_file_loader import EventFileLoader
    from tensorboard.compat.proto.graph_pb2 import GraphDef

    ag.graph(programs.network, *programs.NETWORK).save(tmp_path / "logs")
    (file,) = (tmp_path / "logs").iterdir()
    (graph,) = (GraphDef.FromString(event.graph_def) for event in EventFileLoader(str(file)).Load() if event.graph_def)
    nodes: dict[str, Any] = {node.name: node for node in graph.node}
    assert nodes["x"].op == "Placeholder" and nodes["relu_layer/dot_general"].input == ["x", "w1"]
    assert nodes["relu_layer/relu/relu/max"].op == "max"
    assert nodes["output_layer/dot_general_1"].input[0].startswith("relu_layer/relu")
    assert all(read in nodes for node in graph.node for read in node.input)
    shape = nodes["relu_layer/dot_general"].attr["_output_shapes"].list.shape[0]
    assert [dimension.size for dimension in shape.dim] == [1, 4]


def test_row_28_tensorboard_serves_the_two_layers(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    ag.graph(programs.network, *programs.NETWORK).save(tmp_path)
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "tensorboard.main", "--logdir", str(tmp_path), "--port", str(port)]
    address = f"http://localhost:{port}/data/plugin/graphs/"
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        assert served(f"{address}info") == {".": {"run": ".", "tags": {}, "run_graph": True}}
        with urllib.request.urlopen(f"{address}graph?run=.&conceptual=false", timeout=60) as page:
            text = page.read().decode()
    finally:
        server.kill()
        server.wait()
    assert 'name: "relu_layer/dot_general"' in text and 'input: "relu_layer/relu' in text


def served(address: str, seconds: float = 60) -> Any:
    """What a server that is just starting says, as soon as it has read the file."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(address, timeout=seconds) as page:
                if found := json.load(page):
                    return found
        except OSError:
            pass  # it does not listen yet
        time.sleep(0.2)
    raise TimeoutError(address)


def test_without_tensorboard_the_error_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tensorboard.compat.proto", None)
    with pytest.raises(ag.AutoGraphError, match=r"pip install 'jax-autograph\[tensorboard\]'"):
        ag.graph(programs.unrolled, 1.0).save(tmp_path)
