"""Static files of a package, read once: a name from the net is looked up among them and never reaches the disk."""

import gzip
from dataclasses import dataclass
from hashlib import sha256
from importlib import resources

from fastapi import FastAPI, Request
from starlette.datastructures import Headers
from starlette.responses import Response

from tumble.web.errors import WORDS, WebError

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


class StaticFiles:
    """The files in the folder `static` of a package."""

    def __init__(self, package: str) -> None:
        folder = resources.files(package).joinpath("static")
        self._files = {
            file.name: StoredFile.of(file.read_bytes(), MEDIA_TYPES[file.name.rpartition(".")[2]])
            for file in folder.iterdir()
            if file.is_file() and file.name.rpartition(".")[2] in MEDIA_TYPES
        }

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._files)

    def file(self, name: str) -> StoredFile:
        """A file by its name; a WebError with status 404 if there is none."""
        if name not in self._files:
            raise WebError(404, WORDS[404])
        return self._files[name]

    def response(self, name: str, headers: Headers) -> Response:
        """The answer to a request for a file."""
        return self.file(name).response(headers)


def add_static(app: FastAPI, path: str, files: StaticFiles) -> None:
    """Serves files below a path."""

    @app.get(path + "/{name}")
    async def static(name: str, request: Request) -> Response:
        return files.response(name, request.headers)
