"""The renderer's pictures, held against geometry."""

from collections.abc import Iterator
from hashlib import sha256

import numpy as np
import pytest

from tumble.comphy.catalogue.body import COLORS, MATERIALS, SHAPES, Body, Motion
from tumble.comphy.catalogue.world import CUBE_HALF_SIZE, RADIUS
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.observation.renderer import (
    FULL_SIZE,
    Clip,
    ClipError,
    Frames,
    SizeError,
    render,
    render_each,
    render_many,
    workers,
)
from tumble.comphy.observation.renderer.ray_color import LAMP
from tumble.comphy.observation.renderer.scene import MAX_BODIES
from tumble.comphy.observation.video import bounding_boxes

WIDTH, HEIGHT = FULL_SIZE
FOCAL = WIDTH * CAMERA.focal_length / CAMERA.sensor_width
"""In pixels."""
SMALL = (120, 80)
GOLDEN = ["2112cc1c03299673", "723fafdf9572c5a2", "0fb880cf83f916cb"]
"""SHA-256 of pictures, masks and depth of `CROWD`, as rendered before frames of many videos went into one launch."""


def clip(*bodies: tuple[str, float, float], angle: float = 0.3) -> Clip:
    """One frame of bodies on the table: (appearance, x, y)."""
    whole = tuple(Body(*appearance.split()) for appearance, _, _ in bodies)
    positions = np.array([[[x, y, RADIUS] for _, x, y in bodies]])
    turn = [np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)]
    return Clip(whole, positions, np.tile(turn, (1, len(bodies), 1)))


def shot(*bodies: tuple[str, float, float], angle: float = 0.3) -> Frames:
    return render_many([clip(*bodies, angle=angle)], threads=1)[0]


CROWD = clip(
    ("red metal cube", 0.3, 0.2),
    ("blue rubber sphere", -0.2, -0.5),
    ("green metal sphere", -0.5, 0.3),
    ("yellow metal cylinder", 0.4, -0.5),
    ("gray rubber cylinder", 0.9, 0.9),
)


def pixel(point: tuple[float, float, float]) -> tuple[int, int]:
    """Row and column at which the camera sees a point."""
    x, y, _ = CAMERA.project(np.array(point))
    return int(y * HEIGHT), int(x * WIDTH)


@pytest.mark.parametrize(("x", "y"), [(0.0, 0.0), (-1.5, 1.5), (0.8, -1.0)])
def test_a_sphere_covers_the_ellipse_that_perspective_gives(x: float, y: float) -> None:
    away = np.array([x, y, RADIUS]) - CAMERA.position
    square, depth = away @ away, float(CAMERA.axes[2] @ away)
    room = depth**2 - RADIUS**2
    area = np.pi * (FOCAL * RADIUS) ** 2 * np.sqrt((square - RADIUS**2) / room) / room
    covered = int((shot(("red rubber sphere", x, y)).mask == 1).sum())
    assert covered == pytest.approx(area, rel=0.01)


def test_bodies_are_as_wide_as_in_the_published_videos() -> None:
    width = [
        float(box[2] - box[0])
        for y in (-0.8, 0.0, 0.8)
        for box in bounding_boxes(shot(("red rubber cube", 0.0, y)).mask, 1)[0]
    ]
    assert min(width) > 40
    assert max(width) < 70


def test_depth_is_the_distance_along_the_view() -> None:
    frames = shot(("red rubber sphere", 0.0, 0.0), ("blue rubber cube", 0.8, 0.4))
    row, column = pixel((0.8, 0.4, 2 * CUBE_HALF_SIZE))
    assert frames.depth[0, row, column] == pytest.approx(
        CAMERA.project(np.array([0.8, 0.4, 2 * CUBE_HALF_SIZE]))[2], abs=0.02
    )
    center = np.array([0.0, 0.0, RADIUS])
    towards = (np.array(CAMERA.position) - center) / np.linalg.norm(np.array(CAMERA.position) - center)
    front = center + RADIUS * towards
    row, column = pixel(tuple(front))
    assert frames.depth[0, row, column] == pytest.approx(CAMERA.project(front)[2], abs=1e-3)
    row, column = pixel((-1.0, 0.5, 0.0))
    assert frames.depth[0, row, column] == pytest.approx(CAMERA.project(np.array([-1.0, 0.5, 0.0]))[2], abs=0.02)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_box_of_a_mask_encloses_the_projected_body(shape: str) -> None:
    angle = 0.7
    around = np.linspace(0.0, 2 * np.pi, 400)
    if shape == "cube":
        corners = [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
        turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
        surface = np.array(corners) @ turn.T * CUBE_HALF_SIZE
    elif shape == "cylinder":
        rim = np.stack([np.cos(around), np.sin(around)], axis=-1) * RADIUS
        surface = np.concatenate([np.insert(rim, 2, height, axis=1) for height in (-RADIUS, RADIUS)])
    else:
        up = np.linspace(0.0, np.pi, 200)[:, None]
        sphere = [np.sin(up) * np.cos(around), np.sin(up) * np.sin(around), np.cos(up) + 0 * around]
        surface = RADIUS * np.stack(sphere, axis=-1).reshape(-1, 3)
    seen = CAMERA.project(surface + np.array([0.4, -0.3, RADIUS]))[:, :2] * FULL_SIZE
    box = bounding_boxes(shot((f"red rubber {shape}", 0.4, -0.3), angle=angle).mask, 1)[0, 0]
    np.testing.assert_allclose(box, [*seen.min(axis=0), *seen.max(axis=0)], atol=1.0)


def test_the_nearer_body_hides_the_other() -> None:
    forward = CAMERA.axes[2][:2] / np.linalg.norm(CAMERA.axes[2][:2])
    behind = shot(("red rubber cube", 0.0, 0.0), ("blue rubber cube", *(0.6 * forward)))
    before = shot(("red rubber cube", 0.0, 0.0), ("blue rubber cube", *(-0.6 * forward)))
    alone = (shot(("red rubber cube", 0.0, 0.0)).mask == 1).sum()
    assert (behind.mask == 1).sum() == alone
    assert (before.mask == 1).sum() < alone


def redness(frames: Frames, body: int) -> int:
    """How much redder than green the reddest pixel inside a body is."""
    inside = frames.mask[0] == body + 1
    inside[1:-1, 1:-1] &= inside[2:, 1:-1] & inside[:-2, 1:-1] & inside[1:-1, 2:] & inside[1:-1, :-2]
    rgb = frames.rgb[0][inside].astype(int)
    return int((rgb[:, 0] - rgb[:, 1]).max())


def test_metal_mirrors_its_neighbour_and_rubber_does_not() -> None:
    neighbour = ("red rubber sphere", 0.45, -0.2)
    assert redness(shot(("gray metal sphere", 0.0, 0.0), neighbour), 0) > 20
    assert redness(shot(("gray metal sphere", 0.0, 0.0)), 0) == 0
    assert redness(shot(("gray rubber sphere", 0.0, 0.0), neighbour), 0) == 0


def test_metal_has_a_brighter_highlight_than_rubber() -> None:
    metal, rubber = (shot((f"gray {material} sphere", 0.0, 0.0)) for material in ("metal", "rubber"))
    assert int(metal.rgb[metal.mask == 1].max()) > int(rubber.rgb[rubber.mask == 1].max()) + 40


def contrasts(shape: str, x: float, y: float, angle: float) -> np.ndarray:
    """[material, face]: how much the brightness of metal and of rubber varies on the top and on the front."""
    across = np.linspace(-0.12, 0.12, 9)
    top = np.array([(x + u, y + v, 2 * RADIUS) for u in across for v in across])
    towards = np.array(CAMERA.position[:2]) - (x, y)
    heading = np.arctan2(towards[1], towards[0])
    if shape == "cube":  # the middle of the side that faces the camera most
        heading = angle + np.pi / 2 * np.round((heading - angle) / (np.pi / 2))
    front = np.array([(x + RADIUS * np.cos(heading), y + RADIUS * np.sin(heading), z) for z in np.linspace(0.05, 0.35)])
    result = []
    for material in ("metal", "rubber"):
        frames = shot((f"red {material} {shape}", x, y), angle=angle)
        for points in (top, front):
            red = np.array([int(frames.rgb[0][pixel(tuple(point))][0]) for point in points])
            result.append(np.ptp(red) / red.mean())
    return np.reshape(result, (2, 2))


@pytest.mark.parametrize("shape", ["cube", "cylinder"])
def test_flat_metal_faces_mirror_lights_and_the_dark_where_they_stand(shape: str) -> None:
    random = np.random.default_rng(1)
    for _ in range(8):
        metal, rubber = contrasts(shape, *random.uniform(-1.0, 1.0, 2), angle=random.uniform(0.0, 6.3))
        assert (metal > (0.08, 0.4)).all()
        assert (metal > 3.0 * rubber).all()


@pytest.mark.parametrize("color", ["gray", "yellow"])
def test_a_metal_cylinder_has_an_upright_streak(color: str) -> None:
    frames = shot((f"{color} metal cylinder", 0.0, 0.0))
    heading = np.arctan2(CAMERA.position[1], CAMERA.position[0]) + np.linspace(-1.2, 1.2, 49)
    for height in (0.12, 0.2, 0.28):
        around = [(RADIUS * np.cos(angle), RADIUS * np.sin(angle), height) for angle in heading]
        row = np.array([int(frames.rgb[0][pixel(point)][0]) for point in around])
        peak = int(row.argmax())
        assert heading[peak] - heading[24] == pytest.approx(np.radians(26), abs=0.12)  # between camera and light
        assert row[peak] > 1.25 * row[24]


def test_shadows_fall_away_from_the_lamp_with_soft_edges() -> None:
    frames, bare = shot(("red rubber sphere", 0.0, 0.0)), shot(("red rubber sphere", 50.0, 50.0))
    away = -np.array(LAMP[:2]) / np.linalg.norm(LAMP[:2])
    line = [pixel((*(away * reach), 0.0)) for reach in np.arange(-0.9, 0.9, 0.01)]
    shown = [(frames.rgb[0][at][0] / bare.rgb[0][at][0], frames.mask[0][at]) for at in line]
    light = np.array([value if not body else np.nan for value, body in shown])
    middle = len(light) // 2
    assert np.nanmin(light[middle:]) < 0.75
    assert np.nanmin(light[: middle - 30]) > 0.9
    dark = middle + int(np.nanargmin(light[middle:]))
    half = (light[dark:] > 0.75) & (light[dark:] < 0.97)
    assert half.sum() >= 5
    assert light[-1] == 1.0


def test_a_shadow_falls_on_another_body() -> None:
    towards = np.array(LAMP[:2]) / np.linalg.norm(LAMP[:2])
    shaded = shot(("yellow rubber cube", 0.0, 0.0), ("red rubber cube", *(0.48 * towards)))
    alone = shot(("yellow rubber cube", 0.0, 0.0))
    both = (shaded.mask == 1) & (alone.mask == 1)
    assert (shaded.rgb[both].astype(int).sum(axis=1) < 0.7 * alone.rgb[both].astype(int).sum(axis=1)).any()


def test_only_edges_are_smoothed() -> None:
    frames = shot(("yellow rubber cube", 0.0, 0.0))
    body = frames.mask[0] == 1
    colored = frames.rgb[0, ..., 0].astype(int) - frames.rgb[0, ..., 2]
    mixed = (colored > 5) & (colored < 0.6 * np.median(colored[body]))
    near = np.zeros_like(body)
    for axis, step in ((0, 1), (0, -1), (1, 1), (1, -1)):
        near |= np.roll(body, step, axis) != body
    assert mixed.sum() > 40
    assert not (mixed & ~near).any()


def test_colors_can_be_told_apart() -> None:
    for material in MATERIALS:
        for shape in SHAPES:
            many = render_many([clip((f"{color} {material} {shape}", 0.0, 0.0)) for color in COLORS], threads=1)
            mean = np.array([frames.rgb[frames.mask == 1].mean(axis=0) for frames in many])
            apart = np.linalg.norm(mean[:, None] - mean, axis=-1)[~np.eye(len(COLORS), dtype=bool)]
            assert apart.min() > 35, (material, shape)


def same(one: Frames, other: Frames) -> bool:
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ("rgb", "mask", "depth"))


def test_pictures_are_the_same_again_in_a_batch_and_on_several_threads() -> None:
    others = [clip(("cyan metal cube", 0.1 * k, 0.0)) for k in range(9)]
    alone = render_many([CROWD], SMALL, threads=1)[0]
    assert same(alone, render_many([CROWD], SMALL, threads=1)[0])
    batch = render_many([*others, CROWD, *others], SMALL, threads=2)
    assert [len(frames.rgb) for frames in batch] == [1] * 19
    assert same(alone, batch[9])


def test_pictures_do_not_change() -> None:
    frames = render_many([CROWD], SMALL, threads=1)[0]
    layers = (frames.rgb, frames.mask, frames.depth)
    assert [sha256(layer.tobytes()).hexdigest()[:16] for layer in layers] == GOLDEN


def moved_clips(frames: int, taken: list[int]) -> Iterator[Clip]:
    """Twelve clips of the crowd at different places; notes which have been taken."""
    positions, turned = (np.repeat(part, frames, axis=0) for part in (CROWD.positions, CROWD.orientations))
    for number in range(12):
        taken.append(number)
        yield Clip(CROWD.bodies, positions + np.array([0.02 * number, 0.0, 0.0]), turned)


def test_clips_rendered_one_by_one_are_those_of_a_batch_and_are_taken_when_needed() -> None:
    taken: list[int] = []
    delivered: dict[int, Frames] = {}
    ahead = []

    def deliver(number: int, frames: Frames) -> None:
        ahead.append(len(taken) - len(delivered))
        delivered[number] = Frames(frames.rgb.copy(), frames.mask.copy(), frames.depth)

    render_each(moved_clips(3, taken), deliver, SMALL, threads=2)
    for number, frames in enumerate(render_many(list(moved_clips(3, [])), SMALL, threads=1)):
        assert np.array_equal(delivered[number].rgb, frames.rgb)
        assert np.array_equal(delivered[number].mask, frames.mask)
    assert len(delivered) == 12
    render_each([Clip(CROWD.bodies, CROWD.positions[:0], CROWD.orientations[:0])], deliver, SMALL, threads=1)
    assert delivered[0].rgb.shape == (0, *SMALL[::-1], 3)
    assert max(ahead) <= 4  # two threads have one each, and a third did not fit into their launches


def test_an_error_ends_rendering() -> None:
    taken: list[int] = []

    def fail(number: int, frames: Frames) -> None:
        raise ValueError(f"clip {number}")

    with pytest.raises(ValueError, match="clip 0"):
        render_each(moved_clips(4, taken), fail, SMALL, threads=1)
    assert len(taken) == 2


@pytest.mark.parametrize("x", [0.0, 1.9, -2.4])
def test_nothing_is_missed_outside_the_traced_tiles(x: float, monkeypatch: pytest.MonkeyPatch) -> None:
    moved = Clip(CROWD.bodies, CROWD.positions + np.array([x, 0.3 * x, 0.0]), CROWD.orientations)
    usual = render_many([moved], threads=1)[0]

    def every_tile(context: object, scratch: workers.Scratch, bodies: object, stream: object) -> None:
        all_bodies = (1 << len(CROWD.bodies)) - 1
        scratch.tiles.fill_(all_bodies | all_bodies << MAX_BODIES)
        scratch.edge_count.zero_()

    monkeypatch.setattr(workers, "mark_frames", every_tile)
    assert same(usual, render_many([moved], threads=1)[0])


def test_frames_of_a_motion_can_be_chosen() -> None:
    positions = np.repeat(CROWD.positions, 6, axis=0) + np.arange(6)[:, None, None] * [0.1, 0.0, 0.0]
    orientations = np.repeat(CROWD.orientations, 6, axis=0)
    still = np.zeros_like(positions)
    motion = Motion(positions, orientations, still, still, CAMERA.sees(positions))
    whole = render(CROWD.bodies, motion, SMALL, threads=1)
    part = render(CROWD.bodies, motion, SMALL, threads=1, frames=slice(2, None, 3))
    assert np.array_equal(part.rgb, whole.rgb[2::3])


def test_a_body_out_of_view_leaves_the_bare_table() -> None:
    frames = shot(("red metal cube", 30.0, -40.0))
    assert not frames.mask.any()
    assert np.ptp(frames.rgb[0].astype(int), axis=-1).max() == 0
    assert np.isnan(bounding_boxes(frames.mask, 1)).all()


def test_what_cannot_be_rendered_is_named() -> None:
    with pytest.raises(ClipError, match="positions of 1 bodies must be"):
        Clip((Body("red", "metal", "cube"),), np.zeros((2, 3, 3)), np.zeros((2, 3, 4)))
    with pytest.raises(ClipError, match="finite"):
        Clip((Body("red", "metal", "cube"),), np.full((2, 1, 3), np.nan), np.ones((2, 1, 4)))
    with pytest.raises(SizeError, match="0x10"):
        render_many([CROWD], (0, 10))


@pytest.mark.gpu
def test_a_gpu_gives_the_same_pictures() -> None:
    cpu, gpu = (render_many([CROWD] * 3, device=device)[2] for device in ("cpu", "cuda"))
    assert np.abs(cpu.rgb.astype(int) - gpu.rgb.astype(int)).max() <= 1
    assert np.array_equal(cpu.mask, gpu.mask)
    np.testing.assert_allclose(cpu.depth, gpu.depth, rtol=1e-6)
    one_by_one = []
    render_each([CROWD] * 40, lambda number, frames: one_by_one.append(frames.rgb.copy()), device="cuda", threads=4)
    assert len(one_by_one) == 40
    assert all(np.array_equal(rgb, gpu.rgb) for rgb in one_by_one)
