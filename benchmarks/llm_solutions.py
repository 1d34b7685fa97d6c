"""Stored solutions as the answers of a model score 100 %, random answers as the agent `random` does.

    python benchmarks/llm_solutions.py [--benchmark phyq] [--part solutions] [--mode picture] [--limit 50] [--add]

Answers go through inspect_ai's task with mockllm/model (scripted_model.py): prompt, JSON answer, simulation, scorer.
Solutions: all tasks of PHYRE, all test levels of Phy-Q's broad setting, and the questions of a ComPhy dataset that is
made here (--sets). Random answers, in text mode: the test tasks of PHYRE's fold 0, those of Phy-Q, and all questions.
What a run with random answers must score is the mean of the agent's runs with other seeds, within three standard
deviations of a run; for ComPhy it is chance, within three standard errors of the mean of all runs.
"""

import argparse
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from time import perf_counter
from typing import Any

import comphy_script
import numpy as np
import phyq_script
import phyre_script
from scripted_model import Script, evaluate, metrics
from table import Results

from tumble.comphy.generation.generate import generate
from tumble.inspect_tasks.solver import puzzle_set
from tumble.phyre.agents.rand import Rand
from tumble.phyre.catalogue.task import TIERS
from tumble.phyre.catalogue.tasks_by_id import solution, task_ids, template_of
from tumble.phyre.catalogue.tasks_by_id import task as task_by_id
from tumble.phyre.evaluation.metrics import auccess, success_at
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import SOLVED
from tumble.progress import bar
from tumble.runs.spec import spread_over_groups

MODES = ("text", "picture")
PARTS = ("solutions", "random")
CHUNK = 250
"""Tasks of PHYRE in one log, whose samples repeat the ids of all."""
SPLIT = "test"
DEVIATIONS = 3.0
"""By which a figure may differ from what is expected."""
SCORES = {
    "phyre": ("auccess", "success_within_1"),
    "phyq": ("pass_rate", "solved_within_1"),
    "comphy": (
        "factual",
        "predictive_per_option",
        "predictive_per_question",
        "counterfactual_per_option",
        "counterfactual_per_question",
    ),
}
"""Which are 100 % for right answers."""
SCALE = {"phyre": 100.0, "phyq": 100.0, "comphy": 1.0}
"""From scores to per cent."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--benchmark", action="append", choices=SCORES)
    parser.add_argument("--mode", action="append", choices=MODES)
    parser.add_argument("--part", action="append", choices=PARTS)
    parser.add_argument("--limit", type=int, help="tasks of each tier, levels, or questions")
    parser.add_argument("--attempts", type=int, default=10, help="random ones at a task of PHYRE")
    parser.add_argument("--sets", type=int, default=50, help="of the dataset of ComPhy")
    parser.add_argument("--seeds", type=int, default=10, help="runs of the agent `random`, or with random answers")
    parser.add_argument("--add", action="store_true", help="keep rows of earlier results that are not measured now")
    parser.add_argument("--name", default="llm", help="of the files of results, before part and benchmark")
    options = parser.parse_args()
    for benchmark in options.benchmark or SCORES:
        with tempfile.TemporaryDirectory(prefix="llm-solutions-") as temporary:
            folder = Path(temporary)
            data = made_dataset(folder, options.sets) if benchmark == "comphy" else ""
            for part in options.part or PARTS:
                results = Results(f"Scripted answers as those of a model: {part}, {benchmark}")
                if part == "random":
                    RANDOM[benchmark](results, options, data, folder)
                else:
                    for mode in options.mode or MODES:
                        measure_solutions(results, benchmark, mode, options.limit, data, folder)
                name = f"{options.name}-{part}-{benchmark}"
                if options.add:
                    results.keep_others(name)
                results.finish(name)


def made_dataset(folder: Path, sets: int) -> str:
    """A dataset of ComPhy without videos: pictures are rendered for prompts."""
    generate(folder / "data", sets=sets, seed=7, video=False, split=SPLIT)
    return str(folder / "data")


def measure_solutions(results: Results, benchmark: str, mode: str, limit: int | None, data: str, folder: Path) -> None:
    script = comphy_script.true_answers(data, SPLIT) if benchmark == "comphy" else SOLUTIONS[benchmark]
    for label, selections in selected(benchmark, limit, data):
        started, asked, failed, lowest = perf_counter(), 0, [], 100.0
        with bar(f"{label}, {mode}", sum(len(puzzle_set(benchmark, one).ids) for one in selections)) as advance:
            for selection in selections:
                log = evaluate(benchmark, {**selection, "mode": mode}, script, folder / "logs", advance)
                own = metrics(log)
                lowest = min([lowest, *(SCALE[benchmark] * own[name] for name in SCORES[benchmark] if name in own)])
                asked += len(log.samples or ())
                failed += [str(one.id) for one in log.samples or () if (one.scores or {})["attempts"].value != 1.0]
        seconds = perf_counter() - started
        part = "" if limit is None else ", in turns over templates"
        note = f"{asked:,} {'questions' if benchmark == 'comphy' else 'tasks'}{part}, {seconds:.0f} s; "
        note += f"not solved: {', '.join(failed[:5])}" if failed else "all right at the first attempt"
        share = 100.0 * (asked - len(failed)) / asked
        results.add(f"solutions, {label}, {mode}: solved", f"{share:.4g} %", "100 %", note=note)
        names = ", ".join(SCORES[benchmark])
        results.add(f"solutions, {label}, {mode}: lowest score", f"{lowest:.4g} %", "100 %", note=f"of {names}")


def selected(benchmark: str, limit: int | None, data: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Names of groups of puzzles, and the selections that make up each."""
    few = {} if limit is None else {"limit": limit}
    if benchmark == "phyre":
        for tier in TIERS:
            ids = spread_over_groups([one for one in task_ids(tier) if solution(one) is not None], limit, template_of)
            yield f"PHYRE-{tier}", [{"ids": ids[first : first + CHUNK]} for first in range(0, len(ids), CHUNK)]
    elif benchmark == "phyq":
        yield "Phy-Q broad", [few]
    else:
        yield "ComPhy", [{"data": data, **few}]


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The mean of runs, and how far one more run may be from it.

    >>> interval([1.0, 2.0, 3.0])
    (2.0, 3.4641016151377544)
    """
    return fmean(values), DEVIATIONS * stdev(values) * sqrt(1 + 1 / len(values))


def add_comparison(
    results: Results, label: str, own: Mapping[str, float], others: Sequence[Mapping[str, float]], note: str
) -> None:
    """A row for each score in per cent: the model's, and the interval by the agent's runs."""
    for name, value in own.items():
        mean, most = interval([100.0 * one[name] for one in others])
        inside = "within" if abs(100.0 * value - mean) <= most else "outside"
        results.add(
            f"random answers, {label}: {name}",
            f"{100.0 * value:.2f} %",
            f"{mean:.2f} +- {most:.2f} %",
            note=f"{inside} 3 standard deviations, by {len(others)} other seeds of the agent `random`; {note}",
        )


def measure_phyre(results: Results, options: argparse.Namespace, data: str, folder: Path) -> None:
    """RAND's actions as answers: the same results as the agent's, and RAND's figures."""
    for tier in TIERS:
        selection = {"tier": tier, "attempts": options.attempts, "limit": options.limit}
        ids = list(puzzle_set("phyre", selection).ids)
        with bar(f"Random answers, PHYRE-{tier}", len(ids)) as advance:
            log = evaluate("phyre", selection, phyre_script.random_actions(0), folder / "logs", advance)
        simulator = Simulator([task_by_id(task_id) for task_id in ids], tier)
        with bar(f"The agent random, PHYRE-{tier}", options.seeds + 1) as advance:
            runs = []
            for seed in range(options.seeds + 1):
                runs.append(rand_statuses(simulator, options.attempts, seed))
                advance(1)
        made = {one.metadata["task"]: [turn["record"]["status"] for turn in one.store["turns"]] for one in log.samples}
        same = sum(made[task_id] == list(runs[0][task_id][: len(made[task_id])]) for task_id in ids)
        own = metrics(log)
        scores = [rand_scores(run) for run in runs]
        label = f"PHYRE-{tier}, {options.attempts} attempts"
        note = f"{len(ids)} test tasks of fold 0"
        add_comparison(results, label, {name: own[name] for name in scores[0] if name in own}, scores[1:], note)
        attempts = sum(map(len, made.values()))
        results.add(f"random answers, {label}: tasks as by the agent", f"{same} of {len(ids)}", "all",
                    note=f"{attempts:,} attempts with the agent's seed, each with the agent's status")  # fmt: skip


def rand_statuses(simulator: Simulator, attempts: int, seed: int) -> dict[str, np.ndarray]:
    """What becomes of the agent's first actions at each task."""
    agent = Rand(seed=seed)
    ids = [task.id for task in simulator.tasks]
    actions = np.concatenate([agent.propose(task, ())[:attempts] for task in simulator.tasks])
    statuses = simulator.pairs([task_id for task_id in ids for _ in range(attempts)], actions)
    return dict(zip(ids, statuses.reshape(len(ids), attempts), strict=True))


def rand_scores(statuses: Mapping[str, np.ndarray]) -> dict[str, float]:
    """The agent's scores by name, as a model's."""
    solved = [own >= SOLVED for own in statuses.values()]
    at = [int(own.argmax()) + 1 if own.any() else None for own in solved]
    most = len(solved[0])
    within = [count for count in (1, 2, 5, 10, 100) if count <= most]
    return {"auccess": auccess(at), **{f"success_within_{count}": success_at(at, count) for count in within}}


def measure_phyq(results: Results, options: argparse.Namespace, data: str, folder: Path) -> None:
    """The agent's shots as answers: the same results as the agent's, and its rates."""
    selection = {} if options.limit is None else {"limit": options.limit}
    puzzles = puzzle_set("phyq", selection)
    ids, attempts = list(puzzles.ids), puzzles.puzzle(puzzles.ids[0]).attempts
    with bar("The agent random, Phy-Q", options.seeds + 1) as advance:
        runs = [
            phyq_script.random_rows(ids, attempts, seed, folder / "runs", advance) for seed in range(options.seeds + 1)
        ]
    with bar("Random answers, Phy-Q", len(ids)) as advance:
        log = evaluate("phyq", selection, phyq_script.shots_as_answers(runs[0]), folder / "logs", advance)
    made = {
        one.metadata["task"]: [turn["record"]["status"] for turn in one.store["turns"] if turn["counts"]]
        for one in log.samples or ()
    }
    same = sum(made[task_id] == [row["status"] for row in runs[0][task_id]] for task_id in ids)
    own = metrics(log)
    scores = [puzzles.scores(run) for run in runs]
    names = ("pass_rate", "first_attempt_rate", *(f"solved_within_{count}" for count in range(1, attempts + 1)))
    add_comparison(results, "Phy-Q broad", {name: own[name] for name in names}, scores[1:], f"{len(ids)} levels")
    results.add("random answers, Phy-Q broad: levels as by the agent", f"{same} of {len(ids)}", "all",
                note=f"{sum(map(len, made.values())):,} attempts with the agent's seed and status")  # fmt: skip


def measure_comphy(results: Results, options: argparse.Namespace, data: str, folder: Path) -> None:
    """The agent's answers, with several seeds, beside chance."""
    selection = {"data": data, **({} if options.limit is None else {"limit": options.limit})}
    ids = puzzle_set("comphy", selection).ids
    asked = comphy_script.questions(data, SPLIT)
    runs = []
    with bar("Random answers, ComPhy", len(ids) * options.seeds) as advance:
        for seed in range(options.seeds):
            script = comphy_script.random_answers(data, SPLIT, seed)
            runs.append(metrics(evaluate("comphy", selection, script, folder / "logs", advance)))
    for name, chance in comphy_script.chances(asked[task_id] for task_id in ids).items():
        values = [run[name] for run in runs]
        most = DEVIATIONS * stdev(values) / sqrt(len(values))
        inside = "within" if abs(fmean(values) - chance) <= most else "outside"
        results.add(
            f"random answers, ComPhy: {name}",
            f"{fmean(values):.2f} %",
            f"{chance:.2f} +- {most:.2f} %",
            note=f"chance; {inside} 3 standard errors of the mean of {len(values)} runs on {len(ids)} questions",
        )


SOLUTIONS: dict[str, Script] = {"phyre": phyre_script.solutions, "phyq": phyq_script.solutions}
RANDOM: dict[str, Callable[[Results, argparse.Namespace, str, Path], None]] = {
    "phyre": measure_phyre,
    "phyq": measure_phyq,
    "comphy": measure_comphy,
}


if __name__ == "__main__":
    main()
