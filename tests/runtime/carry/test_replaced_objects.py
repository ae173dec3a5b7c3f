"""A variable that gets another object of its class: attributes join where nobody can tell, and else it is refused."""

import weakref

import pytest

import autograph as ag


class Pair:
    def __init__(self, x, y):
        self.x = x
        self.y = y


def alias(n):
    v = Pair(0, 1)
    same = v
    if n > 3:
        v = Pair(n, 1)
    return v.x, same.x, v is same


def alias_in_a_list(n):
    v = Pair(0, 1)
    keep = [v]
    for _ in range(n):
        v = Pair(v.x + 1, 0)
    return v.x, keep[0].x, keep[0] is v


def alias_of_another_variable(n):
    v, w = Pair(0, 1), Pair(1, 2)
    for _ in range(n):
        v = w
    v.x = 7
    return v.x, w.x


def key_of_a_dict(n):
    v = Pair(0, 1)
    d = {v: 3}
    if n > 3:
        v = Pair(1, 1)
    return v in d


def list_inside_is_changed(n):
    v = Pair(0, [1])
    for _ in range(n):
        v = Pair(v.x + 1, v.y)
        v.y[0] += v.x
    return v.x, v.y


def list_inside_has_another_name(n):
    v = Pair(0, [1])
    y = v.y
    for _ in range(n):
        v = Pair(v.x + 1, [v.x])
    y[0] += 1
    return v.x, v.y, y


def the_one_before(n):
    v = u = Pair(0, 1)
    for _ in range(n):
        u = v
        v = Pair(v.x + 1, 0)
    u.x += 100
    return v.x, u.x


def collected(n):
    v = Pair(0, 1)
    found = []
    for i in range(3):
        if n > i:
            v = Pair(v.x + 1, 0)
        found.append(v)
    v.x += 50
    return [p.x for p in found]


def weakly_known(n):
    v = Pair(0, 1)
    reference = weakref.ref(v)
    if n > 3:
        v = Pair(1, 1)
    return reference() is v


def knows_itself(n):
    v = Pair(0, 1)
    v.y = v
    if n > 3:
        v = Pair(1, 1)
        v.y = v
    return v.y.x


def held_by_another_object(n):
    v = Pair(0, 1)
    w = Pair(v, 1)
    if n > 3:
        v = Pair(1, 1)
    return v is w.x, w.x.x


def changed_in_the_other_branch(n):
    v = Pair(n, 1)
    if n > 3:
        v = Pair(n * 2, 5)
    else:
        v.x += 3
    return v.x, v.y


def changed_before_it_is_replaced(n):
    v = Pair(n, 1)
    for _ in range(n):
        v.x += 3
        v = Pair(v.x * 2, 5)
    return v.x, v.y


def swapped(n):
    v, w = Pair(0, 1), Pair(1, 2)
    for _ in range(n):
        v, w = w, v
    return v.x, w.x


def object_inside_stays(n):
    v = Pair(0, Pair(2, 3))
    for _ in range(n):
        v = Pair(v.x + 1, v.y)
    v.y.x += 1
    return v.x, v.y.x


def read_by_a_closure(n):
    v = Pair(0, 1)

    def get():
        return v

    if n > 3:
        v = Pair(1, 1)
    return get().x


def other_branch_gives_it_another_name(n):
    v, u = Pair(0, 1), Pair(1, 2)
    if n > 1:
        if n > 3:
            v = Pair(n, 2)
    else:
        u = v
    u.x += 100
    return v.x, u.x


def replaced_in_a_branch_of_a_branch(n):
    v = Pair(0, 1)
    if n > 1:
        if n > 3:
            v = Pair(n, 2)
    else:
        n = n + 7
    return v.x, v.y, n


def replaced_in_a_loop_of_a_branch(n):
    v = Pair(0, 1)
    if n > 1:
        for i in range(n):
            v = Pair(v.x + i, v.y)
    elif n == 0:
        v = Pair(4, 4)
    return v.x, v.y


def changed_after_a_loop_in_a_branch(n):
    v = Pair(0, 1)
    if n > 1:
        for i in range(n):
            v = Pair(v.x + i, v.y)
        v.x += 5
    elif n == 0:
        n = 7
    return v.x, v.y, n


REFUSED = [
    other_branch_gives_it_another_name,
    alias,
    alias_in_a_list,
    alias_of_another_variable,
    key_of_a_dict,
    list_inside_is_changed,
    list_inside_has_another_name,
    the_one_before,
    collected,
    weakly_known,
    knows_itself,
    held_by_another_object,
    changed_in_the_other_branch,
    changed_before_it_is_replaced,
]


@pytest.mark.parametrize("fn", REFUSED)
def test_refused_where_somebody_could_tell(fn):
    with pytest.raises(ag.StagingError, match="'[vu](\\.y)?'"):
        ag.jit(fn)(5)


JOINED = [
    swapped,
    object_inside_stays,
    read_by_a_closure,
    replaced_in_a_branch_of_a_branch,
    replaced_in_a_loop_of_a_branch,
    changed_after_a_loop_in_a_branch,
]


@pytest.mark.parametrize("fn", JOINED)
@pytest.mark.parametrize("n", [0, 2, 5])
def test_joined_where_nobody_can_tell(fn, n):
    assert tuple(map(int, _flat(ag.jit(fn)(n)))) == _flat(fn(n))


def _flat(result):
    return result if isinstance(result, tuple) else (result,)
