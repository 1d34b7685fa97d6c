"""The level editor. The server keeps nothing: every request brings the whole level as the text of its file."""

from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from tumble.phyq.tasks.level import Level
from tumble.phyq.web.editor_data import editor_data
from tumble.phyq.web.level_check import check_level, check_overlaps
from tumble.phyq.web.level_sweep import sweep
from tumble.phyq.web.own_levels import read_level
from tumble.phyq.web.schemas import EditedLevelRequest, SweepRequest
from tumble.web.json_text import json_response
from tumble.web.pages import PageServices
from tumble.web.prepared import json_file
from tumble.web.static_files import StaticFiles


def add_editor(router: APIRouter, services: PageServices, static: StaticFiles) -> None:
    """Adds the page `edit` and what it asks for."""
    constants = json_file(editor_data())

    @router.get("/edit")
    async def edit(request: Request) -> Response:
        return static.response("edit.html", request.headers)

    @router.get("/api/editor")
    async def editor(request: Request) -> Response:
        return constants.response(request.headers)

    @router.post("/api/own/check")
    async def check(asked: EditedLevelRequest) -> Response:
        level = await run_in_threadpool(_edited_level, asked.level)
        return json_response(await services.physics.submit(_checks, level, slow=True))

    @router.post("/api/own/sweep")
    async def random_shots(asked: SweepRequest) -> Response:
        level = await run_in_threadpool(_edited_level, asked.level)
        return json_response(await services.physics.submit(_sweeps, (level, asked.first), slow=True))


def _edited_level(text: str) -> Level:
    level = read_level(text)
    check_overlaps(level)
    return level


def _checks(levels: Sequence[Level]) -> list[Any]:
    return [check_level(level) for level in levels]


def _sweeps(requests: Sequence[tuple[Level, int]]) -> list[Any]:
    return [sweep(level, first) for level, first in requests]
