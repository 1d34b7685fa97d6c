"""Path tracing of objects on stages with Mitsuba: slow. Masks and depth are those of the built-in ray tracer."""

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from tumble.comphy.observation.camera import CAMERA, Camera
from tumble.comphy.observation.renderer.clips import METAL_EXPONENT, rotation_matrices
from tumble.comphy.observation.renderer.colors import RGB, linear, srgb_bytes
from tumble.comphy.observation.renderer.frames import Frames
from tumble.comphy.observation.renderer.mitsuba_renderer import (
    METAL_ROUGHNESS,
    SAMPLES,
    load_mitsuba,
    mean_light,
    sensor,
)
from tumble.comphy.observation.renderer.ray_tracer import FULL_SIZE
from tumble.comphy.observation.renderer.view import Size
from tumble.comphy.observation.staged.clip import StagedClip
from tumble.comphy.observation.staged.look import ObjectLook
from tumble.comphy.observation.staged.mitsuba_meshes import floor_bitmap, write_object
from tumble.comphy.observation.staged.ray_tracer import render_many_staged
from tumble.comphy.observation.staged.stage import stage_rows
from tumble.comphy.tasks.stage import Stage

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
