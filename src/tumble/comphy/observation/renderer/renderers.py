"""The renderers by name, which have the same signature: the built-in ray tracer, and path tracing with Mitsuba.

Mitsuba is slow, of high quality. Masks and depth are those of the built-in ray tracer.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Protocol, TypeVar

import numpy as np

from tumble.comphy.catalogue.body import MATERIALS, SHAPES, Body
from tumble.comphy.catalogue.world import CUBE_HALF_SIZE, CYLINDER_HALF_HEIGHT, RADIUS
from tumble.comphy.observation.camera import CAMERA, Camera
from tumble.comphy.observation.renderer.ray_color import LAMP, LAMP_RADIUS
from tumble.comphy.observation.renderer.ray_tracer import FULL_SIZE, render_each, render_many
from tumble.comphy.observation.renderer.scene import (
    METAL_EXPONENT,
    RGB,
    Clip,
    Frames,
    Size,
    linear,
    rotation_matrices,
    srgb_bytes,
)
from tumble.errors import TumbleError

FAST, SLOW = "llvm_ad_rgb", "scalar_rgb"
"""Mitsuba's variants: the fast one needs a libLLVM that supports the processor."""
SAMPLES = 64
"""Per pixel."""
LAMP_POWER = 90.0
WALL_POWER, SOFTBOX_POWER = 0.06, 1.1
CEILING_HEIGHT, CEILING_MIDDLE = 8.6, 8.0
"""Height of the softboxes, above lamp and camera, and the y coordinate of their middle."""
ROWS, ROW_SPACING = 12, 3.05
"""Rows of softboxes: as many on the flat top of a body as of the lower rows of the built-in ray tracer."""
ROW_PIXELS = 20
"""Of the picture that makes the light of one row."""
METAL_ROUGHNESS = 0.12
TABLE_REFLECTANCE = 0.40
PASS_SAMPLES = 4
MAX_LIGHT = 1.2
"""Light after a pass is clipped to this: rare paths from metal to the lamp would show as speckles."""


class MitsubaError(TumbleError):
    """Mitsuba is not installed."""


def render_many_mitsuba(
    clips: Sequence[Clip],
    size: Size = FULL_SIZE,
    device: str = "cpu",
    threads: int = 0,
    camera: Camera = CAMERA,
    progress: Callable[[int], None] = lambda frames: None,
    samples: int = SAMPLES,
) -> list[Frames]:
    """Renders clips of different bodies; device and threads are those of the built-in ray tracer."""
    mitsuba = load_mitsuba()
    traced = render_many(clips, size, device, threads, camera)
    result = []
    for clip, frames in zip(clips, traced, strict=True):
        pictures = []
        for frame in range(clip.frames):
            scene = mitsuba.load_dict(scene_of(mitsuba, clip, frame, size, camera))
            pictures.append(srgb_bytes(mean_light(mitsuba, scene, frame, samples)))
            progress(1)
        rgb = np.stack(pictures) if pictures else frames.rgb
        result.append(Frames(rgb, frames.mask, frames.depth))
    return result


def mean_light(mitsuba: Any, scene: Any, frame: int, samples: int) -> np.ndarray:
    """[height, width, 3]: linear light, the mean of several passes."""
    passes = max(1, samples // PASS_SAMPLES)
    light = 0.0
    for index in range(passes):
        picture = np.array(mitsuba.render(scene, spp=min(samples, PASS_SAMPLES), seed=frame * passes + index))
        light = light + np.minimum(np.nan_to_num(picture[..., :3]), MAX_LIGHT)
    return np.asarray(light / passes)


def scene_of(mitsuba: Any, clip: Clip, frame: int, size: Size, camera: Camera) -> dict[str, Any]:
    """A frame as Mitsuba's scene dictionary."""
    transform = mitsuba.ScalarTransform4f
    scene: dict[str, Any] = {
        "type": "scene",
        "integrator": {"type": "path", "max_depth": 6},
        "sensor": sensor(transform, size, camera),
        "wall": {"type": "constant", "radiance": {"type": "rgb", "value": WALL_POWER}},
        "softboxes": _softboxes(mitsuba),
        "lamp": {
            "type": "sphere",
            "center": list(LAMP),
            "radius": LAMP_RADIUS,
            "emitter": {"type": "area", "radiance": {"type": "rgb", "value": LAMP_POWER}},
        },
        "table": {
            "type": "rectangle",
            "to_world": transform().scale([60.0, 60.0, 1.0]),
            "bsdf": {"type": "diffuse", "reflectance": {"type": "rgb", "value": TABLE_REFLECTANCE}},
        },
    }
    matrices = np.zeros((len(clip.bodies), 4, 4))
    matrices[:, :3, :3] = np.swapaxes(rotation_matrices(clip.orientations[frame]), -1, -2)
    matrices[:, :3, 3] = clip.positions[frame]
    matrices[:, 3, 3] = 1.0
    for k, body in enumerate(clip.bodies):
        for part, shape in enumerate(_shapes(transform, body.shape, transform(matrices[k]))):
            scene[f"body_{k}_{part}"] = {**shape, "bsdf": _surface(body)}
    return scene


def _softboxes(mitsuba: Any) -> dict[str, Any]:
    """A square ceiling with rows of softboxes, for metal to mirror."""
    phase = (np.arange(ROWS * ROW_PIXELS) + 0.5) / ROW_PIXELS
    light = SOFTBOX_POWER * (0.5 - 0.5 * np.cos(2.0 * np.pi * phase))
    bitmap = mitsuba.Bitmap(np.broadcast_to(light[:, None, None], (len(light), 2, 3)).astype(np.float32))
    half = 0.5 * ROWS * ROW_SPACING
    transform = mitsuba.ScalarTransform4f
    facing_down = transform().rotate([1.0, 0.0, 0.0], 180.0) @ transform().scale([half, half, 1.0])
    return {
        "type": "rectangle",
        "to_world": transform().translate([0.0, CEILING_MIDDLE, CEILING_HEIGHT]) @ facing_down,
        "emitter": {"type": "area", "radiance": {"type": "bitmap", "bitmap": bitmap, "raw": True}},
    }


def sensor(transform: Any, size: Size, camera: Camera) -> dict[str, Any]:
    """The camera as Mitsuba's dictionary."""
    return {
        "type": "perspective",
        "fov": float(np.degrees(2.0 * np.arctan(0.5 * camera.sensor_width / camera.focal_length))),
        "fov_axis": "x",
        "to_world": transform().look_at(origin=list(camera.position), target=list(camera.target), up=[0.0, 0.0, 1.0]),
        "film": {"type": "hdrfilm", "width": size[0], "height": size[1], "rfilter": {"type": "gaussian"}},
        "sampler": {"type": "independent"},
    }


def _shapes(transform: Any, shape: str, to_world: Any) -> list[dict[str, Any]]:
    """A body's closed surface, as one or more of Mitsuba's shapes."""
    if shape == "sphere":
        return [{"type": "sphere", "radius": RADIUS, "to_world": to_world}]
    if shape == "cube":
        return [{"type": "cube", "to_world": to_world @ transform().scale(CUBE_HALF_SIZE)}]
    ends = ([0.0, 0.0, -CYLINDER_HALF_HEIGHT], [0.0, 0.0, CYLINDER_HALF_HEIGHT])
    upper = to_world @ transform().translate(ends[1]) @ transform().scale(RADIUS)
    lower = to_world @ transform().translate(ends[0]) @ transform().rotate([1.0, 0.0, 0.0], 180.0)
    return [
        {"type": "cylinder", "p0": ends[0], "p1": ends[1], "radius": RADIUS, "to_world": to_world},
        {"type": "disk", "to_world": upper},
        {"type": "disk", "to_world": lower @ transform().scale(RADIUS)},
    ]


def _surface(body: Body) -> dict[str, Any]:
    is_metal = body.material == "metal"
    color = linear(np.array(RGB[body.color]) / 255.0) ** (METAL_EXPONENT if is_metal else 1.0)
    base = {"type": "principled", "base_color": {"type": "rgb", "value": color.tolist()}}
    if is_metal:
        return {**base, "metallic": 1.0, "roughness": METAL_ROUGHNESS}
    return {**base, "metallic": 0.0, "roughness": 0.7, "specular": 0.3}


def load_mitsuba() -> Any:
    """Mitsuba, with the fastest variant that works here."""
    try:
        import mitsuba
    except ImportError as error:
        raise MitsubaError("this renderer needs Mitsuba: pip install tumble[hq]") from error
    mitsuba.set_variant(FAST if _fast_works() else SLOW)
    return mitsuba


@cache
def _fast_works() -> bool:
    """Whether the fast variant renders; tried in a subprocess, since an unsuitable libLLVM aborts its process."""
    command = [sys.executable, "-c", f"from {__name__} import try_variant; try_variant({FAST!r})"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    trial = subprocess.run(command, env=environment, capture_output=True, text=True)
    if trial.returncode:
        lines = [line for line in trial.stderr.splitlines() if "rror" in line]
        reason = lines[-1] if lines else f"it ended with code {trial.returncode}"
        print(f"tumble: Mitsuba's {FAST} does not work here, {SLOW} is used instead: {reason}", file=sys.stderr)
    return not trial.returncode


def try_variant(name: str) -> None:
    """Renders a small picture with everything that scenes have."""
    import mitsuba

    mitsuba.set_variant(name)
    bodies = tuple(Body("red", material, shape) for material in MATERIALS for shape in SHAPES)
    clip = Clip(bodies, np.zeros((1, len(bodies), 3)), np.tile([1.0, 0.0, 0.0, 0.0], (1, len(bodies), 1)))
    np.array(mitsuba.render(mitsuba.load_dict(scene_of(mitsuba, clip, 0, (16, 16), CAMERA)), spp=1))


R = TypeVar("R")


class Renderer(Protocol):
    """Renders clips of different bodies in one batch."""

    def __call__(
        self,
        clips: Sequence[Clip],
        size: Size,
        device: str = "cpu",
        threads: int = 0,
        camera: Camera = CAMERA,
        progress: Callable[[int], None] = lambda frames: None,
    ) -> list[Frames]: ...


class RendererError(TumbleError):
    """An unknown renderer."""


ANALYTIC, MITSUBA = "analytic", "mitsuba"
RENDERERS: dict[str, Renderer] = {ANALYTIC: render_many, MITSUBA: render_many_mitsuba}


def named_renderer(renderers: Mapping[str, R], name: str) -> R:
    """One of several renderers; a RendererError if there is none with that name."""
    if name not in renderers:
        raise RendererError(f"no renderer {name!r}; there are {', '.join(renderers)}")
    return renderers[name]


def get_renderer(name: str) -> Renderer:
    """The renderer of this name."""
    return named_renderer(RENDERERS, name)


def render_each_with(
    name: str,
    clips: Iterable[Clip],
    deliver: Callable[[int, Frames], None],
    size: Size,
    device: str = "cpu",
    threads: int = 0,
) -> None:
    """Renders any number of clips and calls `deliver(number, frames)` for each; see `ray_tracer.render_each`."""
    if name == ANALYTIC:
        render_each(clips, deliver, size, device, threads)
        return
    for number, clip in enumerate(clips):
        deliver(number, get_renderer(name)([clip], size, device, threads)[0])
