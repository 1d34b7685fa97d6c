"""Work in threads: clients take turns, and what waits is limited."""

import asyncio
from threading import Event, Lock

import pytest

from tumble.comphy.web.pages import FairQueue
from tumble.web.responses import WebError


def test_addresses_take_turns() -> None:
    """One that asks for much does not keep another one waiting."""

    async def run() -> list[str]:
        queue, order, lock, begin = FairQueue(workers=1), [], Lock(), Event()

        def work(name: str) -> None:
            begin.wait(5.0)
            with lock:
                order.append(name)

        def submit(address: str, number: int) -> "asyncio.Task[None]":
            return asyncio.ensure_future(queue.run(address, lambda: work(f"{address}{number}")))

        tasks = [submit("a", number) for number in range(4)] + [submit("b", number) for number in range(2)]
        await asyncio.sleep(0)
        begin.set()
        await asyncio.gather(*tasks)
        return order

    assert asyncio.run(run()) == ["a0", "a1", "b0", "a2", "b1", "a3"]


@pytest.mark.parametrize(("addresses", "status"), [("aaaa", 429), ("abcdef", 503)])
def test_what_waits_is_limited(addresses: str, status: int) -> None:
    async def run() -> list[int]:
        queue, begin = FairQueue(workers=1, most=3, most_of_one=2), Event()
        tasks = [asyncio.ensure_future(queue.run(one, lambda: begin.wait(5.0))) for one in addresses]
        await asyncio.sleep(0.01)
        begin.set()
        found = await asyncio.gather(*tasks, return_exceptions=True)
        return [one.status for one in found if isinstance(one, WebError)]

    refused = asyncio.run(run())
    assert set(refused) == {status}
    assert len(refused) == {429: 1, 503: 2}[status]


def test_an_error_is_raised_where_it_was_asked_for() -> None:
    async def run() -> str:
        queue = FairQueue(workers=1)
        with pytest.raises(WebError, match="no such"):
            await queue.run("a", lambda: _fail())
        return await queue.run("a", lambda: "fine")

    assert asyncio.run(run()) == "fine"


def _fail() -> None:
    raise WebError(404, "no such set")
