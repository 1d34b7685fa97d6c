"""Fixed angles: how many tasks one angle wins that every bird repeats, whatever the level looks like.

If one angle wins most tasks of a template, they can be won without its rule. Therefore tasks are accepted in blocks,
and in a block no angle may win more than a share of the tasks, its cap.
"""

from collections.abc import Sequence

import numpy as np

from tumble.phyq.simulation.shots import table_of
from tumble.phyq.simulation.simulator import Simulator
from tumble.phyq.tasks.template import Template
from tumble.phyq.tasks.trajectory import DISCRETE_ANGLES

BLOCK = 20
"""Tasks of a block: 0 to 19, 20 to 39, …; 80 to 99 are the test tasks of the local setting."""
FIXED_ANGLE_CAP = 0.25
HIGHEST_CAP = 0.45
DRAWS_PER_WIN = 30
UNCAPPED_SCENARIOS = (1, 2, 14)
"""Scenarios whose rule is a shot straight at the pig, or the time of a shot."""


def fixed_angle_wins(simulator: Simulator, angles: Sequence[float] = DISCRETE_ANGLES) -> np.ndarray:
    """bool [levels, angles]: whether each angle wins a level if every bird repeats it, without taps."""
    birds = np.array([len(world.level.birds) for world in simulator.worlds], int)
    if not len(birds) or not len(angles):
        return np.zeros((len(birds), len(angles)), bool)
    of = np.repeat(np.arange(len(birds)), len(angles))
    repeated = np.tile(np.array(angles), len(birds))[:, None].repeat(birds.max(), axis=1)
    won = simulator.play(of, table_of(repeated, counts=birds[of])).won
    return won.reshape(len(birds), len(angles))


def most_wins(design: Template, draw: int = 0) -> int | None:
    """The most tasks of a block that an angle may win when a draw is accepted; None if the template has no cap.

    It grows by one task with every DRAWS_PER_WIN draws of a task, so that a block can be completed.
    """
    cap = design.fixed_angle_cap
    if cap is None:
        if design.scenario in UNCAPPED_SCENARIOS:
            return None
        cap = FIXED_ANGLE_CAP
    first = int(cap * BLOCK + 1e-9)
    return max(first, min(first + draw // DRAWS_PER_WIN, int(HIGHEST_CAP * BLOCK)))
