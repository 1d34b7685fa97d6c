"""The renderers by name; all have the same signature."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

from tumble.comphy.observation.camera import CAMERA, Camera
from tumble.comphy.observation.renderer.clips import Clip
from tumble.comphy.observation.renderer.frames import Frames
from tumble.comphy.observation.renderer.mitsuba_renderer import render_many_mitsuba
from tumble.comphy.observation.renderer.ray_tracer import render_each, render_many
from tumble.comphy.observation.renderer.view import Size
from tumble.errors import TumbleError

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


def named(renderers: Mapping[str, R], name: str) -> R:
    """One of several renderers; a RendererError if there is none with that name."""
    if name not in renderers:
        raise RendererError(f"no renderer {name!r}; there are {', '.join(renderers)}")
    return renderers[name]


def get_renderer(name: str) -> Renderer:
    """The renderer of this name."""
    return named(RENDERERS, name)


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
