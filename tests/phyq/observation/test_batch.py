"""Observations drawn for many levels in one call equal those drawn one by one."""

import numpy as np
import pytest

from tumble.phyq.catalogue.level import Level
from tumble.phyq.catalogue.templates import templates
from tumble.phyq.observation.batch import BatchPainter, Scenes, scene_of
from tumble.phyq.observation.camera import COLUMNS, ROWS
from tumble.phyq.observation.drawing import Painter
from tumble.phyq.observation.objects import GameObject
from tumble.phyq.observation.sprites import NO_SPRITE, SpriteTable
from tumble.phyq.observation.symbolic import CELL, TENSOR_SHAPE, state_tensor
from tumble.phyq.observation.view import View, start
from tumble.phyq.simulation import episode_views
from tumble.phyq.simulation.shots import table_of
from tumble.phyq.simulation.simulator import Simulator

ODD_OBJECTS = (
    GameObject("pig", "big", x=-17.4, y=-3.0, rotation=45.0),
    GameObject("block", "rect_fat", "ice", x=17.3, y=-3.6, rotation=12.0),
    GameObject("bird", "white", x=3.0, y=12.1),
    GameObject("egg", x=3.0, y=11.0, rotation=200.0),
    GameObject("tnt", x=900.0, y=4.0),
    GameObject("bird", "black", x=0.0, y=-900.0),
    GameObject("platform", x=-1.0, y=2.0, rotation=77.0, size=(5.0, 0.3)),
)
"""Objects at the edges of the picture and far outside."""


@pytest.fixture(scope="module")
def views() -> list[View]:
    """The start of a level of each template, the views after a shot at it, and one of odd objects."""
    levels = [design.level(0) for design in templates().values()]
    angles = np.random.default_rng(0).uniform(0.0, 75.0, len(levels))
    played = Simulator(levels).play(np.arange(len(levels)), table_of(angles), ("states",))
    ends = [episode_views.end(played, row) for row in range(len(levels))]
    return [*map(start, levels), *ends, View(ODD_OBJECTS, (-12.3, -2.4)), View(())]


def batch_of(views: list[View]) -> tuple[SpriteTable, Scenes]:
    table = SpriteTable()
    each = [scene_of(table, view.objects, view.slingshot) for view in views]
    width = max(one.sprites.shape[1] for one in each)
    sprites, poses = np.full((len(each), width), NO_SPRITE, np.int32), np.full((len(each), width, 3), np.nan)
    for row, one in enumerate(each):
        count = one.sprites.shape[1]
        sprites[row, :count], poses[row, :count] = one.sprites[0], one.poses[0]
    return table, Scenes(sprites, poses)


def test_tensors(views: list[View]) -> None:
    table, scenes = batch_of(views)
    painter = BatchPainter(table)
    expected = np.stack([state_tensor(view.objects, view.slingshot) for view in views])
    np.testing.assert_array_equal(painter.tensors(scenes).numpy(), expected)
    planes = painter.planes(scenes).numpy()
    assert planes.dtype == np.float32
    np.testing.assert_array_equal(planes, np.moveaxis(expected, -1, 1))


def test_pictures(views: list[View]) -> None:
    some = views[::4] + views[-2:]
    table, scenes = batch_of(some)
    painter = BatchPainter(table)
    expected = np.stack([Painter(view.objects, view.slingshot).paint()[0] for view in some])
    np.testing.assert_array_equal(painter.pictures(scenes).numpy(), expected)
    cells = expected.reshape(len(some), ROWS // CELL, CELL, COLUMNS // CELL, CELL, 3)
    small = painter.small_pictures(scenes).numpy()
    np.testing.assert_array_equal(small, cells.mean(axis=(2, 4)).round().astype(np.uint8))
    np.testing.assert_array_equal(some[-2].picture(), expected[-2])


def test_absent_objects_are_not_drawn() -> None:
    table = SpriteTable()
    scene = scene_of(table, ODD_OBJECTS[:3], Level.slingshot)
    scene.poses[0, 1] = np.nan  # the pig; the slingshot is drawn first
    painter, expected = BatchPainter(table), View(ODD_OBJECTS[1:3])
    np.testing.assert_array_equal(painter.tensors(scene).numpy()[0], expected.tensor())
    np.testing.assert_array_equal(painter.pictures(scene).numpy()[0], expected.picture())


def test_sprites_can_be_added_after_a_picture() -> None:
    table = SpriteTable()
    painter = BatchPainter(table)
    first = painter.pictures(scene_of(table, ODD_OBJECTS[:1], Level.slingshot)).numpy()[0]
    later = painter.pictures(scene_of(table, ODD_OBJECTS, Level.slingshot)).numpy()[0]
    np.testing.assert_array_equal(first, View(ODD_OBJECTS[:1]).picture())
    np.testing.assert_array_equal(later, View(ODD_OBJECTS).picture())
    count = len(table)
    scene_of(table, ODD_OBJECTS, Level.slingshot)
    assert len(table) == count, "equal objects share a sprite"


def test_no_pictures() -> None:
    table = SpriteTable()
    nothing = Scenes(np.zeros((0, 3), np.int32), np.zeros((0, 3, 3)))
    painter = BatchPainter(table)
    assert painter.tensors(nothing).shape == (0, *TENSOR_SHAPE)
    assert painter.pictures(nothing).shape == (0, ROWS, COLUMNS, 3)


def test_threads_do_not_change_pictures(views: list[View]) -> None:
    table, scenes = batch_of(views[:20])
    one, three = (BatchPainter(table, threads=threads).small_pictures(scenes).numpy() for threads in (1, 3))
    np.testing.assert_array_equal(one, three)
