"""The application: pages of all installed benchmarks behind one guard."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from threading import Thread

from fastapi import FastAPI, Request
from starlette.responses import JSONResponse, Response

from tumble import __version__
from tumble.benchmark import benchmarks
from tumble.web.options import WebOptions
from tumble.web.pages import PageServices, Replays, WebPages
from tumble.web.physics_queue import PhysicsQueue
from tumble.web.responses import StaticFiles, add_error_handlers, add_static
from tumble.web.security import Guard
from tumble.web.watch_index import RunIndex
from tumble.web.watch_routes import WATCH_PATH as WATCH
from tumble.web.watch_routes import watch_router

WATCH_CARD = {
    "address": f"{WATCH}/",
    "title": "Watch",
    "summary": "Runs of agents and of people: scores, every attempt replayed, two beside each other.",
    "picture": "/static/watch.svg",
}


def installed_pages() -> dict[str, WebPages]:
    """The pages of all installed benchmarks that have some, by the benchmark's name."""
    found = {name: benchmark.pages() for name, benchmark in benchmarks().items()}
    return {name: pages for name, pages in found.items() if pages is not None}


def installed_replays() -> dict[str, Replays]:
    """How the logs of all installed benchmarks are shown, by the benchmark's name."""
    return {name: found for name, benchmark in benchmarks().items() if (found := benchmark.replays()) is not None}


def make_app(options: WebOptions | None = None, pages: Mapping[str, WebPages] | None = None) -> FastAPI:
    """The application with the pages of all installed benchmarks, or with those given by name."""
    options = options or WebOptions()
    shown = dict(installed_pages() if pages is None else pages)
    physics = PhysicsQueue(options.waiting)
    replays = installed_replays() if options.runs is not None else {}
    index = RunIndex(options.runs, replays) if options.runs is not None else None

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        for one in shown.values():
            Thread(target=one.warm_up, daemon=True, name="warm-up").start()
        yield
        physics.close()
        if index is not None:
            index.close()

    app = FastAPI(
        title="Tumble", version=__version__, docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan
    )
    app.router.redirect_slashes = False
    limits = {f"/{name}/": one.body_bytes for name, one in shown.items() if one.body_bytes is not None}
    app.add_middleware(Guard, options=options, body_limits=limits, unlinked=(f"{WATCH}/",))
    add_error_handlers(app)
    _add_first_page(app, shown, [WATCH_CARD] if index is not None else [])
    services = PageServices(physics, options.runs, options)
    if index is not None:
        app.include_router(watch_router(index, services, replays))
    for name, one in shown.items():
        app.include_router(one.router(services), prefix=f"/{name}")
        add_static(app, f"/{name}/static", StaticFiles(one.package))
    return app


def _add_first_page(app: FastAPI, pages: Mapping[str, WebPages], more: Sequence[Mapping[str, str]]) -> None:
    static = StaticFiles("tumble.web")
    cards = [
        {"name": name, "title": one.title, "summary": one.summary, "picture": one.picture and f"/{name}{one.picture}"}
        for name, one in pages.items()
    ]

    @app.get("/")
    async def home(request: Request) -> Response:
        return static.response("home.html", request.headers)

    @app.get("/favicon.ico")
    async def icon(request: Request) -> Response:
        return static.response("icon.svg", request.headers)

    @app.get("/api/benchmarks")
    async def listed() -> Response:
        return JSONResponse({"version": __version__, "benchmarks": cards, "more": list(more)})

    add_static(app, "/static", static)
