"""What the Gymnasium environments of all benchmarks share."""

from tumble.envs.vector_env import BatchedVectorEnv, EnvError, SubEnvVectorEnv, TaskPool, Tasks

__all__ = ["BatchedVectorEnv", "EnvError", "SubEnvVectorEnv", "TaskPool", "Tasks"]
