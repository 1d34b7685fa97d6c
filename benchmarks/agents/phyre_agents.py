"""RAND, MEM, MEM-O and OPTIMAL on all ten folds of all settings, for three action sets, and the published figures.

    python benchmarks/agents/phyre_agents.py --stores FOLDER [--runs FOLDER] [--device cuda]

FOLDER has the sweep stores B and 2B of 10,000 actions (`tumble phyre sweep FOLDER/B --tier B --actions 10000`). RAND is
measured twice: with the actions of one fixed set, as published, and with draws of its own for each task.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
from evaluated import results_of
from table import Results, arguments

from tumble import engine, phyre
from tumble.phyre.agents.rand import Rand
from tumble.phyre.benchmark import PHYRE
from tumble.phyre.catalogue.tasks_by_id import FOLDS, SETTINGS
from tumble.phyre.evaluation import published_results as paper
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.phyre.simulation.status import SOLVED

NAMES = {"rand": "RAND, fixed set", "mem": "MEM", "mem-o": "MEM-O", "optimal": "OPTIMAL"}
REPEATS = 3
"""Action sets, or seeds."""
RANKED = 1000
WEIGHTS = {"B": 10.0, "2B": 1.0}
"""The weight of a test result in MEM-O."""
TOLERANCE = {"B": 3.0, "2B": 1.5}
"""By how much MEM and MEM-O across templates may differ from the published means."""
EXPECTED = {
    "ball_cross_template": 15.3,
    "ball_within_template": 15.9,
    "two_balls_cross_template": 2.1,
    "two_balls_within_template": 2.8,
}
"""The AUCCESS of independent draws that the published counts let expect."""
ROUNDS = (10, 30, 100)
"""Attempts after which tasks that are solved drop out."""


def published_text(agent: str, setting: str) -> str:
    within = not SETTINGS[setting].across_templates
    known = "mem" if agent == "mem-o" and within else agent  # equal there, as it was best without updates
    if known not in paper.AUCCESS[setting]:
        return ""
    (mean, spread), (at_10, _) = paper.AUCCESS[setting][known], paper.SUCCESS_AT_10[setting][known]
    doubt = ", which lies below random actions: see docs/phyre-results.md" if known == "mem" and within else ""
    return f"; published {mean} ± {spread}, within 10 attempts {at_10} %{doubt}"


def ranking_agents(results: Results, stores: Path, folder: Path) -> None:
    specs = []
    for setting, known in SETTINGS.items():
        for agent in NAMES:
            weight = {"weight": WEIGHTS[known.tier]} if agent == "mem-o" else {}
            settings = [{"ranked": RANKED, "action_set": number, **weight} for number in range(REPEATS)]
            store = str(stores / known.tier)
            specs += [
                PhyreRunSpec(agent, setting, fold, settings=own, store=store)
                for own in settings
                for fold in range(FOLDS)
            ]
    found = iter(results_of(PHYRE, specs, folder, "Folds"))
    for setting, known in SETTINGS.items():
        for agent, name in NAMES.items():
            rows = [[next(found) for _ in range(FOLDS)] for _ in range(REPEATS)]
            scores = np.array([[result.auccess for result in row] for row in rows])
            at_10 = np.mean([[result.success(10) for result in row] for row in rows])
            compared = known.across_templates and agent in ("mem", "mem-o")
            must = f"{paper.AUCCESS[setting][agent][0]} +- {TOLERANCE[known.tier]}" if compared else ""
            sets = ", ".join(f"{mean:.2f}" for mean in scores.mean(axis=1))
            note = f"over folds ± {scores.mean(axis=0).std(ddof=1):.1f}, action sets {sets}; within 10 attempts "
            note += f"{at_10:.1f} %{published_text(agent, setting)}"
            results.add(f"{name}, {setting}, ten folds, AUCCESS", f"{scores.mean():.2f}", must, "", note)


def solved_at(simulator: phyre.Simulator, seed: int) -> dict[str, int | None]:
    """The attempt, counted from 1, at which RAND solves each task; None if none of 100 does."""
    proposals = {task.id: Rand(seed=seed).propose(task, ()) for task in simulator.tasks}
    result: dict[str, int | None] = dict.fromkeys(proposals)
    done = 0
    for limit in ROUNDS:
        open_tasks = [task_id for task_id, at in result.items() if at is None]
        ids = [task_id for task_id in open_tasks for _ in range(done, limit)]
        actions = np.concatenate([proposals[task_id][done:limit] for task_id in open_tasks])
        solved = simulator.pairs(ids, actions).reshape(len(open_tasks), -1) == SOLVED
        rows = zip(open_tasks, solved, strict=True)
        result.update({task_id: done + 1 + int(row.argmax()) for task_id, row in rows if row.any()})
        done = limit
    return result


def independent_draws(results: Results, device: str) -> None:
    """RAND with draws of its own for each task, three seeds."""
    for tier in phyre.TIERS:
        tasks = phyre.tasks(tier)
        simulator = phyre.Simulator(tasks.values(), tier, device)
        runs = [solved_at(simulator, seed) for seed in range(REPEATS)]
        for name in (name for name, setting in SETTINGS.items() if setting.tier == tier):
            tests = [phyre.fold(name, number, tasks).test for number in range(FOLDS)]
            scores = [[100 * phyre.auccess([run[task_id] for task_id in ids]) for ids in tests] for run in runs]
            must, note = f"{EXPECTED[name]} +- 1.2", f"seeds {', '.join(f'{np.mean(one):.2f}' for one in scores)}"
            results.add(f"RAND, own draws, {name}, ten folds, AUCCESS", f"{np.mean(scores):.2f}", must, "", note)


def main() -> None:
    given = arguments(__doc__, stores=Path("sweeps"), runs=Path("phyre-runs"), device="cpu")
    results = Results(f"Agents on PHYRE, AUCCESS with {engine.physics_id()}")
    ranking_agents(results, given.stores.resolve(), given.runs.resolve())
    independent_draws(results, given.device)
    results.finish("phyre-agents")


if __name__ == "__main__":
    main()
