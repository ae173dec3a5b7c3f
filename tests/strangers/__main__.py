"""A second source of programs: functions of public packages, called as their docstrings call them.

    python -m tests.strangers --folder DIR                  all packages, installed there if they are not
    python -m tests.strangers --folder DIR fluids --count 50

Every call runs plain and under `ag.jit`, in double precision: with all numbers traced, with lists of numbers as traced
arrays, with floats traced and integers static. The answer must be the same, or be refused by an error of ours. Nothing of
the packages is kept in the repository.
"""

import argparse
import collections
import json
import os
import selectors
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
INSTALLED = {
    "fluids": "fluids==1.3.1", "ht": "ht==1.2.0", "chemicals": "chemicals==1.5.2", "thermo": "thermo==0.6.1",
    "labmath": "labmath==2.2.0", "primefac": "primefac==2.0.12", "more_itertools": "more-itertools==11.2.1",
    "algorithms": "algorithms==1.0.1", "mpmath": "mpmath==1.4.1", "haversine": "haversine==2.9.0",
    "astral": "astral==3.2",
}  # fmt: skip
STDLIB = ("statistics", "colorsys", "fractions", "textwrap", "calendar", "bisect", "heapq")
SECONDS = 240  # for one way of one call: what does not end is killed


def install(folder: Path, names: list[str]) -> None:
    """Puts the packages into a folder whose name is not that of installed packages: what lies there is converted."""
    missing = [INSTALLED[name] for name in names if name in INSTALLED and not (folder / name).exists()]
    missing = [item for item in missing if not (folder / f"{item.partition('==')[0]}.py").exists()]
    if missing:
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder), *missing]
        subprocess.run(command, check=True)


def run(folder: Path, package: str, count: int, each: int) -> list[dict[str, Any]]:
    """The outcomes of a package's cases; a process that does not end is killed, and another goes on behind the case."""
    flags = "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true"
    environment = os.environ | {
        "PYTHONPATH": f"{ROOT}{os.pathsep}{folder}", "JAX_PLATFORMS": "cpu", "JAX_ENABLE_X64": "1", "XLA_FLAGS": flags,
    }  # fmt: skip
    outcomes: list[dict[str, Any]] = []
    start = 0
    while start < count:
        command = [sys.executable, "-m", "tests.strangers.running", package, str(start), str(count), str(each)]
        worker = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert worker.stdout is not None
        last: dict[str, Any] | None = None
        with selectors.DefaultSelector() as selector:
            selector.register(worker.stdout, selectors.EVENT_READ)
            while selector.select(SECONDS) and (line := worker.stdout.readline()):
                if line.startswith(b"{"):  # packages print as well
                    last = json.loads(line)
                    if "kind" in last:
                        outcomes.append(last)
        if last is None or ("kind" in last and worker.poll() == 0) or worker.wait(1) == 0:
            return outcomes
        worker.kill()
        outcomes.append({**last, "kind": "timeout", "why": "killed"})
        start = last["index"] + 1
    return outcomes


def main() -> int:
    """Prints what differs, a table, and the refusals by class; returns 1 if an answer is wrong or an error not ours."""
    parser = argparse.ArgumentParser(prog="python -m tests.strangers", description=__doc__)
    parser.add_argument("packages", nargs="*", default=[*INSTALLED, *STDLIB])
    parser.add_argument("--folder", type=Path, required=True, help="where the packages are installed")
    parser.add_argument("--count", type=int, default=10_000, help="functions of a package")
    parser.add_argument("--each", type=int, default=1, help="calls of a function")
    parser.add_argument("--report", type=Path, help="a file for the outcomes, a line of JSON each")
    given = parser.parse_args()
    install(given.folder, given.packages)
    outcomes = []
    for package in given.packages:
        found = run(given.folder.resolve(), package, given.count, given.each)
        outcomes += found
        kinds = collections.Counter(item["kind"] for item in found)
        print(f"{package:16} {len({item['name'] for item in found}):5} functions  {dict(kinds)}", flush=True)
        if given.report is not None:
            with given.report.open("a", encoding="utf-8") as file:
                file.writelines(json.dumps(item) + "\n" for item in found)
    table(outcomes)
    return int(any(item["kind"] in ("WRONG", "error", "timeout") for item in outcomes))


def table(outcomes: list[dict[str, Any]]) -> None:
    """Prints outcomes by way, refusals by class, and every answer that is neither the same nor refused."""
    print(f"\n{'traced':10}", *(f"{kind:>9}" for kind in KINDS))
    for way in sorted({item["way"] for item in outcomes}):
        kinds = collections.Counter(item["kind"] for item in outcomes if item["way"] == way)
        print(f"{way:10}", *(f"{kinds[kind]:9}" for kind in KINDS))
    refused: dict[str, set[str]] = {}
    for item in outcomes:
        if item["kind"] == "refused":
            refused.setdefault(" | ".join(item["why"].split(" | ")[:2]), set()).add(item["name"])
    print("\nrefusals, by the number of functions:")
    for why, names in sorted(refused.items(), key=lambda pair: -len(pair[1])):
        print(f"{len(names):5}  {why}  (e.g. {min(names)})")
    for item in outcomes:
        if item["kind"] in ("WRONG", "error", "timeout"):
            print(f"\n{item['kind']}: {item['name']}, {item['way']}: {item['why'][:600]}")


KINDS = ("same", "refused", "WRONG", "error", "timeout", "skip")

if __name__ == "__main__":
    sys.exit(main())
