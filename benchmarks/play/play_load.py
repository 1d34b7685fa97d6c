"""The pages under load: milliseconds from click to first frame, and requests per second that they hold.

    python benchmarks/play/play_load.py [--seconds 60] [--clicks 100] [--pages phyre phyq study]

Server, players and browser share the machine. Every player has an address of its own (127.0.0.2, …), so that the
server's limits hold as they do for people. A player's round is about ten requests: a page, two of its files, the task,
three pictures, results of agents and two attempts; in a study also when tasks were seen. Clicks are made in Chromium,
while 15 other players attempt tasks, one every two seconds each as people do, or without a pause.
"""

import asyncio
import json
import random
import shutil
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
from http_client import STUDY, STUDY_TASKS, Client, cpu_seconds, join, now, served, served_study
from table import Results, arguments

from tumble.phyq.generation.solutions import solutions as phyq_solutions
from tumble.phyre.catalogue.tasks_by_id import solutions
from tumble.phyre.catalogue.tasks_by_id import task as phyre_task
from tumble.phyre.simulation.actions import sample_valid
from tumble.phyre.web.task_data import task_data

PLAYERS = 32
THINKING = 2.0
"""Seconds between two attempts of a person."""
Round = Callable[[], Awaitable[None]]
"""About ten requests."""


class Player:
    """A connection that notes statuses, and milliseconds of attempts."""

    def __init__(self, client: Client, seed: int, statuses: Counter[int], times: list[float]) -> None:
        self.client, self.rng, self.statuses, self.times = client, random.Random(seed), statuses, times

    async def get(self, *paths: str) -> None:
        for path in paths:
            self.statuses[(await self.client.get(path)).status] += 1

    async def attempt(self, path: str, fields: dict) -> dict:
        begin = now()
        answer = await self.client.post(path, json.dumps(fields).encode())
        self.times.append(1000.0 * (now() - begin))
        self.statuses[answer.status] += 1
        return answer.json()


async def phyre_round(player: Player) -> Round:
    tasks = list(solutions())

    async def play() -> None:
        rng, task = player.rng, player.rng.choice(tasks)
        pictures = [f"/phyre/pictures/{rng.choice(tasks)}.svg" for _ in range(3)]
        files = ["/phyre/static/play.js", "/static/scene.js"]
        await player.get(f"/phyre/{task}", *files, f"/phyre/api/tasks/{task}", *pictures)
        await player.get(f"/phyre/api/tasks/{task}/agents")
        action = solutions()[task].tolist()
        changed = [min(1.0, max(0.0, number + rng.uniform(-0.02, 0.02))) for number in action]
        for one in (action, changed):
            await player.attempt("/phyre/api/attempts", {"task": task, "action": one})

    return play


async def phyq_round(player: Player) -> Round:
    tasks = list(phyq_solutions())

    async def play() -> None:
        rng, task = player.rng, player.rng.choice(tasks)
        pictures = [f"/phyq/pictures/{rng.choice(tasks)}.svg" for _ in range(3)]
        files = ["/phyq/static/play.js", "/phyq/static/painter.js"]
        await player.get(f"/phyq/{task}", *files, f"/phyq/api/tasks/{task}", *pictures)
        for _ in range(2):
            shots = [{"angle": round(rng.uniform(0.0, 70.0), 2)}]
            await player.attempt("/phyq/api/attempts", {"task": task, "shots": shots})

    return play


async def study_round(player: Player) -> Round:
    """Attempts of a participant of a study, who begins again as a new one when there are no more tasks."""
    tag = await join(player.client)

    async def play() -> None:
        nonlocal tag
        await player.get("/study/task", "/phyre/static/play.js", "/static/study.js")
        step = (await player.client.get("/study/api/step")).json()
        if "task" not in step:
            player.client.headers = ""
            tag = await join(player.client)
            return
        player.statuses[200] += 1
        for _ in range(3):
            place = {"participant": tag, "position": step["position"], "attempt": step["attempt"]}
            seen = await player.client.post("/study/api/seen", json.dumps(place).encode())
            player.statuses[seen.status] += 1
            action = player.rng.choice(valid_actions(task_names()[json.dumps(step["task"]["bodies"])]))
            answer = await player.attempt("/study/api/attempts", {**place, "part": 1, "action": action})
            step = {**step, **answer["step"]}
            if answer["step"]["position"] != place["position"]:
                return

    return play


@cache
def task_names() -> dict[str, str]:
    """The tasks of a study by their bodies, as the server does not tell their names."""
    return {json.dumps(task_data(task)["bodies"]): task for task in STUDY_TASKS}


@cache
def valid_actions(task_id: str) -> list[list[float]]:
    """Some valid actions of a task of the study."""
    task = phyre_task(task_id)
    return sample_valid(task.scene, task.tier, 40, np.random.default_rng(0)).tolist()


ROUNDS = {"phyre": phyre_round, "phyq": phyq_round, "study": study_round}


def address(player: int) -> str:
    return f"127.0.{1 + player // 250}.{1 + player % 250}"


async def throughput(port: int, seconds: float, pages: str) -> tuple[float, Counter[int], list[float]]:
    """Requests per second of players without a pause, how often each status was answered, milliseconds of attempts."""
    statuses, times = Counter[int](), list[float]()
    begin = now()

    async def play(number: int) -> None:
        async with Client(port, address(number)) as client:
            play_round = await ROUNDS[pages](Player(client, number, statuses, times))
            while now() < begin + seconds:
                await play_round()

    await asyncio.gather(*map(play, range(PLAYERS)))
    return statuses.total() / (now() - begin), statuses, times


async def latencies(port: int, players: int, pause: float, until: Callable[[], bool]) -> list[float]:
    """Milliseconds of attempts of players, each with a pause after an attempt, until they are told to stop."""
    tasks, found = list(solutions()), list[float]()

    async def play(player: int) -> None:
        rng = random.Random(player)
        await asyncio.sleep(rng.uniform(0.0, pause))
        async with Client(port, address(player)) as client:
            while not until():
                task = rng.choice(tasks)
                begin = now()
                answer = await client.attempt(task, solutions()[task].tolist())
                found.append(1000.0 * (now() - begin))
                assert answer.status == 200, answer
                await asyncio.sleep(rng.uniform(0.5, 1.5) * pause)

    await asyncio.gather(*map(play, range(players)))
    return found


def clicks(port: int, count: int) -> list[float]:
    """Milliseconds from click to the first frame, measured by the page itself, for random tasks of both tiers."""
    from playwright.sync_api import sync_playwright

    rng, tasks, found = random.Random(0), list(solutions()), list[float]()
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


def beside_others(port: int, work: Callable[[], list[float]]) -> list[float]:
    """What `work` finds while 15 others play."""
    stop = Event()
    thread = Thread(target=lambda: asyncio.run(latencies(port, 15, THINKING, stop.is_set)))
    thread.start()
    try:
        return work()
    finally:
        stop.set()
        thread.join()


def p95(times: list[float]) -> str:
    return f"{np.percentile(times, 95):.0f} ms"


def add_clicks(port: int, count: int, seconds: float, results: Results) -> None:
    """Adds milliseconds of attempts at PHYRE, alone and beside others."""
    alone, crowd = clicks(port, count), beside_others(port, lambda: clicks(port, count))
    results.add("click to first frame, 1 player, p95", p95(alone), "100 ms", "50 ms", f"median {np.median(alone):.0f}")
    note = f"median {np.median(crowd):.0f}; the others think for {THINKING:g} s between attempts"
    results.add("click to first frame, 16 players, p95", p95(crowd), "300 ms", "150 ms", note)
    end = now() + seconds / 4
    times = asyncio.run(latencies(port, 16, 0.0, lambda: now() >= end))
    note = f"median {np.median(times):.0f}; {4 * len(times) / seconds:.0f} attempts/s"
    results.add("request to answer, 16 players without a pause, p95", p95(times), note=note)


def add_throughput(port: int, server: int, seconds: float, pages: str, results: Results) -> None:
    """Adds the requests per second that the pages of a name hold, and their errors."""
    used = cpu_seconds(server)
    rate, statuses, times = asyncio.run(throughput(port, seconds, pages))
    per_request = 1000.0 * (cpu_seconds(server) - used) / statuses.total()
    share = 10.0 * len(times) / statuses.total()
    note = f"{seconds:g} s, {statuses.total():,} requests, {share:.0f} of 10 attempts; {per_request:.2f} CPU ms each"
    results.add(f"{pages}: requests/s, {PLAYERS} players", f"{rate:.0f}", "200", "500", note)
    results.add(f"{pages}: attempts among them, p95", p95(times), note=f"median {np.median(times):.0f}")
    wrong = str(statuses.total() - statuses[200])
    results.add(f"{pages}: errors", wrong, "0", "0", ", ".join(f"{k}: {v}" for k, v in statuses.items()))


def main() -> None:
    given = arguments(__doc__, seconds=60.0, clicks=100, pages=tuple(ROUNDS))
    results = Results("The pages under load")
    for pages in given.pages:
        with TemporaryDirectory() as folder:
            file = Path(folder) / "study.toml"
            file.write_text(STUDY)
            with served_study(file) if pages == "study" else served() as (port, server):
                if pages == "phyre" and given.clicks:
                    add_clicks(port, given.clicks, given.seconds, results)
                add_throughput(port, server.pid, given.seconds, pages, results)
    results.keep_others("play-load")
    results.finish("play-load")


if __name__ == "__main__":
    main()
