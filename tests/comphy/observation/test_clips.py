"""Clips of sets of either world: objects are drawn where they are simulated, and worlds don't mix."""

import numpy as np
import pytest
from PIL import Image, ImageDraw

from tumble.comphy.catalogue.body import Body, Motion
from tumble.comphy.catalogue.video_set import Stage
from tumble.comphy.objects.shape import CATEGORIES, build_object
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.observation.clips import body_count, clip_on, part_of, render_clips, render_each_clip
from tumble.comphy.observation.renderer import Clip, ClipError, Frames
from tumble.comphy.observation.renderer.renderers import RendererError
from tumble.comphy.observation.staged import STAGED_RENDERERS, StagedClip, render_many_staged
from tumble.comphy.observation.staged.clips import look_of
from tumble.comphy.simulation.footprints import Piece, convex_hull, footprint_of
from tumble.comphy.simulation.simulator import InitialState, simulate

SIZE = (480, 320)
STAGE = Stage("marble", "window", 3)
PLACE, YAW = (0.3, -0.4), 2.1
AROUND = np.linspace(0.0, 2.0 * np.pi, 32, endpoint=False)


def still(bodies: tuple[Body, ...], frames: int = 1) -> Motion:
    """A body at rest, as the simulator has it."""
    return simulate(bodies, InitialState.on_table(bodies, np.array([PLACE]), np.array([YAW]), np.zeros((1, 2))), frames)


def outline_of(piece: Piece) -> np.ndarray:
    """[point, 2]: the corners of a piece from above."""
    if not piece.radius:
        return piece.corners
    return piece.corners + piece.radius * np.stack([np.cos(AROUND), np.sin(AROUND)], axis=-1)


def drawn(solids: list[np.ndarray], yaw: float, shift: float = 0.0) -> np.ndarray:
    """bool [height, width]: where convex solids of an object, [point, 3] each, are seen."""
    picture = Image.new("1", SIZE)
    turn = np.array([[np.cos(yaw), np.sin(yaw)], [-np.sin(yaw), np.cos(yaw)]])
    for points in solids:
        placed = np.column_stack([points[:, :2] @ turn + PLACE + (shift, 0.0), points[:, 2]])
        corners = convex_hull(CAMERA.project(placed)[:, :2] * SIZE) - 0.5
        ImageDraw.Draw(picture).polygon([tuple(corner) for corner in corners], fill=1)
    return np.array(picture)


def pieces_of(body: Body) -> list[np.ndarray]:
    """The pieces with which a body collides in the simulation."""
    solids = []
    for piece in footprint_of(body.shape, body.form).pieces:
        flat = outline_of(piece)
        solids.append(np.concatenate([np.column_stack([flat, [z] * len(flat)]) for z in (piece.low, piece.high)]))
    return solids


def overlap(one: np.ndarray, other: np.ndarray) -> float:
    """Intersection over union."""
    return float((one & other).sum() / (one | other).sum())


def lowest(mask: np.ndarray) -> np.ndarray:
    """The last row of each column that has any."""
    columns = mask.any(axis=0)
    return np.where(columns, mask.shape[0] - mask[::-1].argmax(axis=0), -1)


@pytest.fixture(scope="module")
def masks() -> dict[str, np.ndarray]:
    """The mask of an object of each category, alone on a stage."""
    bodies = [Body("red", "wood", category, form=5) for category in CATEGORIES]
    clips = [clip_on((body,), still((body,)), STAGE) for body in bodies]
    rendered = render_clips(clips, SIZE)
    return {body.shape: frames.mask[0] == 1 for body, frames in zip(bodies, rendered, strict=True)}


@pytest.mark.parametrize("category", CATEGORIES)
def test_objects_are_drawn_where_they_collide(category: str, masks: dict[str, np.ndarray]) -> None:
    body, mask = Body("red", "wood", category, form=5), masks[category]
    right = overlap(mask, drawn(pieces_of(body), YAW))
    assert right > 0.8, right
    assert right > overlap(mask, drawn(pieces_of(body), YAW, shift=0.03)) + 0.02
    # The layers of leaning parts stand out, so the lower boundary is that of the parts before they are cut.
    parts = [part.vertices for part in build_object(body.shape, body.form).parts]
    below, expected = lowest(mask), lowest(drawn(parts, YAW))
    both = (below >= 0) & (expected >= 0)
    assert both.sum() > 0.9 * ((below >= 0) | (expected >= 0)).sum()
    assert np.median(np.abs(below - expected)[both]) <= 1.0


@pytest.mark.parametrize("category", ["mug", "sofa", "chair", "teapot"])
def test_objects_turn_as_they_are_simulated(category: str, masks: dict[str, np.ndarray]) -> None:
    body, mask = Body("red", "wood", category, form=5), masks[category]
    assert overlap(mask, drawn(pieces_of(body), YAW)) > overlap(mask, drawn(pieces_of(body), -YAW)) + 0.05


def test_materials_are_surfaces_and_patterns() -> None:
    looks = [look_of(Body("red", material, "mug")) for material in ("rubber", "metal", "wood", "ceramic", "painted")]
    assert [(look.material, look.pattern) for look in looks] == [
        ("rubber", "plain"),
        ("metal", "plain"),
        ("rubber", "wood"),
        ("rubber", "ceramic"),
        ("rubber", "painted"),
    ]


def test_clips_of_either_world_have_one_interface() -> None:
    cube, mug = (Body("red", "metal", "cube"),), (Body("red", "metal", "mug"),)
    plain, staged = clip_on(cube, still(cube, frames=3)), clip_on(mug, still(mug, frames=3), STAGE)
    assert isinstance(plain, Clip)
    assert isinstance(staged, StagedClip)
    for clip in (plain, staged):
        part = part_of(clip, [0, 2])
        assert (part.frames, body_count(part)) == (2, 1)
        found: list[int] = []

        def deliver(number: int, frames: Frames, found: list[int] = found) -> None:
            found.append(int((frames.mask == 1).sum()))

        render_each_clip(iter([part, part]), deliver, (48, 32), threads=1)
        (frames,) = render_clips([part], (48, 32), threads=1)
        assert found == [(frames.mask == 1).sum()] * 2 != [0, 0]
    with pytest.raises(ClipError, match="different worlds"):
        render_clips([plain, staged], (48, 32))
    with pytest.raises(ClipError, match="objects of the div world can't be rendered without a stage"):
        clip_on(mug, still(mug))


def test_the_named_renderer_of_its_world_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """As `--renderer mitsuba` does; here with a renderer that gives black pictures."""

    def dark(clips: list[StagedClip], *arguments: object, **options: object) -> list[Frames]:
        return [Frames(np.zeros_like(own.rgb), own.mask, own.depth) for own in render_many_staged(clips, (48, 32))]

    monkeypatch.setitem(STAGED_RENDERERS, "mitsuba", dark)
    mug = (Body("red", "metal", "mug"),)
    clip = clip_on(mug, still(mug), STAGE)
    (frames,) = render_clips([clip], (48, 32), renderer="mitsuba")
    assert not frames.rgb.any()
    found: list[bool] = []
    render_each_clip([clip], lambda _, own: found.append(bool(own.rgb.any())), (48, 32), renderer="mitsuba")
    assert found == [False]
    with pytest.raises(RendererError, match="no renderer 'crayons'"):
        render_clips([clip], (48, 32), renderer="crayons")
