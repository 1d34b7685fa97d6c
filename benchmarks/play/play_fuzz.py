"""Hostile requests to `tumble play` and `tumble study serve`: no crash, no leak, and no status above 499 but 503.

    python benchmarks/play/play_fuzz.py --count 100000 --pages phyre,phyq,study

Requests are raw bytes, so that also what no client would send arrives: broken request lines and headers, wrong lengths,
bodies cut off, deep or huge JSON, paths with "..", methods that do not exist. Now and then a valid attempt must still
give the same answer. A seed and a number make the same request again.
"""

import argparse
import asyncio
import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.append(str(Path(__file__).parents[1]))

from fuzz_targets import STUDY, TASK, Target, Valid, target_of
from play_http import Answer, Client, now, served, served_study
from table import Results

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


def memory(server: subprocess.Popen[str]) -> float:
    """MiB that the server holds."""
    line = next(
        line for line in Path(f"/proc/{server.pid}/status").read_text().splitlines() if line.startswith("VmRSS")
    )
    return int(line.split()[1]) / 1024.0


def attack_pages(pages: str, count: int, seed: int, results: Results) -> bool:
    """Whether the pages of a name withstand hostile requests."""
    with TemporaryDirectory() as folder, ExitStack() as closing:
        log = Path(folder) / "log"
        if pages == "study":
            (Path(folder) / "study.toml").write_text(STUDY)
            port, server = closing.enter_context(served_study(Path(folder) / "study.toml", log))
        else:
            port, server = closing.enter_context(served(log, limited=False))
        before, begin = memory(server), now()
        statuses, findings = asyncio.run(attack_all(port, count, seed, pages))
        seconds = now() - begin
        alive = server.poll() is None
        after = memory(server)
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
    results.add(f"{pages}: growth of memory", f"{after - before:.0f} MiB", "", "", f"from {before:.0f} MiB")
    return not wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=100_000, help="for each of the pages")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pages", default=",".join(PAGES), help=f"some of {', '.join(PAGES)}")
    options = parser.parse_args()
    chosen = options.pages.split(",")
    if not set(chosen) <= set(PAGES):
        parser.error(f"--pages: some of {', '.join(PAGES)}")
    results = Results("Hostile requests to the pages")
    survived = [attack_pages(pages, options.count, options.seed, results) for pages in chosen]
    results.finish("play-fuzz" if chosen == list(PAGES) else f"play-fuzz-{'-'.join(chosen)}")
    raise SystemExit(not all(survived))


if __name__ == "__main__":
    main()
