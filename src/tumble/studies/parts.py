"""Parts of attempts in the database of a study: their actions, and results, which are empty until they are known."""

import json
import sqlite3
from collections.abc import Sequence

from tumble.studies.errors import StudyError
from tumble.studies.progress import Move
from tumble.studies.study_tasks import Outcome

Numbers = tuple[float | None, ...]
Place = tuple[int, int, int]
"""Position of the task, attempt and part."""
KEY = "participant = ? AND position = ? AND attempt = ? AND part = ?"
RESULT = ("status", "steps", "solved", "open", "texts")


def action_at(db: sqlite3.Connection, number: int, place: Place) -> Numbers | None:
    """The action of a participant's part; None if it was not made."""
    row = db.execute(f"SELECT action FROM parts WHERE {KEY}", (number, *place)).fetchone()
    return None if row is None else action_of([row])


def action_up_to(db: sqlite3.Connection, number: int, place: Place) -> Numbers:
    """The action of an attempt up to a part."""
    rows = db.execute(
        "SELECT action FROM parts WHERE participant = ? AND position = ? AND attempt = ? AND part <= ? ORDER BY part",
        (number, *place),
    )
    return action_of(rows.fetchall())


def insert_part(db: sqlite3.Connection, number: int, move: Move, received: float) -> None:
    """Adds a part without a result."""
    db.execute(
        "INSERT INTO parts (participant, position, attempt, part, action, received, touched_ms, released_ms) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (number, *move.place, json.dumps(move.action), received, move.touched_ms, move.released_ms),
    )


def replace_part(db: sqlite3.Connection, number: int, move: Move) -> None:
    """Replaces the action of a part, which has no result then; its task is open again."""
    empty = ", ".join(f"{name} = NULL" for name in RESULT)
    db.execute(f"UPDATE parts SET action = ?, {empty} WHERE {KEY}", (json.dumps(move.action), number, *move.place))
    db.execute("DELETE FROM done WHERE participant = ? AND position = ?", (number, move.position))


def was_followed(db: sqlite3.Connection, number: int, place: Place) -> bool:
    """Whether a participant did anything after a part: another one, a look at the next, giving up, or answers."""
    found = db.execute(
        "SELECT 1 FROM parts WHERE participant = :p AND (position, attempt, part) > (:k, :a, :s) UNION ALL "
        "SELECT 1 FROM seen WHERE participant = :p AND (position, attempt) > (:k, :a) UNION ALL "
        "SELECT 1 FROM done WHERE participant = :p AND position >= :k AND (position > :k OR given_up) UNION ALL "
        "SELECT 1 FROM participants WHERE number = :p AND answered IS NOT NULL",
        {"p": number, "k": place[0], "a": place[1], "s": place[2]},
    )
    return found.fetchone() is not None


def store_result(db: sqlite3.Connection, number: int, place: Place, outcome: Outcome) -> bool:
    """Stores the result of a part; False where it is stored already; an error where another one is."""
    texts = json.dumps(dict(outcome.texts), sort_keys=True)
    values = (outcome.status, outcome.steps, int(outcome.solved), int(outcome.open), texts)
    stored = db.execute(f"SELECT {', '.join(RESULT)} FROM parts WHERE {KEY}", (number, *place)).fetchone()
    if stored["status"] is not None:
        if tuple(stored) != values:
            raise StudyError(f"attempt {place[1]} has another result than before: has the physics changed?")
        return False
    assignments = ", ".join(f"{name} = ?" for name in RESULT)
    db.execute(f"UPDATE parts SET {assignments} WHERE {KEY}", (*values, number, *place))
    return True


def last_attempt(db: sqlite3.Connection, number: int, position: int) -> tuple[int, bool, list[sqlite3.Row]]:
    """The number of attempts at a task, whether one solved it, and the parts of the last one."""
    own = "FROM parts WHERE participant = ? AND position = ?"
    made, solved = db.execute(
        f"SELECT COALESCE(MAX(attempt), 0), COALESCE(MAX(solved), 0) {own}", (number, position)
    ).fetchone()
    parts = db.execute(
        f"SELECT action, status, open {own} AND attempt = ? ORDER BY part", (number, position, made)
    ).fetchall()
    return made, bool(solved), parts


def statuses_of(db: sqlite3.Connection, number: int, position: int) -> list[int]:
    """The statuses of attempts at a task that are over."""
    rows = db.execute(
        "SELECT status FROM parts WHERE participant = ? AND position = ? AND open = 0 ORDER BY attempt",
        (number, position),
    )
    return [row["status"] for row in rows]


def action_of(parts: Sequence[sqlite3.Row]) -> Numbers:
    """The action of parts, one after the other."""
    return tuple(number for part in parts for number in json.loads(part["action"]))
