"""Variables and attributes that are read before they have a value, in a branch or a loop where another iteration may write them.

>>> import autograph as ag
>>> class Box: ...
>>> def f(n):
...     box = Box()
...     for i in ag.range(n):
...         if i > 2:
...             print(box.last)
...         box.last = i
>>> try: ag.jit(f)(5)
... except ag.StagingError as error: print(str(error).splitlines()[0])
attribute 'last' of a Box has no value when a branch in a loop reads it
"""

from __future__ import annotations

from itertools import chain
from types import FunctionType

from autograph.code.registry import attributes_set_in
from autograph.runtime.heap import journal
from autograph.runtime.tracing import context
from autograph.runtime.tracing.refusals import a, quoted, refusal
from autograph.runtime.values.kinds import is_written
from autograph.runtime.values.locations import AttributeLocation, is_read_untested

READ_FIRST = "a branch reads it, one compiled iteration serves every iteration, and when the loop begins there is nothing to read"


def is_read(name: str | None) -> str:
    """What is noted of a variable that a branch reads while no iteration has bound it."""
    return f"{name} is read"


def note_unset(error: BaseException | None) -> None:
    """Notes that the program was shown that an attribute or a variable has no value; another iteration of a loop may write it."""
    if isinstance(error, AttributeError) and is_written(type(error.obj)):
        name = AttributeLocation(error.obj, str(error.name)).name
    elif isinstance(error, UnboundLocalError):
        name = str(error.name)
    else:
        return
    for region in context.open_regions():
        if region.is_loop:
            region.skipped.add(is_read(name))


def is_set_elsewhere(error: BaseException) -> bool:
    """Whether an object lacks an attribute that its methods or functions that ran assign, and no staged loop is around the read."""
    if not isinstance(error, AttributeError) or journal.in_loop() or not is_written(type(error.obj)) or is_read_untested(error):
        return False
    members = chain.from_iterable(vars(base).values() for base in type(error.obj).__mro__[:-1])
    ran = () if context.progress.reach is None else context.progress.reach.codes
    codes = chain((member.__code__ for member in members if type(member) is FunctionType), ran)
    return any(error.name in attributes_set_in(code) for code in codes)


def refuse_to_read_unset(error: BaseException) -> None:
    """Refuses an attribute that is read in one branch inside a loop and has no value yet: another iteration may write it.

    Raises:
        StagingError: names the attribute and the line that reads it.
    """
    if isinstance(error, AttributeError) and is_written(type(error.obj)) and journal.in_loop() and not is_read_untested(error):
        name = quoted(str(error.name))
        raise refusal(
            f"attribute {name} of {a(type(error.obj).__qualname__)} has no value when a branch in a loop reads it",
            why=READ_FIRST.partition(", ")[2],
            instead="write it once before the loop",
            page="attribute-read-in-a-loop",
        ) from error
