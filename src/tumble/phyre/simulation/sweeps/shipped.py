"""The sweeps that are shipped with the package: the statuses of 1,000 random actions on every published task.

Made on an H200 in a minute: `store.create(folder, tasks, tier, fixed_set(tier, 1000), tasks_per_shard=2500)` and
`fill`. Agents that rank these actions need not simulate anything. The files B.solved and 2B.solved have which of the first
100,000 actions solve (2B: on the first 1,200 tasks); `tumble phyre sweep --shipped` makes stores of them.
"""

from collections.abc import Sequence
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path

from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.sweeps.cached_simulator import CachedSimulator
from tumble.phyre.simulation.sweeps.store import OtherSweepError, SweepStore, open_store
from tumble.phyre.tasks.catalogue import published_tasks
from tumble.phyre.tasks.task import Task
from tumble.phyre.tasks.tier import tier_named

NO_STORE = "none"


@cache
def sweep_store(tier: str) -> SweepStore:
    """The sweep of a tier; an OtherSweepError if the physics has changed since it was made."""
    return open_store(Path(str(resources.files("tumble.phyre"))) / "data" / "sweeps" / tier_named(tier).name)


def solved_file(tier: str) -> Path:
    """The file of the actions that solve tasks, among 100,000 on each."""
    return Path(str(resources.files("tumble.phyre"))) / "data" / "sweeps" / f"{tier_named(tier).name}.solved"


def simulator_with_store(
    tasks: Sequence[Task], tier: str, store: str | None = None, device: str = "cpu", threads: int = 0
) -> Simulator:
    """A simulator of these tasks, which looks up outcomes in a sweep store where that has them.

    `store` is the folder of a store, "none", or None for the package's; it changes no outcome.
    """
    known = published_tasks(tier)
    if store != NO_STORE and all(known.get(task.id) is task for task in tasks):
        cached = _cached_simulator(tier, store, device, threads)
        if cached is not None:
            return cached.restricted_to(tasks)
    return Simulator(tasks, tier, device, threads)


@lru_cache(maxsize=2)
def _cached_simulator(tier: str, path: str | None, device: str, threads: int) -> CachedSimulator | None:
    """A simulator of all published tasks of a tier with a store; None if the package's has other physics or tasks."""
    known = published_tasks(tier).values()
    if path is not None:
        return CachedSimulator(known, tier, open_store(path), device, threads)
    try:
        return CachedSimulator(known, tier, sweep_store(tier), device, threads)
    except OtherSweepError:
        return None
