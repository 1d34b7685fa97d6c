"""Phy-Q's run specification: an agent, the tasks that it attempts, and those that it trains on."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from tumble.phyq.agents import REGISTRY
from tumble.phyq.simulation.attempt import WANTS
from tumble.phyq.simulation.simulator import physics_id
from tumble.phyq.tasks import catalogue
from tumble.phyq.tasks.files.own_json import to_json
from tumble.phyq.tasks.splits import Split, broad, local
from tumble.phyq.tasks.templates import SCENARIOS, template, templates
from tumble.runs.agent_registry import AgentError
from tumble.runs.run_spec import RunSpec, RunSpecError

SETTINGS = ("broad", "local", "tasks")
"""Test templates of scenarios after training on their other templates (the paper's table 7); test tasks of templates
after training on their other tasks; or selected tasks without training."""
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
    """Scenarios, templates or tasks by id ("3", "6.4", "6.4:017"); broad and local select test tasks only."""
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

    def name_parts(self) -> Sequence[object]:
        return (self.setting,)

    @classmethod
    def physics_id(cls) -> str:
        return physics_id()

    def parts(self) -> list[Split]:
        """The tasks to train on and to attempt, in parts: by scenario (broad) or template (local)."""
        if self.setting == "tasks":
            return [Split([], self._limited(_select_tasks(self.only)))]
        if self.setting == "broad":
            splits = [broad(scenario) for scenario in SCENARIOS]
        else:
            splits = [local(template_id) for template_id in templates()]
        selected = set(_select_tasks(self.only))
        parts = [
            Split(
                split.train, self._limited([task_id for task_id in split.test if not selected or task_id in selected])
            )
            for split in splits
        ]
        if not any(part.test for part in parts):
            raise RunSpecError(f"none of {', '.join(self.only)} is a test task of the {self.setting} setting")
        return [part for part in parts if part.test]

    def _limited(self, task_ids: Sequence[str]) -> list[str]:
        """The first `limit` tasks of each template."""
        count: Counter[str] = Counter()
        kept = []
        for task_id in task_ids:
            key = task_id.partition(":")[0]
            count[key] += 1
            if self.limit is None or count[key] <= self.limit:
                kept.append(task_id)
        return kept

    def task_ids(self) -> list[str]:
        return [task_id for part in self.parts() for task_id in part.test]

    def task_digests(self) -> dict[str, str | None]:
        levels = "\n".join(to_json(catalogue.cached_task(task_id).level) for task_id in self.task_ids())
        return {"tasks_sha256": sha256(levels.encode()).hexdigest()}

    def make_agent(self) -> Any:
        kind = self.registry.class_of(self.agent)
        unknown = next((name for name in kind.wants if name not in WANTS), None)
        if unknown is not None:
            raise AgentError(f"agent {self.agent} wants {unknown!r}; there are {', '.join(WANTS)}")
        return super().make_agent()

    def details(self, agent: Any) -> dict[str, Any]:
        return {"learns_online": agent.learns_online}


def _select_tasks(names: Sequence[str]) -> list[str]:
    """The ids of the tasks of scenarios and templates, and of single tasks."""
    ids: list[str] = []
    for name in names:
        if ":" in name:
            ids.append(catalogue.task(name).id)
        elif "." in name:
            ids += catalogue.task_ids(template_id=template(name).id)
        elif name.isdigit():
            ids += catalogue.task_ids(scenario=int(name))
        else:
            raise RunSpecError(f"{name!r} is not a scenario, template or task, as in 3, 6.4 or 6.4:017")
    return list(dict.fromkeys(ids))
