"""All that a store has recorded of its participants, one after the other, as it was at one moment."""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tumble.runs.log import Row
from tumble.studies.store import Store
from tumble.studies.study_tasks import Action


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
    texts: Mapping[str, str] = field(default_factory=dict)
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
        """As in a run log; times are text, those of several parts separated by spaces."""
        base = {"attempt": self.number, "action": list(self.action), "status": self.status, "steps": self.steps}
        seen = None if self.seen is None else f"{self.seen:.3f}"
        times = {"seen": seen, "touched_ms": _texts(self.touched_ms), "released_ms": _texts(self.released_ms)}
        return {**base, **self.texts, **times}


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
            yield _record(db, store, person)


def _record(db: sqlite3.Connection, store: Store, person: sqlite3.Row) -> ParticipantRecord:
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
        attempt.status, attempt.steps, attempt.texts = part["status"], part["steps"], json.loads(part["texts"])
        attempt.solved, attempt.open = bool(part["solved"]), bool(part["open"])
        attempt.touched_ms.append(part["touched_ms"])
        attempt.released_ms.append(part["released_ms"])
    return record


def _texts(times: list[float | None]) -> str:
    return " ".join("-" if time is None else f"{time:.0f}" for time in times)
