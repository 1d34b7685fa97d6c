"""The search finds shots that win, knows when one bird is enough, and gives up where nothing can win."""

import pytest

from tumble.phyq.catalogue.level import Level, Pig, Platform
from tumble.phyq.catalogue.physics import BIRD_COLOURS
from tumble.phyq.generation.candidates import shots_at_pigs, single_shots
from tumble.phyq.generation.level_set import solve_levels, won_by_one_bird
from tumble.phyq.simulation.simulator import Simulator

NEAR, FAR = Pig("small", -4.0, -3.262), Pig("small", 5.0, -3.262)
HIGH = (Platform(0.0, 2.0, 0.0, 2.0, 0.5), Pig("small", 0.0, 2.4))
CELL = tuple(
    Platform(x, y, 0.0, *scales)
    for x, y, *scales in ((5.0, -2.6, 3.0, 0.4), (4.2, -3.1, 0.4, 2.0), (5.8, -3.1, 0.4, 2.0))
)
TWO = Level(("red", "red", "red"), (NEAR, HIGH[1]), platforms=(HIGH[0],))
ONE = Level(("red", "red"), (NEAR,))
HOPELESS = Level(("red", "yellow"), (NEAR, FAR), platforms=CELL)


def test_a_level_is_solved() -> None:
    simulator = Simulator([TWO, ONE, HOPELESS])
    found = solve_levels(simulator, [0, 1, 2])
    assert set(found) == {0, 1}
    assert simulator.play([0, 1], [found[0], found[1]]).won.all()
    assert len(found[0]) == 2
    assert solve_levels(simulator, [2]) == {}
    assert solve_levels(simulator, [0]) == {0: found[0]}, "a level's result does not depend on the others"


def test_one_bird_is_enough() -> None:
    assert won_by_one_bird(Simulator([TWO, ONE, HOPELESS])).tolist() == [False, True, False]


@pytest.mark.parametrize("colour", BIRD_COLOURS)
def test_candidates(colour: str) -> None:
    shots = shots_at_pigs(colour, [(2.0, -3.2), (5.0, 0.0)])
    assert len(shots) == len(set(shots)) > 20
    assert any(shot.tap_ms for shot in shots) == (colour in ("yellow", "blue", "white"))
    assert set(shots) < set(single_shots(colour, [(2.0, -3.2), (5.0, 0.0)]))


def test_eggs_are_dropped_above_pigs() -> None:
    taps = [shot for shot in shots_at_pigs("white", [(2.0, -3.2)]) if shot.tap_ms]
    level = Level(("white",), (Pig("small", 2.0, -3.262),))
    assert taps
    assert Simulator([level]).play([0] * len(taps), [(shot,) for shot in taps]).won.any()
