"""Number theory, strings, state machines as a stranger would write them."""

import jax.numpy as jnp

from tests.programs.harness import floats, ints, program


@program((ints(40, 1, 41), 3), (ints(40, 41, 0), 2), (ints(41, 40, 0), 2), (ints(40, 0, 0), 1))
def balanced_brackets(text, n):
    depth = 0
    for i in range(n):
        if text[i] == 40:
            depth += 1
        elif text[i] == 41:
            depth -= 1
            if depth < 0:
                return False
    return depth == 0


@program((ints(49, 50, 43, 51),), (ints(57, 45, 49, 48),))
def tokenise_and_evaluate(text):
    total, number, sign = 0, 0, 1
    for c in text:
        if 48 <= c <= 57:
            number = number * 10 + (c - 48)
        else:
            total += sign * number
            number = 0
            sign = 1 if c == 43 else -1
    return total + sign * number


TRANSITIONS = floats([0.1, 0.6, 0.3], [0.7, 0.2, 0.1], [0.2, 0.3, 0.5])


@program((TRANSITIONS, 0), (TRANSITIONS, 2))
def greedy_decode(transition, token):
    out = jnp.zeros(6, jnp.int32)
    length = 0
    for i in range(6):
        token = jnp.argmax(transition[token])
        out = out.at[i].set(token)
        length += 1
        if token == 2:
            break
    return out, length


@program((6,), (28,), (12,))
def perfect_number(n):
    s = 0
    for d in range(1, n):
        if n % d == 0:
            s += d
    return s == n


@program((1,), (10,), (25,))
def count_primes_below(n):
    count = 0
    for k in range(2, n):
        d = 2
        while d * d <= k:
            if k % d == 0:
                break
            d += 1
        else:
            count += 1
    return count


@program((4,), (6,))
def n_queens_diagonal_check(n):
    conflicts = 0
    for i in range(n):
        for j in range(i + 1, n):
            a, b = (i * 2 + 1) % n, (j * 2 + 1) % n
            if a == b or abs(a - b) == j - i:
                conflicts += 1
    return conflicts


@program((1994,), (49,), (7,))
def roman_numeral_length(n):
    length = 0
    for value, symbols in ((1000, 1), (900, 2), (500, 1), (400, 2), (100, 1), (90, 2), (50, 1), (10, 1), (1, 1)):
        while n >= value:
            n -= value
            length += symbols
    return length


@program((153,), (154,))
def armstrong_number(n):
    digits, m = 0, n
    while m > 0:
        digits += 1
        m //= 10
    total, m = 0, n
    while m > 0:
        d = m % 10
        p = 1
        for _ in range(digits):
            p *= d
        total += p
        m //= 10
    return total == n


@program((ints(1, 0, 2, 1), 3), (ints(0, 0, 0, 0), 9))
def finite_state_machine(symbols, start):
    state = start
    accepted = 0
    for s in symbols:
        if state == 3:
            state = 1 if s == 1 else 3
        elif state == 1:
            if s == 0:
                state = 2
            else:
                state = 3
        elif state == 2:
            accepted += 1
            state = 3
        else:
            break
    return state, accepted


@program((4, 7, 13), (0, 1, 16))
def linear_congruential_cycle(x, a, m):
    start = x
    steps = 0
    while steps < 20:
        x = (a * x + 3) % m
        steps += 1
        if x == start:
            return steps
    return -1


@program((12,), (0,))
def hailstone_maximum(limit):
    best, where = 0, 0
    for start in range(1, limit):
        n, steps = start, 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        if steps > best:
            best, where = steps, start
    return best, where


@program((3, 3), (10, 20))
def lattice_paths(r, c):
    rows = jnp.ones(21, jnp.int32)
    for _ in range(r):
        acc = 0
        new = rows
        for j in range(c + 1):
            acc = (acc + rows[j]) % 1009
            new = new.at[j].set(acc)
        rows = new
    return rows[c]
