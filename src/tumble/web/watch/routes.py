"""The routes below /watch/: a list of runs, a run, and its attempts replayed, perhaps beside those of another run."""

import logging
from collections.abc import Awaitable, Mapping
from typing import Annotated, Any, Literal, TypeVar

from fastapi import APIRouter, Path, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, RedirectResponse, Response

from tumble.errors import TumbleError
from tumble.runs.replay import difference
from tumble.web.errors import WebError
from tumble.web.json_text import json_bytes
from tumble.web.pages import PageServices
from tumble.web.static_files import StaticFiles
from tumble.web.watch.entry import RunEntry
from tumble.web.watch.index import ID_DIGITS, RunIndex
from tumble.web.watch.log import CompactLog
from tumble.web.watch.replays import Replays
from tumble.web.watch.tables import (
    MOST_ATTEMPTS,
    attempt_rows,
    other_runs,
    run_list,
    run_page,
    task_list,
    task_page,
)

PATH = "/watch"
LONGEST_ID = 300
Run = Annotated[str, Path(pattern=f"^[0-9a-f]{{{ID_DIGITS}}}$")]
OtherRun = Annotated[str | None, Query(pattern=f"^[0-9a-f]{{{ID_DIGITS}}}$")]
Task = Annotated[str, Query(max_length=LONGEST_ID)]
Search = Annotated[str, Query(max_length=200)]
First = Annotated[int, Query(ge=0, le=10**9)]
Sort = Literal["date", "benchmark", "agent", "conditions", "seed", "score", "tasks", "finished"]

_log = logging.getLogger("tumble.web")
T = TypeVar("T")


def watch_router(index: RunIndex, services: PageServices, replays: Mapping[str, Replays]) -> APIRouter:
    """All routes for watching the runs of an index."""
    router = APIRouter(prefix=PATH)
    _add_pages(router, StaticFiles("tumble.web"))
    _add_tables(router, index, replays)
    _add_replays(router, index, services, replays)
    return router


def _add_pages(router: APIRouter, static: StaticFiles) -> None:
    @router.get("")
    async def slash() -> Response:
        return RedirectResponse(f"{PATH}/", 308)

    @router.get("/")
    async def start(request: Request) -> Response:
        return static.response("watch.html", request.headers)

    @router.get("/{run}")
    async def one(run: Run, request: Request) -> Response:
        return static.response("watch_run.html", request.headers)

    @router.get("/{run}/replay")
    async def replay(run: Run, request: Request) -> Response:
        return static.response("watch_replay.html", request.headers)


def _add_tables(router: APIRouter, index: RunIndex, replays: Mapping[str, Replays]) -> None:
    @router.get("/api/runs")
    async def runs(search: Search = "", sort: Sort = "date", down: bool = True, first: First = 0) -> Response:
        entries, pending = await index.entries()
        listed = await run_in_threadpool(run_list, entries, search, sort, down, first)
        return JSONResponse({**listed, "pending": pending})

    @router.get("/api/runs/{run}")
    async def one(run: Run) -> Response:
        entry = await index.entry(run)
        return JSONResponse(await _tried(run_in_threadpool(run_page, entry, _replays_of(entry, replays))))

    @router.get("/api/runs/{run}/tasks")
    async def tasks(
        run: Run,
        group: Annotated[str | None, Query(max_length=LONGEST_ID)] = None,
        search: Search = "",
        only: Literal["", "solved", "unsolved"] = "",
        first: First = 0,
    ) -> Response:
        entry = await index.entry(run)
        of = _replays_of(entry, replays)
        return JSONResponse(await _tried(run_in_threadpool(task_list, entry, of, group, search, only, first)))


def _add_replays(router: APIRouter, index: RunIndex, services: PageServices, replays: Mapping[str, Replays]) -> None:
    @router.get("/api/runs/{run}/task")
    async def task(run: Run, task: Task, beside: OtherRun = None) -> Response:
        entry = await index.entry(run)
        _check(entry, task)
        other = await index.entry(beside) if beside else None
        return JSONResponse(await _tried(run_in_threadpool(task_page, entry, other, task, _replays_of(entry, replays))))

    @router.get("/api/runs/{run}/others")
    async def others(run: Run, task: Task) -> Response:
        entry = await index.entry(run)
        entries, pending = await index.entries()
        return JSONResponse({"runs": await run_in_threadpool(other_runs, entry, entries, task), "pending": pending})

    @router.get("/api/runs/{run}/attempts")
    async def attempts(run: Run, task: Task, first: First = 0) -> Response:
        entry, log = await _opened(index, run, task)
        of = _replays_of(entry, replays)
        return JSONResponse(await _tried(run_in_threadpool(_attempts, log, of, task, first)))

    @router.get("/api/runs/{run}/scene")
    async def scene(run: Run, task: Task) -> Response:
        entry, log = await _opened(index, run, task)
        of = _replays_of(entry, replays)
        return JSONResponse(await _tried(run_in_threadpool(of.scene, log.header, task)))

    @router.get("/api/runs/{run}/attempts/{number}")
    async def replay(run: Run, number: Annotated[int, Path(ge=0, lt=2**31)], task: Task) -> Response:
        entry, log = await _opened(index, run, task)
        row = log.attempt(task, number)
        if row is None:
            raise WebError(404, "the log has no such attempt")
        made = await _tried(_replays_of(entry, replays).replay(services.physics, log.header, task, row))
        differs = difference(row, dict(made.outcome))
        head = json_bytes({"attempt": number, "same": not differs, "difference": differs})
        return Response(head[:-1] + b',"clip":' + made.clip + b"}", media_type="application/json")


def _attempts(log: CompactLog, of: Replays, task: str, first: int) -> dict[str, Any]:
    rows = log.rows(task, first, MOST_ATTEMPTS)
    details, remark = of.details(log.header, task, rows)
    shown = attempt_rows(rows, of)
    if details:
        shown = [{**row, "details": more} for row, more in zip(shown, details, strict=True)]
    return {"count": log.count(task), "first": first, "attempts": shown, "remark": remark}


async def _opened(index: RunIndex, run: str, task: str) -> tuple[RunEntry, CompactLog]:
    entry = await index.entry(run)
    log = await index.log(run)
    if task not in log:
        raise WebError(404, "this run has not attempted such a task")
    return entry, log


def _check(entry: RunEntry, task: str) -> None:
    if entry.header is None or entry.table is None:
        raise WebError(422, f"{entry.name}: {entry.problem}")
    if task not in entry.table.place:
        raise WebError(404, "this run has not attempted such a task")


def _replays_of(entry: RunEntry, replays: Mapping[str, Replays]) -> Replays:
    name = entry.header.benchmark if entry.header else ""
    return replays.get(name) or Replays()


async def _tried(work: Awaitable[T]) -> T:
    """What a benchmark says of a log. A log may hold anything: what fails on it is an error in the log."""
    try:
        return await work
    except TumbleError:
        raise
    except Exception as error:
        _log.exception("a run log could not be shown")
        raise WebError(422, f"this part of the log can't be used ({type(error).__name__})") from None
