"""States of nested containers, replaced as a whole or in part in each iteration, as training loops do."""

import collections
import copy
import dataclasses
import typing

import jax
import jax.numpy as jnp

from tests.programs.harness import program


class State(typing.NamedTuple):
    params: typing.Any
    step: typing.Any


Named = collections.namedtuple("Named", "params step")


class Doubling(Named):
    def twice(self):
        return self._replace(params={"w": self.params["w"] * 2})


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Mutable:
    params: typing.Any
    step: typing.Any


@program((1.5, 3), (0.5, 0))
def a_named_tuple_that_holds_a_dict(x, n):
    state = State({"w": x, "b": (x, 1.0)}, 0)
    while state.step < n:
        w, b = state.params["w"], state.params["b"]
        state = State({"w": w * 2, "b": (b[1], w + b[0])}, state.step + 1)
    return state


@program((1.5, 3), (0.5, 0))
def a_named_tuple_that_holds_a_list(x, n):
    state = State([x, 1.0], 0)
    for i in range(n):
        state = State([state.params[1], state.params[0] * 2], i)
    return state


@program((1.5, 3), (0.5, 0), transforms=("grad",))
def replaced_fields_of_a_named_tuple(x, n):
    state = State({"w": x}, 0)
    for _ in range(n):
        if state.params["w"] < 5:
            state = state._replace(params={"w": state.params["w"] * 2}, step=state.step + 1)
    return state.params["w"]


@program((1.5, 3), (0.5, 0))
def a_method_that_replaces_a_field(x, n):
    state = Doubling({"w": x}, 0)
    while state.step < n:
        state = state.twice()._replace(step=state.step + 1)
    return state.params, state.step


@program((1.5, 3), (0.5, 0))
def a_step_down_the_gradient(x, n):
    state = State({"w": x, "b": 0.5}, 0)
    while state.step < n:
        slope = jax.grad(lambda p: (p["w"] * 2 + p["b"] - 1) ** 2)(state.params)
        state = State(jax.tree.map(lambda p, g: p - 0.1 * g, state.params, slope), state.step + 1)
    return state


@program((1.5, 6), (0.5, 0))
def the_best_is_kept_and_library_code_is_given_what_goes_on(x, n):
    params, best, lowest = {"w": x}, {"w": x}, jnp.inf
    for _ in range(n):
        loss = (params["w"] - 1) ** 2
        if loss < lowest:
            best, lowest = params, loss
        slope = copy.copy(params)
        params = {"w": params["w"] - 0.4 * slope["w"]}
        copy.copy(params)
    return best, lowest


@program((1.5, 3), (0.5, 0))
def a_dict_in_a_dict_is_replaced(x, n):
    state = {"params": {"w": x, "b": [x, 2.0]}, "step": 0}
    while state["step"] < n:
        w, b = state["params"]["w"], state["params"]["b"]
        state["params"] = {"w": w * 2, "b": [b[1], b[0] + state["step"]]}
        state["step"] += 1
        if w > 2:
            state["params"]["b"][0] = 7.0
    return state


@program((1.5, 3), (0.5, 0))
def a_dict_in_a_dict_whose_keys_come_in_another_order(x, n):
    state = {"params": {"w": x, "b": 1.0}, "step": 0}
    while state["step"] < n:
        state["params"] = jax.tree.map(lambda p: p + 1, state["params"])
        state["step"] += 1
    return state


@program((1.5, 3), (1.5, 2), (0.5, 0))
def dicts_in_a_dict_change_places(x, n):
    state = {"now": {"w": x}, "before": {"w": x + 1}, "step": 0}
    first = state["now"]
    while state["step"] < n:
        state["now"], state["before"] = state["before"], {"w": state["now"]["w"] + state["before"]["w"]}
        state["step"] += 1
    return state, first


@program((1.5, 3), (0.5, 0))
def a_dict_in_a_list_is_replaced_and_one_changed(x, n):
    layers = [{"w": x}, {"w": x + 1}]
    for i in range(n):
        layers[0] = {"w": layers[1]["w"] * 2}
        layers[1]["w"] += i
    return layers


@program((1.5, 3), (0.5, 0))
def a_dict_in_an_object_is_replaced(x, n):
    state = Mutable({"w": x}, 0)
    while state.step < n:
        state.params = {"w": state.params["w"] * 2}
        state.step += 1
    return state


@program((1.5, 3), (0.5, 0))
def an_object_is_replaced_by_library_code(x, n):
    state = Mutable({"w": x}, 0)
    while state.step < n:
        state = dataclasses.replace(state, params={"w": state.params["w"] * 2}, step=state.step + 1)
    return state
