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
    from tumble.phyq.agents.agent import Agent
    from tumble.phyq.catalogue import level_json, science_birds_xml, trajectory
    from tumble.phyq.catalogue import rule as rules
    from tumble.phyq.catalogue.level import Block, Level, LevelError, Pig, Platform, Tnt
    from tumble.phyq.catalogue.tasks import Split, Task, broad, local, task, task_ids
    from tumble.phyq.catalogue.templates import SCENARIOS, template, templates
    from tumble.phyq.evaluation.metrics import by_scenario, by_template, pass_rates, phy_q
    from tumble.phyq.generation.explain import explain
    from tumble.phyq.generation.generate import MadeTask, make_tasks
    from tumble.phyq.generation.level_set import make_levels
    from tumble.phyq.generation.solutions import solution
    from tumble.phyq.observation import animation
    from tumble.phyq.simulation import episode_views as observe
    from tumble.phyq.simulation.episodes import Episodes
    from tumble.phyq.simulation.shots import Shot, ShotError, shot_from, table_of
    from tumble.phyq.simulation.simulator import Simulator, physics_id, play
    from tumble.phyq.simulation.world import wrong_materials

__all__ = [
    "SCENARIOS",
    "Agent",
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
    "animation",
    "broad",
    "by_scenario",
    "by_template",
    "explain",
    "level_json",
    "local",
    "make_levels",
    "make_tasks",
    "observe",
    "pass_rates",
    "phy_q",
    "physics_id",
    "play",
    "rules",
    "science_birds_xml",
    "shot_from",
    "solution",
    "table_of",
    "task",
    "task_ids",
    "template",
    "templates",
    "trajectory",
    "wrong_materials",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "SCENARIOS": "catalogue.templates:SCENARIOS",
        "Agent": "agents.agent:Agent",
        "Block": "catalogue.level:Block",
        "Episodes": "simulation.episodes:Episodes",
        "Level": "catalogue.level:Level",
        "LevelError": "catalogue.level:LevelError",
        "MadeTask": "generation.generate:MadeTask",
        "Pig": "catalogue.level:Pig",
        "Platform": "catalogue.level:Platform",
        "Shot": "simulation.shots:Shot",
        "ShotError": "simulation.shots:ShotError",
        "Simulator": "simulation.simulator:Simulator",
        "Split": "catalogue.tasks:Split",
        "Task": "catalogue.tasks:Task",
        "Tnt": "catalogue.level:Tnt",
        "animation": "observation.animation",
        "broad": "catalogue.tasks:broad",
        "by_scenario": "evaluation.metrics:by_scenario",
        "by_template": "evaluation.metrics:by_template",
        "explain": "generation.explain:explain",
        "level_json": "catalogue.level_json",
        "local": "catalogue.tasks:local",
        "make_levels": "generation.level_set:make_levels",
        "make_tasks": "generation.generate:make_tasks",
        "observe": "simulation.episode_views",
        "pass_rates": "evaluation.metrics:pass_rates",
        "phy_q": "evaluation.metrics:phy_q",
        "physics_id": "simulation.simulator:physics_id",
        "play": "simulation.simulator:play",
        "rules": "catalogue.rule",
        "science_birds_xml": "catalogue.science_birds_xml",
        "shot_from": "simulation.shots:shot_from",
        "solution": "generation.solutions:solution",
        "table_of": "simulation.shots:table_of",
        "task": "catalogue.tasks:task",
        "task_ids": "catalogue.tasks:task_ids",
        "template": "catalogue.templates:template",
        "templates": "catalogue.templates:templates",
        "trajectory": "catalogue.trajectory",
        "wrong_materials": "simulation.world:wrong_materials",
    },
)

registration.register()
