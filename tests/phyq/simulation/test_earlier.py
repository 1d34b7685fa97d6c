"""Episodes continue from the states after earlier shots, and simulators are given more levels, without a difference."""

from dataclasses import fields

import numpy as np
import pytest

from tumble.phyq.catalogue.level import Level, Pig
from tumble.phyq.catalogue.physics import STEP
from tumble.phyq.catalogue.templates import templates
from tumble.phyq.simulation.episodes import EpisodeError, Episodes
from tumble.phyq.simulation.shots import table_of
from tumble.phyq.simulation.simulator import FROM_START, Earlier, Simulator

BACKWARDS = 150.0
"""The bird leaves the world, while everything else rests: the next one could fly long before the episode ends."""


@pytest.fixture(scope="module")
def levels() -> list[Level]:
    """Levels with several birds, of all colours."""
    drawn = [design.level(1) for design in templates().values() if len(design.base.birds) > 1]
    pigs = (Pig("small", 6.0, -3.262), Pig("small", -2.0, -3.262))
    return [*drawn, *(Level((colour, "red"), pigs) for colour in ("red", "yellow", "blue", "white", "black"))]


def assert_equal(one: Episodes, other: Episodes) -> None:
    for field in fields(Episodes):
        if field.name not in ("worlds", "level_of", "frames", "poses", "events", "states"):
            np.testing.assert_array_equal(getattr(one, field.name), getattr(other, field.name), err_msg=field.name)
    bodies = min(one.final_poses().shape[1], other.final_poses().shape[1])
    np.testing.assert_array_equal(one.final_poses()[:, :bodies], other.final_poses()[:, :bodies])
    np.testing.assert_array_equal(one.final_lives()[:, :bodies], other.final_lives()[:, :bodies])


def test_episodes_continue_as_if_they_had_not_been_interrupted(levels: list[Level]) -> None:
    """Shots at rest, after a wait, with and without taps: two by two, or one after the other."""
    rng = np.random.default_rng(0)
    of = np.tile(np.arange(len(levels)), 4)
    count = len(of)
    angles = np.where(rng.random((count, 2)) < 0.2, BACKWARDS, rng.uniform(-10.0, 75.0, (count, 2)))
    shares = np.where(rng.random((count, 2)) < 0.5, rng.random((count, 2)), np.nan)
    waits = np.where(rng.random(count) < 0.5, rng.uniform(0.0, 10.0, count), np.nan)
    simulator = Simulator(levels)
    first = simulator.play(of, table_of(angles[:, :1], tap_shares=shares[:, :1]), ("states",), stop_after=waits)
    can, states = first.states_to_continue()
    still_open = np.flatnonzero(first.status == "open")
    assert first.stopped.sum() > 10
    assert (states.steps[can] < first.steps[can]).any(), "some could have continued earlier"
    assert can[still_open].mean() > 0.9
    delays = np.stack([np.full(count, np.nan), np.where(first.stopped, waits, np.nan)], axis=1)
    both = table_of(angles, tap_shares=shares, delays=delays).take(still_open)
    whole = simulator.play(of[still_open], both, ("states",))
    earlier = Earlier(states, np.where(can, np.arange(count), FROM_START)[still_open])
    assert_equal(simulator.play(of[still_open], both, ("states",), earlier=earlier), whole)


def test_an_episode_stops_when_the_next_bird_can_fly(levels: list[Level]) -> None:
    simulator = Simulator(levels[-5:])
    of, shots = np.arange(5), table_of(np.full(5, 80.0))
    plain = simulator.play(of, shots)
    landed = (plain.landed[:, 0] - plain.released[:, 0]) * STEP
    stop_after = np.array([*(landed[:3] + np.array([0.14, 0.2, 0.3])), 0.0, np.nan])
    stopped = simulator.play(of, shots, stop_after=stop_after)
    assert stopped.stopped.tolist() == [True, True, True, True, False]
    np.testing.assert_allclose(stopped.seconds[:3], stop_after[:3], atol=STEP)
    assert stopped.steps[3] == stopped.landed[3, 0] + 5, "not before the bird has landed"
    assert stopped.steps[4] == plain.steps[4]
    assert (stopped.steps[:4] < plain.steps[:4]).all()
    for wrong in ([1.0], [-1.0] * 5):
        with pytest.raises(EpisodeError, match="stop_after must be 5 numbers of seconds"):
            simulator.play(of, shots, stop_after=wrong)


def test_only_kept_states_can_be_continued_from(levels: list[Level]) -> None:
    episodes = Simulator(levels[-1:]).play([0], table_of([10.0]))
    with pytest.raises(EpisodeError, match="no end states were kept"):
        episodes.states_to_continue()


def test_levels_can_be_added(levels: list[Level]) -> None:
    """Small levels first, so that later ones need more room; in between, shots."""
    ordered = sorted(levels, key=lambda level: len(level.pieces))
    together = Simulator(ordered)
    grown = Simulator(ordered[:1])
    count = len(ordered)
    shots = table_of(np.linspace(5.0, 60.0, count))
    grown.play([0], shots.take(np.arange(1)))
    assert grown.add(ordered[1:4]).tolist() == [1, 2, 3]
    grown.play([2, 0], shots.take(np.arange(2)))
    assert grown.add(ordered[4:]).tolist() == list(range(4, count))
    assert grown.add([]).tolist() == []
    assert grown.settled_levels() == together.settled_levels()
    order = np.arange(count)[::-1]
    assert_equal(grown.play(order, shots, ("states",)), together.play(order, shots, ("states",)))
