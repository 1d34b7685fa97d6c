"""The application: pages of all installed benchmarks behind one guard."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from threading import Thread

from fastapi import FastAPI, Request
from starlette.responses import JSONResponse, Response

from tumble import __version__
from tumble.benchmark import benchmarks
from tumble.web.errors import add_error_handlers
from tumble.web.options import WebOptions
from tumble.web.pages import PageServices, WebPages
from tumble.web.physics_queue import PhysicsQueue
from tumble.web.security import Guard
from tumble.web.static_files import StaticFiles, add_static


def installed_pages() -> dict[str, WebPages]:
    """The pages of all installed benchmarks that have some, by the benchmark's name."""
    found = {name: benchmark.pages() for name, benchmark in benchmarks().items()}
    return {name: pages for name, pages in found.items() if pages is not None}


def make_app(options: WebOptions | None = None, pages: Mapping[str, WebPages] | None = None) -> FastAPI:
    """The application with the pages of all installed benchmarks, or with those given by name."""
    options = options or WebOptions()
    shown = dict(installed_pages() if pages is None else pages)
    physics = PhysicsQueue(options.waiting_attempts)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        for one in shown.values():
            Thread(target=one.warm_up, daemon=True, name="warm-up").start()
        yield
        physics.close()

    app = FastAPI(
        title="Tumble", version=__version__, docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan
    )
    app.router.redirect_slashes = False
    limits = {f"/{name}/": one.body_bytes for name, one in shown.items() if one.body_bytes is not None}
    app.add_middleware(Guard, options=options, body_limits=limits)
    add_error_handlers(app)
    _add_first_page(app, shown)
    services = PageServices(physics, options.runs)
    for name, one in shown.items():
        app.include_router(one.router(services), prefix=f"/{name}")
        add_static(app, f"/{name}/static", StaticFiles(one.package))
    return app


def _add_first_page(app: FastAPI, pages: Mapping[str, WebPages]) -> None:
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
        return JSONResponse({"version": __version__, "benchmarks": cards})

    add_static(app, "/static", static)
