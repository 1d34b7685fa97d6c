"""What looks wrong with the data of participants, and what people did, in numbers."""

from pathlib import Path

import pytest
from study_files import TOML, number_store

from tumble.studies.progress import Move
from tumble.studies.quality import read_progress
from tumble.studies.store import Store


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


def test_nobody_yet(tmp_path: Path) -> None:
    store = number_store(tmp_path)
    codes = store.invite(2)
    progress = read_progress(store)
    assert (progress.people, progress.unused, progress.finished) == ([], codes, 0)
    assert (progress.by_task, progress.by_attempt) == ([], [])
