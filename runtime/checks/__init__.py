"""Checks of the compiled program, exceptions, and the handlers that would catch them."""

from autograph.runtime.checks.runtime_checks import RunTimeCheckError as RunTimeCheckError
