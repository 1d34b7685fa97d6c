"""The shipped sweeps are what the physics gives."""

import numpy as np
import pytest

from tumble import phyre
from tumble.phyre.catalogue.task import digest_of_tasks
from tumble.phyre.simulation.actions import fixed_set
from tumble.phyre.simulation.shipped_sweeps import shipped_store


@pytest.mark.parametrize("tier", phyre.TIERS)
def test_shipped_statuses_are_reproduced(tier: str) -> None:
    store = shipped_store(tier)
    assert store.verify() == []
    assert list(store.task_ids) == phyre.task_ids(tier)
    np.testing.assert_array_equal(store.actions, fixed_set(phyre.TIERS[tier], 1000))
    ids = list(store.task_ids)[::125]
    columns = np.arange(0, 1000, 97)
    found = phyre.Simulator([phyre.task(task_id) for task_id in ids], tier).sweep(store.actions[columns])
    np.testing.assert_array_equal(store.statuses(ids, columns), found)


@pytest.mark.parametrize("tier", phyre.TIERS)
def test_shipped_statuses_are_of_the_published_tasks(tier: str) -> None:
    assert digest_of_tasks(phyre.tasks(tier).values()) == shipped_store(tier).contents.tasks_sha256
