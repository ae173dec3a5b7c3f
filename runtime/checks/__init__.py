"""Checks of the compiled program, exceptions, and the handlers that would catch them."""

from typing import TYPE_CHECKING

from autograph import first_use

if TYPE_CHECKING:
    from autograph.runtime.checks.runtime_checks import RunTimeCheckError as RunTimeCheckError
else:
    __getattr__ = first_use.attributes(
        __name__, {"RunTimeCheckError": "autograph.runtime.checks.runtime_checks:RunTimeCheckError"}.get
    )
