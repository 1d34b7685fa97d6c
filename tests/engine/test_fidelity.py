"""Agreement with the published outcomes and with Box2D, on a sample; `benchmarks/fidelity/fidelity.py` measures all."""

import json
from pathlib import Path

import numpy as np
from published import Published, load

from tumble import engine


def test_published_stable_solutions_still_solve(published: Published) -> None:
    solutions = load("official_solutions.json.xz")
    cases = [(task_id, action) for task_id, known in solutions.items() for action in known["stable"]][::36]
    result = engine.rollout(*published.worlds(cases))
    assert np.mean(result.verdicts == 1) >= 0.99


def test_rollouts_follow_box2d(published: Published, shared_data: Path) -> None:
    recorded = np.load(shared_data / "phyre" / "box2d_rollouts.npz")
    meta = json.loads(str(recorded["meta"]))[::5]
    worlds, goal = published.worlds([(case["task"], case["action"]) for case in meta])
    poses = engine.rollout(worlds, goal, engine.Options(stride=1, max_steps=60)).poses
    apart = []
    for k in range(len(meta)):
        steps, theirs = recorded[f"steps_{5 * k}"].astype(int), recorded[f"pose_{5 * k}"]
        early = steps < 60  # their frame 0 is the state after the first step
        ours = poses[k, steps[early] + 1, : theirs.shape[1]]
        apart.append(np.abs(ours - theirs[early]).max())
    assert np.median(apart) == 0.0
    assert np.max(apart) < 0.01
