"""Rollouts of Box2D itself, by the reference program in the folder of published data."""

import importlib.util
from collections.abc import Sequence
from typing import Any

import numpy as np
from published import SHARED, Case


def _program() -> Any:
    path = SHARED / "box2d_reference" / "reference.py"
    spec = importlib.util.spec_from_file_location("reference", path)
    if not path.exists() or spec is None or spec.loader is None:
        raise SystemExit(f"{path} is missing: set TUMBLE_SHARED to the folder that holds box2d_reference")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rollouts(tasks: dict[str, Any], cases: Sequence[Case]) -> tuple[np.ndarray, float]:
    """Verdicts of cases on published tasks (1 solved, 0 invalid, -1 not solved), and the seconds of the rollouts."""
    verdicts, _, timing = _program().rollout(tasks, [(task_id, list(action)) for task_id, action in cases])
    return np.array(verdicts), float(timing["seconds"])
