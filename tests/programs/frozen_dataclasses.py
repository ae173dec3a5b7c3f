"""Frozen dataclasses: what they hold joins and is carried; no name can see which object it was, but by `is`."""

import dataclasses
import functools
from typing import Any

import jax.numpy as jnp

from tests.programs.harness import program

replace = dataclasses.replace
signs = program((2.0,), (-2.0,), transforms=("vmap", "grad"))


@dataclasses.dataclass(frozen=True)
class Ball:
    x: Any
    v: Any = 1.0

    def step(self, push):
        if push > 0:
            return replace(self, x=self.x + push * self.v)
        return self

    def bounced(self, push):
        if push > 0:
            return replace(self, v=-self.v)
        return replace(self, x=push)


@dataclasses.dataclass(frozen=True)
class Measured:
    x: Any
    size: Any = dataclasses.field(init=False)

    def __post_init__(self):
        object.__setattr__(self, "size", self.x * self.x if self.x > 0 else -self.x)

    @functools.cached_property
    def twice(self):
        return self.x * 2


@dataclasses.dataclass(frozen=True, slots=True)
class Table:
    ball: Ball
    marks: list[Any]


@dataclasses.dataclass
class Open:
    x: Any


@signs
def replaced_in_one_branch(c):
    return Ball(1.0, c).step(c).x


@signs
def replaced_in_both_branches(c):
    b = Ball(c).bounced(c)
    return b.x * 3 + b.v


@signs
def carried_by_a_while(c):
    ball = before = Ball(1.0, 2.0)
    while c > 0:
        ball = ball.step(c)
        c = c - 1
    return ball.x + before.x


@signs
def carried_by_a_loop_over_an_array(c):
    ball = Ball(0.0)
    for x in jnp.array([1.0, 3.0, 2.0]):
        if x * c > ball.x:
            ball = replace(ball, x=x * c, v=c)
    return ball.x + ball.v


@signs
def best_of_a_list(c):
    balls = [Ball(1.0), Ball(c, 5.0), Ball(c * c, c)]
    best = balls[0]
    for ball in balls:
        if ball.x > best.x:
            best = ball
    return best.x + best.v


@signs
def best_so_far_beside_the_current_one(c):
    ball = best = Ball(c, 2.0)
    for i in range(4):
        ball = ball.step(c - i)
        if ball.x > best.x:
            best = ball
    return best.x - ball.v


@signs
def swapped_by_a_loop(c):
    a, b = Ball(c), Ball(c - 1)
    for _ in range(3):
        a, b = (b, a) if a.x > b.x else (replace(a, x=a.x + 1), b)
    return a.x * 10 + b.x


@program((2.0,), (-2.0,))
def equality_by_fields(c):
    a = same = Ball(c)
    if c > 0:
        a = Ball(c + 1)
    return a == same, a in [same], a != Ball(c)


@signs
def computed_fields_and_cached_properties(c):
    a = Measured(c)
    first = a.twice
    if c > 0:
        a = replace(a, x=a.x + 1)
    return a.size + a.twice + first


@signs
def inside_another_one(c):
    ball = Ball(c)
    table = Table(ball, [c, 1.0])
    if c > 0:
        table = replace(table, ball=replace(ball, x=ball.x + 1))
    table.marks.append(4.0)
    return table.ball.x + table.marks[2] + ball.x


@signs
def list_of_a_field_is_changed(c):
    table = Table(Ball(c), [c])
    marks = table.marks
    while c > 0:
        table = replace(table, ball=table.ball.step(c))
        table.marks[0] = c * 3
        c = c - 1
    return marks[0] + table.ball.x


@signs
def returned_from_inside_a_loop(c):
    def run():
        ball = Ball(0.0)
        while True:
            if ball.x > 10:
                return ball
            if c < 0:
                break
            ball = replace(ball, x=ball.x + c)
        return replace(ball, v=5.0)

    return run().v + run().x


@signs
def fields_that_stay_numbers(c):
    @dataclasses.dataclass(frozen=True)
    class Settings:
        count: int
        total: Any

    s = Settings(3, 1.0)
    while c > 0:
        t = 0.0
        for k in [1.0] * s.count:
            t = t + k
        s = replace(s, total=s.total + t)
        c = c - 1
    return s.total


@signs
def subclass_that_is_not_frozen(c):
    class Loose(Ball):
        def put(self, x):
            self.__dict__["extra"] = x

    b = Loose(c)
    if c > 0:
        b = Loose(c + 1)
    b.put(3.0)
    return b.x + b.extra


@signs
def new_objects_in_new_objects(c):
    if c > 0:
        pair = (Open(Open(c)), [Open(2.0)])
    else:
        pair = (Open(Open(c + 1)), [Open(3.0)])
    return pair[0].x.x + pair[1][0].x


@signs
def new_objects_beside_new_lists(c):
    if c > 0:
        o, xs = Open(c), [c]
    else:
        o, xs = Open(c + 1), [c + 1]
    return o.x * 10 + xs[0]


@program((2.0,), (-2.0,), (-20.0,))
def new_object_beside_a_raise(c):
    def make():
        if c > -10:
            return Open((Open(c + 1), 2))
        raise ValueError("too cold")

    return make().x[0].x
