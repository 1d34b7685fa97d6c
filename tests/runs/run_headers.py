"""Headers of run logs, for tests that write logs."""

import json
from typing import Any

from tumble.runs.header import RunHeader
from tumble.runs.spec import RunSpec


def header_of(benchmark: str = "phyre", **fields: Any) -> RunHeader:
    """A header with defaults for all fields but the benchmark."""
    defaults: dict[str, Any] = {
        "spec": {"agent": "mem", "seed": 0},
        "agent_settings": {},
        "columns": {"action": "numbers", "steps": "whole?"},
        "digests": {},
        "task_count": 1,
        "physics": "tumble-2d-1",
        "tumble_version": "0",
    }
    return RunHeader(benchmark=benchmark, **{**defaults, **fields})


def header_for(spec: RunSpec, **fields: Any) -> RunHeader:
    """The header of a run, without creating its agent."""
    own = {"spec": json.loads(json.dumps(spec.plain())), "columns": dict(spec.columns())}
    return header_of(spec.benchmark, **{**own, **fields})
