"""Birds fly as in the published launch, and reach as far."""

import math
from pathlib import Path

import numpy as np
import phyq_published
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tumble.phyq.catalogue import trajectory
from tumble.phyq.catalogue.trajectory import REST_POINT, Release, ReleaseError, envelope, releases_to, stretch_to

releases = st.builds(Release, st.floats(-80.0, 85.0), st.floats(0.2, 1.0))


def stepped(release: Release, steps: int) -> np.ndarray:
    """Semi-implicit Euler, step by step, with gravity 9.81 scaled by 0.48."""
    turn = math.radians(release.angle)
    direction = np.array([math.cos(turn), math.sin(turn)])
    position = np.array([-12.15, -1.7]) - release.stretch * direction
    velocity = 10.0 * release.stretch * direction
    points = [position]
    for _ in range(steps):
        velocity = velocity - [0.0, 9.81 * 0.48 * 0.02]
        position = position + 0.02 * velocity
        points.append(position)
    return np.array(points)


@given(releases)
def test_the_path_is_that_of_step_by_step_integration(release: Release) -> None:
    assert np.allclose(trajectory.path(release, seconds=6.0), stepped(release, 300), rtol=0.0, atol=1e-9)


def test_range_at_full_stretch() -> None:
    """The published 9.44 at 42.75 degrees is the position after the first step below the ground, angles in quarters."""
    best = max((trajectory.landing(Release(angle))[0], angle) for angle in np.arange(35.0, 50.0, 0.25))
    assert best == pytest.approx((9.44, 42.75), abs=0.002)


def test_the_envelope_is_near_the_published_line(shared_data: Path) -> None:
    line = np.array(phyq_published.everything(shared_data)["generator"]["reachability_line"])
    assert len(line) == 30
    above = line[:, 1] - envelope(line[:, 0])
    assert np.abs(above).max() < 0.2


@settings(max_examples=200)
@given(releases, st.floats(0.3, 4.0))
def test_a_point_of_a_path_is_reached_by_a_release_of_that_angle(release: Release, time: float) -> None:
    target = tuple(trajectory.position_at(release, time))
    found = releases_to(target, release.stretch)
    assert min(abs(other.angle - release.angle) for other in found) < 0.01
    for other in found:
        start, speed = REST_POINT[0] + other.pull[0], other.velocity[0]
        assert trajectory.position_at(other, (target[0] - start) / speed)[1] == pytest.approx(target[1], abs=1e-5)


def test_low_and_high_release() -> None:
    low, high = releases_to((0.0, 0.0))
    assert (low.angle, high.angle) == pytest.approx((30.408, 70.089), abs=1e-3)
    assert releases_to((9.6, -3.5)) == ()


@given(st.floats(30.0, 80.0), st.floats(0.3, 1.0), st.floats(0.5, 2.5))
def test_stretch_for_an_angle(angle: float, stretch: float, time: float) -> None:
    target = tuple(trajectory.position_at(Release(angle, stretch), time))
    found = stretch_to(target, angle)
    assert found is not None
    assert found.stretch == pytest.approx(stretch, abs=1e-6)


def test_some_points_are_on_no_path_of_an_angle() -> None:
    assert stretch_to((0.0, 0.0), 20.0) is None
    assert stretch_to((-13.0, 0.0), 45.0) is None
    assert stretch_to((0.0, 0.0), 100.0) is None


def test_within_reach() -> None:
    assert trajectory.within_reach((0.0, 4.0))
    assert not trajectory.within_reach((0.0, 4.3))
    assert trajectory.within_reach((0.0, 4.3), margin=0.2)


def test_discrete_actions() -> None:
    assert len(trajectory.DISCRETE_ANGLES) == 180
    assert [trajectory.discrete_release(action).angle for action in (0, 90, 135, 179)] == [-90.0, 0.0, 45.0, 89.0]
    with pytest.raises(ReleaseError, match="no action 180; there are 0 to 179"):
        trajectory.discrete_release(180)


def test_a_pull_is_cut_to_full_stretch() -> None:
    release = trajectory.release_of_pull(-3.0, -4.0)
    assert (release.angle, release.stretch) == pytest.approx((math.degrees(math.atan2(4.0, 3.0)), 1.0))
    assert release.pull == pytest.approx((-0.6, -0.8))
    assert trajectory.position_at(release, 0.0) == pytest.approx(np.add(REST_POINT, release.pull))
    for pull in ((0.0, 0.0), (math.inf, 0.0), (math.nan, 1.0)):
        with pytest.raises(ReleaseError, match="a pull must have a finite length above 0"):
            trajectory.release_of_pull(*pull)


@pytest.mark.parametrize(("angle", "stretch"), [(math.nan, 1.0), (0.0, 0.0), (0.0, 1.1), (0.0, math.nan)])
def test_invalid_releases(angle: float, stretch: float) -> None:
    with pytest.raises(ReleaseError):
        Release(angle, stretch)
