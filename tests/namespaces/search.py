"""All programs, or those of some names: a table of outcomes, and what differs, grouped by name."""

from __future__ import annotations

import argparse
import collections
import os
import queue
import textwrap
import time
from collections.abc import Iterator, Sequence
from multiprocessing.pool import ThreadPool

from tests.namespaces import comparison, programs
from tests.random_programs.execution import Outcome
from tests.random_programs.search import QUICK
from tests.random_programs.workers import Worker

PATIENCE = 20
KINDS = ("same", "refused", "error both", "documented", "different", "error missing", "raw", "timeout", "crash")


def chosen(names: Sequence[str]) -> list[programs.Program]:
    """The programs of these names: `np.clip`, or a namespace with all its names (`np.linalg`); without names all."""
    found = programs.written()
    return [p for p in found if not names or any(p.name == n or p.name.startswith(f"{n}.") for n in names)]


def search(found: Sequence[programs.Program], x64: bool, jobs: int) -> Iterator[tuple[programs.Program, Outcome]]:
    """Compares the programs in `jobs` processes."""
    workers = [Worker(PATIENCE, comparison.compare) for _ in range(jobs)]
    free: queue.SimpleQueue[Worker] = queue.SimpleQueue()
    for worker in workers:
        free.put(worker)

    def run(program: programs.Program) -> tuple[programs.Program, Outcome]:
        worker = free.get()
        try:
            return program, worker.compare(program.source, program.name, x64=x64)
        finally:
            free.put(worker)

    try:
        with ThreadPool(jobs) as pool:
            yield from pool.imap(run, found)
    finally:
        for worker in workers:
            worker.stop()


def main(argv: list[str] | None = None) -> int:
    """Exit code 1 where an answer was different, an error missing or raw."""
    parser = argparse.ArgumentParser(prog="python -m tests.namespaces", description=__doc__)
    parser.add_argument("--only", nargs="+", default=[], help="names: np.clip, np.linalg, view.m, ...")
    parser.add_argument("--program", help="one program instead: an expression, or statements with a return")
    parser.add_argument("--x64", action="store_true", help="with 64 bits")
    parser.add_argument("--count", action="store_true", help="say how many programs there are, by namespace")
    parser.add_argument("--all", action="store_true", help="print every outcome, refusals too")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args(argv)
    found = chosen(options.only)
    if options.program:
        found = [programs.Program("program", programs.body_of(options.program.replace("\\n", "\n")))]
    if options.count:
        for name, count in collections.Counter(p.name.rpartition(".")[0] for p in found).most_common():
            print(f"{count:>6} {name}")
        print(f"{len(found):>6} programs")
        return 0
    os.environ["XLA_FLAGS"] = f"{QUICK} {os.environ.get('XLA_FLAGS', '')}"  # read when the first program is compiled
    os.environ["JAX_DISABLE_MOST_OPTIMIZATIONS"] = "1"
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    begin, counts = time.monotonic(), collections.Counter[str]()
    for program, outcome in search(found, options.x64, min(options.jobs, len(found))):
        counts[outcome.kind] += 1
        if options.program:
            print(f"{outcome.kind}: {outcome.detail}")
        elif outcome.kind not in comparison.ALLOWED or options.all:
            print(outcome.kind, program.name, repr(program.body), _line(outcome.detail), sep="\t", flush=True)
    print(", ".join(f"{counts[kind]} {kind}" for kind in KINDS if counts[kind]), end="; ")
    print(f"{len(found)} programs, {time.monotonic() - begin:.0f} s")
    return 0 if all(kind in comparison.ALLOWED for kind in counts) else 1


def _line(detail: str) -> str:
    """The two answers on one line, neither longer than needed to see them."""
    return "  ->  ".join(textwrap.shorten(part, 200, placeholder=" ...") for part in detail.split("\n->", 1))
