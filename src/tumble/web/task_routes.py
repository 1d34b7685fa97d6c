"""Routes that pages of tasks share: a gallery, a page for each task, and what both load."""

from collections.abc import Callable, Mapping

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from tumble.web.errors import WORDS, WebError
from tumble.web.prepared import Prepared
from tumble.web.static_files import StaticFiles, StoredFile

DAY = "public, max-age=86400"


def add_task_pages(router: APIRouter, name: str, static: StaticFiles, is_task: Callable[[str], bool]) -> None:
    """Adds gallery.html as the start page of the benchmark `name`, and play.html for each task."""

    @router.get("")
    async def slash() -> Response:
        return RedirectResponse(f"/{name}/", 308)

    @router.get("/")
    async def start(request: Request) -> Response:
        return static.response("gallery.html", request.headers)

    @router.get("/{task_id}")
    async def play(task_id: str, request: Request) -> Response:
        if not is_task(task_id):
            raise WebError(404, WORDS[404])
        return static.response("play.html", request.headers)


def add_task_files(
    router: APIRouter,
    gallery: Prepared[StoredFile],
    picture: Prepared[StoredFile],
    of_task: Mapping[str, Prepared[StoredFile]],
) -> None:
    """Adds the gallery, pictures by name, and files of tasks by kind: `/api/tasks/ID`, and `/api/tasks/ID/KIND`.

    The kind "" is that of the task itself.
    """

    @router.get("/api/gallery")
    async def listed(request: Request) -> Response:
        return (await gallery.get("")).response(request.headers)

    @router.get("/pictures/{name}")
    async def small_picture(name: str, request: Request) -> Response:
        return (await picture.get(name.removesuffix(".svg"))).response(request.headers, DAY)

    @router.get("/api/tasks/{task_id}")
    async def task(task_id: str, request: Request) -> Response:
        return (await of_task[""].get(task_id)).response(request.headers)

    @router.get("/api/tasks/{task_id}/{kind}")
    async def part(task_id: str, kind: str, request: Request) -> Response:
        if kind not in of_task:
            raise WebError(404, WORDS[404])
        return (await of_task[kind].get(task_id)).response(request.headers)
