"""Programs that do not give Python's answer yet, in one place: name -> what happens and why.

They run as strict expected failures: a program that starts to work must leave this list.
"""

_IMPLICIT = (
    "a traced `if` in a method that Python calls implicitly raises JAX's TracerBoolConversionError at the user's line: "
    "no call expression stands there to convert. Decorated with `ag.convert`, the method works"
)

PENDING: dict[str, str] = {
    "classes.property_": _IMPLICIT,
    "classes.operator_method": _IMPLICIT,
}
