"""The renderers of objects on stages by name, as in `renderer.renderers`; all have the same signature."""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from tumble.comphy.observation.camera import CAMERA, Camera
from tumble.comphy.observation.renderer.frames import Frames
from tumble.comphy.observation.renderer.renderers import ANALYTIC, MITSUBA, named
from tumble.comphy.observation.renderer.view import Size
from tumble.comphy.observation.staged.clip import StagedClip
from tumble.comphy.observation.staged.mitsuba_renderer import render_many_staged_mitsuba
from tumble.comphy.observation.staged.ray_tracer import render_each_staged, render_many_staged


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
    return named(STAGED_RENDERERS, name)


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
