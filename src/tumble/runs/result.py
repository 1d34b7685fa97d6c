"""The base class of results of runs; a benchmark adds its scores."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path

from tumble.runs.header import RunHeader


@dataclass(frozen=True)
class Result(ABC):
    """The result of a run, which may be unfinished."""

    path: Path
    header: RunHeader
    finished: bool
    tasks_done: int

    @property
    def agent(self) -> str:
        """A built-in name, or the class of a user's file."""
        return self.header.agent_label

    @property
    def task_count(self) -> int:
        """The number of tasks of the finished run."""
        return self.header.task_count

    @property
    def tasks(self) -> str:
        """The number of finished tasks as text: 500, or 12 of 500."""
        return str(self.task_count) if self.finished else f"{self.tasks_done} of {self.task_count}"

    @property
    @abstractmethod
    def summary(self) -> str:
        """The scores in one line."""
