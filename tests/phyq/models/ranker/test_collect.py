"""Collected shots: their outcomes are those of the simulator."""

import numpy as np

from tumble.phyq.models.ranker.collect import ALIVE, LOST, UNKNOWN, WON, Collected, near_shots, random_shots
from tumble.phyq.models.ranker.scenes import PIG_KINDS
from tumble.phyq.simulation.shots import table_of
from tumble.phyq.simulation.simulator import Simulator


def test_shots_win_as_in_the_simulator(collected: Collected) -> None:
    rows = np.flatnonzero(collected.scene_of == 1)
    shots = collected.shots[rows]
    won = Simulator(["6.3:000"]).play(np.zeros(len(rows), int), table_of(shots[:, 0], shots[:, 1])).won
    assert won.any()
    np.testing.assert_array_equal(collected.won[rows] == WON, won)


def test_a_last_shot_wins_if_all_pigs_end(collected: Collected) -> None:
    scenes = collected.scenes
    last = (scenes.birds_left[collected.scene_of] == 1) & np.isin(collected.won, (WON, LOST))
    pigs = np.isin(scenes.kinds, PIG_KINDS)[collected.scene_of]
    ended = (~pigs | (collected.fates != ALIVE)).all(axis=1)
    np.testing.assert_array_equal(ended[last], collected.won[last] == WON)


def test_levels_with_two_birds_are_continued(collected: Collected) -> None:
    own = np.flatnonzero(collected.templates == "13.3")
    assert collected.scenes.birds_left[own].tolist() == [2, 1, 1]
    first = collected.scene_of == own[0]
    assert (collected.won[first] == UNKNOWN).any()
    assert (collected.won[first] != UNKNOWN).sum() >= 2


def test_gone_objects_have_no_motion(collected: Collected) -> None:
    assert (collected.moves[collected.fates != ALIVE] == 0).all()
    assert np.abs(collected.moves.astype(float)).max() > 0.5


def test_random_shots_cover_all_angles() -> None:
    shots = random_shots(np.random.default_rng(0), 2, 50, np.array([False, True]))
    assert np.isnan(shots[0, :, 2]).all()
    assert not np.isnan(shots[1, :, 2]).all()
    assert (np.diff(shots[0, :, 0]) > 0).all()


def test_near_shots_stay_with_their_scene() -> None:
    shots = np.array([[10.0, 1.0, np.nan], [60.0, 1.0, np.nan]], np.float32)
    near, scenes = near_shots(np.random.default_rng(0), shots, np.array([3, 5]), 20)
    assert scenes.tolist() == [3] * 20 + [5] * 20
    assert np.abs(near[:20, 0] - 10.0).max() < 8.0
    assert np.abs(near[20:, 0] - 60.0).max() < 8.0
