"""Phy-Q's run logs on the pages for watching."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool

from tumble.errors import TumbleError
from tumble.phyq.catalogue.level import Level
from tumble.phyq.catalogue.level_files import level_tasks
from tumble.phyq.catalogue.physics import STEP
from tumble.phyq.catalogue.templates import SCENARIOS, templates
from tumble.phyq.evaluation.run_spec import LEVEL_FILE, TASKS_DIGEST, digest_of_levels
from tumble.phyq.simulation.attempt import STATUS_CODES, STATUS_NAMES, shots_of
from tumble.phyq.simulation.simulator import Simulator
from tumble.phyq.web.attempts import PersonAttempt, simulate_attempts, simulate_own
from tumble.phyq.web.level_data import is_task_id, known_task, level_data
from tumble.runs.header import RunHeader
from tumble.runs.log import Row
from tumble.runs.spec import header_digest, task_file_of
from tumble.web import pages
from tumble.web.pages import Replayed
from tumble.web.physics_queue import PhysicsQueue
from tumble.web.responses import WebError

WORDS = {"won": "won", "open": "given up", "lost": "pigs left", "cap": "time ran out"}
"""By status."""
MOST_RUNS = 16
"""Runs whose own levels are kept."""


class Replays(pages.Replays):
    """Shots are played again, also at a user's levels if they have not changed."""

    script = "/phyq/static/replay.js"
    task_word = "level"

    def group(self, task_id: str) -> str:
        key = super().group(task_id)
        return f"{key} {SCENARIOS[templates()[key].scenario]}" if key in templates() else key

    def outcome(self, row: Row) -> str:
        status = STATUS_NAMES.get(row["status"])
        word = WORDS[status] if status else f"status {row['status']}"
        return f"{word}, {row['steps'] * STEP:.1f} s" if row["steps"] else word

    def play_address(self, header: RunHeader, task_id: str) -> str:
        return f"/phyq/{task_id}" if header.spec.get("setting") != "levels" and is_task_id(task_id) else ""

    def scene(self, header: RunHeader, task_id: str) -> Any:
        level, is_own = _level(header, task_id)
        return level_data(level, Simulator([level], threads=1).settled_levels()[0] if is_own else None)

    async def replay(self, physics: PhysicsQueue, header: RunHeader, task_id: str, row: Row) -> Replayed:
        level, is_own = await run_in_threadpool(_level, header, task_id)
        shots = shots_of(row["action"])
        if not shots:
            outcome = {"status": STATUS_CODES["open"], "steps": 0}
            return Replayed(json.dumps({"status": "open", "shots": []}).encode("ascii"), outcome)
        work = simulate_own_again if is_own else simulate_again
        made: Replayed = await physics.submit(work, PersonAttempt(level, shots), slow=is_own)
        return made


def simulate_again(attempts: Sequence[PersonAttempt]) -> list[Any]:
    """Attempts as people's are simulated, with the fields of their rows in a log."""
    return [_replayed(*pair) for pair in zip(attempts, simulate_attempts(attempts), strict=True)]


def simulate_own_again(attempts: Sequence[PersonAttempt]) -> list[Any]:
    """The same for levels of users."""
    return [_replayed(*pair) for pair in zip(attempts, simulate_own(attempts), strict=True)]


def _replayed(attempt: PersonAttempt, answer: bytes | TumbleError) -> Any:
    if isinstance(answer, TumbleError):
        return answer
    made = json.loads(answer)
    shots = json.dumps([asdict(shot) for shot in attempt.shots]).encode("ascii")
    outcome = {"status": STATUS_CODES[made["status"]], "steps": made["steps"], "score": made["score"]}
    return Replayed(answer[:-1] + b',"shots":' + shots + b"}", outcome)


def _level(header: RunHeader, task_id: str) -> tuple[Level, bool]:
    """A level of a run, and whether it is a user's."""
    if header.spec.get("setting") != "levels":
        return known_task(task_id).level, False
    try:
        levels = _own_levels(task_file_of(header, LEVEL_FILE, TASKS_DIGEST), header_digest(header, TASKS_DIGEST))
    except (TumbleError, OSError):
        raise WebError(422, "the level files of this run are gone or can't be read") from None
    if task_id not in levels:
        raise WebError(422, "the level files of this run have changed since")
    return levels[task_id], True


@lru_cache(maxsize=MOST_RUNS)
def _own_levels(file: Path, digest: str) -> dict[str, Level]:
    """The levels of a file beside a run's log by id; empty if any has changed since."""
    levels = {task.id: task.level for task in level_tasks(file)}
    return levels if digest_of_levels(levels.values()) == digest else {}
