"""Every example runs as its users run it, and what it prints agrees with a reference written without the library.

Each test starts `python examples/<name>.py` with a small size in an empty folder and reads the printed numbers. The
references below are plain Python and NumPy; from the examples they take the input data only.
"""

import codecs
import functools
import importlib
import itertools
import math
import os
import re
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import jax
import numpy as np
import pytest

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
SHARED = {"png.py", "timing.py", "textbook_algorithms.py"}  # parts of examples


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run one example in an empty folder and give back what it printed; its modules can be imported for their data.

    Some examples switch on 64-bit numbers when they are imported: the switch and the modules are put back.
    """
    monkeypatch.syspath_prepend(str(EXAMPLES))
    wide = jax.config.jax_enable_x64

    def start(name, *arguments):
        paths = [str(EXAMPLES.parent), os.environ.get("PYTHONPATH", "")]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths)), "JAX_PLATFORMS": "cpu"}
        command = [sys.executable, "-W", "error::UserWarning", str(EXAMPLES / name), *map(str, arguments)]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, f"{name} exited with {done.returncode}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr, done.stderr
        return done.stdout

    yield start
    jax.config.update("jax_enable_x64", wide)
    for path in EXAMPLES.glob("*.py"):
        sys.modules.pop(path.stem, None)


def numbers(text, pattern):
    """The numbers that `pattern` captures at its first match in `text`."""
    match = re.search(pattern, text)
    assert match, f"nothing like {pattern!r} in\n{text}"
    return [float(group.replace(",", "")) for group in match.groups()]


def assert_timed(text):
    """The three times are there, and none is zero."""
    for name in "eager", "first call", "later calls":
        assert numbers(text, rf"{name} +([\d.]+) ms")[0] > 0


def decode_png(path):
    """Pixels of an unfiltered 8-bit RGB file, read by the specification."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, at = {}, 8
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length : at + 12 + length])[0] == zlib.crc32(kind + body)
        chunks[kind] = body
        at += 12 + length
    width, height, depth, colour = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    assert (depth, colour) == (8, 2)
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, 1 + 3 * width)
    assert not rows[:, 0].any()
    return rows[:, 1:].reshape(height, width, 3)


def test_every_example_is_tested_and_listed():
    names = {path.name for path in EXAMPLES.glob("*.py")}
    source, index = Path(__file__).read_text(), (EXAMPLES / "README.md").read_text()
    assert len(names - SHARED) >= 12
    for name in names - SHARED:
        assert f'run("{name}"' in source, f"{name} has no test"
    for name in names:
        assert f"({name})" in index, f"{name} is missing in examples/README.md"


@pytest.mark.slow
def test_mandelbrot(run, tmp_path):
    out = run("mandelbrot.py", 30)
    assert_timed(out)
    y, x = (30 - 0.5 - np.arange(60)) * 0.04, (np.arange(80) - 40 + 0.5) * 0.04
    c = (-0.65 + x + 1j * y[:, None]).astype(np.complex64)
    z, inside = np.zeros_like(c), np.ones(c.shape, bool)
    for _ in range(300):
        z[inside] = z[inside] ** 2 + c[inside]
        inside &= abs(z) <= 100
    count, points = numbers(out, r"points inside: (\d+) of (\d+)")
    assert points == c.size
    assert abs(count - inside.sum()) <= 8  # points at the border depend on rounding
    image = decode_png(tmp_path / "mandelbrot.png")
    assert image.shape == (30, 40, 3)
    black = inside.reshape(30, 2, 40, 2).all(axis=(1, 3))
    assert np.mean((image == 0).all(axis=-1) == black) > 0.99
    assert str(tmp_path / "mandelbrot.png") in out


@pytest.mark.slow
def test_newton_fractal(run, tmp_path):
    out = run("newton_fractal.py", 40)
    assert_timed(out)
    axis = np.linspace(-1.5, 1.5, 40)
    z = (axis[None, :] + 1j * axis[::-1, None]).astype(np.complex128)
    for _ in range(120):
        z = z - (z**5 - 1) / (5 * z**4)
    reached = np.round(np.angle(z) * 5 / (2 * np.pi)).astype(int) % 5
    for root in range(5):
        assert abs(numbers(out, rf"root {root} +(\d+) points")[0] - np.sum(reached == root)) <= 16
    assert numbers(out, r"no root +(\d+) points") == [0]
    assert decode_png(tmp_path / "newton_fractal.png").shape == (40, 40, 3)


@pytest.mark.slow
def test_digits_classifier(run):
    out = run("digits_classifier.py", 60)
    assert_timed(out)
    ran, most, best = numbers(out, r"epochs: (\d+) of at most (\d+), the best was epoch (\d+)")
    assert most == 60 and ran == min(60, best + 8)
    (validation,), (test,) = numbers(out, r"validation accuracy: ([\d.]+)%"), numbers(out, r"test accuracy: ([\d.]+)%")
    assert test > 95
    assert math.isclose(validation * 3, round(validation * 3), abs_tol=0.02)  # 300 images


@pytest.mark.slow
def test_adaptive_ode(run):
    out = run("adaptive_ode.py", 5)
    assert_timed(out)

    def x(e):  # Kepler's equation by bisection
        low, high = 0.0, 10.0
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (middle, high) if middle - e * math.sin(middle) < 5 else (low, middle)
        return math.cos(low) - e

    slope = (x(0.6 + 1e-5) - x(0.6 - 1e-5)) / 2e-5
    assert abs(numbers(out, r"  x  ([-+\d.]+)")[0] - x(0.6)) < 1e-6
    assert abs(numbers(out, r"forward mode ([-+\d.]+)")[0] - slope) < 1e-5
    assert abs(numbers(out, r"reverse mode ([-+\d.]+)")[0] - slope) < 1e-5
    accepted, rejected = numbers(out, r"steps: (\d+) accepted, (\d+) rejected")
    assert 50 < accepted < 400 and rejected < accepted


def zen_model():
    """Characters and conditional log-probabilities of the Zen of Python, float32 as in the example."""
    text = codecs.decode(importlib.import_module("this").s, "rot13").lower()
    characters = sorted(set(text))
    table = np.full((len(characters),) * 4, 1e-3, np.float32)
    for four in zip(text, text[1:], text[2:], text[3:], strict=False):
        table[tuple(characters.index(character) for character in four)] += 1
    return characters, np.log(table / table.sum(axis=-1, keepdims=True))


def plain_beam_search(table, prompt, beams, limit):
    """Beam search on lists of tuples, with the end symbol 0: the best finished answer and its score.

    Sums are float32 as in the example, and of equal scores the first comes first: counts of a short string tie often.
    """
    open_beams, best = [(np.float32(0), tuple(prompt))], (-math.inf, ())
    while open_beams[0][0] > best[0] and len(open_beams[0][1]) < limit:
        every = [
            (score + value, (*answer, code))
            for score, answer in open_beams
            for code, value in enumerate(table[answer[-3:]])
        ]
        best = max([best, *(one for one in every if one[1][-1] == 0)], key=lambda one: one[0])
        open_beams = sorted((one for one in every if one[1][-1] != 0), key=lambda one: -one[0])[:beams]
    return best


@pytest.mark.slow
def test_greedy_beam_decoding(run):
    out = run("greedy_beam_decoding.py", 4)
    assert_timed(out)
    example = importlib.import_module("greedy_beam_decoding")
    characters, table = zen_model()
    assert np.allclose(table, example.character_model()[1], rtol=1e-5)
    table = np.asarray(example.character_model()[1])
    printed = re.findall(r"^  (greedy|beam) +(-[\d.]+)  (.*)$", out, re.MULTILINE)
    assert len(printed) == 2 * len(example.PROMPTS)
    ended = 0
    for prompt, (_, greedy_score, greedy), (_, beam_score, beam) in zip(
        example.PROMPTS, printed[::2], printed[1::2], strict=True
    ):
        codes, score = [characters.index(character) for character in prompt], 0.0
        while len(codes) < example.LIMIT:
            following = table[tuple(codes[-3:])]
            codes.append(int(following.argmax()))
            score += following.max()
            if codes[-1] == 0:
                ended += 1
                break
        assert greedy.rstrip() == "".join(characters[code] for code in codes).rstrip()
        assert math.isclose(float(greedy_score), score, abs_tol=2e-3)
        expected, answer = plain_beam_search(table, codes[: len(prompt)], 4, example.LIMIT)
        assert beam.rstrip() == "".join(characters[code] for code in answer).rstrip()
        assert math.isclose(float(beam_score), expected, abs_tol=2e-3)
    assert 0 < ended < len(example.PROMPTS)  # some greedy answers stop early, some never end


@pytest.mark.slow
def test_conjugate_gradient(run):
    out = run("conjugate_gradient.py", 20)
    assert_timed(out)
    n = 20
    line = 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    matrix = (np.kron(line, np.eye(n)) + np.kron(np.eye(n), line)) * (n + 1) ** 2
    b = np.asarray(importlib.import_module("conjugate_gradient").problem(n)[0]).ravel()
    exact = np.linalg.solve(matrix, b)
    x, residual = np.zeros_like(b), b
    direction, iterations = residual, 0
    while np.linalg.norm(residual) > 1e-8 * np.linalg.norm(b):
        step = residual @ residual / (direction @ matrix @ direction)
        x, new = x + step * direction, residual - step * (matrix @ direction)
        direction, residual = new + new @ new / (residual @ residual) * direction, new
        iterations += 1
    assert abs(numbers(out, r"iterations: (\d+)")[0] - iterations) <= 1
    assert numbers(out, r"relative residual: (\S+)")[0] <= 1.01e-8
    assert numbers(out, r"largest error: (\S+)")[0] <= 10 * abs(x - exact).max() + 1e-12


@pytest.mark.slow
def test_convert_textbook(run):
    out = run("convert_textbook.py")
    results = dict(re.findall(r"^(\w+) +[\d.]+ +[\d.]+ +[\d.]+   (.*)$", out, re.MULTILINE))
    assert "17 of 17 results equal Python's" in out
    assert results["greatest_common_divisor"] == str(math.gcd(1_071_428, 462_462))
    assert results["integer_square_root"] == str(math.isqrt(2_000_000))
    assert results["power_modulo"] == str(pow(7, 560, 561))
    assert results["collatz_steps"] == "111"
    assert results["fibonacci"] == "102334155"
    assert results["horner"] == str(float(np.polyval([2, -6, 2, -1], 3)))
    assert results["is_leap_year"] == "True"
    assert results["sieve"].startswith("[False, False, True, True, False, Tr")
    assert "WRONG" not in out


@pytest.mark.slow
def test_data_parallel(run):
    out = run("data_parallel.py")
    assert_timed(out)
    (features, labels), (unseen, answers) = importlib.import_module("data_parallel").rows_of_this_process()
    weights, errors, lengths = np.zeros(features.shape[-1]), [], []
    while len(errors) - np.argmin(errors or [0]) < 4:  # three epochs without a better one
        for x, y in zip(features.astype(float), labels, strict=True):
            weights = weights - 0.05 * x.T @ (1 / (1 + np.exp(-x @ weights)) - y) / len(y)
        chances = 1 / (1 + np.exp(-unseen @ weights))
        errors.append(-np.mean(np.log(np.where(answers == 1, chances, 1 - chances))))
        lengths.append(np.linalg.norm(weights))
    best = int(np.argmin(errors))
    assert numbers(out, r"epochs: (\d+) of at most 60, the best was epoch (\d+)") == [len(errors), best + 1]
    expected = [errors[best], lengths[best]]
    assert numbers(out, r"error: ([\d.]+), length of the weights: ([\d.]+)") == pytest.approx(expected, rel=1e-5)


@pytest.mark.slow
def test_particle_filter(run):
    out = run("particle_filter.py", 2000)
    assert_timed(out)
    _, series = importlib.import_module("particle_filter").simulate(200)
    observations = series.astype(float)
    # The model as one Gaussian vector: no filter recursion at all.
    times = np.arange(1, 201)
    started = 0.95 ** (times[:, None] + times[None, :])
    earlier = np.minimum(times[:, None], times[None, :])
    states = started + 0.6**2 * sum(
        np.where(k <= earlier, 0.95 ** np.clip(times[:, None] + times[None, :] - 2 * k, 0, None), 0.0) for k in times
    )
    covariance = states + 0.8**2 * np.eye(200)
    _, logarithm = np.linalg.slogdet(2 * np.pi * covariance)
    exact = -0.5 * (observations @ np.linalg.solve(covariance, observations) + logarithm)
    likelihood, kalman = numbers(out, r"log-likelihood: ([-\d.]+)   exact \(Kalman\): ([-\d.]+)")
    assert abs(kalman - exact) < 2e-3
    assert abs(likelihood - exact) < 2
    assert 20 < numbers(out, r"drawn anew: (\d+) of 200 times")[0] < 150
    assert numbers(out, r"distance from the exact means: ([\d.]+)")[0] < 0.05


@pytest.mark.slow
def test_line_search(run):
    out = run("line_search.py", 150)
    assert_timed(out)

    def value(x):
        return 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2

    x, step, steps, evaluations = np.array([-1.2, 1.0]), 1.0, 0, 1
    while steps < 150:
        bend = x[1] - x[0] ** 2
        slope = np.array([-400 * bend * x[0] - 2 * (1 - x[0]), 200 * bend])
        step = min(4 * step, 1.0)
        while value(x - step * slope) > value(x) - 0.5 * step * slope @ slope:
            step /= 2
            evaluations += 1
        x, evaluations, steps = x - step * slope, evaluations + 1, steps + 1
    assert numbers(out, r"steps: (\d+), function values: (\d+)") == [150, evaluations]
    assert numbers(out, r"minimum at \(([-\d.]+), ([-\d.]+)\)") == pytest.approx(list(x), abs=1e-7)


@pytest.mark.slow
def test_epidemic(run):
    out = run("epidemic.py", 250)
    assert_timed(out)
    rows = re.findall(r"^ +([\d,]+) +([\d,]+) +([\d,]+) +(\d+) +(\d+)$", out, re.MULTILINE)
    assert len(rows) == 5
    for row in rows:
        threshold, *printed = [int(cell.replace(",", "")) for cell in row]
        susceptible, infected, closed, closed_days, peak, day = 999_990.0, 10.0, False, 0, 0.0, 0
        while day < 250 and infected >= 0.5:
            closed = infected >= threshold / 5 if closed else infected > threshold
            closed_days += closed
            new = 0.35 * (0.4 if closed else 1) * infected * susceptible / 1e6
            susceptible, infected = susceptible - new, infected + new - 0.1 * infected
            peak, day = max(peak, infected), day + 1
        expected = [peak, 1e6 - susceptible, closed_days, day]
        assert printed == pytest.approx(expected, rel=2e-3, abs=1)


@pytest.mark.slow
def test_game_of_life(run):
    out = run("game_of_life.py", 16)
    assert_timed(out)
    board = np.array(importlib.import_module("game_of_life").r_pentomino(16))
    seen, boards = {}, []
    while board.tobytes() not in seen:
        seen[board.tobytes()] = len(boards)
        boards.append(board)
        around = sum(np.roll(board, shift, (0, 1)) for shift in itertools.product((-1, 0, 1), repeat=2) if any(shift))
        board = (around == 3) | board & (around == 2)
    first = seen[board.tobytes()]
    expected = [first, len(boards) - first, board.sum()]
    assert numbers(out, r"from generation (\d+) with period (\d+), (\d+) cells") == expected
    picture = [[cell == "@" for cell in line.split()] for line in out.splitlines()[-16:]]
    assert np.array_equal(picture, board)


@pytest.mark.slow
def test_edit_distance(run):
    words = "retrun", "isinstence", "ab"
    out = run("edit_distance.py", *words)
    assert_timed(out)

    @functools.cache
    def distance(a, b):
        if not a or not b:
            return len(a) + len(b)
        if a[-1] == b[-1]:
            return distance(a[:-1], b[:-1])
        least = 1 + min(distance(a[:-1], b), distance(a, b[:-1]), distance(a[:-1], b[:-1]))
        if len(a) > 1 and len(b) > 1 and a[-2:] == b[:-3:-1]:
            least = min(least, 1 + distance(a[:-2], b[:-2]))
        return least

    import builtins
    import keyword

    names = sorted(set(keyword.kwlist) | {name for name in dir(builtins) if not name.startswith("_")})
    for word in words:
        found = [distance(word, name) for name in names]
        nearest = ", ".join(name for name, value in zip(names, found, strict=True) if value == min(found))
        assert re.search(rf"^  {word} +distance {min(found)}: {nearest}$", out, re.MULTILINE), out


@pytest.mark.slow
def test_simulated_annealing(run):
    iterations = 150
    out = run("simulated_annealing.py", iterations)
    assert_timed(out)
    cities = np.asarray(importlib.import_module("simulated_annealing").circle_of_cities())
    lengths, uphill = [], []
    for key in jax.random.split(jax.random.key(0), 4):
        tour, accepted = np.arange(40), 0
        for iteration in range(iterations):
            key, pick, luck = jax.random.split(key, 3)
            i, j = sorted(np.asarray(jax.random.randint(pick, (2,), 1, 40)))
            other = np.concatenate([tour[:i], tour[i : j + 1][::-1], tour[j + 1 :]])
            change = measure(cities[other]) - measure(cities[tour])
            if change <= 1e-6 or jax.random.uniform(luck) < math.exp(
                -change / (0.5 * 0.002 ** (iteration / iterations))
            ):
                tour, accepted = other, accepted + (change > 1e-6)
        lengths.append(measure(cities[tour]))
        uphill.append(accepted)
    assert numbers(out, "lengths: " + ", ".join([r"([\d.]+)"] * 4)) == pytest.approx(lengths, abs=1e-3)
    assert numbers(out, "longer tours accepted: " + ", ".join([r"(\d+)"] * 4)) == pytest.approx(uphill, abs=1)
    best, shortest = numbers(out, r"measured again: ([\d.]+)   shortest possible: ([\d.]+)")
    assert best == pytest.approx(min(lengths), abs=1e-3)
    assert shortest == pytest.approx(measure(np.exp(2j * np.pi * np.arange(40) / 40)[:, None]), abs=1e-3)


def measure(places):
    """Length of the closed tour through `places` in their order."""
    return float(np.linalg.norm(places - np.roll(places, 1, axis=0), axis=1).sum())


@pytest.mark.slow
def test_kmeans(run):
    out = run("kmeans.py", 600)
    assert_timed(out)
    points, centres = map(np.array, importlib.import_module("kmeans").clouds(600))
    clusters, iterations, empty = None, 0, 0
    while True:
        squares = ((points[:, None] - centres) ** 2).sum(axis=-1)
        iterations += 1
        if clusters is not None and np.array_equal(squares.argmin(axis=1), clusters):
            break
        clusters = squares.argmin(axis=1)
        for number in range(5):
            mine = points[clusters == number]
            empty += len(mine) == 0
            centres[number] = mine.mean(axis=0) if len(mine) else points[squares.min(axis=1).argmax()]
    assert numbers(out, r"iterations: (\d+), empty clusters on the way: (\d+)") == [iterations, empty]
    assert empty > 0
    printed = sorted(
        (float(x), float(y), int(size)) for x, y, size in re.findall(r"centre \( *(\S+), *(\S+)\) +(\d+) points", out)
    )
    expected = sorted((*centre, int((clusters == number).sum())) for number, centre in enumerate(centres))
    assert np.allclose(printed, expected, atol=2e-3)


@pytest.mark.slow
def test_first_steps(run):
    out = run("first_steps.py")
    assert_timed(out)
    assert "traced value: 5.5 0.0" in out
    assert "array's type: float32" in out
    assert "one trace per shape: [1.] [4. 4.]" in out
    operations = dict(re.findall(r"^(\w+) +(1\d?1.0 \[.*\])$", out, re.MULTILINE))
    assert operations["short"].startswith("11.0 ") and operations["short"].count("'add'") == 10
    assert operations["long"] == operations["long_by_hand"] == "101.0 ['scan']"
    assert "sum: 22" in out
