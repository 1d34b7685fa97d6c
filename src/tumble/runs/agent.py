"""The base class of all benchmarks' agents."""

from collections.abc import Sequence
from typing import Generic, TypeVar

from tumble.runs.given import UNDECLARED, Given

T = TypeVar("T")
P = TypeVar("P")


class BaseAgent(Generic[T, P]):
    """An agent that attempts tasks T and may learn from its attempts P at each."""

    learns_online: bool = False
    """Whether it learns from test tasks, which it then attempts one by one, in its own order."""
    repeatable: bool = False
    """Whether it is quick, and makes the same attempts with the same settings and seed on every machine, so that a
    leaderboard runs it again to check that a log is its own."""

    def given(self) -> Given:
        """What it is given of tasks, of its attempts and in training, which is recorded with its scores."""
        return UNDECLARED

    def order(self, tasks: Sequence[T]) -> Sequence[T]:
        """The order in which it attempts test tasks; only called if `learns_online`."""
        return tasks

    def learn(self, task: T, past: P) -> None:
        """Learns from the attempts at a finished test task; only called if `learns_online`."""
