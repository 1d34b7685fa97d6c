"""PHYRE: place balls in a 2D world so that two bodies come to touch.

from tumble import phyre
simulator = phyre.Simulator([phyre.task("00013:042")], tier="B")
simulator.sweep(phyre.actions.fixed_set(phyre.TIERS["B"], 1000))  # int8 [task, action]: status of each attempt
"""

from typing import TYPE_CHECKING

import tumble.phyre.tasks  # the folder is loaded before the function of its name is defined  # noqa: F401
from tumble.lazy import lazy_exports
from tumble.phyre.envs import registration

if TYPE_CHECKING:
    from tumble.phyre.evaluation.metrics import auccess, success_at, success_curve, wilcoxon_p
    from tumble.phyre.generation.explain import Explanation, explain
    from tumble.phyre.observation import view as observe
    from tumble.phyre.simulation import actions, status
    from tumble.phyre.simulation.attempt import Attempt
    from tumble.phyre.simulation.sessions.branches import Branches
    from tumble.phyre.simulation.sessions.interventions import Add, Change, Move, Push, Remove, SetVelocity
    from tumble.phyre.simulation.sessions.moment import Moment
    from tumble.phyre.simulation.sessions.session import Session
    from tumble.phyre.simulation.simulator import Simulator
    from tumble.phyre.simulation.user_input import UserInput
    from tumble.phyre.tasks.catalogue import task, task_ids
    from tumble.phyre.tasks.files import formats as official
    from tumble.phyre.tasks.splits import SETTINGS, Fold, fold
    from tumble.phyre.tasks.task import Task
    from tumble.phyre.tasks.tier import TIERS, Tier

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
    from tumble.phyre.tasks.catalogue import tasks as published

    return published(tier)


__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "SETTINGS": "tasks.splits:SETTINGS",
        "TIERS": "tasks.tier:TIERS",
        "Add": "simulation.sessions.interventions:Add",
        "Attempt": "simulation.attempt:Attempt",
        "Branches": "simulation.sessions.branches:Branches",
        "Change": "simulation.sessions.interventions:Change",
        "Explanation": "generation.explain:Explanation",
        "Fold": "tasks.splits:Fold",
        "Moment": "simulation.sessions.moment:Moment",
        "Move": "simulation.sessions.interventions:Move",
        "Push": "simulation.sessions.interventions:Push",
        "Remove": "simulation.sessions.interventions:Remove",
        "Session": "simulation.sessions.session:Session",
        "SetVelocity": "simulation.sessions.interventions:SetVelocity",
        "Simulator": "simulation.simulator:Simulator",
        "Task": "tasks.task:Task",
        "Tier": "tasks.tier:Tier",
        "UserInput": "simulation.user_input:UserInput",
        "actions": "simulation.actions",
        "auccess": "evaluation.metrics:auccess",
        "explain": "generation.explain:explain",
        "fold": "tasks.splits:fold",
        "observe": "observation.view",
        "official": "tasks.files.formats",
        "status": "simulation.status",
        "success_at": "evaluation.metrics:success_at",
        "success_curve": "evaluation.metrics:success_curve",
        "task": "tasks.catalogue:task",
        "task_ids": "tasks.catalogue:task_ids",
        "wilcoxon_p": "evaluation.metrics:wilcoxon_p",
    },
)

registration.register()
