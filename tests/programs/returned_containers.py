"""Containers from before a loop that leave it through a `return`, or through a variable that an iteration binds.

Such a container is the same object in every iteration, so what is written to it later must show through every name.
"""

from tests.programs.harness import program

INPUTS = ((1, 3), (3, 1), (5, 2), (4, 3), (0, 0), (3, 7))


class Box:
    def __init__(self, p):
        self.p = p


@program(*INPUTS, promotes=True)
def older_and_newborn(a, b):
    d = {"k": 0}
    for i in range(a):
        if b == i:
            return i, d
        if b + 1 == i:
            return i, {"k": i}
    return b, {"k": 7}


@program(*INPUTS, promotes=True, transforms=("vmap",))
def nested(a, b):
    rows = [[a, 1], [b, 2]]
    for i in range(a):
        for j in range(b):
            if i + j == 3:
                return i, rows
        rows[0][0] += i
    rows[1][1] = 9
    return b, rows


@program(*INPUTS, promotes=True, transforms=("vmap",))
def nested_newborn(a, b):
    for i in range(a):
        for j in range(b):
            if i + j == 3:
                return i, [i, j]
    return b, [a, b]


@program(*INPUTS, promotes=True)
def replaced_in_loop(a, b):
    d = {"k": 0}
    e = d
    for i in range(a):
        if b == i:
            return i, d, e
        d = {"k": i}
    return b, d, e


@program(*INPUTS, promotes=True, transforms=("vmap",))
def alias_written_in_loop(a, b):
    xs = [a, 1]
    ys = xs
    for i in range(a):
        if b == i:
            return i, xs, ys
        ys[0] += 1
    xs[1] += 4
    return b, ys, xs


@program(*INPUTS, promotes=True, transforms=("vmap",))
def inside_object(a, b):
    o = Box([1, {"k": a}])
    for i in range(a):
        if b == i:
            return i, o.p, o.p[1]
    o.p[1]["k"] += 5
    o.p[0] = b
    return b, o.p, o.p[1]


@program(*INPUTS, promotes=True)
def last_of(a, b):
    d, e = {"k": a}, [1, b]
    for i in range(a + 1):
        t = d, e
        d["k"] += 1
    d["k"] = 7
    e[0] = 3
    return t, t[0] is d, t[1] is e


@program(*INPUTS, promotes=True)
def closure_in_iteration(a, b):
    def g():
        return d

    d = {"k": a}
    for i in range(a):
        if i == b:
            return i, g()
    d["k"] = 3
    return b, g()


@program(*INPUTS, promotes=True)
def alternating(a, b):
    d, e = {"k": a}, {"k": b}
    for i in range(a + 1):
        t = d if i % 2 == 0 else e
    return t["k"]


@program(*INPUTS, promotes=True)
def swapped(a, b):
    d, e = {"k": a}, {"k": b}
    for i in range(a):
        if i == b:
            return i, d, e
        d, e = e, d
    return b, e, d


@program(*INPUTS, promotes=True)
def from_a_loop_in_an_unrolled_one(a, b):
    d = {"k": 0}
    for i in [a, b, 3]:
        for j in range(b):
            if j == i:
                return i, d
            if j == i + 1:
                return j, d
        d["k"] += i
    return b, d


@program(*INPUTS, promotes=True)
def from_two_loops_in_one(a, b):
    d = {"k": 0}
    w = 0
    while w < a:
        w += 1
        for i in range(3):
            if a + i > 7:
                return i, d
        v = 0
        while True:
            v += 1
            if v > b:
                return v, d
            if v > 2:
                break
    d["k"] = 6
    return b, d


@program(*INPUTS, promotes=True)
def another_dict_from_a_loop_in_an_unrolled_one(a, b):
    d = {"k": 0}
    for i in [a, b, 3]:
        for j in range(b):
            if j == i:
                return i, d
            if j == i + 1:
                return j, {"k": j}
    return b, d


@program(*INPUTS, promotes=True)
def variable_called_as_ours(a, b):
    return_value = {"k": 0}, 1
    same = return_value[0]
    for i in range(a):
        if i == b:
            return_value = {"k": i}, 2
    return return_value, same
