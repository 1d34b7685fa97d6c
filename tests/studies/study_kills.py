"""Kills the process that records the attempts of a study, again and again: none may be lost, none may count twice.

A process (`SERVER`) opens the study and answers requests: what comes next, and attempts. Participants, in this process,
send their attempts to it; when it dies they start it again, and either send the same attempt once more or ask what
comes next. Half of the kills come at an exact moment of an attempt (before its action is stored, before and after it is
simulated, and when its result is stored but not yet returned), the others at a random one. Now and then a second tab
sends the same attempt, or another with the same number. In the end:

- every result that a participant got is in the database, as they got it, and no such attempt was asked for again;
- attempts, results and finished tasks are the same as in a study without kills.

Over HTTP the process is the server of `tumble study serve`, participants send what its pages send, and all kills come
at random moments, from when a request was sent.
"""

import json
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from study_http import HttpServer

from tumble.phyre.catalogue.tasks_by_id import task as phyre_task
from tumble.phyre.simulation.actions import sample_valid

OPEN = """
import sys
from tumble.benchmark import open_study
store = open_study(sys.argv[1])
"""
SERVER = """
import json, os, signal
from tumble.errors import TumbleError
from tumble.studies.study import Move

moment = ""

def die_at(now):
    if now == moment:
        os.kill(os.getpid(), signal.SIGKILL)

def simulate(task, action):
    die_at("before simulation")
    outcome = store.tasks.simulate(task, action)
    die_at("after simulation")
    return outcome

def answer(request):
    if request["ask"] == "begin":
        return store.begin()
    if request["ask"] == "next":
        return vars(store.next_task(request["code"], simulate))
    die_at("before its action is stored")
    move = request["move"]
    made = store.attempt(request["code"], Move(*move[:3], tuple(move[3]), 10.0, 20.0), simulate)
    die_at("before its result is returned")
    return [made.outcome.status, made.outcome.steps]

print("ready", flush=True)
for line in sys.stdin:
    request = json.loads(line)
    moment = request.get("moment", "")
    try:
        reply = answer(request)
    except TumbleError as error:
        reply = {"error": type(error).__name__}
    print(json.dumps(reply, default=vars), flush=True)
"""
MOMENTS = ("before its action is stored", "before simulation", "after simulation", "before its result is returned")
STUDIES = {
    "phyre": """
benchmark = "phyre"
title = "Balls"
attempts = 4
practice = ["00000:001"]
[tasks]
setting = "ball_within_template"
limit = {tasks}
""",
    "phyq": """
benchmark = "phyq"
title = "Birds"
attempts = 3
[tasks]
setting = "tasks"
only = ["1.1", "10.1"]
limit = {tasks}
""",
}
Choose = Callable[[str, random.Random], list[float | None]]


class KilledError(Exception):
    """The server died before it answered."""


@dataclass
class Server:
    """The process, which is started when it is needed."""

    command: list[str]
    kills: Counter[str] = field(default_factory=Counter)
    process: "subprocess.Popen[str] | None" = None

    def ask(self, request: dict[str, Any], kill: str = "", delay: float = 0.0) -> Any:
        """The answer to a request; with `kill`, the process is killed at this moment of it, or after a delay."""
        process = self.process or self._start()
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps({**request, "moment": kill if kill in MOMENTS else ""}) + "\n")
        process.stdin.flush()
        if kill and kill not in MOMENTS:
            time.sleep(delay)
            process.send_signal(signal.SIGKILL)
        line = process.stdout.readline()
        if kill or not line:
            if process.wait() != -signal.SIGKILL:
                raise SystemExit(f"the server ended by itself, with {process.returncode}")
            self.kills[kill] += 1
            self.stop()
        if not line.endswith("\n"):
            raise KilledError
        return json.loads(line)

    def _start(self) -> "subprocess.Popen[str]":
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout
        if self.process.stdout.readline() != "ready\n":
            raise SystemExit("the server did not start")
        return self.process

    def stop(self) -> None:
        """Closes its pipes, and waits for its end."""
        if self.process is not None:
            with suppress(BrokenPipeError), self.process:
                pass
        self.process = None


@dataclass
class Participants:
    """What participants do; the same for the same seed, whether the server is killed or not."""

    server: Server | HttpServer
    choose: Choose
    seed: int
    kills: int = 0
    """How often the server is to be killed."""
    longest_delay: float = 0.03
    """Seconds from a request to a kill at a random moment."""
    acknowledged: dict[tuple[str, int, int, int], list[int]] = field(default_factory=dict)
    """Results that they got, by code, position, attempt and part."""
    problems: list[str] = field(default_factory=list)

    def take_part(self, count: int) -> None:
        """Participants one after the other, each until they are finished."""
        self._chance = random.Random(f"kills {self.seed}")
        for _ in range(count):
            code = self.server.ask({"ask": "begin"})
            step = self.server.ask({"ask": "next", "code": code})
            while step["kind"] in ("practice", "task"):
                self._attempt(code, step)
                step = self._next(code)

    def _attempt(self, code: str, step: dict[str, Any]) -> None:
        """Makes an attempt, or a part of one; does not retry where the server dies and a page would be reloaded."""
        place = (step["position"], step["attempt"], step["part"])
        if (code, *place) in self.acknowledged:
            self.problems.append(f"{place}: its result was returned, but the attempt is lost and asked for again")
        action = self.choose(step["task"], random.Random(f"{self.seed} {step['task']} {place[1:]}"))
        request = {"ask": "attempt", "code": code, "move": [*place, action]}
        while True:
            try:
                reply = self.server.ask(request, *self._kill())
                break
            except KilledError:
                if self._chance.random() < 0.5:
                    return
        if not isinstance(reply, list):
            self.problems.append(f"{place}: refused with {reply}")
            return
        self.acknowledged[(code, *place)] = reply
        if self._chance.random() < 0.1:
            self._second_tab(request, reply)

    def _second_tab(self, request: dict[str, Any], reply: list[int]) -> None:
        """The same attempt again, which changes nothing; and another with its number, which is refused."""
        if self.server.ask(request) != reply:
            self.problems.append("a second tab got another result")
        *place, action = request["move"]
        other = self.server.ask({**request, "move": [*place, [0.5, *action[1:]]]})
        if other != {"error": "ConflictError"}:
            self.problems.append(f"a second tab made an attempt with a number that was used: {other}")

    def _next(self, code: str) -> Any:
        while True:
            try:
                return self.server.ask({"ask": "next", "code": code}, *self._kill(0.1))
            except KilledError:
                continue

    def _kill(self, chance: float = 0.6) -> tuple[str, float]:
        """The moment at which the server is killed during the next request ("" for not at all), and the delay."""
        if self.server.kills.total() >= self.kills or self._chance.random() > chance:
            return "", 0.0
        exact = chance > 0.5 and self._chance.random() < 0.5 and isinstance(self.server, Server)
        delay = self._chance.uniform(0.0, self.longest_delay)
        return (self._chance.choice(MOMENTS), 0.0) if exact else ("at random", delay)


def contents(path: Path) -> dict[str, Any]:
    """What must be equal: attempts with their results, and finished tasks."""
    with closing(sqlite3.connect(path)) as db:
        parts = db.execute(
            "SELECT participant, position, attempt, part, action, status, steps, solved, open, further FROM parts"
        ).fetchall()
        done = db.execute("SELECT participant, position, given_up FROM done").fetchall()
        codes = db.execute("SELECT code, number FROM participants").fetchall()
    return {"parts": sorted(parts), "done": sorted(done), "codes": dict(codes)}


def run_study(
    folder: Path,
    toml: str,
    choose: Choose,
    kills: int,
    seed: int,
    people: int = 2,
    opening: str = OPEN,
    over_http: bool = False,
) -> tuple[Participants, dict[str, Any]]:
    """Participants of a new study, and what is in its database in the end."""
    folder.mkdir(parents=True)
    file = folder / "study.toml"
    file.write_text(toml)
    server: Server | HttpServer = Server([sys.executable, "-c", opening + SERVER, str(file)])
    if over_http:
        server = HttpServer(file, KilledError)
    participants = Participants(server, choose, seed, kills, 0.2 if over_http else 0.03)
    try:
        participants.take_part(people)
    finally:
        server.stop()
    return participants, contents(file.with_suffix(".sqlite"))


def problems_of(killed: Participants, found: dict[str, Any], reference: dict[str, Any]) -> list[str]:
    """What is lost, or counted twice."""
    problems = list(killed.problems)
    for name in ("parts", "done"):
        if found[name] != reference[name]:
            problems.append(f"{len(found[name])} {name}, not the {len(reference[name])} of a study without kills")
    stored = {(row[0], *row[1:4]): list(row[5:7]) for row in found["parts"]}
    for (code, *place), reply in killed.acknowledged.items():
        if stored.get((found["codes"][code], *place)) != reply:
            problems.append(f"the result of {place} that a participant got is not stored")
    return problems


def choose_for(name: str) -> Choose:
    """Valid actions of PHYRE, or shots of Phy-Q."""

    def of_phyre(task: str, draw: random.Random) -> list[float | None]:
        one = phyre_task(task)
        (action,) = sample_valid(one.scene, one.tier, 1, np.random.default_rng(draw.getrandbits(32)))
        return [float(number) for number in action]

    def of_phyq(task: str, draw: random.Random) -> list[float | None]:
        return [draw.uniform(0.0, 70.0), 1.0, None, None, None]

    return of_phyre if name == "phyre" else of_phyq
