"""The SQLite file of a study: its tables, and transactions that are on the disk when they end."""

import errno
import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from tumble.studies.errors import StudyError, StudyFileError

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
    status INTEGER, steps INTEGER, solved INTEGER, open INTEGER, texts TEXT,
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
