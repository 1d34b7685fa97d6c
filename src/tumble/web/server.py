"""Serving the application with Uvicorn, and opening it in a browser."""

import socket
import webbrowser
from collections.abc import Callable
from contextlib import ExitStack

import uvicorn
from fastapi import FastAPI

from tumble.errors import TumbleError
from tumble.web.options import WebOptions
from tumble.web.slow_requests import HeadTimeoutProtocol

MAX_CONNECTIONS = 1024
IDLE_SECONDS = 20
"""After which a connection without a request is closed."""


class ServerError(TumbleError):
    """A server that can't start."""


def serve(app: FastAPI, options: WebOptions, opens: bool, announce: Callable[[str], None]) -> None:
    """Serves until it is stopped with Ctrl+C; `announce` is called with the address when it listens."""
    listening = listen(options.host, options.port)
    address = address_of(options.host, listening)
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            http=HeadTimeoutProtocol,
            log_level="error",  # warnings are of broken requests, of which there may be many
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=IDLE_SECONDS,
            limit_concurrency=MAX_CONNECTIONS,
        )
    )
    announce(address)
    if opens:
        webbrowser.open(address)
    server.run(sockets=[listening])


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there; port 0 takes any free one."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, place = found[0]
        with ExitStack() as closing:
            listening = closing.enter_context(socket.socket(family, kind, protocol))
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(place)
            listening.listen(1024)
            closing.pop_all()
            return listening
    except (OSError, OverflowError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ServerError(f"can't listen at {host}, port {port}: {reason}; another --port or --host may do") from None


def address_of(host: str, listening: socket.socket) -> str:
    """What to type into a browser on this machine."""
    port = listening.getsockname()[1]
    name = "localhost" if host in ("", "0.0.0.0", "::", "127.0.0.1", "localhost") else host
    return f"http://[{name}]:{port}/" if ":" in name else f"http://{name}:{port}/"
