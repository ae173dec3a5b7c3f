"""Containers and objects that are filled after an early return, when nobody else knows them."""

from tests.programs.harness import program


class Record:
    pass


@program((2,), (3,), (5,))
def list_filled_after_two_returns(n):
    out = []
    if n > 3:
        return 0
    for i in range(3):
        out.append(n * i)
    if n > 2:
        return out[1]
    out.append(7)
    return sum(out)


@program((2,), (5,))
def object_filled_after_return(n):
    r = Record()
    r.items = []
    if n > 3:
        return 0
    r.items.append(n)
    r.extra = 3
    return r.items[0] + r.extra


@program((2,), (5,), (-1,))
def several_containers(n):
    seen, path, index = set(), [], {}
    if n < 0:
        return -1
    seen.add(1)
    path.append([n])
    path[0].append(2)
    index["first"] = path[0]
    if n > 3:
        return len(seen) + len(index)
    return len(seen) + index["first"][0]


@program((2.0,), (-2.0,), (0.5,), transforms=("vmap",))
def list_that_is_dead_where_a_loop_is_left(c):
    s = 0.0
    for i in range(3):
        xs = [c]
        if c > i:
            xs.append(2.0)
            return c + xs[0]
        s = s + xs.pop()
    return s


@program((2.0,), (-2.0,), (0.5,), transforms=("vmap",))
def asked_again_inside(c):
    positive = c > 0
    if positive:
        x = c
        while positive:
            positive = x < 10
            x = x * 2
        return x
    elif not positive:
        y = -c
    return y
