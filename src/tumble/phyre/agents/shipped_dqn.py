"""The trained DQNs that are shipped with the package: checkpoints for some folds."""

from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from typing import Any


def shipped_dqn(setting: str, fold: int) -> dict[str, Any] | None:
    """The settings that make a trained DQN; None if none is shipped for the fold, or PyTorch is not installed."""
    folder = Path(str(resources.files("tumble.phyre"))) / "data" / "checkpoints"
    checkpoint = folder / f"dqn-{setting}-{fold}.pt"
    if not checkpoint.exists() or find_spec("torch") is None:
        return None
    return {"checkpoint": str(checkpoint), "loaded": True}
