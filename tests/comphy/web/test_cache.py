"""What is kept: each value is made once, and the least recently used is dropped."""

import asyncio

import pytest

from tumble.comphy.web.pages import Cache
from tumble.web.responses import WebError


def test_nothing_is_made_twice_and_the_least_recently_used_is_dropped() -> None:
    async def run() -> tuple[list[str], int]:
        cache: Cache[bytes] = Cache(10, len)
        made: list[str] = []

        async def get(key: str) -> bytes:
            async def make() -> bytes:
                await asyncio.sleep(0.001)
                made.append(key)
                return key.encode() * 4

            return await cache.get(key, make)

        await asyncio.gather(get("a"), get("a"))
        await get("b")
        await get("a")
        await get("c")  # b is dropped: a was used after it
        assert await get("a") == b"aaaa"
        await get("b")
        return made, cache.total

    made, total = asyncio.run(run())
    assert made == ["a", "b", "c", "b"]
    assert total <= 10


def test_what_could_not_be_made_is_tried_again() -> None:
    async def run() -> str:
        cache: Cache[str] = Cache(10)

        async def fail() -> str:
            raise WebError(404, "no such set")

        async def succeed() -> str:
            return "made"

        for _ in range(2):
            with pytest.raises(WebError):
                await cache.get("a", fail)
        return await cache.get("a", succeed)

    assert asyncio.run(run()) == "made"
