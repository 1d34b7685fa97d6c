"""Batches that grow until the time is used up."""

import pytest

from tumble.web import play
from tumble.web.play import timed_batches as batches


class Clock:
    """Time passes by what a batch takes."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(play, "monotonic", clock)
    return clock


def run(clock: Clock, each: float, seconds: float, most: int) -> list[tuple[int, int]]:
    made = []
    for first, size in batches(seconds, most):
        clock.now += each * size
        made.append((first, size))
    return made


def test_quick_ones_fill_the_most(clock: Clock) -> None:
    made = run(clock, 1e-6, 0.3, 100)
    assert made[0] == (0, 1)
    assert [first for first, _ in made] == [sum(size for _, size in made[:k]) for k in range(len(made))]
    assert sum(size for _, size in made) == 100


def test_slow_ones_end_in_time(clock: Clock) -> None:
    made = run(clock, 0.01, 0.4, 1000)
    assert sum(size for _, size in made) * 0.01 <= 0.4
    assert len(made) > 1


def test_one_is_always_made(clock: Clock) -> None:
    assert run(clock, 60.0, 0.1, 1000) == [(0, 1)]
