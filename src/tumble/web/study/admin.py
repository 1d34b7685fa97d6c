"""The administrator's page of a study: progress and quality as in `tumble study report`, behind a token."""

import asyncio
import secrets
from dataclasses import asdict
from math import ceil
from time import monotonic
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response

from tumble.studies.quality import Progress, read_progress
from tumble.studies.store import Store
from tumble.web.clients import client_key
from tumble.web.errors import WebError
from tumble.web.rate_limit import per_minute
from tumble.web.static_files import StaticFiles
from tumble.web.study.schemas import InviteRequest

MOST_ROWS = 200
"""Participants, and codes that nobody has used, in one answer."""
QUICK_SECONDS = 0.1
SHARE_READING = 0.1
"""Of the time, in which progress that is not read quickly is read: less often than the page of a large study asks."""
Authorization = Annotated[str, Header(max_length=500)]
First = Annotated[int, Query(ge=0, le=10**9)]


class Token:
    """Lets those in who know the token, however many wrong ones came from their address before."""

    def __init__(self, token: str, wrong_per_minute: int) -> None:
        self._token = token.encode()
        self._wrong = per_minute(wrong_per_minute)

    def is_right(self, given: str) -> bool:
        """Whether a header Authorization has the token; compared in constant time."""
        kind, _, token = given.partition(" ")
        return secrets.compare_digest(token.encode(), self._token) and kind.lower() == "bearer"

    def check(self, request: Request, given: str) -> None:
        """Raises a WebError unless the header Authorization has the token."""
        if self.is_right(given):
            return
        wait = self._wrong.seconds_to_wait(client_key(request.scope))
        if wait:
            raise WebError(429, "too many wrong tokens; wait a moment", {"Retry-After": str(ceil(wait))})
        raise WebError(401, "the token is not that of this study", {"WWW-Authenticate": "Bearer"})


class LiveProgress:
    """The progress of a study, read by one request at a time and kept while reading it again would take too long."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = asyncio.Lock()
        self._progress: Progress | None = None
        self._until = 0.0

    async def read(self) -> Progress:
        """As it is now, or as it was a moment ago."""
        async with self._lock:
            begin = monotonic()
            if self._progress is None or begin >= self._until:
                self._progress = await run_in_threadpool(read_progress, self._store)
                took = monotonic() - begin
                self._until = begin + (took / SHARE_READING if took > QUICK_SECONDS else 0.0)
            return self._progress

    def forget(self) -> None:
        """Makes the next request read it again."""
        self._progress = None


def admin_router(store: Store, token: Token) -> APIRouter:
    """The routes below /study that need the token, and the page that asks for it."""
    router = APIRouter()
    static = StaticFiles("tumble.web")
    live = LiveProgress(store)

    @router.get("/admin")
    async def page(request: Request) -> Response:
        return static.response("study_admin.html", request.headers)

    @router.get("/api/admin")
    async def progress(request: Request, first: First = 0, authorization: Authorization = "") -> Response:
        token.check(request, authorization)
        return JSONResponse(shown_progress(store, await live.read(), first))

    @router.post("/api/admin/codes")
    async def invite(asked: InviteRequest, request: Request, authorization: Authorization = "") -> Response:
        token.check(request, authorization)
        codes = await run_in_threadpool(store.invite, asked.count)
        live.forget()
        return JSONResponse({"codes": codes})

    return router


def shown_progress(store: Store, progress: Progress, first: int) -> dict[str, Any]:
    """How far a study is, and what looks wrong, as JSON values; participants from `first` on."""
    return {
        "title": store.study.title,
        "study": store.file.name,
        "tasks": len(store.tasks.ids),
        "attempts": store.study.attempts,
        "began": len(progress.people),
        "finished": progress.finished,
        "first": first,
        "participants": [asdict(person) for person in progress.people[first : first + MOST_ROWS]],
        "unused_codes": len(progress.unused),
        "unused": progress.unused[-MOST_ROWS:],
        "by_attempt": [asdict(one) for one in progress.by_attempt],
        "by_task": [asdict(one) for one in progress.by_task],
    }
