"""Of failed attempts, the one that came nearest to the goal."""

import numpy as np
import pytest

from tumble import phyre
from tumble.phyre.catalogue.task import Task
from tumble.phyre.evaluation.replay import NearestMoment, nearest_misses, nearest_moment
from tumble.scene import Body, Circle, Scene

BALLS = Scene(
    tuple(
        Body((Circle(10.0),), position=(x, 100.0), dynamic=True, name=name) for x, name in ((50.0, "a"), (150.0, "b"))
    )
)


def poses(gaps: list[float]) -> np.ndarray:
    """Frames [frames, 2, 3] with gaps between the two balls."""
    return np.array([[[50.0, 100.0, 0.0], [70.0 + gap, 100.0, 0.0]] for gap in gaps])


@pytest.mark.parametrize(
    ("gaps", "expected"),
    [
        ([80.0, 30.0, 12.0, 12.0, 40.0], NearestMoment(20, 12.0, 0)),
        ([80.0, 0.0, 30.0, 0.05, 0.0, 5.0], NearestMoment(30, 0.0, 20)),  # touching twice: the longer time
        ([0.3, 0.3], NearestMoment(0, 0.3, 0)),  # almost touching is not touching
    ],
)
def test_the_nearest_moment(gaps: list[float], expected: NearestMoment) -> None:
    found = nearest_moment(Task("own:000", "B", BALLS, 0, 1), poses(gaps), stride=10)
    assert (found.step, found.touching_steps) == (expected.step, expected.touching_steps)
    assert found.distance == pytest.approx(expected.distance, abs=1e-9)


def test_texts() -> None:
    assert NearestMoment(90, 12.34, 0).text == "nearest after 1.5 s: 12 px apart"
    assert NearestMoment(90, 0.27, 0).text == "nearest after 1.5 s: 0.3 px apart"
    assert NearestMoment(90, 0.0, 60).text == "they touch for only 1.0 s"


def test_the_chosen_attempt_is_the_nearest_of_the_log() -> None:
    task = phyre.task("00000:000")
    simulator = phyre.Simulator([task], "B")
    drawn = phyre.actions.sample_valid(task.scene, phyre.TIERS["B"], 30, np.random.default_rng(4))
    statuses = simulator.pairs([task.id] * 30, drawn)
    rows = [
        {"task": task.id, "attempt": k, "action": action.tolist(), "status": int(status)}
        for k, (action, status) in enumerate(zip(drawn, statuses, strict=True), start=1)
    ]
    chosen = nearest_misses(simulator, {task.id: rows})[task.id]
    assert chosen["status"] == -1
    attempts = simulator.attempts([task.id] * 30, drawn, want=["trajectories"])
    distances = [
        nearest_moment(task, attempt.trajectories).distance if status == -1 else np.inf  # type: ignore[arg-type]
        for attempt, status in zip(attempts, statuses, strict=True)
    ]
    assert distances[chosen["attempt"] - 1] <= min(distances) + 2.0  # every fifth step is looked at
    assert nearest_misses(simulator, {task.id: [{**row, "status": 0} for row in rows]}) == {}
