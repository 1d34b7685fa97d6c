"""The name under which Gymnasium knows our environment, which is imported when one is made."""

from gymnasium.envs.registration import register as register_environment
from gymnasium.envs.registration import registry

ENVIRONMENT = "tumble/PhyQ-v0"
"""The version rises whenever outcomes change."""


def register() -> None:
    """Make the environment known to `gymnasium.make` and `gymnasium.make_vec`."""
    if ENVIRONMENT not in registry:
        register_environment(
            ENVIRONMENT,
            entry_point="tumble.phyq.envs.env:PhyQEnv",
            vector_entry_point="tumble.phyq.envs.vector_env:PhyQVectorEnv",
        )
