"""Pictures of bodies on the table: an analytic ray tracer that runs on a CPU or a GPU, and Mitsuba as an option."""

from tumble.comphy.observation.renderer.clips import Clip, ClipError, clip_of
from tumble.comphy.observation.renderer.frames import Frames
from tumble.comphy.observation.renderer.ray_tracer import FULL_SIZE, render, render_many
from tumble.comphy.observation.renderer.renderers import ANALYTIC, RENDERERS, renderer_named
from tumble.comphy.observation.renderer.studio import Size, SizeError

__all__ = [
    "ANALYTIC",
    "FULL_SIZE",
    "RENDERERS",
    "Clip",
    "ClipError",
    "Frames",
    "Size",
    "SizeError",
    "clip_of",
    "render",
    "render_many",
    "renderer_named",
]
