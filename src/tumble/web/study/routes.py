"""The routes of a study for its participants, who are known by a code in a cookie and by nothing else."""

from collections.abc import Callable
from math import ceil
from typing import Annotated, Any

from fastapi import APIRouter, Cookie, FastAPI, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response

from tumble.studies.errors import ConflictError, UnknownParticipantError
from tumble.web.clients import client_key
from tumble.web.errors import WORDS, WebError, error_response
from tumble.web.rate_limit import RateLimit
from tumble.web.static_files import StaticFiles, StoredFile
from tumble.web.study.schemas import (
    AnswersRequest,
    BeginRequest,
    GiveUpRequest,
    MoveRequest,
    ParticipantRequest,
    SeenRequest,
)
from tumble.web.study.service import StudyService

COOKIE = "study"
COOKIE_SECONDS = 30 * 24 * 3600
Code = Annotated[str, Cookie(alias=COOKIE, max_length=64)]


def study_router(service: StudyService, task_page: StoredFile, newcomers: RateLimit | None) -> APIRouter:
    """The routes below /study. In an open study so many newcomers of an address may begin without a code."""
    router = APIRouter()
    _add_pages(router, task_page)
    _add_beginning(router, service, newcomers)
    _add_attempts(router, service)
    return router


def add_study_errors(app: FastAPI) -> None:
    """Gives errors of the store their status; others of it have 422."""
    app.add_exception_handler(ConflictError, _answering(409))
    app.add_exception_handler(UnknownParticipantError, _answering(404))


def _answering(status: int) -> Callable[[Request, Exception], Any]:
    async def answer(request: Request, error: Exception) -> Response:
        return error_response(status, str(error))

    return answer


def _add_pages(router: APIRouter, task_page: StoredFile) -> None:
    static = StaticFiles("tumble.web")

    @router.get("/")
    async def start(request: Request) -> Response:
        return static.response("study.html", request.headers)

    @router.get("/task")
    async def task(request: Request) -> Response:
        return task_page.response(request.headers)

    @router.get("/{code}")
    async def link(code: str, request: Request) -> Response:
        """The page of a link: its script begins with the code, so that opening it alone changes nothing."""
        if not code.isalnum():
            raise WebError(404, WORDS[404])
        return static.response("study.html", request.headers)


def _add_beginning(router: APIRouter, service: StudyService, newcomers: RateLimit | None) -> None:
    about = {
        "title": service.store.study.title,
        "benchmark": service.store.study.benchmark,
        "open": newcomers is not None,
    }

    @router.post("/api/begin")
    async def begin(asked: BeginRequest, request: Request) -> Response:
        if asked.code is None:
            if newcomers is None:
                raise WebError(422, "this study needs a code")
            wait = newcomers.seconds_to_wait(client_key(request.scope))
            if wait:
                raise WebError(429, "many people begin at once; wait a moment", {"Retry-After": str(ceil(wait))})
        wanted = None if asked.code is None else "".join(asked.code.split()).lower()
        code = await run_in_threadpool(service.store.begin, wanted)
        response = JSONResponse({**about, **await service.step(code)})
        secure = request.url.scheme == "https"  # also where a trusted proxy says so
        response.set_cookie(
            COOKIE, code, COOKIE_SECONDS, path="/study", secure=secure, httponly=True, samesite="strict"
        )
        return response

    @router.get("/api/step")
    async def step(code: Code = "") -> Response:
        try:
            return JSONResponse({**about, **await service.step(code)})
        except UnknownParticipantError:  # no cookie, or that of another study
            return JSONResponse({**about, "kind": "code"})

    @router.post("/api/consent")
    async def consent(asked: ParticipantRequest, code: Code = "") -> Response:
        service.check_tag(code, asked.participant)
        await run_in_threadpool(service.store.consent, code)
        return JSONResponse({**about, **await service.step(code)})

    @router.post("/api/answers")
    async def answers(asked: AnswersRequest, code: Code = "") -> Response:
        service.check_tag(code, asked.participant)
        await run_in_threadpool(service.store.answers, code, asked.answers)
        return JSONResponse({**about, **await service.step(code)})


def _add_attempts(router: APIRouter, service: StudyService) -> None:
    @router.post("/api/seen")
    async def seen(asked: SeenRequest, code: Code = "") -> Response:
        service.check_tag(code, asked.participant)
        await run_in_threadpool(service.store.seen, code, asked.position, asked.attempt)
        return JSONResponse({})

    @router.post("/api/attempts")
    async def attempt(asked: MoveRequest, code: Code = "") -> Response:
        service.check_tag(code, asked.participant)
        return JSONResponse(await service.attempt(code, asked.move()))

    @router.post("/api/amendments")
    async def amend(asked: MoveRequest, code: Code = "") -> Response:
        service.check_tag(code, asked.participant)
        return JSONResponse(await service.amend(code, asked.move()))

    @router.post("/api/give-up")
    async def give_up(asked: GiveUpRequest, code: Code = "") -> Response:
        service.check_tag(code, asked.participant)
        await run_in_threadpool(service.store.give_up, code, asked.position)
        return JSONResponse({})
