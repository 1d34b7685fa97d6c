"""MEM-O: MEM that keeps learning from finished test tasks."""

from collections.abc import Sequence
from dataclasses import dataclass

from tumble.phyre.agents.agent import AttemptedAction
from tumble.phyre.agents.mem import Mem
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.tasks.task import Task


@dataclass
class MemOnline(Mem):
    """Counts each attempt at a test task as `weight` training tasks."""

    weight: float = 10.0
    learns_online = True

    def train(self, tasks: Sequence[Task], simulator: Simulator) -> None:
        super().train(tasks, simulator)
        self._number = {action.tobytes(): k for k, action in enumerate(self.actions)}

    def learn(self, task: Task, past: Sequence[AttemptedAction]) -> None:
        memory = self.memory_of(task)
        for attempted in past:
            counts = memory.solved if attempted.solved else memory.failed
            counts[self._number[attempted.action.tobytes()]] += self.weight
