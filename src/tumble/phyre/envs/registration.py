"""Registers the environments with Gymnasium; their modules are imported when one is made."""

from gymnasium.envs.registration import register as register_environment
from gymnasium.envs.registration import registry

ENVIRONMENTS = {"tumble/PHYRE-B-v0": "B", "tumble/PHYRE-2B-v0": "2B"}
"""The tier of each environment, by id. The version is increased whenever outcomes change."""
MIDWAY = "tumble/PhyreMidway-v0"
"""An attempt in which an agent acts at several moments; its argument `tier` is "B" unless given."""


def register() -> None:
    """Registers the environments for `gymnasium.make` and `gymnasium.make_vec`."""
    for name, tier in ENVIRONMENTS.items():
        if name not in registry:
            register_environment(
                name,
                entry_point="tumble.phyre.envs.env:PhyreEnv",
                vector_entry_point="tumble.phyre.envs.env:PhyreVectorEnv",
                kwargs={"tier": tier},
            )
    if MIDWAY not in registry:
        register_environment(MIDWAY, entry_point="tumble.phyre.envs.midway:PhyreMidwayEnv")
