"""The SQLite file of a study: tables, transactions that are on the disk when they end, and parts of attempts.

Parts have an action, and a result, which is empty until it is known.
"""

import errno
import json
import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from tumble.studies.study import Move, Outcome, StudyError, StudyFileError

FORMAT = 1
WAIT_SECONDS = 30.0
"""For another process that writes, such as an export beside the server."""
OWNER_ONLY = 0o600
"""Who may read and write the file, and what SQLite writes beside it, which gets the same mode."""
_DISK_ERRORS = ("disk I/O error", "disk is full", "unable to open", "is locked", "readonly database")
_DAMAGES = ("not a database", "malformed")

_TABLES = """
CREATE TABLE study (
    name TEXT NOT NULL, toml TEXT NOT NULL, sha256 TEXT NOT NULL, physics TEXT NOT NULL, task_ids TEXT NOT NULL);
CREATE TABLE participants (
    number INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, created REAL NOT NULL,
    begun REAL, consented REAL, answered REAL, answers TEXT);
CREATE TABLE seen (
    participant INTEGER NOT NULL REFERENCES participants, position INTEGER NOT NULL, attempt INTEGER NOT NULL,
    at REAL NOT NULL, PRIMARY KEY (participant, position, attempt)) WITHOUT ROWID;
CREATE TABLE parts (
    participant INTEGER NOT NULL REFERENCES participants, position INTEGER NOT NULL, attempt INTEGER NOT NULL,
    part INTEGER NOT NULL, action TEXT NOT NULL, received REAL NOT NULL, touched_ms REAL, released_ms REAL,
    status INTEGER, steps INTEGER, solved INTEGER, open INTEGER, further TEXT,
    PRIMARY KEY (participant, position, attempt, part)) WITHOUT ROWID;
CREATE INDEX pending ON parts (participant) WHERE status IS NULL;
CREATE TABLE done (
    participant INTEGER NOT NULL REFERENCES participants, position INTEGER NOT NULL, at REAL NOT NULL,
    given_up INTEGER NOT NULL, PRIMARY KEY (participant, position)) WITHOUT ROWID;
"""


class Database:
    """A connection that threads share; one of them uses it at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        _make_private(path)
        try:
            self._connection = sqlite3.connect(
                path, timeout=WAIT_SECONDS, isolation_level=None, check_same_thread=False
            )
            self._connection.row_factory = sqlite3.Row
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = FULL")  # a power cut loses nothing that was committed
            self._connection.execute("PRAGMA foreign_keys = ON")
            with self.transaction() as connection:
                self._create(connection)
        except sqlite3.DatabaseError as error:
            raise self._file_error(error) from None

    def _create(self, connection: sqlite3.Connection) -> None:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version not in (0, FORMAT):
            raise StudyError(f"{self.path}: a database of format {version}; this version of Tumble reads {FORMAT}")
        if version == 0:
            for statement in _TABLES.split(";\n"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {FORMAT}")

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All that is done inside is done whole, and on the disk after it; or not at all, if it raises."""
        with self._lock:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                yield self._connection
                self._connection.execute("COMMIT")
            except sqlite3.DatabaseError as error:
                raise self._file_error(error) from None
            finally:
                if self._connection.in_transaction:  # SQLite may have ended it by itself
                    with suppress(sqlite3.OperationalError):
                        self._connection.execute("ROLLBACK")

    def _file_error(self, error: sqlite3.DatabaseError) -> Exception:
        """What SQLite says of the disk or the file; any other error is a bug and stays what it is."""
        text = str(error)
        if any(words in text for words in _DISK_ERRORS):
            return StudyFileError(errno.ENOSPC if "full" in text else errno.EIO, text, str(self.path))
        if any(words in text for words in _DAMAGES):
            return StudyError(f"{self.path}: not the database of a study, or damaged ({text})")
        return error

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection of its own, whose rows are tuples, to the database as it is now; others may write meanwhile."""
        address = f"{self.path.resolve().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, timeout=WAIT_SECONDS, isolation_level=None, uri=True)) as connection:
            connection.execute("BEGIN")
            yield connection

    def close(self) -> None:
        with self._lock:
            self._connection.close()


def _make_private(path: Path) -> None:
    """Creates the file, readable by its owner only from the start; one of an earlier version is made so."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, OWNER_ONLY))
        for file in (path, *(path.with_name(path.name + suffix) for suffix in ("-wal", "-shm"))):
            if file.exists() and file.stat().st_mode & 0o077:
                file.chmod(OWNER_ONLY)
    except OSError as error:
        raise StudyError(
            f"{path}: {error.strerror}; the database of a study is written and read by its owner only"
        ) from None


@contextmanager
def private_files() -> Iterator[None]:
    """Files and folders that this process creates meanwhile are for their owner only."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


ActionNumbers = tuple[float | None, ...]
PartPlace = tuple[int, int, int]
"""Position of the task, attempt and part."""
_PART_KEY = "participant = ? AND position = ? AND attempt = ? AND part = ?"
_RESULT_COLUMNS = ("status", "steps", "solved", "open", "further")


def action_at(db: sqlite3.Connection, number: int, place: PartPlace) -> ActionNumbers | None:
    """The action of a participant's part; None if it was not made."""
    row = db.execute(f"SELECT action FROM parts WHERE {_PART_KEY}", (number, *place)).fetchone()
    return None if row is None else action_of([row])


def action_up_to(db: sqlite3.Connection, number: int, place: PartPlace) -> ActionNumbers:
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
    empty = ", ".join(f"{name} = NULL" for name in _RESULT_COLUMNS)
    db.execute(
        f"UPDATE parts SET action = ?, {empty} WHERE {_PART_KEY}", (json.dumps(move.action), number, *move.place)
    )
    db.execute("DELETE FROM done WHERE participant = ? AND position = ?", (number, move.position))


def was_followed(db: sqlite3.Connection, number: int, place: PartPlace) -> bool:
    """Whether a participant did anything after a part: another one, a look at the next, giving up, or answers."""
    found = db.execute(
        "SELECT 1 FROM parts WHERE participant = :p AND (position, attempt, part) > (:k, :a, :s) UNION ALL "
        "SELECT 1 FROM seen WHERE participant = :p AND (position, attempt) > (:k, :a) UNION ALL "
        "SELECT 1 FROM done WHERE participant = :p AND position >= :k AND (position > :k OR given_up) UNION ALL "
        "SELECT 1 FROM participants WHERE number = :p AND answered IS NOT NULL",
        {"p": number, "k": place[0], "a": place[1], "s": place[2]},
    )
    return found.fetchone() is not None


def store_result(db: sqlite3.Connection, number: int, place: PartPlace, outcome: Outcome) -> bool:
    """Stores the result of a part; False where it is stored already; an error where another one is."""
    further = json.dumps(dict(outcome.further), sort_keys=True)
    values = (outcome.status, outcome.steps, int(outcome.solved), int(outcome.open), further)
    stored = db.execute(
        f"SELECT {', '.join(_RESULT_COLUMNS)} FROM parts WHERE {_PART_KEY}", (number, *place)
    ).fetchone()
    if stored["status"] is not None:
        if tuple(stored) != values:
            raise StudyError(f"attempt {place[1]} has another result than before: has the physics changed?")
        return False
    assignments = ", ".join(f"{name} = ?" for name in _RESULT_COLUMNS)
    db.execute(f"UPDATE parts SET {assignments} WHERE {_PART_KEY}", (*values, number, *place))
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


def action_of(parts: Sequence[sqlite3.Row]) -> ActionNumbers:
    """The action of parts, one after the other."""
    return tuple(number for part in parts for number in json.loads(part["action"]))
