"""A graph in an event file, for TensorBoard's view of graphs. Scopes are the parts of names there."""

from __future__ import annotations

import os
import time
from typing import Any

from autograph.errors import AutoGraphError
from autograph.graphs import flow
from autograph.graphs.operations import Scope, Value


def write_events(tree: Scope, logdir: str | os.PathLike[str]) -> None:
    """Adds an event file with the graph to a folder of logs, which is made where it is missing.

    Raises:
        AutoGraphError: TensorBoard is not installed.
    """
    try:
        from tensorboard.compat.proto import event_pb2, graph_pb2, versions_pb2
        from tensorboard.summary.writer.event_file_writer import EventFileWriter
    except ImportError:
        raise AutoGraphError(
            "TensorBoard is not installed",
            why="the graph is written in its format by its own code",
            instead="pip install 'jax-autograph[tensorboard]', or graph.to_html(), which needs nothing",
        ) from None
    graph = graph_pb2.GraphDef(
        node=[_node(node) for node in flow.nodes(tree)],
        versions=versions_pb2.VersionDef(producer=22),  # the earliest with the attributes below
    )
    writer = EventFileWriter(os.fspath(logdir))
    writer.add_event(event_pb2.Event(wall_time=time.time(), graph_def=graph.SerializeToString()))
    writer.close()


def _node(node: flow.Node) -> Any:
    from tensorboard.compat.proto import attr_value_pb2, node_def_pb2

    shapes = attr_value_pb2.AttrValue.ListValue(shape=[_shape(value) for value in node.outputs])
    attributes = {"_output_shapes": attr_value_pb2.AttrValue(list=shapes)}
    texts = {**node.parameters, "dtype": ", ".join(value.dtype for value in node.outputs)}
    if node.source is not None:
        texts |= {"source": str(node.source), "line": node.source.text}
    for key, text in texts.items():
        attributes[key] = attr_value_pb2.AttrValue(s=text.encode())
    kind = "Placeholder" if node.kind == "input" else node.kind
    return node_def_pb2.NodeDef(name=node.path, op=kind, input=node.inputs, attr=attributes)


def _shape(value: Value) -> Any:
    from tensorboard.compat.proto import tensor_shape_pb2

    sizes = [size if isinstance(size, int) else -1 for size in value.shape]  # -1: not known before the call
    dimensions = [tensor_shape_pb2.TensorShapeProto.Dim(size=size) for size in sizes]
    return tensor_shape_pb2.TensorShapeProto(dim=dimensions)
