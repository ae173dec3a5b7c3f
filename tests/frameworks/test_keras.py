"""Keras 3 on JAX: layers and models with control flow in `call`, losses and metrics, stateless calls."""

import os

os.environ.setdefault("KERAS_BACKEND", "jax")

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from tests.frameworks.harness import convert, framework, program, refused

keras = framework("keras")
if keras.backend.backend() != "jax":
    pytest.skip("Keras runs on another backend", allow_module_level=True)

SMALL, LARGE = jnp.full((2, 3), 0.1), jnp.array([[3.0, -2.0, 4.0], [1.0, 5.0, -1.0]])
X = np.random.RandomState(0).randn(16, 3).astype("float32")
Y = X.sum(1, keepdims=True)


@keras.saving.register_keras_serializable()
class Clipped(keras.layers.Layer):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.dense = keras.layers.Dense(units)

    def build(self, shape):
        self.dense.build(shape)

    def call(self, x):
        y = self.dense(x)
        norm = keras.ops.max(keras.ops.abs(y))
        if norm > 1.0:
            y = y / norm
        return y


def built(layer, shape=(None, 3)):
    keras.utils.set_random_seed(0)
    layer = layer()
    layer.build(shape)
    return layer


def values(layer):
    return [v.value for v in layer.trainable_variables], [v.value for v in layer.non_trainable_variables]


@program
def test_an_if_in_call(jit):
    layer = built(lambda: Clipped(4))

    @jit
    def run(x):
        return layer(x)

    return [run(x) for x in (SMALL, LARGE)]


@program
def test_a_stateless_call(jit):
    layer = built(lambda: Clipped(4))

    @jit
    def run(trainable, fixed, x):
        return layer.stateless_call(trainable, fixed, x)[0]

    return [run(*values(layer), x) for x in (SMALL, LARGE)]


@program
def test_the_gradient_of_a_stateless_call(jit):
    layer = built(lambda: Clipped(4))

    @jit
    def gradient(trainable, fixed, x):
        def loss(trainable):
            y, _ = layer.stateless_call(trainable, fixed, x)
            return keras.ops.sum(y**2)

        return jax.grad(loss)(trainable)

    return [gradient(*values(layer), x) for x in (SMALL, LARGE)]


class Moe(keras.Model):
    def __init__(self):
        super().__init__()
        self.router = keras.layers.Dense(2)
        self.left = keras.layers.Dense(3)
        self.right = keras.Sequential([keras.layers.Dense(5, activation="relu"), keras.layers.Dense(3)])

    def build(self, shape):
        self.router.build(shape)
        self.left.build(shape)
        self.right.build(shape)

    def call(self, x):
        scores = keras.ops.mean(self.router(x), axis=0)
        if scores[0] > scores[1]:
            return self.left(x)
        return self.right(x)


@program
def test_a_model_with_two_experts(jit):
    model = built(Moe)
    run = jit(lambda x: model(x))
    return [run(x) for x in (SMALL, LARGE, -LARGE)]


class Ponder(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.cell = keras.layers.Dense(3, activation="tanh")

    def build(self, shape):
        self.cell.build(shape)

    def call(self, x):
        for n in range(10):
            after = self.cell(x)
            if keras.ops.max(keras.ops.abs(after - x)) < 0.3:
                break
            x = after
        return x, n


@program
def test_a_layer_in_a_loop(jit):
    layer = built(Ponder)
    run = jit(lambda x: layer(x))
    return [run(x) for x in (SMALL, LARGE)]


@program
def test_a_functional_model(jit):
    keras.utils.set_random_seed(0)
    inputs = keras.Input((3,))
    model = keras.Model(inputs, keras.layers.Dense(2)(keras.layers.Dense(4, activation="relu")(inputs)))

    @jit
    def run(x):
        y = model(x)
        if jnp.max(y) > 1.0:
            y = model(x / 2)
        return y

    return [run(x) for x in (SMALL, LARGE)]


def huber(y, found):
    error = keras.ops.mean(keras.ops.abs(y - found))
    if error > 1.0:
        return error - 0.5
    return 0.5 * error**2


@program
def test_a_loss_with_a_branch(jit):
    keras.utils.set_random_seed(0)
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])

    @jit
    def loss(trainable, fixed, x, y):
        found, _ = model.stateless_call(trainable, fixed, x)
        return huber(y, found)

    return [loss(*values(model), X, Y * k) for k in (1.0, 5.0)]


def fitted(call):
    keras.utils.set_random_seed(0)
    layer = type("Scaled", (keras.layers.Layer,), {"call": call})
    model = keras.Sequential([keras.Input((3,)), layer(), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    history = model.fit(X, Y, epochs=2, batch_size=8, shuffle=False, verbose=0)
    return history.history["loss"], model.get_weights()


def scaled(self, x):
    if keras.ops.max(x) > 1.0:
        x = x / keras.ops.max(x)
    return x


@program(reference=lambda: fitted(lambda self, x: x / keras.ops.maximum(keras.ops.max(x), 1.0)))
def test_fit_with_a_converted_call(jit):
    """Here the library jits."""
    return fitted(convert(jit)(scaled))


@program
def test_a_training_loop_of_ones_own(jit):
    keras.utils.set_random_seed(0)
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4, activation="tanh"), keras.layers.Dense(1)])
    optimizer = keras.optimizers.SGD(0.05)
    optimizer.build(model.trainable_variables)

    @jit
    def train(trainable, state, fixed, most):
        def loss(trainable):
            y, _ = model.stateless_call(trainable, fixed, X)
            return jnp.mean((y - Y) ** 2)

        best, n = jnp.inf, 0
        while n < most:
            value, grads = jax.value_and_grad(loss)(trainable)
            if value > best - 1e-3:
                break
            best = value
            trainable, state = optimizer.stateless_apply(state, grads, trainable)
            n += 1
        return best, n, trainable

    trainable, fixed = values(model)
    return [train(trainable, [v.value for v in optimizer.variables], fixed, most) for most in (1, 6)]


class Counted(keras.layers.Layer):
    def build(self, shape):
        self.large = self.add_weight(shape=(), initializer="zeros", trainable=False)

    def call(self, x):
        if keras.ops.max(x) > 1.0:
            self.large.assign(self.large + 1.0)
        return 2.0 * x


@program
def test_a_weight_assigned_in_a_branch(jit):
    layer = built(Counted)

    @jit
    def run(fixed, x):
        return layer.stateless_call([], fixed, x)

    return [run(values(layer)[1], x) for x in (SMALL, LARGE)]


@program
def test_a_metric_in_a_loop(jit):
    metric = keras.metrics.Mean()

    @jit
    def run(state, xs):
        for x in xs:
            if x > 0:
                state = metric.stateless_update_state(state, x)
        return metric.stateless_result(state)

    return run([v.value for v in metric.variables], jnp.array([1.0, -2.0, 4.0]))


@program
def test_normalization_in_a_branch(jit):
    norm = built(keras.layers.LayerNormalization)

    @jit
    def run(x):
        if jnp.std(x) > 1.0:
            x = norm(x)
        return x

    return [run(x) for x in (SMALL, LARGE)]


@refused(match="call it once before the statement")
def test_a_layer_that_is_built_in_a_branch_is_refused(jit):
    layer = keras.layers.Dense(2)

    @jit
    def run(x):
        if jnp.max(x) > 1.0:
            return layer(x)
        return x[:, :2]

    return run(LARGE)


@program
def test_a_layer_that_was_called_before_the_compiled_function(jit):
    keras.utils.set_random_seed(0)
    dense, square = keras.layers.Dense(2), keras.layers.Dense(3)

    @jit
    def run(x):
        while jnp.max(x) > 2.0:
            x = square(x) / 2
        if jnp.max(x) > 1.0:
            return dense(x)
        return x[:, :2]

    dense(LARGE), square(LARGE)
    return [run(x) for x in (SMALL, LARGE)]


@refused(match=r"call it once before the statement \(before the compiled function, ")
def test_a_layer_that_is_built_in_a_loop_is_refused(jit):
    layer = keras.layers.Dense(3)

    @jit
    def run(x):
        while jnp.max(x) > 1.0:
            x = layer(x) / 2
        return x

    return run(LARGE)


def counting(update):
    """What a metric of the user's counts while Keras trains."""

    class Large(keras.metrics.Metric):
        def __init__(self):
            super().__init__(name="large")
            self.count = self.add_variable(shape=(), initializer="zeros", name="count")

        update_state = update

        def result(self):
            return self.count.value

    keras.utils.set_random_seed(0)
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse", metrics=[Large()])
    return model.fit(X, Y, epochs=2, batch_size=4, shuffle=False, verbose=0).history["large"]


def count_large(self, y, found, sample_weight=None):
    count = self.count.value
    if keras.ops.mean(keras.ops.abs(y - found)) > 1.0:
        count = count + 1.0
    self.count.assign(count)


def selected_large(self, y, found, sample_weight=None):
    self.count.assign(self.count.value + keras.ops.where(keras.ops.mean(keras.ops.abs(y - found)) > 1.0, 1.0, 0.0))


@program(reference=lambda: counting(selected_large))
def test_a_metric_of_ones_own_in_fit(jit):
    return counting(convert(jit)(count_large))


def assign_in_branch(self, y, found, sample_weight=None):
    if keras.ops.mean(keras.ops.abs(y - found)) > 1.0:
        self.count.assign(self.count + 1.0)


def assign_before_and_in_branch(self, y, found, sample_weight=None):
    self.count.assign(self.count)
    assign_in_branch(self, y, found)


@program(reference=lambda: counting(selected_large))
def test_a_metric_that_is_assigned_before_the_branch(jit):
    return counting(convert(jit)(assign_before_and_in_branch))


@refused(match="call it once before the statement")
def test_a_metric_that_is_first_assigned_in_a_branch_is_refused(jit):
    return counting(convert(jit)(assign_in_branch))


class Mean(keras.metrics.Metric):
    def __init__(self, last):
        super().__init__()
        self.total = self.add_variable(shape=(), initializer="zeros", name="total")
        self.count = self.add_variable(shape=(), initializer="zeros", name="count")
        self.last = last

    def result(self):
        if self.count > 0:
            return self.total / self.count
        return self.last(self.total)


def test_a_branch_that_leaves_a_variable_is_told_to_leave_its_value():
    values = [jnp.array(6.0), jnp.array(2.0)]
    with pytest.raises(ag.StagingError, match=r"leave the value and not the \w+ that holds it: `x.value`, or `x \+ 0`"):
        ag.jit(Mean(lambda x: x).stateless_result)(values)
    for last in (lambda x: x.value, lambda x: x + 0):
        run = ag.jit(Mean(last).stateless_result)
        assert run(values) == 3 and run([jnp.array(6.0), jnp.array(0.0)]) == 6
