"""What a region wrote to the heap, once it is over (see `journal`).

>>> place = ContentsLocation([1])
>>> Written(place, before=[1], after=[1, 2]).is_change(), Written(place, before=[1], after=[1]).is_change()
(True, False)
"""

from __future__ import annotations

from typing import Any

from autograph.runtime.tracing.variables import UNSET
from autograph.runtime.values.locations import NAMED, WHOLES, ContentsLocation, same_contents


class Written:
    """What a region did to one location: what stood there before and after.

    `by_library`: nothing of the user's wrote it. `note`: the attribute in which a framework keeps notes where
    it stands, else empty (see `library_notes`).
    """

    __slots__ = ("after", "before", "by_library", "location", "note")

    def __init__(self, location: Any, before: Any, after: Any, by_library: bool = False) -> None:
        self.location = location
        self.by_library = by_library
        self.note = ""
        self.before = before
        self.after = after

    def is_change(self) -> bool:
        """Whether anything was written after all. A name that refers to an equal copy now is a change: it has no alias."""
        if isinstance(self.location, WHOLES):
            return not same_contents(self.before, self.after)
        return self.before is not self.after


def in_one_way(first: list[Written], second: list[Written]) -> None:
    """Where one of two branches wrote a dict as a whole and the other a name in it, both wrote the dict."""
    wholes = {
        id(w.location.obj)
        for w in (*first, *second)
        if isinstance(w.location, ContentsLocation) and isinstance(w.location.obj, dict)
    }
    for written in (first, second) if wholes else ():
        found: dict[int, Written] = {}
        for w in list(written):
            if isinstance(w.location, NAMED) and id(names := w.location.names()) in wholes:
                written.remove(w)
                if id(names) not in found:
                    whole = ContentsLocation(names)
                    found[id(names)] = Written(whole, whole.get(), whole.get())
                if w.after is UNSET:
                    found[id(names)].after.pop(w.location.attribute, None)
                else:
                    found[id(names)].after[w.location.attribute] = w.after
        written.extend(found.values())
