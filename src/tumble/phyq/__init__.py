"""Phy-Q: shoot birds so that all pigs die, in 15 physical scenarios.

from tumble import phyq
task = phyq.task("6.4:003")
episodes = phyq.play(task.level, [[phyq.Shot(angle)] for angle in range(20, 70)])
episodes.won, episodes.pigs_left
"""

from tumble.phyq import observe, registration
from tumble.phyq.episodes import Episodes
from tumble.phyq.level import Block, Level, LevelError, Pig, Platform, Tnt
from tumble.phyq.metrics import by_scenario, by_template, pass_rates, phy_q
from tumble.phyq.shots import Shot, ShotError, shot_from
from tumble.phyq.simulate import Simulator, physics_id, play
from tumble.phyq.splits import Split, broad, local
from tumble.phyq.tasks import Task, task, task_ids
from tumble.phyq.templates import SCENARIOS

__all__ = [
    "SCENARIOS",
    "Block",
    "Episodes",
    "Level",
    "LevelError",
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
    "observe",
    "pass_rates",
    "phy_q",
    "physics_id",
    "play",
    "shot_from",
    "task",
    "task_ids",
]

registration.register()
