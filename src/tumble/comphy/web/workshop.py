"""Work of a second or less, such as making a set or rendering a second of video, in threads of its own.

Addresses have their turns one after the other, so that one that asks for much does not keep the others waiting. What
was made is kept, the least recently used is forgotten, and nothing is made twice at a time.
"""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from tumble.web.errors import WebError

T = TypeVar("T")
WORKERS = 2
MOST_WAITING = 256
MOST_OF_ONE = 32
"""Pieces of work that may wait, in all and of one address; a browser asks for six things at a time."""
RETRY = {"Retry-After": "1"}


@dataclass
class _Job:
    work: Callable[[], Any]
    done: "asyncio.Future[Any]"


class Workshop:
    """Does work in threads; the turn goes round the addresses that wait."""

    def __init__(self, workers: int = WORKERS, most: int = MOST_WAITING, most_of_one: int = MOST_OF_ONE) -> None:
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="comphy")
        self._free = workers
        self._most, self._most_of_one = most, most_of_one
        self._waiting: OrderedDict[str, deque[_Job]] = OrderedDict()

    async def do(self, address: str, work: Callable[[], T]) -> T:
        """What the work returns; a WebError with status 429 or 503 if too much of it waits."""
        if len(self._waiting.get(address, ())) >= self._most_of_one:
            raise WebError(429, "too many requests; wait a moment", RETRY)
        if sum(map(len, self._waiting.values())) >= self._most:
            raise WebError(503, "too many sets are waiting; try again in a moment", RETRY)
        job = _Job(work, asyncio.get_running_loop().create_future())
        self._waiting.setdefault(address, deque()).append(job)
        self._start()
        found: T = await job.done
        return found

    def _start(self) -> None:
        loop = asyncio.get_running_loop()
        while self._free and self._waiting:
            address, jobs = self._waiting.popitem(last=False)
            job = jobs.popleft()
            if jobs:
                self._waiting[address] = jobs  # at the end: the others have their turn first
            if job.done.done():  # the client is gone
                continue
            self._free -= 1
            running = loop.run_in_executor(self._threads, job.work)
            running.add_done_callback(lambda finished, job=job: self._finish(finished, job))  # type: ignore[misc]

    def _finish(self, finished: "asyncio.Future[Any]", job: _Job) -> None:
        self._free += 1
        if finished.cancelled():
            job.done.cancel()
        elif not job.done.done():
            error = finished.exception()
            if error is None:
                job.done.set_result(finished.result())
            else:
                job.done.set_exception(error)
        self._start()


class Kept(Generic[T]):
    """Things by a key; `size` is what one counts for among `most`."""

    def __init__(self, most: int, size: Callable[[T], int] = lambda _: 1) -> None:
        self._most, self._size = most, size
        self._things: OrderedDict[object, T] = OrderedDict()
        self._making: dict[object, asyncio.Task[T]] = {}
        self.total = 0
        """The sizes of all that is kept."""

    async def get(self, key: object, make: Callable[[], Awaitable[T]]) -> T:
        """What belongs to a key; raises what making it raises."""
        if key in self._things:
            self._things.move_to_end(key)
            return self._things[key]
        task = self._making.get(key)
        if task is None:
            task = self._making[key] = asyncio.ensure_future(self._make(key, make))
        return await asyncio.shield(task)

    async def _make(self, key: object, make: Callable[[], Awaitable[T]]) -> T:
        try:
            thing = await make()
        finally:
            del self._making[key]
        self._things[key] = thing
        self.total += self._size(thing)
        while self.total > self._most and len(self._things) > 1:
            self.total -= self._size(self._things.popitem(last=False)[1])
        return thing
