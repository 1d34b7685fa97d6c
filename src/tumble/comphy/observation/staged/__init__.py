"""The ray tracer for everyday objects on textured floors: the same interface as `renderer`, kernels of its own."""

from tumble.comphy.observation.staged.clips import StagedClip
from tumble.comphy.observation.staged.ray_tracer import render_each_staged, render_many_staged
from tumble.comphy.observation.staged.renderers import STAGED_RENDERERS, get_staged_renderer, render_each_staged_with
from tumble.comphy.observation.staged.scene import MATERIALS, PATTERNS, LookError, ObjectLook

__all__ = [
    "MATERIALS",
    "PATTERNS",
    "STAGED_RENDERERS",
    "LookError",
    "ObjectLook",
    "StagedClip",
    "get_staged_renderer",
    "render_each_staged",
    "render_each_staged_with",
    "render_many_staged",
]
