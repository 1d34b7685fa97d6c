"""Servers under use and misuse: a class behind one address, idle connections, clients that never read, wrong tokens.

    python benchmarks/play/server_limits.py [--parts class progress]

Everything is asked of `tumble play` and `tumble study serve` as processes on this machine, with the limits that they
have by default. A person who enters loads pages with all their files, as a browser does; all of a class have one
address. Numbers of connections and seconds are bounded.
"""

import asyncio
import json
import random
import socket
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
from http_client import (
    STUDY,
    STUDY_TASKS,
    Answer,
    Browser,
    Client,
    cpu_seconds,
    memory_mb,
    now,
    open_connections,
    served,
    served_study,
)
from table import Results, arguments

from tumble.benchmark import open_study
from tumble.studies.store import Store

PEOPLE, WITHIN = 60, 10.0
"""Who enter, and seconds in which they begin to."""
ONE, OTHER = "127.0.0.2", "127.0.0.3"
IDLE, IDLE_SECONDS = 1030, 15.0
UNREAD, ANSWERS, FILE = 1, 250, "/phyq/static/edit.js"
"""Connections that never read, how often each asks for a file, so that the answers fit into no buffer, and which."""
LONGEST_SECONDS = 60.0
"""That such a connection is watched."""
WRONG = 1000
TOKEN = "the-token-of-a-test"
LARGE, TASKS, ATTEMPTS = 10_000, 20, 8
"""People of a large study, their tasks, and the most attempts at one."""


@contextmanager
def study(people: int) -> Iterator[tuple[int, int, list[str]]]:
    """The port and the process of a served study, and the codes of those who were invited."""
    with TemporaryDirectory() as folder:
        file, token = Path(folder) / "study.toml", Path(folder) / "token"
        file.write_text(STUDY)
        token.write_text(TOKEN)
        with open_study(file) as store:
            codes = store.invite(people)
        with served_study(file, token_file=token) as (port, server):
            yield port, server.pid, codes


def rows_of_class(name: str, people: list[Browser], results: Results) -> None:
    """Adds the requests of people that failed."""
    statuses = sum((one.statuses for one in people), Counter())
    times = [time for one in people for time in one.times]
    failed = statuses.total() - statuses[200]
    note = (
        f"{statuses.total():,} requests, {statuses.total() / len(people):.0f} a person; "
        f"p95 {np.percentile(times, 95):.0f} ms; {', '.join(f'{k}: {v}' for k, v in sorted(statuses.items()))}"
    )
    results.add(f"{name}: failed requests", str(failed), "0", "0", note)


async def enter_study(port: int, code: str, delay: float) -> Browser:
    """A participant who opens their link and gets to the first task."""
    await asyncio.sleep(delay)
    person = Browser(port, ONE)
    await person.open(f"/study/{code}")
    begun = await person.ask("/study/api/begin", {"code": code})
    if begun.status == 200:
        person.main.headers = f"Cookie: {begun.headers['set-cookie'].partition(';')[0]}\r\n"
        await person.open("/study/task")
        step = (await person.ask("/study/api/step")).json()
        if "participant" in step:
            place = {name: step[name] for name in ("participant", "position", "attempt")}
            await person.ask("/study/api/seen", place)
    await person.close()
    return person


async def enter_play(port: int, delay: float, rng: random.Random) -> Browser:
    """A person who opens the first page, the gallery with the pictures of all templates, and a task."""
    await asyncio.sleep(delay)
    person = Browser(port, ONE)
    await person.open("/")
    await person.ask("/api/benchmarks")
    await person.open("/phyre/")
    templates = json.loads((await person.ask("/phyre/api/gallery")).body or b"{}").get("templates", [])
    firsts = [f"{one['id']}:{one['numbers'][0]}" for one in templates]
    await asyncio.gather(*(person.ask(f"/phyre/pictures/{task}.svg") for task in firsts))
    task = rng.choice(firsts or ["00000:000"])
    await person.open(f"/phyre/{task}")
    await asyncio.gather(*(person.ask(f"/phyre/api/tasks/{task}{more}") for more in ("", "/agents")))
    await person.close()
    return person


def add_class(results: Results) -> None:
    """Adds failed requests of a class that enters a study."""
    rng = random.Random(0)

    async def all_of_them(port: int, codes: list[str]) -> list[Browser]:
        return await asyncio.gather(*(enter_study(port, code, rng.uniform(0.0, WITHIN)) for code in codes))

    with study(PEOPLE) as (port, _, codes):
        people = asyncio.run(all_of_them(port, codes))
    rows_of_class(f"{PEOPLE} participants behind one address, all entering within {WITHIN:g} s", people, results)


def add_play(results: Results) -> None:
    """Adds failed requests of a class that opens `tumble play`."""
    rng = random.Random(0)

    async def all_of_them(port: int) -> list[Browser]:
        return await asyncio.gather(*(enter_play(port, rng.uniform(0.0, WITHIN), rng) for _ in range(PEOPLE)))

    with served() as (port, _):
        people = asyncio.run(all_of_them(port))
    rows_of_class(f"{PEOPLE} people behind one address on `tumble play`, within {WITHIN:g} s", people, results)


def connected(port: int, address: str, window: int | None = None) -> socket.socket | None:
    """A connection of an address; None where it is refused."""
    made = socket.socket()
    made.settimeout(5.0)
    if window is not None:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
    try:
        made.bind((address, 0))
        made.connect(("127.0.0.1", port))
    except OSError:
        made.close()
        return None
    made.setblocking(False)
    return made


def is_closed(connection: socket.socket) -> bool:
    try:
        return connection.recv(65536) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


async def status(port: int, address: str, path: str = "/", headers: str = "") -> Answer:
    """The answer on a new connection; status 0 for none within 5 seconds."""
    async with Client(port, address) as client:
        client.headers = headers
        try:
            return await asyncio.wait_for(client.get(path), 5.0)
        except (OSError, asyncio.TimeoutError):
            return Answer(0, {}, b"")


def hold_idle(port: int, stopped: Event) -> None:
    """Holds idle connections of an address, and replaces those that are closed."""
    idle: list[socket.socket] = []
    while not stopped.is_set():
        for closed in [one for one in idle if is_closed(one)]:
            closed.close()
            idle.remove(closed)
        made = (connected(port, ONE) for _ in range(IDLE - len(idle)))
        idle += [one for one in made if one is not None]
        stopped.wait(1.0)
    for one in idle:
        one.close()


async def ask_beside_idle(port: int) -> dict[str, Counter[int]]:
    """Statuses of new connections, of the address that holds idle ones and of another."""
    found: dict[str, Counter[int]] = {ONE: Counter(), OTHER: Counter()}
    until = now() + IDLE_SECONDS
    while now() < until:
        for address, statuses in found.items():
            statuses[(await status(port, address, "/api/benchmarks")).status] += 1
        await asyncio.sleep(0.1)
    return found


def add_idle(results: Results) -> None:
    """Adds failed requests while an address holds idle connections."""
    with served() as (port, _):
        stopped = Event()
        holding = Thread(target=hold_idle, args=(port, stopped))
        holding.start()
        found = asyncio.run(ask_beside_idle(port))
        stopped.set()
        holding.join()
    for address, whose in ((OTHER, "another address"), (ONE, "the same address")):
        statuses = found[address]
        note = f"{statuses.total()} requests on new connections in {IDLE_SECONDS:g} s"
        figure = f"{IDLE:,} idle connections of one address: failed requests of {whose}"
        results.add(figure, str(statuses.total() - statuses[200]), "0", "0", note)


async def held(port: int) -> tuple[float, Counter[int]]:
    """Seconds until a server has given up connections that never read, and statuses of another address meanwhile."""
    asks = f"GET {FILE} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode() * ANSWERS
    unread = [one for one in (connected(port, ONE, 4096) for _ in range(UNREAD)) if one is not None]
    statuses: Counter[int] = Counter()
    begin = now()
    for one in unread:
        one.send(asks)
    while now() - begin < LONGEST_SECONDS and open_connections(port):
        statuses[(await status(port, OTHER)).status] += 1
        await asyncio.sleep(0.5)
    seconds = now() - begin
    for one in unread:
        one.close()
    return seconds, statuses


def add_unread(results: Results) -> None:
    """Adds how long connections that never read are held."""
    with served() as (port, _):
        seconds, statuses = asyncio.run(held(port))
    shown = f"{seconds:.0f} s" if seconds < LONGEST_SECONDS else f"over {LONGEST_SECONDS:.0f} s"
    note = f"it asks for a file {ANSWERS} times at once"
    results.add("a client that never reads: until its connection is closed", shown, "30 s", "", note)
    failed = statuses.total() - statuses[200]
    results.add("the same: failed requests of another address", str(failed), "0", "0", f"{statuses.total()} requests")


def add_tokens(results: Results) -> None:
    """Adds how often the right token is refused after wrong ones of the same address."""

    async def statuses(port: int, wrong: int) -> tuple[Counter[int], Counter[int]]:
        refused: Counter[int] = Counter()
        for number in range(wrong):
            headers = f"Authorization: Bearer wrong-{number}\r\n"
            refused[(await status(port, ONE, "/study/api/admin", headers)).status] += 1
        right = f"Authorization: Bearer {TOKEN}\r\n"
        accepted: Counter[int] = Counter()
        for _ in range(10):
            accepted[(await status(port, ONE, "/study/api/admin", right)).status] += 1
        return refused, accepted

    for wrong in (6, WRONG):
        with study(1) as (port, _, _):
            refused, accepted = asyncio.run(statuses(port, wrong))
        told = ", ".join(f"{k}: {v}" for k, v in sorted(refused.items()))
        figure = f"the right token after {wrong:,} wrong ones of its address: refused"
        results.add(figure, f"{10 - accepted[200]} of 10", "0", "0", f"wrong ones got {told}")


def fill(store: Store, people: int) -> int:
    """Participants with attempts at all tasks, written at once; returns the number of attempts."""
    rng, count = random.Random(1), 0
    with store.database.transaction() as db:
        for number in range(people):
            seen, parts, done = [], [], []
            for position in range(TASKS):
                made = rng.randint(1, ATTEMPTS)
                for attempt in range(1, made + 1):
                    action = json.dumps([round(rng.random(), 2) for _ in range(3)])
                    at, solved = 1e9 + 10.0 * attempt, int(attempt == made < ATTEMPTS)
                    times = (at + 4.0 * rng.random(), 100.0, rng.choice([None, 3000.0 * rng.random()]))
                    seen.append((number, position, attempt, at))
                    status = 1 if solved else -1
                    parts.append((number, position, attempt, 1, action, *times, status, 100, solved, 0, "{}"))
                done.append((number, position, 1e9, int(made == ATTEMPTS)))
                count += made
            db.execute("INSERT INTO participants VALUES (?, ?, 1e9, 1e9, 1e9, NULL, NULL)", (number, f"c{number:011d}"))
            db.executemany("INSERT INTO seen VALUES (?, ?, ?, ?)", seen)
            db.executemany(f"INSERT INTO parts VALUES ({', '.join('?' * 13)})", parts)
            db.executemany("INSERT INTO done VALUES (?, ?, ?, ?)", done)
    return count


def add_progress(results: Results) -> None:
    """Adds seconds and memory of the administrator's page of a large study, and what participants feel of it."""

    async def ask(port: int) -> tuple[Answer, float, list[float]]:
        headers = f"Authorization: Bearer {TOKEN}\r\n"
        meanwhile: list[float] = []
        async with Client(port, ONE) as client, Client(port, OTHER) as person:
            request = f"GET /study/api/admin HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n".encode()
            begin = now()
            reading = asyncio.create_task(client.send(request, 600.0))
            while not reading.done():
                asked = now()
                await person.get("/study/api/step")
                meanwhile.append(1000.0 * (now() - asked))
                await asyncio.sleep(0.1)
            return await reading, now() - begin, meanwhile

    with TemporaryDirectory() as folder:
        file, token = Path(folder) / "study.toml", Path(folder) / "token"
        file.write_text(STUDY.replace(json.dumps(STUDY_TASKS), json.dumps(STUDY_TASKS[:TASKS])))
        token.write_text(TOKEN)
        with open_study(file) as store:
            attempts = fill(store, LARGE)
        with served_study(file, token_file=token) as (port, server):
            asyncio.run(status(port, OTHER, "/study/api/step"))
            before, used = memory_mb(server.pid), cpu_seconds(server.pid)
            answer, seconds, meanwhile = asyncio.run(ask(port))
            more, used = memory_mb(server.pid) - before, cpu_seconds(server.pid) - used
    assert answer.status == 200, answer.body
    note = f"{attempts:,} attempts at {TASKS} tasks; {used:.1f} s of CPU, requests of a participant included"
    results.add(f"progress of {LARGE:,} people", f"{seconds:.1f} s", "", "10 s", note)
    results.add("the same: memory", f"{more:.0f} MB", "100 MB", "", f"beyond the server's {before:.0f} MB")
    results.add("the same: answer", f"{len(answer.body) / 1000:.0f} kB", "", "", "participants at most 200 at once")
    worst = f"{len(meanwhile)} requests, the longest {max(meanwhile):.0f} ms"
    results.add(
        "the same: a participant's requests meanwhile, p95", f"{np.percentile(meanwhile, 95):.0f} ms", note=worst
    )


PARTS = {
    "class": add_class,
    "play": add_play,
    "idle": add_idle,
    "unread": add_unread,
    "tokens": add_tokens,
    "progress": add_progress,
}


def main() -> None:
    given = arguments(__doc__, parts=tuple(PARTS))
    results = Results("Servers under real use and misuse")
    for part in given.parts:
        PARTS[part](results)
    results.keep_others("server-limits")
    results.finish("server-limits")


if __name__ == "__main__":
    main()
