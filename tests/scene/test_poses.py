"""Poses: where bodies start, and what counts as absent."""

import numpy as np
import pytest

from tumble.scene import Body, Circle, Scene, as_poses, initial_poses

BALL = (Circle(1.0),)
SCENE = Scene((Body(BALL, (1.0, 2.0), 0.5), Body(BALL, (3.0, 4.0), dormant=True)))


def test_bodies_start_where_they_say_and_dormant_ones_are_absent() -> None:
    poses = initial_poses(SCENE)
    assert poses[0].tolist() == [1.0, 2.0, 0.5]
    assert np.isnan(poses[1]).all()
    np.testing.assert_array_equal(as_poses(SCENE, None), poses)


def test_a_scene_without_bodies_has_no_poses() -> None:
    assert initial_poses(Scene(())).shape == (0, 3)


def test_a_pose_that_is_not_finite_in_part_is_absent_as_a_whole() -> None:
    given = np.array([[0.0, np.inf, 0.0], [0.0, 1.0, 2.0]], dtype=np.float32)
    poses = as_poses(SCENE, given)
    assert np.isnan(poses[0]).all()
    assert poses[1].tolist() == [0.0, 1.0, 2.0]
    assert np.isinf(given[0, 1]), "the caller's array is left alone"


@pytest.mark.parametrize("shape", [(2,), (3, 3), (2, 2), (5, 1, 3), (1, 5, 2, 3)])
def test_poses_of_another_shape_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"shape \[2, 3\] or \[pictures, 2, 3\]") as caught:
        as_poses(SCENE, np.zeros(shape))
    assert str(list(shape)) in str(caught.value)
