"""Variables that are `None` or a value: searches that begin with `best = None`, and what is set under a traced condition."""

from functools import partial

import jax.numpy as jnp

from tests.programs.harness import ints, program

XS = (3.0, 1.0, 4.0, 1.0, 5.0)
signs = program((2.0,), (-2.0,), (0.5,), transforms=("vmap", "grad"))


@signs
def best_of_some(c):
    best = None
    for x in [c, c * c, 3.0 - c]:
        if x > 0 and (best is None or x < best):
            best = x
    if best is None:
        return -1.0
    return best


@signs
def best_of_an_array(c):
    best = None
    for x in jnp.array(XS) * c:
        if x < 0:
            continue
        if best is None or x > best:
            best = x
    return -1.0 if best is None else best


@program((0,), (1,), (3,), (5,), transforms=("jaxpr",))
def best_of_a_range(n):
    best = None
    for i in range(n):
        v = i * 7 % 5
        if best is None or v > best:
            best = v
    if best is None:
        return -1
    return best


@program((0,), (2,), (5,))
def best_of_pairs_in_nested_loops(n):
    best = None
    for i in range(n):
        for j in range(i):
            v = (i * 7 + j * 3) % 5
            if v > 2 and (best is None or v > best[0]):
                best = (v, i - j)
    return (-1, 0) if best is None else best


@program((2.0,), (-2.0,), (0.5,))
def best_and_where(c):
    best = where = None
    for i, x in enumerate([c, c * c, 3.0 - c]):
        if x > 0 and (best is None or x < best):
            best = x
            where = i
    if best is None or where is None:
        return -1.0, -1
    return best, where


@signs
def running_in_a_while(c):
    total = None
    while c > 0:
        if total is not None and total > 5:
            break
        total = c if total is None else total + c
        c = c - 1
    if total is not None:
        return total
    return -c


@signs
def search_with_break(c):
    found = None
    for i in range(5):
        if i * c > 3.5:
            found = i * c
            break
    return -1.0 if found is None else found


@program((2,), (0,), (-3,))
def the_value_before_a_loop_without_iterations(n):
    x = 1.0
    for i in range(n):
        if i > 0:
            x = i * 2.0
            break
        else:
            x = None
    return -1.0 if x is None else x


@signs
def the_one_before(c):
    last = None
    s = 0.0
    for v in jnp.array(XS) * c:
        if v < 2:
            continue
        if last is not None:
            s = s + abs(v - last)
        last = v
    return s


@signs
def set_and_taken_away(c):
    best = None
    for x in jnp.array(XS) * c:
        if best is None:
            best = x
        elif x > 2.0:
            best = None
    return -1.0 if best is None else best


@signs
def inside_an_outer_loop(c):
    r = 0.0
    for k in range(3):
        best = None
        for x in jnp.array(XS) * c:
            if x > k and (best is None or x > best):
                best = x
        if best is not None:
            r = r + best
    return r


@signs
def carried_where_it_is_known(c):
    x = None
    if c > 0:
        x = c
    if x is not None:
        while x < 10 * c:
            x = x + c
        return x
    return 0.0


@signs
def two_of_them(c):
    x = y = None
    if c > 0:
        x = c
    if c > 1:
        y = c + 1
    if x is not None and y is not None:
        return x + y
    if x is None or y is None:
        z = c * 5.0
    else:
        z = x * y
    return z


@signs
def the_test_has_a_name(c):
    x = None
    if c > 0:
        x = c
    missing = x is None
    if missing:
        return c * 7.0
    return x


@signs
def guarded_by_not_and_or(c):
    x = None
    if c > 0:
        x = c
    if not (x is None or x > 1):
        return x
    return c * 2.0


@signs
def filled_in(c):
    x = None
    if c > 0:
        x = c
    if x is None:
        x = c * c
    return x + 1


@signs
def a_conditional_expression(c):
    x = None if c > 0 else c
    return 0.0 if x is None else x


@signs
def known_after_a_raise(c):
    x = None
    if c > -10:
        x = c
    if x is None:
        raise ValueError("no value")
    return x * x


@program((2.0,), (-2.0,))
def known_after_an_assert(c):
    x = None
    if c > 0:
        x = c
    assert x is not None
    return x


@signs
def raised_and_caught(c):
    best = None
    try:
        for x in jnp.array(XS) * c:
            if x > 2:
                best = x
        if best is None:
            raise ValueError("none")
        return best
    except ValueError:
        return c


@signs
def read_and_written_by_closures(c):
    x = None

    def put(v):
        nonlocal x
        if v > 0:
            x = v

    def get():
        return x

    put(c)
    return 0.0 if x is None else get() * 2


@signs
def asked_in_a_comprehension(c):
    x = None
    if c > 0:
        x = c
    answers = [1.0 if x is None else x for _ in range(2)]
    return sum(answers)


@signs
def lists_and_tuples(c):
    a = b = None
    if c > 0:
        a = [c, 1.0]
        b = (c, [c])
    if a is None:
        a = [0.0, c]
    a.append(3.0)
    return a[0] + a[1] + a[2] + (0.0 if b is None else b[1][0])


@program((2.0,), (-2.0,))
def words_and_arrays(c):
    a = b = None
    if c > 0:
        a = "positive"
        b = jnp.ones(3) * c
    return (0 if a is None else len(a)), (jnp.zeros(3) if b is None else b)


@signs
def an_older_object(c):
    class Account:
        def __init__(self, x):
            self.x = x

    account = Account(c)
    chosen = None
    if c > 0:
        chosen = account
    if chosen is not None:
        chosen.x = chosen.x * 3
    return account.x


@signs
def reset_in_a_branch(c):
    a = None
    if c > 0:
        a = c
    if a is not None:
        if c > 1:
            a = None
    return 5.0 * c if a is None else a


@signs
def returned_early_from_a_loop(c):
    first = None
    for x in [c, 2 * c, c * c]:
        if first is not None and x > 3:
            return x - first
        if x > 0:
            first = x
    return c if first is None else first


def found_at(xs, t):
    for i in range(len(xs)):
        if xs[i] == t:
            return i


def before_zero(xs):
    for x in xs:
        if x == 0:
            return None
        if x < 0:
            return x
    return None


def largest_above(xs, t):
    best = None
    for x in xs:
        if x > t and (best is None or x > best):
            best = x
    return best


def last_above(xs, t):
    last = None
    for x in xs:
        if x > t:
            last = x
    return last


def doubled(x):
    return x * 2 if x > 0 else None


halved = lambda x: x // 2 if x > 0 else None  # noqa: E731


@program((ints(3, 1, 4, 1), 4), (ints(3, 1, 4, 1), 9), transforms=("vmap",))
def result_of_a_search_that_falls_off(xs, t):
    i = found_at(xs, t)
    if i is None:
        return -1
    else:
        return i + 1


@program((ints(1, 2, -3),), (ints(1, 2, 3),), (ints(1, 0, -3),), transforms=("vmap",))
def result_of_several_returns(xs):
    found = before_zero(xs)
    return 7 if found is None else found


@program((ints(3, 1, 4, 1), 2), (ints(3, 1, 4, 1), 9))
def result_that_was_a_variable(xs, t):
    best, last = largest_above(xs, t), last_above(xs, t)
    total = 0
    if best is not None:
        total += best
    if last is not None:
        total += 10 * last
    return total


@program((2,), (-2,), transforms=("vmap",))
def result_of_a_conditional_expression(x):
    a = doubled(x)
    b = halved(x + 1)
    if a is None:
        return 0 if b is None else b
    return a if b is None else a + b


@program((2,), (-2,))
def result_that_is_tested_where_it_is_made(x):
    if doubled(x) is None:
        return 0
    if (half := halved(x)) is not None:
        return half
    return 1


@program((2,), (-2,), (40,))
def result_that_is_passed_on(x):
    def outer(y):
        if y > 30:
            return None
        return doubled(y)

    def plus_one(y):
        found = outer(y)
        if found is None:
            return None
        return found + 1

    result = plus_one(x)
    return -1 if result is None else result


class Limited:
    def __init__(self, limit):
        self.limit = limit

    def get(self, x):
        if x < self.limit:
            return x, x + 1


@program((2,), (-2,), (5,))
def result_of_a_method(x):
    found = Limited(3).get(x)
    if found is None:
        return 0
    low, high = found
    return low * high


@program((5,), (2,), (40,))
def result_of_a_recursive_function(n):
    def f(k, depth):
        if depth == 0:
            return None
        if k > 30:
            return k
        found = f(k * 2, depth - 1)
        return None if found is None else found + 1

    result = f(n, 3)
    return -1 if result is None else result


@program((2,), (-2,), (5,))
def results_in_a_loop(x):
    total = 0
    for d in (1, -1, 2):
        v = doubled(x * d)
        if v is None:
            continue
        total += v
    return total


def forwarded(x):
    return doubled(x)


def forwarded_twice(x):
    return forwarded(x + 0) if x < 100 else halved(x)


def forwarded_by_a_variable(x):
    found = forwarded_twice(x)
    return found


forwarded_by_a_lambda = lambda x: forwarded_by_a_variable(x)  # noqa: E731 - a lambda is what is tried


class Plane:
    def __init__(self, height):
        self.height = height

    def _low(self, x, d):
        if d < 0 and x > self.height:
            return (self.height - x) / d

    def intersect(self, x, d):
        return self._low(x, d)


class Scene:
    def __init__(self, plane):
        self.plane = plane

    def hit(self, x, d):
        if d == 0:
            return None
        return self.plane.intersect(x, d)

    def __call__(self, x, d):
        return self.hit(x, d)


@program((2,), (-2,), (200,), transforms=("vmap",))
def result_that_functions_hand_on(x):
    first = forwarded(x)
    second = forwarded_by_a_lambda(x + 1)
    if first is None:
        return -1 if second is None else second
    return first + second if second is not None else first


@program((2.0, -1.0), (2.0, 1.0), (2.0, 0.0), transforms=("vmap", "grad"))
def result_that_methods_hand_on(x, d):
    scene = Scene(Plane(1.0))
    hit = scene.hit(x, d)
    if hit is None:
        return x
    called = scene(x, d)
    return hit * 2 + (0.0 if called is None else called)


@program((2,), (-2,))
def result_that_functions_inside_hand_on(x):
    def outer(y):
        return doubled(y)

    inner = partial(lambda offset, y: outer(y + offset), 1)
    result = inner(x)
    while result is not None and result < 20:
        result = inner(result)
    return -1 if result is None else result


@program((2,), (-2,), (1,), (4,), transforms=("vmap",))
def result_whose_truth_is_tested(x):
    less, more = forwarded(x), doubled(x - 1)  # the second is 0 for 1
    total = 0
    if more:
        total += more
    if not less:
        return total - 1
    if less and less > 5:
        total += 100
    return total + less + (7 if (more or 3) > 3 else 0)


@program((2,), (-2,), (1,), (4,))
def result_whose_truth_is_tested_where_it_is_bound(x):
    total = 0
    for y in (x, x + 1, 3 - x):
        if found := forwarded(y):
            total += found
    return total


def sign(x):
    if x > 0:
        return 1.0
    elif x == 0:
        return 0.0
    elif 0 > x:
        return -1.0


class Ramp:
    def __init__(self, low):
        self.low = low

    def at(self, x):
        if x == 99.0:
            return x
        if x < self.low:
            return self.low
        if x >= self.low:
            return x * x


@program((2.0,), (-2.0,), (0.0,), transforms=("vmap", "grad"))
def ifs_that_cover_every_number(x):
    return sign(x) * 3 + Ramp(1.0).at(x)


@program((2.0,), (float("nan"),))
def ifs_that_cover_every_number_but_nan(x):
    return sign(x) + 1


@program((2.0,), (float("nan"),))
def ifs_that_cover_every_number_where_none_is_tested_for(x):
    s = sign(x)
    return 7.0 if s is None else s


@program((2,), (-2,), (0,))
def result_that_is_tested_in_two_ways(x):
    return x if (y := doubled(x)) and y is None else 0 if y is None else y


@program((2.0,), (-2.0,), (0.0,), transforms=("vmap", "grad"))
def variable_whose_truth_is_tested(x):
    a = None
    if x >= 0:
        a = x * 3
    b = 1.0 if a else 2.0
    return (a or x * x) * b + (5.0 * a if a and a > 1 else 0.0)


@program((10,), (0,), (100,))
def known_behind_the_loop_that_looks_for_it(a):
    k = None
    i = 0
    while k is None:
        i += 1
        if i * i > a:
            k = i
    return k + i


@program((10,), (100,))
def not_known_behind_a_loop_that_may_end_otherwise(a):
    k = None
    i = 0
    while k is None and i < 5:
        i += 1
        if i * i > a:
            k = i
    return -1 if k is None else k


@program((9,), (10,))
def not_known_behind_a_break(n):
    k = None
    i = 0
    while k is None:
        i += 1
        if i > 7:
            break
        if i * 3 == n:
            k = i
    return -1 if k is None else k


def after(k, n):
    if k * k > n:
        return None
    return k + 1


@program((20,), (0,))
def while_there_is_one(n):
    k = 1
    total = 0
    while k is not None:
        total += k
        k = after(k, n)
    return total, k


@program((20,), (1000,))
def while_there_is_one_and_another_test(n):
    k = 1
    total = 0
    while k is not None and total < 100:
        total += k * 2
        if total > n:
            k = None
        else:
            k += 1
    return total if k is None else k


@program((jnp.array([1.0, 2.0, 3.0, 4.0]), 4.0), (jnp.array([5.0, 2.0, 0.0, 0.0]), 4.0), transforms=("vmap",))
def none_or_too_small(xs, least):
    best = None
    j = 0
    while best is None or best < least:
        best = xs[j] if best is None else best + xs[j]
        j += 1
    return best, j


@program((4,), (0,))
def a_loop_in_a_loop_looks_for_it(n):
    total = 0
    for i in range(n):
        k = None
        j = i
        while k is None:
            j += 1
            if j % 3 == 0:
                k = j
        total += k
    return total


@program((ints(0, 1, 2),), (ints(1, 1, 2),), (ints(1, 9, 2),))
def none_or_a_tuple(xs):
    best, goal = None, (1, 0)
    if xs[1] < 3:
        best = (1, xs[0])
    if best is None:
        return 0
    if best == goal:
        return 1
    return 2 if goal != best and not goal > best else 3


@program((ints(3, 1, 2),), (ints(1, 1, 2),), (ints(9, 8, 9),))
def least_pair_of_some(xs):
    best = None
    for i, x in enumerate([xs[0], xs[1], xs[2]]):
        if x < 7 and (best is None or (x, -i) < best):
            best = (x, -i)
    return 0 if best is None else 1 if (1, -1) == best else 2


@program((ints(1, 1, 2),), (ints(1, 9, 2),), (ints(1, 2, 2),))
def none_or_a_list_beside_a_test(xs):
    found = None
    if xs[1] < 3:
        found = [1, xs[1]]
    return 1 if found is not None and found == [1, 2] else 2


@program((5,), (2,), (0,))
def none_or_a_bool_that_counts(x):
    x, up = int(x), None  # one of Python's numbers
    if x > 0:
        up = x > 3
    if up is None:
        return -7
    return up + (x > 1)


@program((ints(0, 1, 2),), (ints(2, 1, 5),))
def a_tuple_that_a_loop_leaves(xs):
    for i, x in enumerate(xs):
        last, up = (i, x), x > 2
    return last == (2, 5), last < (2, 3), up + (xs[0] > 1)


@program((5,), (2,), (0,))
def nones_that_are_counted(x):
    first, second = None, None
    if x > 0:
        first = x
    if x > 3:
        second = x
    missing = first is None
    return (
        (first is None) + (second is None),
        -missing,
        (first is not None) - (second is None),
        sum([missing, second is None]),
    )
