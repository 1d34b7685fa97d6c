"""Agreement with the published outcomes and with Box2D, on a sample; `benchmarks/fidelity.py` measures all."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tumble import engine


@pytest.fixture(scope="module")
def published(shared_data: Path) -> Any:
    """The module that reads the published tasks."""
    import published

    if not (shared_data / "phyre").is_dir():
        pytest.skip(f"needs the published PHYRE data: no folder {shared_data / 'phyre'}")
    return published


def test_published_stable_solutions_still_solve(published: Any) -> None:
    solutions = published.load("official_solutions.json.xz")
    cases = [(task_id, action) for task_id, known in solutions.items() for action in known["stable"]][::36]
    result = engine.rollout(*published.Published().worlds(cases))
    assert np.mean(result.verdicts == 1) >= 0.99


def test_rollouts_follow_box2d(published: Any) -> None:
    recorded = np.load(published.SHARED / "phyre" / "box2d_rollouts.npz")
    meta = json.loads(str(recorded["meta"]))[::5]
    worlds, goal = published.Published().worlds([(case["task"], case["action"]) for case in meta])
    poses = engine.rollout(worlds, goal, engine.Options(stride=1, max_steps=60)).poses
    apart = []
    for k in range(len(meta)):
        steps, theirs = recorded[f"steps_{5 * k}"].astype(int), recorded[f"pose_{5 * k}"]
        early = steps < 60  # their frame 0 is the state after the first step
        ours = poses[k, steps[early] + 1, : theirs.shape[1]]
        apart.append(np.abs(ours - theirs[early]).max())
    assert np.median(apart) == 0.0
    assert np.max(apart) < 0.01
