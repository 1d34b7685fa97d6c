"""PHYRE: place balls in a 2D world so that two bodies come to touch.

from tumble import phyre
simulator = phyre.Simulator([phyre.task("00013:042")], tier="B")
simulator.sweep(phyre.actions.fixed_set(phyre.TIERS["B"], 1000))  # int8 [task, action]: status of each attempt
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tumble.lazy import lazy_exports
from tumble.phyre.envs import registration

if TYPE_CHECKING:
    from tumble.phyre.agents.agent import Agent
    from tumble.phyre.agents.recipes import shipped_dqn
    from tumble.phyre.catalogue import task_files as official
    from tumble.phyre.catalogue import template
    from tumble.phyre.catalogue.task import MATERIAL, TIERS, UNITS_PER_METRE, Task, Tier
    from tumble.phyre.catalogue.tasks_by_id import SETTINGS, Fold, fold, solution, task, task_ids
    from tumble.phyre.catalogue.template import WALLS
    from tumble.phyre.evaluation.metrics import auccess, success_at, success_curve, wilcoxon_p
    from tumble.phyre.evaluation.result import PhyreResult
    from tumble.phyre.generation.explain import Explanation, explain
    from tumble.phyre.observation import view as observe
    from tumble.phyre.simulation import actions, status
    from tumble.phyre.simulation.attempt import Attempt
    from tumble.phyre.simulation.branches import Branches
    from tumble.phyre.simulation.interventions import Add, Change, Move, Push, Remove, SetVelocity
    from tumble.phyre.simulation.moment import Moment
    from tumble.phyre.simulation.session import Session
    from tumble.phyre.simulation.simulator import Simulator
    from tumble.phyre.simulation.sweep_files import SweepStore, create_store, open_store
    from tumble.phyre.simulation.user_input import UserInput

__all__ = [
    "MATERIAL",
    "SETTINGS",
    "TIERS",
    "UNITS_PER_METRE",
    "WALLS",
    "Add",
    "Agent",
    "Attempt",
    "Branches",
    "Change",
    "Explanation",
    "Fold",
    "Moment",
    "Move",
    "PhyreResult",
    "Push",
    "Remove",
    "Session",
    "SetVelocity",
    "Simulator",
    "SweepStore",
    "Task",
    "Tier",
    "UserInput",
    "actions",
    "auccess",
    "create_store",
    "evaluate",
    "explain",
    "fold",
    "observe",
    "official",
    "open_store",
    "shipped_dqn",
    "solution",
    "status",
    "success_at",
    "success_curve",
    "task",
    "task_ids",
    "tasks",
    "template",
    "wilcoxon_p",
]


def tasks(tier: str | None = None) -> "dict[str, Task]":
    """The published tasks of a tier, or of both, by id."""
    from tumble.phyre.catalogue.tasks_by_id import tasks as published

    return published(tier)


def evaluate(agent: str, setting: str, runs: str | Path = "runs", **fields: Any) -> "PhyreResult":
    """Has an agent, by name or as FILE.py:CLASS, attempt the test tasks of a fold, and writes the run log.

    `fields` are those of a run specification: fold, seed, settings, split, limit, attempts, tasks, device. A run whose
    log is finished is read, one that was stopped is resumed.
    """
    from tumble.phyre.benchmark import PHYRE
    from tumble.phyre.evaluation.result import result_of
    from tumble.phyre.evaluation.run_spec import PhyreRunSpec

    return result_of(PHYRE.run(PhyreRunSpec(agent, setting=setting, **fields), runs))


__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "MATERIAL": "catalogue.task:MATERIAL",
        "SETTINGS": "catalogue.tasks_by_id:SETTINGS",
        "TIERS": "catalogue.task:TIERS",
        "UNITS_PER_METRE": "catalogue.task:UNITS_PER_METRE",
        "WALLS": "catalogue.template:WALLS",
        "Add": "simulation.interventions:Add",
        "Agent": "agents.agent:Agent",
        "Attempt": "simulation.attempt:Attempt",
        "Branches": "simulation.branches:Branches",
        "Change": "simulation.interventions:Change",
        "Explanation": "generation.explain:Explanation",
        "Fold": "catalogue.tasks_by_id:Fold",
        "Moment": "simulation.moment:Moment",
        "Move": "simulation.interventions:Move",
        "PhyreResult": "evaluation.result:PhyreResult",
        "Push": "simulation.interventions:Push",
        "Remove": "simulation.interventions:Remove",
        "Session": "simulation.session:Session",
        "SetVelocity": "simulation.interventions:SetVelocity",
        "Simulator": "simulation.simulator:Simulator",
        "SweepStore": "simulation.sweep_files:SweepStore",
        "Task": "catalogue.task:Task",
        "Tier": "catalogue.task:Tier",
        "UserInput": "simulation.user_input:UserInput",
        "actions": "simulation.actions",
        "auccess": "evaluation.metrics:auccess",
        "create_store": "simulation.sweep_files:create_store",
        "explain": "generation.explain:explain",
        "fold": "catalogue.tasks_by_id:fold",
        "observe": "observation.view",
        "official": "catalogue.task_files",
        "open_store": "simulation.sweep_files:open_store",
        "shipped_dqn": "agents.recipes:shipped_dqn",
        "solution": "catalogue.tasks_by_id:solution",
        "status": "simulation.status",
        "success_at": "evaluation.metrics:success_at",
        "success_curve": "evaluation.metrics:success_curve",
        "task": "catalogue.tasks_by_id:task",
        "task_ids": "catalogue.tasks_by_id:task_ids",
        "template": "catalogue.template",
        "wilcoxon_p": "evaluation.metrics:wilcoxon_p",
    },
)

registration.register()
