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
