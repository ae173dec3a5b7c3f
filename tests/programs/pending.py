"""Programs that do not give Python's answer yet, in one place: name -> what happens and why.

They run as strict expected failures: a program that starts to work must leave this list.
"""

_NATIVE_SYNTAX = "wrong: user code run by native syntax (an operator, a getter, a protocol) is not seen by the journal"
_NOT_CONVERTED = "JAX's own error: an `if` on a traced value inside user code that native syntax runs"
_DEAD_CONTAINER = "refused: a container that only dead variables hold is joined all the same"

PENDING: dict[str, str] = {
    "classes.property_": _NOT_CONVERTED,
    "classes.operator_method": _NOT_CONVERTED,
    "found_by_search.iterator_that_writes": _NATIVE_SYNTAX,
    "found_by_search.getter_that_writes": _NATIVE_SYNTAX,
    "found_by_search.operator_that_writes": _NATIVE_SYNTAX,
    "found_by_search.unary_operator_that_writes": _NATIVE_SYNTAX,
    "found_by_search.comparison_that_writes": _NATIVE_SYNTAX,
    "found_by_search.len_and_truth_that_write": _NATIVE_SYNTAX,
    "found_by_search.subscript_and_membership_that_write": _NATIVE_SYNTAX,
    "found_by_search.format_that_writes": _NATIVE_SYNTAX,
    "found_by_search.writes_through_dict_of_object": "wrong: `obj.__dict__[k] = v` and `obj.k = v` are two locations",
    "found_by_search.raise_after_return_in_try": "run-time error: a conditional `raise` is not caught by `except`",
    "found_by_search.list_grows_after_early_return": _DEAD_CONTAINER,
    "found_by_search.closures_collected_beside_a_return": _DEAD_CONTAINER,
    "found_by_search.dict_filled_after_early_return": _DEAD_CONTAINER,
}
