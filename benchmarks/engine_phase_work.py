"""The work that `engine_phases.py` measures: PHYRE worlds as in `speed.py`, Phy-Q shots as in `phyq_speed.py`."""

from dataclasses import dataclass
from functools import cache
from typing import Any
from unittest.mock import patch

import numpy as np
from published import Published, one_of_each

from tumble import engine
from tumble.engine.host import shared_past
from tumble.phyq.simulation.episodes import Episodes
from tumble.phyq.simulation.shots import table_of
from tumble.phyq.simulation.simulator import Simulator
from tumble.phyq.tasks.templates import templates
from tumble.phyre.simulation.actions import placed_balls
from tumble.phyre.simulation.ball_worlds import build_worlds
from tumble.phyre.simulation.goal_rule import goal_rule


@dataclass(frozen=True)
class Work:
    """Worlds and the rule that decides them."""

    worlds: engine.Worlds
    rule: engine.Rule

    def __len__(self) -> int:
        return len(self.worlds)

    def roll_out(self, device: str, fewest: int = shared_past.GPU_FEWEST_VARIANTS, **options: Any) -> engine.Rollouts:
        """Rolls all out; scenes with at least `fewest` variants share their past on a GPU."""
        with patch.object(shared_past, "GPU_FEWEST_VARIANTS", fewest):
            return engine.rollout(self.worlds, self.rule, engine.Options(device=device, **options))


def phyre_work(data: Published, tier: str, per_task: int) -> Work:
    """Random valid actions on one task of each template: those of `published.cases_of`."""
    rng = np.random.default_rng(1)
    ids = one_of_each(data, tier)
    actions = [data.random_valid(task_id, per_task, rng) for task_id in ids]
    of = np.repeat(np.arange(len(ids)), [len(some) for some in actions])
    tasks = [data.tasks[task_id] for task_id in ids]
    balls = placed_balls(np.concatenate(actions))
    return Work(build_worlds(tuple(task.scene for task in tasks), of, balls), goal_rule(tasks, of))


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
