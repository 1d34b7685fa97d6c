"""Pictures drawn alone, together or from several threads at once are the same pictures."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tumble.scene import Body, Circle, Scene, box, initial_poses, rasterize, regular_polygon
from tumble.scene.painter import CACHED_PAINTERS


def mixed_scene(seed: int, bodies: int = 8) -> Scene:
    """Circles, bars, compounds and many-sided bodies of all colours, some of them partly outside the view."""
    rng = np.random.default_rng(seed)
    shapes = (
        lambda: (Circle(rng.uniform(2.0, 30.0)),),
        lambda: (box(rng.uniform(20.0, 150.0), 5.12),),
        lambda: (box(30.0, 5.0), Circle(6.0, (10.0, 4.0)), regular_polygon(5, 12.0)),
        lambda: (regular_polygon(int(rng.integers(3, 17)), rng.uniform(5.0, 30.0)),),
    )
    return Scene(
        [
            Body(
                shapes[k % 4](),
                position=rng.uniform(-10.0, 266.0, 2),
                angle=rng.uniform(-7.0, 7.0),
                role=("", "placed", "object", "subject")[k // 2 % 4],
                dynamic=k % 3 == 0,
            )
            for k in range(bodies)
        ]
    )


def moved(scene: Scene, count: int, seed: int) -> np.ndarray:
    """Poses [count, bodies, 3] about where the scene has its bodies; now and then a body is absent."""
    rng = np.random.default_rng(seed)
    poses = initial_poses(scene) + rng.normal(0.0, 1.0, (count, len(scene.bodies), 3)) * (40.0, 40.0, 3.0)
    poses[rng.random(poses.shape[:2]) < 0.05] = np.nan
    return poses


@pytest.mark.parametrize("size", [(256, 256), (64, 64), (31, 97), (300, 280)])
def test_a_picture_alone_is_the_picture_in_a_batch(size: tuple[int, int]) -> None:
    for seed in range(3):
        scene = mixed_scene(seed)
        poses = moved(scene, 60, seed)
        together = rasterize(scene, poses, size)
        assert len({picture.tobytes() for picture in together}) == 60, "they differ from each other"
        for pose, expected in zip(poses, together, strict=True):
            np.testing.assert_array_equal(rasterize(scene, pose, size), expected)
            np.testing.assert_array_equal(rasterize(scene, pose[None], size), expected[None])


def test_a_picture_stays_as_it_was_when_the_next_is_drawn() -> None:
    scene = mixed_scene(0)
    first, second = moved(scene, 2, 0)
    kept = rasterize(scene, first)
    before = kept.copy()
    rasterize(scene, second)
    np.testing.assert_array_equal(kept, before)
    kept[:] = 7  # it is the caller's to write to
    np.testing.assert_array_equal(rasterize(scene, first), before)


def test_the_view_may_have_another_size_each_time() -> None:
    scene = mixed_scene(1)
    expected = {size: rasterize(scene, size=size) for size in ((256, 256), (128, 256), (50, 60))}
    for size in ((50, 60), (256, 256), (50, 60), (128, 256)):
        np.testing.assert_array_equal(rasterize(scene, size=size), expected[size])


def test_threads_draw_the_right_pictures() -> None:
    """One scene from all threads at once, each with other poses, singly and in batches."""
    scene = mixed_scene(2, bodies=16)
    poses = moved(scene, 400, 2)
    expected = rasterize(scene, poses)

    def drawn(k: int) -> np.ndarray:
        return rasterize(scene, poses[k]) if k % 10 else rasterize(scene, poses[k : k + 2])[0]

    with ThreadPoolExecutor(8) as pool:
        for k, picture in enumerate(pool.map(drawn, range(400))):
            np.testing.assert_array_equal(picture, expected[k])


def test_threads_draw_many_scenes() -> None:
    """More scenes than are kept prepared, so that they push each other out."""
    scenes = [mixed_scene(seed, bodies=4) for seed in range(CACHED_PAINTERS + 20)]
    expected = [rasterize(scene) for scene in scenes]
    order = np.random.default_rng(0).permutation(np.tile(np.arange(len(scenes)), 4))
    with ThreadPoolExecutor(8) as pool:
        for k, picture in zip(order, pool.map(lambda k: rasterize(scenes[k]), order), strict=True):
            np.testing.assert_array_equal(picture, expected[k])
