"""Pixels belong to a shape exactly when their centre does, checked point by point against plain geometry."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tumble.scene import (
    Body,
    Circle,
    Polygon,
    Scene,
    Shape,
    box,
    colour_index,
    initial_poses,
    rasterize,
    regular_polygon,
)

Grid = NDArray[np.float64]
Picture = NDArray[np.uint8]


def depth(shape: Shape, x: Grid, y: Grid) -> Grid:
    """How deep points lie inside a shape, in its own coordinates; negative outside, zero on the edge."""
    if isinstance(shape, Circle):
        return shape.radius - np.hypot(x - shape.centre[0], y - shape.centre[1])
    corners = np.array(shape.vertices)
    depths = []
    for (ax, ay), (bx, by) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        depths.append(((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / np.hypot(bx - ax, by - ay))
    return np.min(depths, axis=0)


def brute_force(scene: Scene, poses: Grid, size: tuple[int, int]) -> tuple[Picture, NDArray[np.bool_]]:
    """The picture, and which of its pixels are too close to an edge (1e-3 units) for float32 to decide."""
    rows, columns = size
    column, row = np.meshgrid(np.arange(columns), np.arange(rows))
    x = (column + 0.5) * scene.width / columns
    y = scene.height - (row + 0.5) * scene.height / rows
    picture = np.zeros(size, dtype=np.uint8)
    unsure = np.zeros(size, dtype=np.bool_)
    for body, (px, py, angle) in zip(scene.bodies, poses, strict=True):
        cosine, sine = np.cos(angle), np.sin(angle)
        body_x = (x - px) * cosine + (y - py) * sine
        body_y = (y - py) * cosine - (x - px) * sine
        for shape in body.shapes:
            inside = depth(shape, body_x, body_y)
            picture[inside >= 0.0] = colour_index(body)
            unsure |= np.abs(inside) <= 1e-3
    return picture, unsure


def assert_like_brute_force(scene: Scene, poses: Grid, size: tuple[int, int] = (256, 256)) -> None:
    expected, unsure = brute_force(scene, poses, size)
    wrong = (rasterize(scene, poses, size) != expected) & ~unsure
    assert not wrong.any(), f"{wrong.sum()} pixels differ, the first at (row, column) {np.argwhere(wrong)[0]}"
    assert unsure.mean() < 1e-3, "nearly every pixel takes part in the comparison"


def random_shape(rng: np.random.Generator) -> Shape:
    kind = rng.integers(3)
    if kind == 0:
        return Circle(rng.uniform(0.3, 40.0), tuple(rng.uniform(-20.0, 20.0, 2)))
    if kind == 1:
        return box(rng.uniform(0.3, 150.0), rng.uniform(0.3, 20.0), tuple(rng.uniform(-20.0, 20.0, 2)))
    return regular_polygon(int(rng.integers(3, 17)), rng.uniform(2.0, 40.0), rng.uniform(0.0, 6.0))


def random_scene(rng: np.random.Generator, bodies: int, most_shapes: int = 1) -> Scene:
    """Bodies of all colours, some of them partly or wholly outside the view."""
    roles = ["placed", "object", "subject", ""]
    return Scene(
        [
            Body(
                [random_shape(rng) for _ in range(rng.integers(1, most_shapes + 1))],
                position=rng.uniform(-20.0, 276.0, 2),
                angle=rng.uniform(-10.0, 10.0),
                role=roles[k % 4],
                dynamic=bool(rng.integers(2)),
            )
            for k in range(bodies)
        ]
    )


@pytest.mark.parametrize("seed", range(10))
def test_single_shapes_match_brute_force(seed: int) -> None:
    scene = random_scene(np.random.default_rng(seed), bodies=8)
    assert_like_brute_force(scene, initial_poses(scene))


@pytest.mark.parametrize("seed", range(5))
def test_compounds_match_brute_force(seed: int) -> None:
    scene = random_scene(np.random.default_rng(seed), bodies=6, most_shapes=4)
    assert_like_brute_force(scene, initial_poses(scene))


@pytest.mark.parametrize("size", [(1, 1), (64, 64), (100, 37), (300, 517)])
def test_pictures_of_any_size_and_aspect_match_brute_force(size: tuple[int, int]) -> None:
    rng = np.random.default_rng(7)
    scene = Scene(random_scene(rng, bodies=8, most_shapes=2).bodies, width=250.0, height=180.0)
    assert_like_brute_force(scene, initial_poses(scene), size)


def test_a_batch_matches_its_pictures_one_by_one() -> None:
    rng = np.random.default_rng(3)
    scene = random_scene(rng, bodies=5, most_shapes=2)
    batch = initial_poses(scene) + rng.normal(0.0, 20.0, (7, 5, 3))
    pictures = rasterize(scene, batch.astype(np.float32))
    assert pictures.shape == (7, 256, 256)
    for picture, poses in zip(pictures, batch.astype(np.float32), strict=True):
        np.testing.assert_array_equal(picture, rasterize(scene, poses))
        assert_like_brute_force(scene, poses.astype(np.float64))


def test_the_edge_belongs_to_the_shape() -> None:
    """Corners on pixel centres, and the right triangle of sides 3, 4 and 5 in a circle: exact in float32."""
    square = rasterize(Scene((Body((box(2.0, 4.0),), (4.5, 4.5)),), 10, 10), size=(10, 10))
    assert np.argwhere(square).min(axis=0).tolist() == [3, 3]
    assert np.argwhere(square).max(axis=0).tolist() == [7, 5]
    assert np.count_nonzero(square) == 3 * 5
    circle = rasterize(Scene((Body((Circle(5.0),), (8.5, 8.5)),), 17, 17), size=(17, 17))
    widths = np.count_nonzero(circle, axis=1).tolist()
    assert widths == [0, 0, 0, 1, 7, 9, 9, 9, 11, 9, 9, 9, 7, 1, 0, 0, 0]
    diamond = Polygon([(3, 0), (0, 3), (-3, 0), (0, -3)])
    slanted = rasterize(Scene((Body((diamond,), (4.5, 4.5)),), 9, 9), size=(9, 9))
    assert np.count_nonzero(slanted, axis=1).tolist() == [0, 1, 3, 5, 7, 5, 3, 1, 0]


def test_up_in_the_scene_is_the_first_row_of_the_picture() -> None:
    picture = rasterize(Scene((Body((Circle(10.0),), (30.0, 240.0)),)))
    rows, columns = np.nonzero(picture)
    assert (rows.mean(), columns.mean()) == (15.5, 29.5)


def test_positive_angles_turn_counter_clockwise() -> None:
    picture = rasterize(Scene((Body((box(20.0, 1.0, centre=(10.0, 0.0)),), (30.5, 30.5), np.pi / 2),)))
    rows, columns = np.nonzero(picture)
    assert set(columns) == {30}
    assert rows.max() == 225, "the foot is at y = 30.5"
    assert rows.min() == 205, "the tip is at y = 50.5"


def test_later_bodies_cover_earlier_ones() -> None:
    ball = Body((Circle(10.0),), (100.5, 100.5), role="placed")
    wall = Body((box(50.0, 50.0),), (100.5, 100.5))
    assert rasterize(Scene((wall, ball)))[155, 100] == 1
    assert rasterize(Scene((ball, wall)))[155, 100] == 6


def test_absent_bodies_are_not_drawn_and_do_not_hide_others() -> None:
    scene = Scene((Body((Circle(9.0),), (50.0, 50.0)), Body((box(9.0, 9.0),), (50.0, 50.0), role="placed")))
    poses = np.repeat(initial_poses(scene)[np.newaxis], 3, axis=0)
    poses[1, 1] = np.nan
    poses[2, :, 2] = np.nan
    pictures = rasterize(scene, poses)
    assert [set(np.unique(picture)) for picture in pictures] == [{0, 1, 6}, {0, 6}, {0}]


def test_a_dormant_body_is_drawn_only_where_a_pose_says_so() -> None:
    scene = Scene((Body((Circle(9.0),), (50.0, 50.0), dormant=True),))
    assert not rasterize(scene).any()
    assert rasterize(scene, [[50.0, 50.0, 0.0]])[205, 50] == 6


@pytest.mark.parametrize("far", [1e4, 1e12, 1e30, 1e300])
def test_bodies_far_away_leave_the_picture_empty(far: float) -> None:
    scene = Scene((Body((Circle(9.0),)), Body((box(9.0, 5.0),)), Body((regular_polygon(7, 3.0),))))
    for x, y in [(far, 50.0), (-far, 50.0), (50.0, far), (50.0, -far), (far, far), (-far, -far)]:
        assert not rasterize(scene, [[x, y, 0.3]] * 3).any()


@pytest.mark.parametrize("shape", [Circle(1e9), box(1e9, 1e9)])
def test_a_body_larger_than_any_view_fills_it(shape: Shape) -> None:
    assert (rasterize(Scene((Body((shape,), role="placed"),))) == 1).all()


def test_nothing_to_draw_gives_empty_pictures() -> None:
    nothing = Scene(())
    assert rasterize(nothing).tolist() == np.zeros((256, 256)).tolist()
    assert rasterize(nothing, np.zeros((4, 0, 3)), size=(5, 6)).shape == (4, 5, 6)
    ball = Scene((Body((Circle(1.0),)),))
    assert rasterize(ball, np.zeros((0, 1, 3)), size=(5, 6)).shape == (0, 5, 6)


@pytest.mark.parametrize("size", [(0, 5), (5, -1), (5,), (5, 6, 7), 5, (1.5, 2), (5, 20_000), ("a", 5), None])
def test_an_impossible_size_is_refused(size: object) -> None:
    with pytest.raises(ValueError, match=r"size must be \(rows, columns\)"):
        rasterize(Scene(()), size=size)
