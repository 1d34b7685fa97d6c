"""Brief logs: of a finished run only what was run, for how long, and which attempt solved each task.

A brief log is a text file of many runs, small enough to be kept with the source. Each run has two lines: a JSON
object, and a word for each task in the order of the run's specification: the attempt that solved it, or "-".

A folder of brief logs has one for each setting, with the newest run of each variant. Its folder `earlier` keeps the
runs on test folds that newer ones replaced: it stays known how often a test fold was run, and with what result.

DQN's results on the folds it was tested on are shipped with the package. They are those of
`benchmarks/results/phyre-folds`, written by `benchmarks/agents/phyre_folds.py --export`.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from tumble.bounded import BoundError, json_value, read_text
from tumble.engine import physics_id
from tumble.phyre.catalogue.tasks_by_id import fold
from tumble.phyre.evaluation.metrics import auccess, success_at
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.runs.log import LogError
from tumble.scene.files import whole_file

NOT_SOLVED = "-"
TEST = "test"
EARLIER = "earlier"
"""The folder of replaced runs."""
MOST_BYTES = 1 << 24
"""Of a brief log."""


@dataclass(frozen=True)
class BriefResult:
    """A finished run of an agent."""

    setting: str
    agent: str
    variant: str
    """The name of the agent's settings."""
    split: str
    fold: int
    limit: int | None
    settings: dict[str, Any]
    """Of the agent, where they differ from its defaults."""
    physics: str
    training_seconds: float
    """Of the network, sampling included."""
    evaluation_seconds: float
    ranking_ms: float | None
    """Median time in which DQN ranks the actions of a task; None if it was not measured."""
    parallel: int
    """Jobs that shared the machine."""
    machine: str
    solved_at: tuple[int | None, ...]
    """By task, in the order of `task_ids`."""
    earlier_runs: int = 0
    """On a test fold: how often the agent had been run on it before, with any settings."""
    frozen: str = ""
    """On a test fold: the commit that froze the settings before the run; empty if it was made when none was needed."""

    @property
    def key(self) -> tuple[str, str, str, str, int, int]:
        """Of two results with the same key the later one replaces the earlier one."""
        return self.setting, self.agent, self.variant, self.split, self.limit or 0, self.fold

    @property
    def attempts_made(self) -> tuple[Any, ...]:
        """What tells two runs of a fold apart; the time they took and the name of their settings do not."""
        settings = json.dumps(self.settings, sort_keys=True)
        return self.setting, self.agent, self.split, self.limit, self.fold, settings, self.physics, self.solved_at

    @property
    def task_ids(self) -> list[str]:
        return list(_task_ids(self.agent, self.setting, self.fold, self.split, self.limit))

    @property
    def auccess(self) -> float:
        """AUCCESS in percent."""
        return 100.0 * auccess(self.solved_at)

    def success(self, attempts: int) -> float:
        """The tasks solved within a number of attempts, in percent."""
        return 100.0 * success_at(self.solved_at, attempts)


@lru_cache(maxsize=256)
def _task_ids(agent: str, setting: str, fold: int, split: str, limit: int | None) -> tuple[str, ...]:
    return tuple(PhyreRunSpec(agent, setting, fold, split, limit=limit).task_ids())


def read(path: Path) -> list[BriefResult]:
    """The runs of a brief log; none if there is no such file. A LogError names the first line that is wrong."""
    if not path.exists():
        return []
    try:
        lines = read_text(path, MOST_BYTES, "ascii").splitlines()
    except BoundError as error:
        raise LogError(f"{path}: {error}") from None
    except UnicodeDecodeError:
        raise LogError(f"{path}: this is not a text in ASCII") from None
    if len(lines) % 2:
        raise LogError(f"{path}: {len(lines)} lines; a brief log has two lines for each run")
    return [_parse(path, number, *lines[number : number + 2]) for number in range(0, len(lines), 2)]


def read_folder(folder: Path) -> list[BriefResult]:
    """The runs of all brief logs of a folder."""
    return [result for path in sorted(folder.glob("*.txt")) for result in read(path)]


def read_earlier(folder: Path) -> list[BriefResult]:
    """The runs on test folds that newer ones of a folder of brief logs replaced."""
    return read_folder(folder / EARLIER)


def count_earlier(known: Iterable[BriefResult], setting: str, agent: str, fold: int) -> int:
    """How often an agent was run on a test fold, with any settings; equal runs count once."""
    wanted = (setting, agent, TEST, fold)
    return len({one.attempts_made for one in known if (one.setting, one.agent, one.split, one.fold) == wanted})


def write(path: Path, results: Iterable[BriefResult]) -> None:
    """Writes a brief log, sorted."""
    lines: list[str] = []
    for result in sorted(results, key=lambda one: (one.key, one.earlier_runs)):
        header = asdict(result)
        words = (NOT_SOLVED if at is None else str(at) for at in header.pop("solved_at"))
        lines += [json.dumps(header), " ".join(words)]
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as partial:
        partial.write_text("".join(f"{line}\n" for line in lines), encoding="ascii")


def merge(folder: Path, results: Iterable[BriefResult], earlier: Iterable[BriefResult] = ()) -> None:
    """Adds runs to the brief logs of a folder, where they replace those with the same key.

    Replaced runs on test folds are kept, and so are `earlier` ones, which were replaced in another folder.
    """
    added, replaced = _by_setting(results), _by_setting(earlier)
    for setting in sorted({*added, *replaced}):
        path, kept = folder / f"{setting}.txt", folder / EARLIER / f"{setting}.txt"
        runs = [*read(path), *added.get(setting, ())]
        newest = {one.key: one for one in runs}
        current = {one.attempts_made for one in newest.values()}
        old = {
            one.attempts_made: one
            for one in (*runs, *replaced.get(setting, ()), *read(kept))
            if one.split == TEST and one.attempts_made not in current
        }
        write(path, newest.values())
        if old or kept.exists():
            write(kept, old.values())


def _by_setting(results: Iterable[BriefResult]) -> dict[str, list[BriefResult]]:
    grouped: dict[str, list[BriefResult]] = {}
    for result in results:
        grouped.setdefault(result.setting, []).append(result)
    return grouped


def _parse(path: Path, number: int, header: str, words: str) -> BriefResult:
    try:
        values = json_value(header)
        solved_at = tuple(None if word == NOT_SOLVED else int(word) for word in words.split())
        names = {field.name for field in fields(BriefResult)} - {"solved_at"}
        if not isinstance(values, dict) or values.keys() != names:
            raise ValueError(f"its fields must be {', '.join(sorted(names))}")
        result = BriefResult(**values, solved_at=solved_at)
        if len(result.task_ids) != len(solved_at):
            raise ValueError(f"{len(solved_at)} attempts for {len(result.task_ids)} tasks")
    except (ValueError, TypeError) as error:  # the latter of fields of other types
        raise LogError(f"{path}, line {number + 1}: {error}") from None
    return result


SHIPPED_FILE = "dqn_solved_at.txt"
SHIPPED_NOT_SOLVED = "-"


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
    text = resources.files("tumble.phyre").joinpath("data", SHIPPED_FILE).read_text(encoding="ascii")
    physics, *lines = text.splitlines()
    found: dict[str, dict[str, ShippedResult]] = {}
    for line in lines if physics == physics_id() else ():
        setting, number, *attempts = line.split()
        for task_id, solved_at in zip(fold(setting, int(number)).test, attempts, strict=True):
            at = None if solved_at == SHIPPED_NOT_SOLVED else int(solved_at)
            found.setdefault(task_id, {}).setdefault(setting, ShippedResult(setting, int(number), at))
    return {task_id: tuple(results.values()) for task_id, results in found.items()}


def write_shipped(path: Path, folds: Iterable[tuple[str, int, Mapping[str, int | None]]]) -> None:
    """Writes the file: the physics, then a line for each setting and fold, with a word for each of its test tasks."""
    lines = [physics_id()]
    for setting, number, solved_at in folds:
        words = [str(solved_at[task_id] or SHIPPED_NOT_SOLVED) for task_id in fold(setting, number).test]
        lines.append(" ".join([setting, str(number), *words]))
    with whole_file(path) as partial:
        partial.write_text("\n".join(lines) + "\n", encoding="ascii")


def export_shipped(results: Iterable[BriefResult], variant: str, path: Path | None = None) -> None:
    """Writes the file from brief logs: DQN's runs of a variant on all test tasks of a fold."""
    shipped = Path(str(resources.files("tumble.phyre"))) / "data" / SHIPPED_FILE
    wanted = [
        one
        for one in results
        if (one.agent, one.variant, one.split, one.limit, one.physics) == ("dqn", variant, "test", None, physics_id())
    ]
    found = ((one.setting, one.fold, dict(zip(one.task_ids, one.solved_at, strict=True))) for one in wanted)
    write_shipped(path or shipped, found)
