"""Jraph: graph networks whose update functions branch, and algorithms on graphs."""

import jax
import jax.numpy as jnp

from tests.frameworks.harness import framework, program

jraph = framework("jraph")

GRAPH = jraph.GraphsTuple(
    nodes=jnp.array([[1.0], [2.0], [-3.0], [0.5]]),
    edges=jnp.array([[0.5], [1.0], [-1.0], [2.0]]),
    senders=jnp.array([0, 1, 2, 3]),
    receivers=jnp.array([1, 2, 3, 0]),
    globals=jnp.array([[0.0]]),
    n_node=jnp.array([4]),
    n_edge=jnp.array([4]),
)


def node_update(nodes, sent, received, globals_):
    total = nodes + received
    if jnp.max(jnp.abs(total)) > 3.0:
        total = total / jnp.max(jnp.abs(total))
    return total


def edge_update(edges, senders, receivers, globals_):
    if jnp.sum(senders) > jnp.sum(receivers):
        return edges + senders
    return edges - receivers


@program
def test_a_graph_network(jit):
    net = jraph.GraphNetwork(update_node_fn=node_update, update_edge_fn=edge_update)
    return [jit(net)(GRAPH._replace(nodes=k * GRAPH.nodes)) for k in (0.1, 1.0)]


@program
def test_a_graph_network_that_is_called(jit):
    @jit
    def run(graph):
        net = jraph.GraphNetwork(update_node_fn=node_update, update_edge_fn=None)
        return net(net(graph)).nodes

    return [run(GRAPH._replace(nodes=k * GRAPH.nodes)) for k in (0.1, 1.0)]


def global_update(nodes, edges, globals_):
    if jnp.sum(nodes) > 0:
        return globals_ + nodes
    return globals_ - edges


@program
def test_a_deep_set_and_a_global_update(jit):
    net = jraph.GraphNetwork(update_node_fn=None, update_edge_fn=edge_update, update_global_fn=global_update)
    return [jit(net)(GRAPH._replace(nodes=k * GRAPH.nodes)).globals for k in (1.0, -1.0)]


@program
def test_message_passing_until_it_settles(jit):
    net = jraph.GraphConvolution(lambda nodes: 0.5 * nodes)

    @jit
    def run(graph, most):
        n = 0
        while n < most:
            after = net(graph)
            if jnp.max(jnp.abs(after.nodes - graph.nodes)) < 0.05:
                break
            graph = after
            n += 1
        return graph.nodes, n

    return [run(GRAPH, most) for most in (1, 20)]


@program
def test_shortest_paths(jit):
    @jit
    def run(graph, source):
        length = jnp.full(4, jnp.inf).at[source].set(0.0)
        weights = jnp.abs(graph.edges[:, 0])
        changed = True
        while changed:
            offers = length[graph.senders] + weights
            after = jnp.minimum(length, jraph.segment_min(offers, graph.receivers, 4))
            changed = jnp.any(after < length)
            length = after
        return length

    return [run(GRAPH, source) for source in (0, 2)]


def attention_logit(sent, received, edges):
    score = jnp.sum(sent * received, axis=-1)
    if jnp.max(score) > 4.0:
        score = score * (4.0 / jnp.max(score))
    return score


@program
def test_graph_attention(jit):
    net = jraph.GAT(lambda nodes: 2.0 * nodes, attention_logit, node_update_fn=lambda nodes: nodes)
    return [jit(net)(GRAPH._replace(nodes=k * GRAPH.nodes)).nodes for k in (0.5, 2.0)]


@program
def test_a_graph_chosen_in_a_branch(jit):
    @jit
    def run(graph, flip):
        if flip:
            graph = graph._replace(senders=graph.receivers, receivers=graph.senders)
        return jraph.segment_sum(graph.nodes[graph.senders], graph.receivers, 4)

    return [run(GRAPH, flip) for flip in (True, False)]


@program
def test_a_loop_over_the_edges(jit):
    @jit
    def run(graph):
        nodes = graph.nodes[:, 0]
        for sender, receiver, edge in zip(graph.senders, graph.receivers, graph.edges):
            if edge[0] > 0:
                nodes = nodes.at[receiver].add(edge[0] * nodes[sender])
        return nodes

    return run(GRAPH)


@program
def test_the_gradient_of_a_graph_network(jit):
    net = jraph.GraphNetwork(update_node_fn=node_update, update_edge_fn=edge_update)

    @jit
    def gradient(nodes):
        return jax.grad(lambda nodes: jnp.sum(net(GRAPH._replace(nodes=nodes)).nodes ** 2))(nodes)

    return [gradient(k * GRAPH.nodes) for k in (0.1, 1.0)]


@program
def test_batches_of_graphs(jit):
    @jit
    def run(graph):
        both = jraph.batch([graph, graph._replace(nodes=-graph.nodes)])
        net = jraph.InteractionNetwork(
            update_edge_fn=lambda edges, sent, received: edge_update(edges, sent, received, None),
            update_node_fn=lambda nodes, received: node_update(nodes, None, received, None),
        )
        return net(both).nodes

    return [run(GRAPH._replace(nodes=k * GRAPH.nodes)) for k in (0.1, 1.0)]


@program
def test_a_relation_network(jit):
    net = jraph.RelationNetwork(
        update_edge_fn=lambda sent, received: jnp.abs(sent - received),
        update_global_fn=lambda edges: edges if jnp.sum(edges) < 3 else edges / 2,
    )
    return [jit(net)(GRAPH._replace(nodes=k * GRAPH.nodes)).globals for k in (0.1, 1.0)]
