"""Experiments: which agent attempts which tasks, how often, with what to learn from; and their run logs."""

from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from tumble import __version__, engine
from tumble.phyre import agents
from tumble.phyre.agents.agent import Agent
from tumble.phyre.tasks import catalogue
from tumble.phyre.tasks.catalogue import published_tasks
from tumble.phyre.tasks.digest import digest_of_tasks
from tumble.phyre.tasks.files import formats
from tumble.phyre.tasks.splits import FOLDS, SETTINGS, fold
from tumble.phyre.tasks.task import MAX_ATTEMPTS, Task
from tumble.runs import run_spec
from tumble.runs.log import Log
from tumble.runs.run_spec import ExperimentError, agent_word, log_name, plain, with_tuples

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
    attempts: int = MAX_ATTEMPTS
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
            count = len(formats.load(self.tasks))
        else:
            part = fold(self.setting, self.fold, catalogue.task_ids(self.tier))
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
        own = agents.REGISTRY.own_file(self.agent)
        tasks = None if self.tasks is None else digest_of_tasks(formats.load(self.tasks).values())
        return {"agent_sha256": sha256(own.read_bytes()).hexdigest() if own else None, "tasks_sha256": tasks}


def agent_label(name: str) -> str:
    """What an agent is called: a name of ours, or the class of somebody's file."""
    return agents.REGISTRY.label(name)


def from_header(header: dict[str, Any]) -> Experiment:
    """The experiment of a log."""
    return run_spec.from_header(Experiment, header, BENCHMARK, "PHYRE")


def chosen_tasks(experiment: Experiment) -> tuple[list[Task], list[Task]]:
    """The tasks to train on, and those to attempt."""
    known = published_tasks(experiment.tier)
    part = fold(experiment.setting, experiment.fold, known)
    train = part.train_for_test if experiment.split == "test" else part.train
    attempted = [known[task_id] for task_id in (part.test if experiment.split == "test" else part.validation)]
    if experiment.tasks is not None:
        attempted = list(formats.load(experiment.tasks).values())
        wrong = next((task for task in attempted if task.tier != experiment.tier), None)
        if wrong is not None:
            raise ExperimentError(
                f"{experiment.tasks}: task {wrong.id} is of tier {wrong.tier}, the setting of {experiment.tier}"
            )
    return [known[task_id] for task_id in train], attempted[: experiment.limit]


def check_physics(log: Log) -> None:
    """Refuses a log of other physics."""
    run_spec.check_physics(log, engine.physics_id())
