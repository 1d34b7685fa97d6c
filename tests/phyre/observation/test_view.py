"""Pictures, features, masks and boxes agree with plain geometry."""

import json
import lzma
from math import cos, hypot, pi, sin, sqrt
from pathlib import Path

import numpy as np
import pytest

from tumble import phyre
from tumble.phyre import Task
from tumble.phyre.catalogue.tasks_by_id import solution
from tumble.phyre.catalogue.template import BodyShape, ball, bar, jar, sticks
from tumble.phyre.catalogue.templates import NAMES, published_numbers
from tumble.phyre.observation import view
from tumble.scene import Body, Circle, Scene, box, initial_poses

TOO_CLOSE = 1e-3
"""Pixels from an edge within which float32 can't decide on which side a pixel's centre lies."""
COLUMN, ROW = np.meshgrid(np.arange(256), np.arange(256))
X, Y = COLUMN + 0.5, 255.5 - ROW
"""The centres of the pixels; row 0 is the top, y points up."""

RED, GREEN, BLUE, PURPLE, GRAY, BLACK = range(1, 7)


def first_task(template: str) -> Task:
    return phyre.task(f"{template}:{published_numbers()[template][0]:03d}")


def colours_of(task: Task, scene: Scene) -> list[int]:
    """The paper's colours: goal bodies, placed balls, and other bodies, dynamic or static."""
    colours = []
    for k, body in enumerate(scene.bodies):
        if k >= len(task.scene.bodies):
            colours.append(RED)
        elif k == task.body:
            colours.append(GREEN)
        elif k == task.other:
            colours.append(BLUE if body.dynamic else PURPLE)
        else:
            colours.append(GRAY if body.dynamic else BLACK)
    return colours


def outlines(body: Body, pose: np.ndarray) -> list[tuple[float, np.ndarray]]:
    """The shapes of a body where it is: a radius and a centre, or 0 and the corners."""
    x, y, angle = map(float, pose)
    found = []
    for shape in body.shapes:
        points = [shape.centre] if isinstance(shape, Circle) else shape.vertices
        placed = [(x + u * cos(angle) - v * sin(angle), y + u * sin(angle) + v * cos(angle)) for u, v in points]
        found.append((shape.radius if isinstance(shape, Circle) else 0.0, np.array(placed)))
    return found


def depth(radius: float, points: np.ndarray) -> np.ndarray:
    """How deep inside a circle or a convex polygon the centre of each pixel lies; negative outside."""
    if radius:
        return radius - np.hypot(X - points[0, 0], Y - points[0, 1])
    sides = zip(points, np.roll(points, -1, axis=0), strict=True)
    to_the_left = [
        ((bx - ax) * (Y - ay) - (by - ay) * (X - ax)) / hypot(bx - ax, by - ay) for (ax, ay), (bx, by) in sides
    ]
    return np.min(to_the_left, axis=0)


def assert_drawn_as_it_is(picture: np.ndarray, scene: Scene, poses: np.ndarray, colours: list[int]) -> None:
    expected = np.zeros((256, 256), np.uint8)
    undecided = np.zeros((256, 256), bool)
    for body, pose, colour in zip(scene.bodies, poses, colours, strict=True):
        for radius, points in outlines(body, pose):
            inside = depth(radius, points)
            expected[inside >= 0.0] = colour
            undecided |= np.abs(inside) < TOO_CLOSE
    wrong = np.argwhere((picture != expected) & ~undecided)
    assert not len(wrong), f"{len(wrong)} pixels differ, the first at (row, column) {wrong[0]}"
    assert undecided.mean() < 1e-3, "nearly every pixel takes part in the comparison"


QUICK = ("00000", "00003", "00004", "00008", "00012", "00016", "00020", "00023", "00105", "00106", "00112", "00122")
"""Templates with balls, turned bars, jars and crossed sticks."""


@pytest.mark.parametrize(
    "template", [pytest.param(key, marks=[] if key in QUICK else [pytest.mark.slow]) for key in NAMES]
)
def test_a_task_is_drawn_pixel_by_pixel_in_the_colours_of_the_paper(template: str) -> None:
    task = first_task(template)
    picture = view.picture(task.scene)
    assert (picture.shape, picture.dtype) == ((256, 256), np.uint8)
    assert_drawn_as_it_is(picture, task.scene, initial_poses(task.scene), colours_of(task, task.scene))


@pytest.mark.parametrize("template", ["00003", "00004", "00012", "00023", "00105", "00115"])
def test_a_rollout_is_drawn_as_it_goes(template: str) -> None:
    """Sticks in jars, beams, pegs, planks, jars that tip over, and crossed sticks."""
    task = first_task(template)
    action = solution(task.id)
    attempt = phyre.Simulator([task], task.tier).simulate(task, action, stride=50, want=("observations", "states"))
    colours = colours_of(task, attempt.scene)
    assert colours.count(RED) == phyre.TIERS[task.tier].balls
    for frame in (0, 2, -1):
        poses = attempt.states[frame, :, :3]
        assert_drawn_as_it_is(attempt.observations[frame], attempt.scene, poses, colours)
    assert (attempt.observations[0] != attempt.observations[-1]).any(), "something has moved"


def test_frames_are_drawn_together_as_one_by_one() -> None:
    scene = first_task("00010").scene
    poses = initial_poses(scene) + np.random.default_rng(0).normal(0.0, 9.0, (5, len(scene.bodies), 3))
    for look in (view.picture, view.features, view.masks, view.boxes):
        together = look(scene, poses)
        for frame, alone in zip(together, poses, strict=True):
            np.testing.assert_array_equal(frame, look(scene, alone))


def test_one_hot_has_a_plane_for_each_of_the_seven_colours() -> None:
    pictures = np.stack([view.picture(first_task(template).scene) for template in ("00003", "00008")])
    planes = view.one_hot(pictures)
    assert (planes.shape, planes.dtype) == ((2, 7, 256, 256), np.float32)
    np.testing.assert_array_equal(planes.sum(axis=1), 1.0)
    for colour in range(7):
        np.testing.assert_array_equal(planes[:, colour] == 1.0, pictures == colour)
    assert view.one_hot(pictures[0], np.uint8).dtype == np.uint8
    np.testing.assert_array_equal(view.one_hot(pictures[0]), planes[0])


@pytest.mark.parametrize("template", ["00000", "00013", "00016", "00124"])
def test_the_four_walls_are_no_objects(template: str) -> None:
    """They lie just outside the scene and are always the first four bodies."""
    scene = first_task(template).scene
    np.testing.assert_array_equal(view.objects(scene), np.arange(4, len(scene.bodies)))


def test_slats_above_the_scene_are_no_objects() -> None:
    """Template 00020 lays ten slats with their bottoms at multiples of 0.15: number 7, 8 and 9 lie above the scene."""
    for number in published_numbers()["00020"][::10]:
        scene = phyre.task(f"00020:{number:03d}").scene
        assert len(scene.bodies) == 19
        invisible = np.setdiff1d(np.arange(19), view.objects(scene))
        first_slat = 4 + 1
        np.testing.assert_array_equal(invisible, [0, 1, 2, 3, first_slat + 7, first_slat + 8, first_slat + 9])
        for k in invisible:
            for radius, points in outlines(scene.bodies[k], initial_poses(scene)[k]):
                assert depth(radius, points).max() < 0.0, "no pixel shows it"


def test_a_dynamic_body_outside_the_view_is_an_object() -> None:
    """It may come in."""
    above = Body((Circle(5.0),), position=(100.0, 300.0), dynamic=True)
    below = Body((Circle(5.0),), position=(100.0, -30.0))
    np.testing.assert_array_equal(view.objects(Scene((below, above))), [1])


def body(shape: BodyShape, x: float, y: float, degrees: float, dynamic: bool, role: str = "") -> Body:
    return Body(shape.shapes, position=(x, y), angle=degrees * pi / 180.0, dynamic=dynamic, role=role)


def test_the_fourteen_features() -> None:
    """Shares of 256 pixels and of a turn; diameters by the benchmark's formulas, sizes by the fact sheets.

    jar(0.2) has h = 51.2, W = h / 1.2, b = 0.8 W and e = (W - b) / 2, so that b + e = 38.4.
    """
    scene = Scene(
        (
            body(ball(0.1), 64.0, 128.0, 0.0, True, "object"),
            body(bar(0.3), 128.0, 32.0, 90.0, False, "subject"),
            body(jar(0.2), 32.0, 192.0, -45.0, True, "subject"),
            body(sticks(0.5), 192.0, 64.0, 370.0, True),
            body(bar(1.0), 128.0, 16.0, 180.0, False),
            body(BodyShape((Circle(7.0),)), 200.0, 200.0, 720.0, True, "placed"),
        )
    )
    table = view.features(scene)
    assert (table.shape, table.dtype) == ((6, 14), np.float32)
    diameters = [
        2 * 12.5,
        sqrt(76.8**2 + 5.12**2),
        sqrt(38.4**2 + 51.2**2),
        sqrt(128.0**2 + 5.12**2),
        sqrt(256.0**2 + 5.12**2),
        2 * 7.0,
    ]
    expected = np.array(
        [
            [0.25, 0.5, 0.0, diameters[0] / 256],
            [0.5, 0.125, 0.25, diameters[1] / 256],
            [0.125, 0.75, 0.875, diameters[2] / 256],
            [0.75, 0.25, 1.0 / 36.0, diameters[3] / 256],
            [0.5, 0.0625, 0.5, diameters[4] / 256],
            [0.78125, 0.78125, 0.0, diameters[5] / 256],
        ]
    )
    np.testing.assert_allclose(table[:, :4], expected, rtol=0.0, atol=1e-6)
    np.testing.assert_array_equal(table[:, 4:8], np.eye(4)[[0, 1, 2, 3, 1, 0]])
    colours = np.array([GREEN, PURPLE, BLUE, GRAY, BLACK, RED])
    np.testing.assert_array_equal(table[:, 8:], np.eye(6)[colours - 1])


def test_an_angle_is_a_share_of_a_turn_from_0_up_to_but_not_1() -> None:
    scene = Scene((Body((box(9.0, 3.0),), dynamic=True),))
    angles = np.concatenate([np.random.default_rng(0).uniform(-50.0, 50.0, 1000), [0.0, -1e-9, -1e-7, 2 * pi, -2 * pi]])
    poses = np.stack([np.full_like(angles, 100.0), np.full_like(angles, 100.0), angles], axis=1)[:, None]
    shares = view.features(scene, poses)[:, 0, 2]
    assert shares.min() >= 0.0
    assert shares.max() < 1.0
    np.testing.assert_allclose(np.exp(2j * pi * shares), np.exp(1j * angles), atol=1e-5)


def test_kinds_and_colours_are_the_published_ones(shared_data: Path) -> None:
    """What a body is called follows from its shapes, and its colour from its role."""
    names = {"ball": "ball", "bar": "bar", "jar": "jar", "standing_sticks": "sticks"}
    with lzma.open(shared_data / "phyre" / "official_tasks.json.xz", "rt") as stream:
        records = json.load(stream)
    for key in list(records)[::25]:
        scene = phyre.task(key).scene
        chosen = view.objects(scene)
        table = view.features(scene)
        bodies = [records[key]["bodies"][k] for k in chosen]
        kinds = [view.KINDS.index(names[body["kind"]]) for body in bodies]
        np.testing.assert_array_equal(table[:, 4:8].argmax(axis=1), kinds, err_msg=key)
        np.testing.assert_array_equal(table[:, 8:].argmax(axis=1) + 1, [body["color"] for body in bodies], err_msg=key)


def test_padding_keeps_the_features_and_says_which_rows_are_real() -> None:
    table = view.features(first_task("00000").scene)
    full, real = view.padded(table, 5)
    assert (full.shape, real.shape) == ((5, 14), (5,))
    np.testing.assert_array_equal(full[:2], table)
    np.testing.assert_array_equal(full[2:], 0.0)
    np.testing.assert_array_equal(real, [True, True, False, False, False])
    frames, rows = view.padded(np.stack([table, table, table]), 2)
    assert (frames.shape, rows.shape) == ((3, 2, 14), (3, 2))
    with pytest.raises(ValueError, match="2 objects do not fit into 1 rows"):
        view.padded(table, 1)


def test_an_absent_body_is_no_real_row() -> None:
    scene = first_task("00000").scene
    poses = initial_poses(scene)
    poses[4] = np.nan
    full, real = view.padded(view.features(scene, poses), 3)
    np.testing.assert_array_equal(real, [False, True, False])
    np.testing.assert_array_equal(full[0], 0.0)


@pytest.mark.parametrize("template", ["00003", "00008", "00020", "00106", "00122"])
def test_masks_painted_in_order_give_the_picture(template: str) -> None:
    """The pixels of a picture that are not background are those of objects, and later bodies cover earlier ones."""
    task = first_task(template)
    masks, chosen = view.masks(task.scene), view.objects(task.scene)
    assert (masks.shape, masks.dtype) == ((len(chosen), 256, 256), bool)
    painted = np.zeros((256, 256), np.uint8)
    colours = colours_of(task, task.scene)
    for mask, k in zip(masks, chosen, strict=True):
        painted[mask] = colours[k]
    np.testing.assert_array_equal(painted, view.picture(task.scene))


def test_a_mask_has_hidden_pixels_too() -> None:
    large, small = Body((box(50.0, 50.0),), position=(100.0, 100.0)), Body((Circle(10.5),), position=(100.0, 100.0))
    masks = view.masks(Scene((small, large)))
    assert masks[1].sum() == 50 * 50
    assert masks[0].sum() == np.count_nonzero(np.hypot(X - 100.0, Y - 100.0) <= 10.5)


@pytest.mark.parametrize("template", ["00003", "00008", "00020", "00106", "00122"])
def test_boxes_are_the_extents(template: str) -> None:
    task = first_task(template)
    poses = initial_poses(task.scene)
    poses[:, 2] += 0.3
    for k, (left, bottom, right, top) in zip(view.objects(task.scene), view.boxes(task.scene, poses), strict=True):
        corners = [(points - radius, points + radius) for radius, points in outlines(task.scene.bodies[k], poses[k])]
        low = np.min([part.min(axis=0) for part, _ in corners], axis=0)
        high = np.max([part.max(axis=0) for _, part in corners], axis=0)
        np.testing.assert_allclose([left, bottom, right, top], [*low, *high], atol=1e-9)


def test_a_scene_without_bodies_can_be_looked_at() -> None:
    nothing = Scene(())
    assert view.objects(nothing).shape == (0,)
    assert view.features(nothing).shape == (0, 14)
    assert view.masks(nothing).shape == (0, 256, 256)
    assert view.boxes(nothing).shape == (0, 4)


def most_objects(template: str) -> int:
    scenes = [phyre.task(f"{template}:{number:03d}").scene for number in published_numbers()[template]]
    return max(len(view.objects(scene)) for scene in scenes)


def test_the_largest_task_fits_with_two_balls() -> None:
    """The fact sheets: template 00013 has up to 65 bodies, the four walls included, and no template has more."""
    assert most_objects("00013") == 65 - 4
    assert most_objects("00013") + 2 <= view.MAX_OBJECTS == 64


@pytest.mark.slow
def test_every_published_task_fits_with_two_balls() -> None:
    assert max(most_objects(template) for template in NAMES) + 2 <= view.MAX_OBJECTS
