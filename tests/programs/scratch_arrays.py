"""NumPy arrays that a function makes for itself, and fills with traced values."""

import numpy as np

from tests.programs.harness import floats, program

VECTOR = np.array([3.0, 1.0, 2.0], np.float32)


@program((VECTOR,), transforms=("vmap",))
def prefix_sums(xs):
    out = np.zeros(len(xs) + 1, np.float32)
    for i in range(len(xs)):
        out[i + 1] = out[i] + xs[i]
    return out[1:]


@program((np.array([0, 2, 2, 1]),))
def histogram(xs):
    counts = np.zeros(3, dtype=np.int32)
    for x in xs:
        counts[x] += 1
    return counts


@program((2.0,), (-2.0,))
def returned_as_a_view(v):
    x, y = np.zeros((2, 3), np.float32), np.ones(6, np.float32)
    if v > 0:
        x[0, 1] = v
        y[2] = v
    return x.T, y.reshape(2, 3)


@program((2.0,), (-2.0,))
def in_a_branch(v):
    x = np.ones(3, np.float32)
    if v > 0:
        x[0] = 5
    else:
        x[1] -= v
    return x


@program((20.0,), (0.5,))
def in_a_loop_of_unknown_length(v):
    x, i = np.zeros(8, np.float32), 0
    while v > 1:
        x[i] = v
        v = v / 2
        i += 1
    return x, i


@program((np.array([1, 2, 3]), np.array([2, 3])))
def edit_distance(a, b):
    d = np.zeros((4, 3), np.int32)
    for i in range(4):
        d[i][0] = i
    for j in range(3):
        d[0, j] = j
    for i in range(1, 4):
        for j in range(1, 3):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1][j - 1] + cost)
    return d[3][2]


@program((np.array([[1.0, 2.0], [3.0, -1.0]], np.float32), np.array([1.0, -1.0], np.float32)))
def perceptron(x, y):
    w = np.zeros(2, np.float32)
    for xi, yi in zip(x, y):
        if yi * np.dot(w, xi) <= 0:
            w += yi * xi
    return w


@program((3.0,))
def numbers_stay_known_until_then(v):
    x = np.zeros(4, np.float32)
    for i in range(4):
        x[i] = i * i
    total = 0.0
    for _ in range(int(x[2])):
        total = total + v
    x[0] = v
    return x, total


@program((3.0,))
def a_closure_reads_the_variable(v):
    x = np.zeros(3, np.float32)
    first = lambda: x[0] + 1
    x[0] = v
    return first()


@program((1,), (3,), (-2,), transforms=("vmap",))
def a_return_that_some_iterations_reach(n):
    b = np.zeros(2)
    for i in range(2):
        b[0] = 7
        for _ in range(i):
            if n > 2:
                return b
    return b


@program((1,), (3,), (-2,), transforms=("vmap",))
def written_before_a_loop_that_adds(n):
    b = np.zeros(3)
    for i in range(2):
        b[i] = 7
        for j in range(i):
            if n > 2:
                return b
            b[j] += n
    return b


@program((1,), (8,))
def returned_where_it_is_large(n):
    b = np.zeros(3)
    for i in range(2):
        b[i] = 7
        for j in range(i):
            if b[j] > n:
                return b
            b[j] += n
    return b


@program((2.0,))
def read_before_and_after_a_write(v):
    x = np.zeros(2)
    first = v + x
    x[0] = 7
    second = v + x
    x += 1
    return first, second, v + x


@program((2.0,))
def read_before_and_after_a_write_in_jaxs_dtype(v):
    x = np.zeros(2, np.float32)
    first = v + x
    x[0] = 7
    second = v + x
    x += 1
    return first, second, v + x


@program((1.0,), (-1.0,), (-5.0,), transforms=("vmap",))
def returned_between_writes(v):
    x = np.zeros(2, np.float32)
    if v > 0:
        return x
    x[0] = 7
    if v > -2:
        return x
    x[1] = 3
    return x


@program((2.0,), transforms=("grad",))
def multiplied_while_it_is_filled(v):
    x, product = np.zeros(2, np.float32), v
    for i in range(2):
        x[i] = i + 1
        product = product * (x + 1)
    return product.sum()


@program((2.0, 3.0), (-1.0, 0.5), numpy=True, transforms=("vmap",))
def rows_that_are_updated(a, b):
    velocity, position = np.zeros((2, 2)), np.array([[0.0, a], [b, 0.0]])
    for _ in range(3):
        for i in range(2):
            for j in range(2):
                if i != j:
                    velocity[i] += 0.1 * (position[j] - position[i])
        position += velocity
    if a > 0:
        velocity[1] *= 2.0
    return position.sum() + velocity[1, 0]


@program((floats(3.0, -1.0, 4.0),), (floats(-3.0, 1.0, -4.0),), numpy=True, transforms=("vmap",))
def written_in_one_branch_after_another(x):
    found = np.zeros(3, np.float32)
    if x[0] > 0:
        found[0] = x[0]
    if x[1] > 0:
        found[1] = x[1]
    for i in range(3):
        if x[i] > 3:
            found[i] += 1
        elif x[i] < 0:
            found[0] = -1.0
    return found
