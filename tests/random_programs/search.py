"""Many random programs, a table of outcomes, the reasons of refusals, and the smallest form of each failure."""

from __future__ import annotations

import argparse
import collections
import dataclasses
import multiprocessing
import os
import pathlib
import tempfile
import time
from collections.abc import Iterator

from tests.random_programs import execution, grammar, shrinking

ALLOWED = ("equal", "refused", "skip")
CLEAR_EVERY = 50


@dataclasses.dataclass(frozen=True)
class Result:
    seed: int
    level: int
    outcome: execution.Outcome


@dataclasses.dataclass(frozen=True)
class Task:
    """A share of the work for one process: every `stride`-th seed from `start`."""

    start: int
    stop: int
    stride: int
    levels: tuple[int, ...]
    plain: bool


def run_one(seed: int, level: int, folder: pathlib.Path, *, plain: bool = False) -> Result:
    """Write, run and compare one program."""
    text = grammar.write_program(seed, level)
    return Result(seed, level, execution.compare(text, grammar.write_inputs(seed), folder, plain=plain))


def run_task(task: Task) -> list[Result]:
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for done, seed in enumerate(range(task.start, task.stop, task.stride)):
            level = task.levels[seed % len(task.levels)]
            results.append(run_one(seed, level, pathlib.Path(folder), plain=task.plain))
            if done % CLEAR_EVERY == CLEAR_EVERY - 1:
                execution.forget_compiled_programs()
    return results


def smallest(result: Result, folder: pathlib.Path, *, plain: bool = False, attempts: int = 400) -> str:
    """The program of a failure, made small; it fails with the same kind and the same category of text."""
    inputs = grammar.write_inputs(result.seed)

    def still_fails(text: str) -> bool:
        again = execution.compare(text, inputs, folder, plain=plain)
        return (again.kind, again.category) == (result.outcome.kind, result.outcome.category)

    return shrinking.shrink(grammar.write_program(result.seed, result.level), still_fails, attempts)


def _batches(seed: int, count: int, jobs: int, levels: tuple[int, ...], plain: bool) -> Iterator[Task]:
    """Small shares, so that the processes stay fresh and the progress is seen."""
    size = 100
    for start in range(seed, seed + count, size):
        stop = min(start + size, seed + count)
        yield from (Task(start + j, stop, jobs, levels, plain) for j in range(jobs))


def search(seed: int, count: int, jobs: int, levels: tuple[int, ...], plain: bool) -> Iterator[Result]:
    """Run `count` programs from `seed` on in `jobs` processes, each replaced after a while to give memory back."""
    tasks = _batches(seed, count, jobs, levels, plain)
    if jobs == 1:
        for task in tasks:
            yield from run_task(task)
        return
    with multiprocessing.get_context("spawn").Pool(jobs, maxtasksperchild=5) as pool:
        for results in pool.imap(run_task, tasks):
            yield from results


def print_table(results: list[Result], seconds: float) -> None:
    kinds = collections.Counter((r.level, r.outcome.kind) for r in results)
    names = ["equal", "refused", "WRONG", "crash", "timeout", "skip"]
    print("level " + "".join(f"{n:>9}" for n in names) + "   accepted")
    for level in sorted({r.level for r in results}):
        counts = [kinds[level, n] for n in names]
        tried = sum(counts) - kinds[level, "skip"]
        share = kinds[level, "equal"] / tried if tried else 1.0
        print(f"{level:>5} " + "".join(f"{c:>9}" for c in counts) + f"{share:>10.1%}")
    print(f"{len(results)} programs, {seconds:.0f} s")
    for title, kind in (("refusals", "refused"), ("crashes", "crash")):
        categories = collections.Counter(r.outcome.category for r in results if r.outcome.kind == kind)
        if categories:
            print(f"\n{title}:")
        for category, number in categories.most_common(25):
            example = next(r for r in results if r.outcome.kind == kind and r.outcome.category == category)
            print(f"  {number:>5}  {category}   (e.g. --seed {example.seed} --level {example.level})")


def print_failures(results: list[Result], limit: int, plain: bool, refusals: bool) -> None:
    """The smallest program of each failure, one of each category of crash."""
    for r in results:
        if r.outcome.kind not in ALLOWED:
            print(f"{r.outcome.kind}: --seed {r.seed} --level {r.level}  {r.outcome.detail[:150]!r}", flush=True)
    shown: set[str] = set()
    with tempfile.TemporaryDirectory() as folder:
        for r in results:
            if (r.outcome.kind in ALLOWED and not (refusals and r.outcome.kind == "refused")) or len(shown) >= limit:
                continue
            category = r.outcome.kind + r.outcome.category
            if category in shown and r.outcome.kind != "WRONG":
                continue
            shown.add(category)
            text = smallest(r, pathlib.Path(folder), plain=plain)
            final = execution.compare(text, grammar.write_inputs(r.seed), pathlib.Path(folder), plain=plain)
            print(f"\n--- {r.outcome.kind}: --seed {r.seed} --level {r.level}")
            print(f"{text}\n=> {final.detail[-1500:]}", flush=True)


def main(argv: list[str] | None = None) -> int:
    """Exit code 1 when an answer was wrong, a crash or a timeout."""
    parser = argparse.ArgumentParser(prog="python -m tests.random_programs", description=__doc__)
    parser.add_argument("--count", type=int, default=2000, help="number of programs")
    parser.add_argument("--seed", type=int, default=0, help="number of the first program")
    parser.add_argument("--level", type=int, action="append", help="1 to 6; several in turns (default: all)")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--plain", action="store_true", help="compare on plain values instead of under ag.jit")
    parser.add_argument("--show", action="store_true", help="print the first program and stop")
    parser.add_argument("--failures", type=int, default=5, help="how many failures are made small and printed")
    parser.add_argument("--refusals", action="store_true", help="print the smallest program of refusals as well")
    options = parser.parse_args(argv)
    levels = tuple(options.level or (1, 2, 3, 4, 5, 6))
    if options.show:
        print(grammar.write_program(options.seed, levels[options.seed % len(levels)]))
        return 0
    begin = time.monotonic()
    results = list(search(options.seed, options.count, options.jobs, levels, options.plain))
    print_table(results, time.monotonic() - begin)
    print_failures(results, options.failures, options.plain, options.refusals)
    return 0 if all(r.outcome.kind in ALLOWED for r in results) else 1
