"""Scenes as picture files."""

from pathlib import Path

from tumble.scene import Scene, save_image


def save_picture(path: Path, scene: Scene, side: int) -> None:
    """Writes the scene at its start to a PNG file, `side` pixels along the longer side."""
    save_image(path, scene, size=picture_size(scene, side))


def picture_size(scene: Scene, side: int) -> tuple[int, int]:
    """Rows and columns of a picture of the scene with `side` pixels along its longer side."""
    scale = side / max(scene.width, scene.height)
    return max(1, round(scene.height * scale)), max(1, round(scene.width * scale))
