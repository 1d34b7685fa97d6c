"""What the Gymnasium environments of all benchmarks share."""

from typing import TYPE_CHECKING

from tumble.lazy import lazy_exports

if TYPE_CHECKING:
    from tumble.envs.stable_baselines import StableBaselinesEnv
    from tumble.envs.vector_env import BatchedVectorEnv, EnvError, SubEnvVectorEnv, TaskPool, Tasks

__all__ = ["BatchedVectorEnv", "EnvError", "StableBaselinesEnv", "SubEnvVectorEnv", "TaskPool", "Tasks"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "BatchedVectorEnv": "vector_env:BatchedVectorEnv",
        "EnvError": "vector_env:EnvError",
        "StableBaselinesEnv": "stable_baselines:StableBaselinesEnv",
        "SubEnvVectorEnv": "vector_env:SubEnvVectorEnv",
        "TaskPool": "vector_env:TaskPool",
        "Tasks": "vector_env:Tasks",
    },
)
