"""Work in threads: turns for each address, limits, and what is kept."""

import asyncio
from threading import Event, Lock

import pytest

from tumble.comphy.web.workshop import Kept, Workshop
from tumble.web.errors import WebError


def test_addresses_take_turns() -> None:
    """One that asks for much does not keep another one waiting."""

    async def run() -> list[str]:
        workshop, order, lock, begin = Workshop(workers=1), [], Lock(), Event()

        def work(name: str) -> None:
            begin.wait(5.0)
            with lock:
                order.append(name)

        def do(address: str, number: int) -> "asyncio.Task[None]":
            return asyncio.ensure_future(workshop.do(address, lambda: work(f"{address}{number}")))

        tasks = [do("a", number) for number in range(4)] + [do("b", number) for number in range(2)]
        await asyncio.sleep(0)
        begin.set()
        await asyncio.gather(*tasks)
        return order

    assert asyncio.run(run()) == ["a0", "a1", "b0", "a2", "b1", "a3"]


@pytest.mark.parametrize(("addresses", "status"), [("aaaa", 429), ("abcdef", 503)])
def test_what_waits_is_limited(addresses: str, status: int) -> None:
    async def run() -> list[int]:
        workshop, begin = Workshop(workers=1, most=3, most_of_one=2), Event()
        tasks = [asyncio.ensure_future(workshop.do(one, lambda: begin.wait(5.0))) for one in addresses]
        await asyncio.sleep(0.01)
        begin.set()
        found = await asyncio.gather(*tasks, return_exceptions=True)
        return [one.status for one in found if isinstance(one, WebError)]

    refused = asyncio.run(run())
    assert set(refused) == {status}
    assert len(refused) == {429: 1, 503: 2}[status]


def test_an_error_is_raised_where_it_was_asked_for() -> None:
    async def run() -> str:
        workshop = Workshop(workers=1)
        with pytest.raises(WebError, match="no such"):
            await workshop.do("a", lambda: _fail())
        return await workshop.do("a", lambda: "fine")

    assert asyncio.run(run()) == "fine"


def _fail() -> None:
    raise WebError(404, "no such set")


def test_nothing_is_made_twice_and_the_least_recently_used_is_forgotten() -> None:
    async def run() -> tuple[list[str], int]:
        kept: Kept[bytes] = Kept(10, len)
        made: list[str] = []

        async def get(key: str) -> bytes:
            async def make() -> bytes:
                await asyncio.sleep(0.001)
                made.append(key)
                return key.encode() * 4

            return await kept.get(key, make)

        await asyncio.gather(get("a"), get("a"))
        await get("b")
        await get("a")
        await get("c")  # b is forgotten: a was used after it
        assert await get("a") == b"aaaa"
        await get("b")
        return made, kept.total

    made, total = asyncio.run(run())
    assert made == ["a", "b", "c", "b"]
    assert total <= 10


def test_what_could_not_be_made_is_tried_again() -> None:
    async def run() -> str:
        kept: Kept[str] = Kept(10)

        async def fail() -> str:
            raise WebError(404, "no such set")

        async def succeed() -> str:
            return "made"

        for _ in range(2):
            with pytest.raises(WebError):
                await kept.get("a", fail)
        return await kept.get("a", succeed)

    assert asyncio.run(run()) == "made"
