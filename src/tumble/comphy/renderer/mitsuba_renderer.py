"""The same pictures by path tracing with Mitsuba: slow and fine. Masks and depth come from our own rays."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tumble.comphy.bodies import Body
from tumble.comphy.camera import CAMERA, Camera
from tumble.comphy.constants import CUBE_HALF, CYLINDER_HALF_HEIGHT, RADIUS
from tumble.comphy.motion import Motion
from tumble.comphy.renderer.clips import RGB, Clip, clip_of, linear, turns
from tumble.comphy.renderer.frames import Frames
from tumble.comphy.renderer.ray_tracer import FULL_SIZE, render_many
from tumble.comphy.renderer.shading import LAMP, LAMP_RADIUS
from tumble.comphy.renderer.studio import Size

VARIANTS = ("llvm_ad_rgb", "scalar_rgb")
"""The first needs a libLLVM, and is several times as fast."""
SAMPLES = 64
LAMP_POWER = 110.0
SKY_POWER = 0.35
TABLE = 0.40
BRIGHTEST = 4.0
"""Light above this is cut off: it would be speckles."""


class MitsubaError(RuntimeError):
    """Mitsuba is not there."""


def render_fine(
    bodies: tuple[Body, ...],
    motion: Motion,
    size: Size = FULL_SIZE,
    frames: slice = slice(None),
    camera: Camera = CAMERA,
    samples: int = SAMPLES,
) -> Frames:
    """Renders a motion, or some of its frames, with so many paths for each pixel."""
    return render_many_fine([clip_of(bodies, motion, frames)], size, camera, samples)[0]


def render_many_fine(
    clips: Sequence[Clip],
    size: Size = FULL_SIZE,
    camera: Camera = CAMERA,
    samples: int = SAMPLES,
    progress: Callable[[int], None] = lambda frames: None,
) -> list[Frames]:
    """Renders clips of different bodies."""
    mitsuba = _mitsuba()
    plain = render_many(clips, size, camera=camera)
    result = []
    for clip, frames in zip(clips, plain, strict=True):
        pictures = []
        for frame in range(clip.frames):
            scene = mitsuba.load_dict(scene_of(mitsuba, clip, frame, size, camera))
            light = np.array(mitsuba.render(scene, spp=samples, seed=frame))[..., :3]
            pictures.append(_srgb(light))
            progress(1)
        rgb = np.stack(pictures) if pictures else frames.rgb
        result.append(Frames(rgb, frames.mask, frames.depth))
    return result


def scene_of(mitsuba: Any, clip: Clip, frame: int, size: Size, camera: Camera) -> dict[str, Any]:
    """A frame in Mitsuba's words."""
    transform = mitsuba.ScalarTransform4f
    scene: dict[str, Any] = {
        "type": "scene",
        "integrator": {"type": "path", "max_depth": 6},
        "sensor": _sensor(transform, size, camera),
        "sky": {"type": "constant", "radiance": {"type": "rgb", "value": SKY_POWER}},
        "lamp": {
            "type": "sphere",
            "center": list(LAMP),
            "radius": LAMP_RADIUS,
            "emitter": {"type": "area", "radiance": {"type": "rgb", "value": LAMP_POWER}},
        },
        "table": {
            "type": "rectangle",
            "to_world": transform().scale([60.0, 60.0, 1.0]),
            "bsdf": {"type": "diffuse", "reflectance": {"type": "rgb", "value": TABLE}},
        },
    }
    matrices = np.zeros((len(clip.bodies), 4, 4))
    matrices[:, :3, :3] = np.swapaxes(turns(clip.orientations[frame]), -1, -2)
    matrices[:, :3, 3] = clip.positions[frame]
    matrices[:, 3, 3] = 1.0
    for k, body in enumerate(clip.bodies):
        for part, shape in enumerate(_shapes(transform, body.shape, transform(matrices[k]))):
            scene[f"body_{k}_{part}"] = {**shape, "bsdf": _surface(body)}
    return scene


def _sensor(transform: Any, size: Size, camera: Camera) -> dict[str, Any]:
    return {
        "type": "perspective",
        "fov": float(np.degrees(2.0 * np.arctan(0.5 * camera.sensor / camera.lens))),
        "fov_axis": "x",
        "to_world": transform().look_at(origin=list(camera.position), target=list(camera.target), up=[0.0, 0.0, 1.0]),
        "film": {"type": "hdrfilm", "width": size[0], "height": size[1], "rfilter": {"type": "gaussian"}},
        "sampler": {"type": "independent"},
    }


def _shapes(transform: Any, shape: str, place: Any) -> list[dict[str, Any]]:
    """A body's closed surface, of one part or several."""
    if shape == "sphere":
        return [{"type": "sphere", "radius": RADIUS, "to_world": place}]
    if shape == "cube":
        return [{"type": "cube", "to_world": place @ transform().scale(CUBE_HALF)}]
    ends = ([0.0, 0.0, -CYLINDER_HALF_HEIGHT], [0.0, 0.0, CYLINDER_HALF_HEIGHT])
    upper = place @ transform().translate(ends[1]) @ transform().scale(RADIUS)
    lower = place @ transform().translate(ends[0]) @ transform().rotate([1.0, 0.0, 0.0], 180.0)
    return [
        {"type": "cylinder", "p0": ends[0], "p1": ends[1], "radius": RADIUS, "to_world": place},
        {"type": "disk", "to_world": upper},
        {"type": "disk", "to_world": lower @ transform().scale(RADIUS)},
    ]


def _surface(body: Body) -> dict[str, Any]:
    color = {"type": "rgb", "value": [float(part) for part in linear(np.array(RGB[body.color]) / 255.0)]}
    if body.material == "metal":
        return {"type": "principled", "base_color": color, "metallic": 0.9, "roughness": 0.2, "specular": 0.8}
    return {"type": "principled", "base_color": color, "metallic": 0.0, "roughness": 0.7, "specular": 0.3}


def _srgb(light: np.ndarray) -> np.ndarray:
    light = np.clip(np.minimum(np.nan_to_num(light), BRIGHTEST), 0.0, 1.0)
    return np.rint(255.0 * np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)).astype(
        np.uint8
    )


def _mitsuba() -> Any:
    try:
        import mitsuba
    except ImportError as error:
        raise MitsubaError("this renderer needs Mitsuba: pip install tumble[hq]") from error
    for variant in VARIANTS:
        try:
            mitsuba.set_variant(variant)
            mitsuba.load_dict({"type": "sphere"})
        except (ImportError, RuntimeError):
            continue
        return mitsuba
    raise MitsubaError(f"Mitsuba has none of the variants {', '.join(VARIANTS)}")
