"""Random models of Flax linen, NNX and Equinox: what `ag.jit` returns is compared with the eager run.

    python -m tests.frameworks.random_models --count 100 --seed 0 linen nnx equinox

A model has layers, a list of blocks of the user's, variables, dropout and batch norms, and calls them in branches and
loops whose tests are traced. A refusal is allowed and counted by its first line, another result never is.
"""

from __future__ import annotations

import argparse
import collections
import pathlib
import random
import re
import sys
import tempfile
import warnings
from collections.abc import Iterator

import autograph as ag
from tests.frameworks.harness import assert_same
from tests.random_programs.execution import TimedOut, load, time_limit

HEAD = """
import equinox as eqx
import jax
import jax.numpy as jnp
from flax import linen as nn
from flax import nnx

KEY = jax.random.key(0)
INPUTS = [jnp.linspace(-1.0, 2.0, 6).reshape(2, 3), jnp.full((2, 3), 0.1), jnp.array([[3.0, -4.0, 1.0], [0.5, 2.5, -1.5]])]
"""

LINEN_BLOCK = """
class Block(nn.Module):
    size: float

    def setup(self):
        self.dense = nn.Dense(3)
        self.calls = self.variable("state", "calls", lambda: jnp.zeros(()))

    def __call__(self, x):
        self.calls.value = self.calls.value + 1.0
        if jnp.max(x) > self.size:
            return jnp.tanh(self.dense(x))
        return self.dense(x) * 0.5
"""
LINEN_PARTS = """
a, b = nn.Dense(3), nn.Dense(3)
blocks = [Block(0.5), Block(1.5)]
drop, norm = nn.Dropout(0.5, deterministic=False), nn.BatchNorm(use_running_average=False)
count = self.variable("state", "count", lambda: jnp.zeros(()))
""".strip().splitlines()
LINEN_NET = """
class Net(nn.Module):
    {setup}
    def helper(self, x, s):
        {helper}

    {decorator}
    def __call__(self, x):
        {parts}
        if self.is_initializing():
            {all}
        {body}


def run(jit):
    net = Net()
    state = net.init(dict(params=KEY, dropout=KEY), INPUTS[0])

    def step(state, x, key):
        return net.apply(state, x, rngs=dict(dropout=key), mutable=["state", "batch_stats", "sums"])

    go = jit(step)
    return [go(state, x, jax.random.fold_in(KEY, i)) for i, x in enumerate(INPUTS)]
"""

NNX_BLOCK = """
class Block(nnx.Module):
    def __init__(self, size, rngs):
        self.size = size
        self.dense = nnx.Linear(3, 3, rngs=rngs)
        self.calls = nnx.Variable(jnp.zeros(()))

    def __call__(self, x):
        self.calls[...] += 1.0
        if jnp.max(x) > self.size:
            return jnp.tanh(self.dense(x))
        return self.dense(x) * 0.5
"""
NNX_NET = """
class Net(nnx.Module):
    def __init__(self, rngs):
        self.a, self.b = nnx.Linear(3, 3, rngs=rngs), nnx.Linear(3, 3, rngs=rngs)
        self.blocks = nnx.List([Block(0.5, rngs), Block(1.5, rngs)])
        self.drop, self.norm = nnx.Dropout(0.5, rngs=rngs), nnx.BatchNorm(3, rngs=rngs)
        self.count = nnx.Variable(jnp.zeros(()))
        self.hits = 0

    def helper(self, x, s):
        {helper}

    def __call__(self, x):
        {body}


def run(jit):
    graph, state = nnx.split(Net(nnx.Rngs(0)))

    def step(state, x):
        net = nnx.merge(graph, state, copy=True)
        y = net(x)
        return y, net.hits, nnx.to_pure_dict(nnx.state(net))

    go = jit(step)
    return [go(state, x) for x in INPUTS]
"""

EQUINOX_BLOCK = """
class Block(eqx.Module):
    dense: eqx.nn.Linear
    size: float

    def __call__(self, x):
        if jnp.max(x) > self.size:
            return jnp.tanh(jax.vmap(self.dense)(x))
        return jax.vmap(self.dense)(x) * 0.5
"""
EQUINOX_NET = """
class Net(eqx.Module):
    a: eqx.nn.Linear
    b: eqx.nn.Linear
    blocks: list
    drop: eqx.nn.Dropout
    scale: jax.Array
    index: eqx.nn.StateIndex

    def __init__(self, key):
        keys = jax.random.split(key, 4)
        a, b, *inner = [eqx.nn.Linear(3, 3, key=k) for k in keys]
        self.a, self.b = a, b
        self.blocks = [Block(layer, size) for layer, size in zip(inner, (0.5, 1.5))]
        self.drop = eqx.nn.Dropout(0.5)
        self.scale = jnp.ones(())
        self.index = eqx.nn.StateIndex(jnp.zeros(()))

    def helper(self, x, s):
        {helper}

    def __call__(self, x, state, key):
        count = state.get(self.index)
        {body}


def run(jit):
    net, state = eqx.nn.make_with_state(Net)(KEY)
    arrays, static = eqx.partition(net, eqx.is_array)
    leaves, shape = jax.tree.flatten(state)

    def step(arrays, leaves, x, key):
        net, state = eqx.combine(arrays, static), jax.tree.unflatten(shape, leaves)
        y, state = net(x, state, key)
        return y, state.get(net.index)

    go = jit(step)
    return [go(arrays, leaves, x, jax.random.fold_in(KEY, i)) for i, x in enumerate(INPUTS)]
"""

# What only one framework writes; `{of}` is `self.` where the parts are attributes.
OWN = {
    "linen": """
x = {of}drop(x)
x = {of}norm(x)
{of}count.value = {of}count.value + 1.0
{of}count.value = {of}count.value + jnp.mean(x)
s = s + {of}count.value
self.sow("sums", "seen", jnp.sum(x), reduce_fn=lambda p, q: p + q, init_fn=lambda: jnp.zeros(()))
x = x + jax.random.normal(self.make_rng("dropout"), x.shape) * 0.1
""".strip().splitlines(),
    "nnx": """
x = self.drop(x)
x = self.norm(x)
self.count[...] += 1.0
self.count[...] = self.count[...] + jnp.mean(x)
s = s + self.count[...]
self.hits = self.hits + 1
setattr(self, 'hits', self.hits + 2)
x = x + jax.random.normal(self.drop.rngs(), x.shape) * 0.1
s = s + self.blocks[0].calls[...]
""".strip().splitlines(),
    "equinox": """
x = self.drop(x, key=key)
key, sub = jax.random.split(key)
count = count + 1.0
s = s + count
state = state.set(self.index, state.get(self.index) + 1.0)
self = eqx.tree_at(lambda m: m.scale, self, self.scale * 1.5)
self = eqx.tree_at(lambda m: m.a, self, self.b)
x = x * self.scale
""".strip().splitlines(),
}
TESTS = [
    "jnp.sum(x) > 0.5",
    "x[0, 0] < x[1, 1]",
    "s > {c}",
    "jnp.max(x) < {c}",
    "n > 1",
    "s < {c} and x[0, 1] > 0",
    "jnp.any(x > {c})",
]


class Writer:
    """One model's source: `body` writes statements, each list of lines for itself."""

    def __init__(self, seed: int, kind: str) -> None:
        self.random = random.Random(f"{kind} {seed}")
        self.kind = kind
        self.compact = kind == "linen" and self.random.random() < 0.5
        self.of = "" if self.compact else "self."
        self.loops = 0

    def layer(self, name: str) -> str:
        """A call of a layer."""
        call = f"{self.of}{name}"
        return f"jnp.tanh(jax.vmap({call})(x))" if self.kind == "equinox" and name in "ab" else f"jnp.tanh({call}(x))"

    def test(self) -> str:
        return self.random.choice(TESTS).replace("{c}", str(self.random.choice([-0.5, 0.3, 1.0, 2.5])))

    def simple(self, in_helper: bool) -> str:
        """A statement without blocks."""
        own = [] if in_helper and self.compact else OWN[self.kind]
        if in_helper and self.kind == "equinox":
            own = ["x = x * self.scale"]
        common = [f"x = {self.layer(name)}" for name in ("a", "b", "blocks[0]", "blocks[1]")]
        if in_helper and self.compact:
            common = ["x = jnp.tanh(x * 1.5)"]
        elif not in_helper:
            common.append("x, s = self.helper(x, s)")
        common += ["s = s + jnp.sum(x) * 0.1", "n = n + 1", "best = x", "x = x * 0.7 + best * 0.2", "s = s * 0.5"]
        if in_helper:
            common = [line for line in common if "best" not in line and "n =" not in line]
        return self.random.choice(own + common if own and self.random.random() < 0.5 else common + own).replace(
            "{of}", self.of
        )

    def block(self, depth: int, loop: bool, leave: str) -> list[str]:
        """Lines of a body; `leave` is the `return` of its function."""
        lines: list[str] = []
        for _ in range(self.random.randint(1, 3)):
            lines += self.statement(depth, loop, leave)
        return lines

    def statement(self, depth: int, loop: bool, leave: str) -> list[str]:
        """A statement, with its blocks."""
        choice = self.random.random()
        in_helper = leave == "return x, s"
        if depth == 0 or choice < 0.45:
            return [self.simple(in_helper)]
        if choice < 0.72:
            return [
                f"if {self.test() if not in_helper else self.test().replace('n >', 's >')}:",
                *_indented(self.branch(depth, loop, leave)),
                *self.otherwise(depth, loop, leave),
            ]
        self.loops += 1
        turn = f"t{self.loops}"
        body = self.block(depth - 1, True, leave)
        if choice < 0.82:
            test = self.test() if not in_helper else "s < 2.0"
            return [
                f"{turn} = 0",
                f"while {turn} < {self.random.randint(1, 4)} and {test}:",
                *_indented([f"{turn} = {turn} + 1", *body]),
            ]
        heads = [f"for {turn} in range({self.random.randint(1, 4)}):", f"for {turn} in x:"]
        if not (in_helper and self.compact):
            heads.append(f"for {turn} in {self.of}blocks:")
        head = self.random.choice(heads)
        first = {"x": f"s = s + jnp.max({turn})", "blocks": f"x = jnp.tanh({turn}(x))"}.get(
            re.split(r"[ .]", head[:-1])[-1]
        )
        return [head, *_indented([*([first] if first else []), *body])]

    def branch(self, depth: int, loop: bool, leave: str) -> list[str]:
        """The body of an `if`, which may end with a jump."""
        jumps = ["break", "continue"] if loop else []
        lines = self.block(depth - 1, loop, leave)
        return [*lines, self.random.choice([*jumps, leave])] if self.random.random() < 0.35 else lines

    def otherwise(self, depth: int, loop: bool, leave: str) -> list[str]:
        """Perhaps an `else`."""
        return ["else:", *_indented(self.branch(depth, loop, leave))] if self.random.random() < 0.5 else []

    def write(self) -> str:
        """The module."""
        result = "return x + s + n + best * 0.1"
        leave = {"linen": result, "nnx": result, "equinox": f"{result}, state.set(self.index, count)"}[self.kind]
        body = [
            "s, n, best = jnp.zeros(()), 0, x",
            *[line for _ in range(3) for line in self.statement(2, False, leave)],
            leave,
        ]
        helper = [*self.block(2, False, "return x, s"), "return x, s"]
        texts = {"linen": LINEN_BLOCK + LINEN_NET, "nnx": NNX_BLOCK + NNX_NET, "equinox": EQUINOX_BLOCK + EQUINOX_NET}
        parts = LINEN_PARTS if self.compact else []
        attributes = [
            re.sub(r"^(\w+)(?:, (\w+))? =", lambda m: f"self.{m[1]}{', self.' + m[2] if m[2] else ''} =", line)
            for line in LINEN_PARTS
        ]
        holes = {
            "setup": [] if self.compact else ["def setup(self):", *_indented(attributes), ""],
            "decorator": ["@nn.compact"] if self.compact else [],
            "parts": parts,
            "all": [f"{self.of}{layer}(x)" for layer in ("a", "b", "blocks[0]", "blocks[1]", "drop", "norm")],
            "helper": helper,
            "body": body,
        }
        return HEAD + re.sub(
            r"^( *)\{(\w+)\}\n",
            lambda m: "".join(f"{m[1]}{line}\n" for line in holes[m[2]]),
            texts[self.kind],
            flags=re.MULTILINE,
        )


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def outcome(text: str, folder: pathlib.Path) -> tuple[str, str]:
    """How a model compares: `equal`, `refused`, `WRONG`, `crash`, `skip` or `timeout`, and the message."""
    module = load(text, folder)
    try:
        with time_limit(60):
            expected = module.run(lambda f: f)
    except (Exception, TimedOut) as error:
        return "skip", f"{type(error).__name__}: {error}"
    try:
        with time_limit(60):
            found = module.run(ag.jit)
    except ag.AutoGraphError as error:
        return "refused", str(error)
    except TimedOut:
        return "timeout", ""
    except Exception as error:
        return "crash", f"{type(error).__name__}: {error}"
    try:
        assert_same(found, expected)
    except AssertionError as error:
        return "WRONG", str(error)
    return "equal", ""


def _first_line(message: str) -> str:
    return re.sub(r"'[^']*'", "...", message.partition("\n")[0])[:110]


def search(kind: str, seed: int, count: int) -> Iterator[tuple[int, str, str]]:
    """Writes models and compares each."""
    with tempfile.TemporaryDirectory() as folder:
        for number in range(seed, seed + count):
            yield number, *outcome(Writer(number, kind).write(), pathlib.Path(folder))


def main() -> int:
    """Prints a table for each framework, and each failure; 0 without one."""
    parser = argparse.ArgumentParser(prog="python -m tests.frameworks.random_models")
    parser.add_argument("kinds", nargs="*", default=list(OWN))
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", action="store_true", help="print the text of the model --seed of one kind")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    failed = False
    for kind in given.kinds:
        if given.show:
            print(Writer(given.seed, kind).write())
            continue
        counts: collections.Counter[str] = collections.Counter()
        reasons: collections.Counter[str] = collections.Counter()
        for number, how, message in search(kind, given.seed, given.count):
            counts[how] += 1
            if how in ("WRONG", "crash", "timeout"):
                failed = True
                print(f"{how}: {kind} --seed {number}: {message[:600]}", flush=True)
            elif how != "equal":
                reasons[f"{how}: {_first_line(message)}"] += 1
        print(f"{kind}: " + ", ".join(f"{n} {how}" for how, n in counts.most_common()))
        for reason, n in reasons.most_common():
            print(f"  {n:4} {reason}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
