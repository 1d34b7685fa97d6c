"""RAND, MEM, MEM-O and OPTIMAL on all ten folds of all settings, for three action sets, beside the published figures.

    python benchmarks/phyre_agents.py --stores FOLDER [--runs FOLDER]

FOLDER has the sweep stores B and 2B of 10,000 actions (`tumble phyre sweep FOLDER/B --tier B --actions 10000`). Also
the number of ranked actions (figure 4) and the weight of test results in MEM-O (figure 5) on the first three validation
folds, and how long MEM-O takes on one fold and one core. RAND with independent draws is in phyre_random.py.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from table import Results

from tumble import engine
from tumble.jobs.executors import make
from tumble.jobs.job import Job, ProgressCallback
from tumble.phyre.evaluation import published_results as paper
from tumble.phyre.evaluation.evaluate import run
from tumble.phyre.evaluation.result import Result, result_of
from tumble.phyre.evaluation.run_spec import Experiment
from tumble.phyre.tasks.splits import FOLDS, SETTINGS
from tumble.progress import bar

SETS = 3
RANKED = 1000
WEIGHTS = {"B": 10.0, "2B": 1.0}
"""What a test result weighs in MEM-O."""
NEAR = {"B": 3.0, "2B": 1.5}
"""By how much MEM and MEM-O across templates may differ from the published means."""
VALIDATED = range(3)
RANKED_SIZES = (100, 1000, 10_000)
TRIED_WEIGHTS = (0.1, 1.0, 10.0, 100.0)
MOST_SECONDS = 10.0


def evaluated(experiment: Experiment, folder: Path, report: ProgressCallback) -> Result:
    """One run; its attempts stay in its log."""
    return result_of(run(experiment, folder, report, threads=1))


def done(jobs: Sequence[Job], label: str) -> dict[str, object]:
    """What jobs give, by their names."""
    values = {}
    with bar(label, len(jobs)) as advance:
        for outcome in make().run(jobs):
            if outcome.error:
                sys.exit(f"{outcome.job.name}: {outcome.error}\n{outcome.trace}")
            values[outcome.job.name] = outcome.value
            advance(1)
    return values


def made(experiments: Sequence[Experiment], folder: Path, label: str) -> list[Result]:
    """Results of experiments, in their order."""
    jobs = [Job(str(number), evaluated, (one, folder)) for number, one in enumerate(experiments)]
    values = done(jobs, label)
    return [values[job.name] for job in jobs]  # type: ignore[misc]


def given(agent: str, setting: str, number: int) -> dict[str, object]:
    weight = {"weight": WEIGHTS[SETTINGS[setting].tier]} if agent == "mem-o" else {}
    return {"ranked": RANKED, "action_set": number, **weight}


def spread_text(scores: np.ndarray, at_10: np.ndarray, what: str) -> str:
    """Scores [repeat, fold] in words."""
    repeats = ", ".join(f"{mean:.2f}" for mean in scores.mean(axis=1))
    over = f"over folds ± {scores.mean(axis=0).std(ddof=1):.1f}, {what} {repeats}"
    return f"{over}; within 10 attempts {at_10.mean():.1f} %"


def published_text(agent: str, setting: str) -> str:
    within = not SETTINGS[setting].across_templates
    known = "mem" if agent == "mem-o" and within else agent  # equal there, as it was best without updates
    if known not in paper.AUCCESS[setting]:
        return ""
    (mean, spread), (at_10, _) = paper.AUCCESS[setting][known], paper.SUCCESS_AT_10[setting][known]
    doubt = ", which lies below random actions: see docs/agents.md" if known == "mem" and within else ""
    return f"; published {mean} ± {spread}, within 10 attempts {at_10} %{doubt}"


def ranking_agents(results: Results, stores: Path, folder: Path) -> None:
    names = {"rand": "RAND, fixed set", "mem": "MEM", "mem-o": "MEM-O", "optimal": "OPTIMAL"}
    chosen = [
        Experiment(agent, setting, number, given(agent, setting, which), store=str(stores / SETTINGS[setting].tier))
        for setting in SETTINGS
        for agent in names
        for which in range(SETS)
        for number in range(FOLDS)
    ]
    found = iter(made(chosen, folder, "Folds"))
    for setting, known in SETTINGS.items():
        for agent, name in names.items():
            own = [[next(found) for _ in range(FOLDS)] for _ in range(SETS)]
            scores = np.array([[result.auccess for result in row] for row in own])
            at_10 = np.array([[result.success(10) for result in row] for row in own])
            must = ""
            if known.across_templates and agent in ("mem", "mem-o"):
                must = f"{paper.AUCCESS[setting][agent][0]} +- {NEAR[known.tier]}"
            note = spread_text(scores, at_10, "action sets") + published_text(agent, setting)
            results.add(f"{name}, {setting}, ten folds, AUCCESS", f"{scores.mean():.2f}", must, "", note)


def on_validation(results: Results, stores: Path, folder: Path, agent: str, name: str, values: Sequence[float]) -> None:
    """Figures 4 and 5: AUCCESS against one setting of an agent."""
    for setting, known in SETTINGS.items():
        chosen = [
            Experiment(
                agent,
                setting,
                number,
                {**({} if name == "ranked" else {"ranked": RANKED}), name: value},
                split="validation",
                store=str(stores / known.tier),
            )
            for value in values
            for number in VALIDATED
        ]
        scores = [result.auccess for result in made(chosen, folder, f"{agent}, {name}")]
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
        results.add(figure, f"{min(seconds):.1f} s", f"under {MOST_SECONDS:.0f} s", "", note)


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
        on_validation(results, stores, folder, "mem-o", "weight", TRIED_WEIGHTS)
    results.finish("phyre-agents")


if __name__ == "__main__":
    main()
