"""Brief results for tests: all tasks of a fold solved at the same attempt."""

from dataclasses import replace
from typing import Any

from tumble.engine import physics_id
from tumble.phyre.evaluation.brief_log import BriefResult


def brief_result(setting: str, number: int, solved_at: int | None, agent: str = "dqn", **changed: Any) -> BriefResult:
    values: dict[str, Any] = {
        "setting": setting,
        "agent": agent,
        "variant": "recipe",
        "split": "test",
        "fold": number,
        "limit": None,
        "settings": {"updates": 8000, "hidden": [512]},
        "physics": physics_id(),
        "training_seconds": 100.0,
        "evaluation_seconds": 20.0,
        "ranking_ms": 9.0,
        "parallel": 1,
        "machine": "x86_64, NVIDIA H200",
        "solved_at": (),
    }
    result = BriefResult(**{**values, **changed})
    return replace(result, solved_at=(solved_at,) * len(result.task_ids))
