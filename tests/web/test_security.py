"""What the guard lets through, and what every answer carries."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import APIRouter
from fastapi.testclient import TestClient
from pydantic import BaseModel
from starlette.types import Message

from tumble.errors import TumbleError
from tumble.web.app import make_app
from tumble.web.clients import Proxies
from tumble.web.options import WebOptions
from tumble.web.pages import PageServices, WebPages
from tumble.web.responses import WebError
from tumble.web.security import HEADERS

BASE = "http://localhost:8000"
REFUSED = "requests from other sites are refused; type the address of this page instead"


class Number(BaseModel):
    value: float


class SmallPages(WebPages):
    title = "Small"
    summary = "Pages of a test."
    package = "tumble.web"
    body_bytes = 100

    def router(self, services: PageServices) -> APIRouter:
        router = APIRouter()

        @router.post("/double")
        async def double(number: Number) -> dict[str, float]:
            return {"value": 2.0 * number.value}

        @router.get("/wrong/{kind}")
        async def wrong(kind: str) -> None:
            errors = {"bug": RuntimeError("a secret of the server"), "input": TumbleError("no such thing")}
            raise errors.get(kind, WebError(409, "not now"))

        return router


@pytest.fixture
def client() -> Iterator[TestClient]:
    with TestClient(make_app(WebOptions(), {"small": SmallPages()}), base_url=BASE) as client:
        yield client


@pytest.mark.parametrize("path", ["/", "/api/benchmarks", "/static/style.css", "/nothing", "/small/wrong/bug"])
def test_every_answer_has_the_headers(client: TestClient, path: str) -> None:
    response = client.get(path)
    for name, value in HEADERS.items():
        assert response.headers[name] == value
    assert "server" not in response.headers


def test_pages_run_no_script_from_elsewhere() -> None:
    policy = HEADERS["Content-Security-Policy"]
    assert policy.startswith("default-src 'self';")
    assert "unsafe" not in policy


@pytest.mark.parametrize(
    ("path", "status", "message"),
    [
        ("/nothing", 404, "there is no such page"),
        ("/small/double", 405, "this page does not take such a request"),
        ("/small/wrong/input", 422, "no such thing"),
        ("/small/wrong/other", 409, "not now"),
        ("/small/wrong/bug", 500, "an error of the server; its log says more"),
        ("/" + "a" * 600, 414, "the address is too long"),
        ("/?" + "a" * 2000, 414, "the address is too long"),
    ],
)
def test_errors_are_json_without_internals(client: TestClient, path: str, status: int, message: str) -> None:
    response = client.get(path)
    assert (response.status_code, response.json()) == (status, {"error": message})


def test_requests_are_answered(client: TestClient) -> None:
    assert client.post("/small/double", json={"value": 4}).json() == {"value": 8.0}


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[1]", b'{"value": "a"}', b"\xff\xfe", b'{"value": ' + b"[" * 40 + b"]" * 40 + b"}"]
)
def test_bad_bodies_are_refused(client: TestClient, body: bytes) -> None:
    response = client.post("/small/double", content=body, headers={"Content-Type": "application/json"})
    assert response.status_code in (400, 422)
    assert set(response.json()) == {"error"}


def test_a_body_above_the_limit_is_refused(client: TestClient) -> None:
    fits = json.dumps({"value": 1.0}).ljust(100).encode()
    json_type = {"Content-Type": "application/json"}
    assert client.post("/small/double", content=fits, headers=json_type).status_code == 200
    assert client.post("/small/double", content=fits + b" ", headers=json_type).status_code == 413


def test_a_body_without_a_length_is_cut_off_at_the_limit(client: TestClient) -> None:
    sent = []

    def endless() -> Iterator[bytes]:
        for _ in range(10_000):
            sent.append(1)
            yield b" " * 60

    response = client.post("/small/double", content=endless(), headers={"Content-Type": "application/json"})
    assert response.status_code == 413


def test_a_connection_that_takes_no_answer_is_left_alone(caplog: pytest.LogCaptureFixture) -> None:
    """As after a request that the HTTP library refuses while it is being answered."""

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        raise RuntimeError("this connection must be closed")

    scope = {"type": "http", "method": "GET", "path": "/", "raw_path": b"/", "query_string": b"", "headers": []}
    asyncio.run(make_app(WebOptions(), {})(scope, receive, send))
    assert caplog.records == []


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example:8000", "", "localhost@evil.example", "[::1"])
def test_other_names_are_refused(client: TestClient, host: str) -> None:
    assert client.get("/", headers={"Host": host}).status_code == 400


@pytest.mark.parametrize("host", ["localhost", "localhost:8000", "LOCALHOST:8000", "127.0.0.1:8000", "[::1]:8000"])
def test_own_names_are_accepted(client: TestClient, host: str) -> None:
    assert client.get("/", headers={"Host": host}).status_code == 200


def test_other_sites_cannot_send_for_a_visitor(client: TestClient) -> None:
    body = {"value": 1.0}
    for origin in ("https://evil.example", "null", "", "http://[", "http://localhost:8000.evil.example"):
        assert client.post("/small/double", json=body, headers={"Origin": origin}).status_code == 403
    assert client.post("/small/double", json=body, headers={"Origin": BASE}).status_code == 200


LINK = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}


@pytest.mark.parametrize("site", ["cross-site", "same-site", "anything"])
def test_other_sites_load_and_ask_for_nothing(client: TestClient, site: str) -> None:
    for path in ("/", "/api/benchmarks", "/static/style.css"):
        assert client.get(path, headers={"Sec-Fetch-Site": site}).status_code == 403
    frame = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}
    assert client.get("/", headers=frame).status_code == 403
    assert client.get("/", headers={"Sec-Fetch-Site": site, **LINK}).status_code == 200  # a link is followed
    assert client.get("/api/benchmarks", headers={"Sec-Fetch-Site": site, **LINK}).status_code == 403
    assert (
        client.post("/small/double", json={"value": 1.0}, headers={"Sec-Fetch-Site": site, **LINK}).status_code == 403
    )


@pytest.mark.parametrize("site", ["same-origin", "none"])
def test_own_pages_and_typed_addresses_are_served(client: TestClient, site: str) -> None:
    for path in ("/", "/api/benchmarks", "/static/style.css"):
        assert client.get(path, headers={"Sec-Fetch-Site": site}).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        "/0123456789abcdef",
        "/0123456789abcdef/replay",
        "/api/runs",
        "/api/runs/0123456789abcdef/attempts/1?task=a",
    ],
)
def test_other_sites_cannot_even_link_to_logs(path: str, tmp_path: Path) -> None:
    with TestClient(make_app(WebOptions(runs=tmp_path), {}), base_url=BASE) as client:
        for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "cross-site", **LINK}):
            refused = client.get(f"/watch{path}", headers=headers)
            assert refused.status_code == 403
            assert refused.json() == {"error": REFUSED}
        own = client.get(f"/watch{path}", headers={"Sec-Fetch-Site": "same-origin"})
        assert own.status_code == (404 if "attempts" in path else 200)


def test_an_address_has_a_limited_rate() -> None:
    options = WebOptions(requests_per_second=0.001, burst=5)
    with TestClient(make_app(options, {}), base_url=BASE) as client:
        answers = [client.get("/") for _ in range(7)]
    assert [answer.status_code for answer in answers] == [200] * 5 + [429] * 2
    assert int(answers[-1].headers["Retry-After"]) > 0
    assert answers[-1].json() == {"error": "too many requests; wait a moment"}


def test_files_of_pages_are_outside_the_limit() -> None:
    with TestClient(make_app(WebOptions(requests_per_second=0.001, burst=1), {}), base_url=BASE) as client:
        assert [client.get("/").status_code for _ in range(2)] == [200, 429]
        for _ in range(3):
            for path in ("/static/style.css", "/static/api.js", "/favicon.ico"):
                assert client.get(path).status_code == 200
            assert client.get("/phyre/pictures/00000:000.svg").status_code == 404  # no such pages here
        for method, path in (
            ("POST", "/static/style.css"),
            ("GET", "/static/a/b"),
            ("GET", "/api/static/benchmarks/x"),
        ):
            assert client.request(method, path).status_code == 429


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("192.0.2.1", ["198.51.100.7"], "192.0.2.1"),  # a stranger may say what it likes
        ("10.0.0.1", ["198.51.100.7"], "198.51.100.7"),
        ("10.0.0.1", ["203.0.113.5, 198.51.100.7"], "198.51.100.7"),  # the left one was sent by the client
        ("10.0.0.1", ["203.0.113.5, 198.51.100.7, 10.9.9.9"], "198.51.100.7"),
        ("10.0.0.1", ["203.0.113.5", "198.51.100.7"], "198.51.100.7"),
        ("10.0.0.1", ["198.51.100.7:4711"], "198.51.100.7"),
        ("10.0.0.1", ["[2001:db8::7]:4711"], "2001:db8::7"),
        ("10.0.0.1", [], "10.0.0.1"),
        ("10.0.0.1", ["", "unknown"], "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.7, unknown"], "10.0.0.1"),
        ("::ffff:10.0.0.1", ["198.51.100.7"], "198.51.100.7"),
        ("fd00::1", ["198.51.100.7"], "198.51.100.7"),
        ("", ["198.51.100.7"], ""),
    ],
)
def test_only_trusted_proxies_tell_who_asks(peer: str, forwarded: list[str], client: str) -> None:
    assert Proxies(["10.0.0.0/8", "fd00::1"]).client(peer, forwarded) == client


def test_the_limit_is_that_of_the_client_behind_a_trusted_proxy() -> None:
    options = WebOptions(requests_per_second=0.001, burst=2, trusted_proxies=("10.0.0.5",))

    def statuses(peer: str, asks: str) -> list[int]:
        with TestClient(app, base_url=BASE, client=(peer, 1)) as client:
            return [client.get("/", headers={"X-Forwarded-For": asks}).status_code for _ in range(3)]

    app = make_app(options, {})
    assert statuses("10.0.0.5", "192.0.2.1") == [200, 200, 429]
    assert statuses("10.0.0.5", "192.0.2.2") == [200, 200, 429]
    assert statuses("10.0.0.6", "192.0.2.3") == [200, 200, 429]
    assert statuses("10.0.0.6", "192.0.2.4") == [429] * 3


@pytest.mark.parametrize("wrong", ["localhost", "", "10.0.0.0/99", "10.0.0.1:80", "*"])
def test_what_is_no_address_of_a_proxy_is_refused(wrong: str) -> None:
    with pytest.raises(TumbleError, match="a trusted proxy is an address"):
        Proxies([wrong])


@pytest.mark.parametrize("wrong", [0, -1, float("nan"), float("inf")])
def test_a_limit_is_a_number_above_zero(wrong: float) -> None:
    with pytest.raises(TumbleError, match="--write-seconds is a number above 0"):
        WebOptions(write_seconds=wrong)


@pytest.mark.parametrize(
    "name", ["..%2fapp.py", "../app.py", "%2e%2e/app.py", "app.py", "style.css%00", "/etc/passwd", ".", "", "C:%5cx"]
)
def test_no_path_reaches_the_disk(client: TestClient, name: str) -> None:
    response = client.get(f"/static/{name}")
    assert response.status_code == 404
    assert response.json() == {"error": "there is no such page"}


def test_files_are_compressed_and_cached(client: TestClient) -> None:
    plain = client.get("/static/style.css", headers={"Accept-Encoding": "identity"})
    packed = client.get("/static/style.css", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert packed.content == plain.content  # the client unpacks
    assert int(packed.headers["Content-Length"]) < len(plain.content)
    again = client.get("/static/style.css", headers={"If-None-Match": plain.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
