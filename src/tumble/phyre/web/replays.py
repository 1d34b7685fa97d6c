"""PHYRE's run logs on the pages for watching."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool

from tumble.errors import TumbleError
from tumble.phyre.catalogue import task_files
from tumble.phyre.catalogue.task import Task, TaskError, digest_of_tasks
from tumble.phyre.catalogue.templates import NAMES
from tumble.phyre.evaluation.run_spec import TASK_FILE, TASKS_DIGEST
from tumble.phyre.observation.picture_files import STEPS_PER_SECOND
from tumble.phyre.simulation.status import LABELS
from tumble.phyre.web.attempts import PersonAttempt, own_attempt, simulate_attempts
from tumble.phyre.web.task_data import is_id, known_task, scene_data
from tumble.runs.header import RunHeader
from tumble.runs.log import Row
from tumble.runs.spec import header_digest, task_file_of
from tumble.web import pages
from tumble.web.pages import Replayed
from tumble.web.physics_queue import PhysicsQueue
from tumble.web.responses import WebError, json_bytes

MOST_FILES = 8
"""Files of user-defined tasks that are kept."""


class Replays(pages.Replays):
    """Attempts are simulated again, also at tasks from a user's file if it has not changed."""

    script = "/phyre/static/replay.js"

    def group(self, task_id: str) -> str:
        key = super().group(task_id)
        return f"{key} {NAMES[key].replace('_', ' ')}" if key in NAMES else key

    def outcome(self, row: Row) -> str:
        label = LABELS.get(row["status"], f"status {row['status']}")
        return f"{label}, {row['steps'] / STEPS_PER_SECOND:.1f} s" if row["steps"] else label

    def play_address(self, header: RunHeader, task_id: str) -> str:
        return f"/phyre/{task_id}" if header.spec.get("tasks") is None and is_id(task_id) else ""

    def scene(self, header: RunHeader, task_id: str) -> Any:
        return scene_data(_task(header, task_id))

    async def replay(self, physics: PhysicsQueue, header: RunHeader, task_id: str, row: Row) -> Replayed:
        action = tuple(row["action"])
        if not action:
            raise WebError(422, "this attempt was lost: it has no action, as the model's answer could not be read")
        if None in action:
            raise WebError(422, "this attempt has an action without numbers")
        task = await run_in_threadpool(_task, header, task_id)
        if header.spec.get("tasks") is None:
            made = await physics.submit(simulate_attempts, PersonAttempt(task_id, action))
        else:
            made = await physics.submit(simulate_own, (task, action), slow=True)
        clip = json_bytes(made)
        return Replayed(clip, {"status": made["status"], "steps": made["steps"]})


def simulate_own(attempts: Sequence[tuple[Task, tuple[float, ...]]]) -> list[Any]:
    """Attempts at tasks of users, whose ids may be anything: each alone."""
    return [own_attempt(task, action) for task, action in attempts]


def _task(header: RunHeader, task_id: str) -> Task:
    """A task of a run: of the catalogue, or of the user's tasks that the run had."""
    if header.spec.get("tasks") is None:
        return known_task(task_id)
    try:
        file = task_file_of(header, TASK_FILE, TASKS_DIGEST)
        found = _own_tasks(file, header_digest(header, TASKS_DIGEST)).get(task_id)
    except (TumbleError, OSError):
        raise WebError(422, "the file of this run's tasks is gone, has changed, or can't be read") from None
    if found is None:
        raise WebError(404, "the file of this run's tasks does not have this one")
    return found


@lru_cache(maxsize=MOST_FILES)
def _own_tasks(file: Path, digest: str) -> Mapping[str, Task]:
    """The tasks of a file beside a run's log, as the run had them."""
    tasks = task_files.load(file)
    if digest_of_tasks(tasks.values()) != digest:
        raise TaskError(f"{file}: changed since the run")
    return tasks
