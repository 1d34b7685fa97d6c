"""Experiments: which agent attempts which tasks, how often, with what to learn from; and their run logs."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from tumble import __version__
from tumble.phyq import agents
from tumble.phyq.agents.agent import Agent
from tumble.phyq.simulation import simulator as simulate
from tumble.phyq.simulation.attempt import WANTS
from tumble.phyq.tasks import catalogue
from tumble.phyq.tasks.catalogue import cached_task
from tumble.phyq.tasks.files.own_json import to_json
from tumble.phyq.tasks.splits import Split, broad, local
from tumble.phyq.tasks.templates import SCENARIOS, template, templates
from tumble.runs import run_spec
from tumble.runs.agent_registry import AgentError, settings_of
from tumble.runs.log import Log
from tumble.runs.run_spec import ExperimentError, agent_word, log_name, plain, with_tuples

BENCHMARK = "phyq"
SETTINGS = ("broad", "local", "tasks")
"""Test templates of scenarios after learning from the others (table 7); test tasks of templates after learning from
their other tasks; or named tasks without anything to learn from."""
ATTEMPTS = 5
"""At each task, as published for agents that follow rules; 50 for random shots."""

__all__ = ["Experiment", "ExperimentError", "cached_task", "check_unchanged", "from_header"]


@dataclass(frozen=True)
class Experiment:
    """What is in the header of a run log."""

    agent: str
    """A name of `agents.AGENTS`, or FILE.py:CLASS."""
    setting: str = "broad"
    """One of SETTINGS."""
    settings: dict[str, Any] = field(default_factory=dict)
    """Of the agent."""
    only: tuple[str, ...] = ()
    """Scenarios, templates or tasks by id ("3", "6.4", "6.4:017"); in broad and local only those of the test tasks."""
    limit: int | None = None
    """Only the first so many tasks of each template."""
    attempts: int = ATTEMPTS
    seed: int = 0
    device: str = "cpu"
    """Where the physics runs; it changes no result."""

    def __post_init__(self) -> None:
        if self.setting not in SETTINGS:
            raise ExperimentError(f"no setting {self.setting!r}; there are {', '.join(SETTINGS)}")
        for name in ("attempts", "limit"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ExperimentError(f"{name} must be 1 or more, not {value}")
        object.__setattr__(self, "only", tuple(self.only))
        if self.setting == "tasks" and not self.only:
            raise ExperimentError("name scenarios, templates or tasks to attempt, as in 3, 6.4 or 6.4:017")
        object.__setattr__(self, "settings", with_tuples(self.settings))

    @property
    def title(self) -> str:
        """What it is called while it runs."""
        given = "".join(f", {name} {value}" for name, value in self.settings.items())
        only = f" {' '.join(self.only)}" if self.only else ""
        return f"{agents.REGISTRY.label(self.agent)}{given}, {self.setting}{only}, seed {self.seed}"

    def parts(self) -> list[Split]:
        """What to learn from and what to attempt, one after the other: by scenario (broad) or template (local)."""
        if self.setting == "tasks":
            return [Split([], self._limited(_named(self.only)))]
        if self.setting == "broad":
            splits = [broad(scenario) for scenario in SCENARIOS]
        else:
            splits = [local(template_id) for template_id in templates()]
        found = [Split(split.train, self._limited(self._chosen(split.test))) for split in splits]
        if not any(split.test for split in found):
            raise ExperimentError(f"none of {', '.join(self.only)} is a test task of the {self.setting} setting")
        return [split for split in found if split.test]

    def _chosen(self, task_ids: Sequence[str]) -> list[str]:
        if not self.only:
            return list(task_ids)
        wanted = set(_named(self.only))
        return [task_id for task_id in task_ids if task_id in wanted]

    def _limited(self, task_ids: Sequence[str]) -> list[str]:
        if self.limit is None:
            return list(task_ids)
        counts: dict[str, int] = {}
        kept = []
        for task_id in task_ids:
            key = task_id.partition(":")[0]
            counts[key] = counts.get(key, 0) + 1
            if counts[key] <= self.limit:
                kept.append(task_id)
        return kept

    def task_ids(self) -> list[str]:
        """All tasks that are attempted."""
        return [task_id for part in self.parts() for task_id in part.test]

    def make_agent(self) -> Agent:
        """The agent with its settings, and with the seed if it takes one."""
        kind = agents.class_of(self.agent)
        unknown = next((name for name in kind.wants if name not in WANTS), None)
        if unknown is not None:
            raise AgentError(f"agent {self.agent} wants {unknown!r}; there are {', '.join(WANTS)}")
        seeded = {"seed": self.seed} if "seed" in settings_of(kind) else {}
        return agents.make(self.agent, **{**seeded, **self.settings})

    def header(self, agent: Agent) -> dict[str, Any]:
        """The header of its log."""
        known = settings_of(type(agent))
        return plain(
            {
                "benchmark": BENCHMARK,
                **asdict(self),
                **self._digests(),
                "settings": {name: getattr(agent, name) for name in known if hasattr(agent, name)},
                "given": self.settings,
                "learns_online": agent.learns_online,
                "task_count": len(self.task_ids()),
                "physics": simulate.physics_id(),
                "version": __version__,
            }
        )

    def file_name(self) -> str:
        """The name of its log: readable, and different for different experiments, agents and tasks that changed."""
        identity = {**asdict(replace(self, device="cpu")), **self._digests(), "physics": simulate.physics_id()}
        if identity["agent_sha256"]:
            identity["agent"] = Path(self.agent).name  # the same file elsewhere is the same agent
        return log_name(identity, BENCHMARK, agent_word(self.agent), self.setting)

    def _digests(self) -> dict[str, str | None]:
        """Of what may change under the same name: an agent's file, and the levels of tasks."""
        own = agents.REGISTRY.own_file(self.agent)
        levels = sha256("\n".join(to_json(cached_task(task_id).level) for task_id in self.task_ids()).encode())
        return {
            "agent_sha256": sha256(own.read_bytes()).hexdigest() if own else None,
            "tasks_sha256": levels.hexdigest(),
        }


def _named(ids: Sequence[str]) -> list[str]:
    """The tasks of scenarios, templates and tasks."""
    found: list[str] = []
    for one in ids:
        if ":" in one:
            found.append(catalogue.task(one).id)
        elif "." in one:
            found += catalogue.task_ids(template_id=template(one).id)
        elif one.isdigit():
            found += catalogue.task_ids(scenario=int(one))
        else:
            raise ExperimentError(f"{one!r} is no scenario, template or task, as in 3, 6.4 or 6.4:017")
    return list(dict.fromkeys(found))


def from_header(header: dict[str, Any]) -> Experiment:
    """The experiment of a log."""
    return run_spec.from_header(Experiment, header, BENCHMARK, "Phy-Q")


def check_unchanged(log: Log) -> None:
    """Refuses a log whose physics, agent's file or tasks are no longer the same."""
    run_spec.check_physics(log, simulate.physics_id())
    for name, digest in from_header(log.header)._digests().items():
        if log.header.get(name) != digest:
            what = log.header["agent"] if name == "agent_sha256" else "a task"
            raise ExperimentError(f"{log.path}: {what} has changed since this run began; begin a new run")
