"""Writes the pictures and animations of `show`, `shoot` and `play`."""

from dataclasses import dataclass
from pathlib import Path

from tumble.output import print_line
from tumble.phyq.observation import animation, illustration
from tumble.phyq.observation.drawing import save_png
from tumble.phyq.observation.view import View
from tumble.phyq.simulation import episode_views
from tumble.phyq.simulation.episodes import Episodes
from tumble.progress import bar


@dataclass(frozen=True)
class PictureSize:
    """The options --width and --zoom."""

    width: int | None = None
    """Pixels; None for the default width of a picture or an animation."""
    zoom: float = 1.0


def save_picture(path: Path, view: View, size: PictureSize) -> None:
    """Writes a picture of a view."""
    save_png(path, view.illustration(size.width or illustration.WIDTH, size.zoom))
    print_line(f"Picture: {path}")


def save_animation(path: Path, episodes: Episodes, size: PictureSize) -> None:
    """Writes an animation of an episode."""
    motion = episode_views.motion(episodes, 0)
    with bar("Drawing", len(animation.frames_shown(motion))) as advance:
        animation.save_motion(path, motion, size.width or animation.WIDTH, advance, size.zoom)
    print_line(f"Animation: {path}")
