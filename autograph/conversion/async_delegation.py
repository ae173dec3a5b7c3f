"""What `yield from` does, for asynchronous generators: Python has no word for it there.

>>> import asyncio
>>> async def numbers():
...     got = yield 1
...     yield got
>>> async def outer():
...     relay = Relay(numbers())
...     while await relay.advance():
...         try:
...             relay.sent = yield relay.item
...         except BaseException:
...             relay.throws()
>>> async def run():
...     generator = outer()
...     return await anext(generator), await generator.asend("sent"), await anext(generator, "the end")
>>> asyncio.run(run())
(1, 'sent', 'the end')
"""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator
from typing import Any


class Relay:
    """Hands on to an inner generator what the outer one is sent or what is thrown into it, `GeneratorExit` too."""

    __slots__ = ("_inner", "_thrown", "item", "sent")

    def __init__(self, inner: AsyncGenerator[Any, Any]) -> None:
        self._inner = inner
        self._thrown: BaseException | None = None
        self.item: Any = None
        self.sent: Any = None

    def throws(self) -> None:
        """Takes the exception that is being handled for the inner generator."""
        self._thrown = sys.exception()

    async def advance(self) -> bool:
        """Goes on to the next `item`; false at the end."""
        thrown, sent = self._thrown, self.sent
        self._thrown = self.sent = None
        try:
            self.item = await (self._inner.asend(sent) if thrown is None else self._inner.athrow(thrown))
        except StopAsyncIteration:
            return False
        return True
