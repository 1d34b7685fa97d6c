"""PHYRE: place balls in a 2D world so that two bodies come to touch.

from tumble import phyre
simulator = phyre.Simulator([phyre.task("00013:042")], tier="B")
simulator.sweep(phyre.actions.fixed_set(phyre.TIERS["B"], 1000))  # int8 [task, action]: status of each attempt
"""

from typing import TYPE_CHECKING

from tumble.lazy import lazy_exports
from tumble.phyre.envs import registration

if TYPE_CHECKING:
    from tumble.phyre.catalogue import task_files as official
    from tumble.phyre.catalogue.task import TIERS, Task, Tier
    from tumble.phyre.catalogue.tasks_by_id import SETTINGS, Fold, fold, task, task_ids
    from tumble.phyre.evaluation.metrics import auccess, success_at, success_curve, wilcoxon_p
    from tumble.phyre.generation.explain import Explanation, explain
    from tumble.phyre.observation import view as observe
    from tumble.phyre.simulation import actions, status
    from tumble.phyre.simulation.attempt import Attempt
    from tumble.phyre.simulation.branches import Branches
    from tumble.phyre.simulation.interventions import Add, Change, Move, Push, Remove, SetVelocity
    from tumble.phyre.simulation.moment import Moment
    from tumble.phyre.simulation.session import Session
    from tumble.phyre.simulation.simulator import Simulator
    from tumble.phyre.simulation.user_input import UserInput

__all__ = [
    "SETTINGS",
    "TIERS",
    "Add",
    "Attempt",
    "Branches",
    "Change",
    "Explanation",
    "Fold",
    "Moment",
    "Move",
    "Push",
    "Remove",
    "Session",
    "SetVelocity",
    "Simulator",
    "Task",
    "Tier",
    "UserInput",
    "actions",
    "auccess",
    "explain",
    "fold",
    "observe",
    "official",
    "status",
    "success_at",
    "success_curve",
    "task",
    "task_ids",
    "tasks",
    "wilcoxon_p",
]


def tasks(tier: str | None = None) -> "dict[str, Task]":
    """The published tasks of a tier, or of both, by id."""
    from tumble.phyre.catalogue.tasks_by_id import tasks as published

    return published(tier)


__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "SETTINGS": "catalogue.tasks_by_id:SETTINGS",
        "TIERS": "catalogue.task:TIERS",
        "Add": "simulation.interventions:Add",
        "Attempt": "simulation.attempt:Attempt",
        "Branches": "simulation.branches:Branches",
        "Change": "simulation.interventions:Change",
        "Explanation": "generation.explain:Explanation",
        "Fold": "catalogue.tasks_by_id:Fold",
        "Moment": "simulation.moment:Moment",
        "Move": "simulation.interventions:Move",
        "Push": "simulation.interventions:Push",
        "Remove": "simulation.interventions:Remove",
        "Session": "simulation.session:Session",
        "SetVelocity": "simulation.interventions:SetVelocity",
        "Simulator": "simulation.simulator:Simulator",
        "Task": "catalogue.task:Task",
        "Tier": "catalogue.task:Tier",
        "UserInput": "simulation.user_input:UserInput",
        "actions": "simulation.actions",
        "auccess": "evaluation.metrics:auccess",
        "explain": "generation.explain:explain",
        "fold": "catalogue.tasks_by_id:fold",
        "observe": "observation.view",
        "official": "catalogue.task_files",
        "status": "simulation.status",
        "success_at": "evaluation.metrics:success_at",
        "success_curve": "evaluation.metrics:success_curve",
        "task": "catalogue.tasks_by_id:task",
        "task_ids": "catalogue.tasks_by_id:task_ids",
        "wilcoxon_p": "evaluation.metrics:wilcoxon_p",
    },
)

registration.register()
