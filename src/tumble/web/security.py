"""What every request must pass: host, origin, sizes and rates; and the headers of every answer."""

import asyncio
import logging
import re
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from ipaddress import ip_address
from math import ceil
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tumble.web.clients import Proxies, RateLimit, client_key
from tumble.web.options import WebOptions
from tumble.web.responses import STATUS_WORDS, WebError, error_response

CONTENT_SECURITY_POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
LONGEST_PATH = 512
LONGEST_QUERY = 1024
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
FILES = re.compile(r"(/[^/]+)?/(static|pictures)/[^/]+|/favicon\.ico")
"""Paths of files and small pictures of pages: what a browser loads with a page is outside the limit of requests."""
OWN_SITE = ("same-origin", "none")
"""Of the header Sec-Fetch-Site: our own pages, and addresses that a person typed."""

Session = Callable[[Headers], str]
"""Who sends a request, by something that only they know; empty where nobody is known."""

_log = logging.getLogger("tumble.web")


class Guard:
    """ASGI middleware around the whole application.

    `body_limits` are bytes by the beginning of a path. Those with a session have a limit of requests of their own, all
    others share that of their address. Other sites can't even link to paths below `unlinked`.
    """

    def __init__(
        self,
        app: ASGIApp,
        options: WebOptions,
        body_limits: Mapping[str, int],
        session: Session = lambda headers: "",
        unlinked: tuple[str, ...] = (),
    ) -> None:
        self.app = app
        self.options = options
        self._body_limits = dict(body_limits)
        self._session, self._unlinked = session, unlinked
        self._proxies = Proxies(options.trusted_proxies)
        self._names = {name.lower() for name in (*_own_names(), options.host, *options.allowed_hosts)}
        self._rates = RateLimit(options.requests_per_second, options.burst)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        with suppress(_DisconnectedError):
            await self._answer(scope, receive, _Answer(send))

    async def _answer(self, scope: Scope, receive: Receive, answer: "_Answer") -> None:
        try:
            self._proxies.resolve(scope)
            self._check(scope)
            body = await self._body(scope, receive)
            await self.app(scope, _replay(body, receive), answer)
        except WebError as error:
            await error_response(error.status, str(error), error.headers)(scope, receive, answer)
        except _DisconnectedError:
            raise
        except Exception:
            _log.exception("%s %s", scope["method"], ascii(scope["path"]))
            if not answer.started:
                await error_response(500, STATUS_WORDS[500])(scope, receive, answer)

    def _check(self, scope: Scope) -> None:
        """Raises a WebError for a request that nothing else should see."""
        headers = Headers(scope=scope)
        if len(scope["raw_path"]) > LONGEST_PATH or len(scope["query_string"]) > LONGEST_QUERY:
            raise WebError(414, "the address is too long")
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_allowed(hosts[0]):
            raise WebError(400, "this server has another name; open it by the address that it printed")
        if not self._is_own(scope, headers, hosts[0]):
            raise WebError(403, "requests from other sites are refused; type the address of this page instead")
        is_file = scope["method"] in ("GET", "HEAD") and FILES.fullmatch(scope["path"])
        wait = 0.0 if is_file else self._rates.seconds_to_wait(self._session(headers) or client_key(scope))
        if wait:
            raise WebError(429, "too many requests; wait a moment", {"Retry-After": str(ceil(wait))})

    def _is_own(self, scope: Scope, headers: Headers, host: str) -> bool:
        """Whether a request comes from our own pages, or from a person who follows a link to a page.

        Browsers say so (Sec-Fetch-Site at https and localhost, Origin with what changes something); programs need not.
        """
        origin = headers.get("origin")
        if scope["method"] not in SAFE_METHODS and origin is not None and origin.partition("://")[2] != host:
            return False
        if headers.get("sec-fetch-site", "none") in OWN_SITE:
            return True
        follows = (scope["method"], headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest"))
        is_page = "/api/" not in scope["path"] and not f"{scope['path']}/".startswith(self._unlinked)
        return is_page and follows == ("GET", "navigate", "document")

    def _is_allowed(self, host: str) -> bool:
        """Whether a request names this machine as its host; names of other sites may resolve to its address."""
        try:
            name = urlsplit(f"//{host}").hostname or ""
            ip_address(name)
        except ValueError:
            return host.rpartition(":")[0].lower() in self._names or host.lower() in self._names
        return True

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        """The whole body of a request."""
        headers = Headers(scope=scope)
        if "content-length" not in headers and "transfer-encoding" not in headers:
            return b""
        limit = self._limit(scope["path"])
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()):
            raise WebError(400, STATUS_WORDS[400])
        too_large = WebError(413, f"too large: a request may have {limit:,} bytes here")
        if len(length) > 15 or int(length) > limit:
            raise too_large
        try:
            body = await asyncio.wait_for(_read(receive, limit), self.options.body_seconds)
        except asyncio.TimeoutError:
            raise WebError(408, "the request did not arrive in time") from None
        if body is None:
            raise too_large
        return body

    def _limit(self, path: str) -> int:
        found = (limit for start, limit in self._body_limits.items() if path.startswith(start))
        return next(found, self.options.body_bytes)


class _DisconnectedError(Exception):
    """Nobody can be answered: the client is gone, or broke the protocol and has been told so by the server."""


class _Answer:
    """Sends an answer with our headers."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.started = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            headers.setdefault("Cache-Control", "no-store")
            try:
                await self._send(message)
            except Exception as error:  # of the HTTP library, after a request that it has refused itself
                raise _DisconnectedError from error
        else:
            await self._send(message)


async def _read(receive: Receive, limit: int) -> bytes | None:
    """The body, or None if it is larger than the limit."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _DisconnectedError
        body += message.get("body", b"")
        if len(body) > limit:
            return None
        if not message.get("more_body", False):
            return bytes(body)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Receives a body that has been read already, then what follows."""
    unread = [True]

    async def again() -> Message:
        if unread:
            unread.clear()
            return {"type": "http.request", "body": body, "more_body": False}
        return await receive()

    return again


def _own_names() -> tuple[str, ...]:
    """The names of this machine."""
    name = socket.gethostname()
    return ("localhost", name, f"{name}.local", socket.getfqdn())
