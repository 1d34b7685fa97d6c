"""PHYRE's tasks in text mode against a scripted server on localhost: the seconds, and what a killed run asks again.

    python benchmarks/llm_server.py --tasks 500 --kills 4
    python benchmarks/llm_server.py --tasks 40 --kills 2 --name llm-server-small

The server, in this process, answers with random valid actions that depend only on the request, so that most tasks take
all their attempts. A second process (llm_client.py) evaluates the tasks with inspect_ai and its client for servers like
OpenAI's; both run on the same two cores. It runs twice, each time with an empty cache:

- once undisturbed: the seconds from its start to its end, and which requests are needed;
- once killed with SIGKILL and started again, until it is finished: at a random moment in each of as many equal parts of
  the run as there are kills, the last time shortly before its end.

Requests are counted by their content. What the second run asks more often than the first is a repetition. It is
allowed where the request was under way at a kill: its answer was not sent yet, or so shortly before the kill (--grace)
that the process need not have read and stored it. Any other repetition is one of a request that was answered.
"""

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from phyre_script import answer_of
from scripted_server import Messages, Person, ScriptedServer, serving, text_of
from table import Results

from tumble.inspect_tasks.solver import puzzle_set
from tumble.phyre.catalogue.tasks_by_id import task as task_by_id
from tumble.phyre.simulation.actions import sample_valid

CORES = 2
MOST_SECONDS = 300
OPENING = 2
"""Messages before the first answer: the rules, and the task."""
LONGEST_DELAY = 1.0
"""Seconds from the request that a kill waits for to the kill; late in a run they are half of what is left of it."""
LATE = (0.9, 0.98)
"""The share of the requests after which the last kill comes."""
SECONDS_TO_READ = 0.5
"""After a kill: in which the server reads the requests that were sent before it."""


@dataclass(frozen=True)
class Repetition:
    """A request that was made once more after a kill."""

    age: float
    """Seconds from its last answer to the kill; 0 if it was not sent by then."""


class RandomActions:
    """Answers with a random valid action of the task in the request, the same one for the same request."""

    def __init__(self, selection: dict[str, Any]) -> None:
        puzzles = puzzle_set("phyre", selection)
        self.tasks = {
            "\n".join(message.text for message in puzzles.puzzle(task_id).opening()): task_id for task_id in puzzles.ids
        }
        if len(self.tasks) < len(puzzles.ids):
            raise SystemExit(f"{len(puzzles.ids) - len(self.tasks)} tasks have the prompt of another")

    def __call__(self, messages: Messages) -> str:
        task = task_by_id(self.tasks[text_of(messages[:OPENING])])
        seed = int.from_bytes(hashlib.sha256(text_of(messages).encode()).digest()[:8])
        (action,) = sample_valid(task.scene, task.tier, 1, np.random.default_rng(seed))
        return answer_of(action)


def content(body: dict[str, Any]) -> str:
    """What makes two requests the same one."""
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def start(
    server: ScriptedServer, folder: Path, selection: dict[str, Any], connections: int
) -> "subprocess.Popen[bytes]":
    """Starts the process that evaluates."""
    program = Path(__file__).resolve().parent / "llm_client.py"
    arguments = [server.url, str(folder), json.dumps(selection), "--connections", str(connections)]
    return subprocess.Popen([sys.executable, str(program), *arguments])


def finish(process: "subprocess.Popen[bytes]") -> None:
    if process.wait():
        raise SystemExit(f"the evaluation ended with {process.returncode}")


def kill_at(process: "subprocess.Popen[bytes]", server: ScriptedServer, requests: int, delay: float) -> float | None:
    """Kills the process a while after the server has got so many requests; returns when, or None if it had ended."""
    while len(server.answered) < requests:
        if process.poll() is not None:
            return None
        time.sleep(0.005)
    time.sleep(delay)
    if process.poll() is not None:
        return None
    moment = time.monotonic()
    process.send_signal(signal.SIGKILL)
    process.wait()
    time.sleep(SECONDS_TO_READ)
    return moment


def kill_points(requests: int, kills: int, chance: random.Random) -> list[int]:
    """The numbers of requests after which to kill: one in each equal part of them, the last one late."""
    shares = [(number + chance.random()) / kills for number in range(kills - 1)]
    shares += [chance.uniform(*LATE)] * (kills > 0)
    return [max(1, round(share * requests)) for share in shares]


def repetitions(
    needed: Counter[str], contents: Sequence[str], sent_at: dict[int, float], kills: Sequence[tuple[int, float]]
) -> list[Repetition]:
    """The requests that were made more often than needed.

    `contents` are those of all requests in their order, `kills` the number of requests at each kill, and its time.
    """
    before: dict[str, list[int]] = {}
    found = []
    for index, one in enumerate(contents):
        earlier = before.setdefault(one, [])
        if len(earlier) >= max(1, needed[one]):
            last = earlier[-1]
            moment = next((time for count, time in kills if last < count), -np.inf)
            sent = sent_at.get(last, np.inf)
            found.append(Repetition(np.inf if moment == -np.inf else max(0.0, moment - sent)))
        earlier.append(index)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=500)
    parser.add_argument("--attempts", type=int, default=3)
    parser.add_argument("--kills", type=int, default=4)
    parser.add_argument("--connections", type=int, default=10)
    parser.add_argument("--grace", type=float, default=0.25, help="seconds in which an answer is read and stored")
    parser.add_argument("--seed", type=int, default=0, help="of the moments of kills")
    parser.add_argument("--name", default="llm-server", help="of the file of results")
    options = parser.parse_args()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:CORES])
    selection = {"limit": options.tasks, "attempts": options.attempts, "mode": "text"}
    results = Results(f"{options.tasks} tasks of PHYRE against a scripted server on localhost")
    folder = Path(tempfile.mkdtemp(prefix="llm-server-"))
    person = Person("good", RandomActions(selection))

    with serving(person) as server:
        load, started = os.getloadavg()[0], time.monotonic()
        finish(start(server, folder / "whole", selection, options.connections))
        seconds = time.monotonic() - started
    needed = Counter(map(content, server.answered))
    scores = json.loads((folder / "whole" / "scores.json").read_text())
    results.add(
        f"{options.tasks} tasks, up to {options.attempts} attempts",
        f"{seconds:.0f} s",
        f"{MOST_SECONDS} s",
        note=f"{CORES} cores, start included; load average before it {load:.1f}",
    )
    results.add(
        "requests", f"{needed.total():,}", note=f"{len(needed):,} different; {needed.total() / seconds:.1f} per s"
    )
    results.add("tasks solved", f"{scores[f'success_within_{options.attempts}']:.1%}", note="by random valid actions")
    results.add("answers that were read without repair", f"{scores['valid']:.1%}")
    results.finish(options.name)  # already now, as the run with kills takes longer

    chance = random.Random(options.seed)
    points = kill_points(needed.total(), options.kills, chance)
    kills: list[tuple[int, float]] = []
    with serving(person) as server:
        for number, point in enumerate(points):
            process = start(server, folder / "killed", selection, options.connections)
            # requests under way are repeated, and every process has to get so far that it makes one
            requests = max(point, len(server.answered) + 1)
            left = seconds * (1 - point / needed.total())
            moment = kill_at(process, server, requests, chance.uniform(0, min(LONGEST_DELAY, left / 2)))
            if moment is None:
                print(f"kill {number + 1} came too late: the run had ended", file=sys.stderr)
                break
            kills.append((len(server.answered), moment))
        finish(start(server, folder / "killed", selection, options.connections))
    contents = list(map(content, server.answered))
    found = repetitions(needed, contents, server.sent_at, kills)
    under_way = [one for one in found if one.age <= options.grace]
    answered = [one for one in found if one.age > options.grace]
    others = set(contents) ^ set(needed)
    same = json.loads((folder / "killed" / "scores.json").read_text()) == scores

    at = ", ".join(f"{count:,}" for count, _ in kills)
    note = f"SIGKILL, at random moments: after {at} of {len(contents):,} requests"
    results.add("kills", str(len(kills)), str(options.kills), note=note)
    results.add("answered requests that were repeated", str(len(answered)), "0", note=_ages(answered))
    results.add("requests under way at a kill that were repeated", str(len(under_way)), note=_ages(under_way))
    results.add("requests of one run only", str(len(others)), "0", note="of the killed one, or of the other")
    results.add("scores of the killed run", "equal" if same else "different", "equal", note="to those of the other run")
    results.finish(options.name)
    if answered or others or not same:
        raise SystemExit(f"see {folder}")
    shutil.rmtree(folder)


def _ages(found: Sequence[Repetition]) -> str:
    """Text on when their answers had been sent."""
    sent = [one.age for one in found if one.age > 0.0]
    oldest = f", at most {max(sent):.3f} s before" if sent else ""
    return f"{len(sent)} of them had been sent before the kill{oldest}" if found else ""


if __name__ == "__main__":
    main()
