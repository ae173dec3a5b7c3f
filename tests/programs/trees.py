"""Branch results and loop carries that are pytrees, with static leaves."""

import dataclasses
import typing

import jax
import jax.numpy as jnp

from tests.programs.harness import floats, ints, program


class State(typing.NamedTuple):
    position: typing.Any
    velocity: typing.Any
    label: typing.Any = None


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Particle:
    x: typing.Any
    v: typing.Any


@jax.tree_util.register_pytree_node_class
class Ring:
    """A custom node with a static part."""

    def __init__(self, items, size):
        self.items = items
        self.size = size

    def tree_flatten(self):
        return (self.items,), self.size

    @classmethod
    def tree_unflatten(cls, size, children):
        return cls(children[0], size)


@program((3,), (8,))
def tuple_in_branch(n):
    if n > 5:
        t = (n, (1, n * 2))
    else:
        t = (0, (n, 3))
    return t


@program((3,), (8,))
def dict_in_branch(n):
    if n > 5:
        d = {"b": n, "a": [1, 2]}
    else:
        d = {"b": 0, "a": [n, n]}
    return d


@program((3,), (8,))
def named_tuple_in_loop(n):
    s = State(0.0, 1.0)
    while n > 0:
        s = State(s.position + s.velocity, s.velocity * 0.5)
        n -= 1
    return s


@program((3,), (8,))
def named_tuple_replace(n):
    s = State(n, 2, None)
    if n > 5:
        s = s._replace(velocity=n)
    return s


@program((3.0,), (8.0,))
def registered_dataclass_in_loop(x):
    p = Particle(x, 1.0)
    for _ in range(3):
        if p.x > 5:
            p = Particle(p.x - p.v, p.v + 1.0)
        else:
            p = Particle(p.x + p.v, p.v)
    return p.x, p.v


@program((3,), (8,))
def registered_dataclass_in_while(n):
    p = Particle(0, 1)
    while n > 0:
        p = Particle(p.x + p.v, p.v * 2)
        n -= 1
    return p.x, p.v


@program((3,), (8,))
def custom_node(n):
    r = Ring(jnp.zeros(4, jnp.int32), 4)
    i = 0
    while i < n:
        r = Ring(r.items.at[i % r.size].set(i), r.size)
        i += 1
    return r.items


@program((Particle(1.0, 2.0), 3), (Particle(9.0, 2.0), 3))
def dataclass_argument(p, n):
    if p.x > 5:
        p = Particle(p.x - p.v, p.v)
    return p.x * n


@program(({"w": floats(1, 2), "b": 0.5}, floats(3, 4)), ({"w": floats(-1, -2), "b": 0.5}, floats(3, 4)))
def dict_argument(params, x):
    y = (params["w"] * x).sum() + params["b"]
    if y > 0:
        return {"y": y, "loss": y * y}
    return {"y": 0.0 * y, "loss": -y}


@program((3,), (8,))
def none_inside_tuple(n):
    t = (n, None)
    if n > 5:
        t = (n * 2, None)
    return t


@program((3,), (8,))
def string_inside_dict(n):
    d = {"name": "x", "v": n}
    while n > 0:
        d = {"name": "x", "v": d["v"] + 1}
        n -= 1
    return d["v"], len(d["name"])


@program((3,), (8,))
def function_leaf_is_static(n):
    pair = (abs, n)
    while n > 0:
        pair = (pair[0], pair[1] - 2)
        n -= 1
    return pair[0](pair[1])


@program((3,), (8,))
def equal_python_numbers_stay_static(n):
    size = 3
    if n > 5:
        size = 3
        n = n - 1
    return jnp.zeros(size).at[0].set(n)


@program((3,), (8,))
def shape_from_loop_invariant(n):
    k = 2
    v = jnp.zeros(k)
    for _ in range(n):
        v = v + jnp.ones(k)
    return v


@program((3,), (8,))
def list_in_both_branches(n):
    if n > 5:
        xs = [n, 1, 2]
    else:
        xs = [0, n, 2]
    return xs


@program((3,), (8,))
def empty_containers(n):
    t = ()
    d = {}
    if n > 5:
        t = ()
        d = {}
        n = n + len(t)
    return n, t, d


@program((3,), (8,))
def deep_tree(n):
    tree = {"a": (1, [2, {"b": n}]), "c": State(n, (n, None))}
    if n > 5:
        tree = {"a": (n, [3, {"b": 0}]), "c": State(0, (1, None))}
    return tree


@program((ints(1, 2, 3), 1), (ints(1, 2, 3), 9))
def arrays_in_dict_in_loop(v, n):
    d = {"v": v, "n": 0}
    while n > 0:
        d = {"v": d["v"] + n, "n": d["n"] + 1}
        n -= 2
    return d


@program((3,), (8,))
def unpack_tuple_carry(n):
    state = (0, 1, 2)
    while n > 0:
        a, b, c = state
        state = (b, c, a + 1)
        n -= 1
    a, b, c = state
    return a * 100 + b * 10 + c


@program((3,), (8,))
def tree_map_between(n):
    tree = {"a": n, "b": 2 * n}
    if n > 5:
        tree = jax.tree.map(lambda v: v + 1, tree)
    return tree


@program((3,), (8,))
def slice_leaf(n):
    window = slice(0, 2)
    v = jnp.arange(5)
    if n > 5:
        v = v + n
    return v[window]


@program((3,), (8,))
def dtype_leaf(n):
    dtype = jnp.float32
    if n > 5:
        n = n + 1
        dtype = jnp.float32
    return jnp.asarray(n, dtype)


@program((3,), (8,))
def key_split_in_loop(n):
    key = jax.random.key(0)
    s = 0.0
    for _ in range(n):
        key, sub = jax.random.split(key)
        s = s + jax.random.uniform(sub)
    return s


@program((3,), (8,))
def return_tree_early(n):
    for i in range(10):
        if i * 2 > n:
            return {"i": i, "pair": (i, n)}
    return {"i": -1, "pair": (0, 0)}


@program((3.0,), (-8.0,))
def trees_of_two_structures_as_a_handler_finds_them(x):
    """JAX's message names the class of the leaf that stands where a node should; it would do so for a number, too."""
    try:
        total = jax.tree.map(jnp.add, {"a": None}, {"a": x})
    except ValueError:
        total = {"a": -x}
    if total["a"] > 0:
        return total["a"] + 1
    return total["a"]
