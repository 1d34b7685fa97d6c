"""What all pages answer with: errors as JSON, static files, values that are made once, and the routes of tasks.

Errors are one line that says what is wrong, without internals of the server. Static files of a package are read once:
a name from the net is looked up among them and never reaches the disk. Values that take a while to make are each made
once, in a thread. Pages of tasks share a gallery, a page for each task, and what both load.
"""

import gzip
import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib import resources
from typing import Generic, TypeVar

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse, Response

from tumble.errors import TumbleError
from tumble.output import file_error
from tumble.report.page import html_page
from tumble.studies.study import StudyFileError

_log = logging.getLogger(__name__)

STATUS_WORDS = {
    400: "this request can't be read",
    404: "there is no such page",
    405: "this page does not take such a request",
    500: "an error of the server; its log says more",
    503: "the server can't store this just now; try again in a moment",
}


class WebError(TumbleError):
    """An error with its HTTP status."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.headers = dict(headers or {})


def error_response(status: int, message: str, headers: Mapping[str, str] | None = None) -> Response:
    """An error as JSON."""
    return JSONResponse({"error": message}, status, headers=dict(headers or {}))


def add_error_handlers(app: FastAPI) -> None:
    """Makes an application answer all errors that are the client's doing, and a full disk, in JSON."""
    app.add_exception_handler(TumbleError, _tumble_error)
    app.add_exception_handler(StudyFileError, _file_error)
    app.add_exception_handler(RequestValidationError, _validation_error)
    app.add_exception_handler(HTTPException, _http_error)


async def _tumble_error(request: Request, error: Exception) -> Response:
    if isinstance(error, WebError):
        return error_response(error.status, str(error), error.headers)
    return error_response(422, str(error))


async def _file_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, StudyFileError)
    _log.error("%s", file_error(error))
    return error_response(503, STATUS_WORDS[503])


async def _validation_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = [str(part) for part in first["loc"] if part not in ("body", "query", "path")]
    where = ".".join(place)[:60].encode("ascii", "replace").decode()
    what = "this is no JSON" if first["type"] == "json_invalid" else str(first["msg"])
    return error_response(422, f"{where}: {what}" if where and not where.isdigit() else what)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    status = error.status_code
    return error_response(status, STATUS_WORDS.get(status, "this request can't be answered"), error.headers)


MEDIA_TYPES = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "png": "image/png",
    "svg": "image/svg+xml",
}
"""Of the files that are served, by suffix."""


@dataclass(frozen=True)
class StoredFile:
    """A file in memory, also compressed."""

    content: bytes
    compressed: bytes
    media_type: str
    etag: str

    @classmethod
    def of(cls, content: bytes, media_type: str) -> "StoredFile":
        """The file of some content."""
        digest = sha256(content).hexdigest()[:16]
        return cls(content, gzip.compress(content, 6, mtime=0), media_type, f'"{digest}"')

    def response(self, headers: Headers, cache: str = "no-cache") -> Response:
        """The answer to a request with these headers: the file, or 304 where the browser has it."""
        own = {"ETag": self.etag, "Cache-Control": cache, "Vary": "Accept-Encoding"}
        if self.etag in headers.get("if-none-match", ""):
            return Response(status_code=304, headers=own)
        if "gzip" in headers.get("accept-encoding", "") and len(self.compressed) < len(self.content):
            return Response(self.compressed, media_type=self.media_type, headers={**own, "Content-Encoding": "gzip"})
        return Response(self.content, media_type=self.media_type, headers=own)


PAGE_LINKS = '<link rel="icon" href="/static/icon.svg">\n<link rel="stylesheet" href="/static/style.css">\n'
"""In the head of every page of the server, before its own styles."""


def served_page(text: str) -> str:
    """The whole page of an HTML file in `static`: its title, styles and scripts, then its <body> element."""
    head, start, body = text.partition("<body")
    return html_page(PAGE_LINKS + head, start + body.rstrip())


class StaticFiles:
    """The files in the folder `static` of a package, pages with the head that all of them share."""

    def __init__(self, package: str) -> None:
        folder = resources.files(package).joinpath("static")
        self._files = {}
        for file in folder.iterdir():
            suffix = file.name.rpartition(".")[2]
            if file.is_file() and suffix in MEDIA_TYPES:
                content = file.read_bytes()
                whole = served_page(content.decode()).encode() if suffix == "html" else content
                self._files[file.name] = StoredFile.of(whole, MEDIA_TYPES[suffix])

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._files)

    def file(self, name: str) -> StoredFile:
        """A file by its name; a WebError with status 404 if there is none."""
        if name not in self._files:
            raise WebError(404, STATUS_WORDS[404])
        return self._files[name]

    def response(self, name: str, headers: Headers) -> Response:
        """The answer to a request for a file."""
        return self.file(name).response(headers)


def add_static(app: FastAPI, path: str, files: StaticFiles) -> None:
    """Serves files below a path."""

    @app.get(path + "/{name}")
    async def static(name: str, request: Request) -> Response:
        return files.response(name, request.headers)


def json_bytes(value: object) -> bytes:
    """A value as JSON, without spaces."""
    return json.dumps(value, separators=(",", ":")).encode("ascii")


def json_response(value: object) -> Response:
    """A response with a value as JSON."""
    return Response(json_bytes(value), media_type="application/json")


T = TypeVar("T")
MOST_PREPARED = 8192


class Prepared(Generic[T]):
    """Values by key; the oldest are dropped when there are too many."""

    def __init__(self, make: Callable[[str], T], most: int = MOST_PREPARED) -> None:
        self._make = make
        self._most = most
        self._made: dict[str, T] = {}

    async def get(self, key: str) -> T:
        """What belongs to a key; raises what making it raises."""
        found = self._made.get(key)
        if found is None:
            found = await run_in_threadpool(self._make, key)
            self._made[key] = found
            if len(self._made) > self._most:
                del self._made[next(iter(self._made))]
        return found


def json_file(value: object) -> StoredFile:
    """A value as JSON."""
    return StoredFile.of(json_bytes(value), MEDIA_TYPES["json"])


CACHE_FOR_A_DAY = "public, max-age=86400"


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
            raise WebError(404, STATUS_WORDS[404])
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
        return (await picture.get(name.removesuffix(".svg"))).response(request.headers, CACHE_FOR_A_DAY)

    @router.get("/api/tasks/{task_id}")
    async def task(task_id: str, request: Request) -> Response:
        return (await of_task[""].get(task_id)).response(request.headers)

    @router.get("/api/tasks/{task_id}/{kind}")
    async def part(task_id: str, kind: str, request: Request) -> Response:
        if kind not in of_task:
            raise WebError(404, STATUS_WORDS[404])
        return (await of_task[kind].get(task_id)).response(request.headers)
