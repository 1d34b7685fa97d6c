"""What the Gymnasium environments of all benchmarks share."""

from tumble.envs.task_pool import TaskPool, Tasks
from tumble.envs.vector_env import SideBySide

__all__ = ["SideBySide", "TaskPool", "Tasks"]
