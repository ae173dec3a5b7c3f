"""Coroutines and asynchronous generators: staged between what they await and yield."""

import asyncio

from tests.programs.harness import program


async def given(x):
    await asyncio.sleep(0)
    return x


class Session:
    def __init__(self):
        self.closed = 0

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        self.closed += 1


@program((2,), (7,), (20,))
def returns_behind_the_last_await(x):
    async def price():
        factor = await given(3)
        if x > 10:
            return x * factor
        for i in range(3):
            if i + 5 == x:
                return i
        while x > 3:
            return -1
        return x

    return asyncio.run(price())


@program((2,), (20,))
def returns_before_and_behind(x):
    async def price(rate):
        if rate is None:
            return await given(x)
        async with Session() as session:
            factor = await given(rate)
        if session.closed > 1:
            return -1
        if x > 10:
            return x * factor
        return x

    return asyncio.run(price(None)) + 100 * asyncio.run(price(3))


@program((2,), (20,))
def many_returns_before_the_last_await(x):
    async def price(kind):
        if kind == 0:
            return await given(x)
        if kind == 1:
            return x
        if kind == 2:
            return x
        if kind == 3:
            return x
        if kind == 4:
            return x
        if kind == 5:
            return x
        if kind == 6:
            return x
        if kind == 7:
            return x
        if kind == 8:
            return x
        if kind == 9:
            return x
        if kind == 10:
            return x
        if kind == 11:
            return x
        y = await given(x)
        if y > 10:
            return 1
        return 2

    return asyncio.run(price(7)) + asyncio.run(price(12))


@program((2,), (20,))
def what_a_coroutine_writes(x):
    seen = []

    async def note():
        await given(0)
        if x > 10:
            seen.append(1)
            return
        seen.append(2)

    asyncio.run(note())
    return seen[0]


@program((2,), (20,))
def asynchronous_generators(x):
    async def parts():
        for i in range(3):
            y = i
            if x > 10:
                y = x * i
            got = yield y
            assert got is None

    async def total():
        found = 0
        async for part in parts():
            if part > 1:
                found += part
        return found

    return asyncio.run(total())
