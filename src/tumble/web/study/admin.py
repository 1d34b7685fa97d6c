"""The administrator's page of a study: progress and quality as in `tumble study report`, behind a token."""

import secrets
from dataclasses import asdict
from math import ceil
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response

from tumble.studies.quality import attempt_quality, participant_quality, task_quality
from tumble.studies.records import read_records
from tumble.studies.store import Store
from tumble.web.errors import WebError
from tumble.web.rate_limit import RateLimit
from tumble.web.static_files import StaticFiles
from tumble.web.study.schemas import InviteRequest

WRONG_PER_SECOND, WRONG_AT_ONCE = 0.2, 5
"""Wrong tokens from an address; further ones are not even compared."""
Authorization = Annotated[str, Header(max_length=500)]


class Token:
    """Lets those in who know the token."""

    def __init__(self, token: str) -> None:
        self._token = token.encode()
        self._wrong = RateLimit(WRONG_PER_SECOND, WRONG_AT_ONCE)

    def check(self, request: Request, given: str) -> None:
        """Raises a WebError unless the header Authorization has the token."""
        kind, _, token = given.partition(" ")
        address = request.client.host if request.client else ""
        wait = self._wrong.seconds_left(address)
        if wait:
            raise WebError(429, "too many wrong tokens; wait a moment", {"Retry-After": str(ceil(wait))})
        if kind.lower() != "bearer" or not secrets.compare_digest(token.encode(), self._token):
            self._wrong.seconds_to_wait(address)
            raise WebError(401, "the token is not that of this study", {"WWW-Authenticate": "Bearer"})


def admin_router(store: Store, token: Token) -> APIRouter:
    """The routes below /study that need the token, and the page that asks for it."""
    router = APIRouter()
    static = StaticFiles("tumble.web")

    @router.get("/admin")
    async def page(request: Request) -> Response:
        return static.response("study_admin.html", request.headers)

    @router.get("/api/admin")
    async def progress(request: Request, authorization: Authorization = "") -> Response:
        token.check(request, authorization)
        return JSONResponse(await run_in_threadpool(progress_of, store))

    @router.post("/api/admin/codes")
    async def invite(asked: InviteRequest, request: Request, authorization: Authorization = "") -> Response:
        token.check(request, authorization)
        return JSONResponse({"codes": await run_in_threadpool(store.invite, asked.count)})

    return router


def progress_of(store: Store) -> dict[str, Any]:
    """How far a study is, and what looks wrong, as JSON values."""
    records = read_records(store)
    begun = [record for record in records if record.begun is not None]
    last = {record.number: record.last or record.begun for record in begun}
    people = [participant_quality(record) for record in begun]
    return {
        "title": store.study.title,
        "study": store.file.name,
        "tasks": len(store.tasks.ids),
        "attempts": store.study.attempts,
        "finished": sum(person.finished for person in people),
        "participants": [{**asdict(person), "last": last[person.number]} for person in people],
        "unused": [record.code for record in records if record.begun is None],
        "by_attempt": [asdict(one) for one in attempt_quality(records)],
        "by_task": [asdict(one) for one in task_quality(records)],
    }
