"""Variations of solving actions solve tasks far more often than random ones, and every label is correct."""

from pathlib import Path

import numpy as np

from tumble import phyre
from tumble.phyre.generation import mining
from tumble.phyre.simulation.sweeps.shipped import sweep_store


def test_mined_labels_are_correct_and_solve_more_often_than_random_actions(tmp_path: Path) -> None:
    store = sweep_store("B")
    ids = [task_id for task_id in store.task_ids if task_id.startswith("00003")][:6]
    simulator = phyre.Simulator([phyre.task(task_id) for task_id in ids], "B")
    statuses = store.statuses(ids)
    mined = mining.mine(simulator, ids, store.actions, statuses, rounds=2, candidates=20)
    assert set(mined.task_ids) <= set(ids)
    found = simulator.pairs(mined.task_ids.tolist(), mined.actions)
    np.testing.assert_array_equal(found == phyre.status.SOLVED, mined.solved)
    assert (found != phyre.status.INVALID).all()
    assert mined.solved.mean() > 5 * (statuses == 1).sum() / (statuses != 0).sum()
    mined.save(tmp_path / "mined.npz")
    again = mining.load(tmp_path / "mined.npz")
    np.testing.assert_array_equal(again.actions, mined.actions)
    np.testing.assert_array_equal(again.task_ids, mined.task_ids)
    np.testing.assert_array_equal(again.solved, mined.solved)
