"""A queue for work of a second or less, such as making a set or rendering a second of video, in threads of its own.

Clients are served by turns, so that one that asks for much does not keep the others waiting.
"""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from tumble.web.errors import WebError
from tumble.web.options import Limits

T = TypeVar("T")
WORKERS = 2
RETRY = {"Retry-After": "1"}


@dataclass
class _Job:
    work: Callable[[], Any]
    done: "asyncio.Future[Any]"


class FairQueue:
    """Runs work in threads, one piece of each waiting client in turn; a client is an address.

    So many pieces of work may wait, in all and of one client; a browser asks for six things at a time.
    """

    def __init__(
        self, workers: int = WORKERS, most: int = Limits.waiting, most_of_one: int = Limits.waiting_per_address
    ) -> None:
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="comphy")
        self._free = workers
        self._most, self._most_of_one = most, most_of_one
        self._waiting: OrderedDict[str, deque[_Job]] = OrderedDict()

    async def run(self, address: str, work: Callable[[], T]) -> T:
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
