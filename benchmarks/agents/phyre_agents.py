"""RAND, MEM, MEM-O and OPTIMAL on all ten folds of all settings, for three action sets, and the published figures.

    python benchmarks/agents/phyre_agents.py --stores FOLDER [--runs FOLDER]

FOLDER has the sweep stores B and 2B of 10,000 actions (`tumble phyre sweep FOLDER/B --tier B --actions 10000`). Also
measures the influence of the number of ranked actions (figure 4) and of the weight of test results in MEM-O (figure 5)
on the first three validation folds, and the time of MEM-O on one fold and one core. RAND with independent draws is in
phyre_random.py.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
from evaluated import results_of
from table import Results

from tumble import engine
from tumble.phyre.benchmark import PHYRE
from tumble.phyre.catalogue.tasks_by_id import FOLDS, SETTINGS
from tumble.phyre.evaluation import published_results as paper
from tumble.phyre.evaluation.run_spec import PhyreRunSpec

SETS = 3
RANKED = 1000
WEIGHTS = {"B": 10.0, "2B": 1.0}
"""The weight of a test result in MEM-O."""
TOLERANCE = {"B": 3.0, "2B": 1.5}
"""By how much MEM and MEM-O across templates may differ from the published means."""
VALIDATION_FOLDS = range(3)
RANKED_SIZES = (100, 1000, 10_000)
WEIGHTS_TO_TRY = (0.1, 1.0, 10.0, 100.0)
MAX_SECONDS = 10.0


def agent_settings(agent: str, setting: str, number: int) -> dict[str, object]:
    weight = {"weight": WEIGHTS[SETTINGS[setting].tier]} if agent == "mem-o" else {}
    return {"ranked": RANKED, "action_set": number, **weight}


def spread_text(scores: np.ndarray, at_10: np.ndarray, what: str) -> str:
    """Scores [repeat, fold] as text."""
    repeats = ", ".join(f"{mean:.2f}" for mean in scores.mean(axis=1))
    over = f"over folds ± {scores.mean(axis=0).std(ddof=1):.1f}, {what} {repeats}"
    return f"{over}; within 10 attempts {at_10.mean():.1f} %"


def published_text(agent: str, setting: str) -> str:
    within = not SETTINGS[setting].across_templates
    known = "mem" if agent == "mem-o" and within else agent  # equal there, as it was best without updates
    if known not in paper.AUCCESS[setting]:
        return ""
    (mean, spread), (at_10, _) = paper.AUCCESS[setting][known], paper.SUCCESS_AT_10[setting][known]
    doubt = ", which lies below random actions: see docs/phyre-results.md" if known == "mem" and within else ""
    return f"; published {mean} ± {spread}, within 10 attempts {at_10} %{doubt}"


def ranking_agents(results: Results, stores: Path, folder: Path) -> None:
    names = {"rand": "RAND, fixed set", "mem": "MEM", "mem-o": "MEM-O", "optimal": "OPTIMAL"}
    specs = [
        PhyreRunSpec(
            agent,
            setting,
            number,
            settings=agent_settings(agent, setting, which),
            store=str(stores / SETTINGS[setting].tier),
        )
        for setting in SETTINGS
        for agent in names
        for which in range(SETS)
        for number in range(FOLDS)
    ]
    run_results = iter(results_of(PHYRE, specs, folder, "Folds"))
    for setting, known in SETTINGS.items():
        for agent, name in names.items():
            rows = [[next(run_results) for _ in range(FOLDS)] for _ in range(SETS)]
            scores = np.array([[result.auccess for result in row] for row in rows])
            at_10 = np.array([[result.success(10) for result in row] for row in rows])
            must = ""
            if known.across_templates and agent in ("mem", "mem-o"):
                must = f"{paper.AUCCESS[setting][agent][0]} +- {TOLERANCE[known.tier]}"
            note = spread_text(scores, at_10, "action sets") + published_text(agent, setting)
            results.add(f"{name}, {setting}, ten folds, AUCCESS", f"{scores.mean():.2f}", must, "", note)


def on_validation(results: Results, stores: Path, folder: Path, agent: str, name: str, values: Sequence[float]) -> None:
    """Figures 4 and 5: AUCCESS against one setting of an agent."""
    for setting, known in SETTINGS.items():
        specs = [
            PhyreRunSpec(
                agent,
                setting,
                number,
                settings={**({} if name == "ranked" else {"ranked": RANKED}), name: value},
                split="validation",
                store=str(stores / known.tier),
            )
            for value in values
            for number in VALIDATION_FOLDS
        ]
        scores = [result.auccess for result in results_of(PHYRE, specs, folder, f"{agent}, {name}")]
        means = np.array(scores).reshape(len(values), -1).mean(axis=1)
        text = ", ".join(f"{mean:.2f}" for mean in means)
        sizes = ", ".join(f"{value:,g}" for value in values)
        results.add(f"{agent.upper()}, {setting}, AUCCESS at {name} {sizes}", text, "", "", "three validation folds")


def timed(results: Results, stores: Path) -> None:
    """The whole command, from its start to its end, on one core."""
    for setting in ("ball_cross_template", "two_balls_cross_template"):
        seconds = []
        for _ in range(3):
            with tempfile.TemporaryDirectory() as folder:
                command = [sys.executable, "-m", "tumble", "phyre", "evaluate", "--agent", "mem-o", "--fold", "0"]
                command += ["--setting", setting, "--runs", folder, "--store", str(stores / SETTINGS[setting].tier)]
                start = time.monotonic()
                subprocess.run(command, check=True, capture_output=True, preexec_fn=one_core)
                seconds.append(time.monotonic() - start)
        note = f"whole command, best of {', '.join(f'{second:.1f}' for second in seconds)} s"
        figure = f"MEM-O on one fold and one core, {setting}"
        results.add(figure, f"{min(seconds):.1f} s", f"under {MAX_SECONDS:.0f} s", "", note)


def one_core() -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stores", type=Path, default=Path("sweeps"), help="folder with the stores B and 2B")
    parser.add_argument("--runs", type=Path, help="where to keep the run logs; by default they are not kept")
    arguments = parser.parse_args()
    stores = arguments.stores.resolve()
    results = Results(f"Agents on PHYRE, AUCCESS with {engine.physics_id()}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = (arguments.runs or Path(temporary) / "runs").resolve()
        timed(results, stores)
        ranking_agents(results, stores, folder)
        for agent in ("rand", "mem", "optimal"):
            on_validation(results, stores, folder, agent, "ranked", RANKED_SIZES)
        on_validation(results, stores, folder, "mem-o", "weight", WEIGHTS_TO_TRY)
    results.finish("phyre-agents")


if __name__ == "__main__":
    main()
