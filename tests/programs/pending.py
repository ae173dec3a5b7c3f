"""Programs that do not give Python's answer yet, in one place: name -> what happens and why.

They run as strict expected failures: a program that starts to work must leave this list.
"""

_DEAD_CONTAINER = "refused: a container that only dead variables hold is joined all the same"

PENDING: dict[str, str] = {
    "found_by_search.closures_collected_beside_a_return": _DEAD_CONTAINER,
}
