"""Queues that loops fill and empty: `heapq`, `bisect` and `deque`, in loops whose lists have a `maximum_iterations`.

>>> "queue" in write(random.Random(0))
True
"""

from __future__ import annotations

import random

_IMPORTS = "import bisect\nimport heapq\nfrom collections import deque\n\n\n"
_NUMBERS = ["a", "b", "b % 9", "(a * n) % 7", "n", "a - n", "-n", "xs[n % 4]", "3", "s % 5", "last"]
_TESTS = ["len(queue) > 2", "len(queue) >= 1", "n > 1", "a > b", "n % 2 == 0", "s < 9"]
_KINDS = {
    "heap": {
        "put": ["heapq.heappush(queue, {v})", "heapq.heappush(queue, {v})", "last = heapq.heappushpop(queue, {v})"],
        "take": ["last = heapq.heappop(queue)", "s += heapq.heappop(queue)", "last = heapq.heapreplace(queue, {v})"],
        "show": ["sorted(queue)", "heapq.nsmallest(2, queue)", "queue[0]"],
    },
    "pairs": {
        "put": ["heapq.heappush(queue, ({v}, n))"],
        "take": ["last, s = heapq.heappop(queue)", "last = heapq.heappop(queue)[0]"],
        "show": ["sorted(queue)", "queue[0][1]"],
    },
    "sorted": {
        "put": ["bisect.insort(queue, {v})", "queue.insert(bisect.bisect_left(queue, {v}), 4)"],
        "take": ["last = queue.pop()", "s += queue.pop(0)", "s += bisect.bisect(queue, {v})"],
        "show": ["queue", "queue[-1]", "sum(queue)"],
    },
    "deque": {
        "put": ["queue.append({v})", "queue.appendleft({v})"],
        "take": ["last = queue.pop()", "last = queue.popleft()", "s += queue[0]"],
        "show": ["list(queue)", "queue[-1]", "sum(queue)"],
    },
}


def write(rng: random.Random) -> str:
    """One program."""
    kind = rng.choice(sorted(_KINDS))
    start = rng.choice(["", "", "a", "b, b + 2"])
    if kind == "pairs":
        start = ", ".join(f"({number}, 0)" for number in start.split(", ") if number)
    lines = [f"queue, last, s, n = {'deque' if kind == 'deque' else ''}([{start}]), 0, 0, 0"]
    loop = _loop(rng, kind)
    if rng.random() < 0.15:
        loop = ["if a > 2:", *_in(loop)]
    lines += loop
    if rng.random() < 0.3:
        lines += [rng.choice(["while queue:", "while queue and s < 9:"]), *_in([_filled(rng, kind, "take"), "s += 1"])]
    lines.append("return " + ", ".join(["last, s, len(queue)", *rng.sample(_KINDS[kind]["show"], rng.randint(0, 1))]))
    return _IMPORTS + "def program(a, b, x, xs):\n" + "\n".join(_in(lines)) + "\n"


def _loop(rng: random.Random, kind: str) -> list[str]:
    head = rng.choice(["for n in ag.range(4):", "for n in range(b % 5):", "while n < a % 6:"])
    body = (
        [_filled(rng, kind, "put")]
        if rng.random() < 0.8
        else [f"if {rng.choice(_TESTS)}:", *_in([_filled(rng, kind, "put")])]
    )
    if rng.random() < 0.7:
        take = _in([_filled(rng, kind, "take")])
        body += [rng.choice([f"if {rng.choice(_TESTS)}:", "if len(queue) > 2:", "while len(queue) > 2:"]), *take]
    if rng.random() < 0.2:
        body += [f"if {rng.choice(_TESTS)}:", "    break"]
    body += ["n += 1"] if head.startswith("while") else ["s += n"]
    return [head, *_in(["ag.set_loop_options(maximum_iterations=8)", *body])]


def _filled(rng: random.Random, kind: str, what: str) -> str:
    return rng.choice(_KINDS[kind][what]).format(v=rng.choice(_NUMBERS))


def _in(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]
