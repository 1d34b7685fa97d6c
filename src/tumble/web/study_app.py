"""The application that serves one study: its pages, the play page of its benchmark, and nothing else of that.

Participants are known by a code in a cookie and by nothing else. The administrator's page shows progress and quality
as in `tumble study report`, behind a token.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict
from math import ceil
from threading import Thread
from time import monotonic
from typing import Annotated, Any

from fastapi import APIRouter, Cookie, FastAPI, Header, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import JSONResponse, RedirectResponse, Response

from tumble import __version__
from tumble.benchmark import benchmark
from tumble.studies.quality import StudyProgress, read_progress
from tumble.studies.store import Store
from tumble.studies.study import ConflictError, StudyError, UnknownParticipantError
from tumble.web.clients import RateLimit, client_key, per_minute
from tumble.web.options import WebOptions
from tumble.web.pages import StudyPages, WebPages
from tumble.web.physics_queue import PhysicsQueue
from tumble.web.responses import (
    MEDIA_TYPES,
    STATUS_WORDS,
    StaticFiles,
    StoredFile,
    WebError,
    add_error_handlers,
    add_static,
    error_response,
)
from tumble.web.security import Guard, Session
from tumble.web.study_service import (
    AnswersRequest,
    BeginRequest,
    GiveUpRequest,
    InviteRequest,
    MoveRequest,
    ParticipantRequest,
    SeenRequest,
    StudyService,
)

COOKIE = "study"
COOKIE_SECONDS = 30 * 24 * 3600
Code = Annotated[str, Cookie(alias=COOKIE, max_length=64)]


def study_router(service: StudyService, task_page: StoredFile, newcomers: RateLimit | None) -> APIRouter:
    """The routes below /study. In an open study so many newcomers of an address may begin without a code."""
    router = APIRouter()
    _add_study_pages(router, task_page)
    _add_beginning(router, service, newcomers)
    _add_attempts(router, service)
    return router


def add_study_errors(app: FastAPI) -> None:
    """Gives errors of the store their status; others of it have 422."""
    app.add_exception_handler(ConflictError, _answering_with(409))
    app.add_exception_handler(UnknownParticipantError, _answering_with(404))


def _answering_with(status: int) -> Callable[[Request, Exception], Any]:
    async def answer(request: Request, error: Exception) -> Response:
        return error_response(status, str(error))

    return answer


def _add_study_pages(router: APIRouter, task_page: StoredFile) -> None:
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
            raise WebError(404, STATUS_WORDS[404])
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


MOST_ROWS = 200
"""Participants, and codes that nobody has used, in one answer."""
QUICK_SECONDS = 0.1
SHARE_READING = 0.1
"""Of the time, in which progress that is not read quickly is read: less often than the page of a large study asks."""
Authorization = Annotated[str, Header(max_length=500)]
FirstRow = Annotated[int, Query(ge=0, le=10**9)]


class AdminToken:
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
        self._progress: StudyProgress | None = None
        self._until = 0.0

    async def read(self) -> StudyProgress:
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


def admin_router(store: Store, token: AdminToken) -> APIRouter:
    """The routes below /study that need the token, and the page that asks for it."""
    router = APIRouter()
    static = StaticFiles("tumble.web")
    live = LiveProgress(store)

    @router.get("/admin")
    async def page(request: Request) -> Response:
        return static.response("study_admin.html", request.headers)

    @router.get("/api/admin")
    async def progress(request: Request, first: FirstRow = 0, authorization: Authorization = "") -> Response:
        token.check(request, authorization)
        return JSONResponse(shown_progress(store, await live.read(), first))

    @router.post("/api/admin/codes")
    async def invite(asked: InviteRequest, request: Request, authorization: Authorization = "") -> Response:
        token.check(request, authorization)
        codes = await run_in_threadpool(store.invite, asked.count)
        live.forget()
        return JSONResponse({"codes": codes})

    return router


def shown_progress(store: Store, progress: StudyProgress, first: int) -> dict[str, Any]:
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


PLAY_BODY = b'<body class="play">'


def make_study_app(store: Store, token: str, options: WebOptions | None = None, is_open: bool = False) -> FastAPI:
    """The application of a study, which closes its store in the end; in an open study nobody needs a code."""
    options = options or WebOptions()
    pages, shown = _pages_of(store)
    physics = PhysicsQueue(options.waiting)
    service, admin = StudyService(store, shown, physics), AdminToken(token, options.wrong_tokens_per_minute)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        Thread(target=pages.warm_up, daemon=True, name="warm-up").start()
        yield
        physics.close()
        store.close()

    app = FastAPI(
        title="Tumble", version=__version__, docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan
    )
    app.router.redirect_slashes = False
    app.add_middleware(Guard, options=options, body_limits={}, session=session_of(service, admin))
    add_error_handlers(app)
    add_study_errors(app)
    static, own = StaticFiles("tumble.web"), StaticFiles(pages.package)
    app.include_router(admin_router(store, admin), prefix="/study")
    newcomers = per_minute(options.newcomers_per_minute) if is_open else None
    app.include_router(study_router(service, task_page(own), newcomers), prefix="/study")
    add_static(app, "/static", static)
    add_static(app, f"/{store.study.benchmark}/static", own)

    @app.get("/")
    @app.get("/study")
    async def start() -> Response:
        return RedirectResponse("/study/", 303)

    @app.get("/favicon.ico")
    async def icon(request: Request) -> Response:
        return static.response("icon.svg", request.headers)

    return app


def session_of(service: StudyService, admin: AdminToken) -> Session:
    """How the limit of requests knows a participant, by the code in the cookie, and the administrator."""

    def session(headers: Headers) -> str:
        if admin.is_right(headers.get("authorization", "")):
            return "administrator"
        code = cookie_parser(headers.get("cookie", "")).get(COOKIE, "")
        return f"participant {code}" if service.knows(code) else ""

    return session


def task_page(static: StaticFiles) -> StoredFile:
    """The play page of a benchmark in the mode for studies, which its scripts and styles know by a class."""
    content = static.file("play.html").content
    if content.count(PLAY_BODY) != 1:
        raise StudyError(f"play.html has no {PLAY_BODY.decode()}")
    return StoredFile.of(content.replace(PLAY_BODY, PLAY_BODY.replace(b'play"', b'play study"')), MEDIA_TYPES["html"])


def _pages_of(store: Store) -> tuple[WebPages, StudyPages]:
    """The pages of a study's benchmark, and how they show its tasks."""
    chosen = benchmark(store.study.benchmark)
    pages = chosen.pages()
    shown = None if pages is None else pages.study(store.tasks)
    if pages is None or shown is None:
        raise StudyError(f"{chosen.title} has no pages for studies")
    return pages, shown
