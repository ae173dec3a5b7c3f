"""Refusals: where they point, and what looking for the place leaves behind."""

from __future__ import annotations

import gc
import weakref

from autograph.runtime.tracing.refusals import user_line


class Thing:
    pass


def test_the_search_for_the_line_keeps_no_frame() -> None:
    """Whether anybody else refers to a container or a variable is told by counting: a frame that lives on would be somebody."""

    def call() -> weakref.ref[Thing]:
        thing = Thing()
        assert user_line() == (__file__, call.__code__.co_firstlineno + 2)
        return weakref.ref(thing)

    gc.disable()
    try:
        assert call()() is None
    finally:
        gc.enable()
