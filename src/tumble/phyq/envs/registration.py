"""Registers the environment with Gymnasium, which imports it when one is made."""

from gymnasium.envs.registration import register as register_environment
from gymnasium.envs.registration import registry

ENVIRONMENT = "tumble/PhyQ-v1"
"""The version is raised whenever results change."""


def register() -> None:
    """Registers the environment for `gymnasium.make` and `gymnasium.make_vec`."""
    if ENVIRONMENT not in registry:
        register_environment(
            ENVIRONMENT,
            entry_point="tumble.phyq.envs.env:PhyQEnv",
            vector_entry_point="tumble.phyq.envs.env:PhyQVectorEnv",
        )
