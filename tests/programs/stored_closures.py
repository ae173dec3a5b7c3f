"""Lambdas that are stored where they are made: in attributes and containers, and what they capture is bound again later."""

from types import SimpleNamespace

from tests.programs.harness import program


@program((1.0,), (-1.0,))
def attribute_captures_what_a_branch_binds(x):
    box = SimpleNamespace()
    y = 1
    box.f = lambda: y
    if x > 0:
        y = 2
    return box.f()


@program((1.0,), (-1.0,))
def element_captures_what_a_branch_binds(x):
    table = {}
    y = 1
    table["f"] = lambda: y
    if x > 0:
        y = 2
    return table["f"]()


@program((1.0,), (-1.0,))
def list_captures_what_a_branch_binds(x):
    made = [0]
    y = 1
    made += [lambda: y]
    if x > 0:
        y = 2
    return made[1]()


@program((3,), (0,))
def attribute_captures_what_a_loop_binds(n):
    box = SimpleNamespace()
    total = 0
    box.f = lambda: total + 1
    for i in range(n):
        total = total + i
    return box.f()


@program((1, (2, 3)), (0, (2, 3)), static=(0, 1))
def comprehension_in_a_stored_lambda(n, names):
    box = SimpleNamespace()
    if n:
        box.f = lambda: [1]
    else:
        names = tuple(names)
        box.f = lambda: [name + 1 for name in names]
    return box.f()


@program((1.0,), (-1.0,))
def walrus_in_a_stored_lambda(x):
    box = SimpleNamespace()
    y = 1
    box.f = lambda: (z := y + 1) * 2 + z
    if x > 0:
        y = 2
    return box.f()


@program((1.0,), (-1.0,))
def generator_in_the_default_of_a_stored_lambda(x):
    table, y = {}, 1
    table["f"] = lambda items=(v for v in (1, 2, 3)): sum(items) + y
    if x > 0:
        y = 2
    return table["f"]()


@program((1.0,), (-1.0,))
def lambda_compared_and_called_at_once(x):
    y = 1
    same = [(lambda: y)] == [1]
    if x > 0:
        y = 2
    return same, (lambda: y)()
