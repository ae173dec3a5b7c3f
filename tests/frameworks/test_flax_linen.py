"""Flax linen: control flow in `__call__`, `setup` and methods of modules, and in training loops around them."""

import functools
import importlib
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import autograph as ag
from tests.frameworks.harness import assert_same, framework, program, refused
from tests.profiling import calls_made

nn = framework("flax.linen")
optax = framework("optax")

KEY = jax.random.key(0)
SMALL, LARGE = jnp.full((3,), 0.1), jnp.array([3.0, -2.0, 4.0])
BATCH = jax.random.normal(jax.random.key(1), (8, 3))
TARGET = jnp.sum(BATCH, axis=1)


class Normalized(nn.Module):
    """Divides by the norm where it is large."""

    limit: float = 1.0

    @nn.compact
    def __call__(self, x):
        y = nn.Dense(4)(x)
        norm = jnp.linalg.norm(y)
        if norm > self.limit:
            y = y * (self.limit / norm)
        return y


@program
def test_an_if_in_a_compact_method(jit):
    net = Normalized()
    params = net.init(KEY, SMALL)
    return [jit(net.apply)(params, x) for x in (SMALL, LARGE)]


class Moe(nn.Module):
    """The router picks one of two experts."""

    def setup(self):
        self.router = nn.Dense(2)
        self.left = nn.Dense(3)
        self.right = nn.Dense(3)

    def __call__(self, x):
        scores = self.router(x)
        if scores[0] > scores[1]:
            return self.left(x)
        return self.right(x)


@pytest.mark.parametrize("enter", [ag.jit, lambda f: jax.jit(ag.convert(f)), ag.function], ids=["jit", "convert", "function"])
@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit, jax.checkpoint, lambda f: jax.jit(functools.partial(f))])
def test_the_apply_of_a_model_under_what_jax_made_of_it(enter, wrap):
    class Doubled(nn.Module):
        @nn.compact
        def __call__(self, x):
            return x * 2 if jnp.sum(x) > 1 else x

    apply = enter(wrap(Doubled().apply))
    assert [apply({}, x).tolist() for x in (SMALL, LARGE)] == [SMALL.tolist(), (2 * LARGE).tolist()]


def moe_params(net):
    return net.init(KEY, SMALL, method=lambda m, x: (m.router(x), m.left(x), m.right(x)))


def test_parameters_that_one_branch_makes_are_refused():
    with pytest.raises(ag.errors.AutoGraphError, match="the two branches of the if leave different values"):
        ag.jit(Moe().init)(KEY, SMALL)


@program
def test_a_mixture_of_two_experts(jit):
    net = Moe()
    params = moe_params(net)
    return [jit(net.apply)(params, x) for x in (SMALL, LARGE, -LARGE)]


@program
def test_the_gradient_of_a_mixture(jit):
    net = Moe()
    params = moe_params(net)

    def loss(params, x):
        return jnp.sum(net.apply(params, x) ** 2)

    return [jit(jax.grad(loss))(params, x) for x in (LARGE, -LARGE)]


class Experts(nn.Module):
    """A list of experts; the loop breaks at the one that is picked."""

    def setup(self):
        self.router = nn.Dense(3)
        self.experts = [nn.Dense(2, name=f"expert{i}") for i in range(3)]

    def __call__(self, x):
        best = jnp.argmax(self.router(x))
        y = jnp.zeros(2)
        for i, expert in enumerate(self.experts):
            if i == best:
                y = expert(x)
                break
        return y

    def all(self, x):
        return self.router(x), [expert(x) for expert in self.experts]


@program
def test_the_expert_that_is_picked_ends_the_loop(jit):
    net = Experts()
    params = net.init(KEY, SMALL, method="all")
    return [jit(net.apply)(params, x) for x in (SMALL, LARGE, -LARGE)]


class Cell(nn.Module):
    features: int

    @nn.compact
    def __call__(self, x):
        return jnp.tanh(nn.Dense(self.features)(x))


class Ponder(nn.Module):
    """Adaptive computation time: the cell runs until the halting probabilities add up."""

    features: int = 3
    most: int = 6

    def setup(self):
        self.cell = Cell(self.features)
        self.halt = nn.Dense(1)

    def __call__(self, x):
        halted, steps, out = 0.0, 0, jnp.zeros_like(x)
        while halted < 0.99 and steps < self.most:
            x = self.cell(x)
            p = jax.nn.sigmoid(self.halt(x))[0]
            if halted + p > 0.99:
                p = 1.0 - halted
            out = out + p * x
            halted = halted + p
            steps += 1
        return out, steps


@program
def test_adaptive_computation_time(jit):
    net = Ponder()
    params = net.init(KEY, SMALL)
    return [jit(net.apply)(params, x) for x in (SMALL, LARGE)]


class Refined(nn.Module):
    """A fixed point of a layer, with the layer used before, in and after the loop."""

    def setup(self):
        self.layer = nn.Dense(3, kernel_init=nn.initializers.normal(0.1))

    def __call__(self, x):
        y = self.layer(x)
        for _ in range(20):
            after = jnp.tanh(self.layer(y)) + x
            if jnp.max(jnp.abs(after - y)) < 1e-3:
                break
            y = after
        return self.layer(y)


@program
def test_a_fixed_point_of_a_layer(jit):
    net = Refined()
    params = net.init(KEY, SMALL)
    return [jit(net.apply)(params, x) for x in (SMALL, LARGE)]


class Counted(nn.Module):
    """A variable that counts what was clipped."""

    @nn.compact
    def __call__(self, x):
        clipped = self.variable("stats", "clipped", lambda: jnp.zeros((), jnp.int32))
        y = nn.Dense(3)(x)
        if jnp.max(jnp.abs(y)) > 1.0:
            clipped.value += 1
            y = jnp.clip(y, -1.0, 1.0)
        return y


@program
def test_a_variable_written_in_a_branch(jit):
    net = Counted()
    variables = net.init(KEY, SMALL)

    @jit
    def run(variables, x):
        return net.apply(variables, x, mutable=["stats"])

    return [run(variables, x) for x in (SMALL, LARGE)]


class EarlyExit(nn.Module):
    """Leaves at the first layer that is sure of its answer."""

    depth: int = 4

    @nn.compact
    def __call__(self, x):
        heads = [nn.Dense(2, name=f"head{i}") for i in range(self.depth)]
        layers = [nn.Dense(3, name=f"layer{i}") for i in range(self.depth)]
        if self.is_initializing():
            for layer, head in zip(layers, heads):
                x = nn.relu(layer(x))
                head(x)
            return jnp.zeros(2)
        for layer, head in zip(layers, heads):
            x = nn.relu(layer(x))
            p = nn.softmax(head(x))
            if jnp.max(p) > 0.6:
                return p
        return p


@program
def test_a_return_from_a_loop_over_layers(jit):
    net = EarlyExit()
    params = net.init(KEY, SMALL)
    return [jit(net.apply)(params, x) for x in (SMALL, LARGE, -LARGE)]


class DropPath(nn.Module):
    """Stochastic depth: the residual is computed only where the coin says so."""

    rate: float = 0.5

    @nn.compact
    def __call__(self, x, train):
        if not train:
            return x + nn.Dense(3, name="body")(x)
        body = nn.Dense(3, name="body")
        keep = jax.random.bernoulli(self.make_rng("path"), 1 - self.rate)
        if keep:
            x = x + body(x) / (1 - self.rate)
        return x


@program
def test_stochastic_depth(jit):
    net = DropPath()
    params = net.init(KEY, SMALL, False)

    @jit
    def run(params, x, key):
        return net.apply(params, x, True, rngs={"path": key})

    return [run(params, LARGE, jax.random.key(seed)) for seed in range(4)]


class DropoutInBranch(nn.Module):
    """Dropout is part of one branch."""

    def setup(self):
        self.first = nn.Dense(3)
        self.drop = nn.Dropout(0.5)

    def __call__(self, x):
        y = self.first(x)
        if jnp.sum(y) > 0:
            y = self.drop(y, deterministic=False)
        return y


@program
def test_dropout_in_a_branch(jit):
    net = DropoutInBranch()
    params = net.init({"params": KEY, "dropout": KEY}, SMALL)

    @jit
    def run(params, x, key):
        return net.apply(params, x, rngs={"dropout": key})

    return [run(params, x, jax.random.key(3)) for x in (LARGE, -LARGE)]


def dropped(x, **kwargs):
    """Dropout by a module that is made where it is used."""
    return nn.Dropout(0.5, **kwargs)(x, deterministic=False)


class Counting(nn.Module):
    """Modules without a name, and random keys, that a branch or a loop counts: `case` says which."""

    case: str

    def draw(self, x):
        return x + jax.random.normal(self.make_rng("dropout"), x.shape)

    @nn.compact
    def __call__(self, x):
        most = jnp.sum(x)
        return getattr(self, self.case)(nn.Dense(16)(x), most)

    def key_behind(self, y, most):
        if most > 0:
            y = self.draw(y)
        return self.draw(y)

    def key_in_a_loop(self, y, most):
        n = 0
        while n < most:
            y, n = self.draw(y), n + 1
        return y

    def module_behind(self, y, most):
        if most > 0:
            y = dropped(dropped(y))
        else:
            y = dropped(y)
        return dropped(y)

    def module_behind_an_inner_if(self, y, most):
        if most > 0:
            if most > 1:
                y = dropped(y)
        if most > 2:
            y = dropped(y)
        return y

    def module_in_a_loop(self, y, most):
        y, n = dropped(y), 0
        while n < most:
            y, n = dropped(y) + 1, n + 1
        return y

    def module_in_a_branch_in_a_loop(self, y, most):
        n = 0
        while n < most:
            if n > 1:
                y = dropped(y) + 1
            n += 1
        return y

    def keys_in_both_branches(self, y, most):
        if most > 0:
            y = self.draw(y)
        else:
            self.make_rng("dropout")
        return self.draw(y)

    def key_in_front(self, y, most):
        key = self.make_rng("dropout")
        drop, n = nn.Dropout(0.5), 0
        if most > 0:
            y = drop(y, deterministic=False, rng=key)
        while n < most:
            y = drop(y, deterministic=False, rng=jax.random.fold_in(key, n)) + 1
            n += 1
        return self.draw(y)

    def module_in_front(self, y, most):
        drop, key, n = nn.Dropout(0.5), self.make_rng("dropout"), 0
        while n < most:
            if n > 1:
                y = drop(y, deterministic=False, rng=jax.random.fold_in(key, n)) + 1
            n += 1
        return y

    def modules_in_both_branches(self, y, most):
        if most > 0:
            y = dropped(y)
        else:
            y = dropped(y + 1)
        return dropped(y)

    def modules_with_names(self, y, most):
        if most > 0:
            y = dropped(dropped(y, name="one"), name="other")
        return dropped(y)

    def modules_that_return(self, y, most):
        if most > 0:
            return dropped(y)
        return dropped(dropped(y))


def counted(jit, case):
    net = Counting(case)
    params = net.init({"params": KEY, "dropout": KEY}, -LARGE)

    @jit
    def run(params, x):
        return net.apply(params, x, rngs={"dropout": KEY})

    return [run(params, x) for x in (LARGE, -LARGE)]


COUNTED = [
    "keys_in_both_branches",
    "key_in_front",
    "module_in_front",
    "modules_in_both_branches",
    "modules_with_names",
    "modules_that_return",
]
REFUSED = ["key_behind", "key_in_a_loop", "module_behind", "module_behind_an_inner_if", "module_in_a_loop"]


@pytest.mark.parametrize("case", COUNTED)
def test_names_and_keys_that_are_counted(case):
    program(lambda jit: counted(jit, case))()


@pytest.mark.parametrize("case", [*REFUSED, "module_in_a_branch_in_a_loop"])
def test_names_and_keys_that_only_the_program_could_count(case):
    refused(match="a traced condition says how many (Dropout modules|random keys 'dropout')")(
        lambda jit: counted(jit, case)
    )()
    module = importlib.import_module("flax.linen.module")
    assert module._context.module_stack == [None]


class Inner(nn.Module):
    def setup(self):
        self.layer = nn.Dense(3)
        self.sizes = {"out": 3}

    def __call__(self, x):
        return self.layer(x) * self.sizes["out"]


class Outer(nn.Module):
    """A module that is set up on its first use, in a branch."""

    def setup(self):
        self.inner = Inner()

    def __call__(self, x):
        y = x
        if jnp.sum(x) > 0:
            y = self.inner(x)
        return y + self.inner(2 * x)


@program
def test_a_module_that_is_set_up_in_a_branch(jit):
    net = Outer()
    params = net.init(KEY, -SMALL)
    return [jit(net.apply)(params, x) for x in (SMALL, -SMALL)]


class BatchNormInBranch(nn.Module):
    """Statistics are updated only for batches that are not degenerate."""

    def setup(self):
        self.norm = nn.BatchNorm(momentum=0.9)

    def __call__(self, x):
        if jnp.std(x) > 0.1:
            return self.norm(x, use_running_average=False)
        return self.norm(x, use_running_average=True)


@program
def test_batch_norm_in_a_branch(jit):
    net = BatchNormInBranch()
    variables = net.init(KEY, BATCH)

    @jit
    def run(variables, x):
        return net.apply(variables, x, mutable=["batch_stats"])

    return [run(variables, x) for x in (BATCH, 0.01 * BATCH)]


class Mlp(nn.Module):
    """Any number of layers; activations that explode are scaled."""

    sizes: Any = (4, 4, 1)

    @nn.compact
    def __call__(self, x):
        for size in self.sizes[:-1]:
            x = nn.relu(nn.Dense(size)(x))
            if jnp.max(x) > 2.0:
                x = x * (2.0 / jnp.max(x))
        return nn.Dense(self.sizes[-1])(x)


@program
def test_layers_named_by_themselves_in_a_loop(jit):
    net = Mlp()
    params = net.init(KEY, BATCH)
    return [jit(net.apply)(params, x) for x in (BATCH, 10 * BATCH)]


def fit(net, params, most, patience):
    """Early stopping, and the best parameters so far."""
    optimizer = optax.adam(0.1)
    state = optimizer.init(params)

    def loss(params):
        return jnp.mean((net.apply(params, BATCH)[:, 0] - TARGET) ** 2)

    best, best_params, waited, steps = jnp.inf, params, 0, 0
    while steps < most:
        value, grads = jax.value_and_grad(loss)(params)
        if value < best - 1e-3:
            best, best_params, waited = value, params, 0
        else:
            waited += 1
            if waited >= patience:
                break
        updates, state = optimizer.update(grads, state)
        params = optax.apply_updates(params, updates)
        steps += 1
    return best, best_params, steps


@program
def test_a_whole_training_with_early_stopping(jit):
    net = Mlp()
    params = net.init(KEY, BATCH)
    return jit(lambda params, most: fit(net, params, most, 3))(params, 12)


class Gate(nn.Module):
    """A cell whose state is kept where the input is padding."""

    @nn.compact
    def __call__(self, carry, x):
        new = jnp.tanh(nn.Dense(2)(jnp.concatenate([carry, x])))
        if x[0] < 0:
            new = carry
        return new, new


@program(reference=lambda: scanned(lambda carry, x, new: jnp.where(x[0] < 0, carry, new)))
def test_a_scanned_cell(jit):
    net, params = scanned_net()
    return jit(net.apply)(params, jnp.zeros(2), BATCH)


def scanned_net():
    net = nn.scan(Gate, variable_broadcast="params", split_rngs={"params": False})()
    dense = nn.Dense(2).init(KEY, jnp.zeros(5))["params"]
    return net, {"params": {"Dense_0": dense}}


def scanned(choose):
    _, params = scanned_net()
    dense = params["params"]["Dense_0"]
    carry, ys = jnp.zeros(2), []
    for x in BATCH:
        new = jnp.tanh(jnp.concatenate([carry, x]) @ dense["kernel"] + dense["bias"])
        carry = choose(carry, x, new)
        ys.append(carry)
    return carry, jnp.stack(ys)


class Greedy(nn.Module):
    """Decodes until the end token."""

    words: int = 5

    def setup(self):
        self.embed = nn.Embed(self.words, 4)
        self.out = nn.Dense(self.words)

    def __call__(self, token):
        return self.out(jnp.tanh(self.embed(token)))

    def decode(self, token, most):
        text = jnp.zeros(8, jnp.int32)
        n = 0
        while n < most and token != 0:
            token = jnp.argmax(self(token))
            text = text.at[n].set(token)
            n += 1
        return text, n


@program
def test_greedy_decoding_in_a_method(jit):
    net = Greedy()
    params = net.init(KEY, jnp.int32(1))

    @jit
    def decode(params, token, most):
        return net.apply(params, token, most, method=Greedy.decode)

    return [decode(params, jnp.int32(token), most) for token in (1, 2, 0) for most in (3, 8)]


class Tower(nn.Module):
    """Modules in one another, with a test at each height."""

    @nn.compact
    def __call__(self, x):
        x = Normalized(2.0)(x)
        if jnp.mean(x) > 0:
            x = nn.LayerNorm()(x)
        x = Normalized(0.5, name="top")(x)
        return x


@program
def test_modules_in_one_another(jit):
    net = Tower()
    params = {**net.init(KEY, LARGE)["params"], **net.init(KEY, -LARGE)["params"]}
    return [jit(net.apply)({"params": params}, x) for x in (LARGE, -LARGE)]


class Sown(nn.Module):
    @nn.compact
    def __call__(self, x):
        y = nn.Dense(3)(x)
        if jnp.sum(y) > 0:
            y = -y
        self.sow("intermediates", "y", y)
        return y


@program
def test_what_is_sown_behind_a_branch(jit):
    net = Sown()
    params = {"params": net.init(KEY, SMALL)["params"]}

    @jit
    def run(params, x):
        return net.apply(params, x, mutable="intermediates")

    return [run(params, x) for x in (LARGE, -LARGE)]


class Noted(nn.Module):
    """Numbers of Python's and strings that a branch or a loop notes in a collection: `case` says which."""

    case: str

    def __call__(self, x):
        n = 0
        if self.case == "loop":
            while n < jnp.sum(x):
                self.put_variable("notes", "n", 0)
                n += 1
        elif self.case == "text":
            if jnp.sum(x) > 0:
                self.put_variable("notes", "side", "right")
        elif self.case == "one":
            if jnp.sum(x) > 0:
                self.sow("notes", "side", 0)
        elif jnp.sum(x) > 0:
            self.sow("notes", "side", 0)
        else:
            self.sow("notes", "side", 1)
        return x


@program
def test_what_both_branches_sow(jit):
    @jit
    def run(x):
        return Noted("both").apply({}, x, mutable="notes")

    return [run(x) for x in (LARGE, -LARGE)]


@pytest.mark.parametrize("case", ["one", "text", "loop"])
def test_a_zero_or_a_string_that_one_branch_or_a_loop_puts_in_a_collection_is_refused_in_the_words_of_flax(case):
    refused(match="choose in it and `sow` behind")(lambda jit: jit(lambda x: Noted(case).apply({}, x, mutable="notes"))(LARGE))()


class NotedBefore(nn.Module):
    """What a branch or a loop notes, in a variable that was made before, or chosen there and noted behind: `case` says which."""

    case: str

    def setup(self):
        self.count = self.variable("notes", "count", lambda: 0)

    def __call__(self, x):
        if self.case == "loop":
            while self.count.value < jnp.sum(x):
                self.count.value += 2
        elif self.case == "branch":
            if jnp.sum(x) > 0:
                self.put_variable("notes", "count", 1)
        else:
            side = 1
            if jnp.sum(x) > 0:
                side = 0
            self.sow("notes", "side", side)
        return x


class NotedUnderCompact(nn.Module):
    @nn.compact
    def __call__(self, x):
        count = self.variable("notes", "count", lambda: 0)
        if jnp.sum(x) > 0:
            count.value = 3
            self.variable("notes", "of_both", lambda: 1)
        else:
            self.variable("notes", "of_both", lambda: 2)
        return x


NOTED = [NotedUnderCompact(), *map(NotedBefore, ("loop", "branch", "sown"))]


@pytest.mark.parametrize("net", NOTED, ids=lambda net: getattr(net, "case", "compact"))
def test_what_a_branch_or_a_loop_notes_in_a_variable_that_is_there(net):
    def run(jit):
        apply = jit(lambda x: net.apply({}, x, mutable="notes"))
        return [apply(x) for x in (LARGE, -LARGE)]

    program(run)()


class SownBehind(nn.Module):
    """A layer that is called in a branch or in a loop, of which the result is sown behind."""

    in_loop: bool

    def setup(self):
        self.dense, self.other = nn.Dense(3), nn.Dense(3)

    def __call__(self, x):
        y = self.dense(x)
        if self.is_initializing():
            return self.other(y)
        if self.in_loop:
            while jnp.sum(y) < 0:
                y = self.other(y) + 1
        elif jnp.sum(y) < 0:
            y = self.other(y)
        self.sow("intermediates", "y", y)
        return y


@pytest.mark.parametrize("in_loop", [False, True])
def test_a_result_is_sown_behind_the_statement_that_calls_the_layer(in_loop):
    def run(jit):
        net = SownBehind(in_loop)
        params = net.init(KEY, SMALL)
        apply = jit(lambda x: net.apply(params, x, mutable="intermediates"))
        return [apply(x) for x in (LARGE, -LARGE)]

    program(run)()


class Captured(nn.Module):
    """A layer whose result is captured in a branch or in a loop."""

    in_loop: bool

    def setup(self):
        self.dense, self.other = nn.Dense(3), nn.Dense(3)

    def __call__(self, x):
        y = self.dense(x)
        if self.is_initializing():
            return self.other(y)
        if self.in_loop:
            while jnp.sum(y) < 0:
                y = self.other(y) + 1
        elif jnp.sum(y) < 0:
            y = self.other(y)
        return y


@pytest.mark.parametrize("in_loop", [False, True])
def test_what_is_captured_in_a_branch_or_a_loop_is_refused_in_the_words_of_flax(in_loop):
    def run(jit):
        net = Captured(in_loop)
        params = net.init(KEY, SMALL)
        jit(lambda x: net.apply(params, x, capture_intermediates=True, mutable="intermediates"))(LARGE)

    refused(match="`capture_intermediates` sows what layers return")(run)()


class Checkpointed(nn.Module):
    @nn.compact
    def __call__(self, x):
        block = nn.remat(Normalized)
        return block(1.0, name="a")(block(2.0, name="b")(x))


@program(reference=lambda: [checkpointed(x) for x in (SMALL, LARGE)])
def test_a_checkpointed_module(jit):
    net = Checkpointed()
    params = checkpointed_params()
    return [jit(net.apply)(params, x) for x in (SMALL, LARGE)]


def checkpointed_params():
    first = nn.Dense(4).init(KEY, SMALL)["params"]
    second = nn.Dense(4).init(KEY, jnp.zeros(4))["params"]
    return {"params": {"b": {"Dense_0": first}, "a": {"Dense_0": second}}}


def checkpointed(x):
    params = checkpointed_params()["params"]
    x = Normalized(2.0).apply({"params": params["b"]}, x)
    return Normalized(1.0).apply({"params": params["a"]}, x)


@program
def test_a_training_step_that_skips_bad_gradients(jit):
    net = Mlp()
    params = net.init(KEY, BATCH)

    @jit
    def step(params, x, y):
        def loss(params):
            return jnp.mean((net.apply(params, x)[:, 0] - y) ** 2)

        value, grads = jax.value_and_grad(loss)(params)
        norm = optax.global_norm(grads)
        if norm > 5.0:
            grads = jax.tree.map(lambda g: g * (5.0 / norm), grads)
        if jnp.isfinite(norm):
            params = jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)
        return params, value

    return [step(params, x, TARGET) for x in (BATCH, 10 * BATCH, jnp.nan * BATCH)]


class Attention(nn.Module):
    """Falls back to the mean where every key is masked."""

    @nn.compact
    def __call__(self, x, mask):
        q, k, v = (nn.Dense(4, name=name)(x) for name in "qkv")
        if jnp.any(mask):
            scores = jnp.where(mask, q @ k.T / 2.0, -jnp.inf)
            return nn.softmax(scores) @ v
        return jnp.broadcast_to(jnp.mean(v, axis=0), v.shape)


@program
def test_attention_with_a_mask_that_may_be_empty(jit):
    net = Attention()
    params = net.init(KEY, BATCH, jnp.ones(8, bool))
    return [jit(net.apply)(params, BATCH, mask) for mask in (jnp.arange(8) < 3, jnp.zeros(8, bool))]


def normalized_rows():
    params = Normalized().init(KEY, SMALL)
    return jnp.stack([Normalized().apply(params, x) for x in (SMALL, LARGE)])


@program(reference=normalized_rows)
def test_vmap_of_a_module_with_a_branch(jit):
    net = Normalized()
    params = net.init(KEY, SMALL)
    return jit(jax.vmap(net.apply, (None, 0)))(params, jnp.stack([SMALL, LARGE]))


class Streamed(nn.Module):
    """Applied anew in each iteration of a loop: layers of `setup`, statistics, and a key of the iteration's own."""

    def setup(self):
        self.cell, self.norm, self.drop = Cell(3), nn.BatchNorm(use_running_average=False), nn.Dropout(0.5)

    def __call__(self, x):
        y = self.norm(self.drop(self.cell(x), deterministic=False))
        if y[0, 0] > 0:
            return -y
        return y


def streamed(apply, variables, xs, most):
    """A loop whose iterations hand on the statistics, and take a step where it helps."""
    total, n = 0.0, 0
    while n < most:

        def loss(params, n=n):
            key = {"dropout": jax.random.fold_in(KEY, n)}
            y, new = apply({**variables, "params": params}, xs[n], mutable=["batch_stats"], rngs=key)
            return jnp.sum(y**2), new

        (value, new), grads = jax.value_and_grad(loss, has_aux=True)(variables["params"])
        params = jax.tree.map(lambda p, g: p - 0.1 * g, variables["params"], grads)
        if value > 0.1:
            variables = {**new, "params": params}
        y = apply(variables, xs[n], mutable=["batch_stats"], rngs={"dropout": KEY})[0]
        value += jnp.sum(y)
        total += value
        n += 1
    return total, variables


@program
def test_apply_in_a_staged_loop(jit):
    net = Streamed()
    xs = BATCH.reshape(4, 2, 3)
    variables = net.init({"params": KEY, "dropout": KEY}, xs[0])
    return [jit(lambda variables, most: streamed(net.apply, variables, xs, most))(variables, most) for most in (1, 3)]


class Cache(nn.Module):
    """Keeps the last rows that it has seen."""

    @nn.compact
    def __call__(self, x):
        rows = self.variable("cache", "rows", jnp.zeros, (2, 3))
        count = self.variable("cache", "count", lambda: jnp.array(0))
        rows.value = rows.value.at[count.value % 2].set(x)
        count.value = count.value + 1
        return jnp.sum(rows.value)


@program
def test_variables_that_apply_hands_on_in_a_branch(jit):
    net = Cache()
    variables = net.init(KEY, SMALL)

    @jit
    def run(variables, x):
        total = jnp.sum(x)
        if total > 1:
            y, variables = net.apply(variables, x, mutable=["cache"])
            total += y
        return total, variables

    return [run(variables, x) for x in (SMALL, LARGE)]


@program
def test_variables_that_apply_hands_on_in_a_staged_loop(jit):
    net = Cache()
    variables = net.init(KEY, SMALL)

    @jit
    def run(variables, most):
        total, n = 0.0, 0
        while n < most:
            y, variables = net.apply(variables, BATCH[n], mutable=["cache"])
            total, n = total + y, n + 1
        return total, variables

    return [run(variables, most) for most in (0, 5)]


class Signed(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.Dense(3)(x)
        if jnp.sum(x) > 0:
            return x
        return -x


def test_a_converted_model_is_the_model():
    net = Signed()
    assert ag.convert(net) is net
    params = net.init(jax.random.key(0), jnp.ones(2))
    for x in (jnp.ones(2), -jnp.ones(2)):
        assert jnp.allclose(jax.jit(net.apply)(params, x), net.apply(params, x))


class Damped(nn.Module):
    def setup(self):
        self.dense = nn.Dense(3)

    def __call__(self, x):
        y = self.dense(x)
        if jnp.max(y) > 1.0:
            y = y / 2
        return x + y


class Deep(nn.Module):
    """Each layer leads to the model, and the model to all layers."""

    depth: int

    def setup(self):
        self.layers = [Damped() for _ in range(self.depth)]

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def test_a_trace_looks_at_each_layer_once():
    def looks(depth):
        net, x = Deep(depth), jnp.ones(3)
        step = ag.jit(net.apply)
        params = net.init(KEY, x)
        step.trace(params, x)
        return calls_made(lambda: step.trace(params, x.astype("bfloat16")), lambda path: path.endswith("conversion/reach.py"))

    assert looks(24) < 5 * looks(6)


class Chosen(nn.Module):
    """Layers of `setup`, of which branches call one each."""

    is_made: bool = False

    def setup(self):
        self.left, self.right = nn.Dense(3), nn.Dense(3)

    def __call__(self, x):
        if self.is_made and self.is_initializing():
            self.left(x), self.right(x)
        if x[0] > 0:
            return self.left(x)
        return self.right(x)


class Skipped(nn.Module):
    is_made: bool = False

    @nn.compact
    def __call__(self, x):
        layer = nn.Dense(3)
        if self.is_made and self.is_initializing():
            layer(x)
        if x[0] > 0:
            x = layer(x)
        return nn.Dense(2)(x)


class MadeInABranch(nn.Module):
    is_made: bool = False

    @nn.compact
    def __call__(self, x):
        if self.is_made:
            layer = nn.Dense(3)
            if self.is_initializing():
                layer(x)
            if x[0] > 0:
                return layer(x)
            return x
        if x[0] > 0:
            return nn.Dense(3)(x)
        return x


class UntilItIsLarge(nn.Module):
    """Layers of `setup` in a loop that a traced test ends."""

    is_made: bool = False

    def setup(self):
        self.layers = [nn.Dense(3) for _ in range(3)]

    def __call__(self, x):
        if self.is_made and self.is_initializing():
            for layer in self.layers:
                layer(x)
        for layer in self.layers:
            x = layer(x)
            if jnp.max(jnp.abs(x)) > 10:
                break
        return x


class Repeated(nn.Module):
    is_made: bool = False

    def setup(self):
        self.layer = nn.Dense(3)

    def __call__(self, x):
        if self.is_made and self.is_initializing():
            self.layer(x)
        while jnp.max(jnp.abs(x)) < 10:
            x = 2 * x + 0.01 * self.layer(x)
        return x


class MadeInALoop(nn.Module):
    is_made: bool = False

    @nn.compact
    def __call__(self, x):
        if self.is_made:
            layer = nn.Dense(3)
            if self.is_initializing():
                layer(x)
            while jnp.max(jnp.abs(x)) < 10:
                x = 2 * x + 0.01 * layer(x)
            return x
        while jnp.max(jnp.abs(x)) < 10:
            x = 2 * x + 0.01 * nn.Dense(3)(x)
        return x


class Nested(nn.Module):
    is_made: bool = False

    def setup(self):
        self.inner = Chosen(self.is_made)

    def __call__(self, x):
        return self.inner(x)


@pytest.mark.parametrize(
    "net, said",
    [
        (Chosen, "leave different values in the variables of 'self.left'"),
        (Skipped, "leave different values in the variables of 'layer'"),
        (MadeInABranch, "leave different values in the variables\n"),
        (UntilItIsLarge, "leaves different values in the variables of 'layers_1'"),
        (Repeated, "how many random keys 'params' were drawn"),
        (MadeInALoop, "how many random keys 'params' were drawn"),
        (Nested, "leave different values in the variables of 'self.left'"),
    ],
)
def test_layers_that_make_parameters_in_a_branch_or_loop_are_called_before_it(net, said):
    with pytest.raises(ag.StagingError) as raised:
        ag.jit(net().init)(KEY, LARGE)
    text = str(raised.value)
    assert said in text and "_trace_ref" not in text and "ReferenceType" not in text
    assert "and, before it, call each of them once while parameters are made: `if self.is_initializing(): " in text
    params = ag.jit(net(True).init)(KEY, LARGE)
    assert_same(params, ag.jit(net(True).init)(KEY, -LARGE))
    program(lambda jit: [jit(net(True).apply)(params, x) for x in (LARGE, -LARGE)])()


@pytest.mark.parametrize("net", [Chosen, Skipped, UntilItIsLarge, Repeated, Nested])
def test_a_table_of_layers_has_those_that_branches_call(net):
    model = ag.convert(net(True))
    for table in (nn.tabulate(model, KEY)(LARGE), model.tabulate(KEY, LARGE)):
        assert table.count("Dense") >= 1 and "kernel: " in table
    if net is Chosen:
        rows = [row.split("│")[1].strip() for row in table.splitlines() if "Dense" in row]
        assert rows == ["left", "right"] and "Total Parameters: 24" in table


class GatedCell(nn.Module):
    @nn.compact
    def __call__(self, carry, x):
        carry = nn.Dense(2)(carry) + x
        if carry.sum() > 2:
            carry = carry * 0.5
        return carry, carry


def positive_part(total, x):
    if x > 0:
        total = total + x
    return total, x


def sum_of_positive(xs):
    return jax.lax.scan(positive_part, 0.0, xs)[0]


class Recurrent(nn.Module):
    @nn.compact
    def __call__(self, xs):
        scanned = nn.scan(GatedCell, variable_broadcast="params", split_rngs={"params": False})
        return scanned()(jnp.zeros(2), xs)[1] + sum_of_positive(xs[:, 0])


@pytest.mark.parametrize("convert", [lambda net: ag.convert(net).init, lambda net: ag.convert(net.init)])
def test_where_nothing_is_traced_what_a_model_names_is_converted_too(convert):
    net, xs = Recurrent(), jnp.arange(6.0).reshape(3, 2)
    params = convert(net)(KEY, xs)
    assert_same(net.apply(params, xs), ag.jit(net.apply)(params, xs))


class MadeInBothBranches(nn.Module):
    @nn.compact
    def __call__(self, x):
        if jnp.sum(x) > 0:
            y = nn.Dense(3)(x)
        else:
            y = nn.Dense(3)(x) * 2
        return y


@refused(match="different values in the variables of 'Dense_0'(.|\n)*instead: make the layers in `setup` or before the statement")
def test_a_layer_that_each_branch_makes_while_parameters_are_made(jit):
    return jit(MadeInBothBranches().init)(KEY, SMALL)


class Scaled(nn.Module):
    features: int

    @nn.compact
    def __call__(self, x):
        calls = self.variable("counts", "calls", lambda: jnp.zeros(()))
        if not self.is_initializing():
            calls.value += 1
        return nn.Dense(self.features)(x).sum() * calls.value


class ByIndex(nn.Module):
    """The expert that the gate picks, with variables of its own."""

    def setup(self):
        self.experts = [Scaled(2), Scaled(5), Scaled(3)]
        self.gate = nn.Dense(3)

    def __call__(self, x):
        if self.is_initializing():
            for expert in self.experts:
                expert(x)
        return self.experts[jnp.argmax(self.gate(x))](x)

    def first_or_second(self, x):
        expert = self.experts[1] if jnp.sum(x) > 0 else self.experts[2]
        return expert(x), expert.features, isinstance(expert, nn.Dense), isinstance(expert, Scaled)


@program
def test_an_expert_by_its_index(jit):
    net = ByIndex()
    variables = net.init(KEY, SMALL)
    apply = jit(lambda x: net.apply(variables, x, mutable=["counts"]))
    return [apply(sign * x) for x in BATCH for sign in (1.0, -1.0)], jit(net.init)(KEY, SMALL)


@program
def test_a_module_that_an_expression_picks(jit):
    net = ByIndex()
    variables = net.init(KEY, SMALL)
    return [jit(lambda x: net.apply(variables, x, method="first_or_second", mutable=["counts"]))(x) for x in (LARGE, -LARGE)]


class Mixed(ByIndex):
    def setup(self):
        self.experts = [nn.Dense(2), Scaled(2)]
        self.gate = nn.Dense(2)


@refused(match="an index into a tuple picks by a traced value among items that are not numbers or arrays")
def test_modules_of_several_classes_by_their_index(jit):
    net = Mixed()
    variables = net.init(KEY, SMALL)
    return jit(net.apply)(variables, SMALL)


def test_a_method_of_a_librarys_class_is_converted_as_its_message_says() -> None:
    def run(early, loss):
        return early.update(loss)

    def converted(early, loss):
        return ag.convert(type(early).update)(early, loss)

    early = framework("flax.training.early_stopping").EarlyStopping(min_delta=1e-3, patience=0)
    with pytest.raises(ag.StagingError, match=r"instead: call it as `ag.convert\(type\(early\).update\)\(early, \.\.\.\)`, or"):
        ag.jit(run)(early, 1.5)
    step = ag.jit(converted)
    first = step(early, 1.5)
    second, third = step(first, 1.0), step(step(first, 1.5), 1.5)
    assert (float(second.best_metric), bool(second.should_stop)) == (1.0, False)
    assert (float(third.best_metric), bool(third.should_stop)) == (1.5, True)
