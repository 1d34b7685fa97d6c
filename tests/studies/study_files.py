"""Studies for tests, with a quick benchmark of their own in place of physics, or with real ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tumble.benchmark import benchmark
from tumble.errors import TumbleError
from tumble.runs.spec import RunSpec
from tumble.studies.store import Store
from tumble.studies.study import Action, Outcome, StudyTasks, read_study

TOML = """
benchmark = "numbers"
title = "Numbers"
attempts = 3
practice = ["p"]
seed = 4
consent = "Do you agree?"
[tasks]
[[questions]]
id = "how"
text = "How was it?"
options = ["good", "bad"]
required = true
"""
PHYRE = """
benchmark = "phyre"
title = "Balls"
attempts = 4
practice = ["00000:001"]
[tasks]
setting = "ball_within_template"
limit = 3
"""
PHYQ = """
benchmark = "phyq"
title = "Birds"
attempts = 2
[tasks]
only = ["1.1", "10.1"]
limit = 1
"""


@dataclass(frozen=True)
class NumberTasks(StudyTasks):
    """An action of one number solves a task if it is above 0.5; two parts are needed if it is below 0.1."""

    attempts: int = 3
    ids: Sequence[str] = ("a", "b", "c", "d")
    physics: str = "numbers-1"

    def check_task(self, task_id: str) -> None:
        if task_id not in ("p", *self.ids):
            raise TumbleError(f"no task {task_id}")

    def check_action(self, task_id: str, action: Action) -> None:
        if any(number is None or not 0.0 <= number <= 1.0 for number in action):
            raise TumbleError("numbers are from 0 to 1")

    def simulate(self, task_id: str, action: Action) -> Outcome:
        last = action[-1] or 0.0
        return Outcome(1 if last > 0.5 else -1, len(action), last > 0.5, len(action) == 1 and last < 0.1)

    def amends(self, before: Action, after: Action) -> bool:
        return len(before) == len(after) == 1 and (before[0] or 0.0) < (after[0] or 0.0)

    def is_over(self, statuses: Sequence[int]) -> bool:
        return len(statuses) >= self.attempts or 1 in statuses

    def spec(self, study: str, participant: int, folder: Path) -> RunSpec:
        raise NotImplementedError


def number_store(folder: Path, toml: str = TOML, tasks: StudyTasks | None = None) -> Store:
    """The store of a study about numbers."""
    file = folder / "numbers.toml"
    file.write_text(toml)
    return Store(read_study(file), tasks or NumberTasks())


def study_file(folder: Path, toml: str, name: str = "pilot") -> Path:
    """A study of a real benchmark."""
    file = folder / f"{name}.toml"
    file.write_text(toml)
    return file


def valid_actions(name: str, task_id: str, count: int, seed: int = 0) -> list[list[float | None]]:
    """Actions that are attempts at a task: of PHYRE, or the first shots of Phy-Q."""
    import numpy as np

    draw = np.random.default_rng(seed)
    if name == "phyre":
        from tumble.phyre.catalogue.tasks_by_id import task
        from tumble.phyre.simulation.actions import sample_valid

        one = task(task_id)
        return [list(map(float, action)) for action in sample_valid(one.scene, one.tier, count, draw)]
    assert benchmark(name)
    return [[float(angle), 1.0, None, None, None] for angle in draw.uniform(0.0, 70.0, count)]
