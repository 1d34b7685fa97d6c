"""The routes of PHYRE's pages."""

import json
from time import sleep
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from tumble.phyre.benchmark import PHYRE
from tumble.phyre.generation.solutions import solution
from tumble.phyre.tasks.catalogue import task_ids
from tumble.phyre.tasks.tier import TIERS
from tumble.phyre.web.agent_results import LoggedRuns, sweep_results
from tumble.phyre.web.attempts import PersonAttempt, simulate_attempts
from tumble.phyre.web.picture import picture
from tumble.phyre.web.schemas import AttemptRequest
from tumble.phyre.web.task_data import gallery, is_id, known_task, task_data
from tumble.web.errors import WORDS, WebError
from tumble.web.pages import PageServices, WebPages
from tumble.web.prepared import Prepared, json_file
from tumble.web.static_files import StaticFiles

DAY = "public, max-age=86400"
YIELD_SECONDS = 0.01
"""Between two tasks that are built in advance."""


class Pages(WebPages):
    """A gallery, a page for each task, and the attempts that are made there."""

    title = PHYRE.title
    summary = "Place one or two balls so that two bodies come to touch, and stay in touch."
    picture = "/pictures/00020:000.svg"
    package = "tumble.phyre.web"
    body_bytes = 4096

    def router(self, services: PageServices) -> APIRouter:
        router = APIRouter()
        _add_html(router, StaticFiles(self.package))
        _add_data(router, LoggedRuns(services.runs, PHYRE.name))

        tasks = Prepared(known_task)

        @router.post("/api/attempts")
        async def attempt(asked: AttemptRequest) -> Response:
            await tasks.get(asked.task)  # built here, so that nobody waits for it in the queue of physics
            made = await services.physics.submit(simulate_attempts, PersonAttempt(asked.task, tuple(asked.action)))
            return Response(json.dumps(made, separators=(",", ":")), media_type="application/json")

        return router

    def warm_up(self) -> None:
        """Loads tasks and compiles the physics, so that the first click is as quick as the others."""
        for tier in TIERS:
            task_id = task_ids(tier)[0]
            action = solution(task_id)
            assert action is not None
            simulate_attempts([PersonAttempt(task_id, tuple(action.tolist()))])
            sweep_results(task_id)
        for task_id in task_ids():
            known_task(task_id)
            sleep(YIELD_SECONDS)  # others come first


def _add_html(router: APIRouter, static: StaticFiles) -> None:
    @router.get("")
    async def slash() -> Response:
        return RedirectResponse(f"/{PHYRE.name}/", 308)

    @router.get("/")
    async def start(request: Request) -> Response:
        return static.response("gallery.html", request.headers)

    @router.get("/{task_id}")
    async def play(task_id: str, request: Request) -> Response:
        if not is_id(task_id):
            raise WebError(404, WORDS[404])
        return static.response("play.html", request.headers)


def _add_data(router: APIRouter, runs: LoggedRuns) -> None:
    """Adds what the pages load; each answer is made once, in a thread, as a task may take long to build."""
    files = {
        "gallery": Prepared(lambda _: json_file(gallery())),
        "task": Prepared(lambda task_id: json_file(task_data(task_id))),
        "solution": Prepared(lambda task_id: json_file(_solution(task_id))),
        "agents": Prepared(lambda task_id: json_file(_agents(task_id, runs))),
        "picture": Prepared(picture),
    }

    @router.get("/api/gallery")
    async def templates(request: Request) -> Response:
        return (await files["gallery"].get("")).response(request.headers)

    @router.get("/api/tasks/{task_id}")
    async def task(task_id: str, request: Request) -> Response:
        return (await files["task"].get(task_id)).response(request.headers)

    @router.get("/api/tasks/{task_id}/solution")
    async def stored_solution(task_id: str, request: Request) -> Response:
        return (await files["solution"].get(task_id)).response(request.headers)

    @router.get("/api/tasks/{task_id}/agents")
    async def agents(task_id: str, request: Request) -> Response:
        return (await files["agents"].get(task_id)).response(request.headers)

    @router.get("/pictures/{name}")
    async def small_picture(name: str, request: Request) -> Response:
        return (await files["picture"].get(name.removesuffix(".svg"))).response(request.headers, DAY)


def _solution(task_id: str) -> dict[str, Any]:
    known_task(task_id)
    action = solution(task_id)
    if action is None:
        raise WebError(404, f"no solution of task {task_id} is stored")
    return {"task": task_id, "action": action.tolist()}


def _agents(task_id: str, runs: LoggedRuns) -> dict[str, Any]:
    known_task(task_id)
    return {"task": task_id, "sweep": sweep_results(task_id), "runs": runs.results(task_id)}
