"""What the Gymnasium environments of all benchmarks share."""

from tumble.gym.side_by_side import SideBySide
from tumble.gym.task_pool import TaskPool, Tasks

__all__ = ["SideBySide", "TaskPool", "Tasks"]
