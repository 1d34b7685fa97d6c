"""The store of a study: every attempt counts once, and a participant resumes where they were."""

import json
import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from study_files import TOML, NumberTasks, number_store

from tumble.errors import TumbleError
from tumble.studies.export import read_records
from tumble.studies.store import Made, Store
from tumble.studies.study import (
    Action,
    ConflictError,
    Move,
    Outcome,
    Step,
    StudyError,
    StudyFileError,
    UnknownParticipantError,
)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return number_store(tmp_path)


@pytest.fixture
def code(store: Store) -> str:
    """A participant who agreed."""
    code = store.begin()
    store.consent(code)
    return code


def make(store: Store, code: str, number: float, step: Step | None = None) -> Made:
    """The current attempt, or its next part."""
    now = step or store.next_task(code)
    return store.attempt(code, Move(now.position, now.attempt, now.part, (number,), 100.0, 250.0))


def stored_rows(store: Store) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(store.database.path)) as db:
        rows = db.execute("SELECT position, attempt, part, action, status FROM parts ORDER BY 1, 2, 3").fetchall()
    return [tuple(row) for row in rows]


def test_a_participant_goes_from_consent_over_practice_and_tasks_to_the_questions(store: Store) -> None:
    code = store.begin()
    assert store.next_task(code).kind == "consent"
    with pytest.raises(ConflictError):
        store.attempt(code, Move(0, 1, 1, (0.7,)))
    store.consent(code)
    kinds, tasks = [], []
    while (step := store.next_task(code)).is_task:
        kinds.append(step.kind)
        tasks.append(step.task)
        make(store, code, 0.7)
    assert kinds == ["practice", *["task"] * 4]
    assert tasks[0] == "p"
    assert sorted(tasks[1:]) == ["a", "b", "c", "d"]
    assert step.kind == "questions"
    with pytest.raises(StudyError, match="no option 'great'"):
        store.answers(code, {"how": "great"})
    with pytest.raises(StudyError, match="needs an answer"):
        store.answers(code, {})
    store.answers(code, {"how": "good"})
    store.answers(code, {"how": "good"})
    with pytest.raises(ConflictError, match="already answered"):
        store.answers(code, {"how": "bad"})
    assert store.next_task(code).kind == "finished"


def test_a_task_ends_when_it_is_solved_or_attempts_are_used_up(store: Store, code: str) -> None:
    for number in (0.2, 0.3):
        made = make(store, code, number)
    assert (made.step.position, made.step.attempt) == (0, 3)
    assert not made.step.solved
    made = make(store, code, 0.4)
    assert (made.step.position, made.step.attempt) == (1, 1)
    made = make(store, code, 0.9)
    assert made.outcome.solved
    assert made.step.position == 2


def test_the_same_attempt_counts_once_and_another_with_its_number_is_refused(store: Store, code: str) -> None:
    step = store.next_task(code)
    first, again = make(store, code, 0.2, step), make(store, code, 0.2, step)
    assert (first.counted, again.counted) == (True, False)
    assert first.outcome == again.outcome
    with pytest.raises(ConflictError, match="another tab"):
        make(store, code, 0.3, step)
    assert stored_rows(store) == [(0, 1, 1, "[0.2]", -1)]
    later = Step("task", step.position, attempt=5, part=1)
    with pytest.raises(ConflictError, match="not the current attempt"):
        make(store, code, 0.3, later)
    assert len(stored_rows(store)) == 1


def test_two_tabs_at_the_same_moment_make_one_attempt(store: Store, code: str) -> None:
    def send(number: float) -> bool:
        try:
            return make(store, code, number, Step("practice", 0, attempt=1, part=1)).counted
        except ConflictError:
            return False

    with ThreadPoolExecutor(8) as pool:
        counted = list(pool.map(send, [0.2 + 0.01 * (k % 4) for k in range(16)]))
    assert sum(counted) == 1
    assert len(stored_rows(store)) == 1


def test_an_attempt_of_several_parts_is_simulated_whole(store: Store, code: str) -> None:
    made = make(store, code, 0.05)
    assert made.outcome.open
    assert (made.step.attempt, made.step.part, made.step.begun) == (1, 2, (0.05,))
    made = make(store, code, 0.8)
    assert made.outcome.steps == 2
    assert made.step.position == 1


def test_an_action_that_is_no_attempt_is_not_recorded(store: Store, code: str) -> None:
    for action in ((2.0,), (float("nan"),), (10**400,), (), ("x",), (True,)):
        with pytest.raises(TumbleError):
            store.attempt(code, Move(0, 1, 1, action))  # type: ignore[arg-type]
    for move in (Move(0, 1, 1, (0.2,), -1.0), Move(0, 1, 1, (0.2,), 5.0, 4.0), Move(2**70, 1, 1, (0.2,))):
        with pytest.raises(StudyError):
            store.attempt(code, move)
    assert stored_rows(store) == []
    assert store.next_task(code).attempt == 1


@pytest.mark.parametrize("code", ["", "nobody", "a" * 12, "\ud800", "x' OR '1'='1"])
def test_an_unknown_code_is_refused(store: Store, code: str) -> None:
    for request in (store.begin, store.next_task, store.consent):
        with pytest.raises(UnknownParticipantError):
            request(code)


def test_the_action_is_on_the_disk_before_it_is_simulated_and_the_result_before_it_is_returned(
    store: Store, code: str
) -> None:
    seen_by_others = []

    def simulate(task: str, action: Action) -> Outcome:
        seen_by_others.append(stored_rows(store))
        return store.tasks.simulate(task, action)

    store.attempt(code, Move(0, 1, 1, (0.2,)), simulate)
    assert seen_by_others == [[(0, 1, 1, "[0.2]", None)]]
    assert stored_rows(store) == [(0, 1, 1, "[0.2]", -1)]


def test_an_attempt_without_a_result_is_simulated_when_the_participant_goes_on(
    store: Store, code: str, tmp_path: Path
) -> None:
    def fail(task: str, action: Action) -> Outcome:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.attempt(code, Move(0, 1, 1, (0.7,)), fail)
    store.close()
    resumed = number_store(tmp_path)
    assert resumed.next_task(code).position == 1
    assert stored_rows(resumed) == [(0, 1, 1, "[0.7]", 1)]
    with pytest.raises(KeyboardInterrupt):
        resumed.attempt(code, Move(1, 1, 1, (0.2,)), fail)
    assert make(resumed, code, 0.2, Step("task", 1, attempt=1, part=1)).counted is False
    with pytest.raises(KeyboardInterrupt):
        resumed.attempt(code, Move(1, 2, 1, (0.2,)), fail)
    assert resumed.finish_all() == 1
    assert [row[4] for row in stored_rows(resumed)] == [1, -1, -1]


def test_another_result_than_before_is_an_error(store: Store, code: str) -> None:
    store.attempt(code, Move(0, 1, 1, (0.2,)))
    with pytest.raises(StudyError, match="has the physics changed"):
        store.attempt(code, Move(0, 1, 1, (0.2,)), lambda task, action: Outcome(-1, 99))


def test_times_are_kept_from_the_first_view_to_the_release(store: Store, code: str) -> None:
    clock = iter([1000.0, 1001.0, 1010.0, 1020.0])
    store._now = lambda: next(clock)
    store.seen(code, 0, 1)
    store.seen(code, 0, 1)
    make(store, code, 0.2)
    with pytest.raises(ConflictError):
        store.seen(code, 0, 1)
    (attempt,) = read_records(store)[0].tasks[0].attempts
    assert attempt.seen == 1000.0
    assert attempt.row()["touched_ms"] == [100]
    assert attempt.row()["released_ms"] == [250]
    assert attempt.seconds == 0.25


def test_a_task_can_be_given_up(store: Store, code: str) -> None:
    make(store, code, 0.2)
    assert store.give_up(code, 0).position == 1
    with pytest.raises(ConflictError):
        store.give_up(code, 0)
    record = read_records(store)[0].tasks[0]
    assert (record.done, record.given_up, len(record.attempts)) == (True, True, 1)


def test_orders_differ_between_participants_and_are_the_same_again(store: Store, tmp_path: Path) -> None:
    codes = store.invite(6)
    assert len(set(codes)) == 6
    orders = [store.order(number) for number in range(6)]
    assert len({tuple(order) for order in orders}) > 3
    assert number_store(tmp_path).order(3) == orders[3]


def test_a_study_may_change_until_a_participant_has_begun(store: Store, tmp_path: Path) -> None:
    store.invite(1)
    changed = TOML.replace("attempts = 3", "attempts = 2")
    later = number_store(tmp_path, changed)
    later.begin()
    with pytest.raises(StudyError, match="changed since the first participant began; give a changed study"):
        number_store(tmp_path, TOML)
    with pytest.raises(StudyError, match="the physics"):
        number_store(tmp_path, changed, NumberTasks(physics="numbers-2"))
    number_store(tmp_path, changed)


def test_the_database_holds_no_more_than_codes_times_and_attempts(store: Store, code: str) -> None:
    with closing(sqlite3.connect(store.database.path)) as db:
        columns = {row[1] for row in db.execute("PRAGMA table_info(participants)")}
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert columns == {"number", "code", "created", "begun", "consented", "answered", "answers"}


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "numbers.sqlite").write_text("no database" * 100)
    with pytest.raises(StudyError, match="not the database of a study"):
        number_store(tmp_path)


def test_a_full_disk_loses_nothing_and_does_not_block_what_comes_after_it(store: Store) -> None:
    def set_pages(most: str) -> None:
        with store.database.transaction() as db:
            (pages,) = db.execute("PRAGMA page_count").fetchone()
            db.execute(f"PRAGMA max_page_count = {most.format(pages)}")

    set_pages("{}")
    begun = []
    with pytest.raises(StudyFileError, match="disk is full"):
        begun += [store.begin() for _ in iter(int, 1)]
    with pytest.raises(StudyFileError, match="disk is full"):
        store.invite(1000)
    set_pages("1{}")
    begun.append(store.begin())
    with store.database.transaction() as db:
        stored = [row["code"] for row in db.execute("SELECT code FROM participants ORDER BY number")]
    assert stored[-1] == begun[-1]
    assert len(stored) == len(set(stored))
    store.next_task(stored[0])


def mode(file: Path) -> int:
    return file.stat().st_mode & 0o777


def test_only_its_owner_can_read_the_database_from_its_first_moment_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect, modes = sqlite3.connect, []

    def watched(path: Path, **named: Any) -> sqlite3.Connection:
        modes.append(mode(tmp_path / "numbers.sqlite"))
        return connect(path, **named)

    monkeypatch.setattr(sqlite3, "connect", watched)
    before = os.umask(0)
    try:
        with number_store(tmp_path) as store:
            store.begin()
            files = {file.name: mode(file) for file in tmp_path.glob("numbers.sqlite*")}
    finally:
        os.umask(before)
    assert modes == [0o600]
    assert files == dict.fromkeys(("numbers.sqlite", "numbers.sqlite-wal", "numbers.sqlite-shm"), 0o600)


def test_a_database_of_an_earlier_version_is_made_private(tmp_path: Path) -> None:
    number_store(tmp_path).close()
    (tmp_path / "numbers.sqlite").chmod(0o644)
    number_store(tmp_path).close()
    assert mode(tmp_path / "numbers.sqlite") == 0o600


def test_a_database_that_cannot_be_opened_is_named_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "numbers.sqlite").mkdir()
    with pytest.raises(StudyError, match=r"numbers\.sqlite: Is a directory; the database of a study is written"):
        number_store(tmp_path)


def test_numbers_come_back_bit_for_bit(store: Store, code: str) -> None:
    action = 0.1 + 0.2
    make(store, code, action)
    assert json.loads(str(stored_rows(store)[0][3])) == [action]


def amend(store: Store, code: str, step: Step, number: float) -> Made:
    return store.amend(code, Move(step.position, step.attempt, step.part, (number,)))


def test_the_last_part_can_be_amended_and_counts_once(store: Store, code: str) -> None:
    step = store.next_task(code)
    make(store, code, 0.2, step)
    made = amend(store, code, step, 0.7)
    assert made.outcome.solved
    assert made.counted
    assert made.step.position == step.position + 1
    assert amend(store, code, step, 0.7) == Made(made.outcome, made.step, counted=False)
    assert stored_rows(store) == [(0, 1, 1, "[0.7]", 1)]
    assert read_records(store)[0].tasks[0].attempts[0].released_ms == [250.0]


def test_an_amended_part_opens_its_task_again(store: Store, code: str) -> None:
    step = store.next_task(code)
    for _ in range(2):
        make(store, code, 0.2)
    last = store.next_task(code)
    assert make(store, code, 0.03, last).step == store.next_task(code)
    make(store, code, 0.2, store.next_task(code))  # the second part: the third attempt is over, and with it the task
    assert store.next_task(code).position == step.position + 1
    amended = Move(last.position, last.attempt, 2, (0.3,))
    assert store.amend(code, amended).step.position == step.position + 1
    assert store.amend(code, Move(last.position, last.attempt, 2, (0.9,))).outcome.solved
    assert stored_rows(store)[-1] == (0, 3, 2, "[0.9]", 1)


def test_what_was_done_since_keeps_an_attempt_as_it_is(store: Store, code: str) -> None:
    step = store.next_task(code)
    make(store, code, 0.2, step)
    with pytest.raises(ConflictError):
        amend(store, code, step, 0.1)  # the benchmark does not allow it
    with pytest.raises(TumbleError, match="from 0 to 1"):
        amend(store, code, step, 1.5)
    store.seen(code, step.position, 2)
    with pytest.raises(ConflictError):
        amend(store, code, step, 0.7)
    make(store, code, 0.2)
    store.give_up(code, step.position)
    with pytest.raises(ConflictError):
        amend(store, code, replace(step, attempt=2), 0.7)
    with pytest.raises(ConflictError):
        amend(store, code, replace(step, attempt=3), 0.7)  # never made
    assert [row[3:] for row in stored_rows(store)] == [("[0.2]", -1), ("[0.2]", -1)]


def test_a_result_of_what_was_amended_meanwhile_is_not_stored(store: Store, code: str) -> None:
    step = store.next_task(code)

    def slow(task: str, action: Action) -> Outcome:
        amend(store, code, step, 0.7)
        return store.tasks.simulate(task, action)

    with pytest.raises(ConflictError, match="was changed"):
        store.attempt(code, Move(step.position, step.attempt, step.part, (0.2,)), slow)
    assert stored_rows(store) == [(0, 1, 1, "[0.7]", 1)]


def test_an_amended_part_without_a_result_is_simulated_when_the_participant_goes_on(store: Store, code: str) -> None:
    step = store.next_task(code)
    make(store, code, 0.2, step)

    def killed(task: str, action: Action) -> Outcome:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.amend(code, Move(step.position, step.attempt, step.part, (0.7,)), killed)
    assert stored_rows(store) == [(0, 1, 1, "[0.7]", None)]
    assert store.next_task(code).position == step.position + 1
    assert stored_rows(store) == [(0, 1, 1, "[0.7]", 1)]
