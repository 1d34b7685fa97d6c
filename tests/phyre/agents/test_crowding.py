"""Crowding: how many balls are close."""

import numpy as np

from tumble.phyre.agents.explorer.evidence import crowding


def test_crowding_counts_balls_of_any_number_that_are_close() -> None:
    one, near, far = [100.0, 100.0, 10.0], [104.0, 97.0, 9.0], [200.0, 50.0, 10.0]
    found = crowding(np.array([[*one, *far], [*far, *far]]), np.array([[*one, *near], [*near, *near]]))
    np.testing.assert_allclose(found, [np.log(5.0) / 2.0, 0.0])
    assert crowding(np.zeros((0, 6)), np.array([[*one, *far]])).shape == (0,)
    np.testing.assert_array_equal(crowding(np.array([one]), np.zeros((0, 3))), [0.0])
