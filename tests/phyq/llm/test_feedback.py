"""What a model is told of a shot is what happened in the simulation."""

import re

import numpy as np

from tumble.phyq.catalogue.level import Block, Level, Pig, Tnt
from tumble.phyq.catalogue.tasks import task
from tumble.phyq.catalogue.trajectory import landing, releases_to
from tumble.phyq.llm.pictures import strip_frames
from tumble.phyq.llm.prompts import shots_text
from tumble.phyq.llm.shot_report import ShotReport, shot_reports
from tumble.phyq.simulation.episodes import Episodes
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import play


def reports_of(level: Level, *shots: Shot) -> tuple[Episodes, list[ShotReport]]:
    episodes = play(level, [list(shots)], want=("trajectory", "events"), stride=1)
    return episodes, shot_reports(episodes, 0)


def test_a_shot_at_the_empty_ground() -> None:
    level = Level(birds=("red", "red"), pigs=(Pig("small", 12.0, -3.277),))
    shot = Shot(45.0, 0.7)
    _, (report,) = reports_of(level, shot)
    assert report.first_hit is not None
    assert report.first_hit.other is None
    assert abs(report.first_hit.point[0] - landing(shot.release)[0]) < 0.3
    assert not report.deaths
    assert not report.moved
    assert report.nearest is not None
    assert report.nearest.distance > 1.0
    text = shots_text([report], [shot], level)
    assert "first hit the ground" in text
    assert "to pig A" in text
    assert 4 <= len(strip_frames(report)) <= 6


def test_a_pig_that_is_hit_dies_from_the_bird() -> None:
    level = Level(birds=("red",), pigs=(Pig("small", 2.0, -3.277),))
    shot = Shot(releases_to((2.0, -3.277))[0].angle)
    episodes, (report,) = reports_of(level, shot)
    assert episodes.won[0]
    assert [death.victim.kind for death in report.deaths] == ["pig"]
    assert report.nearest is None
    assert "Pig A died from a hit with the red bird" in shots_text([report], [shot], level)


def test_tnt_explodes_and_blocks_move() -> None:
    level = Level(
        birds=("red",),
        pigs=(Pig("big", 14.0, -3.02),),
        blocks=(Block("circle", "stone", 3.0, -3.125),),
        tnts=(Tnt(2.0, -3.18),),
    )
    shot = Shot(releases_to((2.0, -3.18))[0].angle)
    _, (report,) = reports_of(level, shot)
    assert "tnt" in [death.victim.kind for death in report.deaths]
    assert [one.before.material for one in report.moved] == ["stone"]
    text = shots_text([report], [shot], level)
    assert re.search(r"TNT 0.64x0.64 at \(2, -3.1\d\) exploded\.", text)
    assert re.search(r"Moved: stone ball of radius 0.37 at \(3, -3.1\d\) to ", text)


def test_shots_of_one_answer_are_told_one_by_one() -> None:
    level = task("14.2:080").level
    shots = (Shot(20.0), Shot(60.0, delay=4.0))
    episodes, reports = reports_of(level, *shots)
    assert [report.number for report in reports] == [0, 1]
    assert reports[0].last_frame == reports[1].first_frame
    assert reports[1].first_frame - reports[0].first_frame >= 200
    assert shots_text(reports, shots, level).count("Shot ") == 2
    assert len(shot_reports(episodes, 0, first=1)) == 1


def test_a_split_bird_is_followed_in_its_parts() -> None:
    level = task("15.2:003").level
    _, (report,) = reports_of(level, Shot(70.0, tap_ms=1200.0))
    assert report.tapped is not None
    assert np.isfinite(report.paths[1:, -1, 0]).sum() == 3
    assert "one of its three parts first hit" in shots_text([report], [Shot(70.0, tap_ms=1200.0)], level)
