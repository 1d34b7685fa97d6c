"""Run logs of a study: one for each participant, by the agent `people`, which all commands for logs accept.

They are made from all that the store has recorded of its participants, one after the other, as it was at one moment.
"""

import json
import shutil
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from tumble.runs.evaluate import NO_PROPOSAL
from tumble.runs.log import Row, TaskUpdate, open_log, remove_other_form
from tumble.runs.spec import RunSpec
from tumble.studies.database import private_files
from tumble.studies.store import Store
from tumble.studies.study import Action, StudyError, StudyTasks


@dataclass
class AttemptRecord:
    """An attempt that a participant made."""

    number: int
    seen: float | None
    """When the task was shown before the attempt, in seconds since 1970."""
    received: float
    """When its first part arrived."""
    action: Action = ()
    status: int = 0
    steps: int = 0
    solved: bool = False
    open: bool = False
    further: Mapping[str, Any] = field(default_factory=dict)
    touched_ms: list[float | None] = field(default_factory=list)
    """Of each part: from when it was shown to the first touch."""
    released_ms: list[float | None] = field(default_factory=list)
    """To the release."""

    @property
    def seconds(self) -> float | None:
        """The time to think: until the release of the first part, by the page's clock, else by the server's."""
        if self.released_ms[0] is not None:
            return self.released_ms[0] / 1000.0
        return None if self.seen is None else self.received - self.seen

    def row(self) -> Row:
        """As in a run log."""
        base = {"attempt": self.number, "action": list(self.action), "status": self.status, "steps": self.steps}
        times = {"touched_ms": _rounded(self.touched_ms), "released_ms": _rounded(self.released_ms)}
        return {**base, **self.further, "seen": None if self.seen is None else round(self.seen, 3), **times}


@dataclass
class TaskRecord:
    """A participant's attempts at a task."""

    position: int
    task: str
    is_practice: bool
    attempts: list[AttemptRecord] = field(default_factory=list)
    done: bool = False
    given_up: bool = False


@dataclass
class ParticipantRecord:
    """What a participant did; actions without a result are left out (`Store.finish_all`)."""

    number: int
    code: str
    begun: float | None
    finished: bool
    answers: dict[str, str] | None
    tasks: list[TaskRecord]
    """In the participant's order, those for practice first."""
    last: float | None
    """When the last attempt arrived."""

    @property
    def counted(self) -> list[TaskRecord]:
        """Without practice."""
        return [task for task in self.tasks if not task.is_practice]


def read_records(store: Store) -> list[ParticipantRecord]:
    """All participants by number; of those that only have a code, with no attempt."""
    return list(each_record(store))


def each_record(store: Store) -> Iterator[ParticipantRecord]:
    """The same, each when it is asked for: large studies need not fit into memory."""
    with store.database.reading() as db:
        db.row_factory = sqlite3.Row
        for person in db.execute("SELECT * FROM participants ORDER BY number"):
            yield _record_of_participant(db, store, person)


def _record_of_participant(db: sqlite3.Connection, store: Store, person: sqlite3.Row) -> ParticipantRecord:
    number = person["number"]
    own = "WHERE participant = ?"
    done = {row["position"]: bool(row["given_up"]) for row in db.execute(f"SELECT * FROM done {own}", (number,))}
    practice = len(store.study.practice)
    tasks = [
        TaskRecord(k, task, k < practice, done=k in done, given_up=done.get(k, False))
        for k, task in enumerate(store.order(number))
    ]
    finished = len(done) == len(tasks) and (not store.study.questions or person["answered"] is not None)
    answers = None if person["answers"] is None else json.loads(person["answers"])
    record = ParticipantRecord(number, person["code"], person["begun"], finished, answers, tasks, None)
    seen = {(row["position"], row["attempt"]): row["at"] for row in db.execute(f"SELECT * FROM seen {own}", (number,))}
    for part in db.execute(f"SELECT * FROM parts {own} AND status IS NOT NULL ORDER BY 2, 3, 4", (number,)):
        attempts = tasks[part["position"]].attempts
        record.last = max(record.last or 0.0, part["received"])
        if part["part"] == 1:
            first_seen = seen.get((part["position"], part["attempt"]))
            attempts.append(AttemptRecord(part["attempt"], first_seen, part["received"]))
        attempt = attempts[-1]
        attempt.action = (*attempt.action, *json.loads(part["action"]))
        attempt.status, attempt.steps, attempt.further = part["status"], part["steps"], json.loads(part["further"])
        attempt.solved, attempt.open = bool(part["solved"]), bool(part["open"])
        attempt.touched_ms.append(part["touched_ms"])
        attempt.released_ms.append(part["released_ms"])
    return record


def _rounded(times: list[float | None]) -> list[float | None]:
    return [None if time is None else round(time) for time in times]


NO_TIMES: Row = {"seen": None, "touched_ms": [], "released_ms": []}


def export_study(store: Store, folder: Path) -> list[Path]:
    """Writes the run logs of all participants who finished a task, each whole or not at all; returns their paths.

    Logs of an earlier export are replaced. Logs of participants who have not finished are unfinished. They hold the
    participants' codes, so that only the owner may read them.
    """
    store.finish_all()
    with store.database.reading() as db:
        finished_one = "SELECT 1 FROM done WHERE position >= ? LIMIT 1"
        if db.execute(finished_one, (len(store.study.practice),)).fetchone() is None:
            raise StudyError(f"{store.file.path}: no participant has finished a task yet")
    with private_files():
        folder.mkdir(parents=True, exist_ok=True)
        temporary = folder / f".{uuid4().hex}"
        try:
            temporary.mkdir()
            begun = (record for record in each_record(store) if any(task.done for task in record.counted))
            return [_export_log(record, store, folder, temporary) for record in begun]
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def _export_log(record: ParticipantRecord, store: Store, folder: Path, temporary: Path) -> Path:
    spec = store.tasks.spec(store.file.name, record.number, folder)
    written = _write_log(record, spec, store.tasks, temporary, store.file.digest)
    target = folder / written.name
    written.replace(target)
    remove_other_form(target)  # of an earlier export
    return target


def _write_log(record: ParticipantRecord, spec: RunSpec, tasks: StudyTasks, folder: Path, digest: str) -> Path:
    header = spec.header()
    details = {**header.details, "study_sha256": digest}  # the code is the participant's key, and stays in the database
    index = {task_id: number for number, task_id in enumerate(spec.task_ids())}
    spec.write_tasks(folder.parent)
    with open_log(folder / spec.file_name(), header.model_copy(update={"details": details})) as log:
        for task in record.counted:
            if task.done:
                given_up = NO_PROPOSAL if task.given_up else ""
                log.append([TaskUpdate(task.task, _rows_of_task(task, tasks), index[task.task], True, given_up)])
        if all(task.done for task in record.counted):
            log.finish()
    return log.path


def _rows_of_task(task: TaskRecord, tasks: StudyTasks) -> Sequence[Row]:
    rows = [attempt.row() for attempt in task.attempts]
    return [{**NO_TIMES, **row} for row in tasks.rows_given_up(rows)] if task.given_up else rows
