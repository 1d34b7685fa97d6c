"""Connections that send half a request, or nothing, or that do not read, are closed; there is room for others."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Thread
from time import monotonic, sleep
from typing import Any

import pytest
import uvicorn
from fastapi import APIRouter
from starlette.responses import Response

from tumble.web.app import make_app
from tumble.web.clients import Proxies
from tumble.web.options import Limits, WebOptions
from tumble.web.pages import PageServices, WebPages
from tumble.web.server import OpenConnections, limited_protocol, listen

SECONDS = 0.4
WHOLE = b"GET /api/benchmarks HTTP/1.1\r\nHost: localhost\r\n\r\n"
HALF_BODY = b"POST /api/benchmarks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n12"
LARGE = 1_000_000
HALF = b"GET / HTTP/1.1\r\nHost: local"


class LargePages(WebPages):
    title = "Large"
    summary = "An answer of a test, which fits into no buffer of a socket."
    package = "tumble.web"

    def router(self, services: PageServices) -> APIRouter:
        router = APIRouter()

        @router.get("/answer")
        async def answer() -> Response:
            return Response(b"a" * LARGE)

        return router


@contextmanager
def server(**limits: Any) -> Iterator[int]:
    """The port of a server with some limits, whose sockets have small buffers."""
    listening = listen("127.0.0.1", 0)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8192)
    options = WebOptions(**limits)
    protocol = limited_protocol(options, Proxies(options.trusted_proxies))
    app = make_app(options, {"large": LargePages()})
    config = uvicorn.Config(app, http=protocol, log_level="error", access_log=False, ws="none")
    running = uvicorn.Server(config)
    thread = Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not running.started:
        sleep(0.02)
    yield listening.getsockname()[1]
    running.should_exit = True
    thread.join(20.0)
    assert not thread.is_alive()


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with server(head_seconds=SECONDS) as found:
        yield found


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=5.0)


def answer(connection: socket.socket) -> bytes:
    """A whole answer with an object of JSON."""
    found = b""
    while not found.endswith(b"}"):
        found += connection.recv(65536)
    return found


def read_to_the_end(connection: socket.socket) -> bytes:
    found = b""
    while more := connection.recv(65536):
        found += more
    return found


@pytest.mark.parametrize("sent", [b"", b"G", HALF])
def test_half_a_head_is_waited_for_only_so_long(port: int, sent: bytes) -> None:
    begin = monotonic()
    with connect(port) as connection:
        connection.sendall(sent)
        assert read_to_the_end(connection).startswith(b"HTTP/1.1 408 ")
    assert 0.9 * SECONDS < monotonic() - begin < 10 * SECONDS


def test_bytes_that_trickle_in_give_no_further_time(port: int) -> None:
    begin = monotonic()
    with connect(port) as connection, pytest.raises((ConnectionError, TimeoutError)):  # noqa: PT012
        for letter in HALF * 20:
            connection.sendall(bytes([letter]))
            sleep(0.05)
            assert monotonic() - begin < 5.0
    assert monotonic() - begin < 5.0


def test_the_second_request_of_a_connection_has_the_limit_too(port: int) -> None:
    with connect(port) as connection:
        connection.sendall(WHOLE)
        assert answer(connection).startswith(b"HTTP/1.1 200 ")
        sleep(2 * SECONDS)  # nothing was begun: it stays open
        connection.sendall(WHOLE)
        assert answer(connection).startswith(b"HTTP/1.1 200 ")
        connection.sendall(HALF)
        assert read_to_the_end(connection).startswith(b"HTTP/1.1 408 ")


def test_an_answer_may_take_longer(port: int) -> None:
    with connect(port) as connection:
        body = b"POST /api/benchmarks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n"
        connection.sendall(body)
        sleep(2 * SECONDS)  # the head is whole: the limit for bodies holds
        connection.sendall(b"1234")
        assert connection.recv(65536).startswith(b"HTTP/1.1 405 ")


def test_a_broken_request_whose_answer_has_no_text_is_closed_without_an_error(
    port: int, caplog: pytest.LogCaptureFixture
) -> None:
    with connect(port) as connection:
        connection.sendall(b"HEAD / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" + b"a" * 70_000)
        assert read_to_the_end(connection).startswith(b"HTTP/1.1 400 ")
    with connect(port) as connection:
        connection.sendall(WHOLE)
        assert answer(connection).startswith(b"HTTP/1.1 200 ")
    assert [record for record in caplog.records if record.levelname == "ERROR" and "protocol" in record.message] == []


def is_served(connection: socket.socket) -> bool:
    try:
        connection.sendall(WHOLE)
        return answer(connection).startswith(b"HTTP/1.1 200 ")
    except (ConnectionError, IndexError):
        return False


def test_idle_connections_of_an_address_make_room_for_its_next_one() -> None:
    with server(connections_per_address=4, head_seconds=60.0) as port:
        idle = [connect(port) for _ in range(20)]
        for _ in range(3):
            with connect(port) as connection:
                assert is_served(connection)
        assert all(read_to_the_end(one) == b"" for one in idle[:16])
        for one in idle:
            one.close()


def test_connections_with_a_request_are_not_closed_for_others() -> None:
    with server(connections_per_address=2) as port:
        first, second = connect(port), connect(port)
        for one in (first, second):
            one.sendall(HALF_BODY)
        sleep(0.2)
        with connect(port) as third:
            assert read_to_the_end(third).startswith(b"HTTP/1.1 503 ")
        for one in (first, second):
            one.sendall(b"34")
            assert one.recv(65536).startswith(b"HTTP/1.1 405 ")
        with connect(port) as third:
            assert is_served(third)
        for one in (first, second):
            one.close()


def test_a_client_that_never_reads_loses_its_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tumble.web.server.SLOWEST_READER", 1e9)
    with server(write_seconds=SECONDS, connections_per_address=1) as port, small_connection(port) as unread:
        unread.sendall(b"GET /large/answer HTTP/1.1\r\nHost: localhost\r\n\r\n")
        sleep(0.5 * SECONDS)
        with connect(port) as other:  # the only one is in use
            assert read_to_the_end(other).startswith(b"HTTP/1.1 503 ")
        sleep(1.5 * SECONDS)
        with connect(port) as other:
            assert is_served(other)
        assert len(read_to_the_end(unread)) < LARGE


def test_a_client_that_reads_slowly_gets_all_of_its_answer() -> None:
    with server(write_seconds=SECONDS) as port, small_connection(port) as slow:
        slow.sendall(b"GET /large/answer HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        begin, found = monotonic(), b""
        while more := slow.recv(65536):
            found += more
            sleep(0.004)
    assert found.endswith(b"a" * LARGE)
    assert monotonic() - begin > SECONDS


def small_connection(port: int) -> socket.socket:
    """One whose buffer for what arrives is small."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    made.settimeout(5.0)
    made.connect(("127.0.0.1", port))
    return made


@dataclass(eq=False)
class Connection:
    """What is counted of a connection."""

    address: str
    is_idle: bool = True
    is_new: bool = True
    has_input: bool = False
    closed: list[bool] = field(default_factory=list)

    @property
    def transport(self) -> "Connection":
        return self

    def close(self) -> None:
        self.closed.append(True)


def admitted(counted: OpenConnections, *all_of_them: Connection) -> list[bool]:
    return [counted.admit(one) for one in all_of_them]  # type: ignore[arg-type]


def test_the_address_with_most_connections_makes_room_where_there_are_too_many() -> None:
    counted = OpenConnections(Limits(connections=6, connections_per_address=5), Proxies(()))
    many, few = [Connection("a") for _ in range(5)], [Connection("b")]
    assert all(admitted(counted, *many, *few, Connection("c"), Connection("d")))
    assert [len(one.closed) for one in (*many, *few)] == [1, 1, 0, 0, 0, 0]
    for one in many:
        one.is_idle = False
    assert admitted(counted, Connection("e")) == [True]
    assert few[0].closed


def test_connections_that_never_sent_a_request_are_closed_first() -> None:
    counted = OpenConnections(Limits(connections_per_address=2), Proxies(()))
    used, new = Connection("a", is_new=False), Connection("a")
    assert all(admitted(counted, used, new, Connection("a")))
    assert (used.closed, new.closed) == ([], [True])


def test_a_connection_whose_request_has_just_arrived_is_not_closed() -> None:
    counted = OpenConnections(Limits(connections_per_address=2), Proxies(()))
    first, second = Connection("a", has_input=True), Connection("a")
    assert all(admitted(counted, first, second, Connection("a")))
    assert (first.closed, second.closed) == ([], [True])


def test_a_trusted_proxy_has_as_many_connections_as_there_are() -> None:
    counted = OpenConnections(Limits(connections=9, connections_per_address=2), Proxies(["10.0.0.0/8"]))
    proxied = [Connection("10.0.0.1") for _ in range(7)]
    others = [Connection("b") for _ in range(2)]
    assert all(admitted(counted, *proxied, *others, Connection("c")))
    assert [len(one.closed) for one in (*proxied, *others)] == [0] * 7 + [1, 0]


def test_connections_that_ended_are_not_counted() -> None:
    counted = OpenConnections(Limits(connections=3, connections_per_address=1), Proxies(()))
    for _ in range(5):
        busy = Connection("a", is_idle=False)
        assert admitted(counted, busy, Connection("a")) == [True, False]
        counted.remove(busy)  # type: ignore[arg-type]
        counted.remove(busy)  # type: ignore[arg-type]
