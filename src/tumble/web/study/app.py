"""The application that serves one study: its pages, the play page of its benchmark, and nothing else of that."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from threading import Thread

from fastapi import FastAPI, Request
from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import RedirectResponse, Response

from tumble import __version__
from tumble.benchmark import benchmark
from tumble.studies.errors import StudyError
from tumble.studies.store import Store
from tumble.web.errors import add_error_handlers
from tumble.web.options import WebOptions
from tumble.web.pages import WebPages
from tumble.web.physics_queue import PhysicsQueue
from tumble.web.rate_limit import per_minute
from tumble.web.security import Guard, Session
from tumble.web.static_files import MEDIA_TYPES, StaticFiles, StoredFile, add_static
from tumble.web.study.admin import Token, admin_router
from tumble.web.study.pages import StudyPages
from tumble.web.study.routes import COOKIE, add_study_errors, study_router
from tumble.web.study.service import StudyService

BODY = b'<body class="play">'


def make_study_app(store: Store, token: str, options: WebOptions | None = None, is_open: bool = False) -> FastAPI:
    """The application of a study, which closes its store in the end; in an open study nobody needs a code."""
    options = options or WebOptions()
    pages, shown = _pages_of(store)
    physics = PhysicsQueue(options.waiting)
    service, admin = StudyService(store, shown, physics), Token(token, options.wrong_tokens_per_minute)

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


def session_of(service: StudyService, admin: Token) -> Session:
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
    if content.count(BODY) != 1:
        raise StudyError(f"play.html has no {BODY.decode()}")
    return StoredFile.of(content.replace(BODY, BODY.replace(b'play"', b'play study"')), MEDIA_TYPES["html"])


def _pages_of(store: Store) -> tuple[WebPages, StudyPages]:
    """The pages of a study's benchmark, and how they show its tasks."""
    chosen = benchmark(store.study.benchmark)
    pages = chosen.pages()
    shown = None if pages is None else pages.study(store.tasks)
    if pages is None or shown is None:
        raise StudyError(f"{chosen.title} has no pages for studies")
    return pages, shown
