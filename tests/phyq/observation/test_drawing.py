"""Screenshots show objects at the camera's positions, and batches give the same pictures."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tumble.phyq.catalogue.level import Block, Level, Pig, Platform
from tumble.phyq.catalogue.physics import BIRD_COLOURS, BLOCK_SHAPES, MATERIAL_NAMES, PIG_SIZES
from tumble.phyq.catalogue.tasks import task
from tumble.phyq.observation.camera import to_pixels, to_world
from tumble.phyq.observation.drawing import DrawingError, Painter, save_png, screenshot
from tumble.phyq.observation.objects import COLOURS, GameObject, moved, objects_of, poses_of

LEVEL = Level(
    ("red",),
    (Pig("big", 0.0, 0.0),),
    (Block("rect_fat", "wood", 5.0, 2.0),),
    (Platform(-5.0, 4.0, 0.0, 4.0, 2.0),),
)


def colour_at(picture: np.ndarray, x: float, y: float) -> tuple[int, ...]:
    column, row = to_pixels(np.array([x, y])).astype(int)
    return tuple(picture[row, column].tolist())


def test_the_camera_is_the_published_one() -> None:
    assert to_pixels(np.array([-12.15, -1.7])).tolist() == pytest.approx([97.8, 252.8], abs=0.05)
    assert to_pixels(np.array([0.0, -3.5]))[1] == pytest.approx(285.7, abs=0.02)
    assert to_pixels(np.array([[-17.5, 12.125], [17.5, -14.125]])).tolist() == [[0.0, 0.0], [640.0, 480.0]]
    assert to_world(*to_pixels(np.array([3.0, 2.0]))) == pytest.approx((3.0, 2.0))


def test_objects_are_drawn_at_their_positions() -> None:
    picture = screenshot(LEVEL)
    assert picture.shape == (480, 640, 3)
    assert picture.dtype == np.uint8
    assert colour_at(picture, -5.0, 4.0) == COLOURS["platform"]
    assert colour_at(picture, 0.3, -0.25) == COLOURS["pig"]
    assert colour_at(picture, 5.2, 2.08) == COLOURS["wood"]
    assert colour_at(picture, 0.0, -10.0) in (COLOURS["earth"], COLOURS["earth dark"])


def test_parts_below_the_ground_are_hidden() -> None:
    empty, sunk = (screenshot(LEVEL, [GameObject("platform", x=0.0, y=y, size=(2.0, 2.0))]) for y in (30.0, -5.0))
    assert np.array_equal(empty, sunk)


def test_every_kind_can_be_drawn() -> None:
    kinds = [GameObject("block", shape, material) for shape in BLOCK_SHAPES for material in MATERIAL_NAMES]
    kinds += [GameObject("pig", size) for size in PIG_SIZES] + [GameObject("bird", colour) for colour in BIRD_COLOURS]
    kinds += [GameObject("tnt"), GameObject("egg"), GameObject("platform", size=(1.0, 1.0))]
    pictures = [screenshot(LEVEL, [kind]).tobytes() for kind in kinds]
    assert len(set(pictures)) == len(kinds)


def test_a_batch_gives_the_same_pictures() -> None:
    level = task("12.1:003").level
    start = objects_of(level)
    shifts = np.linspace(0.0, 3.0, 20)
    poses = poses_of(start)[None] + np.stack([shifts, 0.1 * shifts, shifts], axis=-1)[:, None]
    poses[3, :5] = np.nan
    pictures = Painter(start).paint(poses)
    for k in (0, 3, 17):
        assert np.array_equal(pictures[k], screenshot(level, moved(start, poses[k])))


def test_wrong_poses_are_rejected() -> None:
    with pytest.raises(DrawingError, match=r"poses must be \[n, 4, 3\], got \[4, 3\]"):
        Painter(objects_of(LEVEL)).paint(np.zeros((4, 3)))


@pytest.mark.parametrize("far", [1e6, 1e30, np.inf, np.nan])
def test_objects_far_away_or_without_a_pose_are_not_drawn(far: float) -> None:
    poses = poses_of(objects_of(LEVEL))[None].repeat(2, axis=0)
    poses[0, 0] = far
    pictures = Painter(objects_of(LEVEL)).paint(poses)
    assert np.array_equal(pictures[1], screenshot(LEVEL))
    assert not np.array_equal(pictures[0], pictures[1])


def test_a_picture_is_saved(tmp_path: Path) -> None:
    save_png(tmp_path / "level.png", screenshot(LEVEL))
    with Image.open(tmp_path / "level.png") as saved:
        assert np.array_equal(np.asarray(saved), screenshot(LEVEL))
