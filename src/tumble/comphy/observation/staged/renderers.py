"""The renderers of objects on stages by name: the built-in ray tracer, and path tracing with Mitsuba.

Mitsuba is slow. It reads objects as painted meshes in PLY files, and a floor as a bitmap; masks and depth are those
of the built-in ray tracer.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

import numpy as np
import warp as wp

from tumble.comphy.catalogue.video_set import Stage
from tumble.comphy.observation.camera import CAMERA, Camera
from tumble.comphy.observation.renderer.ray_tracer import FULL_SIZE
from tumble.comphy.observation.renderer.renderers import (
    ANALYTIC,
    METAL_ROUGHNESS,
    MITSUBA,
    SAMPLES,
    load_mitsuba,
    mean_light,
    named_renderer,
    sensor,
)
from tumble.comphy.observation.renderer.scene import (
    BLOCK,
    METAL_EXPONENT,
    RGB,
    Frames,
    Size,
    linear,
    rotation_matrices,
    srgb_bytes,
    view_of,
)
from tumble.comphy.observation.staged.clips import StagedClip, prepared
from tumble.comphy.observation.staged.ray_tracer import render_each_staged, render_many_staged
from tumble.comphy.observation.staged.scene import LookRow, ObjectLook, StageRow, look_row, stage_rows
from tumble.comphy.observation.staged.textures import bake_floor, paint_points

PLAIN_CUTS, PATTERN_CUTS = 0, 2
"""How often triangles are cut into four, so that corners carry a pattern."""
DEVICE = "cpu"
VERTEX = np.dtype([(name, "<f4") for name in ("x", "y", "z", "nx", "ny", "nz", "r", "g", "b")])
FACE = np.dtype([("count", "u1"), ("corners", "<i4", 3)])


def write_object(path: Path, look: ObjectLook) -> None:
    """Writes an object with its colours, in its own space, as a PLY file."""
    mesh = prepared((look.shape, look.form), DEVICE)
    first, edge, other = mesh.corners[:, 0], mesh.corners[:, 1], mesh.corners[:, 2]
    corners = np.stack([first, first + edge, first + other], axis=1)
    normals, tints = mesh.normals, mesh.tints
    for _ in range(PLAIN_CUTS if look.pattern == "plain" else PATTERN_CUTS):
        corners, normals, tints = cut(corners), cut(normals), np.repeat(tints, 4, axis=0)
    vertices = np.zeros(3 * len(corners), VERTEX)
    points = corners.reshape(-1, 3)
    for fields, values in (("xyz", points), (("nx", "ny", "nz"), normals.reshape(-1, 3))):
        for name, column in zip(fields, values.T, strict=True):
            vertices[name] = column
    for name, column in zip("rgb", colors_at(look, points, np.repeat(tints, 3, axis=0)).T, strict=True):
        vertices[name] = column
    faces = np.zeros(len(corners), FACE)
    faces["count"], faces["corners"] = 3, np.arange(len(vertices)).reshape(-1, 3)
    lines = ["ply", "format binary_little_endian 1.0", f"element vertex {len(vertices)}"]
    lines += [f"property float {name}" for name in VERTEX.names or ()]
    lines += [f"element face {len(faces)}", "property list uchar int vertex_indices", "end_header", ""]
    path.write_bytes("\n".join(lines).encode() + vertices.tobytes() + faces.tobytes())


def cut(triangles: np.ndarray) -> np.ndarray:
    """[n, 3, 3] triangles, or normals at their corners, to [4 n, 3, 3]: each cut at the middles of its edges."""
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    ab, bc, ca = 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)
    parts = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
    return np.stack([np.stack(part, axis=1) for part in parts], axis=1).reshape(-1, 3, 3)


def colors_at(look: ObjectLook, points: np.ndarray, tints: np.ndarray) -> np.ndarray:
    """float32 [point, 3]: the linear colour of an object at points of its own space."""
    row = wp.array(look_row(look)[None], dtype=LookRow, device=DEVICE).list()[0]
    arrays = wp.array(points, dtype=wp.vec3, device=DEVICE), wp.array(tints, dtype=wp.vec2, device=DEVICE)
    colors = wp.empty(len(points), dtype=wp.vec3, device=DEVICE)
    wp.launch(paint_points, dim=len(points), inputs=[row, *arrays, colors], device=DEVICE, block_dim=BLOCK)
    return np.array(colors.numpy())


def floor_bitmap(stage: Stage, camera: Camera, texels: int) -> tuple[np.ndarray, np.ndarray, float]:
    """A square of the floor around all that the camera sees: float32 [texel, texel, 3] from below, middle and side."""
    seen = camera.places(np.array([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)]), 0.0)
    low, high = seen.min(axis=0), seen.max(axis=0)
    middle, side = 0.5 * (low + high), float((high - low).max())
    left, bottom = middle - 0.5 * side
    rows = wp.array(stage_rows(stage).row[None], dtype=StageRow, device=DEVICE)
    floor = wp.empty((texels, texels), dtype=wp.vec3, device=DEVICE)
    inputs = [view_of(camera, (texels, texels)), wp.vec3(left, bottom, side / texels), rows, floor]
    wp.launch(bake_floor, dim=(texels, texels), inputs=inputs, device=DEVICE, block_dim=BLOCK)
    return np.array(floor.numpy()), middle, side


FLOOR_DETAIL = 2
"""Texels of the floor along each side, for each pixel of the picture's width."""
FAR_FLOOR = 60.0
"""Half the width of the plain floor around the textured one."""
ROUGHNESS = {"plain": (0.7, 0.3), "wood": (0.45, 0.4), "ceramic": (0.12, 0.6), "painted": (0.35, 0.5)}
"""Roughness and specular share of each pattern."""


def render_many_staged_mitsuba(
    clips: Sequence[StagedClip],
    size: Size = FULL_SIZE,
    device: str = "cpu",
    threads: int = 0,
    camera: Camera = CAMERA,
    progress: Callable[[int], None] = lambda frames: None,
    samples: int = SAMPLES,
) -> list[Frames]:
    """Renders clips of objects on stages; device and threads are those of the built-in ray tracer."""
    mitsuba = load_mitsuba()
    traced = render_many_staged(clips, size, device, threads, camera)
    result = []
    with TemporaryDirectory() as folder:
        for clip, frames in zip(clips, traced, strict=True):
            files = [Path(folder) / f"{k}.ply" for k in range(len(clip.looks))]
            for look, file in zip(clip.looks, files, strict=True):
                write_object(file, look)
            still = _stage(mitsuba, clip.stage, size, camera)
            pictures = []
            for frame in range(clip.frames):
                scene = mitsuba.load_dict({**still, **_objects(mitsuba, clip, frame, files)})
                pictures.append(srgb_bytes(mean_light(mitsuba, scene, frame, samples)))
                progress(1)
            result.append(Frames(np.stack(pictures) if pictures else frames.rgb, frames.mask, frames.depth))
    return result


def _stage(mitsuba: Any, stage: Stage, size: Size, camera: Camera) -> dict[str, Any]:
    """All of a scene that does not move."""
    transform = mitsuba.ScalarTransform4f
    row = stage_rows(stage).row
    bitmap, middle, side = floor_bitmap(stage, camera, FLOOR_DETAIL * size[0])
    brightness = row["light_color"] * float(row["light_square"]) / float(row["light_radius"]) ** 2
    towards = transform().look_at(origin=row["light"].tolist(), target=[0.0, 0.0, 0.0], up=[0.0, 0.0, 1.0])
    floor = transform().translate([float(middle[0]), float(middle[1]), 0.0]) @ transform().scale(
        [side / 2, side / 2, 1.0]
    )
    below = transform().translate([0.0, 0.0, -0.002]) @ transform().scale([FAR_FLOOR, FAR_FLOOR, 1.0])
    mean = bitmap.reshape(-1, 3).mean(axis=0).tolist()
    texture = {"type": "bitmap", "bitmap": mitsuba.Bitmap(bitmap), "raw": True}
    return {
        "type": "scene",
        "integrator": {"type": "path", "max_depth": 6},
        "sensor": sensor(transform, size, camera),
        "sky": {"type": "constant", "radiance": _rgb(row["sky"] + 0.5 * row["fill"])},
        "light": {
            "type": "disk",
            "to_world": towards @ transform().scale(float(row["light_radius"])),
            "emitter": {"type": "area", "radiance": _rgb(brightness)},
        },
        "floor": {"type": "rectangle", "to_world": floor, "bsdf": {"type": "diffuse", "reflectance": texture}},
        "far_floor": {
            "type": "rectangle",
            "to_world": below,
            "bsdf": {"type": "diffuse", "reflectance": {"type": "rgb", "value": mean}},
        },
    }


def _objects(mitsuba: Any, clip: StagedClip, frame: int, files: Sequence[Path]) -> dict[str, Any]:
    """The objects of a frame."""
    matrices = np.tile(np.eye(4), (len(clip.looks), 1, 1))
    matrices[:, :3, :3] = np.swapaxes(rotation_matrices(clip.orientations[frame]), -1, -2)
    matrices[:, :3, 3] = clip.positions[frame]
    transform = mitsuba.ScalarTransform4f
    return {
        f"object_{k}": {
            "type": "ply",
            "filename": str(file),
            "to_world": transform(matrices[k]),
            "bsdf": _surface(look),
        }
        for k, (look, file) in enumerate(zip(clip.looks, files, strict=True))
    }


def _surface(look: ObjectLook) -> dict[str, Any]:
    if look.material == "metal":
        color = linear(np.array(RGB[look.color]) / 255.0) ** METAL_EXPONENT
        return {"type": "principled", "base_color": _rgb(color), "metallic": 1.0, "roughness": METAL_ROUGHNESS}
    roughness, specular = ROUGHNESS[look.pattern]
    painted = {"type": "mesh_attribute", "name": "vertex_color"}
    return {"type": "principled", "base_color": painted, "roughness": roughness, "specular": specular}


def _rgb(values: np.ndarray) -> dict[str, Any]:
    return {"type": "rgb", "value": [float(value) for value in values]}


class StagedRenderer(Protocol):
    """Renders clips of different objects and stages in one batch."""

    def __call__(
        self,
        clips: Sequence[StagedClip],
        size: Size,
        device: str = "cpu",
        threads: int = 0,
        camera: Camera = CAMERA,
        progress: Callable[[int], None] = lambda frames: None,
    ) -> list[Frames]: ...


STAGED_RENDERERS: dict[str, StagedRenderer] = {ANALYTIC: render_many_staged, MITSUBA: render_many_staged_mitsuba}


def get_staged_renderer(name: str) -> StagedRenderer:
    """The renderer of this name."""
    return named_renderer(STAGED_RENDERERS, name)


def render_each_staged_with(
    name: str,
    clips: Iterable[StagedClip],
    deliver: Callable[[int, Frames], None],
    size: Size,
    device: str = "cpu",
    threads: int = 0,
) -> None:
    """Renders any number of clips and calls `deliver(number, frames)` for each; see `ray_tracer.render_each_staged`."""
    if name == ANALYTIC:
        render_each_staged(clips, deliver, size, device, threads)
        return
    for number, clip in enumerate(clips):
        deliver(number, get_staged_renderer(name)([clip], size, device, threads)[0])
