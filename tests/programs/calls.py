"""Calls of user functions: recursion on static arguments, higher order functions, partials, `*args`, defaults."""

import functools

import jax
import jax.numpy as jnp
from jax import lax

import autograph as ag
from tests.programs.harness import floats, ints, program


def clamp(x, low=0, high=10):
    if x < low:
        return low
    if x > high:
        return high
    return x


def apply_twice(f, x):
    return f(f(x))


def collatz_step(n):
    if n % 2 == 0:
        return n // 2
    return 3 * n + 1


@program((-3,), (5,), (50,), promotes=True)
def call_module_function(n):
    return clamp(n) + clamp(n, high=7) * 100


@program((6,), (7,))
def call_in_loop(n):
    steps = 0
    while n != 1:
        n = collatz_step(n)
        steps += 1
    return steps


@program((6,), (7,))
def pass_function(n):
    return apply_twice(collatz_step, n)


@program((6,), (7,))
def pass_lambda(n):
    return apply_twice(lambda v: v - 3 if v > 5 else v + 10, n)


@program((6,), (9,), (1,))
def nested_functions(n):
    def outer(a):
        def inner(b):
            if b > 10:
                return b - 10
            return b

        if a > 6:
            return inner(a * 2)
        return inner(a + 8)

    return outer(n)


def power(x, k):
    if k == 0:
        return 1
    half = power(x, k // 2)
    if k % 2 == 0:
        return half * half
    return half * half * x


@program((3, 5), (2, 10), static=(1,))
def recursion_on_static(x, k):
    return power(x, k)


def is_even(k, x):
    if k == 0:
        return x
    return is_odd(k - 1, x + 1)


def is_odd(k, x):
    if k == 0:
        return -x
    return is_even(k - 1, x * 2)


@program((3, 5), (3, 4), static=(1,))
def mutual_recursion_on_static(x, k):
    return is_even(k, x)


@program((3, 5), static=(1,))
def inner_recursion_on_static(x, k):
    def go(i):
        if i == 0:
            return x
        if x > 2:
            return go(i - 1) + i
        return go(i - 1) * i

    return go(k)


@program((3,), (8,))
def partial_(n):
    f = functools.partial(clamp, low=2, high=6)
    return f(n) + functools.partial(clamp, n)(high=4)


@program((3,), (8,))
def star_arguments(n):
    def f(*args, **kwargs):
        s = 0
        for a in args:
            if a > 5:
                s += a
        for v in kwargs.values():
            s += v * 10
        return s

    args = (n, 2, 7)
    return f(*args, k=n, **{"m": 1})


@program((3,), (8,))
def keyword_only(n):
    def f(a, /, b, *, c=1, d):
        if a > b:
            return c
        return d

    return f(n, 5, d=n) + f(n, b=1, c=n, d=0)


@program((3,), (8,))
def default_evaluated_once(n):
    def f(a, seen=[]):  # noqa: B006
        seen.append(a)
        return len(seen)

    f(n)
    return f(n) + n


@program((3,), (8,))
def decorated_function(n):
    def twice(f):
        @functools.wraps(f)
        def wrapper(*args):
            return f(f(*args))

        return wrapper

    @twice
    def step(k):
        if k > 5:
            return k - 5
        return k + 4

    return step(n)


@program((3,), (9,))
def cached_function(n):
    @functools.lru_cache
    def table(k):
        return k * 2

    if n > 5:
        return n + table(4)
    return table(4) + table(4)


@program((floats(1, -2, 3),), reference=lambda v: jnp.where(v > 0, v * 2, v * v))
def vmap_of_user_function(v):
    def f(x):
        if x > 0:
            return x * 2
        return x * x

    return jax.vmap(f)(v)


@program((3.0,), (-3.0,))
def grad_of_user_function(x):
    def loss(w):
        if w > 0:
            return w * w
        return -w * 3

    return jax.grad(loss)(x)


@program((3.0,), (-3.0,))
def value_and_grad_of_user_function(x):
    def loss(w):
        s = 0.0
        for k in range(3):
            if w > k:
                s = s + w * w
        return s

    return jax.value_and_grad(loss)(x)


@program((floats(1, -2, 3),), transforms=("vmap",), interpreted=True)
def scan_of_user_function(v):
    def step(carry, x):
        if x > 0:
            carry = carry + x
        return carry, carry * 2

    return lax.scan(step, jnp.float32(0), v)


@program((3.0,), (-3.0,), transforms=("grad",), reference=lambda x: jnp.sin(x) if x > 0 else x * x)
def checkpoint_of_user_function(x):
    def f(y):
        if y > 0:
            return jnp.sin(y)
        return y * y

    return jax.checkpoint(f)(x)


@program((3,), (9,), interpreted=True)
def jit_inside(n):
    @jax.jit
    def f(k):
        if k > 5:
            return k - 5
        return k

    return f(n) + 1


@program((3,), (9,), interpreted=True)
def ag_jit_inside(n):
    @ag.jit
    def f(k):
        if k > 5:
            return k - 5
        return k

    return f(n) + 1


@program((3,), (8,))
def convert_inside(n):
    @ag.convert
    def f(k):
        while k > 5:
            k -= 2
        return k

    return f(n)


@program((3,), (8,), interpreted=True)
def hand_written_lax_cond(n):
    return lax.cond(n > 5, lambda k: k - 5, lambda k: k * 2, n)


@program((3,), (8,), interpreted=True)
def hand_written_while_loop(n):
    def body(state):
        i, s = state
        if i > 4:
            s = s + i
        return i - 1, s

    return lax.while_loop(lambda state: state[0] > 0, body, (n, 0))


@program((3,), (8,), interpreted=True)
def fori_loop_of_user_function(n):
    def body(i, s):
        if i % 2 == 0:
            return s + i
        return s

    return lax.fori_loop(0, n, body, 0)


@program((ints(1, 2, 3),))
def tree_map_of_user_function(v):
    def f(x):
        if x > 1:
            return x * 10
        return x

    return jax.tree.map(f, {"a": v[0], "b": [v[1], v[2]]})


@program((3,), (8,))
def functions_in_containers(n):
    table = {"inc": lambda k: k + 1 if k > 5 else k, "dec": lambda k: k - 1}
    return [table["inc"](n), table["dec"](n), (collatz_step, clamp)[0](n)]


@program((3,), (8,))
def function_chosen_by_static_test(n):
    f = clamp if n is not None else collatz_step
    return f(n)


@program((3,), (8,))
def lambda_in_call_in_loop(n):
    s = 0
    for i in range(n):
        s += (lambda a: a * 2 if a > 1 else a)(i)
    return s


@program((3,), (8,))
def returns_function(n):
    def make(k):
        def f(a):
            if a > k:
                return a
            return k

        return f

    return make(5)(n) + make(n)(4)


@program((3,), (8,))
def call_with_call_arguments(n):
    return clamp(clamp(n, high=6), low=clamp(4))


@program((3,), (8,))
def conditional_call(n):
    if n > 5:
        r = collatz_step(n)
    else:
        r = clamp(n) + collatz_step(n)
    return r


@program((3,), (8,))
def compose(n):
    def composed(*fs):
        def run(v):
            for f in fs:
                v = f(v)
            return v

        return run

    return composed(collatz_step, collatz_step, lambda v: v if v > 5 else -v)(n)


@program((3,), (8,))
def do_not_convert_callee(n):
    @ag.do_not_convert
    def plain(k):
        return k * 2

    return plain(n) + 1


@program((3,), (8,))
def generator_function_called(n):
    def numbers(k):
        yield k
        yield k + 1
        for i in range(2):
            yield k * i

    s = 0
    for x in numbers(n):
        s += x
    return s


@program((3,), (9,))
def generator_with_condition_outside_yield(n):
    def numbers(k):
        if k > 5:
            k = k - 5
        yield k
        yield k * 2

    a, b = numbers(n)
    return a + b


@program((3,), (8,))
def yield_from(n):
    def inner():
        yield n
        yield 2

    def outer():
        yield from inner()
        yield 3

    return sum(outer())


@program((3,), (8,))
def sorted_key_of_user_function(n):
    def key(name):
        return len(name)

    names = sorted(["ccc", "a", "bb"], key=key)
    return n * len(names[0])


@program((3.0,), (0.5,))
def newton_with_function_arguments(x):
    def newton(f, df, g):
        while abs(f(g)) > 1e-4:
            g = g - f(g) / df(g)
        return g

    return newton(lambda g: g * g - x, lambda g: 2.0 * g, 1.0 + x)


@program((3.0,), (0.5,))
def newton_with_grad(x):
    def f(g):
        return g * g - x

    g = 1.0 + x
    while abs(f(g)) > 1e-4:
        g = g - f(g) / jax.grad(f)(g)
    return g


@functools.singledispatch
def shrunk(x):
    if x > 1:
        return x // 2
    return x + 10


@shrunk.register
def _(x: list):
    total = 0
    for v in x:
        if v > 0:
            total = total + shrunk(v)
    return total


@program((3,), (-5,))
def call_single_dispatch(n):
    return shrunk(n), shrunk([n, 4, -n])


class Gauge:
    scale = 3

    def __init__(self, top):
        self.top = top

    @functools.singledispatchmethod
    def read(self, x):
        if x > self.top:
            return self.top
        return x

    @read.register
    def _(self, x: list):
        return [self.read(v) for v in x if len(x) > 1]

    @read.register
    @classmethod
    def _(cls, x: tuple):
        if x[0] > x[1]:
            return cls.scale * x[0]
        return x[1]

    @read.register
    @staticmethod
    def _(x: dict):
        return x["a"] if x["a"] > 0 else -1


@program((3,), (-5,))
def call_single_dispatch_method(n):
    gauge = Gauge(2)
    return gauge.read(n), gauge.read([n, 1]), gauge.read((n, 2)), gauge.read({"a": n}), Gauge.read(gauge, n)


@program((3,), (0,))
def cached_list_is_one_list(n):
    @functools.cache
    def table():
        return [0, 0]

    known = table()
    if n > 2:
        table()[0] = n
    else:
        table()[1] = 5
    return known, table() is known
