"""Pass rates of the paper's four learners on Phy-Q, local and broad, and the speed of their training.

    python benchmarks/agents/phyq_learners.py --device cuda --folder checkpoints [--learners dddqn-symbolic …]
        [--settings broad local] [--only 3 6] [--seeds 0 1 2] [--preset sweep] [--rounds N | --minutes M]

FOLDER/SEED/NAME-SETTING.json has the pass rates of all test tasks, the speed of training and the machine: a seed whose
file is there is not trained again. Networks whose checkpoints are in FOLDER/SEED are taken from there, the others are
trained and written there. Every test task is attempted once, with the angle of the highest Q value. Minutes are for all
networks of a learner in a setting.
"""

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
import torch
from table import Results, arguments, write_csv

from tumble.learning.harness import torch_device
from tumble.phyq.catalogue.tasks import cached_task
from tumble.phyq.evaluation import metrics
from tumble.phyq.models.learner import Part, load_trained, network_path, parts_of, play_greedily
from tumble.phyq.models.q_networks import DEFAULT_PRESET, QConfig, make_config
from tumble.phyq.models.q_training import QTraining, write_training_page
from tumble.phyq.models.registry import LEARNERS
from tumble.phyq.models.shot_outcomes import ShotOutcomes
from tumble.phyq.report.groups import mean_samples, percent_interval, phy_q_samples, scenario_samples, template_samples
from tumble.report.estimates import interval_of
from tumble.runs.header import machine
from tumble.scene.files import whole_file

PUBLISHED = {
    "dddqn-symbolic": "D-DDQN-Symbolic",
    "dddqn-image": "D-DDQN-Image",
    "relational-symbolic": "Relational-Symbolic",
    "relational-image": "Relational-Image",
}
LOCAL = {"symbolic": ("33 %", "50 %"), "image": ("24 %", "40 %")}
"""Published means and goals, by observation."""
BELOW = 4
"""Points by which broad means may be below the published ones."""


def seed_result(name: str, config: QConfig, parts: Sequence[Part], folder: Path, seed: int, given: Any) -> Any:
    """Trains and tests one seed, unless its file is in the folder; returns the file's content."""
    path = folder / f"{name}-{parts[0].setting}.json"
    if path.exists():
        return json.loads(path.read_text())
    device = torch_device(given.device)
    ids = list(dict.fromkeys(task_id for part in parts for task_id in (*part.split.train, *part.split.test)))
    tasks = [cached_task(task_id) for task_id in ids]
    outcomes = ShotOutcomes(tasks, config.observation, device, config.platforms)
    begin = time.monotonic()
    training = QTraining(name, config, parts, folder, device, seed, given.rounds, given.minutes, outcomes=outcomes)
    training.run()
    write_training_page(folder / f"{name}-{parts[0].setting}.html", training)
    minutes, speed, rates = (time.monotonic() - begin) / 60.0, training.speed, {}
    for part in parts:  # one network at a time is in memory; the shots of one part are played together
        network = load_trained(network_path(folder, name, part), name, device)
        won = play_greedily([network], [outcomes.starts(part.split.test)], outcomes)[0]
        rates.update(zip(part.split.test, won.astype(float).tolist(), strict=True))
    content = {"rates": rates, "minutes": minutes, "speed": vars(speed), "machine": machine(device.type)}
    with whole_file(path) as partial:
        partial.write_text(json.dumps(content))
    return content


def add_training(results: Results, figure: str, parts: int, run: Any) -> None:
    """The minutes of a training, and its shots per second."""
    speed = run["speed"]
    if speed["updates"]:
        note = f"{parts} networks, {speed['updates']:,} updates in all in {speed['update_seconds']:.0f} s"
        results.add(f"{figure}: training", f"{run['minutes']:.1f} min", "25 min", "10 min", note)
    if speed["simulated"]:
        rate, simulated = (speed[name] / speed["seconds"] for name in ("shots", "simulated"))
        note = f"{speed['shots']:,} shots; {simulated:,.0f} a second simulated, the others looked up"
        results.add(f"{figure}: shots into replay, all included", f"{rate:,.0f}/s", "8,000/s", "15,000/s", note)


def within(interval: tuple[float, float] | None) -> str:
    return f"interval over tasks {interval[0]:.1f} to {interval[1]:.1f}; " if interval else ""


def add_scores(results: Results, name: str, setting: str, config: QConfig, runs: list[dict[str, float]]) -> Any:
    """Adds the means of all seeds; returns rows of pass rates by template or scenario."""
    by_template = [metrics.by_template(one) for one in runs]
    templates = template_samples(runs)
    scenarios = scenario_samples(templates)
    by_scenario = [metrics.by_scenario(rates) for rates in by_template]
    groups: Any = by_scenario if setting == "broad" else by_template
    means = [100.0 * float(np.mean(list(rates.values()))) for rates in groups]
    samples = mean_samples(list((scenarios if setting == "broad" else templates).values()))
    published = 100.0 * float(np.mean(list(metrics.published_broad(PUBLISHED[name]).values())))
    targets = (f"{published - BELOW:.0f} %", "20 %") if setting == "broad" else LOCAL[config.observation]
    note = f"{within(percent_interval(samples))}by seed {', '.join(f'{mean:.1f}' for mean in means)}"
    results.add(f"{setting}, {name}: mean pass rate", f"{np.mean(means):.1f} %", *targets, note)
    if all(set(metrics.SCORED_SCENARIOS) <= set(rates) for rates in by_scenario):
        scores, drawn = [metrics.phy_q(rates) for rates in by_scenario], phy_q_samples(scenarios)
        note = within(None if drawn is None else interval_of(drawn))
        note += f"by seed {', '.join(f'{score:.1f}' for score in scores)}"
        results.add(f"{setting}, {name}: Phy-Q", f"{np.mean(scores):.1f}", note=note)
    return [[setting, name, str(key), f"{100.0 * np.mean([rates[key] for rates in groups]):.1f}"] for key in groups[0]]


def main() -> None:
    given = arguments(
        __doc__,
        folder=Path("checkpoints"),
        learners=tuple(LEARNERS),
        settings=("broad", "local"),
        only=(),
        seeds=(0,),
        preset=DEFAULT_PRESET,
        rounds=int,
        minutes=float,
        device="cuda" if torch.cuda.is_available() else "cpu",
    )
    results, rows = Results("Phy-Q's learners", given.device), []
    for setting in given.settings:
        parts = parts_of(setting, list(given.only))
        for name in given.learners:
            config, runs = make_config(name, given.preset, {}), []
            for seed in given.seeds:
                run = seed_result(name, config, parts, given.folder / str(seed), seed, given)
                results.machine = run["machine"]
                add_training(results, f"{setting}, {name}, seed {seed}", len(parts), run)
                runs.append(run["rates"])
            rows += add_scores(results, name, setting, config, runs)
    columns = ("setting", "learner", "part", "pass rate %")
    write_csv(f"phyq-learners{'-gpu' * results.on_gpu}-rates", columns, rows, results.machine)
    results.finish("phyq-learners")


if __name__ == "__main__":
    main()
