"""Loops inside loops: matrices, pictures, tables, sorts, sieves."""

import numpy as np

from benchmarks.loops import Loop, digits, noise, square


def matrix_product(a, b):
    n = len(a)
    c = np.zeros((n, n), dtype=a.dtype)
    for i in range(n):
        for j in range(n):
            s = 0.0
            for k in range(n):
                s += a[i, k] * b[k, j]
            c[i, j] = s
    return c


def matrix_sum(a):
    rows, columns = a.shape
    s = 0.0
    for i in range(rows):
        for j in range(columns):
            s += a[i, j]
    return s


def stencil(a):
    n, m = a.shape
    out = a.copy()
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            out[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
    return out


def heat(u):
    for _ in range(1000):
        new = u.copy()
        for i in range(1, len(u) - 1):
            new[i] = u[i] + 0.1 * (u[i - 1] - 2 * u[i] + u[i + 1])
        u = new
    return u


def life(board):
    n, m = board.shape
    out = np.zeros_like(board)
    for i in range(n):
        for j in range(m):
            alive = 0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    if di != 0 or dj != 0:
                        alive += board[(i + di) % n, (j + dj) % m]
            if alive == 3 or (alive == 2 and board[i, j] == 1):
                out[i, j] = 1
    return out


def mandelbrot(picture):
    height, width = picture.shape
    for i in range(height):
        for j in range(width):
            cr, ci = -2.0 + 3.0 * j / width, -1.5 + 3.0 * i / height
            zr = zi = 0.0
            k = 0
            while zr * zr + zi * zi < 4 and k < 50:
                zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
                k += 1
            picture[i, j] = k
    return picture


def mandelbrot_complex(picture):
    height, width = picture.shape
    for y in range(height):
        for x in range(width):
            c = complex(-2.0 + 3.0 * x / width, -1.5 + 3.0 * y / height)
            z = 0.0j
            picture[y, x] = 50
            for i in range(50):
                z = z * z + c
                if (z.real * z.real + z.imag * z.imag) >= 4:
                    picture[y, x] = i
                    break
    return picture


def collatz(out):
    for i in range(1, len(out)):
        n, steps = i, 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        out[i] = steps
    return out


def floyd_warshall(d):
    n = len(d)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i, k] + d[k, j] < d[i, j]:
                    d[i, j] = d[i, k] + d[k, j]
    return d


def levenshtein(a, b):
    m, n = len(a), len(b)
    d = np.zeros((m + 1, n + 1), dtype=np.int32)
    for i in range(m + 1):
        d[i, 0] = i
    for j in range(n + 1):
        d[0, j] = j
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
    return d[m, n]


def sieve(flags):
    n = len(flags)
    flags[:2] = False
    for i in range(2, int(n**0.5) + 1):
        if flags[i]:
            for j in range(i * i, n, i):
                flags[j] = False
    return flags.sum()


def sieve_while(flags):
    n = len(flags)
    flags[0] = flags[1] = False
    p = 2
    while p * p < n:
        if flags[p]:
            for j in range(p * p, n, p):
                flags[j] = False
        p += 1
    return flags.sum()


def n_body(x, y, mass):
    n = len(x)
    ax = np.zeros_like(x)
    ay = np.zeros_like(x)
    for i in range(n):
        for j in range(n):
            if i != j:
                dx, dy = x[j] - x[i], y[j] - y[i]
                r = (dx * dx + dy * dy + 0.01) ** 1.5
                ax[i] += mass[j] * dx / r
                ay[i] += mass[j] * dy / r
    return ax, ay


def pair_distances(x):
    n = x.shape[0]
    out = np.zeros((n, n), dtype=x.dtype)
    for i in range(n):
        for j in range(i + 1, n):
            s = 0.0
            for k in range(3):
                s += (x[i, k] - x[j, k]) ** 2
            out[i, j] = out[j, i] = np.sqrt(s)
    return out


def bubble_sort(x):
    n = len(x)
    for i in range(n):
        for j in range(n - 1 - i):
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = x[j + 1], x[j]
    return x


def insertion_sort(x):
    for i in range(1, len(x)):
        key = x[i]
        j = i - 1
        while j >= 0 and x[j] > key:
            x[j + 1] = x[j]
            j -= 1
        x[j + 1] = key
    return x


def selection_sort(x):
    n = len(x)
    for i in range(n - 1):
        least = i
        for j in range(i + 1, n):
            if x[j] < x[least]:
                least = j
        x[i], x[least] = x[least], x[i]
    return x


def triangle_sum(a):
    n = len(a)
    s = 0.0
    for i in range(n):
        for j in range(i):
            s += a[i, j] / (i - j)
    return s


def cholesky(a):
    n = len(a)
    lower = np.zeros_like(a)
    for i in range(n):
        for j in range(i + 1):
            s = 0.0
            for k in range(j):
                s += lower[i, k] * lower[j, k]
            if i == j:
                lower[i, j] = np.sqrt(a[i, i] - s)
            else:
                lower[i, j] = (a[i, j] - s) / lower[j, j]
    return lower


def longest_common_subsequence(a, b):
    m, n = len(a), len(b)
    table = np.zeros((m + 1, n + 1), dtype=np.int32)
    for i in range(m):
        for j in range(n):
            if a[i] == b[j]:
                table[i + 1, j + 1] = table[i, j] + 1
            else:
                table[i + 1, j + 1] = max(table[i, j + 1], table[i + 1, j])
    return table[m, n]


def knapsack(weights, values):
    best = np.zeros(1001, dtype=np.int32)
    for i in range(len(weights)):
        for c in range(1000, -1, -1):
            if weights[i] <= c:
                best[c] = max(best[c], best[c - weights[i]] + values[i])
    return best[1000]


def correlation(x, y):
    n = len(x)
    out = np.zeros(n, dtype=x.dtype)
    for lag in range(n):
        s = 0.0
        for i in range(n - lag):
            s += x[i] * y[i + lag]
        out[lag] = s / (n - lag)
    return out


def positive(n):
    a = square(n)
    return (a @ a.T + n * np.eye(n, dtype=np.float32),)


LOOPS = [
    Loop(matrix_product, lambda n: (square(n), square(n)), 100, 9),
    Loop(matrix_sum, lambda n: (square(n),), 1000, 40),
    Loop(stencil, lambda n: (square(n),), 1000, 40),
    Loop(heat, lambda n: (noise(n),), 1000, 12),
    Loop(life, lambda n: ((square(n) > 0).astype(np.int32),), 350, 40),
    Loop(mandelbrot, lambda n: (np.zeros((n, n), np.int32),), 256, 40),
    Loop(mandelbrot_complex, lambda n: (np.zeros((n, n), np.int32),), 256, 40),
    Loop(collatz, lambda n: (np.zeros(n, np.int32),), 20_000, 200),
    Loop(floyd_warshall, lambda n: (np.abs(square(n)),), 100, 12),
    Loop(levenshtein, lambda n: (digits(n) % 4, digits(2 * n)[n:] % 4), 1000, 40),
    Loop(sieve, lambda n: (np.ones(n, bool),), 1_000_000, 2000),
    Loop(sieve_while, lambda n: (np.ones(n, bool),), 1_000_000, 2000),
    Loop(n_body, lambda n: (noise(n), noise(2 * n)[n:], np.abs(noise(n))), 512, 40),
    Loop(pair_distances, lambda n: (noise(3 * n).reshape(n, 3),), 512, 40),
    *(Loop(f, lambda n: (noise(n),), 700, 50) for f in (bubble_sort, insertion_sort, selection_sort)),
    Loop(triangle_sum, lambda n: (square(n),), 1000, 40),
    Loop(cholesky, positive, 100, 40),
    Loop(longest_common_subsequence, lambda n: (digits(n) % 4, digits(2 * n)[n:] % 4), 1000, 40),
    Loop(knapsack, lambda n: (digits(n) + 1, digits(2 * n)[n:] + 1), 1000, 40),
    Loop(correlation, lambda n: (noise(n), noise(2 * n)[n:]), 1000, 40),
]
