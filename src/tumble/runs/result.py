"""The base class of results of runs; a benchmark adds its scores."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tumble.runs.header import RunHeader

NO_PROPOSAL = "no proposal"
ONLY_INVALID = "only invalid proposals"
"""Why an agent gave a task up: it proposed nothing, or the same invalid actions twice in a row."""


@dataclass(frozen=True)
class Result(ABC):
    """The result of a run, which may be unfinished."""

    path: Path
    header: RunHeader
    finished: bool
    tasks_done: int
    given_up: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    """By finished task that the agent gave up: why."""

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
    def warning(self) -> str:
        """What may be wrong with the agent; empty if nothing."""
        invalid = list(self.given_up.values()).count(ONLY_INVALID)
        if not invalid:
            return ""
        tasks = f"{invalid} of {self.tasks_done} tasks given up"
        return f"{tasks}: the agent proposed the same actions twice in a row, all of them invalid"

    @property
    @abstractmethod
    def summary(self) -> str:
        """The scores in one line."""

    @property
    def score(self) -> float | None:
        """The number by which runs are ranked, the highest first; None where one number would not do."""
        return None

    @property
    def is_oracle(self) -> bool:
        """Whether the agent was given what it is asked for, so that it bounds others and is not ranked with them."""
        return self.header.given.is_oracle

    @property
    def agent_was_given(self) -> str:
        """What the agent was given of tasks, of its attempts and in training, in words."""
        return self.header.given.text


def given_up_text(reasons: Sequence[str], tasks: int) -> str:
    """How many of a number of tasks were given up, and why: 3 of 100 tasks given up (3 with no proposal)."""
    counts = [f"{reasons.count(reason)} with {reason}" for reason in sorted(set(reasons))]
    return f"{len(reasons)} of {tasks} tasks given up ({', '.join(counts)})"
