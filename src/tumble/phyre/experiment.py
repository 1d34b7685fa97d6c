"""Experiments: which agent attempts which tasks, how often, with what to learn from; and their run logs."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from tumble import __version__, engine
from tumble.phyre import agents, library, official, store
from tumble.phyre.agents.agent import Agent
from tumble.phyre.evaluate import attempt_tasks
from tumble.phyre.metrics import MOST_ATTEMPTS
from tumble.phyre.simulate import Simulator
from tumble.phyre.splits import SETTINGS, fold
from tumble.phyre.stored import StoredSimulator
from tumble.phyre.tasks import Task
from tumble.progress import Advance
from tumble.runs import log as run_log
from tumble.runs.log import SUFFIX, Log, LogError

BENCHMARK = "phyre"
SPLITS = ("test", "validation")
REPLAYED_TOGETHER = 5000


class ExperimentError(ValueError):
    """An experiment that can't be made, and why."""


@dataclass(frozen=True)
class Experiment:
    """What is in the header of a run log."""

    agent: str
    """A name of `agents.AGENTS`, or FILE.py:CLASS."""
    setting: str
    """One of `splits.SETTINGS`."""
    fold: int = 0
    settings: dict[str, Any] = field(default_factory=dict)
    """Of the agent."""
    split: str = "test"
    """Tasks to attempt: "test" after training on all others, or "validation" for tuning."""
    limit: int | None = None
    """Only the first so many of them."""
    tasks: str | None = None
    """A file of tasks of one's own to attempt instead; the agent still trains on the fold's."""
    attempts: int = MOST_ATTEMPTS
    seed: int = 0
    store: str | None = None
    """A sweep store that knows outcomes; it changes no result."""
    device: str = "cpu"
    """Where the physics runs; it changes no result."""

    def __post_init__(self) -> None:
        if self.setting not in SETTINGS:
            raise ExperimentError(f"no setting {self.setting!r}; there are {', '.join(SETTINGS)}")
        if self.split not in SPLITS:
            raise ExperimentError(f"no split {self.split!r}; there are {', '.join(SPLITS)}")
        for name in ("attempts", "limit"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ExperimentError(f"{name} must be 1 or more, not {value}")

    @property
    def tier(self) -> str:
        return SETTINGS[self.setting].tier

    def make_agent(self) -> Agent:
        """The agent with its settings, and with the seed if it takes one."""
        kind = agents.class_of(self.agent)
        seeded = {"seed": self.seed} if "seed" in agents.settings_of(kind) else {}
        return agents.make(self.agent, **{**seeded, **self.settings})

    def header(self, agent: Agent) -> dict[str, Any]:
        """The header of its log."""
        known = agents.settings_of(type(agent))
        return {
            "benchmark": BENCHMARK,
            **asdict(self),
            "settings": {name: getattr(agent, name) for name in known if hasattr(agent, name)},
            "given": self.settings,
            "ranked": getattr(agent, "ranked", None),
            "learns_online": agent.learns_online,
            "physics": engine.physics_id(),
            "version": __version__,
        }

    def file_name(self) -> str:
        """The name of its log: readable, and different for different experiments."""
        unchanging = replace(self, store=None, device="cpu")
        digest = sha256(repr(sorted(asdict(unchanging).items())).encode()).hexdigest()[:8]
        name = Path(self.agent.partition(":")[0]).stem
        return f"{BENCHMARK}-{name}-{self.setting}-{self.fold}-{digest}{SUFFIX}"


def from_header(header: dict[str, Any]) -> Experiment:
    """The experiment of a log."""
    if header.get("benchmark") != BENCHMARK:
        raise ExperimentError(f"not a run of PHYRE but of {header.get('benchmark')!r}")
    names = Experiment.__dataclass_fields__
    try:
        return Experiment(**{name: header[name] for name in names if name != "settings"}, settings=header["given"])
    except KeyError as error:
        raise ExperimentError(f"the header of the log lacks {error}") from None


def run(experiment: Experiment, folder: str | Path, advance: Callable[[int, int], None] = lambda _, __: None) -> Log:
    """Runs an experiment, or goes on with it; `advance` is called with tasks finished and tasks in all."""
    agent = experiment.make_agent()
    path = Path(folder) / experiment.file_name()
    known = run_log.existing(path)
    log = run_log.read(known) if known else run_log.create(path, experiment.header(agent))
    return _go_on(experiment, agent, log, advance)


def resume(path: str | Path, advance: Callable[[int, int], None] = lambda _, __: None) -> Log:
    """Goes on with a run that ended early."""
    log = run_log.read(path)
    experiment = from_header(log.header)
    _check_physics(log)
    return _go_on(experiment, experiment.make_agent(), log, advance)


def _go_on(experiment: Experiment, agent: Agent, log: Log, advance: Callable[[int, int], None]) -> Log:
    if log.finished:
        return log
    learn_from, attempted = _chosen_tasks(experiment)
    done = 0

    def count(finished: int) -> None:
        nonlocal done
        done += finished
        advance(done, len(attempted))

    simulator = _simulator(experiment, learn_from)
    agent.train(learn_from, simulator)
    tested = _simulator(experiment, attempted)
    if agent.is_shown_solutions:
        agent.show_solutions(tested)
    attempt_tasks(agent, attempted, tested, log, experiment.attempts, count)
    return log


def _chosen_tasks(experiment: Experiment) -> tuple[list[Task], list[Task]]:
    """The tasks to train on, and those to attempt."""
    known = published(experiment.tier)
    part = fold(experiment.setting, experiment.fold, known)
    train = part.train_for_test if experiment.split == "test" else part.train
    attempted = [known[task_id] for task_id in (part.test if experiment.split == "test" else part.validation)]
    if experiment.tasks is not None:
        attempted = list(official.load(experiment.tasks).values())
        wrong = next((task for task in attempted if task.tier != experiment.tier), None)
        if wrong is not None:
            raise ExperimentError(
                f"{experiment.tasks}: task {wrong.id} is of tier {wrong.tier}, the setting of {experiment.tier}"
            )
    return [known[task_id] for task_id in train], attempted[: experiment.limit]


@lru_cache(maxsize=2)
def published(tier: str) -> dict[str, Task]:
    """The published tasks of a tier, built once."""
    return library.tasks(tier)


@lru_cache(maxsize=2)
def _stored(tier: str, path: str, device: str) -> StoredSimulator:
    return StoredSimulator(published(tier).values(), tier, store.open_store(path), device)


def _simulator(experiment: Experiment, tasks: Sequence[Task]) -> Simulator:
    """A simulator of tasks, with the store where there is one and it is of them."""
    known = published(experiment.tier)
    if experiment.store and all(known.get(task.id) is task for task in tasks):
        return _stored(experiment.tier, experiment.store, experiment.device)
    return Simulator(tasks, experiment.tier, experiment.device)


def verify(log: Log, advance: Advance = lambda _: None) -> str:
    """Replays all attempts of a log; what the first difference is, or nothing."""
    _check_physics(log)
    experiment = replace(from_header(log.header), store=None)
    _, attempted = _chosen_tasks(experiment)
    known = {task.id for task in attempted}
    rows = list(log.rows())
    unknown = next((row["task"] for row in rows if row["task"] not in known), None)
    if unknown is not None:
        return f"task {unknown} is none of this experiment's"
    simulator = Simulator(attempted, experiment.tier, experiment.device)
    for first in range(0, len(rows), REPLAYED_TOGETHER):
        part = rows[first : first + REPLAYED_TOGETHER]
        actions = np.array([row["action"] for row in part])
        status, steps = simulator.outcomes([row["task"] for row in part], actions)
        for row, code, count in zip(part, status, steps, strict=True):
            if row["status"] != code or row["steps"] not in (None, count):
                where = f"task {row['task']}, attempt {row['attempt']}"
                return f"{where}: the log says status {row['status']}, steps {row['steps']}; replayed {code}, {count}"
        advance(len(part))
    return ""


def _check_physics(log: Log) -> None:
    if log.header.get("physics") != engine.physics_id():
        raise LogError(f"{log.path} was made with physics {log.header.get('physics')}, this is {engine.physics_id()}")
