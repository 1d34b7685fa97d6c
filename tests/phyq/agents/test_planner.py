"""Pig Shooter's planner gives the shots that the unchanged published program sent, which were recorded."""

import pytest

from tumble.phyq.agents.agent import AttemptState
from tumble.phyq.agents.pig_shooter import OUT_OF_REACH, TAPS, PigShooter, PixelBox, Planner, pixel_box, sent_release
from tumble.phyq.catalogue.level import Level, Pig
from tumble.phyq.catalogue.tasks import Task
from tumble.phyq.observation.camera import to_world
from tumble.phyq.observation.symbolic import sling_corners
from tumble.phyq.simulation.shots import shot_from

PLANNER = Planner(PixelBox(92, 248, 12, 38))
RECORDED = [
    (PixelBox(407, 235, 8, 8), "", 59.732, 0),
    (PixelBox(243, 253, 17, 17), "", 11.200, 0),
    (PixelBox(450, 257, 7, 8), "", 52.362, 0),
    (PixelBox(370, 264, 8, 9), "", 24.445, 0),
    (PixelBox(527, 206, 8, 8), "", 24.188, 0),
    (PixelBox(578, 250, 8, 8), "yellow", 24.188, 1753),
    (PixelBox(621, 167, 8, 7), "yellow", 24.188, 1900),
    (PixelBox(371, 258, 8, 8), "white", 66.990, 1832),
    (PixelBox(265, 196, 8, 8), "white", 35.298, 633),
    (PixelBox(172, 248, 7, 8), "white", 84.970, 1803),
]
"""The box of a pig, the bird, the angle from the true rest point in degrees, and the tap in ms."""


def test_the_slingshot_is_the_box_of_the_ground_truth() -> None:
    assert pixel_box(sling_corners(Level.slingshot)) == PLANNER.sling
    assert PLANNER.reference == (97, 252)


@pytest.mark.parametrize(("pig", "bird", "angle", "tap"), RECORDED)
def test_recorded_shots_of_the_published_program(pig: PixelBox, bird: str, angle: float, tap: int) -> None:
    target = pig.swapped_centre
    releases = PLANNER.releases_to(target) or [OUT_OF_REACH]
    shots = [shot_from(to_world(*sent_release(PLANNER, release))) for release in releases]
    found = [release for release, shot in zip(releases, shots, strict=True) if round(shot.angle, 3) == angle]
    assert len(found) == 1
    assert {shot.stretch for shot in shots} == {1.0}
    if bird:
        low, high = TAPS[bird]
        assert tap in [PLANNER.tap_ms(found[0], target[0], share) for share in range(low, high + 1)]


def test_shots_are_displaced_by_the_reference_point() -> None:
    assert sent_release(PLANNER, (0, 0)) == (5, 4)
    assert sent_release(PLANNER, OUT_OF_REACH) == (-595, 564)


def test_the_high_flight_is_steeper_and_the_target_may_be_out_of_reach() -> None:
    low, high = PLANNER.releases_to((300.0, 260.0))
    assert low[0] < high[0] < 97
    assert 252 < low[1] < high[1]
    assert PLANNER.releases_to((600.0, 260.0)) == []
    assert PLANNER.releases_to((97.0, 252.0)) == []


@pytest.mark.parametrize(("bird", "taps"), [("red", False), ("black", False), ("yellow", True), ("blue", True)])
def test_taps_are_whole_milliseconds_of_birds_with_powers(bird: str, taps: bool) -> None:
    task = Task("one:000", Level((bird,), (Pig("small", 2.0, -3.277),)))
    shots = [PigShooter().propose(task, (), AttemptState(task, number)) for number in range(1, 100)]
    if not taps:
        assert {shot.tap_ms for shot in shots} == {None}
        return
    target = pixel_box(AttemptState(task, 1).objects[0].corners).swapped_centre
    low, high = TAPS[bird]
    releases = PLANNER.releases_to(target)
    allowed = {PLANNER.tap_ms(release, target[0], share) for release in releases for share in range(low, high + 1)}
    drawn = {shot.tap_ms for shot in shots}
    assert drawn <= allowed
    assert len(drawn) > len(allowed) // 2
