"""The routes below /watch/: a list of runs, a run, and its attempts replayed, perhaps beside another run's.

Pages get JSON: a run's tasks by template, one task's attempts, other runs of it.
"""

import logging
from collections.abc import Awaitable, Mapping, Sequence
from typing import Annotated, Any, Literal, TypeVar

from fastapi import APIRouter, Path, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, RedirectResponse, Response

from tumble.errors import TumbleError
from tumble.runs.log import Row
from tumble.runs.replay import row_difference
from tumble.web.pages import PageServices, Replays
from tumble.web.responses import StaticFiles, WebError, json_bytes
from tumble.web.watch_entry import RunEntry, common_tasks, seed_of, shown_row
from tumble.web.watch_index import ID_DIGITS, CompactLog, RunIndex

MOST_ROWS = 100
"""Of a list of runs, in one answer."""
MOST_TASKS = 200
MOST_ATTEMPTS = 200
MOST_OTHERS = 200
THOUGHT = "released_ms"
"""In logs of people: milliseconds from when the task was seen to the release, of each part of the attempt."""
MOST_DIGITS = 12


def run_list(entries: Sequence[RunEntry], search: str, sort: str, down: bool, first: int) -> dict[str, Any]:
    """Runs whose text has all words of a search, sorted; logs that can't be read come last."""
    words = search.lower().split()
    found = [entry for entry in entries if all(word in entry.text for word in words)]
    usable = [entry for entry in found if entry.header is not None]
    usable.sort(key=lambda entry: _sort_key(entry, sort), reverse=down)
    if sort == "score":
        usable.sort(key=lambda entry: entry.score is None)
    broken = sorted((entry for entry in found if entry.header is None), key=lambda entry: entry.name)
    rows = [*usable, *broken]
    return {
        "total": len(entries),
        "found": len(rows),
        "first": first,
        "runs": [shown_row(entry) for entry in rows[first : first + MOST_ROWS]],
    }


def _sort_key(entry: RunEntry, sort: str) -> tuple[Any, ...]:
    header = entry.header
    assert header is not None
    date = header.created.timestamp()
    if sort == "score":
        return entry.score if entry.score is not None else 0.0, date
    if sort == "seed":
        seed = seed_of(header)
        return -1 if seed is None else seed, date
    values: Mapping[str, Any] = {
        "date": date,
        "benchmark": header.benchmark,
        "agent": entry.agent.lower(),
        "conditions": entry.conditions,
        "tasks": entry.tasks_done,
        "finished": entry.finished,
    }
    return values[sort], date


def run_page(entry: RunEntry, replays: Replays) -> dict[str, Any]:
    """A run with its tasks counted by template."""
    header, table = entry.header, entry.table
    groups: dict[str, list[int]] = {}
    for task, k in (table.place if table else {}).items():
        groups.setdefault(replays.group(task), []).append(k)
    counted = []
    for name, places in groups.items():
        assert table is not None
        counted.append(
            {
                "name": name,
                "tasks": len(places),
                "solved": int((table.passed[places] > 0).sum()),
                "attempts": int(table.attempts[places].sum()),
                "passed": int(table.passed[places].sum()),
            }
        )
    current = entry.benchmark.physics_id() if entry.benchmark else ""
    is_current = header is None or entry.benchmark is None or header.physics in entry.benchmark.spec.all_physics()
    return {
        **shown_row(entry),
        **_words(entry, replays),
        "summary": entry.summary,
        "warning": entry.warning,
        "physics": header.physics if header else "",
        "other_physics": "" if is_current else current,
        "version": header.tumble_version if header else "",
        "machine": header.machine if header else "",
        "groups": counted,
    }


def _words(entry: RunEntry, replays: Replays) -> dict[str, Any]:
    """How tasks and attempts are called, and whether every attempt counts or only the first that solves."""
    return {
        "task_word": replays.task_word,
        "attempt_word": replays.attempt_word,
        "every_attempt": bool(entry.benchmark and entry.benchmark.needs_all_attempts),
        "script": replays.script,
    }


def task_list(
    entry: RunEntry, replays: Replays, group: str | None, search: str, only: str, first: int
) -> dict[str, Any]:
    """Tasks of a run, of one template or with a text in their ids, perhaps only those that were solved or not."""
    rows = []
    for task in entry.table.place if entry.table else ():
        if (group is None or replays.group(task) == group) and search.lower() in task.lower():
            row = task_row(entry, task)
            if not only or row["solved"] == (only == "solved"):
                rows.append(row)
    return {"found": len(rows), "first": first, "tasks": rows[first : first + MOST_TASKS]}


def task_row(entry: RunEntry, task: str) -> dict[str, Any]:
    """The result of a task of a run."""
    table = entry.table
    assert table is not None
    k = table.place[task]
    return {
        "id": task,
        "attempts": int(table.attempts[k]),
        "passed": int(table.passed[k]),
        "first": int(table.first[k]) or None,
        "solved": bool(table.passed[k] > 0),
        "given_up": table.given_up.get(task, ""),
        "unfinished": task in table.unfinished,
    }


def attempt_rows(rows: Sequence[Row], replays: Replays) -> list[dict[str, Any]]:
    """Attempts at a task."""
    return [
        {
            "attempt": row["attempt"],
            "solved": replays.is_solved(row),
            "outcome": replays.outcome(row),
            "status": row["status"],
            "steps": row.get("steps"),
            "thought": _thought(row),
        }
        for row in rows
    ]


def _thought(row: Row) -> float | None:
    """Seconds that a person thought before the attempt's first part; None for agents."""
    first = next(iter(row.get(THOUGHT) or ()), None)
    return None if first is None else first / 1000.0


def task_page(entry: RunEntry, beside: RunEntry | None, task: str, replays: Replays) -> dict[str, Any]:
    """A task of a run, perhaps beside another run: its result, and the next and previous task that both have."""
    tasks = common_tasks([entry, beside] if beside and beside.table else [entry])
    at = tasks.index(task) if task in tasks else -1
    header = entry.header
    assert header is not None
    return {
        **shown_row(entry),
        **_words(entry, replays),
        "task": task_row(entry, task),
        "group": replays.group(task),
        "play": replays.play_address(header, task),
        "previous": tasks[at - 1] if at > 0 else None,
        "next": tasks[at + 1] if 0 <= at < len(tasks) - 1 else None,
        "number": at + 1,
        "common": len(tasks),
    }


def other_runs(entry: RunEntry, entries: Sequence[RunEntry], task: str) -> list[dict[str, Any]]:
    """Other runs of the same benchmark that have attempted a task: people first, then the newest."""
    found = [
        other
        for other in entries
        if other.id != entry.id
        and other.header is not None
        and entry.header is not None
        and other.header.benchmark == entry.header.benchmark
        and other.table is not None
        and task in other.table.place
    ]
    found.sort(key=lambda other: (other.is_people, other.changed), reverse=True)
    return [
        {
            "id": other.id,
            "agent": other.agent,
            "people": other.is_people,
            "conditions": other.conditions,
            "seed": seed_of(other.header),
            **{name: value for name, value in task_row(other, task).items() if name != "id"},
        }
        for other in found[:MOST_OTHERS]
    ]


WATCH_PATH = "/watch"
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
    router = APIRouter(prefix=WATCH_PATH)
    _add_pages(router, StaticFiles("tumble.web"))
    _add_tables(router, index, replays)
    _add_replays(router, index, services, replays)
    return router


def _add_pages(router: APIRouter, static: StaticFiles) -> None:
    @router.get("")
    async def slash() -> Response:
        return RedirectResponse(f"{WATCH_PATH}/", 308)

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
        _check_replay(entry, task)
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
        return JSONResponse(await _tried(run_in_threadpool(_attempts_of, log, of, task, first)))

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
        differs = row_difference(row, dict(made.outcome))
        head = json_bytes({"attempt": number, "same": not differs, "difference": differs})
        return Response(head[:-1] + b',"clip":' + made.clip + b"}", media_type="application/json")


def _attempts_of(log: CompactLog, of: Replays, task: str, first: int) -> dict[str, Any]:
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


def _check_replay(entry: RunEntry, task: str) -> None:
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
