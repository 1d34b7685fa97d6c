"""PHYRE: place balls in a 2D world so that two bodies come to touch.

So far: tasks from published files, actions, statuses of many actions on many tasks, folds and metrics.

    from tumble import phyre
    tasks = phyre.official.load("official_tasks.json.xz")
    chosen = [task for task in tasks.values() if task.tier == "B"][:100]
    status = phyre.Simulator(chosen, tier="B").sweep(phyre.actions.fixed_set(phyre.TIERS["B"], 1000))
"""

from tumble.phyre import actions, observe, official, registration, status
from tumble.phyre.actions import TIERS, Tier
from tumble.phyre.attempt import Attempt
from tumble.phyre.library import task, task_ids, tasks
from tumble.phyre.metrics import auccess, success_at, success_curve, wilcoxon_p
from tumble.phyre.simulate import Simulator
from tumble.phyre.splits import SETTINGS, Fold, fold
from tumble.phyre.tasks import Task

__all__ = [
    "SETTINGS",
    "TIERS",
    "Attempt",
    "Fold",
    "Simulator",
    "Task",
    "Tier",
    "actions",
    "auccess",
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

registration.register()
