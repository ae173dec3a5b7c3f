"""Arrays whose length the program computes: factorizations by slices, statistics of what a mask selects, merges, filters."""

import numpy as np

from tests.programs.harness import floats, ints, program

VALUES = floats(3.0, -1.0, 4.0, 1.5, -9.0, 2.0)
SQUARE = floats([9.0, 2.0, 1.0, 0.5], [2.0, 8.0, 3.0, 1.0], [1.0, 3.0, 7.0, 2.0], [0.5, 1.0, 2.0, 6.0])
LARGE = np.float32(3.0) * np.eye(36, dtype=np.float32) + np.float32(0.01) * np.arange(36, dtype=np.float32)


@program((SQUARE,), (LARGE,), numpy=True)
def lower_and_upper_triangles(a):
    for i in range(len(a)):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[:j, j]
            a[i, j] /= a[j, j]
        for j in range(i, len(a)):
            a[i, j] -= a[i, :i] @ a[:i, j]
    return a


@program((SQUARE,), (SQUARE[::-1],), numpy=True)
def elimination_with_pivots(a):
    sign = 1.0
    for k in range(len(a)):
        p = k + np.argmax(np.abs(a[k:, k]))
        if p != k:
            row = a[k].copy()
            a[k] = a[p]
            a[p] = row
            sign = -sign
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return a, sign


@program((SQUARE, VALUES[:4]), (LARGE, LARGE[0]), numpy=True)
def back_substitution(a, b):
    x = np.zeros(len(b), np.float32)
    for i in range(len(b) - 1, -1, -1):
        x[i] = (b[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return x


@program((VALUES / 20,), numpy=True)
def toeplitz_system(r):
    y = np.zeros(len(r), np.float32)
    y[0] = alpha = -r[0]
    beta = 1.0
    for k in range(1, len(r)):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + r[:k][::-1] @ y[:k]) / beta
        y[:k] += alpha * y[:k][::-1]
        y[k] = alpha
    return y


@program((ints(0, 2, 2, 5), ints(1, 3, 0, 2, 3), VALUES[:5], SQUARE[1]), numpy=True)
def sparse_product(starts, columns, values, x):
    y = np.zeros(len(starts) - 1, np.float32)
    for i in range(len(starts) - 1):
        row = slice(starts[i], starts[i + 1])
        y[i] = values[row] @ x[columns[row]]
    return y


@program((VALUES, VALUES[::-1].copy()), numpy=True, transforms=("vmap",))
def means_between_edges(data, radius):
    found = np.zeros(4, np.float32)
    for i in range(4):
        low, high = 3.0 * i - 9.0, 3.0 * i - 4.0
        inside = np.logical_and(low <= radius, radius < high)
        if inside.any():
            found[i] = data[inside].mean()
    return found


@program((VALUES, 2.0), (VALUES, 100.0), numpy=True, transforms=("vmap",))
def outliers_replaced(x, limit):
    kept = x[np.abs(x) < limit]
    x[np.abs(x) >= limit] = np.median(kept)
    return x, kept.std(), len(kept)


@program((VALUES, 3), (VALUES, 0), (VALUES, 6), numpy=True, transforms=("vmap",))
def rotated(x, k):
    return np.concatenate([x[k:], x[:k]])


@program((np.sort(VALUES), 3), (np.sort(VALUES), 1), numpy=True)
def merged_halves(x, k):
    return np.sort(np.concatenate([x[:k] + 2.5, x[k:]])), np.unique(np.round(x[:k]))


@program((VALUES,), (-VALUES,), numpy=True)
def runs_of_one_sign(x):
    ends = np.flatnonzero(np.sign(x[1:]) != np.sign(x[:-1])) + 1
    longest, start = 0, 0
    for end in ends:
        longest = max(longest, end - start)
        start = end
    return max(longest, len(x) - start)


@program((VALUES, 2), (VALUES, 4), (VALUES, 5), numpy=True)
def moving_average_of_the_last(x, k):
    y = np.zeros(len(x), np.float32)
    for i in range(len(x)):
        y[i] = x[max(0, i - k + 1) : i + 1].mean()
    return y


@program((VALUES,), numpy=True)
def selection_sort_by_slices(x):
    for i in range(len(x)):
        j = i + np.argmin(x[i:])
        lowest = x[j]
        x[j] = x[i]
        x[i] = lowest
    return x


@program((VALUES, 4), (VALUES, 1), numpy=True, transforms=("vmap", "grad"))
def norm_of_the_first(x, k):
    y = x[:k] * 2
    return (y**2).sum() ** 0.5 + y[-1] / y[0]


@program((ints(5, 3, 8, 1, 9, 2), 5), numpy=True)
def divided_at_a_pivot(x, pivot):
    below, above = x[x < pivot], x[x > pivot]
    return below, above, len(below), below.sum() < above.sum(), np.append(below, pivot)


@program((floats(0.0, 0.5, -1.0), 5), numpy=True)
def points_that_stay(c, steps):
    z = np.zeros(3, np.float32)
    counts = np.zeros(3, np.int32)
    for n in range(steps):
        stays = np.abs(z) < 2
        counts[stays] = n
        z[stays] = z[stays] ** 2 + c[stays]
    return z, counts
