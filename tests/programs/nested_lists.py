"""Lists of lists and of dicts, read at traced indices; comparisons of tuples that are written out."""

import autograph as ag
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
def attribute_first_written_in_a_loop_that_runs(n):
    s = Holder()
    for i in range(5):
        s.v = i
        if i > n:
            break
    return s.v


@program((0, 0), (1, 0), (-1, -2), (1, 1), transforms=("vmap",))
def grid_written_at_traced_indices(r, c):
    grid = [[0, 0], [10, 20]]
    first = grid[0]
    grid[r][c] = 5
    grid[c][0] += r
    grid[0][r] *= 3
    return grid, first


@program((2, 1), (0, 0), (5, 1))
def grid_counted_in_a_loop(n, c):
    grid = [[0, 0], [0, 0]]
    r = 0
    for _ in range(n):
        grid[r][c] += 1
        c += 1
        if c == 2:
            c = 0
            r = (r + 1) % 2
    return grid


@program((0,), (1,))
def grid_of_three_levels_under_an_if(i):
    cube = ([[1, 2], [3, 4]], [[5, 6], [7, 8]])
    if i > 0:
        cube[i][0][i] = -1
    else:
        cube[i][i][1] -= 10
    return cube


@program((0,), (1,))
def rows_that_are_one_list(i):
    grid = [[0, 0]] * 2
    grid[i][1] += 1
    grid[i - 1][1] += 2
    return grid


class Board:
    def __init__(self):
        self.rows = [[0, 0], [0, 0]]
        self.asked = 0

    @property
    def grid(self):
        self.asked += 1
        return self.rows


@program((0, 1), (1, 1))
def grid_of_an_object(r, c):
    board = Board()
    calls = 0

    def amount():
        nonlocal calls
        calls += 1
        board.rows[0][0] += 100
        return 7

    board.grid[r][c] += amount()
    return board.rows, board.asked, calls


@program((2, 0), (0, 5), (-3, 0), (1, 1))
def grid_indices_out_of_range(r, c):
    grid = [[0, 0], [0, 0]]
    grid[r][c] = 1
    return grid


@program((0, 1), (1, 1), transforms=("vmap",))
def a_row_that_the_value_replaces(r, c):
    grid = [[0, 0], [0, 0]]
    old = grid[0]

    def amount():
        grid[0] = [5, 5]
        return 7

    grid[r][c] += amount()
    return grid, old


@program((2.0, [1.0, 2.0]), (0.0, [3.0, 1.0]), stages_anyway=True, promotes=True)
def rows_that_grow_by_an_operator(a, xs):
    out = []
    for r in ag.range(2):
        row = []
        for k in ag.range(2):
            row += [xs[k] * a + r]
        out += [row]
    return out


def pair(u, w):
    made = []
    made.append(u)
    made.append(w)
    return made


@program((2.0, [1.0, 2.0]), (0.0, [3.0, 1.0]), stages_anyway=True, promotes=True)
def a_row_of_a_function_grows(a, xs):
    out = []
    for k in ag.range(2):
        row = pair(a, xs[k])
        for e in ag.range(3):
            row.append(e * a)
        out.append(row)
    return out
