"""What all results of runs have in common; a benchmark adds its scores."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path

from tumble.runs.header import RunHeader


@dataclass(frozen=True)
class Result(ABC):
    """A run, as far as it is finished."""

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
        """Tasks that the run has when it is finished."""
        return self.header.task_count

    @property
    def tasks(self) -> str:
        """How many tasks are finished, in words: 500, or 12 of 500."""
        return str(self.task_count) if self.finished else f"{self.tasks_done} of {self.task_count}"

    @property
    @abstractmethod
    def summary(self) -> str:
        """The scores in one line."""
