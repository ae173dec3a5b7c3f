"""Programs that do not give Python's answer yet, in one place: name -> what happens and why.

They run as strict expected failures: a program that starts to work must leave this list.
"""

import sys

_DEAD_CONTAINER = "refused: a container that only dead variables hold is joined all the same"

PENDING: dict[str, str] = {
    "found_by_search.closures_collected_beside_a_return": _DEAD_CONTAINER,
}

if sys.version_info >= (3, 13):
    _IDENTITY = "`==` of a dataclass asks `self is other` first since Python 3.13, and which object a chosen one is, is not known"
    PENDING["chosen_objects.compared_by_what_they_hold"] = _IDENTITY
    PENDING["frozen_dataclasses.equality_by_fields"] = _IDENTITY
