"""Experiments: which agent attempts which tasks, how often, with what to learn from; and their run logs."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from tumble import __version__, engine
from tumble.phyre import agents, library, official, shipped, store
from tumble.phyre.agents.agent import Agent
from tumble.phyre.evaluate import attempt_tasks
from tumble.phyre.metrics import MOST_ATTEMPTS
from tumble.phyre.simulate import Simulator
from tumble.phyre.splits import FOLDS, SETTINGS, fold
from tumble.phyre.stored import StoredSimulator
from tumble.phyre.task_digest import digest_of_tasks
from tumble.phyre.tasks import Task
from tumble.runs import experiments
from tumble.runs import log as run_log
from tumble.runs.experiments import ExperimentError, Told, agent_word, log_name, plain, with_tuples
from tumble.runs.log import Log
from tumble.runs.own_agents import asked

BENCHMARK = "phyre"
SPLITS = ("test", "validation")
NO_STORE = "none"

__all__ = [
    "Experiment",
    "ExperimentError",
    "agent_label",
    "check_physics",
    "chosen_tasks",
    "from_header",
    "published",
    "resume",
    "run",
]


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
    """A sweep store that knows outcomes, "none", or by default what the package brings along; it changes no result."""
    device: str = "cpu"
    """Where the physics runs; it changes no result."""

    def __post_init__(self) -> None:
        if self.setting not in SETTINGS:
            raise ExperimentError(f"no setting {self.setting!r}; there are {', '.join(SETTINGS)}")
        if self.split not in SPLITS:
            raise ExperimentError(f"no split {self.split!r}; there are {', '.join(SPLITS)}")
        if not 0 <= self.fold < FOLDS:
            raise ExperimentError(f"no fold {self.fold}; there are 0 to {FOLDS - 1}")
        for name in ("attempts", "limit"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ExperimentError(f"{name} must be 1 or more, not {value}")
        object.__setattr__(self, "settings", with_tuples(self.settings))

    @property
    def tier(self) -> str:
        return SETTINGS[self.setting].tier

    @property
    def title(self) -> str:
        """What it is called while it runs."""
        words = {name: Path(value).name if name == "checkpoint" else value for name, value in self.settings.items()}
        given = "".join(f", {name} {value}" for name, value in words.items())
        return f"{agent_label(self.agent)}{given}, {self.setting}, fold {self.fold}, seed {self.seed}"

    def task_count(self) -> int:
        """How many tasks are attempted."""
        if self.tasks is not None:
            count = len(official.load(self.tasks))
        else:
            part = fold(self.setting, self.fold, library.task_ids(self.tier))
            count = len(part.test if self.split == "test" else part.validation)
        return count if self.limit is None else min(count, self.limit)

    def make_agent(self) -> Agent:
        """The agent with its settings, and with the seed if it takes one."""
        kind = agents.class_of(self.agent)
        seeded = {"seed": self.seed} if "seed" in agents.settings_of(kind) else {}
        return agents.make(self.agent, **{**seeded, **self.settings})

    def header(self, agent: Agent, task_count: int) -> dict[str, Any]:
        """The header of its log."""
        known = agents.settings_of(type(agent))
        return plain(
            {
                "benchmark": BENCHMARK,
                **asdict(self),
                **self._digests(),
                "settings": {name: getattr(agent, name) for name in known if hasattr(agent, name)},
                "given": self.settings,
                "ranked": getattr(agent, "ranked", None),
                "learns_online": agent.learns_online,
                "is_shown_solutions": agent.is_shown_solutions,
                "task_count": task_count,
                "physics": engine.physics_id(),
                "version": __version__,
            }
        )

    def file_name(self) -> str:
        """The name of its log: readable, and different for different experiments, agents and tasks that changed."""
        unchanging = asdict(replace(self, store=None, device="cpu"))
        identity = {**unchanging, **self._digests(), "physics": engine.physics_id()}
        if identity["agent_sha256"]:
            identity["agent"] = Path(self.agent).name  # the same file elsewhere is the same agent
        if identity["tasks_sha256"]:
            identity["tasks"] = None
        return log_name(identity, BENCHMARK, agent_word(self.agent), self.setting, self.fold)

    def _digests(self) -> dict[str, str | None]:
        """Of what a user may change under the same name: an agent's file, and tasks."""
        own = agents.SHELF.own_file(self.agent)
        tasks = None if self.tasks is None else digest_of_tasks(official.load(self.tasks).values())
        return {"agent_sha256": sha256(own.read_bytes()).hexdigest() if own else None, "tasks_sha256": tasks}


def agent_label(name: str) -> str:
    """What an agent is called: a name of ours, or the class of somebody's file."""
    return agents.SHELF.label(name)


def from_header(header: dict[str, Any]) -> Experiment:
    """The experiment of a log."""
    return experiments.from_header(Experiment, header, BENCHMARK, "PHYRE")


def run(experiment: Experiment, folder: str | Path, advance: Told = lambda _, __: None, *, threads: int = 0) -> Log:
    """Runs an experiment, or goes on with it; `threads` as of a `Simulator`."""
    path = Path(folder) / experiment.file_name()
    return _go_on(experiment, path, advance, threads)


def resume(path: str | Path, advance: Told = lambda _, __: None, *, threads: int = 0) -> Log:
    """Goes on with a run that ended early; refuses where what it hangs on has changed since."""
    log = run_log.read(path)
    if log.finished:
        return log
    check_physics(log)
    experiment = from_header(log.header)
    for name, digest in experiment._digests().items():
        if log.header.get(name) != digest:
            what = experiment.agent if name == "agent_sha256" else experiment.tasks
            raise ExperimentError(f"{path}: {what} has changed since this run began; begin a new run")
    return _go_on(experiment, log.path, advance, threads)


def _go_on(experiment: Experiment, path: Path, advance: Told, threads: int) -> Log:
    return experiments.go_on(
        path,
        lambda: experiment.header(experiment.make_agent(), len(chosen_tasks(experiment)[1])),
        lambda log: _evaluate(experiment, log, advance, threads),
        advance,
    )


def _evaluate(experiment: Experiment, log: Log, advance: Told, threads: int) -> None:
    agent = experiment.make_agent()
    learn_from, attempted = chosen_tasks(experiment)
    done = 0

    def count(finished: int) -> None:
        nonlocal done
        done += finished
        advance(done, len(attempted))

    count(0)
    simulator = _simulator(experiment, learn_from, threads)
    with asked(agent, "training"):
        agent.train(learn_from, simulator)
    tested = _simulator(experiment, attempted, threads)
    if agent.is_shown_solutions:
        with asked(agent, "looking at solutions"):
            agent.show_solutions(tested)
    attempt_tasks(agent, attempted, tested, log, experiment.attempts, count)


def chosen_tasks(experiment: Experiment) -> tuple[list[Task], list[Task]]:
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
def _stored(tier: str, path: str | None, device: str, threads: int) -> StoredSimulator | None:
    """A simulator of all published tasks of a tier that knows a store, or what the package brings along."""
    if path is not None:
        return StoredSimulator(published(tier).values(), tier, store.open_store(path), device, threads)
    try:
        return StoredSimulator(published(tier).values(), tier, shipped.sweep_store(tier), device, threads)
    except store.StoreError:  # of other physics: then there is none
        return None


def _simulator(experiment: Experiment, tasks: Sequence[Task], threads: int) -> Simulator:
    """A simulator of these tasks and no others, with the store where there is one and it is of them."""
    known = published(experiment.tier)
    if experiment.store != NO_STORE and all(known.get(task.id) is task for task in tasks):
        stored = _stored(experiment.tier, experiment.store, experiment.device, threads)
        if stored is not None:
            return stored.only(tasks)
    return Simulator(tasks, experiment.tier, experiment.device, threads)


def check_physics(log: Log) -> None:
    """Refuses a log of other physics."""
    experiments.check_physics(log, engine.physics_id())
