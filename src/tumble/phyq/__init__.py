"""Phy-Q: shoot birds so that all pigs die, in 15 physical scenarios.

>>> from tumble import phyq
>>> task = phyq.task("6.4:003")
>>> episodes = phyq.play(task.level, [[phyq.Shot(angle)] for angle in range(20, 70)])
>>> episodes.won.shape, episodes.pigs_left.shape
((50,), (50,))
"""

from typing import TYPE_CHECKING

from tumble.lazy import lazy_exports
from tumble.phyq.envs import registration

if TYPE_CHECKING:
    from tumble.phyq.evaluation.metrics import by_scenario, by_template, pass_rates, phy_q
    from tumble.phyq.generation.levels.level_set import make_levels
    from tumble.phyq.generation.make import MadeTask, make_tasks
    from tumble.phyq.simulation import episode_views as observe
    from tumble.phyq.simulation.episodes import Episodes
    from tumble.phyq.simulation.shots import Shot, ShotError, shot_from
    from tumble.phyq.simulation.simulator import Simulator, physics_id, play
    from tumble.phyq.tasks.catalogue import task, task_ids
    from tumble.phyq.tasks.level import Block, Level, LevelError, Pig, Platform, Tnt
    from tumble.phyq.tasks.splits import Split, broad, local
    from tumble.phyq.tasks.task import Task
    from tumble.phyq.tasks.templates import SCENARIOS

__all__ = [
    "SCENARIOS",
    "Block",
    "Episodes",
    "Level",
    "LevelError",
    "MadeTask",
    "Pig",
    "Platform",
    "Shot",
    "ShotError",
    "Simulator",
    "Split",
    "Task",
    "Tnt",
    "broad",
    "by_scenario",
    "by_template",
    "local",
    "make_levels",
    "make_tasks",
    "observe",
    "pass_rates",
    "phy_q",
    "physics_id",
    "play",
    "shot_from",
    "task",
    "task_ids",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "SCENARIOS": "tasks.templates:SCENARIOS",
        "Block": "tasks.level:Block",
        "Episodes": "simulation.episodes:Episodes",
        "Level": "tasks.level:Level",
        "LevelError": "tasks.level:LevelError",
        "MadeTask": "generation.make:MadeTask",
        "Pig": "tasks.level:Pig",
        "Platform": "tasks.level:Platform",
        "Shot": "simulation.shots:Shot",
        "ShotError": "simulation.shots:ShotError",
        "Simulator": "simulation.simulator:Simulator",
        "Split": "tasks.splits:Split",
        "Task": "tasks.task:Task",
        "Tnt": "tasks.level:Tnt",
        "broad": "tasks.splits:broad",
        "by_scenario": "evaluation.metrics:by_scenario",
        "by_template": "evaluation.metrics:by_template",
        "local": "tasks.splits:local",
        "make_levels": "generation.levels.level_set:make_levels",
        "make_tasks": "generation.make:make_tasks",
        "observe": "simulation.episode_views",
        "pass_rates": "evaluation.metrics:pass_rates",
        "phy_q": "evaluation.metrics:phy_q",
        "physics_id": "simulation.simulator:physics_id",
        "play": "simulation.simulator:play",
        "shot_from": "simulation.shots:shot_from",
        "task": "tasks.catalogue:task",
        "task_ids": "tasks.catalogue:task_ids",
    },
)

registration.register()
