"""`try`, `with`, `assert`, `raise` around and inside staged statements."""

import contextlib

import jax.numpy as jnp

from tests.programs.harness import ints, program


class Recorder:
    """A context manager that records what happened to it."""

    def __init__(self):
        self.log = []

    def __enter__(self):
        self.log.append(1)
        return self

    def __exit__(self, *exc):
        self.log.append(2)
        return False


@program((7,), (2,))
def try_around_branch(n):
    try:
        if n > 5:
            n = n + 1
    except ValueError:
        n = -1
    return n


@program((7,), (2,))
def try_finally_around_loop(n):
    s = 0
    try:
        while n > 0:
            s += n
            n -= 1
    finally:
        s += 1000
    return s


@program((7,), (2,))
def try_except_else_finally(n):
    log = 0
    try:
        if n > 5:
            log = 1
    except KeyError:
        log = 2
    else:
        log = log + 10
    finally:
        log = log + 100
    return log


@program((7,), (2,))
def static_exception_is_caught(n):
    d = {"a": n}
    try:
        r = d["b"]
    except KeyError:
        r = d["a"] + 1
    return r


@program((7,), (2,))
def static_exception_keeps_assignments(n):
    try:
        if n > 5:
            n = n * 2
        k = n
        raise ValueError("static")
    except ValueError as error:
        r = k + len(str(error))
    return r


@program((7,))
def static_raise(n):
    if n is not None:
        raise ValueError("always")
    return n


@program((7,))
def static_raise_from(n):
    try:
        {}["k"]
    except KeyError as e:
        raise RuntimeError("wrapped") from e
    return n


@program((7,), (2,))
def return_in_try(n):
    try:
        if n > 5:
            return n
        return -n
    finally:
        pass


@program((7,), (2,))
def return_in_try_with_finally_write(n):
    log = []
    try:
        if n > 5:
            r = n
        else:
            r = 0
        return r, log
    finally:
        log.append(1)


@program((7,), (2,))
def break_in_try_in_static_loop(n):
    log = 0
    for i in range(5):
        try:
            if i == 3:
                break
            n = n + i
        finally:
            log += 1
    return n, log


@program((7,), (2,))
def continue_in_try_else(n):
    log = 0
    for i in range(4):
        try:
            if i == 2:
                continue
        except ValueError:
            log += 100
        else:
            log += 1
        finally:
            log += 10
    return n + log


@program((7,), (2,))
def with_around_branch(n):
    r = Recorder()
    with r:
        if n > 5:
            n = n - 5
    return n, r.log


@program((7,), (2,))
def with_as_and_loop(n):
    with Recorder() as r:
        s = 0
        for i in range(n):
            s += i
    return s, len(r.log)


@program((7,), (2,))
def with_suppress(n):
    with contextlib.suppress(KeyError):
        n = n + {}["missing"]
    return n


@program((7,), (2,))
def with_two_managers(n):
    with Recorder() as a, Recorder() as b:
        if n > 5:
            n = n * 2
    return n, a.log, b.log


@program((7,), (2,))
def return_in_with(n):
    with Recorder():
        if n > 5:
            return n
        return 0


@program((7,), (2,))
def assert_true_under_traced_condition(n):
    assert n > 0, "positive"
    if n > 5:
        assert n < 100
        n = n - 1
    return n


@program((7,), (-2,))
def assert_fails_for_one_input(n):
    assert n > 0, "positive"
    return n


@program((7,), (2,))
def static_assert(n):
    assert n is not None, "given"
    return n


@program((7,), (-2,))
def raise_in_traced_branch(n):
    if n < 0:
        raise ValueError("negative")
    return n * 2


@program((7,), (2,), (-1,))
def raise_in_else(n):
    if n > 5:
        r = 1
    elif n > 0:
        r = 2
    else:
        raise ValueError("bad n")
    return r


@program((7,), (2,))
def raise_not_taken_in_loop(n):
    s = 0
    while n > 0:
        if n > 100:
            raise RuntimeError("too large")
        s += n
        n -= 1
    return s


@program((ints(1, 2, 3),), (ints(1, 0, 3),))
def assert_in_loop(v):
    s = 0
    for x in v:
        assert x > 0
        s += x
    return s


@program((7,), (2,))
def exception_of_callee_is_caught(n):
    def fail(k):
        raise LookupError(k)

    try:
        n = fail("k")
    except LookupError:
        n = n + 1
    return n


@program((7,), (2,))
def nested_try(n):
    log = 0
    try:
        try:
            [][0]
        finally:
            log += 1
    except IndexError:
        log += 10
    if n > 5:
        log += 100
    return log


@program((7,), (2,))
def bare_except_reraise(n):
    try:
        try:
            int("x")
        except ValueError:
            n = n + 1
            raise
    except ValueError:
        n = n + 10
    return n


@program((7,), (2,))
def exception_name_is_unbound_after_handler(n):
    e = None
    try:
        raise ValueError("v")
    except ValueError as e:
        n = n + 1
    return n


@program((7,), (2,))
def generator_context_manager(n):
    log = []

    @contextlib.contextmanager
    def scope(name):
        log.append(len(name))
        yield name
        log.append(0)

    with scope("a"):
        if n > 5:
            n = n + 1
    return n, log


@program((7,), (2,))
def try_inside_loop_static(n):
    s = 0
    for key in ("a", "b", "c"):
        try:
            s = s + {"a": n, "c": 2}[key]
        except KeyError:
            s = s + 100
    return s


@program((7,), (2,))
def try_inside_traced_loop(n):
    s = 0
    for i in range(n):
        try:
            s = s + i
        finally:
            s = s + 1
    return s


@program((7,), (2,))
def try_inside_traced_branch(n):
    if n > 5:
        try:
            n = n + {}["missing"]
        except KeyError:
            n = n + 1000
    return n


@program((7,), (2,))
def type_error_of_user_is_the_same(n):
    try:
        n = n + "text"
    except TypeError:
        n = n + 1
    return n


@program((7,))
def type_error_leaves(n):
    return jnp.sin(n, 1, 2, 3)


@program((2, 4), (6, 4), (2, 0))
def generator_context_manager_left_by_return(n, m):
    log = [0, 0]

    @contextlib.contextmanager
    def scope():
        log[0] += 1
        try:
            yield log
        finally:
            log[1] += 1

    def first():
        for i in range(m):
            with scope():
                if i == n:
                    return i
        return -1

    return first(), log


@program((0, 1), (0, 0), (4, 0), (4, 2))
def every_iteration_raises(x, n):
    for _ in range(n):
        raise ValueError
    return x


@program((0, 1), (0, 0), (4, 1), (4, 0))
def every_iteration_raises_one_thing_or_another(x, n):
    while n > 0:
        if x > 2:
            raise ValueError(x)
        raise KeyError(x)
    return x


@program((0, 1), (4, 1), (4, 0))
def every_iteration_raises_in_a_branch(x, n):
    if x > 3:
        for _ in range(n):
            x = x + 1
            assert x < 0, x
            raise KeyError
    return x


@program((1, 0), (1, 2), (5, 2))
def a_scan_whose_iterations_raise_in_a_branch(x, n):
    values = jnp.arange(3) + n
    if x > 3:
        for value in values:
            x = x + value
            raise ValueError(value)
    return x


@program((0, 0), (4, 1))
def a_loop_in_a_loop_whose_iterations_raise(x, n):
    for value in jnp.arange(3) + x:
        for _ in range(n):
            raise ValueError(value)
        x = x + value
    return x


@program((1, 0), (1, 1), (0, 1))
def every_iteration_raises_and_the_loop_has_an_else(x, n):
    for _ in range(n):
        if x > 0:
            raise ValueError
        raise KeyError
    else:
        x = x + 10
    return x


@program((1,), (3,), (7,))
def a_list_is_written_beside_a_branch_that_raises(x):
    written = [0, 1]
    if x < 4:
        written[0] = x + 1
    else:
        raise OverflowError
    return written


@program((1,), (7,))
def containers_in_one_another_are_written_beside_a_branch_that_raises(x):
    table = {"rows": [0], "last": None}
    alias = table["rows"]
    if x > 4:
        raise OverflowError
    else:
        alias[0] = x * 2
        table["last"] = [x + 1, {"a": x + 3}]
    alias.append(table["last"][0])
    return table


@program((0,), (3,), (5,))
def a_stack_in_a_loop_that_raises_when_it_is_full(n):
    top = 0
    stack = [0] * 4
    for i in range(n):
        if top < 4:
            stack[top] = i * 2
            top += 1
        else:
            raise OverflowError
    return stack, top


class Held:
    def __init__(self, v):
        self.v = v


def raises_and_catches(n):
    held = Held(n)
    try:
        if n > 2:
            raise ValueError("large")
    except ValueError as error:
        return held, len(error.args)
    return held, 0


@program((1, 5), (-1, 5))
def cells_behind_what_was_caught(b, s):
    if b > 0:
        raises_and_catches(3)

        def counter(k):
            def inc():
                nonlocal k
                k += 1
                return k

            return inc

        inc = counter(s * 2)
        b = inc() + inc()
    return b


@program((1, 5), (-1, 5))
def objects_behind_what_was_caught(b, s):
    if b > 0:
        held, size = raises_and_catches(3)
        if s > 3:
            held.v = held.v + 1
        xs = [held.v, size]
        xs.append(s)
        b = xs[0] + xs[2]
    return b


@program((9, 2), (-1, 5))
def objects_of_iterations_behind_what_was_caught(b, s):
    while b > 0:
        held, size = raises_and_catches(3)
        new = Held(s)
        new.v = new.v + size
        b = b - new.v
        raises_and_catches(3)
    return b


class TooLarge(Exception):
    def __init__(self, v):
        super().__init__(v)
        self.v = v


def raises_one_of_its_own(n):
    held = Held(n)
    try:
        if n > 2:
            raise TooLarge(n)
    except TooLarge as error:
        held.v = error.v
    return held


@program((1, 5), (-1, 5))
def cells_behind_an_exception_with_an_attribute(b, s):
    if b > 0:
        k = s * 2

        def inc():
            nonlocal k
            k += raises_one_of_its_own(3).v
            return k

        b = inc() + inc()
    return b


@program((9, 2), (-1, 5))
def objects_behind_an_exception_with_an_attribute(b, s):
    while b > 0:
        held = raises_one_of_its_own(3)
        if s > 3:
            held.v = held.v + 1
        new = Held(s)
        new.v = new.v + held.v
        b = b - new.v
    return b
