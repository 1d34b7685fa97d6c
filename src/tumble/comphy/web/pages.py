"""The routes of ComPhy's pages. Sets and pictures are made in threads of their own, by turns for each address.

Clients are served by turns, so that one that asks for much does not keep the others waiting; what is made is kept
in an LRU cache, and never made twice at the same time.
"""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Generic, Literal, TypeVar

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from tumble.comphy.benchmark import COMPHY
from tumble.comphy.catalogue.world import WORLDS
from tumble.comphy.observation.clips import AnyClip
from tumble.comphy.web.answers import WorldAddresses, explanation, summary
from tumble.comphy.web.played_set import (
    MEDIA_TYPE,
    SET_ID,
    PlayedSet,
    SetKey,
    full_frame,
    is_id,
    known_key,
    make_played,
    published,
    set_data,
    sheet,
    square_frame,
    tracks,
    video_clip,
)
from tumble.web.clients import client_key
from tumble.web.options import Limits
from tumble.web.pages import PageServices, WebPages
from tumble.web.responses import CACHE_FOR_A_DAY, STATUS_WORDS, StaticFiles, WebError, add_task_pages, json_file

SetId = Annotated[str, Field(pattern=f"^{SET_ID}$")]
MOST_OPTIONS = 8
MOST_QUESTIONS = 32
Answer = (
    Annotated[str, Field(min_length=1, max_length=40)]
    | Annotated[list[Literal["correct", "wrong"]], Field(min_length=1, max_length=MOST_OPTIONS)]
)
"""A word (two with "and" between them for a pair), or a verdict on each option in their order."""


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class AnswerRequest(_Request):
    """An answer to one question of a set."""

    set: SetId
    question: Annotated[int, Field(ge=0, lt=MOST_QUESTIONS)]
    answer: Answer


class SummaryRequest(_Request):
    """Answers to all questions of a set, in their order."""

    set: SetId
    answers: Annotated[list[Answer], Field(min_length=1, max_length=MOST_QUESTIONS)]


Cached = TypeVar("Cached")


class Cache(Generic[Cached]):
    """Values by key; `size` is how much one counts towards `most`."""

    def __init__(self, most: int, size: Callable[[Cached], int] = lambda _: 1) -> None:
        self._most, self._size = most, size
        self._values: OrderedDict[object, Cached] = OrderedDict()
        self._making: dict[object, asyncio.Task[Cached]] = {}
        self.total = 0
        """The sizes of all values."""

    async def get(self, key: object, make: Callable[[], Awaitable[Cached]]) -> Cached:
        """The value of a key; raises what making it raises."""
        if key in self._values:
            self._values.move_to_end(key)
            return self._values[key]
        task = self._making.get(key)
        if task is None:
            task = self._making[key] = asyncio.ensure_future(self._make(key, make))
        return await asyncio.shield(task)

    async def _make(self, key: object, make: Callable[[], Awaitable[Cached]]) -> Cached:
        try:
            value = await make()
        finally:
            del self._making[key]
        self._values[key] = value
        self.total += self._size(value)
        while self.total > self._most and len(self._values) > 1:
            self.total -= self._size(self._values.popitem(last=False)[1])
        return value


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


MOST_SETS = 64
"""Sets that are kept, about 1 MB each."""
MOST_PICTURE_BYTES = 64 * 1024 * 1024
FIRST, SQUARE = SetKey(1, 42), "square.webp"
"""The set in the picture on the first page, and the picture's name."""


class Pages(WebPages):
    """The start page, a page for each set, its pictures, and the answers to its questions."""

    title = COMPHY.title
    summary = "Watch five videos, infer hidden mass and charge, and answer what is, will and would happen."
    picture = f"/pictures/{SQUARE}"
    package = "tumble.comphy.web"
    body_bytes = 4096

    def router(self, services: PageServices) -> APIRouter:
        router, cache = APIRouter(), SetCache(services.limits)
        add_task_pages(router, COMPHY.name, StaticFiles(self.package), is_id)
        _add_data(router, cache)
        _add_pictures(router, cache)
        _add_answers(router, cache)
        return router

    def warm_up(self) -> None:
        """Compiles simulators and renderers of all worlds, so that the first set of each is as quick as the others."""
        for world in WORLDS:
            full_frame(make_played(FIRST._replace(world=world)).videos)


class SetCache:
    """Makes sets and pictures, and keeps them."""

    def __init__(self, limits: Limits) -> None:
        self._queue = FairQueue(most=limits.waiting, most_of_one=limits.waiting_per_address)
        self.worlds = WorldAddresses()
        self._sets: Cache[PlayedSet] = Cache(MOST_SETS)
        self._pictures: Cache[bytes] = Cache(MOST_PICTURE_BYTES, len)

    async def played(self, request: Request, key: SetKey) -> PlayedSet:
        """A set by its key."""
        client = client_key(request.scope)
        return await self._sets.get(key, lambda: self._queue.run(client, partial(make_played, key)))

    async def picture(self, request: Request, key: object, make: Callable[[], bytes]) -> Response:
        """A picture by a key of its own."""
        client = client_key(request.scope)
        found = await self._pictures.get(key, lambda: self._queue.run(client, make))
        return Response(found, media_type=MEDIA_TYPE, headers={"Cache-Control": CACHE_FOR_A_DAY})


async def _json_answer(request: Request, make: Callable[[], dict[str, Any]], cache: str = "no-cache") -> Response:
    """A JSON answer that takes milliseconds to make; in a thread."""
    return (await run_in_threadpool(lambda: json_file(make()))).response(request.headers, cache)


def _add_data(router: APIRouter, cache: SetCache) -> None:
    @router.get("/api/published")
    async def figures(request: Request) -> Response:
        return json_file(published()).response(request.headers)

    @router.get("/api/published/{world}")
    async def figures_of_world(world: str, request: Request) -> Response:
        if world not in WORLDS:
            raise WebError(404, STATUS_WORDS[404])
        return json_file(published(WORLDS[world])).response(request.headers)

    @router.get("/api/sets/{set_id}")
    async def seen(set_id: str, request: Request) -> Response:
        played = await cache.played(request, known_key(set_id))
        return await _json_answer(request, partial(set_data, played))

    @router.get("/api/sets/{set_id}/tracks")
    async def seen_tracks(set_id: str, request: Request) -> Response:
        played = await cache.played(request, known_key(set_id))
        return await _json_answer(request, partial(tracks, played))


def _add_pictures(router: APIRouter, cache: SetCache) -> None:
    async def answer(request: Request, key: tuple[object, ...], clip: AnyClip, size: str, number: str) -> Response:
        return await cache.picture(request, (*key, size, number), partial(sheet, clip, size, number))

    @router.get("/pictures/{name}")
    async def small_picture(name: str, request: Request) -> Response:
        square = name == SQUARE
        played = await cache.played(request, FIRST if square else known_key(name.removesuffix(".webp")))
        make = partial(square_frame if square else full_frame, played.videos)
        return await cache.picture(request, (played.key, "square" if square else "full"), make)

    @router.get("/videos/{set_id}/{video}/{size}/{number}.webp")
    async def video(set_id: str, video: str, size: str, number: str, request: Request) -> Response:
        played = await cache.played(request, known_key(set_id))
        return await answer(request, (played.key, video), video_clip(played.videos, video), size, number)

    @router.get("/worlds/{set_id}/{question}/{token}/{size}/{number}.webp")
    async def world(set_id: str, question: str, token: str, size: str, number: str, request: Request) -> Response:
        played = await cache.played(request, known_key(set_id))
        if question not in map(str, range(len(played.questions.questions))):
            raise WebError(404, STATUS_WORDS[404])
        asked = played.question(int(question))
        clip = cache.worlds.checked_clip(played, asked, token)
        return await answer(request, (played.key, "world", asked.id), clip, size, number)


def _add_answers(router: APIRouter, cache: SetCache) -> None:
    @router.post("/api/answers")
    async def answer(asked: AnswerRequest, request: Request) -> Response:
        played = await cache.played(request, known_key(asked.set))
        question = played.question(asked.question)
        return await _json_answer(
            request, partial(explanation, played, question, asked.answer, cache.worlds), "no-store"
        )

    @router.post("/api/summaries")
    async def whole(asked: SummaryRequest, request: Request) -> Response:
        played = await cache.played(request, known_key(asked.set))
        return await _json_answer(request, partial(summary, played, asked.answers), "no-store")
