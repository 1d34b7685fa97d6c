"""A table of actions finds the same actions valid as `actions.valid`."""

import numpy as np

from tumble import phyre
from tumble.phyre.simulation.actions import ActionTable, valid


def test_a_table_of_actions_agrees_with_single_checks() -> None:
    actions = np.random.default_rng(0).random((600, 3))
    for task in (phyre.task("00001:000"), phyre.task("00009:000")):
        expected = valid(task.scene, actions)
        assert 0 < expected.sum() < len(actions)
        assert (ActionTable(actions).valid(task.scene) == expected).all()


def test_a_table_without_a_usable_action_is_no_error() -> None:
    assert not ActionTable(np.array([[0.0, 0.0, 1.0]])).valid(phyre.task("00001:000").scene).any()
