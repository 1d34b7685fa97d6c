"""Serving the application with Uvicorn, opening it in a browser, and limits of connections.

No ASGI application sees connections: how many are open, and how long one may take to send or to read. Those that send
half a request, or nothing, or that do not read their answer, are closed. Where there are too many, idle ones make
room for new ones, so that nobody shuts others out by connections that do nothing.
"""

import asyncio
import resource
import select
import socket
import webbrowser
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, ClassVar

import uvicorn
from fastapi import FastAPI
from h11 import LocalProtocolError
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from tumble.errors import TumbleError
from tumble.web.clients import Proxies, address_key
from tumble.web.options import KIB, Limits, WebOptions

LATE_RESPONSE = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
FULL_RESPONSE = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n"
SLOWEST_READER = 16 * KIB
"""Bytes a second; who reads an answer more slowly does not get all of a large one."""


class OpenConnections:
    """The connections of a server by address; those of trusted proxies are of many people."""

    def __init__(self, limits: Limits, proxies: Proxies) -> None:
        self._limits, self._proxies = limits, proxies
        self._by_address: dict[str, dict[LimitedProtocol, None]] = {}
        """In the order in which they were opened."""
        self._count = 0

    def admit(self, connection: "LimitedProtocol") -> bool:
        """Adds a connection; False where it is one too many, and no idle one can make room for it."""
        own = self._by_address.get(connection.address, {})
        is_proxy = self._proxies.trusts(connection.address)
        if not is_proxy and len(own) >= self._limits.connections_per_address and not self._close_idle(own):
            return False
        if self._count >= self._limits.connections and not self._make_room():
            return False
        self._by_address.setdefault(connection.address, {})[connection] = None
        self._count += 1
        return True

    def remove(self, connection: "LimitedProtocol") -> None:
        """Forgets a connection; nothing happens if it is not there."""
        own = self._by_address.get(connection.address, {})
        if connection in own:
            del own[connection]
            self._count -= 1
        if not own:
            self._by_address.pop(connection.address, None)

    def _make_room(self) -> bool:
        """Closes an idle connection, of the address that has most of them; trusted proxies come last."""
        addresses = sorted(self._by_address, key=lambda one: (self._proxies.trusts(one), -len(self._by_address[one])))
        return any(self._close_idle(self._by_address[address]) for address in addresses)

    def _close_idle(self, connections: "dict[LimitedProtocol, None]") -> bool:
        """Closes the oldest idle connection, if there is one: rather one that has never sent a request."""
        idle = [one for one in connections if one.is_idle]
        chosen = next((one for one in sorted(idle, key=lambda one: not one.is_new) if not one.has_input), None)
        if chosen is None:
            return False
        self.remove(chosen)
        chosen.transport.close()
        return True


class LimitedProtocol(H11Protocol):
    """HTTP by h11, as Uvicorn speaks it, with limits for each connection (`limited_protocol`)."""

    limits: ClassVar[Limits]
    open_connections: ClassVar[OpenConnections]

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._head: asyncio.TimerHandle | None = None
        """Runs from the first moment at which a request may begin to the end of its head."""
        self._unread: asyncio.TimerHandle | None = None
        """Runs while an answer is not read."""

    @property
    def address(self) -> str:
        return address_key(self.client[0]) if self.client else ""

    @property
    def is_new(self) -> bool:
        """Whether it has not sent a request yet."""
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is None

    @property
    def is_idle(self) -> bool:
        """Whether no request is being answered, and no answer is being read."""
        is_done = self.is_new or self.cycle.response_complete
        return is_done and self._unread is None and not self.transport.is_closing()

    @property
    def has_input(self) -> bool:
        """Whether something has arrived that was not looked at yet, as while many connections are opened at once."""
        poll = select.poll()
        poll.register(self.transport.get_extra_info("socket").fileno(), select.POLLIN)
        return bool(poll.poll(0))

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        transport.set_write_buffer_limits(0)  # so that `pause_writing` tells of the first byte that is not read
        if self.open_connections.admit(self):
            self._wait()
        else:
            transport.write(FULL_RESPONSE)
            transport.close()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is not None and not cycle.response_complete:  # the head is here, and the body has a limit
            self._stop_waiting()
        else:
            self._wait()

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._unread is None:
            seconds = self.limits.write_seconds + self.transport.get_write_buffer_size() / SLOWEST_READER
            self._unread = self.loop.call_later(seconds, self.transport.abort)

    def resume_writing(self) -> None:
        self._stop_reading()
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        """Answers a request that breaks the protocol; where its method allows no text, the connection is closed."""
        try:
            super().send_400_response(msg)
        except LocalProtocolError:
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        self._stop_reading()
        self.open_connections.remove(self)
        super().connection_lost(exc)

    def _wait(self) -> None:
        """Begins to wait for the end of a head; further bytes of it give no further time."""
        if self._head is None:
            self._head = self.loop.call_later(self.limits.head_seconds, self._time_out)

    def _stop_waiting(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _stop_reading(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def _time_out(self) -> None:
        self._head = None
        if not self.transport.is_closing():
            self.transport.write(LATE_RESPONSE)
            self.transport.close()


def limited_protocol(limits: Limits, proxies: Proxies) -> type[LimitedProtocol]:
    """The protocol of one server, whose connections are counted together."""

    class Protocol(LimitedProtocol):
        pass

    Protocol.limits, Protocol.open_connections = limits, OpenConnections(limits, proxies)
    return Protocol


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
