"""Tracks are completed where bodies are out of view, from what is in view."""

import numpy as np
import pytest

from tumble.comphy.agents.simulation import complete_track
from tumble.comphy.catalogue.body import Body, Motion
from tumble.comphy.catalogue.task import seen_track
from tumble.comphy.catalogue.world import SHOWN_FRAMES
from tumble.comphy.simulation.simulator import InitialState, simulate

BODIES = (Body("red", "rubber", "cube"), Body("blue", "metal", "sphere"), Body("gray", "metal", "cylinder"))


@pytest.fixture(scope="module")
def free() -> Motion:
    """Three bodies that come in from three sides, cross the picture and touch no other."""
    places = np.array([(-5.0, 0.0), (0.0, 6.0), (5.0, 1.0)])
    velocities = np.array([(2.9, 0.0), (0.0, -2.0), (-3.1, 0.2)])
    motion = simulate(
        BODIES, InitialState.on_table(BODIES, places, np.array([0.3, 0.0, 1.0]), velocities), SHOWN_FRAMES
    )
    assert not motion.collisions
    assert not motion.in_view[0].any()
    assert motion.in_view.any(axis=0).all()
    return motion


def error(one: Motion, other: Motion) -> float:
    return max(
        float(np.abs(one.positions - other.positions).max()), float(np.abs(one.velocities - other.velocities).max())
    )


def test_bodies_that_enter_later_are_traced_back_to_the_start(free: Motion) -> None:
    whole = complete_track(BODIES, seen_track(free, SHOWN_FRAMES))
    assert error(whole, free) < 1e-4
    assert (whole.in_view == free.in_view).all()


def test_gaps_and_ends_are_simulated(free: Motion) -> None:
    hidden = Motion(
        free.positions, free.orientations, free.velocities, free.angular_velocities, free.in_view.copy(), ()
    )
    first = int(free.in_view[:, 0].argmax())
    hidden.in_view[first + 8 : first + 14, 0] = False
    hidden.in_view[90:, 1] = False
    whole = complete_track(BODIES, seen_track(hidden, SHOWN_FRAMES))
    assert error(whole, free) < 1e-3
    assert np.isfinite(whole.orientations).all()


def test_what_is_seen_is_kept_and_the_track_is_not_changed(free: Motion) -> None:
    track = seen_track(free, SHOWN_FRAMES)
    whole = complete_track(BODIES, track)
    assert (whole.positions[free.in_view] == free.positions[free.in_view]).all()
    assert np.isnan(track.positions[0]).all()


def test_a_body_that_is_never_seen_is_put_out_of_the_way(free: Motion) -> None:
    track = seen_track(free, SHOWN_FRAMES)
    track.in_view[:, 1] = False
    track.positions[:, 1], track.velocities[:, 1], track.orientations[:, 1] = np.nan, np.nan, np.nan
    whole = complete_track(BODIES, track)
    assert (np.abs(whole.positions[:, 1, :2]) > 100.0).all()
    assert np.isfinite(whole.positions).all()
