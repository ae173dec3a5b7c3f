"""Programs that do not give Python's answer yet, in one place: name -> what happens and why.

They run as strict expected failures: a program that starts to work must leave this list.
"""

_DEAD_CONTAINER = "refused: a container that only dead variables hold is joined all the same"

PENDING: dict[str, str] = {
    "found_by_search.iterator_left_by_traced_break": "wrong: a shared iterator is used up by a loop that a traced jump ends",
    "found_by_search.generator_with_effects_left_by_traced_break": "wrong: the generator runs on after a traced jump",
    "found_by_search.order_of_ordered_dict": "wrong: the order of an OrderedDict differs between the arms",
    "found_by_search.raise_after_return_in_try": "run-time error: a conditional `raise` is not caught by `except`",
    "found_by_search.list_grows_after_early_return": _DEAD_CONTAINER,
    "found_by_search.closures_collected_beside_a_return": _DEAD_CONTAINER,
    "found_by_search.dict_filled_after_early_return": _DEAD_CONTAINER,
}
