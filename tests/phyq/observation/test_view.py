"""Views of episodes at the start, at the end and in between, and animations."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tumble.phyq.catalogue.level import Block, Level, Pig
from tumble.phyq.catalogue.trajectory import path, releases_to
from tumble.phyq.observation import animation
from tumble.phyq.observation.drawing import screenshot
from tumble.phyq.observation.objects import GameObject, objects_of
from tumble.phyq.observation.symbolic import state_tensor, symbolic_state
from tumble.phyq.simulation import episode_views, simulator
from tumble.phyq.simulation.episodes import EpisodeError, Episodes
from tumble.phyq.simulation.shots import Shot

PIGS = (Pig("small", 2.0, -3.262), Pig("small", -5.0, -3.262))
LEVEL = Level(("red", "blue", "white"), PIGS, (Block("rect_big", "stone", 6.0, -3.408),))
AT = releases_to((PIGS[0].x, PIGS[0].y))[0]
EVERYTHING = ("trajectory", "events", "states")


def played(*shots: Shot, level: Level = LEVEL, stride: int = 1) -> Episodes:
    return simulator.play(level, [shots], want=EVERYTHING, stride=stride)


def birds(view: episode_views.View) -> list[GameObject]:
    return [obj for obj in view.objects if obj.kind == "bird"]


def test_the_start_of_a_level() -> None:
    view = episode_views.start(LEVEL)
    np.testing.assert_array_equal(view.picture(), screenshot(LEVEL))
    np.testing.assert_array_equal(view.tensor(), state_tensor(objects_of(LEVEL)))
    assert view.symbolic() == symbolic_state(objects_of(LEVEL))
    assert view.symbolic(platforms=False, noise=np.random.default_rng(0)) != view.symbolic()


def test_the_end_shows_remaining_objects_and_their_life() -> None:
    target = releases_to((6.0, -3.3))[0]
    view = episode_views.end(played(Shot(AT.angle), Shot(target.angle)), 0)
    assert [obj.kind for obj in view.objects].count("pig") == 1, "the one that was hit is gone"
    red_on_stone = episode_views.end(played(Shot(target.angle)), 0)
    (plank,) = [obj for obj in red_on_stone.objects if obj.kind == "block"]
    assert 0.0 < plank.life < 1.0
    labelled = red_on_stone.symbolic(labels=True)[0]["features"]
    (life,) = [f["properties"]["currentLife"] for f in labelled if f["properties"]["label"].startswith("stone")]
    assert life == pytest.approx(140.0 * plank.life)


def test_the_next_bird_is_on_the_slingshot_and_the_others_wait() -> None:
    start = birds(episode_views.start(LEVEL))
    after = birds(episode_views.end(played(Shot(AT.angle)), 0))
    waiting = {obj.name: (obj.x, obj.y) for obj in after}
    assert waiting["blue"] == LEVEL.rest_point == (start[0].x, start[0].y)
    assert waiting["white"] == (start[2].x, start[2].y)


def test_birds_in_motion() -> None:
    episodes = played(Shot(AT.angle), Shot(20.0))
    motion = episode_views.motion(episodes, 0)
    first = len(LEVEL.pieces)
    landed, released = episodes.landed[0, 0] - episodes.start[0], episodes.released[0, 1] - episodes.start[0]
    flight = path(AT, 5.0)[: landed - 1]
    np.testing.assert_allclose(motion.poses[: len(flight), first, :2], flight, atol=0.05)
    on_sling = (motion.poses[:, first + 1, :2] == LEVEL.rest_point).all(axis=-1)
    assert not on_sling[landed], "it is still on its way to the sling"
    assert on_sling[landed + 5 : released].all()
    assert np.isfinite(motion.poses[:released, first + 1]).all(), "a bird that waits is always seen"
    assert motion.seconds[-1] == pytest.approx(episodes.seconds[0], abs=0.021)
    np.testing.assert_array_equal(motion.pictures(slice(0, 1))[0], motion.view(0).picture())


def test_split_birds_and_eggs_are_seen() -> None:
    level = Level(("blue", "white"), PIGS)
    episodes = played(Shot(40.0, tap_ms=700.0), Shot(40.0, tap_ms=700.0), level=level)
    motion = episode_views.motion(episodes, 0)
    for shot, expected in enumerate((["bird"] * 4, ["bird", "egg"])):
        step = int(episodes.tapped[0, shot] - episodes.start[0]) + 5
        flying = [obj for obj in motion.view(step).objects if obj.kind in ("bird", "egg") and obj.y > -1.6]
        assert len(flying) == (3 if shot == 0 else 2), expected


def test_trail_is_the_flight_of_the_last_bird() -> None:
    view = episode_views.end(played(Shot(AT.angle)), 0)
    assert view.trail is not None
    np.testing.assert_allclose(view.trail, path(AT, 5.0)[: len(view.trail)], atol=0.3)
    labels = [feature["properties"]["label"] for feature in view.symbolic()[0]["features"]]
    assert "Trajectory" in labels


def test_events_name_objects() -> None:
    events = episode_views.events(played(Shot(AT.angle)), 0)
    assert [event.seconds for event in events] == sorted(event.seconds for event in events)
    release, hit = events[0], next(event for event in events if event.kind == "hit")
    assert (release.kind, release.object) == ("release", objects_of(LEVEL)[3])
    assert {hit.object, hit.other} == {objects_of(LEVEL)[0], objects_of(LEVEL)[3]}, "the pig and the red bird"
    assert 5.0 < hit.speed < 11.0
    assert [event.object for event in events if event.kind == "death"] == [objects_of(LEVEL)[0]]
    assert events[-1].kind == "end"


def test_data_that_was_not_kept_is_an_error() -> None:
    episodes = simulator.play(LEVEL, [[Shot(10.0)]])
    with pytest.raises(EpisodeError, match="trajectory"):
        episode_views.motion(episodes, 0)
    with pytest.raises(EpisodeError, match="states"):
        episode_views.end(episodes, 0)


@pytest.mark.parametrize("suffix", [".gif", ".webp"])
def test_animations_are_in_real_time(suffix: str, tmp_path: Path) -> None:
    motion = episode_views.motion(played(Shot(AT.angle), stride=5), 0)
    file = tmp_path / f"game{suffix}"
    done = []
    animation.save_motion(file, motion, 320, done.append)
    shown = animation.frames_shown(motion)
    assert sum(done) == len(shown)
    with Image.open(file) as opened:
        assert opened.size == (320, 180)
        total = 0
        for frame in range(opened.n_frames):
            opened.seek(frame)
            opened.load()
            total += opened.info["duration"]
    assert total == pytest.approx(100 * len(shown), abs=20)
    assert motion.seconds[shown[-1]] == motion.seconds[-1]


def test_an_animation_ends_at_rest() -> None:
    motion = episode_views.motion(played(Shot(AT.angle), stride=5), 0)
    shown = animation.frames_shown(motion)
    still = np.abs(np.nan_to_num(motion.poses[:-1], nan=99.0) - np.nan_to_num(motion.poses[-1:], nan=99.0)) < 0.005
    rests_from = int(np.argmax(still.all(axis=(1, 2))))
    assert rests_from < len(motion.poses) - 1
    assert not set(range(rests_from + 1, len(motion.poses) - 1)) & set(shown.tolist())


@pytest.mark.slow
def test_a_gif_keeps_the_colours(tmp_path: Path) -> None:
    motion = episode_views.motion(played(Shot(AT.angle), stride=20), 0)
    animation.save_motion(tmp_path / "game.gif", motion)
    with Image.open(tmp_path / "game.gif") as opened:
        first = np.asarray(opened.convert("RGB"), int)
    difference = np.abs(first - animation.Film(motion).picture(0))
    assert np.percentile(difference, 99) <= 2, "all but some mixed pixels at edges are nearly exact"
    assert difference.max() < 64
