"""Agreement of the engine with Box2D and with the published outcomes.

python benchmarks/fidelity/fidelity.py              all of it, a few minutes on two cores
python benchmarks/fidelity/fidelity.py --sample 10  every tenth case only
"""

import argparse
import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
from box2d import rollouts as box2d_rollouts
from published import SHARED, Case, Published, load
from rich.progress import Progress
from table import Results

from tumble import engine

FIRST_STEPS = 60


def solved(data: Published, cases: list[Case], label: str) -> np.ndarray:
    """Which cases the engine solves."""
    worlds, goal = data.worlds(cases)
    with Progress(transient=True) as progress:
        bar = progress.add_task(label, total=len(cases))
        result = engine.rollout(worlds, goal, progress=lambda count: progress.advance(bar, count))
    return np.asarray(result.verdicts == 1)


def published_solutions(data: Published, results: Results, every: int) -> None:
    """The share of published solutions that still solve, in our engine and in Box2D."""
    solutions = load("official_solutions.json.xz")
    for kind, must, goal in (("stable", "99.3 %", "99.7 %"), ("unstable", "96.5 %", "97.7 %")):
        cases = [(task_id, action) for task_id, known in solutions.items() for action in known[kind]][::every]
        ours = solved(data, cases, kind)
        reference, _ = box2d_rollouts(data.raw, cases)
        valid = reference != 0
        note = f"{ours[valid].sum()} of {valid.sum()}; Box2D itself {np.mean(reference[valid] == 1):.2%}; "
        note += f"equal verdicts {np.mean(ours[valid] == (reference[valid] == 1)):.2%}"
        results.add(f"published {kind} solutions that still solve", f"{np.mean(ours[valid]):.2%}", must, goal, note)


def random_actions(data: Published, results: Results, every: int) -> None:
    """The share of verdicts equal to Box2D's, with a random valid action for each published task."""
    rng = np.random.default_rng(0)
    cases = [(task_id, data.random_valid(task_id, 1, rng)[0]) for task_id in sorted(data.tasks)[::every]]
    ours = solved(data, cases, "random actions")
    reference, _ = box2d_rollouts(data.raw, cases)
    different = np.flatnonzero(ours != (reference == 1))
    note = f"{len(different)} of {len(cases)} differ; {np.sum(ours)} solve; {np.sum(reference == 0)} invalid"
    share = 1.0 - len(different) / len(cases)
    results.add("verdicts equal to Box2D's, random valid actions", f"{share:.2%}", "99.8 %", "99.95 %", note)


def recorded_rollouts(data: Published, results: Results) -> None:
    """Compares poses with recorded rollouts of Box2D, step by step."""
    recorded = np.load(SHARED / "phyre" / "box2d_rollouts.npz")
    meta = json.loads(str(recorded["meta"]))
    worlds, goal = data.worlds([(case["task"], case["action"]) for case in meta])
    result = engine.rollout(worlds, goal, engine.Options(stride=1))
    largest, first_different = [], []
    for k in range(len(meta)):
        steps, theirs = recorded[f"steps_{k}"].astype(int), recorded[f"pose_{k}"]
        within = steps < result.steps[k]  # their frame 0 is the state after the first step
        steps, theirs = steps[within], theirs[within]
        ours = result.poses[k, steps + 1, : theirs.shape[1]]
        apart = np.abs(ours[..., :2] - theirs[..., :2]).max(axis=(1, 2))
        largest.append(apart[steps < FIRST_STEPS].max())
        unequal = steps[(ours != theirs).any(axis=(1, 2))]
        first_different.append(unequal[0] + 1 if len(unequal) else np.inf)
    note = f"95 % below {np.quantile(largest, 0.95):.1e}, worst {np.max(largest):.1e} px; "
    note += f"{np.isinf(first_different).sum()} of {len(meta)} equal in every bit to the end"
    results.add(
        "largest position difference in the first 60 steps, median", f"{np.median(largest):g} px", "0.001 px", "0", note
    )
    early = [k for k in np.argsort(first_different) if first_different[k] < np.inf][:12]
    listed = "; ".join(f"{meta[k]['task']} at {first_different[k]:.0f} ({largest[k]:.1e} px)" for k in early)
    results.add("recorded rollouts whose bits differ first, with the step", listed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, default=1, metavar="N", help="use only every N-th case")
    every = parser.parse_args().sample
    data, results = Published(), Results(f"Fidelity of {engine.physics_id()}")
    published_solutions(data, results, every)
    recorded_rollouts(data, results)
    random_actions(data, results, every)
    if every == 1:
        results.finish("fidelity")


if __name__ == "__main__":
    main()
