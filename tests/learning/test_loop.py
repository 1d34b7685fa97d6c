"""The loop of trainings: which points a curve has, when checkpoints are written, and how a pause ends."""

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from tumble.learning.harness import Budget, Pause, Progress, run_steps
from tumble.learning.settings import PausedError


def values(step: int) -> dict[str, Any]:
    """The number of a step, counted from 1."""
    return {"number": torch.tensor(step + 1.0)}


def run(progress: Progress, steps: int, save_every: float = 1e9, **limits: Any) -> list[int]:
    """Runs steps; returns after which of them a checkpoint was written."""
    saved: list[int] = []
    run_steps(progress, Budget(steps=steps), values, lambda: saved.append(progress.step), save_every, **limits)
    return saved


def test_points_are_means_and_the_last_may_be_of_fewer_steps() -> None:
    progress = Progress(interval=4)
    assert run(progress, 10) == [10]
    assert progress.curve == {"number": [(4, 2.5), (8, 6.5), (10, 9.5)]}
    assert progress.finished


def test_checkpoints_are_written_where_the_curve_has_a_point() -> None:
    assert run(Progress(interval=4), 10, save_every=0.0) == [4, 8, 10]


def test_points_become_fewer_when_there_are_too_many() -> None:
    progress = Progress(max_points=4)
    run(progress, 8)
    assert progress.interval == 2
    assert progress.curve["number"] == [(2, 1.5), (4, 3.5), (6, 6.0), (8, 7.5)]


def test_a_pause_is_saved_and_resumes_to_the_same_curve() -> None:
    whole, paused = Progress(interval=4), Progress(interval=4)
    run(whole, 10)
    saved: list[int] = []
    pause = Pause(1e-9, unit="round", checkpoint="file")
    with pytest.raises(PausedError, match="after 1e-09 minutes at round 4 of 10; the same call resumes from file"):
        run_steps(paused, Budget(steps=10), values, lambda: saved.append(paused.step), 1e9, pause=pause)
    assert saved == [4]
    assert not paused.finished
    resumed = Progress(interval=4)
    resumed.restore({"step": paused.step, "seconds": 100.0}, paused.curve)
    run(resumed, 10)
    assert resumed.curve == whole.curve
    assert 100.0 <= resumed.seconds < 200.0


def test_the_last_step_ends_training_even_when_the_time_is_over() -> None:
    assert run(Progress(interval=10), 10, pause=Pause(1e-9)) == [10]


def test_another_interval_than_that_of_the_checkpoint_gives_true_means() -> None:
    progress = Progress(interval=3)
    progress.restore({"step": 4, "seconds": 0.0}, {"number": [(4, 2.5)]})
    run(progress, 9)
    assert progress.curve["number"] == [(4, 2.5), (6, 5.5), (9, 8.0)]
