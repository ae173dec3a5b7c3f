"""Elements and variables that are not there for some inputs: Python raises, and so does the compiled program."""

from tests.programs.harness import program

HERE_AND_NOT = (0,), (1,), (-2,), (2,), (-3,)


@program(*HERE_AND_NOT)
def equal_elements(i):
    return [50, 50][i]


@program((0,), (1,))
def the_only_element(i):
    return ("one",)[i] == "one"


@program((0, 2.5), (3, 2.5))
def the_only_traced_element(i, x):
    y = x * 2
    return [y][i]


@program(*HERE_AND_NOT)
def equal_rows(i):
    a, b = [(1, 2), (1, 2)][i]
    return a + b


@program(*HERE_AND_NOT)
def popped_of_equals(i):
    items = [7, 7]
    return items.pop(i), len(items)


@program(*HERE_AND_NOT)
def deleted_of_equals(i):
    items = [7, 7]
    del items[i]
    return len(items)


@program((3,), (4,))
def removed_of_equals(x):
    items = [3, 3]
    items.remove(x)
    return items


@program(*HERE_AND_NOT)
def written_as_it_was(i):
    items = [7, 7]
    items[i] = 7
    return items


@program(*HERE_AND_NOT)
def written_as_it_was_in_a_row(i):
    grid = [[1, 1], [1, 1]]
    grid[i][i] = 1
    return grid


@program((1, 0), (1, 3), (7, 3))
def asked_in_one_branch(n, i):
    if n < 5:
        return [7, 7][i]
    return 0


# --- variables that a loop binds first ---


@program((0, 2.0), (1, 2.0), (3, 2.0))
def bound_in_the_second_iteration(n, x):
    s = x
    for i in range(n):
        if i == 1:
            t = x
        else:
            t = t + x
        s = s + t
    return s


@program((1, 2.0), (3, 2.0))
def bound_in_the_first_iteration(n, x):
    for i in range(n):
        if i == 0:
            s = x
        else:
            s = s + x
    return s


@program((0, 1.0), (1, 1.0), (2, 1.0), (5, 1.0))
def read_in_some_iterations(n, x):
    t = 0.0
    for i in range(n):
        if i == 1:
            s = x
        elif i > 1:
            s = s + x
        t = t + 1
    return t


@program((0, 1.0), (3, 1.0), (3, -4.0))
def read_before_it_is_bound(n, x):
    out = 0.0
    i = 0
    while i < n:
        if i > 1:
            out = out + best
        if x + i > 0:
            best = x + i
        i = i + 1
    return out


@program(([5, 6, 7, 8],), ([6, 6, 7],), ([1, 2, 6],), ([1, 2],))
def bound_where_it_is_found(xs):
    for i, d in enumerate(xs):
        if d == 6:
            place, found = i, d * 2
    return place, found


@program((4, 3.0), (2, 3.0), (1, 3.0))
def bound_in_one_iteration(n, x):
    for i in range(n):
        if i == 1:
            first = x * i
    return first


@program((8, [5, 6, 7, 9]), (6, [5, 6, 7, 9]), (2, [5, 6, 7, 9]))
def bound_before_a_loop_goes_on(limit, xs):
    i = 0
    while xs[i] < limit:
        if xs[i] == 6:
            last = i, xs[i]
        i += 1
    return last


@program((2, 1.0), (4, 1.0), (4, -1.0))
def bound_in_a_loop_inside(n, x):
    for i in range(n):
        for j in range(i):
            if j > 0 or x > 0:
                s, t = x * i, (i, j)
            s = s + t[1]
    return s


@program((3, 0), (3, 1), (0, 5))
def bound_by_a_loop_inside(n, m):
    t = 0
    while n > 0:
        for j in range(m):
            last = j
        n = n - 1
        t = t + last
    return t
