"""Errors as JSON: one line that says what is wrong, without internals of the server."""

import logging
from collections.abc import Mapping

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from tumble.errors import TumbleError
from tumble.output import file_error
from tumble.studies.errors import StudyFileError

_log = logging.getLogger(__name__)

WORDS = {
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
    return error_response(503, WORDS[503])


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
    return error_response(status, WORDS.get(status, "this request can't be answered"), error.headers)
