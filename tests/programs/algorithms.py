"""Text-book algorithms as a stranger would write them."""

import jax
import jax.numpy as jnp

from tests.programs.harness import floats, ints, program

INF = 10**6


@program((2.0,), (10.0,), (0.5,), transforms=("vmap",))
def secant_method(a):
    x0, x1 = 0.5, 1.0 + a
    for _ in range(30):
        f0, f1 = x0 * x0 - a, x1 * x1 - a
        if abs(f1) < 1e-5 or abs(f1 - f0) < 1e-12:
            break
        x0, x1 = x1, x1 - f1 * (x1 - x0) / (f1 - f0)
    return x1


@program((1.0, 0.5), (9.0, 0.9))
def armijo_line_search(x, c):
    def f(v):
        return (v - 1.5) ** 2 + 0.5 * v

    g = jax.grad(f)(x)
    step = 1.0
    while f(x - step * g) > f(x) - c * step * g * g:
        step = step * 0.5
        if step < 1e-6:
            break
    return x - step * g, step


@program((1.0,), (2.0,))
def adaptive_euler(y):
    t, h = 0.0, 0.5
    accepted = rejected = 0
    while t < 1.0:
        if t + h > 1.0:
            h = 1.0 - t
        full = y + h * (-2.0 * y)
        half = y + 0.5 * h * (-2.0 * y)
        two = half + 0.5 * h * (-2.0 * half)
        error = abs(two - full)
        if error < 0.02:
            t = t + h
            y = two
            accepted += 1
            if error < 0.005:
                h = h * 1.5
        else:
            h = h * 0.5
            rejected += 1
    return y, accepted, rejected


@program((floats([2, 1], [1, 3]),), (floats([4, 0], [0, 1]),))
def power_iteration(m):
    v = jnp.ones(2)
    old = 0.0
    for _ in range(50):
        w = m @ v
        value = jnp.max(jnp.abs(w))
        v = w / value
        if abs(value - old) < 1e-5:
            break
        old = value
    return value, v


@program((floats([4, 1], [1, 3]), floats(1, 2)), (floats([1, 0], [0, 1]), floats(0, 0)))
def conjugate_gradient(a, b):
    x = jnp.zeros_like(b)
    r = b - a @ x
    p = r
    rs = r @ r
    iterations = 0
    while rs > 1e-8 and iterations < 10:
        ap = a @ p
        alpha = rs / (p @ ap)
        x = x + alpha * p
        r = r - alpha * ap
        new = r @ r
        p = r + (new / rs) * p
        rs = new
        iterations += 1
    return x, iterations


@program((ints(1, 5, 10, 25), 30), (ints(3, 5, 7, 9), 4))
def coin_change(coins, amount):
    best = jnp.full(31, INF).at[0].set(0)
    for a in range(1, amount + 1):
        for c in coins:
            if c <= a:
                if best[a - c] + 1 < best[a]:
                    best = best.at[a].set(best[a - c] + 1)
    result = best[amount]
    return result if result < INF else -1


@program((ints(1, 3, 4, 5), ints(1, 4, 5, 7), 7), (ints(1, 3, 4, 5), ints(1, 4, 5, 7), 0), numpy=False)
def knapsack(weights, values, capacity):
    best = jnp.zeros(8, jnp.int32)
    for i in range(len(weights)):
        c = capacity
        while c >= weights[i]:
            take = best[c - weights[i]] + values[i]
            if take > best[c]:
                best = best.at[c].set(take)
            c -= 1
    return best[capacity]


@program((ints(1, 2, 3, 4), ints(2, 4, 3, 4)), (ints(1, 1, 1, 1), ints(2, 2, 2, 2)))
def longest_common_subsequence(a, b):
    table = jnp.zeros((5, 5), jnp.int32)
    for i in range(4):
        for j in range(4):
            if a[i] == b[j]:
                v = table[i, j] + 1
            else:
                v = max(table[i, j + 1], table[i + 1, j])
            table = table.at[i + 1, j + 1].set(v)
    return table[4, 4]


@program((ints(1, 2, 3), ints(1, 3, 3)), (ints(1, 2, 3), ints(4, 5, 6)), numpy=True)
def edit_distance(a, b):
    row = jnp.arange(4)
    for i in range(3):
        previous = row
        row = jnp.zeros(4, jnp.int32).at[0].set(i + 1)
        for j in range(3):
            cost = 0 if a[i] == b[j] else 1
            v = min(previous[j] + cost, min(previous[j + 1], row[j]) + 1)
            row = row.at[j + 1].set(v)
    return row[3]


@program((ints(-2, 1, -3, 4, -1, 2, 1, -5, 4),), (ints(-3, -1, -2, -9, -8, -7, -6, -5, -4),), transforms=("vmap",))
def maximum_subarray(v):
    best = current = v[0]
    for x in v[1:]:
        current = x if current < 0 else current + x
        if current > best:
            best = current
    return best


@program((ints(3, 2, 0, 1, 4), 0), (ints(1, 2, 3, 4, 4), 0))
def linked_list_walk(successor, start):
    steps = 0
    node = start
    while successor[node] != node and steps < 10:
        node = successor[node]
        steps += 1
    return node, steps


@program((ints(1, 2, 3, 4, 0), 2), (ints(1, 2, 0, 0, 0), 3))
def floyd_cycle(successor, start):
    slow = successor[start]
    fast = successor[successor[start]]
    while slow != fast:
        slow = successor[slow]
        fast = successor[successor[fast]]
    length = 1
    node = successor[slow]
    while node != slow:
        node = successor[node]
        length += 1
    return length


@program((ints([0, 4, 1, 9], [9, 0, 9, 1], [9, 2, 0, 5], [9, 9, 9, 0]), 0), (ints([0, 1, 1, 1], [1, 0, 1, 1], [1, 1, 0, 1], [1, 1, 1, 0]), 2))
def bellman_ford(cost, source):
    dist = jnp.where(jnp.arange(4) == source, 0, 99)
    for _ in range(4):
        new = jnp.minimum(dist, (dist[:, None] + cost).min(0))
        if jnp.all(new == dist):
            break
        dist = new
    return dist


@program((ints([0, 4, 1, 9], [9, 0, 9, 1], [9, 2, 0, 5], [9, 9, 9, 0]), 3), (ints([0, 1, 9, 9], [9, 0, 1, 9], [9, 9, 0, 1], [9, 9, 9, 0]), 2), numpy=True)
def dijkstra(cost, target):
    dist = jnp.array([0, 99, 99, 99])
    done = jnp.zeros(4, bool)
    while not done[target]:
        u = jnp.argmin(jnp.where(done, 1000, dist))
        done = done.at[u].set(True)
        for v in range(4):
            through = dist[u] + cost[u, v]
            if not done[v] and through < dist[v]:
                dist = dist.at[v].set(through)
    return dist[target]


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


@program((ints(1, 1, 2, 2, 2, 3),), (ints(1, 2, 1, 2, 1, 2),))
def longest_run(v):
    best = run = 1
    for i in range(1, len(v)):
        if v[i] == v[i - 1]:
            run += 1
            best = max(best, run)
        else:
            run = 1
    return best


@program((ints(3, 1, 3, 3, 2),), (ints(1, 2, 3, 4, 5),))
def majority_vote(v):
    candidate, count = 0, 0
    for x in v:
        if count == 0:
            candidate, count = x, 1
        elif x == candidate:
            count += 1
        else:
            count -= 1
    return candidate, count


@program((ints(2, 7, 11, 15), 9), (ints(2, 7, 11, 15), 26), (ints(2, 7, 11, 15), 1))
def two_sum_sorted(v, target):
    i, j = 0, len(v) - 1
    while i < j:
        s = v[i] + v[j]
        if s == target:
            return i, j
        if s < target:
            i += 1
        else:
            j -= 1
    return -1, -1


@program((0.3, 0.5), (-0.5, 0.5), (2.0, 2.0), transforms=("vmap",))
def mandelbrot_point(re, im):
    x = y = 0.0
    n = 0
    while n < 20:
        if x * x + y * y > 4.0:
            break
        x, y = x * x - y * y + re, 2.0 * x * y + im
        n += 1
    return n


@program((5,), (40,))
def random_walk_until_exit(limit):
    key = jax.random.key(3)
    position = 0
    steps = 0
    while abs(position) < 4 and steps < limit:
        key, sub = jax.random.split(key)
        if jax.random.bernoulli(sub):
            position += 1
        else:
            position -= 1
        steps += 1
    return position, steps


@program((10,), (25,))
def simulated_annealing(n):
    key = jax.random.key(0)
    x, temperature = 3.0, 1.0
    energy = (x - 1.0) ** 2
    for _ in range(n):
        key, k1, k2 = jax.random.split(key, 3)
        candidate = x + jax.random.normal(k1) * temperature
        e = (candidate - 1.0) ** 2
        if e < energy or jax.random.uniform(k2) < jnp.exp((energy - e) / temperature):
            x, energy = candidate, e
        temperature *= 0.9
    return x, energy


@program((floats(0, 1, 10, 11), 0.0, 10.0), (floats(0, 1, 2, 30), 0.0, 1.0))
def k_means_one_dimension(points, a, b):
    iterations = 0
    while True:
        near = jnp.abs(points - a) < jnp.abs(points - b)
        new_a = (points * near).sum() / jnp.maximum(near.sum(), 1)
        new_b = (points * ~near).sum() / jnp.maximum((~near).sum(), 1)
        iterations += 1
        if abs(new_a - a) + abs(new_b - b) < 1e-4 or iterations >= 20:
            break
        a, b = new_a, new_b
    return new_a, new_b, iterations


@program((floats([0.1, 0.6, 0.3], [0.7, 0.2, 0.1], [0.2, 0.3, 0.5]), 0), (floats([0.1, 0.6, 0.3], [0.7, 0.2, 0.1], [0.2, 0.3, 0.5]), 2))
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


@program((ints(5, 3, 8, 1), 2), (ints(5, 3, 8, 1), 0))
def quick_select(v, k):
    lo, hi = 0, len(v) - 1
    while lo < hi:
        pivot = v[hi]
        store = lo
        i = lo
        while i < hi:
            if v[i] < pivot:
                a, b = v[i], v[store]
                v = v.at[i].set(b).at[store].set(a)
                store += 1
            i += 1
        a, b = v[store], v[hi]
        v = v.at[store].set(b).at[hi].set(a)
        if store == k:
            return v[store]
        if store < k:
            lo = store + 1
        else:
            hi = store - 1
    return v[lo]


@program((ints(1, 3, 5), ints(2, 4, 6)), (ints(1, 2, 9), ints(4, 5, 6)), numpy=True)
def merge_sorted(a, b):
    out = jnp.zeros(6, jnp.int32)
    i = j = 0
    for k in range(6):
        if j >= 3 or (i < 3 and a[min(i, 2)] <= b[min(j, 2)]):
            out = out.at[k].set(a[min(i, 2)])
            i += 1
        else:
            out = out.at[k].set(b[min(j, 2)])
            j += 1
    return out


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
    for value, symbols in ((1000, 1), (900, 2), (500, 1), (400, 2), (100, 1), (90, 2), (50, 1), (40, 2), (10, 1), (9, 2), (5, 1), (4, 2), (1, 1)):
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


@program((floats(1, 2, 4, 8), 3.0), (floats(1, 2, 4, 8), 100.0))
def linear_interpolation_search(xs, x):
    i = 0
    while i < len(xs) - 2 and xs[i + 1] < x:
        i += 1
    t = (x - xs[i]) / (xs[i + 1] - xs[i])
    if t > 1.0:
        t = jnp.float32(1.0)
    return i, t


@program((2.0,), (5.0,))
def simpson_refinement(b):
    def f(x):
        return x * x * x

    n = 2
    old = -1.0
    while True:
        h = b / n
        s = f(0.0) + f(b)
        for k in range(1, n):
            if k % 2 == 1:
                s = s + 4.0 * f(k * h)
            else:
                s = s + 2.0 * f(k * h)
        value = s * h / 3.0
        if abs(value - old) < 1e-2 or n >= 16:
            break
        old = value
        n *= 2
    return value, n


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


@program((floats(0.1, 0.9, 0.4),), (floats(0.5, 0.5, 0.5),))
def early_stopping(losses):
    best = float("inf")
    patience = 0
    epoch = 0
    for loss in losses:
        epoch += 1
        if loss < best:
            best = loss
            patience = 0
        else:
            patience += 1
            if patience >= 2:
                break
    return best, epoch


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


@program((ints(7, 1, 5, 3, 6, 4),), (ints(7, 6, 4, 3, 1, 0),))
def best_time_to_trade(prices):
    low, profit = prices[0], 0
    for p in prices:
        if p < low:
            low = p
        elif p - low > profit:
            profit = p - low
    return profit


@program((ints(0, 1, 0, 2, 1, 0, 1, 3),))
def trapped_water(h):
    left, right = 0, len(h) - 1
    lmax = rmax = water = 0
    while left < right:
        if h[left] < h[right]:
            lmax = max(lmax, h[left])
            water += lmax - h[left]
            left += 1
        else:
            rmax = max(rmax, h[right])
            water += rmax - h[right]
            right -= 1
    return water


@program((ints(10, 9, 2, 5, 3, 7),), (ints(1, 2, 3, 4, 5, 6),), numpy=False)
def longest_increasing_subsequence(v):
    n = len(v)
    best = jnp.ones(n, jnp.int32)
    for i in range(n):
        for j in range(i):
            if v[j] < v[i]:
                best = best.at[i].set(max(best[i], best[j] + 1))
    return max(best)


@program((0.0, 2.0), (1.0, 5.0))
def golden_section(a, b):
    ratio = 0.618
    c, d = b - ratio * (b - a), a + ratio * (b - a)
    while abs(b - a) > 0.1:
        if (c - 1.3) ** 2 < (d - 1.3) ** 2:
            b = d
        else:
            a = c
        c, d = b - ratio * (b - a), a + ratio * (b - a)
    return (a + b) / 2
