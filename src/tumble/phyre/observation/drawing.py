"""Drawing tasks for people: in the terminal, as pictures and as animations."""

from pathlib import Path

from tumble.scene import Scene, save_image


def save_picture(path: Path, scene: Scene, side: int) -> None:
    """Write the scene at its start to a PNG file, `side` pixels along the longer side."""
    save_image(path, scene, size=_fitted(scene, side))


def _fitted(scene: Scene, side: int) -> tuple[int, int]:
    """Rows and columns of a picture whose longer side has so many."""
    scale = side / max(scene.width, scene.height)
    return max(1, round(scene.height * scale)), max(1, round(scene.width * scale))
