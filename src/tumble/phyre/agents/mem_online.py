"""MEM-O: MEM that goes on learning from the test tasks that it has finished."""

from collections.abc import Sequence
from dataclasses import dataclass

from tumble.phyre.agents.agent import Try
from tumble.phyre.agents.mem import Mem
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.tasks.task import Task


@dataclass
class MemOnline(Mem):
    """A result of a test task weighs as much as `weight` results of training tasks."""

    weight: float = 10.0
    learns_online = True

    def train(self, tasks: Sequence[Task], simulator: Simulator) -> None:
        super().train(tasks, simulator)
        self._number = {action.tobytes(): k for k, action in enumerate(self.actions)}

    def learn(self, task: Task, past: Sequence[Try]) -> None:
        memory = self.memory_of(task)
        for tried in past:
            outcomes = memory.solved if tried.solved else memory.failed
            outcomes[self._number[tried.action.tobytes()]] += self.weight
