"""The pages under load: milliseconds from click to first frame, and requests per second that they hold.

    python benchmarks/play/play_load.py --seconds 60 --pages phyre,phyq,study

Server, players and browser share the machine. Every player has an address of its own (127.0.0.2, …), so that the
server's limits hold as they do for people. A player's round is about ten requests: a page, two of its files, the task,
three pictures, results of agents and two attempts; in a study also when tasks were seen. Clicks are made in Chromium,
while 15 other players attempt tasks, one every two seconds each as people do, or without a pause.
"""

import argparse
import asyncio
import random
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Coroutine
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Any

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
from load_rounds import ROUNDS, STUDY, Player
from play_http import Client, cpu_seconds, now, served, served_study
from table import Results

from tumble.phyre.catalogue.tasks_by_id import solutions

CLICKS = 100
PLAYERS = 32
THINKING = 2.0
"""Seconds between two attempts of a person."""
Players = Callable[[Callable[[], bool]], Coroutine[Any, Any, None]]
"""Plays until it is told to stop."""


def address(player: int) -> str:
    return f"127.0.{1 + player // 250}.{1 + player % 250}"


async def throughput(
    port: int, players: int, seconds: float, pages: str = "phyre"
) -> tuple[float, Counter[int], list[float]]:
    """Requests per second of players without a pause, how often each status was answered, milliseconds of attempts."""
    statuses: Counter[int] = Counter()
    times: list[float] = []
    until = now() + seconds

    async def play(number: int) -> None:
        async with Client(port, address(number)) as client:
            play_round = await ROUNDS[pages](Player(client, number, statuses, times))
            while now() < until:
                await play_round()

    begin = now()
    await asyncio.gather(*(play(player) for player in range(players)))
    return statuses.total() / (now() - begin), statuses, times


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


def beside(players: Players, work: Callable[[], list[float]]) -> list[float]:
    """What `work` finds while others play."""
    stop = Event()
    thread = Thread(target=lambda: asyncio.run(players(stop.is_set)))
    thread.start()
    try:
        return work()
    finally:
        stop.set()
        thread.join()


def others(port: int, players: int, pause: float) -> Players:
    async def play_until(stopped: Callable[[], bool]) -> None:
        while not stopped():
            await latencies(port, players, 2.0, pause)

    return play_until


def p95(times: list[float]) -> str:
    return f"{np.percentile(times, 95):.0f} ms"


def add_clicks(port: int, count: int, seconds: float, results: Results) -> None:
    """Adds milliseconds of attempts at PHYRE, alone and beside others."""
    alone = clicks(port, count)
    results.add("click to first frame, 1 player, p95", p95(alone), "100 ms", "50 ms", f"median {np.median(alone):.0f}")
    crowd = beside(others(port, 15, THINKING), lambda: clicks(port, count))
    note = f"median {np.median(crowd):.0f}; the others think for {THINKING:g} s between attempts"
    results.add("click to first frame, 16 players, p95", p95(crowd), "300 ms", "150 ms", note)
    times = asyncio.run(latencies(port, 16, seconds / 4, 0.0))
    note = f"median {np.median(times):.0f}; {4 * len(times) / seconds:.0f} attempts/s"
    results.add("request to answer, 16 players without a pause, p95", p95(times), "", "", note)


def add_throughput(port: int, server: int, seconds: float, pages: str, results: Results) -> None:
    """Adds the requests per second that the pages of a name hold, and their errors."""
    used = cpu_seconds(server)
    rate, statuses, times = asyncio.run(throughput(port, PLAYERS, seconds, pages))
    per_request = 1000.0 * (cpu_seconds(server) - used) / statuses.total()
    wrong = statuses.total() - statuses[200]
    share = 10.0 * len(times) / statuses.total()
    note = f"{seconds:g} s, {statuses.total():,} requests, {share:.0f} of 10 attempts; {per_request:.2f} CPU ms each"
    results.add(f"{pages}: requests/s, {PLAYERS} players", f"{rate:.0f}", "200", "500", note)
    results.add(f"{pages}: attempts among them, p95", p95(times), "", "", f"median {np.median(times):.0f}")
    results.add(f"{pages}: errors", str(wrong), "0", "0", ", ".join(f"{k}: {v}" for k, v in statuses.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="of each measurement of requests")
    parser.add_argument("--clicks", type=int, default=CLICKS, help="in a browser; 0 for none")
    parser.add_argument("--pages", default=",".join(ROUNDS), help=f"some of {', '.join(ROUNDS)}")
    options = parser.parse_args()
    chosen = options.pages.split(",")
    if not set(chosen) <= ROUNDS.keys():
        parser.error(f"--pages: some of {', '.join(ROUNDS)}")
    results = Results("The pages under load")
    if {"phyre", "phyq"} & set(chosen):
        with served() as (port, server):
            if "phyre" in chosen and options.clicks:
                add_clicks(port, options.clicks, options.seconds, results)
            for pages in chosen:
                if pages != "study":
                    add_throughput(port, server.pid, options.seconds, pages, results)
    if "study" in chosen:
        with TemporaryDirectory() as folder:
            file = Path(folder) / "study.toml"
            file.write_text(STUDY)
            with served_study(file) as (port, server):
                add_throughput(port, server.pid, options.seconds, "study", results)
    results.finish("play-load" if chosen == list(ROUNDS) else f"play-load-{'-'.join(chosen)}")


if __name__ == "__main__":
    main()
