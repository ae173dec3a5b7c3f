"""Dataclasses that never change and are equal to themselves alone, and those whose own `__setattr__` refuses to change them."""

import dataclasses
import functools
import math
from typing import Any

import jax

from tests.programs.harness import program

inputs = program((1.0,), (3.0,))


@functools.partial(jax.tree_util.register_dataclass, data_fields=["w", "b"], meta_fields=["name"])
@dataclasses.dataclass(frozen=True, eq=False)
class Line:
    w: Any
    b: Any
    name: str = "line"

    def __call__(self, x):
        return self.w * x + self.b


@dataclasses.dataclass(frozen=True, eq=False)
class Unregistered:
    w: Any
    b: Any

    def __call__(self, x):
        return self.w * x + self.b


class Module:
    """A base as that of neural network libraries: its classes become dataclasses and pytrees, fixed once they are made."""

    def __init_subclass__(cls):
        dataclasses.dataclass(eq=False)(cls)
        names = [*cls.__annotations__]

        def make(_, children):
            made = object.__new__(cls)
            for name, child in zip(names, children, strict=True):
                object.__setattr__(made, name, child)
            return made

        jax.tree_util.register_pytree_node(cls, lambda made: ([getattr(made, name) for name in names], None), make)

    def __setattr__(self, name, value):
        if name not in type(self).__annotations__ or name in self.__dict__:
            raise dataclasses.FrozenInstanceError(name)
        object.__setattr__(self, name, value)


class Layer(Module):
    w: Any
    b: Any

    def __call__(self, x):
        return self.w * x + self.b


def best_so_far(make, x):
    model = make(x, x + 1)
    best, best_loss, bad = model, math.inf, 0
    while bad < 2:
        loss = (model(x) - 3.0) ** 2
        if loss < best_loss:
            best, best_loss, bad = model, loss, 0
        else:
            bad += 1
        model = (
            jax.tree.map(lambda leaf: leaf * 0.5, model) if make is not Unregistered else make(model.w / 2, model.b / 2)
        )
    return best.w, best.b, best_loss


def kept_elsewhere(make, x):
    record = {"model": make(x, 1.0), "loss": 10.0}
    best = None
    for i in range(3):
        model = make(x - i, 1.0)
        if model(x) < record["loss"]:
            record["model"], record["loss"] = model, model(x)
        if best is None or model.w < best.w:
            best = model
    chosen = record["model"] if x > 2 else best
    return record["model"].w, record["loss"], best.w, chosen(x)


@inputs
def best_of_registered(x):
    return best_so_far(Line, x), kept_elsewhere(Line, x)


@inputs
def best_of_unregistered(x):
    return best_so_far(Unregistered, x), kept_elsewhere(Unregistered, x)


@inputs
def best_of_modules(x):
    return best_so_far(Layer, x), kept_elsewhere(Layer, x)
