"""Phy-Q's run specification: an agent, the tasks that it attempts, and those that it trains on."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from tumble.phyq.agents import REGISTRY
from tumble.phyq.agents.external import External, is_external
from tumble.phyq.simulation.attempt import WANTS
from tumble.phyq.simulation.simulator import physics_id
from tumble.phyq.tasks import catalogue
from tumble.phyq.tasks.files.level_folder import level_tasks
from tumble.phyq.tasks.files.own_json import to_json
from tumble.phyq.tasks.selection import SETTINGS, splits_of
from tumble.phyq.tasks.splits import Split
from tumble.phyq.tasks.task import Task
from tumble.runs.agent_registry import AgentError
from tumble.runs.header import agent_label
from tumble.runs.run_spec import RunSpec, RunSpecError

ATTEMPTS = 5
"""At each task; as published for rule-based agents. The published random agent had 50."""


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

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "only", tuple(self.only))
        if self.setting not in SETTINGS:
            raise RunSpecError(f"no setting {self.setting!r}; there are {', '.join(SETTINGS)}")
        if self.setting == "tasks" and not self.only:
            raise RunSpecError("select scenarios, templates or tasks to attempt, as in 3, 6.4 or 6.4:017")
        if self.setting == "levels" and not self.only:
            raise RunSpecError("name folders of levels or level files to attempt, as in levels/ or mine.json")

    def name_parts(self) -> Sequence[object]:
        return (self.setting,)

    @classmethod
    def physics_id(cls) -> str:
        return physics_id()

    def parts(self) -> list[Split]:
        """The tasks to train on and to attempt, in parts: by scenario (broad) or template (local)."""
        if self.setting == "levels":
            return [Split([], list(self._levels)[: self.limit])]
        return splits_of(self.setting, self.only, self.limit)

    def task_ids(self) -> list[str]:
        return [task_id for part in self.parts() for task_id in part.test]

    def task(self, task_id: str) -> Task:
        """A task of the run by its id."""
        return self._levels[task_id] if self.setting == "levels" else catalogue.cached_task(task_id)

    @cached_property
    def _levels(self) -> dict[str, Task]:
        """By id: the levels of all folders and files, as they are when they are first needed."""
        tasks = [task for place in self.only for task in level_tasks(Path(place))]
        by_id = {task.id: task for task in tasks}
        if len(by_id) < len(tasks):
            ids = [task.id for task in tasks]
            twice = next(task_id for task_id in ids if ids.count(task_id) > 1)
            raise RunSpecError(f"two levels are named {twice}; rename a folder or a file")
        return by_id

    def identity(self) -> dict[str, Any]:
        identity = super().identity()
        if self.setting == "levels":  # the same levels in another place are the same tasks
            identity["only"] = [Path(place).resolve().name for place in self.only]
        return identity

    def task_digests(self) -> dict[str, str | None]:
        levels = "\n".join(to_json(self.task(task_id).level) for task_id in self.task_ids())
        return {"tasks_sha256": sha256(levels.encode()).hexdigest()}

    @property
    def file_part(self) -> str:
        return f"external-{agent_label(self.agent)}" if is_external(self.agent) else super().file_part

    def make_agent(self) -> Any:
        if is_external(self.agent):
            return External()
        kind = self.registry.class_of(self.agent)
        unknown = next((name for name in kind.wants if name not in WANTS), None)
        if unknown is not None:
            raise AgentError(f"agent {self.agent} wants {unknown!r}; there are {', '.join(WANTS)}")
        return super().make_agent()

    def details(self, agent: Any) -> dict[str, Any]:
        return {"learns_online": agent.learns_online}
