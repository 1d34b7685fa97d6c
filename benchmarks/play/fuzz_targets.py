"""What play_fuzz.py attacks: the pages of PHYRE, of Phy-Q, and of a study."""

import json
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from play_http import SHOT_TASK, Client

TASK = "00000:000"
STUDY = """
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


async def join(client: Client) -> str:
    """Begins as a new participant, who agrees; the client keeps the cookie."""
    begun = await client.post("/study/api/begin", b"{}")
    client.headers = f"Cookie: {begun.headers['set-cookie'].partition(';')[0]}\r\n"
    tag = begun.json()["participant"]
    assert (await client.post("/study/api/consent", json.dumps({"participant": tag}).encode())).status == 200
    return str(tag)


async def target_of(name: str, client: Client) -> Target:
    """The pages of a name, on a server that runs."""
    if name == "phyre":
        return Target((*SHARED_PATHS, *PHYRE_PATHS), phyre_attempt, _phyre_valid)
    if name == "phyq":
        return Target((*SHARED_PATHS, *PHYQ_PATHS), phyq_request, _phyq_valid)
    tag = await join(client)
    headers = (client.headers.strip(), client.headers.strip(), "Cookie: study=x", "Authorization: Bearer x")
    return Target((*SHARED_PATHS, *STUDY_PATHS), study_request(tag), _study_valid, headers)
