"""At which attempt DQN solved tasks of the folds it was tested on: results that are shipped with the package.

They are those of `benchmarks/results/phyre-folds`, written by `benchmarks/phyre_folds.py --export`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from tumble.engine import physics_id
from tumble.phyre.evaluation.brief_log import BriefResult
from tumble.phyre.tasks.splits import fold
from tumble.scene.files import whole_file

FILE = "dqn_solved_at.txt"
NOT_SOLVED = "-"


@dataclass(frozen=True)
class ShippedResult:
    """DQN's result on a task, with the fold in which the task was tested."""

    setting: str
    fold: int
    solved_at: int | None
    """None if it was not solved."""


@cache
def dqn_results() -> dict[str, tuple[ShippedResult, ...]]:
    """By task id: a result for each setting in which the task was tested; empty if the physics has changed since."""
    text = resources.files("tumble.phyre").joinpath("data", FILE).read_text(encoding="ascii")
    physics, *lines = text.splitlines()
    found: dict[str, dict[str, ShippedResult]] = {}
    for line in lines if physics == physics_id() else ():
        setting, number, *attempts = line.split()
        for task_id, solved_at in zip(fold(setting, int(number)).test, attempts, strict=True):
            at = None if solved_at == NOT_SOLVED else int(solved_at)
            found.setdefault(task_id, {}).setdefault(setting, ShippedResult(setting, int(number), at))
    return {task_id: tuple(results.values()) for task_id, results in found.items()}


def write(path: Path, folds: Iterable[tuple[str, int, Mapping[str, int | None]]]) -> None:
    """Writes the file: the physics, then a line for each setting and fold, with a word for each of its test tasks."""
    lines = [physics_id()]
    for setting, number, solved_at in folds:
        words = [str(solved_at[task_id] or NOT_SOLVED) for task_id in fold(setting, number).test]
        lines.append(" ".join([setting, str(number), *words]))
    with whole_file(path) as partial:
        partial.write_text("\n".join(lines) + "\n", encoding="ascii")


def export(results: Iterable[BriefResult], variant: str, path: Path | None = None) -> None:
    """Writes the file from brief logs: DQN's runs of a variant on all test tasks of a fold."""
    shipped = Path(str(resources.files("tumble.phyre"))) / "data" / FILE
    wanted = [
        one
        for one in results
        if (one.agent, one.variant, one.split, one.limit, one.physics) == ("dqn", variant, "test", None, physics_id())
    ]
    found = ((one.setting, one.fold, dict(zip(one.task_ids, one.solved_at, strict=True))) for one in wanted)
    write(path or shipped, found)
