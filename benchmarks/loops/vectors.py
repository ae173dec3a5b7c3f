"""One loop over the elements of an array."""

import math

import numpy as np

from benchmarks.loops import Loop, digits, noise


def total(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i]
    return s


def count_positive(x):
    n = 0
    for i in range(len(x)):
        if x[i] > 0:
            n += 1
    return n


def largest(x):
    best = x[0]
    for i in range(1, len(x)):
        if x[i] > best:
            best = x[i]
    return best


def place_of_largest(x):
    best, place = -np.inf, -1
    for i in range(x.shape[0]):
        if x[i] > best:
            best = x[i]
            place = i
    return place


def first_above(x, limit):
    for i in range(len(x)):
        if x[i] > limit:
            return i
    return -1


def index_of_largest_run(x):
    run = best = 0
    for i in range(len(x)):
        if x[i] > 0:
            run += 1
        else:
            run = 0
        best = max(best, run)
    return best


def clip(x, low, high):
    out = np.empty_like(x)
    for i in range(len(x)):
        v = x[i]
        if v < low:
            v = low
        elif v > high:
            v = high
        out[i] = v
    return out


def prefix_sum(x):
    out = np.zeros_like(x)
    s = 0.0
    for i in range(len(x)):
        s += x[i]
        out[i] = s
    return out


def differences(x):
    out = np.zeros(len(x) - 1, dtype=x.dtype)
    for i in range(len(x) - 1):
        out[i] = x[i + 1] - x[i]
    return out


def exponential_average(x, alpha):
    out = np.empty_like(x)
    out[0] = x[0]
    for i in range(1, len(x)):
        out[i] = alpha * x[i] + (1 - alpha) * out[i - 1]
    return out


def moving_average(x):
    width = 5
    out = np.zeros(len(x) - width + 1, dtype=x.dtype)
    for i in range(len(out)):
        s = 0.0
        for j in range(width):
            s += x[i + j]
        out[i] = s / width
    return out


def mean_and_variance(x):
    mean, m2 = 0.0, 0.0
    for i in range(len(x)):
        delta = x[i] - mean
        mean += delta / (i + 1)
        m2 += delta * (x[i] - mean)
    return mean, m2 / len(x)


def histogram(x):
    counts = np.zeros(100, dtype=np.int32)
    for i in range(len(x)):
        counts[x[i]] += 1
    return counts


def dot(x, y):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * y[i]
    return s


def weighted_sum(x):
    n = len(x)
    s = 0.0
    for i in range(n):
        s += x[i] * (i / n)
    return s


def alternating_sum(x):
    s, sign = 0.0, 1
    for i in range(len(x)):
        s += sign * x[i]
        sign = -sign
    return s


def every_third(x):
    s = 0.0
    for i in range(0, len(x), 3):
        s += x[i]
    return s


def backwards(x):
    y = 0.0
    for i in range(len(x) - 1, -1, -1):
        y = y * 0.5 + x[i]
    return y


def simpson(x):
    n = len(x)
    s = 0.0
    for i in range(n):
        if i == 0 or i == n - 1:
            w = 1
        elif i % 2 == 1:
            w = 4
        else:
            w = 2
        s += w * x[i]
    return s / 3


def oscillator(x):
    t, dt = 0.0, 1e-3
    position, velocity = 1.0, 0.0
    for i in range(len(x)):
        velocity -= dt * (position - 0.1 * math.cos(t))
        position += dt * velocity
        x[i] = position
        t += dt
    return x


def decayed_steps(x):
    w, rate = 0.0, 0.1
    for i in range(len(x)):
        w -= rate * (w - x[i])
        rate *= 0.999999
    return w


def monte_carlo_pi(x, y):
    inside = 0
    for i in range(len(x)):
        if x[i] ** 2 + y[i] ** 2 < 1.0:
            inside += 1
    return 4.0 * inside / len(x)


def count_changes(x):
    changes = 0
    previous = x[0]
    for i in range(1, len(x)):
        if x[i] != previous:
            changes += 1
        previous = x[i]
    return changes


def enumerated(x):
    s = 0.0
    for i, v in enumerate(x):
        s += i * v
    return s


def zipped(x, y):
    s = 0.0
    for a, b in zip(x, y):
        s += abs(a - b)
    return s


def every_thousandth(x):
    s, seen = 0.0, []
    for i in range(len(x)):
        s += x[i]
        if i % 1000 == 0:
            seen.append(s)
    return np.array(seen)


def skipped(x):
    s, used = 0.0, 0
    for i in range(len(x)):
        if i % 4 == 1:
            continue
        used += 1
        s += x[i]
    return s / used


def generated(x):
    return sum(x[i] * x[i] for i in range(len(x)))


def stops_at_known_index(x):
    s = 0.0
    for i in range(len(x)):
        if i * 2 > len(x):
            break
        s += x[i]
    return s


def squared_list(x):
    return np.array([x[i] ** 2 for i in range(len(x))])


LOOPS = [
    *(
        Loop(f, lambda n: (noise(n),))
        for f in (
            total, count_positive, largest, place_of_largest, index_of_largest_run, prefix_sum, differences, moving_average,
            mean_and_variance, weighted_sum, alternating_sum, every_third, backwards, simpson, oscillator, decayed_steps,
            enumerated, every_thousandth, skipped, generated, stops_at_known_index,
        )
    ),
    *(Loop(f, lambda n: (noise(n), noise(n)[::-1].copy())) for f in (dot, monte_carlo_pi, zipped)),
    *(Loop(f, lambda n: (digits(n),)) for f in (histogram, count_changes)),
    Loop(squared_list, lambda n: (noise(n),), 100_000),  # Python holds each element of the list
    Loop(first_above, lambda n: (noise(n), 4.5)),
    Loop(clip, lambda n: (noise(n), -0.5, 0.5)),
    Loop(exponential_average, lambda n: (noise(n), 0.1)),
]
