"""What looks wrong with the data of participants, and what people did, in numbers."""

import itertools
import random
from pathlib import Path
from statistics import median

import pytest
from study_files import TOML, number_store

from tumble.studies.export import read_records
from tumble.studies.quality import read_progress
from tumble.studies.store import Store
from tumble.studies.study import Move


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A participant solves a, fails b with one action three times, gives c up, and has not done d."""
    listed = TOML.replace("seed = 4", 'order = "listed"').replace('practice = ["p"]', "")
    store = number_store(tmp_path, listed)
    code = store.begin()
    store.consent(code)
    for position, attempt, number, released in (
        (0, 1, 0.2, 4000.0),
        (0, 2, 0.9, 2000.0),
        (1, 1, 0.3, 100.0),
        (1, 2, 0.3, 100.0),
        (1, 3, 0.3, 1000.0),
    ):
        store.attempt(code, Move(position, attempt, 1, (number,), None, released))
    store.give_up(code, 2)
    return store


def test_a_participant_in_numbers(store: Store) -> None:
    (person,) = read_progress(store).people
    assert (person.tasks_done, person.tasks, person.attempts, person.solved, person.given_up) == (3, 4, 5, 1, 1)
    assert person.median_seconds == 1.0
    assert (person.fast, person.repeated) == (2, 2)
    assert person.problems == ("unfinished", "2 of 5 attempts within 0.5 s", "2 identical actions repeated")


def test_tasks_and_attempts_in_numbers(store: Store) -> None:
    progress = read_progress(store)
    a, b, c = progress.by_task
    assert (a.task, a.participants, a.solved, a.mean_attempts, a.median_seconds) == ("a", 1, 1, 2.0, 3.0)
    assert (b.solved, b.mean_attempts) == (0, None)
    assert (c.participants, c.median_seconds) == (1, None)
    attempts = progress.by_attempt
    assert [one.made for one in attempts] == [2, 2, 1]
    assert [one.solved_within for one in attempts] == pytest.approx([0.0, 1 / 3, 1 / 3])
    assert attempts[0].seconds == pytest.approx((1.075, 2.05, 3.025))


def random_study(folder: Path, people: int) -> Store:
    """Participants who attempt tasks at random, with attempts of two parts, and stop somewhere."""
    times = itertools.count(1e9, 0.37)
    empty = number_store(folder)
    store = Store(empty.file, empty.tasks, now=lambda: next(times))
    rng = random.Random(7)
    for _ in range(people):
        code = store.begin()
        store.consent(code)
        while (step := store.next_task(code)).is_task and rng.random() > 0.02:
            if step.part == 1 and rng.random() < 0.8:
                store.seen(code, step.position, step.attempt)
            if step.part == 1 and rng.random() < 0.1:
                store.give_up(code, step.position)
                continue
            released = rng.choice([None, 100.0 * rng.randrange(40)])
            action = (rng.choice([0.0, 0.05, 0.2, 0.3, 0.9]),)
            store.attempt(code, Move(step.position, step.attempt, step.part, action, None, released))
        if not step.is_task and rng.random() < 0.8:
            store.answers(code, {"how": "good"})
    store.invite(2)
    return store


def test_progress_is_what_the_records_say(tmp_path: Path) -> None:
    store = random_study(tmp_path, 14)
    records = [record for record in read_records(store) if record.begun is not None]
    progress = read_progress(store)
    assert len(progress.unused) == 2
    assert {person.finished for person in progress.people} == {True, False}
    assert sum(person.repeated for person in progress.people) > 5
    for record, person in zip(records, progress.people, strict=True):
        attempts = [attempt for task in record.counted for attempt in task.attempts]
        seconds = [one.seconds for one in attempts if one.seconds is not None]
        assert (person.code, person.finished) == (record.code, record.finished)
        assert (person.attempts, person.tasks_done) == (len(attempts), sum(task.done for task in record.counted))
        assert person.solved == sum(any(one.solved for one in task.attempts) for task in record.counted)
        assert person.given_up == sum(task.given_up for task in record.counted)
        assert person.median_seconds == (median(seconds) if seconds else None)
        assert person.fast == sum(one < 0.5 for one in seconds)
        assert person.last == (record.last or record.begun)
        again = [
            one.action in [before.action for before in task.attempts[:k] if not before.solved]
            for task in record.counted
            for k, one in enumerate(task.attempts)
        ]
        assert person.repeated == sum(again)
    done = [task for record in records for task in record.counted if task.done]
    for quality in progress.by_task:
        own = [task for task in done if task.task == quality.task]
        seconds = [one.seconds for task in own for one in task.attempts if one.seconds is not None]
        assert quality.participants == len(own)
        assert quality.solved == sum(any(one.solved for one in task.attempts) for task in own)
        assert quality.median_seconds == pytest.approx(median(seconds))
    for attempt in progress.by_attempt:
        within = [any(one.solved for one in task.attempts[: attempt.number]) for task in done]
        assert attempt.made == sum(len(task.attempts) >= attempt.number for task in done)
        assert attempt.solved_within == pytest.approx(sum(within) / len(done))


def test_progress_is_read_while_a_participant_writes(store: Store) -> None:
    with store.database.transaction() as db:
        db.execute("UPDATE participants SET code = 'abcdefghjkmn'")
        (person,) = read_progress(store).people
        assert person.code != "abcdefghjkmn"
    assert read_progress(store).people[0].code == "abcdefghjkmn"


def test_nobody_yet(tmp_path: Path) -> None:
    store = number_store(tmp_path)
    codes = store.invite(2)
    progress = read_progress(store)
    assert (progress.people, progress.unused, progress.finished) == ([], codes, 0)
    assert (progress.by_task, progress.by_attempt) == ([], [])
