"""The errors for functions without a source: what the user can type instead, by where the function comes from.

>>> print(missing(compile("x", "<timed eval>", "eval")).instead)
define the function in a cell of its own, and time the call (`%timeit f(x)`)
"""

from __future__ import annotations

from types import CodeType

from autograph.errors import SourceError


def missing(code: CodeType) -> SourceError:
    """Makes the error for a code object whose source nobody kept."""
    name = code.co_qualname
    if code.co_filename == "<stdin>":
        instead = (
            "put the function into a file or a notebook, or type it into IPython or the prompt of Python 3.13, which keep "
            "the source"
        )
    elif code.co_filename.startswith("<frozen "):
        instead = "frozen modules have none: import the module from its file (`-X frozen_modules=off` for Python's own)"
    elif code.co_filename in ("<magic-timeit>", "<timed eval>"):  # of IPython
        instead = "define the function in a cell of its own, and time the call (`%timeit f(x)`)"
    elif code.co_filename.startswith("<"):
        instead = (
            "put the function into a file; code run by `exec` needs its source in `linecache.cache` under the file name "
            "given to `compile`"
        )
    else:
        instead = "make the .py file available beside the compiled one"
    return SourceError(
        f"cannot find the source of `{name}`",
        at=code,
        why="conversion works on the source of a function, and Python kept none for this file",
        instead=instead,
        page="no-source",
    )


def stale(code: CodeType) -> SourceError:
    """Makes the error for a code object that is not what its file compiles to."""
    if code.co_filename == "<string>":  # the name of every string that `exec` is given, and since 3.13 that of `python -c`
        return missing(code)
    return SourceError(
        f"the source of `{code.co_qualname}` is not what is running",
        at=code,
        why="the file was edited after it was imported, or something rewrote the function when it was imported",
        instead="import the module again (restart), or convert the function before it is rewritten",
        page="edited-source",
    )
