"""Batches of requests, and that nobody waits for another person's long rollout."""

import asyncio
from collections.abc import Sequence
from threading import Event, get_ident
from typing import Any

import pytest

from tumble.errors import TumbleError
from tumble.web.physics_queue import MAX_BATCH, PhysicsQueue
from tumble.web.responses import WebError


def answers_of(queue: PhysicsQueue, work: Any, items: Sequence[Any]) -> list[Any]:
    async def all_of_them() -> list[Any]:
        asked = [queue.submit(work, item) for item in items]
        return list(await asyncio.gather(*asked, return_exceptions=True))

    try:
        return asyncio.run(all_of_them())
    finally:
        queue.close()


def test_requests_are_answered_in_batches_off_the_event_loop() -> None:
    batches, threads = [], set()

    def double(items: Sequence[int]) -> list[int]:
        batches.append(len(items))
        threads.add(get_ident())
        return [2 * item for item in items]

    count = 2 * MAX_BATCH + 1
    assert answers_of(PhysicsQueue(), double, range(count)) == [2 * item for item in range(count)]
    assert sorted(batches) == [1, MAX_BATCH, MAX_BATCH]
    assert get_ident() not in threads


def test_a_request_that_fails_does_not_spoil_the_others() -> None:
    def invert(items: Sequence[int]) -> list[float]:
        return [1.0 / item for item in items]

    one, failed, half = answers_of(PhysicsQueue(), invert, [1, 0, 2])
    assert (one, half) == (1.0, 0.5)
    assert isinstance(failed, RuntimeError)


def test_an_error_of_the_user_reaches_its_request() -> None:
    def check(items: Sequence[int]) -> list[Any]:
        return [TumbleError("too small") if item < 0 else item for item in items]

    fine, wrong = answers_of(PhysicsQueue(), check, [3, -3])
    assert fine == 3
    assert isinstance(wrong, TumbleError)
    assert str(wrong) == "too small"


def test_too_many_are_refused() -> None:
    answers = answers_of(PhysicsQueue(max_waiting=3), lambda items: items, range(5))
    assert answers[:3] == [0, 1, 2]
    for refused in answers[3:]:
        assert isinstance(refused, WebError)
        assert (refused.status, refused.headers) == (503, {"Retry-After": "1"})


def test_slow_work_never_takes_the_last_worker() -> None:
    release = Event()

    def slow(items: Sequence[int]) -> Sequence[int]:
        assert release.wait(10.0)
        return items

    async def play() -> int:
        queue = PhysicsQueue(workers=2)
        long = [asyncio.create_task(queue.submit(slow, k, slow=True)) for k in range(3 * MAX_BATCH)]
        await asyncio.sleep(0.05)
        quick = await asyncio.wait_for(queue.submit(lambda items: [k + 1 for k in items], 41), 5.0)
        assert not any(task.done() for task in long)
        release.set()
        await asyncio.gather(*long)
        queue.close()
        return int(quick)

    assert asyncio.run(play()) == 42


def test_a_request_whose_client_has_gone_is_not_simulated() -> None:
    seen: list[int] = []

    async def play() -> None:
        queue = PhysicsQueue()

        def note(items: Sequence[int]) -> Sequence[int]:
            seen.extend(items)
            return items

        gone = asyncio.create_task(queue.submit(note, 1))
        stays = asyncio.create_task(queue.submit(note, 2))
        await asyncio.sleep(0)
        gone.cancel()
        assert await stays == 2
        queue.close()

    asyncio.run(play())
    assert seen == [2]


def test_one_worker_is_refused() -> None:
    with pytest.raises(ValueError, match="two workers"):
        PhysicsQueue(workers=1)
