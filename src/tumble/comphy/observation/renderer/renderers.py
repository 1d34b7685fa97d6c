"""The renderers by name: each takes clips and gives frames, so that one can stand in for another."""

from collections.abc import Callable, Sequence
from typing import Protocol

from tumble.comphy.observation.camera import CAMERA, Camera
from tumble.comphy.observation.renderer.clips import Clip
from tumble.comphy.observation.renderer.frames import Frames
from tumble.comphy.observation.renderer.mitsuba_renderer import render_many_fine
from tumble.comphy.observation.renderer.ray_tracer import render_many
from tumble.comphy.observation.renderer.studio import Size


class Renderer(Protocol):
    """Renders clips of different bodies in one go."""

    def __call__(
        self,
        clips: Sequence[Clip],
        size: Size,
        device: str = "cpu",
        threads: int = 0,
        camera: Camera = CAMERA,
        progress: Callable[[int], None] = lambda frames: None,
    ) -> list[Frames]: ...


class RendererError(ValueError):
    """A renderer that there isn't."""


ANALYTIC, MITSUBA = "analytic", "mitsuba"
RENDERERS: dict[str, Renderer] = {ANALYTIC: render_many, MITSUBA: render_many_fine}


def renderer_named(name: str) -> Renderer:
    """The renderer of a name."""
    if name not in RENDERERS:
        raise RendererError(f"no renderer {name!r}; there are {', '.join(RENDERERS)}")
    return RENDERERS[name]
