"""Lists of lists and of dicts, read at traced indices; comparisons of tuples that are written out."""

from tests.programs.harness import program


@program((2,), (3,), (4,))
def greedy_walk_over_a_matrix(n):
    g = [[0, 1, 4], [1, 0, 2], [4, 2, 0]]
    u = total = 0
    for _ in range(n):
        best, following = -1, 0
        for v in range(3):
            if g[u][v] > best:
                best = g[u][v]
                following = v
        total += best
        u = following
    return u, total


@program((2,), (3,))
def neighbours_of_a_node(n):
    adjacent = [[1, 2], [2, 0], [0, 1]]
    u = s = 0
    for _ in range(n):
        for v in adjacent[u]:
            s += v
        u = adjacent[u][s % 2]
    return s, u


@program((2,), (3,))
def records_by_index(n):
    rows = [{"k": 1, "w": 2.0}, {"k": 3, "w": 4.0}]
    return rows[n % 2]["k"], rows[n % 2]["w"]


@program((2,), (3,), (4,))
def comparisons_of_tuples(n):
    return (
        (n, 1) == (3, 1),
        [n, 2] != [3, 2],
        (n, 5) < (3, 6),
        (n, (1, 2)) >= (3, (1, 2)),
        (1, n) > (1, 3),
        (n,) == (n, 1),
        (n, 1) < (n,),
        (n, 1) <= (n, 1, 2),
    )


@program((2,), (5,))
def best_pair(n):
    best = (-1, 0)
    for i in range(n):
        c = (i * 3) % 5
        if (c, i) > best:
            best = (c, i)
    return best


class Holder:
    pass


@program((0,), (3,))
def attribute_first_written_in_a_loop_that_turns(n):
    s = Holder()
    for i in range(5):
        s.v = i
        if i > n:
            break
    return s.v
