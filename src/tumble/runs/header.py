"""The header of a run log: what was run, on which tasks, with which physics, on which machine, and when."""

import os
import platform
import re
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field


class RunHeader(BaseModel):
    """Common to all benchmarks; `spec` and `details` hold what only one of them has."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Literal[1] = 1
    benchmark: str
    spec: dict[str, Any]
    """The fields of the benchmark's run specification: agent, its given settings, tasks, attempts, seed, …"""
    agent_settings: dict[str, Any]
    """All settings that the agent ran with, defaults included."""
    digests: dict[str, str | None]
    """SHA-256 of what may change under the same name: an agent's file, tasks, questions."""
    task_count: int
    """Tasks that the run has when it is finished."""
    physics: str
    tumble_version: str
    created: AwareDatetime = Field(default_factory=lambda: datetime.now(timezone.utc))
    machine: str = Field(default_factory=lambda: machine())
    details: dict[str, Any] = {}
    """What else the benchmark records about the run."""

    @property
    def agent(self) -> str:
        """The agent's name: a built-in name, or FILE.py:CLASS."""
        return str(self.spec["agent"])

    @property
    def agent_label(self) -> str:
        """What the agent is called in tables: a built-in name, or the class of a user's file."""
        return agent_label(self.agent)

    @property
    def given_settings(self) -> dict[str, Any]:
        """The agent's settings that were given, without defaults."""
        return dict(self.spec.get("settings", {}))


def agent_label(agent: str) -> str:
    """What an agent is called in tables: a built-in name, or the class of FILE.py:CLASS."""
    return agent.rpartition(":")[2]


def machine(device: str = "") -> str:
    """The machine in words: architecture, processor, cores, Python, and a device if one is named."""
    words = [platform.machine(), _processor(), f"{os.cpu_count()} cores", f"Python {platform.python_version()}"]
    return ", ".join([*filter(None, words), *([device] if device else [])])


def _processor() -> str:
    """The processor's name, or nothing where the system does not tell it."""
    info = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*:\s*(.+)", info.read_text()) if info.exists() else None
    return (found.group(1) if found else platform.processor()).strip()
