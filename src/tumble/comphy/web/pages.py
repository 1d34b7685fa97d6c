"""The routes of ComPhy's pages. Sets and pictures are made in threads of their own, by turns for each address."""

from collections.abc import Callable
from functools import partial
from typing import Any

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from tumble.comphy.benchmark import COMPHY
from tumble.comphy.observation.clips import AnyClip
from tumble.comphy.tasks.world import WORLDS
from tumble.comphy.web.answers import explanation, summary
from tumble.comphy.web.cache import Cache
from tumble.comphy.web.fair_queue import FairQueue
from tumble.comphy.web.pictures import MEDIA_TYPE, full_frame, sheet, square_frame, video_clip
from tumble.comphy.web.played_set import PlayedSet, SetKey, is_id, known_key, make_played
from tumble.comphy.web.schemas import AnswerRequest, SummaryRequest
from tumble.comphy.web.set_data import published, set_data, tracks
from tumble.comphy.web.worlds import WorldAddresses
from tumble.web.clients import client_key
from tumble.web.errors import WORDS, WebError
from tumble.web.options import Limits
from tumble.web.pages import PageServices, WebPages
from tumble.web.prepared import json_file
from tumble.web.static_files import StaticFiles
from tumble.web.task_routes import DAY, add_task_pages

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
        return Response(found, media_type=MEDIA_TYPE, headers={"Cache-Control": DAY})


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
            raise WebError(404, WORDS[404])
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
            raise WebError(404, WORDS[404])
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
