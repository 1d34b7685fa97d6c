"""Makes the training data: shots on tasks of the training templates and on variants of them, in parts that are kept."""

import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from tumble.jobs.executors import make as make_executor
from tumble.jobs.job import Job
from tumble.learning.errors import TrainingError
from tumble.phyq.models.ranker.collect import VARIANT, Plan, collect, joined
from tumble.phyq.models.ranker.data_file import read_shots, write_shots
from tumble.phyq.models.ranker.variants import variant
from tumble.phyq.simulation.simulator import physics_id
from tumble.phyq.tasks.level import Level
from tumble.phyq.tasks.splits import broad_templates
from tumble.phyq.tasks.templates import SCENARIOS, template

LEVELS_PER_PART = {"cpu": 20, "cuda": 1000}
"""Levels whose shots are played together, by device: large calls are faster on a GPU."""


@dataclass(frozen=True)
class DataPlan:
    """Which levels are played, and how often."""

    tasks: int = 100
    """Tasks of each training template, from number 0 on."""
    variants: int = 1
    """Variants of each task."""
    without: tuple[str, ...] = ()
    """Training templates that are left out, to test on them."""
    shots: Plan = field(default_factory=Plan)
    seed: int = 0

    def templates(self) -> list[str]:
        """The training templates."""
        known = [key for scenario in SCENARIOS for key in broad_templates(scenario)[0]]
        wrong = next((key for key in self.without if key not in known), None)
        if wrong is not None:
            raise TrainingError(f"{wrong!r} is no training template of the broad setting; they are {', '.join(known)}")
        return [key for key in known if key not in self.without]


def make_data(
    plan: DataPlan,
    out: Path,
    device: str = "cpu",
    threads: int = 0,
    workers: int | None = None,
    advance: Callable[[int], None] = lambda _: None,
) -> int:
    """Plays shots on the levels of a plan, writes them to a file and returns their number; resumes where it stopped.

    `advance` is called with numbers of levels whose shots were played. Finished parts are kept beside the file until
    all are done; results depend on the plan and the size of the parts, which is that of the device.
    """
    size = LEVELS_PER_PART[device.partition(":")[0]]
    identity = sha256(f"{asdict(plan)} {size} {physics_id()}".encode()).hexdigest()[:12]
    folder = out.with_name(f"{out.name}.parts-{identity}")
    folder.mkdir(parents=True, exist_ok=True)
    levels = all_levels(plan, workers)
    paths = []
    for number, begin in enumerate(range(0, len(levels), size)):
        part = levels[begin : begin + size]
        path = folder / f"{number:04d}.npz"
        if not path.exists():
            seed = plan.seed * 1_000_003 + number
            found = collect([level for _, level in part], [key for key, _ in part], plan.shots, seed, device, threads)
            write_shots(path, found)
        paths.append(path)
        advance(len(part))
    everything = joined([read_shots(path).collected for path in paths])
    write_shots(out, everything)
    shutil.rmtree(folder)
    return len(everything)


def level_count(plan: DataPlan) -> int:
    """The number of levels of a plan, if all variants can be made."""
    return len(plan.templates()) * plan.tasks * (1 + plan.variants)


def all_levels(plan: DataPlan, workers: int | None = None) -> list[tuple[str, Level]]:
    """Templates and levels: the tasks of all templates by number, with variants, whose templates end with VARIANT.

    Processes share the work.
    """
    keys = plan.templates()
    jobs = [Job(key, _levels_of, (key, plan.tasks, plan.variants, plan.seed)) for key in keys]
    made: dict[str, list[list[Level]]] = {}
    for outcome in make_executor("local", workers).run(jobs):
        if outcome.error:
            raise TrainingError(f"template {outcome.job.name}: {outcome.error}")
        made[outcome.job.name] = outcome.value
    return [
        (key + VARIANT if place else key, level)
        for number in range(plan.tasks)
        for key in keys
        for place, level in enumerate(made[key][number])
    ]


def _levels_of(key: str, tasks: int, variants: int, seed: int, progress: Any) -> list[list[Level]]:
    """For each task of a template its level and variants of it."""
    rng = np.random.default_rng([seed, *key.encode()])
    return [_with_variants(template(key).level(number), variants, rng) for number in range(tasks)]


def _with_variants(level: Level, count: int, rng: np.random.Generator) -> list[Level]:
    made = [variant(level, rng) for _ in range(count)]
    return [level, *(one for one in made if one is not None)]
