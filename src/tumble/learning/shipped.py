"""The checkpoints that come with the package."""

from importlib import resources
from pathlib import Path

from tumble.learning.errors import TrainingError


def shipped_checkpoint(package: str, name: str, given: str | Path = "") -> Path:
    """The file of a model's weights: the given one, or else the one that comes with a benchmark's package."""
    if given:
        return Path(given)
    path = Path(str(resources.files(package))) / "data" / "checkpoints" / f"{name}.pt"
    if not path.exists():
        raise TrainingError(f"no weights of {name!r} come with the package; train them, and give the checkpoint's file")
    return path
