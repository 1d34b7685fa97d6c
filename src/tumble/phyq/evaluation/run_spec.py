"""Phy-Q's run specification: an agent, the tasks that it attempts, and those that it trains on."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from tumble.phyq.agents import REGISTRY, Agent
from tumble.phyq.agents.agent import External, is_external
from tumble.phyq.catalogue import tasks
from tumble.phyq.catalogue.level import Level
from tumble.phyq.catalogue.level_files import level_tasks, to_level_file
from tumble.phyq.catalogue.level_json import to_json
from tumble.phyq.catalogue.tasks import SETTINGS, Split, Task, broad, first_training_tasks, splits_of
from tumble.phyq.catalogue.templates import SCENARIOS
from tumble.phyq.simulation.attempt import WANTS
from tumble.phyq.simulation.simulator import physics_id
from tumble.runs.header import agent_label
from tumble.runs.participant import AgentError, ColumnType, settings_of
from tumble.runs.spec import RunSpec, RunSpecError, task_file_name, task_file_of

LEVEL_FILE, TASKS_DIGEST = "levels", "tasks_sha256"
ATTEMPTS = 5
"""At each task; as published for rule-based agents. The published random agent had 50."""


def digest_of_levels(levels: Iterable[Level]) -> str:
    """SHA-256 of levels in their order."""
    return sha256("\n".join(map(to_json, levels)).encode()).hexdigest()


@dataclass(frozen=True)
class PhyQRunSpec(RunSpec):
    """An agent attempts test tasks in parts; for each part it trains on other tasks."""

    benchmark = "phyq"
    registry = REGISTRY
    no_effect = {"device": "cpu"}  # noqa: RUF012 (constant)

    setting: str = "broad"
    """One of SETTINGS."""
    only: tuple[str, ...] = ()
    """Scenarios, templates or tasks by id ("3", "6.4", "6.4:017"); broad and local select test tasks only. For levels:
    folders and level files."""
    attempts: int = ATTEMPTS
    device: str = "cpu"
    """Where the physics runs; it never changes a result."""
    train_on: str = field(default="", kw_only=True)
    """A scenario: for all test tasks the agent trains on this one's training templates; empty: as the setting says."""
    train_templates: int | None = field(default=None, kw_only=True)
    """It trains on the first training templates of each scenario, this many; None: on all."""
    train_tasks: int | None = field(default=None, kw_only=True)
    """It trains on the first training tasks of each template, this many; None: on all."""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "only", tuple(self.only))
        if self.setting not in SETTINGS:
            raise RunSpecError(f"no setting {self.setting!r}; there are {', '.join(SETTINGS)}")
        if self.setting == "tasks" and not self.only:
            raise RunSpecError("select scenarios, templates or tasks to attempt, as in 3, 6.4 or 6.4:017")
        if self.setting == "levels" and not self.only:
            raise RunSpecError("name folders of levels or level files to attempt, as in levels/ or mine.json")
        if self.trains_differently and self.setting not in ("broad", "local"):
            raise RunSpecError(f"agents do not train for the setting {self.setting}, only for broad and local")
        if self.train_on and (not self.train_on.isdigit() or int(self.train_on) not in SCENARIOS):
            raise RunSpecError(f"train_on must be a scenario from 1 to {len(SCENARIOS)}, not {self.train_on!r}")
        for name in ("train_templates", "train_tasks"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise RunSpecError(f"{name} must be 1 or more, not {value}")

    def own_columns(self) -> Mapping[str, ColumnType]:
        """The numbers of all shots, the simulated steps, and for levels the game's score."""
        columns: dict[str, ColumnType] = {"action": "numbers", "steps": "whole"}
        return {**columns, "score": "whole?"} if self.setting == "levels" else columns

    @property
    def trains_differently(self) -> bool:
        """Whether the agent trains on other or fewer tasks than the setting says."""
        return bool(self.train_on) or self.train_templates is not None or self.train_tasks is not None

    def name_parts(self) -> Sequence[object]:
        trained = {"on": self.train_on, "templates": self.train_templates, "tasks": self.train_tasks}
        return (self.setting, *(f"train_{name}_{value}" for name, value in trained.items() if value))

    @classmethod
    def physics_id(cls) -> str:
        return physics_id()

    def parts(self) -> list[Split]:
        """The tasks to train on and to attempt, in parts: by scenario (broad) or template (local)."""
        if self.setting == "levels":
            return [Split([], list(self._levels)[: self.limit])]
        parts = splits_of(self.setting, self.only, self.limit)
        if self.train_on:
            parts = [Split(broad(int(self.train_on)).train, [task_id for part in parts for task_id in part.test])]
        return [
            Split(first_training_tasks(part.train, self.train_templates, self.train_tasks), part.test) for part in parts
        ]

    def task_ids(self) -> list[str]:
        return [task_id for part in self.parts() for task_id in part.test]

    def task(self, task_id: str) -> Task:
        """A task of the run by its id."""
        return self._levels[task_id] if self.setting == "levels" else tasks.cached_task(task_id)

    @cached_property
    def _levels(self) -> dict[str, Task]:
        """By id: the levels of all folders and files, as they are when they are first needed."""
        places = self.located().get("only", self.only)
        tasks = [task for place in places for task in level_tasks(Path(place))]
        by_id = {task.id: task for task in tasks}
        if len(by_id) < len(tasks):
            ids = [task.id for task in tasks]
            twice = next(task_id for task_id in ids if ids.count(task_id) > 1)
            raise RunSpecError(f"two levels are named {twice}; rename a folder or a file")
        return by_id

    def task_file(self) -> tuple[str, str] | None:
        if self.setting != "levels":
            return None
        name = task_file_name(LEVEL_FILE, str(self.task_digests()[TASKS_DIGEST]))
        return name, to_level_file({task_id: self.task(task_id).level for task_id in self.task_ids()})

    def located(self) -> dict[str, Any]:
        if self.source is None or self.setting != "levels":
            return {}
        return {"only": (str(task_file_of(self.source, LEVEL_FILE, TASKS_DIGEST)),)}

    def identity(self) -> dict[str, Any]:
        identity = super().identity()
        if self.setting == "levels":  # the same levels in another place are the same tasks
            identity["only"] = [Path(place).resolve().name for place in self.only]
        return identity

    def places(self) -> tuple[str, ...]:
        return ("only",) if self.setting == "levels" else ()

    def task_digests(self) -> dict[str, str | None]:
        return {TASKS_DIGEST: digest_of_levels(self.task(task_id).level for task_id in self.task_ids())}

    @property
    def file_part(self) -> str:
        return f"external-{agent_label(self.agent)}" if is_external(self.agent) else super().file_part

    def make_agent(self) -> Any:
        if is_external(self.agent):
            return External()
        self.check_harmless()
        kind = self.registry.class_of(self.agent)
        unknown = next((name for name in kind.wants if name not in WANTS), None)
        if unknown is not None:
            raise AgentError(f"agent {self.agent} wants {unknown!r}; there are {', '.join(WANTS)}")
        if self.train_on and "train_on" in settings_of(kind):  # it has a network for each scenario
            return RunSpec.make_agent(replace(self, settings={**self.settings, "train_on": self.train_on}))
        agent = super().make_agent()
        if self.trains_differently and type(agent).train is Agent.train:
            raise RunSpecError(f"agent {self.agent} does not train: what to train on has no effect")
        return agent
