"""The work that `engine_phases.py` measures: PHYRE worlds as in `speed.py`, Phy-Q shots as in `phyq_speed.py`."""

from dataclasses import dataclass
from functools import cache
from typing import Any
from unittest.mock import patch

import numpy as np
from published import Published, one_of_each

from tumble import engine
from tumble.engine.host import rollout
from tumble.phyq.catalogue.templates import templates
from tumble.phyq.simulation.episodes import Episodes
from tumble.phyq.simulation.shots import table_of
from tumble.phyq.simulation.simulator import Simulator
from tumble.phyre.catalogue.task import TIERS
from tumble.phyre.simulation.actions import placed_balls, valid_among
from tumble.phyre.simulation.attempt import build_ball_worlds, goal_rule
from tumble.phyre.simulation.overlap import Obstacles


@dataclass(frozen=True)
class Work:
    """Worlds and the rule that decides them."""

    worlds: engine.Worlds
    rule: engine.Rule

    def __len__(self) -> int:
        return len(self.worlds)

    def first(self, per_scene: int) -> "Work":
        """The first worlds of each scene; they lie scene by scene, as many of each."""
        each = len(self) // len(self.worlds.scenes)
        rows = np.flatnonzero(np.arange(len(self)) % each < per_scene)
        return Work(self.worlds.take(rows), self.rule.for_worlds(len(self)).take(rows))

    def roll_out(self, device: str, fewest: int = rollout.GPU_FEWEST_WORLDS, **options: Any) -> engine.Rollouts:
        """Rolls all out; worlds share the past of their scene on a GPU if there are at least `fewest` of them."""
        with patch.multiple(rollout, GPU_FEWEST_WORLDS=fewest, GPU_FEWEST_VARIANTS=2):
            return engine.rollout(self.worlds, self.rule, engine.Options(device=device, **options))


def phyre_work(data: Published, tier: str, per_task: int, device: str) -> Work:
    """Random valid actions on one task of each template; the device finds out which are valid."""
    tasks = [data.tasks[task_id] for task_id in one_of_each(data, tier)]
    rng = np.random.default_rng(1)
    actions = [_random_valid(Obstacles([task.scene], device), TIERS[tier].numbers, per_task, rng) for task in tasks]
    of = np.repeat(np.arange(len(tasks)), per_task)
    balls = placed_balls(np.concatenate(actions))
    return Work(build_ball_worlds(tuple(task.scene for task in tasks), of, balls), goal_rule(tasks, of))


def _random_valid(obstacles: Obstacles, numbers: int, count: int, rng: np.random.Generator) -> np.ndarray:
    found = np.zeros((0, numbers))
    while len(found) < count:
        drawn = rng.random((2 * count, numbers))
        found = np.concatenate([found, drawn[valid_among(obstacles, drawn)]])
    return found[:count]


@dataclass(frozen=True)
class Shooting:
    """A simulator of Phy-Q's templates, settled."""

    simulator: Simulator

    def shoot(self, angles: np.ndarray) -> Episodes:
        """Shoots every angle once at every template."""
        count = len(self.simulator.worlds)
        return self.simulator.play(np.repeat(np.arange(count), len(angles)), table_of(np.tile(angles, count)))


@cache
def _levels(count: int) -> tuple[Any, ...]:
    return tuple(design.base for design in list(templates().values())[:count])


def phyq_work(device: str, count: int) -> Shooting:
    """The first templates."""
    result = Shooting(Simulator(_levels(count), device))
    result.simulator.settled_levels()
    return result


def phyq_rule() -> engine.Rule:
    """The rule of Phy-Q's simulator, as it hands it to the engine."""
    found: list[engine.Rule] = []

    class CaughtError(Exception):
        """Ends the simulation once the rule is known."""

    def catch(worlds: Any, rule: engine.Rule, *arguments: Any, **options: Any) -> None:
        found.append(rule)
        raise CaughtError

    with patch.object(engine, "rollout", catch):
        try:
            Simulator(_levels(1)).settled_levels()
        except CaughtError:
            return found[0]
    raise RuntimeError("Phy-Q's simulator called no rollout")
