"""The editor and the tasks that people make with it. The server keeps nothing: every request brings the whole task."""

from collections.abc import Callable, Sequence
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from tumble.errors import TumbleError
from tumble.phyre.web.attempts import own_attempt
from tumble.phyre.web.own_check import check_task
from tumble.phyre.web.own_schemas import OwnAttemptRequest, OwnTaskRequest, SweepRequest
from tumble.phyre.web.own_sweep import sweep
from tumble.phyre.web.own_tasks import editor_data, own_task_data, read_task
from tumble.web.json_text import json_response
from tumble.web.pages import PageServices
from tumble.web.prepared import json_file
from tumble.web.static_files import StaticFiles

Answer = Callable[[Any], dict[str, Any]]


def add_editor(router: APIRouter, services: PageServices, static: StaticFiles) -> None:
    """Adds the pages `edit` and `own`, and what they ask for."""
    constants = json_file(editor_data())

    @router.get("/edit")
    async def edit(request: Request) -> Response:
        return static.response("edit.html", request.headers)

    @router.get("/own")
    async def own(request: Request) -> Response:
        return static.response("play.html", request.headers)

    @router.get("/api/editor")
    async def editor(request: Request) -> Response:
        return constants.response(request.headers)

    @router.post("/api/own/task")
    async def task(asked: OwnTaskRequest) -> Response:
        return json_response(await services.physics.submit(_tasks, asked))

    @router.post("/api/own/check")
    async def check(asked: OwnTaskRequest) -> Response:
        return json_response(await services.physics.submit(_checks, asked))

    @router.post("/api/own/sweep")
    async def random_actions(asked: SweepRequest) -> Response:
        return json_response(await services.physics.submit(_sweeps, asked, slow=True))

    @router.post("/api/own/attempts")
    async def attempt(asked: OwnAttemptRequest) -> Response:
        return json_response(await services.physics.submit(_attempts, asked))


def _each(answer: Answer, requests: Sequence[Any]) -> list[Any]:
    """An answer, or the error, for each request."""
    found: list[Any] = []
    for request in requests:
        try:
            found.append(answer(request))
        except TumbleError as error:
            found.append(error)
    return found


def _tasks(requests: Sequence[OwnTaskRequest]) -> list[Any]:
    return _each(lambda asked: own_task_data(asked.own.record), requests)


def _checks(requests: Sequence[OwnTaskRequest]) -> list[Any]:
    return _each(lambda asked: check_task(read_task(asked.own.record)), requests)


def _sweeps(requests: Sequence[SweepRequest]) -> list[Any]:
    return _each(lambda asked: sweep(read_task(asked.own.record), asked.first), requests)


def _attempts(requests: Sequence[OwnAttemptRequest]) -> list[Any]:
    return _each(lambda asked: own_attempt(read_task(asked.own.record), tuple(asked.action)), requests)
