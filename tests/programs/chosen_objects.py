"""Choosing between objects that exist, of classes that compare by what they hold; nobody changes them afterwards."""

import dataclasses
from typing import Any

from tests.programs.harness import program

signs = program((2.0,), (-2.0,), transforms=("vmap", "grad"))


@dataclasses.dataclass
class Item:
    cost: Any
    worth: Any = 1.0

    def ratio(self):
        return self.worth / self.cost if self.cost > 0 else self.worth


class Level:
    def __init__(self, height):
        self.height = height

    def __eq__(self, other):
        return self.height == other.height


@signs
def best_of_a_list(c):
    items = [Item(1.0), Item(c, 5.0), Item(c * c, c)]
    best = items[0]
    for item in items:
        if item.ratio() > best.ratio():
            best = item
    return best.cost + best.worth * 10


@signs
def by_min_and_max(c):
    items = [Item(1.0), Item(c, 5.0), Item(c * c, c)]
    return min(items, key=lambda i: i.cost).worth + max(items, key=Item.ratio).cost


@program((2.0,), (-2.0,))
def compared_by_what_they_hold(c):
    a, b = Item(1.0), Item(c)
    chosen = a if c > 0 else b
    level = Level(1.0) if c > 0 else Level(c)
    return chosen == a, chosen in [b], chosen != b, level == Level(c)


@signs
def changed_when_the_others_are_gone(c):
    def chosen():
        a, b = Item(1.0), Item(c)
        return a if c > 0 else b

    item = chosen()
    item.worth = item.worth + c
    return item.worth * item.cost


@signs
def changed_before(c):
    a, b = Item(1.0), Item(c)
    a.cost = c * 3
    chosen = a if c > 0 else b
    return chosen.cost + a.cost
