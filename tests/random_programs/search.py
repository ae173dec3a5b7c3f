"""Many random programs: progress, a table of outcomes, refusals by page of `docs/errors`, the smallest form of each failure.

Four fifths of the time is XLA's. What is tried here is what the library hands to XLA and not how well XLA optimises, so
the processes compile with XLA's optimisations off (`QUICK`), which makes compiling three times as fast.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import functools
import os
import pathlib
import queue
import time
from collections.abc import Iterator
from multiprocessing.pool import ThreadPool

import jaxlib.version

from tests import catalogue
from tests.random_programs import execution, families, grammar, shrinking
from tests.random_programs.workers import PATIENCE, Worker

ALLOWED = ("equal", "refused", "by design", "skip")
QUICK = "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true"
if jaxlib.version.__version_info__ < (0, 12):  # an unknown flag ends the process
    QUICK += " --xla_cpu_use_fusion_emitters=false"


@dataclasses.dataclass(frozen=True)
class Result:
    seed: int
    level: int
    outcome: execution.Outcome


def run_one(seed: int, level: int, folder: pathlib.Path, *, plain: bool = False) -> Result:
    """Write, run and compare one program, in this process."""
    text = grammar.write_program(seed, level)
    return Result(seed, level, execution.compare(text, grammar.write_inputs(seed), folder, plain=plain))


@dataclasses.dataclass(frozen=True)
class Kind:
    """Which programs are written, and how they are compared."""

    levels: tuple[int, ...]
    plain: bool = False
    family: str | None = None
    function: bool = False

    def compare(self, worker: Worker, text: str, seed: int) -> execution.Outcome:
        """Compare a source, on the inputs of program number `seed`."""
        is_of_family = self.level_of(seed) == 8
        lanes = is_of_family and (self.family or families.family_of(seed)) in families.IN_LANES
        return worker.compare(text, grammar.write_inputs(seed), plain=self.plain, lanes=lanes, function=self.function)

    def level_of(self, seed: int) -> int:
        return self.levels[seed % len(self.levels)]

    def write(self, seed: int) -> str:
        return grammar.write_program(seed, self.level_of(seed), self.family)


def smallest(result: Result, kind: Kind, worker: Worker, attempts: int = 400) -> str:
    """The program of a failure, made small; it fails with the same kind and the same category of message."""

    def still_fails(text: str) -> bool:
        again = kind.compare(worker, text, result.seed)
        return (again.kind, again.category) == (result.outcome.kind, result.outcome.category)

    return shrinking.shrink(kind.write(result.seed), still_fails, attempts)


def search(seed: int, count: int, jobs: int, kind: Kind, patience: int = PATIENCE) -> Iterator[Result]:
    """Run `count` programs from `seed` on in `jobs` processes, each replaced after a while to give memory back."""
    free: queue.SimpleQueue[Worker] = queue.SimpleQueue()
    workers = [Worker(patience) for _ in range(jobs)]
    for worker in workers:
        free.put(worker)

    def run(number: int) -> Result:
        worker = free.get()
        try:
            return Result(number, kind.level_of(number), kind.compare(worker, kind.write(number), number))
        finally:
            free.put(worker)

    try:
        with ThreadPool(jobs) as pool:
            yield from pool.imap(run, range(seed, seed + count))
    finally:
        for worker in workers:
            worker.stop()


class Progress:
    """A line on the terminal from time to time: how many, how fast, what is wrong so far; and one for each failure."""

    def __init__(self, count: int, every: float = 20.0) -> None:
        self.count = count
        self.every = every
        self.begin = self.said = time.monotonic()
        self.kinds: collections.Counter[str] = collections.Counter()

    def note(self, result: Result) -> None:
        self.kinds[result.outcome.kind] += 1
        if result.outcome.kind not in ALLOWED:
            print(f"{result.outcome.kind}: --seed {result.seed} --level {result.level}", flush=True)
        now = time.monotonic()
        done = self.kinds.total()
        if now - self.said >= self.every and done > 50:  # the first ones come after the imports, in one go
            self.said = now
            rate = done / (now - self.begin)
            kinds = ", ".join(f"{n} {k}" for k, n in self.kinds.most_common())
            left = (self.count - done) / rate / 60
            print(f"{done} of {self.count}: {kinds}; {rate:.1f} a second, {left:.0f} minutes left", flush=True)


def page_of(outcome: execution.Outcome) -> str:
    """The page of `docs/errors` for a refusal: of the same first line, or of the same reason; else its first line."""
    heads, reasons = _pages()
    reason = execution.reason_of(outcome.detail)
    return heads.get((outcome.category, reason)) or reasons.get(reason) or outcome.category


@functools.cache
def _pages() -> tuple[dict[tuple[str, str], str], dict[str, str]]:
    pages = catalogue.without_further_cases()
    found = [(execution.category_of(p.message), execution.reason_of(p.message), name) for name, p in pages.items()]
    heads = {(head, why): name for head, why, name in found}  # the plainer name comes last
    return heads, {why: name for _, why, name in reversed(found) if why}


def print_table(results: list[Result], seconds: float) -> None:
    kinds = collections.Counter((r.level, r.outcome.kind) for r in results)
    names = ["equal", "refused", "by design", "WRONG", "crash", "timeout", "skip"]
    print("level " + "".join(f"{n:>10}" for n in names) + "   accepted")
    for level in sorted({r.level for r in results}):
        counts = [kinds[level, n] for n in names]
        tried = sum(counts) - kinds[level, "skip"] - kinds[level, "by design"]
        share = kinds[level, "equal"] / tried if tried else 1.0
        print(f"{level:>5} " + "".join(f"{c:>10}" for c in counts) + f"{share:>10.1%}")
    print(f"{len(results)} programs, {seconds:.0f} s, {len(results) / seconds:.2f} a second")
    for title, kind in (("refusals", "refused"), ("crashes", "crash")):
        found: dict[str, list[Result]] = {}
        for r in results:
            if r.outcome.kind == kind:
                found.setdefault(page_of(r.outcome), []).append(r)
        if found:
            print(f"\n{title}:")
        for name, group in sorted(found.items(), key=lambda item: -len(item[1])):
            levels = collections.Counter(r.level for r in group)
            shares = ", ".join(f"level {level}: {n}" for level, n in sorted(levels.items()))
            print(f"  {len(group):>5}  {name}  ({shares}; e.g. --seed {group[0].seed} --level {group[0].level})")


def print_failures(results: list[Result], limit: int, refusals: bool, kind: Kind, patience: int = PATIENCE) -> None:
    """The smallest program of each failure, one of each category of crash."""
    for r in results:
        if r.outcome.kind not in ALLOWED:
            print(f"{r.outcome.kind}: --seed {r.seed} --level {r.level}  {r.outcome.detail[:150]!r}", flush=True)
    shown: set[str] = set()
    worker = Worker(patience)
    for r in results:
        if (r.outcome.kind in ALLOWED and not (refusals and r.outcome.kind == "refused")) or len(shown) >= limit:
            continue
        category = r.outcome.kind + r.outcome.category
        if category in shown and r.outcome.kind != "WRONG":
            continue
        shown.add(category)
        attempts = 12 if r.outcome.kind == "timeout" else 400  # each takes as long as patience lasts
        text = smallest(r, kind, worker, attempts)
        final = kind.compare(worker, text, r.seed)
        print(f"\n--- {r.outcome.kind}: --seed {r.seed} --level {r.level}")
        print(f"{text}\n=> {final.detail[-1500:]}", flush=True)
    worker.stop()


def main(argv: list[str] | None = None) -> int:
    """Exit code 1 when an answer was wrong, a crash or a timeout."""
    parser = argparse.ArgumentParser(prog="python -m tests.random_programs", description=__doc__)
    parser.add_argument("--count", type=int, default=2000, help="number of programs")
    parser.add_argument("--seed", type=int, default=0, help="number of the first program")
    parser.add_argument("--level", type=int, action="append", help="1 to 8; several in turns (default: all)")
    parser.add_argument("--family", choices=sorted(families.FAMILIES), help="level 8: programs of this family only")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--plain", action="store_true", help="compare on plain values instead of under ag.jit")
    parser.add_argument("--function", action="store_true", help="compare under ag.function instead of under ag.jit")
    parser.add_argument("--show", action="store_true", help="print the first program and stop")
    parser.add_argument("--failures", type=int, default=5, help="how many failures are made small and printed")
    parser.add_argument("--refusals", action="store_true", help="print the smallest program of refusals as well")
    parser.add_argument("--patience", type=int, default=PATIENCE, help="seconds of computing for one program")
    options = parser.parse_args(argv)
    levels = (8,) if options.family else tuple(options.level or (1, 2, 3, 4, 5, 6, 7, 8))
    kind = Kind(levels, options.plain, options.family, options.function)
    if options.show:
        print(kind.write(options.seed))
        return 0
    begin = time.monotonic()
    os.environ["XLA_FLAGS"] = f"{QUICK} {os.environ.get('XLA_FLAGS', '')}"  # read when the first program is compiled
    progress = Progress(options.count)
    results = []
    try:
        for result in search(options.seed, options.count, options.jobs, kind, options.patience):
            results.append(result)
            progress.note(result)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    print_table(results, time.monotonic() - begin)
    print_failures(results, options.failures, options.refusals, kind, options.patience)
    return 0 if all(r.outcome.kind in ALLOWED for r in results) else 1
