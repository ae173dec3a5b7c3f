"""`raise` on traced conditions inside the `try` that handles it."""

import contextlib
import io
import threading

import jax
import jax.numpy as jnp

from tests.programs.harness import program


class Negative(ValueError):
    def __init__(self, value):
        super().__init__("negative", value)
        self.value = value


@program((4.0,), (-2.0,), transforms=("vmap", "grad"))
def replaced_value(x):
    try:
        if x < 0:
            raise ValueError("negative")
        y = jnp.sqrt(x)
    except ValueError:
        y = 0.0 * x
    return y


@program((4.0,), (-2.0,))
def the_exception_carries_values(x):
    try:
        if x < 0:
            raise Negative(x * 2)
        y = jnp.sqrt(x)
    except Negative as e:
        y = e.value + e.args[1]
    return y


@program((jnp.array([1.0, 2.0]),), (jnp.array([1.0, -2.0]),), (jnp.array([-1.0, 2.0]),))
def out_of_a_loop_past_else_and_finally(xs):
    total = 0.0
    try:
        for x in xs:
            if x < 0:
                raise Negative(x)
            total += x
        else:
            total += 100
    except Negative as e:
        total = total - e.value
    else:
        total *= 2
    finally:
        total += 1000
    return total


@program((2.0,), (-1.0,), (11.0,), (30.0,))
def the_outer_try_handles_it(x):
    try:
        try:
            if x < 0:
                raise KeyError("k")
            if x > 10:
                raise ValueError("v")
            y = x
        except KeyError:
            y = x * 10
    except ValueError:
        y = -x
        if x > 20:
            y = y - 1
    return y


@program((7,), (4,), (10,), (0,))
def jumps_of_a_loop_in_body_and_handler(n):
    s = 0
    while n > 0:
        try:
            if n % 3 == 0:
                raise ValueError
            if n % 5 == 0:
                break
            s += n
        except ValueError:
            s += 100
            n -= 1
            continue
        n -= 1
    return s


@program((1,), (2,), (3,), (0,))
def the_handler_returns_from_a_loop(n):
    s = 0
    for i in range(10):
        try:
            if i * n > 12:
                raise ValueError
            s += i
        except ValueError:
            return s * 100
        finally:
            s += 1
    return s


@program((2.0,), (-2.0,))
def assertion(x):
    try:
        assert x > 0, "positive"
        r = jnp.log(x)
    except AssertionError:
        r = jnp.float32(-1)
    return r


@program((1.0,), (6.0,), (-1.0,))
def what_was_written_before_stays(x):
    y = 1.0
    try:
        y = 2.0
        if x > 0:
            y = 3.0
            if x > 5:
                raise ZeroDivisionError
            y = 4.0
        y += x
    except (KeyError, ArithmeticError):
        y *= 7
    return y


@program((1.0,), (-6.0,), (-1.0,))
def one_handler_of_several(x):
    try:
        if x > 0:
            raise KeyError
        elif x < -5:
            raise ValueError
        return x * 2
    except KeyError:
        return x * 3
    except ValueError:
        return x * 5


@program((10,), (2,), (0,))
def leaves_an_endless_loop(x):
    try:
        while True:
            x = x - 1
            if x < 0:
                raise StopIteration
            if x == 3:
                break
    except StopIteration:
        return -1
    return x


@program((0,), (1,), (2,), (3,), (4,))
def a_handler_raises_again(x):
    try:
        if x > 3:
            raise ValueError
        try:
            if x > 1:
                raise KeyError
            r = 0
        except KeyError:
            if x > 2:
                raise ValueError from None
            r = 1
    except ValueError:
        r = 2
    return r


@program((0.5,), (2.0,), (6.0,))
def a_bare_raise_in_a_handler(x):
    try:
        try:
            if x > 1:
                raise RuntimeError("a")
            z = 5.0
        except RuntimeError:
            if x > 4:
                raise
            z = 6.0
    except RuntimeError:
        z = 7.0
    return z


@program((0,), (1,), (2,), (4,))
def in_iterations_of_an_unrolled_loop(x):
    r = 0
    for i in range(3):
        for j in range(3):
            try:
                if i * j == x:
                    raise KeyError(i)
            except KeyError as e:
                r += 10 * e.args[0] + j
    return r


@program((2.0,), (-2.0,))
def through_an_inner_finally(x):
    try:
        try:
            if x < 0:
                raise ValueError
            y = 1.0
        finally:
            x = x + 1
    except ValueError:
        y = x
    return y


@program((2.0,), (-2.0,))
def cause_and_class(x):
    try:
        if x > 0:
            raise Negative(1) from KeyError("b")
    except ValueError as e:
        return 1.0 if isinstance(e.__cause__, KeyError) and type(e) is Negative else 2.0
    return 3.0


@program((2.0,), (-2.0,))
def suppressed(x):
    y = 0.0
    with contextlib.suppress(KeyError, ValueError):
        if x < 0:
            raise ValueError
        y = 1.0
    return y


@program((2,), (30,))
def in_a_while_that_python_would_keep(n):
    iterations = 0
    try:
        while True:
            iterations += 1
            n = n * 2
            if n > 50:
                raise OverflowError
    except OverflowError:
        return iterations


@program((1,), (0,))
def no_jump_but_the_raise(a):
    try:
        if a:
            raise ValueError
    except ValueError:
        pass


@program((1, 3), (5, 2), (4, 4))
def handler_with_lambdas(a, b):
    r = 0
    try:
        if a > 2:
            raise ValueError
        if b > 2:
            raise ValueError
        r = 1
    except ValueError:
        r = max([a, b], key=lambda u: -u if u > 2 else u)
        r += (lambda u, v=r: u + v)(b)
    return r


@program((2,), (0,))
def out_of_a_with_that_does_not_look(a):
    r = 0
    try:
        with contextlib.nullcontext(), threading.Lock(), contextlib.redirect_stdout(io.StringIO()):
            assert a, 1
            r = 5
    except AssertionError as e:
        r = e.args[0]
    return r


@program((2,), (0,), (5,))
def out_of_loops_and_withs(a):
    r = 0
    for k in range(4):
        try:
            with jax.named_scope("iteration"):
                if a > k:
                    with jax.default_matmul_precision("float32"):
                        if a == 2 * k:
                            raise ValueError(k)
                        r += 10
                r += 1
        except ValueError as e:
            r += 100 * e.args[0]
        else:
            r += 1000
    return r


@program((2,), (0,))
def inside_a_with_that_looks(a):
    class Seen(list):
        def __enter__(self):
            return self

        def __exit__(self, kind, error, trace):
            self.append(kind is None)

    r = 0
    with Seen() as seen:
        try:
            if a:
                raise ValueError
            r = 5
        except ValueError:
            r = 6
    return r, list(seen)


@program((1, 3), (0, 2), (0, 0))
def returns_from_a_handler_that_no_iteration_reaches(a, n):
    k = 0
    while k < n:
        k += 1
        try:
            if a > k:
                raise ValueError
        except KeyError:
            return k, a
    return k, 100


@program((0,), (3,))
def raised_surely_in_a_branch(a):
    most = 9
    if a < 2:
        return 7
    try:
        if most > 8:
            raise ValueError
    except KeyError:
        return 5
    return 8


@program((2, 3), (0, 1), (0, 0))
def what_an_exception_holds_in_slots(a, n):
    k = 0
    try:
        while k < n:
            k += 1
            if k > a:
                raise StopIteration((k, a))
    except StopIteration as e:
        k, a = e.value
        a += 10
    return k, a


@program((2,), (0,))
def caused_by_what_was_made_there(a):
    try:
        if a:
            raise KeyError(a) from ValueError(a + 1)
    except KeyError as e:
        return e.__cause__.args[0]
    return a


@program((1,), (3,), (5,), promotes=True)
def list_returned_from_a_loop_before_a_call_that_may_be_caught(n):
    try:
        if n > 3:
            raise ValueError
        while n < 2:
            return [n]
        divmod(n, 3)
    except ValueError:
        pass
    return [n + 1]


@program((1,), (3,), (5,), promotes=True)
def dict_returned_from_a_context_before_a_call_that_may_be_caught(n):
    kind = AssertionError
    try:
        assert n <= 3
        with contextlib.nullcontext():
            if n < 2:
                return {"a": n}
        divmod(n, 3)
    except kind:
        pass
    return {"a": n + 1}


@program((3,), (0,), (1,), (-1,))
def bound_by_every_handler_and_read_by_a_closure(n):
    try:
        y = 40 // n
        z = y + 3
    except ZeroDivisionError:
        y = z = 2
    return (lambda: y + z)()


@program((3,), (0,), (1,), (9,))
def bound_by_every_handler_in_a_loop_and_read_behind_it(n):
    s = 0
    while s < 20:
        try:
            if n > 5:
                raise KeyError("big")
            y = 40 // n
        except ZeroDivisionError:
            y = 10
        except KeyError:
            y = 20
        else:
            y = y + 2
        finally:
            s += 1
        s += y
        n += 1
    return s, y, n


@program((3,), (0,), (2,), (5,))
def a_try_in_a_loop_that_a_jump_leaves_before_it_binds(n):
    s = 0
    for i in range(4):
        try:
            if n == i:
                continue
            y = 12 // (n - 2)
        except ZeroDivisionError:
            y = 50
        s += y
    return s, y
