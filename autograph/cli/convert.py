"""`autograph convert`: whole files, to stdout, to other files, or in place."""

import argparse
import difflib
import errno
import functools
import io
import multiprocessing
import os
import sys
import traceback
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from autograph.cli import terminal
from autograph.errors import AutoGraphError
from autograph.modules import module_conversion, notebook_conversion
from autograph.modules.atomic_write import replace_file
from autograph.modules.module_source import InvalidSource

DESCRIPTION = """\
Write a module whose functions are converted: it imports autograph.runtime and runs by itself, with the same names,
decorators and docstrings. Source outside the functions stays byte for byte."""
EPILOG = """\
One file without -o goes to stdout; "-" reads stdin. A directory needs -o DIR or --in-place; its *.py files are taken,
but not those in hidden directories and virtual environments. Of a notebook (*.ipynb) the code cells
are converted. A file that is already converted is left as it is.
Nothing is written for a file that fails; the other files go on.

exit code: 0 done; 1 --check found a file that would change; 2 wrong usage, or a file failed"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `convert`."""
    parser.epilog, parser.formatter_class = EPILOG, argparse.RawDescriptionHelpFormatter
    parser.add_argument("paths", nargs="+", metavar="PATH", help='files and directories, or "-" for stdin')
    parser.add_argument("-o", "--output", metavar="FILE|DIR|-", help="where to write")
    parser.add_argument("--in-place", action="store_true", help="replace the files themselves")
    parser.add_argument("--force", action="store_true", help="replace files that are read-only, too")
    parser.add_argument("--diff", action="store_true", help="print what would change; write no file")
    parser.add_argument("--check", action="store_true", help="exit 1 if a file would change; write no file")
    parser.add_argument("--functions", metavar="a,b", help="convert only these: f, Class, Class.method")
    parser.add_argument("--stdin-filename", metavar="N", default="<stdin>", help="the name of stdin in messages")
    parser.add_argument("-j", "--jobs", metavar="N", type=int, default=1, help="processes; 0: one per core (default 1)")
    volume = parser.add_mutually_exclusive_group()
    volume.add_argument("-q", "--quiet", action="store_true", help="only errors on stderr")
    volume.add_argument("-v", "--verbose", action="store_true", help="a line for every file on stderr")


@dataclass(frozen=True)
class Task:
    """One file: where it comes from (None: stdin), its name in messages, where it goes (None: stdout)."""

    source: Path | None
    name: str
    target: Path | None


@dataclass(frozen=True)
class Outcome:
    """What became of one file: its bytes before and after and what was done, or the error."""

    before: bytes = b""
    conversion: module_conversion.Conversion | None = None
    error: str = ""


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns the exit code."""
    refuse = arguments.command_parser.error
    names = _function_names(arguments)
    try:
        tasks = plan(arguments.paths, arguments)
    except UsageError as error:
        refuse(str(error))
    progress = terminal.Progress(len(tasks), shown=len(tasks) > 1 and not arguments.quiet)
    counts = {"converted": 0, "unchanged": 0, "failed": 0}
    with _outcomes(tasks, names, arguments.jobs, arguments.verbose) as outcomes:
        if names is not None:  # nothing is written when a name is misspelt
            outcomes = list(outcomes)
            found = frozenset[str]().union(*(o.conversion.selected for o in outcomes if o.conversion))
            if names - found and all(outcome.conversion for outcome in outcomes):
                refuse(f"no function named {', '.join(sorted(names - found))}")
        for task, outcome in zip(tasks, outcomes, strict=True):
            counts[_finish(task, outcome, arguments, progress, alone=len(tasks) == 1)] += 1
            progress.advance(task.name)
    progress.clear()
    if len(tasks) != 1 and not arguments.quiet:
        verb = "would be converted" if arguments.check or arguments.diff else "converted"
        failed = f", {counts['failed']} failed" if counts["failed"] else ""
        print(f"{counts['converted']} {verb}, {counts['unchanged']} unchanged{failed}", file=sys.stderr)
    if counts["failed"]:
        return 2
    return int(arguments.check and counts["converted"] > 0)


class UsageError(Exception):
    """The arguments contradict each other or name nothing."""


def _function_names(arguments: argparse.Namespace) -> frozenset[str] | None:
    if arguments.functions is None:
        return None
    names = frozenset(name.strip() for name in arguments.functions.split(",")) - {""}
    if not names:
        arguments.command_parser.error("--functions needs a name")
    return names


def plan(paths: list[str], arguments: argparse.Namespace) -> list[Task]:
    """Returns the files to read and where each goes, before anything is written.

    Raises:
        UsageError: when a target is missing, ambiguous, or shared by two files.
    """
    dry = arguments.check or arguments.diff
    output: str | None = arguments.output
    if arguments.in_place and output is not None:
        raise UsageError("--in-place and -o exclude each other")
    if arguments.jobs < 0:
        raise UsageError("-j takes a number of processes, or 0 for one per core")
    if "-" in paths:
        if len(paths) > 1 or arguments.in_place:
            raise UsageError('"-" (stdin) stands alone and has no place to be replaced in')
        target = None if dry or output in (None, "-") else Path(str(output))
        return [Task(None, arguments.stdin_filename, target)]
    many = len(paths) > 1 or os.path.isdir(paths[0])
    if many and not (dry or arguments.in_place or output):
        raise UsageError("several files need -o DIR or --in-place")
    if many and output == "-":
        raise UsageError("several files cannot go to stdout")
    if many and output and os.path.exists(output) and not os.path.isdir(output):
        raise UsageError(f"{output} is not a directory")
    tasks: dict[Path, Task] = {}
    targets: dict[Path, str] = {}
    for path in paths:
        for source, relative in python_files(Path(path), output):
            if dry or (output in (None, "-") and not arguments.in_place):
                target = None
            elif arguments.in_place:
                target = source
            elif many or os.path.isdir(str(output)) or str(output).endswith(os.sep):
                target = Path(str(output)) / relative
            else:
                target = Path(str(output))
            if tasks.setdefault(source.resolve(), task := Task(source, str(source), target)) is not task:
                continue  # named twice
            if target and targets.setdefault(target.resolve(), str(source)) != str(source):
                raise UsageError(f"{targets[target.resolve()]} and {source} would both become {target}")
    return list(tasks.values())


def python_files(path: Path, output: str | None = None) -> Iterator[tuple[Path, Path]]:
    """Yields the file, or the Python files under the directory, each with its place below -o DIR."""
    if not path.is_dir():
        yield path, Path(path.name)
        return
    avoided = os.path.realpath(output) if output else None  # a run before this one may have written into the tree
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not _is_avoided(os.path.join(folder, name), avoided))
        for name in sorted(names):
            if name.endswith(".py"):
                source = Path(folder, name)
                yield source, source.relative_to(path)


def _is_avoided(folder: str, output: str | None) -> bool:
    name = os.path.basename(folder)
    return (
        name.startswith(".")
        or name == "__pycache__"
        or os.path.exists(os.path.join(folder, "pyvenv.cfg"))
        or (output is not None and os.path.realpath(folder) == output)
    )


@contextmanager
def _outcomes(tasks: list[Task], names: frozenset[str] | None, jobs: int, verbose: bool) -> Iterator[Iterable[Outcome]]:
    """Yields the outcomes in the order of the tasks, computed in `jobs` processes."""
    jobs = min(jobs or os.cpu_count() or 1, len(tasks))
    work = functools.partial(convert_file, names=names, verbose=verbose)
    if jobs <= 1:
        yield map(work, tasks)
        return
    # Fresh processes: JAX has threads in this one, and a fork of those may hang.
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        try:
            yield pool.map(work, tasks)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _standard_input() -> bytes:
    if sys.stdin is None:  # as Python starts where it is closed
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    return sys.stdin.buffer.read()


def convert_file(task: Task, names: frozenset[str] | None, verbose: bool = False) -> Outcome:
    """Reads and converts one file. Writes nothing and raises nothing that concerns only this file."""
    try:
        raw = task.source.read_bytes() if task.source else _standard_input()
        is_notebook = task.name.endswith(notebook_conversion.SUFFIX)
        convert = notebook_conversion.convert_notebook if is_notebook else module_conversion.convert_module
        return Outcome(raw, convert(raw, task.name, names))
    except OSError as error:
        return Outcome(error=f"{task.name}: cannot read: {error.strerror or error}")
    except (InvalidSource, AutoGraphError) as error:
        return Outcome(error=str(error))
    except Exception as error:  # one file's failure is no reason to lose the others
        details = traceback.format_exc().rstrip() if verbose else f"{type(error).__name__}: {error} (more with -v)"
        return Outcome(error=f"{task.name}: autograph failed, please report this: {details}")


def _finish(
    task: Task, outcome: Outcome, arguments: argparse.Namespace, progress: terminal.Progress, *, alone: bool
) -> str:
    """Writes, shows or counts one result; returns which count it belongs to."""
    if outcome.conversion is None:
        progress.say(outcome.error)
        return "failed"
    conversion = outcome.conversion
    if conversion.already_converted and (arguments.verbose or (alone and not arguments.quiet)):
        progress.say(f"{task.name}: already converted, left as it is")
    changed = conversion.output != outcome.before
    if arguments.diff:
        if changed:
            progress.clear()
            _print_diff(task.name, outcome.before, conversion)
    elif not arguments.check and not (arguments.in_place and not changed):
        try:
            _write(task, conversion.output, arguments.force)
        except OSError as error:
            progress.say(f"{task.target}: cannot write: {error.strerror or error}")
            return "failed"
    if arguments.verbose and not conversion.already_converted:
        progress.say(f"{task.name}: {_summary(conversion)}")
    elif arguments.check and changed and not arguments.quiet:
        progress.say(f"{task.name}: would be converted")
    return "converted" if changed else "unchanged"


def _summary(conversion: module_conversion.Conversion) -> str:
    names = conversion.converted
    if not names:
        return "nothing to convert"
    return f"converted {len(names)} function{'s' * (len(names) > 1)}: {', '.join(names)}"


def _write(task: Task, output: bytes, force: bool) -> None:
    if task.target is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(output)
        sys.stdout.buffer.flush()
        return
    if task.source is not None and task.target.name == task.source.name:
        task.target.parent.mkdir(parents=True, exist_ok=True)
    if not force and task.target.is_file() and not task.target.stat().st_mode & 0o222:
        raise PermissionError(errno.EACCES, "it is read-only (--force replaces it)")
    replace_file(task.target, output, mode_of=task.source)


def _print_diff(name: str, before: bytes, conversion: module_conversion.Conversion) -> None:
    # Lines end at \n alone here; str.splitlines would also split at form feeds, inside the user's lines.
    old, new = (list(io.StringIO(text.decode(conversion.encoding))) for text in (before, conversion.output))
    lines: Iterable[str] = difflib.unified_diff(old, new, f"{name}\toriginal", f"{name}\tconverted")
    if terminal.wants_color(sys.stdout):
        lines = terminal.colored_diff(lines)
    for line in lines:
        sys.stdout.write(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n")
