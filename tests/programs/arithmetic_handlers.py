"""Handlers for what arithmetic on traced numbers raises in Python."""

import contextlib
import math

import jax.numpy as jnp
import numpy as np

from tests.programs.harness import program


@program((7, 2), (7, 0), (-7, 0), transforms=("vmap",))
def floor_division(total, n):
    try:
        return total // n
    except ZeroDivisionError:
        return -1


@program((4.0,), (0.0,), (-2.0,))
def reciprocal(r):
    try:
        return 1 / r
    except ZeroDivisionError:
        return r * 5.0


@program((9.0,), (-1.0,), transforms=("vmap",))
def root(x):
    try:
        return math.sqrt(x) * 2
    except ValueError:
        return x * 3


@program((1.0, 2.0, 4.0), (0.0, 1.0, 0.0))
def skipped_items(a, b, c):
    total, skipped = 0.0, 0
    for d in (a, b, c):
        try:
            total += 1 / d
        except ZeroDivisionError:
            skipped += 1
    return total, skipped


@program((5,), (2,))
def in_a_staged_loop_with_else_and_finally(n):
    total, skipped = 0.0, 0
    for d in range(n):
        try:
            total += 1 / (d - 2)
        except ZeroDivisionError:
            skipped += 1
        else:
            total += 10
        finally:
            total += 100
    return total, skipped


@program((6.0, 2.0), (6.0, 0.0))
def suppressed(a, b):
    x = 1.0
    with contextlib.suppress(ZeroDivisionError):
        x = a / b
        x += 1
    return x


@program((1.0, 2.0, 4.0), (1.0, 0.0, -1.0), (1.0, 1.0, -1.0), (1.0, 0.0, 4.0))
def the_first_that_fails_decides(a, b, c):
    try:
        return a / b + math.sqrt(c)
    except ZeroDivisionError:
        return -1.0
    except ValueError:
        return -2.0


@program((7, 2), (7, 0))
def the_message_of_the_exception(a, b):
    try:
        return a // b
    except ZeroDivisionError as e:
        return len(str(e))


@program((7.0, 2.0), (7.0, 0.0))
def another_exception_from_it(a, b):
    try:
        try:
            return a / b
        except ZeroDivisionError as e:
            raise ValueError("nothing to divide by") from e
    except ValueError:
        return -3.0


@program((6.0, 2.0), (6.0, 0.0), (0.0, -1.0), (9.0, 1.0))
def only_where_it_is_evaluated(a, b):
    try:
        if b and a / b > 2:
            return 1.0
        x = 7.0 if b == 0 else a / b
        return x + (a / b if a > 8 or b < 0 else a % b)
    except ZeroDivisionError:
        return -1.0


@program((20.0, 1.0), (20.0, 0.0), (8.0, 2.0))
def in_the_test_of_a_loop(a, b):
    n = 0
    try:
        while a / b > 2:
            b += 1
            n += 1
            a = a - 1
            if a == 4:
                b = 0 * b
    except ZeroDivisionError:
        n = -n - 1
    return n


@program((0.5,), (-1.0,), (math.inf,), (math.nan,), (1e38,))
def a_power_that_outgrows_the_floats(x):
    try:
        return x**1000.0
    except OverflowError:
        return 7.0


@program((2.5,), (-1.0,), (math.inf,), (math.nan,), (-math.inf,))
def conversion_to_an_integer(x):
    try:
        return int(x) + round(x) + math.floor(x)
    except OverflowError:
        return 70
    except ValueError:
        return 80


@program((2.0,), (0.0,), (-1.0,), (1000.0,), (math.nan,))
def handlers_for_everything(x):
    try:
        y = math.log(x)
    except Exception:
        y = -1.0
    try:
        y += math.exp(x)
    except:  # noqa: E722 - the handler is what is tested
        y -= 5.0
    try:
        y += math.pow(x, -1)
    except (ArithmeticError, ValueError):
        y -= 7.0
    return y


@program((7, 0), (7, 2))
def a_handler_for_something_else_around_it(a, b):
    try:
        try:
            return a // b
        except KeyError:
            return 5
    except ArithmeticError:
        return 6


class Sum:
    def __init__(self):
        self.value = 0.0

    def add(self, a, b):
        try:
            self.value += a / b
        except ZeroDivisionError:
            self.value -= 1
        return self


@program((6.0, 2.0), (6.0, 5.0))
def attributes_and_elements(a, b):
    total = Sum()
    for k in range(3):
        total.add(a, b - k)
    pair = [a, b]
    try:
        pair[0] /= b - 1
        pair[1] /= b - 2
    except ZeroDivisionError:
        pair[1] = -1.0
    return total.value, pair


@program((6.0, 2.0), (6.0, 4.0), (6.0, 7.0))
def out_of_two_loops(a, b):
    total = 0.0
    try:
        for i in range(3):
            for j in range(3):
                total += a / (b - i * j)
    except ZeroDivisionError:
        total += 1000
    return total


@program((6.0, 1.0), (6.0, 3.0))
def once_more(a, b):
    for _ in range(3):
        try:
            b = b - 1
            y = a / b
            break
        except ZeroDivisionError:
            continue
    else:
        y = 5.0
    return y


@program((jnp.array([1.0, 2.0]), 0.0), (jnp.array([1.0, 2.0]), 2.0))
def arrays_divide_as_numpy_does(xs, n):
    try:
        return xs / n
    except ZeroDivisionError:
        return xs


@program((2.0, 1.0), (1.0, 1.0), (1.0, 2.0))
def matrices(a, b):
    m = np.stack([np.stack([a, b]), np.stack([b, a])])
    try:
        x = np.linalg.inv(m).sum()
    except np.linalg.LinAlgError:
        x = -1.0
    try:
        x += np.linalg.cholesky(m).sum()
    except np.linalg.LinAlgError:
        x -= 1.0
    return x


@program((0.0, -1.0), (0.0, 2.0), (2.0, -1.0))
def zero_to_a_negative_power(a, b):
    try:
        return a**b
    except ZeroDivisionError:
        return 77.0


@program((1, 3), (1, -3))
def a_negative_shift(a, b):
    try:
        return a << b
    except ValueError:
        return 77


def _ratio(a, b):
    return a / b


@program((6.0, 2.0), (6.0, 3.0))
def what_is_called_asks_where_the_handler_takes_anything(a, b):
    try:
        return _ratio(a, b) + sum(x / b for x in (a, b))
    except Exception:
        return -1.0


@program((7, 2), (7, 0), (-7, 2))
def known_numbers_in_a_staged_branch(a, b):
    n, k = 1, 0
    try:
        if a > 0:
            k = a // b
            k += 5 // (n - 1)
        else:
            k += int(math.sqrt(n - 3))
    except ZeroDivisionError:
        k += 100
    except ValueError:
        k += 200
    return k


@program((7, 2), (7, 0), (-7, 1), (-7, 5))
def in_a_function_inside(x, n):
    def quotients(k):
        try:
            y = k > 0 and x // k
            y += 7 % (k - 1)
            y //= k - 5
        except ZeroDivisionError:
            y = -1
        else:
            y += 100
        return y

    return quotients(n) + (quotients(n + 1) if x > 0 else 0)


def _logarithm(x, k):
    try:
        return round(math.log(x)) // k
    except (ZeroDivisionError, ValueError):
        return -1
    except OverflowError:
        return -2


@program((7.0, 2), (7.0, 0), (-7.0, 2), (200.0, 1))
def in_a_function_that_is_called_in_another_try(x, n):
    try:
        if x > 100:
            raise TypeError("big")
        return _logarithm(x, n)
    except (TypeError, ArithmeticError):
        return -5


@program((8.0, 2.0), (8.0, 0.0), transforms=("vmap",))
def update_of_an_element_of_an_element(x, n):
    rows = [[x, 1.0], {"u": [3.0, x]}]
    calls = 0

    def first():
        nonlocal calls
        calls += 1
        return rows[0]

    try:
        rows[0][0] /= n
        rows[1]["u"][calls] /= n
        first()[calls] //= n
    except ZeroDivisionError:
        rows[0][1] = 7.0
    return rows, calls


@program((np.arange(4.0).reshape(2, 2), 2), (np.arange(4.0).reshape(2, 2), 0), numpy=True)
def update_of_an_element_of_a_row(m, n):
    k = 1
    try:
        m[k][0] += 7 // n
    except ZeroDivisionError:
        m[0][k] -= 1.0
    return m
