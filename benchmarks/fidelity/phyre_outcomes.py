"""Writes the published outcomes and folds that the tests compare with where there is no reference data.

    python benchmarks/fidelity/phyre_outcomes.py

tests/phyre/simulation/published_outcomes.txt has a line for each outcome: task, source, status (1 solved, -1 not
solved) and action. Sources are the published "stable" and "unstable" solutions, and verdicts of "box2d" (2.3): on
recorded random actions, and on published solutions of other tasks of the same template, which mostly fail narrowly.
The rows are chosen without regard to their outcomes in Tumble's engine.
tests/phyre/catalogue/published_folds.json has the sizes and SHA-256 of all parts of the published folds.
"""

import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
from box2d import rollouts as box2d_rollouts
from published import ROOT, SHARED, Case, Published, load

SOLUTIONS = {"stable": 3, "unstable": 2}
"""Published solutions of each template."""
FAILURES = 4
"""Failing solutions of other tasks, of each template."""
DRAWS = 30
TESTS = ROOT / "tests" / "phyre"

Row = tuple[str, str, int, tuple[float, ...]]


def main() -> None:
    solutions = load("official_solutions.json.xz")
    by_template: dict[str, list[str]] = {}
    for task_id in solutions:
        by_template.setdefault(task_id.split(":")[0], []).append(task_id)
    rows: list[Row] = []
    for ids in by_template.values():
        for kind, count in SOLUTIONS.items():
            known = [task_id for task_id in ids if solutions[task_id][kind]]
            chosen = known[:: max(1, len(known) // count)][:count]
            rows += [(task_id, kind, 1, tuple(solutions[task_id][kind][0])) for task_id in chosen]
    recorded = json.loads(str(np.load(SHARED / "phyre" / "box2d_rollouts.npz")["meta"]))
    rows += [
        (case["task"], "box2d", 1 if case["solved"] else -1, tuple(case["action"]))
        for case in recorded
        if case["source"] == "random"
    ]
    rows += failures(by_template, solutions)
    lines = [f"{task} {source} {status} {' '.join(map(repr, action))}" for task, source, status, action in rows]
    path = TESTS / "simulation" / "published_outcomes.txt"
    path.write_text("\n".join(sorted(set(lines))) + "\n", encoding="ascii")
    folds = json.loads((SHARED / "phyre" / "official_folds.json").read_text(encoding="utf-8"))
    parts = {name: {part: fold[part] for part in ("train", "dev", "test")} for name, fold in folds.items()}
    digests = ",\n".join(f"{json.dumps(name)}: {json.dumps(fold)}" for name, fold in parts.items())
    (TESTS / "tasks" / "published_folds.json").write_text(f"{{\n{digests}\n}}\n", encoding="ascii")
    print(f"{len(set(lines))} outcomes, {len(parts)} folds")


def failures(by_template: dict[str, list[str]], solutions: dict[str, dict[str, list[list[float]]]]) -> list[Row]:
    """Published solutions of other tasks of the same template that fail in Box2D."""
    rng = np.random.default_rng(13)
    cases: list[Case] = []
    for ids in by_template.values():
        for _ in range(DRAWS):
            solved, other = rng.choice(ids, 2, replace=False)
            known = solutions[solved]["stable"] or solutions[solved]["unstable"]
            if known:
                cases.append((str(other), tuple(known[int(rng.integers(len(known)))])))
    verdicts, _ = box2d_rollouts(Published().raw, cases)
    rows: dict[str, list[Row]] = {}
    for (task_id, action), verdict in zip(cases, verdicts, strict=True):
        own = rows.setdefault(task_id.split(":")[0], [])
        if verdict == -1 and len(own) < FAILURES:
            own.append((task_id, "box2d", -1, tuple(action)))
    return [row for own in rows.values() for row in own]


if __name__ == "__main__":
    main()
