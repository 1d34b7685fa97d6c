"""The file of collected shots: arrays of scenes and shots, with the physics and the split that they are from."""

from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from tumble.learning.errors import TrainingError
from tumble.phyq.models.ranker.collect import Collected
from tumble.phyq.models.ranker.scenes import Scenes
from tumble.phyq.simulation.simulator import physics_id
from tumble.scene.files import whole_file

FORMAT = "tumble-phyq-shots-1"


@dataclass(frozen=True)
class ShotData:
    """Collected shots, and a digest of them."""

    collected: Collected
    digest: str


def write_shots(path: Path, collected: Collected) -> None:
    """Writes the file whole or not at all."""
    arrays: dict[str, Any] = {f"scene_{f.name}": getattr(collected.scenes, f.name) for f in fields(Scenes)}
    arrays |= {f.name: getattr(collected, f.name) for f in fields(Collected) if f.name != "scenes"}
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as temporary, temporary.open("wb") as stream:
        np.savez(stream, format=np.array(FORMAT), physics=np.array(physics_id()), **arrays)


def read_shots(path: Path) -> ShotData:
    """Reads a file of shots that were played with the present physics."""
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        found, physics = str(arrays.pop("format")), str(arrays.pop("physics"))
        scenes = Scenes(**{f.name: arrays.pop(f"scene_{f.name}") for f in fields(Scenes)})
        collected = Collected(scenes, **arrays)
    except OSError as error:
        raise TrainingError(f"{path}: {error.strerror or 'cannot be read'}") from None
    except Exception:  # NumPy does not document what a damaged file raises
        raise TrainingError(f"{path}: no file of collected shots, or a damaged one") from None
    if found != FORMAT:
        raise TrainingError(f"{path}: not a file of this version: its format is not {FORMAT}")
    if physics != physics_id():
        raise TrainingError(f"{path}: played with the physics {physics}, and this is {physics_id()}; collect again")
    digest = sha256()
    for array in (scenes.poses, collected.scene_of, collected.shots, collected.won):
        digest.update(np.ascontiguousarray(array).tobytes())
    return ShotData(collected, digest.hexdigest()[:16])
