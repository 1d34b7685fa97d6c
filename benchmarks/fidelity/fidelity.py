"""Agreement of the engine with Box2D and with the published outcomes.

    python benchmarks/fidelity/fidelity.py              all of it, a few minutes on two cores
    python benchmarks/fidelity/fidelity.py --sample 10  every tenth case only
    python benchmarks/fidelity/fidelity.py --write      writes what tests compare with where there is no reference data

--write makes tests/phyre/simulation/published_outcomes.txt, a line for each outcome: task, source, status (1 solved, -1
not solved) and action. Sources are the published "stable" and "unstable" solutions, and verdicts of "box2d" (2.3): on
recorded random actions, and on published solutions of other tasks of the same template, which mostly fail narrowly. The
rows are chosen without regard to their outcomes in Tumble's engine. It also makes
tests/phyre/catalogue/published_folds.json: sizes and SHA-256 of all parts of the published folds.
"""

import json
import sys
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
from published import ROOT, SHARED, Case, Published, box2d_rollouts, load
from table import Results, arguments

from tumble import engine
from tumble.progress import bar

FIRST_STEPS = 60
SOLUTIONS = {"stable": 3, "unstable": 2}
"""Published solutions of each template that are written."""
FAILURES, DRAWS = 4, 30
"""Failing solutions of other tasks of each template, and how many are tried."""
Row = tuple[str, str, int, tuple[float, ...]]


def solved(data: Published, cases: list[Case], label: str) -> np.ndarray:
    """Which cases the engine solves."""
    worlds, goal = data.worlds(cases)
    with bar(label, len(cases)) as advance:
        return np.asarray(engine.rollout(worlds, goal, progress=advance).verdicts == 1)


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
    share = f"{1.0 - len(different) / len(cases):.2%}"
    results.add("verdicts equal to Box2D's, random valid actions", share, "99.8 %", "99.95 %", note)


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
    figure = "largest position difference in the first 60 steps, median"
    results.add(figure, f"{np.median(largest):g} px", "0.001 px", "0", note)


def write() -> None:
    """Writes the files that tests compare with."""
    solutions, by_template = load("official_solutions.json.xz"), dict[str, list[str]]()
    for task_id in solutions:
        by_template.setdefault(task_id.split(":")[0], []).append(task_id)
    rows: list[Row] = []
    for ids in by_template.values():
        for kind, count in SOLUTIONS.items():
            known = [task_id for task_id in ids if solutions[task_id][kind]]
            chosen = known[:: max(1, len(known) // count)][:count]
            rows += [(task_id, kind, 1, tuple(solutions[task_id][kind][0])) for task_id in chosen]
    for case in json.loads(str(np.load(SHARED / "phyre" / "box2d_rollouts.npz")["meta"])):
        if case["source"] == "random":
            rows.append((case["task"], "box2d", 1 if case["solved"] else -1, tuple(case["action"])))
    rows += failures(by_template, solutions)
    lines = {f"{task} {source} {status} {' '.join(map(repr, action))}" for task, source, status, action in rows}
    tests = ROOT / "tests" / "phyre"
    text = "\n".join(sorted(lines)) + "\n"
    (tests / "simulation" / "published_outcomes.txt").write_text(text, encoding="ascii")
    folds = json.loads((SHARED / "phyre" / "official_folds.json").read_text(encoding="utf-8"))
    parts = {name: {part: fold[part] for part in ("train", "dev", "test")} for name, fold in folds.items()}
    digests = ",\n".join(f"{json.dumps(name)}: {json.dumps(fold)}" for name, fold in parts.items())
    (tests / "catalogue" / "published_folds.json").write_text(f"{{\n{digests}\n}}\n", encoding="ascii")
    print(f"{len(lines)} outcomes, {len(parts)} folds")


def failures(by_template: dict[str, list[str]], solutions: dict[str, Any]) -> list[Row]:
    """Published solutions of other tasks of the same template that fail in Box2D."""
    rng, cases = np.random.default_rng(13), list[Case]()
    for ids in by_template.values():
        for _ in range(DRAWS):
            solved_task, other = rng.choice(ids, 2, replace=False)
            known = solutions[solved_task]["stable"] or solutions[solved_task]["unstable"]
            if known:
                cases.append((str(other), tuple(known[int(rng.integers(len(known)))])))
    verdicts, _ = box2d_rollouts(Published().raw, cases)
    rows: dict[str, list[Row]] = {}
    for (task_id, action), verdict in zip(cases, verdicts, strict=True):
        own = rows.setdefault(task_id.split(":")[0], [])
        if verdict == -1 and len(own) < FAILURES:
            own.append((task_id, "box2d", -1, tuple(action)))
    return [row for own in rows.values() for row in own]


def main() -> None:
    given = arguments(__doc__, sample=1, write=False)
    if given.write:
        write()
        return
    data, results = Published(), Results(f"Fidelity of {engine.physics_id()}")
    published_solutions(data, results, given.sample)
    recorded_rollouts(data, results)
    random_actions(data, results, given.sample)
    if given.sample == 1:
        results.finish("fidelity")


if __name__ == "__main__":
    main()
