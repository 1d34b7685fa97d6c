"""Renderers of bodies on the table: an analytic ray tracer for CPU and GPU, and Mitsuba as an option."""

from tumble.comphy.observation.renderer.ray_tracer import FULL_SIZE, render, render_each, render_many
from tumble.comphy.observation.renderer.renderers import ANALYTIC, RENDERERS, get_renderer, render_each_with
from tumble.comphy.observation.renderer.scene import Clip, ClipError, Frames, Size, SizeError, clip_of

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
    "get_renderer",
    "render",
    "render_each",
    "render_each_with",
    "render_many",
]
