"""The published PHYRE tasks as worlds of the engine, and rollouts of Box2D itself.

The data, and the program that runs Box2D, are in ../shared or in the folder TUMBLE_SHARED, not part of the project.
"""

import importlib.util
import json
import lzma
import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from tumble import engine, phyre
from tumble.phyre.simulation.actions import placed_balls, sample_valid
from tumble.phyre.simulation.attempt import build_ball_worlds, goal_rule

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("TUMBLE_SHARED") or ROOT.parent / "shared")
TASKS = "official_tasks.json.xz"

Case = tuple[str, Sequence[float]]
"""A task's id, and an action."""


def _found(path: Path) -> Path:
    if not path.exists():
        raise SystemExit(f"{path} is missing: set TUMBLE_SHARED to the folder that holds {path.relative_to(SHARED)}")
    return path


def load(name: str) -> Any:
    """The content of a file of the published data."""
    with lzma.open(_found(SHARED / "phyre" / name), "rt") as stream:
        return json.load(stream)


class Published:
    """The published tasks; they are read when they are first asked for."""

    @cached_property
    def raw(self) -> dict[str, Any]:
        """As in the file."""
        tasks: dict[str, Any] = load(TASKS)
        return tasks

    @cached_property
    def tasks(self) -> dict[str, phyre.Task]:
        """As PHYRE tasks."""
        return phyre.official.load(SHARED / "phyre" / TASKS)

    def worlds(self, cases: Sequence[Case]) -> tuple[engine.Worlds, engine.Rule]:
        """The worlds of cases, of either tier, and the rule that decides them."""
        ids = sorted({task_id for task_id, _ in cases})
        index = {task_id: k for k, task_id in enumerate(ids)}
        chosen = [self.tasks[task_id] for task_id in ids]
        task_of = np.array([index[task_id] for task_id, _ in cases])
        width = max(len(action) for _, action in cases) // 3
        balls = np.zeros((len(cases), width, 3))
        for numbers in {len(action) for _, action in cases}:
            rows = [k for k, (_, action) in enumerate(cases) if len(action) == numbers]
            balls[rows, : numbers // 3] = placed_balls(np.array([cases[k][1] for k in rows]))
        return build_ball_worlds(tuple(task.scene for task in chosen), task_of, balls), goal_rule(chosen, task_of)

    def random_valid(self, task_id: str, count: int, rng: np.random.Generator) -> np.ndarray:
        """Random valid actions of a task."""
        task = self.tasks[task_id]
        return sample_valid(task.scene, phyre.TIERS[task.tier], count, rng)


def cases_of(data: Published, tier: str, per_task: int) -> list[Case]:
    """Random valid actions on one task of each template of a tier."""
    rng = np.random.default_rng(1)
    return [
        (task_id, action) for task_id in one_of_each(data, tier) for action in data.random_valid(task_id, per_task, rng)
    ]


def one_of_each(data: Published, tier: str) -> list[str]:
    """The ids of one task of each template of a tier."""
    templates: dict[str, list[str]] = {}
    for task_id in sorted(data.tasks):
        if data.tasks[task_id].tier == tier:
            templates.setdefault(task_id[:5], []).append(task_id)
    return [ids[len(ids) // 2] for ids in templates.values()]


def box2d_rollouts(tasks: dict[str, Any], cases: Sequence[Case]) -> tuple[np.ndarray, float]:
    """Box2D's verdicts on cases (1 solved, 0 invalid, -1 not solved), and the seconds of the rollouts."""
    spec = importlib.util.spec_from_file_location("reference", _found(SHARED / "box2d_reference" / "reference.py"))
    assert spec is not None
    assert spec.loader is not None
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    verdicts, _, timing = program.rollout(tasks, [(task_id, list(action)) for task_id, action in cases])
    return np.array(verdicts), float(timing["seconds"])
