"""The operators of generated code, conventionally `ag__`; all of them are imported with the first that is used."""

from typing import TYPE_CHECKING

from autograph import first_use

if TYPE_CHECKING:
    from autograph.runtime.generated_names import *  # noqa: F403  # each of them is listed there
else:
    __getattr__ = first_use.attributes(__name__, lambda name: f"autograph.runtime.generated_names:{name}")
