"""What the Gymnasium environments of all benchmarks share."""

from tumble.envs.errors import EnvError
from tumble.envs.task_pool import TaskPool, Tasks
from tumble.envs.vector_env import BatchedVectorEnv

__all__ = ["BatchedVectorEnv", "EnvError", "TaskPool", "Tasks"]
