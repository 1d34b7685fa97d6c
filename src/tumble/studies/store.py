"""What participants do in a study: every attempt is on the disk before its result is known to anybody.

The store is an SQLite file. An attempt is recorded in this order: its action is committed, it is simulated, its
result is committed, its result is returned. A process that is killed in between leaves an action without a result,
which is simulated again, to the same bits, as soon as its participant returns or the study is exported. Participants
have a random code and no personal data. The order of their tasks is a pure function of the study's seed and the
participant's number.
"""

import json
import secrets
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Any

from tumble.studies.database import (
    Database,
    PartPlace,
    action_at,
    action_of,
    action_up_to,
    insert_part,
    last_attempt,
    replace_part,
    statuses_of,
    store_result,
    was_followed,
)
from tumble.studies.study import (
    Action,
    ConflictError,
    Move,
    Outcome,
    Simulate,
    Step,
    StudyError,
    StudyFile,
    StudyTasks,
    UnknownParticipantError,
    checked_move,
)


def task_order(ids: Sequence[str], order: str, seed: int, participant: int) -> list[str]:
    """The tasks in the order in which a participant attempts them.

    >>> [task_order("abcd", "rotated", 0, participant) for participant in (0, 1)]
    [['a', 'b', 'c', 'd'], ['b', 'c', 'd', 'a']]
    >>> task_order("abcd", "shuffled", 1, 0) == task_order("abcd", "shuffled", 1, 0)
    True
    """
    if order == "listed":
        return list(ids)
    if order == "rotated":
        first = participant % len(ids)
        return [*ids[first:], *ids[:first]]
    return sorted(ids, key=lambda task_id: sha256(f"{seed} {participant} {task_id}".encode()).hexdigest())


ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
"""Of codes; without letters and digits that look alike."""
CODE_LENGTH = 12
"""59 bits: nobody guesses the code of another."""
MOST_ORDERS = 256
"""Participants whose order of tasks is kept in memory."""
_Pending = tuple[PartPlace, str, Action]
"""A part without a result: its place, its task, and the action of its attempt up to it."""


@dataclass(frozen=True)
class Made:
    """The result of a part of an attempt, and what comes next."""

    outcome: Outcome
    step: Step
    counted: bool
    """False where the same was sent before, as after a lost connection."""


class Store:
    """The participants of a study and their attempts; threads may share it."""

    def __init__(self, file: StudyFile, tasks: StudyTasks, now: Callable[[], float] = time.time) -> None:
        self.file, self.study, self.tasks, self._now = file, file.study, tasks, now
        self.study.check(tasks)
        self.order: Callable[[int], Sequence[str]] = lru_cache(MOST_ORDERS)(self._order)
        """All tasks of a participant in order, those for practice first."""
        self.database = Database(file.store_path)
        with self.database.transaction() as db:
            self._check_unchanged(db)

    def _check_unchanged(self, db: sqlite3.Connection) -> None:
        """Refuses a study that has changed since its first participant began; before that, changes are taken over."""
        current = (self.file.name, self.file.text, self.file.digest, self.tasks.physics, json.dumps([*self.tasks.ids]))
        stored = db.execute("SELECT * FROM study").fetchone()
        begun = db.execute("SELECT 1 FROM participants WHERE begun IS NOT NULL").fetchone()
        if stored is not None and begun and tuple(stored)[2:] != current[2:]:
            what = "" if stored["sha256"] != current[2] else ": the physics" if stored["physics"] != current[3] else ""
            raise StudyError(
                f"{self.file.path}: changed since the first participant began{what}; give a changed study another name"
            )
        if stored is None or tuple(stored) != current:
            db.execute("DELETE FROM study")
            db.execute("INSERT INTO study VALUES (?, ?, ?, ?, ?)", current)

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.database.close()

    # Participants

    def invite(self, count: int) -> list[str]:
        """Codes of new participants, to hand out."""
        with self.database.transaction() as db:
            return [self._add(db) for _ in range(count)]

    def codes(self) -> list[str]:
        """The codes of all participants, by number."""
        with self.database.transaction() as db:
            return [row[0] for row in db.execute("SELECT code FROM participants ORDER BY number")]

    def begin(self, code: str | None = None) -> str:
        """Begins, or resumes, as the participant of a code, or as a new one; returns the code."""
        with self.database.transaction() as db:
            own = self._add(db) if code is None else code
            number = self._number(db, own)
            db.execute("UPDATE participants SET begun = ? WHERE number = ? AND begun IS NULL", (self._now(), number))
            if not self.study.consent:
                self._consent(db, number)
        return own

    def consent(self, code: str) -> None:
        """Records that a participant agreed to the study's terms."""
        with self.database.transaction() as db:
            self._consent(db, self._number(db, code))

    def _consent(self, db: sqlite3.Connection, number: int) -> None:
        db.execute(
            "UPDATE participants SET consented = ? WHERE number = ? AND consented IS NULL", (self._now(), number)
        )

    def _add(self, db: sqlite3.Connection) -> str:
        code = "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH))
        number = db.execute("SELECT COALESCE(MAX(number) + 1, 0) FROM participants").fetchone()[0]
        db.execute("INSERT INTO participants (number, code, created) VALUES (?, ?, ?)", (number, code, self._now()))
        return code

    def _number(self, db: sqlite3.Connection, code: str) -> int:
        is_code = len(code) == CODE_LENGTH and set(code) <= set(ALPHABET)
        found = db.execute("SELECT number FROM participants WHERE code = ?", (code,)).fetchone() if is_code else None
        if found is None:
            raise UnknownParticipantError("no participant has this code")
        return int(found[0])

    def _order(self, number: int) -> tuple[str, ...]:
        return (*self.study.practice, *task_order(self.tasks.ids, self.study.order, self.study.seed, number))

    # What comes next

    def next_task(self, code: str, simulate: Simulate | None = None) -> Step:
        """What a participant does next, after an attempt that a killed process left without a result was finished."""
        with self.database.transaction() as db:
            number = self._number(db, code)
            pending = self._pending(db, number)
            if not pending:
                return self._step(db, number)
        self._simulate_pending(number, pending, simulate or self.tasks.simulate)
        with self.database.transaction() as db:
            return self._step(db, number)

    def _step(self, db: sqlite3.Connection, number: int) -> Step:
        person = db.execute(
            "SELECT begun, consented, answered FROM participants WHERE number = ?", (number,)
        ).fetchone()
        if person["begun"] is None or person["consented"] is None:
            return Step("consent")
        order = self.order(number)
        position = self._count_done(db, number)
        if position == len(order):
            asked = self.study.questions and person["answered"] is None
            return Step("questions" if asked else "finished", position, len(order))
        made, solved, last = last_attempt(db, number, position)
        is_open = bool(last) and (last[-1]["status"] is None or bool(last[-1]["open"]))
        return Step(
            kind="practice" if position < len(self.study.practice) else "task",
            position=position,
            positions=len(order),
            task=order[position],
            attempt=made + (not is_open),
            part=len(last) + 1 if is_open else 1,
            begun=action_of(last) if is_open else (),
            attempts=self.study.attempts,
            solved=solved,
        )

    def _count_done(self, db: sqlite3.Connection, number: int) -> int:
        return int(db.execute("SELECT COUNT(*) FROM done WHERE participant = ?", (number,)).fetchone()[0])

    def seen(self, code: str, position: int, attempt: int) -> None:
        """Records when a participant first saw a task, before an attempt."""
        with self.database.transaction() as db:
            number = self._number(db, code)
            step = self._step(db, number)
            if not step.is_task or (position, attempt) != (step.position, step.attempt):
                raise ConflictError("this is not the current task: load the page again")
            row = (number, position, attempt, self._now())
            db.execute("INSERT OR IGNORE INTO seen VALUES (?, ?, ?, ?)", row)

    # Attempts

    def attempt(self, code: str, move: Move, simulate: Simulate | None = None) -> Made:
        """Records a part of an attempt, simulates it, records its result, and returns that.

        The numbers of a move can be used once: the same move again gives the same result and does not count, another
        move with these numbers is a ConflictError. An action that is no attempt raises an error of the benchmark, and
        nothing is recorded.
        """
        run = simulate or self.tasks.simulate
        move = checked_move(move)
        with self.database.transaction() as db:
            number = self._number(db, code)
            pending = self._pending(db, number, except_for=move.place)
            step = None if pending else self._step_of(db, number, move)
        if pending:
            self._simulate_pending(number, pending, run)
            with self.database.transaction() as db:
                step = self._step_of(db, number, move)
        if step is not None:  # outside of the transaction, since it may take a while
            self.tasks.check_action(step.task, (*step.begun, *move.action))
        with self.database.transaction() as db:
            counted = self._record_action(db, number, move)
            task, action = self._whole_action(db, number, move.place)
        return self._simulated(number, move.place, task, action, run, counted)

    def amend(self, code: str, move: Move, simulate: Simulate | None = None) -> Made:
        """Replaces the action of the last part, as a tap while a bird flies does, and gives the result of the new one.

        The benchmark says what may be replaced (`StudyTasks.amends`). Nothing else may have been done since; the same
        again gives the same result.
        """
        run = simulate or self.tasks.simulate
        move = checked_move(move)
        with self.database.transaction() as db:
            number = self._number(db, code)
            is_new = self._replaces(db, number, move)
            task, before = self._whole_action(db, number, move.place)
        if is_new:
            kept = len(before) - len(move.action)
            self.tasks.check_action(task, (*before[:kept], *move.action))
        with self.database.transaction() as db:
            replaced = self._replaces(db, number, move)
            if replaced:
                replace_part(db, number, move)
            task, action = self._whole_action(db, number, move.place)
        return self._simulated(number, move.place, task, action, run, replaced)

    def _replaces(self, db: sqlite3.Connection, number: int, move: Move) -> bool:
        """Whether a move replaces the last part; False where it is stored already; an error if it can't."""
        before = action_at(db, number, move.place)
        if before == move.action:
            return False
        if before is None or was_followed(db, number, move.place) or not self.tasks.amends(before, move.action):
            raise ConflictError("this attempt can't be changed any more: load the page again")
        return True

    def _simulated(
        self, number: int, place: PartPlace, task: str, action: Action, run: Simulate, counted: bool
    ) -> Made:
        """The result of a part that is stored, recorded before it is returned."""
        outcome = run(task, action)
        with self.database.transaction() as db:
            self._record_outcome(db, number, place, action, outcome)
            return Made(outcome, self._step(db, number), counted)

    def _step_of(self, db: sqlite3.Connection, number: int, move: Move) -> Step | None:
        """The step that a new move makes; None for one that is stored already; an error if it is neither."""
        stored = action_at(db, number, move.place)
        if stored is not None:
            if stored != move.action:
                raise ConflictError("this attempt was already made, perhaps in another tab: load the page again")
            return None
        step = self._step(db, number)
        if not step.is_task or move.place != (step.position, step.attempt, step.part):
            raise ConflictError("this is not the current attempt: load the page again")
        return step

    def _record_action(self, db: sqlite3.Connection, number: int, move: Move) -> bool:
        """Inserts a move, unless it is there already; whether it was new."""
        if self._step_of(db, number, move) is None:
            return False
        insert_part(db, number, move, self._now())
        return True

    def _whole_action(self, db: sqlite3.Connection, number: int, place: PartPlace) -> tuple[str, Action]:
        """The task of a part, and the action of its attempt up to it."""
        return self.order(number)[place[0]], action_up_to(db, number, place)

    def _record_outcome(
        self, db: sqlite3.Connection, number: int, place: PartPlace, action: Action, outcome: Outcome
    ) -> None:
        """Stores the result of an action, or compares it with the stored one; closes a task that is over."""
        if action_up_to(db, number, place) != action:
            raise ConflictError("this attempt was changed, perhaps in another tab: load the page again")
        is_new = store_result(db, number, place, outcome)
        if is_new and not outcome.open and self.tasks.is_over(statuses_of(db, number, place[0])):
            self._close(db, number, place[0], given_up=False)

    def _close(self, db: sqlite3.Connection, number: int, position: int, given_up: bool) -> None:
        db.execute("INSERT INTO done VALUES (?, ?, ?, ?)", (number, position, self._now(), int(given_up)))

    def give_up(self, code: str, position: int) -> Step:
        """Continues with the next task; attempts that were made count."""
        self._finish(code, self.tasks.simulate)
        with self.database.transaction() as db:
            number = self._number(db, code)
            step = self._step(db, number)
            if not step.is_task or step.position != position:
                raise ConflictError("this is not the current task: load the page again")
            self._close(db, number, position, given_up=True)
            return self._step(db, number)

    def finish_all(self, simulate: Simulate | None = None) -> int:
        """Simulates all actions without a result, which killed processes left; returns their number."""
        pending = "SELECT participant FROM parts WHERE status IS NULL"
        with self.database.transaction() as db:
            rows = db.execute(f"SELECT code FROM participants WHERE number IN ({pending}) ORDER BY number").fetchall()
        codes = [row[0] for row in rows]
        return sum(self._finish(code, simulate or self.tasks.simulate) for code in codes)

    def _finish(self, code: str, simulate: Simulate) -> int:
        """Simulates a participant's actions without a result; returns their number."""
        with self.database.transaction() as db:
            number = self._number(db, code)
            pending = self._pending(db, number)
        self._simulate_pending(number, pending, simulate)
        return len(pending)

    def _pending(self, db: sqlite3.Connection, number: int, except_for: PartPlace | None = None) -> list[_Pending]:
        """A participant's actions without a result, except one that is about to be made."""
        rows = db.execute(
            "SELECT position, attempt, part FROM parts WHERE participant = ? AND status IS NULL", (number,)
        ).fetchall()
        places = [place for row in rows if (place := (row[0], row[1], row[2])) != except_for]
        return [(place, *self._whole_action(db, number, place)) for place in places]

    def _simulate_pending(self, number: int, pending: Sequence[_Pending], simulate: Simulate) -> None:
        for place, task, action in pending:
            outcome = simulate(task, action)
            with self.database.transaction() as db:
                self._record_outcome(db, number, place, action, outcome)

    # Questions

    def answers(self, code: str, answers: Mapping[str, Any]) -> None:
        """Records the answers to the questions at the end; the same answers again change nothing."""
        given = dict(answers)
        self.study.check_answers(given)
        with self.database.transaction() as db:
            number = self._number(db, code)
            row = db.execute("SELECT answers FROM participants WHERE number = ?", (number,)).fetchone()
            if row["answers"] is not None:
                if json.loads(row["answers"]) != given:
                    raise ConflictError("the questions were already answered")
                return
            if self._step(db, number).kind != "questions":
                raise ConflictError("questions are answered after the last task")
            values = (self._now(), json.dumps(given, sort_keys=True), number)
            db.execute("UPDATE participants SET answered = ?, answers = ? WHERE number = ?", values)
