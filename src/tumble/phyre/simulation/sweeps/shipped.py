"""The sweeps that are shipped with the package: the statuses of 1,000 random actions on every published task.

Made on an H200 in a minute: `store.create(folder, tasks, tier, fixed_set(tier, 1000), tasks_per_shard=2500)` and
`fill`. Agents that rank these actions need not simulate anything.
"""

from functools import cache
from importlib import resources
from pathlib import Path

from tumble.phyre.simulation.sweeps.store import SweepStore, open_store
from tumble.phyre.tasks.tier import tier_named


@cache
def sweep_store(tier: str) -> SweepStore:
    """The sweep of a tier; a StoreError if the physics has changed since it was made."""
    return open_store(Path(str(resources.files("tumble.phyre"))) / "data" / "sweeps" / tier_named(tier).name)
