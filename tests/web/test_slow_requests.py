"""Connections that send half a request, or nothing, are closed; those that send whole ones are not."""

import socket
from collections.abc import Iterator
from threading import Thread
from time import monotonic, sleep

import pytest
import uvicorn

from tumble.web.app import make_app
from tumble.web.clients import Proxies
from tumble.web.connections import limited_protocol
from tumble.web.options import WebOptions
from tumble.web.server import listen

SECONDS = 0.4
WHOLE = b"GET /api/benchmarks HTTP/1.1\r\nHost: localhost\r\n\r\n"
HALF = b"GET / HTTP/1.1\r\nHost: local"


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    listening = listen("127.0.0.1", 0)
    app = make_app(WebOptions(), {})
    protocol = limited_protocol(WebOptions(head_seconds=SECONDS), Proxies(()))
    server = uvicorn.Server(uvicorn.Config(app, http=protocol, log_level="error", access_log=False, ws="none"))
    thread = Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        sleep(0.02)
    yield listening.getsockname()[1]
    server.should_exit = True
    thread.join(20.0)


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
