"""Pictures for people: every level fits, pigs are large enough, cameras stay in place, and birds leave a trail."""

import xml.etree.ElementTree as Xml

import numpy as np
import pytest

from tumble.phyq.catalogue.level import Block, Level, Pig, Platform
from tumble.phyq.catalogue.templates import templates
from tumble.phyq.catalogue.trajectory import path, releases_to
from tumble.phyq.observation import illustration
from tumble.phyq.observation.animation import Film, animated_svg, film_camera, flights, trails
from tumble.phyq.observation.camera import Camera, fitted_camera, shows_all
from tumble.phyq.observation.drawing import DrawingError
from tumble.phyq.observation.illustration import ALL_COLOURS, MAP_FRAME_COLOUR
from tumble.phyq.observation.objects import COLOURS, GameObject, moved, objects_of
from tumble.phyq.observation.view import start
from tumble.phyq.simulation import episode_views, simulator
from tumble.phyq.simulation.shots import Shot

LEVEL = Level(
    ("red", "red"),
    (Pig("small", 2.0, -3.262),),
    (Block("rect_fat", "wood", 5.0, -3.3), Block("square_small", "ice", 5.0, -2.9)),
    (Platform(-4.0, 3.0, 0.0, 2.0, 1.0),),
)
WIDE = Level(("red",), (Pig("small", 16.9, -3.262),), (Block("rect_fat", "wood", -9.0, -3.3),))
SMALL_PIG = 0.45


def colour_at(picture: np.ndarray, camera: Camera, x: float, y: float) -> tuple[int, ...]:
    column, row = camera.to_pixels(np.array([x, y])).astype(int)
    return tuple(picture[row, column].tolist())


def motion_of(level: Level, *shots: Shot) -> episode_views.Motion:
    return episode_views.motion(simulator.play(level, [shots], want=("trajectory",), stride=3), 0)


@pytest.mark.parametrize("key", templates())
def test_pigs_are_large_enough_in_every_template(key: str) -> None:
    design = templates()[key]
    for level in (design.base, *(design.level(number) for number in range(0, 100, 25))):
        objects = objects_of(level)
        camera = Camera.fit(level, 1280, 720)
        smallest = min(one.corners[:, 1].max() - one.corners[:, 1].min() for one in objects if one.kind == "pig")
        assert smallest * camera.scale * SMALL_PIG / 0.4366 >= 23.9, "as drawn, with its ears"
        pigs = camera.to_pixels(np.array([(pig.x, pig.y) for pig in level.pigs]))
        assert ((pigs > 0.0) & (pigs < (1280, 720))).all()
        assert camera.bottom == pytest.approx(-4.05, abs=0.56), "little soil"
        if not shows_all(camera, objects, level.slingshot):
            whole = fitted_camera(objects, level.slingshot, 1280, 720, whole=True)
            assert whole.scale < camera.scale, "only levels that are too wide are cut"
            assert shows_all(whole, objects, level.slingshot)


def test_objects_are_drawn_where_the_camera_says() -> None:
    camera, picture = Camera.fit(LEVEL, 1280, 720), start(LEVEL).illustration()
    assert picture.shape == (720, 1280, 3)
    assert colour_at(picture, camera, -4.0, 3.0) == COLOURS["platform"]
    assert colour_at(picture, camera, 2.0, -3.1) == COLOURS["pig"]
    assert colour_at(picture, camera, 0.0, -3.55) == ALL_COLOURS["grass light"]
    assert camera.scale > 1.9 * 1280 / 35.0, "nearly twice as large as the whole world"


@pytest.mark.parametrize("width", [64, 333, 2000, 3840])
def test_any_width(width: int) -> None:
    picture = start(LEVEL).illustration(width)
    assert picture.shape == (illustration.height_for(width), width, 3)
    small = np.asarray(start(LEVEL).illustration(64), float)
    step = width / 64
    rows, columns = (np.arange(size) * step + step / 2 for size in small.shape[:2])
    samples = picture[np.ix_(rows.astype(int).clip(0, len(picture) - 1), columns.astype(int))]
    assert np.abs(samples - small).mean() < 12.0, "the same picture in another size"


@pytest.mark.parametrize(("width", "zoom"), [(63, 1.0), (3841, 1.0), (640, 0.2), (640, 9.0), (640, float("nan"))])
def test_wrong_sizes_are_refused(width: int, zoom: float) -> None:
    with pytest.raises(DrawingError, match=r"width|zoom"):
        start(LEVEL).illustration(width, zoom)


def test_zoom_shows_the_surroundings_of_the_pigs() -> None:
    objects = objects_of(LEVEL)
    camera = illustration.camera_of(objects, LEVEL.slingshot)
    near = illustration.camera_of(objects, LEVEL.slingshot, zoom=4.0)
    far = illustration.camera_of(objects, LEVEL.slingshot, zoom=0.5)
    assert near.scale == 4.0 * camera.scale
    assert near.left < 2.0 < near.right
    assert near.bottom == pytest.approx(camera.bottom)
    assert camera.left <= near.left
    assert near.right <= camera.right
    assert far.left < camera.left
    assert far.right > camera.right


def test_levels_that_are_too_wide_have_a_map() -> None:
    camera = Camera.fit(WIDE, 1280, 720)
    assert not shows_all(camera, objects_of(WIDE), WIDE.slingshot)
    picture = start(WIDE).illustration()
    frame = max(1, round(illustration.MAP_EDGE * 1280))
    assert tuple(picture[2 * frame + 1, 2 * frame + 1]) == MAP_FRAME_COLOUR
    pig_in_map = (picture[:230, :400] == COLOURS["pig"]).all(axis=-1)
    sling_in_map = (picture[:230, :400] == COLOURS["sling"]).all(axis=-1)
    assert pig_in_map.any()
    assert sling_in_map.any()
    assert tuple(start(LEVEL).illustration()[2 * frame + 1, 2 * frame + 1]) != MAP_FRAME_COLOUR


def test_the_camera_of_an_animation_is_fixed() -> None:
    motion = motion_of(LEVEL, Shot(70.0))
    film = Film(motion, 640)
    pictures = [film.picture(frame) for frame in (0, len(motion.poses) // 2, len(motion.poses) - 1)]
    soil = [picture[-8:] for picture in pictures]
    assert all(np.array_equal(soil[0], other) for other in soil[1:])
    highest = max(float(flown[:, 1].max()) for _, flown in flights(motion))
    camera = film_camera(motion)
    assert highest > 5.0
    assert camera.top > highest, "the flight is shown"


def test_a_trail_ends_at_the_first_contact() -> None:
    at = releases_to((2.0, -3.2))[0]
    motion = motion_of(Level(LEVEL.birds, (*LEVEL.pigs, Pig("small", -9.0, -3.262))), Shot(at.angle), Shot(60.0))
    (first, flown), (second, _) = flights(motion)
    np.testing.assert_allclose(flown[1:-1], path(at, 5.0)[3 * first + 3 : 3 * (first + len(flown) - 1) : 3], atol=0.25)
    assert flown[-1, 0] == pytest.approx(2.0, abs=0.9)
    found = trails(motion)
    gaps = np.hypot(*np.diff(found.points[found.last == second - 1], axis=0).T)
    assert gaps == pytest.approx(illustration.TRAIL_SPACING, abs=0.01)
    assert not found.shown(np.array([0])).any()
    assert found.shown(np.array([second - 1])).sum() == len(gaps) + 1, "all dots of the first bird, none of the second"
    last = found.shown(np.array([len(motion.poses) - 1]))[0]
    assert 0 < last.sum() < len(last), "only the trail of the last bird stays"


def test_split_birds_have_trails() -> None:
    level = Level(("blue",), LEVEL.pigs)
    motion = motion_of(level, Shot(40.0, tap_ms=700.0))
    assert len(flights(motion)) in (3, 4)
    assert trails(motion).shown(np.array([len(motion.poses) - 1])).all(), "the trail before the tap stays"


def test_dots_are_drawn() -> None:
    points = np.stack([np.linspace(-8.0, 0.0, 40), np.full(40, 2.0)], axis=-1)
    objects = objects_of(LEVEL)
    camera = illustration.camera_of(objects, LEVEL.slingshot, 1280, 1.0, points)
    picture = illustration.illustrated(objects, LEVEL.slingshot, 1280, 1.0, points)
    dot = illustration.dots_along(points)[0][3]
    assert colour_at(picture, camera, *dot.tolist()) == ALL_COLOURS["trail"]


def test_wrong_poses_are_rejected() -> None:
    drawn = illustration.Illustrator(objects_of(LEVEL), LEVEL.slingshot, Camera.fit(LEVEL, 64, 36))
    with pytest.raises(DrawingError, match=r"poses must be \[n, 6, 3\], got \[6, 3\]"):
        drawn.paint(np.zeros((6, 3)))


def test_absent_objects_are_not_drawn() -> None:
    camera = Camera.fit(LEVEL, 320, 180)
    objects = objects_of(LEVEL)
    poses = np.array([[(one.x, one.y, 0.0) for one in objects]])
    poses[0, 0] = np.nan
    without = illustration.Illustrator(objects, LEVEL.slingshot, camera).paint(poses)[0]
    expected = illustration.Illustrator(moved(objects, poses[0]), LEVEL.slingshot, camera).paint()[0]
    np.testing.assert_array_equal(without, expected)


def test_a_camera_without_pigs_fits_what_is_there() -> None:
    camera = fitted_camera([GameObject("block", "rect_fat", "wood", x=3.0, y=0.0)], LEVEL.slingshot, 640, 360)
    assert camera.left < -12.4
    assert camera.right > 3.3


def test_the_svg_animation_shows_the_whole_level() -> None:
    motion = motion_of(WIDE, Shot(45.0))
    camera = film_camera(motion)
    assert shows_all(camera, moved(motion.objects, motion.poses[0]), WIDE.slingshot)
    root = Xml.fromstring(animated_svg(motion))
    assert root.get("viewBox") == "0 0 640 360"
    white = [circle for circle in root.iter("{http://www.w3.org/2000/svg}circle") if circle.get("fill") == "#fff"]
    assert len(white) == len(trails(motion).points) > 20


def test_a_lower_picture_shows_the_same_below_a_height() -> None:
    camera = Camera.fit(LEVEL, 640, 360)
    lower = camera.below(camera.top - 2.0)
    assert lower.height < camera.height
    assert (lower.left, lower.scale, lower.width) == (camera.left, camera.scale, camera.width)
    assert lower.bottom == pytest.approx(camera.bottom)
    assert lower.top == pytest.approx(camera.top - 2.0, abs=1.0 / camera.scale)
    assert camera.below(camera.top + 5.0).height == camera.height
