"""What players do under load, for play_load.py: rounds of requests on the pages of PHYRE, of Phy-Q and of a study."""

import json
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from functools import cache

import numpy as np
from fuzz_targets import join
from play_http import Client, now

from tumble.phyq.generation.solutions import solutions as phyq_solutions
from tumble.phyre.catalogue.tasks_by_id import solutions
from tumble.phyre.catalogue.tasks_by_id import task as phyre_task
from tumble.phyre.simulation.actions import sample_valid
from tumble.phyre.web.task_data import task_data

STUDY_TASKS = tuple(f"{template:05d}:000" for template in range(25))
STUDY = f"""
benchmark = "phyre"
title = "Load"
attempts = 40
order = "rotated"
[tasks]
ids = {json.dumps(STUDY_TASKS)}
"""
VALID_ACTIONS = 40

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
            action = player.rng.choice(valid_actions(_task_of(step)))
            answer = await player.attempt("/study/api/attempts", {**place, "part": 1, "action": action})
            step = {**step, **answer["step"]}
            if answer["step"]["position"] != place["position"]:
                return

    return play


def _task_of(step: dict) -> str:
    """The task of a step, of which the server does not tell the name, by its bodies."""
    return _names()[json.dumps(step["task"]["bodies"])]


@cache
def _names() -> dict[str, str]:
    return {json.dumps(task_data(task)["bodies"]): task for task in STUDY_TASKS}


@cache
def valid_actions(task_id: str) -> list[list[float]]:
    """Some valid actions of a task of the study."""
    task = phyre_task(task_id)
    found = sample_valid(task.scene, task.tier, VALID_ACTIONS, np.random.default_rng(0))
    return [list(map(float, action)) for action in found]


ROUNDS: dict[str, Callable[[Player], Awaitable[Round]]] = {
    "phyre": phyre_round,
    "phyq": phyq_round,
    "study": study_round,
}
