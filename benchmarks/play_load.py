"""`tumble play` under load: milliseconds from click to first frame, and requests per second that it holds.

    python benchmarks/play_load.py --seconds 60

Server, players and browser share the machine. Every player has an address of its own (127.0.0.2, …), so that the
server's limits hold as they do for people. A player's round is ten requests: a page, two of its files, the task, three
pictures, results of agents and two attempts. Clicks are made in Chromium, while 15 other players attempt tasks, one
every two seconds each as people do, or without a pause.
"""

import argparse
import asyncio
import random
import shutil
from collections import Counter
from collections.abc import Awaitable, Callable
from threading import Event, Thread

import numpy as np
from play_http import Client, cpu_seconds, now, served
from table import Results

from tumble.phyre.generation.solutions import solutions

CLICKS = 100
THINKING = 2.0
"""Seconds between two attempts of a person."""


def address(player: int) -> str:
    return f"127.0.{1 + player // 250}.{1 + player % 250}"


async def round_of_requests(client: Client, rng: random.Random, tasks: list[str]) -> list[int]:
    """The statuses of a player's ten requests."""
    task = rng.choice(tasks)
    pictures = [f"/phyre/pictures/{rng.choice(tasks)}.svg" for _ in range(3)]
    files = ["/phyre/static/play.js", "/static/scene.js"]
    paths = [f"/phyre/{task}", *files, f"/phyre/api/tasks/{task}", *pictures, f"/phyre/api/tasks/{task}/agents"]
    statuses = [(await client.get(path)).status for path in paths]
    action = solutions()[task].tolist()
    statuses.append((await client.attempt(task, action)).status)
    changed = [min(1.0, max(0.0, number + rng.uniform(-0.02, 0.02))) for number in action]
    statuses.append((await client.attempt(task, changed)).status)
    return statuses


async def throughput(port: int, players: int, seconds: float) -> tuple[float, Counter[int]]:
    """Requests per second of players without a pause, and how often each status was answered."""
    tasks = list(solutions())
    statuses: Counter[int] = Counter()
    until = now() + seconds

    async def play(player: int) -> None:
        rng = random.Random(player)
        async with Client(port, address(player)) as client:
            while now() < until:
                statuses.update(await round_of_requests(client, rng, tasks))

    begin = now()
    await asyncio.gather(*(play(player) for player in range(players)))
    return statuses.total() / (now() - begin), statuses


async def latencies(port: int, players: int, seconds: float, pause: float) -> list[float]:
    """Milliseconds of attempts of players, each with a pause after an attempt."""
    tasks = list(solutions())
    found: list[float] = []
    until = now() + seconds

    async def play(player: int) -> None:
        rng = random.Random(player)
        await asyncio.sleep(rng.uniform(0.0, pause))
        async with Client(port, address(player)) as client:
            while now() < until:
                task = rng.choice(tasks)
                begin = now()
                answer = await client.attempt(task, solutions()[task].tolist())
                found.append(1000.0 * (now() - begin))
                assert answer.status == 200, answer
                await asyncio.sleep(rng.uniform(0.5, 1.5) * pause)

    await asyncio.gather(*(play(player) for player in range(players)))
    return found


def clicks(port: int, count: int) -> list[float]:
    """Milliseconds from click to the first frame, measured by the page itself, for random tasks of both tiers."""
    from playwright.sync_api import sync_playwright

    rng = random.Random(0)
    tasks = list(solutions())
    found: list[float] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        page = browser.new_context(viewport={"width": 1024, "height": 768}).new_page()
        while len(found) < count:
            page.goto(f"http://localhost:{port}/phyre/{rng.choice(tasks)}")
            page.locator("#status", has_text="ball should be").wait_for()
            box = page.locator("#canvas").bounding_box()
            assert box is not None
            for _ in range(20):
                x, y = rng.uniform(0.1, 0.9), rng.uniform(0.1, 0.9)
                page.mouse.click(box["x"] + x * box["width"], box["y"] + y * box["height"])
                if page.locator("#run").is_enabled():
                    break
            else:
                continue
            page.locator("#run").click()
            page.locator("#status", has_text="Running").wait_for()
            page.wait_for_timeout(50)
            found += page.evaluate("() => performance.getEntriesByName('click to first frame').map((e) => e.duration)")
        browser.close()
    return found


def beside(players: Callable[[Callable[[], bool]], Awaitable[None]], work: Callable[[], list[float]]) -> list[float]:
    """What `work` finds while others play."""
    stop = Event()
    thread = Thread(target=lambda: asyncio.run(players(stop.is_set)))  # type: ignore[arg-type]
    thread.start()
    try:
        return work()
    finally:
        stop.set()
        thread.join()


def others(port: int, players: int, pause: float) -> Callable[[Callable[[], bool]], Awaitable[None]]:
    async def play_until(stopped: Callable[[], bool]) -> None:
        while not stopped():
            await latencies(port, players, 2.0, pause)

    return play_until


def p95(times: list[float]) -> str:
    return f"{np.percentile(times, 95):.0f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="of each measurement of requests")
    parser.add_argument("--clicks", type=int, default=CLICKS)
    options = parser.parse_args()
    results = Results("tumble play under load")
    with served() as (port, server):
        alone = clicks(port, options.clicks)
        results.add(
            "click to first frame, 1 player, p95", p95(alone), "100 ms", "50 ms", f"median {np.median(alone):.0f}"
        )
        crowd = beside(others(port, 15, THINKING), lambda: clicks(port, options.clicks))
        note = f"median {np.median(crowd):.0f}; the others think for {THINKING:g} s between attempts"
        results.add("click to first frame, 16 players, p95", p95(crowd), "300 ms", "150 ms", note)
        times = asyncio.run(latencies(port, 16, options.seconds / 4, 0.0))
        note = f"median {np.median(times):.0f}; {4 * len(times) / options.seconds:.0f} attempts/s"
        results.add("request to answer, 16 players without a pause, p95", p95(times), "", "", note)
        used = cpu_seconds(server.pid)
        rate, statuses = asyncio.run(throughput(port, 32, options.seconds))
        per_request = 1000.0 * (cpu_seconds(server.pid) - used) / statuses.total()
        wrong = statuses.total() - statuses[200]
        note = f"{options.seconds:g} s, {statuses.total():,} requests, 2 of 10 attempts; {per_request:.2f} CPU ms each"
        results.add("requests/s, 32 players", f"{rate:.0f}", "200", "500", note)
        results.add("errors among them", str(wrong), "0", "0", ", ".join(f"{k}: {v}" for k, v in statuses.items()))
    results.finish("play-load")


if __name__ == "__main__":
    main()
