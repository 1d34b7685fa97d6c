"""The routes of Phy-Q's pages."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from tumble.errors import TumbleError
from tumble.phyq.benchmark import PHYQ
from tumble.phyq.generation.solutions import solution
from tumble.phyq.tasks.catalogue import task_ids
from tumble.phyq.web.attempts import PersonAttempt, simulate_attempts, simulate_own
from tumble.phyq.web.own_levels import own_level_data, read_level
from tumble.phyq.web.picture import picture
from tumble.phyq.web.schemas import AttemptRequest, LevelRequest
from tumble.phyq.web.task_data import gallery, is_id, known_task, task_data
from tumble.web.errors import WORDS, WebError
from tumble.web.pages import PageServices, WebPages
from tumble.web.static_files import MEDIA_TYPES, StaticFiles, StoredFile

DAY = "public, max-age=86400"
OWN = "own"
"""In place of a task's id: a level that the person brought."""


class Pages(WebPages):
    """Levels by scenario, a page for each task and for own levels, and the shots that are made there."""

    title = PHYQ.title
    summary = "Draw the slingshot so that all pigs die: 15 rules of physics, 75 kinds of level."
    package = "tumble.phyq.web"
    body_bytes = 512 * 1024

    def router(self, services: PageServices) -> APIRouter:
        router = APIRouter()
        _add_html(router, StaticFiles(self.package))
        _add_data(router)
        _add_physics(router, services)
        return router

    def warm_up(self) -> None:
        """Loads tasks and compiles the physics, so that the first shot is as quick as the others."""
        task_id = task_ids()[0]
        simulate_attempts([PersonAttempt(known_task(task_id).level, solution(task_id).shots)])
        _gallery()


def _add_html(router: APIRouter, static: StaticFiles) -> None:
    @router.get("")
    async def slash() -> Response:
        return RedirectResponse(f"/{PHYQ.name}/", 308)

    @router.get("/")
    async def start(request: Request) -> Response:
        return static.response("gallery.html", request.headers)

    @router.get("/{task_id}")
    async def play(task_id: str, request: Request) -> Response:
        if task_id != OWN and not is_id(task_id):
            raise WebError(404, WORDS[404])
        return static.response("play.html", request.headers)


def _add_data(router: APIRouter) -> None:
    """Adds what the pages load. Plain functions: they run in threads, as a level may take long to build."""

    @router.get("/api/gallery")
    def scenarios(request: Request) -> Response:
        return _gallery().response(request.headers)

    @router.get("/api/tasks/{task_id}")
    def task(task_id: str, request: Request) -> Response:
        return _task(task_id).response(request.headers)

    @router.get("/api/tasks/{task_id}/solution")
    def stored_solution(task_id: str) -> dict[str, Any]:
        known_task(task_id)
        found = solution(task_id)
        return {"task": task_id, "tolerance": found.tolerance, "shots": [_shot_data(shot) for shot in found.shots]}

    @router.get("/pictures/{name}")
    def small_picture(name: str, request: Request) -> Response:
        return picture(name.removesuffix(".svg")).response(request.headers, DAY)


def _add_physics(router: APIRouter, services: PageServices) -> None:
    @router.post("/api/attempts")
    async def attempt(asked: AttemptRequest) -> Response:
        shots = tuple(shot.shot() for shot in asked.shots)
        own = asked.level is not None
        level = read_level(asked.level) if asked.level is not None else known_task(asked.task or "").level
        one = PersonAttempt(level, shots, asked.from_shot)
        made = await services.physics.submit(simulate_own if own else simulate_attempts, one, slow=own)
        return Response(made, media_type="application/json")

    @router.post("/api/levels")
    async def own_level(asked: LevelRequest) -> Response:
        made = await services.physics.submit(_own_levels, asked.text, slow=True)
        return Response(json.dumps(made, separators=(",", ":")), media_type="application/json")


def _own_levels(texts: Sequence[str]) -> list[Any]:
    answers: list[Any] = []
    for text in texts:
        try:
            answers.append(own_level_data(text))
        except TumbleError as error:
            answers.append(error)
    return answers


def _shot_data(shot: object) -> dict[str, float]:
    return {name: value for name, value in asdict(shot).items() if value is not None}  # type: ignore[call-overload]


@lru_cache(maxsize=1)
def _gallery() -> StoredFile:
    return _json(gallery())


@lru_cache(maxsize=2048)
def _task(task_id: str) -> StoredFile:
    return _json(task_data(task_id))


def _json(value: object) -> StoredFile:
    return StoredFile.of(json.dumps(value, separators=(",", ":")).encode(), MEDIA_TYPES["json"])
