"""Hostile requests to `tumble play` and `tumble study serve`: no crash, no leak, and no status above 499 but 503.

    python benchmarks/play/play_fuzz.py [--count 100000] [--pages phyre phyq study]

Requests are raw bytes, so that also what no client would send arrives: broken request lines and headers, wrong lengths,
bodies cut off, deep or huge JSON, paths with "..", methods that do not exist. Now and then a valid attempt must still
give the same answer. A seed and a number make the same request again.
"""

import asyncio
import json
import random
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.append(str(Path(__file__).parents[1]))

from http_client import SHOT_TASK, TASK, Answer, Client, join, memory_now_mb, now, served, served_study
from table import Results, arguments

FUZZED_STUDY = """
benchmark = "phyre"
title = "Fuzzed"
attempts = 1000
consent = "Do you agree?"
[tasks]
ids = ["00000:000", "00001:000", "00002:000"]
[[questions]]
id = "how"
text = "How was it?"
"""
SHARED_PATHS = ("/", "/static/style.css", "/favicon.ico")
PHYRE_PATHS = (
    "/phyre", "/phyre/", "/phyre/00000:000", "/api/benchmarks", "/phyre/static/play.js", "/phyre/api/gallery",
    "/phyre/api/tasks/00000:000", "/phyre/api/tasks/00000:000/agents", "/phyre/api/tasks/00000:000/solution",
    "/phyre/pictures/00000:000.svg", "/phyre/api/attempts", "/phyre/own", "/phyre/edit", "/phyre/api/editor",
    "/phyre/api/own/check", "/phyre/api/own/sweep", "/phyre/api/own/task", "/phyre/api/own/attempts",
)  # fmt: skip
PHYQ_PATHS = (
    "/phyq", "/phyq/", "/phyq/1.1:000", "/phyq/own", "/phyq/static/play.js", "/phyq/api/gallery",
    "/phyq/api/tasks/1.1:000", "/phyq/api/tasks/1.1:000/solution", "/phyq/pictures/1.1:000.svg",
    "/phyq/api/attempts", "/phyq/api/levels", "/phyq/edit", "/phyq/api/own/check", "/phyq/api/own/sweep",
)  # fmt: skip
STUDY_PATHS = (
    "/study", "/study/", "/study/task", "/study/admin", "/study/abcdefghjkmn", "/study/?code=abcdefghjkmn",
    "/study/api/step", "/study/api/admin", "/study/api/attempts", "/study/api/begin", "/phyre/static/play.js",
    "/phyre/api/gallery",
)  # fmt: skip


@dataclass(frozen=True)
class Valid:
    """A request that must get the same answer whatever came before it."""

    path: str
    body: bytes
    headers: str
    answer: bytes


@dataclass(frozen=True)
class Target:
    """Pages that are attacked."""

    paths: tuple[str, ...]
    plausible: Callable[[random.Random], tuple[str, dict[str, Any]]]
    """The path and the fields of a request that could be meant."""
    prepare: Callable[[Client], Awaitable[Valid]]
    headers: tuple[str, ...] = ()
    """Further headers, which some requests have."""


def some_number(rng: random.Random) -> float:
    return rng.choice([0.0, 1.0, 0.5, rng.random(), -rng.random(), 1e-320])


def phyre_attempt(rng: random.Random) -> tuple[str, dict[str, Any]]:
    numbers = [some_number(rng) for _ in range(rng.choice([3, 6, 3, 2, 7]))]
    task = rng.choice([TASK, f"{rng.randrange(130):05d}:{rng.randrange(1000):03d}"])
    return "/phyre/api/attempts", {"task": task, "action": numbers}


def phyq_request(rng: random.Random) -> tuple[str, dict[str, Any]]:
    if rng.random() < 0.3:
        level = rng.choice(["", "<", "<Level>", "<Level><GameObjects/></Level>", "{}", '{"birds": []}', "<" * 999])
        return "/phyq/api/levels", {"text": level}
    shots = [
        {"angle": rng.uniform(-200, 200), "stretch": some_number(rng), "tap_ms": rng.choice([None, 500.0, -1.0])}
        for _ in range(rng.choice([1, 1, 1, 2, 11]))
    ]
    task = rng.choice([SHOT_TASK, f"{rng.randrange(17)}.{rng.randrange(9)}:{rng.randrange(110):03d}"])
    return "/phyq/api/attempts", {"task": task, "shots": shots, "from_shot": rng.choice([0, 0, 1, -1])}


def study_request(tag: str) -> Callable[[random.Random], tuple[str, dict[str, Any]]]:
    """Requests of a participant, mostly out of turn."""

    def request(rng: random.Random) -> tuple[str, dict[str, Any]]:
        who = {"participant": rng.choice([tag, tag, tag, "x"])}
        place = {"position": rng.choice([0, 0, 1, 5]), "attempt": rng.choice([1, 1, 2, 3, 10**7])}
        action = [rng.choice([some_number(rng), None, 1e308]) for _ in range(rng.choice([3, 3, 6, 0, 300]))]
        times = {"touched_ms": rng.choice([1.0, None, -1.0]), "released_ms": rng.choice([2.0, None, 1e300])}
        move = {**who, **place, "part": rng.choice([1, 1, 2]), "action": action, **times}
        kinds: list[tuple[str, dict[str, Any]]] = [
            ("attempts", move),
            ("attempts", move),
            ("amendments", move),
            ("seen", {**who, **place}),
            ("consent", who),
            ("answers", {**who, "answers": {rng.choice(["how", "x", ""]): "y" * rng.choice([1, 2000])}}),
            ("give-up", {**who, "position": rng.choice([0, 1, 99])}),
            ("begin", {"code": rng.choice(["abcdefghjkmn", "", "x" * 40, "\u0660" * 12])}),
            ("admin/codes", {"count": rng.choice([1, 0, 10**9])}),
        ]
        path, fields = rng.choice(kinds)
        return f"/study/api/{path}", fields

    return request


async def _phyre_valid(client: Client) -> Valid:
    action = (await client.get(f"/phyre/api/tasks/{TASK}/solution")).json()["action"]
    return await _valid(client, "/phyre/api/attempts", {"task": TASK, "action": action})


async def _phyq_valid(client: Client) -> Valid:
    shots = (await client.get(f"/phyq/api/tasks/{SHOT_TASK}/solution")).json()["shots"]
    return await _valid(client, "/phyq/api/attempts", {"task": SHOT_TASK, "shots": shots})


async def _study_valid(client: Client) -> Valid:
    """An attempt of a participant of its own, which counts once however often it is sent."""
    tag = await join(client)
    move = {"participant": tag, "position": 0, "attempt": 1, "part": 1, "action": [0.5, 0.9, 0.2]}
    await _valid(client, "/study/api/attempts", move)
    return await _valid(client, "/study/api/attempts", move)


async def _valid(client: Client, path: str, fields: dict[str, Any]) -> Valid:
    body = json.dumps(fields).encode()
    answer = await client.post(path, body)
    assert answer.status == 200, answer.body
    return Valid(path, body, client.headers, answer.body)


async def target_of(name: str, client: Client) -> Target:
    """The pages of a name, on a server that runs."""
    if name == "phyre":
        return Target((*SHARED_PATHS, *PHYRE_PATHS), phyre_attempt, _phyre_valid)
    if name == "phyq":
        return Target((*SHARED_PATHS, *PHYQ_PATHS), phyq_request, _phyq_valid)
    tag = await join(client)
    headers = (client.headers.strip(), client.headers.strip(), "Cookie: study=x", "Authorization: Bearer x")
    return Target((*SHARED_PATHS, *STUDY_PATHS), study_request(tag), _study_valid, headers)


PAGES = ("phyre", "phyq", "study")
CLIENTS = 8
CHECK_EVERY = 200
"""Requests of a client between two valid attempts."""
SECRETS = (b"Traceback", b"/work", b"/root", b"/home", b"site-packages", b".py", b"tumble.")
"""What must not be in an answer to a hostile request."""
BITS = (
    "../", "..%2f", "%2e%2e/", "%00", "\x00", "//", "\\", "%", "%zz", "%ff", "?", "#", ";", ":", "'", '"', "<script>",
    "${x}", "{{7*7}}", "\u0660", "é", "\ud83d", " ", "\t", "a" * 300, "a" * 3000, "etc/passwd", "C:\\", "*", "|",
    "00013:", "99999999999999999999",
)  # fmt: skip
METHODS = (
    *["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "CONNECT", "get", "G\x00T"],
    "",
    "A" * 500,
)
HEADERS = (
    "Content-Length: -1", "Content-Length: 99999999999999999999", "Content-Length: 5", "Content-Length: abc",
    "Transfer-Encoding: chunked", "Transfer-Encoding: gzip, chunked", "Host: evil.example", "Host: ", "Host: a\x00b",
    "Origin: https://evil.example", "Origin: null", "Origin: http://[", "Expect: 100-continue", "Upgrade: websocket",
    "Connection: Upgrade", "Cookie: " + "a=b; " * 100, "X-Forwarded-For: 1.2.3.4", "X-Forwarded-Host: evil.example",
    "If-None-Match: *", "Accept-Encoding: \xff", "Range: bytes=0-1,5-", "Content-Type: text/xml", "A" * 5000 + ": b",
    "Content-Type: application/json; charset=utf-7", ": empty", "no colon", "Content-Encoding: gzip",
    "B: " + "c" * 70000,
)  # fmt: skip


def text(rng: random.Random) -> str:
    return "".join(
        rng.choice(BITS) if rng.random() < 0.4 else chr(rng.randrange(1, 300)) for _ in range(rng.randrange(8))
    )


def path(rng: random.Random, target: Target) -> str:
    """A known path with bits in it."""
    base = rng.choice(target.paths)
    for _ in range(rng.randrange(4)):
        at = rng.randrange(len(base) + 1)
        base = base[:at] + rng.choice([*BITS, text(rng), ""]) + base[at + rng.randrange(3) :]
    return base


def value(rng: random.Random, depth: int = 0) -> object:
    """A JSON value, mostly of the wrong kind."""
    kind = rng.randrange(9 if depth < 4 else 6)
    plain = [
        None,
        True,
        rng.uniform(-2, 2),
        rng.choice([10**400, -1, 0, 1e308, float("nan"), float("inf")]),
        text(rng),
        TASK,
    ]
    if kind < 6:
        return plain[kind]
    if kind == 6:
        return {text(rng): value(rng, depth + 1) for _ in range(rng.randrange(4))}
    return [value(rng, depth + 1) for _ in range(rng.randrange(8))]


def body(rng: random.Random, target: Target) -> tuple[str, bytes]:
    """A path that takes bodies, and a body, mostly wrong."""
    kind = rng.randrange(8)
    to, fields = target.plausible(rng)
    if kind == 0:
        return to, bytes(rng.randrange(256) for _ in range(rng.randrange(200)))
    if kind == 1:
        return to, b"[" * rng.randrange(4000)
    if kind == 2:
        return to, b" " * rng.choice([4096, 4097, 20_000, 200_000])
    if kind == 3:
        return to, json.dumps(fields).encode()
    fields[rng.choice([*fields, text(rng)])] = value(rng)
    raw = json.dumps(fields).encode()
    if kind == 5:
        at = rng.randrange(len(raw))
        raw = raw[:at] + bytes([rng.randrange(256)]) + raw[at + 1 :]
    return to, raw if kind < 7 else raw[: rng.randrange(len(raw))]


def request(rng: random.Random, port: int, target: Target) -> bytes:
    """A hostile request as bytes."""
    kind = rng.randrange(10)
    host = f"Host: localhost:{port}"
    known = [rng.choice(target.headers)] if target.headers and rng.random() < 0.8 else []
    if kind < 3:  # a body where one is taken
        to, raw = body(rng, target)
        lines = [f"POST {to} HTTP/1.1", host, *known, "Content-Type: application/json", f"Content-Length: {len(raw)}"]
        return "\r\n".join([*lines, "", ""]).encode() + raw
    if kind < 6:  # a path
        lines = [f"GET {path(rng, target)} HTTP/1.1", host, *known]
        return "\r\n".join([*lines, "", ""]).encode("utf-8", "surrogatepass")
    if kind < 9:  # methods and headers
        lines = [f"{rng.choice(METHODS)} {path(rng, target)} HTTP/1.1", host, *known]
        lines += [rng.choice([*HEADERS, text(rng)]) for _ in range(rng.randrange(4))]
        raw = body(rng, target)[1] if rng.random() < 0.5 else b""
        if rng.random() < 0.5:
            lines.append(f"Content-Length: {len(raw)}")
        return "\r\n".join([*lines, "", ""]).encode("utf-8", "surrogatepass") + raw
    return bytes(rng.randrange(256) for _ in range(rng.randrange(1, 400))) + b"\r\n\r\n"


def problem(answer: Answer) -> str:
    """What is wrong with an answer; empty if nothing is."""
    if answer.status >= 500 and answer.status != 503:
        return f"status {answer.status}"
    if answer.status >= 400:
        leaked = next((secret for secret in SECRETS if secret in answer.body), None)
        if leaked:
            return f"the answer has {leaked!r}"
    return ""


async def attack(
    port: int,
    client_number: int,
    numbers: range,
    seed: int,
    target: Target,
    valid: Valid,
    note: Callable[[int, str, bytes], None],
) -> None:
    """Sends the requests of some numbers, and a valid one from time to time."""
    client = Client(port, f"127.1.0.{1 + client_number}")
    client.headers = valid.headers
    for sent, number in enumerate(numbers, 1):
        raw = request(random.Random(f"{seed}/{number}"), port, target)
        try:
            answer = await client.send(raw, seconds=0.3)
        except (asyncio.TimeoutError, asyncio.LimitOverrunError, ValueError):
            answer = Answer(0, {}, b"")  # the server waits for more of it
        await client.close()  # what follows must not depend on what the server made of it
        note(answer.status, problem(answer), raw)
        if sent % CHECK_EVERY == 0:
            again = await client.post(valid.path, valid.body)
            note(-1, "" if again.body == valid.answer else f"a valid attempt got {again.status}", raw)
            await client.close()


async def attack_all(
    port: int, count: int, seed: int, pages: str = "phyre"
) -> tuple[Counter[int], list[tuple[str, bytes]]]:
    """How often each status was answered, -1 for valid requests; and what went wrong, with the request."""
    statuses: Counter[int] = Counter()
    findings: list[tuple[str, bytes]] = []

    def note(status: int, wrong: str, raw: bytes) -> None:
        statuses[status] += 1
        if wrong:
            findings.append((wrong, raw))
            print(wrong, raw[:300])

    async with Client(port) as client:
        target = await target_of(pages, client)
    async with Client(port) as client:
        valid = await target.prepare(client)
    parts = [range(k, count, CLIENTS) for k in range(CLIENTS)]
    await asyncio.gather(*(attack(port, k, part, seed, target, valid, note) for k, part in enumerate(parts)))
    return statuses, findings


def attack_pages(pages: str, count: int, seed: int, results: Results) -> bool:
    """Whether the pages of a name withstand hostile requests."""
    with TemporaryDirectory() as folder, ExitStack() as closing:
        log = Path(folder) / "log"
        if pages == "study":
            (Path(folder) / "study.toml").write_text(FUZZED_STUDY)
            port, server = closing.enter_context(served_study(Path(folder) / "study.toml", log))
        else:
            port, server = closing.enter_context(served(log, limited=False))
        before, begin = memory_now_mb(server.pid), now()
        statuses, findings = asyncio.run(attack_all(port, count, seed, pages))
        seconds = now() - begin
        alive = server.poll() is None
        after = memory_now_mb(server.pid)
        written = log.read_text()
    chained = "During handling of the above exception, another exception occurred:\n\nTraceback"
    tracebacks = [f"Traceback{text}" for text in written.replace(chained, "").split("Traceback")[1:]]
    own = [text for text in tracebacks if "/tumble/" in text]
    print("".join(text[:3000] for text in [*own, *tracebacks][:1]))
    shown = ", ".join(f"{status}: {number}" for status, number in sorted(statuses.items()) if status > 0)
    results.add(f"{pages}: hostile requests", f"{count:,}", "100,000", "1,000,000", f"{seconds:.0f} s; {shown}")
    wrong = len(findings) + len(own) + (not alive)
    results.add(f"{pages}: crashes, leaks and 5xx other than 503", str(wrong), "0", "0")
    note = "about a connection that breaks the protocol, which is closed; the server keeps running"
    results.add(f"{pages}: errors in the log that are Uvicorn's own", str(len(tracebacks) - len(own)), "", "", note)
    results.add(f"{pages}: valid attempts between them, all as before", str(statuses[-1]))
    results.add(f"{pages}: growth of memory", f"{after - before:.0f} MB", "", "", f"from {before:.0f} MB")
    return not wrong


def main() -> None:
    given = arguments(__doc__, count=100_000, seed=0, pages=PAGES)
    results = Results("Hostile requests to the pages")
    survived = [attack_pages(pages, given.count, given.seed, results) for pages in given.pages]
    results.keep_others("play-fuzz")
    results.finish("play-fuzz")
    raise SystemExit(not all(survived))


if __name__ == "__main__":
    main()
