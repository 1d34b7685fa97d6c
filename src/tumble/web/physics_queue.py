"""Physics off the event loop: requests of a few milliseconds are simulated together, in worker threads.

A batch gives every request the bits that it would get alone, so that nobody sees who else was playing.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from tumble.errors import TumbleError
from tumble.web.responses import WebError

Work = Callable[[Sequence[Any]], Sequence[Any]]
"""Answers to many requests of one kind, in their order; an answer that is a TumbleError is raised for its request."""

WINDOW = 0.005
"""Seconds for which requests are collected."""
MAX_BATCH = 16
"""Requests that are simulated together: more would keep the first ones waiting."""
WORKERS = 2
"""Threads. One more than slow work may use."""
RETRY_SECONDS = 1


@dataclass
class _Request:
    item: Any
    answer: "asyncio.Future[Any]"
    since: float


class PhysicsQueue:
    """Collects requests by the function that answers them.

    Work that is submitted as slow (seconds rather than milliseconds) never takes the last worker, so that quick
    requests are served meanwhile.
    """

    def __init__(self, max_waiting: int = 256, window: float = WINDOW, workers: int = WORKERS) -> None:
        if workers < 2:
            raise ValueError("slow work would stop quick work: there must be two workers or more")
        self._max_waiting = max_waiting
        self._window = window
        self._workers = workers
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="physics")
        self._waiting: dict[tuple[Work, bool], deque[_Request]] = {}
        """By function and whether it is slow; the one that has waited longest for its turn first."""
        self._running = 0
        self._running_slow = 0

    @property
    def waiting(self) -> int:
        """Requests that no worker has taken yet."""
        return sum(map(len, self._waiting.values()))

    async def submit(self, work: Work, item: Any, slow: bool = False) -> Any:
        """The answer of `work` to an item; a WebError with status 503 if too many are waiting."""
        if self.waiting >= self._max_waiting:
            raise _busy("too many attempts are waiting; try again in a moment")
        loop = asyncio.get_running_loop()
        request = _Request(item, loop.create_future(), loop.time())
        self._waiting.setdefault((work, slow), deque()).append(request)
        loop.call_later(self._window, self._dispatch)
        return await request.answer

    def close(self) -> None:
        """Ends the threads when they have finished what they are doing."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _dispatch(self) -> None:
        """Gives batches to free workers."""
        loop = asyncio.get_running_loop()
        while self._running < self._workers:
            key = next((key for key in self._waiting if self._is_ready(key, loop.time())), None)
            if key is None:
                return
            waiting = self._waiting.pop(key)
            batch = [waiting.popleft() for _ in range(min(MAX_BATCH, len(waiting)))]
            if waiting:
                self._waiting[key] = waiting  # at the end: others have their turn first
            batch = [request for request in batch if not request.answer.done()]  # the client may have gone
            if batch:
                self._start(loop, key, batch)

    def _is_ready(self, key: tuple[Work, bool], now: float) -> bool:
        """Whether a batch may start: it has waited long enough, and a worker would be left where it is slow."""
        if key[1] and self._running_slow >= self._workers - 1:
            return False
        first = self._waiting[key][0]
        return len(self._waiting[key]) >= MAX_BATCH or now - first.since >= 0.9 * self._window

    def _start(self, loop: asyncio.AbstractEventLoop, key: tuple[Work, bool], batch: list[_Request]) -> None:
        work, slow = key
        self._running += 1
        self._running_slow += slow
        finished = loop.run_in_executor(self._threads, _answers, work, [request.item for request in batch])
        finished.add_done_callback(lambda done: self._finish(done, slow, batch))

    def _finish(self, done: "asyncio.Future[list[Any]]", slow: bool, batch: list[_Request]) -> None:
        self._running -= 1
        self._running_slow -= slow
        if done.cancelled():
            answers: list[Any] = [_busy("the server is stopping")] * len(batch)
        else:
            answers = done.result()
        for request, answer in zip(batch, answers, strict=True):
            if request.answer.done():
                continue
            if isinstance(answer, Exception):
                request.answer.set_exception(answer)
            else:
                request.answer.set_result(answer)
        self._dispatch()


def _busy(message: str) -> WebError:
    return WebError(503, message, {"Retry-After": str(RETRY_SECONDS)})


def _answers(work: Work, items: list[Any]) -> list[Any]:
    """An answer or an exception for each item; an item that fails does not spoil the others."""
    try:
        answers = list(work(items))
        if len(answers) != len(items):
            raise RuntimeError(f"{work} gave {len(answers)} answers to {len(items)} requests")
        return answers
    except Exception as error:
        if len(items) > 1 and not isinstance(error, RuntimeError):
            return [_answers(work, [item])[0] for item in items]
        return [error if isinstance(error, TumbleError) else RuntimeError(f"{work} failed: {error!r}") for _ in items]
