"""Lists that grow in loops of unknown length which say how often they iterate at most."""

import bisect
import heapq
import math

import jax.numpy as jnp
import numpy as np

import autograph as ag
from tests.programs.harness import floats, ints, program


@program((1234,), (0,), (7,), transforms=("vmap",))
def digits(n):
    out = []
    while n > 0:
        ag.set_loop_options(maximum_iterations=12)
        out.append(n % 10)
        n = n // 10
    return out


@program((9,), (0,), (1,), transforms=("vmap",))
def pairs_under_a_condition(n):
    out = []
    k = 0
    while k < n:
        ag.set_loop_options(maximum_iterations=12)
        if k % 2 == 0:
            out.append((k, k * 0.5))
        k += 1
    return out


@program((10,), (1,), (0,), (5,), transforms=("vmap",))
def what_is_asked_of_it(n):
    out = []
    k = 0
    while k < n:
        ag.set_loop_options(maximum_iterations=12)
        if k % 3 != 0:
            out.append(k)
        k += 1
    total = 0
    for x in out:
        total += x
    for i, x in enumerate(out):
        total += i * x
    largest = max(out) if out else -1
    smallest = min(out) if out else -1
    last = out[-1] if len(out) > 0 else 0
    return len(out), sum(out), total, largest, smallest, last, 4 in out, any(out), all(out)


@program((10, math.inf), (10, -math.inf), (1, math.inf), (5, 2.5), transforms=("vmap",))
def extremes(n, x):
    out = [x]
    while n > 1:
        ag.set_loop_options(maximum_iterations=5)
        out.append(x)
        n //= 2
    return min(out), max(out)


@program((12,), (10,), (5,), (3,), transforms=("vmap",))
def extremes_beside_what_is_no_number(n):
    """A comparison with it is false, so all depends on whether it is the first."""
    out = []
    while n > 1:
        ag.set_loop_options(maximum_iterations=5)
        out.append(math.nan if n == 5 else n * 1.0)
        n //= 2
    smallest, largest = min(out), max(out)
    return smallest if smallest == smallest else -1.0, largest if largest == largest else -1.0


@program((3,), (4,), (5,))
def extremes_of_bools(n):
    out = []
    while n > 1:
        ag.set_loop_options(maximum_iterations=5)
        out.append(n % 2 == 0)
        n //= 2
    return min(out), max(out), sum(out)


GRAPH = jnp.array([[0, 1, 0, 1, 0], [0, 0, 1, 0, 0], [1, 0, 0, 0, 1], [0, 0, 1, 0, 0], [0, 0, 0, 0, 0]])
ISLANDS = jnp.array([[0, 0, 0, 0, 0], [0, 0, 1, 0, 1], [0, 1, 0, 0, 0], [1, 0, 0, 0, 0], [0, 1, 0, 0, 0]])


@program((GRAPH, 0), (GRAPH, 2), (ISLANDS, 0), (ISLANDS, 4), numpy=True)
def depth_first(edges, start):
    size = len(edges)
    seen = jnp.zeros(size, bool)
    stack = [start]
    order = []
    while stack:
        ag.set_loop_options(maximum_iterations=40)
        v = stack.pop()
        if not seen[v]:
            seen = seen.at[v].set(True)
            order.append(v)
            for w in range(size):
                if edges[v, w] and not seen[w]:
                    stack.append(w)
    return order


@program((GRAPH, 0), (GRAPH, 2), (ISLANDS, 0), (ISLANDS, 4), numpy=True)
def breadth_first(edges, start):
    """The loop runs over the list that it makes longer."""
    distance = jnp.full(len(edges), -1).at[start].set(0)
    queue = [start]
    for v in queue:
        ag.set_loop_options(maximum_iterations=40)
        for w in range(len(edges)):
            if edges[v, w] and distance[w] < 0:
                distance = distance.at[w].set(distance[v] + 1)
                queue.append(w)
    return distance, queue


@program((30,), (2,), (3,), transforms=("vmap",))
def primes(n):
    """A loop over the list inside of the loop in which it grows."""
    out = []
    for k in range(2, n):
        ag.set_loop_options(maximum_iterations=40)
        is_prime = True
        for p in out:
            if k % p == 0:
                is_prime = False
                break
        if is_prime:
            out.append(k)
    return out


@program((floats(1, -2, 3, 4, 5, -6),), (floats(-1, -2, 3, -4, 5, -6),), (floats(-1, -1, -1, -1, -1, -1),))
def first_three_positive(xs):
    out = []
    for x in xs:
        ag.set_loop_options(maximum_iterations=6)
        if x > 0:
            out.append(x)
        if len(out) >= 3:
            break
    return out


@program((floats(1, -2, 3, 4, 5, -6),), (floats(-1, -1, -1, -1, -1, -1),))
def filtered(xs):
    out = []
    for x in xs:
        ag.set_loop_options(maximum_iterations=6)
        if x > 0:
            out.append(x * 2)
    return out, len(out)


@program((4,), (0,), promotes=True)
def ints_and_floats(n):
    out = [1]
    while n > 0:
        ag.set_loop_options(maximum_iterations=9)
        out.append(n * 0.5)
        n -= 1
    out.append(7)
    return out


@program((4, 2), (0, 0), (1, 1), promotes=True)
def written_and_read(n, k):
    out = [5]
    while n > 0:
        ag.set_loop_options(maximum_iterations=9)
        out.append(out[-1] + n)
        out[0] += out[k]
        n -= 1
    out[-1] = out[0] * 2
    return out, out[k]


@program((3, 4), (0, 2), (2, 0), (0, 0))
def two_loops(n, m):
    out = []
    while n > 0:
        ag.set_loop_options(maximum_iterations=4)
        out.append(n)
        n -= 1
    while m > 0:
        ag.set_loop_options(maximum_iterations=4)
        out.append(m * 10)
        out.extend([m, 0])
        m -= 1
    return out


@program((3,), (0,), (4,))
def nested(n):
    out = []
    while n > 0:
        ag.set_loop_options(maximum_iterations=4)
        k = n
        while k > 0:
            ag.set_loop_options(maximum_iterations=4)
            out.append((n, k))
            k -= 1
        n -= 1
    return out


@program((3,), (0,), (4,))
def made_in_each_iteration(n):
    total = 0
    while n > 0:
        row = []
        k = n
        while k > 0:
            ag.set_loop_options(maximum_iterations=4)
            row.append(k)
            k -= 1
        row.append(100)
        total += sum(row) + len(row)
        n -= 1
    return total


@program((5,), (2,), (0,))
def aliases(n):
    out = []
    while n > 0:
        ag.set_loop_options(maximum_iterations=10)
        out.append(n)
        same = out
        same.append(0)
        n -= 1
    other = out
    other.append(-1)
    return out, other is out


@program((5, 3), (5, 9), (0, 0))
def with_a_return(n, limit):
    out = []
    while n > 0:
        ag.set_loop_options(maximum_iterations=5)
        out.append(n)
        if sum(out) > limit:
            return len(out), sum(out)
        n -= 1
    return -1, sum(out)


@program((5,), (2,), (0,))
def cleared(n):
    out = []
    while n > 0:
        ag.set_loop_options(maximum_iterations=5)
        if n == 3:
            out.clear()
        out.append(n)
        n -= 1
    return out


@program((floats(1, 2), 3), (floats(0.5, -1), 1), (floats(1, 1), 0))
def arrays(x, n):
    path = [x]
    while n > 0:
        ag.set_loop_options(maximum_iterations=3)
        x = x * 0.5
        path.append(x)
        n -= 1
    total = sum(path)
    return path, total


@program((2.0, 3), (3.0, 0), (1.5, 5), transforms=("grad",), slow=True)
def derivative(x, n):
    powers = [1.0]
    k = 0
    while k < 5:
        ag.set_loop_options(maximum_iterations=5)
        if k < n:
            powers.append(powers[-1] * x)
        k += 1
    total = 0.0
    for p in powers:
        total += p
    return total


@program((3,), (0,), static=(0,))
def static_stays_python(n):
    out = []
    k = 0
    while k < n:
        ag.set_loop_options(maximum_iterations=5)
        out.append(k)
        k += 1
    return out, out[::-1], sorted(out), isinstance(out, list)


@program((ints(3, 1, 4, 1, 5), 3), (ints(3, 1, 4, 1, 5), 0))
def words(xs, n):
    out = []
    for k in range(n):
        ag.set_loop_options(maximum_iterations=5)
        out.append("a")
        if xs[k] > 1:
            out.append("a")
    return out


@program((3,), (0,))
def lists_added_to_it(n):
    out = []
    k = 0
    while k < n:
        ag.set_loop_options(maximum_iterations=5)
        out.extend([k, 7])
        k += 1
    more = out + [k]
    out += (8, 9)
    return out, more


@program((1.0, 2.0), (1.0, float("nan")), (float("nan"), 1.0), (float("-inf"), float("-inf")))
def extremes_of_floats(a, b):
    out = []
    while len(out) < 2 + 0 * int(a > 9):
        ag.set_loop_options(maximum_iterations=5)
        out.append(b if out else a)
    return max(out), min(out)


@program((2,), (9,))
def stack_left_early(n):
    todo = [0, 1, 2, 3]
    while todo:
        ag.set_loop_options(maximum_iterations=10)
        v = todo.pop()
        if v == n:
            return v, len(todo)
    return -1, 0


@program((3,), (9,))
def queue_of_two_stacks(n):
    new, old = [1, 2, 3], []
    total = 0
    while new or old:
        ag.set_loop_options(maximum_iterations=10)
        if not old:
            while new:
                ag.set_loop_options(maximum_iterations=10)
                old.append(new.pop())
        v = old.pop()
        total = total * 10 + v
        if total > n and v == 2:
            break
    return total


@program((ints(1, 1, 2, 2),), (ints(1, 2, 2, 1),), (ints(2, 1, 1, 1),))
def pairs_cancel(xs):
    kept = []
    for x in xs:
        ag.set_loop_options(maximum_iterations=4)
        if kept and kept[-1] == x:
            kept.pop()
        else:
            kept.append(x)
    return len(kept), not kept, kept


@program((4,), (3,), transforms=("vmap",), slow=True)
def elements_that_a_later_loop_writes(n):
    out = []
    k = 0
    while k < n:
        ag.set_loop_options(maximum_iterations=6)
        out.append(k)
        k += 1
    other = out.copy()
    for i in range(len(out)):
        out[i] = out[i] * 2
        for j in range(len(other) - 1):
            if other[j] < other[j + 1]:
                other[j], other[j + 1] = other[j + 1], other[j]
    return out, other


@program((4,), (1,), transforms=("vmap",))
def elements_that_a_later_loop_makes_floats(n):
    out = []
    k = 0
    while k < n:
        ag.set_loop_options(maximum_iterations=6)
        out.append(k)
        k += 1
    for _ in range(n):
        for i in range(len(out)):
            out[i] = out[i] + 0.5
    return out


@program((3,), (4,), transforms=("vmap",))
def pairs_that_a_later_loop_rotates(n):
    out = []
    for i in range(n):
        ag.set_loop_options(maximum_iterations=4)
        out.append((i * 1.0, 0.5))
    for i in range(len(out)):
        a, b = out[i]
        out[i] = (b, a)
    return out


@program((1234,), (0,), (7,), transforms=("vmap",))
def insertion_at_the_front(n):
    out = []
    while n > 0:
        ag.set_loop_options(maximum_iterations=12)
        out.insert(0, n % 10)
        n = n // 10
    return out


@program((8,), (1,), (0,), transforms=("vmap",))
def insertion_anywhere(n):
    out = [(0, 1.5)]
    while n > 0:
        ag.set_loop_options(maximum_iterations=9)
        out.insert(n % 7 - 3, (n, n / 2))
        n -= 1
    out.insert(-1, (7, 7.0))
    out.insert(100, (8, 7.0))
    out.insert(-100, (9, 7.0))
    return out


@program((8,), (3,), (0,))
def a_list_that_insort_keeps_sorted(n):
    out = []
    while n > 0:
        ag.set_loop_options(maximum_iterations=9)
        bisect.insort(out, n * 5 % 7)
        n -= 1
    return out


@program((5,), (0,), (1,), transforms=("vmap",))
def a_list_that_only_plus_equals_extends(n):
    out = []
    for i in range(n):
        ag.set_loop_options(maximum_iterations=6)
        out += [i * i]
    return out


@program((floats(1, -1, 2, 0, 3),), transforms=("vmap",))
def what_passes_a_test_in_a_loop_over_a_known_range(xs):
    out = []
    for i in range(len(xs)):
        ag.set_loop_options(maximum_iterations=5)
        if xs[i] > 0:
            out.append(xs[i])
    return out


_APART = math.inf
_ROADS = jnp.array([[_APART, 1.0, 4.0, 9.0], [1.0, _APART, 2.0, 6.0], [4.0, 2.0, _APART, 3.0], [9.0, 6.0, 3.0, _APART]])


@program((_ROADS, 0), (_ROADS, 3), slow=True)
def shortest_paths_with_a_heap(roads, start):
    n = len(roads)
    distances = np.full(n, np.inf, np.float32)
    distances[start] = 0.0
    heap = [(0.0, start)]
    while heap:
        ag.set_loop_options(maximum_iterations=20)
        distance, u = heapq.heappop(heap)
        if distance > distances[u]:
            continue
        for v in range(n):
            if distance + roads[u, v] < distances[v]:
                distances[v] = distance + roads[u, v]
                heapq.heappush(heap, (distances[v], v))
    return distances


@program((ints(1, 2, 3, 4),), (ints(5, 2, 9, 1, 5, 6),), numpy=True, slow=True)
def quicksort_with_a_stack(v):
    stack = [(0, len(v) - 1)]
    while stack:
        ag.set_loop_options(maximum_iterations=30)
        low, high = stack.pop()
        if low >= high:
            continue
        i = low
        for j in range(low, high):
            if v[j] < v[high]:
                v[i], v[j] = v[j], v[i]
                i += 1
        v[i], v[high] = v[high], v[i]
        stack.append((low, i - 1))
        stack.append((i + 1, high))
    return v
