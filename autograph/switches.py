"""Switches in the environment: `AUTOGRAPH_DEBUG`, `AUTOGRAPH_ALWAYS_STAGE`, `AUTOGRAPH_CHECKS`, `AUTOGRAPH_UNROLL_BELOW`,
`AUTOGRAPH_VERBOSITY`.

>>> means_on("1"), means_on("true"), [means_on(text) for text in ("0", "False", "no", "off", "")]
(True, True, [False, False, False, False, False])
"""

from __future__ import annotations

import os

_OFF = frozenset({"", "0", "false", "no", "off"})


def means_on(text: str) -> bool:
    """Whether the value of a switch turns it on."""
    return text.strip().lower() not in _OFF


def is_on(name: str, default: bool = False) -> bool:
    """Whether a switch is on.

    Args:
        name: of the variable.
        default: what holds where it is not set. Set to nothing it is off.
    """
    text = os.environ.get(name)
    return default if text is None else means_on(text)


def level(name: str) -> int:
    """Returns the number that a switch is set to; 1 where it is on without one.

    Raises:
        ValueError: it is neither a number nor a word for on or off.
    """
    text = os.environ.get(name, "").strip()
    if not means_on(text):
        return 0
    return 1 if text.lower() in ("true", "yes", "on") else int(text)
