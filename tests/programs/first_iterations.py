"""What the first iteration of a loop makes and the others read; objects that one branch makes."""

from functools import partial

import autograph as ag
from tests.programs.harness import floats, program

XS = floats(1.0, 2.0, 3.0, 4.0)


class Total:
    def push(self, k, x):
        if k == 0:
            self.last = x
        else:
            self.last = self.last * x


@program((XS,), transforms=("vmap",))
def an_attribute_of_the_first_iteration(xs):
    total, other = Total(), Total()
    k = 0
    for x in xs:
        if k == 0:
            total.x = x
        else:
            total.x = total.x + x
        other.push(k, x)
        k += 1
    return total.x, other.last


@program((XS,), transforms=("vmap",))
def a_variable_of_the_iteration_before(xs):
    total = 0.0
    for k in ag.range(4):
        if k > 0:
            total += before
        before = xs[k] * 2
    return total


class Scale:
    def __init__(self, by):
        self.by = by


@program((2.0,), (-2.0,), transforms=("vmap",))
def an_object_of_the_branch_that_does_not_raise(x):
    if x > 0:
        scale = Scale(3.0)
    elif x < -5:
        raise ValueError("no")
    else:
        scale = Scale(4.0)
    if x < 10:
        other = Scale(5.0)
    else:
        raise ValueError("no")
    other.by += 1.0
    return scale.by * x, other.by


def _line(slope, at, offset=0.0):
    return slope * at + offset


@program((2.0,), (-2.0,), transforms=("vmap", "grad"))
def partials_that_a_condition_chooses(x):
    line = partial(_line, 2.0) if x > 0 else partial(_line, 3.0)
    if x > 1:
        other = partial(_line, x, offset=1.0)
    else:
        other = partial(_line, 1.0, offset=x)
    return line(x) + other(x)


class Defaults:
    total = 0.0
    best = None

    def __getattr__(self, name):
        if name == "shift":
            return 1.0
        raise AttributeError(name)


@program((XS,), transforms=("vmap", "grad"))
def attributes_that_the_class_has(xs):
    found = Defaults()
    for x in xs:
        found.total += x
        found.shift = found.shift * x
        if found.best is None:
            found.best = x
        else:
            found.best = found.best + x
    return found.total + found.shift + found.best


@program((3,), (0,), transforms=("vmap",))
def an_attribute_of_the_class_in_a_loop_of_unknown_length(n):
    found = Defaults()
    k = 0
    while k < n:
        found.total += k
        k += 1
    return found.total


@program((XS,), transforms=("vmap", "grad"))
def attributes_that_are_asked_for(xs):
    found = Total()
    for x in xs:
        if hasattr(found, "first"):
            found.first = found.first * x
        else:
            found.first = x
        found.second = getattr(found, "second", 0.0) + x
        try:
            found.third = found.third + x
        except AttributeError:
            found.third = x
    return found.first + found.second + found.third


@program((XS,), transforms=("vmap", "grad"))
def a_variable_whose_absence_is_handled(xs):
    for x in xs:
        try:
            total = total + x  # noqa: F821  # what the handler is for
        except UnboundLocalError:
            total = x
    return total


_NUMBERS = floats(3.0, 2.0, 5.0, 6.0, 1.0, 7.0)
PATIENCE = (_NUMBERS, 1), (_NUMBERS, 5), (_NUMBERS * -1, -1)


@program(*PATIENCE, transforms=("vmap",))
def none_before_a_loop_with_an_exit(xs, patience):
    best, waited = None, 0
    for x in xs:
        if best is None or x < best:
            best, waited = x, 0
        else:
            waited += 1
            if waited > patience:
                break
    return best, waited


@program(*PATIENCE, transforms=("vmap",))
def none_in_an_attribute_before_a_loop_with_an_exit(xs, patience):
    total = Total()
    total.best, total.waited = None, 0
    for x in xs:
        if total.best is not None and x >= total.best:
            total.waited += 1
        else:
            total.best, total.waited = x, 0
        if total.waited > patience:
            break
    return total.best * total.waited


def _lower(best, x):
    return x if best is None or x < best else best


@program(*PATIENCE, transforms=("vmap",))
def none_for_a_helper_that_tests_it(xs, patience):
    best, waited = None, 0
    for x in xs:
        best = _lower(best, x)
        waited += x > best
        if waited > patience:
            return best
    return best * 2


@program(*PATIENCE, transforms=("vmap",))
def none_in_a_second_variable_before_a_loop_with_an_exit(xs, patience):
    best, arg, waited = None, None, 0
    for i, x in enumerate(xs):
        if best is None or x < best:
            best, arg, waited = x, i, 0
            continue
        waited += 1
        if waited > patience:
            break
    return best, arg


@program((XS, 2.5), (XS, 0.5), transforms=("vmap", "grad"))
def none_before_a_sum_that_stops(xs, most):
    total = None
    for x in xs:
        total = x if total is None else total + x
        if total > most:
            break
    return total


@program((XS[:1],), (XS[1:2],), transforms=("vmap",))
def none_before_a_loop_over_one_number(xs):
    best = None
    for x in xs:
        if best is None or x < best:
            best = x
    return best
