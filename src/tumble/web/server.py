"""Serving the application with Uvicorn, and opening it in a browser."""

import resource
import socket
import webbrowser
from collections.abc import Callable
from contextlib import ExitStack

import uvicorn
from fastapi import FastAPI

from tumble.errors import TumbleError
from tumble.web.clients import Proxies
from tumble.web.connections import limited_protocol
from tumble.web.options import WebOptions

OTHER_FILES = 200
"""Files that a server opens besides its connections, at most."""


class ServerError(TumbleError):
    """A server that can't start."""


def serve(app: FastAPI, options: WebOptions, opens: bool, announce: Callable[[str], None]) -> None:
    """Serves until it is stopped with Ctrl+C; `announce` is called with the address when it listens."""
    _allow_files(options.connections + OTHER_FILES)
    proxies = Proxies(options.trusted_proxies)
    listening = listen(options.host, options.port)
    address = address_of(options.host, listening)
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            http=limited_protocol(options, proxies),
            log_level="error",  # warnings are of broken requests, of which there may be many
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=options.idle_seconds,
            ws="none",
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


def _allow_files(count: int) -> None:
    """Lets this process open so many files, of which connections are some; systems allow it 256 or 1,024 at first."""
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed != resource.RLIM_INFINITY and allowed < count:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (count, most))
        except (ValueError, OSError):
            raise ServerError(
                f"this system allows a process {allowed} open files: raise `ulimit -n` to {count}, or give "
                f"--connections {max(1, allowed - OTHER_FILES)} at most"
            ) from None


def address_of(host: str, listening: socket.socket) -> str:
    """What to type into a browser on this machine."""
    port = listening.getsockname()[1]
    name = "localhost" if host in ("", "0.0.0.0", "::", "127.0.0.1", "localhost") else host
    return f"http://[{name}]:{port}/" if ":" in name else f"http://{name}:{port}/"
