"""DQN as the package brings it along, where it does: a checkpoint for each of some folds."""

import json
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from typing import Any


def shipped_dqn(setting: str, fold: int) -> dict[str, Any] | None:
    """The settings of a trained DQN, its checkpoint among them; None without one, or without PyTorch.

    checkpoints/dqn-SETTING-FOLD.pt beside this file is the checkpoint, .json the settings that it was made with.
    """
    folder = Path(str(resources.files("tumble.phyre.agents"))) / "checkpoints"
    checkpoint = folder / f"dqn-{setting}-{fold}.pt"
    if not checkpoint.exists() or find_spec("torch") is None:
        return None
    settings: dict[str, Any] = json.loads(checkpoint.with_suffix(".json").read_text(encoding="utf-8"))
    return {**settings, "checkpoint": str(checkpoint)}
