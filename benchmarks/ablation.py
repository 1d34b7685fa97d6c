"""The effect of each part of the physics, and of each deliberate difference from Box2D, on outcomes.

    python benchmarks/ablation.py

Each row is an engine with one change, compiled for it (15 seconds) and compared with Box2D.
"""

import json
from typing import Any

import numpy as np
from box2d import rollouts as box2d_rollouts
from other_physics import VARIANTS, changed
from published import SHARED, Case, Published, load
from table import Results

from tumble import engine

SAMPLE = 1000


def sample(solutions: dict[str, Any], kind: str) -> list[Case]:
    cases = [(task_id, action) for task_id, known in solutions.items() for action in known[kind]]
    chosen = np.random.default_rng(0).choice(len(cases), SAMPLE, replace=False)
    return [cases[k] for k in np.sort(chosen)]


def main() -> None:
    data, solutions = Published(), load("official_solutions.json.xz")
    results = Results(f"One thing changed at a time, {engine.physics_id()}")
    recorded = np.load(SHARED / "phyre" / "box2d_rollouts.npz")
    meta = json.loads(str(recorded["meta"]))
    cases = {kind: sample(solutions, kind) for kind in ("stable", "unstable")}
    reference = {kind: box2d_rollouts(data.raw, chosen)[0] == 1 for kind, chosen in cases.items()}
    for name, changes in VARIANTS.items():
        with changed(changes):
            worlds, goal = data.worlds([(case["task"], case["action"]) for case in meta])
            poses = engine.rollout(worlds, goal, engine.Options(stride=1)).poses
            apart, identical = [], 0
            for k in range(len(meta)):
                steps, theirs = recorded[f"steps_{k}"].astype(int), recorded[f"pose_{k}"]
                ours = poses[k, np.minimum(steps + 1, 1000), : theirs.shape[1]]
                early = steps < 60
                apart.append(np.abs(ours[early, :, :2] - theirs[early, :, :2]).max())
                identical += np.array_equal(ours, theirs)
            verdicts = {}
            for kind, chosen in cases.items():
                worlds, goal = data.worlds(chosen)
                verdicts[kind] = engine.rollout(worlds, goal, engine.Options(share_past=False)).verdicts == 1
        value = ", ".join(
            f"{kind}: {np.mean(ours):.1%} solve, {np.sum(ours != reference[kind])} differ"
            for kind, ours in verdicts.items()
        )
        note = f"first 60 steps: median {np.median(apart):.1e}, 95 % {np.quantile(apart, 0.95):.1e} px; "
        results.add(name, value, note=note + f"{identical} of {len(meta)} recorded rollouts equal in every bit")
    box2d = ", ".join(f"{kind}: {np.mean(solves):.1%} solve" for kind, solves in reference.items())
    results.add("Box2D itself", box2d, note=f"{SAMPLE} stable and {SAMPLE} unstable published solutions")
    results.finish("ablation")


if __name__ == "__main__":
    main()
