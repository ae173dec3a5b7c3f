"""The smallest program of each error that the random search or a reader has found, so that it stays found."""

import collections
import contextlib
import types

import jax.numpy as jnp

from tests.programs.harness import program


class Box:
    def __init__(self, p, q=0):
        self.p = p
        self.q = q


class Bumped:
    """A context manager that writes to an object that it was given."""

    def __init__(self, o):
        self.o = o

    def __enter__(self):
        self.o.p = self.o.p + 1
        return self

    def __exit__(self, *error):
        self.o.q = self.o.q - 1


class Countdown:
    """An iterator that counts its steps in an object."""

    def __init__(self, o):
        self.o = o
        self.k = 3

    def __iter__(self):
        return self

    def __next__(self):
        if self.k == 0:
            raise StopIteration
        self.k -= 1
        self.o.p += 1
        return self.k


class Noisy:
    """Every protocol that native syntax calls leaves a trace in an object."""

    def __init__(self, o):
        self.o = o

    @property
    def getter(self):
        self.o.p += 1
        return 1

    def __add__(self, other):
        self.o.p += 2
        return other + 1

    def __len__(self):
        self.o.p += 3
        return 4

    def __bool__(self):
        self.o.p += 4
        return True

    def __eq__(self, other):
        self.o.p += 5
        return True

    def __getitem__(self, key):
        self.o.p += 6
        return key

    def __format__(self, spec):
        self.o.p += 7
        return "x"

    def __call__(self, k):
        self.o.p += 8
        return k

    def __contains__(self, k):
        self.o.p += 9
        return True

    def __neg__(self):
        self.o.p += 10
        return 1

    def __lt__(self, other):
        self.o.p += 11
        return True


@program((2, 0), (3, 1), (1, 5))
def walrus_in_chain_in_or(a, b):
    c = 0
    if b or 1 < a <= (c := 1):
        a = a + 1
    return a, c


@program((3,), (8,))
def managed_object_in_branch(a):
    o = Box(a)
    if a > 5:
        with Bumped(o):
            a = a + 1
    return a, o.p, o.q


@program((3,), (8,))
def managed_object_in_loop(a):
    o = Box(0)
    for i in range(a):
        with Bumped(o):
            a = a + i
    return a, o.p, o.q


@program((3,), (8,))
def iterator_that_writes(n):
    o = Box(0)
    if n > 5:
        for k in Countdown(o):
            n += k
    return n, o.p


@program((3,), (8,))
def getter_that_writes(n):
    o = Box(0)
    m = Noisy(o)
    if n > 5:
        n = n + m.getter
    return n, o.p


@program((3,), (8,))
def operator_that_writes(n):
    o = Box(0)
    m = Noisy(o)
    if n > 5:
        n = m + n
    return n, o.p


@program((3,), (8,))
def unary_operator_that_writes(n):
    o = Box(0)
    m = Noisy(o)
    if n > 5:
        n = n + -m
    return n, o.p


@program((3,), (8,))
def comparison_that_writes(n):
    o = Box(0)
    m = Noisy(o)
    if n > 5:
        if m == 3 and m < 4:
            n = n + 1
    return n, o.p


@program((3,), (8,))
def len_and_truth_that_write(n):
    o = Box(0)
    m = Noisy(o)
    if n > 5:
        n = n + len(m)
        if m:
            n = n + 1
    return n, o.p


@program((3,), (8,))
def subscript_and_membership_that_write(n):
    o = Box(0)
    m = Noisy(o)
    if n > 5:
        n = n + m[2]
        if 1 in m:
            n = n + 1
    return n, o.p


@program((3,), (8,))
def format_that_writes(n):
    o = Box(0)
    m = Noisy(o)
    if n > 5:
        n = n + len(f"{m}")
    return n, o.p


@program((3,), (8,))
def call_that_writes(n):
    o = Box(0)
    m = Noisy(o)
    if n > 5:
        n = n + m(3)
    return n, o.p


@program((3,), (8,))
def writes_through_dict_of_object(n):
    s = types.SimpleNamespace(a=1)
    if n > 5:
        s.a = 2
        s.__dict__["a"] += 5
        vars(s)["a"] += 5
        setattr(s, "a", s.a + 100)  # noqa: B010
    return s.a


@program((2,), (8,))
def raise_after_return_in_try(a):
    try:
        if a > 3:
            return a
        raise ValueError("static")
    except ValueError:
        a = -1
    return a


@program((2,), (8,))
def list_grows_after_early_return(n):
    out = []
    if n > 3:
        return 0
    out.append(n)
    return out[0]


@program((2,), (8,))
def closures_collected_beside_a_return(n):
    fs = []
    for i in range(3):
        fs.append(lambda: i + n)
        if n > 5:
            return i
    return sum(f() for f in fs)


@program((2,), (8,))
def dict_filled_after_early_return(n):
    d = {}
    if n > 3:
        return n
    d["k"] = n
    return d["k"] + 1


@program((2,), (8,), (0,))
def return_of_container_that_changes_later(n):
    d = {"k": 0}
    for i in range(n):
        if d["k"] > 5:
            return d
        d["k"] += i
    return d


@program((2,), (8,))
def nested_rows_returned_from_nested_loops(n):
    rows = [[n, 1], [2, n]]
    for _ in range(3):
        for j in range(n):
            if j > 5:
                return rows
            rows[0][0] += 1
    return rows


@program((2,), (8,))
def list_method_references(n):
    out = []
    add = out.append
    add(n)
    if n > 5:
        out[0] = 3
    return out


@program((2,), (8,))
def exit_stack(n):
    o = Box(0)
    with contextlib.ExitStack() as stack:
        stack.enter_context(Bumped(o))
        if n > 5:
            n = n - 5
    return n, o.p, o.q


@program((2,), (8,))
def else_of_while_true_is_never_reached(a):
    w = 0
    while True:
        w += 1
        if w > a:
            return w
    else:
        a = 5


@program((2,), (8,))
def else_of_while_true_in_branch(a):
    w = 0
    if a > 5:
        while True:
            w += 1
            if w > a:
                return w
        else:
            a = 5
    return a


@program((2,), (3,), (9,))
def generator_with_effects_left_by_traced_break(n):
    s = 0

    def gen():
        nonlocal s
        for i in range(4):
            s += 1
            yield i

    for x in gen():
        if x >= n:
            break
    return s


@program((2,), (8,))
def order_of_dict(n):
    o = {"a": 1, "b": 2}
    if n > 5:
        o["a"] = o.pop("a")
    else:
        o["a"] = o.pop("a") + 1
    return list(o.values())


@program((20,), (5,), (1,))
def first_bound_before_a_break(n):
    for k in range(n):
        if k * k > 50:
            break
        y = k
    return y


@program((20, 50), (5, 50))
def first_bound_behind_a_break(n, m):
    k = 0
    while k < n:
        k = k + 1
        if k * k > m:
            break
        y = k * 2
    return y


@program((5, 3), (2, 3))
def first_bound_in_an_inner_loop(n, m):
    for i in range(n):
        for j in range(m - i):
            y = j * 10 + i
    return y


@program((5, 6), (2, 3))
def first_bound_tuple_before_an_inner_break(n, m):
    for i in range(n):
        for j in range(m):
            if i * j > 6:
                break
            y = (j * 10 + i, 1.0 * i)
    return y


@program((2,), (8,))
def list_returned_from_loop_in_branch(n):
    rows = [1, 1]
    if n > 3:
        for _ in jnp.arange(4):
            return n % 5, rows
    return n, rows


@program((0,), (3,))
def object_of_a_library_class_in_branch(n):
    d, xs = collections.UserDict(a=1), collections.UserList([1, 2, 3])
    if n > 2:
        d["a"] = 5
        xs[0] = 5
    else:
        xs.append(4)
        xs.pop()
    return d["a"], list(xs)


class Checked(collections.UserDict):
    def __setitem__(self, key, value):
        if value > 2:
            super().__setitem__(key, value)


@program((0,), (3,))
def subclass_of_a_library_class(n):
    d = Checked({"a": 5})
    if n > 2:
        d["a"] = n + 6
    d["a"] = n
    return d["a"]


@program((3,), (200,))
def bare_raise_in_branch_of_handler(n):
    try:
        raise ValueError("x")
    except ValueError:
        if n > 500:
            raise
        v = n
    return v


@program((3,), (2,))
def links_followed_by_index(n):
    parent = [0, 0, 1, 2]
    x = n
    while parent[x] != x:
        x = parent[x]
    return x


@program((3,), (8,))
def insertion_into_a_list(n):
    a = [n, 5, 2, 9, 1]
    for i in range(1, 5):
        key = a[i]
        j = i - 1
        while j >= 0 and a[j] > key:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = key
    return a


@program((3,), (8,))
def assertion_in_test_and_body(n):
    def checked(v):
        assert v < 100
        return v

    while checked(n) < 10:
        n = checked(n) + 3
    return n


@program((5, 2), (5, 3), (1, 2))
def another_object_beside_a_tuple_of_the_branch(a, b):
    o = Box(a, b)
    if b == 3:
        return o.p, 1
    if a > 2:
        o = Box(7, 2)
    return o.p, 2


@program((5, 2), (5, 3), (1, 2))
def another_object_beside_containers_of_the_branches(a, b):
    o = Box(a, b)
    if b > a:
        t = [a, 1]
        d = {"k": (a, 2)}
    else:
        o = Box(7, 2)
        t = [b, 3]
        d = {"k": (b, 4)}
    return o.p, t, d


@program((3,), (0,))
def object_of_an_iteration_changed_in_a_loop_inside(n):
    total = 0
    while n > 0:
        box = Box(0)
        k = n
        while k > 0:
            box.p += k
            k -= 1
        total += box.p
        n -= 1
    return total


@program((5, -1.5), (1, 2.0), (0, 3.0))
def numbers_of_a_range_that_only_xla_knows(n, x):
    start, steps, last = 7, 0, 0.0
    while steps < n:
        steps += 1
        for _ in range(start % 7, start % 3, 2):
            last = -x * 2.0
    return last


@program((5, -1.5), (2, 2.0))
def steps_of_one_that_make_two(n, x):
    i = n * 0
    while i < 5:
        i += 1
        x = x * 2.0
        i += 1
    return x, i


@program((jnp.float32(1.5), 3), (jnp.float32(60.0), 1))
def loop_that_would_not_end_on_zeros(x, n):
    s = 0
    for _ in range(n):
        for _ in range(n):
            s = s + x
        while s < 100:
            s = s * 2
    return s


@program((3,), (0,), (8,))
def assertion_in_a_loop_test_in_a_branch(n):
    def checked(v):
        assert v < 100
        return v

    if n > 0:
        while checked(n) < 10:
            n = checked(n) + 3
        assert n < 90
    return n


@program((3,), (0,), (8,))
def assertion_in_a_loop_test_in_a_loop(n):
    def checked(v):
        assert v < 100
        return v

    for _ in range(n):
        while checked(n) < 10:
            n = checked(n) + 3
        assert n < 90
    return n
