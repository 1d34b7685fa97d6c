"""The header of a run log: what was run, on which tasks, with which physics, on which machine, and when."""

import os
import platform
import re
from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, PrivateAttr

from tumble.runs.participant import UNDECLARED, ColumnType, Given, Participant, participant_class

LONGEST_LABEL = 80
"""Characters of an agent's name in tables."""


class RunHeader(BaseModel):
    """The same for all benchmarks; `spec` and `details` hold what is specific to one of them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    benchmark: str
    spec: dict[str, Any]
    """The fields of the benchmark's run specification: agent, its settings, tasks, attempts, seed, …"""
    agent_settings: dict[str, Any]
    """All settings of the agent, defaults included."""
    given: Given = UNDECLARED
    """What the participant was given."""
    columns: dict[str, ColumnType]
    """The types of what rows have besides task, attempt and status."""
    digests: dict[str, str | None]
    """SHA-256 of what may change under the same name: an agent's file, tasks, questions."""
    task_count: int
    """Of the finished run."""
    physics: str
    tumble_version: str
    created: AwareDatetime = Field(default_factory=lambda: datetime.now(timezone.utc))
    machine: str = Field(default_factory=lambda: machine())
    details: dict[str, Any] = {}
    """Further information that a benchmark records."""

    _folder: Path | None = PrivateAttr(default=None)

    @property
    def folder(self) -> Path | None:
        """The folder of the log that it was read from; None for a new one."""
        return self._folder

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RunHeader) and self.__dict__ == other.__dict__  # wherever they were read from

    def read_from(self, path: Path) -> "RunHeader":
        """The header of a log that was read from a file."""
        header = self.model_copy()
        header._folder = path.parent
        return header

    @property
    def agent(self) -> str:
        """The agent's name: a built-in name, or FILE.py:CLASS."""
        return str(self.spec["agent"])

    @property
    def participant(self) -> type[Participant]:
        """The class of who made the attempts."""
        return participant_class(self.agent)

    @property
    def attempt_columns(self) -> list[str]:
        """The columns that make an attempt what it is, without texts and without what is known of the participant."""
        own = self.columns.keys() - self.participant.columns.keys()
        return sorted(name for name in own if "text" not in self.columns[name])

    @property
    def agent_label(self) -> str:
        """The agent's name in tables: a built-in name, the class of a user's file, or a language model's name."""
        return agent_label(self.agent, self.given_settings)

    @property
    def given_settings(self) -> dict[str, Any]:
        """The agent's settings that were specified, without defaults."""
        return dict(self.spec.get("settings", {}))

    @property
    def further_settings(self) -> dict[str, Any]:
        """The settings that were specified and that `agent_label` does not say."""
        return self.participant.further_settings(self.given_settings)


def agent_label(agent: str, settings: Mapping[str, Any] | None = None) -> str:
    """The name of an agent in tables: a built-in name, the class of FILE.py:CLASS, or that of a language model.

    >>> agent_label("mine.py:Mine"), agent_label("llm", {"model": "openai/gpt-5", "mode": "text"})
    ('Mine', 'openai/gpt-5 (text)')
    """
    label = participant_class(agent).label(agent, settings or {})
    return label if len(label) <= LONGEST_LABEL else f"{label[: LONGEST_LABEL - 1]}…"


def machine(device: str = "") -> str:
    """A description of the machine: architecture, processor, cores, Python, and a device if specified."""
    parts = [platform.machine(), _processor(), f"{os.cpu_count()} cores", f"Python {platform.python_version()}"]
    return ", ".join([*filter(None, parts), *([device] if device else [])])


def _processor() -> str:
    """The processor's name; empty if the system does not report it."""
    info = Path("/proc/cpuinfo")
    match = re.search(r"model name\s*:\s*(.+)", info.read_text()) if info.exists() else None
    return (match.group(1) if match else platform.processor()).strip()
