"""Pass rates of the paper's four learners on Phy-Q, local and broad, and the speed of their training.

    python benchmarks/agents/phyq_learners.py --device cuda --folder checkpoints [--learners dddqn-symbolic,…]
        [--settings broad,local] [--only 3,6] [--seeds 0,1,2] [--preset sweep] [--rounds N | --minutes M]
        [--outcomes FILE] [--transfer] [--train-templates 1,2] [--train-tasks 5,20] [--set NAME=VALUE …]

Networks whose checkpoints are in FOLDER/SEED are taken from there; the others are trained and written there. Results of
seeds are kept there too, so that the program can be stopped and started again. Every test task is attempted once, with
the angle of the highest Q value.
Minutes are for all networks of a learner in a setting. Learners that see the same share what was simulated.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
from learner_seeds import Budget, Shared, seed_result
from rich.console import Console
from table import Results, write_csv

from tumble.cli.options import parse_numbers, single_settings, split_list
from tumble.learning.harness import torch_device
from tumble.phyq.evaluation import metrics
from tumble.phyq.models.learner import Part, part_with_fewer_tasks, parts_of
from tumble.phyq.models.q_networks import DEFAULT_PRESET, QConfig, make_config
from tumble.phyq.models.registry import LEARNERS
from tumble.phyq.report.groups import mean_samples, percent_interval, phy_q_samples, scenario_samples, template_samples
from tumble.report.estimates import interval_of

PUBLISHED_LOCAL = {"symbolic": 33, "image": 24}
GOAL_LOCAL = {"symbolic": 50, "image": 40}
PUBLISHED = {
    "dddqn-symbolic": "D-DDQN-Symbolic",
    "dddqn-image": "D-DDQN-Image",
    "relational-symbolic": "Relational-Symbolic",
    "relational-image": "Relational-Image",
}
BELOW = 4
"""Points by which broad means may be below the published ones."""
SHOTS_MUST, SHOTS_GOAL = 8_000, 15_000
MINUTES_MUST, MINUTES_GOAL = 25, 10


def curve_row(
    name: str,
    config: QConfig,
    parts: Sequence[Part],
    fewer: tuple[int | None, int | None],
    folder: Path,
    seed: int,
    shared: Shared,
    budget: Budget,
) -> list[str]:
    """The mean pass rate after training on fewer templates or tasks."""
    setting, shown = parts[0].setting, ["all" if size is None else str(size) for size in fewer]
    few = [part_with_fewer_tasks(part, *fewer) for part in parts]
    place = folder / f"templates-{shown[0]}-tasks-{shown[1]}"
    rates = metrics.by_template(seed_result(name, config, few, place, seed, shared, budget).rates)
    groups = metrics.by_scenario(rates) if setting == "broad" else rates
    mean = 100.0 * float(np.mean(list(groups.values())))
    Console().print(f"{setting}, {name}, {shown[0]} templates, {shown[1]} tasks of each: {mean:.1f} %", highlight=False)
    return [setting, name, *shown, f"{mean:.1f}"]


def mean_rows(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Rows that differ in their last column only, as one row with its mean: those of several seeds."""
    values: dict[tuple[str, ...], list[float]] = {}
    for *key, value in rows:
        values.setdefault(tuple(key), []).append(float(value))
    return [[*key, f"{np.mean(own):.1f}"] for key, own in values.items()]


def within(samples: np.ndarray | None, percent: bool = True) -> str:
    if samples is None:
        return ""
    interval = percent_interval(samples) if percent else interval_of(samples)
    assert interval is not None
    low, high = interval
    return f"{low:.1f} to {high:.1f}"


def add_scores(
    results: Results, name: str, setting: str, config: QConfig, runs: list[dict[str, float]]
) -> list[list[str]]:
    """Adds the means of all seeds; returns rows of pass rates by template or scenario."""
    by_template = [metrics.by_template(one) for one in runs]
    templates = template_samples(runs)
    scenarios = scenario_samples(templates)
    by_scenario = [metrics.by_scenario(rates) for rates in by_template]
    groups: Sequence[Mapping[Any, float]] = by_scenario if setting == "broad" else by_template
    means = [100.0 * float(np.mean(list(rates.values()))) for rates in groups]
    samples = mean_samples(list((scenarios if setting == "broad" else templates).values()))
    published = 100.0 * float(np.mean(list(metrics.published_broad(PUBLISHED[name]).values())))
    must = f"{published - BELOW:.0f} %" if setting == "broad" else f"{PUBLISHED_LOCAL[config.observation]} %"
    goal = "20 %" if setting == "broad" else f"{GOAL_LOCAL[config.observation]} %"
    seeds = ", ".join(f"{mean:.1f}" for mean in means)
    note = f"interval over tasks {within(samples)}; by seed {seeds}"
    results.add(f"{setting}, {name}: mean pass rate", f"{np.mean(means):.1f} %", must, goal, note)
    if all(set(metrics.SCORED_SCENARIOS) <= set(rates) for rates in by_scenario):
        scores = [metrics.phy_q(rates) for rates in by_scenario]
        note = f"interval over tasks {within(phy_q_samples(scenarios), percent=False)}; by seed " + ", ".join(
            f"{score:.1f}" for score in scores
        )
        results.add(f"{setting}, {name}: Phy-Q", f"{np.mean(scores):.1f}", note=note)
    return [[setting, name, str(key), f"{100.0 * np.mean([rates[key] for rates in groups]):.1f}"] for key in groups[0]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--learners", default=",".join(LEARNERS))
    parser.add_argument("--settings", default="broad,local")
    parser.add_argument("--only", default="")
    parser.add_argument("--seeds", default="0")
    parser.add_argument("--preset", default=DEFAULT_PRESET)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--outcomes", type=Path)
    parser.add_argument("--device", default="auto")
    parser.add_argument(
        "--transfer", action="store_true", help="also every broad network on the test tasks of all scenarios"
    )
    parser.add_argument("--train-templates", default="", help="also trained on so few templates, as in 1,2")
    parser.add_argument("--train-tasks", default="", help="also trained on so few tasks of each template, as in 5,20")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--name", help="of the CSV files in results; phyq-learners or phyq-learners-gpu by default")
    options = parser.parse_args()
    device = torch_device(options.device)
    name_of_files = options.name or ("phyq-learners" if device.type == "cpu" else "phyq-learners-gpu")
    results = Results("Phy-Q's learners", device.type)
    shared = Shared(options.outcomes, device)
    rows: list[list[str]] = []
    transfer: list[list[str]] = []
    curves: list[list[str]] = []
    sizes: list[tuple[int | None, int | None]] = []
    if options.train_templates:
        sizes += [(size, None) for size in parse_numbers(options.train_templates, "train-templates")]
    if options.train_tasks:
        sizes += [(None, size) for size in parse_numbers(options.train_tasks, "train-tasks")]
    seeds, budget = parse_numbers(options.seeds, "seed"), Budget(options.rounds, options.minutes)
    for setting in split_list(options.settings):
        parts = parts_of(setting, split_list(options.only) if options.only else [])
        for name in split_list(options.learners):
            config = make_config(name, options.preset, single_settings(options.set))
            runs = []
            for seed in seeds:
                folder = options.folder / str(seed)
                run = seed_result(
                    name, config, parts, folder, seed, shared, budget, options.transfer and setting == "broad"
                )
                results.machine, speed = run.machine, run.speed
                if speed.updates:
                    note = f"{len(parts)} networks, {speed.updates:,} updates in all in {speed.update_seconds:.0f} s"
                    results.add(
                        f"{setting}, {name}, seed {seed}: training", f"{run.minutes:.1f} min",
                        f"{MINUTES_MUST} min", f"{MINUTES_GOAL} min", note,
                    )  # fmt: skip
                if speed.simulated:
                    rate, simulated = speed.shots / speed.seconds, speed.simulated / speed.seconds
                    note = f"{speed.shots:,} shots; {simulated:,.0f} a second simulated, the others looked up"
                    results.add(
                        f"{setting}, {name}, seed {seed}: shots into replay, all included", f"{rate:,.0f}/s",
                        f"{SHOTS_MUST:,}/s", f"{SHOTS_GOAL:,}/s", note,
                    )  # fmt: skip
                runs.append(run.rates)
                transfer += run.transfer
            rows += add_scores(results, name, setting, config, runs)
            curves += [
                curve_row(name, config, parts, fewer, options.folder / str(seeds[0]), seeds[0], shared, budget)
                for fewer in sizes
            ]
    shared.keep()
    write_csv(f"{name_of_files}-rates", ("setting", "learner", "part", "pass rate %"), rows, results.machine)
    if transfer:
        columns = ("learner", "trained on scenario", "tested on scenario", "pass rate %")
        write_csv(f"{name_of_files}-transfer", columns, mean_rows(transfer), results.machine)
    if curves:
        columns = ("setting", "learner", "training templates", "training tasks of each", "mean pass rate %")
        write_csv(f"{name_of_files}-curves", columns, curves, results.machine)
    results.finish(name_of_files)


if __name__ == "__main__":
    main()
