"""Textbook algorithms on arrays: dynamic programming, graphs, searching, sorting."""

import jax.numpy as jnp

from tests.programs.harness import ints, program

INF = 10**6
ROADS = ints([0, 4, 1, 9], [9, 0, 9, 1], [9, 2, 0, 5], [9, 9, 9, 0])
RING = ints([0, 1, 9, 9], [9, 0, 1, 9], [9, 9, 0, 1], [9, 9, 9, 0])


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


@program((ROADS, 0), (RING, 2))
def bellman_ford(cost, source):
    dist = jnp.where(jnp.arange(4) == source, 0, 99)
    for _ in range(4):
        new = jnp.minimum(dist, (dist[:, None] + cost).min(0))
        if jnp.all(new == dist):
            break
        dist = new
    return dist


@program((ROADS, 3), (RING, 2), numpy=True)
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


@program((ints(10, 9, 2, 5, 3, 7), 6), (ints(1, 2, 3, 4, 5, 6), 4))
def longest_increasing_subsequence(v, n):
    best = jnp.ones(6, jnp.int32)
    for i in range(n):
        for j in range(i):
            if v[j] < v[i]:
                best = best.at[i].set(max(best[i], best[j] + 1))
    return max(best)
