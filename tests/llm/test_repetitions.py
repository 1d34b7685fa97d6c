"""Which requests count as repeated, in the measurement of runs that are killed."""

import math
import random
from collections import Counter

import pytest

pytest.importorskip("inspect_ai", reason="needs inspect_ai: pip install tumble[llm]")

from llm_server import kill_points, repetitions

NEEDED = Counter("abc")


def ages(contents: str, sent_at: dict[int, float], kills: list[tuple[int, float]]) -> list[float]:
    return [one.age for one in repetitions(NEEDED, contents, sent_at, kills)]


def test_a_run_that_goes_on_where_it_was_killed_repeats_nothing() -> None:
    assert ages("abc", {0: 1.0, 1: 2.0, 2: 9.0}, [(2, 5.0)]) == []


def test_the_age_is_the_time_from_the_answer_to_the_kill() -> None:
    assert ages("abac", {0: 1.0, 1: 2.0, 2: 8.0, 3: 9.0}, [(2, 5.0)]) == [4.0]


def test_a_request_whose_answer_was_not_sent_by_the_kill_has_no_age() -> None:
    assert ages("abbc", {0: 1.0, 2: 8.0, 3: 9.0}, [(2, 5.0)]) == [0.0]
    assert ages("abbc", {0: 1.0, 1: 5.1, 2: 8.0, 3: 9.0}, [(2, 5.0)]) == [0.0]


def test_the_kill_is_the_first_one_after_the_request() -> None:
    assert ages("abacbc", {0: 1.0, 1: 2.0, 2: 6.0, 3: 7.0}, [(2, 5.0), (4, 10.0)]) == [4.0, 3.0, 3.0]


def test_a_repetition_without_a_kill_is_never_excused() -> None:
    assert ages("abca", {0: 1.0}, []) == [math.inf]


def test_a_request_that_is_needed_twice_is_no_repetition() -> None:
    assert repetitions(Counter("aab"), "aab", {}, []) == []


@pytest.mark.parametrize("seed", range(5))
def test_kills_are_spread_over_a_run_and_the_last_is_late(seed: int) -> None:
    *others, last = kill_points(1000, 4, random.Random(seed))
    assert all(250 * number <= point <= 250 * (number + 1) for number, point in enumerate(others))
    assert 900 <= last <= 980
    assert kill_points(1000, 0, random.Random(seed)) == []
    assert len(kill_points(1000, 1, random.Random(seed))) == 1
