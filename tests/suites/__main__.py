"""Proof that conversion is invisible on plain values: other people's test suites say the same with it as without.

    python -m tests.suites                      all
    python -m tests.suites toolz attrs stdlib   some

Every suite runs three times: plain, with every function of its packages converted (the author's body), and with the
staged body forced (`AUTOGRAPH_ALWAYS_STAGE=1`). The outcome of every single test must be the same three times, and more
than 99 % of the functions must be converted. `stdlib` stands for CPython's own tests over the standard library.

Packages are installed, and their tests unpacked, in a folder that is made for the run and removed after it; `pip` needs
the network for them.
"""

import argparse
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MODES = ("plain", "converted", "staged")
SHARE = 99.0  # per cent of functions that must be converted
SECONDS = 1200  # for one suite in one mode: a machine may be busy
SITE = "site-packages"  # by its name, what lies there is library code, but for the package that the hook converts


@dataclass(frozen=True)
class Package:
    """A package of the registry whose source archive carries its tests.

    Args:
        version: pinned, so that the tests are the same each time.
        modules: what is converted.
        arguments: for pytest, in the folder of the unpacked archive.
        excepted: tests that the staged body cannot keep, with the reason.
    """

    version: str
    modules: str
    arguments: tuple[str, ...]
    excepted: Mapping[str, str] = field(default_factory=dict)


# What staged bodies cannot keep; see docs/what_it_changes.md.
FRAMES = "counts frames, by `sys._getframe` or in a traceback: a branch of a staged `if` is a function of its own"

LENGTHS = "puts a cache in the place of `len`, which the operators of staged code ask for the length of lists"
STDLIB_EXCEPTED = {
    "test.test_contextlib.TestExitStack.test_exit_exception_traceback": FRAMES,
    "test.test_contextlib_async.TestAsyncExitStack.test_exit_exception_traceback": FRAMES,
    "test.test_functools.TestLRUC.test_lru_reentrancy_with_len": LENGTHS,
    "test.test_functools.TestLRUPy.test_lru_reentrancy_with_len": LENGTHS,
    "test.test_traceback.TestStack.test_custom_format_frame": FRAMES,
    "test.test_traceback.TestStack.test_format_locals": FRAMES,
    # `typing` looks whether `abc` or `functools` called it
    "test.test_typing.ProtocolTests.test_isinstance_checks_not_at_whim_of_gc": FRAMES,
    "test.test_typing.ProtocolTests.test_none_treated_correctly": FRAMES,
    "test.test_typing.ProtocolTests.test_protocol_decorated_with_final_mixed_members": FRAMES,
    "test.test_typing.ProtocolTests.test_protocol_decorated_with_final_noncallable_members": FRAMES,
    "test.test_typing.ProtocolTests.test_protocols_isinstance_monkeypatching": FRAMES,
    "test.test_typing.ProtocolTests.test_protocols_isinstance_not_fooled_by_custom_dir": FRAMES,
    "test.test_typing.ProtocolTests.test_protocols_isinstance_properties_and_descriptors": FRAMES,
    "test.test_typing.ProtocolTests.test_protocols_isinstance_py36": FRAMES,
    "test.test_typing.ProtocolTests.test_protocols_issubclass_non_callable": FRAMES,
    "test.test_typing.ProtocolTests.test_protocols_support_register": FRAMES,
    # and which classes it asks depends on those that other tests left for the collector
    "test.test_typing.TypeIterationTests.test_is_not_instance_of_iterable": FRAMES,
}

PACKAGES = {
    # classes that are written by a decorator: closures over `__class__`, slots, pickling
    "attrs": Package("24.2.0", "attr,attrs", ("tests", "--ignore=tests/test_packaging.py")),
    # metaprogramming of every kind: namedtuples, tracebacks, caches, file-likes
    "boltons": Package(
        "24.1.0", "boltons", ("tests", "--noconftest"), {"tests/test_typeutils.py::test_sentinel_pickle": FRAMES}
    ),
    # caches with locks and decorators
    "cachetools": Package("5.5.0", "cachetools", ("tests",)),
    # a command line: decorators, contexts, exceptions as control flow
    "click": Package("8.1.7", "click", ("tests",)),
    # functional programming over everything iterable
    "funcy": Package("2.0", "funcy", ("tests",)),
    # text by rules, with type checks at run time
    "inflect": Package("7.4.0", "inflect", ("tests",)),
    # a compiler to Python: generated code, frames, async
    "jinja2": Package("3.1.4", "jinja2", ("tests",)),
    # walking of documents, by unittest
    "jsonpointer": Package("3.0.0", "jsonpointer", ("tests.py",)),
    # generators
    "more-itertools": Package("10.5.0", "more_itertools", ("tests",)),
    # a parser: operators, closures, recursion, exceptions
    "pyparsing": Package("3.2.0", "pyparsing", ("tests/test_simple_unit.py", "tests/test_util.py")),
    # text in columns
    "tabulate": Package("0.9.0", "tabulate", ("test",)),
    # currying and lazy sequences; its tests are part of the package and converted too
    "toolz": Package("1.0.0", "toolz,tlz", ("toolz/tests",)),
    # tables and bisection
    "wcwidth": Package("0.2.13", "wcwidth", ("tests",)),
}
NEEDED = ("whatever", "flit_core", "hatchling", "hatch-vcs", "hatch-fancy-pypi-readme", "setuptools", "wheel")
# The tests of CPython, and the modules under test.
STDLIB = {
    "test_argparse": "argparse",
    "test_base64": "base64",
    "test_bisect": "bisect",
    "test_cmd": "cmd",
    "test_codeop": "codeop",
    "test_configparser": "configparser",
    "test_contextlib": "contextlib",
    "test_contextlib_async": "contextlib",
    "test_copy": "copy",
    "test_csv": "csv",
    "test_dataclasses": "dataclasses",
    "test_difflib": "difflib",
    "test_enum": "enum",
    "test_fnmatch": "fnmatch",
    "test_fractions": "fractions",
    "test_functools": "functools",
    "test_glob": "glob",
    "test_graphlib": "graphlib",
    "test_htmlparser": "html,_markupbase",
    "test_http_cookies": "http.cookies",
    "test_inspect": "inspect",
    "test_ipaddress": "ipaddress",
    "test_json": "json",
    "test_linecache": "linecache",
    "test_mimetypes": "mimetypes",
    "test_minidom": "xml",
    "test_netrc": "netrc",
    "test_optparse": "optparse",
    "test_pathlib": "pathlib",
    "test_plistlib": "plistlib",
    "test_pprint": "pprint",
    "test_reprlib": "reprlib",
    "test_sched": "sched",
    "test_shelve": "shelve",
    "test_shlex": "shlex",
    "test_string": "string",
    "test_textwrap": "textwrap",
    "test_timeit": "timeit",
    "test_traceback": "traceback",
    "test_typing": "typing",
    "test_urlparse": "urllib.parse",
    "test_uuid": "uuid",
    "test_wsgiref": "wsgiref",
}


@dataclass(frozen=True)
class Run:
    """One suite in one mode: the outcome of every test, and what was printed."""

    outcomes: dict[str, str]
    printed: str
    seconds: float

    @property
    def share(self) -> str:
        """What the report of the hook begins with."""
        found = re.search(r"^([\d.]+) %: (\d+ of \d+ functions converted in \d+ modules?)", self.printed, re.MULTILINE)
        return f"{found[1]} %: {found[2]}" if found else ""


def run(command: list[str], folder: Path, name: str, mode: str, path: str) -> Run:
    """Runs a suite in a process of its own."""
    outcomes = folder / f"{name}.{mode}.json"
    environment = {**os.environ, "PYTHONPATH": path, "OUTCOMES": str(outcomes), "PYTHONHASHSEED": "0"}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    environment["AUTOGRAPH_ALWAYS_STAGE"] = "1" if mode == "staged" else ""
    where = folder / name if name in PACKAGES else folder
    began = time.perf_counter()
    printed = folder / f"{name}.{mode}.txt"
    with printed.open("w") as file:
        subprocess.run(
            command, cwd=where, env=environment, stdin=subprocess.DEVNULL, stdout=file, stderr=file, timeout=SECONDS
        )
    found = json.loads(outcomes.read_text()) if outcomes.exists() else {}
    return Run(found, printed.read_text(errors="replace"), time.perf_counter() - began)


def run_package(name: str, mode: str, folder: Path) -> Run:
    """The tests of a package."""
    package = PACKAGES[name]
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "autograph_pytest",
        "-p",
        "outcomes",
        "-p",
        "no:cacheprovider",
    ]
    command += ["-o", "addopts=", "-W", "ignore::DeprecationWarning", *package.arguments]
    if mode != "plain":
        command.append(f"--autograph-packages={package.modules}")
    return run(command, folder, name, mode, os.pathsep.join([str(folder / SITE), str(HERE), str(ROOT)]))


def run_stdlib(mode: str, folder: Path) -> Run:
    """The tests of CPython."""
    command = [sys.executable, str(HERE / "stdlib.py"), "plain" if mode == "plain" else "converted"]
    return run(
        [*command, *(f"{test}={modules}" for test, modules in STDLIB.items())], folder, "stdlib", mode, str(ROOT)
    )


def fetch(names: list[str], folder: Path) -> None:
    """Installs packages below `folder`, and unpacks their source archives."""
    pinned = [f"{name}=={PACKAGES[name].version}" for name in names]
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--target", str(folder / SITE), *pinned, *NEEDED], check=True)
    # Their build tools are installed already: one environment for each archive would take most of the time.
    archives = ["--no-deps", "--no-build-isolation", "--no-binary", ",".join(names), "--dest", str(folder / "archives")]
    environment = {**os.environ, "PYTHONPATH": str(folder / SITE)}
    subprocess.run([*pip, "download", *archives, *pinned], check=True, env=environment)
    for name in names:
        version = PACKAGES[name].version
        archive = next(p for p in (folder / "archives").iterdir() if _is_archive_of(p.name, name, version))
        with tarfile.open(archive) as file:
            file.extractall(folder / "unpacked", filter="data")
        shutil.move(folder / "unpacked" / archive.name.removesuffix(".tar.gz"), folder / name)


def _is_archive_of(file: str, name: str, version: str) -> bool:
    return re.sub(r"[-_.]+", "-", file) == re.sub(r"[-_.]+", "-", f"{name}-{version}.tar.gz")


def differences(plain: Run, other: Run, excepted: Mapping[str, str]) -> list[str]:
    """The tests whose outcome is another one, without those that are excepted."""
    names = sorted(plain.outcomes.keys() | other.outcomes.keys())
    return [
        f"{name}: {plain.outcomes.get(name)} plain, {other.outcomes.get(name)} here"
        for name in names
        if plain.outcomes.get(name) != other.outcomes.get(name) and name not in excepted
    ]


def problems(name: str, runs: Mapping[str, Run]) -> list[str]:
    """What is wrong with a suite; empty when nothing is."""
    plain = runs["plain"]
    found = (
        []
        if sum(o == "passed" for o in plain.outcomes.values()) > 10
        else [f"plain: hardly any test passes\n{plain.printed}"]
    )
    excepted = PACKAGES[name].excepted if name in PACKAGES else STDLIB_EXCEPTED
    for mode in MODES[1:]:
        run = runs[mode]
        wrong = differences(plain, run, excepted if mode == "staged" else {})
        if wrong:
            found.append("\n    ".join([f"{mode}: {len(wrong)} tests differ", *wrong[:40]]))
        if not run.share or float(run.share.partition(" ")[0]) < SHARE:
            found.append(f"{mode}: converted {run.share or 'nothing'}")
    return found


def main() -> int:
    """Runs what is asked for; 0 when every outcome is the same."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.suites", description="Suites of others, plain and converted."
    )
    parser.add_argument("suites", nargs="*", help=f"some of: {', '.join([*PACKAGES, 'stdlib'])}; all by default")
    parser.add_argument("--show", action="store_true", help="what each run printed")
    given = parser.parse_args()
    chosen = given.suites or [*PACKAGES, "stdlib"]
    packages = [name for name in chosen if name in PACKAGES]
    failed = False
    with tempfile.TemporaryDirectory() as temporary, ThreadPoolExecutor(os.cpu_count()) as pool:
        folder = Path(temporary)
        futures = {}
        if "stdlib" in chosen:
            if importlib.util.find_spec("test.test_textwrap") is None:
                print("stdlib: this Python comes without its tests: left out")
                chosen.remove("stdlib")
            else:
                futures |= {("stdlib", mode): pool.submit(run_stdlib, mode, folder) for mode in reversed(MODES)}
        if packages:
            fetch(packages, folder)
        futures |= {(name, mode): pool.submit(run_package, name, mode, folder) for name in packages for mode in MODES}
        for name in chosen:
            runs = {mode: futures[name, mode].result() for mode in MODES}
            tests = len(runs["plain"].outcomes)
            seconds = ", ".join(f"{mode} {run.seconds:.0f} s" for mode, run in runs.items())
            wrong = problems(name, runs)
            print(
                f"{name}: {tests} tests, {seconds}; {runs['converted'].share}: {'different' if wrong else 'the same'}"
            )
            for problem in wrong:
                print(f"  {problem}")
            if given.show:
                for mode, run in runs.items():
                    print(f"--- {name} {mode}\n{run.printed}")
            failed = failed or bool(wrong)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
