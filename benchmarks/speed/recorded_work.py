"""The work whose speed is recorded commit by commit (`speed_record.py`): each function prepares it and returns it.

The work must stay the same: a figure whose work changes gets a new name.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from tumble import engine, phyq, phyre
from tumble.comphy.simulation.batch import WorldArrays, simulate_arrays
from tumble.phyre.simulation.actions import placed_balls, sample_valid
from tumble.phyre.simulation.attempt import build_ball_worlds, goal_rule

B_TASKS = ("00000:000", "00004:003", "00007:000", "00013:007", "00016:000", "00021:004")
TWO_BALL_TASKS = ("00100:000", "00105:000", "00112:000", "00119:000")
LEVELS = ("1.1:000", "4.2:000", "8.1:000")
GPU_TIMES = 512
"""How many times the work of a core a GPU gets, so that it is filled and variants share their past."""


@dataclass(frozen=True)
class Work:
    """Something to repeat, and the number of things it does."""

    run: Callable[[], object]
    count: int


def _rollouts(task_ids: tuple[str, ...], per_task: int, device: str, share_past: bool) -> Work:
    tasks = [phyre.task(task_id) for task_id in task_ids]
    tier, rng = phyre.TIERS[tasks[0].tier], np.random.default_rng(3)
    each = per_task * (1 if device == "cpu" else GPU_TIMES)
    balls = placed_balls(np.concatenate([sample_valid(task.scene, tier, each, rng) for task in tasks]))
    of = np.repeat(np.arange(len(tasks)), each)
    worlds, rule = build_ball_worlds(tuple(task.scene for task in tasks), of, balls), goal_rule(tasks, of)
    options = engine.Options(device=device, threads=1, share_past=share_past)
    return Work(lambda: engine.rollout(worlds, rule, options), len(worlds))


def _phyre_b(device: str) -> Work:
    return _rollouts(B_TASKS, 10, device, share_past=True)


def _phyre_b_plain(device: str) -> Work:
    return _rollouts(B_TASKS, 8, device, share_past=False)


def _phyre_2b(device: str) -> Work:
    return _rollouts(TWO_BALL_TASKS, 8, device, share_past=True)


def _phyq(device: str) -> Work:
    simulator = phyq.Simulator(LEVELS, device=device, threads=1)
    shots = 2 * (1 if device == "cpu" else GPU_TIMES)
    level_of = np.repeat(np.arange(len(LEVELS)), shots)
    angles = np.tile(np.linspace(10.0, 60.0, shots), len(LEVELS))
    return Work(lambda: simulator.play(level_of, [[phyq.Shot(float(angle))] for angle in angles]), len(angles))


def _comphy(device: str) -> Work:
    count = 20 * (1 if device == "cpu" else GPU_TIMES)
    rng = np.random.default_rng(4)
    worlds = WorldArrays(
        counts=np.full(count, 4, np.int32),
        shapes=rng.integers(0, 3, (count, 4)).astype(np.int32),
        masses=rng.choice([1.0, 5.0], (count, 4)),
        charges=np.zeros((count, 4)),
        places=np.array([(-1.5, -1.5), (-1.5, 1.5), (1.5, -1.5), (1.5, 1.5)]) + rng.uniform(-0.3, 0.3, (count, 4, 2)),
        yaws=rng.uniform(0.0, 1.5, (count, 4)),
        velocities=rng.uniform(-1.5, 1.5, (count, 4, 2)),
    )
    return Work(lambda: simulate_arrays(worlds, 64, device=device, threads=1), count)


WORK: Mapping[str, Callable[[str], Work]] = {
    "phyre_b": _phyre_b,
    "phyre_b_plain": _phyre_b_plain,
    "phyre_2b": _phyre_2b,
    "phyq": _phyq,
    "comphy": _comphy,
}
"""Rollouts of one ball, with and without a shared past, and of two; shots until rest; worlds of 64 frames."""
