"""What the Gymnasium environments of all benchmarks share."""

from tumble.envs.errors import EnvError
from tumble.envs.sub_envs import SubEnvVectorEnv
from tumble.envs.task_pool import TaskPool, Tasks
from tumble.envs.vector_env import BatchedVectorEnv

__all__ = ["BatchedVectorEnv", "EnvError", "SubEnvVectorEnv", "TaskPool", "Tasks"]
