"""What the benchmarks of `tumble play` and `tumble study serve` share: the server as a process, and HTTP clients."""

import asyncio
import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

TASK, SHOT_TASK = "00000:000", "1.1:000"
"""Of PHYRE, and of Phy-Q."""
STUDY_TASKS = tuple(f"{template:05d}:000" for template in range(25))
STUDY = f"""
benchmark = "phyre"
title = "Load"
attempts = 40
order = "rotated"
[tasks]
ids = {json.dumps(STUDY_TASKS)}
"""


OPTIONS = """
import sys
from tumble.web import options, server
chosen = options.WebOptions(port=0, requests_per_second=1e9, burst=10**9, newcomers_per_minute=10**9)
"""
PLAY_APP = """
from tumble.web.app import make_app
app = make_app(chosen)
"""
STUDY_APP = """
from tumble.benchmark import open_study
from tumble.web.study_app import make_study_app
app = make_study_app(open_study(sys.argv[1]), "a-token-of-the-test", chosen, is_open=True)
"""
SERVE = """
server.serve(app, chosen, False, lambda address: print("Play at", address, flush=True))
"""


@contextmanager
def served(log: str | Path = os.devnull, limited: bool = True) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """The port and the process of a server: that of the command, or one without a limit of requests per second.

    It writes warnings and errors to a log.
    """
    unlimited = ["-c", OPTIONS + PLAY_APP + SERVE]
    with _process(["-m", "tumble", "play", "--port", "0", "--no-open"] if limited else unlimited, log) as found:
        asyncio.run(_warm(found[0]))
        yield found


@contextmanager
def served_study(
    file: Path, log: str | Path = os.devnull, token_file: Path | None = None
) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """The same for a study in which anyone may take part, without a limit of requests per second.

    With the file of a token it is served by the command, with the limits that it has by default.
    """
    command = ["-m", "tumble", "study", "serve", str(file), "--port", "0", "--no-open"]
    limited = [*command, "--anyone", "--admin-token-file", str(token_file)]
    with _process(["-c", OPTIONS + STUDY_APP + SERVE, str(file)] if token_file is None else limited, log) as found:
        yield found


@contextmanager
def _process(arguments: list[str], log: str | Path) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    with (
        Path(log).open("w") as errors,
        subprocess.Popen([sys.executable, *arguments], stdout=subprocess.PIPE, stderr=errors, text=True) as server,
    ):
        try:
            assert server.stdout is not None
            line = server.stdout.readline()
            yield int(re.findall(r":(\d+)/", line)[0]), server
        finally:
            server.terminate()


async def _warm(port: int) -> None:
    """Waits until the physics of both benchmarks is loaded."""
    async with Client(port) as client:
        for task in ("00000:000", "00100:000"):
            action = (await client.get(f"/phyre/api/tasks/{task}/solution")).json()["action"]
            assert (await client.attempt(task, action)).json()["solved"]
        shots = (await client.get(f"/phyq/api/tasks/{SHOT_TASK}/solution")).json()["shots"]
        assert (await client.shoot(SHOT_TASK, shots)).json()["status"] == "won"


@dataclass(frozen=True)
class Answer:
    """An answer to a request; status 0 if the connection was closed without one."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> dict:
        return json.loads(self.body)


class Client:
    """A connection that is kept open, and opened again where the server closes it."""

    def __init__(self, port: int, address: str = "127.0.0.1") -> None:
        self.port, self.address, self.headers = port, address, ""
        self._writer: asyncio.StreamWriter | None = None

    async def __aenter__(self) -> "Client":
        return self

    async def __aexit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    async def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    async def get(self, path: str) -> Answer:
        return await self.send(f"GET {path} HTTP/1.1\r\nHost: localhost:{self.port}\r\n{self.headers}\r\n".encode())

    async def attempt(self, task: str, action: list[float]) -> Answer:
        return await self.post("/phyre/api/attempts", json.dumps({"task": task, "action": action}).encode())

    async def shoot(self, task: str, shots: list[dict]) -> Answer:
        return await self.post("/phyq/api/attempts", json.dumps({"task": task, "shots": shots}).encode())

    async def post(self, path: str, body: bytes) -> Answer:
        head = (
            f"POST {path} HTTP/1.1\r\nHost: localhost:{self.port}\r\nContent-Type: application/json\r\n{self.headers}"
        )
        return await self.send(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)

    async def send(self, raw: bytes, seconds: float = 30.0) -> Answer:
        """The answer to bytes as they are."""
        if self._writer is None:
            self._reader, self._writer = await asyncio.open_connection(
                "127.0.0.1", self.port, local_addr=(self.address, 0), limit=1 << 20
            )
        try:
            self._writer.write(raw)
            answer = await asyncio.wait_for(self._read(), seconds)
        except (asyncio.IncompleteReadError, ConnectionError):
            answer = Answer(0, {}, b"")
        if not answer.status or answer.headers.get("connection") == "close":
            await self.close()
        return answer

    async def _read(self) -> Answer:
        answer = await self._read_one()
        return await self._read_one() if answer.status == 100 else answer  # 100: continue sending

    async def _read_one(self) -> Answer:
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
        body = b""
        if "content-length" in headers:
            body = await self._reader.readexactly(int(headers["content-length"]))
        elif headers.get("connection") == "close":
            body = await self._reader.read()
        return Answer(int(head[0].split()[1]), headers, body)


async def join(client: Client) -> str:
    """Begins as a new participant of a study, who agrees; the client keeps the cookie."""
    begun = await client.post("/study/api/begin", b"{}")
    client.headers = f"Cookie: {begun.headers['set-cookie'].partition(';')[0]}\r\n"
    tag = begun.json()["participant"]
    assert (await client.post("/study/api/consent", json.dumps({"participant": tag}).encode())).status == 200
    return str(tag)


LINKS = re.compile(r'(?:<link[^>]* href|<script[^>]* src|<img[^>]* src)="(/[^"]+)"')
IMPORTS = re.compile(r'(?:from|import|import\()\s*"(/[^"]+\.js)"')
CONNECTIONS = 6
"""Of a browser to a server."""


class Browser:
    """A person who loads pages with all their files, as browsers do; notes statuses, and milliseconds of requests."""

    def __init__(self, port: int, address: str) -> None:
        self.main = Client(port, address)
        self._free = [self.main, *(Client(port, address) for _ in range(CONNECTIONS - 1))]
        self._clients = tuple(self._free)
        self._turn = asyncio.Semaphore(CONNECTIONS)
        self.statuses: Counter[int] = Counter()
        self.times: list[float] = []

    async def close(self) -> None:
        for client in self._clients:
            await client.close()

    async def ask(self, path: str, body: dict | None = None) -> Answer:
        """The answer to a request, on whatever connection is free."""
        async with self._turn:
            client = self._free.pop()
            client.headers = self.main.headers
            begin = now()
            try:
                answer = await (client.get(path) if body is None else client.post(path, json.dumps(body).encode()))
            except (OSError, asyncio.TimeoutError):
                answer = Answer(0, {}, b"")
            self.times.append(1000.0 * (now() - begin))
            self._free.append(client)
        self.statuses[answer.status] += 1
        return answer

    async def open(self, path: str) -> None:
        """Loads a page with what it links and the modules that these import."""
        page = (await self.ask(path)).body.decode()
        known: set[str] = set()
        more = set(LINKS.findall(page))
        while more:
            known |= more
            answers = await asyncio.gather(*map(self.ask, sorted(more)))
            modules = (answer.body.decode("utf-8", "replace") for answer in answers)
            more = {name for module in modules for name in IMPORTS.findall(module)} - known


def cpu_seconds(process: int) -> float:
    """The CPU time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100.0


def open_connections(port: int) -> int:
    """The connections to a port of this machine that are established, as its server sees them."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(row[1].endswith(f":{port:04X}") and row[3] == "01" for row in rows)


def memory_mb(process: int) -> float:
    """The most memory that a process has used."""
    return _status(process, "VmHWM")


def memory_now_mb(process: int) -> float:
    """The memory that a process uses."""
    return _status(process, "VmRSS")


def _status(process: int, field: str) -> float:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) / 1000.0


def now() -> float:
    """Seconds of a clock that never goes back."""
    return time.perf_counter()
