"""Pictures of objects on stages, held against geometry."""

from types import SimpleNamespace

import numpy as np
import pytest
from staged_scenes import SIZE, STAGE, box_mesh, first_hits, pixel_rays, staged, turned

from tumble.comphy.catalogue.video_set import FLOORS, LIGHTS, Stage
from tumble.comphy.objects.shape import CATEGORIES, build_object
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.observation.renderer import ClipError, Frames
from tumble.comphy.observation.renderer.renderers import RendererError
from tumble.comphy.observation.staged import (
    LookError,
    ObjectLook,
    StagedClip,
    clips,
    get_staged_renderer,
    render_each_staged_with,
    render_many_staged,
)
from tumble.comphy.observation.staged.clips import LEAF, build_tree
from tumble.comphy.observation.staged.scene import stage_rows
from tumble.comphy.observation.staged.workers import StagedWorker

CROWD = staged(
    (ObjectLook("mug", 1, "red", "metal"), 0.3, 0.2),
    (ObjectLook("chair", 2, "blue", "rubber", "wood"), -0.2, -0.5),
    (ObjectLook("teapot", 3, "green", "rubber", "ceramic"), -0.6, 0.3),
    (ObjectLook("bowl", 4, "yellow", "rubber", "painted"), 0.5, -0.5),
)


def shot(clip: StagedClip) -> Frames:
    return render_many_staged([clip], SIZE, threads=1)[0]


def same(one: Frames, other: Frames) -> bool:
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ("rgb", "mask", "depth"))


@pytest.mark.parametrize("category", ["mug", "chair", "bowl"])
def test_every_triangle_is_in_one_leaf_and_inside_of_all_boxes_above_it(category: str) -> None:
    shape = build_object(category, 5).mesh
    triangles = shape.vertices[shape.faces]
    tree = build_tree(triangles)
    assert sorted(tree.order) == list(range(len(triangles)))
    assert tree.starts[0] == 0
    assert tree.starts[-1] == len(triangles)
    assert len(tree.boxes) == 2 * tree.leaves - 1
    for leaf in range(tree.leaves):
        inside = triangles[tree.order[tree.starts[leaf] : tree.starts[leaf + 1]]].reshape(-1, 3)
        assert len(inside) <= 3 * LEAF
        node = leaf + tree.leaves
        while node and len(inside):
            lower, upper = tree.boxes[node - 1]
            assert (inside >= lower).all()
            assert (inside <= upper).all()
            node //= 2


def test_masks_and_depth_are_those_of_every_triangle_tried_in_turn() -> None:
    look, place, angle = ObjectLook("chair", 5, "cyan"), (0.1, -0.2), 0.9
    frames = shot(staged((look, *place), angle=angle))
    shape = build_object("chair", 5).mesh
    triangles = turned(shape.vertices[shape.faces].astype(float), angle, *place)
    expected = first_hits(triangles, np.array(CAMERA.position), pixel_rays())
    assert ((frames.mask[0] == 1) != np.isfinite(expected)).sum() <= 2  # rays that graze an edge
    both = (frames.mask[0] == 1) & np.isfinite(expected)
    assert both.sum() > 50
    np.testing.assert_allclose(frames.depth[0][both], expected[both], atol=2e-3)


def test_a_box_is_seen_where_the_slabs_of_a_box_are(monkeypatch: pytest.MonkeyPatch) -> None:
    half, rise, angle = (0.3, 0.2, 0.15), 0.1, 0.5
    monkeypatch.setattr(clips, "build_object", lambda shape, form: SimpleNamespace(mesh=box_mesh(half, rise)))
    frames = shot(staged((ObjectLook("sofa", "a box", "red"), 0.2, 0.1), angle=angle))
    origin = turned(np.array(CAMERA.position) - (0.2, 0.1, 0.0), -angle, 0.0, 0.0) - (0.0, 0.0, half[2] + rise)
    rays = turned(pixel_rays(), -angle, 0.0, 0.0)
    one, two = (-np.array(half) - origin) / rays, (np.array(half) - origin) / rays
    enter, leave = np.minimum(one, two).max(axis=-1), np.maximum(one, two).min(axis=-1)
    hit = enter < leave
    assert (hit != (frames.mask[0] == 1)).sum() <= 1
    np.testing.assert_allclose(
        frames.depth[0][hit & (frames.mask[0] == 1)], enter[hit & (frames.mask[0] == 1)], atol=1e-4
    )
    floor = -CAMERA.position[2] / pixel_rays()[..., 2]
    np.testing.assert_allclose(
        frames.depth[0][~hit & (frames.mask[0] == 0)], floor[~hit & (frames.mask[0] == 0)], rtol=1e-5
    )


def test_pictures_are_the_same_again_in_a_batch_and_on_several_threads() -> None:
    other = staged((ObjectLook("cone", 1, "gray", "metal"), 0.0, 0.5), stage=Stage("tiles", "sky", 2))
    alone = shot(CROWD)
    assert same(alone, shot(CROWD))
    batch = render_many_staged([other, CROWD, other, CROWD, other, other], SIZE, threads=2)
    assert same(batch[1], alone)
    assert same(batch[3], alone)
    assert same(batch[0], batch[5])
    assert not np.array_equal(batch[0].rgb, alone.rgb)
    delivered: dict[int, np.ndarray] = {}
    deliver = lambda number, frames: delivered.update({number: frames.rgb.copy()})  # noqa: E731
    render_each_staged_with("analytic", [CROWD, other], deliver, SIZE, threads=1)
    assert np.array_equal(delivered[0], alone.rgb)
    assert np.array_equal(delivered[1], batch[0].rgb)


@pytest.mark.parametrize("light", LIGHTS)
def test_nothing_is_missed_outside_the_traced_tiles(light: str, monkeypatch: pytest.MonkeyPatch) -> None:
    places = CROWD.positions + np.array([0.9, 0.4, 0.0])
    moved = StagedClip(CROWD.looks, places, CROWD.orientations, Stage("metal", light, 3))
    usual = shot(moved)
    run = StagedWorker._run

    def every_tile(self: StagedWorker, kernel: object, shape: tuple[int, ...], inputs: list[object]) -> None:
        run(self, kernel, shape, inputs)
        if getattr(kernel, "key", "") == "mark_tiles":
            everyone = (1 << len(CROWD.looks)) - 1
            self.scratch.tiles.fill_(everyone | everyone << 16)

    monkeypatch.setattr(StagedWorker, "_run", every_tile)
    assert same(usual, shot(moved))


def test_floors_can_be_told_apart_and_depend_on_their_seed() -> None:
    empty = np.zeros((1, 0, 3)), np.zeros((1, 0, 4))
    clips = [StagedClip((), *empty, Stage(floor, "sky", seed)) for floor in FLOORS for seed in (1, 2)]
    pictures = np.array([frames.rgb[0].astype(float) for frames in render_many_staged(clips, SIZE, threads=1)])
    apart = np.abs(pictures[:, None] - pictures).mean(axis=(2, 3, 4))[~np.eye(len(pictures), dtype=bool)]
    assert apart.min() > 4.0
    assert pictures.mean() > 70.0
    assert (pictures.std(axis=(1, 2)).mean(axis=-1) > 3.0).all()


def test_shadows_fall_away_from_the_light() -> None:
    light = stage_rows(STAGE).row["light"]
    away = -light[:2] / np.linalg.norm(light[:2])
    frames = shot(staged((ObjectLook("cone", 1, "red"), 0.0, 0.0)))
    bare = shot(StagedClip((), np.zeros((1, 0, 3)), np.zeros((1, 0, 4)), STAGE))
    share = frames.rgb[0].astype(float).sum(axis=-1) / bare.rgb[0].astype(float).sum(axis=-1)
    for reach, is_dark in ((0.34, True), (-0.45, False)):
        x, y, _ = CAMERA.project(np.array([*(reach * away), 0.0]))
        at = int(y * SIZE[1]), int(x * SIZE[0])
        assert frames.mask[0][at] == 0
        assert (share[at] < 0.8) == is_dark
    near = np.lib.stride_tricks.sliding_window_view(np.pad(frames.mask[0], 1), (3, 3)).any(axis=(2, 3))
    assert (share[~near] < 1.02).all()


def inner(frames: Frames, body: int) -> np.ndarray:
    """int [pixel, 3]: colours inside of a body, without its edge."""
    inside = frames.mask[0] == body + 1
    inside[1:-1, 1:-1] &= inside[2:, 1:-1] & inside[:-2, 1:-1] & inside[1:-1, 2:] & inside[1:-1, :-2]
    return frames.rgb[0][inside].astype(int)


def test_metal_mirrors_its_neighbour_and_rubber_does_not() -> None:
    reddest = []
    for material in ("metal", "rubber"):
        look = ObjectLook("mug", 3, "gray", material)
        alone, beside = (
            shot(staged((look, 0.0, 0.0), *others)) for others in ((), ((ObjectLook("sofa", 1, "red"), -0.3, -0.4),))
        )
        redness = [float((inner(one, 0)[:, 0] - inner(one, 0)[:, 1]).max()) for one in (alone, beside)]
        reddest.append(redness[1] - redness[0])
    assert reddest[0] > 25
    assert reddest[1] < 8


def test_patterns_change_the_picture_of_an_object_and_nothing_else() -> None:
    plain, *others = (
        shot(staged((ObjectLook("sofa", 2, "green", "rubber", pattern), 0.0, 0.0)))
        for pattern in ("plain", "wood", "ceramic", "painted")
    )
    for frames in others:
        assert np.array_equal(frames.mask, plain.mask)
        assert np.array_equal(frames.depth, plain.depth)
        assert np.abs(inner(frames, 0) - inner(plain, 0)).mean() > 5.0
        far = np.ones_like(plain.mask[0], bool)
        rows, columns = np.nonzero(plain.mask[0])
        far[rows.min() - 1 : rows.max() + 2, columns.min() - 1 : columns.max() + 2] = False
        assert np.array_equal(frames.rgb[0][far], plain.rgb[0][far])


def test_every_category_can_be_rendered() -> None:
    clips = [staged((ObjectLook(category, 1, "purple"), 0.0, 0.0)) for category in CATEGORIES]
    for frames in render_many_staged(clips, SIZE, threads=1):
        assert (frames.mask == 1).sum() > 25


def test_what_cannot_be_rendered_is_named() -> None:
    with pytest.raises(LookError, match="no shape 'cube'"):
        ObjectLook("cube", 1, "red")
    with pytest.raises(LookError, match="no pattern 'tartan'"):
        ObjectLook("mug", 1, "red", "rubber", "tartan")
    with pytest.raises(RendererError, match="no renderer 'crayons'"):
        get_staged_renderer("crayons")
    with pytest.raises(ClipError, match="positions of 1 objects must be"):
        StagedClip((ObjectLook("mug", 1, "red"),), np.zeros((2, 3, 3)), np.zeros((2, 3, 4)), STAGE)


@pytest.mark.gpu
def test_a_gpu_gives_the_same_pictures() -> None:
    cpu, gpu = (render_many_staged([CROWD] * 3, device=device)[2] for device in ("cpu", "cuda"))
    apart = np.abs(cpu.rgb.astype(int) - gpu.rgb.astype(int))
    assert (apart > 1).mean() < 1e-4
    assert (cpu.mask != gpu.mask).sum() <= 2
    np.testing.assert_allclose(cpu.depth[cpu.mask == gpu.mask], gpu.depth[cpu.mask == gpu.mask], rtol=1e-4)
